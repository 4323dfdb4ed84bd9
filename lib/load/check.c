/* SPDX-License-Identifier: MIT */
/*
 * Checks of single records: numbers, axes and limits. They apply to files and to robots built in C.
 */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/dense.h"
#include "base/frame.h"
#include "load/build.h"
#include "model/joint_kind.h"

void td_check_pose(td_build *build, const td_pose *pose, td_source source, const char *what,
                   const char *name)
{
    if (!td_dense_finite(3, pose->position) || !td_dense_finite(9, pose->rotation))
        td_report(build->diagnostics, TD_CODE_NUMBER, source, "use finite numbers",
                  "the origin of %s '%s' is not finite", what, name ? name : "");
    else if (!td_is_rotation(pose->rotation))
        td_report(build->diagnostics, TD_CODE_NUMBER, source,
                  "compute it with td_rotation_from_rpy or td_rotation_from_quaternion",
                  "the rotation of the origin of %s '%s' is not a rotation matrix", what,
                  name ? name : "");
}

/* the record that a message refers to */
typedef struct subject {
    const char *kind, *name; /* for example "joint" and its name */
    td_source source;        /* of the checked part */
} subject;

/* Normalizes a direction, or reports an error. what: for example "axis". */
static void check_direction(td_build *build, double a[3], const char *what, const subject *about)
{
    if (!td_dense_finite(3, a)) {
        td_report(build->diagnostics, TD_CODE_NUMBER, about->source, "use finite numbers",
                  "the %s of %s '%s' is not finite", what, about->kind, about->name);
        return;
    }
    double length = hypot(hypot(a[0], a[1]), a[2]);
    if (!(length > 0) || !isfinite(length)) {
        td_report(build->diagnostics, TD_CODE_AXIS_ZERO, about->source,
                  "give the direction of motion, such as xyz=\"0 0 1\"",
                  "the %s of %s '%s' has no direction", what, about->kind, about->name);
        return;
    }
    if (fabs(length - 1) > 1e-6)
        td_report(build->diagnostics, TD_CODE_AXIS_NOT_UNIT, about->source,
                  "it is scaled to length 1; write a unit vector",
                  "the %s of %s '%s' has length %.9g", what, about->kind, about->name, length);
    for (int i = 0; i < 3; i++)
        a[i] /= length;
}

/* Checks the axis of a joint; joints without an axis are skipped. */
static void check_axis(td_build *build, td_joint *joint)
{
    if (!td_joint_row_of(joint->type)->kind.axis)
        return;
    subject about = {"joint", joint->name, td_source_or(joint->axis_source, joint->source)};
    check_direction(build, joint->axis, "axis", &about);
}

/* Reports a property that the joint's type does not use. */
static void report_idle(td_build *build, const td_joint *joint, td_source source, const char *part)
{
    td_report(build->diagnostics, TD_CODE_JOINT_PART_IDLE, td_source_or(source, joint->source),
              "remove it, or correct the type of the joint",
              "%s joint '%s' cannot have %s; ignored", td_joint_kind_of(joint->type)->word,
              joint->name, part);
}

static void check_pitch(td_build *build, td_joint *joint)
{
    const bool pitched = td_joint_kind_of(joint->type)->pitched;
    if (!isfinite(joint->pitch))
        td_report(build->diagnostics, TD_CODE_NUMBER, joint->source, "use a finite number",
                  "the pitch of joint '%s' is not finite", joint->name);
    else if (pitched && joint->pitch == 0)
        td_report(
            build->diagnostics, TD_CODE_PITCH_MISSING, joint->source,
            "add <screw_thread_pitch value=\"...\"/>, in m per turn, or make the joint revolute",
            "%s joint '%s' has no pitch", td_joint_kind_of(joint->type)->word, joint->name);
    else if (!pitched && joint->pitch != 0)
        report_idle(build, joint, joint->source, "a pitch");
    if (!pitched)
        joint->pitch = 0;
}

/* Exporters, such as SolidWorks, write four zeros if the user has set no limit. */
static bool are_unset(const td_limit *limit)
{
    return limit->lower == 0 && limit->upper == 0 && limit->effort == 0 && limit->velocity == 0;
}

