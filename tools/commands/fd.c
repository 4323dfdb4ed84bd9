/* SPDX-License-Identifier: MIT */
/*
 * tandem fd: the accelerations that forces cause, for one state or a table of them.
 */
#include "command.h"
#include "commands/dynamics.h"

enum { KEY_TAU = 0x200 };

static error_t parse(int key, char *arg, struct argp_state *state)
{
    dynamics_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = options;
        break;
    case KEY_TAU:
        options_assign(&options->common, QUANTITY_TAU, arg);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_option argp_options[] = {
    {"tau", KEY_TAU, "JOINT=VALUE", 0, TAU_HELP, 0},
    {0},
};
static const struct argp_child children[] = {
    {&dynamics_argp, 0, NULL, 0}, {&plan_argp, 0, NULL, 0}, {0}};
const struct argp fd_argp = {
    argp_options,
    parse,
    "FILE [STATES]",
    "Forward dynamics: compute the accelerations (rad/s², m/s²) caused by joint forces and "
    "gravity. STATES is a CSV table ('-' is standard input) with columns q:JOINT, qd:JOINT, "
    "tau:JOINT and optionally t; the result has columns qdd:JOINT. Without STATES, -q, --qd and "
    "--tau give one state. A joint that moves no inertia has no acceleration: a message names it, "
    "and its row in a table is nan.",
    children,
    NULL,
    NULL};

int command_fd(int argc, char **argv)
{
    return dynamics_command(&fd_argp, argc, argv, QUANTITY_TAU);
}
