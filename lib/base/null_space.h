/* SPDX-License-Identifier: MIT */
/*
 * Null spaces of matrices whose columns are mostly zero, used at load.
 */
#ifndef TD_NULL_SPACE_H
#define TD_NULL_SPACE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* A column; its entries outside of first to end are zero. */
typedef struct td_column {
    double *entry;
    size_t first, end;
} td_column;

/* Allocates a zero matrix by columns; returns NULL if memory is exhausted. */
td_column *td_columns_new(td_arena *arena, size_t rows, size_t columns);
void td_column_set(td_column *column, size_t row, double value);

/* Vectors that span a null space, `size` numbers each. The first nonzero number of each vector
   is a 1, at an index where all other vectors have a 0. */
typedef struct td_null_space {
    size_t count, size;
    double *vector;
} td_null_space;

/* largest remainder of a column that is a linear combination of others, if only its computation
   rounds */
#define TD_NULL_ROUNDED 1e-9

/* Computes the null space of n columns, whose entries should be of order 1. Smaller remainders than
   rounded are zero. Overwrites the columns. Returns false if memory is exhausted. O(rows · n²),
   less if few columns share rows. */
bool td_find_null_space(td_arena *arena, size_t n, td_column *A, double rounded,
                        td_null_space *null);

/* Brings spanning vectors into this form, and removes linear combinations of others. */
void td_reduce_null_space(td_null_space *null);

#endif
