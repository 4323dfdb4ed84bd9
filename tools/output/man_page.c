/* SPDX-License-Identifier: MIT */
/*
 * Prints manual pages; see man_page.h. Uses macros of man(7) that both groff and mandoc support.
 */
#include "output/man_page.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "input/leading.h"
#include "input/option_rows.h"
#include "options.h"
#include "tandem/tandem.h"
#include "text.h"

/* ---- text ------------------------------------------------------------------------------------ */

/* Returns whether a hyphen belongs to a literal word: an option, a file name or quoted text. */
static bool is_typed(const char *text, const char *hyphen)
{
    while (hyphen > text && !isspace((unsigned char)hyphen[-1])) {
        hyphen--;
    }
    return strchr("-'\"(", *hyphen) != NULL;
}

/* Prints a text. typed: the text is code, with ASCII hyphens and straight quotes. */
static void put_text(const char *text, size_t length, bool typed)
{
    static const struct {
        char c;
        const char *name;
    } names[] = {{'\\', "\\e"}, {'\'', "\\(aq"}, {'^', "\\(ha"}, {'~', "\\(ti"}, {'`', "\\(ga"}};
    if (length > 0 && *text == '.') {
        fputs("\\&", stdout);
    }
    for (size_t i = 0; i < length;) {
        const unsigned char c = (unsigned char)text[i];
        if (c == '.' && i > 0 && text[i - 1] == '\n') {
            fputs("\\&", stdout);
        }
        const char *name = NULL;
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            name = c == (unsigned char)names[k].c ? names[k].name : name;
        }
        if (c == '-') {
            const bool inside = i > 0 && isalpha((unsigned char)text[i - 1]) && i + 1 < length &&
                                isalpha((unsigned char)text[i + 1]);
            name = typed || !inside || is_typed(text, text + i) ? "\\-" : "-";
        }
        unsigned code = c;
        const size_t bytes = c < 0x80 ? 1 : character_read(text + i, &code);
        if (name != NULL) {
            fputs(name, stdout);
        } else if (c < 0x80 || bytes == 0) {
            putchar(c);
        } else {
            printf("%.*s", (int)bytes, text + i);
        }
        i += bytes > 0 ? bytes : 1;
    }
}

/* Prints paragraphs. Lines that begin with blanks are commands and stay unchanged. headings:
   "Example:" and "Examples:" become headings. */
static void put_paragraphs(const char *text, bool headings)
{
    bool code = false;
    const char *parting = ""; /* the macro to print before the next paragraph */
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n"), blanks = strspn(text, " ");
        const bool indented = blanks > 0 && blanks < length;
        if (code && !indented) {
            puts(".EE");
        }
        if (headings && strncmp(text, "Example", 7) == 0 && text[length - 1] == ':') {
            puts(".SH EXAMPLES");
            parting = "";
        } else if (length > 0) {
            fputs(parting, stdout);
            fputs(indented && !code ? ".EX\n" : "", stdout);
            put_text(text + blanks, length - blanks, indented);
            putchar('\n');
            parting = "";
        } else {
            parting = ".PP\n";
        }
        code = indented;
        text += length + (text[length] == '\n');
    }
    if (code) {
        puts(".EE");
    }
}

static void put_code(const char *font, const char *text)
{
    printf("\\f%s", font);
    put_text(text, strlen(text), true);
    fputs("\\fR", stdout);
}

/* ---- options --------------------------------------------------------------------------------- */

static void put_option(const command_option *o)
{
    const bool optional = o->optional;
    puts(".TP");
    if (o->read == NULL) {
        put_code("B", o->name);
    } else {
        const bool same = option_is_letter(o); /* -q is never written as --q */
        if (o->letter != 0) {
            const char letter[] = {'-', o->letter, '\0'};
            put_code("B", letter);
            fputs(o->name != NULL && !same ? ", " : "", stdout);
        }
        if (o->name != NULL && !same) {
            scoped char *name = text_format("--%s", o->name);
            put_code("B", name);
        }
        fputs(same && o->arg != NULL ? " " : "", stdout);
        if (o->arg != NULL) {
            fputs(optional ? "[=" : same ? "" : "=", stdout);
            put_code("I", o->arg);
            fputs(optional ? "]" : "", stdout);
        }
    }
    putchar('\n');
    if (o->help != NULL) {
        put_text(o->help, strlen(o->help), false);
        putchar('\n');
    }
}

static void put_header(const char *header)
{
    const size_t length = strlen(header);
    fputs(".SS ", stdout);
    put_text(header, length - (length > 0 && header[length - 1] == ':'), false);
    putchar('\n');
}

