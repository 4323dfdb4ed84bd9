/* SPDX-License-Identifier: MIT */
/*
 * The matrix exponential by the Padé approximant of order 13 with scaling and squaring: N. J.
 * Higham, The scaling and squaring method for the matrix exponential revisited, SIAM J. Matrix
 * Anal. Appl. 26 (2005).
 */
#ifndef TD_EXPONENTIAL_H
#define TD_EXPONENTIAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/stack.h"

/* Scratch for n × n matrices, row-major. */
typedef struct td_exponential {
    size_t n;
    double *X;             /* the matrix, then its exponential */
    double *X2, *X4, *X6;  /* powers of the matrix */
    double *U, *V, *other; /* odd and even terms */
    double *column;        /* n */
    size_t *pivot;         /* n */
} td_exponential;

/* Allocates scratch for e->n. n may be decreased afterwards. */
void td_exponential_take(td_stack *stack, td_exponential *e);

/* Replaces X by its exponential. Returns false if the result is not finite. O(n³). */
bool td_exponentiate(td_exponential *e);

#endif
