/* SPDX-License-Identifier: MIT */
/*
 * A table of all algorithms that compute in the coordinates of the workspace, for one state and for
 * batches, behind one signature. Tests loop over the table to check properties that every function
 * must have.
 */
#ifndef TD_FUNCTIONS_H
#define TD_FUNCTIONS_H

#include "td_test.h"

enum { MOST_PARTS = 9 };

/* Arguments of all functions; each function reads the ones it needs. Rows are as in batch.h;
   functions for one state use the first row. */
typedef struct arguments {
    const td_model *model;
    td_workspace *w;
    size_t n;
    size_t row; /* row of the wrenches that the first state uses, if wrenches are per state */
    const double *y, *yd, *ydd, *tau;
    const double *dy, *dyd, *dydd, *dtau; /* a direction; dtau also serves as a covector */
    const unsigned char *given;
    const td_forces *forces;
    size_t link;
    const double *point;
    td_frame frame;
    td_scope scope;
    double *out[MOST_PARTS]; /* n rows each */
    td_status *each;
} arguments;

/* Inputs of a function, named as in operation_list.h. Tests do not distinguish those that are 0. */
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
    TAKES_GIVEN = 8, /* hybrid dynamics: the outputs ydd and tau are also inputs */
    TAKES_FORCES = 16,
    TAKES_LINK = 32,
    TAKES_FRAME = 64,
    TAKES_SCOPE = 128,
    SOLVES = 256,
    MAY_LACK_OUTPUTS = 512, /* outputs may be NULL and are then not computed */
    MATRICES = 1024,        /* returns TD_ERROR_MATRICES in a workspace without matrices */
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

/* Returns the number of outputs, and stores how many numbers each has for one state. */
size_t function_parts(const function *f, const td_model *model, bool tree, size_t *columns);

/* Calls the function for the first state, or for all states as a batch. First copies the inputs of
   hybrid dynamics to the outputs. Does not allocate. */
td_status function_call(const function *f, const arguments *a, bool tree, bool batch);

/* Returns the arguments of one state of a batch, outputs included. */
arguments function_row(const function *f, const arguments *a, bool tree, size_t row);

/* Random states of a model with random values for all other arguments. The outputs are large enough
   for every function. */
typedef struct states {
    arguments a;
    double *y, *yd, *ydd, *tau, *direction, *wrenches, *memory;
    unsigned char *given;
    td_forces forces;
    size_t room; /* size of `memory` */
    double point[3];
} states;

states *states_new(td_random *random, const td_model *model, bool tree, size_t n);
/* Points the outputs of f at `memory` and fills all of it with `value`. Other outputs become NULL.
 */
void states_clear(states *s, const function *f, bool tree, double value);

/* Returns the builder of a random robot with a regular mass matrix: its condition is below 1e5 in
   tree coordinates at random states. robot_for builds the model for an instruction set (NULL: the
   best). It returns NULL if the machine lacks that instruction set. */
td_builder *regular_robot(td_random *random, size_t joints, size_t followers, bool scalar,
                          td_base base);
td_model *robot_for(const td_builder *builder, td_base base, const char *isa);

#endif
