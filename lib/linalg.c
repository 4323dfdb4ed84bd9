/* SPDX-License-Identifier: MIT */
/*
 * Calls of LAPACK by its Fortran symbols.
 */
#include "linalg.h"

#include <math.h>

void dsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
            double *work, const int *lwork, int *info, unsigned long jobz_len,
            unsigned long uplo_len);

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
