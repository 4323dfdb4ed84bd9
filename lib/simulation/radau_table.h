/* SPDX-License-Identifier: MIT */
/*
 * The coefficients of Radau IIA methods.
 */
#ifndef TD_RADAU_TABLE_H
#define TD_RADAU_TABLE_H

#include <stdbool.h>

enum { TD_RADAU_STAGES = 5, TD_RADAU_PAIRS = TD_RADAU_STAGES / 2 };

typedef struct td_radau_table {
    int stages;
    double c[TD_RADAU_STAGES];                  /* nodes; the last one is 1 */
    double D[TD_RADAU_STAGES][TD_RADAU_STAGES]; /* A⁻¹: h ẋ(cᵢ) = Σ D[i][j] z[j] */
    /* eigenvalues of D: the real one, then one from each conjugate pair */
    double lambda[1 + TD_RADAU_PAIRS][2];
    /* D = T Λ T⁻¹; Λ has the blocks λ₀ and (α −β; β α) for λ = α + iβ */
    double T[TD_RADAU_STAGES][TD_RADAU_STAGES], T_inverse[TD_RADAU_STAGES][TD_RADAU_STAGES];
    double
        error[TD_RADAU_STAGES]; /* error of the embedded formula: h f(x₀) / λ₀ + Σ error[i] z[i] */
    double weight[1 + TD_RADAU_STAGES]; /* barycentric weights of the nodes 0, c */
} td_radau_table;

/* Computes the table for an odd number of stages, at most TD_RADAU_STAGES. */
void td_radau_table_make(td_radau_table *table, int stages);

/* Computes the values at theta (1 at the end of the step) of the Lagrange polynomials of the
   nodes c and 0: x(θ) = x₀ + Σ value[i] z[i]. */
void td_radau_lagrange(const td_radau_table *table, double theta, double *value);

#endif
