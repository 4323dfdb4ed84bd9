/* SPDX-License-Identifier: MIT */
/*
 * For builds without OpenBLAS: singular vectors by Jacobi's method, eigenvalues and Schur forms
 * by QR iteration.
 */
#include "base/eigenvalues.h"
#include "base/jacobi.h"
#include "base/linalg.h"

bool td_right_vectors(int m, int n, double *A, double *values, double *Vt)
{
    td_jacobi_svd(m, n, A, values, Vt);
    /* transpose, so that each row has one vector */
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            double x = Vt[i * n + j];
            Vt[i * n + j] = Vt[j * n + i];
            Vt[j * n + i] = x;
        }
    return true;
}

td_status td_eigenvalues(int n, double *A, double *real, double *imaginary)
{
    return td_qr_eigenvalues((size_t)n, A, real, imaginary); /* Aᵀ has the same eigenvalues */
}

td_status td_schur(int n, const double *A, double _Complex *T, double _Complex *Z)
{
    return td_qr_schur((size_t)n, A, T, Z);
}
