/* SPDX-License-Identifier: MIT */
/*
 * What joints and closed loops carry in one state, for tandem id --reactions.
 */
#ifndef TOOL_REACTIONS_H
#define TOOL_REACTIONS_H

#include <cjson/cJSON.h>

#include "commands/dynamics_table.h"
#include "input/state.h"

typedef struct reactions {
    const td_model *model;
    td_frame frame;
    bool tree;
    size_t listed;                            /* joints: all except joints of wrenches at points */
    double *joints, *loops;                   /* 6 each: moment and force */
    double *joint_ambiguity, *loop_ambiguity; /* as td_loop_reactions has them */
} reactions;

/* In a state whose motion is complete. The reactions must be freed, whatever the status. */
td_status reactions_find(reactions *r, const session *s, const coordinates *c, const robot_state *x,
                         const dynamics_options *options);
void reactions_free(reactions *r);

/* Names of the components of a wrench that self-stress changes, with blanks between: "mx fy". */
typedef struct open_parts {
    char text[24];
} open_parts;
open_parts reactions_open(const double ambiguity[6]);

/* A table to standard output: components that the equations of motion do not determine are named.
 */
void reactions_print(const reactions *r);
/* Adds "reactions" and "loop_reactions" by name, each with its numbers and non-unique parts. */
void reactions_add_json(const reactions *r, cJSON *root);

#endif
