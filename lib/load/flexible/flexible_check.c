/* SPDX-License-Identifier: MIT */
/*
 * Checks of flexible links: numbers, directions, the link, and its inertial.
 */
#include <math.h>

#include "base/dense.h"
#include "load/flexible/flexible.h"

static const double relative_zero = 1e-6; /* relative to the length of a direction */
static const double likeness = 0.01;      /* tolerance between the link's inertial and the beam's */

static bool is_positive(double x)
{
    return x > 0 && isfinite(x);
}

/* Checks that a number is positive. what: for example "length of"; unit: for example "m". */
static bool check_positive(td_build *build, const td_flexible *f, const char *what,
                           const char *unit, double value)
{
    if (is_positive(value))
        return true;
    td_report(build->diagnostics, TD_CODE_FLEXIBLE_NUMBER, f->source, "give a positive number",
              "the %s flexible link '%s' is %.9g %s, not a positive number", what, f->link, value,
              unit);
    return false;
}

/* Checks an optional stiffness. */
static bool check_stiffness(td_build *build, const td_flexible *f, const char *what, double value)
{
    return isnan(value) || check_positive(build, f, what, "N m²", value);
}

static bool check_from_zero(td_build *build, const td_flexible *f, const char *what, double value)
{
    if (value >= 0 && isfinite(value))
        return true;
    td_report(build->diagnostics, TD_CODE_FLEXIBLE_NUMBER, f->source,
              "give a number of 0 or more, or omit it",
              "the %s flexible link '%s' is %.9g, but must be 0 or more", what, f->link, value);
    return false;
}

static bool check_numbers(td_build *build, const td_flexible *f)
{
    bool good = check_positive(build, f, "length of", "m", f->length);
    good = check_positive(build, f, "mass per length of", "kg/m", f->mass_per_length) && good;
    good = check_stiffness(build, f, "EI of", f->bending_stiffness[0]) && good;
    good = check_stiffness(build, f, "second EI of", f->bending_stiffness[1]) && good;
    good = check_stiffness(build, f, "GJ of", f->torsional_stiffness) && good;
    good = check_from_zero(build, f, "rotary inertia of", f->rotary_inertia) && good;
    good = check_from_zero(build, f, "damping ratio of", f->damping_ratio) && good;
    if (good && f->damping_ratio >= 1)
        td_report(build->diagnostics, TD_CODE_FLEXIBLE_DAMPING, f->source,
                  "the ratio is not a percentage: write 0.02 for 2 %",
                  "the damping ratio of flexible link '%s' is %.9g, so the link will not oscillate",
                  f->link, f->damping_ratio);
    if (f->segments < 1) {
        td_report(build->diagnostics, TD_CODE_FLEXIBLE_NUMBER, f->source, "use 1 or more segments",
                  "flexible link '%s' has %d segments", f->link, f->segments);
        good = false;
    }
    return good;
}

/* Checks the directions and normalizes the axis. */
static bool check_directions(td_build *build, td_flexible *f)
{
    const double length = hypot(hypot(f->axis[0], f->axis[1]), f->axis[2]);
    if (!td_dense_finite(3, f->start) || !td_dense_finite(3, f->axis) ||
        !td_dense_finite(3, f->across)) {
        td_report(build->diagnostics, TD_CODE_NUMBER, f->source, "use finite numbers",
                  "the start or a direction of flexible link '%s' is not finite", f->link);
        return false;
    }
    if (!is_positive(length)) {
        td_report(build->diagnostics, TD_CODE_FLEXIBLE_DIRECTION, f->source,
                  "give the direction from its start to its end, such as axis=\"1 0 0\"",
                  "the axis of flexible link '%s' has no direction", f->link);
        return false;
    }
    if (fabs(length - 1) > relative_zero)
        td_report(build->diagnostics, TD_CODE_AXIS_NOT_UNIT, f->source,
                  "it is scaled to length 1; write a unit vector",
                  "the axis of flexible link '%s' has length %.9g", f->link, length);
    for (int i = 0; i < 3; i++)
        f->axis[i] /= length;
    const double *EI = f->bending_stiffness, *across = f->across;
    const bool none = across[0] == 0 && across[1] == 0 && across[2] == 0;
    const bool needed = (!isnan(EI[0]) || !isnan(EI[1])) && EI[0] != EI[1];
    td_vec3 unused;
    if (!(none && needed) && td_beam_across(f, &unused))
        return true;
    td_report(
        build->diagnostics, TD_CODE_FLEXIBLE_DIRECTION, f->source,
        "give the direction in which the link bends with the first EI, such as across=\"0 1 0\"",
        none ? "flexible link '%s' does not specify the plane in which it bends"
             : "the direction 'across' of flexible link '%s' is parallel to its axis",
        f->link);
    return false;
}

static bool check_stiffnesses(td_build *build, const td_flexible *f)
{
    if (isnan(f->bending_stiffness[0]) && isnan(f->bending_stiffness[1]) &&
        isnan(f->torsional_stiffness)) {
        td_report(build->diagnostics, TD_CODE_FLEXIBLE_RIGID, f->source,
                  "give EI or GJ, or remove <flexible>",
                  "flexible link '%s' has no stiffness: it neither bends nor twists", f->link);
        return false;
    }
    if (!isnan(f->torsional_stiffness) && f->rotary_inertia == 0) {
        td_report(build->diagnostics, TD_CODE_FLEXIBLE_TORSION, f->source,
                  "give rotary_inertia, the moment of inertia per length about the axis (kg m), ρ "
                  "(I_y + I_z) of the cross section; or remove GJ",
                  "flexible link '%s' twists, but has no inertia about its axis", f->link);
        return false;
    }
    return true;
}

