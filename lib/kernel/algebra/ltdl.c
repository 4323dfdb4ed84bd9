/* SPDX-License-Identifier: MIT */
/*
 * Symmetric matrices with the sparsity of a tree: the factorization A = Lᵀ D L without fill-in
 * (Featherstone 2005), with L unit lower triangular, and products and solutions based on it. A row
 * stores a coordinate's ancestors from the root on, so every inner loop runs over consecutive
 * numbers.
 */
#include "kernel/algebra/ltdl.h"
#include "kernel/real/arrays.h"
#include "kernel/scratch.h"

/* A pivot below this fraction of its original diagonal entry is rounding error: the matrix is
   singular. */
#define SMALLEST_PIVOT 1e-13

TD_INLINE void eliminate(const td_pattern *pattern, real *a, int k, const real *diagonal, real *bad)
{
    real *row = a + pattern->row[k];
    real pivot = row[pattern->depth[k]];
    *bad = first_bad(*bad, SMALLEST_PIVOT * diagonal[k], pivot, (size_t)k);
    real inverse = 1.0 / pivot;
    for (int i = pattern->parent[k]; i >= 0; i = pattern->parent[i]) {
        int depth = pattern->depth[i];
        real *above = a + pattern->row[i];
        real quotient = row[depth] * inverse;
        strip_subtract(above, quotient, row, depth + 1);
        row[depth] = quotient; /* L(k, i); higher ancestors need only entries j < i */
    }
}

/* BLOCK coordinates are eliminated together, each the parent of the previous one. The rows of their
   ancestors are then read and written once per block. Rows shorter than LONG do not gain from
   it. */
enum { BLOCK = 4, LONG = 12 };

typedef struct block {
    int depth; /* of the block's first coordinate */
    real *row[BLOCK];
    real inverse[BLOCK]; /* inverse pivots */
} block;

/* Eliminates the coordinates of a block from the later rows of the same block. */
TD_INLINE void eliminate_within(block *b, int k, const real *diagonal, real *bad)
{
    real L[BLOCK][BLOCK];
    for (int p = 0; p < BLOCK; p++) {
        real pivot = b->row[p][b->depth - p];
        *bad = first_bad(*bad, SMALLEST_PIVOT * diagonal[k - p], pivot, (size_t)(k - p));
        b->inverse[p] = 1.0 / pivot;
        for (int i = p + 1; i < BLOCK; i++) {
            L[i][p] = b->row[p][b->depth - i] * b->inverse[p];
            for (int j = i; j < BLOCK; j++)
                b->row[i][b->depth - j] -= L[i][p] * b->row[p][b->depth - j];
        }
    }
    const int end = b->depth - BLOCK + 1;
    for (int j = 0; j < end; j += TD_STRIP) {
        strip x[BLOCK];
        for (int i = 0; i < BLOCK; i++) {
            x[i] = strip_load(b->row[i] + j);
            for (int p = 0; p < i; p++)
                x[i] -= strip_splat(L[i][p]) * x[p];
            if (i > 0)
                strip_store(b->row[i] + j, x[i], end - j);
        }
    }
}

/* Eliminates the coordinates of a block from the row of an ancestor. */
TD_INLINE void eliminate_from(const block *b, real *above, int depth)
{
    strip quotient[BLOCK];
    for (int p = 0; p < BLOCK; p++)
        quotient[p] = strip_splat(b->row[p][depth] * b->inverse[p]);
    for (int j = 0; j <= depth; j += TD_STRIP) {
        strip x = strip_load(above + j);
        for (int p = 0; p < BLOCK; p++)
            x -= quotient[p] * strip_load(b->row[p] + j);
        strip_store(above + j, x, depth + 1 - j);
    }
}

