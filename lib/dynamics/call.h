/* SPDX-License-Identifier: MIT */
/*
 * How a public function becomes an operation over reals: every algorithm is written once, as an
 * operation on arrays of reals, and serves one state and batches, independent and tree coordinates.
 * One state: the caller's arrays are the operation's arrays. Batch: rows are loaded into lanes, go
 * through the operation, and are stored.
 */
#ifndef TD_CALL_H
#define TD_CALL_H

#include "dynamics/eval.h"
#include "dynamics/workspace.h"

/* Where a public function is called: for whom, in which coordinates, for how many states. */
typedef struct td_site {
    const td_model *model;
    td_workspace *workspace;
    td_coordinates space;
    bool batch;
    size_t n;
    td_status *statuses;
} td_site;

/* Whether a site has a workspace, which is of its model; else td_check_pair says what is wrong.
   Functions ask before all else, so that nothing below asks whether there is a model. */
static inline bool td_site_is_valid(const td_site *site)
{
    return site->model && site->workspace && site->workspace->model == site->model;
}

/* sizes at a valid site, or at one that has a model alone */
static inline size_t td_site_positions(const td_site *site)
{
    if (site->space == TD_COORDINATES_TREE)
        return site->model->tree.nq;
    return site->workspace ? site->workspace->eval.closure->ny : td_widest_closure(site->model)->ny;
}
static inline size_t td_site_velocities(const td_site *site)
{
    return td_velocity_count(site->model, site->space);
}

/* the sparsity of mass matrices there, and its entries */
static inline const td_pattern *td_site_pattern(const td_site *site)
{
    if (site->space == TD_COORDINATES_TREE)
        return &site->model->tree.pattern;
    return site->workspace ? &site->workspace->eval.closure->pattern
                           : &td_widest_closure(site->model)->pattern;
}
static inline size_t td_site_entries(const td_site *site)
{
    return td_site_pattern(site)->entries;
}

enum { TD_MOST_OUTPUTS = 10 };

/* How a matrix leaves td_eval_matrix: as both triangles, n × n, or its entries alone, as they are.
 */
typedef enum td_matrix_form { TD_MATRIX_WHOLE, TD_MATRIX_PACKED } td_matrix_form;

/* Its arguments are a struct, whose rows are pointers to reals. */
typedef void (*td_operation)(const td_eval *eval, const void *arguments);

/* What is called, set up by td_call_begin: rows that are not there are not written. The operation
   finds the rows of one state, and of a batch the lanes, in its arguments. */
typedef struct td_call {
    td_operation operation;
    void *arguments;
    size_t size; /* of the arguments, in bytes */
    size_t inputs, outputs;
    size_t staged; /* reals that the rows of a batch take, those that are NULL included */
    unsigned optional, direct; /* a bit per output: may be NULL; a batch's operation writes it to
                                  the caller's rows */
    size_t optional_reals;     /* of staged: that optional outputs take */
    size_t largest, largest_count; /* optional output, and how many are of that size */
    const char *fault;             /* an argument that is missing or out of range; NULL: none */
    unsigned masses;               /* a bit per output: the matrix that the operation leaves in
                                      td_eval_matrix */
    td_matrix_form form;           /* theirs */
    const td_pattern *pattern;     /* theirs; only set where there are some */
    bool matrices;                 /* the operation needs a workspace with matrices */
    bool solves;                   /* the operation factors: a vanishing pivot is a status */
    bool closes; /* whether the operation closes loops although it speaks the tree's coordinates */
    bool balances; /* the operation finds the forces of loops, which may be singular then */
    bool unusual;  /* there is more to ask of what comes in than whether inputs are finite */
    td_status singular_status;      /* of a vanishing pivot */
    td_status good_status;          /* of a row with nothing wrong */
    const void *in[TD_MOST_INPUTS]; /* rows of doubles; NULL reaches the operation as NULL */
    size_t in_columns[TD_MOST_INPUTS];
    unsigned char in_place[TD_MOST_INPUTS]; /* where in the arguments, in bytes */
    void *out[TD_MOST_OUTPUTS];             /* rows of doubles; NULL: not wanted */
    size_t out_columns[TD_MOST_OUTPUTS];
    unsigned char out_place[TD_MOST_OUTPUTS];
    const double *wrenches; /* links × 6, of each row or of all; NULL: none */
    /* only set where the call is unusual: */
    const td_quaternions *quaternions; /* where the first input has quaternions, or NULL */
    const unsigned char *given; /* NULL, or marks the entries of the third input that count, of the
                                   fourth the others do */
    const double *shared;       /* NULL, or numbers that are the same for all rows */
    size_t shared_count;
    size_t wrench_count;  /* 6 per link */
    size_t wrench_stride; /* from row to row: wrench_count, or 0 where all rows have the same */
} td_call;

