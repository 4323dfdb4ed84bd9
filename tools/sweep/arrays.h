/* SPDX-License-Identifier: MIT */
/*
 * The arrays with inputs and results of the states of a leaf.
 */
#ifndef TOOL_SWEEP_ARRAYS_H
#define TOOL_SWEEP_ARRAYS_H

#include "sweep/reduction_api.h"
#include "sweep/spec.h"

enum { SWEEP_LEAF = TD_REDUCTION_LEAF };

typedef struct sweep_arrays {
    const sweep_spec *spec;
    td_workspace *workspace;
    double *points;              /* leaf × dimensions */
    double *array[SWEEP_ARRAYS]; /* leaf × width */
    td_status *status, *each;    /* leaf */
    double *scratch;             /* for slices of a leaf */
} sweep_arrays;

/* Fills the arrays of inputs with states first … first + n − 1, at most a leaf (sample.c). */
void sweep_sample(sweep_arrays *arrays, uint64_t first, size_t n);

/* Returns how many numbers of scratch the evaluation needs (evaluate.c). */
size_t sweep_scratch(const sweep_spec *spec);

/* Fills the arrays of results and the statuses of n states in the arrays of inputs (evaluate.c).
   Results do not depend on earlier calls. */
void sweep_evaluate(sweep_arrays *arrays, size_t n);

#endif
