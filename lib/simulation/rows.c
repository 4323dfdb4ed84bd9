/* SPDX-License-Identifier: MIT */
/*
 * Stops and friction of joints: which there are, the forces of those that push or slip, and the
 * reactions of those that hold, which keep their rows of accelerations at zero.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bounded.h"
#include "simulation_inside.h"

/* ---- which there are ------------------------------------------------------------------------- */

/* follows one joint linearly, whose rows stand for it */
static bool is_follower(td_joint_place place)
{
    return place.dependent && (place.leader >= 0 || (place.terms == 0 && place.cluster < 0));
}

/* of a joint and, through |α|, of those that follow it */
static double friction_of(const td_model *model, size_t joint)
{
    double sum = td_joint_at(model, joint)->friction;
    for (size_t i = 0; i < td_joint_count(model); i++) {
        const td_joint_place place = td_joint_place_at(model, i);
        if (place.nv == 1 && place.leader == (int)joint)
            sum += fabs(place.multiplier) * td_joint_at(model, i)->friction;
    }
    return sum;
}

static void limits_of(const td_model *model, size_t joint, double limits[2])
{
    const td_joint_place place = td_joint_place_at(model, joint);
    const td_joint *record = td_joint_at(model, joint);
    const bool bounded = record->type != TD_JOINT_CONTINUOUS;
    limits[0] = bounded && !isnan(record->limit.lower) ? record->limit.lower : -INFINITY;
    limits[1] = bounded && !isnan(record->limit.upper) ? record->limit.upper : INFINITY;
    if (!place.dependent) {
        const td_effective_limit effective = td_effective_limit_at(model, joint);
        limits[0] = effective.lower;
        limits[1] = effective.upper;
    }
}

static void list(td_simulation *s)
{
    for (size_t i = 0; i < td_movable_count(s->model); i++) {
        const size_t joint = (size_t)td_movable_joint(s->model, i);
        const td_joint_place place = td_joint_place_at(s->model, joint);
        if (place.nv != 1 || is_follower(place) ||
            (s->given && place.yd >= 0 && s->given[place.yd]))
            continue;
        td_row row = {.stop = true, .joint = joint, .q = (size_t)place.q, .qd = (size_t)place.qd};
        double limits[2];
        limits_of(s->model, joint, limits);
        for (int side = 0; side < 2 && s->options.stops != TD_STOPS_NONE; side++) {
            row.sign = side ? -1 : 1;
            row.at = limits[side];
            if (isfinite(row.at))
                s->rows[s->row_count++] = row;
        }
        row.stop = false;
        row.friction = friction_of(s->model, joint);
        if (s->options.stiction && s->forces.passive && row.friction > 0)
            s->rows[s->row_count++] = row;
    }
}

bool td_rows_list(td_simulation *s)
{
    s->rows = calloc(3 * td_joint_count(s->model) + 1, sizeof *s->rows);
    if (!s->rows)
        return false;
    list(s);
    const size_t n = s->nyd, r = s->row_count;
    td_reactions *k = &s->reactions;
    if (r == 0)
        return true;
    double **const arrays[] = {&k->G,    &k->M,     &k->full,  &k->J,     &k->X,
                               &k->A,    &k->b,     &k->lower, &k->upper, &k->lambda,
                               &k->room, &k->force, &k->total, &k->extra};
    const size_t lengths[] = {s->nv * n, n * n, n * n, r * n,       r * n, r * r, r,
                              r,         r,     r,     r * (r + 2), s->nv, n,     n};
    bool good = true;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        good &= (*arrays[i] = calloc(lengths[i] + 1, sizeof(double))) != NULL;
    good &= (k->active = calloc(r, sizeof *k->active)) != NULL;
    good &= (k->state = calloc(r, sizeof *k->state)) != NULL;
    good &= (s->happened = calloc(r, 1)) != NULL;
    good &= (s->events = calloc(2 * r, sizeof *s->events)) != NULL;
    return good;
}

void td_rows_free(td_simulation *s)
{
    td_reactions *k = &s->reactions;
    double *const arrays[] = {k->G,     k->M,     k->full,   k->J,    k->X,     k->A,     k->b,
                              k->lower, k->upper, k->lambda, k->room, k->force, k->total, k->extra};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    free(k->active);
    free(k->state);
    free(s->happened);
    free(s->events);
    free(s->rows);
}

/* ---- forces of those that push or slip ------------------------------------------------------- */

static double gap(const td_simulation *s, const td_row *row)
{
    return row->sign * (s->q[row->q] - row->at);
}

/* along sign, of a stop that is pressed: k · depth + d · its rate, and never a pull */
static double push(const td_simulation *s, const td_row *row)
{
    const double rate = row->sign * s->qd[row->qd];
    return fmax(0, -s->options.stop_stiffness * gap(s, row) - s->options.stop_damping * rate);
}

td_status td_rows_force(td_simulation *s)
{
    td_reactions *k = &s->reactions;
    memset(k->force, 0, s->nv * sizeof *k->force);
    memset(k->extra, 0, s->nyd * sizeof *k->extra);
    bool any = false;
    td_status status = td_u_joints(s);
    for (size_t i = 0; i < s->row_count && status == TD_OK; i++) {
        const td_row *row = &s->rows[i];
        const bool slips = !row->stop && row->mode == TD_ROW_OFF,
                   pressed = row->mode == TD_ROW_PRESSED;
        if (slips)
            k->force[row->qd] -= row->sign * row->friction;
        if (pressed)
            k->force[row->qd] += row->sign * push(s, row);
        any |= slips || pressed;
    }
    return status == TD_OK && any ? td_u_project(s, k->force, k->extra) : status;
}

