/* SPDX-License-Identifier: MIT */
/*
 * The Jacobian of the equations of motion, ∂ẋ/∂x of x = (u, u̇, z, work), by the derivatives of the
 * library (tandem/derivatives.h). With forces F along u from act, stops and friction by events, and
 * rows J ü + J̇ u̇ = 0 of fixed or prescribed joints,
 *
 *   δü = D δx + H⁻¹ (δF + Jᵀ δλ),   J δü = −δ(J ü + J̇ u̇) at fixed ü
 *
 * where D is the derivative of forward dynamics at fixed forces. Columns by x are in
 * rate_columns.c, δF in rate_forces.c.
 *
 * The rate of the work equals the rate of the energy, P = u̇ᵀ E, E being the forces of inverse
 * dynamics without wrenches, damping and friction. Only the last two change their sign with u̇, so E
 * is the mean of the forces at u̇ and at −u̇.
 */
#include <string.h>

#include "base/cholesky.h"
#include "rate_jacobian.h"
#include "tandem/derivatives.h"

/* Relative to the diagonal entry: the smallest pivot of a linearly independent row. Smaller ones
   leave fewer digits than Newton steps need. */
static const double LEAST_PIVOT = 1e-10;

/* Returns whether forces in joints or reactions of rows may have derivatives. */
static bool asks_closure(const td_simulation *s)
{
    return s->row_count > 0 || (s->options.act && s->iterated);
}

void td_rate_jacobian_take(td_simulation *s, td_stack *stack)
{
    const size_t n = s->nyd;
    td_rate_jacobian *r = &s->jacobian;
    double **const squares[] = {&r->along, &r->rate, &r->mass, &r->along_back, &r->rate_back};
    double **const rows[] = {&r->G, &r->qd_along, &r->qdd_along, &r->qdd_rate};
    double **const vectors[] = {&r->ud, &r->back, &r->udd, &r->tau, &r->force, &r->weight};
    for (size_t i = 0; i < sizeof squares / sizeof *squares; i++)
        *squares[i] = td_take(stack, double, n *n);
    for (size_t i = 0; i < sizeof rows / sizeof *rows && asks_closure(s); i++)
        *rows[i] = td_take(stack, double, s->nv *n);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = td_take(stack, double, n);
    if (s->row_count > 0 || s->options.given)
        r->rest = td_take(stack, double, n * s->size);
    r->u = td_take(stack, double, s->np);
    r->joint_force = td_take(stack, double, s->nv);
    r->here = td_take(stack, double, s->size);
    r->beside = td_take(stack, double, s->size);
    if (s->options.wrenches)
        r->wrenches = td_take(stack, double, 6 * td_link_count(s->model));
}

/* ---- rows that hold, and prescribed motions -------------------------------------------------- */

/* Lists the rows J of motions that forces do not determine, in along_back, and returns their
   number. They are prescribed entries of u̇, whose ü is given, and rows of G for joints that are
   held, whose q̈ = G ü + g is zero. Also computes r->rest (m × size) = ∂(J ü + J̇ u̇)/∂x at
   fixed ü. Returns more than n if there are too many rows. */
static size_t find_held(td_simulation *s, const double *x)
{
    td_rate_jacobian *r = &s->jacobian;
    const size_t n = s->nyd, most = n + s->row_count;
    size_t m = 0;
    for (size_t k = 0; k < most; k++) {
        const td_row *row = k < n ? NULL : &s->rows[k - n];
        if (row ? row->mode != TD_ROW_HOLDS : !td_is_given(s, k))
            continue;
        if (m == n)
            return m + 1;
        double *J = r->along_back + m * n, *rest = r->rest + m * s->size;
        memset(J, 0, n * sizeof *J);
        memset(rest, 0, s->size * sizeof *rest);
        if (row) {
            memcpy(J, r->G + row->qd * n, n * sizeof *J);
            td_put_row(s, x, r->qdd_along + row->qd * n, r->qdd_rate + row->qd * n, rest);
        } else {
            J[k] = 1;
        }
        m++;
    }
    return m;
}

