/* SPDX-License-Identifier: MIT */
/*
 * Flexible links: each becomes a chain of rigid pieces with elastic joints between them, as
 * tandem/records.h says (td_flexible), before anything else is made of the records. What stood on
 * the link stands on a piece then. Checks of the records are in load/flexible_check.c.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "load/flexible.h"

/* The first roots of 1 + cos x cosh x = 0, a cantilever, and of cos x = 0, a shaft. */
static const double first_bending = 1.87510406871196117, first_torsion = 1.57079632679489662;

/* ---- the beam -------------------------------------------------------------------------------- */

static td_vec3 cross(td_vec3 a, td_vec3 b)
{
    return (td_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static td_vec3 along(td_vec3 start, double times, td_vec3 a)
{
    return (td_vec3){start.x + times * a.x, start.y + times * a.y, start.z + times * a.z};
}

bool td_beam_across(const td_flexible *record, td_vec3 *across)
{
    const td_vec3 axis = td_vec3_from(record->axis), wanted = td_vec3_from(record->across);
    const double length = sqrt(td_vec3_dot(wanted, wanted));
    if (length == 0) {
        const td_mat3 frame = td_frame_along(axis);
        *across = (td_vec3){frame.xx, frame.yx, frame.zx};
        return true;
    }
    const td_vec3 rest = along(wanted, -td_vec3_dot(wanted, axis), axis);
    const double left = sqrt(td_vec3_dot(rest, rest));
    *across = (td_vec3){rest.x / left, rest.y / left, rest.z / left};
    return left > 1e-6 * length;
}

/* EI/h, and of what part of its first frequency a joint is damped: d = 2 ζ/ω₁ k */
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
    const td_vec3 back = along((td_vec3){0, 0, 0}, -1, beam->across);
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
    beam.third = cross(beam.axis, beam.across);
    const double share = isnan(EI[0]) || isnan(EI[1]) ? 0.5 : EI[0] / (EI[0] + EI[1]);
    beam.rotary[0] = record->rotary_inertia;
    beam.rotary[1] = (1 - share) * record->rotary_inertia; /* bend2 turns about −across */
    beam.rotary[2] = share * record->rotary_inertia;
    add_kinds(&beam);
    return beam;
}

/* where station k is, counted from 0, from the start of the beam */
static double station(const td_beam *beam, int k)
{
    return (beam->first + k) * beam->h;
}

/* The piece at a place along the beam; just at a station that before it. Rounding does not count.
 */
static int piece_at(const td_beam *beam, double s)
{
    const double passed = ceil(s / beam->h - beam->first - 1e-9);
    return passed > 0 ? (int)fmin(passed, beam->record->segments) : 0;
}

/* the origin of a piece's frame in the link's, where the beam is straight */
static td_vec3 origin_of(const td_beam *beam, int piece)
{
    if (piece == 0)
        return (td_vec3){0, 0, 0};
    return along(td_vec3_from(beam->record->start), station(beam, piece - 1), beam->axis);
}

void td_beam_inertia(const td_beam *beam, double s, double length, td_link *link)
{
    const td_vec3 c = along(td_vec3_from(beam->record->start), s, beam->axis), a = beam->axis,
                  b = beam->across, t = beam->third;
    const double mass = beam->record->mass_per_length * length, rod = mass * length * length / 12;
    link->has_inertial = true;
    link->mass = mass;
    link->inertial = (td_pose){{c.x, c.y, c.z}, {a.x, b.x, t.x, a.y, b.y, t.y, a.z, b.z, t.z}};
    const double inertia[6] = {beam->rotary[0] * length,       0, 0,
                               rod + beam->rotary[1] * length, 0, rod + beam->rotary[2] * length};
    memcpy(link->inertia, inertia, sizeof inertia);
    link->inertial_source = beam->record->source;
}

/* ---- its records ----------------------------------------------------------------------------- */

/* "boom.3", and with a kind "boom.3.bend", in the arena; the link's own name for piece 0 */
static const char *name_of(td_arena *arena, const td_beam *beam, int piece, const char *kind)
{
    const char *link = beam->record->link;
    if (piece == 0)
        return link;
    const size_t bytes = strlen(link) + 32;
    char *name = td_arena_array(arena, bytes, 1);
    if (name)
        snprintf(name, bytes, "%s.%d%s%s", link, piece, kind ? "." : "", kind ? kind : "");
    return name;
}

/* piece k ≥ 1, of which only the last one may be longer or shorter than h */
static td_link piece_of(const td_beam *beam, int k, const char *name)
{
    const double length = k < beam->record->segments ? beam->h : beam->last * beam->h;
    const td_vec3 origin = origin_of(beam, k);
    td_link link = td_link_default(name);
    link.source = beam->record->source;
    link.flexible = beam->record->link;
    td_beam_inertia(beam, station(beam, k - 1) + length / 2, length, &link);
    link.inertial.position[0] -= origin.x;
    link.inertial.position[1] -= origin.y;
    link.inertial.position[2] -= origin.z;
    return link;
}

static td_joint joint_of(const td_beam *beam, const td_elastic *elastic, const char *name,
                         const char *parent, const char *child)
{
    td_joint joint = td_joint_default(name, TD_JOINT_CONTINUOUS, parent, child);
    const double axis[3] = {elastic->axis.x, elastic->axis.y, elastic->axis.z};
    memcpy(joint.axis, axis, sizeof axis);
    joint.spring_stiffness = elastic->stiffness;
    joint.damping = elastic->damping;
    joint.source = beam->record->source;
    joint.flexible = beam->record->link;
    return joint;
}

/* the joints before piece k, the links between them, and the piece */
static bool add_piece(td_records *records, const td_beam *beam, int k)
{
    const char *parent = name_of(&records->arena, beam, k - 1, NULL);
    const td_vec3 from = origin_of(beam, k - 1), to = origin_of(beam, k);
    for (int i = 0; parent && i < beam->kinds; i++) {
        const td_elastic *elastic = &beam->elastic[i];
        const bool last = i + 1 == beam->kinds;
        const char *name = name_of(&records->arena, beam, k, elastic->name);
        const char *child = last ? name_of(&records->arena, beam, k, NULL) : name;
        if (!name || !child)
            return false;
        td_link link = last ? piece_of(beam, k, child) : td_link_default(child);
        link.source = beam->record->source;
        link.flexible = beam->record->link;
        td_joint joint = joint_of(beam, elastic, name, parent, child);
        if (i == 0) {
            const double offset[3] = {to.x - from.x, to.y - from.y, to.z - from.z};
            memcpy(joint.origin.position, offset, sizeof offset);
        }
        if (td_records_add_link(records, &link) != TD_OK ||
            td_records_add_joint(records, &joint) != TD_OK)
            return false;
        parent = child;
    }
    return parent != NULL;
}

static bool add_chain(td_records *records, const td_beam *beam, int link)
{
    const double length = beam->first * beam->h;
    td_link *root = &records->link.at[link];
    td_beam_inertia(beam, length / 2, length, root);
    root->flexible = beam->record->link;
    for (int k = 1; k <= beam->record->segments; k++)
        if (!add_piece(records, beam, k))
            return false;
    return true;
}

/* ---- what stands on the link ----------------------------------------------------------------- */

typedef struct chains {
    td_records *records;
    td_beam *beam;
    td_names links; /* of the beams */
} chains;

/* A frame on a link that is flexible moves to the piece that it stands on. False without memory. */
static bool move_frame(const chains *c, const char **link, td_pose *pose)
{
    const int found = td_names_find(&c->links, *link);
    if (found < 0)
        return true;
    const td_beam *beam = &c->beam[found];
    const td_vec3 from = along(td_vec3_from(pose->position), -1, td_vec3_from(beam->record->start));
    const int piece = piece_at(beam, td_vec3_dot(from, beam->axis));
    const td_vec3 origin = origin_of(beam, piece);
    *link = name_of(&c->records->arena, beam, piece, NULL);
    pose->position[0] -= origin.x;
    pose->position[1] -= origin.y;
    pose->position[2] -= origin.z;
    return *link != NULL;
}

/* joints: those that there were before the chains */
static bool move_all(const chains *c, size_t joints)
{
    td_records *records = c->records;
    bool good = true;
    for (size_t i = 0; i < joints && good; i++) {
        td_joint *joint = &records->joint.at[i];
        good = move_frame(c, &joint->parent, &joint->origin);
    }
    for (size_t i = 0; i < records->loop.count && good; i++) {
        td_loop *loop = &records->loop.at[i];
        good = move_frame(c, &loop->predecessor, &loop->predecessor_origin) &&
               move_frame(c, &loop->successor, &loop->successor_origin);
    }
    for (size_t i = 0; i < records->spring.count && good; i++) {
        td_spring *spring = &records->spring.at[i];
        good = move_frame(c, &spring->predecessor, &spring->predecessor_origin) &&
               move_frame(c, &spring->successor, &spring->successor_origin);
    }
    return good;
}

/* Those that are sound become chains; the others stay rigid, for fewer further reports. */
bool td_expand_flexible(td_build *build)
{
    td_records *records = &build->model->records;
    const size_t count = records->flexible.count, joints = records->joint.count;
    if (count == 0)
        return true;
    int *link = TD_ARENA_NEW(&records->arena, int, count);
    chains c = {records, TD_ARENA_NEW(&records->arena, td_beam, count), {NULL, 0}};
    const char **sound = TD_ARENA_NEW(&records->arena, const char *, count);
    if (!link || !c.beam || !sound || !td_check_flexible(build, link))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (link[i] < 0)
            continue;
        sound[i] = records->flexible.at[i].link;
        c.beam[i] = td_beam_of(&records->flexible.at[i]);
        if (!add_chain(records, &c.beam[i], link[i]))
            return false;
    }
    return td_names_build(&c.links, &records->arena, sound, count, sizeof *sound, 0) &&
           move_all(&c, joints);
}
