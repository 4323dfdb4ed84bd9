/* SPDX-License-Identifier: MIT */
/*
 * Matrices for people: whole where they fit on a page, else transposed if they have few rows, else
 * the entries that are not zero.
 */
#ifndef TOOL_MATRIX_H
#define TOOL_MATRIX_H

#include <stdbool.h>
#include <stddef.h>

typedef struct named_matrix {
    const char *title;                      /* what heads the entries where they are a list */
    const char *const *row, *const *column; /* their names */
    size_t rows, columns;
    const double *x; /* row-major */
    bool symmetric;  /* a list has each pair once, and rounding is small beside the diagonal too */
} named_matrix;

void matrix_print(const named_matrix *m);

#endif
