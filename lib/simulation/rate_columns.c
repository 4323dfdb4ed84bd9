/* SPDX-License-Identifier: MIT */
/*
 * Columns of the Jacobian with respect to positions in x, from derivatives along the tangent
 * (tandem/derivatives.h). Quaternions in x may have any length: x ← x + δx rotates the body by
 * δθ = 2 vec(x̄ ⊗ δx) / |x|² in body axes. Also the rows of the rates of positions.
 */
#include <string.h>

#include "rate_jacobian.h"

/* ---- converting rows along the tangent to columns of x --------------------------------------- */

/* Returns the entry of u̇ that a position integrates, from an index of s->velocity_of or
   td_free_joint. */
static size_t entry_of(const td_simulation *s, size_t velocity)
{
    size_t k = 0;
    if (!td_knows_tree(s))
        return velocity;
    while (k + 1 < s->nyd && s->u_qd[k] != velocity)
        k++;
    return k;
}

/* Returns |ξ|² of a quaternion. */
static double square(const double *p)
{
    return p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3];
}

/* Converts a row along the tangent (nyd) to by_x (np). Rates of a quaternion are ½ Q ω with QᵀQ
   = |ξ|². So ω = 2 Qᵀ δξ / |ξ|², and the row is 4/|ξ|² times the rate for ω equal to the row's
   entries. v = Rᵀ δp. */
static void by_positions(const td_simulation *s, const double *x, const double *along, double *by_x)
{
    for (size_t i = 0; i < s->np; i++) {
        const size_t k = i < s->nu ? entry_of(s, s->velocity_of[i]) : 0;
        by_x[i] = i < s->nu && !td_is_given(s, k) ? along[k] : 0;
    }
    for (size_t i = 0; i < s->free_count; i++) {
        const td_free_joint *f = &s->free_joints[i];
        const size_t k = f->u < 0 ? 0 : entry_of(s, (size_t)f->velocity);
        if (f->u < 0)
            continue;
        double *of = by_x + f->u;
        if (!td_is_given(s, k))
            td_free_joint_rate(f->quaternion, s->jacobian.u + f->u, x + f->u, along + k, of);
        for (int c = 0; c < f->quaternion + 4; c++)
            of[c] *= td_is_given(s, k)   ? 0
                     : c < f->quaternion ? 1
                                         : 4 / square(x + f->u + f->quaternion);
    }
}

void td_put_row(const td_simulation *s, const double *x, const double *along, const double *by_rate,
                double *row)
{
    by_positions(s, x, along, row);
    for (size_t k = 0; k < s->nyd; k++)
        row[s->np + k] = td_is_given(s, k) ? 0 : by_rate[k];
}

/* ---- rates of positions ---------------------------------------------------------------------- */

/* Writes the rows of a joint with a quaternion: ṗ = R v and ξ̇ = ½ ξ ⊗ (ω, 0). */
static void free_joint_rows(const td_simulation *s, const td_free_joint *f, const double *x,
                            double *J)
{
    const size_t k = entry_of(s, (size_t)f->velocity), at = (size_t)f->u, size = s->size;
    const int first = f->quaternion, nv = first > 0 ? 6 : 3;
    const double *unit = s->jacobian.u + at, *v = s->jacobian.ud + k + 3;
    const bool given = td_is_given(s, k);
    double turn[4][3], column[7];
    for (int a = 0; a < nv; a++) {
        double one[6] = {0};
        one[a] = 1;
        td_free_joint_rate(first, unit, x + at, one, column);
        for (int i = 0; i < first + 4; i++)
            J[(at + (size_t)i) * size + s->np + k + (size_t)a] = given ? 0 : column[i];
        for (int c = 0; a < 3 && c < 4; c++)
            turn[c][a] = 4 / square(x + at + first) * column[first + c];
    }
    for (int c = 0; c < 4; c++) {
        double one[7] = {0}, motion[6] = {0};
        one[first + c] = 1;
        td_free_joint_rate(first, unit, one, s->jacobian.ud + k, column);
        for (int i = 0; i < 4; i++)
            J[(at + (size_t)(first + i)) * size + at + (size_t)(first + c)] = column[first + i];
        for (int i = 0; i < first; i++) /* R (δθ × v) */
            motion[3 + i] =
                turn[c][(i + 1) % 3] * v[(i + 2) % 3] - turn[c][(i + 2) % 3] * v[(i + 1) % 3];
        td_free_joint_rate(first, unit, x + at, motion, column);
        for (int i = 0; i < first; i++)
            J[(at + (size_t)i) * size + at + (size_t)(first + c)] = given ? 0 : column[i];
    }
}

void td_position_rows(const td_simulation *s, const double *x, double *J)
{
    for (size_t i = 0; i < s->nu; i++) {
        const size_t k = entry_of(s, s->velocity_of[i]);
        J[i * s->size + s->np + k] = td_is_given(s, k) ? 0 : 1;
    }
    for (size_t i = 0; i < s->free_count; i++) {
        const td_free_joint *f = &s->free_joints[i];
        if (f->u < 0)
            continue;
        for (int c = 0; c < f->quaternion + 4; c++)
            memset(J + ((size_t)f->u + (size_t)c) * s->size, 0, s->size * sizeof *J);
        free_joint_rows(s, f, x, J);
    }
}
