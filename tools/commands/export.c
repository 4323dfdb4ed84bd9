/* SPDX-License-Identifier: MIT */
/*
 * tandem export: writes the loaded robot as a file for other programs.
 */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "input/option_value.h"
#include "output/json.h"
#include "output/model_json.h"
#include "output/output_file.h"
#include "run.h"
#include "text.h"

typedef struct export_options {
    tool_options common;
    td_export_format format;
    bool fit, digest;
    const char *output;
} export_options;

static const option_choice formats[] = {{"urdf", TD_EXPORT_URDF}, {"mjcf", TD_EXPORT_MJCF}, {0}};

static void check(command_line *line)
{
    const export_options *options = line->options;
    if (options->fit && options->format != TD_EXPORT_MJCF) {
        option_error(line, "--fit applies to --to mjcf only: URDF can express all curves");
    }
}

#define AT(member) .at = offsetof(export_options, member)

static const command_option command_rows[] = {
    {"to", "FORMAT", "Write normalized 'urdf', or 'mjcf' for MuJoCo", option_choose, AT(format),
     .of = formats},
    {"output", "OUT",
     "Write to OUT, which appears when it is complete (default '-': standard output)",
     option_output, AT(output), .letter = 'o'},
    {"fit", NULL,
     "In MJCF, approximate curves by polynomials of degree four, with a warning that gives the "
     "error",
     option_flag, AT(fit)},
    {"digest", NULL,
     "Print a digest instead; two files have the same digest if everything that affects dynamics "
     "is the same",
     option_flag, AT(digest)},
    {0},
};
static const option_rule rules[] = {
    {NULL, "to digest", NULL, "the format is missing: --to urdf or --to mjcf"},
    {"digest", NULL, "output", "--digest prints to standard output; leave out -o"},
    {0},
};
const option_set options_of_export = {
    .rows = command_rows,
    .usage = "FILE",
    .rules = rules,
    .check = check,
    .about =
        "Write the robot for other programs. Joints of --lock become fixed, and payloads of "
        "--payload "
        "are added to their links. If the format cannot express a feature of the robot, an error "
        "names "
        "it.\vExamples:\n  tandem export robot.urdf --to urdf --lock elbow=0.5 -o output\n  tandem "
        "export robot.urdf --to mjcf --payload hand=2@0,0,0.1 -o output",
    .parts = {&payload_set, &model_set, &gravity_set, &actuated_set}};

/* Reports diagnostics of the writer as the loader reports its own. */
static void tell(const session *s, td_diagnostics *list, td_status status, bool notes)
{
    session said = {.file = s->file, .diagnostics = list, .status = status};
    session_report(&said, notes);
}

static char *text_of(const session *s, const export_options *options, td_diagnostics *list,
                     size_t *size, td_status *status)
{
    td_export_options choice = td_export_options_default();
    choice.format = options->format;
    choice.workspace = s->workspace;
    choice.fit = options->fit;
    *status = td_model_export(s->model, &choice, list, NULL, 0, size);
    if (*status != TD_OK) {
        return NULL;
    }
    char *text = allocate(*size + 1, 1);
    *status = td_model_export(s->model, &choice, NULL, text, *size, size);
    return text;
}

static int print_digest(const session *s, const export_options *options)
{
    uint64_t digest;
    const td_status status = td_model_digest(s->model, s->workspace, &digest);
    if (status == TD_ERROR_MEMORY) {
        complain("%s", td_status_text(status));
        return EXIT_COMPUTE;
    }
    if (status != TD_OK) {
        complain("%s: URDF cannot express this robot; 'tandem export --to urdf' says why", s->file);
        return EXIT_COMPUTE;
    }
    if (options->common.json) {
        cJSON *root = json_root(td_model_name(s->model));
        cJSON_AddItemToObject(root, "digest", json_text(digest_text(digest).text));
        json_print(root, false);
    } else {
        printf("%s\n", digest_text(digest).text);
    }
    return EXIT_GOOD;
}

/* Returns the path of the output file; NULL: standard output. */
static const char *output_file_of(const export_options *options)
{
    const bool file = options->output != NULL && strcmp(options->output, "-") != 0;
    return file ? options->output : NULL;
}

static void print_json(const session *s, const export_options *options, const char *text,
                       td_diagnostics *list)
{
    cJSON *root = json_root(td_model_name(s->model));
    cJSON_AddItemToObject(root, "format", json_text(choice_word(formats, (int)options->format)));
    cJSON_AddItemToObject(root, "digest", json_digest(s->model, s->workspace));
    const char *output = output_file_of(options);
    cJSON_AddItemToObject(root, "output", json_text(output));
    if (output == NULL) {
        cJSON_AddItemToObject(root, "text", json_text(text));
    }
    cJSON_AddItemToObject(root, "diagnostics", json_diagnostics(list, s->file));
    json_print(root, false);
}

static bool write_file(const export_options *options, const char *text, size_t size)
{
    output_file file;
    if (!output_open(&file, options->output)) {
        return false;
    }
    fwrite(text, 1, size, file.stream);
    return output_close(&file);
}

static int run(const session *s, void *context)
{
    const export_options *options = context;
    if (options->digest) {
        return print_digest(s, options);
    }
    td_diagnostics *list;
    td_diagnostics_new(0, &list);
    td_status status = TD_ERROR_MEMORY;
    size_t size = 0;
    scoped char *text = list == NULL ? NULL : text_of(s, options, list, &size, &status);
    int code = status == TD_OK ? EXIT_GOOD : EXIT_COMPUTE;
    if (status == TD_ERROR_MEMORY) {
        complain("%s", td_status_text(status));
    } else {
        tell(s, list, status, is_verbose() || status == TD_OK);
    }
    if (status == TD_OK && (output_file_of(options) != NULL || !options->common.json) &&
        !write_file(options, text, size)) {
        code = EXIT_FILE;
    }
    if (code == EXIT_GOOD && options->common.json) {
        print_json(s, options, text, list);
    }
    td_diagnostics_free(list);
    return code;
}

int command_export(int argc, char **argv)
{
    export_options options = {.format = TD_EXPORT_URDF};
    return run_session_needing(NEEDS_WORKSPACE, &options_of_export, argc, argv, &options, run);
}
