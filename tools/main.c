/* SPDX-License-Identifier: MIT */
/*
 * The tandem command: finds the subcommand and runs it. Data goes to standard output, diagnostics
 * to standard error; command.h has the exit codes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "complete.h"
#include "input/bundled.h"
#include "input/leading.h"
#include "input/option_value.h"
#include "options.h"
#include "output/help_page.h"
#include "output/man_page.h"
#include "synonyms.h"
#include "tandem/tandem.h"
#include "text.h"
#include "version.h"

typedef struct command {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv);
    const option_set *set;
} command;

static const command commands[] = {
#define COMMAND_ROW(name, summary) {#name, summary, command_##name, &options_of_##name},
    COMMAND_TABLE(COMMAND_ROW)
#undef COMMAND_ROW
};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

/* Flushes the output at exit, since a write may fail only now. Does not report a reader that closed
   the pipe. */
static void close_output(void)
{
    int error = flush_output();
    if (error == 0) {
        return;
    }
    if (error != EPIPE) {
        fprintf(stderr, "tandem: standard output: %s\n", strerror(error));
    }
    _exit(EXIT_FILE);
}

static const char top_text[] =
    "'tandem help COMMAND' describes a command, 'tandem help robot' how to load robots, 'tandem "
    "help state' how to give states, and 'tandem help table' how to read and write tables. The "
    "FILE '-' is standard input; tandem:NAME is a robot listed by 'tandem robots'. Exit status: 0 "
    "done, 1 done, but the answer is no or incomplete, 2 wrong usage, 3 a file is wrong, 4 there "
    "is no result.";

static void read_help(const command_option *o, char *text, command_line *line);

static const command_option top_rows[] = {
    {"help", NULL, "Print this page (also -?)", read_help, .letter = 'h'},
    {.read = read_help, .letter = '?', .hidden = true},
    {"version", NULL, "Print the version, the kernels in use, and optional features",
     option_version, .letter = 'V'},
    {0},
};
static const option_set top_set = {.rows = top_rows,
                                   .usage = "COMMAND [ARGUMENT...]",
                                   .about = "Compute the dynamics of robots described in URDF, "
                                            "with mimic joints as part of the model."};

/* Prints the help page of tandem. */
static void put_commands(void)
{
    enum { COLUMN = 17 };
    help_page(&top_set, "tandem");
    puts("\nCommands:");
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        printf("  %-*s", COLUMN - 2, commands[i].name);
        help_text(commands[i].summary, COLUMN, COLUMN);
    }
    putchar('\n');
    help_text(top_text, 0, 0);
}

static void read_help(const command_option *o, char *text, command_line *line)
{
    (void)o;
    (void)text;
    (void)line;
    put_commands();
    exit(EXIT_GOOD);
}

/* Returns whether a word is a readable file or the name of a robot. */
static bool is_robot(const char *word)
{
    return names_robot(word) || (strpbrk(word, "./") != NULL && access(word, R_OK) == 0);
}

static const command *find_command(const char *name)
{
    const char *names[COMMAND_COUNT];
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        names[i] = commands[i].name;
        if (strcmp(name, commands[i].name) == 0) {
            return &commands[i];
        }
    }
    const char *nearest = nearest_spelling(name, names, COMMAND_COUNT);
    const command_synonym *synonym = find_command_synonym(name);
    if (synonym != NULL && synonym->renamed) {
        complain("'%s' has a new name: 'tandem %s'", name, synonym->use);
    } else if (synonym != NULL) {
        complain("no command '%s'; 'tandem %s' does that", name, synonym->use);
    } else if (is_robot(name)) {
        complain("no command '%s'; did you mean 'tandem info %s'?", name, name);
    } else if (nearest != NULL) {
        complain("no command '%s'; did you mean '%s'?", name, nearest);
    } else {
        complain("no command '%s'; 'tandem help' lists them", name);
    }
    return NULL;
}

/* Runs a subcommand with the words after argv[0]. */
static int run_command(const command *chosen, int argc, char **argv)
{
    char *name = text_format("tandem %s", chosen->name);
    argv[0] = name;
    int code = chosen->run(argc, argv);
    free(name);
    return code;
}

/* ---- help ------------------------------------------------------------------------------------ */

typedef struct help_words {
    const char *wanted;
    bool man;
} help_words;

/* A hidden option for the build, which makes manual pages with it. */
static const command_option help_rows[] = {
    {"man", .read = option_flag, .at = offsetof(help_words, man), .hidden = true}, {0}};
static const option_argument help_arguments[] = {
    {"COMMAND", offsetof(help_words, wanted), .more = "more than one COMMAND"}, {0}};
const option_set options_of_help = {
    .rows = help_rows,
    .arguments = help_arguments,
    .usage = "[COMMAND]",
    .about = "List the commands, or describe a COMMAND. 'robot', 'state' and 'table' describe "
             "options shared by many commands.",
    .parts = {&common_set}};

