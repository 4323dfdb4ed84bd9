/* SPDX-License-Identifier: MIT */
/*
 * Sets of rows as ranges in ascending order. Adjacent ranges are joined.
 */
#include "sweep/ranges.h"

#include <stdlib.h>
#include <string.h>

void td_ranges_free(td_ranges *ranges)
{
    free(ranges->range);
    *ranges = (td_ranges){0};
}

bool td_ranges_reserve(td_ranges *ranges, size_t more)
{
    if (more <= ranges->room - ranges->count)
        return true;
    /* grow by at least half, so that appending to a long list seldom moves it */
    const size_t most = SIZE_MAX / sizeof *ranges->range;
    const size_t half = ranges->room / 2;
    if (more < half)
        more = half;
    if (more > most - ranges->count)
        return false;
    td_row_range *range = realloc(ranges->range, (ranges->count + more) * sizeof *range);
    if (!range)
        return false;
    ranges->range = range;
    ranges->room = ranges->count + more;
    return true;
}

/* Returns the index of the first range that ends beyond a row. */
static size_t place_of(const td_ranges *ranges, uint64_t row)
{
    size_t from = 0, to = ranges->count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (ranges->range[middle].end > row)
            to = middle;
        else
            from = middle + 1;
    }
    return from;
}

bool td_ranges_meet(const td_ranges *ranges, uint64_t first, uint64_t end)
{
    const size_t i = place_of(ranges, first);
    return i < ranges->count && ranges->range[i].first < end;
}

void td_ranges_insert(td_ranges *ranges, uint64_t first, uint64_t end)
{
    const size_t i = place_of(ranges, first);
    td_row_range *after = ranges->range + i;
    const bool joins_before = i > 0 && after[-1].end == first;
    const bool joins_after = i < ranges->count && after->first == end;
    if (joins_before && joins_after) {
        after[-1].end = after->end;
        memmove(after, after + 1, (ranges->count - i - 1) * sizeof *after);
        ranges->count--;
    } else if (joins_before) {
        after[-1].end = end;
    } else if (joins_after) {
        after->first = first;
    } else {
        memmove(after + 1, after, (ranges->count - i) * sizeof *after);
        *after = (td_row_range){first, end};
        ranges->count++;
    }
}

/* Moves the set's own ranges to the end of the memory that both need. From there, merges them with
   the others towards the front. Writing never overtakes reading. */
void td_ranges_merge(td_ranges *ranges, const td_ranges *other)
{
    const size_t shift = other->count, end = ranges->count + shift;
    if (shift == 0)
        return;
    memmove(ranges->range + shift, ranges->range, ranges->count * sizeof *ranges->range);
    size_t count = 0;
    for (size_t own = shift, theirs = 0; own < end || theirs < other->count;) {
        const bool mine = own < end && (theirs == other->count ||
                                        ranges->range[own].first < other->range[theirs].first);
        const td_row_range next = mine ? ranges->range[own++] : other->range[theirs++];
        if (count > 0 && ranges->range[count - 1].end == next.first)
            ranges->range[count - 1].end = next.end;
        else
            ranges->range[count++] = next;
    }
    ranges->count = count;
}

uint64_t td_ranges_rows(const td_ranges *ranges)
{
    uint64_t rows = 0;
    for (size_t i = 0; i < ranges->count; i++)
        rows += ranges->range[i].end - ranges->range[i].first;
    return rows;
}
