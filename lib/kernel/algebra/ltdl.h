/* SPDX-License-Identifier: MIT */
/*
 * Solves with the factors of a symmetric matrix that has the sparsity of a tree; see ltdl.c.
 */
#ifndef TD_LTDL_H
#define TD_LTDL_H

#include "kernel/real/strip.h"
#include "kernel/reals.h"
#include "model/pattern.h"

/* Returns the number of reals that a matrix with this pattern takes: its entries, the original
   diagonal, which is stored after the factors, and padding that tiles read past the end. */
TD_INLINE size_t pattern_reals(const td_pattern *pattern)
{
    return pattern->entries + pattern->size + TD_TILE;
}

static void solve(const td_pattern *pattern, const td_reals *factored, td_reals *vector)
{
    const real *L = factored;
    real *x = vector;
    for (size_t k = pattern->size; k-- > 0;) { /* Lᵀ x = b */
        const real *row = L + pattern->row[k];
        for (int last = pattern->parent[k], first; last >= 0; last = pattern->parent[first]) {
            first = pattern->first_consecutive[last];
            strip_subtract(x + first, x[k], row + pattern->depth[first], last - first + 1);
        }
    }
    for (size_t k = 0; k < pattern->size; k++) { /* D and L x = b */
        const real *row = L + pattern->row[k];
        real sum = x[k] / row[pattern->depth[k]];
        for (int last = pattern->parent[k], first; last >= 0; last = pattern->parent[first]) {
            first = pattern->first_consecutive[last];
            sum -= strip_dot(row + pattern->depth[first], x + first, last - first + 1);
        }
        x[k] = sum;
    }
}

#endif
