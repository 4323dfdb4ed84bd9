/* SPDX-License-Identifier: MIT */
/*
 * Prints q = M y + b and M_u for people, without rows of the identity.
 */
#ifndef TOOL_CLOSURE_TEXT_H
#define TOOL_CLOSURE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "input/coordinates.h"
#include "input/session.h"

typedef struct closure {
    td_sparse M;
    const double *b;
    coordinates tree;               /* names of q */
    const coordinates *independent; /* names of y */
    char **column;                  /* names of w */
    const double *q;                /* at the y of the options; NULL where none is given */
    size_t rows, columns; /* what of M is not the identity: rows of joints that are sums */
    size_t *row, *which;  /* of others, and the columns that these are sums of */
} closure;

/* Fills in rows, columns, row and of; the arrays are the caller's to free. */
void closure_find_sums(closure *c);
/* Whether M's columns are y, and not also joints that loops are solved for. */
bool closure_is_linear(const closure *c);

/* Prints the size of M, its columns by name, and the rows that are no identity. */
void closure_print(const closure *c);
/* Prints the motors' rows of M, or of G at y. Prints nothing if they are the identity or too many.
 */
void closure_print_actuation(const session *s, const double *y);

/* Dense M, rows × columns, in a new array. */
double *dense_matrix(td_sparse m);

#endif
