/* SPDX-License-Identifier: MIT */
/*
 * Computes the requirements on motors in a motion, see recording_sizing.h. Integrals over time
 * interpolate linearly between rows.
 */
#include "commands/recording_sizing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "input/motors.h"
#include "output/limit_watch.h"
#include "text.h"

const char *violated_text(violated kind)
{
    static const char *const text[] = {"position", "velocity", "acceleration", "effort", "power"};
    return text[kind];
}

const char *sizing_unit(bool turns, int order)
{
    static const char *const unit[2][5] = {{"m", "m/s", "m/s²", "N", "W"},
                                           {"rad", "rad/s", "rad/s²", "N m", "W"}};
    return unit[turns ? 1 : 0][order];
}

/* ---- motors ---------------------------------------------------------------------------------- */

/* Return the force and speed of a motor, or of a coordinate without one, at a row. */
static double force_of(const recorded_result *m, const motor_size *z, size_t row)
{
    return z->motor != TD_NONE
               ? m->u[row * m->actuators + z->motor]
               : m->value[QUANTITY_TAU][row * m->c->size[QUANTITY_TAU] + (size_t)z->coordinate];
}

static double speed_of(const recorded_result *m, const motor_size *z, size_t row)
{
    return z->motor != TD_NONE
               ? m->speed[row * m->actuators + z->motor]
               : m->value[QUANTITY_QD][row * m->c->size[QUANTITY_QD] + (size_t)z->coordinate];
}

static void larger(extreme *e, double value, size_t row)
{
    if (fabs(value) > fabs(e->value) * (1 + 1e-12)) { /* keeps the first of equal values */
        *e = (extreme){value, row};
    }
}

/* Updates a maximum, or a minimum with sign −1. first: there is no value yet. */
static void further(extreme *e, double sign, bool first, double value, size_t row)
{
    if (first || sign * (value - e->value) > 1e-12 * fabs(e->value)) {
        *e = (extreme){value, row};
    }
}

/* Returns the integral over [0, 1] of the positive part of a line from a to b. */
static double positive_part(double a, double b)
{
    if (a >= 0 && b >= 0) {
        return (a + b) / 2;
    }
    if (a <= 0 && b <= 0) {
        return 0;
    }
    const double most = a > b ? a : b;
    return most * most / fabs(a - b) / 2;
}

/* Returns the integral over [0, 1] of the square of a line from a to b. */
static double square(double a, double b)
{
    return (a * a + a * b + b * b) / 3;
}

static void measure(motor_size *z, const recorded_result *m)
{
    double time = 0, squares[2] = {0, 0};
    bool first = true;
    for (size_t i = 0; i < m->n; i++) {
        const double u = force_of(m, z, i), v = speed_of(m, z, i);
        if (isnan(u)) {
            continue;
        }
        larger(&z->force, u, i);
        larger(&z->speed, v, i);
        further(&z->power, 1, first, u * v + 0.0, i); /* no -0 */
        further(&z->power_least, -1, first, u * v + 0.0, i);
        first = false;
        if (i + 1 == m->n || isnan(force_of(m, z, i + 1))) {
            continue;
        }
        const double next_u = force_of(m, z, i + 1), next_v = speed_of(m, z, i + 1);
        const double h = m->t[i + 1] - m->t[i];
        time += h;
        squares[0] += h * square(u, next_u);
        squares[1] += h * square(v, next_v);
        z->given += h * positive_part(u * v, next_u * next_v);
        z->taken += h * positive_part(-u * v, -next_u * next_v);
    }
    z->force_rms = time > 0 ? sqrt(squares[0] / time) : 0;
    z->speed_rms = time > 0 ? sqrt(squares[1] / time) : 0;
}

/* Adds up the shares of joints. Also adds up the shares of links and the passive forces of joints.
 */
static void add_shares(motor_size *z, double *by_joints, double *by_links)
{
    const contributions *e = &z->worst;
    for (size_t i = 0; i < e->joint_count; i++) {
        *by_joints += joint_share_total(&e->joint[i]);
    }
    z->passive = e->passive;
    *by_links = z->passive;
    for (size_t i = 0; i < e->link_count; i++) {
        *by_links += link_share_total(&e->link[i]);
    }
}

