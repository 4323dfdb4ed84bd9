/* SPDX-License-Identifier: MIT */
/*
 * Determines how much slower a motion must be for a robot's limits. Each sample gives the factor
 * that its limits require. The largest maxima between samples are refined by golden-section
 * search.
 */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/coordinates.h"
#include "base/limit.h"
#include "base/sized.h"
#include "base/stack.h"
#include "tandem/actuation.h"
#include "tandem/closure.h"
#include "tandem/dynamics.h"
#include "time_scale.h"
#include "trajectory_inside.h"

/* ---- factors that limits require ------------------------------------------------------------- */

static void ask(td_time_scale *most, double factor, td_limit_kind kind, size_t joint)
{
    if (factor > most->factor) {
        most->factor = factor;
        most->kind = kind;
        most->joint = joint;
    }
}

/* Returns how many coordinates of a joint have limits. */
static size_t coordinates_of(const td_scaling *s, size_t joint)
{
    const bool limited = td_joint_kind_of(td_joint_at(s->model, joint)->type)->sprung;
    return limited ? td_joint_place_at(s->model, joint).nv : 0;
}

static void ask_for_coordinate(const td_scaling *s, size_t joint, size_t k, td_time_scale *most)
{
    const td_joint_place place = td_joint_place_at(s->model, joint);
    const td_joint *record = td_joint_at(s->model, joint);
    const td_limit *limit = s->options.limits ? &s->options.limits[joint] : &record->limit;
    const double q = s->q[place.q + k], qd = s->qd[place.qd + k], qdd = s->qdd[place.qd + k];
    const bool bounded = td_joint_kind_of(record->type)->bounded;
    if (bounded && td_is_outside(q, limit->lower, limit->upper))
        ask(most, INFINITY, TD_LIMIT_POSITION, joint);
    if (limit->velocity > 0)
        ask(most, fabs(qd) / limit->velocity, TD_LIMIT_VELOCITY, joint);
    const bool braking = qd * qdd < 0 && limit->deceleration > 0;
    const double most_change = braking ? limit->deceleration : limit->acceleration;
    if (most_change > 0)
        ask(most, sqrt(fabs(qdd) / most_change), TD_LIMIT_ACCELERATION, joint);
}

static double length(const double v[3])
{
    return hypot(hypot(v[0], v[1]), v[2]);
}

/* The limits of a joint with a quaternion apply to the lengths of the angular and the linear
   vector. */
static void ask_for_pose(const td_scaling *s, size_t joint, td_time_scale *most)
{
    const td_joint_place place = td_joint_place_at(s->model, joint);
    const td_limit *limit =
        s->options.limits ? &s->options.limits[joint] : &td_joint_at(s->model, joint)->limit;
    const double *w = s->qd + place.qd, *v = w + 3, *a = s->qdd + place.qd;
    double speed = length(w), change = length(a);
    if (place.nv > 3) {
        const double linear[3] = {a[3] + w[1] * v[2] - w[2] * v[1],
                                  a[4] + w[2] * v[0] - w[0] * v[2],
                                  a[5] + w[0] * v[1] - w[1] * v[0]};
        speed = fmax(speed, length(v));
        change = fmax(change, length(linear));
    }
    if (limit->velocity > 0)
        ask(most, speed / limit->velocity, TD_LIMIT_VELOCITY, joint);
    if (limit->acceleration > 0)
        ask(most, sqrt(change / limit->acceleration), TD_LIMIT_ACCELERATION, joint);
}

static bool has_quaternion(const td_model *model, size_t joint)
{
    return td_joint_kind_of(td_joint_at(model, joint)->type)->quaternion != TD_NONE;
}

static td_time_scale unlimited(double factor, double t)
{
    return (td_time_scale){.factor = factor, .kind = TD_LIMIT_NONE, .joint = TD_NONE, .t = t};
}

