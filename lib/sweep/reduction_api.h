/* SPDX-License-Identifier: MIT */
/*
 * Reductions summarize very many rows of numbers: moments, extremes, the k largest, histograms, and
 * cells of a grid. Rows have indices from 0 to total − 1. They are added in parts, in any order, by
 * any number of reductions on any number of machines, which are merged at the end. The result is
 * identical to the bit. Moments depend on the order of summation, so they are summed in a fixed
 * tree over the indices. All else is independent of order; if values are equal, the smaller index
 * counts. The result is the same on all processors in the default floating-point environment:
 * rounding to nearest, subnormal numbers kept (docs/abi.md; sample.h).
 *
 *   td_reduction_new     creates a reduction and selects what it keeps
 *   td_reduction_add     adds rows
 *   td_reduction_merge   adds the rows of another reduction
 *   td_reduction_write   writes it as text; td_reduction_read reads it in another process
 *   td_reduction_moments, …  return results
 *
 * Only one thread at a time may use a reduction. Give each thread its own reduction, and merge
 * them.
 */
#ifndef TD_SWEEP_REDUCTION_API_H
#define TD_SWEEP_REDUCTION_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tandem/status.h"

/* Rows that are added together: each call of td_reduction_add begins at a multiple of this number,
   and ends at a multiple or at the end of all rows. */
#define TD_REDUCTION_LEAF 1024

typedef struct td_reduction td_reduction; /* opaque */

/* The kinds of results. If the column, or an axis of cells, is NaN, the row only counts as missing.
   Infinite numbers count, but not in moments. */
typedef enum td_keep_kind {
    TD_KEEP_MOMENTS,   /* count, mean and standard deviation of a column, its smallest and largest
                          number */
    TD_KEEP_LARGEST,   /* the `count` rows with the largest numbers of a column */
    TD_KEEP_SMALLEST,  /* the `count` rows with the smallest numbers */
    TD_KEEP_HISTOGRAM, /* number of rows in each bin of axes[0] */
    TD_KEEP_CELLS,     /* for each cell of a grid over up to three columns: number of rows, and the
                          smallest and largest number of the column in these rows; −0 counts as 0 */
} td_keep_kind;

/* Divides the range `from` … `to` into `bins` cells of equal size. A cell includes its lower end
   but not its upper end; the last cell includes both. The lower end of cell k is the rounded value
   of from + (to − from) / bins · k. */
typedef struct td_axis {
    size_t column; /* the column that is divided */
    double from, to;
    size_t bins;
} td_axis;

/* Requires from ≤ column ≤ to. Both may be infinite. */
typedef struct td_condition {
    size_t column;
    double from, to;
} td_condition;

typedef struct td_keep {
    td_keep_kind kind; /* default TD_KEEP_MOMENTS */
    size_t column;     /* default 0 */
    size_t count; /* number of rows of TD_KEEP_LARGEST and TD_KEEP_SMALLEST: 1 or more; default 1 */
    size_t axis_count; /* TD_KEEP_HISTOGRAM: 1, TD_KEEP_CELLS: 1 to 3, else 0; default 0 */
    td_axis axes[3];   /* for a histogram, the column of axes[0] must equal column */
    size_t condition_count;
    const td_condition *conditions; /* only rows that meet all of them count; the array is copied */
} td_keep;

/* Returns the defaults above. */
static inline td_keep td_keep_default(void)
{
    const td_keep keep = {.kind = TD_KEEP_MOMENTS, .count = 1};
    return keep;
}

/* Creates an empty reduction of total rows with the given number of columns. keeps: count of them,
   later identified by their index. examples: the most failed rows to remember per status.

   TD_ERROR_ARGUMENT, with *reduction NULL: NULL, no rows, no columns, a column or number out of
   range, a condition that no number meets, or more than 2³⁰ cells in total. Also an axis that is
   not ascending, not finite, without bins, or with bins narrower than 8 units in the last place of
   its ends. TD_ERROR_MEMORY likewise. Memory is proportional to bins, cells and kept rows. */
td_status td_reduction_new(uint64_t total, size_t columns, const td_keep *keeps, size_t count,
                           size_t examples, td_reduction **reduction);
void td_reduction_free(td_reduction *reduction); /* NULL is allowed */
/* Removes all rows. */
void td_reduction_clear(td_reduction *reduction);

/* Adds rows first … first + n − 1. values: n × columns, row-major; may be NULL if n is 0. statuses
   (n, may be NULL): a row with a status other than TD_OK only counts as a failure with this status.

   TD_ERROR_ARGUMENT, with nothing added: NULL, rows that do not begin and end at a leaf or at the
   end of all rows, rows that were added before, or an unknown status. TD_ERROR_MEMORY likewise.
   O(n) per keep. */
