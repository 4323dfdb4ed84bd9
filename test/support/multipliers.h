/* SPDX-License-Identifier: MIT */
/*
 * Motion under constraints by an independent formulation: dense equations with multipliers in long
 * double, from H, C, K, k and φ of the tree.
 */
#ifndef TD_MULTIPLIERS_H
#define TD_MULTIPLIERS_H

#include "tandem/tandem.h"

/* Computes q̈ (nv) and τ_c = Kᵀ λ (nv, may be NULL) under tau (nv) with Baumgarte's α and β. Returns
   false if H of the tree is singular. Drops rows that depend on others, to 1e-12 relative to their
   size. */
bool multipliers_accelerations(const td_model *model, td_workspace *w, const double *q,
                               const double *qd, const double *tau, const td_forces *forces,
                               double alpha, double beta, double *qdd, double *tau_c);

#endif