double td_rows_power(const td_simulation *s)
{
    double power = 0;
    for (size_t i = 0; i < s->row_count; i++) {
        const td_row *row = &s->rows[i];
        const double rate = row->sign * s->qd[row->qd];
        if (!row->stop && row->mode == TD_ROW_OFF)
            power -= row->friction * rate;
        if (row->mode == TD_ROW_PRESSED) /* what the spring does not keep */
            power += (push(s, row) + s->options.stop_stiffness * gap(s, row)) * rate;
    }
    return power;
}

double td_rows_energy(const td_simulation *s)
{
    double energy = 0;
    for (size_t i = 0; i < s->row_count; i++)
        if (s->rows[i].mode == TD_ROW_PRESSED)
            energy += 0.5 * s->options.stop_stiffness * gap(s, &s->rows[i]) * gap(s, &s->rows[i]);
    return energy;
}

/* ---- reactions ------------------------------------------------------------------------------- */

/* M of the free coordinates is factored; M itself stays in full. */
static td_status mass_matrix(td_simulation *s)
{
    td_reactions *k = &s->reactions;
    const size_t n = s->nyd;
    td_status status = td_u_mass_matrix(s, k->full);
    if (status != TD_OK)
        return status;
    size_t m = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n && !(s->given && s->given[i]); j++)
            if (!(s->given && s->given[j]))
                k->M[m++] = k->full[i * n + j];
    return td_cholesky((size_t)lround(sqrt((double)m)), k->M) ? TD_OK : TD_ERROR_SINGULAR;
}

/* x = M⁻¹ x in the free coordinates; the prescribed ones become 0 */
static void solve_mass(const td_simulation *s, double *x)
{
    size_t m = 0;
    double *compact = s->reactions.extra;
    for (size_t i = 0; i < s->nyd; i++)
        if (!(s->given && s->given[i]))
            compact[m++] = x[i];
    td_cholesky_solve(m, s->reactions.M, compact);
    m = 0;
    for (size_t i = 0; i < s->nyd; i++)
        x[i] = s->given && s->given[i] ? 0 : compact[m++];
}

static double row_sign(const td_row *row)
{
    return row->stop ? row->sign : 1;
}

td_status td_rows_matrix(td_simulation *s, size_t count)
{
    td_reactions *k = &s->reactions;
    const size_t n = s->nyd;
    td_status status = td_u_jacobian(s, k->G);
    if (status == TD_OK)
        status = mass_matrix(s);
    for (size_t i = 0; i < count && status == TD_OK; i++) {
        const td_row *row = &s->rows[k->active[i]];
        for (size_t j = 0; j < n; j++)
            k->J[i * n + j] = k->X[i * n + j] = row_sign(row) * k->G[row->qd * n + j];
        solve_mass(s, k->X + i * n);
    }
    for (size_t i = 0; i < count && status == TD_OK; i++)
        for (size_t j = 0; j < count; j++) {
            k->A[i * count + j] = 0;
            for (size_t m = 0; m < n; m++)
                k->A[i * count + j] += k->J[i * n + m] * k->X[j * n + m];
        }
    return status;
}

td_status td_rows_acceleration(td_simulation *s, size_t count)
{
    td_reactions *k = &s->reactions;
    td_status status = td_u_joint_accelerations(s);
    for (size_t i = 0; i < count && status == TD_OK; i++) {
        const td_row *row = &s->rows[k->active[i]];
        k->b[i] = row_sign(row) * s->qdd[row->qd];
    }
    return status;
}

/* ü += M⁻¹ Jᵀ λ; the prescribed coordinates take M ÿ − Jᵀ λ more */
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

td_status td_rows_react(td_simulation *s)
{
    td_reactions *k = &s->reactions;
    size_t count = 0;
    for (size_t i = 0; i < s->row_count; i++) {
        s->rows[i].reaction = 0;
        if (s->rows[i].mode == TD_ROW_HOLDS)
            k->active[count++] = i;
    }
    if (count == 0)
        return TD_OK;
    td_status status = td_rows_matrix(s, count);
    if (status == TD_OK)
        status = td_rows_acceleration(s, count);
    if (status != TD_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        k->lower[i] = -INFINITY;
        k->upper[i] = INFINITY;
    }
    if (!td_bounded_solve(count, k->A, k->b, k->lower, k->upper, k->lambda, k->room, k->state))
        return TD_ERROR_SINGULAR;
    for (size_t i = 0; i < count; i++)
        s->rows[k->active[i]].reaction = k->lambda[i];
    take_reactions(s, count);
    return TD_OK;
}

/* ---- events ---------------------------------------------------------------------------------- */

td_status td_rows_values(void *simulation, double t, const double *x, double *values)
{
    td_simulation *s = simulation;
    bool holds = false;
    for (size_t i = 0; i < s->row_count; i++)
        holds |= s->rows[i].mode == TD_ROW_HOLDS;
    td_status status = td_simulation_look(s, t, x);
    if (status == TD_OK)
        status = holds ? td_simulation_accelerate(s, t, x, NULL) : td_u_joints(s);
    for (size_t i = 0; i < s->row_count && status == TD_OK; i++) {
        const td_row *row = &s->rows[i];
        const double distance = row->stop ? gap(s, row) : row->sign * s->qd[row->qd];
        values[i] = row->mode == TD_ROW_OFF       ? distance + row->offset
                    : row->mode == TD_ROW_PRESSED ? row->offset - distance
                    : row->stop                   ? row->reaction
                                                  : row->friction - fabs(row->reaction);
    }
    return status;
}
