/* SPDX-License-Identifier: MIT */
/*
 * Eigenvalues of nonsymmetric matrices, and balancing.
 */
#ifndef TD_EIGENVALUES_H
#define TD_EIGENVALUES_H

#include <stddef.h>

#include "tandem/status.h"

/* Balances A (n × n, row-major): A ← D⁻¹ A D. D has powers of two that make rows and columns
   about equally long (Parlett and Reinsch, 1969). Rows and columns of length `least` and less
   are left alone. Writes the diagonal of D into unit (n). */
void td_balance(size_t n, double *A, double least, double *unit);

/* Computes the n eigenvalues of A (n × n, finite, overwritten) by complex QR iteration,
   conjugate pairs next to each other. O(n³). Returns TD_ERROR_MEMORY, or TD_ERROR_NOT_FINITE if
   the iteration does not converge. */
td_status td_qr_eigenvalues(size_t n, double *A, double *real, double *imaginary);

/* Computes the complex Schur form like td_schur (linalg.h). O(n³). */
td_status td_qr_schur(size_t n, const double *A, double _Complex *T, double _Complex *Z);

/* Rotates `count` pairs of numbers, which are `stride` apart: x ← c x + s y, y ← c̄ y − s̄ x. */
void td_rotate_complex(size_t count, double _Complex *x, double _Complex *y, size_t stride,
                       double _Complex c, double _Complex s);

#endif
