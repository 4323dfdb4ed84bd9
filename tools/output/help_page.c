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

#include "input/option_rows.h"
#include "output/progress.h"
#include "text.h"

enum { USUAL = 80, LEAST = 40, NARROW = 60, KEY_USAGE = 0x800, KEY_QUIET };

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
        char *word = text_format("%.*s", (int)bytes, line);
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
        free(word);
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

/* Returns " -o, --output=FILE" in a new string. */
static char *option_names(const struct argp_option *o)
{
    if (o->flags & OPTION_DOC) {
        return text_format("  %s", o->name);
    }
    const bool optional = o->flags & OPTION_ARG_OPTIONAL;
    char *letter = option_has_letter(o) ? text_format("-%c%s", o->key, o->name != NULL ? ", " : "")
                                        : text_format("    ");
    char *names =
        text_format("  %s%s%s%s%s%s%s", letter, o->name != NULL ? "--" : "",
                    o->name != NULL ? o->name : "", optional ? "[" : "", o->arg != NULL ? "=" : "",
                    o->arg != NULL ? o->arg : "", optional ? "]" : "");
    free(letter);
    return names;
}

static void put_option(const struct argp_option *o)
{
    const bool narrow = page_width() < NARROW;
    const size_t column = narrow ? 8 : 24;
    char *names = option_names(o);
    const size_t width = text_width(names);
    fputs(names, stdout);
    if (o->doc == NULL) {
        putchar('\n');
    } else {
        if (narrow || width + 2 > column) {
            putchar('\n');
            put_blanks(column);
        } else {
            put_blanks(column - width);
        }
        help_text(o->doc, column, column);
    }
    free(names);
}

static void put_options(const struct argp *argp)
{
    option_rows r = option_rows_of(argp, false);
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

static void put_usage(const struct argp *argp, const char *name)
{
    const char *form = argp->args_doc != NULL ? argp->args_doc : "";
    const char *label = "Usage:";
    do {
        const size_t length = strcspn(form, "\n");
        char *text = text_format("%s %s [OPTION...] %.*s", label, name, (int)length, form);
        help_text(text, 0, 8);
        free(text);
        form += length + (form[length] == '\n');
        label = "   or:";
    } while (*form != '\0');
}

void help_page(const struct argp *argp, const char *name)
{
    const char *doc = argp->doc != NULL ? argp->doc : "";
    const char *more = strchr(doc, '\v');
    char *before = text_format("%.*s", more != NULL ? (int)(more - doc) : (int)strlen(doc), doc);
    put_usage(argp, name);
    help_text(before, 0, 0);
    put_options(argp);
    if (more != NULL && more[1] != '\0') {
        putchar('\n');
        help_text(more + 1, 0, 0);
    }
    free(before);
}

/* ---- the help options ------------------------------------------------------------------------ */

static error_t parse(int key, char *arg, struct argp_state *state)
{
    switch (key) {
    case 'h':
    case '?':
        help_page(state->root_argp, state->name);
        exit(0);
    case KEY_USAGE:
        argp_state_help(state, stdout, ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK);
        break;
    case 'v':
        verbose_on();
        break;
    case KEY_QUIET:
        notes_silence();
        progress_silence();
        break;
    case 'V':
        argp_program_version_hook(stdout, state);
        exit(0);
    case ARGP_KEY_ARG: /* all other parsers refused this argument */
        fprintf(stderr, "%s: unexpected argument: '", state->name);
        put_clean(stderr, arg);
        fputs("'\n", stderr);
        exit(argp_err_exit_status);
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_option options[] = {
    {"verbose", 'v', NULL, 0, "Print notes, and all warnings", -1},
    {"quiet", KEY_QUIET, NULL, 0, "Print only errors on standard error", -1},
    {"help", 'h', NULL, 0, "Print this page (also -?); --usage, --version", -1},
    {NULL, '?', NULL, OPTION_HIDDEN, NULL, -1},
    {"usage", KEY_USAGE, NULL, OPTION_HIDDEN, NULL, -1},
    {"version", 'V', NULL, OPTION_HIDDEN, NULL, -1},
    {0},
};

const struct argp help_option_argp = {options, parse, NULL, NULL, NULL, NULL, NULL};
