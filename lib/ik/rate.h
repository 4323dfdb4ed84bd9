/* SPDX-License-Identifier: MIT */
/*
 * The struct of differential inverse kinematics.
 */
#ifndef TD_IK_RATE_H
#define TD_IK_RATE_H

#include "ik/ik.h"
#include "ik/program.h"
#include "tandem/ik_rate.h"

/* A velocity q̇ with bounds: ẏ itself, or a row of G. */
typedef struct td_ik_mover {
    size_t qd;                     /* index in q̇ */
    size_t q;                      /* index in q, if the position has limits */
    size_t yd;                     /* index in ẏ; TD_NONE: a follower */
    double lower, upper;           /* limits of its position */
    double velocity, acceleration; /* largest magnitudes; may be infinite */
} td_ik_mover;

struct td_ik_rate {
    td_ik *ik; /* goals, and the coordinates that move */
    td_ik_rate_options options;
    size_t velocities, movers, followers;
    size_t needs, wishes,
        modes;        /* numbers of required rows, wished rows, and directions of the former */
    bool accelerates; /* an acceleration is bounded */
    td_ik_mover *mover;
    size_t *offset;        /* tasks: index of its first entry in velocities */
    double *given;         /* velocities, with directions normalized */
    double *demand, *left; /* rows, in the order of goals: desired values; residuals */
    double *q, *qd, *qdd;  /* at y; at the previous ẏ; for ÿ = 0 */
    double *G;             /* nv × n */
    double *lower, *upper; /* n: bounds of ẏ from all sources */
    size_t *below, *above; /* n: the index in q̇ that each bound comes from */
    /* n: bit 0 or 1: the lower or upper bound comes from a velocity of opposite sign */
    signed char *turned;
    double *row_lower, *row_upper; /* for followers that have a row */
    size_t *row;                   /* indices of these in mover */
    size_t rows;
    double *B;                /* rows × columns */
    double *rest;             /* n: ẏ of coordinates without a column */
    double *need, *need_copy; /* needs × columns: weighted derivatives of required rows by ẏ */
    double *need_by;          /* needs: their desired values */
    double *R, *value, *V;  /* triangular factor; singular values and vectors of the smaller side */
    double *E, *e;          /* modes × columns: orthonormal rows */
    double *sigma;          /* singular value of each mode */
    double *wish, *wish_by; /* wishes × columns, wishes */
    double *H, *gradient; /* for wished goals: ½ xᵀ H x − gradientᵀ x; both triangles of H */
    double *column_lower, *column_upper; /* columns */
    signed char *held;  /* columns: −1 or 1 if the bound was active in the last call, else 0 */
    signed char *fixed; /* columns: fixed at a bound, so not an unknown */
    double *x, *multiplier; /* columns: of the last program; multipliers are > 0 at upper bounds */
    size_t *free;           /* columns that are unknowns */
    signed char *first;     /* unknowns + rows */
    double *E_free, *e_free, *B_free; /* restricted to unknowns */
    double *lower_free, *upper_free, *row_lower_free, *row_upper_free;
    double *L, *slope; /* unknowns², columns */
    td_program program;
    double *before; /* nq: memory of the workspace before the call */
    td_stack stack;
};

/* ---- rate_goals.c ---------------------------------------------------------------------------- */

/* Computes the value that velocities require in each row into demand. Needs poses of links. */
td_status td_ik_rate_demand(td_ik_rate *rate, const double *velocities);
/* Computes weighted Jacobians of required and wished goals over the columns, and their desired
   values. */
td_status td_ik_rate_rows(td_ik_rate *rate, td_workspace *workspace);

/* ---- rate_bounds.c --------------------------------------------------------------------------- */

/* Marks the entries of q̇ (nv) that follow others and have bounds. */
void td_ik_rate_bounded(const td_model *model, const td_ik_rate_options *options,
                        unsigned char *bounded);
/* Counts the velocities with bounds and the followers among them, and lists them in mover (or
   NULL). */
size_t td_ik_rate_movers(const td_ik_rate *rate, size_t *followers, td_ik_mover *mover);
/* Computes all bounds at q after q̇. If bounds contradict each other, returns false with the bounds
   that violate them least, except for rows. */
bool td_ik_rate_bounds(td_ik_rate *rate, bool moves);

/* ---- rate_levels.c --------------------------------------------------------------------------- */

/* Computes x of the columns, by priority. Returns false if bounds of rows contradict each other. */
bool td_ik_rate_levels(td_ik_rate *rate, td_ik_rate_result *result);

#endif
