/* SPDX-License-Identifier: MIT */
/*
 * Tables of text with aligned columns. On a terminal, or where COLUMNS says so, names are cut so
 * that a row fits, different ones so that they stay different, and what does not fit then comes
 * below, with the first column once more; in a file and in a pipe nothing is.
 */
#ifndef TOOL_TABLE_H
#define TOOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct table {
    const char *alignment; /* 'l' or 'r' for each column */
    bool plain;            /* the first row is no heading */
    size_t columns;
    size_t gap; /* blanks between columns, 2 */
    size_t cells;
    char **cell;
} table;

/* The first row is the heading, unless .plain is set. */
table table_new(const char *alignment);
/* The next cell, from left to right and row by row. */
void table_add(table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Columns of a terminal that a row takes. */
size_t table_width(const table *t);
/* Prints to standard output with that indentation, and frees the table. A column that has nothing
   but its heading is left out. */
void table_print(table *t, size_t indentation);
/* For a table that is not printed. */
void table_free(table *t);

/* A heading in bold where standard output is a terminal, with no newline after it. */
void put_heading(const char *text);

#endif
