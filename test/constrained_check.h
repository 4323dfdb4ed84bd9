/* SPDX-License-Identifier: MIT */
/*
 * Derivatives of constrained motion of the tree, checked: along the closure against those in
 * independent coordinates, of multipliers by the equation of motion, and against differences of the
 * motion itself.
 */
#ifndef TD_CONSTRAINED_CHECK_H
#define TD_CONSTRAINED_CHECK_H

#include "td_test.h"

/* a robot at a state of its tree, and what is found there; derivatives by q, q̇ and τ */
typedef struct constrained {
    td_model *model;
    td_workspace *w;
    size_t nq, nv, nyd, rows;
    td_forces forces;
    td_constraint_options options;
    double *y, *yd, *q, *qd, *tau;
    double *qdd, *lambda, *by[3], *lambda_by[3];
} constrained;

/* of a model, which outlives it; all numbers of the state are 0 */
constrained constrained_new(td_model *model);

/* what is found at the state */
td_status constrained_differentiate(const constrained *c);

/* After that, at q = γ(y), q̇ = G ẏ without stabilization: q̈ as in independent coordinates. */
void constrained_check_closure(const constrained *c, double tolerance);

/* after it, at any state: Kᵀ times derivatives of λ by q̇ and τ */
void constrained_check_multipliers(const constrained *c, double tolerance);

/* λ by differences of sixth order along the closure; states as for constrained_check_closure */
void constrained_check_along(const constrained *c, double h, double tolerance);

/* q̈ and λ by such differences of every position and velocity of the tree where derivatives exist
   nearby; how many were compared */
int constrained_check_differences(const constrained *c, double h, double tolerance);

/* the first three at a y that closes, with random velocities, forces and wrenches, unless H is
   singular there */
void constrained_check_at(td_random *random, td_model *model, const double *y, double tolerance);

#endif