/* Computes D ← D − H⁻¹ Jᵀ (J H⁻¹ Jᵀ)⁻¹ (J D + rest) of the rows of u̇. Linearly dependent rows,
   as in a loop with more sticking joints than degrees of freedom, give pivots that are only
   rounding, of either sign. Then there is no Jacobian. */
static td_status hold(td_simulation *s, const double *x, double *D)
{
    td_rate_jacobian *r = &s->jacobian;
    const size_t n = s->nyd, size = s->size, m = find_held(s, x);
    const double *J = r->along_back;
    double *X = r->rate_back, *A = r->along;
    if (m > n)
        return TD_ERROR_REACTION;
    for (size_t i = 0; i < m; i++) {
        td_solve_mass(s, J + i * n, X + i * n);
        for (size_t l = 0; l < n; l++)
            td_add_row(size, J[i * n + l], D + l * size, r->rest + i * size);
    }
    memset(A, 0, m * m * sizeof *A);
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k < m; k++)
            for (size_t l = 0; l < n; l++)
                A[i * m + k] += J[i * n + l] * X[k * n + l];
    for (size_t i = 0; i < m; i++)
        r->weight[i] = A[i * m + i];
    if (!td_cholesky(m, A))
        return TD_ERROR_REACTION;
    for (size_t i = 0; i < m; i++)
        if (A[i * m + i] * A[i * m + i] <= LEAST_PIVOT * r->weight[i])
            return TD_ERROR_REACTION;
    for (size_t j = 0; j < size; j++) {
        for (size_t i = 0; i < m; i++)
            r->weight[i] = r->rest[i * size + j];
        td_cholesky_solve(m, A, r->weight);
        for (size_t i = 0; i < m; i++)
            for (size_t k = 0; k < n; k++)
                D[k * size + j] -= X[i * n + k] * r->weight[i];
    }
    return TD_OK;
}

/* ---- the work -------------------------------------------------------------------------------- */

/* Returns whether anything has damping or friction. */
static bool resists(const td_simulation *s)
{
    bool any = s->damper_count > 0 || s->loop_damper_count > 0;
    for (size_t i = 0; s->forces.passive && i < td_spring_count(s->model); i++)
        any = any || td_spring_is_damped(td_spring_at(s->model, i));
    return any;
}

/* Returns whether anything adds or removes energy; otherwise the work is exactly zero. */
static bool works(const td_simulation *s)
{
    return s->options.act || s->given || s->forces.wrenches || s->row_count > 0 || resists(s);
}

/* Computes E, ∂E along the tangent and by u̇, and H, into force, along, rate and mass. */
static td_status find_energy_forces(td_simulation *s)
{
    td_rate_jacobian *r = &s->jacobian;
    const size_t n = s->nyd;
    td_forces forces = s->forces;
    forces.wrenches = NULL;
    td_status status = td_inverse_dynamics_derivatives(s->model, s->w, r->u, r->ud, r->udd, &forces,
                                                       r->force, r->along, r->rate, r->mass);
    if (status != TD_OK || !resists(s))
        return status;
    for (size_t k = 0; k < n; k++)
        r->back[k] = -r->ud[k];
    status = td_inverse_dynamics_derivatives(s->model, s->w, r->u, r->back, r->udd, &forces,
                                             r->weight, r->along_back, r->rate_back, NULL);
    for (size_t i = 0; i < n; i++)
        r->force[i] = 0.5 * (r->force[i] + r->weight[i]);
    for (size_t i = 0; i < n * n; i++) {
        r->along[i] = 0.5 * (r->along[i] + r->along_back[i]);
        r->rate[i] = 0.5 * (r->rate[i] - r->rate_back[i]);
    }
    return status;
}

/* Computes the row of P = u̇ᵀ E. Includes k · gap · rate for springs of stops, which store this
   power. Leaves out reactions, whose rate is zero. */
