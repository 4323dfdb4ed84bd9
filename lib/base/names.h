/* SPDX-License-Identifier: MIT */
/*
 * Finds records by name: a sorted index of an array of records.
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
    td_name *sorted; /* sorted by text, equal names by index */
    size_t count;
} td_names;

/* Indexes count records of record_size bytes. name_offset is the offset of the record's const
   char *name. Skips NULL names. Returns false if memory is exhausted. */
bool td_names_build(td_names *names, td_arena *arena, const void *records, size_t count,
                    size_t record_size, size_t name_offset);

/* Returns the index of the first record with that name, or −1 for none (also for NULL). */
int td_names_find(const td_names *names, const char *text);
/* Does the same for the first `length` characters of text. */
int td_names_find_part(const td_names *names, const char *text, size_t length);

/* Returns the name that text most likely stands for, or NULL if none is close. See td_nearest_name
   for `except` and `budget`. */
const char *td_names_nearest(const td_names *names, const char *text, const char *except,
                             size_t *budget);

#endif
