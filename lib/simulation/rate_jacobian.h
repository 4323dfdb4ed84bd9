/* SPDX-License-Identifier: MIT */
/*
 * Internals of the simulation's Jacobian, see rate_jacobian.c.
 */
#ifndef TD_RATE_JACOBIAN_H
#define TD_RATE_JACOBIAN_H

#include "simulation_inside.h"

static inline bool td_is_given(const td_simulation *s, size_t k)
{
    return s->given && s->given[k];
}

/* Adds factor · other to row, n numbers. */
static inline void td_add_row(size_t n, double factor, const double *other, double *row)
{
    for (size_t i = 0; i < n; i++)
        row[i] += factor * other[i];
}

/* Returns the reaction of a row along its joint; 0 unless the row is at rest (TD_ROW_HOLDS). */
static inline double td_row_reaction(const td_row *row)
{
    return row->mode != TD_ROW_HOLDS ? 0 : row->stop ? row->sign * row->reaction : row->reaction;
}

/* Computes out (nyd) = H⁻¹ a. */
void td_solve_mass(const td_simulation *s, const double *a, double *out);

/* Writes a row of J from the derivatives along the tangent of u (along, nyd) and with respect to u̇
   (by_rate, nyd). */
void td_put_row(const td_simulation *s, const double *x, const double *along, const double *by_rate,
                double *row);

/* Writes the rows of the rates of positions. */
void td_position_rows(const td_simulation *s, const double *x, double *J);

/* Adds the effect of the forces f in joints to s->jacobian.along and rate, the derivatives of ü:
   H⁻¹ (∂(Gᵀ f) at fixed f + Gᵀ ∂f). Stops push with −k q − d q̇. */
td_status td_add_joint_forces(td_simulation *s);

/* Adds finite differences of the effects of `act` to the rows of u̇ and z. */
td_status td_add_act(td_simulation *s, double t, double *x, double *J);

#endif
