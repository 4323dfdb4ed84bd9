/* SPDX-License-Identifier: MIT */
/*
 * Reads a command line by the declarations of its options, see option.h.
 */
#include "option.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "input/leading.h"
#include "input/option_rows.h"
#include "options.h"
#include "text.h"

void option_error(const command_line *line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    scoped char *text = text_format_list(format, arguments);
    va_end(arguments);
    fprintf(stderr, "%s: ", line->name);
    put_clean(stderr, text);
    putc('\n', stderr);
    exit(EXIT_USAGE);
}

void check_options(const option_set *set, const char *name, int count, char **words)
{
    const command_line line = {.name = name};
    char *fault = option_fault(set, name, count, words);
    if (fault != NULL) {
        option_error(&line, "%s", fault);
    }
}

/* ---- options --------------------------------------------------------------------------------- */

static bool is_named(const command_option *o, const char *name, size_t length)
{
    return o->name != NULL && strlen(o->name) == length && strncmp(o->name, name, length) == 0;
}

bool option_given(const command_line *line, const char *names)
{
    bool found = false;
    while (*names != '\0' && !found) {
        const size_t length = strcspn(names, " ");
        for (size_t i = 0; i < line->count && !found; i++) {
            found = is_named(line->given[i], names, length);
        }
        names += length + strspn(names + length, " ");
    }
    return found;
}

static void give(command_line *line, const command_option *o, char *value)
{
    line->given = reallocate(line->given, line->count + 1, sizeof *line->given);
    line->given[line->count++] = o;
    o->read(o, value, line);
}

/* Reads the options of a word. Returns the number of words read. */
static int take_options(command_line *line, const option_rows *table, char **words)
{
    const option_word w = option_word_read(table, words[0]);
    for (const char *c = words[0] + 1; w.letter != 0 && *c != w.option->letter; c++) {
        give(line, option_of_letter(table, *c), NULL);
    }
    const bool next = option_takes_next(&w);
    give(line, w.option, next ? words[1] : w.value);
    return next ? 2 : 1;
}

/* ---- the sets of a command ------------------------------------------------------------------- */

enum { MOST_SETS = 32 };

typedef struct set_list {
    const option_set *at[MOST_SETS];
    size_t count;
} set_list;

static void add_sets(set_list *list, const option_set *set)
{
    list->at[list->count++] = set;
    for (size_t i = 0; set->parts[i] != NULL; i++) {
        add_sets(list, set->parts[i]);
    }
}

/* Returns whether the command has a FILE before other words. */
static bool has_file(const set_list *list)
{
    bool found = false;
    for (size_t i = 0; i < list->count; i++) {
        found = found || list->at[i]->rest != NULL;
    }
    return found;
}

/* ---- other words ----------------------------------------------------------------------------- */

static const char **argument_place(const option_argument *a, const command_line *line)
{
    return (const char **)(void *)((char *)line->options + a->at);
}

/* Stores the word as the first argument that accepts it. Returns false if none does. */
static bool take_argument(command_line *line, const option_argument *a, const char *word)
{
    for (; a != NULL && a->name != NULL; a++) {
        const char **to = argument_place(a, line);
        if (a->takes != NULL && !a->takes(line->options, word)) {
            continue;
        }
        if (*to == NULL) {
            *to = word;
            return true;
        }
        if (a->more != NULL) {
            option_error(line, "%s: '%s'", a->more, word);
        }
    }
    return false;
}

static void take_word(command_line *line, const set_list *sets, const char *word)
{
    for (size_t i = 0; i < sets->count; i++) {
        if (sets->at[i]->take != NULL && sets->at[i]->take(word, line)) {
            return;
        }
    }
    const bool first = has_file(sets) && ((tool_options *)line->options)->file == NULL;
    for (size_t i = 0; i < sets->count && !first; i++) {
        if (take_argument(line, sets->at[i]->arguments, word)) {
            return;
        }
    }
    for (size_t i = 0; i < sets->count; i++) {
        if (sets->at[i]->rest != NULL) {
            sets->at[i]->rest(word, line);
            return;
        }
    }
    option_error(line, "unexpected argument: '%s'", word);
}

/* ---- checks ---------------------------------------------------------------------------------- */

static void check_argument(command_line *line, const option_argument *a, bool behind_file)
{
    const char *word = *argument_place(a, line);
    if (word == NULL) {
        if (a->missing != NULL && (a->takes == NULL || a->takes(line->options, NULL))) {
            option_error(line, "%s", a->missing);
        }
    } else if (behind_file && !a->is_name) {
        tool_options *common = line->options;
        if (strcmp(word, "-") == 0 && common->file != NULL && strcmp(common->file, "-") == 0) {
            option_error(line, "FILE and %s cannot both be standard input", a->name);
        }
        file_use_read(&common->files, word);
    }
}

static void check_words_of(command_line *line, const option_set *set, bool behind_file)
{
    const option_argument *a = set->arguments;
    for (; a != NULL && a->name != NULL; a++) {
        check_argument(line, a, behind_file);
    }
    for (const option_rule *r = set->rules; r != NULL && r->message != NULL; r++) {
        const bool there = r->given == NULL || option_given(line, r->given);
        const bool fits = (r->needs != NULL && option_given(line, r->needs)) ||
                          (r->excludes != NULL && !option_given(line, r->excludes));
        if (there && !fits) {
            option_error(line, "%s", r->message);
        }
    }
    if (set->check != NULL) {
        set->check(line);
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

void parse_words(const option_set *set, int argc, char **argv, void *options)
{
    command_line line = {.name = argv[0], .set = set, .options = options};
    set_list sets = {.count = 0};
    add_sets(&sets, set);
    check_options(set, argv[0], argc - 1, argv + 1);
    for (size_t i = 0; i < sets.count; i++) {
        if (sets.at[i]->start != NULL) {
            sets.at[i]->start(options);
        }
    }
    option_rows table = option_rows_of(set, true);
    scoped char **rest = allocate((size_t)argc, sizeof *rest);
    size_t count = 0;
    bool ended = false;
    for (int i = 1; i < argc;) {
        const bool end = !ended && strcmp(argv[i], "--") == 0;
        if (!ended && !end && argv[i][0] == '-' && argv[i][1] != '\0') {
            i += take_options(&line, &table, argv + i);
            continue;
        }
        if (!end) {
            rest[count++] = argv[i];
        }
        ended = ended || end;
        i++;
    }
    for (size_t i = 0; i < count; i++) {
        take_word(&line, &sets, rest[i]);
    }
    for (size_t i = sets.count; i-- > 0;) {
        check_words_of(&line, sets.at[i], has_file(&sets));
    }
    option_rows_free(&table);
    free(line.given);
}
