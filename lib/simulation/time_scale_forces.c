/* SPDX-License-Identifier: MIT */
/*
 * Forces of a motion at lower speed: their terms, the limits of motors, and the factor at which
 * a force stays below its limit.
 */
#include <float.h>
#include <math.h>

#include "tandem/actuation.h"
#include "tandem/closure.h"
#include "tandem/dynamics.h"
#include "time_scale.h"

/* Computes inverse dynamics of the motion at lower speed: velocities times x, accelerations
   times x². */
static td_status forces_at(td_scaling *s, double x, double friction_velocity, double *tau_y)
{
    const size_t n = td_nyd(s->model);
    td_forces forces = td_forces_default();
    forces.passive = s->options.passive;
    forces.wrenches = s->options.wrenches;
    forces.wrench_frame = s->options.wrench_frame;
    forces.friction_velocity = friction_velocity;
    double *yd = s->qd, *ydd = s->qdd; /* scratch: n is at most nv */
    for (size_t i = 0; i < n; i++) {
        yd[i] = x * s->yd[i];
        ydd[i] = x * x * s->ydd[i];
    }
    return td_inverse_dynamics(s->model, s->w, s->y, yd, ydd, &forces, tau_y);
}

td_status td_scale_split_forces(td_scaling *s)
{
    const double frictionless = 1e150;
    td_status status = forces_at(s, 1, frictionless, s->whole);
    if (status == TD_OK)
        status = forces_at(s, 0.5, frictionless, s->half);
    if (status == TD_OK)
        status = forces_at(s, 0, frictionless, s->still);
    if (status == TD_OK)
        status = forces_at(s, s->speed, 1e-3, s->rough);
    for (size_t i = 0; i < td_nyd(s->model) && status == TD_OK; i++) {
        const double a = s->whole[i] - s->still[i], b = s->half[i] - s->still[i];
        s->whole[i] = 2 * a - 4 * b;
        s->half[i] = 4 * b - a;
        s->rough[i] -= (s->whole[i] * s->speed + s->half[i]) * s->speed + s->still[i];
    }
    const double *const along[] = {s->whole, s->half, s->rough, s->still};
    double *const motors[] = {s->u.inertia, s->u.damping, s->u.friction, s->u.constant};
    for (int k = 0; k < 4 && status == TD_OK; k++)
        status = td_forces_to_actuators(s->model, s->w, s->y, along[k], NULL, motors[k], NULL);
    return status;
}

/* Returns the smallest positive x with x² + b x + c = 0, infinite without such a root. */
static double least_root(double a, double b, double c)
{
    const double square = b * b - 4 * a * c;
    if (square < 0)
        return INFINITY;
    const double sum = -0.5 * (b + copysign(sqrt(square), b));
    const double first = a != 0 ? sum / a : INFINITY, second = sum != 0 ? c / sum : INFINITY;
    double least = INFINITY;
    if (first > 0)
        least = first;
    if (second > 0)
        least = fmin(least, second);
    return least;
}

double td_scale_factor_for_force(const td_scaling *s, size_t i)
{
    const double limit = s->effort[i], constant = s->u.constant[i] + s->u.friction[i];
    if (isinf(limit))
        return 0;
    if (fabs(constant) >= limit)
        return INFINITY;
    const double a = s->u.inertia[i], b = s->u.damping[i];
    return 1 / fmin(least_root(a, b, constant - limit), least_root(a, b, constant + limit));
}

/* Returns the power of a motor at the speed x, with its velocity v at x = 1. */
static double power_at(const td_scaling *s, size_t i, double v, double x)
{
    const td_force_parts *u = &s->u;
    const double force = (u->inertia[i] * x + u->damping[i]) * x + u->friction[i] + u->constant[i];
    return force * x * v;
}

/* Returns the least x in [x, beyond] with |x v (a x² + b x + c)| = limit; the power is monotone
   there, below the limit at x and not below it at `beyond`. */
static double find_crossing(const td_scaling *s, size_t i, double v, double limit, double x,
                            double beyond)
{
    for (int n = 0; n < 200 && beyond - x > DBL_EPSILON * beyond; n++) {
        const double middle = 0.5 * (x + beyond);
        if (fabs(power_at(s, i, v, middle)) < limit)
            x = middle;
        else
            beyond = middle;
    }
    return beyond;
}

double td_scale_factor_for_power(const td_scaling *s, size_t i, double v, double limit)
{
    const double a = s->u.inertia[i], b = s->u.damping[i], c = s->u.constant[i] + s->u.friction[i];
    const double largest = fmax(fabs(a), fmax(fabs(b), fabs(c))) * fabs(v);
    if (isinf(limit) || largest == 0)
        return 0;
    /* the power is a cubic, monotone between its extremes; beyond `last` it exceeds the limit or,
       where its last terms are rounding, the speed is so high that it does not matter */
    const double last = 1e6 * fmax(1, limit / largest), slope[3] = {3 * a, 2 * b, c};
    double x = 0, extreme[3] = {least_root(slope[0], slope[1], slope[2]), 0, last};
    const double other = slope[0] != 0 ? slope[2] / (slope[0] * extreme[0]) : 0;
    extreme[1] = other > 0 ? other : last;
    for (int n = 0; n < 3; n++) {
        const double end = fmin(extreme[n], last);
        if (end > x && !(fabs(power_at(s, i, v, end)) < limit))
            return 1 / find_crossing(s, i, v, limit, x, end);
        x = fmax(x, end);
    }
    return 0;
}

static double record_effort(const td_scaling *s, size_t joint)
{
    const double effort = s->options.limits ? s->options.limits[joint].effort
                                            : td_joint_at(s->model, joint)->limit.effort;
    return effort >= 0 ? effort : INFINITY;
}

double td_scale_motor_effort(const td_scaling *s, size_t motor)
{
    const td_actuator actuator = td_actuator_at(s->model, motor);
    if (actuator.joint == TD_NONE)
        return actuator.effort_limit;
    const size_t joint = actuator.joint;
    const td_joint_place place = td_joint_place_at(s->model, joint);
    double least = fmin(record_effort(s, joint), actuator.effort_limit);
    const td_joint_kind *kind = td_joint_kind_of(td_joint_at(s->model, joint)->type);
    if (!kind->sprung || place.dependent)
        return kind->sprung ? least : actuator.effort_limit;
    for (size_t i = 0; i < td_joint_count(s->model); i++) {
        const td_joint_place other = td_joint_place_at(s->model, i);
        if (other.leader == actuator.joint && other.multiplier != 0)
            least = fmin(least, fabs(other.multiplier) * record_effort(s, i));
    }
    return s->options.limits ? least : fmin(least, td_effective_limit_at(s->model, joint).effort);
}
