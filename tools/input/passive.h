/* SPDX-License-Identifier: MIT */
/*
 * Reports whether the results of a command include passive forces.
 */
#ifndef TOOL_PASSIVE_H
#define TOOL_PASSIVE_H

#include <cjson/cJSON.h>

#include "input/session.h"
#include "options.h"

/* Prints one line to standard error if the robot has passive forces or flexible links. */
void passive_tell(const tool_options *options, const session *s);

/* Adds "passive" and the loads of the options to an object about forces. */
void forces_add_json(const tool_options *options, cJSON *root);

#endif