static inline void td_call_start(td_call *call, td_operation operation, void *arguments,
                                 size_t size)
{
    call->operation = operation;
    call->arguments = arguments;
    call->size = size;
    call->inputs = call->outputs = call->staged = 0;
    call->optional = call->direct = 0;
    call->optional_reals = call->largest = call->largest_count = 0;
    call->fault = NULL;
    call->wrenches = NULL;
    call->masses = 0;
    call->form = TD_MATRIX_WHOLE;
    call->matrices = call->solves = call->closes = call->balances = call->unusual = false;
    call->singular_status = TD_ERROR_SINGULAR;
    call->good_status = TD_OK;
}

/* arguments: a pointer to the struct that the operation takes, which holds the caller's rows */
#define td_call_begin(call, operation, arguments)                                                  \
    td_call_start(call, operation, arguments, sizeof *(arguments))

static inline unsigned char td_call_place(const td_call *call, const void *member)
{
    return (unsigned char)((const char *)member - (const char *)call->arguments);
}

/* The operation factors: a vanishing pivot is that status. */
static inline void td_call_solve(td_call *call, td_status singular)
{
    call->solves = true;
    call->singular_status = singular;
}

/* Whether the operation needs a workspace with matrices; else that is TD_ERROR_MATRICES. */
static inline void td_call_matrices(td_call *call, bool needed)
{
    call->matrices = needed;
}

/* That the argument of that name is sound. */
static inline void td_call_require(td_call *call, bool sound, const char *name)
{
    if (!sound)
        call->fault = name;
}

static inline void td_call_be_unusual(td_call *call)
{
    if (!call->unusual) {
        call->quaternions = NULL;
        call->given = NULL;
        call->shared = NULL;
    }
    call->unusual = true;
}

static inline void td_call_add_input(td_call *call, const char *name, const void *const *member,
                                     size_t columns, bool required)
{
    td_call_require(call, *member || !columns || !required, name);
    call->in[call->inputs] = *member;
    call->in_place[call->inputs] = td_call_place(call, member);
    call->in_columns[call->inputs++] = columns;
    call->staged += columns;
}

static inline void td_call_name_output(td_call *call, const char *name, void *const *member,
                                       size_t columns, bool required)
{
    td_call_require(call, *member || !columns || !required, name);
    call->optional |= (unsigned)!required << call->outputs;
    call->out[call->outputs] = *member;
    call->out_place[call->outputs] = td_call_place(call, member);
    call->out_columns[call->outputs++] = columns;
}

static inline void td_call_add_output(td_call *call, const char *name, void *const *member,
                                      size_t columns, bool required)
{
    td_call_name_output(call, name, member, columns, required);
    call->staged += columns;
    if (required)
        return;
    call->optional_reals += columns;
    call->largest_count =
        columns > call->largest ? 1 : call->largest_count + (columns == call->largest);
    call->largest = columns > call->largest ? columns : call->largest;
}

/* an output whose rows the operation writes itself in a batch (td_rows): it is not staged */
static inline void td_call_add_direct_output(td_call *call, const char *name, void *const *member,
                                             size_t columns, bool required)
{
    call->direct |= 1U << call->outputs;
    td_call_name_output(call, name, member, columns, required);
}

/* Reals of the stage for rows of which `most` is enough for all: else so many, or as many as all
   rows take without all but one of the largest outputs that may be NULL. The operation runs for
   some of these after the others then. */
static inline size_t td_stage_of(size_t staged, size_t largest, size_t largest_count, size_t most)
{
    const size_t least = largest_count ? staged - (largest_count - 1) * largest : staged;
    return staged <= most || least == staged ? staged : least > most ? least : most;
}

/* What outputs of one robot are staged together, in reals: 1.5 MB, most of which a core's second
   cache holds, and whatever the lanes all that grows with the number of joints and links. */
