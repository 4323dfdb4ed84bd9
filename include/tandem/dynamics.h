/* SPDX-License-Identifier: MIT */
/*
 * Inverse dynamics. y, yd, ydd are the independent coordinates (ny, nyd, nyd) and tau_y (nyd) the
 * forces that act along them; the td_tree_ functions work on the spanning tree's q, qd, qdd (nq,
 * nv, nv) and tau (nv). NULL yd or ydd (qd or qdd) means zero. Outputs must not alias inputs. No
 * call allocates, locks or does I/O; none fails but on a NULL argument or frame that is none, and
 * then nothing is written. A NaN in the input gives NaN in what depends on it.
 */
#ifndef TANDEM_DYNAMICS_H
#define TANDEM_DYNAMICS_H

#include "tandem/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a spatial vector is expressed. */
typedef enum td_frame {
    TD_WORLD,         /* world axes, reference point at the world's origin */
    TD_BODY,          /* link axes, reference point at the link's origin */
    TD_WORLD_ALIGNED, /* world axes, reference point at the link's origin */
} td_frame;

/* What acts beside the joints. Start from td_forces_default(). */
typedef struct td_forces {
    size_t size_of;
    const double *wrenches; /* links × 6 (moment, force; N m, N) acting on each link; NULL: none */
    td_frame wrench_frame;  /* TD_BODY by default */
} td_forces;

TD_API td_forces td_forces_default(void);

/* Recursive Newton-Euler: tau = H q̈ + C − Σ Jᵀ wrench, gravity included in C (equation 13 of Kumar
   et al. 2017), and tau_y = Gᵀ tau (equation 12). forces may be NULL. O(joints). */
TD_API td_status td_inverse_dynamics(const td_model *model, td_workspace *workspace,
                                     const double *y, const double *yd, const double *ydd,
                                     const td_forces *forces, double *tau_y);
TD_API td_status td_tree_inverse_dynamics(const td_model *model, td_workspace *workspace,
                                          const double *q, const double *qd, const double *qdd,
                                          const td_forces *forces, double *tau);

#ifdef __cplusplus
}
#endif
#endif
