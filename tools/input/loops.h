/* SPDX-License-Identifier: MIT */
/*
 * Loops for people: how they are closed, which joints of a cluster depend on which, and the
 * coordinates w in which the linear part of the closure, q = M w + b, is written. Where no loop is
 * iterated w is y.
 */
#ifndef TOOL_LOOPS_H
#define TOOL_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "tandem/tandem.h"

/* "open", "implied", "linear", "iterated", "closed form", "registered" */
const char *loop_form_text(td_loop_form form);

/* Whether γ is nonlinear: some loop is iterated or registered. */
bool has_solved_loops(const td_model *model);
/* Whether loops make the joint, or a part of it, dependent, so that it is no sum of others. */
bool solved_by_loops(const td_model *model, size_t joint);

/* Whether the joint has columns of its own in M: all that are no sums of others. */
bool has_columns(const td_model *model, size_t joint);
/* The joint of every column of M, in a new array. */
size_t *joints_of_columns(const td_model *model);
/* Names of the columns of M, in a new array of new strings. */
char **names_of_columns(const td_model *model, size_t *count);
void names_free(char **names, size_t count);

/* Returns the loops of a cluster as "loop 'a'" or "loops 'a' and 'b'" in a new string. */
char *cluster_text(const td_model *model, size_t cluster);
/* Returns the first loop of a cluster, or TD_NONE. */
size_t cluster_first_loop(const td_model *model, size_t cluster);
/* Joints that a cluster makes dependent, or the independent ones that they follow, by index in a
   new array. */
size_t *cluster_joints(const td_model *model, size_t cluster, bool dependent, size_t *count);
/* The joints of a cluster as "a, b" in a new string. */
char *cluster_joints_text(const td_model *model, size_t cluster, bool dependent);

/* The independent joints that a dependent one follows, through whatever loops, likewise. */
char *leaders_text(const td_model *model, size_t joint);

#endif
