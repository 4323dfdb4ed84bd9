/* SPDX-License-Identifier: MIT */
/*
 * Eigenvalues of a matrix that is not symmetric, and the units that make it better for that.
 */
#ifndef TD_EIGENVALUES_H
#define TD_EIGENVALUES_H

#include <stddef.h>

#include "tandem/status.h"

/* A (n × n, row-major) ← D⁻¹ A D with units D, powers of two, in which rows and columns have about
   the same lengths (Parlett and Reinsch, 1969), but those of least and less; unit (n) receives D's
   diagonal. */
void td_balance(size_t n, double *A, double least, double *unit);

/* The n eigenvalues of A (n × n, finite, used up), pairs of conjugates next to each other, by QR
   iteration in complex numbers: O(n³). TD_ERROR_MEMORY, or TD_ERROR_NOT_FINITE where it does not
   converge. */
td_status td_qr_eigenvalues(size_t n, double *A, double *real, double *imaginary);

/* The complex Schur form, as td_schur (linalg.h): O(n³). */
td_status td_qr_schur(size_t n, const double *A, double _Complex *T, double _Complex *Z);

#endif
