/* SPDX-License-Identifier: MIT */
/*
 * Commands that compute outputs from a state. The state comes from -q and similar options, or from
 * every row of a table. Outputs are written as text, JSON, CSV, a NumPy array or a picture.
 */
#ifndef TOOL_STATE_COMMAND_H
#define TOOL_STATE_COMMAND_H

#include "options.h"
#include "output/outputs.h"
#include "run.h"

/* A state and the forces that act in it. Arrays have the sizes of the coordinates. */
typedef struct given_state {
    const double *q, *qd;
    const double *third; /* accelerations or forces, depending on the command */
    bool third_given;    /* some entries are not defaults */
    td_forces forces;    /* from the options and the columns of the row */
} given_state;

/* The states of a batch: rows of each quantity; NULL: zeros. */
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
    unsigned used;              /* USES_...: reports missing columns of these */
    bool repeats;               /* JSON of one state repeats q, qd and the third quantity */
    bool no_tree;               /* the command has no --tree */
    bool wrenches;              /* reads columns of wrenches */
    /* Declares outputs. Prints a message and returns false if the options do not fit the robot. */
    bool (*declare)(outputs *o, const session *s, void *options);
    /* Computes the outputs of one state. out: one pointer per output. */
    td_status (*compute)(const session *s, const coordinates *c, const given_state *x,
                         void *options, double *const *out);
    /* Computes many states at once; NULL: one after the other. */
    void (*compute_batch)(const session *s, td_workspace *w, const given_states *x, void *options,
                          double *const *out, td_status *each);
    /* Adds JSON before the outputs, besides coordinates and loads; NULL: nothing. */
    void (*head)(cJSON *root, const session *s, const void *options);
    /* Prints one state as text; NULL: outputs_print. */
    void (*print)(const outputs *o, const session *s, const robot_state *x, const void *options,
                  const double *const *value);
    /* Adds one state to its JSON; NULL: outputs_add_json. */
    void (*add_json)(cJSON *root, const outputs *o, const session *s, const void *options);
    /* Ends what `declare` began, also if a state has no result; NULL: nothing. */
    void (*finish)(void *options);
} state_command;

/* Runs the command. options begin with a tool_options. Returns the exit code. It is EXIT_NEGATIVE
   if some row of a table has no result; such rows are NaN and are reported. */
int run_state_command(const state_command *command, int argc, char **argv, void *options);
/* Runs the command on a loaded robot. */
int run_state_outputs(const state_command *command, const session *s, void *options);

/* Returns TD_ERROR_NOT_FINITE if the status is TD_OK and a number is not finite. */
td_status check_finite(td_status status, const double *x, size_t count);

#endif
