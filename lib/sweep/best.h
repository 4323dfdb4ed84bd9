/* SPDX-License-Identifier: MIT */
/*
 * The first rows of many, ordered by a number, and by their index if numbers are equal.
 */
#ifndef TD_BEST_H
#define TD_BEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct td_best {
    bool largest; /* largest number first; else smallest first */
    size_t limit; /* the most rows that are kept */
    size_t count;
    double *value; /* in this order */
    uint64_t *row;
} td_best;

typedef struct td_candidate {
    double value;
    uint64_t row;
} td_candidate;

/* Creates an empty list; best is zeroed by the caller. Returns false if memory runs out. Free the
   list in either case. */
bool td_best_make(td_best *best, bool largest, size_t limit);
void td_best_free(td_best *best);
/* Returns whether one row comes before another. */
bool td_best_precedes(const td_best *best, double value, uint64_t row, double other_value,
                      uint64_t other_row);
/* Returns whether adding this row would change the list. */
bool td_best_takes(const td_best *best, double value, uint64_t row);
/* Adds rows that are not in the list yet, in any order. Sorts candidates. */
void td_best_add(td_best *best, td_candidate *candidates, size_t count);
void td_best_merge(td_best *best, const td_best *other);

#endif
