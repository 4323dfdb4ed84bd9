/* SPDX-License-Identifier: MIT */
/*
 * How a public function becomes an operation over reals: every algorithm is written once, as an
 * operation on arrays of reals, and serves one state and batches, independent and tree coordinates.
 * One state: the caller's arrays are the operation's arrays. Batch: rows are loaded into lanes, go
 * through the operation, and are stored.
 */
#ifndef TD_CALL_H
#define TD_CALL_H

#include "run.h"

/* Where a public function is called: for whom, in which coordinates, for how many states. */
typedef struct td_site {
    const td_model *model;
    td_workspace *workspace;
    td_space space;
    bool batch;
    size_t n;
    td_status *each;
} td_site;

enum { TD_MOST_INPUTS = 4, TD_MOST_OUTPUTS = 10 };

typedef void (*td_operation)(const td_run *run, const void *const *in, void *const *out,
                             const void *context);

/* What is called, set up by td_call_begin: rows that are not there are not written. */
typedef struct td_call {
    td_operation operation;
    const void *context;
    size_t inputs, outputs;
    unsigned masses; /* a bit per output: the symmetric matrix that the operation leaves in
                        td_run_matrix */
    bool missing;    /* a required argument is NULL, or one is out of range */
    bool solves;     /* the operation factors: a vanishing pivot is a status */
    td_status singular_status; /* that one */
    td_status good_status;     /* of a row with nothing wrong */
    bool closes; /* whether the operation closes loops although it speaks the tree's coordinates */
    const void *in[TD_MOST_INPUTS]; /* rows of doubles; NULL reaches the operation as NULL */
    size_t in_columns[TD_MOST_INPUTS];
    void *out[TD_MOST_OUTPUTS]; /* rows of doubles; NULL: not wanted */
    size_t out_columns[TD_MOST_OUTPUTS];
} td_call;

static inline void td_call_begin(td_call *call, td_operation operation, const void *context)
{
    call->operation = operation;
    call->context = context;
    call->inputs = call->outputs = 0;
    call->masses = 0;
    call->missing = call->solves = call->closes = false;
    call->singular_status = TD_ERROR_SINGULAR;
    call->good_status = TD_OK;
}

/* Inputs and outputs in the order in which the operation finds them. A required one must not be
   NULL unless it has no columns. */
static inline void td_call_input(td_call *call, const double *at, size_t columns, bool required)
{
    if (required && !at && columns)
        call->missing = true;
    call->in[call->inputs] = at;
    call->in_columns[call->inputs++] = columns;
}

static inline void td_call_output(td_call *call, double *at, size_t columns)
{
    call->out[call->outputs] = at;
    call->out_columns[call->outputs++] = columns;
}

static inline void td_call_mass_output(td_call *call, double *at, size_t size)
{
    call->masses |= 1U << call->outputs;
    td_call_output(call, at, size * size);
}

td_status td_call_run(const td_site *site, td_call *call);

/* The four public functions of an algorithm: td_NAME, td_tree_NAME, td_batch_NAME,
   td_batch_tree_NAME. parameters and arguments are lists in parentheses; the algorithm is the
   function NAME(site, ...). */
#define TD_SPREAD(...) , __VA_ARGS__
#define TD_DEFINE_SINGLE(name, parameters, arguments)                                              \
    td_status td_##name(const td_model *model, td_workspace *workspace TD_SPREAD parameters)       \
    {                                                                                              \
        td_site site = {model, workspace, TD_SPACE_INDEPENDENT, false, 1, NULL};                   \
        return name(&site TD_SPREAD arguments);                                                    \
    }                                                                                              \
    td_status td_tree_##name(const td_model *model, td_workspace *workspace TD_SPREAD parameters)  \
    {                                                                                              \
        td_site site = {model, workspace, TD_SPACE_TREE, false, 1, NULL};                          \
        return name(&site TD_SPREAD arguments);                                                    \
    }
#define TD_DEFINE_BATCH(name, parameters, arguments)                                               \
    td_status td_batch_##name(const td_model *model, td_workspace *workspace,                      \
                              size_t n TD_SPREAD parameters, td_status *each)                      \
    {                                                                                              \
        td_site site = {model, workspace, TD_SPACE_INDEPENDENT, true, n, each};                    \
        return name(&site TD_SPREAD arguments);                                                    \
    }                                                                                              \
    td_status td_batch_tree_##name(const td_model *model, td_workspace *workspace,                 \
                                   size_t n TD_SPREAD parameters, td_status *each)                 \
    {                                                                                              \
        td_site site = {model, workspace, TD_SPACE_TREE, true, n, each};                           \
        return name(&site TD_SPREAD arguments);                                                    \
    }
#define TD_DEFINE(name, parameters, arguments)                                                     \
    TD_DEFINE_SINGLE(name, parameters, arguments)                                                  \
    TD_DEFINE_BATCH(name, parameters, arguments)

/* sizes at a site; 0 where it has no model */
static inline size_t td_site_positions(const td_site *site)
{
    return site->model ? td_space_positions(site->model, site->space) : 0;
}
static inline size_t td_site_velocities(const td_site *site)
{
    return site->model ? td_space_velocities(site->model, site->space) : 0;
}
static inline size_t td_site_links(const td_site *site)
{
    return site->model ? site->model->tree.links : 0;
}
static inline size_t td_site_joints(const td_site *site)
{
    return site->model ? site->model->tree.joints : 0;
}

#endif
