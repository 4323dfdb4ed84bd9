/* SPDX-License-Identifier: MIT */
/*
 * Prints labelled text in lines; see paragraph.h.
 */
#include "output/paragraph.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/table.h"
#include "text.h"

enum { LABEL = 14, PAGE = 78, NARROWEST = LABEL + 10 };

void names_add(name_list *list, const char *name)
{
    list->name = reallocate(list->name, list->count + 1, sizeof *list->name);
    list->name[list->count++] = text_format("%s", name);
}

void names_clear(name_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->name[i]);
    }
    free(list->name);
    *list = (name_list){NULL, 0};
}

/* Prints "label " before a line. */
static void put_label(const char *label)
{
    put_heading(label);
    printf("%*s", (int)(strlen(label) < LABEL ? LABEL - strlen(label) : 1), "");
}

/* Returns the width of lines: the terminal's, or of_file if standard output is not a terminal. */
static size_t line_width(size_t of_file)
{
    size_t width = terminal_columns();
    return width == SIZE_MAX ? of_file : width < NARROWEST ? (size_t)NARROWEST : width;
}

static void break_line(size_t *used)
{
    printf("\n%*s", LABEL, "");
    *used = LABEL;
}

void put_paragraph(const char *label, const char *text)
{
    size_t width = line_width(SIZE_MAX);
    size_t used = LABEL;
    char *clean = text_clean(text);
    char *rest = clean;
    put_label(label);
    for (char *word = strsep(&rest, " "); word != NULL; word = strsep(&rest, " ")) {
        size_t length = text_width(word);
        if (used > LABEL && length >= width - (used < width ? used : width)) {
            break_line(&used);
        } else if (used > LABEL) {
            fputc(' ', stdout);
            used++;
        }
        fputs(word, stdout);
        used += length;
    }
    fputc('\n', stdout);
    free(clean);
}

void put_hanging(const char *label, const char *text, size_t indentation)
{
    const size_t width = line_width(SIZE_MAX);
    size_t used = text_width(label);
    char *clean = text_clean(text);
    char *rest = clean;
    fputs(label, stdout);
    size_t blanks = 0;
    for (char *word = strsep(&rest, " "); word != NULL; word = strsep(&rest, " ")) {
        const size_t length = text_width(word);
        blanks++; /* an empty word is another blank */
        if (length == 0) {
            continue;
        }
        if (used > indentation && used + blanks + length > width) {
            printf("\n%*s", (int)indentation, "");
            used = indentation;
            blanks = 0;
        }
        printf("%*s%s", (int)blanks, "", word);
        used += blanks + length;
        blanks = 0;
    }
    fputc('\n', stdout);
    free(clean);
}

void put_fact(const char *label, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    scoped char *text = text_format_list(format, arguments);
    va_end(arguments);
    put_paragraph(label, text);
}

/* Prints names on lines of the given width; the current line has used columns already. If all is
   false, prints only the rest of this line and the number of omitted names. */
static void put_names(const name_list *list, size_t used, size_t width, bool all)
{
    size_t i = 0;
    for (; i < list->count; i++) {
        bool last = i + 1 == list->count;
        size_t length = text_width(list->name[i]) + (last ? 1 : 2); /* a blank and a comma */
        size_t reserve = last || all ? 0 : sizeof " and 999 more";
        bool full = i > 0 && (width < used || length + reserve > width - used);
        if (full && !all) {
            break;
        }
        if (full) {
            fputc(',', stdout);
            break_line(&used);
        } else if (used > LABEL) {
            fputs(i > 0 ? ", " : " ", stdout);
        }
        put_clean(stdout, list->name[i]);
        used += length;
    }
    if (i < list->count) {
        printf(" and %zu more", list->count - i);
    }
    fputc('\n', stdout);
}

void names_print(name_list *list, const char *label)
{
    if (list->count > 0) {
        put_label(label);
        put_names(list, LABEL, line_width(SIZE_MAX), true);
    }
    names_clear(list);
}

void names_count(name_list *list, const char *label, const char *what, bool all)
{
    if (list->count > 0) {
        put_label(label);
        size_t used = LABEL + (size_t)printf("%s:", counted(list->count, what).text);
        put_names(list, used, line_width(PAGE), all);
    }
    names_clear(list);
}