/* Prints the manual page of tandem, of a command or of a shared topic. */
static int print_man(const char *wanted)
{
    man_command all[COMMAND_COUNT];
    man_page page = {wanted,  "dynamics of robots with mimic joints and closed loops",
                     "1",     &top_set,
                     all,     COMMAND_COUNT,
                     top_text};
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        all[i] = (man_command){commands[i].name, commands[i].summary};
        if (wanted != NULL && strcmp(wanted, commands[i].name) == 0) {
            page = (man_page){wanted, commands[i].summary, "1", commands[i].set, NULL, 0, NULL};
        }
    }
    for (size_t i = 0; i < SHARED_PAGES; i++) {
        if (wanted != NULL && strcmp(wanted, shared_pages[i].name) == 0) {
            page = (man_page){wanted, shared_pages[i].summary, "7", shared_pages[i].set, NULL, 0,
                              NULL};
        }
    }
    if (wanted != NULL && page.commands != NULL) {
        find_command(wanted); /* prints a message */
        return EXIT_USAGE;
    }
    man_page_print(&page);
    return EXIT_GOOD;
}

/* Handles --complete INDEX WORD...: prints completions of word INDEX after "tandem". */
static int complete(int argc, char **argv)
{
    const char *topics[SHARED_PAGES];
    complete_command all[COMMAND_COUNT];
    for (size_t i = 0; i < SHARED_PAGES; i++) {
        topics[i] = shared_pages[i].name;
    }
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        all[i] = (complete_command){commands[i].name, commands[i].summary, commands[i].set};
    }
    const complete_table table = {all, COMMAND_COUNT, &top_set, topics, SHARED_PAGES};
    if (argc > 0) {
        complete_words(&table, argv + 1, (size_t)argc - 1, strtoul(argv[0], NULL, 10));
    }
    return EXIT_GOOD;
}

int command_help(int argc, char **argv)
{
    static char program[] = "tandem";
    static char option[] = "--help";
    char *words[] = {program, option, NULL};
    help_words options = {NULL, false};
    if (argc > 1 && strcmp(argv[1], "--complete") == 0) {
        return complete(argc - 2, argv + 2);
    }
    parse_words(&options_of_help, argc, argv, &options);
    if (options.man) {
        return print_man(options.wanted);
    }
    if (options.wanted == NULL) {
        put_commands();
        return EXIT_GOOD;
    }
    for (size_t i = 0; i < SHARED_PAGES; i++) {
        if (strcmp(options.wanted, shared_pages[i].name) == 0) {
            help_page(shared_pages[i].set, "tandem COMMAND");
            return EXIT_GOOD;
        }
    }
    const command *chosen = find_command(options.wanted);
    return chosen == NULL ? (int)EXIT_USAGE : run_command(chosen, 2, words);
}

/* ---- the subcommand -------------------------------------------------------------------------- */

/* Returns the index of the subcommand if options come before it: the first command name after only
   options of that command. Without one, returns the first command name, so that this command
   reports the unknown option. Returns 0 without leading options or without a subcommand. */
static int behind_options(int argc, char **argv)
{
    int any = 0;
    for (int i = 2; i < argc && argv[1][0] == '-'; i++) {
        for (size_t k = 0; k < COMMAND_COUNT; k++) {
            if (strcmp(argv[i], commands[k].name) != 0) {
                continue;
            }
            if (only_options(commands[k].set, i - 1, argv + 1)) {
                return i;
            }
            any = any == 0 ? i : any;
        }
    }
    return any;
}

int main(int argc, char **argv)
{
    static char name[] = "tandem";
    int first = behind_options(argc, argv);

    setvbuf(stderr, NULL, _IOLBF,
            BUFSIZ); /* whole lines: other processes may write to the same pipe */
    atexit(close_output);
    static command_options owners[COMMAND_COUNT];
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        owners[i] = (command_options){commands[i].name, commands[i].set};
    }
    option_owners_set(owners, COMMAND_COUNT);
    if (first > 0) {
        char *word = argv[first];
        memmove(argv + 2, argv + 1, (size_t)(first - 1) * sizeof *argv);
        argv[1] = word;
    } else if (argc > 1 && argv[1][0] == '-' && argv[1][1] != '\0' && strcmp(argv[1], "--") != 0) {
        char *words[] = {name, argv[1]};
        parse_words(&top_set, 2, words, NULL);
    }
    first = argc > 1 && strcmp(argv[1], "--") == 0 ? 2 : 1;
    if (first >= argc) {
        put_commands();
        return EXIT_USAGE;
    }
    const command *chosen = find_command(argv[first]);
    return chosen == NULL ? EXIT_USAGE : run_command(chosen, argc - first, argv + first);
}
