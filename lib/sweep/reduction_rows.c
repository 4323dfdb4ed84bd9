/* SPDX-License-Identifier: MIT */
/*
 * Adds the rows of a leaf to each kind of keep, and merges the results of two reductions.
 */
#include <float.h>
#include <math.h>

#include "sweep/reduction.h"

/* Some rows of a leaf; NULL for rows 0, 1, … */
typedef struct chosen {
    const uint16_t *row;
    size_t count;
} chosen;

static inline size_t row_of(chosen rows, size_t i)
{
    return rows.row ? rows.row[i] : i;
}

/* Selects the rows that meet the conditions, in their order. */
static chosen meeting(const td_keep *keep, chosen rows, const double *values, size_t columns,
                      uint16_t *room)
{
    for (size_t c = 0; c < keep->condition_count; c++) {
        const td_condition *condition = &keep->conditions[c];
        size_t count = 0;
        for (size_t i = 0; i < rows.count; i++) {
            const size_t row = row_of(rows, i);
            const double x = values[row * columns + condition->column];
            room[count] = (uint16_t)row;
            count += condition->from <= x && x <= condition->to;
        }
        rows = (chosen){room, count};
    }
    return rows;
}

/* Copies the numbers of a column to room->value, without NaN. Returns their rows. */
static chosen numbers(const td_keep *keep, chosen rows, const double *values, size_t columns,
                      td_leaf_room *room)
{
    const double *column = values + keep->column;
    bool finite = true;
    if (rows.row) {
        for (size_t i = 0; i < rows.count; i++) {
            const double x = column[rows.row[i] * columns];
            room->value[i] = x;
            finite &= fabs(x) <= DBL_MAX;
        }
    } else {
        for (size_t i = 0; i < rows.count; i++) {
            const double x = column[i * columns];
            room->value[i] = x;
            finite &= fabs(x) <= DBL_MAX;
        }
    }
    if (finite)
        return rows;
    size_t count = 0;
    for (size_t i = 0; i < rows.count; i++) {
        const double x = room->value[i];
        room->row[count] = (uint16_t)row_of(rows, i);
        room->value[count] = x;
        count += isnan(x) ? 0 : 1;
    }
    return (chosen){room->row, count};
}

/* ---- extremes -------------------------------------------------------------------------------- */

/* Adds the extreme number of a leaf to best, which keeps one row. */
static void extreme(td_best *best, const double *x, chosen rows, double value, uint64_t first)
{
    if (best->count > 0 && (best->largest ? value < best->value[0] : value > best->value[0]))
        return;
    size_t i = 0;
    while (x[i] != value)
        i++;
    if (td_best_takes(best, x[i], first + row_of(rows, i)))
        td_best_add(best, &(td_candidate){x[i], first + row_of(rows, i)}, 1);
}

/* Adds the smallest and largest number of a leaf, and returns them in *lowest and *highest. */
static void extremes(td_kept *kept, const double *x, chosen rows, uint64_t first, double *lowest,
                     double *highest)
{
    enum { ABREAST = 8 };
    double least[ABREAST], most[ABREAST];
    if (rows.count == 0)
        return;
    for (size_t k = 0; k < ABREAST; k++)
        least[k] = most[k] = x[0];
    size_t i = 0;
    for (; i + ABREAST <= rows.count; i += ABREAST)
        for (size_t k = 0; k < ABREAST; k++) {
            least[k] = x[i + k] < least[k] ? x[i + k] : least[k];
            most[k] = x[i + k] > most[k] ? x[i + k] : most[k];
        }
    for (; i < rows.count; i++) {
        least[0] = x[i] < least[0] ? x[i] : least[0];
        most[0] = x[i] > most[0] ? x[i] : most[0];
    }
    for (size_t k = 1; k < ABREAST; k++) {
        least[0] = least[k] < least[0] ? least[k] : least[0];
        most[0] = most[k] > most[0] ? most[k] : most[0];
    }
    extreme(&kept->smallest, x, rows, least[0], first);
    extreme(&kept->largest, x, rows, most[0], first);
    *lowest = least[0], *highest = most[0];
}

/* Computes the moment of the finite numbers. Finite least and most mean that all are finite. */
static td_moment moment_of(td_leaf_room *room, size_t count, double least, double most)
{
    if (least >= -DBL_MAX && most <= DBL_MAX)
        return td_moment_of(room->value, count, least, most);
    size_t finite = 0;
    least = DBL_MAX, most = -DBL_MAX;
    for (size_t i = 0; i < count; i++) {
        const double x = room->value[i];
        if (!(fabs(x) <= DBL_MAX))
            continue;
        room->finite[finite++] = x;
        least = x < least ? x : least;
        most = x > most ? x : most;
    }
    return td_moment_of(room->finite, finite, least, most);
}

static void best_rows(td_best *best, td_leaf_room *room, chosen rows, uint64_t first)
{
    size_t count = 0;
    for (size_t i = 0; i < rows.count; i++)
        if (td_best_takes(best, room->value[i], first + row_of(rows, i)))
            room->candidate[count++] = (td_candidate){room->value[i], first + row_of(rows, i)};
    td_best_add(best, room->candidate, count);
}

/* ---- bins ------------------------------------------------------------------------------------ */

/* An axis, prepared for many rows. */
typedef struct scale {
    const td_axis *axis;
    double width, per; /* width of a bin, and its inverse */
} scale;

static scale scale_of(const td_axis *axis)
{
    const double span = axis->to - axis->from;
    return (scale){axis, span / (double)axis->bins, (double)axis->bins / span};
}

