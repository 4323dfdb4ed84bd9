/* SPDX-License-Identifier: MIT */
/*
 * What is computed of the states of a leaf.
 */
#ifndef TOOL_SWEEP_EVALUATE_H
#define TOOL_SWEEP_EVALUATE_H

#include "sweep/worker.h"

/* Numbers of scratch that it takes. */
size_t sweep_scratch(const sweep_spec *spec);

/* Fills the arrays of results and the statuses of n states in the arrays of inputs. Results do not
   depend on what was computed before. */
void sweep_evaluate(sweep_worker *worker, size_t n);

#endif
