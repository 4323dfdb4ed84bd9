/* SPDX-License-Identifier: MIT */
/*
 * Geometric stiffness ∂(Gᵀ f)/∂y, one block per group of loops, as a matrix or times a vector.
 */
#ifndef TD_STIFFNESS_SUM_H
#define TD_STIFFNESS_SUM_H

#include "kernel/loops/problem.h"

/* The target to which ∂(Gᵀ f)/∂y is added: a matrix X with n columns, or its product with x. */
typedef struct stiffness_sum {
    real *X; /* NULL if the product is wanted */
    size_t n;
    const real *x;
    bool transposed;
    real *product;
} stiffness_sum;

/* Adds an entry of a group's block, in row a and column b. */
TD_INLINE void stiffness_add(const stiffness_sum *sum, const td_loop_group *g, size_t a, size_t b,
                             real entry)
{
    const size_t row = (size_t)g->yd[a], column = (size_t)g->yd[b];
    if (sum->X)
        sum->X[row * sum->n + column] += entry;
    else if (sum->transposed)
        sum->product[column] += entry * sum->x[row];
    else
        sum->product[row] += entry * sum->x[column];
}

#endif
