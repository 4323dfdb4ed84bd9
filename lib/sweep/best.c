/* SPDX-License-Identifier: MIT */
/*
 * The first rows of many, ordered by a number, and by their index if numbers are equal.
 */
#include "sweep/best.h"

#include <stdlib.h>

bool td_best_make(td_best *best, bool largest, size_t limit)
{
    *best = (td_best){.largest = largest, .limit = limit};
    best->value = calloc(limit > 0 ? limit : 1, sizeof *best->value);
    best->row = calloc(limit > 0 ? limit : 1, sizeof *best->row);
    return best->value && best->row;
}

void td_best_free(td_best *best)
{
    free(best->value);
    free(best->row);
    *best = (td_best){0};
}

bool td_best_precedes(const td_best *best, double value, uint64_t row, double other_value,
                      uint64_t other_row)
{
    if (value != other_value)
        return best->largest ? value > other_value : value < other_value;
    return row < other_row;
}

bool td_best_takes(const td_best *best, double value, uint64_t row)
{
    if (best->count < best->limit)
        return true;
    const size_t last = best->count - 1;
    return best->count > 0 &&
           td_best_precedes(best, value, row, best->value[last], best->row[last]);
}

static int by_row(const td_candidate *a, const td_candidate *b)
{
    return (a->row > b->row) - (a->row < b->row);
}

static int ascending(const void *x, const void *y)
{
    const td_candidate *a = x, *b = y;
    return a->value != b->value ? (a->value > b->value) - (a->value < b->value) : by_row(a, b);
}

static int descending(const void *x, const void *y)
{
    const td_candidate *a = x, *b = y;
    return a->value != b->value ? (a->value < b->value) - (a->value > b->value) : by_row(a, b);
}

/* The second list of a merge. The merge first counts how many of the first `all` rows of both lists
   are in the list itself; the rest comes from this source, in its order. It then merges both in
   place, starting at the last row. */
typedef struct source {
    const td_candidate *candidate; /* or */
    const td_best *best;
    size_t count;
} source;

static td_candidate at(const source *s, size_t i)
{
    return s->candidate ? s->candidate[i] : (td_candidate){s->best->value[i], s->best->row[i]};
}

static void merge(td_best *best, const source *other)
{
    const size_t room = best->limit - best->count;
    const size_t all = other->count < room ? best->count + other->count : best->limit;
    size_t own = 0, theirs = 0;
    if (all == best->count + other->count) {
        own = best->count, theirs = other->count;
    } else {
        while (own + theirs < all) {
            const td_candidate c = theirs < other->count ? at(other, theirs) : (td_candidate){0};
            if (theirs < other->count &&
                (own == best->count ||
                 td_best_precedes(best, c.value, c.row, best->value[own], best->row[own])))
                theirs++;
            else
                own++;
        }
    }
    for (size_t i = all; theirs > 0; i--) {
        const td_candidate c = at(other, theirs - 1);
        if (own > 0 &&
            td_best_precedes(best, c.value, c.row, best->value[own - 1], best->row[own - 1])) {
            own--;
            best->value[i - 1] = best->value[own];
            best->row[i - 1] = best->row[own];
        } else {
            theirs--;
            best->value[i - 1] = c.value;
            best->row[i - 1] = c.row;
        }
    }
    best->count = all;
}

void td_best_add(td_best *best, td_candidate *candidates, size_t count)
{
    if (count == 0)
        return;
    qsort(candidates, count, sizeof *candidates, best->largest ? descending : ascending);
    merge(best, &(source){.candidate = candidates, .count = count});
}

void td_best_merge(td_best *best, const td_best *other)
{
    merge(best, &(source){.best = other, .count = other->count});
}
