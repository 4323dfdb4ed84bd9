/* SPDX-License-Identifier: MIT */
/*
 * The equations of motion for the integrator: ẋ of x = (u, u̇, z, work).
 */
#include <math.h>
#include <string.h>

#include "base/coordinates.h"
#include "simulation_inside.h"

/* ---- forces and accelerations ---------------------------------------------------------------- */

td_status td_simulation_act(td_simulation *s, double t, const double *x, double *z_rate)
{
    memset(s->tau_y, 0, s->nyd * sizeof *s->tau_y);
    z_rate = z_rate ? z_rate : s->z_rate; /* scratch if the caller does not request it */
    memset(z_rate, 0, s->options.states * sizeof *z_rate);
    if (!s->options.act)
        return TD_OK;
    td_status status = s->iterated && !s->other ? td_simulation_joints(s) : TD_OK;
    if (status != TD_OK)
        return status;
    const size_t links = td_link_count(s->model);
    if (s->options.wrenches && s->forces.wrenches)
        memcpy(s->wrenches, s->forces.wrenches, 6 * links * sizeof *s->wrenches);
    else if (s->options.wrenches)
        memset(s->wrenches, 0, 6 * links * sizeof *s->wrenches);
    const td_action action = {
        .size_of = sizeof action,
        .t = t,
        .y = s->y,
        .yd = s->yd,
        .z = s->options.states ? td_x_states(s, x) : NULL,
        .tau_y = s->tau_y,
        .wrenches = s->options.wrenches ? s->wrenches : NULL,
        .z_rate = z_rate,
        .workspace = s->w,
        .q = s->iterated ? s->q : NULL,
        .qd = s->iterated ? s->qd : NULL,
    };
    const bool traces = s->iterated && !s->other; /* act may evaluate other states */
    if (traces)
        td_closure_remember(s->model, s->w, s->looked);
    td_simulation_leave(s);
    status = s->options.act(s->options.context, &action);
    /* act may have switched the coordinates */
    td_use_coordinates(s->w, TD_COORDINATES_INDEPENDENT);
    td_simulation_enter(s);
    if (traces)
        td_closure_recall(s->model, s->w, s->looked);
    return status;
}

td_status td_simulation_accelerate(td_simulation *s, double t, const double *x, double *z_rate)
{
    td_status status = td_simulation_act(s, t, x, z_rate);
    if (status != TD_OK)
        return status;
    td_forces forces = s->forces;
    if (s->options.wrenches)
        forces.wrenches = s->wrenches;
    if (s->row_count == 0)
        return td_simulation_move(s, &forces, NULL, NULL, NULL);
    status = td_rows_force(s);
    return status == TD_OK ? td_rows_react(s, &forces) : status;
}

/* ---- power ----------------------------------------------------------------------------------- */

/* Computes q̇ = G ẏ. */
static td_status tree_velocity(td_simulation *s)
{
    if (s->iterated)
        return td_simulation_joints(s);
    const td_sparse G = td_closure_velocity_matrix(s->model);
    for (size_t i = 0; i < G.rows; i++) {
        double sum = 0;
        for (size_t k = G.row[i]; k < G.row[i + 1]; k++)
            sum += G.value[k] * s->yd[G.column[k]];
        s->qd[i] = sum;
    }
    return TD_OK;
}

static double taken(const td_damper *d, double rate, double small)
{
    return d->damping * rate * rate + d->friction * rate * rate / sqrt(rate * rate + small * small);
}

bool td_spring_is_damped(const td_spring *spring)
{
    bool damped = spring->damping != 0;
    for (int k = 0; k < 3; k++)
        damped = damped || spring->angular_damping[k] != 0 || spring->linear_damping[k] != 0;
    return damped;
}

