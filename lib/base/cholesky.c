/* SPDX-License-Identifier: MIT */
/*
 * Computes Cholesky factors; see cholesky.h.
 */
#include "base/cholesky.h"

#include <math.h>

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

void td_cholesky_lower(size_t n, const double *L, double *x)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            x[i] -= L[i * n + k] * x[k];
        x[i] /= L[i * n + i];
    }
}

void td_cholesky_upper(size_t n, const double *L, double *x)
{
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++)
            x[i] -= L[k * n + i] * x[k];
        x[i] /= L[i * n + i];
    }
}

void td_cholesky_solve(size_t n, const double *L, double *x)
{
    td_cholesky_lower(n, L, x);
    td_cholesky_upper(n, L, x);
}
