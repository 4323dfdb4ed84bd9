/* SPDX-License-Identifier: MIT */
/*
 * tandem id: the forces that a motion needs, for one state or a table of them.
 */
#include "command.h"
#include "commands/dynamics.h"
#include "output/frame_name.h"

#include "options.h"

enum { KEY_QDD = 0x200, KEY_REACTIONS, KEY_FRAME };

static error_t parse(int key, char *arg, struct argp_state *state)
{
    dynamics_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = options;
        break;
    case KEY_QDD:
        options_assign(&options->common, QUANTITY_QDD, arg);
        break;
    case KEY_REACTIONS:
        options->reactions = true;
        break;
    case KEY_FRAME:
        options->frame = option_frame(arg, state);
        options->framed = true;
        break;
    case ARGP_KEY_END:
        if (options->framed && !options->reactions) {
            option_error(state, "--frame requires --reactions");
        }
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_option argp_options[] = {
    {"qdd", KEY_QDD, "JOINT=VALUE", 0, QDD_HELP, 0},
    {"reactions", KEY_REACTIONS, NULL, 0,
     "Also print the constraint wrenches of joints and loop joints", 0},
    {"frame", KEY_FRAME, "FRAME", 0, FRAME_HELP, 0},
    {0},
};
static const struct argp_child children[] = {
    {&dynamics_argp, 0, NULL, 0}, {&actuated_argp, 0, NULL, 0}, {0}};
const struct argp id_argp = {
    argp_options,
    parse,
    "FILE [STATES]",
    "Inverse dynamics: compute the joint forces (N m, N) that a motion needs, including gravity. "
    "STATES is a CSV table ('-' is standard input) with columns q:JOINT, qd:JOINT, qdd:JOINT and "
    "optionally t; the result has columns tau:JOINT, and u:JOINT if the motors are not simply the "
    "independent joints. Without STATES, -q, --qd and --qdd give one state.\vExamples:\n  tandem "
    "id robot.urdf -q elbow=90deg --qdd elbow=2\n  tandem id robot.urdf -q elbow=90deg --payload "
    "hand=5@0.1,0,0\n  tandem id robot.urdf motion.csv --wrench hand=0,0,-20@0.1,0,0\n  tandem id "
    "robot.urdf motion.csv -o torques.csv\n  tandem id robot.urdf motion.csv --plot torques.svg\n  "
    "tandem id robot.urdf motion.csv --keep | tandem fd robot.urdf -",
    children,
    NULL,
    NULL};

int command_id(int argc, char **argv)
{
    return dynamics_command(&id_argp, argc, argv, QUANTITY_QDD);
}
