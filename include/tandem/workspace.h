/* SPDX-License-Identifier: MIT */
/*
 * The workspace: the memory that calls on a model need, made once for each thread, and the statuses
 * that calls return.
 *
 * Statuses of the functions of a model and a workspace, in all headers:
 *
 *   TD_ERROR_ARGUMENT    an argument is NULL that must not be, or out of range, or the workspace is
 *                        one of another model; nothing is written, td_argument_fault names it
 *   TD_ERROR_NOT_FINITE  a number that comes in is NaN or infinite: in y, yd, ydd, forces, wrenches
 *                        or a point, whether or not a result depends on it. Results are NaN as a
 *                        whole
 *   TD_ERROR_QUATERNION  a quaternion of y (or q) has a length that is off 1 by more than 1e-6;
 *                        results are NaN. td_normalize mends it, td_integrate keeps it
 *
 * A result that overflows is TD_ERROR_NOT_FINITE where the function solves equations, and in
 * batches; other functions of one state leave it infinite or NaN.
 */
#ifndef TANDEM_WORKSPACE_H
#define TANDEM_WORKSPACE_H

#include <stdbool.h>
#include <stddef.h>

#include "tandem/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct td_workspace td_workspace; /* opaque: memory of one thread */

/* Scratch for one thread and that model: one aligned block, allocated here and never again but for
   payloads (payload.h). NULL without memory. It must not outlive the model. */
TD_API td_workspace *td_workspace_new(const td_model *model);
/* No call on it may be under way. NULL is fine. */
TD_API void td_workspace_free(td_workspace *workspace);
/* Bytes of that block; 0 for NULL. */
TD_API size_t td_workspace_bytes(const td_model *model);

/* A workspace with which batch calls (batch.h) share their states out among that many threads, each
   with scratch of its own in the block; 0: one for each processor that the calling thread may run
   on, 1: as td_workspace_new. The calling thread of a batch is one of them. The others are started
   here and end with the workspace; between calls they sleep, after some microseconds in which they
   look out for the next one. They have the schedule, priority and processors of the thread that
   calls this, and block all signals. At most 1024, fewer where the system does not give so many,
   and one where the library was built without threads: td_workspace_threads says how many there
   are. In a process forked later the workspace works on with the calling thread alone. */
TD_API td_workspace *td_workspace_new_threads(const td_model *model, size_t threads);
TD_API size_t td_workspace_threads(const td_workspace *workspace); /* 0 for NULL */
TD_API size_t td_workspace_bytes_threads(const td_model *model, size_t threads);

/* From where the calls of a workspace follow loops that are iterated (td_closure_start, closure.h).
   Several closings may belong to one y: a controller wants the one that its last state leads to, a
   table the same one for the same y, whatever was asked before. docs/algorithms.md, Loops, says
   more. */
typedef enum td_following {
    TD_FOLLOWING_BY_CALL, /* single calls from the last state that one of them closed, and from the
                          start where that fails; batches from the start */
    TD_FOLLOWING_LAST,    /* all from the last state: rows of batches from the row before, as
                             td_closure_rows with TD_ROW_START_BEFORE */
    TD_FOLLOWING_START,   /* all from the start: results are functions of y. Batches follow as
                          td_closure_rows says where that was called. */
} td_following;

/* How a workspace is made. Matrices are what grows with the square of the number of joints: the
   mass matrix and its factors, Coriolis matrices, constraint Jacobians. Without them memory is
   proportional to the joints, and functions that need one return TD_ERROR_MATRICES and write
   nothing. Those are the mass matrix in all its forms, its inverse and equations that it solves,
   the Coriolis matrix, derivatives and linear models, constraints and constrained motions,
   td_dynamics_terms with H (lib/functions/operations.py has the list), and accelerations from
   forces where the plan of td_plan needs Gᵀ H G; TD_PLAN_CLUSTER does without. Link poses,
   Jacobians, momenta, energies, inverse and forward dynamics and products of derivatives do
   without. */
typedef struct td_workspace_options {
    size_t size_of;             /* set by the initialiser */
    size_t threads;             /* as in td_workspace_new_threads; 1 */
    bool matrices;              /* true */
    td_following following;     /* TD_FOLLOWING_BY_CALL */
    td_coordinates coordinates; /* as td_use_coordinates sets them; TD_COORDINATES_INDEPENDENT */
} td_workspace_options;

TD_API void td_workspace_options_init(td_workspace_options *options, size_t size_of);
static inline td_workspace_options td_workspace_options_default(void)
{
    td_workspace_options options;
    td_workspace_options_init(&options, sizeof options);
    return options;
}
/* options NULL: the default. NULL too for options that are none. */
TD_API td_workspace *td_workspace_new_with(const td_model *model,
                                           const td_workspace_options *options);
TD_API size_t td_workspace_bytes_with(const td_model *model, const td_workspace_options *options);

/* Which coordinates the calls on a workspace compute in. Where the comment of a function says y, ẏ,
   ÿ and tau_y, of sizes ny and nyd, it takes and returns q, q̇, q̈ and tau of the spanning tree, of
   sizes nq and nv, in a workspace with TD_COORDINATES_TREE: dynamics.h, kinematics.h,
   derivatives.h, their batches, and td_loop_motion. Loops and followers do not count then: each
   joint moves by itself. Functions that map between the two, that speak of constraints or motors,
   or that solve for a motion (closure.h, constraint.h, actuation.h, chart.h, ik.h, completion.h,
   linearize.h, simulation.h) have y and q as their arguments are called, in every workspace.

   td_use_coordinates sets them and returns those from before; a chart (chart.h) stays the choice of
   the independent ones. TD_COORDINATES_INDEPENDENT for NULL. O(1). */
TD_API td_coordinates td_use_coordinates(td_workspace *workspace, td_coordinates coordinates);
TD_API td_coordinates td_used_coordinates(const td_workspace *workspace);

/* The name, as it stands in the function's declaration, of the argument for which the last call on
   this workspace that returned TD_ERROR_ARGUMENT did so: an aid to find the mistake. "workspace" is
   one of another model, or without factors where td_factored_solve needs them, and what a NULL
   workspace gives. NULL before any. */
TD_API const char *td_argument_fault(const td_workspace *workspace);

#ifdef __cplusplus
}
#endif
#endif
