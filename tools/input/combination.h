/* SPDX-License-Identifier: MIT */
/*
 * Writes dependent joints as a weighted sum of other joints plus a constant, with chains and
 * couplings resolved. The joints of a sum are independent, or the solution of a loop determines
 * them.
 */
#ifndef TOOL_COMBINATION_H
#define TOOL_COMBINATION_H

#include <stddef.h>

#include "tandem/tandem.h"

typedef struct combination {
    size_t count;  /* of joints; 0 if the joint is constant */
    size_t *joint; /* their indices */
    double *factor;
    double offset;
} combination;

/* Computes the sum for a joint with one coordinate. For an independent joint, and for one that a
   loop determines, the sum is the joint itself. */
combination combination_of(const td_model *model, size_t joint);
void combination_free(combination *c);

/* Returns the first joint of a sum that a loop determines, or TD_NONE if all are independent. */
size_t combination_solved(const td_model *model, const combination *c);

/* Return "5·elbow + 5·wrist + 0.1" and "'elbow' and 'wrist'" in new strings. */
char *combination_text(const td_model *model, const combination *c);
char *combination_leaders(const td_model *model, const combination *c);

/* Returns "= 5·elbow + 0.1" or "solved by loop 'a'" in a new string. */
char *dependence_text(const td_model *model, size_t joint);

/* Returns the joint that each coupling determines, in a new array; -1 if it is ambiguous. */
int *coupled_joints(const td_model *model);

/* Returns the position in the file of the element that makes a joint dependent: its <mimic> or
   <coupling>, the first <loop> of its cluster, or the linear <loop> that contains it. Without one
   the line is 0. */
td_source dependence_source(const td_model *model, size_t joint);

#endif
