/* SPDX-License-Identifier: MIT */
/*
 * What tandem id and tandem fd share. They differ in which of acceleration and force is the cause
 * that the user gives, and which the effect that is computed.
 */
#ifndef TOOL_DYNAMICS_H
#define TOOL_DYNAMICS_H

#include "options.h"
#include "output/outputs.h"

typedef struct dynamics_options {
    tool_options common;
    enum quantity cause, effect; /* QUANTITY_QDD and QUANTITY_TAU, or the reverse */
    bool reactions;              /* what joints and loops carry, too */
    td_frame frame;              /* of reactions */
    double *wrench;              /* workspace of reactions: wrenches and ambiguities */
    bool motors;                 /* forces of motors are among the outputs */
    td_status motor_status;      /* of the last state */
} dynamics_options;

/* FILE, STATES and the options of both; takes a dynamics_options. */
extern const option_set dynamics_set;

/* The declaration of forces or accelerations. */
output effect_output(const coordinates *c, enum quantity effect);

/* The subcommand; set includes dynamics_set. */
int dynamics_command(const option_set *set, int argc, char **argv, enum quantity cause);

#endif
