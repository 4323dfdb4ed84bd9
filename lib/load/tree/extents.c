/* SPDX-License-Identifier: MIT */
/*
 * Computes the extents of links; see extents.h.
 */
#include "load/tree/extents.h"

#include <math.h>
#include <string.h>

#include "base/frame.h"

static void include(td_extent *extent, const double point[3])
{
    for (int i = 0; i < 3; i++) {
        if (point[i] != 0)
            extent->is_point = false;
        extent->low[i] = fmin(extent->low[i], point[i]);
        extent->high[i] = fmax(extent->high[i], point[i]);
    }
}

/* Computes half the sides of a shape's box in its own frame. Returns false for a mesh and for a
   shape without size. */
static bool half_sides(const td_geometry *shape, double half[3])
{
    const double *size = shape->size;
    half[0] = half[1] = half[2] = 0;
    switch (shape->shape) {
    case TD_SHAPE_BOX:
        for (int i = 0; i < 3; i++)
            half[i] = fabs(size[i]) / 2;
        break;
    case TD_SHAPE_SPHERE:
        half[0] = half[1] = half[2] = fabs(size[0]);
        break;
    case TD_SHAPE_CYLINDER:
    case TD_SHAPE_CAPSULE:
        half[0] = half[1] = fabs(size[0]);
        half[2] = fabs(size[1]) / 2 + (shape->shape == TD_SHAPE_CAPSULE ? fabs(size[0]) : 0);
        break;
    case TD_SHAPE_MESH:
        return false;
    }
    return isfinite(half[0] + half[1] + half[2]);
}

static void include_shape(td_extent *extent, const td_geometry *shape)
{
    double half[3];
    const double *R = shape->origin.rotation;
    if (!half_sides(shape, half))
        return;
    for (int side = -1; side <= 1; side += 2) {
        double corner[3];
        for (int i = 0; i < 3; i++)
            corner[i] = shape->origin.position[i] +
                        side * (fabs(R[3 * i]) * half[0] + fabs(R[3 * i + 1]) * half[1] +
                                fabs(R[3 * i + 2]) * half[2]);
        if (isfinite(corner[0] + corner[1] + corner[2]))
            include(extent, corner);
    }
}

static double length_of(const double x[3])
{
    return hypot(hypot(x[0], x[1]), x[2]);
}

static void include_loop_side(td_extent *extents, const td_model *model, const char *name,
                              const td_pose *origin)
{
    const int link = td_names_find(&model->link_names, name);
    if (link >= 0)
        include(&extents[link], origin->position);
}

/* Computes sizes, path lengths in both directions, and the robot's size from the boxes. */
static double measure(td_extent *extents, const td_model *model)
{
    const td_records *records = &model->records;
    double largest = 0;
    for (size_t k = 0; k < records->link.count; k++) {
        td_extent *e = &extents[k];
        double sides[3], far[3];
        for (int i = 0; i < 3; i++) {
            sides[i] = e->high[i] - e->low[i];
            far[i] = fmax(e->high[i], -e->low[i]);
        }
        e->size = length_of(sides);
        e->below = length_of(far);
        largest = fmax(largest, e->size);
    }
    for (size_t j = 0; j < records->joint.count; j++) {
        const td_place *place = &model->place[j];
        if (place->parent_link < 0)
            continue; /* a floating base */
        extents[place->child_link].above =
            extents[place->parent_link].above + length_of(records->joint.at[j].origin.position);
        largest = fmax(largest, extents[place->child_link].above);
    }
    for (size_t j = records->joint.count; j-- > 0;) {
        const td_place *place = &model->place[j];
        if (place->parent_link < 0)
            continue;
        td_extent *parent = &extents[place->parent_link];
        parent->below = fmax(parent->below, extents[place->child_link].below +
                                                length_of(records->joint.at[j].origin.position));
    }
    return largest;
}

const td_extent *td_extents_make(td_arena *arena, const td_model *model, double *size)
{
    const td_records *records = &model->records;
    td_extent *extents = TD_ARENA_NEW(arena, td_extent, records->link.count);
    if (!extents)
        return NULL;
    for (size_t k = 0; k < records->link.count; k++) {
        const td_link *link = &records->link.at[k];
        extents[k].is_point = true;
        for (size_t g = 0; g < link->geometry_count; g++)
            include_shape(&extents[k], td_geometry_at(link, g));
    }
    for (size_t j = 0; j < records->joint.count; j++)
        if (model->place[j].parent_link >= 0)
            include(&extents[model->place[j].parent_link], records->joint.at[j].origin.position);
    for (size_t l = 0; l < records->loop.count; l++) {
        const td_loop *loop = &records->loop.at[l];
        include_loop_side(extents, model, loop->predecessor, &loop->predecessor_origin);
        include_loop_side(extents, model, loop->successor, &loop->successor_origin);
    }
    *size = measure(extents, model);
    return extents;
}

double td_extent_outside(const td_extent *extent, const double point[3])
{
    double beyond[3];
    for (int i = 0; i < 3; i++)
        beyond[i] = fmax(0, fmax(extent->low[i] - point[i], point[i] - extent->high[i]));
    return length_of(beyond);
}
