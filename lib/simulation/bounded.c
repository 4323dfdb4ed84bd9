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

/* What is added to a row's diagonal, as a part of it, while the bounds that count are looked for:
   rows that depend on each other share what they carry, and where their b contradict each other the
   bounds decide. */
static const double SOFT = 1e-8;

static double diagonal(size_t n, size_t i, const double *A)
{
    return A[i * n + i] > 0 ? A[i * n + i] : 1;
}

/* Adds the x with (A + SOFT D) x = −b − A λ to λ in the rows that are inside, L being the factor of
   that matrix. */
static void correct_inside(size_t n, const double *A, const double *b, const signed char *state,
                           const double *L, size_t m, double *x, double *lambda)
{
    for (size_t i = 0, row = 0; i < n; i++) {
        if (state[i] != INSIDE)
            continue;
        x[row] = -b[i];
        for (size_t j = 0; j < n; j++)
            x[row] -= A[i * n + j] * lambda[j];
        row++;
    }
    td_cholesky_solve(m, L, x);
    for (size_t i = 0, row = 0; i < n; i++)
        if (state[i] == INSIDE)
            lambda[i] += x[row++];
}

/* λ with (A + SOFT D) λ = −b in the rows that are inside, the others at their bounds; the number of
   the first, and in room the factor. False where A is not what it should be. */
static bool solve_inside(size_t n, const double *A, const double *b, const double *lower,
                         const double *upper, const signed char *state, double *lambda,
                         double *room, size_t *m)
{
    double *L = room, *x = room + n * n;
    *m = 0;
    for (size_t i = 0; i < n; i++) {
        lambda[i] = state[i] == AT_LOWER ? lower[i] : state[i] == AT_UPPER ? upper[i] : 0;
        *m += state[i] == INSIDE;
    }
    for (size_t i = 0, row = 0; i < n; i++) {
        if (state[i] != INSIDE)
            continue;
        for (size_t j = 0, column = 0; j < n; j++)
            if (state[j] == INSIDE)
                L[row * *m + column++] = A[i * n + j] + (i == j ? SOFT * diagonal(n, i, A) : 0);
        row++;
    }
    if (!td_cholesky(*m, L))
        return false;
    correct_inside(n, A, b, state, L, *m, x, lambda);
    return true;
}

/* w of a row, and the largest of its terms */
static double row_of(size_t n, size_t i, const double *A, const double *b, const double *lambda,
                     double *size)
{
    double w = b[i];
    *size = fabs(b[i]);
    for (size_t j = 0; j < n; j++) {
        w += A[i * n + j] * lambda[j];
        *size = fmax(*size, fabs(A[i * n + j] * lambda[j]));
    }
    return w;
}

/* whether row i contradicts its state; to: the one that it should have */
static bool contradicts(size_t n, size_t i, const double *A, const double *b, const double *lower,
                        const double *upper, const double *lambda, const signed char *state,
                        signed char *to)
{
    *to = INSIDE;
    if (lower[i] == upper[i])
        return false;
    if (state[i] == INSIDE) {
        *to = lambda[i] < lower[i] ? AT_LOWER : AT_UPPER;
        return lambda[i] < lower[i] || lambda[i] > upper[i];
    }
    double size;
    const double w = row_of(n, i, A, b, lambda, &size) + SOFT * diagonal(n, i, A) * lambda[i];
    return (state[i] == AT_LOWER ? -w : w) > 1e-12 * size;
}

/* Takes away what SOFT has done. False where rows contradict each other in spite of all bounds. */
static bool sharpen(size_t n, const double *A, const double *b, const signed char *state, size_t m,
                    double *lambda, double *room)
{
    enum { MOST = 20 };
    static const double EXACT = 1e-14, CONTRADICTION = 1e-6, NOTHING = 1e-9;
    for (int pass = 0;; pass++) {
        double worst = 0;
        bool good = true;
        for (size_t i = 0; i < n; i++) {
            double size;
            const double w = state[i] == INSIDE ? fabs(row_of(n, i, A, b, lambda, &size)) : 0;
            if (w == 0)
                continue;
            worst = fmax(worst, w / size);
            good = good && (w <= CONTRADICTION * size || w <= NOTHING);
        }
        if (worst <= EXACT || pass == MOST)
            return good;
        correct_inside(n, A, b, state, room, m, room + n * n, lambda);
    }
}

bool td_bounded_solve(size_t n, const double *A, const double *b, const double *lower,
                      const double *upper, double *lambda, double *room, signed char *state)
{
    for (size_t i = 0; i < n; i++)
        state[i] = lower[i] == upper[i] ? AT_LOWER : INSIDE;
    for (int pivots = 0; pivots < 10000; pivots++) {
        size_t i = 0, m;
        signed char to = INSIDE;
        if (!solve_inside(n, A, b, lower, upper, state, lambda, room, &m))
            return false;
        while (i < n && !contradicts(n, i, A, b, lower, upper, lambda, state, &to))
            i++;
        if (i == n)
            return sharpen(n, A, b, state, m, lambda, room);
        state[i] = to;
    }
    return false;
}
