/* SPDX-License-Identifier: MIT */
/*
 * Prints tables of text with aligned columns. On a terminal, or if COLUMNS is set, long names are
 * shortened so that rows fit; different names stay different. Columns that still do not fit follow
 * below, after a copy of the first column. Files and pipes get complete rows.
 */
#ifndef TOOL_TABLE_H
#define TOOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct table {
    const char *alignment; /* 'l' or 'r' for each column */
    bool plain;            /* the first row is not a heading */
    size_t columns;
    size_t gap; /* blanks between columns; default: 2 */
    size_t cells;
    char **cell;
} table;

/* Returns an empty table. Its first row is the heading, unless .plain is set. */
table table_new(const char *alignment);
/* Adds the next cell, from left to right and row by row. */
void table_add(table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Returns the width of a row in columns of a terminal. */
size_t table_width(const table *t);
/* Prints the table to standard output with this indentation, and frees it. Omits columns that have
   only a heading. */
void table_print(table *t, size_t indentation);
/* Frees a table that is not printed. */
void table_free(table *t);

/* Prints a heading without a newline, in bold if standard output is a terminal. */
void put_heading(const char *text);

#endif
