/* SPDX-License-Identifier: MIT */
/*
 * Whether passive forces of joints count, as commands say it.
 */
#ifndef TOOL_PASSIVE_H
#define TOOL_PASSIVE_H

#include <cjson/cJSON.h>

#include "input/session.h"
#include "options.h"

/* One line to standard error, of a robot that has some, or flexible links. */
void passive_tell(const tool_options *options, const session *s);

/* "passive", and what options->loads add, to an object about forces. */
void forces_add_json(const tool_options *options, cJSON *root);

#endif
