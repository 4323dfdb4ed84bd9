/* SPDX-License-Identifier: MIT */
/*
 * All algorithms that compute in the coordinates of the workspace, for one state and for many,
 * behind one signature, as a table: what must hold for every function is tested by a loop over it.
 */
#ifndef TD_FUNCTIONS_H
#define TD_FUNCTIONS_H

#include "td_test.h"

enum { MOST_PARTS = 9 };

/* What functions take; each picks what is its own. Rows as in batch.h; the functions of one state
   take the first. */
typedef struct arguments {
    const td_model *model;
    td_workspace *w;
    size_t n;
    size_t row; /* of forces' wrenches, where these are per state: of the first state */
    const double *y, *yd, *ydd, *tau;
    const double *dy, *dyd, *dydd, *dtau; /* a direction; dtau is a covector, too */
    const unsigned char *given;
    const td_forces *forces;
    size_t link;
    const double *point;
    td_frame frame;
    td_scope scope;
    double *out[MOST_PARTS]; /* n rows each */
    td_status *each;
} arguments;

/* What a function takes beside its outputs, as operation_list.h says it; what is 0 is not asked for
   by tests. */
enum {
    TAKES_Y = 0,
    TAKES_TERMS = 0,
    TAKES_AXES = 0,
    TAKES_DY = 0,
    TAKES_DYD = 0,
    TAKES_DYDD = 0,
    TAKES_DTAU_Y = 0,
    TAKES_COVECTOR = 0,
    TAKES_YD = 1,
    TAKES_YDD = 2,
    TAKES_TAU = 4,
    TAKES_TAU_Y = TAKES_TAU,
    TAKES_B = TAKES_TAU,
    TAKES_GIVEN = 8, /* hybrid dynamics: outputs are ydd and tau, and come in as those */
    TAKES_FORCES = 16,
    TAKES_LINK = 32,
    TAKES_FRAME = 64,
    TAKES_SCOPE = 128,
    SOLVES = 256,
    MAY_LACK_OUTPUTS = 512, /* parts that are NULL are not wanted */
    MATRICES = 1024,        /* TD_ERROR_MATRICES in a workspace without them */
    TAKES_POINT = 4096,
};

typedef td_status (*call)(const arguments *a);

typedef struct function {
    const char *name;
    unsigned takes;
    call single, batch;
    size_t (*parts)(const td_model *model, bool tree, size_t *columns);
} function;

extern const function functions[];
extern const size_t function_count;

/* Number of outputs, and of the numbers that each has for one state. */
size_t function_parts(const function *f, const td_model *model, bool tree, size_t *columns);

/* Calls it for the first state, or for all as a batch. What hybrid dynamics is given is copied to
   the outputs first. Allocates nothing. */
td_status function_call(const function *f, const arguments *a, bool tree, bool batch);

/* The arguments of one state of a batch, its outputs included. */
arguments function_row(const function *f, const arguments *a, bool tree, size_t row);

/* Random states of a model and everything else at random, in memory of its own: outputs large
   enough for every function. */
typedef struct states {
    arguments a;
    double *y, *yd, *ydd, *tau, *direction, *wrenches, *memory;
    unsigned char *given;
    td_forces forces;
    size_t room; /* numbers in memory */
    double point[3];
} states;

states *states_new(td_random *random, const td_model *model, bool tree, size_t n);
/* Points the outputs at memory, all of which becomes that value; zeros where those are kept. */
void states_clear(states *s, const function *f, bool tree, double value);

/* The builder of a random robot whose mass matrix is regular (its condition below 1e5, in the
   tree's coordinates, at random states), and a model of it for an instruction set (NULL: the best),
   NULL where the machine has none such. */
td_builder *regular_robot(td_random *random, size_t joints, size_t followers, bool scalar,
                          td_base base);
td_model *robot_for(const td_builder *builder, td_base base, const char *isa);

#endif
