/* SPDX-License-Identifier: MIT */
/*
 * Computes the beam of a flexible link: its axes, the inertia of a part, and the springs and
 * dampers of its stations (td_flexible in tandem/records.h).
 */
#include <math.h>
#include <string.h>

#include "load/flexible/flexible.h"

/* first roots of 1 + cos x cosh x = 0 (cantilever) and of cos x = 0 (shaft) */
static const double first_bending = 1.87510406871196117, first_torsion = 1.57079632679489662;

bool td_beam_across(const td_flexible *record, td_vec3 *across)
{
    const td_vec3 axis = td_vec3_from(record->axis), wanted = td_vec3_from(record->across);
    const double length = sqrt(td_vec3_dot(wanted, wanted));
    if (length == 0) {
        const td_mat3 frame = td_frame_along(axis);
        *across = (td_vec3){frame.xx, frame.yx, frame.zx};
        return true;
    }
    const td_vec3 rest = td_vec3_along(wanted, -td_vec3_dot(wanted, axis), axis);
    const double left = sqrt(td_vec3_dot(rest, rest));
    *across = (td_vec3){rest.x / left, rest.y / left, rest.z / left};
    return left > 1e-6 * length;
}

/* Computes stiffness EI/h and damping d = 2 ζ/ω₁ k of a joint. first: ω₁, the first natural
   frequency. */
static td_elastic elastic_of(const td_beam *beam, const char *name, td_vec3 axis, double stiffness,
                             double first)
{
    const double damping = 2 * beam->record->damping_ratio / first;
    return (td_elastic){name, axis, stiffness / beam->h, damping * stiffness / beam->h};
}

static void add_kinds(td_beam *beam)
{
    const td_flexible *f = beam->record;
    const double *EI = f->bending_stiffness, L = f->length, mass = f->mass_per_length;
    const double roots = first_bending * first_bending / (L * L);
    const td_vec3 back = td_vec3_along((td_vec3){0, 0, 0}, -1, beam->across);
    if (!isnan(EI[0])) /* ω₁ = x₁² √(EI / μL⁴) */
        beam->elastic[beam->kinds++] =
            elastic_of(beam, "bend", beam->third, EI[0], roots * sqrt(EI[0] / mass));
    if (!isnan(EI[1]))
        beam->elastic[beam->kinds++] =
            elastic_of(beam, "bend2", back, EI[1], roots * sqrt(EI[1] / mass));
    if (!isnan(f->torsional_stiffness)) /* ω₁ = x₁ √(GJ / I_p L²) */
        beam->elastic[beam->kinds++] =
            elastic_of(beam, "twist", beam->axis, f->torsional_stiffness,
                       first_torsion / L * sqrt(f->torsional_stiffness / f->rotary_inertia));
}

td_beam td_beam_of(const td_flexible *record)
{
    const double *EI = record->bending_stiffness;
    td_beam beam = {.record = record, .axis = td_vec3_from(record->axis)};
    beam.first = record->start_clamped ? 0.5 : 1;
    beam.last = record->end_clamped ? 0.5 : 1;
    beam.h = record->length / (record->segments - 1 + beam.first + beam.last);
    td_beam_across(record, &beam.across);
    beam.third = td_vec3_cross(beam.axis, beam.across);
    const double share = isnan(EI[0]) || isnan(EI[1]) ? 0.5 : EI[0] / (EI[0] + EI[1]);
    beam.rotary[0] = record->rotary_inertia;
    beam.rotary[1] = (1 - share) * record->rotary_inertia; /* bend2 rotates about −across */
    beam.rotary[2] = share * record->rotary_inertia;
    add_kinds(&beam);
    return beam;
}

void td_beam_inertia(const td_beam *beam, double s, double length, td_link *link)
{
    const td_vec3 c = td_vec3_along(td_vec3_from(beam->record->start), s, beam->axis),
                  a = beam->axis, b = beam->across, t = beam->third;
    const double mass = beam->record->mass_per_length * length, rod = mass * length * length / 12;
    link->has_inertial = true;
    link->mass = mass;
    link->inertial = (td_pose){{c.x, c.y, c.z}, {a.x, b.x, t.x, a.y, b.y, t.y, a.z, b.z, t.z}};
    const double inertia[6] = {beam->rotary[0] * length,       0, 0,
                               rod + beam->rotary[1] * length, 0, rod + beam->rotary[2] * length};
    memcpy(link->inertia, inertia, sizeof inertia);
    link->inertial_source = beam->record->source;
}
