/* SPDX-License-Identifier: MIT */
/*
 * tandem check: what the importer says of files. Diagnostics go to standard error, a line for each
 * file and a summary to standard output.
 */
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "json.h"
#include "robot/session.h"
#include "text.h"

typedef struct check_options {
    tool_options common;
    const char **file;
    size_t files;
} check_options;

/* What all files together come to. */
typedef struct totals {
    size_t loaded;
    size_t count[TD_SEVERITY_ERROR + 1];
    int code;
} totals;

static error_t parse(int key, char *arg, struct argp_state *state)
{
    check_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->common;
        state->child_inputs[1] = &options->common;
        break;
    case ARGP_KEY_ARG:
        options->file = reallocate(options->file, options->files + 1, sizeof *options->file);
        options->file[options->files++] = arg;
        options->common.file = arg;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = {
    {&model_argp, 0, NULL, 0}, {&package_argp, 0, NULL, 0}, {0}};
const struct argp check_argp = {
    NULL,
    parse,
    "FILE...",
    "Say what is wrong with robot files: file:line:column: severity[CODE]: message (remedy).\v"
    "Exit status: 0 all files load, 1 one has errors (or warnings, with --strict), 2 one cannot be "
    "read.",
    children,
    NULL,
    NULL};

static void print_line(const session *s)
{
    const td_diagnostics *list = s->diagnostics;
    char *counts = severity_counts(td_diagnostics_count(list, TD_SEVERITY_ERROR),
                                   td_diagnostics_count(list, TD_SEVERITY_WARNING),
                                   td_diagnostics_count(list, TD_SEVERITY_NOTE));
    put_clean(stdout, s->file);
    printf(": %s (%s)\n", s->status == TD_OK ? "loads" : "does not load", counts);
    free(counts);
}

static void check_file(const check_options *options, const char *file, totals *sum, cJSON *list)
{
    session s;
    int code = session_load(&s, &options->common, file);
    sum->code = code > sum->code ? code : sum->code;
    sum->loaded += s.status == TD_OK;
    for (td_severity v = TD_SEVERITY_NOTE; v <= TD_SEVERITY_ERROR; v++) {
        sum->count[v] += td_diagnostics_count(s.diagnostics, v);
    }
    if (options->common.json) {
        cJSON *item = cJSON_CreateObject();
        session_add_json(item, &s);
        cJSON_AddItemToArray(list, item);
    } else {
        session_report(&s, options->common.notes);
        print_line(&s);
    }
    session_close(&s);
}

static void print_summary(const check_options *options, const totals *sum)
{
    char *counts = severity_counts(sum->count[TD_SEVERITY_ERROR], sum->count[TD_SEVERITY_WARNING],
                                   sum->count[TD_SEVERITY_NOTE]);
    size_t failed = options->files - sum->loaded;
    printf("%zu files: %zu load%s, %zu do%s not (%s)\n", options->files, sum->loaded,
           sum->loaded == 1 ? "s" : "", failed, failed == 1 ? "es" : "", counts);
    free(counts);
}

int command_check(int argc, char **argv)
{
    check_options options = {.file = NULL};
    totals sum = {.code = EXIT_GOOD};
    parse_arguments(&check_argp, argc, argv, &options, &options.common);
    options.common.checks_meshes = true;

    cJSON *root = json_root(NULL);
    cJSON *list = cJSON_AddArrayToObject(root, "files");
    for (size_t i = 0; i < options.files; i++) {
        check_file(&options, options.file[i], &sum, list);
    }
    if (options.common.json) {
        json_print(root, false);
    } else {
        cJSON_Delete(root);
        if (options.files > 1) {
            print_summary(&options, &sum);
        }
    }
    free(options.file);
    options_free(&options.common);
    return sum.code;
}
