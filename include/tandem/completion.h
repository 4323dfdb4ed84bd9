/* SPDX-License-Identifier: MIT */
/*
 * State completion: computes positions and velocities of all joints from measured ones, including
 * mimic joints, followers through curves and joints of loops.
 *
 *   td_completion_new       sets the measured coordinates; allocates all memory
 *   td_completion_missing   returns joints that must be measured too
 *   td_complete             completes one state, in a control loop; does not allocate
 *
 * The measured joints need not be the independent ones: the solver finds y such that γ(y) has the
 * measured positions. With more measurements than needed, y is the least-squares solution.
 *
 * Each call begins at the last state, or at its extrapolation from the last two states. It thus
 * follows the branch from call to call, even through dead points, where one measured position
 * belongs to two postures.
 *
 * Method: Gauss-Newton on γ(y) along the tangent of y, with steps short enough to stay on a branch.
 */
#ifndef TANDEM_COMPLETION_H
#define TANDEM_COMPLETION_H

#include <stddef.h>

#include "tandem/model.h"
#include "tandem/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Opaque: the measured coordinates of a robot, the last state, and memory including a workspace. It
   must not be used by two threads at once. The model must outlive it. */
typedef struct td_completion td_completion;

/* Allocates a completion that starts at td_reference.

     model       the robot
     names       count names of coordinates of the tree, as in td_coordinate_of: a joint with one
                 coordinate, or a component of another joint ("slide.x"). A quaternion must have all
                 four components, and the position of a floating joint all three
     count       number of names
     tolerance   rad or m, positive: the largest difference between measured and computed
                 positions; 1e-3 is suitable for encoders
     completion  receives the object; NULL after an error

   Missing joints are not an error here (td_completion_missing). TD_ERROR_ARGUMENT: an argument is
   NULL, tolerance is not positive, or names has only a part of a quaternion or of the position of a
   floating joint. TD_ERROR_NAME: a name is unknown or occurs twice. TD_ERROR_MEMORY. A status of
   td_closure: loops do not close anywhere near the start. Cost: O(nv nyd²). */
TD_API td_status td_completion_new(const td_model *model, const char *const *names, size_t count,
                                   double tolerance, td_completion **completion);
/* Frees a completion. NULL is allowed. */
TD_API void td_completion_free(td_completion *completion);

/* Returns the i-th independent joint that the measurements leave undetermined. If these joints are
   measured too, the state is determined. Returns TD_NONE beyond the last one, and for NULL. */
TD_API size_t td_completion_missing(const td_completion *completion, size_t i);

/* Sets the state at which the next call begins: q (nq), with closed loops; NULL: td_reference.
   TD_ERROR_ARGUMENT: completion is NULL. Other statuses as in td_closure_start. After an error the
   start is unchanged. */
TD_API td_status td_completion_start(td_completion *completion, const double *q);

/* Computes positions and velocities of all joints from measured ones.

     completion  the measured coordinates
     position    count numbers, in the order of the names
     velocity    count numbers in the same order; NULL: zeros. For x, y, z of a quaternion these are
                 ωx, ωy, ωz of the joint, and the entry for w is not read
     q           nq
     qd          nv; may be NULL
     residual    receives the largest difference between measured and computed positions; may
                 be NULL

   q and qd are in the order of the tree (td_coordinate_of returns the index for a name). Measured
   positions of continuous joints in loops are compared modulo whole turns.

   TD_ERROR_UNDETERMINED: joints are missing. TD_ERROR_MEASURED: no configuration on this branch is
   within the tolerance; *residual is the smallest that was found. TD_ERROR_CLOSURE_SINGULAR: loops
   are singular, or the measured velocities do not determine the others to a relative 1e-5, as at a
   dead point. TD_ERROR_ASSEMBLY, TD_ERROR_BRANCH: exactly the independent joints are measured, and
   loops do not close. TD_ERROR_NOT_FINITE: position or velocity has a NaN or an infinity.
   TD_ERROR_QUATERNION: normalizing a measured quaternion changes an entry by more than 1e-3.
   TD_ERROR_ARGUMENT: an argument is NULL.

   If only the velocities fail, q is valid, qd is NaN, and the next call begins at q. After any
   other error q and qd are NaN, and the start is unchanged.

   Cost near the last state: one td_closure if exactly the independent joints are measured.
   Otherwise about three, each with G, plus O(count nyd²). */
TD_API td_status td_complete(td_completion *completion, const double *position,
                             const double *velocity, double *q, double *qd, double *residual);

#ifdef __cplusplus
}
#endif
#endif
