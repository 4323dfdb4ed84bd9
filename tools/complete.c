/* SPDX-License-Identifier: MIT */
/*
 * Completes words of a command line, see complete.h.
 */
#include "complete.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/bundled.h"
#include "input/leading.h"
#include "input/option_rows.h"
#include "options.h"
#include "text.h"

/* The words of a command line before the word that is completed. */
typedef struct line {
    const complete_table *table;
    const complete_command *command; /* NULL: the word is the command, or the command is unknown */
    option_rows options;             /* of the command, including hidden ones */
    const char *file; /* the first word that is neither an option nor an option's value */
    size_t arguments; /* number of such words before this one */
    bool ended;       /* "--" precedes the word */
    const command_option *value; /* the option whose value is completed */
    const char *word;
    size_t kept; /* bytes at the beginning of the word to keep, such as --frame= */
} line;

/* ---- candidates ------------------------------------------------------------------------------ */

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Offers a name, followed by end, if the typed word is a prefix of it. */
static void put(const line *l, const char *name, const char *end, const char *what)
{
    scoped char *clean = text_clean(name);
    if (begins(name, l->word + l->kept) && strcmp(clean, name) == 0) {
        printf("%.*s%s%s\t%.*s\n", (int)l->kept, l->word, name, end, (int)strcspn(what, "\n"),
               what);
    }
}

static void put_files(void)
{
    puts(":files");
}

/* ---- names of the robot ---------------------------------------------------------------------- */

/* Loads the robot for its names only: leaves loops open and reads no other files. */
static td_model *load(const line *l)
{
    const char *file = l->file;
    td_load_options options = td_load_options_default();
    td_model *model = NULL;
    options.open_loops = true;
    options.partial = true;
    if (file != NULL && strcmp(file, "-") != 0 &&
        td_load_urdf(file, &options, NULL, &model) != TD_OK) {
        model = NULL;
    }
    return model;
}

static void put_joints(const line *l, const char *end)
{
    td_model *model = load(l);
    for (size_t i = 0; model != NULL && i < td_movable_count(model); i++) {
        const td_joint *joint = td_joint_at(model, td_movable_joint(model, i));
        put(l, joint->name, end, td_joint_kind_of(joint->type)->word);
    }
    td_model_free(model);
}

static void put_links(const line *l, const char *end)
{
    td_model *model = load(l);
    for (size_t i = 0; model != NULL && i < td_link_count(model); i++) {
        put(l, td_link_at(model, i)->name, end, "link");
    }
    td_model_free(model);
}

/* Offers "tandem:", or the bundled robots after it. */
static void put_bundled(const line *l)
{
    const char *typed = l->word + l->kept;
    if (*typed != '\0' && begins(TD_BUNDLED, typed) && strcmp(TD_BUNDLED, typed) != 0) {
        put(l, TD_BUNDLED, "", "robots that come with tandem");
    } else if (begins(typed, TD_BUNDLED)) {
        char *folder = td_bundled_folder(),
             **names = folder != NULL ? td_bundled_names(folder) : NULL;
        for (size_t i = 0; names != NULL && names[i] != NULL; i++) {
            scoped char *name = text_format(TD_BUNDLED "%s", names[i]);
            put(l, name, "", "robot");
        }
        td_bundled_names_free(names);
        free(folder);
    }
}

/* ---- options --------------------------------------------------------------------------------- */

static char *written_option(const command_option *o)
{
    return text_format("%s%s", option_is_letter(o) ? "-" : "--", o->name);
}

/* Returns whether to offer an option: it appears on a help page, and no earlier row has its name.
 */
static bool is_offered(const option_rows *rows, size_t i)
{
    const command_option *o = rows->at[i].option;
    bool offered = o->name != NULL && o->read != NULL && (!rows->at[i].hidden || rows->at[i].page);
    for (size_t k = 0; k < i && offered; k++) {
        const char *name = rows->at[k].option->name;
        offered = name == NULL || strcmp(name, o->name) != 0;
    }
    return offered;
}

static void put_options(const line *l)
{
    for (size_t i = 0; i < l->options.count; i++) {
        if (!is_offered(&l->options, i)) {
            continue;
        }
        const command_option *o = l->options.at[i].option;
        scoped char *name = written_option(o);
        put(l, name, "", o->help);
        if (o->letter != 0 && !option_is_letter(o)) {
            const char letter[] = {'-', o->letter, '\0'};
            put(l, letter, "", o->help);
        }
    }
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Offers the quoted words in an option's description: "'world' (default) or 'body'". */
static void put_quoted(const line *l, const char *doc)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
    for (const char *at = doc; (at = strchr(at, '\'')) != NULL; at++) {
        const size_t length = strspn(at + 1, letters);
        const bool opens = at == doc || !isalnum((unsigned char)at[-1]);
        if (opens && length > 1 && at[1 + length] == '\'') {
            scoped char *word = text_format("%.*s", (int)length, at + 1);
            put(l, word, "", "");
            at += 1 + length;
        }
    }
}

static bool is_file(const char *arg)
{
    static const char *const names[] = {"FILE", "LIST", "OUT", "POINTS", "TABLE", "DIR"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *at = strstr(arg, names[i]);
        if (at != NULL && (at == arg || strchr("|=", at[-1]) != NULL)) {
            return true;
        }
    }
    return false;
}

