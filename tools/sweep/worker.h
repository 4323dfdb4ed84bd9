/* SPDX-License-Identifier: MIT */
/*
 * One thread's part of a sweep: computes states by their indices and reduces their results.
 */
#ifndef TOOL_SWEEP_WORKER_H
#define TOOL_SWEEP_WORKER_H

#include "sweep/arrays.h"

/* Chosen rows of consecutive states, as they are written. */
typedef struct sweep_rows {
    size_t rows, room;
    uint64_t chosen; /* number of matching states, and the largest number that is kept */
    uint64_t most;
    double *value; /* rows × (1 + columns): the index first */
} sweep_rows;

typedef struct sweep_worker {
    sweep_arrays arrays;
    td_reduction *reduction;
    double *values;   /* leaf × columns of the form */
    sweep_rows *rows; /* where chosen ones go; NULL: nowhere */
} sweep_worker;

/* NULL, with a message, without memory. */
sweep_worker *sweep_worker_new(const sweep_spec *spec);
void sweep_worker_free(sweep_worker *worker);

/* Evaluates and reduces states first … first + n − 1, at most a leaf. Returns the status of the
   reduction. */
td_status sweep_worker_leaf(sweep_worker *worker, uint64_t first, size_t n);

/* All numbers of state i, as form.input names them. */
void sweep_worker_state(sweep_worker *worker, uint64_t i, double *input);

#endif
