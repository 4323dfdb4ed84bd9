/* SPDX-License-Identifier: MIT */
/*
 * Null spaces of matrices whose columns are mostly zeros, at load.
 */
#ifndef TD_NULL_SPACE_H
#define TD_NULL_SPACE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* A column, of which all but the entries from first to end are zero. */
typedef struct td_column {
    double *entry;
    size_t first, end;
} td_column;

/* A zero matrix by columns; NULL without memory. */
td_column *td_columns_new(td_arena *arena, size_t rows, size_t columns);
void td_column_set(td_column *column, size_t row, double value);

/* Vectors that span a null space, size numbers each. In each the first number that is not zero is a
   1, at another place than in all others, which have a 0 there. */
typedef struct td_null_space {
    size_t count, size;
    double *vector;
} td_null_space;

/* The null space of n columns, which are used up; their entries are of the size of 1. False without
   memory. O(rows · n²), less where few columns share rows. */
bool td_find_null_space(td_arena *arena, size_t n, td_column *A, td_null_space *null);

/* Brings vectors that span a space into that form; those that are sums of others go. */
void td_reduce_null_space(td_null_space *null);

#endif
