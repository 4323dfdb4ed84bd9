/* SPDX-License-Identifier: MIT */
/*
 * Parts of a sweep put together.
 */
#ifndef TOOL_SWEEP_MERGE_H
#define TOOL_SWEEP_MERGE_H

#include <stddef.h>

#include "sweep/result.h"

/* The result of all files; one that is there twice counts once. False, with a message, where they
   do not belong together. */
bool sweep_merge(sweep_result *r, const char *const *file, size_t files);

/* Says which shards are missing, as --array= of a job array takes them, if the files are shards by
   their names; else which states are. Nothing where none is. */
void sweep_tell_missing(const sweep_result *r, const char *const *file, size_t files);

#endif
