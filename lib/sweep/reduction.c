/* SPDX-License-Identifier: MIT */
/*
 * Reductions of very many rows, see sweep/reduction_api.h: creation, adding rows, and merging.
 */
#include "sweep/reduction.h"

#include <stdlib.h>
#include <string.h>

/* Returns whether all keeps are valid. Checks all before allocating memory for the first one. */
static bool are_keeps(const td_keep *keeps, size_t count, size_t columns)
{
    size_t cells = 0;
    for (size_t i = 0; i < count; i++) {
        if (!td_keep_is_valid(&keeps[i], columns))
            return false;
        cells += td_keep_cells(&keeps[i]);
        if (cells > TD_MOST_CELLS)
            return false;
    }
    return true;
}

static td_status make_keeps(td_reduction *r, const td_keep *keeps, size_t count)
{
    size_t moments = 0;
    r->kept = calloc(count > 0 ? count : 1, sizeof *r->kept);
    if (!r->kept)
        return TD_ERROR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        r->keeps = i + 1;
        const td_status status = td_kept_make(&r->kept[i], &keeps[i], r->total);
        if (status != TD_OK)
            return status;
        if (r->kept[i].keep.kind == TD_KEEP_MOMENTS)
            r->kept[i].moment = moments++;
        r->digest = td_keep_digest(r->digest, &r->kept[i].keep);
    }
    const size_t examples = (size_t)(r->examples < r->total ? r->examples : r->total);
    for (size_t i = 0; i < TD_STATUSES; i++)
        if (!td_best_make(&r->failed[i].first, false, i == TD_OK ? 0 : examples))
            return TD_ERROR_MEMORY;
    r->moment = calloc(moments > 0 ? moments : 1, sizeof *r->moment);
    r->leaf = malloc(sizeof *r->leaf);
    if (!td_forest_make(&r->forest, moments) || !r->moment || !r->leaf)
        return TD_ERROR_MEMORY;
    /* last, because the system provides memory only when it is written */
    for (size_t i = 0; i < count; i++)
        td_kept_empty_cells(&r->kept[i]);
    return TD_OK;
}

td_status td_reduction_new(uint64_t total, size_t columns, const td_keep *keeps, size_t count,
                           size_t examples, td_reduction **reduction)
{
    if (!reduction)
        return TD_ERROR_ARGUMENT;
    *reduction = NULL;
    if (total == 0 || columns == 0 || columns > SIZE_MAX / TD_REDUCTION_LEAF / sizeof(double) ||
        (!keeps && count > 0) || !are_keeps(keeps, count, columns))
        return TD_ERROR_ARGUMENT;
    td_reduction *r = calloc(1, sizeof *r);
    if (!r)
        return TD_ERROR_MEMORY;
    r->total = total, r->columns = columns, r->examples = examples;
    r->digest = TD_DIGEST_START;
    const uint64_t numbers[] = {total, columns, count, examples};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        r->digest = td_digest_number(r->digest, numbers[i]);
    const td_status status = make_keeps(r, keeps, count);
    if (status == TD_OK)
        *reduction = r;
    else
        td_reduction_free(r);
    return status;
}

void td_reduction_free(td_reduction *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->keeps; i++)
        td_kept_free(&r->kept[i]);
    for (size_t i = 0; i < TD_STATUSES; i++)
        td_best_free(&r->failed[i].first);
    td_ranges_free(&r->ranges);
    td_forest_free(&r->forest);
    free(r->kept);
    free(r->moment);
    free(r->leaf);
    free(r);
}

void td_reduction_clear(td_reduction *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->keeps; i++)
        td_kept_clear(&r->kept[i]);
    for (size_t i = 0; i < TD_STATUSES; i++)
        r->failed[i].count = r->failed[i].first.count = 0;
    r->ranges.count = 0;
    r->forest.count = 0;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool are_statuses(const td_status *statuses, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((unsigned)statuses[i] >= TD_STATUSES)
            return false;
    return true;
}

/* Counts the rows that failed. Returns the list of all others, or NULL if none failed, and their
   number. */
