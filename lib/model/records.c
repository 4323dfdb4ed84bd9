/* SPDX-License-Identifier: MIT */
/*
 * Copies of records.
 */
#include "model/records.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "model/fields.h"

const td_geometry *td_geometry_at(const td_link *link, size_t i)
{
    return i < link->geometry_count ? td_sized_at(link->geometry, i) : NULL;
}

/* Replaces *text by a copy of itself. */
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

/* Replaces all strings of a record by copies of themselves. */
static bool own_strings(td_arena *arena, td_record_kind kind, void *record)
{
    const td_record_form *form = &td_record_forms[kind];
    for (size_t i = 0; i < form->fields; i++)
        if (form->field[i].kind == TD_FIELD_STRING &&
            !own(arena, (const char **)(void *)((char *)record + form->field[i].offset)))
            return false;
    return true;
}

/* Returns whether all enums of a record are in range. */
static bool has_known_words(td_record_kind kind, const void *record)
{
    const td_record_form *form = &td_record_forms[kind];
    for (size_t i = 0; i < form->fields; i++) {
        const td_field *f = &form->field[i];
        const void *at = (const char *)record + f->offset;
        if (f->kind == TD_FIELD_WORD && !f->word(*(const unsigned *)at))
            return false;
    }
    return true;
}

/* Appends an element to a list. Returns TD_OK or TD_ERROR_MEMORY. */
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

/* Reads shape i of a link. All elements of a caller's array have the size of the first one. */
static bool read_geometry(const td_link *link, size_t i, td_geometry *ours)
{
    const td_geometry *given = td_geometry_at(link, i);
    *ours = td_geometry_default(TD_SHAPE_BOX);
    return given->size_of == link->geometry->size_of && td_sized_read(ours, sizeof *ours, given) &&
           has_known_words(TD_RECORD_GEOMETRY, ours);
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
        if (!read_geometry(link, i, &copy[i]) || !own_strings(arena, TD_RECORD_GEOMETRY, &copy[i]))
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

/* Reads a caller's record into ours and copies its strings. */
static td_status read_record(td_records *records, td_record_kind kind, const void *given,
                             td_any_record *ours)
{
    *ours = td_record_default(kind);
    if (!td_sized_read(ours, td_record_forms[kind].size, given) || !has_known_words(kind, ours) ||
        (kind == TD_RECORD_LINK && !geometry_is_valid(&ours->link)))
        return TD_ERROR_ARGUMENT;
    if (kind == TD_RECORD_FOLLOWER) {
        const td_status status = td_follower_own(&records->arena, &ours->follower);
        if (status != TD_OK)
            return status;
    }
    return own_strings(&records->arena, kind, ours) &&
                   (kind != TD_RECORD_LINK || own_geometry(&records->arena, &ours->link))
               ? TD_OK
               : TD_ERROR_MEMORY;
}

#define ADD(name, KIND)                                                                            \
    td_status td_records_add_##name(td_records *records, const td_##name *given)                   \
    {                                                                                              \
        td_any_record ours;                                                                        \
        const td_status status = read_record(records, KIND, given, &ours);                         \
        return status == TD_OK ? APPEND(records->name, ours.name) : status;                        \
    }
ADD(link, TD_RECORD_LINK)
ADD(joint, TD_RECORD_JOINT)
ADD(loop, TD_RECORD_LOOP)
ADD(coupling, TD_RECORD_COUPLING)
ADD(follower, TD_RECORD_FOLLOWER)
ADD(spring, TD_RECORD_SPRING)
ADD(transmission, TD_RECORD_TRANSMISSION)
ADD(flexible, TD_RECORD_FLEXIBLE)

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

int td_records_find_loop(const td_records *records, const char *name)
{
    for (size_t l = 0; name && l < records->loop.count; l++)
        if (records->loop.at[l].name && strcmp(records->loop.at[l].name, name) == 0)
            return (int)l;
    return -1;
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
#define COPY(name)                                                                                 \
    for (size_t i = 0; i < source->name.count && status == TD_OK; i++)                             \
        status = td_records_add_##name(target, &source->name.at[i]);
    COPY(link)
    COPY(joint)
    COPY(loop)
    COPY(coupling)
    COPY(follower)
    COPY(spring)
    COPY(transmission)
    COPY(flexible)
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