static void check_range(td_build *build, td_joint *joint, td_source source)
{
    td_limit *limit = &joint->limit;
    if (limit->lower > limit->upper) {
        td_report(
            build->diagnostics, TD_CODE_LIMIT_ORDER, source,
            "swap them, or make the joint continuous if it has no limits",
            "the lower limit %.9g of joint '%s' is above the upper limit %.9g; both are ignored",
            limit->lower, joint->name, limit->upper);
        limit->lower = limit->upper = NAN;
    } else if (limit->lower == limit->upper) {
        td_report(build->diagnostics, TD_CODE_LIMIT_POINT, source,
                  "widen them, remove them, or make the joint fixed",
                  "both position limits of joint '%s' are %.9g, so it cannot move", joint->name,
                  limit->lower);
    }
}

static void check_rates(td_build *build, td_joint *joint)
{
    const struct {
        const char *name;
        double *value;
    } rate[] = {{"effort", &joint->limit.effort}, {"velocity", &joint->limit.velocity}};
    td_source source = td_source_or(joint->limit_source, joint->source);
    for (size_t i = 0; i < sizeof rate / sizeof *rate; i++) {
        double value = *rate[i].value;
        if (value == 0) {
            td_report(build->diagnostics, TD_CODE_LIMIT_ZERO, source,
                      "give the actual limit, or remove it",
                      "the %s limit of joint '%s' is 0; it is treated as unspecified", rate[i].name,
                      joint->name);
            *rate[i].value = NAN;
        } else if (value < 0) {
            td_report(build->diagnostics, TD_CODE_LIMIT_NEGATIVE, source, "give its absolute value",
                      "the %s limit of joint '%s' is negative (%.9g); ignored", rate[i].name,
                      joint->name, value);
            *rate[i].value = NAN;
        }
    }
}

static void check_limits(td_build *build, td_joint *joint)
{
    td_limit *limit = &joint->limit;
    const td_joint_kind *kind = td_joint_kind_of(joint->type);
    td_source source = td_source_or(joint->limit_source, joint->source);
    bool given = !isnan(limit->lower) || !isnan(limit->upper);
    if (kind->nq == 1 && !kind->bounded && given && !(limit->lower == 0 && limit->upper == 0))
        td_report(build->diagnostics, TD_CODE_LIMIT_CONTINUOUS, source,
                  "make the joint revolute if the limits are intended",
                  "continuous joint '%s' has position limits; ignored", joint->name);
    if (kind->nq > 1 && !kind->bounded && given && (limit->lower < 0 || limit->upper > 0))
        report_idle(build, joint, joint->limit_source, "position limits");
    if (kind->bounded && are_unset(limit)) {
        td_report(build->diagnostics, TD_CODE_LIMIT_ZERO, source,
                  "give the actual limits, or remove <limit>",
                  "all limits of joint '%s' are 0; they are treated as unspecified", joint->name);
        limit->lower = limit->upper = limit->effort = limit->velocity = NAN;
    } else if (kind->bounded) {
        if (kind->ranged && !given && !joint->motor)
            td_report(build->diagnostics, TD_CODE_LIMIT_MISSING, joint->source,
                      td_joint_turns(joint->type)
                          ? "add <limit lower=... upper=... effort=... velocity=.../>, or make "
                            "the joint continuous"
                          : "add <limit lower=... upper=... effort=... velocity=.../>",
                      "joint '%s' has no position limits", joint->name);
        check_range(build, joint, source);
    }
    if (kind->nv > 0)
        check_rates(build, joint);
}

void td_check_passive(td_build *build, td_source source, const char *what, const char *kind,
                      const char *name, double value)
{
    if (!isfinite(value))
        td_report(build->diagnostics, TD_CODE_NUMBER, source, "give a finite number",
                  "the %s of %s '%s' is not finite", what, kind, name);
    else if (value < 0)
        td_report(build->diagnostics, TD_CODE_PASSIVE_NEGATIVE, source,
                  "check the sign; a negative value would add energy to the robot",
                  "the %s of %s '%s' is negative (%.9g)", what, kind, name, value);
}

