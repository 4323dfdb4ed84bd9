/* SPDX-License-Identifier: MIT */
/*
 * Reductions of very many rows of numbers to what is kept of them: moments, extremes, the k
 * largest, histograms, cells of a grid. Rows have an index from 0 to total − 1 and come in any
 * order, in parts, by any number of reductions, on any number of machines, which are merged: the
 * result is the same, to the bit. What depends on order (moments) is summed up in a fixed tree over
 * the indices; the rest does not depend on it, or goes by the smaller index where values are equal.
 * So it is on all processors, in the default floating-point environment: rounding to nearest, and
 * subnormal numbers as they are (docs/abi.md; sample.h).
 *
 *   td_reduction_new     what is kept
 *   td_reduction_add     rows
 *   td_reduction_merge   with what another one has of other rows
 *   td_reduction_write   as text, which td_reduction_read reads in another process
 *   td_reduction_moments, …  results
 *
 * A reduction is used by one thread at a time: each thread has its own, and they are merged.
 */
#ifndef TD_SWEEP_REDUCTION_API_H
#define TD_SWEEP_REDUCTION_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tandem/status.h"

/* Rows that belong together: each call of td_reduction_add begins at a multiple of that, and ends
   at one or at the end of all rows. */
#define TD_REDUCTION_LEAF 1024

typedef struct td_reduction td_reduction; /* opaque */

/* What is kept. Rows in which the column is not a number (NaN), or one of the axes of cells is not,
   are counted as missing, and in nothing else; infinite numbers count, but have no moments. */
typedef enum td_keep_kind {
    TD_KEEP_MOMENTS,   /* count, mean, deviation of a column, its smallest and largest number */
    TD_KEEP_LARGEST,   /* the count rows with the largest numbers of a column */
    TD_KEEP_SMALLEST,  /* with the smallest */
    TD_KEEP_HISTOGRAM, /* how many rows are in each of the bins of axes[0] */
    TD_KEEP_CELLS,     /* of each cell of a grid over up to three columns: how many rows are in it,
                          and the smallest and largest number of the column among them, −0 as 0 */
} td_keep_kind;

/* bins cells of equal size from `from` up to `to`: each has its lower end in it and the upper one
   not, but for the last one, which has both. Cell k begins at from + (to − from) / bins · k, as it
   is rounded. */
typedef struct td_axis {
    size_t column; /* whose numbers they are */
    double from, to;
    size_t bins;
} td_axis;

/* A column lies within from … to, both included; they may be infinite. */
typedef struct td_condition {
    size_t column;
    double from, to;
} td_condition;

typedef struct td_keep {
    td_keep_kind kind; /* TD_KEEP_MOMENTS */
    size_t column;     /* 0 */
    size_t count;      /* of rows, TD_KEEP_LARGEST and TD_KEEP_SMALLEST: 1 or more; 1 */
    size_t axis_count; /* TD_KEEP_HISTOGRAM: 1, TD_KEEP_CELLS: 1 to 3, else 0 */
    td_axis axes[3];   /* of a histogram, the column of axes[0] is to be column, too */
    size_t condition_count;
    const td_condition *conditions; /* only rows that meet all of them count; copied */
} td_keep;

/* The defaults above. */
static inline td_keep td_keep_default(void)
{
    const td_keep keep = {.kind = TD_KEEP_MOMENTS, .count = 1};
    return keep;
}

/* A reduction of total rows of that many columns, without any row yet. keeps: count of them; they
   are numbered as they stand. examples: how many failed rows of each status it remembers.
   TD_ERROR_ARGUMENT: NULL, no rows, no columns, a column or number out of range, an axis that does
   not go up or is not finite, without bins, or with bins so narrow that rounded numbers hardly tell
   them apart (8 units in the last place of its ends), a condition that no number meets, or more
   than 2³⁰ cells in all; TD_ERROR_MEMORY. *reduction is NULL then. Memory: proportional to bins,
   cells and rows that are kept. */
td_status td_reduction_new(uint64_t total, size_t columns, const td_keep *keeps, size_t count,
                           size_t examples, td_reduction **reduction);
void td_reduction_free(td_reduction *reduction); /* NULL is fine */
/* As it was made: without any row. */
void td_reduction_clear(td_reduction *reduction);

/* Adds rows first … first + n − 1: values (n × columns, row-major; may be NULL where n is 0).
   statuses (n, may be NULL): rows with another one than TD_OK are counted by it, and in nothing
   else. TD_ERROR_ARGUMENT: NULL, rows that do not begin and end at a leaf or at the end of all
   rows, rows that it has already, a status that there is not; TD_ERROR_MEMORY. Nothing is added
   then. O(n · what is kept). */
