/* SPDX-License-Identifier: MIT */
/*
 * Checks options against the tables of commands; see leading.h. Words are parsed as by getopt_long:
 * an option that takes a value consumes the next word.
 */
#include "input/leading.h"

#include <stdlib.h>
#include <string.h>

#include "input/option_rows.h"
#include "synonyms.h"
#include "text.h"

enum { MOST_NAMED = 3 }; /* commands, in one message */

static const command_options *owners;
static size_t owner_count;

void option_owners_set(const command_options *commands, size_t count)
{
    owners = commands;
    owner_count = count;
}

/* ---- parsing of a word ----------------------------------------------------------------------- */

/* Finds the option with that name, or the first one that begins with it, and a second one. */
static void find_long(option_word *w, size_t length)
{
    for (size_t i = 0; i < w->table->count; i++) {
        const command_option *o = w->table->at[i].option;
        if (o->read == NULL || o->name == NULL || strncmp(o->name, w->word + 2, length) != 0) {
            continue;
        }
        if (o->name[length] == '\0') {
            w->option = o;
            w->other = NULL;
            return;
        }
        if (w->option == NULL) {
            w->option = o;
        } else if (strcmp(o->name, w->option->name) != 0) {
            w->other = w->other == NULL ? o : w->other;
        }
    }
}

const command_option *option_of_letter(const option_rows *table, char letter)
{
    for (size_t i = 0; i < table->count; i++) {
        const command_option *o = table->at[i].option;
        if (o->read != NULL && letter != 0 && o->letter == letter) {
            return o;
        }
    }
    return NULL;
}

bool option_is_letter(const command_option *o)
{
    return o->letter != 0 && o->name != NULL && o->name[0] == o->letter && o->name[1] == '\0';
}

option_word option_word_read(const option_rows *table, char *word)
{
    option_word w = {.table = table, .word = word};
    if (word[1] == '-') {
        const size_t length = strcspn(word + 2, "= ");
        find_long(&w, length);
        w.value = word[2 + length] == '=' ? word + 3 + length : NULL;
        return w;
    }
    for (char *c = word + 1; *c != '\0'; c++) {
        w.letter = *c;
        w.option = option_of_letter(table, *c);
        if (w.option == NULL || w.option->arg != NULL) {
            w.value = c[1] != '\0' ? c + 1 : NULL;
            break;
        }
    }
    return w;
}

bool option_takes_next(const option_word *w)
{
    return w->option->arg != NULL && !w->option->optional && w->value == NULL;
}

bool only_options(const option_set *set, int count, char *const *words)
{
    option_rows table = option_rows_of(set, true);
    bool good = true;
    int i = 0;
    for (; i < count && good; i++) {
        good = words[i][0] == '-' && words[i][1] != '\0' && strcmp(words[i], "--") != 0;
        if (good) {
            const option_word w = option_word_read(&table, words[i]);
            good = w.option != NULL;
            i += good && option_takes_next(&w);
        }
    }
    option_rows_free(&table);
    return good && i == count;
}

/* ---- suggestions ----------------------------------------------------------------------------- */

/* Whether the command has the option and a page describes it. */
static bool has_option(const option_set *set, const char *name, char letter)
{
    option_rows table = option_rows_of(set, true);
    bool found = letter != 0 && option_of_letter(&table, letter) != NULL;
    for (size_t i = 0; i < table.count && letter == 0 && !found; i++) {
        const command_option *o = table.at[i].option;
        found = o->read != NULL && o->name != NULL && strcmp(o->name, name) == 0 &&
                (!table.at[i].hidden || table.at[i].page != NULL);
    }
    option_rows_free(&table);
    return found;
}

/* Returns "'--tau' belongs to 'tandem fd' and 'tandem simulate'", or NULL if no command has the
   option. */
