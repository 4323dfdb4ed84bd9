/* SPDX-License-Identifier: MIT */
/*
 * tandem fd: computes the accelerations due to forces, for one state or a table of states.
 */
#include "command.h"
#include "commands/dynamics.h"
#include "input/option_value.h"

static const command_option command_rows[] = {
    {"tau", "JOINT=VALUE", TAU_HELP, option_assign, .at = QUANTITY_TAU},
    {0},
};
const option_set options_of_fd = {
    .rows = command_rows,
    .usage = "FILE [STATES]",
    .about =
        "Forward dynamics: compute the accelerations (rad/s², m/s²) caused by joint forces and "
        "gravity. STATES is a CSV table ('-' is standard input) with columns q:JOINT, qd:JOINT, "
        "tau:JOINT and optionally t; the result has columns qdd:JOINT. Without STATES, -q, --qd "
        "and "
        "--tau give one state. A joint that moves no inertia has no acceleration: a message names "
        "it, "
        "and its row in a table is nan.",
    .parts = {&dynamics_set, &plan_set}};

int command_fd(int argc, char **argv)
{
    return dynamics_command(&options_of_fd, argc, argv, QUANTITY_TAU);
}
