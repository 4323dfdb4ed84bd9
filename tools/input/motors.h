/* SPDX-License-Identifier: MIT */
/*
 * Reports joints without motors, and gives the limits of effort with which a motion is compared.
 */
#ifndef TOOL_MOTORS_H
#define TOOL_MOTORS_H

#include "input/session.h"

/* Returns "no motor moves 'a', 'b'" for independent coordinates, except a floating base's, at the
   reference configuration, or "" if the motors can apply all forces (td_actuation_status). Returns
   a new string. */
char *motors_missing(const session *s);

/* Returns "'a', 'b' have transmissions and are no motors" for movable joints, or "" without any, in
   a new string. */
char *motors_unused(const td_model *model);

/* Returns a limit of velocity, acceleration or effort, or infinity if the joint has none. */
double limit_or_none(double limit);

/*
 * Return limits of effort for a known motion, or infinity without one. A motor's force is compared
 * with the motor's effort. The effort of a follower without a motor limits only the follower's own
 * force (td_inverse_dynamics with TD_COORDINATES_TREE), which the coupling multiplies by its factor
 * and adds to the leader; other forces on the leader do not count. In loops, bearings carry the
 * forces that a dependent joint does not. (The effort of td_effective_limit is a bound if only the
 * force is known.) motors: whether motors apply the forces, so that a follower's motor may support
 * it.
 */
double motor_effort(const td_model *model, size_t motor);
double follower_effort(const td_model *model, size_t joint, bool motors);

#endif
