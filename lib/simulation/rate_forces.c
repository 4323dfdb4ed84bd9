/* SPDX-License-Identifier: MIT */
/*
 * Derivatives of the forces of stops, of friction by events and of `act`, for the Jacobian. Only
 * `act` is user-supplied and differentiated by finite differences.
 */
#include <string.h>

#include "integrator_inside.h"
#include "rate_jacobian.h"
#include "tandem/derivatives.h"

/* ---- forces in joints ------------------------------------------------------------------------ */

void td_solve_mass(const td_simulation *s, const double *a, double *out)
{
    const size_t n = s->nyd;
    memset(out, 0, n * sizeof *out);
    for (size_t i = 0; i < n; i++)
        if (a[i] != 0)
            td_add_row(n, a[i], s->jacobian.mass + i * n, out);
}

/* Computes forces along the joints of the tree: from rows, and in a chart also from `act`. */
static void find_joint_force(td_simulation *s)
{
    double *force = s->jacobian.joint_force;
    memset(force, 0, s->nv * sizeof *force);
    if (s->row_count > 0)
        memcpy(force, s->reactions.force, s->nv * sizeof *force);
    for (size_t i = 0; i < s->row_count; i++)
        force[s->rows[i].qd] += td_row_reaction(&s->rows[i]);
    for (size_t i = 0; s->other && i < s->nyd; i++)
        if (!td_is_given(s, i))
            force[s->y_qd[i]] += s->tau_y[i];
}

static bool is_pressed(const td_simulation *s, const td_row *row)
{
    return row->mode == TD_ROW_PRESSED &&
           -s->options.stop_stiffness * row->gap - s->options.stop_damping * row->sign * row->rate >
               0;
}

td_status td_add_joint_forces(td_simulation *s)
{
    td_rate_jacobian *r = &s->jacobian;
    const size_t n = s->nyd;
    find_joint_force(s);
    td_status status = td_closure_jacobian(s->model, s->w, r->u, r->G);
    if (status == TD_OK)
        status = td_closure_derivatives(s->model, s->w, r->u, r->ud, r->udd, r->joint_force,
                                        r->qd_along, r->qdd_along, r->qdd_rate, r->along_back);
    if (status != TD_OK)
        return status;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            td_add_row(n, r->mass[i * n + k], r->along_back + k * n, r->along + i * n);
    for (size_t i = 0; i < s->row_count; i++) {
        const td_row *row = &s->rows[i];
        if (!is_pressed(s, row))
            continue;
        const double *G = r->G + row->qd * n, *bend = r->qd_along + row->qd * n;
        td_solve_mass(s, G, r->weight);
        for (size_t k = 0; k < n; k++) {
            td_add_row(n, -s->options.stop_stiffness * r->weight[k], G, r->along + k * n);
            td_add_row(n, -s->options.stop_damping * r->weight[k], bend, r->along + k * n);
            td_add_row(n, -s->options.stop_damping * r->weight[k], G, r->rate + k * n);
        }
    }
    return TD_OK;
}

/* ---- act ------------------------------------------------------------------------------------- */

/* Adds the effect of a change of the wrenches to force (nyd): −(τ(wrenches) − τ(0)) of the robot
   at rest. */
static td_status add_wrenches(td_simulation *s, const double *change, double *force)
{
    td_rate_jacobian *r = &s->jacobian;
    td_forces forces = td_forces_default();
    td_status status = td_inverse_dynamics(s->model, s->w, r->u, NULL, NULL, &forces, r->weight);
    if (status != TD_OK)
        return status;
    td_add_row(s->nyd, 1, r->weight, force);
    forces.wrenches = change;
    forces.wrench_frame = s->forces.wrench_frame;
    status = td_inverse_dynamics(s->model, s->w, r->u, NULL, NULL, &forces, r->weight);
    if (status == TD_OK)
        td_add_row(s->nyd, -1, r->weight, force);
    return status;
}

/* Adds the change of the effects of `act` by x[j], divided by h, to column j of J. */
static td_status act_column(td_simulation *s, size_t j, double h, double *J)
{
    td_rate_jacobian *r = &s->jacobian;
    const size_t n = s->nyd, np = s->np, size = s->size, wrenches = 6 * td_link_count(s->model);
    bool acts = false, pulls = false;
    memset(r->force, 0, n * sizeof *r->force);
    for (size_t i = 0; i < n; i++) {
        const double change = td_is_given(s, i) ? 0 : (s->tau_y[i] - r->tau[i]) / h;
        acts = acts || change != 0;
        if (s->other)
            td_add_row(n, change, r->G + s->y_qd[i] * n, r->force);
        else
            r->force[i] = change;
    }
    for (size_t i = 0; s->options.wrenches && i < wrenches; i++) {
        s->wrenches[i] = (s->wrenches[i] - r->wrenches[i]) / h;
        pulls = pulls || s->wrenches[i] != 0;
    }
    td_status status = pulls ? add_wrenches(s, s->wrenches, r->force) : TD_OK;
    if (status == TD_OK && (acts || pulls)) {
        td_solve_mass(s, r->force, r->weight);
        for (size_t i = 0; i < n; i++)
            J[(np + i) * size + j] += r->weight[i];
    }
    for (size_t i = np + n; i + 1 < size; i++)
        J[i * size + j] = (r->beside[i] - r->here[i]) / h;
    return status;
}

td_status td_add_act(td_simulation *s, double t, double *x, double *J)
{
    td_rate_jacobian *r = &s->jacobian;
    td_status status = TD_OK;
    memcpy(r->tau, s->tau_y, s->nyd * sizeof *r->tau);
    if (s->options.wrenches)
        memcpy(r->wrenches, s->wrenches, 6 * td_link_count(s->model) * sizeof *r->wrenches);
    for (size_t j = 0; j + 1 < s->size && status == TD_OK; j++) {
        const double kept = x[j];
        if (j >= s->nu && j < s->np)
            continue;
        x[j] = td_integrator_beside(kept);
        status = td_simulation_look(s, t, x);
        if (status == TD_OK)
            status = td_simulation_act(s, t, x, r->beside + s->np + s->nyd);
        if (status == TD_OK)
            status = act_column(s, j, x[j] - kept, J);
        x[j] = kept;
    }
    return status;
}
