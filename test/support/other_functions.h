/* SPDX-License-Identifier: MIT */
/*
 * Functions that take a model and a workspace but exist in one or two forms only, so the table of
 * functions.h lacks them, behind one signature. Also finds the declarations of all such functions
 * in the public headers.
 */
#ifndef TD_OTHER_FUNCTIONS_H
#define TD_OTHER_FUNCTIONS_H

#include "td_test.h"

enum { OTHER_STATES = 3, OTHER_PARTS = 8 };

/* Arguments of all functions; each reads the ones it needs. Batch functions use OTHER_STATES rows,
   others the first row. */
typedef struct other_arguments {
    const td_model *model;
    td_workspace *w;
    double *y, *yd, *ydd, *q, *qd, *qdd, *tau, *u, *loop;
    double *ones;
    size_t *index;
    const td_forces *forces;
    size_t element; /* index of a loop or spring */
    double *out[OTHER_PARTS];
    size_t room; /* numbers in each output */
    td_status each[OTHER_STATES];
} other_arguments;

/* The configuration that a function takes: none, y or q. */
typedef enum configuration { CONFIGURATION_none, CONFIGURATION_y, CONFIGURATION_q } configuration;

typedef struct other_function {
    const char *name;           /* with the prefix td_, and td_batch_ for batch functions */
    td_coordinates coordinates; /* coordinates of the workspace during the call; functions that
                                   compute in either have a row for each */
    configuration takes;
    const char *arguments;                  /* as in TD_OTHER_OPERATIONS; NULL for non-operations */
    td_status (*call)(other_arguments *a);  /* calls it in these coordinates */
    td_status (*as_is)(other_arguments *a); /* calls it in the coordinates of the workspace */
} other_function;

extern const other_function other_functions[];
extern const size_t other_function_count;

/* Creates a random state, closed if the model has loops. Fills the outputs with `value`. */
other_arguments *other_arguments_new(td_random *random, const td_model *model, double value);
/* returns whether all outputs and statuses still have their initial values */
bool other_outputs_untouched(const other_arguments *a, double value);

/* Finds the next function that takes a model and a workspace in the text of a header, from *at on.
   Stores its name (td_ included) and its arguments. Returns false at the end. */
bool next_declaration(const char **at, char *name, size_t room, const char **arguments,
                      size_t *length);
/* Returns the text of all public headers, to be freed by the caller, or NULL if they are not
   available. */
char *public_headers(void);

#endif
