/* SPDX-License-Identifier: MIT */
/*
 * Dynamics of a table of states: what tandem id and tandem fd do with STATES.
 */
#ifndef TOOL_DYNAMICS_TABLE_H
#define TOOL_DYNAMICS_TABLE_H

#include "input/coordinates.h"
#include "input/session.h"
#include "input/state_form.h"
#include "options.h"

typedef struct dynamics_options {
    tool_options common;
    enum quantity cause, effect; /* QUANTITY_QDD and QUANTITY_TAU, or the reverse */
    bool reactions;              /* what joints and loops carry, too */
    td_frame frame;              /* of reactions */
    bool framed;                 /* whether --frame was given */
} dynamics_options;

/* Reads the table of options->common.states ("-" is standard input) and writes one of forces or
   accelerations, in CSV, JSON or as an array. Returns the exit code. */
int dynamics_table(const session *s, const coordinates *c, const dynamics_options *options);

#endif
