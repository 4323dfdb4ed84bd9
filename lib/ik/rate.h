/* SPDX-License-Identifier: MIT */
/*
 * What a differential inverse kinematics is made of.
 */
#ifndef TD_IK_RATE_H
#define TD_IK_RATE_H

#include "ik/ik.h"
#include "ik/program.h"
#include "tandem/ik_rate.h"

/* A velocity q̇ with bounds: ẏ itself, or a row of G. */
typedef struct td_ik_mover {
    size_t qd;                     /* place in q̇ */
    size_t q;                      /* in q, where there are limits of positions */
    size_t yd;                     /* in ẏ; TD_NONE: it follows */
    double lower, upper;           /* of its position */
    double velocity, acceleration; /* the largest; may be infinite */
} td_ik_mover;

struct td_ik_rate {
    td_ik *ik; /* goals, and which coordinates move */
    td_ik_rate_options options;
    size_t velocities, movers, followers;
    size_t needs, wishes,
        modes;        /* rows that are required and wished for; directions of the former */
    bool accelerates; /* an acceleration is bounded */
    td_ik_mover *mover;
    size_t *offset;        /* tasks: the first number among velocities */
    double *given;         /* velocities: directions of unit length */
    double *demand, *left; /* rows, by goals: desired values; residuals */
    double *q, *qd, *qdd;  /* at y; with ẏ before; with ÿ = 0 */
    double *G;             /* nv × n */
    double *lower, *upper; /* n: of ẏ, all bounds together */
    size_t *below, *above; /* n: which of q̇ these come from */
    signed char *turned;   /* n: bit 0, 1: the bound from below, above is of one that runs the
                              other way */
    double *row_lower, *row_upper; /* followers that have a row */
    size_t *row;                   /* which movers these are */
    size_t rows;
    double *B;                /* rows × columns */
    double *rest;             /* n: ẏ of coordinates without a column */
    double *need, *need_copy; /* needs × columns: ∂/∂ẏ of required rows, weighted */
    double *need_by;          /* needs */
    double *R, *value, *V;    /* its triangle; singular values, vectors of the smaller side */
    double *E, *e;            /* modes × columns: orthonormal rows */
    double *sigma;            /* of each of them */
    double *wish, *wish_by;   /* wishes × columns */
    double *H, *gradient;     /* of wished goals: ½ xᵀ H x − gradientᵀ x; H whole */
    double *column_lower, *column_upper; /* columns */
    signed char *held;                /* columns: −1, 1: those that held x in the last call, 0 */
    signed char *fixed;               /* columns: at a bound, and no unknowns */
    double *x, *multiplier;           /* columns: of the last program; > 0 at upper bounds */
    size_t *free;                     /* columns that are unknowns */
    signed char *first;               /* unknowns + rows */
    double *E_free, *e_free, *B_free; /* over those */
    double *lower_free, *upper_free, *row_lower_free, *row_upper_free;
    double *L, *slope; /* unknowns², columns */
    td_program program;
    double *before; /* nq: what the workspace remembered */
    td_stack stack;
};

/* ---- rate_goals.c ---------------------------------------------------------------------------- */

size_t td_ik_velocities_of(const td_model *model, td_ik_kind kind);
/* What the velocities ask for, row by row, into demand; poses of links being there. */
td_status td_ik_rate_demand(td_ik_rate *rate, const double *velocities);
/* Jacobians of required and of wished goals over the columns, weighted, and what they are to be */
td_status td_ik_rate_rows(td_ik_rate *rate, td_workspace *workspace);

/* ---- rate_bounds.c --------------------------------------------------------------------------- */

/* Which of q̇ (nv) follow and have bounds. */
void td_ik_rate_bounded(const td_model *model, const td_ik_rate_options *options,
                        unsigned char *bounded);
/* Counts the velocities with bounds and the followers among them, and lists them in mover (or
 * NULL). */
size_t td_ik_rate_movers(const td_ik_rate *rate, size_t *followers, td_ik_mover *mover);
/* Computes all bounds at q after q̇. If bounds contradict each other, returns false with the bounds
   that violate them least, except for rows. */
bool td_ik_rate_bounds(td_ik_rate *rate, bool moves);

/* ---- rate_levels.c --------------------------------------------------------------------------- */

/* x of the columns: what counts more before what counts less. False where bounds of rows contradict
   each other. */
bool td_ik_rate_levels(td_ik_rate *rate, td_ik_rate_result *result);

#endif