/* Computes the parts of a coordinate's force due to cables, wrenches and springs between links.
   Since tau = M ÿ + h − Jᵀ f is linear in f, each part is the force with it minus the force without
   it. */
static td_status add_outer(motor_size *z, const recorded_result *m, const robot_state *x,
                           td_forces forces, double *poses, double *wrenches)
{
    static const unsigned parts[] = {RECORDED_WRENCHES | RECORDED_CABLES, RECORDED_WRENCHES, 0, 0};
    const td_model *model = m->s->model;
    double *tau = allocate(m->c->size[QUANTITY_TAU], sizeof *tau), force[4] = {0};
    td_status status = TD_OK;
    for (size_t k = 0; k < 4 && status == TD_OK; k++) {
        status = recorded_wrenches(m, m->t[z->force.row], x->value[QUANTITY_Q], parts[k], poses,
                                   wrenches);
        forces.wrenches = parts[k] != 0 && recorded_pushed(m) ? wrenches : NULL;
        forces.passive = forces.passive && k < 3;
        if (status == TD_OK) {
            status =
                td_inverse_dynamics(model, m->s->workspace, x->value[QUANTITY_Q],
                                    x->value[QUANTITY_QD], x->value[QUANTITY_QDD], &forces, tau);
        }
        force[k] = tau[z->coordinate];
    }
    z->cables = m->cables > 0 ? force[0] - force[1] : 0;
    z->wrenches = recorded_pushed(m) ? force[1] - force[2] : 0;
    z->springs = td_spring_count(model) > 0 ? force[2] - force[3] - z->passive : 0;
    free(tau);
    return status;
}

/* Splits the largest force as tandem contributions does, on the loop branch of its row. Shares that
   do not add up to the force are rejected. This happens if a motor shares a coordinate with others,
   or next to a singular position of a loop. */
static void find_worst(motor_size *z, const recorded_result *m)
{
    const td_model *model = m->s->model;
    if (z->coordinate < 0 || z->force.value == 0) {
        return;
    }
    robot_state x = state_new(m->c);
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        const size_t size = m->c->size[quantity];
        memcpy(x.value[quantity], m->value[quantity] + z->force.row * size, size * sizeof(double));
    }
    td_forces forces = td_forces_default();
    forces.passive = m->options->common.passive;
    scoped double *poses = allocate(12 * td_link_count(model), sizeof *poses);
    double *wrenches = allocate(6 * td_link_count(model), sizeof *wrenches);
    td_status status = td_closure_start(model, m->s->workspace, m->q + z->force.row * td_nq(model));
    if (status == TD_OK) {
        status = recorded_wrenches(m, m->t[z->force.row], x.value[QUANTITY_Q],
                                   RECORDED_WRENCHES | RECORDED_CABLES, poses, wrenches);
    }
    forces.wrenches = recorded_pushed(m) ? wrenches : NULL;
    forces.wrench_frame = TD_FRAME_ALIGNED;
    if (status == TD_OK) {
        status = find_contributions(m->s, &x, &forces, z->coordinate, &z->worst);
        z->found = true;
    }
    double by_joints = 0, by_links = 0;
    add_shares(z, &by_joints, &by_links);
    if (status == TD_OK) {
        status = add_outer(z, m, &x, forces, poses, wrenches);
    }
    const double outer = z->cables + z->wrenches + z->springs;
    const double rounding = 1e-6 * fabs(z->force.value);
    z->explained = status == TD_OK && fabs(z->worst.force - z->force.value) <= rounding &&
                   fabs(by_joints - z->force.value) <= rounding &&
                   fabs(by_links + outer - z->force.value) <= rounding;
    free(wrenches);
    state_free(&x);
}

static void size_motor(sizing *z, motor_size size)
{
    motor_size *place = &z->motor[z->motors++];
    *place = size;
    measure(place, z->m);
    find_worst(place, z->m);
}

/* Adds a coordinate whose force no motor provides. */
static void size_coordinate(sizing *z, size_t k)
{
    const recorded_result *m = z->m;
    const size_t joint = coordinates_joint(m->c, k);
    const size_t part = joint_component(td_joint_place_at(m->s->model, joint), QUANTITY_TAU, false,
                                        k - coordinates_velocity(m->c, joint));
    size_motor(z, (motor_size){.name = m->c->name[QUANTITY_TAU][k],
                               .motor = TD_NONE,
                               .coordinate = (int)k,
                               .turns = coordinate_domain(m->s->model, joint, QUANTITY_TAU, part) ==
                                        UNIT_TURN,
                               .force_error = m->tau_error[k]});
}