/* Returns the bin of a number: −1 below the axis, bins above it. The rounded quotient may be off by
   one, so the result is checked against the edges (td_axis_edge). */
static inline ptrdiff_t bin_of(const scale *s, double x)
{
    const td_axis *axis = s->axis;
    if (x < axis->from)
        return -1;
    if (x >= axis->to)
        return (ptrdiff_t)axis->bins - (x == axis->to);
    ptrdiff_t k = (ptrdiff_t)((x - axis->from) * s->per);
    const ptrdiff_t last = (ptrdiff_t)axis->bins - 1;
    k = k < last ? k : last;
    if (x < axis->from + s->width * (double)k)
        k--;
    else if (k < last && x >= axis->from + s->width * (double)(k + 1))
        k++;
    return k;
}

static void histogram(td_kept *kept, const double *x, size_t count)
{
    const scale s = scale_of(&kept->keep.axes[0]);
    const ptrdiff_t bins = (ptrdiff_t)kept->cells;
    for (size_t i = 0; i < count; i++) {
        const ptrdiff_t k = bin_of(&s, x[i]);
        if (k < 0)
            kept->below++;
        else if (k >= bins)
            kept->above++;
        else
            kept->cell[k]++;
    }
}

/* Extends the range of a cell; NaN marks an empty cell. −0 becomes 0, as the result must not depend
   on the order of rows. */
static inline void widen(double *least, double *most, double x)
{
    x += 0.0;
    if (!(*least <= x))
        *least = x;
    if (!(*most >= x))
        *most = x;
}

/* Results of cell_of for rows without a cell. */
#define OUTSIDE UINT32_MAX
#define MISSING (UINT32_MAX - 1)

static uint32_t cell_of(const td_keep *keep, const scale s[3], const double *row)
{
    bool missing = isnan(row[keep->column]), inside = true;
    size_t cell = 0;
    for (size_t a = 0; a < keep->axis_count; a++) {
        const double at = row[keep->axes[a].column];
        missing |= isnan(at);
        const ptrdiff_t k = isnan(at) ? -1 : bin_of(&s[a], at);
        inside &= k >= 0 && k < (ptrdiff_t)keep->axes[a].bins;
        cell = cell * keep->axes[a].bins + (inside ? (size_t)k : 0);
    }
    return missing ? MISSING : inside ? (uint32_t)cell : OUTSIDE;
}

/* Adds rows to their cells. Computes all cells first, so that the next ones can be prefetched. */
static void cells(td_kept *kept, td_leaf_room *room, chosen rows, const double *values,
                  size_t columns)
{
    enum { AHEAD = 16 };
    const td_keep *keep = &kept->keep;
    scale s[3] = {{0}};
    for (size_t a = 0; a < keep->axis_count; a++)
        s[a] = scale_of(&keep->axes[a]);
    size_t count = 0;
    for (size_t i = 0; i < rows.count; i++) {
        const double *row = values + row_of(rows, i) * columns;
        const uint32_t cell = cell_of(keep, s, row);
        kept->missing += cell == MISSING;
        kept->counted += cell != MISSING;
        kept->above += cell == OUTSIDE;
        room->cell[count] = cell;
        room->value[count] = row[keep->column];
        count += cell < MISSING;
    }
    for (size_t i = 0; i < count; i++) {
        const uint32_t cell = room->cell[i], next = room->cell[i + AHEAD < count ? i + AHEAD : i];
        __builtin_prefetch(&kept->cell[next], 1);
        __builtin_prefetch(&kept->least[next], 1);
        __builtin_prefetch(&kept->most[next], 1);
        kept->cell[cell]++;
        widen(&kept->least[cell], &kept->most[cell], room->value[i]);
    }
}

/* ---- keeps ----------------------------------------------------------------------------------- */

void td_kept_add(td_kept *kept, td_leaf_room *room, const td_leaf *leaf, td_moment *moment)
{
    const td_keep *keep = &kept->keep;
    const double *values = leaf->values;
    const size_t columns = leaf->columns;
    const chosen rows =
        meeting(keep, (chosen){leaf->met, leaf->count}, values, columns, room->chosen);
    if (keep->kind == TD_KEEP_CELLS) {
        cells(kept, room, rows, values, columns);
        return;
    }
    const chosen known = numbers(keep, rows, values, columns, room);
    kept->counted += known.count;
    kept->missing += rows.count - known.count;
    if (keep->kind == TD_KEEP_MOMENTS) {
        double least = 0, most = 0; /* if no row counts */
        extremes(kept, room->value, known, leaf->first, &least, &most);
        *moment = moment_of(room, known.count, least, most);
    } else if (keep->kind == TD_KEEP_HISTOGRAM) {
        histogram(kept, room->value, known.count);
    } else {
        best_rows(keep->kind == TD_KEEP_LARGEST ? &kept->largest : &kept->smallest, room, known,
                  leaf->first);
    }
}

void td_kept_merge(td_kept *kept, const td_kept *other)
{
    kept->counted += other->counted;
    kept->missing += other->missing;
    kept->below += other->below;
    kept->above += other->above;
    td_best_merge(&kept->smallest, &other->smallest);
    td_best_merge(&kept->largest, &other->largest);
    for (size_t i = 0; i < kept->cells; i++) {
        kept->cell[i] += other->cell[i];
        if (kept->least && other->cell[i] > 0) {
            widen(&kept->least[i], &kept->most[i], other->least[i]);
            widen(&kept->least[i], &kept->most[i], other->most[i]);
        }
    }
}
