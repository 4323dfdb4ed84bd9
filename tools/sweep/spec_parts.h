/* SPDX-License-Identifier: MIT */
/*
 * The parts of a specification. Each has its own source file.
 */
#ifndef TOOL_SWEEP_SPEC_PARTS_H
#define TOOL_SWEEP_SPEC_PARTS_H

#include "sweep/node.h"
#include "sweep/spec.h"

/* Reads "vary" (may be NULL): the variables, and the arrays of a state (spec_vary.c). */
bool spec_vary(sweep_spec *spec, const tool_options *options, const td_yaml_node *vary);
/* Reads the table of "samples" (spec_samples.c). */
bool spec_samples(sweep_spec *spec, const tool_options *options, const td_yaml_node *node);
/* Reads "evaluate", the results and their arrays (spec_evaluate.c). */
bool spec_evaluate(sweep_spec *spec, const td_yaml_node *list);
/* Reads "keep", the reductions (spec_keep.c). */
bool spec_keep(sweep_spec *spec, const td_yaml_node *list);

/* Sets the width of an array and allocates its names, which the caller fills in. */
void spec_array(sweep_spec *spec, enum sweep_array array, size_t width);

#endif
