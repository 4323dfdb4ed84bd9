/* SPDX-License-Identifier: MIT */
/*
 * Sparse matrices whose pattern is found at load.
 */
#ifndef TD_SPARSE_H
#define TD_SPARSE_H

#include <stddef.h>

#include "base/arena.h"
#include "tandem/closure.h"

/* A sparse matrix by compressed rows, constant. */
typedef struct td_csr {
    int rows, columns;
    int *row;
    int *column;
    double *value;
} td_csr;

/* out[target] += factor · in[source] for each; how Gᵀ H G is summed from the entries of H. Where
   left is not NULL, each is also times two values of G, which change with the state. */
typedef struct td_scatter {
    size_t count;
    size_t *source, *target;
    double *factor;
    int *left, *right;
} td_scatter;

/* room for a matrix of at most that many entries */
bool td_csr_new(td_csr *A, td_arena *arena, size_t rows, size_t columns, size_t entries);

/* Copies the pattern of a matrix for the interface, whose values remain those of A. False without
   memory. */
bool td_csr_publish(const td_csr *A, td_arena *arena, td_sparse *published);

/* a sparse matrix as rows × columns doubles, row-major */
void td_csr_dense(const td_csr *A, double *matrix);

#endif