/* Checks damping, friction, spring stiffness and spring reference, in this order. */
static void check_passive(td_build *build, const double values[4], const subject *about)
{
    static const char *const what[4] = {"damping", "friction", "spring stiffness",
                                        "spring reference"};
    for (int i = 0; i < 4; i++) /* a reference may be negative */
        td_check_passive(build, about->source, what[i], about->kind, about->name,
                         i == 3 ? fabs(values[i]) : values[i]);
}

static void check_dynamics(td_build *build, const td_joint *joint)
{
    const double values[4] = {joint->damping, joint->friction, joint->spring_stiffness,
                              joint->spring_reference};
    subject about = {"joint", joint->name, td_source_or(joint->dynamics_source, joint->source)};
    const td_joint_kind *kind = td_joint_kind_of(joint->type);
    check_passive(build, values, &about);
    if (kind->nv > 0 && !kind->damped && joint->damping != 0)
        report_idle(build, joint, about.source, "damping");
    if (kind->nv > 0 && !kind->sprung && (joint->friction != 0 || joint->spring_stiffness != 0))
        report_idle(build, joint, about.source, "friction or a spring");
}

static void check_link(td_build *build, const td_link *link)
{
    if (!link->has_inertial)
        return;
    td_source source = td_source_or(link->inertial_source, link->source);
    td_check_pose(build, &link->inertial, source, "the inertial of link", link->name);
    if (!isfinite(link->mass) || !td_dense_finite(6, link->inertia))
        td_report(build->diagnostics, TD_CODE_NUMBER, source, "use finite numbers",
                  "the inertia of link '%s' is not finite", link->name);
    else if (link->mass < 0)
        td_report(build->diagnostics, TD_CODE_MASS_NEGATIVE, source,
                  "give a mass of 0 or more, in kg", "link '%s' has a negative mass (%.9g kg)",
                  link->name, link->mass);
}

/* Checks the reference positions of a joint. NaN means that none is given. */
static void check_reference(td_build *build, const td_joint *joint)
{
    for (size_t k = 0; k < sizeof joint->reference / sizeof *joint->reference; k++)
        if (isinf(joint->reference[k])) {
            td_report(build->diagnostics, TD_CODE_NUMBER, joint->source, "use finite numbers",
                      "the reference of joint '%s' is not finite", joint->name);
            return;
        }
}

bool td_check_joints(td_build *build)
{
    td_records *records = &build->model->records;
    for (size_t i = 0; i < records->joint.count; i++) {
        td_joint *joint = &records->joint.at[i];
        if (!joint->name)
            continue;
        td_check_pose(build, &joint->origin, joint->source, "joint", joint->name);
        check_axis(build, joint);
        check_pitch(build, joint);
        check_limits(build, joint);
        check_dynamics(build, joint);
        check_reference(build, joint);
        if (joint->mimic && (!isfinite(joint->multiplier) || !isfinite(joint->offset)))
            td_report(build->diagnostics, TD_CODE_NUMBER,
                      td_source_or(joint->mimic_source, joint->source), "use finite numbers",
                      "the multiplier or offset of joint '%s' is not finite", joint->name);
    }
    for (size_t i = 0; i < records->link.count; i++)
        if (records->link.at[i].name)
            check_link(build, &records->link.at[i]);
    return true;
}

/* ---- loops ----------------------------------------------------------------------------------- */

static bool has_axis(td_loop_type type)
{
    return type == TD_LOOP_REVOLUTE || type == TD_LOOP_PRISMATIC || type == TD_LOOP_CYLINDRICAL ||
           type == TD_LOOP_PLANAR || type == TD_LOOP_UNIVERSAL;
}

