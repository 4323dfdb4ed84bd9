/* SPDX-License-Identifier: MIT */
/*
 * Damped least squares by normal equations: over columns if the matrix has at least as many
 * rows, as for redundant loops, and over rows otherwise. Consecutive loops share few columns, so
 * rows of the factor begin with zeros. The code skips these zeros.
 */
#include "base/damped.h"
#include "base/dense.h"

#include <math.h>
#include <string.h>

static size_t later(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Factors A = L Lᵀ in place (lower triangle). from[i] is the first nonzero entry of row i. */
static bool factor(size_t n, double *A, size_t *from)
{
    for (size_t i = 0; i < n; i++) {
        from[i] = 0;
        while (from[i] < i && A[i * n + from[i]] == 0)
            from[i]++;
        for (size_t j = from[i]; j <= i; j++) {
            double sum = A[i * n + j];
            for (size_t k = later(from[i], from[j]); k < j; k++)
                sum -= A[i * n + k] * A[j * n + k];
            if (i == j && !(sum > 0))
                return false;
            A[i * n + j] = i == j ? sqrt(sum) : sum / A[j * n + j];
        }
    }
    return true;
}

static void solve(size_t n, const double *L, const size_t *from, double *x)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = from[i]; k < i; k++)
            x[i] -= L[i * n + k] * x[k];
        x[i] /= L[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        x[i] /= L[i * n + i];
        for (size_t k = from[i]; k < i; k++)
            x[k] -= L[i * n + k] * x[i];
    }
}

/* Compute the lower triangles of Jᵀ J and of J Jᵀ. first and end bound the nonzero entries of
   each column. */
static void square_of_columns(size_t m, size_t n, const double *J, size_t *first, size_t *end,
                              double *A)
{
    for (size_t i = 0; i < n; i++) {
        const double *column = J + i * m;
        for (first[i] = 0; first[i] < m && column[first[i]] == 0;)
            first[i]++;
        for (end[i] = m; end[i] > first[i] && column[end[i] - 1] == 0;)
            end[i]--;
        for (size_t j = 0; j <= i; j++) {
            const size_t from = later(first[i], first[j]), to = end[i] < end[j] ? end[i] : end[j];
            A[i * n + j] = from < to ? td_dense_dot(to - from, column + from, J + j * m + from) : 0;
        }
    }
}

static void square_of_rows(size_t m, size_t n, const double *J, double *A)
{
    memset(A, 0, m * m * sizeof *A);
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < m; i++) {
            double x = J[k * m + i];
            for (size_t j = 0; x != 0 && j <= i; j++)
                A[i * m + j] += x * J[k * m + j];
        }
}

/* Allocates the smaller of the two matrices, the right-hand side z (m), and two indices per row
   or column of the matrix. */
static double *take(size_t m, size_t size, td_stack *stack, double **z, size_t **places)
{
    *z = td_take(stack, double, m);
    *places = td_take(stack, size_t, 2 * size);
    return td_take(stack, double, size *size);
}

void td_damped_measure(size_t m, size_t n, td_stack *stack)
{
    double *z;
    size_t *places;
    td_scope(stack, damped);
    take(m, m < n ? m : n, stack, &z, &places);
}

bool td_damped_step(size_t m, size_t n, const double *J, const double *b, double damping,
                    td_stack *stack, double *x)
{
    const size_t size = m < n ? m : n;
    td_scope(stack, damped);
    size_t *places;
    double *z, *A = take(m, size, stack, &z, &places);
    if (m < n)
        square_of_rows(m, n, J, A);
    else
        square_of_columns(m, n, J, places, places + n, A);
    for (size_t i = 0; i < size; i++)
        A[i * size + i] += damping;
    if (!factor(size, A, places))
        return false;
    memcpy(z, b, m * sizeof *z);
    if (m < n)
        solve(m, A, places, z);
    for (size_t k = 0; k < n; k++)
        x[k] = td_dense_dot(m, J + k * m, z);
    if (m >= n)
        solve(n, A, places, x);
    return true;
}
