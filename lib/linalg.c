/* SPDX-License-Identifier: MIT */
/*
 * Calls of LAPACK by its Fortran symbols.
 */
#include "linalg.h"

#include <math.h>
#include <stdlib.h>

void dsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
            double *work, const int *lwork, int *info, unsigned long jobz_len,
            unsigned long uplo_len);

void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *pivots, int *info);
void dgetri_(const int *n, double *a, const int *lda, const int *pivots, double *work,
             const int *lwork, int *info);

/* largest column sum */
static double norm(size_t n, const double *a)
{
    double largest = 0;
    for (size_t j = 0; j < n; j++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += fabs(a[j * n + i]);
        largest = fmax(largest, sum);
    }
    return largest;
}

double td_invert(int n, double *matrix)
{
    if (n == 0)
        return 1;
    int *pivots = calloc((size_t)n, sizeof *pivots);
    double *work = calloc((size_t)n, sizeof *work);
    double before = norm((size_t)n, matrix), result = -1;
    int info = 0;
    if (pivots &&
        work) { /* the transpose's inverse is the inverse's transpose: order is no matter */
        dgetrf_(&n, &n, matrix, &n, pivots, &info);
        if (info == 0)
            dgetri_(&n, matrix, &n, pivots, work, &n, &info);
        result = info == 0 ? 1 / (before * norm((size_t)n, matrix)) : 0;
    }
    free(pivots);
    free(work);
    return result;
}

bool td_symmetric_eigenvalues(const double m[6], double values[3])
{
    for (int i = 0; i < 6; i++)
        if (!isfinite(m[i]))
            return false;
    double a[9] = {m[0], m[1], m[2], m[1], m[3], m[4], m[2], m[4], m[5]}, work[24];
    const int n = 3, room = 24;
    int info;
    dsyev_("N", "U", &n, a, &n, values, work, &room, &info, 1, 1);
    return info == 0;
}
