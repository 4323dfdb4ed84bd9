/* SPDX-License-Identifier: MIT */
/*
 * Describes loops to users: how they are closed, which joints of a cluster depend on which, and the
 * coordinates w of the linear part of the closure, q = M w + b. If no loop is solved iteratively, w
 * is y.
 */
#ifndef TOOL_LOOPS_H
#define TOOL_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "tandem/tandem.h"

/* Returns "open", "implied", "linear", "iterated", "closed form" or "registered". */
const char *loop_form_text(td_loop_form form);

/* Returns whether the model has loops that the linear closure does not solve. */
bool has_solved_loops(const td_model *model);
/* Returns whether a loop makes some coordinates of the joint dependent, so that the joint is not a
   linear function of others. */
bool solved_by_loops(const td_model *model, size_t joint);

/* Returns whether the joint has columns in M. Joints that are linear functions of others have
   none. */
bool has_columns(const td_model *model, size_t joint);
/* Returns the joint of each column of M in a new array. */
size_t *joints_of_columns(const td_model *model);
/* Returns the names of the columns of M in a new array of new strings. */
char **names_of_columns(const td_model *model, size_t *count);
void names_free(char **names, size_t count);

/* Returns the loops of a cluster as "loop 'a'" or "loops 'a' and 'b'" in a new string. */
char *cluster_text(const td_model *model, size_t cluster);
/* Returns the first loop of a cluster, or TD_NONE. */
size_t cluster_first_loop(const td_model *model, size_t cluster);
/* Returns the indices of a cluster's dependent joints, or of the independent joints that they
   follow, in a new array. */
size_t *cluster_joints(const td_model *model, size_t cluster, bool dependent, size_t *count);
/* Returns the same joints as "a, b" in a new string. */
char *cluster_joints_text(const td_model *model, size_t cluster, bool dependent);

/* Returns the independent joints that a dependent joint follows, in the same form. */
char *leaders_text(const td_model *model, size_t joint);

#endif