/* Limits of motors that their joints do not have: of velocity and, with forces, of power. */
static td_status ask_for_motors(td_scaling *s, td_time_scale *most)
{
    td_status status =
        td_motion_to_actuators(s->model, s->w, s->y, s->yd, NULL, NULL, s->motor_velocity, NULL);
    for (size_t i = 0; i < td_nu(s->model) && status == TD_OK; i++) {
        const td_actuator motor = td_actuator_at(s->model, i);
        const double v = s->motor_velocity[i];
        ask(most, fabs(v) / motor.velocity_limit, TD_LIMIT_VELOCITY, motor.joint);
        if (s->options.forces)
            ask(most, td_scale_factor_for_power(s, i, v, motor.power_limit), TD_LIMIT_POWER,
                motor.joint);
    }
    return status;
}

static td_status factor_at(td_scaling *s, double t, td_time_scale *most)
{
    *most = unlimited(0, t);
    td_status status = td_trajectory_state(s->trajectory, s->model, t, s->y, s->yd, s->ydd);
    if (status == TD_OK && s->options.forces) {
        status = td_scale_split_forces(s);
        for (size_t i = 0; i < td_nu(s->model) && status == TD_OK; i++)
            ask(most, td_scale_factor_for_force(s, i), TD_LIMIT_FORCE,
                td_actuator_at(s->model, i).joint);
    }
    if (status == TD_OK && s->motors)
        status = ask_for_motors(s, most);
    if (status == TD_OK)
        status = td_closure(s->model, s->w, s->y, s->yd, s->ydd, s->q, s->qd, s->qdd);
    for (size_t i = 0; i < td_movable_count(s->model) && status == TD_OK; i++) {
        const size_t joint = td_movable_joint(s->model, i);
        for (size_t k = 0; k < coordinates_of(s, joint); k++)
            ask_for_coordinate(s, joint, k, most);
        if (has_quaternion(s->model, joint))
            ask_for_pose(s, joint, most);
    }
    return status;
}

/* ---- along the motion ------------------------------------------------------------------------ */

/* Returns the time of sample k of a piece. The last sample is still inside the piece. */
static double sample_time(const td_scaling *s, size_t piece, size_t k)
{
    const double a = td_trajectory_piece(s->trajectory, piece);
    const double b = td_trajectory_piece(s->trajectory, piece + 1);
    return k == s->options.samples ? nextafter(b, a)
                                   : a + (b - a) * (double)k / (double)s->options.samples;
}

static td_status take_larger(td_scaling *s, double t, td_time_scale *best, double *factor)
{
    td_time_scale here;
    td_status status = factor_at(s, t, &here);
    *factor = here.factor;
    if (status == TD_OK && here.factor > best->factor)
        *best = here;
    return status;
}

/* Refines a maximum within [a, b] by golden-section search. */
static td_status refine(td_scaling *s, double a, double b, td_time_scale *best)
{
    const double golden = 0.5 * (sqrt(5) - 1);
    double x1 = b - golden * (b - a), x2 = a + golden * (b - a), f1, f2;
    td_status status = take_larger(s, x1, best, &f1);
    if (status == TD_OK)
        status = take_larger(s, x2, best, &f2);
    for (int n = 0; n < 40 && status == TD_OK && isfinite(best->factor); n++) {
        if (f1 > f2) {
            b = x2;
            x2 = x1;
            f2 = f1;
            x1 = b - golden * (b - a);
            status = take_larger(s, x1, best, &f1);
        } else {
            a = x1;
            x1 = x2;
            f1 = f2;
            x2 = a + golden * (b - a);
            status = take_larger(s, x2, best, &f2);
        }
    }
    return status;
}

/* Returns whether a joint that reverses between two samples, `time` apart, may have exceeded a
   position limit. It must then be closer to the limit than the larger velocity can move it. */
