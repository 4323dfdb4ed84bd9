/* SPDX-License-Identifier: MIT */
/*
 * The workspace: the memory that calls on a model need, made once for each thread, the coordinates
 * in which they compute, and the statuses that they return.
 *
 * Functions of a model and a workspace, in all headers, return these statuses:
 *
 *   TD_ERROR_ARGUMENT    an argument is NULL or out of range, or the workspace belongs to another
 *                        model. Nothing is written; td_argument_fault names the argument
 *   TD_ERROR_NOT_FINITE  an input has a NaN or an infinity: y, yd, ydd, forces, wrenches or a
 * point, whether or not a result depends on it. All results are NaN TD_ERROR_QUATERNION  the length
 * of a quaternion in y (or q) differs from 1 by more than 1e-6. All results are NaN. td_normalize
 * repairs it, td_integrate keeps the length
 *
 * A result that overflows is TD_ERROR_NOT_FINITE where the function solves equations, and in
 * batches. Other functions of one state leave it infinite or NaN.
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

/* Where calls start when they follow iterated loops (td_closure_start, closure.h). One y may have
   several closings: a controller needs the one that its last state leads to, a table the same one
   for the same y, whatever calls came before. See docs/algorithms.md, Loops. */
typedef enum td_following {
    TD_FOLLOWING_BY_CALL, /* single calls from the last state that one of them closed, or from the
                          start if that fails; batches from the start */
    TD_FOLLOWING_LAST,    /* all from the last state: rows of batches from the row before, as
                          td_closure_rows with TD_ROW_START_BEFORE */
    TD_FOLLOWING_START,   /* all from the start, so that results are functions of y. A call of
                          td_closure_rows decides for batches */
} td_following;

/* How a workspace is made. matrices: whether it has memory that grows with the square of the number
   of joints, for the mass matrix and its factors, Coriolis matrices and constraint Jacobians.
   Without it, memory is proportional to the number of joints, and functions that need a matrix
   return TD_ERROR_MATRICES and write nothing: the mass matrix in all its forms, its inverse and its
   solutions, the Coriolis matrix, derivatives and linear models, constraints and constrained
   motions, td_dynamics_terms with H (lib/dynamics/operations.py has the list), and accelerations
   from forces if the plan (td_plan) needs Gᵀ H G; TD_PLAN_CLUSTER does not. Link poses, Jacobians,
   momenta, energies, inverse and forward dynamics and products of derivatives need no matrices. */
typedef struct td_workspace_options {
    size_t size_of;             /* set by the initialiser */
    size_t threads;             /* among which batches distribute their states; 1 */
    bool matrices;              /* true */
    td_following following;     /* TD_FOLLOWING_BY_CALL */
    td_coordinates coordinates; /* as for td_use_coordinates; TD_COORDINATES_INDEPENDENT */
} td_workspace_options;

static inline td_workspace_options td_workspace_options_default(void)
{
    TD_SIZED(td_workspace_options, options);
    options.threads = 1;
    options.matrices = true;
    return options;
}

/* Allocates scratch for calls with this model, in one aligned block; only payloads (payload.h)
   allocate more later. options NULL: the defaults. The workspace must not outlive the model.
   TD_ERROR_ARGUMENT: NULL, or an option is out of range, for example coordinates that are no
   td_coordinates; TD_ERROR_MEMORY. *workspace is NULL then.

   threads: batch calls (batch.h) distribute their states over this many threads, each with its own
   scratch in the block. 0: one for each processor that the calling thread may run on. The thread
   that calls a batch is one of them. The others start here and end with the workspace. Between
   calls they wait a few microseconds for the next one, then sleep. They have the schedule, priority
   and processors of the thread that calls this function, and block all signals. There are at most
   1024, fewer if the system refuses more, and one if the library was built without threads;
   td_workspace_threads returns their number. In a process forked later the workspace continues with
   the calling thread alone. */
TD_API td_status td_workspace_new(const td_model *model, const td_workspace_options *options,
                                  td_workspace **workspace);
/* Frees a workspace, which no call may be using. NULL is allowed. */
TD_API void td_workspace_free(td_workspace *workspace);
/* Returns the size in bytes of the block that td_workspace_new allocates; 0 for NULL. */
TD_API size_t td_workspace_bytes(const td_model *model, const td_workspace_options *options);
TD_API size_t td_workspace_threads(const td_workspace *workspace); /* 0 for NULL */

/* Selects the coordinates in which later calls on the workspace compute, and returns those selected
   before. The choice affects dynamics.h, kinematics.h, derivatives.h, their batches (batch.h), and
   td_loop_motion:

     TD_COORDINATES_INDEPENDENT  they take and return y, ẏ, ÿ and tau_y, with ny and nyd numbers, as
                                 their comments say. This is the default
     TD_COORDINATES_TREE         the same arguments hold q, q̇, q̈ and tau of the spanning tree, with
                                 nq and nv numbers. Mimic joints, couplings and loops are ignored:
                                 every joint moves independently

   All other functions ignore the choice: those that map between the two (closure.h, chart.h), that
   deal with constraints or motors (constraint.h, actuation.h, and td_closure_derivatives and the
   derivatives of motors in derivatives.h), and that search for a state or a motion (ik.h,
   completion.h, linearize.h, simulation.h, trajectory.h). Their arguments y, yd, ydd and tau_y are
   always independent, and q, qd, qdd and tau are always the tree's.

   A chart (chart.h) stays selected while the tree's coordinates are in use. A value that is no
   td_coordinates changes nothing. NULL: returns TD_COORDINATES_INDEPENDENT. O(1). */
TD_API td_coordinates td_use_coordinates(td_workspace *workspace, td_coordinates coordinates);
/* Returns the coordinates in use; TD_COORDINATES_INDEPENDENT for NULL. */
TD_API td_coordinates td_used_coordinates(const td_workspace *workspace);

/* Returns the name of the argument for which a call on this workspace last returned
   TD_ERROR_ARGUMENT, as the function's declaration spells it; NULL if none did. "workspace" means
   that the workspace belongs to another model or is NULL. */
TD_API const char *td_argument_fault(const td_workspace *workspace);

#ifdef __cplusplus
}
#endif
#endif
