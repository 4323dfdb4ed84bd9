/* SPDX-License-Identifier: MIT */
/*
 * Identities that hold for every robot, in tree and in independent coordinates. Tests check them on
 * random, bundled and real robots.
 */
#ifndef TD_IDENTITIES_H
#define TD_IDENTITIES_H

#include "td_test.h"

/* a random state of a robot, in one kind of coordinates */
typedef struct state {
    td_model *model;
    td_workspace *w;
    bool tree;
    size_t nq, n;
    double *q, *qd, *qdd, *tau, *C, *x, *z, *H, *M;
    td_forces forces;
    double *wrenches;
} state;

/* calls the function in the coordinates of the state */
#define CALL(s, name, ...)                                                                         \
    TD_IN((s)->w, coordinates_for((s)->tree), td_##name((s)->model, (s)->w, __VA_ARGS__))

state state_new(td_model *model, bool tree);

/* Checks the given number of random states in the coordinates of the state: mass matrix, inverse
   and forward dynamics, factors, Coriolis matrix, hybrid dynamics, motion, Jacobians, momentum,
   energy and reactions. Skips checks that need H⁻¹ where H is singular. Returns the number of
   states with regular H. */
int identities_check(state *s, td_random *random, int states);

/* Computes the effect of gravity and wrenches: moment about the center of mass, and force; in world
   axes. */
void outer_wrench(const td_model *model, const td_forces *forces, const double *poses,
                  const double com[3], double sum[6]);

#endif
