/* SPDX-License-Identifier: MIT */
/*
 * The struct of a linearization.
 */
#ifndef TD_LINEARIZATION_H
#define TD_LINEARIZATION_H

#include "base/stack.h"
#include "tandem/actuation.h"
#include "tandem/chart.h"
#include "tandem/linearize.h"

struct td_linearization {
    const td_model *model;
    td_inputs inputs;
    bool turns; /* a joint has a quaternion, so ad(ẏ) can be nonzero */
    size_t ny, n, m, nv;
    double *A, *B;            /* 2n × 2n, 2n × m */
    double *ydd, *u;          /* n, m */
    double *rest;             /* n */
    double *tau;              /* n: τ_y = M_uᵀ u */
    double *map;              /* M_u, m × n */
    double *Hinv;             /* H⁻¹, n × n; or K = ∂τ_y/∂y */
    double *along;            /* ∂ÿ/∂y, n × n; reused for other matrices */
    double *rate;             /* ∂ÿ/∂ẏ, n × n */
    double *map_along;        /* ∂(M_uᵀ u)/∂y, n × n */
    double *product;          /* n × n */
    double *G, *qd;           /* nv × n, nv */
    double *q;                /* nq */
    double *direction;        /* n: a step of the equilibrium */
    double *moved;            /* ny: y after a step */
    double *start, *step;     /* ny, n: for the equilibrium */
    double *residual, *other; /* n each */
    td_stack stack;           /* the block of all arrays, and scratch above them */
};

/* Computes τ_y = M_uᵀ u into tau. */
td_status td_input_forces(td_linearization *l, td_workspace *workspace, const double *y,
                          const double *u, double *tau);
/* Computes l->map_along = ∂(M_uᵀ u)/∂y; zeros if the inputs are forces. */
td_status td_input_tangent(td_linearization *l, td_workspace *workspace, const double *y,
                           const double *u);

#endif
