/* SPDX-License-Identifier: MIT */
/*
 * Records: their defaults, and their copies.
 */
#include "records.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

td_link td_link_default(const char *name)
{
    return (td_link){.size_of = sizeof(td_link), .name = name, .inertial = TD_POSE_IDENTITY};
}

td_joint td_joint_default(const char *name, td_joint_type type, const char *parent,
                          const char *child)
{
    return (td_joint){
        .size_of = sizeof(td_joint),
        .name = name,
        .type = type,
        .parent = parent,
        .child = child,
        .origin = TD_POSE_IDENTITY,
        .axis = {1, 0, 0},
        .limit = {NAN, NAN, NAN, NAN, NAN, NAN, NAN},
        .calibration_rising = NAN,
        .calibration_falling = NAN,
        .soft_lower = NAN,
        .soft_upper = NAN,
        .k_position = NAN,
        .k_velocity = NAN,
        .multiplier = 1,
        .independent = -1,
    };
}

td_geometry td_geometry_default(td_shape shape)
{
    return (td_geometry){
        .size_of = sizeof(td_geometry),
        .shape = shape,
        .size = {1, 1, 1},
        .origin = TD_POSE_IDENTITY,
        .rgba = {NAN, NAN, NAN, NAN},
    };
}

td_loop td_loop_default(const char *name, const char *predecessor, const char *successor)
{
    return (td_loop){
        .size_of = sizeof(td_loop),
        .name = name,
        .type = TD_LOOP_REVOLUTE,
        .predecessor = predecessor,
        .successor = successor,
        .predecessor_origin = TD_POSE_IDENTITY,
        .successor_origin = TD_POSE_IDENTITY,
        .axis = {1, 0, 0},
        .second_axis = {0, 1, 0},
    };
}

td_coupling td_coupling_default(const char *name, const char *predecessor, const char *successor,
                                double ratio)
{
    return (td_coupling){.size_of = sizeof(td_coupling),
                         .name = name,
                         .predecessor = predecessor,
                         .successor = successor,
                         .ratio = ratio};
}

td_transmission td_transmission_default(const char *name, const char *joint)
{
    return (td_transmission){.size_of = sizeof(td_transmission),
                             .name = name,
                             .joint = joint,
                             .mechanical_reduction = 1};
}

/* *text becomes a copy of itself */
static bool own(td_arena *arena, const char **text)
{
    if (!*text)
        return true;
    *text = td_arena_string(arena, *text);
    return *text != NULL;
}

static bool own_source(td_arena *arena, td_source *source)
{
    return own(arena, &source->file) && own(arena, &source->element);
}

/* the address of a new last element of a list, NULL without memory */
#define APPEND(list, value) append((void **)&(list).at, &(list).count, &(list).room, sizeof(value))

static void *append(void **at, size_t *count, size_t *room, size_t size)
{
    if (*count == *room) {
        size_t larger = *room ? 2 * *room : 16;
        void *moved = realloc(*at, larger * size);
        if (!moved)
            return NULL;
        *at = moved;
        *room = larger;
    }
    return (char *)*at + (*count)++ * size;
}

static bool own_geometry(td_arena *arena, td_link *link)
{
    td_geometry *copy =
        td_arena_copy(arena, link->geometry, link->geometry_count, sizeof(td_geometry));
    if (!copy)
        return false;
    for (size_t i = 0; i < link->geometry_count; i++)
        if (!own(arena, &copy[i].name) || !own(arena, &copy[i].file) ||
            !own(arena, &copy[i].material))
            return false;
    link->geometry = copy;
    return true;
}

static bool geometry_is_valid(const td_link *link)
{
    if (link->geometry_count && !link->geometry)
        return false;
    for (size_t i = 0; i < link->geometry_count; i++)
        if (link->geometry[i].size_of != sizeof(td_geometry) ||
            (unsigned)link->geometry[i].shape > TD_SHAPE_MESH)
            return false;
    return true;
}

td_status td_records_set_source(td_records *records, const td_source *source)
{
    td_source copy = *source;
    if (!own_source(&records->arena, &copy))
        return TD_ERROR_MEMORY;
    records->source = copy;
    return TD_OK;
}

td_status td_records_add_link(td_records *records, const td_link *link)
{
    if (!link || link->size_of != sizeof *link || !geometry_is_valid(link))
        return TD_ERROR_ARGUMENT;
    td_link copy = *link;
    td_arena *arena = &records->arena;
    if (!own(arena, &copy.name) || !own_source(arena, &copy.source) ||
        !own_source(arena, &copy.inertial_source) || !own_geometry(arena, &copy))
        return TD_ERROR_MEMORY;
    td_link *slot = APPEND(records->link, copy);
    if (!slot)
        return TD_ERROR_MEMORY;
    *slot = copy;
    return TD_OK;
}

