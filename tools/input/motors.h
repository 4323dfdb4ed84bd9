/* SPDX-License-Identifier: MIT */
/*
 * What motors leave out, and the efforts that a motion of the robot is held against.
 */
#ifndef TOOL_MOTORS_H
#define TOOL_MOTORS_H

#include "input/session.h"

/* Returns "no motor moves 'a', 'b'" for independent coordinates, except a floating base's, at the
   reference configuration, or "" if the motors can apply all forces (td_actuation_status). Returns
   a new string. */
char *motors_missing(const session *s);

/* "'a', 'b' have transmissions and are no motors" of movable joints; "" where there are none. */
char *motors_unused(const td_model *model);

/* A limit of velocity, acceleration or effort; infinite where a joint has none. */
double limit_or_none(double limit);

/*
 * Limits of effort in a known motion, infinite if there are none. A motor's force is compared with
 * the motor's effort. The effort of a follower without a motor limits only the follower's own force
 * (td_inverse_dynamics with TD_COORDINATES_TREE), which the coupling passes on multiplied by its
 * factor; the other load of the leader does not count. In loops, bearings carry the forces that a
 * dependent joint does not. (The effort of td_effective_limit is a bound if only the force is
 * known.) motors: whether motors apply the forces, so that a follower's motor may support it.
 */
double motor_effort(const td_model *model, size_t motor);
double follower_effort(const td_model *model, size_t joint, bool motors);

#endif
