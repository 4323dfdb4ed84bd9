/* SPDX-License-Identifier: MIT */
/*
 * tandem id: computes the forces of a motion, for one state or a table of states.
 */
#include "command.h"
#include "commands/dynamics.h"
#include "input/option_value.h"
#include "output/frame_name.h"

#include "options.h"

#define AT(member) .at = offsetof(dynamics_options, member)

static const command_option command_rows[] = {
    {"qdd", "JOINT=VALUE", QDD_HELP, option_assign, .at = QUANTITY_QDD},
    {"reactions", NULL, "Also print the constraint wrenches of joints and loop joints", option_flag,
     AT(reactions)},
    {"ground", "PLANE", GROUND_HELP, option_ground, AT(ground)},
    {"frame", "FRAME", FRAME_HELP, option_choose, AT(frame), .of = frame_choices},
    {0},
};
static const option_rule rules[] = {
    {"frame", "reactions ground", NULL, "--frame requires --reactions or --ground"}, {0}};
const option_set options_of_id = {
    .rows = command_rows,
    .usage = "FILE [STATES]",
    .rules = rules,
    .about = "Inverse dynamics: compute the joint forces (N m, N) that a motion "
             "needs, including gravity. "
             "STATES is a CSV table ('-' is standard input) with columns "
             "q:JOINT, qd:JOINT, qdd:JOINT and "
             "optionally t; the result has columns tau:JOINT, and u:JOINT if the "
             "motors are not simply the "
             "independent joints. Without STATES, -q, --qd and --qdd give one "
             "state.\vExamples:\n  tandem "
             "id robot.urdf -q elbow=90deg --qdd elbow=2\n  tandem id robot.urdf "
             "-q elbow=90deg --payload "
             "hand=5@0.1,0,0\n  tandem id robot.urdf motion.csv --wrench "
             "hand=0,0,-20@0.1,0,0\n  tandem id "
             "robot.urdf motion.csv -o torques.csv\n  tandem id robot.urdf "
             "motion.csv --plot torques.svg\n  "
             "tandem id robot.urdf motion.csv --keep | tandem fd robot.urdf -\n  "
             "tandem id robot.urdf motion.csv --base floating --ground 0,0,0",
    .parts = {&dynamics_set, &actuated_set}};

int command_id(int argc, char **argv)
{
    return dynamics_command(&options_of_id, argc, argv, QUANTITY_QDD);
}
