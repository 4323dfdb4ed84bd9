/* SPDX-License-Identifier: MIT */
/*
 * Motion under constraints as an independent formulation: the dense equations with multipliers, in
 * long double, from H, C, K, k and φ of the tree.
 */
#ifndef TD_MULTIPLIERS_H
#define TD_MULTIPLIERS_H

#include "tandem/tandem.h"

/* q̈ (nv) and τ_c = Kᵀ λ (nv, may be NULL) under tau (nv) with Baumgarte's α and β; false where H of
   the tree has no factor. Rows that follow from others, to 1e-12 of their own, are left out. */
bool multipliers_accelerations(const td_model *model, td_workspace *w, const double *q,
                               const double *qd, const double *tau, const td_forces *forces,
                               double alpha, double beta, double *qdd, double *tau_c);

#endif
