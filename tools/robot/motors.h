/* SPDX-License-Identifier: MIT */
/*
 * What motors leave out.
 */
#ifndef TOOL_MOTORS_H
#define TOOL_MOTORS_H

#include "robot/session.h"

/* "no motor moves 'a', 'b'" of independent coordinates, but those of a floating base, at the
   reference; "" where the motors give all forces that count (td_actuation_status). A new string. */
char *motors_missing(const session *s);

/* "'a', 'b' have transmissions and are no motors" of movable joints; "" where there are none. */
char *motors_unused(const td_model *model);

#endif