static bool may_pass(const td_scaling *s, size_t joint, size_t k, double time)
{
    const td_joint_place place = td_joint_place_at(s->model, joint);
    const td_joint *record = td_joint_at(s->model, joint);
    const td_limit *limit = s->options.limits ? &s->options.limits[joint] : &record->limit;
    const size_t q = place.q + k, qd = place.qd + k;
    if (!td_joint_kind_of(record->type)->bounded)
        return false;
    const double before = s->qd_before[qd], after = s->qd[qd];
    const double way = fmax(fabs(before), fabs(after)) * time;
    if (before > 0 && after < 0)
        return fmax(s->q_before[q], s->q[q]) + way > limit->upper;
    return before < 0 && after > 0 && fmin(s->q_before[q], s->q[q]) - way < limit->lower;
}

/* Finds the time at which this entry of q̇ changes its sign, by bisection. */
static td_status take_turn(td_scaling *s, size_t at, double a, double b, td_time_scale *best)
{
    const bool rises = s->qd_before[at] > 0;
    td_status status = TD_OK;
    for (int n = 0; n < 60 && status == TD_OK; n++) {
        const double t = 0.5 * (a + b);
        td_trajectory_state(s->trajectory, s->model, t, s->y, s->yd, NULL);
        status = td_closure(s->model, s->w, s->y, s->yd, NULL, s->q, s->qd, NULL);
        if ((s->qd[at] > 0) == rises)
            a = t;
        else
            b = t;
    }
    double factor;
    return status == TD_OK ? take_larger(s, b, best, &factor) : status;
}

/* Checks positions at reversals between a and b. The state at a was saved, and the present state
   is b's. */
static td_status search_turns(td_scaling *s, double a, double b, td_time_scale *best)
{
    td_status status = TD_OK;
    for (size_t i = 0; i < td_movable_count(s->model) && status == TD_OK; i++) {
        const size_t joint = td_movable_joint(s->model, i);
        for (size_t k = 0; k < coordinates_of(s, joint) && status == TD_OK; k++) {
            if (isinf(best->factor) || !may_pass(s, joint, k, b - a))
                continue;
            double factor;
            const size_t at = td_joint_place_at(s->model, joint).qd + k;
            status = take_turn(s, at, a, b, best);
            if (status == TD_OK) /* restore the state at b for the next joint */
                status = take_larger(s, b, best, &factor);
        }
    }
    return status;
}

static td_status search_piece(td_scaling *s, size_t piece, td_time_scale *best)
{
    double *factors = s->factor;
    const size_t samples = s->options.samples;
    td_status status = TD_OK;
    for (size_t k = 0; k <= samples && status == TD_OK && isfinite(best->factor); k++) {
        const double t = sample_time(s, piece, k);
        status = take_larger(s, t, best, &factors[k]);
        if (status == TD_OK && k > 0)
            status = search_turns(s, sample_time(s, piece, k - 1), t, best);
        memcpy(s->q_before, s->q, td_nq(s->model) * sizeof *s->q);
        memcpy(s->qd_before, s->qd, td_nv(s->model) * sizeof *s->qd);
    }
    for (size_t k = 0; k <= samples && status == TD_OK && isfinite(best->factor); k++) {
        const size_t before = k > 0 ? k - 1 : 0, after = k < samples ? k + 1 : samples;
        const bool summit = factors[k] >= factors[before] && factors[k] >= factors[after];
        if (summit && factors[k] >= 0.9 * best->factor && factors[k] > 0)
            status = refine(s, sample_time(s, piece, before), sample_time(s, piece, after), best);
    }
    return status;
}

static td_status search(td_scaling *s, td_time_scale *best)
{
    td_status status = TD_OK;
    for (size_t piece = 0; piece < s->trajectory->pieces && status == TD_OK; piece++)
        status = search_piece(s, piece, best);
    if (status == TD_OK && isinf(best->factor))
        return TD_ERROR_LIMIT;
    return status;
}

static bool has_friction(const td_scaling *s)
{
    bool any = false;
    for (size_t i = 0; i < td_joint_count(s->model); i++)
        any |= td_joint_at(s->model, i)->friction > 0;
    for (size_t i = 0; i < td_loop_count(s->model); i++)
        any |= td_loop_at(s->model, i)->friction > 0;
    return any && s->options.forces && s->options.passive;
}

