/* SPDX-License-Identifier: MIT */
/*
 * Sets of rows as ranges in ascending order, none next to another.
 */
#ifndef TD_RANGES_H
#define TD_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct td_row_range {
    uint64_t first, end; /* rows first … end − 1, one or more */
} td_row_range;

/* zeroed: no rows */
typedef struct td_ranges {
    td_row_range *range;
    size_t count, room;
} td_ranges;

void td_ranges_free(td_ranges *ranges);
/* Room for so many more ranges; false without memory. */
bool td_ranges_reserve(td_ranges *ranges, size_t more);
/* Whether it has one of the rows first … end − 1. O(log ranges). */
bool td_ranges_meet(const td_ranges *ranges, uint64_t first, uint64_t end);
/* Rows first … end − 1, of which it has none. Takes room of one more range at most. */
void td_ranges_insert(td_ranges *ranges, uint64_t first, uint64_t end);
/* All rows of another one, which has none that this one has. Takes room of as many more ranges.
   O(ranges of both). */
void td_ranges_merge(td_ranges *ranges, const td_ranges *other);
uint64_t td_ranges_rows(const td_ranges *ranges);

#endif
