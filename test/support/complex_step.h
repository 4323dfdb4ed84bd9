/* SPDX-License-Identifier: MIT */
/*
 * Runs the library's functions over complex numbers, with kernels that exist only in tests, and so
 * computes directional derivatives without differences. A test that uses this header links with
 * these kernels.
 */
#ifndef TD_COMPLEX_STEP_H
#define TD_COMPLEX_STEP_H

#include "dynamics/workspace.h"
#include "functions.h"
#include "model/model.h"

extern const td_kernels td_kernels_quad, td_kernels_complex;

/* Returns the same robot with other kernels for its batches. It must not outlive the model. */
td_model over(const td_model *model, const td_kernels *kernels);

/* a robot, one of its states, and the same state over complex numbers */
typedef struct fixture {
    td_kernels kernels;
    td_model *model, complex_model;
    bool tree;
    size_t nq, n, links;
    states *s;
    td_workspace *w;
    double *rate; /* entries of y */
    double *out, *derivative;
    double tolerance;
} fixture;

fixture *fixture_new(td_random *random, td_model *model, bool tree);

/* returns the function of the table with that name */
const function *named(const char *name);

/* Sets up the complex arguments: y moves along qd, and yd along qdd (NULL: no motion). */
arguments moving(fixture *f, const double *qd, const double *qdd);

/* calls a function for one state with the arguments of the state; results go to f->out */
const double *value(fixture *f, const char *name);

/* computes the derivative of a function along that motion into f->derivative */
const double *derivative(fixture *f, const char *name, const double *qd, const double *qdd);

#endif
