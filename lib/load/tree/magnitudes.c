/* SPDX-License-Identifier: MIT */
/*
 * Detects magnitudes that suggest wrong units: lengths in mm, inertias in g mm², masses in g,
 * limits in degrees or revolutions per minute. No number is too large by itself, so each is
 * compared with the robot's size. Each bound lies between the largest value of 67 robots from
 * public collections, which is given below, and that value times the factor of the unit.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/jacobi.h"
#include "base/shape_inertia.h"
#include "load/build.h"
#include "load/tree/extents.h"
#include "model/joint_kind.h"

static const double turn = 6.283185307179586;

/* The reach of a robot, relative to the side of a cube of water with the robot's mass. Robots have
   0.6 to 17; in mm, from 600 on. */
static const double most_reach = 200;
/* Distance of a center of mass from its link, relative to the larger of link and robot. Robots
   have at most 0.8. If a link is only a frame, such as a rod attached at its end, its size is
   unknown. */
static const double most_outside = 3, most_outside_point = 30;
/* Radius of gyration, relative to the larger of link and robot. Bodies have at most 0.5,
   placeholders of 0.01 kg with moments of 1 kg m² 9.4. */
static const double most_gyration = 10;
/* Negligible: a fraction of the robot's mass, or of its mass times its size squared. Files for
   simulators have placeholders in frames, for example 1 g and 1e-4 kg m². */
static const double least_share = 1e-3;
/* kg/m³, for the link's mass in a cube of its length; 12000 is denser than lead; robots have at
   most 2000 */
static const double most_density = 12000;
/* rad: limits in degrees are whole or half numbers in this range; hundreds are excluded, as they
   mean "no limit" */
static const double least_degrees = 25, most_degrees = 720;
/* Tip speed of the subtree in m/s, and time for the whole range in s. Limits in revolutions per
   minute exceed the speed or fall below the time. Larger limits than most_rate are ignored. */
static const double most_tip_speed = 340, least_passage = 2e-3, most_rate = 1e5;
/* limits of a prismatic joint, relative to the robot's size: the range typical of mm; larger values
   mean "no limit" */
static const double most_range = 100, most_range_in_mm = 10000;

typedef struct subject {
    td_build *build;
    const td_extent *extents;
    double size, mass; /* of the robot */
} subject;

static bool is_whole(double x, double part)
{
    return fabs(x / part - nearbyint(x / part)) < 1e-9;
}

/* Returns whether x is a power of ten. 1000, 1e6 and 1e16 mean "no limit". */
static bool is_power_of_ten(double x)
{
    return x > 0 && is_whole(log10(x), 1);
}

/* ---- links ----------------------------------------------------------------------------------- */

static double gyration_radius(const td_link *link)
{
    double moments[3];
    if (!td_symmetric_eigen(link->inertia, moments, NULL) || moments[2] <= 0 ||
        moments[0] < -1e-6 * moments[2])
        return 0; /* the inertia audit reports these */
    return sqrt(moments[2] / link->mass);
}

/* Returns whether a link has only primitive shapes. Mesh files are not read. */
static bool is_drawn_by_shapes(const td_link *link)
{
    for (size_t g = 0; g < link->geometry_count; g++)
        if (td_geometry_at(link, g)->shape == TD_SHAPE_MESH)
            return false;
    return link->geometry_count > 0;
}

static void check_shapes(const subject *s, const td_link *link, double size, double gyration)
{
    const double beyond = link->mass * (gyration * gyration - size * size / 4);
    td_shape_text text;
    if (link->mass < least_share * s->mass && beyond < least_share * s->mass * s->size * s->size)
        return;
    if (is_drawn_by_shapes(link) &&
        td_inertia_exceeds(link, gyration * gyration * link->mass, size, "shapes", &text))
        td_report(s->build->diagnostics, TD_CODE_INERTIA_BEYOND_SHAPES,
                  td_source_or(link->inertial_source, link->source), text.remedy, "%s",
                  text.message);
}

static void check_link(const subject *s, size_t k)
{
    const td_model *model = s->build->model;
    const td_link *link = &model->records.link.at[k];
    const td_extent *extent = &s->extents[k];
    const td_source at = td_source_or(link->inertial_source, link->source);
    if (!link->has_inertial || !(link->mass > 0) || link->flexible)
        return;
    const double own = fmax(extent->size, s->size), gyration = gyration_radius(link);
    const bool mount = (int)k == model->root && model->base == TD_BASE_FIXED;
    const double outside = td_extent_outside(extent, link->inertial.position);
    /* a rod with this radius of gyration has its center of mass half its length away */
    if (outside > (extent->is_point ? most_outside_point : most_outside) * own &&
        outside > 3.5 * gyration)
        td_report(s->build->diagnostics, TD_CODE_COM_AWAY, at,
                  "origins are in m, in the link's frame; was this one written in mm?",
                  "the center of mass of link '%s' is %.3g m away from it, but the robot's size is "
                  "%.3g m",
                  link->name, outside, s->size);
    if (gyration > most_gyration * own)
        td_report(s->build->diagnostics, TD_CODE_GYRATION, at,
                  "inertias are in kg m²: was it written in g mm² or kg mm²?",
                  "link '%s' has a radius of gyration of %.3g m (mass %.3g kg, moment %.3g kg m²), "
                  "but the robot's size is %.3g m",
                  link->name, gyration, link->mass, gyration * gyration * link->mass, s->size);
    else if (td_link_body(model, k) != TD_NONE)
        check_shapes(s, link, extent->size, gyration);
    const double length = fmax(fmax(extent->size, 3 * gyration), s->size / (gyration > 0 ? 4 : 2));
    if (!mount && link->mass > most_density * length * length * length)
        td_report(
            s->build->diagnostics, TD_CODE_MASS_DENSE, at, "masses are in kg: was it written in g?",
            "link '%s' has a mass of %.4g kg and a size of about %.2g m; no material is that dense",
            link->name, link->mass, length);
}

