/* SPDX-License-Identifier: MIT */
/*
 * Internals of Radau's method.
 */
#ifndef TD_RADAU_INSIDE_H
#define TD_RADAU_INSIDE_H

#include "integrator_inside.h"
#include "radau_table.h"

struct td_radau {
    td_radau_table table;
    double *J;                           /* size × size: ∂f/∂x */
    double *real, *pair[TD_RADAU_PAIRS]; /* factors of λ/h − J (complex: twice as many) */
    size_t *pivot[1 + TD_RADAU_PAIRS];   /* size each */
    double factored;                     /* the h of these factors; 0: none, or for another J */
    bool known;                          /* J belongs to some state of this motion */
    bool fresh;                          /* J belongs to the current state */
    bool follows;               /* the polynomial of the last step continues into this one */
    double *z[TD_RADAU_STAGES]; /* `size` numbers each: stages minus x, of the current trial step */
    double *kept[TD_RADAU_STAGES];  /* the same for the last step: its polynomial */
    double *stage[TD_RADAU_STAGES]; /* rates of the stages; Newton's increments */
    double *pairs;                  /* 2 × size: scratch */
    double *scale;                  /* the tolerance of the error estimate */
    double *fast;                   /* size: converges to the vector that J stretches most */
    double newton;                  /* tolerance of Newton increments, as a fraction of scale */
    double contraction;             /* θ/(1 − θ) of Newton's method in the last step */
    double slowest;                 /* θ */
    double last_h, last_error;      /* of the last step; last_h is 0 before the first step */
};

/* Solves for z by Newton's method with the matrices of h. Returns the number of iterations, or 0
   if it fails. *shorter is then a factor for h that may converge, or *status has a failure of
   rate. */
int td_radau_solve(td_integrator *i, double h, double *shorter, td_status *status);

/* Computes J and the factors for h. Returns a status of rate, or TD_ERROR_STEP if a factor is
   singular. */
td_status td_radau_prepare(td_integrator *i, double h);

/* Computes the error of the step relative to its tolerance. */
td_status td_radau_error(td_integrator *i, double h, bool filtered, double *error);

#endif
