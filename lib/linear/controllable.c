/* SPDX-License-Identifier: MIT */
/*
 * What inputs reach of a linear system, by orthogonal transformations into a staircase: P. Van
 * Dooren, The generalized eigenstructure problem in linear system theory, IEEE Trans. Automatic
 * Control 26 (1981). With Q of the columns of B, QᵀB = (R; 0) and
 *
 *   QᵀAQ = ( A₁₁  A₁₂ )
 *          ( A₂₁  A₂₂ )
 *
 * the inputs reach what is above; A₂₁ is to A₂₂ what B is to A.
 */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/dense.h"
#include "base/eigenvalues.h"
#include "base/stack.h"
#include "tandem/linearize.h"

typedef struct staircase {
    size_t n, wide;          /* wide: columns that F has room for */
    double *A;               /* n × n, transformed in place */
    double *F;               /* n × wide: the columns of this stair */
    double *v;               /* n: a reflection 1 − 2 v vᵀ */
    double *balanced, *peak; /* n × n, n: of the scale */
} staircase;

static void take(td_stack *stack, staircase *s)
{
    s->A = td_take(stack, double, s->n * s->n);
    s->F = td_take(stack, double, s->n * s->wide);
    s->v = td_take(stack, double, s->n);
    s->balanced = td_take(stack, double, s->n * s->n);
    s->peak = td_take(stack, double, s->n);
}

/* What is within rounding of zero beside the largest of its row or of its column becomes zero; in
   B, whose inputs have units of their own, of its column. A scale that is made from rounding noise
   would make it as large as the numbers. v and peak: n each. */
static void drop_noise(staircase *s, size_t m)
{
    const size_t n = s->n;
    const double least = 16 * (double)n * DBL_EPSILON;
    for (size_t i = 0; i < n; i++) {
        s->v[i] = s->peak[i] = 0;
        for (size_t j = 0; j < n; j++) {
            s->v[i] = fmax(s->v[i], fabs(s->A[i * n + j]));
            s->peak[i] = fmax(s->peak[i], fabs(s->A[j * n + i]));
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (fabs(s->A[i * n + j]) <= least * fmax(s->v[i], s->peak[j]))
                s->A[i * n + j] = 0;
    for (size_t j = 0; j < m; j++) {
        double most = 0;
        for (size_t i = 0; i < n; i++)
            most = fmax(most, fabs(s->F[i * s->wide + j]));
        for (size_t i = 0; i < n; i++)
            if (fabs(s->F[i * s->wide + j]) <= least * most)
                s->F[i * s->wide + j] = 0;
    }
}

/* The largest entry of A in balanced units: not less than the geometric mean of any cycle in it. */
static double largest_balanced(const staircase *s)
{
    double most = 0;
    memcpy(s->balanced, s->A, s->n * s->n * sizeof *s->A);
    td_balance(s->n, s->balanced, s->v);
    for (size_t i = 0; i < s->n * s->n; i++)
        most = fmax(most, fabs(s->balanced[i]));
    return most > 0 ? most : 1;
}

/* level[i]: the logarithm of what the strongest way from the inputs brings to state i, each step of
   it over rate; −∞ where there is none. As no cycle is stronger than rate, ways without cycles, of
   n steps at most, are the strongest. */
static void find_levels(const staircase *s, size_t m, double rate, double *level)
{
    const size_t n = s->n;
    for (size_t i = 0; i < n; i++) {
        level[i] = -INFINITY;
        for (size_t j = 0; j < m; j++)
            level[i] = fmax(level[i], log2(fabs(s->F[i * s->wide + j])));
    }
    bool changed = true;
    for (size_t step = 0; step < n && changed; step++) {
        changed = false;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                if (s->A[i * n + j] == 0 || isinf(level[j]))
                    continue;
                const double way = log2(fabs(s->A[i * n + j])) - log2(rate) + level[j];
                if (way > level[i]) {
                    level[i] = way;
                    changed = true;
                }
            }
    }
}

static void unit_columns(const staircase *s, size_t m)
{
    for (size_t j = 0; j < m; j++) {
        double length = 0;
        for (size_t i = 0; i < s->n; i++)
            length = hypot(length, s->F[i * s->wide + j]);
        for (size_t i = 0; i < s->n && length > 0; i++)
            s->F[i * s->wide + j] /= length;
    }
}

/* States in units, powers of two, in which the strongest way from the inputs to each of them has
   steps of one size, and no entry of A is larger: a number of these ways is never small beside
   others. (Equal rows and columns, as eigenvalues want them, depend on what leads back to the
   inputs too: where that is next to nothing, they make the way there as small.) States that no way
   leads to are left out of A. */
static void scale(staircase *s, size_t m)
{
    const size_t n = s->n;
    drop_noise(s, m);
    unit_columns(s, m);
    const double rate = largest_balanced(s);
    double *level = s->peak;
    find_levels(s, m, rate, level);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double *a = &s->A[i * n + j];
            *a = isinf(level[i]) || isinf(level[j])
                     ? 0
                     : *a * exp2(rint(level[j]) - rint(level[i]) - rint(log2(rate)));
        }
        for (size_t j = 0; j < m; j++)
            s->F[i * s->wide + j] *= isinf(level[i]) ? 0 : exp2(-rint(level[i]));
    }
    unit_columns(s, m);
}

