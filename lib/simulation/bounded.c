/* SPDX-License-Identifier: MIT */
/*
 * Bounded linear complementarity by principal pivots, the least index first, which ends for
 * positive definite matrices (Murty 1974; Júdice and Pires 1992 for two bounds). Problems are as
 * small as the number of joints at a stop or at rest.
 */
#include "bounded.h"

#include <math.h>
#include <string.h>

bool td_cholesky(size_t n, double *M)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = M[i * n + j];
            for (size_t k = 0; k < j; k++)
                sum -= M[i * n + k] * M[j * n + k];
            if (j < i)
                M[i * n + j] = sum / M[j * n + j];
            else if (sum > 0)
                M[i * n + i] = sqrt(sum);
            else
                return false;
        }
    return true;
}

void td_cholesky_solve(size_t n, const double *L, double *x)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            x[i] -= L[i * n + k] * x[k];
        x[i] /= L[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++)
            x[i] -= L[k * n + i] * x[k];
        x[i] /= L[i * n + i];
    }
}

/* ---- pivots ---------------------------------------------------------------------------------- */

enum { AT_LOWER = -1, INSIDE = 0, AT_UPPER = 1 };

/* Of rows with a diagonal of 1: what is left of one that follows from earlier ones. */
static const double DEPENDENT = 1e-9;

/* As td_cholesky for a semidefinite matrix: rows that follow from earlier ones get the diagonal 0,
   and no part in solutions. In order, so that a little change changes nothing else. */
static void factor_rows(size_t n, double *M)
{
    for (size_t i = 0; i < n; i++) {
        const double whole = M[i * n + i];
        for (size_t j = 0; j <= i; j++) {
            double sum = M[i * n + j];
            for (size_t k = 0; k < j; k++)
                sum -= M[i * n + k] * M[j * n + k];
            if (j < i)
                M[i * n + j] = M[j * n + j] > 0 ? sum / M[j * n + j] : 0;
            else
                M[i * n + i] = sum > DEPENDENT * whole ? sqrt(sum) : 0;
        }
        for (size_t j = 0; j < i && M[i * n + i] == 0; j++)
            M[i * n + j] = 0;
    }
}

static void solve_rows(size_t n, const double *L, double *x)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            x[i] -= L[i * n + k] * x[k];
        x[i] = L[i * n + i] > 0 ? x[i] / L[i * n + i] : 0;
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++)
            x[i] -= L[k * n + i] * x[k];
        x[i] = L[i * n + i] > 0 ? x[i] / L[i * n + i] : 0;
    }
}

/* λ with A λ = −b in the rows that are inside, the others at their bounds. */
static void solve_inside(size_t n, const double *A, const double *b, const double *lower,
                         const double *upper, const signed char *state, double *lambda,
                         double *room)
{
    double *L = room, *x = room + n * n;
    size_t m = 0;
    for (size_t i = 0; i < n; i++) {
        lambda[i] = state[i] == AT_LOWER ? lower[i] : state[i] == AT_UPPER ? upper[i] : 0;
        m += state[i] == INSIDE;
    }
    for (size_t i = 0, row = 0; i < n; i++) {
        if (state[i] != INSIDE)
            continue;
        for (size_t j = 0, column = 0; j < n; j++)
            if (state[j] == INSIDE)
                L[row * m + column++] = A[i * n + j];
        row++;
    }
    factor_rows(m, L);
    for (int pass = 0; pass < 2; pass++) { /* the second takes rounding away */
        for (size_t i = 0, row = 0; i < n; i++) {
            if (state[i] != INSIDE)
                continue;
            x[row] = -b[i];
            for (size_t j = 0; j < n; j++)
                x[row] -= A[i * n + j] * lambda[j];
            row++;
        }
        solve_rows(m, L, x);
        for (size_t i = 0, row = 0; i < n; i++)
            if (state[i] == INSIDE)
                lambda[i] += x[row++];
    }
}

/* whether row i contradicts its state; to: the one that it should have */
static bool contradicts(size_t n, size_t i, const double *A, const double *b, const double *lower,
                        const double *upper, const double *lambda, const signed char *state,
                        signed char *to)
{
    double w = b[i], size = fabs(b[i]);
    for (size_t j = 0; j < n; j++) {
        w += A[i * n + j] * lambda[j];
        size = fmax(size, fabs(A[i * n + j] * lambda[j]));
    }
    if (state[i] != INSIDE) {
        *to = INSIDE;
        return (state[i] == AT_LOWER ? -w : w) > 1e-12 * size;
    }
    if (lambda[i] < lower[i] || lambda[i] > upper[i]) {
        *to = lambda[i] < lower[i] ? AT_LOWER : AT_UPPER;
        return true;
    }
    *to = w > 0 ? AT_LOWER : AT_UPPER; /* nothing moves a row of zeros */
    return A[i * n + i] == 0 && w != 0;
}

bool td_bounded_solve(size_t n, const double *A, const double *b, const double *lower,
                      const double *upper, double *lambda, double *room, signed char *state)
{
    for (size_t i = 0; i < n; i++)
        state[i] = INSIDE;
    for (int pivots = 0; pivots < 10000; pivots++) {
        solve_inside(n, A, b, lower, upper, state, lambda, room);
        size_t i = 0;
        signed char to = INSIDE;
        while (i < n && !contradicts(n, i, A, b, lower, upper, lambda, state, &to))
            i++;
        if (i == n)
            return true;
        state[i] = to;
        if (isinf(to == AT_LOWER ? lower[i] : to == AT_UPPER ? upper[i] : 0))
            return false;
    }
    return false;
}
