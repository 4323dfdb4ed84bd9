/* SPDX-License-Identifier: MIT */
/*
 * Formats messages about the limits that determine the parts of a plan, see trajectory.h.
 */
#include <math.h>
#include <stdlib.h>

#include "command.h"
#include "input/motors.h"
#include "input/table_input.h"
#include "text.h"
#include "trajectory.h"

char *binding_text(const plan *p, const plan_part *part)
{
    static const char *const text[] = {
        [TD_LIMIT_NONE] = "nothing",      [TD_LIMIT_POSITION] = "position",
        [TD_LIMIT_VELOCITY] = "velocity", [TD_LIMIT_ACCELERATION] = "acceleration",
        [TD_LIMIT_FORCE] = "effort",      [TD_LIMIT_POWER] = "power"};
    const td_time_scale *scale = &part->scale;
    const char *joint =
        scale->joint != TD_NONE ? td_joint_at(p->s->model, scale->joint)->name : NULL;
    return text_format("%s of %s%s%s at %s s", text[scale->kind],
                       joint != NULL ? "joint '" : "a motor in a loop", joint != NULL ? joint : "",
                       joint != NULL ? "'" : "", number_brief(scale->t).text);
}

/* Returns the acceleration limit of a coordinate: the deceleration limit if it brakes, as in
   time_scale.c. */
static double acceleration_limit(const td_limit *limit, double qd, double qdd)
{
    return qd * qdd < 0 && limit->deceleration > 0 ? limit->deceleration : limit->acceleration;
}

/* Returns the limits of a joint and its motor, and the motor's limit of power. */
static td_limit limits_of(const plan *p, size_t joint, double *power)
{
    const td_model *model = p->s->model;
    td_limit limit = p->limits != NULL ? p->limits[joint] : td_joint_at(model, joint)->limit;
    for (size_t i = 0; i < td_nu(model); i++) {
        const td_actuator motor = td_actuator_at(model, i);
        if (motor.joint == joint) {
            limit.effort = fmin(limit_or_none(limit.effort), motor.effort_limit);
            limit.velocity = fmin(limit_or_none(limit.velocity), motor.velocity_limit);
            *power = motor.power_limit;
        }
    }
    return limit;
}

/* Returns " (5 rad, limit 2.9)" in a new string, or "" if unknown. It describes the joint's
   coordinate closest to or farthest beyond its limit, at the time that determines the duration. */
static char *excess_text(const plan *p, const plan_part *part)
{
    const td_time_scale *scale = &part->scale;
    const td_model *model = p->s->model;
    if (scale->joint == TD_NONE) {
        return text_format("%s", "");
    }
    const size_t joint = scale->joint, ny = td_ny(model), nq = td_nq(model);
    double power = INFINITY;
    const td_limit limit = limits_of(p, joint, &power);
    const td_joint_place place = td_joint_place_at(model, joint);
    scoped double *y = allocate(3 * ny + nq + 2 * td_nv(model), sizeof *y);
    double *q = y + 3 * ny, *qd = q + nq, *qdd = qd + td_nv(model);
    td_status status = td_trajectory_state(part->curve, model, scale->t, y, y + ny, y + 2 * ny);
    status = status != TD_OK
                 ? status
                 : td_closure(model, p->s->workspace, y, y + ny, y + 2 * ny, q, qd, qdd);
    const double of_kind[] = {[TD_LIMIT_POSITION] = limit.upper,
                              [TD_LIMIT_VELOCITY] = limit.velocity,
                              [TD_LIMIT_ACCELERATION] = limit.acceleration,
                              [TD_LIMIT_FORCE] = limit.effort,
                              [TD_LIMIT_POWER] = power};
    double at = NAN, least = of_kind[scale->kind];
    if (scale->kind == TD_LIMIT_POSITION && status == TD_OK) {
        at = q[place.q];
        for (size_t k = 1; k < place.nq; k++) {
            at = fabs(q[place.q + k]) > fabs(at) ? q[place.q + k] : at;
        }
        least = at < limit.lower ? limit.lower : limit.upper;
    } else if ((scale->kind == TD_LIMIT_VELOCITY || scale->kind == TD_LIMIT_ACCELERATION) &&
               status == TD_OK) {
        const bool velocity = scale->kind == TD_LIMIT_VELOCITY;
        double worst = -1; /* relative to its limit */
        if (has_quaternion(model, joint)) {
            /* the length of a vector, which determines the factor */
            least = velocity ? limit.velocity : limit.acceleration;
            at = least * (velocity ? scale->factor : scale->factor * scale->factor);
        }
        for (size_t k = place.qd; k < place.qd + place.nv && isnan(at); k++) {
            const double x = velocity ? qd[k] : qdd[k];
            const double most =
                velocity ? limit.velocity : acceleration_limit(&limit, qd[k], qdd[k]);
            if (most > 0 && fabs(x) / most > worst) {
                worst = fabs(x) / most;
                at = x;
                least = most;
            }
        }
    }
    return isnan(at)
               ? text_format(" (limit %s)", number_brief(least).text)
               : text_format(" (%s, limit %s)", number_brief(at).text, number_brief(least).text);
}

int complain_limit(const plan *p, plan_part *part, double factor)
{
    scoped char *excess = excess_text(p, part);
    const char *file = table_input_name(p->options->points);
    part->scale.t += part->begin - td_trajectory_begin(part->curve);
    scoped char *text = binding_text(p, part);
    if (!isnan(factor)) {
        complain("%s: the motion violates the limit of %s%s; it must take %s times as long to "
                 "satisfy all limits (--time-scale)",
                 file, text, excess, number_brief(factor).text);
    } else {
        complain("%s: the motion violates the limit of %s%s%s", file, text, excess,
                 part->scale.kind == TD_LIMIT_POSITION
                     ? ""
                     : ", however slow it is: gravity, springs, wrenches and friction alone "
                       "require more");
    }
    return EXIT_COMPUTE;
}
