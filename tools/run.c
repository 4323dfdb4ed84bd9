/* SPDX-License-Identifier: MIT */
/*
 * Runs subcommands on robots, see run.h.
 */
#include "run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "input/npy.h"
#include "input/passive.h"
#include "output/json.h"
#include "output/limit_watch.h"
#include "output/output_file.h"
#include "output/plot_pipe.h"
#include "output/table.h"
#include "text.h"

/* Draws a table file. Returns an exit code. */
static int draw_file(const char *path, const plot_options *picture)
{
    plot_table t = {0};
    const int code = plot_table_read(&t, path) ? plot_write(&t, picture) : (int)EXIT_FILE;
    plot_table_free(&t);
    return code;
}

/* Runs the task and draws its table, or draws the table file that it already wrote. */
static int run_drawing(const session *s, void *options, const tool_options *common,
                       session_task task)
{
    char *x = common->plot_x != NULL ? text_format("q:%s", common->plot_x) : NULL;
    size_t joints;
    plot_joint *joint = plot_joints_new(s->model, &joints);
    const plot_options picture = {.output = common->plot,
                                  .title = td_model_name(s->model),
                                  .x = x,
                                  .joint = joint,
                                  .joints = joints,
                                  .results = true,
                                  .energy = plot_energy(s->model)};
    plot_pipe p;
    int code = EXIT_FILE;
    if (common->drawn != NULL) {
        code = draw_file(common->drawn, &picture);
    } else if (plot_pipe_open(&p, &picture)) {
        code = task(s, options);
        int drawn = plot_pipe_close(&p, code <= EXIT_COMPUTE);
        code = drawn > code ? drawn : code;
    }
    plot_joints_free(joint, joints);
    free(x);
    return code;
}

static int run_task(const session *s, void *options, const tool_options *common, session_task task)
{
    const bool pipe = common->plot != NULL && common->drawn == NULL;
    return pipe ? run_drawing(s, options, common, task) : task(s, options);
}

/* Runs the task with its table redirected to the file of -o. */
static int run_into_file(const session *s, void *options, const tool_options *common,
                         session_task task)
{
    output_file file;
    int before;
    if (!output_open(&file, common->output)) {
        return EXIT_FILE;
    }
    if (file.stream == stdout) { /* "-" */
        return run_task(s, options, common, task);
    }
    if (!output_redirect(&file, &before)) {
        complain("%s: %s", common->output, strerror(errno));
        output_drop(&file);
        return EXIT_FILE;
    }
    int code = run_task(s, options, common, task);
    const bool written = output_restore(before);
    if (!written) {
        complain("%s: %s", common->output, strerror(errno));
    }
    if (!written || exit_failed(code)) {
        output_drop(&file);
        return written ? code : (int)EXIT_FILE;
    }
    return output_close(&file) ? code : (int)EXIT_FILE;
}

/* Runs the task on options->file. */
static int run_file(tool_options *common, void *options, session_task task)
{
    session s;
    int code = session_open(&s, common, common->quiet);
    if (code == EXIT_GOOD) {
        const bool file = common->output != NULL && !npy_is_path(common->output);
        code = EXIT_FILE;
        if (common->drawn == NULL || plot_possible()) {
            code = (file ? run_into_file : run_task)(&s, options, common, task);
        }
        if (common->drawn != NULL && code < EXIT_USAGE) {
            const int drawn = run_drawing(&s, options, common, task);
            code = drawn > code ? drawn : code;
        }
        if (!exit_failed(code) && flush_output() == 0) { /* the reader still reads */
            passive_tell(common, &s);
        }
        session_close(&s);
    }
    return code;
}

/* Flushes the output and prints "==> FILE <==", like head and tail. Returns whether both worked. */
static bool put_file_heading(const tool_options *common, const char *file)
{
    scoped char *text = text_format("%s==> %s <==", common->comment != NULL ? common->comment : "",
                                    strcmp(file, "-") == 0 ? "<stdin>" : file);
    put_heading(text);
    putchar('\n');
    return flush_output() == 0;
}

/* Runs the task on every file, with a heading for each. Returns the largest exit code. */
static int run_files(tool_options *common, void *options, session_task task)
{
    int worst = EXIT_GOOD;
    if (common->json) {
        json_files_begin();
    }
    for (size_t i = 0; i < common->file_count; i++) {
        common->file = common->each[i];
        if (common->json) {
            json_files_next(common->file);
        } else {
            printf("%s", i > 0 ? "\n" : "");
            if (!put_file_heading(common, common->file)) {
                return EXIT_FILE; /* main reports the reason */
            }
        }
        const int code = run_file(common, options, task);
        worst = code > worst ? code : worst;
    }
    if (common->json) {
        json_files_end();
    }
    return worst;
}

int run_session(const option_set *set, int argc, char **argv, void *options, session_task task)
{
    return run_session_needing(NEEDS_MATRICES, set, argc, argv, options, task);
}

int run_robots(workspace_needs needs, tool_options *common, void *context, session_task task)
{
    common->needs = needs > common->needs ? needs : common->needs;
    const int code =
        common->file_count > 1 ? run_files(common, context, task) : run_file(common, context, task);
    options_free(common);
    return code;
}

int run_session_needing(workspace_needs needs, const option_set *set, int argc, char **argv,
                        void *options, session_task task)
{
    parse_arguments(set, argc, argv, options);
    return run_robots(needs, options, options, task);
}

int run_state(const session *s, const tool_options *common, bool tree_hint, void *options,
              state_task task)
{
    coordinates c = coordinates_new(s->model, common->tree);
    robot_state x = state_new(&c);
    int code = state_read(&x, &c, common, tree_hint);
    if (code == EXIT_GOOD) {
        tell_limits(s->model, s->workspace, c.tree, x.value[QUANTITY_Q]);
        code = task(s, &c, &x, options);
    }
    state_free(&x);
    coordinates_free(&c);
    return code;
}