/* Lists motors, then coordinates of joints that have no motors: all if motors do not provide all
   forces. */
static void size_motors(sizing *z)
{
    const recorded_result *m = z->m;
    z->motor = allocate(m->actuators + m->c->size[QUANTITY_TAU], sizeof *z->motor);
    for (size_t k = 0; k < m->actuators; k++) {
        size_motor(z,
                   (motor_size){.name = m->actuator[k],
                                .motor = k,
                                .coordinate = coordinates_find(m->c, QUANTITY_TAU, m->actuator[k]),
                                .turns = td_actuator_at(m->s->model, k).turns,
                                .force_error = m->u_error[k]});
    }
    for (size_t k = 0; k < m->c->size[QUANTITY_TAU]; k++) {
        if (m->actuator == NULL || has_quaternion(m->s->model, coordinates_joint(m->c, k))) {
            size_coordinate(z, k);
        }
    }
}

/* ---- limits ---------------------------------------------------------------------------------- */

/* Returns by how much a value is beyond its limits, and the limit. */
static double beyond(double x, double lower, double upper, double *limit)
{
    if (td_is_above(x, upper)) {
        *limit = upper;
        return x - upper;
    }
    if (td_is_below(x, lower)) {
        *limit = lower;
        return lower - x;
    }
    return 0;
}

/* Adds a violation for each interval in which a column is beyond its limits. stride: the distance
   of its elements. */
static void find_violations(sizing *z, violation kind, const double *x, size_t stride, double lower,
                            double upper)
{
    bool inside = true;
    double most = 0;
    for (size_t i = 0; i < z->m->n; i++) {
        double limit = 0;
        const double by = beyond(x[i * stride], lower, upper, &limit);
        if (by > 0 && inside) {
            z->violation = reallocate(z->violation, z->violations + 1, sizeof *z->violation);
            kind.first = i;
            z->violation[z->violations++] = kind;
            most = 0;
        }
        inside = !(by > 0);
        if (inside) {
            continue;
        }
        violation *now = &z->violation[z->violations - 1];
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): it began where it was inside last */
        now->last = i;
        if (by > most) {
            most = by;
            now->worst = (extreme){x[i * stride], i};
            now->limit = limit;
        }
    }
}

/* Checks position limits of a joint's coordinate. Limits of a continuous joint apply modulo 2π. */
static void check_position(sizing *z, violation kind, const td_joint *joint, size_t column)
{
    const size_t nq = td_nq(z->m->s->model), rows = z->m->n;
    const double *q = z->m->q + column;
    if (!(joint->limit.lower < joint->limit.upper)) {
        return;
    }
    if (td_joint_kind_of(joint->type)->bounded) {
        find_violations(z, kind, q, nq, joint->limit.lower, joint->limit.upper);
        return;
    }
    scoped double *turned = allocate(rows, sizeof *turned);
    for (size_t i = 0; i < rows; i++) {
        turned[i] = limit_nearest_turn(q[i * nq], &joint->limit);
    }
    find_violations(z, kind, turned, 1, joint->limit.lower, joint->limit.upper);
}

static void check_joints(sizing *z)
{
    const td_model *model = z->m->s->model;
    const size_t nv = td_nv(model);
    for (size_t k = 0; k < td_movable_count(model); k++) {
        const size_t index = td_movable_joint(model, k);
        const td_joint *joint = td_joint_at(model, index);
        const td_joint_place place = td_joint_place_at(model, index);
        if (place.nv != 1 && !td_joint_kind_of(joint->type)->bounded) {
            continue;
        }
        violation v = {.name = joint->name, .turns = joint_turns(model, index)};
        const double speed = limit_or_none(joint->limit.velocity);
        const double acceleration = limit_or_none(joint->limit.acceleration);
        const double deceleration =
            isnan(joint->limit.deceleration) || joint->limit.deceleration == 0
                ? acceleration
                : fabs(joint->limit.deceleration);
        const double larger_one = fmax(acceleration, deceleration);
        for (size_t n = 0; n < place.nv; n++) {
            v.kind = VIOLATED_POSITION;
            check_position(z, v, joint, place.q + n);
            v.kind = VIOLATED_VELOCITY;
            find_violations(z, v, z->m->qd + place.qd + n, nv, -speed, speed);
            v.kind = VIOLATED_ACCELERATION;
            find_violations(z, v, z->m->qdd + place.qd + n, nv, -larger_one, larger_one);
        }
    }
}

