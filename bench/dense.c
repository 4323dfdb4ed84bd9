/* SPDX-License-Identifier: MIT */
/*
 * The dense way of peer.h. Small systems are solved by the loops below, larger ones by LAPACK:
 * whichever is faster.
 */
#include <math.h>
#include <string.h>

#include "peer.h"

enum { LAPACK_FROM = 24 };

void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info);
void dpotrs_(const char *uplo, const int *n, const int *nrhs, const double *a, const int *lda,
             double *b, const int *ldb, int *info);

static void solve_small(size_t n, double *A, double *x)
{
    /* A = L Lᵀ, with 1 / L(i,i) on the diagonal */
    for (size_t i = 0; i < n; i++) {
        double *Li = A + i * n;
        for (size_t j = 0; j <= i; j++) {
            const double *Lj = A + j * n;
            double sum = Li[j];
            for (size_t k = 0; k < j; k++)
                sum -= Li[k] * Lj[k];
            Li[j] = j < i ? sum * Lj[j] : 1 / sqrt(sum);
        }
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            x[i] -= A[i * n + k] * x[k];
        x[i] *= A[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        x[i] *= A[i * n + i];
        for (size_t k = 0; k < i; k++)
            x[k] -= A[i * n + k] * x[i];
    }
}

void dense_solve(size_t n, double *A, double *x)
{
    if (n < LAPACK_FROM) {
        solve_small(n, A, x);
        return;
    }
    /* the lower triangle by rows is the upper one by columns */
    int size = (int)n, one = 1, info;
    dpotrf_("U", &size, A, &size, &info);
    dpotrs_("U", &size, &one, A, &size, x, &size, &info);
}

void dense_forward(const bench_robot *r, const size_t *order, const double *H, const double *C,
                   const double *tau_y, double *room, double *ydd)
{
    size_t n = r->joints, m = r->independent;
    memset(room, 0, m * m * sizeof *room);
    memcpy(ydd, tau_y, m * sizeof *ydd);
    for (size_t i = 0; i < n; i++)
        for (size_t k = r->row[i]; k < r->row[i + 1]; k++) {
            double *to = room + r->column[k] * m, g = r->value[k];
            ydd[r->column[k]] -= g * C[order[i]];
            for (size_t j = 0; j < n; j++)
                for (size_t l = r->row[j]; l < r->row[j + 1]; l++)
                    to[r->column[l]] += g * H[order[i] * n + order[j]] * r->value[l];
        }
    dense_solve(m, room, ydd);
}
