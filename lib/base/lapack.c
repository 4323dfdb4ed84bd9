/* SPDX-License-Identifier: MIT */
/*
 * Singular vectors, eigenvalues and Schur forms by LAPACK, through its Fortran symbols. Singular
 * vectors of matrices that are not finite are not passed to LAPACK, which would print a message.
 */
#include <stdlib.h>

#include "base/dense.h"
#include "base/linalg.h"

void dgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, double *a,
             const int *lda, double *s, double *u, const int *ldu, double *vt, const int *ldvt,
             double *work, const int *lwork, int *info, unsigned long jobu_len,
             unsigned long jobvt_len);

void dgeev_(const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda,
            double *wr, double *wi, double *vl, const int *ldvl, double *vr, const int *ldvr,
            double *work, const int *lwork, int *info, unsigned long jobvl_len,
            unsigned long jobvr_len);

void zgees_(const char *jobvs, const char *sort, int (*select)(const double _Complex *),
            const int *n, double _Complex *a, const int *lda, int *sdim, double _Complex *w,
            double _Complex *vs, const int *ldvs, double _Complex *work, const int *lwork,
            double *rwork, int *bwork, int *info, unsigned long jobvs_len, unsigned long sort_len);

bool td_right_vectors(int m, int n, double *A, double *values, double *Vt)
{
    const size_t rows = (size_t)m, columns = (size_t)n;
    if (n == 0)
        return true;
    if (!td_dense_finite(rows * columns, A)) {
        td_dense_spoil(columns, values);
        td_dense_spoil(columns * columns, Vt);
        return true;
    }
    const int unit = 1, capacity = 5 * m + 3 * n;
    double *work = malloc((size_t)capacity * sizeof *work), none;
    int info = 1;
    if (work)
        dgesvd_("N", "A", &m, &n, A, &m, values, &none, &unit, Vt, &n, work, &capacity, &info, 1,
                1);
    free(work);
    return info == 0;
}

td_status td_eigenvalues(int n, double *A, double *real, double *imaginary)
{
    const int unit = 1, capacity = 16 * n;
    double *work = malloc((size_t)capacity * sizeof *work), none;
    int info = 1;
    if (!work)
        return TD_ERROR_MEMORY;
    dgeev_("N", "N", &n, A, &n, real, imaginary, &none, &unit, &none, &unit, work, &capacity, &info,
           1, 1);
    free(work);
    return info == 0 ? TD_OK : TD_ERROR_NOT_FINITE;
}

td_status td_schur(int n, const double *A, double _Complex *T, double _Complex *Z)
{
    const size_t size = (size_t)n;
    const int capacity = 16 * n;
    int selected, info = 1;
    double _Complex *work = malloc((18 * size + 1) * sizeof *work);
    if (!work)
        return TD_ERROR_MEMORY;
    for (size_t i = 0; i < size * size; i++)
        T[i] = A[i];
    if (n > 0)
        zgees_("V", "N", NULL, &n, T, &n, &selected, work + 16 * size, Z, &n, work, &capacity,
               (double *)(work + 17 * size), NULL, &info, 1, 1);
    free(work);
    return n == 0 || info == 0 ? TD_OK : TD_ERROR_NOT_FINITE;
}
