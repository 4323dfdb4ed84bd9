/* SPDX-License-Identifier: MIT */
/*
 * The first rows of many in an order: by a number, and by their index where that is equal.
 */
#ifndef TD_BEST_H
#define TD_BEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct td_best {
    bool largest; /* largest number first, else the smallest one */
    size_t limit; /* rows that it keeps, at most */
    size_t count;
    double *value; /* in their order */
    uint64_t *row;
} td_best;

typedef struct td_candidate {
    double value;
    uint64_t row;
} td_candidate;

/* Zeroed before; without any row. False without memory, and it is to be freed all the same. */
bool td_best_make(td_best *best, bool largest, size_t limit);
void td_best_free(td_best *best);
/* Whether one comes before another. */
bool td_best_precedes(const td_best *best, double value, uint64_t row, double other_value,
                      uint64_t other_row);
/* Whether it would take that row. */
bool td_best_takes(const td_best *best, double value, uint64_t row);
/* Rows that it does not have, in any order; they are sorted. */
void td_best_add(td_best *best, td_candidate *candidates, size_t count);
void td_best_merge(td_best *best, const td_best *other);

#endif