td_status td_reduction_add(td_reduction *reduction, uint64_t first, size_t n, const double *values,
                           const td_status *statuses);

/* Adds the rows of other, which does not change. TD_ERROR_ARGUMENT, with nothing added: NULL,
   different total, columns, keeps or examples, or rows in common. TD_ERROR_MEMORY likewise. */
td_status td_reduction_merge(td_reduction *reduction, const td_reduction *other);

/* Return the rows that were added, as ranges in ascending order; adjacent ranges are joined. Range
   i consists of rows *first … *end − 1. Both are 0 if there is no such range. */
size_t td_reduction_range_count(const td_reduction *reduction);
void td_reduction_range(const td_reduction *reduction, size_t i, uint64_t *first, uint64_t *end);
uint64_t td_reduction_total(const td_reduction *reduction); /* as given to td_reduction_new */

/* Returns how many rows failed with this status. *rows (may be NULL): the first of their indices,
   ascending. *known (may be NULL): how many indices there are. Arrays of results are valid until
   the reduction changes. */
uint64_t td_reduction_failed(const td_reduction *reduction, td_status status, const uint64_t **rows,
                             size_t *known);

/* Returns how many rows count for a keep, and how many are missing. All other rows failed or do not
   meet its conditions. Both are 0 if there is no such keep. */
void td_reduction_counted(const td_reduction *reduction, size_t keep, uint64_t *counted,
                          uint64_t *missing);

/* The results of TD_KEEP_MOMENTS. */
typedef struct td_moments {
    uint64_t count; /* finite numbers */
    double mean;    /* mean and deviation: NaN without finite numbers */
    double deviation; /* √(Σ (x − mean)² / count); ∞ if squares overflow (differences above 1e154),
                         0 if they underflow (below 1e-162) */
    double smallest, largest;           /* including infinite ones; NaN if no row counts */
    uint64_t smallest_row, largest_row; /* the first row with this number */
} td_moments;
/* Returns the moments of a keep. TD_ERROR_ARGUMENT: NULL, or no such keep. */
td_status td_reduction_moments(const td_reduction *reduction, size_t keep, td_moments *moments);

/* Returns the number of rows of TD_KEEP_LARGEST or TD_KEEP_SMALLEST, 0 if there is no such keep.
   Sets *rows to their indices, the most extreme first, and the smaller index first if numbers are
   equal; and *values to their numbers. Either may be NULL. */
size_t td_reduction_rows(const td_reduction *reduction, size_t keep, const uint64_t **rows,
                         const double **values);

/* Returns the number of rows in each bin of TD_KEEP_HISTOGRAM or each cell of TD_KEEP_CELLS, whose
   last axis varies fastest; NULL if there is no such keep. *below and *above (may be NULL): rows
   beyond the ends of a histogram. For cells, *above is the number of rows outside the grid. */
const uint64_t *td_reduction_counts(const td_reduction *reduction, size_t keep, uint64_t *below,
                                    uint64_t *above);
/* Returns the smallest and largest number of the column in each cell of TD_KEEP_CELLS; NaN in empty
   cells. Either may be NULL. Returns false if there is no such keep. */
bool td_reduction_cells(const td_reduction *reduction, size_t keep, const double **smallest,
                        const double **largest);

/* Returns the number below which a fraction `part` (0 to 1) of a histogram's rows lies. Assumes
   that rows are evenly spread within bins. For part 1 it is the upper end of the last bin with
   rows. −∞ or ∞ if the number lies beyond the ends. NaN without rows, without such a keep, or for a
   part out of range. O(bins). */
double td_reduction_percentile(const td_reduction *reduction, size_t keep, double part);

/* Writes a reduction as ASCII text, with all numbers exact to the bit. *size: the length without a
   NUL, always set. text (capacity bytes) may be NULL to get the length only. TD_ERROR_ARGUMENT:
   NULL, or capacity below *size. The text does not contain the keeps. */
td_status td_reduction_write(const td_reduction *reduction, char *text, size_t capacity,
                             size_t *size);
/* Replaces the contents of a reduction by a text that td_reduction_write wrote. The other reduction
   must have had the same total, columns, keeps and examples.

   TD_ERROR_ARGUMENT: NULL, or a text that is damaged or belongs to a different reduction;
   TD_ERROR_MEMORY. The reduction is empty then. A forged text is refused if its numbers contradict
   each other; contradictions between different keeps, or between different nodes, are not detected.
   Any accepted text gives a usable reduction, and is written back unchanged. */
td_status td_reduction_read(td_reduction *reduction, const char *text, size_t size);
#endif