static inline size_t td_stage_most(const td_model *model, const td_kernels *k)
{
    const size_t cached = ((size_t)3 << 19) / k->real_size;
    const size_t linear = 100 * (model->tree.nv + model->tree.links);
    return cached > linear ? cached : linear;
}

/* a configuration, as the first input */
static inline void td_call_add_positions(td_call *call, const td_site *site, const char *name,
                                         const void *const *member, bool required)
{
    if (*member && site->model->quaternion[site->space].count) {
        td_call_be_unusual(call);
        call->quaternions = &site->model->quaternion[site->space];
    }
    td_call_add_input(call, name, member, td_site_positions(site), required);
}

/* a mass matrix or its factors, which the operation does not write itself, and which is not staged
 */
static inline void td_call_add_matrix_output(td_call *call, const td_site *site, const char *name,
                                             void *const *member, td_matrix_form form,
                                             bool required)
{
    const size_t n = td_site_velocities(site);
    const size_t columns = form == TD_MATRIX_PACKED ? td_site_entries(site) : n * n;
    call->masses |= 1U << call->outputs;
    call->form = form;
    call->pattern = td_site_pattern(site);
    td_call_name_output(call, name, member, columns, required);
}

/* That members of the arguments are rows, each with so many columns. A required one must not be
   NULL unless it has no columns. */
#define td_call_positions(call, site, arguments, member, required)                                 \
    td_call_add_positions(call, site, #member, &(arguments)->member, required)
#define td_call_input(call, arguments, member, columns, required)                                  \
    td_call_add_input(call, #member, &(arguments)->member, columns, required)
#define td_call_output(call, arguments, member, columns, required)                                 \
    td_call_add_output(call, #member, &(arguments)->member, columns, required)
#define td_call_direct_output(call, arguments, member, columns, required)                          \
    td_call_add_direct_output(call, #member, &(arguments)->member, columns, required)
#define td_call_matrix_output(call, site, arguments, member, form, required)                       \
    td_call_add_matrix_output(call, site, #member, &(arguments)->member, form, required)

/* of the third input the entries count that are marked, of the fourth the others */
static inline void td_call_choose(td_call *call, const unsigned char *given)
{
    td_call_be_unusual(call);
    call->given = given;
}

/* numbers that are the same for all states */
static inline void td_call_share(td_call *call, const double *at, size_t count)
{
    td_call_be_unusual(call);
    call->shared = at;
    call->shared_count = count;
}

/* wrenches on links, and whether each row has its own */
static inline void td_call_wrenches(td_call *call, const td_site *site, const double *at,
                                    bool per_row)
{
    td_call_be_unusual(call);
    call->wrenches = at;
    call->wrench_count = 6 * site->model->tree.links;
    call->wrench_stride = per_row ? call->wrench_count : 0;
    call->staged += call->wrench_count;
}

/* What became of loops, as a status: of a td_loop_outcome. */
td_status td_outcome_status(const double outcome[TD_OUTCOMES]);

/* At a site that is valid. */
td_status td_call_run_single(const td_site *site, const td_call *call);
td_status td_call_run_batch(const td_site *site, const td_call *call);
static inline td_status td_call_run(const td_site *site, const td_call *call)
{
    return site->batch ? td_call_run_batch(site, call) : td_call_run_single(site, call);
}

/* TD_ERROR_ARGUMENT, with the name of the argument kept in the workspace (which may be NULL). */
td_status td_refuse(td_workspace *workspace, const char *name);

/* TD_OK, or a refusal: there is no model, no workspace, or one of another model. */
td_status td_check_pair(const td_model *model, td_workspace *workspace);

/* TD_OK; or what is wrong with a configuration outside of calls: TD_ERROR_NOT_FINITE,
   TD_ERROR_QUATERNION. */
td_status td_check_positions(const td_model *model, td_coordinates space, const double *y);

/* Sites of the public functions of an algorithm, td_NAME for one state and td_batch_NAME for
   several. They compute in the coordinates of the workspace, or always in the same. */
#define TD_SINGLE(model, workspace, space)                                                         \
    (&(const td_site){model, workspace, space, false, 1, NULL})
#define TD_BATCH(model, workspace, space, n, statuses)                                             \
    (&(const td_site){model, workspace, space, true, n, statuses})

#endif
