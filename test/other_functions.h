/* SPDX-License-Identifier: MIT */
/*
 * The functions of a model and a workspace that are not in the table of functions.h, because they
 * exist once or twice only, behind one signature; and the declarations of all such functions as the
 * public headers have them.
 */
#ifndef TD_OTHER_FUNCTIONS_H
#define TD_OTHER_FUNCTIONS_H

#include "td_test.h"

enum { OTHER_STATES = 3, OTHER_PARTS = 8 };

/* What functions take, room for every kind; each picks what is its own. Functions of batches take
   OTHER_STATES rows, the others the first. */
typedef struct other_arguments {
    const td_model *model;
    td_workspace *w;
    double *y, *yd, *ydd, *q, *qd, *qdd, *tau, *u, *loop;
    double *ones;
    size_t *index;
    const td_forces *forces;
    size_t element; /* which loop or spring */
    double *out[OTHER_PARTS];
    size_t room; /* numbers in each of them */
    td_status each[OTHER_STATES];
} other_arguments;

/* The configuration that a function takes: none, y or q. */
typedef enum configuration { CONFIGURATION_none, CONFIGURATION_y, CONFIGURATION_q } configuration;

typedef struct other_function {
    const char *name;           /* with td_ in front, and batch_ for those of batches */
    td_coordinates coordinates; /* of the workspace in the call; functions that compute in either
                                   have a row for each */
    configuration takes;
    const char *arguments; /* as TD_OTHER_OPERATIONS has them; NULL for functions that are none */
    td_status (*call)(other_arguments *a);  /* in these coordinates */
    td_status (*as_is)(other_arguments *a); /* in those of the workspace */
} other_function;

extern const other_function other_functions[];
extern const size_t other_function_count;

/* A random state, closed if the model has loops, and outputs full of that value. */
other_arguments *other_arguments_new(td_random *random, const td_model *model, double value);
/* whether all outputs and statuses are what they were set to at first */
bool other_outputs_untouched(const other_arguments *a, double value);

/* The next function of a model and a workspace in the text of a header, from *at on: its name
   (td_ included) and its arguments. False at the end. */
bool next_declaration(const char **at, char *name, size_t room, const char **arguments,
                      size_t *length);
/* all public headers, one behind the other; free() it. NULL where they are not at hand. */
char *public_headers(void);

#endif
