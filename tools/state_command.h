/* SPDX-License-Identifier: MIT */
/*
 * Commands over a state: each declares its outputs and computes them. The state comes from -q and
 * similar options, or from every row of a table; the outputs are written as text, JSON, CSV, an
 * array of NumPy or a picture.
 */
#ifndef TOOL_STATE_COMMAND_H
#define TOOL_STATE_COMMAND_H

#include "options.h"
#include "output/outputs.h"
#include "run.h"

/* A state and the forces that act in it. Arrays have the sizes of the coordinates. */
typedef struct given_state {
    const double *q, *qd;
    const double *third; /* accelerations or forces, as the command has it */
    bool third_given;    /* a part of it is not a default */
    td_forces forces;    /* of the options, and of the columns of the row */
} given_state;

/* States as a batch has them: rows of each quantity; NULL: zeros. */
typedef struct given_states {
    size_t count;
    const double *q, *qd, *third;
    td_forces forces;
} given_states;

enum { USES_Q = 1, USES_QD = 2, USES_THIRD = 4, USES_ALL = 7 };

typedef struct state_command {
    const option_set *set;
    workspace_needs needs;
    const enum quantity *third; /* QUANTITY_QDD or QUANTITY_TAU; NULL: QUANTITY_QDD */
    unsigned used;              /* USES_...: missing columns of these are reported */
    bool repeats;               /* JSON of one state repeats q, qd and the third quantity */
    bool no_tree;               /* the command has no --tree */
    bool wrenches;              /* columns of wrenches are read */
    /* Declares the outputs. Returns false, with a message, where the options do not fit the robot.
     */
    bool (*declare)(outputs *o, const session *s, void *options);
    /* Computes the outputs of one state; out: of each output. */
    td_status (*compute)(const session *s, const coordinates *c, const given_state *x,
                         void *options, double *const *out);
    /* Computes many states at once; NULL: one after the other. */
    void (*compute_batch)(const session *s, td_workspace *w, const given_states *x, void *options,
                          double *const *out, td_status *each);
    /* Adds what JSON has before the outputs beside coordinates and loads; NULL: nothing. */
    void (*head)(cJSON *root, const session *s, const void *options);
    /* Prints one state as text; NULL: outputs_print. */
    void (*print)(const outputs *o, const session *s, const robot_state *x, const void *options,
                  const double *const *value);
    /* Adds one state to its JSON; NULL: outputs_add_json. */
    void (*add_json)(cJSON *root, const outputs *o, const session *s, const void *options);
} state_command;

/* Runs the command. options begin with a tool_options. Returns the exit code: EXIT_NEGATIVE where
   a row of a table has no result, which is then NaN and reported. */
int run_state_command(const state_command *command, int argc, char **argv, void *options);
/* The same for a robot that is loaded. */
int run_state_outputs(const state_command *command, const session *s, void *options);

/* TD_ERROR_NOT_FINITE where the status is TD_OK and a number is not finite. */
td_status check_finite(td_status status, const double *x, size_t count);

#endif
