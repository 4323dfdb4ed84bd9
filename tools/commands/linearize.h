/* SPDX-License-Identifier: MIT */
/*
 * The parts of tandem linearize: options, computation and report, and code shared with tandem
 * equilibrium.
 */
#ifndef TOOL_LINEARIZE_H
#define TOOL_LINEARIZE_H

#include "input/coordinates.h"
#include "input/state.h"
#include "linear/linear.h"
#include "options.h"

/* A model of 2 n states and m inputs, and quantities derived from it. */
typedef struct linear_model {
    const coordinates *c;
    const robot_state *state;
    size_t n, m;
    char **state_name; /* "q:NAME", "qd:NAME", 2 n */
    char **input_name; /* m */
    const double *A, *B, *u, *ydd;
    double *Ad, *Bd;           /* NULL without --dt */
    double *real, *imaginary;  /* 2 n eigenvalues of A */
    size_t reached, most;      /* states that inputs surely reach, and may reach */
    double *margin;            /* 2 n: of each eigenvalue, as td_linear_controllable finds it */
    td_linear_directions idle; /* that K leaves out */
    double *K;                 /* m × 2 n; NULL without --lqr */
    double *loop_real, *loop_imaginary;
} linear_model;

typedef struct linearize_options {
    tool_options common;
    td_inputs inputs;
    bool equilibrium; /* of the nearest configuration at rest */
    const char *hold; /* names of joints that stay, with commas between; NULL */
    double dt;        /* 0: continuous */
    bool regulate;
    double weights[3];   /* of positions, velocities, inputs */
    unsigned char *held; /* nyd bytes: joints of hold */
    td_linearization *l;
    linear_model model;
    int code; /* where there is no model of the one state */
} linearize_options;

/* Tolerance of td_linear_controllable, and the word for its result for a mode. */
#define REACH_TOLERANCE 1e-10
const char *reach_word(double margin);

void linear_print(const linear_model *x, const linearize_options *options);
void linear_print_json(const linear_model *x, const linearize_options *options);
/* Rows of (A, B), of steps with --dt, one a state, as CSV, or where there is a path as an array.
   False, with a message, where they cannot be written. */
bool linear_write(const linear_model *x, const char *path);

/* Returns a flag for each velocity of the named joints or flexible links; names are separated by
   commas, NULL means none. Prints a message and returns NULL for a name of no moving part. */
unsigned char *held_joints(const td_model *model, const char *names);

#endif
