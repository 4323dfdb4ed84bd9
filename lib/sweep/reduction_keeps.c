/* SPDX-License-Identifier: MIT */
/*
 * Keeps: validity, memory and comparison.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/reduction.h"

/* ---- digests: FNV-1a ------------------------------------------------------------------------- */

uint64_t td_digest_bytes(uint64_t digest, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < count; i++)
        digest = (digest ^ byte[i]) * 0x100000001b3u;
    return digest;
}

uint64_t td_digest_number(uint64_t digest, uint64_t number)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(number >> 8 * i);
    return td_digest_bytes(digest, bytes, sizeof bytes);
}

/* Treats −0 as 0, because td_keep_is_same and the rows do not distinguish them. */
static uint64_t digest_double(uint64_t digest, double x)
{
    uint64_t bits;
    x += 0.0;
    memcpy(&bits, &x, sizeof bits);
    return td_digest_number(digest, bits);
}

uint64_t td_keep_digest(uint64_t digest, const td_keep *keep)
{
    digest = td_digest_number(digest, (uint64_t)keep->kind);
    digest = td_digest_number(digest, keep->column);
    digest = td_digest_number(digest, keep->count);
    digest = td_digest_number(digest, keep->axis_count);
    for (size_t i = 0; i < keep->axis_count; i++) {
        digest = td_digest_number(digest, keep->axes[i].column);
        digest = digest_double(digest, keep->axes[i].from);
        digest = digest_double(digest, keep->axes[i].to);
        digest = td_digest_number(digest, keep->axes[i].bins);
    }
    digest = td_digest_number(digest, keep->condition_count);
    for (size_t i = 0; i < keep->condition_count; i++) {
        digest = td_digest_number(digest, keep->conditions[i].column);
        digest = digest_double(digest, keep->conditions[i].from);
        digest = digest_double(digest, keep->conditions[i].to);
    }
    return digest;
}

/* ---- validity -------------------------------------------------------------------------------- */

double td_axis_edge(const td_axis *axis, size_t k)
{
    return k < axis->bins ? axis->from + (axis->to - axis->from) / (double)axis->bins * (double)k
                          : axis->to;
}

/* Returns whether an axis is valid: it ascends, and its bins are wider than rounding, so that no
   two edges are equal. */
static bool is_axis(const td_axis *axis, size_t columns)
{
    if (axis->column >= columns || axis->bins == 0 || axis->bins > TD_MOST_CELLS ||
        !isfinite(axis->from) || !isfinite(axis->to))
        return false;
    const double width = (axis->to - axis->from) / (double)axis->bins;
    return isfinite(width) && width >= DBL_MIN &&
           width >= 8 * DBL_EPSILON * fmax(fabs(axis->from), fabs(axis->to));
}

bool td_keep_is_valid(const td_keep *keep, size_t columns)
{
    const bool rows = keep->kind == TD_KEEP_LARGEST || keep->kind == TD_KEEP_SMALLEST;
    size_t least = 0, most = 0; /* number of axes */
    switch (keep->kind) {
    case TD_KEEP_MOMENTS:
    case TD_KEEP_LARGEST:
    case TD_KEEP_SMALLEST:
        break;
    case TD_KEEP_HISTOGRAM:
        least = most = 1;
        break;
    case TD_KEEP_CELLS:
        least = 1, most = 3;
        break;
    default:
        return false;
    }
    if (keep->column >= columns || keep->axis_count < least || keep->axis_count > most ||
        (rows && keep->count == 0) || (keep->condition_count > 0 && !keep->conditions))
        return false;
    for (size_t i = 0; i < keep->axis_count; i++)
        if (!is_axis(&keep->axes[i], columns))
            return false;
    if (keep->kind == TD_KEEP_HISTOGRAM && keep->axes[0].column != keep->column)
        return false;
    for (size_t i = 0; i < keep->condition_count; i++)
        if (keep->conditions[i].column >= columns ||
            !(keep->conditions[i].from <= keep->conditions[i].to))
            return false;
    return td_keep_cells(keep) <= TD_MOST_CELLS;
}

/* Returns more than TD_MOST_CELLS if there are too many cells. */
size_t td_keep_cells(const td_keep *keep)
{
    if (keep->axis_count == 0)
        return 0;
    uint64_t cells = 1; /* each factor is at most 2³⁰ */
    for (size_t i = 0; i < keep->axis_count && cells <= TD_MOST_CELLS; i++)
        cells *= keep->axes[i].bins;
    return cells <= TD_MOST_CELLS ? (size_t)cells : (size_t)TD_MOST_CELLS + 1;
}

bool td_keep_is_same(const td_keep *a, const td_keep *b)
{
    bool same = a->kind == b->kind && a->column == b->column && a->count == b->count &&
                a->axis_count == b->axis_count && a->condition_count == b->condition_count;
    for (size_t i = 0; same && i < a->axis_count; i++)
        same = a->axes[i].column == b->axes[i].column && a->axes[i].from == b->axes[i].from &&
               a->axes[i].to == b->axes[i].to && a->axes[i].bins == b->axes[i].bins;
    for (size_t i = 0; same && i < a->condition_count; i++)
        same = a->conditions[i].column == b->conditions[i].column &&
               a->conditions[i].from == b->conditions[i].from &&
               a->conditions[i].to == b->conditions[i].to;
    return same;
}

/* ---- memory ---------------------------------------------------------------------------------- */

td_status td_kept_make(td_kept *kept, const td_keep *keep, uint64_t total)
{
    kept->keep = *keep;
    kept->keep.conditions = NULL;
    if (keep->condition_count > 0) {
        const size_t most = SIZE_MAX / sizeof *keep->conditions;
        td_condition *own =
            keep->condition_count <= most ? malloc(keep->condition_count * sizeof *own) : NULL;
        if (!own)
            return TD_ERROR_MEMORY;
        memcpy(own, keep->conditions, keep->condition_count * sizeof *own);
        kept->keep.conditions = own;
    }
    const bool moments = keep->kind == TD_KEEP_MOMENTS;
    const size_t rows = moments ? 1 : (size_t)(keep->count < total ? keep->count : total);
    bool made = true;
    if (moments || keep->kind == TD_KEEP_SMALLEST)
        made = td_best_make(&kept->smallest, false, rows) && made;
    if (moments || keep->kind == TD_KEEP_LARGEST)
        made = td_best_make(&kept->largest, true, rows) && made;
    kept->cells = td_keep_cells(keep);
    if (kept->cells > 0) {
        kept->cell = calloc(kept->cells, sizeof *kept->cell);
        made = kept->cell && made;
    }
    if (keep->kind == TD_KEEP_CELLS) {
        kept->least = malloc(kept->cells * sizeof *kept->least);
        kept->most = malloc(kept->cells * sizeof *kept->most);
        made = kept->least && kept->most && made;
    }
    return made ? TD_OK : TD_ERROR_MEMORY;
}

void td_kept_free(td_kept *kept)
{
    td_best_free(&kept->smallest);
    td_best_free(&kept->largest);
    free((void *)kept->keep.conditions);
    free(kept->cell);
    free(kept->least);
    free(kept->most);
}

void td_kept_clear(td_kept *kept)
{
    kept->counted = kept->missing = kept->below = kept->above = 0;
    kept->smallest.count = kept->largest.count = 0;
    if (kept->cell)
        memset(kept->cell, 0, kept->cells * sizeof *kept->cell);
    td_kept_empty_cells(kept);
}

void td_kept_empty_cells(td_kept *kept)
{
    for (size_t i = 0; kept->least && i < kept->cells; i++)
        kept->least[i] = kept->most[i] = NAN;
}
