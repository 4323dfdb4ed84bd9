/* SPDX-License-Identifier: MIT */
/*
 * Reactions of stops and sticking joints: multipliers λ of their rows J that keep the rows'
 * accelerations at zero, ü = ü₀ + M⁻¹ Jᵀ λ with J M⁻¹ Jᵀ λ = −(J ü₀ + J̇ u̇).
 */
#include <math.h>
#include <string.h>

#include "base/cholesky.h"
#include "base/coordinates.h"
#include "bounded.h"
#include "simulation_inside.h"

/* Factors M of the free coordinates, M = L Lᵀ, and keeps M in full. If rounding prevents this,
   forward dynamics decides whether the model is the cause. */
static td_status mass_matrix(td_simulation *s)
{
    td_reactions *k = &s->reactions;
    const size_t n = s->nyd;
    td_status status = td_mass_matrix(s->model, s->w, s->u, &s->forces, k->full);
    if (status != TD_OK)
        return status;
    size_t m = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n && !(s->given && s->given[i]); j++)
            if (!(s->given && s->given[j]))
                k->M[m++] = k->full[i * n + j];
    if (td_cholesky((size_t)lround(sqrt((double)m)), k->M))
        return TD_OK;
    status = td_simulation_move(s, &s->forces, NULL, NULL, NULL);
    return status == TD_OK ? TD_ERROR_REACTION : status;
}

/* Computes x = L⁻¹ x for the free coordinates and moves them to the front. Returns their number. */
static size_t solve_lower(const td_simulation *s, double *x)
{
    size_t m = 0;
    for (size_t i = 0; i < s->nyd; i++)
        if (!(s->given && s->given[i]))
            x[m++] = x[i];
    td_cholesky_lower(m, s->reactions.M, x);
    return m;
}

/* Computes x = L⁻ᵀ x and moves the entries back; prescribed ones become 0. */
static void solve_upper(const td_simulation *s, double *x, size_t m)
{
    td_cholesky_upper(m, s->reactions.M, x);
    for (size_t i = s->nyd; i-- > 0;)
        x[i] = s->given && s->given[i] ? 0 : x[--m];
}

/* Computes J (nyd), the derivative of the row's rate by u̇. The sign of a stop is included. */
static td_status row_jacobian(td_simulation *s, const td_row *row, double *J)
{
    td_reactions *k = &s->reactions;
    if (row->loop == TD_NONE) {
        for (size_t j = 0; j < s->nyd; j++)
            J[j] = td_row_sign(row) * k->G[row->qd * s->nyd + j];
        return TD_OK;
    }
    /* a unit force along a loop coordinate acts on the joints as its gradient */
    memset(k->in_loops, 0, td_loop_count(s->model) * sizeof *k->in_loops);
    k->in_loops[row->loop] = 1;
    td_status status = td_loop_force(s->model, s->w, s->q, s->qd, k->in_loops, NULL, k->of_loops);
    for (size_t j = 0; j < s->nyd; j++) {
        J[j] = 0;
        for (size_t i = 0; i < s->nv; i++)
            J[j] += k->of_loops[i] * k->G[i * s->nyd + j];
    }
    return status;
}

td_status td_rows_matrix(td_simulation *s, size_t count)
{
    td_reactions *k = &s->reactions;
    const size_t n = s->nyd;
    td_status status = td_closure_jacobian(s->model, s->w, s->u, k->G);
    if (status == TD_OK)
        status = mass_matrix(s);
    size_t m = 0;
    for (size_t i = 0; i < count && status == TD_OK; i++) {
        status = row_jacobian(s, &s->rows[k->active[i]], k->J + i * n);
        memcpy(k->X + i * n, k->J + i * n, n * sizeof *k->X);
        m = solve_lower(s, k->X + i * n);
    }
    for (size_t i = 0; i < count && status == TD_OK; i++)
        for (size_t j = 0; j < count; j++) { /* (L⁻¹ Jᵀ)ᵀ (L⁻¹ Jᵀ) is exactly symmetric */
            k->A[i * count + j] = 0;
            for (size_t l = 0; l < m; l++)
                k->A[i * count + j] += k->X[i * n + l] * k->X[j * n + l];
        }
    for (size_t i = 0; i < count && status == TD_OK; i++)
        solve_upper(s, k->X + i * n, m);
    return status;
}