/* Checks damping, friction and springs, which act along a single coordinate. */
static void check_loop_dynamics(td_build *build, const td_loop *loop, const subject *about)
{
    const double values[4] = {loop->damping, loop->friction, loop->spring_stiffness,
                              loop->spring_reference};
    if (loop->type == TD_LOOP_REVOLUTE || loop->type == TD_LOOP_PRISMATIC)
        check_passive(build, values, about);
    else if (values[0] != 0 || values[1] != 0 || values[2] != 0)
        td_report(build->diagnostics, TD_CODE_LOOP_DYNAMICS, about->source,
                  "remove them, or make the loop revolute or prismatic",
                  "loop '%s' has damping, friction or a spring, but a %s loop has no single "
                  "coordinate for them",
                  about->name, td_loop_type_text(loop->type));
}

static void check_mask(td_build *build, const td_loop *loop, const subject *about)
{
    enum { all_axes = 077 };
    if (loop->mask == 0)
        td_report(build->diagnostics, TD_CODE_LOOP_MASK, about->source,
                  "list the constrained axes, such as <mask translation=\"x y z\"/>",
                  "the mask of loop '%s' constrains nothing", about->name);
    else if (loop->mask & ~(unsigned)all_axes)
        td_report(build->diagnostics, TD_CODE_LOOP_MASK, about->source,
                  "use bits 0 to 5: three rotations, then three translations",
                  "the mask of loop '%s' has an unknown bit", about->name);
}

static void check_loop(td_build *build, td_loop *loop)
{
    subject about = {"loop", loop->name ? loop->name : "", loop->source};
    td_check_pose(build, &loop->predecessor_origin, loop->source, "the predecessor of loop",
                  loop->name);
    td_check_pose(build, &loop->successor_origin, loop->source, "the successor of loop",
                  loop->name);
    if (has_axis(loop->type))
        check_direction(build, loop->axis, "axis", &about);
    if (loop->type == TD_LOOP_UNIVERSAL)
        check_direction(build, loop->second_axis, "second axis", &about);
    if (loop->type == TD_LOOP_MASK)
        check_mask(build, loop, &about);
    if (loop->type == TD_LOOP_DISTANCE && !(loop->distance > 0 && isfinite(loop->distance)))
        td_report(build->diagnostics, TD_CODE_LOOP_DISTANCE, about.source,
                  "give the distance in m; for distance 0, make the loop spherical",
                  "the distance of loop '%s' is %.9g, not a positive number", about.name,
                  loop->distance);
    check_loop_dynamics(build, loop, &about);
}

bool td_check_loops(td_build *build)
{
    td_records *records = &build->model->records;
    for (size_t i = 0; i < records->loop.count; i++)
        check_loop(build, &records->loop.at[i]);
    return true;
}

void td_check_ends(td_build *build, td_source source, const char *what, const char *name,
                   const char *predecessor, const char *successor)
{
    const td_names *names = &build->model->link_names;
    const char *const end[2] = {predecessor, successor};
    char text[TD_SUGGESTION];
    for (int k = 0; k < 2; k++)
        if (td_names_find(names, end[k]) < 0)
            td_report(build->diagnostics, TD_CODE_LOOP_LINK_UNDEFINED, source,
                      td_suggest(build, names, end[k], end[1 - k], "name an existing link", text),
                      "%s '%s': link '%s' does not exist", what, name ? name : "",
                      end[k] ? end[k] : "");
}

bool td_report_loops(td_build *build)
{
    const td_records *records = &build->model->records;
    for (size_t i = 0; i < records->loop.count; i++) {
        const td_loop *loop = &records->loop.at[i];
        td_check_ends(build, loop->source, "loop", loop->name, loop->predecessor, loop->successor);
    }
    for (size_t i = 0; i < records->coupling.count; i++) {
        const td_coupling *coupling = &records->coupling.at[i];
        td_check_ends(build, coupling->source, "coupling", coupling->name, coupling->predecessor,
                      coupling->successor);
        if (!isfinite(coupling->ratio))
            td_report(build->diagnostics, TD_CODE_NUMBER, coupling->source, "use a finite number",
                      "the ratio of coupling '%s' is not finite",
                      coupling->name ? coupling->name : "");
    }
    return true;
}

/* Removes all loops if the file had errors. A placeholder for an unreadable part could keep loops
   from closing, and such an error would be misleading. */
bool td_leave_out_loops(td_build *build)
{
    if (build->incomplete)
        build->model->records.loop.count = 0;
    return true;
}
