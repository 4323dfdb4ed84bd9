/* SPDX-License-Identifier: MIT */
/*
 * Tables of text, see table.h.
 */
#include "table/table.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

enum { NARROWEST = 8 };

table table_new(const char *alignment)
{
    return (table){.alignment = alignment, .columns = strlen(alignment), .gap = 2};
}

void table_add(table *t, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    t->cell = reallocate(t->cell, t->cells + 1, sizeof *t->cell);
    t->cell[t->cells++] = text_clean(length < 0 ? "" : text);
    if (length >= 0) {
        free(text);
    }
}

/* Width of every column in a new array; 0 for one that has nothing but its heading. */
static size_t *measure(const table *t)
{
    size_t *width = allocate(t->columns, sizeof *width);
    for (size_t i = t->plain ? 0 : t->columns; i < t->cells; i++) {
        size_t w = text_width(t->cell[i]);
        size_t *of_column = &width[i % t->columns];
        *of_column = w > *of_column ? w : *of_column;
    }
    for (size_t j = 0; j < t->columns && !t->plain && t->cells > t->columns; j++) {
        size_t w = text_width(t->cell[j]);
        width[j] = width[j] > 0 && w > width[j] ? w : width[j];
    }
    return width;
}

/* Narrows the widest column of names until a row fits or all of them are narrow. */
static void fit(const table *t, size_t *width, size_t indentation, size_t available)
{
    while (available < SIZE_MAX) {
        size_t total = indentation;
        size_t widest = SIZE_MAX;
        for (size_t j = 0; j < t->columns; j++) {
            total += width[j] > 0 ? width[j] + t->gap : 0;
            if (t->alignment[j] == 'l' && (widest == SIZE_MAX || width[j] > width[widest])) {
                widest = j;
            }
        }
        if (total <= available + t->gap || widest == SIZE_MAX || width[widest] <= NARROWEST) {
            return;
        }
        width[widest]--;
    }
}

/* Writes that many code points of text. */
static const char *put_points(const char *text, size_t count)
{
    while (*text != '\0' && count > 0) {
        do {
            fputc(*text++, stdout);
        } while (((unsigned char)*text & 0xc0) == 0x80);
        count--;
    }
    return text;
}

static const char *skip_points(const char *text, size_t count)
{
    while (*text != '\0' && count > 0) {
        do {
            text++;
        } while (((unsigned char)*text & 0xc0) == 0x80);
        count--;
    }
    return text;
}

static void put_blanks(size_t count)
{
    while (count-- > 0) {
        fputc(' ', stdout);
    }
}

/* last: nothing follows in the row, so that no blanks are needed after it. */
static void put_cell(const char *text, size_t width, char alignment, bool last)
{
    size_t length = text_width(text);
    size_t blanks = length < width ? width - length : 0;
    if (alignment == 'r') {
        put_blanks(blanks);
    }
    if (length <= width) {
        fputs(text, stdout);
    } else {
        /* both ends of a name say more than its middle */
        size_t tail = (width - 1) / 2;
        put_points(text, width - 1 - tail);
        fputs("…", stdout);
        fputs(skip_points(text, length - tail), stdout);
    }
    if (alignment == 'l' && !last) {
        put_blanks(blanks);
    }
}

static void put_row(const table *t, size_t row, const size_t *width, size_t indentation)
{
    size_t used = t->columns;
    while (used > 1 && (width[used - 1] == 0 || t->cell[row * t->columns + used - 1][0] == '\0')) {
        used--;
    }
    put_blanks(indentation);
    for (size_t j = 0; j < used; j++) {
        if (width[j] > 0) {
            put_blanks(j > 0 ? t->gap : 0);
            put_cell(t->cell[row * t->columns + j], width[j], t->alignment[j], j + 1 == used);
        }
    }
    fputc('\n', stdout);
}

size_t table_width(const table *t)
{
    size_t *width = measure(t);
    size_t total = 0;
    for (size_t j = 0; j < t->columns; j++) {
        total += width[j] > 0 ? width[j] + (total > 0 ? t->gap : 0) : 0;
    }
    free(width);
    return total;
}

void table_print(table *t, size_t indentation)
{
    size_t rows = t->cells / t->columns;
    size_t *width = measure(t);
    fit(t, width, indentation, terminal_columns());
    bool colour = !t->plain && wants_colour(stdout);
    for (size_t i = 0; i < rows; i++) {
        fputs(colour && i == 0 ? "\033[1m" : "", stdout);
        put_row(t, i, width, indentation);
        fputs(colour && i == 0 ? "\033[0m" : "", stdout);
    }
    free(width);
    table_free(t);
}

void table_free(table *t)
{
    for (size_t i = 0; i < t->cells; i++) {
        free(t->cell[i]);
    }
    free(t->cell);
}

void put_heading(const char *text)
{
    bool colour = wants_colour(stdout);
    fputs(colour ? "\033[1m" : "", stdout);
    put_clean(stdout, text);
    fputs(colour ? "\033[0m" : "", stdout);
}
