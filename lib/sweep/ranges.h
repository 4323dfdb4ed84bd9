/* SPDX-License-Identifier: MIT */
/*
 * Sets of rows as ranges in ascending order. Adjacent ranges are joined.
 */
#ifndef TD_RANGES_H
#define TD_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct td_row_range {
    uint64_t first, end; /* rows first … end − 1, one or more */
} td_row_range;

/* all zero: the empty set */
typedef struct td_ranges {
    td_row_range *range;
    size_t count, room;
} td_ranges;

void td_ranges_free(td_ranges *ranges);
/* Reserves capacity for this many more ranges. Returns false if memory runs out. */
bool td_ranges_reserve(td_ranges *ranges, size_t more);
/* Returns whether the set contains any of the rows first … end − 1. O(log ranges). */
bool td_ranges_meet(const td_ranges *ranges, uint64_t first, uint64_t end);
/* Adds rows first … end − 1, which must be new. Needs capacity for one more range. */
void td_ranges_insert(td_ranges *ranges, uint64_t first, uint64_t end);
/* Adds all rows of another set, which must have no row in common. Needs capacity for the number of
   its ranges. O(ranges of both). */
void td_ranges_merge(td_ranges *ranges, const td_ranges *other);
uint64_t td_ranges_rows(const td_ranges *ranges);

#endif
