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
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/eigenvalues.h"
#include "base/stack.h"
#include "tandem/linearize.h"

typedef struct staircase {
    size_t n, wide; /* wide: columns that F has room for */
    double *A;      /* n × n, transformed in place */
    double *F;      /* n × wide: the columns of this stair */
    double *v;      /* n: a reflection 1 − 2 v vᵀ */
} staircase;

static void take(td_stack *stack, staircase *s)
{
    s->A = td_take(stack, double, s->n * s->n);
    s->F = td_take(stack, double, s->n * s->wide);
    s->v = td_take(stack, double, s->n);
}

/* States in units in which A is balanced, and B with columns of length 1. */
static void scale(staircase *s, size_t m)
{
    td_balance(s->n, s->A, s->v);
    for (size_t j = 0; j < m; j++) {
        double square = 0;
        for (size_t i = 0; i < s->n; i++) {
            s->F[i * s->wide + j] /= s->v[i];
            square += s->F[i * s->wide + j] * s->F[i * s->wide + j];
        }
        for (size_t i = 0; i < s->n && square > 0; i++)
            s->F[i * s->wide + j] /= sqrt(square);
    }
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
