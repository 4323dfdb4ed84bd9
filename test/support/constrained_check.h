/* SPDX-License-Identifier: MIT */
/*
 * Checks the derivatives of constrained motion in tree coordinates in three ways: along the
 * closure, against those in independent coordinates; for multipliers, by the equation of motion;
 * and against differences of the motion.
 */
#ifndef TD_CONSTRAINED_CHECK_H
#define TD_CONSTRAINED_CHECK_H

#include "td_test.h"

/* a robot, a state in tree coordinates, and results: accelerations, multipliers, and their
   derivatives with respect to q, q̇ and τ */
typedef struct constrained {
    td_model *model;
    td_workspace *w;
    size_t nq, nv, nyd, rows;
    td_forces forces;
    td_constraint_options options;
    double *y, *yd, *q, *qd, *tau;
    double *qdd, *lambda, *by[3], *lambda_by[3];
} constrained;

/* Allocates the arrays for a model, which must outlive them. All numbers of the state are 0. */
constrained constrained_new(td_model *model);

/* computes the derivatives at the state */
td_status constrained_differentiate(const constrained *c);

/* Checks q̈ against independent coordinates at q = γ(y), q̇ = G ẏ without stabilization. Call
   constrained_differentiate first. */
void constrained_check_closure(const constrained *c, double tolerance);

/* checks Kᵀ ∂λ/∂q̇ and Kᵀ ∂λ/∂τ at any state; call constrained_differentiate first */
void constrained_check_multipliers(const constrained *c, double tolerance);

/* checks λ against sixth-order differences along the closure; same states as
   constrained_check_closure */
void constrained_check_along(const constrained *c, double h, double tolerance);

/* Checks q̈ and λ against sixth-order differences for every position and velocity of the tree whose
   derivatives exist nearby. Returns the number of directions compared. */
int constrained_check_differences(const constrained *c, double h, double tolerance);

/* Runs the first three checks at a y that closes, with random velocities, forces and wrenches.
   Where H is singular it checks the status only. */
void constrained_check_at(td_random *random, td_model *model, const double *y, double tolerance);

#endif
