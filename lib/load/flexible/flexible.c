/* SPDX-License-Identifier: MIT */
/*
 * Expands flexible links. Before any other step, each becomes a chain of rigid pieces with elastic
 * joints between them, as described at td_flexible in tandem/records.h. Frames on the link move to
 * the pieces. load/flexible/beam.c computes the beam, load/flexible/flexible_check.c checks the
 * records.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "load/flexible/flexible.h"

/* ---- stations -------------------------------------------------------------------------------- */

/* Returns the distance of station k ≥ 0 from the start of the beam. */
static double station(const td_beam *beam, int k)
{
    return (beam->first + k) * beam->h;
}

/* Returns the piece at distance s from the start. At a station, within rounding, it is the piece
   before the station. */
static int piece_at(const td_beam *beam, double s)
{
    const double passed = ceil(s / beam->h - beam->first - 1e-9);
    return passed > 0 ? (int)fmin(passed, beam->record->segments) : 0;
}

/* Returns the origin of a piece's frame in the link's frame for the straight beam. */
static td_vec3 origin_of(const td_beam *beam, int piece)
{
    if (piece == 0)
        return (td_vec3){0, 0, 0};
    return td_vec3_along(td_vec3_from(beam->record->start), station(beam, piece - 1), beam->axis);
}

/* ---- records of a chain ---------------------------------------------------------------------- */

/* Returns "boom.3", or "boom.3.bend" with a kind, allocated in the arena. Piece 0 has the link's
   own name. */
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

/* Returns the link of piece k ≥ 1. Only the last piece may have a length other than h. */
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

/* Adds piece k, the joints before it, and the links between these joints. */
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

/* ---- frames on the link ---------------------------------------------------------------------- */

typedef struct chains {
    td_records *records;
    td_beam *beam;
    td_names links; /* names of the beams' links */
} chains;

/* Moves a frame from a flexible link to the piece on which it lies. Returns false if memory runs
   out. */
static bool move_frame(const chains *c, const char **link, td_pose *pose)
{
    const int found = td_names_find(&c->links, *link);
    if (found < 0)
        return true;
    const td_beam *beam = &c->beam[found];
    const td_vec3 from =
        td_vec3_along(td_vec3_from(pose->position), -1, td_vec3_from(beam->record->start));
    const int piece = piece_at(beam, td_vec3_dot(from, beam->axis));
    const td_vec3 origin = origin_of(beam, piece);
    *link = name_of(&c->records->arena, beam, piece, NULL);
    pose->position[0] -= origin.x;
    pose->position[1] -= origin.y;
    pose->position[2] -= origin.z;
    return *link != NULL;
}

/* Moves all frames on flexible links. joints: number of joints before chains were added. */
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

/* Turns valid flexible links into chains. Invalid ones stay rigid, to avoid follow-up errors. */
bool td_expand_flexible(td_build *build)
{
    td_records *records = &build->model->records;
    const size_t count = records->flexible.count, joints = records->joint.count;
    if (count == 0)
        return true;
    td_arena *temporary = &build->temporary;
    td_arena_scope(temporary);
    int *link = TD_ARENA_NEW(temporary, int, count);
    chains c = {records, TD_ARENA_NEW(temporary, td_beam, count), {NULL, 0}};
    const char **sound = TD_ARENA_NEW(temporary, const char *, count);
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
    return td_names_build(&c.links, temporary, sound, count, sizeof *sound, 0) &&
           move_all(&c, joints);
}
