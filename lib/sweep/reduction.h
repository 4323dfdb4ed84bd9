/* SPDX-License-Identifier: MIT */
/*
 * What a reduction is made of. Moments go by a tree (forest.h); all else, extremes, rows, counts,
 * does not depend on the order of rows.
 */
#ifndef TD_SWEEP_REDUCTION_H
#define TD_SWEEP_REDUCTION_H

#include "sweep/best.h"
#include "sweep/forest.h"
#include "sweep/ranges.h"
#include "sweep/reduction_api.h"

#define TD_COUNT_STATUS(code, text) +1
enum { TD_STATUSES = 0 TD_STATUS_TABLE(TD_COUNT_STATUS) };
#undef TD_COUNT_STATUS

/* What a keep has. What does not go with its kind is zeroed. */
typedef struct td_kept {
    td_keep keep; /* with conditions of its own */
    uint64_t counted, missing;
    size_t moment;             /* of TD_KEEP_MOMENTS: which one of a node */
    td_best smallest, largest; /* of TD_KEEP_MOMENTS: one row; TD_KEEP_SMALLEST, TD_KEEP_LARGEST */
    size_t cells;              /* bins of a histogram, cells of a grid */
    uint64_t *cell;            /* rows in each */
    uint64_t below, above;     /* outside: above alone */
    double *least, *most;      /* of TD_KEEP_CELLS: NaN in empty ones */
} td_kept;

/* Rows that failed with a status. */
typedef struct td_failed {
    uint64_t count;
    td_best first; /* examples; their numbers are all 0 */
} td_failed;

/* What a call of td_reduction_add works with. */
typedef struct td_leaf_room {
    double value[TD_REDUCTION_LEAF];           /* numbers of a column */
    double finite[TD_REDUCTION_LEAF];          /* those without infinite ones */
    uint16_t met[TD_REDUCTION_LEAF];           /* rows that did not fail */
    uint16_t chosen[TD_REDUCTION_LEAF];        /* of these, rows that meet the conditions */
    uint16_t row[TD_REDUCTION_LEAF];           /* of these, rows of the numbers */
    uint32_t cell[TD_REDUCTION_LEAF];          /* of a grid, of the numbers */
    td_candidate candidate[TD_REDUCTION_LEAF]; /* of the first ones in an order */
} td_leaf_room;

struct td_reduction {
    uint64_t total, digest; /* digest: of all that td_reduction_new was told */
    size_t columns, keeps, examples;
    td_kept *kept;
    td_failed failed[TD_STATUSES];
    td_ranges ranges;
    td_forest forest;
    td_moment *moment; /* of a leaf */
    td_leaf_room *leaf;
};

/* ---- keeps ------------------------------------------------------------------------------------
 */

/* Bins and cells of all keeps, at most: the index of one goes into 32 bits. */
enum { TD_MOST_CELLS = 1 << 30 };

/* Returns whether a reduction of so many columns can keep this. */
bool td_keep_is_valid(const td_keep *keep, size_t columns);
/* Copies a valid keep and its conditions, and allocates what it needs. kept is zeroed before, and
   must be freed whatever the status is. It has no row, but for td_kept_empty_cells. */
td_status td_kept_make(td_kept *kept, const td_keep *keep, uint64_t total);
void td_kept_free(td_kept *kept);
void td_kept_clear(td_kept *kept);
/* Smallest and largest numbers of cells without rows: NaN. */
void td_kept_empty_cells(td_kept *kept);
/* Bins or cells, 0 of other kinds; more than TD_MOST_CELLS where there are too many. */
size_t td_keep_cells(const td_keep *keep);
/* Whether two keep the same. */
bool td_keep_is_same(const td_keep *a, const td_keep *b);
/* A digest goes on by what a keep keeps. */
uint64_t td_keep_digest(uint64_t digest, const td_keep *keep);
uint64_t td_digest_bytes(uint64_t digest, const void *bytes, size_t count);
uint64_t td_digest_number(uint64_t digest, uint64_t number);
#define TD_DIGEST_START 0xcbf29ce484222325u

/* Where bin k of an axis begins, and where the last one ends: from at 0, to at bins. */
double td_axis_edge(const td_axis *axis, size_t k);

/* ---- rows -------------------------------------------------------------------------------------
 */

/* A leaf of rows from first on, of which those in met (count of them; NULL: 0, 1, …) did not fail.
 */
typedef struct td_leaf {
    uint64_t first;
    const double *values;
    size_t columns;
    const uint16_t *met;
    size_t count;
} td_leaf;

/* *moment becomes that of the numbers, of TD_KEEP_MOMENTS. */
void td_kept_add(td_kept *kept, td_leaf_room *room, const td_leaf *leaf, td_moment *moment);
void td_kept_merge(td_kept *kept, const td_kept *other);

#endif
