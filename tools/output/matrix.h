/* SPDX-License-Identifier: MIT */
/*
 * Prints matrices as text: complete if they fit on a page, otherwise transposed if they have few
 * rows, otherwise as a list of nonzeros.
 */
#ifndef TOOL_MATRIX_H
#define TOOL_MATRIX_H

#include <stdbool.h>
#include <stddef.h>

typedef struct named_matrix {
    const char *title;                      /* heading of the entries in a list */
    const char *const *row, *const *column; /* names of rows and columns */
    size_t rows, columns;
    const double *x; /* row-major */
    bool symmetric;  /* lists contain each pair once; rounding errors are relative to the diagonal,
                        too */
} named_matrix;

void matrix_print(const named_matrix *m);

#endif
