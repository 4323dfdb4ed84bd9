/* SPDX-License-Identifier: MIT */
/*
 * Computes one thread's part of a sweep: states by their indices, and reductions of their results.
 */
#ifndef TOOL_SWEEP_WORKER_H
#define TOOL_SWEEP_WORKER_H

#include "sweep/arrays.h"

/* Chosen rows of consecutive states, to be written. */
typedef struct sweep_rows {
    size_t rows, room;
    uint64_t chosen; /* number of matching states, and the largest number of rows to keep */
    uint64_t most;
    double *value; /* rows × (1 + columns): the index first */
} sweep_rows;

typedef struct sweep_worker {
    sweep_arrays arrays;
    td_reduction *reduction;
    double *values;   /* leaf × columns of the form */
    sweep_rows *rows; /* receives chosen rows; may be NULL */
} sweep_worker;

/* Allocates a worker. Prints a message and returns NULL if memory is short. */
sweep_worker *sweep_worker_new(const sweep_spec *spec);
void sweep_worker_free(sweep_worker *worker);

/* Evaluates and reduces states first … first + n − 1, at most a leaf. Returns the status of the
   reduction. */
td_status sweep_worker_leaf(sweep_worker *worker, uint64_t first, size_t n);

/* Writes the inputs of state i, in the order of form.input. */
void sweep_worker_state(sweep_worker *worker, uint64_t i, double *input);

#endif
