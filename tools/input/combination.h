/* SPDX-License-Identifier: MIT */
/*
 * What dependent joints follow, chains and couplings resolved: a sum of joints and a constant. The
 * joints of a sum are independent, or loops are solved for them.
 */
#ifndef TOOL_COMBINATION_H
#define TOOL_COMBINATION_H

#include <stddef.h>

#include "tandem/tandem.h"

typedef struct combination {
    size_t count;  /* of joints; 0: a constant */
    size_t *joint; /* independent ones, by index */
    double *factor;
    double offset;
} combination;

/* Of a joint with one coordinate; an independent one is itself, as is one that loops are solved
   for. */
combination combination_of(const td_model *model, size_t joint);
void combination_free(combination *c);

/* The first joint of a sum that loops are solved for, so that it is no sum of independent ones;
   TD_NONE for none. */
size_t combination_solved(const td_model *model, const combination *c);

/* "5·elbow + 5·wrist + 0.1" and "'elbow' and 'wrist'", in new strings. */
char *combination_text(const td_model *model, const combination *c);
char *combination_leaders(const td_model *model, const combination *c);

/* "= 5·elbow + 0.1", or "solved by loop 'a'", in a new string. */
char *dependence_text(const td_model *model, size_t joint);

/* The joint that each coupling is solved for, in a new array; -1 where that cannot be told. */
int *coupled_joints(const td_model *model);

/* Where the file says that a joint is dependent: the place of its <mimic> or <coupling>, of the
   first <loop> of its cluster, or of the linear <loop> around which it lies; without a line where
   that cannot be told. */
td_source dependence_source(const td_model *model, size_t joint);

#endif
