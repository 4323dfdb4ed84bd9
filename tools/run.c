/* SPDX-License-Identifier: MIT */
/*
 * The frame of a subcommand, see run.h.
 */
#include "run.h"

#include "command.h"

int run_session(const struct argp *argp, int argc, char **argv, void *options, tool_options *common,
                session_task task)
{
    session s;
    parse_arguments(argp, argc, argv, options, common);
    int code = session_open(&s, common, false);
    if (code == EXIT_GOOD) {
        code = task(&s, options);
        session_close(&s);
    }
    options_free(common);
    return code;
}

int run_state(const session *s, const tool_options *common, bool tree_hint, void *options,
              state_task task)
{
    coordinates c = coordinates_new(s->model, common->tree);
    robot_state x = state_new(&c);
    int code = state_read(&x, &c, common, tree_hint) ? task(s, &c, &x, options) : (int)EXIT_USAGE;
    state_free(&x);
    coordinates_free(&c);
    return code;
}
