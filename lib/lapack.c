/* SPDX-License-Identifier: MIT */
/*
 * Eigenvalues and singular vectors by LAPACK, called by its Fortran symbols. What is not finite
 * stays out of it: LAPACK would print a message about it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg.h"

void dsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
            double *work, const int *lwork, int *info, unsigned long jobz_len,
            unsigned long uplo_len);

void dgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, double *a,
             const int *lda, double *s, double *u, const int *ldu, double *vt, const int *ldvt,
             double *work, const int *lwork, int *info, unsigned long jobu_len,
             unsigned long jobvt_len);

static bool all_finite(size_t count, const double *x)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

bool td_right_vectors(int m, int n, double *A, double *values, double *Vt)
{
    const size_t rows = (size_t)m, columns = (size_t)n;
    if (n == 0)
        return true;
    if (!all_finite(rows * columns, A)) {
        for (size_t i = 0; i < columns; i++)
            values[i] = NAN;
        for (size_t i = 0; i < columns * columns; i++)
            Vt[i] = NAN;
        return true;
    }
    const int one = 1, room = 5 * m + 3 * n;
    double *work = malloc((size_t)room * sizeof *work), none;
    int info = 1;
    if (work)
        dgesvd_("N", "A", &m, &n, A, &m, values, &none, &one, Vt, &n, work, &room, &info, 1, 1);
    free(work);
    return info == 0;
}

bool td_symmetric_eigen(const double m[6], double values[3], double vectors[9])
{
    if (!all_finite(6, m))
        return false;
    double a[9] = {m[0], m[1], m[2], m[1], m[3], m[4], m[2], m[4], m[5]}, work[24];
    const int n = 3, room = 24;
    int info;
    dsyev_(vectors ? "V" : "N", "U", &n, a, &n, values, work, &room, &info, 1, 1);
    if (vectors)
        memcpy(vectors, a, sizeof a);
    return info == 0;
}
