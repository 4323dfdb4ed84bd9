/* SPDX-License-Identifier: MIT */
/*
 * The exponential of a matrix by Padé's approximant of order 13 with scaling and squaring: N. J.
 * Higham, The scaling and squaring method for the matrix exponential revisited, SIAM J. Matrix
 * Anal. Appl. 26 (2005).
 */
#ifndef TD_EXPONENTIAL_H
#define TD_EXPONENTIAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/stack.h"

/* n × n: room for it, by rows */
typedef struct td_exponential {
    size_t n;
    double *X;             /* the matrix, then its exponential */
    double *X2, *X4, *X6;  /* its powers */
    double *U, *V, *other; /* odd and even terms */
    double *column;        /* n */
    size_t *pivot;         /* n */
} td_exponential;

/* Takes room for e->n, which may become smaller afterwards. */
void td_exponential_take(td_stack *stack, td_exponential *e);

/* X becomes its exponential; false where that has a number that is not finite. O(n³). */
bool td_exponentiate(td_exponential *e);

#endif