td_status td_reduction_add(td_reduction *reduction, uint64_t first, size_t n, const double *values,
                           const td_status *statuses);

/* Adds what other has, which stays as it is. TD_ERROR_ARGUMENT: NULL, made for other rows, columns,
   keeps or examples, or with rows that this one has already; TD_ERROR_MEMORY. Nothing is added
   then. */
td_status td_reduction_merge(td_reduction *reduction, const td_reduction *other);

/* Which rows it has: ranges in ascending order, as many as td_reduction_range_count says, none next
   to another. Range i is rows *first … *end − 1. Both are 0 where there is no such range. */
size_t td_reduction_range_count(const td_reduction *reduction);
void td_reduction_range(const td_reduction *reduction, size_t i, uint64_t *first, uint64_t *end);
uint64_t td_reduction_total(const td_reduction *reduction); /* of td_reduction_new */

/* Rows that failed with that status, and the first ones of them: *rows (may be NULL) becomes their
   indices in ascending order, as many as the function returns in *known (may be NULL); valid, as
   all arrays of results, until the reduction changes. */
uint64_t td_reduction_failed(const td_reduction *reduction, td_status status, const uint64_t **rows,
                             size_t *known);

/* Rows that counted for a keep, and those that it counted as missing. Others failed, or did not
   meet its conditions. Both 0 where there is no such keep. */
void td_reduction_counted(const td_reduction *reduction, size_t keep, uint64_t *counted,
                          uint64_t *missing);

/* Of TD_KEEP_MOMENTS. */
typedef struct td_moments {
    uint64_t count;   /* finite numbers */
    double mean;      /* NaN without any, as the next one; within these numbers */
    double deviation; /* √(Σ (x − mean)² / count); ∞ where squares overflow, of differences
                         beyond some 1e154, and 0 where they underflow, below 1e-162 */
    double smallest, largest;           /* infinite ones count here; NaN where no row counted */
    uint64_t smallest_row, largest_row; /* the first row that has it */
} td_moments;
/* TD_ERROR_ARGUMENT: NULL, or no such keep. */
td_status td_reduction_moments(const td_reduction *reduction, size_t keep, td_moments *moments);

/* Of TD_KEEP_LARGEST and TD_KEEP_SMALLEST: the rows, the most extreme first, and of equal ones the
   one with the smaller index. Returns how many. *values becomes their numbers; either may be NULL.
   0 where there is no such keep. */
size_t td_reduction_rows(const td_reduction *reduction, size_t keep, const uint64_t **rows,
                         const double **values);

/* Of TD_KEEP_HISTOGRAM: rows in each bin; *below and *above (may be NULL) those beyond its ends.
   Of TD_KEEP_CELLS: rows in each cell, the last axis running fastest, and *outside (above) those
   outside the grid. NULL where there is no such keep. */
const uint64_t *td_reduction_counts(const td_reduction *reduction, size_t keep, uint64_t *below,
                                    uint64_t *above);
/* Of TD_KEEP_CELLS: the smallest and largest number of the column in each cell; NaN in empty ones.
   Either may be NULL. False where there is no such keep. */
bool td_reduction_cells(const td_reduction *reduction, size_t keep, const double **smallest,
                        const double **largest);

/* The number below which a part (0 to 1) of the rows of a histogram lies, as its bins tell: evenly
   spread within each; that of part 1 is the upper end of the last bin with rows. −∞ or ∞ where that
   is beyond its ends, NaN without rows or such a keep, or for another part. O(bins). */
double td_reduction_percentile(const td_reduction *reduction, size_t keep, double part);

/* As text, ASCII, all numbers to the bit; *size becomes its length without a NUL. text (capacity
   bytes) may be NULL, which asks for the length alone. TD_ERROR_ARGUMENT: NULL, or less capacity
   than *size, which is set. What is kept is not in it. */
td_status td_reduction_write(const td_reduction *reduction, char *text, size_t capacity,
                             size_t *size);
/* Replaces what a reduction has by what a text says, which was written of one with the same rows,
   columns, keeps and examples. TD_ERROR_ARGUMENT: NULL, or a text that is damaged or of another
   kind of reduction; TD_ERROR_MEMORY. The reduction is without any row then. A text that somebody
   made up is refused where its numbers contradict each other, but for what keeps and parts of
   rows say of each other; what is taken can be used like any other, and has that text. */
td_status td_reduction_read(td_reduction *reduction, const char *text, size_t size);
#endif
