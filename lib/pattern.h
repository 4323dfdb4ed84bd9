/* SPDX-License-Identifier: MIT */
/*
 * Patterns of symmetric matrices (see td_pattern), made at load.
 */
#ifndef TD_PATTERN_H
#define TD_PATTERN_H

#include "arena.h"
#include "tree.h"

/* room for a pattern of that size; false without memory */
bool td_pattern_new(td_pattern *pattern, td_arena *arena, size_t size);

/* all that follows from the parents, which are set; false without memory */
bool td_pattern_finish(td_pattern *pattern, td_arena *arena);

#endif
