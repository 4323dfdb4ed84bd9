/* SPDX-License-Identifier: MIT */
/*
 * Merges parts of a sweep.
 */
#ifndef TOOL_SWEEP_MERGE_H
#define TOOL_SWEEP_MERGE_H

#include <stddef.h>

#include "sweep/result.h"

/* Merges the results of all files. Ignores duplicates. Prints a message and returns false if they
   do not belong to the same sweep. */
bool sweep_merge(sweep_result *r, const char *const *file, size_t files);

/* Reports missing parts. If the files have names of shards, lists the shards in the format of
   --array= of job arrays; otherwise lists states. Prints nothing if the result is complete. */
void sweep_tell_missing(const sweep_result *r, const char *const *file, size_t files);

#endif
