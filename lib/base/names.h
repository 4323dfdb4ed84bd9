/* SPDX-License-Identifier: MIT */
/*
 * Looking up records by name: a sorted index over an array of records.
 */
#ifndef TD_NAMES_H
#define TD_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

typedef struct td_name {
    const char *text;
    int index;
} td_name;

typedef struct td_names {
    td_name *sorted; /* by text, equal ones by index */
    size_t count;
} td_names;

/* Indexes count records of that size; name_offset is where a record keeps its const char *name.
   NULL names are left out. */
bool td_names_build(td_names *names, td_arena *arena, const void *records, size_t count,
                    size_t record_size, size_t name_offset);

/* Index of the first record of that name, −1 for none (and for NULL). */
int td_names_find(const td_names *names, const char *text);
/* The index of the name that is the first length characters of text, which has as many. */
int td_names_find_part(const td_names *names, const char *text, size_t length);

/* The name that text was meant to be, NULL where none is close; except and budget as in
   td_nearest_name. */
const char *td_names_nearest(const td_names *names, const char *text, const char *except,
                             size_t *budget);

#endif
