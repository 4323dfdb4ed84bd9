/* SPDX-License-Identifier: MIT */
/*
 * What the files of the method for stiff equations share.
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
    double factored;                     /* the h that these are of; 0: none, or of another J */
    bool known;                          /* J is of some state of this motion */
    bool fresh;                          /* of the present one */
    bool follows;                        /* the polynomial of the last step goes on in this one */
    double *z[TD_RADAU_STAGES];     /* size each: the stages less x, of the step that is tried */
    double *kept[TD_RADAU_STAGES];  /* of the last step: its polynomial */
    double *stage[TD_RADAU_STAGES]; /* rates of the stages; Newton's increments */
    double *pairs;                  /* 2 × size: room */
    double *scale;                  /* the tolerance of the error estimate */
    double *fast;                   /* size: turns to the vector that J makes longest */
    double newton;                  /* of Newton's increments, as a part of that */
    double contraction;             /* θ/(1 − θ) of Newton's method in the last step */
    double slowest;                 /* θ */
    double last_h, last_error;      /* of the last step; last_h 0: no step yet */
};

/* Newton's method for z, with the matrices of h: the number of its iterations, 0 where it does not
   converge (*shorter is then a factor of h with which it may), or a status of rate in *status. */
int td_radau_solve(td_integrator *i, double h, double *shorter, td_status *status);

/* J, and the factors for h; a status of rate, or TD_ERROR_STEP where they are singular. */
td_status td_radau_prepare(td_integrator *i, double h);

/* The error of the step against its tolerance. */
td_status td_radau_error(td_integrator *i, double h, bool filtered, double *error);

#endif