/* The options of the command that a shared page describes, under its title. */
static void put_shared(const option_set *set, size_t page)
{
    option_rows r = option_rows_of(set, true);
    bool any = false;
    for (size_t i = 0; i < r.count; i++) {
        if (r.at[i].hidden && r.at[i].page == shared_pages[page].set) {
            if (!any) {
                put_header(shared_pages[page].title);
            }
            put_option(r.at[i].option);
            any = true;
        }
    }
    option_rows_free(&r);
}

static void put_options(const option_set *set)
{
    option_rows r = option_rows_of(set, false);
    if (r.count > 0) {
        puts(".SH OPTIONS");
    }
    for (size_t i = 0; i < r.count; i++) {
        if (r.at[i].header != NULL) {
            put_header(r.at[i].header);
        } else if (r.at[i].option->read != NULL) {
            put_option(r.at[i].option);
        }
    }
    option_rows_free(&r);
    for (size_t page = 0; page < SHARED_PAGES; page++) {
        put_shared(set, page);
    }
}

/* ---- the page -------------------------------------------------------------------------------- */

static void put_title(const man_page *page)
{
    const char *told = getenv("SOURCE_DATE_EPOCH");
    const time_t seconds = told != NULL ? (time_t)strtoll(told, NULL, 10) : 0;
    struct tm day;
    char date[16] = "";
    if (told != NULL && gmtime_r(&seconds, &day) != NULL) {
        strftime(date, sizeof date, "%Y-%m-%d", &day);
    }
    fputs(".TH TANDEM", stdout);
    for (const char *c = page->name; c != NULL && *c != '\0'; c++) {
        printf("%s%c", c == page->name ? "\\-" : "", toupper((unsigned char)*c));
    }
    printf(" %s %s \"tandem %s\" \"tandem\"\n", page->section, date, td_version());
    puts(".SH NAME");
    printf("tandem%s%s \\- ", page->name != NULL ? "\\-" : "",
           page->name != NULL ? page->name : "");
    put_text(page->summary, strlen(page->summary), false);
    putchar('\n');
}

static void put_synopsis(const man_page *page)
{
    const bool command = strcmp(page->section, "1") == 0;
    const char *form = page->set->usage;
    bool first = true;
    puts(".SH SYNOPSIS");
    do {
        const size_t length = strcspn(form, "\n");
        fputs(first ? "" : ".br\n", stdout);
        printf("\\fBtandem%s%s\\fR ", page->name != NULL ? " " : "",
               page->name == NULL ? ""
               : command          ? page->name
                                  : "\\fICOMMAND\\fB");
        fputs("[\\fIOPTION\\fR]...", stdout);
        fputs(length > 0 ? " " : "", stdout);
        put_text(form, length, true);
        putchar('\n');
        form += length + (form[length] == '\n');
        first = false;
    } while (*form != '\0');
}

/* Prints references to shared pages, which rows of this page name as in 'tandem help state'. */
static void put_see_also(const man_page *page)
{
    option_rows r = option_rows_of(page->set, false);
    puts(".SH \"SEE ALSO\"");
    if (page->name == NULL) {
        fputs(".BR tandem\\-help (1)", stdout);
    } else {
        fputs(".BR tandem (1)", stdout);
    }
    for (size_t s = 0; s < SHARED_PAGES; s++) {
        scoped char *words = text_format("'tandem help %s'", shared_pages[s].name);
        bool named = page->name == NULL;
        for (size_t i = 0; i < r.count; i++) {
            const command_option *o = r.at[i].option;
            named = named || (o != NULL && o->help != NULL && strstr(o->help, words) != NULL);
        }
        if (named) {
            printf(",\n.BR tandem\\-%s (7)", shared_pages[s].name);
        }
    }
    putchar('\n');
    option_rows_free(&r);
}

void man_page_print(const man_page *page)
{
    const char *doc = page->set->about;
    const char *more = strchr(doc, '\v');
    scoped char *before =
        text_format("%.*s", more != NULL ? (int)(more - doc) : (int)strlen(doc), doc);
    const char *behind = page->text != NULL ? page->text : more != NULL ? more + 1 : "";
    put_title(page);
    put_synopsis(page);
    if (*before != '\0') {
        puts(".SH DESCRIPTION");
        put_paragraphs(before, false);
    }
    put_options(page->set);
    for (size_t i = 0; i < page->command_count; i++) {
        printf("%s.TP\n.BR tandem\\-%s (1)\n", i == 0 ? ".SH COMMANDS\n" : "",
               page->commands[i].name);
        put_text(page->commands[i].summary, strlen(page->commands[i].summary), false);
        putchar('\n');
    }
    if (*behind != '\0') {
        const bool examples = strncmp(behind, "Example", 7) == 0;
        fputs(examples ? "" : ".SH NOTES\n", stdout);
        put_paragraphs(behind, true);
    }
    put_see_also(page);
}
