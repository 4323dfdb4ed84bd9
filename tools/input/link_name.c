/* SPDX-License-Identifier: MIT */
/*
 * Finds links by name; see link_name.h. The joints that the library placed between the pieces of a
 * flexible link give the start of each piece.
 */
#include "input/link_name.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

char *unknown_link(const td_model *model, const char *name)
{
    size_t count = td_link_count(model);
    scoped const char **names = allocate(count, sizeof *names);
    for (size_t i = 0; i < count; i++) {
        names[i] = td_link_at(model, i)->name;
    }
    return unknown_name("link", name, names, count);
}

char *unknown_joint(const td_model *model, const char *name)
{
    const size_t joints = td_joint_count(model), count = joints + td_loop_count(model);
    scoped const char **names = allocate(count, sizeof *names);
    for (size_t i = 0; i < count; i++) {
        names[i] = i < joints ? td_joint_at(model, i)->name : td_loop_at(model, i - joints)->name;
    }
    return unknown_name("joint", name, names, count);
}

int find_link(const td_model *model, const char *name)
{
    size_t index = td_link_index(model, name);
    if (index != TD_NONE) {
        return (int)index;
    }
    scoped char *text = unknown_link(model, name);
    complain("%s", text);
    return -1;
}

static const td_flexible *flexible_of(const td_model *model, const char *name)
{
    for (size_t i = 0; i < td_flexible_count(model); i++) {
        if (strcmp(td_flexible_at(model, i)->link, name) == 0) {
            return td_flexible_at(model, i);
        }
    }
    return NULL;
}

bool is_flexible(const td_model *model, const char *name)
{
    return flexible_of(model, name) != NULL;
}

/* Adds the position of a piece relative to the piece before it to origin. Both have the same axes
   if the beam is straight. Joints and massless links may lie between them. */
static void add_origin(const td_model *model, size_t piece, size_t before, double origin[3])
{
    for (size_t link = piece; link != before && link != TD_NONE;) {
        const size_t joint = td_link_parent_joint(model, link);
        if (joint == TD_NONE) {
            return;
        }
        const double *position = td_joint_at(model, joint)->origin.position;
        for (size_t i = 0; i < 3; i++) {
            origin[i] += position[i];
        }
        link = td_joint_place_at(model, joint).parent_link;
    }
}

int find_link_point(const td_model *model, const char *name, bool given, const double point[3],
                    double at[3])
{
    const int link = find_link(model, name);
    const td_flexible *beam = link >= 0 && given ? flexible_of(model, name) : NULL;
    memmove(at, point, 3 * sizeof *at);
    if (beam == NULL) {
        return link;
    }
    const double rounding = 1e-9 * beam->length / beam->segments;
    double origin[3] = {0, 0, 0}, from[3];
    memcpy(from, point, sizeof from);
    size_t found = (size_t)link, before = found;
    for (int k = 1; k <= beam->segments; k++) {
        scoped char *piece_name = text_format("%s.%d", name, k);
        const size_t piece = td_link_index(model, piece_name);
        if (piece == TD_NONE) {
            break;
        }
        add_origin(model, piece, before, origin);
        double beyond = 0; /* a point exactly at a station belongs to the piece before it */
        for (size_t i = 0; i < 3; i++) {
            beyond += beam->axis[i] * (from[i] - origin[i]);
        }
        if (beyond <= rounding) {
            break;
        }
        found = piece;
        for (size_t i = 0; i < 3; i++) {
            at[i] = from[i] - origin[i];
        }
        before = piece;
    }
    return (int)found;
}