td_status td_records_add_joint(td_records *records, const td_joint *joint)
{
    if (!joint || joint->size_of != sizeof *joint || (unsigned)joint->type > TD_JOINT_PLANAR)
        return TD_ERROR_ARGUMENT;
    td_joint copy = *joint;
    td_arena *arena = &records->arena;
    if (!own(arena, &copy.name) || !own(arena, &copy.parent) || !own(arena, &copy.child) ||
        !own(arena, &copy.mimic) || !own_source(arena, &copy.source) ||
        !own_source(arena, &copy.axis_source) || !own_source(arena, &copy.limit_source) ||
        !own_source(arena, &copy.dynamics_source) || !own_source(arena, &copy.mimic_source))
        return TD_ERROR_MEMORY;
    td_joint *slot = APPEND(records->joint, copy);
    if (!slot)
        return TD_ERROR_MEMORY;
    *slot = copy;
    return TD_OK;
}

td_status td_records_add_loop(td_records *records, const td_loop *loop)
{
    if (!loop || loop->size_of != sizeof *loop || (unsigned)loop->type > TD_LOOP_MASK)
        return TD_ERROR_ARGUMENT;
    td_loop copy = *loop;
    td_arena *arena = &records->arena;
    if (!own(arena, &copy.name) || !own(arena, &copy.predecessor) || !own(arena, &copy.successor) ||
        !own_source(arena, &copy.source))
        return TD_ERROR_MEMORY;
    td_loop *slot = APPEND(records->loop, copy);
    if (!slot)
        return TD_ERROR_MEMORY;
    *slot = copy;
    return TD_OK;
}

td_status td_records_add_coupling(td_records *records, const td_coupling *coupling)
{
    if (!coupling || coupling->size_of != sizeof *coupling)
        return TD_ERROR_ARGUMENT;
    td_coupling copy = *coupling;
    td_arena *arena = &records->arena;
    if (!own(arena, &copy.name) || !own(arena, &copy.predecessor) || !own(arena, &copy.successor) ||
        !own_source(arena, &copy.source))
        return TD_ERROR_MEMORY;
    td_coupling *slot = APPEND(records->coupling, copy);
    if (!slot)
        return TD_ERROR_MEMORY;
    *slot = copy;
    return TD_OK;
}

td_status td_records_add_transmission(td_records *records, const td_transmission *transmission)
{
    if (!transmission || transmission->size_of != sizeof *transmission)
        return TD_ERROR_ARGUMENT;
    td_transmission copy = *transmission;
    td_arena *arena = &records->arena;
    if (!own(arena, &copy.name) || !own(arena, &copy.type) || !own(arena, &copy.joint) ||
        !own(arena, &copy.actuator) || !own_source(arena, &copy.source))
        return TD_ERROR_MEMORY;
    td_transmission *slot = APPEND(records->transmission, copy);
    if (!slot)
        return TD_ERROR_MEMORY;
    *slot = copy;
    return TD_OK;
}

td_status td_records_set_independent(td_records *records, const char *joint, bool independent)
{
    for (size_t i = 0; i < records->joint.count; i++) {
        td_joint *record = &records->joint.at[i];
        if (record->name && strcmp(record->name, joint) == 0) {
            record->independent = independent;
            return TD_OK;
        }
    }
    return TD_ERROR_NAME;
}

td_status td_records_copy(td_records *target, const td_records *source)
{
    td_status status = TD_OK;
    target->name = td_arena_string(&target->arena, source->name ? source->name : "");
    if (!target->name || td_records_set_source(target, &source->source) != TD_OK)
        return TD_ERROR_MEMORY;
    for (size_t i = 0; i < source->link.count && status == TD_OK; i++)
        status = td_records_add_link(target, &source->link.at[i]);
    for (size_t i = 0; i < source->joint.count && status == TD_OK; i++)
        status = td_records_add_joint(target, &source->joint.at[i]);
    for (size_t i = 0; i < source->loop.count && status == TD_OK; i++)
        status = td_records_add_loop(target, &source->loop.at[i]);
    for (size_t i = 0; i < source->coupling.count && status == TD_OK; i++)
        status = td_records_add_coupling(target, &source->coupling.at[i]);
    for (size_t i = 0; i < source->transmission.count && status == TD_OK; i++)
        status = td_records_add_transmission(target, &source->transmission.at[i]);
    return status;
}

void td_records_free(td_records *records)
{
    free(records->link.at);
    free(records->joint.at);
    free(records->loop.at);
    free(records->coupling.at);
    free(records->transmission.at);
    td_arena_free(&records->arena);
}
