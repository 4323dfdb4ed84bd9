/* SPDX-License-Identifier: MIT */
/*
 * tandem view: writes a page that shows the robot moving. view/ builds the page, with tandem as
 * WebAssembly. This file adds one JSON element with the model from td_model_write, diagnostics,
 * meshes and, if given, a table of motion.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "input/bundled.h"
#include "input/motion_columns.h"
#include "input/option_value.h"
#include "meshes/view_meshes.h"
#include "output/json.h"
#include "output/model_text.h"
#include "output/output_file.h"
#include "run.h"
#include "text.h"
#include "view_page.h"

static const char page_begin[] = "<!DOCTYPE html>\n<!-- A page of tandem view";
static const char data_mark[] = "<!--tandem-data-->";

typedef struct view_options {
    tool_options common;
    const char *output;
    const char *motion;
    bool no_meshes;
    bool up_axis; /* rotate meshes by their up axis */
    int open;     /* 1 or 0; -1: only if standard output is a terminal */
} view_options;

static void check(command_line *line)
{
    view_options *options = line->options;
    const char *suffix = options->output != NULL ? path_suffix(options->output) : "";
    if (*suffix != '\0' && strcmp(suffix, ".html") != 0 && strcmp(suffix, ".htm") != 0) {
        option_error(line, "%s: name the page FILE.html, FILE.htm or without a suffix",
                     options->output);
    }
    if (options->common.json && options->output != NULL && strcmp(options->output, "-") == 0) {
        option_error(
            line, "--json: the page already goes to standard output (-o -); name a file with -o");
    }
    if (loads_frame(&options->common.loads) != TD_FRAME_ALIGNED) {
        option_error(line, "--wrench: the page supports only frame:aligned");
    }
    file_use_write(&options->common.files, options->output);
}

static void read_open(const command_option *o, char *text, command_line *line)
{
    (void)text;
    ((view_options *)line->options)->open = *o->name == 'o';
}

#define AT(member) .at = offsetof(view_options, member)

static const command_option command_rows[] = {
    {.help = "The page:", .group = 1},
    {"output", "FILE",
     "Write the page to FILE (default: the name of the robot's FILE with .html, in this folder; "
     "'-' is standard output)",
     option_text, AT(output), .letter = 'o', .group = 1},
    {"motion", "TABLE",
     "Play this motion: a table of t and q:JOINT from 'simulate' or 'trajectory', or any table "
     "that 'id' and 'fk' read",
     option_input, AT(motion), .group = 1},
    {"no-meshes", NULL, "Leave meshes out", option_flag, AT(no_meshes), .group = 1},
    {"up-axis", NULL,
     "Rotate COLLADA and glTF meshes according to their up axis (default: use the link's axes, as "
     "RViz does)",
     option_flag, AT(up_axis), .group = 1},
    {"open", NULL, "Open the page in a browser (default on a terminal)", read_open, .at = 0,
     .group = 1},
    {"no-open", NULL, "Do not open it", read_open, .at = 0, .group = 1},
    {0},
};
static const option_rule rules[] = {
    {"tree", NULL, NULL,
     "--tree: the page starts from independent coordinates; --open-loops makes all coordinates of "
     "the tree independent"},
    {0},
};
const option_set options_of_view = {
    .rows = command_rows,
    .usage = "FILE",
    .rules = rules,
    .check = check,
    .about =
        "Write an interactive page of the robot, with its payloads, starting from the given state: "
        "one "
        "HTML file that needs no network, with sliders, dragging, free fall, torques and "
        "diagnostics, "
        "computed in the page by tandem itself. Meshes are searched in package folders: those that "
        "contain FILE, those in ROS_PACKAGE_PATH and AMENT_PREFIX_PATH, and --mesh-root.",
    .parts = {&load_set, &package_set, &velocity_set, &actuated_set, &plan_set},
    .group[0] = 2,
    .group[1] = 1,
    .group[2] = 2};

/* ---- the data -------------------------------------------------------------------------------- */

/* Adds the table of --motion. Prints a message and returns false on failure. */
static bool add_motion(cJSON *root, const td_model *model, const char *path)
{
    if (path == NULL) {
        cJSON_AddItemToObject(root, "motion", cJSON_CreateNull());
        return true;
    }
    motion_columns columns;
    const bool good = motion_columns_read(&columns, model, path);
    if (good) {
        scoped char *text = motion_columns_text(&columns);
        cJSON *motion = cJSON_AddObjectToObject(root, "motion");
        cJSON_AddItemToObject(motion, "name", json_text(path));
        cJSON_AddItemToObject(motion, "text", json_text(text));
        motion_columns_free(&columns);
    }
    return good;
}

