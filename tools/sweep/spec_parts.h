/* SPDX-License-Identifier: MIT */
/*
 * The parts of a specification, each read by a file of its own.
 */
#ifndef TOOL_SWEEP_SPEC_PARTS_H
#define TOOL_SWEEP_SPEC_PARTS_H

#include "sweep/node.h"
#include "sweep/spec.h"

/* "vary" (NULL: nothing does): variables, and the arrays of a state (spec_vary.c). */
bool spec_vary(sweep_spec *spec, const tool_options *options, const td_yaml_node *vary);
/* The table of "samples" (spec_samples.c). */
bool spec_samples(sweep_spec *spec, const tool_options *options, const td_yaml_node *node);
/* Reads "evaluate", the results and their arrays (spec_evaluate.c). */
bool spec_evaluate(sweep_spec *spec, const td_yaml_node *list);
/* "keep" (spec_keep.c). */
bool spec_keep(sweep_spec *spec, const td_yaml_node *list);

/* Takes an array of that width, whose names are to be filled in. */
void spec_array(sweep_spec *spec, enum sweep_array array, size_t width);

#endif
