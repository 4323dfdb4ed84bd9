/* SPDX-License-Identifier: MIT */
/*
 * Discretizes linear systems for inputs that are constant over a step, by the matrix
 * exponential.
 */
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/exponential.h"
#include "linear/linear.h"

td_status td_linear_discrete(size_t n, size_t m, const double *A, const double *B, double dt,
                             double *Ad, double *Bd)
{
    if (!Ad || !Bd || (n > 0 && (!A || (m > 0 && !B))))
        return TD_ERROR_ARGUMENT;
    td_exponential e = {.n = n + m};
    td_stack stack = {0};
    td_status status = TD_OK;
    if (!isfinite(dt) || !td_dense_finite(n * n, A) || !td_dense_finite(n * m, B))
        status = TD_ERROR_NOT_FINITE;
    else if (!td_take_twice(&stack, td_exponential_take(&stack, &e)))
        status = TD_ERROR_MEMORY;
    for (size_t i = 0; i < n && status == TD_OK; i++) {
        for (size_t j = 0; j < n; j++)
            e.X[i * e.n + j] = A[i * n + j] * dt;
        for (size_t j = 0; j < m; j++)
            e.X[i * e.n + n + j] = B[i * m + j] * dt;
    }
    if (status == TD_OK && !td_exponentiate(&e))
        status = TD_ERROR_NOT_FINITE;
    if (status != TD_OK) {
        td_dense_spoil(n * n, Ad);
        td_dense_spoil(n * m, Bd);
    }
    for (size_t i = 0; i < n && status == TD_OK; i++) {
        memcpy(Ad + i * n, e.X + i * e.n, n * sizeof *Ad);
        memcpy(Bd + i * m, e.X + i * e.n + n, m * sizeof *Bd);
    }
    td_stack_end(&stack);
    return status;
}
