/* SPDX-License-Identifier: MIT */
/*
 * Turns a public function into an operation over reals. Every algorithm is written once, as an
 * operation on arrays of reals. The same code is used for single states and batches, in independent
 * and tree coordinates. For one state the operation works on the caller's arrays. For a batch, rows
 * are loaded into SIMD lanes, the operation runs, and its results are stored.
 */
#ifndef TD_CALL_H
#define TD_CALL_H

#include "dynamics/eval.h"
#include "dynamics/workspace.h"

/* The context of a public call: model and workspace, coordinates, and the number of states. */
typedef struct td_site {
    const td_model *model;
    td_workspace *workspace;
    td_coordinates space;
    bool batch;
    size_t n;
    td_status *statuses;
} td_site;

/* Returns whether the site has a workspace and it belongs to the model; if not, td_check_pair
   returns the error. Public functions check this first, so code below can assume a model. */
static inline bool td_site_is_valid(const td_site *site)
{
    return site->model && site->workspace && site->workspace->model == site->model;
}

/* Sizes at a valid site, or at a site that only has a model. */
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

/* Returns the sparsity pattern of mass matrices in the site's coordinates. */
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

/* How an output is made from td_eval_matrix: as a full n × n matrix, or as its packed entries. */
typedef enum td_matrix_form { TD_MATRIX_WHOLE, TD_MATRIX_PACKED } td_matrix_form;

/* An operation. arguments: its struct, whose rows are pointers to reals. */
typedef void (*td_operation)(const td_eval *eval, const void *arguments);

/* A call, set up by td_call_begin. The operation's arguments point to the rows of one state, or
   to the lanes of a batch. Outputs that are NULL are skipped. */