td_status td_rows_acceleration(td_simulation *s, size_t count)
{
    td_reactions *k = &s->reactions;
    td_status status = td_simulation_joint_accelerations(s);
    for (size_t i = 0; i < count && status == TD_OK; i++) {
        const td_row *row = &s->rows[k->active[i]];
        double motion[3] = {0};
        if (row->loop != TD_NONE)
            status = TD_IN_TREE(
                s->w, td_loop_motion(s->model, s->w, row->loop, s->q, s->qd, s->qdd, motion));
        k->b[i] = row->loop != TD_NONE ? motion[2] : td_row_sign(row) * s->qdd[row->qd];
    }
    return status;
}

/* Adds ü += M⁻¹ Jᵀ λ. Prescribed coordinates need the additional force M ÿ − Jᵀ λ. */
static void take_reactions(td_simulation *s, size_t count)
{
    td_reactions *k = &s->reactions;
    const size_t n = s->nyd;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < n; j++) {
            s->udd[j] += k->X[i * n + j] * k->lambda[i];
            if (!s->given || !s->given[j])
                continue;
            s->tau_y[j] -= k->J[i * n + j] * k->lambda[i];
            for (size_t m = 0; m < n; m++)
                s->tau_y[j] += k->full[j * n + m] * k->X[i * n + m] * k->lambda[i];
        }
}

/* Lists the rows that hold in active. Returns their number. */
static size_t find_held(td_simulation *s)
{
    size_t count = 0;
    for (size_t i = 0; i < s->row_count; i++) {
        s->rows[i].reaction = 0;
        if (s->rows[i].mode == TD_ROW_HOLDS)
            s->reactions.active[count++] = i;
    }
    return count;
}

/* Checks the joints with `held`, which also marks fixed joints and prescribed motions. */
bool td_rows_are_apart(td_simulation *s, size_t count)
{
    td_reactions *k = &s->reactions;
    for (size_t i = 0; i < s->nyd; i++)
        k->held[i] = s->given ? s->given[i] : 0;
    for (size_t i = 0; i < count && !s->other; i++) {
        const td_row *row = &s->rows[k->active[i]];
        if (row->yd == TD_NONE || k->held[row->yd])
            return false;
        k->held[row->yd] = 1;
    }
    return count > 0 && !s->other;
}

static td_status react_one_by_one(td_simulation *s, const td_forces *forces, size_t count)
{
    td_reactions *k = &s->reactions;
    for (size_t i = 0; i < count; i++) {
        td_row *row = &s->rows[k->active[i]];
        row->reaction = -k->extra[row->yd]; /* forces of rows that slip or push */
    }
    td_status status = td_simulation_move(s, forces, k->force, k->extra, k->held);
    for (size_t i = 0; i < count; i++) {
        td_row *row = &s->rows[k->active[i]];
        row->reaction = td_row_sign(row) * (row->reaction + k->extra[row->yd]);
    }
    return status;
}

td_status td_rows_react(td_simulation *s, const td_forces *forces)
{
    td_reactions *k = &s->reactions;
    const size_t count = find_held(s);
    /* the joints stand still: hybrid dynamics finds their forces in O(n) */
    if (td_rows_are_apart(s, count))
        return react_one_by_one(s, forces, count);
    td_status status = td_simulation_move(s, forces, k->force, k->extra, NULL);
    if (count == 0 || status != TD_OK)
        return status;
    status = td_rows_matrix(s, count);
    if (status == TD_OK)
        status = td_rows_acceleration(s, count);
    if (status != TD_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        k->lower[i] = -INFINITY;
        k->upper[i] = INFINITY;
    }
    if (!td_bounded_solve(count, k->A, k->b, k->lower, k->upper, k->lambda, &s->stack))
        return s->given ? TD_ERROR_STOP : TD_ERROR_REACTION;
    for (size_t i = 0; i < count; i++)
        s->rows[k->active[i]].reaction = k->lambda[i];
    take_reactions(s, count);
    return TD_OK;
}

td_status td_rows_total(td_simulation *s, double *force)
{
    td_reactions *k = &s->reactions;
    memset(force, 0, s->nv * sizeof *force);
    if (s->row_count == 0)
        return TD_OK;
    memcpy(force, k->force, s->nv * sizeof *force);
    memset(k->in_loops, 0, td_loop_count(s->model) * sizeof *k->in_loops);
    bool any_in_loops = false;
    for (size_t i = 0; i < s->row_count; i++) {
        const td_row *row = &s->rows[i];
        if (row->loop == TD_NONE)
            force[row->qd] += td_row_sign(row) * row->reaction;
        else
            k->in_loops[row->loop] = row->reaction;
        any_in_loops |= row->loop != TD_NONE && row->reaction != 0;
    }
    return any_in_loops ? td_rows_add_loops(s, force) : TD_OK;
}