static void check_motors(sizing *z)
{
    const recorded_result *m = z->m;
    scoped double *power = allocate(m->n, sizeof *power);
    for (size_t k = 0; k < m->actuators; k++) {
        const td_actuator a = td_actuator_at(m->s->model, k);
        const double effort = motor_effort(m->s->model, k);
        violation v = {.name = m->actuator[k], .kind = VIOLATED_EFFORT, .turns = a.turns};
        find_violations(z, v, m->u + k, m->actuators, -effort, effort);
        v.kind = VIOLATED_VELOCITY;
        find_violations(z, v, m->speed + k, m->actuators, -a.velocity_limit, a.velocity_limit);
        v.kind = VIOLATED_POWER;
        for (size_t i = 0; i < m->n && isfinite(a.power_limit); i++) {
            power[i] = m->u[i * m->actuators + k] * m->speed[i * m->actuators + k];
        }
        find_violations(z, v, power, 1, -a.power_limit, a.power_limit);
    }
}

/* Checks effort limits of joints without a motor: followers (robot/motors.h) and, if motors do not
   provide all forces, independent joints. */
static void check_carriers(sizing *z)
{
    const recorded_result *m = z->m;
    const td_model *model = m->s->model;
    for (size_t k = 0; k < td_movable_count(model); k++) {
        const size_t index = td_movable_joint(model, k);
        const td_joint *joint = td_joint_at(model, index);
        const td_joint_place place = td_joint_place_at(model, index);
        const double own = limit_or_none(joint->limit.effort);
        const double effort = follower_effort(model, index, m->actuator != NULL);
        const violation v = {
            .name = joint->name, .kind = VIOLATED_EFFORT, .turns = joint_turns(model, index)};
        if (isfinite(effort)) {
            find_violations(z, v, m->tau + place.qd, td_nv(model), -effort, effort);
        } else if (place.nv == 1 && !place.dependent && m->actuator == NULL) {
            find_violations(z, v, m->value[QUANTITY_TAU] + place.yd, m->c->size[QUANTITY_TAU], -own,
                            own);
        }
    }
}

/* ---- followers ------------------------------------------------------------------------------- */

/* Compares measured followers with computed ones if the rows were not resampled. */
static void compare_followers(sizing *z)
{
    const recording *r = z->m->recorded;
    const size_t nq = td_nq(z->m->s->model);
    for (size_t k = 0; k < r->channels; k++) {
        const channel *c = &r->channel[k];
        if (!c->follower || z->m->n != r->rows) {
            continue;
        }
        deviation d = {.name = c->name, .turns = true};
        const double turn = recording_goes_round(r, c) ? 2 * acos(-1) : (double)INFINITY;
        for (size_t i = 0; i < r->rows; i++) {
            const double *q = z->m->q + i * nq;
            const double sign = recording_sign(r, c, i, q);
            const double by = remainder(c->x[i] - sign * q[c->index], turn);
            if (fabs(by) > fabs(d.largest.value)) {
                d.largest = (extreme){by, i};
            }
        }
        d.turns = joint_turns(z->m->s->model, recording_joint(r, c));
        z->deviation = reallocate(z->deviation, z->deviations + 1, sizeof *z->deviation);
        z->deviation[z->deviations++] = d;
    }
}

sizing sizing_new(const recorded_result *m)
{
    sizing z = {.m = m};
    size_motors(&z);
    check_joints(&z);
    check_motors(&z);
    check_carriers(&z);
    compare_followers(&z);
    return z;
}

void sizing_free(sizing *z)
{
    for (size_t k = 0; k < z->motors; k++) {
        if (z->motor[k].found) {
            contributions_free(&z->motor[k].worst);
        }
    }
    free(z->motor);
    free(z->violation);
    free(z->deviation);
}
