/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as a table of numbers: CSV or a NumPy array, compressed or not. Whatever
 * the strict reader accepts, the lenient one accepts too. The table is written as CSV, with minimal
 * quoting and with all cells quoted, and as an array; each must read back unchanged. Numbers must
 * equal the results of the C library.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "fuzz.h"
#include "input/decimal.h"
#include "input/npy.h"
#include "input/number_table.h"
#include "output/csv_output.h"
#include "text.h"

enum { MOST_NUMBERS = 20000 };

/* Contents of a table: cells row by row, the heading first, and numbers. */
typedef struct contents {
    bool array, timed;
    bool cut; /* more than MOST_NUMBERS were read */
    size_t columns, rows;
    char **text; /* of CSV: (1 + rows) × columns; of an array: columns */
    size_t texts;
    double *number; /* rows × columns */
} contents;

static void keep_text(contents *c, const char *text)
{
    if ((c->texts & (c->texts - 1)) == 0)
        c->text = reallocate(c->text, 2 * c->texts + 1, sizeof *c->text);
    c->text[c->texts++] = text_format("%s", text);
}

static bool take_heading(void *context, const number_heading *h)
{
    contents *c = context;
    c->array = h->array;
    c->columns = h->columns;
    c->number = allocate(MOST_NUMBERS, sizeof *c->number);
    if (c->timed)
        number_use_time(h);
    c->cut = h->columns > MOST_NUMBERS;
    for (size_t i = 0; i < h->columns && !c->cut; i++) {
        keep_text(c, h->text[i]);
        if (!h->used[i])
            number_use(h, i, h->unit[i] != NULL ? h->unit[i]->domain : UNIT_NONE);
    }
    return !c->cut;
}

static bool take_row(void *context, const number_row *row)
{
    contents *c = context;
    if (row == NULL)
        return true;
    c->cut = c->cut || (c->rows + 1) * c->columns > MOST_NUMBERS;
    if (c->cut)
        return false;
    memcpy(c->number + c->rows++ * c->columns, row->value, c->columns * sizeof *row->value);
    for (size_t i = 0; row->fields != NULL && i < c->columns; i++)
        keep_text(c, row->fields->field[i]);
    return true;
}

static void drop(contents *c)
{
    for (size_t i = 0; i < c->texts; i++)
        free(c->text[i]);
    free(c->text);
    free(c->number);
}

static bool read_table(const char *path, contents *c, bool timed, bool lenient, bool complete)
{
    *c = (contents){.timed = timed};
    const number_form form = {.any_plain = true,
                              .lenient = lenient,
                              .complete = complete,
                              .heading = take_heading,
                              .row = take_row,
                              .context = c};
    return number_table_read(path, &form);
}

/* ---- comparisons ----------------------------------------------------------------------------- */

static void agree_in_numbers(const char *what, const contents *a, const contents *b)
{
    if (a->rows != b->rows || a->columns != b->columns)
        fuzz_fail("%s: %zu × %zu and %zu × %zu", what, a->rows, a->columns, b->rows, b->columns);
    for (size_t i = 0; i < a->rows * a->columns; i++) {
        const double x = a->number[i], y = b->number[i];
        if (isfinite(x) || isfinite(y) ? memcmp(&x, &y, sizeof x) != 0 : false)
            fuzz_fail("%s: number %zu is %.17g and %.17g", what, i, x, y);
    }
}

static void agree_in_texts(const char *what, const contents *a, const contents *b)
{
    if (a->texts != b->texts || a->columns != b->columns)
        fuzz_fail("%s: %zu cells, %zu in a row, and %zu, %zu", what, a->texts, a->columns, b->texts,
                  b->columns);
    for (size_t i = 0; i < a->texts; i++)
        if (strcmp(a->text[i], b->text[i]) != 0)
            fuzz_fail("%s: cell %zu is '%s' and '%s'", what, i, a->text[i], b->text[i]);
}

/* Checks that a numeric cell equals strtod's result, and does so again after writing. */
static void check_number(const char *text)
{
    double x, again;
    char *end, written[DECIMAL_SIZE];
    const bool plain = *text != '\0' && text[strspn(text, "0123456789+-.eE")] == '\0';
    const double expected = strtod(text, &end);
    const bool expects = plain && *end == '\0' && isfinite(expected);
    const bool good = parse_number(text, &x);
    if (good != expects || (good && memcmp(&x, &expected, sizeof x) != 0))
        fuzz_fail("'%s' is %s %.17g, %.17g of strtod", text, good ? "the number" : "no number",
                  good ? x : 0, expected);
    if (!good)
        return;
    decimal_write(x, written);
    const char *rest = decimal_read(written, &again);
    if (rest == NULL || *rest != '\0' || memcmp(&x, &again, sizeof x) != 0)
        fuzz_fail("%.17g is written as '%s'", x, written);
}