static void eliminate_block(const td_pattern *pattern, real *a, int k, const real *diagonal,
                            real *bad)
{
    block b = {.depth = pattern->depth[k]};
    for (int p = 0; p < BLOCK; p++)
        b.row[p] = a + pattern->row[k - p];
    eliminate_within(&b, k, diagonal, bad);
    for (int i = pattern->parent[k - BLOCK + 1]; i >= 0; i = pattern->parent[i])
        eliminate_from(&b, a + pattern->row[i], pattern->depth[i]);
    for (int p = 0; p < BLOCK; p++) { /* scale the rows to L */
        const int end = b.depth - p;
        for (int j = 0; j < end; j += TD_STRIP)
            strip_store(b.row[p] + j, strip_splat(b.inverse[p]) * strip_load(b.row[p] + j),
                        end - j);
    }
}

static void factor(const td_pattern *pattern, td_reals *A, td_reals *singular)
{
    real *a = A;
    real bad = splat(-1);
    real *diagonal; /* the original diagonal, stored after the entries */
    diagonal = a + pattern->entries;
    for (size_t k = 0; k < pattern->size; k++)
        diagonal[k] = a[pattern->row[k] + (size_t)pattern->depth[k]];
    for (int k = (int)pattern->size - 1; k >= 0; k--) {
        if (pattern->depth[k] < LONG || pattern->first_consecutive[k] > k - BLOCK + 1) {
            eliminate(pattern, a, k, diagonal, &bad);
        } else {
            eliminate_block(pattern, a, k, diagonal, &bad);
            k -= BLOCK - 1;
        }
    }
    *(real *)singular = bad;
}

/*
 * The pivot of coordinate k is the minimum of xᵀ A x over the x_j of its descendants, with x_k = 1.
 * Terms of this sum may cancel, and each has a rounding error proportional to √(A_ii A_jj) x_i x_j.
 * The pivot therefore has correct digits only if it is large compared to rounding times Σ A_jj
 * x_j². bound is a multiple of the rounding unit; the A_jj are still stored after the factors.
 * Keeps the first pivot that does not exceed its bound, unless singular already names a coordinate.
 */
static void examine(const td_pattern *pattern, const td_scratch *s, const td_reals *factored,
                    const int *coordinate, size_t count, double bound)
{
    td_scope(s->stack, examine);
    const real *L = factored, *diagonal = L + pattern->entries;
    real *x = td_take(s->stack, real, pattern->size), bad = *s->singular;
    for (size_t c = 0; c < count; c++) {
        const int k = coordinate[c];
        real sum = diagonal[k];
        x[k] = splat(1);
        for (int j = k + 1; j <= pattern->last[k]; j++) {
            const real *entry = L + pattern->row[j] + pattern->depth[j];
            real value = splat(0); /* row j of L x = 0 */
            int i = j;
            while (i > k) {
                i = pattern->parent[i];
                if (i >= k)
                    value -= *--entry * x[i];
            }
            if (i != k)
                continue;
            x[j] = value;
            sum += diagonal[j] * value * value;
        }
        bad =
            first_bad(bad, bound * sum, L[pattern->row[k] + (size_t)pattern->depth[k]], (size_t)k);
    }
    *s->singular = bad;
}

static void examine_measure(const td_scratch_sizes *sizes, td_stack *stack)
{
    if (sizes->matrices)
        (void)td_take(stack, real, sizes->tree->nv);
}

static void multiply(const td_pattern *pattern, const td_reals *A, const td_reals *x, td_reals *out)
{
    const real *a = A, *in = x;
    real *result = out;
    for (size_t k = 0; k < pattern->size; k++) {
        const real *entry = a + pattern->row[k] + pattern->depth[k];
        real sum = *entry * in[k];
        for (int j = pattern->parent[k]; j >= 0; j = pattern->parent[j]) {
            --entry;
            sum += *entry * in[j];
            result[j] += *entry * in[k];
        }
        result[k] = sum;
    }
}

static void exclude(const td_pattern *pattern, const unsigned char *given, td_reals *A)
{
    real *a = A;
    for (size_t k = 0; k < pattern->size; k++) {
        real *entry = a + pattern->row[k] + pattern->depth[k];
        if (given[k])
            *entry = splat(1);
        for (int j = pattern->parent[k]; j >= 0; j = pattern->parent[j]) {
            --entry;
            if (given[k] || given[j])
                *entry = splat(0);
        }
    }
}