/* Compares the robot's reach with its mass, and reports the longest distance between joints.
   Returns false if they do not match. */
static bool check_reach(const subject *s)
{
    const td_model *model = s->build->model;
    const td_records *records = &model->records;
    double longest = 0;
    const td_joint *farthest = NULL;
    for (size_t j = 0; j < records->joint.count; j++) {
        const double *p = records->joint.at[j].origin.position;
        const double length = hypot(hypot(p[0], p[1]), p[2]);
        if (length > longest) {
            longest = length;
            farthest = &records->joint.at[j];
        }
    }
    if (!farthest || !(s->mass > 0) || s->size <= most_reach * cbrt(s->mass / 1000))
        return true;
    td_report(s->build->diagnostics, TD_CODE_REACH, farthest->source,
              "origins are in m: were they written in mm?",
              "the robot has a size of %.4g m and a mass of %.3g kg; joint '%s' is %.4g m from its "
              "parent",
              s->size, s->mass, farthest->name, longest);
    return false;
}

/* ---- joints ---------------------------------------------------------------------------------- */

static void check_degrees(const subject *s, const td_joint *joint, td_source at)
{
    const double lower = joint->limit.lower, upper = joint->limit.upper;
    const double most = fmax(fabs(lower), fabs(upper));
    if (!td_joint_turns(joint->type) || !td_joint_kind_of(joint->type)->bounded ||
        !(most > least_degrees && most <= most_degrees) || !is_whole(lower, 0.5) ||
        !is_whole(upper, 0.5) || is_whole(most, 100))
        return;
    char remedy[160];
    snprintf(remedy, sizeof remedy,
             "limits are in rad: %g to %g degrees are lower=\"%.6g\" upper=\"%.6g\"", lower, upper,
             lower * turn / 360, upper * turn / 360);
    td_report(s->build->diagnostics, TD_CODE_LIMIT_DEGREES, at, remedy,
              "the limits of joint '%s' are %g to %g rad, %.2g turns", joint->name, lower, upper,
              (upper - lower) / turn);
}

static void check_rate(const subject *s, const td_joint *joint, double reach, td_source at)
{
    const double rate = joint->limit.velocity, range = joint->limit.upper - joint->limit.lower;
    const bool bounded = td_joint_kind_of(joint->type)->bounded && range > 0;
    if (!td_joint_turns(joint->type) || !(rate < most_rate) || is_power_of_ten(rate))
        return;
    char remedy[120];
    snprintf(remedy, sizeof remedy, "rates are in rad/s: %g turns per minute are %.4g rad/s", rate,
             rate * turn / 60);
    if (rate * reach > most_tip_speed)
        td_report(s->build->diagnostics, TD_CODE_LIMIT_RATE, at, remedy,
                  "at its velocity limit of %g rad/s, joint '%s' would move its links at %.3g m/s, "
                  "faster than sound",
                  rate, joint->name, rate * reach);
    else if (bounded && range < least_passage * rate)
        td_report(s->build->diagnostics, TD_CODE_LIMIT_RATE, at, remedy,
                  "at its velocity limit of %g rad/s, joint '%s' would traverse its whole range in "
                  "%.2g s",
                  rate, joint->name, range / rate);
}

static void check_range(const subject *s, const td_joint *joint, td_source at)
{
    const double most = fmax(fabs(joint->limit.lower), fabs(joint->limit.upper));
    if (td_joint_slides(joint->type) && most < most_range_in_mm * s->size &&
        most > most_range * s->size && !is_power_of_ten(most))
        td_report(s->build->diagnostics, TD_CODE_LIMIT_RANGE, at,
                  "limits of prismatic joints are in m: were they written in mm?",
                  "the limits of joint '%s' are %g to %g m, but the robot's size is %.3g m",
                  joint->name, joint->limit.lower, joint->limit.upper, s->size);
}

bool td_check_magnitudes(td_build *build)
{
    const td_model *model = build->model;
    subject s = {.build = build};
    if (build->incomplete)
        return true; /* placeholders can have any size */
    s.extents = td_extents_make(&build->model->records.arena, model, &s.size);
    if (!s.extents)
        return false;
    for (size_t k = 0; k < model->records.link.count; k++)
        if (model->records.link.at[k].has_inertial)
            s.mass += model->records.link.at[k].mass;
    const bool fits = check_reach(&s);
    for (size_t j = 0; j < model->records.joint.count; j++) {
        const td_joint *joint = &model->records.joint.at[j];
        const td_source at = td_source_or(joint->limit_source, joint->source);
        /* wrong lengths would give wrong speeds */
        const double reach = fits ? s.extents[model->place[j].child_link].below : 0;
        check_degrees(&s, joint, at);
        check_rate(&s, joint, reach, at);
        check_range(&s, joint, at);
    }
    for (size_t k = 0; s.size > 0 && k < model->records.link.count; k++)
        check_link(&s, k);
    return true;
}