/* rows from on of a matrix with that many columns ← (1 − 2 v vᵀ) of them */
static void reflect_rows(const staircase *s, size_t from, size_t columns, size_t wide, double *X)
{
    for (size_t j = 0; j < columns; j++) {
        double sum = 0;
        for (size_t i = from; i < s->n; i++)
            sum += s->v[i] * X[i * wide + j];
        for (size_t i = from; i < s->n; i++)
            X[i * wide + j] -= 2 * sum * s->v[i];
    }
}

static void reflect_columns(const staircase *s, size_t from, double *X)
{
    for (size_t i = 0; i < s->n; i++) {
        double *row = X + i * s->n, sum = 0;
        for (size_t j = from; j < s->n; j++)
            sum += row[j] * s->v[j];
        for (size_t j = from; j < s->n; j++)
            row[j] -= 2 * sum * s->v[j];
    }
}

/* The column of F, from the k-th on, that is longest below row from; its length */
static double longest(const staircase *s, size_t from, size_t k, size_t columns, size_t *found)
{
    double most = 0;
    for (size_t j = k; j < columns; j++) {
        double square = 0;
        for (size_t i = from; i < s->n; i++)
            square += s->F[i * s->wide + j] * s->F[i * s->wide + j];
        if (square > most) {
            most = square;
            *found = j;
        }
    }
    return sqrt(most);
}

/* The rank of the columns of F below row offset, which become the next unit vectors. */
static size_t stair(staircase *s, size_t offset, size_t columns, double least)
{
    size_t rank = 0;
    for (; rank < columns && offset + rank < s->n; rank++) {
        const size_t from = offset + rank;
        size_t j = rank;
        double length = longest(s, from, rank, columns, &j), square = 0;
        if (!(length > least))
            break;
        for (size_t i = 0; i < s->n; i++) {
            const double x = s->F[i * s->wide + j];
            s->F[i * s->wide + j] = s->F[i * s->wide + rank];
            s->F[i * s->wide + rank] = x;
            s->v[i] = i < from ? 0 : x;
        }
        s->v[from] += copysign(length, s->v[from]); /* x ± |x| e */
        for (size_t i = from; i < s->n; i++)
            square += s->v[i] * s->v[i];
        for (size_t i = from; i < s->n; i++)
            s->v[i] /= sqrt(square);
        reflect_rows(s, from, columns, s->wide, s->F);
        reflect_rows(s, from, s->n, s->n, s->A);
        reflect_columns(s, from, s->A);
    }
    return rank;
}

static size_t climb(staircase *s, size_t m, double tolerance)
{
    const size_t n = s->n;
    scale(s, m);
    const double size = td_dense_norm(n * n, s->A);
    size_t offset = 0, rank = stair(s, 0, m, tolerance);
    while (rank > 0 && offset + rank < n) {
        for (size_t i = offset + rank; i < n; i++)
            for (size_t j = 0; j < rank; j++)
                s->F[i * s->wide + j] = s->A[i * n + offset + j];
        offset += rank;
        rank = stair(s, offset, rank, tolerance * size);
    }
    return offset + rank;
}

td_status td_linear_controllable(size_t n, size_t m, const double *A, const double *B,
                                 double tolerance, size_t *reached)
{
    if (!reached || !(tolerance >= 0) || (n > 0 && (!A || (m > 0 && !B))))
        return TD_ERROR_ARGUMENT;
    *reached = 0;
    if (!td_dense_finite(n * n, A) || !td_dense_finite(n * m, B))
        return TD_ERROR_NOT_FINITE;
    staircase s = {.n = n, .wide = m > n ? m : n};
    td_stack stack = {0};
    if (!td_take_twice(&stack, take(&stack, &s)))
        return TD_ERROR_MEMORY;
    memcpy(s.A, A, n * n * sizeof *A);
    for (size_t i = 0; i < n && m > 0; i++)
        memcpy(s.F + i * s.wide, B + i * m, m * sizeof *B);
    *reached = climb(&s, m, tolerance > 0 ? tolerance : 1e-10);
    td_stack_end(&stack);
    return TD_OK;
}