/* Offers values of an option, such as joints and links of the robot, also in lists with commas. */
static void put_values(line *l)
{
    const command_option *o = l->value;
    const char *arg = o->arg, *typed = l->word + l->kept;
    const char *comma = strrchr(typed, ','), *equals = strchr(typed, '=');
    const bool pair = strchr(arg, '=') != NULL;
    const bool robot = strcmp(o->name, "robot") == 0;
    if (is_file(arg) && !(robot && begins(typed, TD_BUNDLED))) {
        put_files();
    }
    if (robot) {
        put_bundled(l);
    }
    if (begins(arg, "COLUMN=JOINT") && equals != NULL) {
        l->kept += (size_t)(equals + 1 - typed);
        put_joints(l, "");
    } else if (begins(arg, "LINK") || strcmp(o->name, "link") == 0) {
        const char end[] = {begins(arg, "LINK") && strchr("=:", arg[4]) != NULL ? arg[4] : '\0',
                            '\0'};
        put_links(l, end);
    } else if (begins(arg, "JOINT")) {
        const bool list = pair || begins(arg, "JOINT,") || begins(arg, "JOINTS");
        l->kept += list && comma != NULL ? (size_t)(comma + 1 - typed) : 0;
        put_joints(l, pair ? "=" : "");
    }
    if (!pair && strlen(arg) > 2 && o->help != NULL) {
        put_quoted(l, o->help);
    }
}

/* ---- the line -------------------------------------------------------------------------------- */

/* Reads a word that looks like an option. Returns the option whose value is the next word. here:
   this is the word to complete. */
static const command_option *read_option(line *l, char *word, bool here)
{
    const option_word w = option_word_read(&l->options, word);
    if (w.option == NULL || w.option->arg == NULL) {
        return NULL;
    }
    if (here && w.value != NULL) {
        l->value = w.option;
        l->kept = (size_t)(w.value - word);
    }
    return !here && option_takes_next(&w) ? w.option : NULL;
}

/* Reads the words after the command. */
static void read_words(line *l, char *const *words, size_t first, size_t count, size_t at)
{
    const command_option *of = NULL; /* the option whose value comes next */
    bool ended = false;
    for (size_t i = first; i < count; i++) {
        const bool here = i == at;
        char *word = words[i];
        if (here) {
            l->ended = ended;
            l->value = of;
        }
        if (of != NULL) {
            of = NULL;
        } else if (!ended && !here && strcmp(word, "--") == 0) {
            ended = true;
        } else if (!ended && word[0] == '-' && word[1] != '\0') {
            of = read_option(l, word, here);
        } else if (!here) {
            l->file = l->file == NULL ? word : l->file;
            l->arguments += i < at;
        }
    }
}

static void put_commands(const line *l, bool help)
{
    const complete_table *t = l->table;
    for (size_t i = 0; i < t->command_count; i++) {
        put(l, t->commands[i].name, "", t->commands[i].summary);
    }
    for (size_t i = 0; help && i < t->topic_count; i++) {
        put(l, t->topics[i], "", "options shared by many commands");
    }
}

static bool ends_with_dots(const char *word, size_t length)
{
    return length >= 3 && strncmp(word + length - 3, "...", 3) == 0;
}

/* Completes the next argument in the usage of the command, such as "FILE [STATES]". */
static void put_argument(const line *l)
{
    const char *form = l->command->set->usage;
    size_t length = strcspn(form, " \n");
    for (size_t i = 0; i < l->arguments && !ends_with_dots(form, length); i++) {
        form += length;
        form += *form == ' ';
        length = strcspn(form, " \n");
    }
    if (length == 0) {
        return;
    }
    if (begins(form, "[COMMAND]")) {
        put_commands(l, true);
    } else if (begins(form, "JOINT")) {
        put_joints(l, "");
    } else {
        if (!begins(l->word, TD_BUNDLED)) {
            put_files();
        }
        if (begins(form, "FILE")) {
            put_bundled(l);
        }
    }
}

/* Finds the command before index at, after its own or tandem's options, and sets l->command.
   Returns the command's index. Without a command, returns the index of the first word that is not
   an option, or at. */
static size_t find_command(line *l, char *const *words, size_t at)
{
    const complete_table *table = l->table;
    for (size_t first = 0; first < at; first++) {
        for (size_t i = 0; i < table->command_count; i++) {
            if (strcmp(words[first], table->commands[i].name) == 0 &&
                only_options(table->commands[i].set, (int)first, words)) {
                l->command = &table->commands[i];
                return first;
            }
        }
    }
    size_t first = 0;
    while (first < at && words[first][0] == '-') {
        first++;
    }
    return first;
}

void complete_words(const complete_table *table, char *const *words, size_t count, size_t at)
{
    line l = {.table = table, .word = at < count ? words[at] : ""};
    size_t first = find_command(&l, words, at < count ? at : count);
    if (first >= at) {
        l.options = option_rows_of(table->top, true);
        if (l.word[0] == '-') {
            put_options(&l);
        } else {
            put_commands(&l, false);
        }
    } else if (l.command != NULL) {
        l.options = option_rows_of(l.command->set, true);
        read_words(&l, words, first + 1, count, at);
        if (l.value != NULL) {
            put_values(&l);
        } else if (l.word[0] == '-' && !l.ended) {
            put_options(&l);
        } else {
            put_argument(&l);
        }
    }
    option_rows_free(&l.options);
}
