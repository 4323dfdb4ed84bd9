/* SPDX-License-Identifier: MIT */
/*
 * What motors leave out, and the efforts that a motion of the robot is held against.
 */
#ifndef TOOL_MOTORS_H
#define TOOL_MOTORS_H

#include "robot/session.h"

/* "no motor moves 'a', 'b'" of independent coordinates, but those of a floating base, at the
   reference; "" where the motors give all forces that count (td_actuation_status). A new string. */
char *motors_missing(const session *s);

/* "'a', 'b' have transmissions and are no motors" of movable joints; "" where there are none. */
char *motors_unused(const td_model *model);

/* A limit of velocity, acceleration or effort; infinite where a joint has none. */
double limit_or_none(double limit);

/*
 * Limits of effort in a known motion. A motor's force is compared with its own effort. A follower
 * without a motor is compared with the force that it takes itself (td_inverse_dynamics with
 * TD_COORDINATES_TREE), which its coupling passes on k-fold: what its leader carries besides is not
 * its load. Of joints that
 * loops decide the bearings carry what the joint does not. (The effort of td_effective_limit is a
 * bound for a force of which nothing else is known.) Infinite where there is none.
 * motors: whether motors give the forces, so that a follower's own may hold it.
 */
double motor_effort(const td_model *model, size_t motor);
double follower_effort(const td_model *model, size_t joint, bool motors);

#endif
