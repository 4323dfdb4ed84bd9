/* SPDX-License-Identifier: MIT */
/*
 * The tandem command: finds the subcommand and runs it. Data goes to standard output, diagnostics
 * to standard error; command.h has the exit codes.
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "tandem/tandem.h"
#include "text.h"

typedef struct command {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv);
} command;

static const command commands[] = {
#define COMMAND_ROW(name, summary) {#name, summary, command_##name},
    COMMAND_TABLE(COMMAND_ROW)
#undef COMMAND_ROW
};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

/* What is written last may fail only now; a reader that went away is no failure of ours to report.
 */
static void close_output(void)
{
    int error = flush_output();
    if (error == 0) {
        return;
    }
    if (error != EPIPE) {
        fprintf(stderr, "tandem: standard output: %s\n", strerror(error));
    }
    _exit(EXIT_USAGE);
}

static void print_version(FILE *stream, struct argp_state *state)
{
    (void)state;
    fprintf(stream, "tandem %s\n", td_version());
}

/* The list of subcommands, after the options of --help. */
static char *help_text(int key, const char *text, void *input)
{
    (void)input;
    if (key != ARGP_KEY_HELP_POST_DOC) {
        return (char *)text;
    }
    char *list = text_format("Commands:\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        char *longer = text_format("%s  %-8s %s\n", list, commands[i].name, commands[i].summary);
        free(list);
        list = longer;
    }
    char *whole =
        text_format("%s\n'tandem COMMAND --help' says more. A FILE that is '-' is standard "
                    "input. Exit status: 0 done, 1 the model has errors, 2 wrong usage, "
                    "input or output.",
                    list);
    free(list);
    return whole; /* argp frees what is not the text it gave */
}

/* Everything from the subcommand on is the subcommand's. */
static error_t parse_top(int key, char *arg, struct argp_state *state)
{
    int *first = state->input;
    (void)arg;
    switch (key) {
    case 'h':
        argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
        break;
    case ARGP_KEY_ARG:
        *first = state->next - 1;
        state->next = state->argc;
        break;
    case ARGP_KEY_NO_ARGS:
        argp_usage(state);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
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
    if (nearest != NULL) {
        complain("no command '%s'; did you mean '%s'?", name, nearest);
    } else {
        complain("no command '%s'; 'tandem --help' lists them", name);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static const struct argp_option options[] = {{NULL, 'h', NULL, OPTION_HIDDEN, NULL, 0}, {0}};
    static const struct argp argp = {
        options,
        parse_top,
        "COMMAND [ARGUMENT...]",
        "Dynamics of robots described in URDF, with mimic joints as part of the model.\v",
        NULL,
        help_text,
        NULL};
    int first = 0;

    argp_err_exit_status = EXIT_USAGE;
    argp_program_version_hook = print_version;
    atexit(close_output);
    if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &first) != 0 || first == 0) {
        return EXIT_USAGE;
    }
    const command *chosen = find_command(argv[first]);
    if (chosen == NULL) {
        return EXIT_USAGE;
    }
    char *name = text_format("tandem %s", chosen->name);
    argv[first] = name;
    int code = chosen->run(argc - first, argv + first);
    free(name);
    return code;
}