/* Computes the power of damping and friction. */
static td_status dissipation(td_simulation *s, double *power)
{
    *power = 0;
    td_status status = s->loop_damper_count > 0 ? td_simulation_joints(s)
                       : s->damper_count > 0    ? tree_velocity(s)
                                                : TD_OK;
    if (status != TD_OK)
        return status;
    for (size_t i = 0; i < s->damper_count; i++)
        *power += taken(&s->dampers[i], s->qd[s->dampers[i].at], s->forces.friction_velocity);
    for (size_t i = 0; i < s->loop_damper_count; i++) {
        double motion[3];
        status = TD_IN_TREE(
            s->w, td_loop_motion(s->model, s->w, s->loop_dampers[i].at, s->q, s->qd, NULL, motion));
        if (status != TD_OK)
            return status;
        *power += taken(&s->loop_dampers[i], motion[1], s->forces.friction_velocity);
    }
    for (size_t i = 0; s->forces.passive && i < td_spring_count(s->model); i++) {
        double motion[4];
        if (!td_spring_is_damped(td_spring_at(s->model, i)))
            continue;
        status = td_spring_state(s->model, s->w, i, s->u, s->ud, motion);
        if (status != TD_OK)
            return status;
        *power += motion[3];
    }
    return TD_OK;
}

/* Computes the power of the wrenches on links. In every frame, wrench and velocity refer to the
   same point. */
static td_status wrench_power(td_simulation *s, double *power)
{
    const double *wrenches = s->options.wrenches ? s->wrenches : s->forces.wrenches;
    *power = 0;
    if (!wrenches)
        return TD_OK;
    td_status status =
        td_link_velocities(s->model, s->w, s->u, s->ud, s->forces.wrench_frame, s->velocities);
    for (size_t i = 0; i < 6 * td_link_count(s->model) && status == TD_OK; i++)
        *power += wrenches[i] * s->velocities[i];
    return status;
}

td_status td_simulation_power(td_simulation *s, double *power)
{
    double of_wrenches = 0, taken_away = 0;
    td_status status = dissipation(s, &taken_away);
    if (status == TD_OK)
        status = wrench_power(s, &of_wrenches);
    *power = of_wrenches - taken_away + td_rows_power(s);
    for (size_t i = 0; i < s->nyd; i++)
        *power += s->tau_y[i] * s->yd[i];
    return status;
}

/* ---- rates ----------------------------------------------------------------------------------- */

void td_free_joint_rate(int quaternion, const double *unit, const double *y, const double *yd,
                        double *rate)
{
    const double *u = unit + quaternion, *p = y + quaternion, *w = yd, *v = yd + 3;
    /* R v = v + 2 c (u × v) + 2 u × (u × v) */
    double t[3] = {0};
    for (int i = 0; i < quaternion; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        t[i] = 2 * (u[j] * v[k] - u[k] * v[j]);
    }
    for (int i = 0; i < quaternion; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        rate[i] = v[i] + u[3] * t[i] + u[j] * t[k] - u[k] * t[j];
    }
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        rate[quaternion + i] = 0.5 * (p[3] * w[i] + p[j] * w[k] - p[k] * w[j]);
    }
    rate[quaternion + 3] = -0.5 * (p[0] * w[0] + p[1] * w[1] + p[2] * w[2]);
}

static void position_rates(const td_simulation *s, const double *x, double *rate)
{
    const double *velocity = td_knows_tree(s) ? s->qd : s->ud;
    for (size_t i = 0; i < s->np; i++)
        rate[i] = i < s->nu ? velocity[s->velocity_of[i]] : 0;
    for (size_t i = 0; i < s->free_count; i++) {
        const td_free_joint *f = &s->free_joints[i];
        if (f->u >= 0)
            td_free_joint_rate(f->quaternion, s->u + f->u, x + f->u, velocity + f->velocity,
                               rate + f->u);
    }
}

td_status td_simulation_rate(void *simulation, double t, const double *x, double *rate)
{
    td_simulation *s = simulation;
    td_status status = td_simulation_look(s, t, x);
    if (status == TD_OK)
        status = td_simulation_accelerate(s, t, x, rate + s->np + s->nyd);
    if (status == TD_OK)
        status = td_simulation_power(s, &rate[s->size - 1]);
    if (status != TD_OK)
        return status;
    position_rates(s, x, rate);
    memcpy(rate + s->np, s->udd, s->nyd * sizeof *rate);
    return TD_OK;
}
