/* SPDX-License-Identifier: MIT */
/*
 * Prints matrices as text; see matrix.h.
 */
#include "output/matrix.h"

#include <math.h>
#include <string.h>

#include "output/table.h"
#include "text.h"

enum { WIDEST = 12 }; /* largest number of columns of a complete matrix */

/* Returns an entry for display. Shows 0 if the entry is a rounding error relative to the largest
   entry or, in a symmetric matrix, to its diagonal entries. */
static number entry(const named_matrix *m, double largest, size_t i, size_t j)
{
    const size_t n = m->columns;
    double x = m->x[i * n + j];
    if (m->symmetric && fabs(x) < 1e-12 * sqrt(fabs(m->x[i * n + i] * m->x[j * n + j]))) {
        x = 0;
    }
    return number_of_scale(x, largest);
}

static table whole_matrix(const named_matrix *m, double largest)
{
    table t = table_new("lrrrrrrrrrrrr"); /* row names and WIDEST columns */
    t.columns = m->columns + 1;
    table_add(&t, "%s", "");
    for (size_t j = 0; j < m->columns; j++) {
        table_add(&t, "%s", m->column[j]);
    }
    for (size_t i = 0; i < m->rows; i++) {
        table_add(&t, "%s", m->row[i]);
        for (size_t j = 0; j < m->columns; j++) {
            table_add(&t, "%s", entry(m, largest, i, j).text);
        }
    }
    return t;
}

/* Returns the transposed matrix without zero rows. */
static table transposed_matrix(const named_matrix *m, double largest)
{
    table t = table_new("lrrrrrrrrrrrr");
    t.columns = m->rows + 1;
    table_add(&t, "joint");
    for (size_t i = 0; i < m->rows; i++) {
        table_add(&t, "%s", m->row[i]);
    }
    for (size_t j = 0; j < m->columns; j++) {
        bool zero = true;
        for (size_t i = 0; i < m->rows; i++) {
            zero = zero && m->x[i * m->columns + j] == 0;
        }
        if (!zero) {
            table_add(&t, "%s", m->column[j]);
            for (size_t i = 0; i < m->rows; i++) {
                table_add(&t, "%s", entry(m, largest, i, j).text);
            }
        }
    }
    return t;
}

/* Lists the diagonal and the nonzeros. For a symmetric matrix lists only the lower triangle. */
static table list_of_entries(const named_matrix *m, double largest)
{
    table t = table_new("llr");
    table_add(&t, "row");
    table_add(&t, "column");
    table_add(&t, "%s", m->title);
    for (size_t i = 0; i < m->rows; i++) {
        for (size_t j = 0; j < (m->symmetric ? i + 1 : m->columns); j++) {
            number x = entry(m, largest, i, j);
            if ((i == j && m->rows == m->columns) || strcmp(x.text, "0") != 0) {
                table_add(&t, "%s", m->row[i]);
                table_add(&t, "%s", m->column[j]);
                table_add(&t, "%s", x.text);
            }
        }
    }
    return t;
}

void matrix_print(const named_matrix *m)
{
    table t;
    const double largest = largest_of(m->x, m->rows * m->columns);
    bool whole = m->columns <= WIDEST;
    if (whole) {
        t = whole_matrix(m, largest);
        whole = table_width(&t) <= terminal_columns();
        if (!whole) {
            table_free(&t);
        }
    }
    if (!whole) {
        const bool flat = m->rows <= WIDEST && m->rows < m->columns;
        t = flat ? transposed_matrix(m, largest) : list_of_entries(m, largest);
    }
    table_print(&t, 0);
}
