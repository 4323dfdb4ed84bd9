/* SPDX-License-Identifier: MIT */
/*
 * Records: their defaults, and their copies.
 */
#include "model/records.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "model/joint_kind.h"

const td_geometry *td_geometry_at(const td_link *link, size_t i)
{
    return i < link->geometry_count ? td_sized_at(link->geometry, i) : NULL;
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

/* a new last element of a list: TD_OK or TD_ERROR_MEMORY */
#define APPEND(list, value)                                                                        \
    append((void **)&(list).at, &(list).count, &(list).capacity, &(value), sizeof(value))

static td_status append(void **at, size_t *count, size_t *capacity, const void *value, size_t size)
{
    if (*count == *capacity) {
        size_t larger = *capacity ? 2 * *capacity : 16;
        void *moved = realloc(*at, larger * size);
        if (!moved)
            return TD_ERROR_MEMORY;
        *at = moved;
        *capacity = larger;
    }
    memcpy((char *)*at + (*count)++ * size, value, size);
    return TD_OK;
}

/* the elements of a caller's array are all as long as the first one */
static bool read_geometry(const td_link *link, size_t i, td_geometry *ours)
{
    const td_geometry *given = td_geometry_at(link, i);
    *ours = td_geometry_default(TD_SHAPE_BOX);
    return given->size_of == link->geometry->size_of && td_sized_read(ours, sizeof *ours, given) &&
           (unsigned)ours->shape <= TD_SHAPE_MESH;
}

static bool geometry_is_valid(const td_link *link)
{
    td_geometry ours;
    if (link->geometry_count && !link->geometry)
        return false;
    for (size_t i = 0; i < link->geometry_count; i++)
        if (!read_geometry(link, i, &ours))
            return false;
    return true;
}

static bool own_geometry(td_arena *arena, td_link *link)
{
    td_geometry *copy = TD_ARENA_NEW(arena, td_geometry, link->geometry_count);
    for (size_t i = 0; copy && i < link->geometry_count; i++)
        if (!read_geometry(link, i, &copy[i]) || !own(arena, &copy[i].name) ||
            !own(arena, &copy[i].file) || !own(arena, &copy[i].material))
            return false;
    link->geometry = copy;
    return copy != NULL;
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
    td_link copy = td_link_default(NULL);
    if (!td_sized_read(&copy, sizeof copy, link) || !geometry_is_valid(&copy))
        return TD_ERROR_ARGUMENT;
    td_arena *arena = &records->arena;
    if (!own(arena, &copy.name) || !own_source(arena, &copy.source) ||
        !own_source(arena, &copy.inertial_source) || !own_geometry(arena, &copy) ||
        !own(arena, &copy.flexible))
        return TD_ERROR_MEMORY;
    return APPEND(records->link, copy);
}

td_status td_records_add_joint(td_records *records, const td_joint *joint)
{
    td_joint copy = td_joint_default(NULL, TD_JOINT_FIXED, NULL, NULL);
    if (!td_sized_read(&copy, sizeof copy, joint) || !td_joint_row_of(copy.type))
        return TD_ERROR_ARGUMENT;
    td_arena *arena = &records->arena;
    if (!own(arena, &copy.name) || !own(arena, &copy.parent) || !own(arena, &copy.child) ||
        !own(arena, &copy.mimic) || !own_source(arena, &copy.source) ||
        !own_source(arena, &copy.axis_source) || !own_source(arena, &copy.limit_source) ||
        !own_source(arena, &copy.dynamics_source) || !own_source(arena, &copy.mimic_source) ||
        !own_source(arena, &copy.independent_source) || !own(arena, &copy.flexible))
        return TD_ERROR_MEMORY;
    return APPEND(records->joint, copy);
}

td_status td_records_add_loop(td_records *records, const td_loop *loop)
{
    td_loop copy = td_loop_default(NULL, NULL, NULL);
    if (!td_sized_read(&copy, sizeof copy, loop) || (unsigned)copy.type > TD_LOOP_MASK)
        return TD_ERROR_ARGUMENT;
    td_arena *arena = &records->arena;
    if (!own(arena, &copy.name) || !own(arena, &copy.predecessor) || !own(arena, &copy.successor) ||
        !own_source(arena, &copy.source))
        return TD_ERROR_MEMORY;
    return APPEND(records->loop, copy);
}

td_status td_records_add_coupling(td_records *records, const td_coupling *coupling)
{
    td_coupling copy = td_coupling_default(NULL, NULL, NULL, 1);
    if (!td_sized_read(&copy, sizeof copy, coupling))
        return TD_ERROR_ARGUMENT;
    td_arena *arena = &records->arena;
    if (!own(arena, &copy.name) || !own(arena, &copy.predecessor) || !own(arena, &copy.successor) ||
        !own_source(arena, &copy.source))
        return TD_ERROR_MEMORY;
    return APPEND(records->coupling, copy);
}

td_status td_records_add_follower(td_records *records, const td_follower *follower)
{
    td_follower copy = td_follower_default(NULL);
    if (!td_sized_read(&copy, sizeof copy, follower))
        return TD_ERROR_ARGUMENT;
    const td_status status = td_follower_own(&records->arena, &copy);
    if (status != TD_OK)
        return status;
    if (!own(&records->arena, &copy.joint) || !own_source(&records->arena, &copy.source))
        return TD_ERROR_MEMORY;
    return APPEND(records->follower, copy);
}

td_status td_records_add_spring(td_records *records, const td_spring *spring)
{
    td_spring copy = td_spring_default(NULL, NULL, NULL);
    if (!td_sized_read(&copy, sizeof copy, spring) || (unsigned)copy.type > TD_SPRING_BUSHING)
        return TD_ERROR_ARGUMENT;
    td_arena *arena = &records->arena;
    if (!own(arena, &copy.name) || !own(arena, &copy.predecessor) || !own(arena, &copy.successor) ||
        !own_source(arena, &copy.source))
        return TD_ERROR_MEMORY;
    return APPEND(records->spring, copy);
}

td_status td_records_add_transmission(td_records *records, const td_transmission *transmission)
{
    td_transmission copy = td_transmission_default(NULL, NULL);
    if (!td_sized_read(&copy, sizeof copy, transmission))
        return TD_ERROR_ARGUMENT;
    td_arena *arena = &records->arena;
    if (!own(arena, &copy.name) || !own(arena, &copy.type) || !own(arena, &copy.joint) ||
        !own(arena, &copy.actuator) || !own_source(arena, &copy.source))
        return TD_ERROR_MEMORY;
    return APPEND(records->transmission, copy);
}

td_status td_records_add_flexible(td_records *records, const td_flexible *flexible)
{
    td_flexible copy = td_flexible_default(NULL);
    if (!td_sized_read(&copy, sizeof copy, flexible))
        return TD_ERROR_ARGUMENT;
    td_arena *arena = &records->arena;
    if (!own(arena, &copy.link) || !own_source(arena, &copy.source))
        return TD_ERROR_MEMORY;
    return APPEND(records->flexible, copy);
}

td_status td_records_declare(td_records *records, int joint, bool independent,
                             const td_source *source)
{
    td_joint *record = &records->joint.at[joint];
    td_source copy = *source;
    if (!own_source(&records->arena, &copy))
        return TD_ERROR_MEMORY;
    record->independent = independent;
    record->must_depend = !independent;
    record->independent_source = copy;
    return TD_OK;
}

td_status td_records_set_independent(td_records *records, const char *joint, bool independent)
{
    for (size_t i = 0; i < records->joint.count; i++) {
        td_joint *record = &records->joint.at[i];
        if (record->name && strcmp(record->name, joint) == 0) {
            record->independent = independent;
            record->must_depend = false;
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
    for (size_t i = 0; i < source->follower.count && status == TD_OK; i++)
        status = td_records_add_follower(target, &source->follower.at[i]);
    for (size_t i = 0; i < source->spring.count && status == TD_OK; i++)
        status = td_records_add_spring(target, &source->spring.at[i]);
    for (size_t i = 0; i < source->transmission.count && status == TD_OK; i++)
        status = td_records_add_transmission(target, &source->transmission.at[i]);
    for (size_t i = 0; i < source->flexible.count && status == TD_OK; i++)
        status = td_records_add_flexible(target, &source->flexible.at[i]);
    return status;
}

void td_records_free(td_records *records)
{
    free(records->link.at);
    free(records->joint.at);
    free(records->loop.at);
    free(records->coupling.at);
    free(records->follower.at);
    free(records->spring.at);
    free(records->transmission.at);
    free(records->flexible.at);
    td_arena_free(&records->arena);
}
