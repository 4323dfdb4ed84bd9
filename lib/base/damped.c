/* SPDX-License-Identifier: MIT */
/*
 * Damped least squares by normal equations, of columns where there are fewer of them than rows, as
 * redundant loops have it, and of rows elsewhere.
 */
#include "base/damped.h"

#include <math.h>
#include <string.h>

/* A = L Lᵀ in place, lower triangle */
static bool factor(size_t n, double *A)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = A[i * n + j];
            for (size_t k = 0; k < j; k++)
                sum -= A[i * n + k] * A[j * n + k];
            if (i == j && !(sum > 0))
                return false;
            A[i * n + j] = i == j ? sqrt(sum) : sum / A[j * n + j];
        }
    return true;
}

static void solve(size_t n, const double *L, double *x)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            x[i] -= L[i * n + k] * x[k];
        x[i] /= L[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        x[i] /= L[i * n + i];
        for (size_t k = 0; k < i; k++)
            x[k] -= L[i * n + k] * x[i];
    }
}

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Jᵀ J, and J Jᵀ, lower triangles */
static void square_of_columns(size_t m, size_t n, const double *J, double *A)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            A[i * n + j] = dot(m, J + i * m, J + j * m);
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

/* the smaller of the two matrices; Jᵀ b, or what it is multiplied by */
static double *take(size_t m, size_t size, td_stack *stack, double **z)
{
    *z = td_take(stack, double, m);
    return td_take(stack, double, size *size);
}

void td_damped_measure(size_t m, size_t n, td_stack *stack)
{
    double *z;
    td_scope(stack, damped);
    take(m, m < n ? m : n, stack, &z);
}

bool td_damped_step(size_t m, size_t n, const double *J, const double *b, double damping,
                    td_stack *stack, double *x)
{
    const size_t size = m < n ? m : n;
    td_scope(stack, damped);
    double *z, *A = take(m, size, stack, &z);
    if (m < n)
        square_of_rows(m, n, J, A);
    else
        square_of_columns(m, n, J, A);
    for (size_t i = 0; i < size; i++)
        A[i * size + i] += damping;
    if (!factor(size, A))
        return false;
    memcpy(z, b, m * sizeof *z);
    if (m < n)
        solve(m, A, z);
    for (size_t k = 0; k < n; k++)
        x[k] = dot(m, J + k * m, z);
    if (m >= n)
        solve(n, A, x);
    return true;
}
