/* SPDX-License-Identifier: MIT */
/*
 * Prints q = M y + b and M_u as text, without rows of the identity.
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
    const double *q;                /* at the y of the options; NULL if not given */
    size_t rows, columns; /* part of M without identity rows: rows of joints that are sums */
    size_t *row, *which;  /* indices of these rows, and of the columns in their sums */
} closure;

/* Sets rows, columns, row and which. The caller frees the arrays. */
void closure_find_sums(closure *c);
/* Returns whether the columns of M are y, without joints that iterated loops determine. */
bool closure_is_linear(const closure *c);

/* Prints the size of M, its columns by name, and its rows that are not identity rows. */
void closure_print(const closure *c);
/* Prints the motors' rows of M, or of G at y. Prints nothing if they are the identity or too many.
 */
void closure_print_actuation(const session *s, const double *y);

/* Returns a dense copy of m, rows × columns, in a new array. */
double *dense_matrix(td_sparse m);

#endif