/* Evaluates friction at the final speed of the motion, because it is smoothed near zero velocity
   and depends on the speed. */
static td_status keep_friction(td_scaling *s, td_time_scale *best)
{
    td_status status = TD_OK;
    for (int n = 0; n < 20 && status == TD_OK && best->factor > 0; n++) {
        const double speed = s->options.faster || best->factor > 1 ? 1 / best->factor : 1;
        if (fabs(speed - s->speed) <= 1e-10 * speed)
            break;
        s->speed = speed;
        *best = unlimited(0, td_trajectory_begin(s->trajectory));
        status = search(s, best);
    }
    return status;
}

/* ---- the function ---------------------------------------------------------------------------- */

static void scaling_take(td_scaling *s, td_stack *stack)
{
    const size_t n = td_nyd(s->model), nq = td_nq(s->model), nv = td_nv(s->model);
    double **const of_y[] = {&s->yd, &s->ydd, &s->whole, &s->half, &s->rough, &s->still};
    double **const of_u[] = {&s->u.inertia,  &s->u.damping, &s->u.friction,
                             &s->u.constant, &s->effort,    &s->motor_velocity};
    s->y = td_take(stack, double, td_ny(s->model));
    for (size_t i = 0; i < sizeof of_y / sizeof *of_y; i++)
        *of_y[i] = td_take(stack, double, n);
    s->q = td_take(stack, double, nq);
    s->q_before = td_take(stack, double, nq);
    s->qd = td_take(stack, double, nv);
    s->qdd = td_take(stack, double, nv);
    s->qd_before = td_take(stack, double, nv);
    for (size_t i = 0; i < sizeof of_u / sizeof *of_u; i++)
        *of_u[i] = td_take(stack, double, td_nu(s->model));
    s->factor = td_take(stack, double, s->options.samples + 1);
}

td_status td_trajectory_time_scale(const td_model *model, td_workspace *workspace,
                                   const td_trajectory *trajectory,
                                   const td_time_scale_options *options, td_time_scale *scale)
{
    td_scaling s = {.model = model, .w = workspace, .trajectory = trajectory, .speed = 1};
    s.options = td_time_scale_options_default();
    if (!scale || !td_size_is_valid(scale->size_of))
        return TD_ERROR_ARGUMENT;
    td_time_scale best = unlimited(NAN, NAN);
    td_sized_write(scale, scale->size_of, &best, sizeof best);
    if (!model || !workspace || !trajectory ||
        (options && !td_sized_read(&s.options, sizeof s.options, options)) ||
        s.options.samples == 0 || s.options.samples > SIZE_MAX / 16 ||
        trajectory->n != td_ny(model))
        return TD_ERROR_ARGUMENT;
    td_status status = s.options.forces ? td_actuation_status(model) : TD_OK;
    if (status != TD_OK)
        return status;
    td_stack stack = {0};
    if (!td_take_twice(&stack, scaling_take(&s, &stack)))
        return TD_ERROR_MEMORY;
    for (size_t i = 0; i < td_nu(model); i++) {
        const td_actuator motor = td_actuator_at(model, i);
        s.effort[i] = td_scale_motor_effort(&s, i);
        s.motors = s.motors || isfinite(motor.velocity_limit) || isfinite(motor.power_limit);
    }
    best = unlimited(0, td_trajectory_begin(trajectory));
    status = TD_IN_INDEPENDENT(workspace, search(&s, &best));
    if (status == TD_OK && has_friction(&s))
        status = TD_IN_INDEPENDENT(workspace, keep_friction(&s, &best));
    td_stack_end(&stack);
    if (status != TD_OK && status != TD_ERROR_LIMIT)
        return status;
    if (best.factor <= 1 && (!s.options.faster || best.factor == 0))
        best = unlimited(1, best.t);
    td_sized_write(scale, scale->size_of, &best, sizeof best);
    return status;
}