static void add_state_numbers(cJSON *state, const char *key, const double *x, size_t n)
{
    cJSON_AddItemToObject(state, key, json_numbers(x, n));
}

/* Adds the state y, ẏ and the loads. x NULL: the reference configuration. */
static void add_state(cJSON *root, const session *s, const coordinates *c, const robot_state *x)
{
    const robot_loads *loads = s->loads;
    if (x == NULL && loads->payloads == 0 && loads->wrenches == 0) {
        return;
    }
    cJSON *state = cJSON_AddObjectToObject(root, "state");
    if (x != NULL) {
        add_state_numbers(state, "y", x->value[QUANTITY_Q], c->size[QUANTITY_Q]);
        add_state_numbers(state, "yd", x->value[QUANTITY_QD], c->size[QUANTITY_QD]);
    }
    cJSON *payloads = cJSON_AddArrayToObject(state, "payloads");
    for (size_t i = 0; i < loads->payloads; i++) {
        const payload *p = &loads->payload[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToObject(item, "link", json_count(p->index));
        cJSON_AddItemToObject(item, "mass", json_number(p->mass));
        add_state_numbers(item, "com", p->at, 3);
        add_state_numbers(item, "inertia", p->inertia, 6);
        cJSON_AddItemToArray(payloads, item);
    }
    cJSON *wrenches = cJSON_AddArrayToObject(state, "wrenches");
    for (size_t i = 0; i < loads->wrenches; i++) {
        const point_wrench *w = &loads->wrench[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToObject(item, "link", json_count(w->index));
        add_state_numbers(item, "force", w->force, 3);
        add_state_numbers(item, "moment", w->moment, 3);
        add_state_numbers(item, "point", w->at, 3);
        cJSON_AddItemToArray(wrenches, item);
    }
}

/* Returns the robot's data for the page. Prints a message and returns NULL on failure. */
static cJSON *page_data(const session *s, const coordinates *c, const robot_state *x,
                        const view_options *options)
{
    char *model = model_text(s->model);
    if (model == NULL) {
        return NULL;
    }
    cJSON *root = json_root(td_model_name(s->model));
    cJSON_AddItemToObject(root, "file", json_text(s->file));
    cJSON_AddItemToObject(root, "model", json_text(model));
    cJSON_AddItemToObject(root, "diagnostics", json_diagnostics(s->diagnostics, s->file));
    free(model);
    add_state(root, s, c, x);
    cJSON_AddItemToObject(root, "up_axis", cJSON_CreateBool(options->up_axis));
    const bool good =
        view_add_meshes(root, s, &options->common, options->no_meshes, options->output) &&
        add_motion(root, s->model, options->motion);
    if (!good) {
        cJSON_Delete(root);
    }
    return good ? root : NULL;
}

/* Prints the path of the page and the data that it omits. Removes "left_out" from the data. */
static void print_json(const session *s, const char *path, cJSON *data)
{
    cJSON *root = json_root(td_model_name(s->model));
    const cJSON *meshes = cJSON_GetObjectItemCaseSensitive(data, "meshes");
    cJSON_AddItemToObject(root, "output", json_text(path));
    cJSON_AddItemToObject(root, "meshes", json_count((size_t)cJSON_GetArraySize(meshes)));
    cJSON_AddItemToObject(root, "left_out",
                          cJSON_DetachItemFromObjectCaseSensitive(data, "left_out"));
    cJSON_AddItemToObject(root, "diagnostics", json_diagnostics(s->diagnostics, s->file));
    json_print(root, false);
}

/* ---- the page -------------------------------------------------------------------------------- */

/* Writes JSON into an element. Escapes "<", so that names in the file cannot become markup. */
static void put_data(FILE *stream, const char *json)
{
    fputs("<script type=\"application/json\" id=\"tandem-data\">", stream);
    while (*json != '\0') {
        const size_t plain = strcspn(json, "<");
        fwrite(json, 1, plain, stream);
        json += plain;
        if (*json == '<') {
            fputs("\\u003c", stream);
            json++;
        }
    }
    fputs("</script>", stream);
}

/* Returns whether the default output may be written: no such file exists or it is such a page. */
static bool may_replace(const char *path)
{
    char begin[sizeof page_begin] = "";
    FILE *old = fopen(path, "r");
    if (old == NULL) {
        return errno == ENOENT;
    }
    const size_t got = fread(begin, 1, sizeof page_begin - 1, old);
    fclose(old);
    return got == sizeof page_begin - 1 && memcmp(begin, page_begin, got) == 0;
}

/* Returns FILE's name with .html, in the current directory. */
static char *default_output(const char *file)
{
    const char *slash = strrchr(file, '/');
    file += td_is_bundled(file) ? strlen(TD_BUNDLED) : 0;
    const char *name = strcmp(file, "-") == 0 ? "robot" : slash != NULL ? slash + 1 : file;
    const char *dot = strrchr(name, '.');
    return text_format("%.*s.html",
                       dot != NULL && dot > name ? (int)(dot - name) : (int)strlen(name), name);
}

/* Opens the page on the desktop. xdg-open does not report failures, so the caller prints the name.
 */
static void open_page(const char *path)
{
    extern char **environ;
    static char program[] = "xdg-open";
    scoped char *real = realpath(path, NULL);
    char *words[] = {program, real, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (real == NULL || posix_spawnp(&child, program, &actions, NULL, words, environ) != 0) {
        tell_note("xdg-open is not installed; open the file in a browser");
    }
    posix_spawn_file_actions_destroy(&actions);
}

static bool write_page(const char *path, const cJSON *data)
{
    output_file file;
    const char *mark = memmem(view_page, view_page_size(), data_mark, sizeof data_mark - 1);
    if (mark == NULL) {
        complain("the page of this build is damaged");
        return false;
    }
    if (!output_open(&file, path)) {
        return false;
    }
    const char *rest = mark + sizeof data_mark - 1;
    fwrite(view_page, 1, (size_t)(mark - view_page), file.stream);
    char *json = cJSON_PrintUnformatted(data);
    put_data(file.stream, json);
    cJSON_free(json);
    fwrite(rest, 1, (size_t)(view_page + view_page_size() - rest), file.stream);
    return output_close(&file);
}

/* Writes the page of a robot in state x. x NULL: the reference configuration. */
static int write_robot(const session *s, const coordinates *c, const robot_state *x,
                       const view_options *options)
{
    if (view_page_size() == 0) {
        complain("this tandem was built without the page; build it with -Dview=enabled, which "
                 "reports what it requires");
        return EXIT_COMPUTE;
    }
    scoped char *path = options->output != NULL ? text_format("%s", options->output)
                                                : default_output(options->common.file);
    cJSON *data = NULL;
    int code = EXIT_FILE;
    if (options->output == NULL && !may_replace(path)) {
        complain("%s exists and was not written by tandem view; name a file with -o", path);
    } else {
        data = page_data(s, c, x, options);
    }
    if (data != NULL && write_page(path, data)) {
        code = EXIT_GOOD;
        const bool standard = strcmp(path, "-") == 0;
        if (options->common.json) {
            print_json(s, path, data);
        } else if (!standard && options->output == NULL) {
            put_clean(stdout, path);
            putchar('\n');
        }
        if (!standard && (options->open == 1 || (options->open < 0 && isatty(STDOUT_FILENO)))) {
            open_page(path);
        }
    }
    cJSON_Delete(data);
    return code;
}

/* Writes the page of a state in which the robot's loops close. */
static int write_state(const session *s, const coordinates *c, const robot_state *x, void *context)
{
    const td_status status = td_closure(s->model, s->workspace, x->value[QUANTITY_Q],
                                        x->value[QUANTITY_QD], NULL, NULL, NULL, NULL);
    return status != TD_OK ? session_complain(s, NULL, status) : write_robot(s, c, x, context);
}

static int run(const session *s, void *context)
{
    const view_options *options = context;
    const bool posture = options->common.assignment_count > 0 || options->common.state != NULL;
    return posture ? run_state(s, &options->common, false, context, write_state)
                   : write_robot(s, NULL, NULL, options);
}

int command_view(int argc, char **argv)
{
    view_options options = {/* the page shows wrenches at points */
                            .common = {.loads = {.apart = true}},
                            .open = -1};
    int code = run_session_needing(NEEDS_WORKSPACE, &options_of_view, argc, argv, &options, run);
    return code;
}
