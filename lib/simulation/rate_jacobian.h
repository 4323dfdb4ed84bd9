/* SPDX-License-Identifier: MIT */
/*
 * What the files of the simulation's Jacobian share, see rate_jacobian.c.
 */
#ifndef TD_RATE_JACOBIAN_H
#define TD_RATE_JACOBIAN_H

#include "simulation_inside.h"

static inline bool td_is_given(const td_simulation *s, size_t k)
{
    return s->given && s->given[k];
}

/* row += factor · other, of n numbers */
static inline void td_add_row(size_t n, double factor, const double *other, double *row)
{
    for (size_t i = 0; i < n; i++)
        row[i] += factor * other[i];
}

/* along the joint, of a row that holds */
static inline double td_row_reaction(const td_row *row)
{
    return row->mode != TD_ROW_HOLDS ? 0 : row->stop ? row->sign * row->reaction : row->reaction;
}

/* out (nyd) = H⁻¹ a */
void td_solve_mass(const td_simulation *s, const double *a, double *out);

/* A row of J: along (nyd, of u's tangent) and by_rate (nyd, of u̇) as columns by u and u̇ of x. */
void td_put_row(const td_simulation *s, const double *x, const double *along, const double *by_rate,
                double *row);

/* The rows of the rates of positions. */
void td_position_rows(const td_simulation *s, const double *x, double *J);

/* ∂ü along the tangent and by u̇, s->jacobian.along and rate, of the forces f in joints: H⁻¹ (∂(Gᵀ
   f) at fixed f + Gᵀ ∂f), where stops push by −k q − d q̇. */
td_status td_add_joint_forces(td_simulation *s);

/* The columns by x of what act does, by differences, in the rows of u̇ and z. */
td_status td_add_act(td_simulation *s, double t, double *x, double *J);

#endif
