/* SPDX-License-Identifier: MIT */
/*
 * Prints the page of --help; see help_page.h.
 */
#include "output/help_page.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "input/option_rows.h"
#include "output/progress.h"
#include "text.h"
#include "version.h"

enum { USUAL = 80, LEAST = 40, NARROW = 60 };

static size_t page_width(void)
{
    const size_t columns = terminal_columns();
    return (columns == SIZE_MAX ? (size_t)USUAL : columns < LEAST ? (size_t)LEAST : columns) - 1;
}

static void put_blanks(size_t count)
{
    printf("%*s", (int)count, "");
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Prints a line of text, broken between words. continued: the line is a command, and broken lines
   end with \. */
static void put_line(const char *line, size_t length, size_t used, size_t indentation,
                     bool continued)
{
    const size_t width = page_width() - (continued ? 2 : 0);
    bool first = true;
    while (length > 0) {
        const size_t bytes = strcspn(line, " \n") < length ? strcspn(line, " \n") : length;
        scoped char *word = text_format("%.*s", (int)bytes, line);
        if (bytes > 0 && !first && used + 1 + text_width(word) > width) {
            fputs(continued ? " \\\n" : "\n", stdout);
            put_blanks(indentation);
            used = indentation;
            first = true;
        }
        if (bytes > 0) {
            printf("%s%s", first ? "" : " ", word);
            used += text_width(word) + !first;
            first = false;
        }
        line += bytes + (bytes < length);
        length -= bytes + (bytes < length);
    }
    putchar('\n');
}

void help_text(const char *text, size_t used, size_t indentation)
{
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n"), blanks = strspn(text, " ");
        put_blanks(blanks);
        put_line(text + blanks, length - blanks, used + blanks,
                 blanks > 0 ? blanks + 4 : indentation, blanks > 0);
        text += length + (text[length] == '\n');
        used = indentation;
    }
}

/* ---- options --------------------------------------------------------------------------------- */

/* "  -o, --output=FILE", in a new string */
static char *option_names(const command_option *o)
{
    if (o->read == NULL) {
        return text_format("  %s", o->name);
    }
    const bool optional = o->optional;
    scoped char *letter = o->letter != 0
                              ? text_format("-%c%s", o->letter, o->name != NULL ? ", " : "")
                              : text_format("    ");
    char *names =
        text_format("  %s%s%s%s%s%s%s", letter, o->name != NULL ? "--" : "",
                    o->name != NULL ? o->name : "", optional ? "[" : "", o->arg != NULL ? "=" : "",
                    o->arg != NULL ? o->arg : "", optional ? "]" : "");
    return names;
}

static void put_option(const command_option *o)
{
    const bool narrow = page_width() < NARROW;
    const size_t column = narrow ? 8 : 24;
    scoped char *names = option_names(o);
    const size_t width = text_width(names);
    fputs(names, stdout);
    if (o->help == NULL) {
        putchar('\n');
    } else {
        if (narrow || width + 2 > column) {
            putchar('\n');
            put_blanks(column);
        } else {
            put_blanks(column - width);
        }
        help_text(o->help, column, column);
    }
}

static void put_options(const option_set *set)
{
    option_rows r = option_rows_of(set, false);
    for (size_t i = 0; i < r.count; i++) {
        const option_row *at = &r.at[i];
        if (at->parted) {
            putchar('\n');
        }
        if (at->header != NULL) {
            help_text(at->header, 0, 2);
        } else {
            put_option(at->option);
        }
    }
    option_rows_free(&r);
}

/* ---- the page -------------------------------------------------------------------------------- */

/* options: what stands for them in the usage. */
static void put_usage(const option_set *set, const char *name, const char *options)
{
    const char *form = set->usage;
    const char *label = "Usage:";
    do {
        const size_t length = strcspn(form, "\n");
        scoped char *text = text_format("%s %s %s %.*s", label, name, options, (int)length, form);
        help_text(text, 0, 8);
        form += length + (form[length] == '\n');
        label = "   or:";
    } while (*form != '\0');
}

void help_page(const option_set *set, const char *name)
{
    const char *doc = set->about;
    const char *more = strchr(doc, '\v');
    scoped char *before =
        text_format("%.*s", more != NULL ? (int)(more - doc) : (int)strlen(doc), doc);
    put_usage(set, name, "[OPTION...]");
    help_text(before, 0, 0);
    put_options(set);
    if (more != NULL && more[1] != '\0') {
        putchar('\n');
        help_text(more + 1, 0, 0);
    }
}

/* ---- the help options ------------------------------------------------------------------------ */

static void read_help(const command_option *o, char *text, command_line *line)
{
    (void)o;
    (void)text;
    help_page(line->set, line->name);
    exit(EXIT_GOOD);
}

static void read_usage(const command_option *o, char *text, command_line *line)
{
    option_rows r = option_rows_of(line->set, false);
    char *all = text_format("%s", "");
    (void)o;
    (void)text;
    for (size_t i = 0; i < r.count; i++) {
        const command_option *shown = r.at[i].option;
        if (shown != NULL && shown->read != NULL) {
            scoped char *names = option_names(shown);
            char *longer =
                text_format("%s%s[%s]", all, i > 0 ? " " : "", names + strspn(names, " "));
            free(all);
            all = longer;
        }
    }
    put_usage(line->set, line->name, all);
    free(all);
    option_rows_free(&r);
    exit(EXIT_GOOD);
}

static void read_verbose(const command_option *o, char *text, command_line *line)
{
    (void)o;
    (void)text;
    (void)line;
    verbose_on();
}

static void read_quiet(const command_option *o, char *text, command_line *line)
{
    (void)o;
    (void)text;
    (void)line;
    notes_silence();
    progress_silence();
}

void option_version(const command_option *o, char *text, command_line *line)
{
    (void)o;
    (void)text;
    (void)line;
    put_version(stdout);
    exit(EXIT_GOOD);
}

static const command_option command_rows[] = {
    {"verbose", NULL, "Print notes, and all warnings", read_verbose, .letter = 'v', .group = -1},
    {"quiet", NULL, "Print only errors on standard error", read_quiet, .group = -1},
    {"help", NULL, "Print this page (also -?); --usage, --version", read_help, .letter = 'h',
     .group = -1},
    {.read = read_help, .letter = '?', .hidden = true, .group = -1},
    {"usage", .read = read_usage, .hidden = true, .group = -1},
    {"version", .read = option_version, .letter = 'V', .hidden = true, .group = -1},
    {0},
};

const option_set common_set = {.rows = command_rows};
