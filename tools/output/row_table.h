/* SPDX-License-Identifier: MIT */
/*
 * Tables of results: what fk, mass, energy, jacobian and derivatives do with a table of states.
 */
#ifndef TOOL_ROW_TABLE_H
#define TOOL_ROW_TABLE_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "input/coordinates.h"
#include "input/session.h"
#include "options.h"

/* Columns of a result, in the order in which they are added. */
typedef struct row_columns {
    char **name;
    size_t count;
} row_columns;

/* "prefix:name" */
void row_columns_add(row_columns *columns, const char *prefix, const char *name);
void row_columns_free(row_columns *columns);

/* The result of one state: columns numbers. q, qd and qdd: positions, velocities and accelerations,
   or forces, as form.forces says. */
typedef td_status (*row_function)(const session *s, const coordinates *c, const double *q,
                                  const double *qd, const double *qdd, const void *context,
                                  double *out);

typedef struct row_form {
    bool no_tree;    /* the command has no --tree */
    bool forces;     /* the third quantity of a state is forces, not accelerations */
    bool velocities; /* the result depends on velocities; missing ones are reported */
    bool causes;     /* and on the accelerations or forces */
    row_function compute;
    const void *context;
    /* Make the JSON object that gets the list "states", and complete the object of a state. */
    cJSON *(*json_head)(const coordinates *c, const void *context);
    void (*json_state)(const coordinates *c, const void *context, const double *out, cJSON *state);
} row_form;

/* Reads the table of options->states and writes one with t, where it has that, and the columns,
   which are empty then, as the options want it. A state without a result is a row of nan, and told.
   Returns the exit code: EXIT_NEGATIVE where there was one. */
int row_table(const session *s, const tool_options *options, const row_form *form,
              row_columns *columns);

#endif
