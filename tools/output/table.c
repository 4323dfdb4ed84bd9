/* SPDX-License-Identifier: MIT */
/*
 * Prints tables of text; see table.h.
 */
#include "output/table.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

enum { NARROWEST = 16 }; /* smallest width of names; columns that do not fit then go below */

table table_new(const char *alignment)
{
    return (table){.alignment = alignment, .columns = strlen(alignment), .gap = 2};
}

void table_add(table *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    scoped char *text = text_format_list(format, arguments);
    va_end(arguments);
    t->cell = reallocate(t->cell, t->cells + 1, sizeof *t->cell);
    t->cell[t->cells++] = text_clean(text);
}

/* Returns the widths of columns in a new array; 0 for a column with only a heading. */
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

/* Shortens a text that is longer than width to "begin…end", with its last tail code points, in a
   new string. */
static char *elide(const char *text, size_t width, size_t tail)
{
    const char *head_end = skip_points(text, width - 1 - tail);
    return text_format("%.*s…%s", (int)(head_end - text), text,
                       skip_points(text, text_width(text) - tail));
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Returns whether different texts of a column stay different when shortened to this width and tail.
   text: the texts of the column, sorted. */
static bool stays_different(char *const *text, size_t rows, size_t width, size_t tail)
{
    scoped char **cut = allocate(rows + 1, sizeof *cut);
    size_t count = 0;
    for (size_t i = 0; i < rows; i++) {
        if (i == 0 || strcmp(text[i], text[i - 1]) != 0) {
            cut[count++] = text_width(text[i]) > width ? elide(text[i], width, tail)
                                                       : text_format("%s", text[i]);
        }
    }
    qsort(cut, count, sizeof *cut, compare_texts);
    bool different = true;
    for (size_t i = 0; i < count; i++) {
        different = different && (i == 0 || strcmp(cut[i], cut[i - 1]) != 0);
    }
    for (size_t i = 0; i < count; i++) {
        free(cut[i]);
    }
    return different;
}

/* Returns how many code points at the end of a column's texts to keep when they are shortened.
   Prefers half of the width, since the ends of a name matter more than its middle. Tries other
   lengths, then larger widths, until different texts stay different. */
static size_t choose_tail(const table *t, size_t column, size_t *width)
{
    const size_t rows = t->cells / t->columns, first = t->plain ? 0 : 1;
    scoped char **text = allocate(rows + 1, sizeof *text);
    size_t count = 0, longest = 0, tail = 0;
    for (size_t i = first; i < rows; i++) {
        text[count] = t->cell[i * t->columns + column];
        longest = text_width(text[count]) > longest ? text_width(text[count]) : longest;
        count++;
    }
    qsort(text, count, sizeof *text, compare_texts);
    for (bool found = longest <= *width; !found; *width += !found) {
        const size_t room = *width - 1;
        for (size_t k = 0; k <= room && !found; k++) { /* room / 2, one less, one more, … */
            const size_t off = (k + 1) / 2;
            const bool less = k % 2 == 1;
            if (less ? off > room / 2 : room / 2 + off > room) {
                continue;
            }
            tail = less ? room / 2 - off : room / 2 + off;
            found = stays_different(text, count, *width, tail);
        }
        found = found || *width >= longest;
    }
    return tail;
}

static void put_blanks(size_t count)
{
    while (count-- > 0) {
        fputc(' ', stdout);
    }
}

/* Prints a cell. last: it is the last of its row, so no blanks follow. */
static void put_cell(const char *text, size_t width, size_t tail, char alignment, bool last)
{
    size_t length = text_width(text);
    size_t blanks = length < width ? width - length : 0;
    if (alignment == 'r') {
        put_blanks(blanks);
    }
    if (length <= width) {
        fputs(text, stdout);
    } else {
        scoped char *cut = elide(text, width, tail < width ? tail : width - 1);
        fputs(cut, stdout);
    }
    if (alignment == 'l' && !last) {
        put_blanks(blanks);
    }
}

/* Prints a row: the first column, and columns from to to − 1. */
static void put_row(const table *t, size_t row, const size_t *width, const size_t *tail,
                    size_t indentation, size_t from, size_t to)
{
    size_t used = to;
    while (used > from && used > 1 &&
           (width[used - 1] == 0 || t->cell[row * t->columns + used - 1][0] == '\0')) {
        used--;
    }
    used = used == from && from > 1 ? 1 : used;
    put_blanks(indentation);
    for (size_t j = 0; j < used; j = j == 0 && from > 1 ? from : j + 1) {
        if (width[j] > 0) {
            put_blanks(j > 0 ? t->gap : 0);
            put_cell(t->cell[row * t->columns + j], width[j], tail[j], t->alignment[j],
                     j + 1 == used);
        }
    }
    fputc('\n', stdout);
}

/* Returns the end of the columns that, beginning with from, fit beside the first column. */
static size_t end_of_block(const table *t, const size_t *width, size_t indentation, size_t from)
{
    const size_t available = terminal_columns();
    size_t total = indentation + width[0];
    size_t to = from;
    while (to < t->columns && (to == from || available == SIZE_MAX ||
                               total + (width[to] > 0 ? t->gap + width[to] : 0) <= available)) {
        total += width[to] > 0 ? t->gap + width[to] : 0;
        to++;
    }
    return to;
}

size_t table_width(const table *t)
{
    scoped size_t *width = measure(t);
    size_t total = 0;
    for (size_t j = 0; j < t->columns; j++) {
        total += width[j] > 0 ? width[j] + (total > 0 ? t->gap : 0) : 0;
    }
    return total;
}

void table_print(table *t, size_t indentation)
{
    size_t rows = t->cells / t->columns;
    size_t *width = measure(t);
    fit(t, width, indentation, terminal_columns());
    scoped size_t *tail = allocate(t->columns, sizeof *tail);
    for (size_t j = 0; j < t->columns; j++) {
        tail[j] = width[j] > 0 ? choose_tail(t, j, &width[j]) : 0;
    }
    bool colour = !t->plain && wants_colour(stdout);
    for (size_t from = 1, to; from == 1 || from < t->columns; from = to) {
        to = end_of_block(t, width, indentation, from);
        fputs(from > 1 ? "\n" : "", stdout);
        for (size_t i = 0; i < rows; i++) {
            fputs(colour && i == 0 ? "\033[1m" : "", stdout);
            put_row(t, i, width, tail, indentation, from, to);
            fputs(colour && i == 0 ? "\033[0m" : "", stdout);
        }
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
