/* SPDX-License-Identifier: MIT */
/*
 * Code shared by tandem id and tandem fd. The user gives the cause, accelerations or forces, and
 * the command computes the effect.
 */
#ifndef TOOL_DYNAMICS_H
#define TOOL_DYNAMICS_H

#include "commands/ground.h"
#include "options.h"
#include "output/motor_watch.h"
#include "output/outputs.h"

typedef struct dynamics_options {
    tool_options common;
    enum quantity cause, effect; /* QUANTITY_QDD and QUANTITY_TAU, or the reverse */
    bool reactions;              /* also prints reactions of joints and loops */
    ground_option ground;        /* also prints ground reactions */
    td_frame frame;              /* of reactions and of the residual wrench */
    double *wrench;              /* scratch for reactions: wrenches and ambiguities */
    ground_plane plane;          /* of ground */
    bool motors;                 /* outputs include forces of motors */
    td_status motor_status;      /* at the last state */
    motor_watch watch;           /* limits of motors, in independent coordinates */
} dynamics_options;

/* FILE, STATES and the options of both commands, for a dynamics_options. */
extern const option_set dynamics_set;

/* Returns the declaration of the effect: forces or accelerations. */
output effect_output(const coordinates *c, enum quantity effect);

/* Runs the subcommand; set includes dynamics_set. */
int dynamics_command(const option_set *set, int argc, char **argv, enum quantity cause);

#endif
