/* SPDX-License-Identifier: MIT */
/*
 * The parts of a reduction. Moments are summed in a tree (forest.h). Extremes, rows and counts do
 * not depend on the order of rows.
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

/* The results of a keep. Members that its kind does not use are zero. */
typedef struct td_kept {
    td_keep keep; /* with its own copy of the conditions */
    uint64_t counted, missing;
    size_t moment;             /* of TD_KEEP_MOMENTS: index of its moment in a node */
    td_best smallest, largest; /* of TD_KEEP_MOMENTS: one row; of TD_KEEP_SMALLEST and _LARGEST */
    size_t cells;              /* bins of a histogram, cells of a grid */
    uint64_t *cell;            /* number of rows in each */
    uint64_t below, above;     /* outside of the bins or cells; of cells: above only */
    double *least, *most;      /* of TD_KEEP_CELLS: NaN in empty cells */
} td_kept;

/* Rows that failed with a status. */
typedef struct td_failed {
    uint64_t count;
    td_best first; /* the first failed rows; their numbers are 0 */
} td_failed;

/* Scratch memory of td_reduction_add. */
typedef struct td_leaf_room {
    double value[TD_REDUCTION_LEAF];           /* values of a column */
    double finite[TD_REDUCTION_LEAF];          /* the finite ones */
    uint16_t met[TD_REDUCTION_LEAF];           /* rows that did not fail */
    uint16_t chosen[TD_REDUCTION_LEAF];        /* of these, rows that meet a keep's conditions */
    uint16_t row[TD_REDUCTION_LEAF];           /* of these, rows that are not NaN */
    uint32_t cell[TD_REDUCTION_LEAF];          /* of a grid: cells of these rows */
    td_candidate candidate[TD_REDUCTION_LEAF]; /* rows that may enter a list of first rows */
} td_leaf_room;

struct td_reduction {
    uint64_t total, digest; /* digest: of all arguments of td_reduction_new */
    size_t columns, keeps, examples;
    td_kept *kept;
    td_failed failed[TD_STATUSES];
    td_ranges ranges;
    td_forest forest;
    td_moment *moment; /* of one leaf */
    td_leaf_room *leaf;
};

/* ---- keeps ----------------------------------------------------------------------------------- */

/* The most bins and cells of all keeps: their index must fit into 32 bits. */
enum { TD_MOST_CELLS = 1 << 30 };

/* Returns whether this is a valid keep for rows with this number of columns. */
bool td_keep_is_valid(const td_keep *keep, size_t columns);
/* Copies a valid keep and its conditions, and allocates memory for its results. kept is zeroed by
   the caller, and must be freed whatever the status. The results are empty; call
   td_kept_empty_cells as well. */
td_status td_kept_make(td_kept *kept, const td_keep *keep, uint64_t total);
void td_kept_free(td_kept *kept);
void td_kept_clear(td_kept *kept);
/* Sets the smallest and largest numbers of all cells to NaN. */
void td_kept_empty_cells(td_kept *kept);
/* Returns the number of bins or cells, 0 for other kinds, and more than TD_MOST_CELLS if there are
   too many. */
size_t td_keep_cells(const td_keep *keep);
/* Returns whether two keeps are equal. */
bool td_keep_is_same(const td_keep *a, const td_keep *b);
/* Continues a digest with the members of a keep. */
uint64_t td_keep_digest(uint64_t digest, const td_keep *keep);
uint64_t td_digest_bytes(uint64_t digest, const void *bytes, size_t count);
uint64_t td_digest_number(uint64_t digest, uint64_t number);
#define TD_DIGEST_START 0xcbf29ce484222325u

/* Returns the lower edge of bin k: from for k = 0. For k = bins, the upper edge of the last bin:
   to. */
double td_axis_edge(const td_axis *axis, size_t k);

/* ---- rows ------------------------------------------------------------------------------------ */

/* A leaf of rows from first on. met: the rows that did not fail (count; NULL for rows 0, 1, …). */
typedef struct td_leaf {
    uint64_t first;
    const double *values;
    size_t columns;
    const uint16_t *met;
    size_t count;
} td_leaf;

/* Adds a leaf of rows. Sets *moment to the moment of their numbers if the kind is TD_KEEP_MOMENTS.
 */
void td_kept_add(td_kept *kept, td_leaf_room *room, const td_leaf *leaf, td_moment *moment);
void td_kept_merge(td_kept *kept, const td_kept *other);

#endif