/* ---- the link -------------------------------------------------------------------------------- */

/* Returns the index of the link. Reports a missing link, or one that is already flexible, and
   returns −1. */
static int find_link(td_build *build, const td_names *links, const td_names *flexible, size_t i)
{
    const td_flexible *f = &build->model->records.flexible.at[i];
    const int link = td_names_find(links, f->link);
    if (link < 0) {
        char text[TD_SUGGESTION];
        td_report(build->diagnostics, TD_CODE_FLEXIBLE_LINK, f->source,
                  td_suggest(build, links, f->link, NULL, "name an existing link", text),
                  "flexible link '%s' does not exist", f->link ? f->link : "");
        return -1;
    }
    if (td_names_find(flexible, f->link) == (int)i)
        return link;
    td_report(build->diagnostics, TD_CODE_FLEXIBLE_LINK, f->source, "keep one of them",
              "link '%s' has two flexible records", f->link);
    return -1;
}

static td_sym3 inertia_of(const td_link *link)
{
    return td_sym3_rotate(td_mat3_from(link->inertial.rotation), td_sym3_from(link->inertia));
}

/* Returns the largest difference of two inertia matrices, relative to the largest moment. */
static double difference(td_sym3 a, td_sym3 b)
{
    const double d[6] = {a.xx - b.xx, a.xy - b.xy, a.xz - b.xz,
                         a.yy - b.yy, a.yz - b.yz, a.zz - b.zz};
    return td_dense_largest(6, d) / fmax(b.xx, fmax(b.yy, b.zz));
}

/* Compares a link's inertial, if given, with the beam's. */
static void check_inertial(td_build *build, const td_flexible *f, const td_link *link)
{
    td_link beam = td_link_default(f->link);
    const td_beam whole = td_beam_of(f);
    if (!link->has_inertial)
        return;
    td_beam_inertia(&whole, f->length / 2, f->length, &beam);
    const double *c = link->inertial.position, *b = beam.inertial.position;
    const double apart = hypot(hypot(c[0] - b[0], c[1] - b[1]), c[2] - b[2]);
    const td_source at = td_source_or(link->inertial_source, link->source);
    const char *remedy = "the beam's values apply: correct one of the two, or remove <inertial>; "
                         "put bodies that the beam carries on separate links";
    if (!(fabs(link->mass - beam.mass) <= likeness * beam.mass))
        td_report(build->diagnostics, TD_CODE_FLEXIBLE_INERTIAL, at, remedy,
                  "flexible link '%s' has a mass of %.6g kg, but its beam has %.6g kg", f->link,
                  link->mass, beam.mass);
    else if (!(apart <= likeness * f->length))
        td_report(build->diagnostics, TD_CODE_FLEXIBLE_INERTIAL, at, remedy,
                  "the center of mass of flexible link '%s' is at %.6g %.6g %.6g, but its beam's "
                  "is at %.6g %.6g %.6g",
                  f->link, c[0], c[1], c[2], b[0], b[1], b[2]);
    else if (!(difference(inertia_of(link), inertia_of(&beam)) <= likeness))
        td_report(build->diagnostics, TD_CODE_FLEXIBLE_INERTIAL, at, remedy,
                  "the moments of inertia of flexible link '%s' differ from its beam's: %.4g kg m² "
                  "across and %.4g kg m² about its axis",
                  f->link, beam.inertia[3], beam.inertia[0]);
}

/* Limits the number of segments; a large number is easily written by mistake. */
static bool is_affordable(td_build *build, const td_flexible *f, size_t *made)
{
    const td_beam beam = td_beam_of(f);
    const size_t given = build->options->max_elastic, segments = (size_t)f->segments;
    const size_t most = given ? given : TD_ELASTIC_CAP;
    if (segments <= (most - *made) / (size_t)beam.kinds) {
        *made += segments * (size_t)beam.kinds;
        return true;
    }
    td_report(build->diagnostics, TD_CODE_FLEXIBLE_MANY, f->source,
              "use fewer segments (8 give the first frequency to 0.4 %), or raise max_elastic",
              "with flexible link '%s', the robot has more than %zu elastic joints (max_elastic)",
              f->link, most);
    return false;
}

bool td_check_flexible(td_build *build, int *link)
{
    td_records *records = &build->model->records;
    const size_t count = records->flexible.count;
    size_t made = 0;
    td_names links, flexible;
    if (!td_names_build(&links, &records->arena, records->link.at, records->link.count,
                        sizeof(td_link), offsetof(td_link, name)) ||
        !td_names_build(&flexible, &records->arena, records->flexible.at, count,
                        sizeof(td_flexible), offsetof(td_flexible, link)))
        return false;
    for (size_t i = 0; i < count; i++) {
        td_flexible *f = &records->flexible.at[i];
        link[i] = find_link(build, &links, &flexible, i);
        if (link[i] < 0)
            continue;
        bool good = check_numbers(build, f);
        good = check_directions(build, f) && good;
        good = good && check_stiffnesses(build, f) && is_affordable(build, f, &made);
        if (good)
            check_inertial(build, f, &records->link.at[link[i]]);
        else
            link[i] = -1;
    }
    return true;
}
