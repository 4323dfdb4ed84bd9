/* SPDX-License-Identifier: MIT */
/*
 * Sparse matrices with a pattern that is computed at load.
 */
#ifndef TD_SPARSE_H
#define TD_SPARSE_H

#include <stddef.h>

#include "base/arena.h"
#include "tandem/closure.h"

/* A constant sparse matrix in compressed row format. */
typedef struct td_csr {
    int rows, columns;
    int *row;
    int *column;
    double *value;
} td_csr;

/* out[target] += factor · in[source] for each element. Sums GᵀHG from the entries of H. If left is
   not NULL, each product also has two factors of G, which change with the state. */
typedef struct td_scatter {
    size_t count;
    size_t *source, *target;
    double *factor;
    int *left, *right;
} td_scatter;

/* Allocates a matrix with capacity for this number of entries. Returns false if memory runs out. */
bool td_csr_new(td_csr *A, td_arena *arena, size_t rows, size_t columns, size_t entries);

/* Copies the pattern of a matrix for the API; the values remain shared with A. Returns false if
   memory runs out. */
bool td_csr_publish(const td_csr *A, td_arena *arena, td_sparse *published);

/* Expands a sparse matrix into rows × columns doubles, row-major. */
void td_csr_dense(const td_csr *A, double *matrix);

#endif
