/* SPDX-License-Identifier: MIT */
/*
 * CSV to standard output, see csv_output.h.
 */
#include "csv_output.h"

#include <csv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

void csv_cell(csv_line *line, const char *text)
{
    size_t length = strlen(text);
    bool plain = strcspn(text, ",\"\r\n") == length &&
                 (length == 0 || (text[0] != ' ' && text[length - 1] != ' '));
    fputs(line->begun ? "," : "", stdout);
    line->begun = true;
    if (plain) {
        fputs(text, stdout);
    } else {
        csv_fwrite(stdout, text, length);
    }
}

void csv_headings(csv_line *line, const char *prefix, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *name = text_format("%s:%s", prefix, names[i]);
        csv_cell(line, name);
        free(name);
    }
}

void csv_numbers(csv_line *line, const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        csv_cell(line, number_exact(x[i]).text);
    }
}

void csv_end(csv_line *line)
{
    fputc('\n', stdout);
    line->begun = false;
}
