/* SPDX-License-Identifier: MIT */
/*
 * The loop closure q = γ(y), q̇ = G ẏ, q̈ = G ÿ + g (Table 1 and equations 9 and 16 of "Integrating
 * Mimic Joints into Dynamics Algorithms", Kumar et al. 2017). For mimic joints γ(y) = M y + b,
 * G = M (restricted to velocities) and g = 0: exact, nothing is iterated. For a robot without
 * couplings γ is the identity.
 */
#ifndef TANDEM_CLOSURE_H
#define TANDEM_CLOSURE_H

#include "tandem/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* q (nq) from y (ny); qd (nv) from yd (nyd); qdd (nv) from ydd (nyd). NULL yd or ydd means zero; an
   output that is NULL is not computed. Outputs must not alias inputs, here and below. O(nonzeros of
   M). */
TD_API td_status td_closure(const td_model *model, td_workspace *workspace, const double *y,
                            const double *yd, const double *ydd, double *q, double *qd,
                            double *qdd);

/* tau_y (nyd) = Gᵀ tau (nv), at y (ny). */
TD_API td_status td_reduce_force(const td_model *model, td_workspace *workspace, const double *y,
                                 const double *tau, double *tau_y);

/* The independent coordinates of a tree configuration: y (ny) from q (nq), and the largest
   |q − γ(y)| over the dependent coordinates in *residual (which may be NULL). */
TD_API td_status td_independent(const td_model *model, td_workspace *workspace, const double *q,
                                double *y, double *residual);

/* G at y, dense (nv × nyd, row-major). For linear closures y may be NULL. */
TD_API td_status td_closure_jacobian(const td_model *model, td_workspace *workspace,
                                     const double *y, double *G);

/* The linear closure q = M y + b: M by compressed rows. row has rows + 1 entries; the nonzeros of
   row i are column[k], value[k] for row[i] ≤ k < row[i + 1]. Pointers live as long as the model. */
typedef struct td_sparse {
    size_t rows, columns;
    const int *row;
    const int *column;
    const double *value;
} td_sparse;

TD_API td_sparse td_closure_matrix(const td_model *model);          /* M, nq × ny */
TD_API td_sparse td_closure_velocity_matrix(const td_model *model); /* G, nv × nyd */
TD_API const double *td_closure_offset(const td_model *model);      /* b, nq */

/* Limits of an independent joint as its followers leave them. Infinite where nothing binds; the
   joints that bind by index, -1 for none. lower > upper: no position satisfies all. effort is the
   largest force along the coordinate that overloads no joint even if all of it goes to that one:
   the smallest |α| · effort. */
typedef struct td_effective_limit {
    double lower, upper;
    double velocity;
    double effort;
    int lower_joint, upper_joint, velocity_joint, effort_joint;
} td_effective_limit;

/* For the joint of that index. A fixed, dependent, planar or floating joint has none: infinite, -1.
   O(1), decided at load. */
TD_API td_effective_limit td_effective_limit_at(const td_model *model, size_t joint);

/* Independent joints whose position in y is outside their effective limits by more than rounding
   (10⁻⁹): how many there are, and the first room of them in joints (which may be NULL with room 0).
 */
TD_API size_t td_outside_limits(const td_model *model, const double *y, int *joints, size_t room);

#ifdef __cplusplus
}
#endif
#endif