typedef struct td_call {
    td_operation operation;
    void *arguments;
    size_t size; /* of the arguments, in bytes */
    size_t inputs, outputs;
    size_t staged; /* reals that the rows of a batch need, rows that are NULL included */
    unsigned optional, direct; /* one bit per output: it may be NULL; a batch's operation writes it
                                  to the caller's rows */
    size_t optional_reals;     /* the part of staged for optional outputs */
    size_t largest, largest_count; /* size of the largest optional output, and the number of outputs
                                      of that size */
    const char *fault;             /* an argument that is missing or out of range; NULL: none */
    unsigned masses; /* one bit per output: the operation leaves this matrix in td_eval_matrix */
    td_matrix_form form;       /* form of these matrices */
    const td_pattern *pattern; /* pattern of these matrices; only set if there are any */
    bool matrices;             /* the operation needs a workspace with matrices */
    bool solves;               /* the operation factors a matrix; a vanishing pivot is an error */
    bool closes;   /* the operation closes loops although it uses the tree's coordinates */
    bool balances; /* the operation computes the forces of loops, which may be singular */
    bool unusual;  /* inputs need more checks than whether they are finite */
    td_status singular_status;      /* status for a vanishing pivot */
    td_status good_status;          /* status of a row without errors */
    const void *in[TD_MOST_INPUTS]; /* rows of doubles; NULL reaches the operation as NULL */
    size_t in_columns[TD_MOST_INPUTS];
    unsigned char in_place[TD_MOST_INPUTS]; /* offset of the pointer in the arguments, in bytes */
    void *out[TD_MOST_OUTPUTS];             /* rows of doubles; NULL: not wanted */
    size_t out_columns[TD_MOST_OUTPUTS];
    unsigned char out_place[TD_MOST_OUTPUTS];
    const double *wrenches; /* links × 6, per row or for all rows; NULL: none */
    /* The following are only set if the call is unusual. */
    const td_quaternions *quaternions; /* where the first input has quaternions; NULL: nowhere */
    const unsigned char *given; /* NULL, or marks the entries that are read from the third input;
                                   the others are read from the fourth */
    const double *shared;       /* NULL, or numbers that all rows share */
    size_t shared_count;
    size_t wrench_count;  /* 6 per link */
    size_t wrench_stride; /* distance between rows: wrench_count, or 0 if all rows share their
                             wrenches */
    td_forces forces;     /* a copy of the caller's forces, if it needed one */
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

/* Begins a call at a valid site. `arguments` points to the operation's struct, which has the
   caller's rows. td_call_enter begins a call and returns whether the site is valid. */
#define td_call_begin(call, operation, arguments)                                                  \
    td_call_start(call, operation, arguments, sizeof *(arguments))
#define td_call_enter(call, site, operation, arguments)                                            \
    (td_call_begin(call, operation, arguments), td_site_is_valid(site))

static inline unsigned char td_call_place(const td_call *call, const void *member)
{
    return (unsigned char)((const char *)member - (const char *)call->arguments);
}

/* Declares that the operation factors a matrix, and the status for a vanishing pivot. */
static inline void td_call_solve(td_call *call, td_status singular)
{
    call->solves = true;
    call->singular_status = singular;
}

/* Declares whether the operation needs a workspace with matrices; without them the call returns
   TD_ERROR_MATRICES. */
static inline void td_call_matrices(td_call *call, bool needed)
{
    call->matrices = needed;
}

/* Records a fault of the named argument unless it is sound. */
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

/* Adds an output whose rows the operation writes itself in a batch (td_rows); it is not staged. */
static inline void td_call_add_direct_output(td_call *call, const char *name, void *const *member,
                                             size_t columns, bool required)
{
    call->direct |= 1U << call->outputs;
    td_call_name_output(call, name, member, columns, required);
}

/* Returns the capacity of the stage in reals: `staged` if that is at most `most`. Otherwise
   `most`, but at least what all rows need with only one of the largest optional outputs. The
   operation then runs several times, each time for some of the optional outputs. */
static inline size_t td_stage_of(size_t staged, size_t largest, size_t largest_count, size_t most)
{
    const size_t least = largest_count ? staged - (largest_count - 1) * largest : staged;
    return staged <= most || least == staged ? staged : least > most ? least : most;
}

/* Returns the largest stage for the outputs of one robot, in reals. 1.5 MB fit mostly into the
   second-level cache of a core. Whatever grows linearly with joints and links always fits. */
static inline size_t td_stage_most(const td_model *model, const td_kernels *k)
{
    const size_t cached = ((size_t)3 << 19) / k->real_size;
    const size_t linear = 100 * (model->tree.nv + model->tree.links);
    return cached > linear ? cached : linear;
}

/* Adds a configuration; it must be the first input. */
static inline void td_call_add_positions(td_call *call, const td_site *site, const char *name,
                                         const void *const *member, bool required)
{
    if (*member && site->model->quaternion[site->space].count) {
        td_call_be_unusual(call);
        call->quaternions = &site->model->quaternion[site->space];
    }
    td_call_add_input(call, name, member, td_site_positions(site), required);
}

/* Adds a mass matrix or its factors as an output. It is not staged, and td_call_run stores it
   from td_eval_matrix. */
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

/* Declare members of the arguments as rows with this number of columns. A required row must not
   be NULL unless it has no columns. */
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

/* Selects the marked entries of the third input and the unmarked entries of the fourth. */
static inline void td_call_choose(td_call *call, const unsigned char *given)
{
    td_call_be_unusual(call);
    call->given = given;
}

/* Declares numbers that all states share. */
static inline void td_call_share(td_call *call, const double *at, size_t count)
{
    td_call_be_unusual(call);
    call->shared = at;
    call->shared_count = count;
}

/* Declares wrenches on links, for each row or for all rows. */
static inline void td_call_wrenches(td_call *call, const td_site *site, const double *at,
                                    bool per_row)
{
    td_call_be_unusual(call);
    call->wrenches = at;
    call->wrench_count = 6 * site->model->tree.links;
    call->wrench_stride = per_row ? call->wrench_count : 0;
    call->staged += call->wrench_count;
}

/* Converts the outcome of closing loops (td_loop_outcome) into a status. */
td_status td_outcome_status(const double outcome[TD_OUTCOMES]);

/* Run a call at a valid site. */
td_status td_call_run_single(const td_site *site, const td_call *call);
td_status td_call_run_batch(const td_site *site, const td_call *call);
static inline td_status td_call_run(const td_site *site, const td_call *call)
{
    return site->batch ? td_call_run_batch(site, call) : td_call_run_single(site, call);
}

/* Returns TD_ERROR_ARGUMENT and stores the argument's name in the workspace, which may be NULL. */
td_status td_refuse(td_workspace *workspace, const char *name);

/* Returns TD_OK, or TD_ERROR_ARGUMENT if the model or workspace is NULL or the workspace belongs
   to another model. */
td_status td_check_pair(const td_model *model, td_workspace *workspace);

/* Checks a configuration outside of calls. Returns TD_OK, TD_ERROR_NOT_FINITE or
   TD_ERROR_QUATERNION. */
td_status td_check_positions(const td_model *model, td_coordinates space, const double *y);

/* Sites of an algorithm's public functions: td_NAME for one state and td_batch_NAME for several.
   Coordinates are the workspace's, or fixed by the function. */
#define TD_SINGLE(model, workspace, space)                                                         \
    (&(const td_site){model, workspace, space, false, 1, NULL})
#define TD_BATCH(model, workspace, space, n, statuses)                                             \
    (&(const td_site){model, workspace, space, true, n, statuses})

#endif