static char *belongs_to(const char *name, char letter)
{
    size_t found = 0, all = 0;
    for (size_t i = 0; i < owner_count; i++) {
        all += has_option(owners[i].set, name, letter);
    }
    char *text = letter != 0 ? text_format("'-%c' belongs to", letter)
                             : text_format("'--%s' belongs to", name);
    for (size_t i = 0; i < owner_count && found < MOST_NAMED; i++) {
        if (has_option(owners[i].set, name, letter)) {
            const char *join = found == 0 ? " " : found + 1 == all ? " and " : ", ";
            char *longer = text_format("%s%s'tandem %s'", text, join, owners[i].name);
            free(text);
            text = longer;
            found++;
        }
    }
    if (all > found) {
        char *longer = text_format("%s and %zu other command%s", text, all - found,
                                   all - found == 1 ? "" : "s");
        free(text);
        text = longer;
    }
    if (all == 0) {
        free(text);
        text = NULL;
    }
    return text;
}

static const char *nearest_option(const option_rows *table, const char *name)
{
    scoped const char **names = allocate(table->count, sizeof *names);
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++) {
        const command_option *o = table->at[i].option;
        if (o->read != NULL && o->name != NULL && o->name[1] != '\0') {
            names[count++] = o->name;
        }
    }
    return nearest_spelling(name, names, count);
}

/* Returns the message about an option that the command lacks: its new name, the commands that have
   it, a similar name, or the help page. */
static char *unknown_fault(const option_word *w, const char *command)
{
    char *name =
        text_format("%.*s", w->letter == 0 ? (int)strcspn(w->word + 2, "=") : 0, w->word + 2);
    const char *short_command = strncmp(command, "tandem ", 7) == 0 ? command + 7 : "";
    const option_synonym *synonym = find_option_synonym(short_command, name);
    char *text = NULL;
    const bool elsewhere = synonym != NULL && strncmp(synonym->use, "tandem ", 7) == 0;
    if (synonym != NULL &&
        (elsewhere || option_word_read(w->table, (char *)synonym->use).option != NULL)) {
        text = text_format("'--%s' is not an option here; use '%s'", name, synonym->use);
    } else {
        text = belongs_to(name, w->letter);
    }
    const char *nearest = text == NULL && w->letter == 0 ? nearest_option(w->table, name) : NULL;
    if (nearest != NULL) {
        text = text_format("no option '--%s'; did you mean '--%s'?", name, nearest);
    } else if (text == NULL) {
        scoped char *given =
            w->letter != 0 ? text_format("-%c", w->letter) : text_format("--%s", name);
        text = text_format("no option '%s'; 'tandem help%s%s' lists the options", given,
                           *short_command != '\0' ? " " : "", short_command);
    }
    free(name);
    return text;
}

/* Returns the message about an abbreviation that is the full name of an option of other
   commands. */
static char *other_fault(const option_word *w)
{
    const size_t length = strcspn(w->word + 2, "=");
    if (w->letter != 0 || w->option->name[length] == '\0') {
        return NULL;
    }
    scoped char *name = text_format("%.*s", (int)length, w->word + 2);
    return belongs_to(name, 0);
}

static char *value_fault(const option_word *w)
{
    const command_option *o = w->option;
    if (w->letter != 0 || option_is_letter(o)) {
        return text_format("'-%c' needs a value: -%c %s", o->letter, o->letter, o->arg);
    }
    return text_format("'--%s' needs a value: --%s %s", o->name, o->name, o->arg);
}

char *option_fault(const option_set *set, const char *name, int count, char *const *words)
{
    option_rows table = option_rows_of(set, true);
    char *text = NULL;
    for (int i = 0; i < count && text == NULL && strcmp(words[i], "--") != 0; i++) {
        if (words[i][0] != '-' || words[i][1] == '\0') {
            continue;
        }
        const option_word w = option_word_read(&table, words[i]);
        if (w.option == NULL) {
            text = unknown_fault(&w, name);
        } else if ((text = other_fault(&w)) != NULL) {
            break;
        } else if (w.other != NULL) {
            text = text_format("'%.*s' is ambiguous: '--%s' or '--%s'", (int)strcspn(w.word, "="),
                               w.word, w.option->name, w.other->name);
        } else if (w.letter == 0 && w.option->arg == NULL && w.value != NULL) {
            text = text_format("'--%s' takes no value, not '%s'", w.option->name, w.value);
        } else if (option_takes_next(&w) && ++i == count) {
            text = value_fault(&w);
        }
    }
    option_rows_free(&table);
    return text;
}
