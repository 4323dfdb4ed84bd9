/* SPDX-License-Identifier: MIT */
/*
 * The state of all joints from that of some: what encoders measure goes in by names, positions and
 * velocities of every joint come out, those of mimic joints, followers by curves and loops too.
 *
 * What is measured need not be the independent joints: y is found such that γ(y) has the measured
 * positions, from where the last call found it, or from where the last two lead, so that branches
 * are followed from call to call, through dead points too, where one measured position is that of
 * two postures. Where more is measured than needed, y is the nearest in the sense of least squares.
 *
 *   td_completion_new       names of what is measured, and all memory
 *   td_completion_missing   which joints would have to be measured as well, if any
 *   td_complete             one state, in a control loop: no memory is taken
 *
 * Gauss' and Newton's method on γ(y) along the tangent of y, in steps short enough to stay on a
 * branch.
 */
#ifndef TANDEM_COMPLETION_H
#define TANDEM_COMPLETION_H

#include <stddef.h>

#include "tandem/model.h"
#include "tandem/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is measured of a robot, the last state that was found, and memory (a workspace of its own).
   One thread at a time may use it. The model must outlive it. */
typedef struct td_completion td_completion;

/* names: count coordinates of the tree, named as for td_coordinate_of: a joint with one coordinate,
   or a component of another joint ("slide.x"); of a quaternion all four, and of a floating joint's
   position all three. tolerance (rad or m): the largest difference between what is
   measured and what is found; 1e-3 is a fair one for encoders. It begins where the robot begins
   (td_reference).

   TD_ERROR_ARGUMENT: NULL, a tolerance that is not positive, a part of a quaternion or of a
   floating joint's position; TD_ERROR_NAME: a name that is none, or that comes twice;
   TD_ERROR_MEMORY; that of td_closure where loops close nowhere near the start. *completion is NULL
   then. That joints are missing is no error here. O(nv nyd²). */
TD_API td_status td_completion_new(const td_model *model, const char *const *names, size_t count,
                                   double tolerance, td_completion **completion);
TD_API void td_completion_free(td_completion *completion);

/* The i-th of the independent joints that what is measured leaves free: with these measured as well
   all is determined. TD_NONE: there are no more, and for NULL. */
TD_API size_t td_completion_missing(const td_completion *completion, size_t i);

/* The next call begins at q (nq), a configuration with closed loops; NULL: td_reference. Errors are
   those of td_closure_start, and TD_ERROR_ARGUMENT for a completion that is NULL; the start is as
   before then. */
TD_API td_status td_completion_start(td_completion *completion, const double *q);

/* q (nq) and q̇ (nv) of all joints, in the order of the tree (td_coordinate_of has the index of a
   name), from measured positions and velocities, in the order of the names; for entries of
   quaternions velocities are those of the same joint's ω: x, y, z and one that is not read.
   velocity NULL: zero; qd may be NULL. Positions of continuous joints that loops decide count but
   for whole turns. *residual (may be NULL): the largest difference between what is measured and q.

   TD_ERROR_UNDETERMINED: joints are missing; TD_ERROR_MEASURED: no configuration on this branch is
   as near as the tolerance, so that the pose does not close (*residual is what was left);
   TD_ERROR_CLOSURE_SINGULAR: velocities do not follow from those that are measured at this
   position, a dead point, to 1e-5 of what the joint moves (q is written, qd NaN), or loops are
   singular; TD_ERROR_ASSEMBLY, _BRANCH: loops cannot be closed where the independent joints alone
   are measured; TD_ERROR_NOT_FINITE, TD_ERROR_QUATERNION: of what is measured; TD_ERROR_ARGUMENT:
   NULL. After an error q and qd are NaN, and the start stays as it was; where the velocities alone
   are not found, q is written, qd NaN, and the next call begins there.
   Where just the independent joints are measured it costs a td_closure; else some 3 of these, G and
   O(count nyd²) each near the last state. */
TD_API td_status td_complete(td_completion *completion, const double *position,
                             const double *velocity, double *q, double *qd, double *residual);

#ifdef __cplusplus
}
#endif
#endif
