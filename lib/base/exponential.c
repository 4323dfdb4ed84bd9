/* SPDX-License-Identifier: MIT */
/*
 * Computes the exponential of a matrix; see exponential.h.
 */
#include "base/exponential.h"

#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/lu.h"

void td_exponential_take(td_stack *stack, td_exponential *e)
{
    const size_t square = e->n * e->n;
    double **const matrix[] = {&e->X, &e->X2, &e->X4, &e->X6, &e->U, &e->V, &e->other};
    for (size_t i = 0; i < sizeof matrix / sizeof *matrix; i++)
        *matrix[i] = td_take(stack, double, square);
    e->column = td_take(stack, double, e->n);
    e->pivot = td_take(stack, size_t, e->n);
}

/* Computes out = c6 X6 + c4 X4 + c2 X2 + c0. */
static void combine(const td_exponential *e, double c6, double c4, double c2, double c0,
                    double *out)
{
    for (size_t i = 0; i < e->n * e->n; i++)
        out[i] = c6 * e->X6[i] + c4 * e->X4[i] + c2 * e->X2[i];
    for (size_t i = 0; i < e->n; i++)
        out[i * e->n + i] += c0;
}

static void add(size_t count, const double *a, double *b)
{
    for (size_t i = 0; i < count; i++)
        b[i] += a[i];
}

/* Replaces X, whose norm is at most 5.4, by its Padé approximant (V − U)⁻¹ (V + U). */
static bool approximate(td_exponential *e)
{
    static const double b[] = {64764752532480000,
                               32382376266240000,
                               7771770303897600,
                               1187353796428800,
                               129060195264000,
                               10559470521600,
                               670442572800,
                               33522128640,
                               1323241920,
                               40840800,
                               960960,
                               16380,
                               182,
                               1};
    const size_t n = e->n, square = n * n;
    td_dense_product(n, n, n, e->X, e->X, e->X2);
    td_dense_product(n, n, n, e->X2, e->X2, e->X4);
    td_dense_product(n, n, n, e->X4, e->X2, e->X6);
    combine(e, b[13], b[11], b[9], 0, e->V); /* U = X (X6 V + ...) */
    td_dense_product(n, n, n, e->X6, e->V, e->other);
    combine(e, b[7], b[5], b[3], b[1], e->V);
    add(square, e->V, e->other);
    td_dense_product(n, n, n, e->X, e->other, e->U);
    combine(e, b[12], b[10], b[8], 0, e->other);
    td_dense_product(n, n, n, e->X6, e->other, e->V);
    combine(e, b[6], b[4], b[2], b[0], e->other);
    add(square, e->other, e->V);
    for (size_t i = 0; i < square; i++) {
        e->other[i] = e->V[i] - e->U[i];
        e->X[i] = e->V[i] + e->U[i];
    }
    if (!td_lu_factor(n, e->other, e->pivot))
        return false;
    td_dense_solve(n, n, e->other, e->pivot, e->X, e->column);
    return true;
}

/* Returns the 1-norm, the largest sum of magnitudes of a column. */
static double norm_1(size_t n, const double *X)
{
    double most = 0;
    for (size_t j = 0; j < n; j++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += fabs(X[i * n + j]);
        most = fmax(most, sum);
    }
    return most;
}

bool td_exponentiate(td_exponential *e)
{
    const size_t n = e->n;
    const double norm = norm_1(n, e->X), within = 5.371920351148152;
    int halvings = 0;
    if (norm > within)
        frexp(norm / within, &halvings); /* norm / 2^halvings ≤ within */
    for (size_t i = 0; i < n * n; i++)
        e->X[i] = ldexp(e->X[i], -halvings);
    if (!approximate(e))
        return false;
    for (int k = 0; k < halvings; k++) {
        td_dense_product(n, n, n, e->X, e->X, e->other);
        memcpy(e->X, e->other, n * n * sizeof *e->X);
    }
    return td_dense_finite(n * n, e->X);
}
