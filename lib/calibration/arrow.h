/* SPDX-License-Identifier: MIT */
/*
 * Linear least squares with unknowns p that all blocks of equations share, and unknowns y of one
 * block each. The normal matrix of such a problem has the form of an arrow. Householder
 * reflections eliminate the y of each block; what remains is a triangular system in p. This costs
 * O(blocks) and never forms a normal matrix.
 *
 * A shared system is an upper triangular matrix R of (shared + 1) × (shared + 1) numbers,
 * row-major: its last column is the right-hand side. It starts with zeros.
 */
#ifndef TD_CALIBRATION_ARROW_H
#define TD_CALIBRATION_ARROW_H

#include <stddef.h>

/* Eliminates the unknowns of one block by Householder reflections.

     rows    number of equations
     own     number of unknowns of the block, at most rows
     shared  number of shared unknowns
     A       rows × (own + shared + 1), row-major, overwritten: the columns of y, the columns of p,
             and the right-hand side. The first own rows become the triangular system of y; all
             other rows have zeros in the columns of y

   Cost: O(rows · own · (own + shared)). */
void td_arrow_eliminate(size_t rows, size_t own, size_t shared, double *A);

/* Adds an equation in p to a shared system by Givens rotations. row: shared + 1 numbers,
   overwritten. Cost: O(shared²). */
void td_arrow_add(size_t shared, double *R, double *row);

/* Solves the triangular system R x = b − C p. The first n rows of the array have the columns of R
   (n), C (shared) and b. p may be NULL if shared is 0. An unknown whose pivot is zero becomes
   zero. */
void td_arrow_solve(size_t n, size_t shared, const double *R, const double *p, double *x);

#endif