static const uint16_t *met(td_reduction *r, uint64_t first, size_t n, const td_status *statuses,
                           size_t *count)
{
    size_t failed = 0;
    for (size_t i = 0; statuses && i < n; i++)
        failed += statuses[i] != TD_OK;
    *count = n - failed;
    if (failed == 0)
        return NULL;
    uint16_t *list = r->leaf->met;
    for (size_t i = 0; i < n; i++) {
        if (statuses[i] == TD_OK) {
            *list++ = (uint16_t)i;
            continue;
        }
        td_failed *kind = &r->failed[statuses[i]];
        kind->count++;
        if (td_best_takes(&kind->first, 0, first + i))
            td_best_add(&kind->first, &(td_candidate){0, first + i}, 1);
    }
    return r->leaf->met;
}

static void add_leaf(td_reduction *r, uint64_t first, size_t n, const double *values,
                     const td_status *statuses)
{
    td_leaf leaf = {.first = first, .values = values, .columns = r->columns};
    leaf.met = met(r, first, n, statuses, &leaf.count);
    for (size_t i = 0; i < r->keeps; i++)
        td_kept_add(&r->kept[i], r->leaf, &leaf, &r->moment[r->kept[i].moment]);
    td_forest_insert(&r->forest, (td_node){first / TD_REDUCTION_LEAF, 0}, r->moment);
}

td_status td_reduction_add(td_reduction *r, uint64_t first, size_t n, const double *values,
                           const td_status *statuses)
{
    if (!r || (!values && n > 0) || first > r->total || n > r->total - first)
        return TD_ERROR_ARGUMENT;
    const uint64_t end = first + n;
    if (n == 0 && first == r->total) /* an empty last part may begin in the middle of a leaf */
        return TD_OK;
    if (first % TD_REDUCTION_LEAF != 0 || (end % TD_REDUCTION_LEAF != 0 && end != r->total) ||
        (statuses && !are_statuses(statuses, n)))
        return TD_ERROR_ARGUMENT;
    if (n == 0)
        return TD_OK;
    if (td_ranges_meet(&r->ranges, first, end))
        return TD_ERROR_ARGUMENT;
    /* consecutive rows are at most two nodes of each level */
    if (!td_ranges_reserve(&r->ranges, 1) || !td_forest_reserve(&r->forest, 2 * TD_FOREST_LEVELS))
        return TD_ERROR_MEMORY;
    td_ranges_insert(&r->ranges, first, end);
    for (size_t i = 0; i < n; i += TD_REDUCTION_LEAF)
        add_leaf(r, first + i, n - i < TD_REDUCTION_LEAF ? n - i : TD_REDUCTION_LEAF,
                 values + i * r->columns, statuses ? statuses + i : NULL);
    return TD_OK;
}

static bool is_alike(const td_reduction *a, const td_reduction *b)
{
    bool same = a->total == b->total && a->columns == b->columns && a->keeps == b->keeps &&
                a->examples == b->examples;
    for (size_t i = 0; same && i < a->keeps; i++)
        same = td_keep_is_same(&a->kept[i].keep, &b->kept[i].keep);
    return same;
}

td_status td_reduction_merge(td_reduction *r, const td_reduction *other)
{
    if (!r || !other || !is_alike(r, other))
        return TD_ERROR_ARGUMENT;
    const td_ranges *ranges = &other->ranges;
    for (size_t i = 0; i < ranges->count; i++)
        if (td_ranges_meet(&r->ranges, ranges->range[i].first, ranges->range[i].end))
            return TD_ERROR_ARGUMENT;
    if (!td_ranges_reserve(&r->ranges, ranges->count) ||
        !td_forest_reserve(&r->forest, other->forest.count))
        return TD_ERROR_MEMORY;
    if (ranges->count == 0) /* allows other == r */
        return TD_OK;
    td_ranges_merge(&r->ranges, ranges);
    td_forest_merge(&r->forest, &other->forest);
    for (size_t i = 0; i < TD_STATUSES; i++) {
        r->failed[i].count += other->failed[i].count;
        td_best_merge(&r->failed[i].first, &other->failed[i].first);
    }
    for (size_t i = 0; i < r->keeps; i++)
        td_kept_merge(&r->kept[i], &other->kept[i]);
    return TD_OK;
}