static td_status work_row(td_simulation *s, const double *x, double *J)
{
    td_rate_jacobian *r = &s->jacobian;
    const size_t n = s->nyd, size = s->size;
    double *by_rate = r->force, *along = r->weight, *row = J + (size - 1) * size;
    td_status status = find_energy_forces(s);
    if (status != TD_OK)
        return status;
    memset(along, 0, n * sizeof *along);
    for (size_t i = 0; i < n; i++) {
        td_add_row(n, r->ud[i], r->along + i * n, along);
        td_add_row(n, r->ud[i], r->rate + i * n, by_rate);
    }
    for (size_t i = 0; i < s->row_count; i++) {
        const td_row *k = &s->rows[i];
        const double *G = r->G + k->qd * n, *bend = r->qd_along + k->qd * n;
        const bool pressed = k->mode == TD_ROW_PRESSED;
        if (!pressed && k->mode != TD_ROW_HOLDS)
            continue;
        const double stiffness = pressed ? s->options.stop_stiffness : 0,
                     force = pressed ? stiffness * k->sign * k->gap : -td_row_reaction(k);
        td_add_row(n, stiffness * k->rate, G, along);
        td_add_row(n, force, bend, along);
        td_add_row(n, force, G, by_rate);
    }
    td_put_row(s, x, along, by_rate, row);
    for (size_t i = 0; i < n; i++) {
        double momentum = 0; /* H u̇ */
        for (size_t k = 0; k < n; k++)
            momentum += r->mass[i * n + k] * r->ud[k];
        td_add_row(size, momentum, J + (s->np + i) * size, row);
    }
    return TD_OK;
}

/* ---- the Jacobian ---------------------------------------------------------------------------- */

static bool is_differentiable(const td_simulation *s)
{
    if (s->moved || s->nu > s->ny)
        return false;
    for (size_t i = 0; i < s->row_count; i++) {
        const td_row *row = &s->rows[i];
        if (row->loop != TD_NONE && (row->mode == TD_ROW_HOLDS || row->mode == TD_ROW_OFF))
            return false;
    }
    return true;
}

static bool holds(const td_simulation *s)
{
    bool any = false;
    for (size_t i = 0; i < s->row_count; i++)
        any = any || s->rows[i].mode == TD_ROW_HOLDS;
    return any;
}

/* Computes ∂ü along the tangent and by u̇, and H⁻¹, at the state with the rate r->here. */
static td_status differentiate_motion(td_simulation *s)
{
    td_rate_jacobian *r = &s->jacobian;
    td_forces forces = s->forces;
    if (s->options.wrenches)
        forces.wrenches = s->wrenches;
    memcpy(r->u, s->u, s->nu * sizeof *r->u);
    memcpy(r->ud, s->ud, s->nyd * sizeof *r->ud);
    memcpy(r->udd, s->udd, s->nyd * sizeof *r->udd);
    td_status status = TD_OK;
    if (holds(s))
        status = td_inverse_dynamics(s->model, s->w, r->u, r->ud, r->udd, &forces, s->tau_u);
    if (status == TD_OK)
        status = td_forward_dynamics_derivatives(s->model, s->w, r->u, r->ud, s->tau_u, &forces,
                                                 r->weight, r->along, r->rate, r->mass);
    if (status == TD_OK && (s->row_count > 0 || (s->other && s->options.act)))
        status = td_add_joint_forces(s);
    return status;
}

td_status td_simulation_jacobian(void *simulation, double t, const double *x, double *J)
{
    td_simulation *s = simulation;
    td_rate_jacobian *r = &s->jacobian;
    const size_t n = s->nyd, np = s->np, size = s->size;
    if (!is_differentiable(s))
        return TD_ERROR_ARGUMENT;
    td_status status = td_simulation_rate(s, t, x, r->here);
    if (status == TD_OK)
        status = differentiate_motion(s);
    if (status != TD_OK)
        return status;
    memset(J, 0, size * size * sizeof *J);
    td_position_rows(s, x, J);
    for (size_t i = 0; i < n; i++)
        td_put_row(s, x, r->along + i * n, r->rate + i * n, J + (np + i) * size);
    if (s->options.act) {
        memcpy(s->x, x, size * sizeof *x);
        status = td_add_act(s, t, s->x, J);
    }
    if (status == TD_OK && (s->given || s->row_count > 0))
        status = hold(s, x, J + np * size);
    return status == TD_OK && works(s) ? work_row(s, x, J) : status;
}
