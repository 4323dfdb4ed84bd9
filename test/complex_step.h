/* SPDX-License-Identifier: MIT */
/*
 * Functions over other numbers, in the kernels that only tests have, and through those over complex
 * numbers the derivatives of functions in any direction, free of differences. A test that uses it
 * links with those kernels.
 */
#ifndef TD_COMPLEX_STEP_H
#define TD_COMPLEX_STEP_H

#include "dynamics/workspace.h"
#include "functions.h"
#include "model/model.h"

extern const td_kernels td_kernels_quad, td_kernels_complex;

/* the same robot with other kernels for its batches; lives as long as the model */
td_model over(const td_model *model, const td_kernels *kernels);

/* a robot, a state of it, and the same over complex numbers */
typedef struct fixture {
    td_kernels kernels;
    td_model *model, complex_model;
    bool tree;
    size_t nq, n, links;
    states *s;
    td_workspace *w;
    double *rate; /* of y */
    double *out, *derivative;
    double tolerance;
} fixture;

fixture *fixture_new(td_random *random, td_model *model, bool tree);

/* the function of the table of that name */
const function *named(const char *name);

/* The arguments over complex numbers, y moving along qd and yd along qdd (NULL: they rest). */
arguments moving(fixture *f, const double *qd, const double *qdd);

/* f->out: a function of one state with the arguments of the state */
const double *value(fixture *f, const char *name);

/* f->derivative: the derivative of a function of one state in that motion */
const double *derivative(fixture *f, const char *name, const double *qd, const double *qdd);

#endif