/* ---- the table, written and read ------------------------------------------------------------- */

static void write_quoted(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text != '\0'; text++)
        fputs((char[]){*text, *text == '"' ? '"' : '\0', '\0'}, file);
    fputc('"', file);
}

/* Writes the cells as CSV. all: quotes every cell. */
static void write_texts(const char *path, const contents *c, bool all)
{
    FILE *file = fopen(path, "w");
    if (file == NULL)
        fuzz_fail("%s cannot be written", path);
    csv_line line = {false, file};
    for (size_t i = 0; i < c->texts; i++) {
        const bool first = i % c->columns == 0;
        if (all) {
            fputs(first ? "" : ",", file);
            write_quoted(file, c->text[i]);
        } else
            csv_cell(&line, c->text[i]);
        if ((i + 1) % c->columns == 0)
            csv_end(&line);
    }
    fclose(file);
}

static void write_numbers(const char *path, const contents *c, char *const *name)
{
    FILE *file = fopen(path, "w");
    if (file == NULL)
        fuzz_fail("%s cannot be written", path);
    csv_line line = {false, file};
    for (size_t i = 0; i < c->columns; i++)
        csv_cell(&line, name[i]);
    csv_end(&line);
    for (size_t n = 0; n < c->rows; n++) {
        csv_numbers(&line, c->number + n * c->columns, c->columns);
        csv_end(&line);
    }
    fclose(file);
}

static void write_array(const char *path, const contents *c, char *const *name)
{
    npy_output out;
    const char **names = allocate(c->columns, sizeof *names);
    for (size_t i = 0; i < c->columns; i++)
        names[i] = name[i];
    if (!npy_create(&out, path, names, c->columns) ||
        !npy_write(&out, c->number, c->rows * c->columns) || !npy_finish(&out, true))
        fuzz_fail("%s cannot be written", path);
    free(names);
}

static bool is_utf8(const char *text)
{
    size_t length = 1;
    for (unsigned code; *text != '\0' && length > 0; text += length)
        length = character_read(text, &code);
    return length > 0;
}

static void check_written(const char *path, const char *array_path, const contents *c)
{
    contents again;
    for (int all = 0; all < 2 && !c->array; all++) {
        write_texts(path, c, all);
        if (!read_table(path, &again, false, true, false))
            fuzz_fail("cells that are %s quoted are refused", all ? "all" : "sometimes");
        agree_in_texts(all ? "all are quoted" : "some are quoted", c, &again);
        drop(&again);
    }
    char **name = allocate(c->columns, sizeof *name);
    for (size_t i = 0; i < c->columns; i++)
        name[i] = text_format("c%zu", i);
    write_numbers(path, c, name);
    if (!read_table(path, &again, false, false, false))
        fuzz_fail("numbers that were written are refused");
    agree_in_numbers("CSV", c, &again);
    drop(&again);
    write_array(array_path, c, name);
    if (!read_table(array_path, &again, false, false, false))
        fuzz_fail("an array that was written is refused");
    agree_in_numbers("array", c, &again);
    drop(&again);
    bool utf8 = true;
    for (size_t i = 0; i < c->columns; i++) {
        free(name[i]);
        utf8 = utf8 && is_utf8(c->text[i]);
    }
    free(name);
    if (utf8) {
        contents heading = *c;
        heading.rows = 0;
        heading.texts = c->columns;
        write_array(array_path, &heading, c->text);
        if (!read_table(array_path, &again, false, true, false))
            fuzz_fail("names of an array that was written are refused");
        agree_in_texts("names of an array", &heading, &again);
        drop(&again);
    }
    unlink(array_path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[FUZZ_PATH], array_path[FUZZ_PATH];
    const bool timed = fuzz_hash(data, size) & 1;
    fuzz_path(path, "table");
    fuzz_path(array_path, "array");
    fuzz_write(path, data, size);
    contents strict, c;
    fuzz_silence();
    const bool sound = read_table(path, &strict, timed, false, true);
    const bool good = read_table(path, &c, timed, true, false);
    if (sound && !good)
        fuzz_fail("a sound table is refused");
    if (sound)
        agree_in_numbers("lenient reading", &strict, &c);
    for (size_t i = 0; i < c.texts && !c.array; i++)
        check_number(c.text[i]);
    if (good)
        check_written(path, array_path, &c);
    fuzz_restore();
    unlink(path);
    drop(&strict);
    drop(&c);
    fuzz_count(good);
    return 0;
}
