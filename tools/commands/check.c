/* SPDX-License-Identifier: MIT */
/*
 * tandem check: reports diagnostics of the importer. Diagnostics go to standard error. One line per
 * file and a summary go to standard output.
 */
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "input/session.h"
#include "output/json.h"
#include "text.h"

/* Totals of all files. */
typedef struct totals {
    size_t loaded;
    size_t count[TD_SEVERITY_ERROR + 1];
    int code;
} totals;

const option_set options_of_check = {
    .usage = "FILE...",
    .about = "Report errors and warnings in robot files, as file:line:column: "
             "severity[CODE]: message (remedy).\vExit status: 0 all files load, "
             "3 one cannot be read, or has errors (or warnings, with --strict).",
    .parts = {&model_set, &package_set, &actuated_set}};

static void print_line(const session *s)
{
    const td_diagnostics *list = s->diagnostics;
    scoped char *counts = severity_counts(td_diagnostics_count(list, TD_SEVERITY_ERROR),
                                          td_diagnostics_count(list, TD_SEVERITY_WARNING),
                                          td_diagnostics_count(list, TD_SEVERITY_NOTE));
    put_clean(stdout, s->file);
    printf(": %s (%s)\n", s->status == TD_OK ? "loads" : "does not load", counts);
}

static void check_file(const tool_options *options, const char *file, totals *sum, cJSON *list)
{
    session s;
    int code = session_load(&s, options, file);
    sum->code = code > sum->code ? code : sum->code;
    sum->loaded += s.status == TD_OK;
    for (td_severity v = TD_SEVERITY_NOTE; v <= TD_SEVERITY_ERROR; v++) {
        sum->count[v] += td_diagnostics_count(s.diagnostics, v);
    }
    if (options->json) {
        cJSON *item = cJSON_CreateObject();
        session_add_json(item, &s);
        cJSON_AddItemToArray(list, item);
    } else {
        session_report(&s, is_verbose());
        print_line(&s);
    }
    session_close(&s);
}

static void print_summary(const tool_options *options, const totals *sum)
{
    scoped char *counts =
        severity_counts(sum->count[TD_SEVERITY_ERROR], sum->count[TD_SEVERITY_WARNING],
                        sum->count[TD_SEVERITY_NOTE]);
    size_t failed = options->file_count - sum->loaded;
    printf("%zu files: %zu load%s, %zu do%s not (%s)\n", options->file_count, sum->loaded,
           sum->loaded == 1 ? "s" : "", failed, failed == 1 ? "es" : "", counts);
}

int command_check(int argc, char **argv)
{
    tool_options options = {.checks_meshes = true};
    totals sum = {.code = EXIT_GOOD};
    parse_arguments(&options_of_check, argc, argv, &options);

    cJSON *root = json_root(NULL);
    cJSON *list = cJSON_AddArrayToObject(root, "files");
    for (size_t i = 0; i < options.file_count; i++) {
        check_file(&options, options.each[i], &sum, list);
    }
    if (options.json) {
        json_print(root, false);
    } else {
        cJSON_Delete(root);
        if (options.file_count > 1) {
            print_summary(&options, &sum);
        }
    }
    options_free(&options);
    return sum.code;
}
