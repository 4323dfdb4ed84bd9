/* SPDX-License-Identifier: MIT */
/*
 * Identities that hold for every robot, in tree and in independent coordinates; the tests run them
 * on random, bundled and real robots.
 */
#ifndef TD_IDENTITIES_H
#define TD_IDENTITIES_H

#include "td_test.h"

/* a random state of a robot, in the coordinates of one space */
typedef struct state {
    td_model *model;
    td_workspace *w;
    bool tree;
    size_t nq, n;
    double *q, *qd, *qdd, *tau, *C, *x, *z, *H, *M;
    td_forces forces;
    double *wrenches;
} state;

/* the function in the coordinates of the state */
#define CALL(s, name, ...)                                                                         \
    TD_IN((s)->w, coordinates_for((s)->tree), td_##name((s)->model, (s)->w, __VA_ARGS__))

state state_new(td_model *model, bool tree);

/* Checks that many random states in the coordinates of the state: mass matrix, inverse and forward
   dynamics, factors, Coriolis matrix, hybrid dynamics, motion, Jacobians, momentum, energy and
   reactions. What needs H⁻¹ is left out where H is singular. Returns the number of states at which
   it was not. */
int identities_check(state *s, td_random *random, int states);

#endif
