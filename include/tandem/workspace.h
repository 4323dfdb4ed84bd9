/* SPDX-License-Identifier: MIT */
/*
 * The workspace: the memory that calls on a model need, allocated once per thread. It also stores
 * the coordinates in which calls compute. The errors that all calls share are listed here.
 *
 * Functions of a model and a workspace, in all headers, may return:
 *
 *   TD_ERROR_ARGUMENT    an argument is NULL or out of range, or the workspace belongs to another
 *                        model. Nothing is written; td_argument_fault names the argument
 *   TD_ERROR_NOT_FINITE  an input (y, yd, ydd, forces, wrenches or a point) has a NaN or an
 *                        infinity, even if no result depends on it. All results are NaN
 *   TD_ERROR_QUATERNION  the length of a quaternion in y (or q) differs from 1 by more than 1e-6.
 *                        All results are NaN. td_normalize fixes it; td_integrate preserves the
 *                        length
 *
 * If a result overflows, functions that solve equations, and all batches, return
 * TD_ERROR_NOT_FINITE. Other functions of one state return TD_OK and leave the result infinite or
 * NaN.
 */
#ifndef TANDEM_WORKSPACE_H
#define TANDEM_WORKSPACE_H

#include <stdbool.h>
#include <stddef.h>

#include "tandem/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct td_workspace td_workspace; /* Memory of one thread (opaque). */

/* Start of the iteration that closes loops (td_closure_start, closure.h). One y may have several
   solutions. A controller needs the solution that continues its last state. A table needs the same
   solution for the same y, regardless of earlier calls. See docs/algorithms.md, Loops. */
typedef enum td_following {
    TD_FOLLOWING_BY_CALL, /* single calls start from the last state that a single call closed, and
                             from the start configuration if that fails; batches use the start
                             configuration */
    TD_FOLLOWING_LAST,    /* all calls start from the last state. Rows of a batch start from the row
                             before, as with td_closure_rows and TD_ROW_START_BEFORE */
    TD_FOLLOWING_START,   /* all calls use the start configuration, so results depend on y only.
                             td_closure_rows overrides this for batches */
} td_following;

/* Options of a workspace. Start from td_workspace_options_default().

   matrices: whether to allocate memory that grows with the square of the number of joints. If it is
   false, memory is proportional to the number of joints, and functions that need a matrix return
   TD_ERROR_MATRICES and write nothing. These functions are (lib/dynamics/operations.py has the full
   list):

     the mass matrix in all forms, its inverse, and linear systems with it
     the Coriolis matrix, and td_dynamics_terms with H
     derivatives and linear models
     constraints, and constrained motion as constraint.h documents
     forward dynamics, if the plan (td_plan_of) is TD_PLAN_REDUCED
     hybrid dynamics, if the robot has couplings or loops

   The last two need no matrices with TD_COORDINATES_TREE. Link poses, Jacobians, momenta, energies,
   inverse dynamics, forward dynamics with TD_PLAN_CLUSTER, and products of derivatives need no
   matrices. */
typedef struct td_workspace_options {
    size_t size_of; /* set by td_workspace_options_default() */
    size_t threads; /* number of threads that share the states of a batch, 0: see td_workspace_new;
                       default 1 */
    bool matrices;  /* default true */
    td_following following;     /* default TD_FOLLOWING_BY_CALL */
    td_coordinates coordinates; /* as for td_use_coordinates; default TD_COORDINATES_INDEPENDENT */
} td_workspace_options;

static inline td_workspace_options td_workspace_options_default(void)
{
    TD_SIZED(td_workspace_options, options);
    options.threads = 1;
    options.matrices = true;
    return options;
}

/* Allocates a workspace for calls with this model, in one aligned block. Only payloads (payload.h)
   allocate more memory later. The workspace must not outlive the model.

     model      the model
     options    NULL: the defaults
     workspace  output: the new workspace; NULL on failure

   TD_ERROR_ARGUMENT: an argument is NULL or an option is out of range. TD_ERROR_MEMORY: out of
   memory.

   Threads. Batch calls (batch.h) distribute their states over options->threads threads, each with
   its own scratch memory in the block. 0 means one thread for each processor that the calling
   thread may run on. The thread that calls a batch is one of them. The others start here and end
   with the workspace. Between calls they wait a few microseconds for the next call, then sleep.
   They inherit the scheduling policy, priority and processor affinity of the thread that calls this
   function, and block all signals. There are at most 1024 threads, fewer if the system refuses
   more, and one if the library was built without threads. td_workspace_threads returns the number.
   After a fork, the workspace in the child process uses only the calling thread. */
TD_API td_status td_workspace_new(const td_model *model, const td_workspace_options *options,
                                  td_workspace **workspace);
/* Frees a workspace. No call may be using it. NULL is allowed. */
TD_API void td_workspace_free(td_workspace *workspace);
/* Returns the size in bytes of the block that td_workspace_new allocates; 0 for NULL. */
TD_API size_t td_workspace_bytes(const td_model *model, const td_workspace_options *options);
/* Returns the number of threads of a workspace, including the calling one; 0 for NULL. */
TD_API size_t td_workspace_threads(const td_workspace *workspace);

/* Selects the coordinates in which later calls on the workspace compute. Returns the previous
   choice. It affects dynamics.h, kinematics.h, derivatives.h, their batches (batch.h), and
   td_loop_motion:

     TD_COORDINATES_INDEPENDENT  (default) calls take and return y, ẏ, ÿ and tau_y, with ny and nyd
                                 entries
     TD_COORDINATES_TREE         the same arguments hold q, q̇, q̈ and tau of the spanning tree, with
                                 nq and nv entries. Mimic joints, couplings and loops are ignored:
                                 every joint moves independently

   All other functions ignore the choice. They map between the two (closure.h, chart.h), concern
   constraints or motors (constraint.h, actuation.h), or search for a state or a motion (ik.h,
   completion.h, linearize.h, simulation.h, trajectory.h). In derivatives.h these are
   td_closure_derivatives and the derivatives of motor forces. In all these functions y, yd, ydd and
   tau_y are independent coordinates, and q, qd, qdd and tau are coordinates of the tree.

   A chart (chart.h) stays selected while the coordinates of the tree are in use. An invalid value
   of coordinates changes nothing. For a NULL workspace the function returns
   TD_COORDINATES_INDEPENDENT. Cost: O(1). */
TD_API td_coordinates td_use_coordinates(td_workspace *workspace, td_coordinates coordinates);
/* Returns the coordinates in use; TD_COORDINATES_INDEPENDENT for NULL. */
TD_API td_coordinates td_used_coordinates(const td_workspace *workspace);

/* Returns the name of the argument for which a call on this workspace last returned
   TD_ERROR_ARGUMENT, spelled as in the declaration of the function. Returns NULL if no call did.
   "workspace" means that the workspace is NULL or belongs to another model. */
TD_API const char *td_argument_fault(const td_workspace *workspace);

#ifdef __cplusplus
}
#endif
#endif
