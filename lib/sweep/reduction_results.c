/* SPDX-License-Identifier: MIT */
/*
 * Results of reductions, see sweep/reduction_api.h.
 */
#include <math.h>

#include "sweep/reduction.h"

size_t td_reduction_range_count(const td_reduction *r)
{
    return r ? r->ranges.count : 0;
}

void td_reduction_range(const td_reduction *r, size_t i, uint64_t *first, uint64_t *end)
{
    const bool known = i < td_reduction_range_count(r);
    if (first)
        *first = known ? r->ranges.range[i].first : 0;
    if (end)
        *end = known ? r->ranges.range[i].end : 0;
}

uint64_t td_reduction_total(const td_reduction *r)
{
    return r ? r->total : 0;
}

uint64_t td_reduction_failed(const td_reduction *r, td_status status, const uint64_t **rows,
                             size_t *known)
{
    const td_failed *failed =
        r && status != TD_OK && (unsigned)status < TD_STATUSES ? &r->failed[status] : NULL;
    if (rows)
        *rows = failed ? failed->first.row : NULL;
    if (known)
        *known = failed ? failed->first.count : 0;
    return failed ? failed->count : 0;
}

static const td_kept *kept_of(const td_reduction *r, size_t keep)
{
    return r && keep < r->keeps ? &r->kept[keep] : NULL;
}

void td_reduction_counted(const td_reduction *r, size_t keep, uint64_t *counted, uint64_t *missing)
{
    const td_kept *kept = kept_of(r, keep);
    if (counted)
        *counted = kept ? kept->counted : 0;
    if (missing)
        *missing = kept ? kept->missing : 0;
}

td_status td_reduction_moments(const td_reduction *r, size_t keep, td_moments *moments)
{
    const td_kept *kept = kept_of(r, keep);
    if (!kept || kept->keep.kind != TD_KEEP_MOMENTS || !moments)
        return TD_ERROR_ARGUMENT;
    const td_moment all = td_forest_fold(&r->forest, kept->moment);
    td_moments m = {.count = all.count,
                    .mean = all.count > 0 ? all.mean : NAN,
                    .deviation = all.count > 0 ? sqrt(all.squares / (double)all.count) : NAN,
                    .smallest = NAN,
                    .largest = NAN};
    if (kept->smallest.count > 0) {
        m.smallest = kept->smallest.value[0], m.smallest_row = kept->smallest.row[0];
        m.largest = kept->largest.value[0], m.largest_row = kept->largest.row[0];
    }
    *moments = m;
    return TD_OK;
}

size_t td_reduction_rows(const td_reduction *r, size_t keep, const uint64_t **rows,
                         const double **values)
{
    const td_kept *kept = kept_of(r, keep);
    const td_best *best = NULL;
    if (kept && kept->keep.kind == TD_KEEP_LARGEST)
        best = &kept->largest;
    if (kept && kept->keep.kind == TD_KEEP_SMALLEST)
        best = &kept->smallest;
    if (rows)
        *rows = best ? best->row : NULL;
    if (values)
        *values = best ? best->value : NULL;
    return best ? best->count : 0;
}

const uint64_t *td_reduction_counts(const td_reduction *r, size_t keep, uint64_t *below,
                                    uint64_t *above)
{
    const td_kept *kept = kept_of(r, keep);
    if (below)
        *below = kept ? kept->below : 0;
    if (above)
        *above = kept ? kept->above : 0;
    return kept ? kept->cell : NULL;
}

bool td_reduction_cells(const td_reduction *r, size_t keep, const double **smallest,
                        const double **largest)
{
    const td_kept *kept = kept_of(r, keep);
    if (smallest)
        *smallest = kept ? kept->least : NULL;
    if (largest)
        *largest = kept ? kept->most : NULL;
    return kept && kept->least;
}

double td_reduction_percentile(const td_reduction *r, size_t keep, double part)
{
    const td_kept *kept = kept_of(r, keep);
    if (!kept || kept->keep.kind != TD_KEEP_HISTOGRAM || !(part >= 0 && part <= 1) ||
        kept->counted == 0)
        return NAN;
    const td_axis *axis = &kept->keep.axes[0];
    const double rank = part * (double)kept->counted;
    uint64_t before = kept->below; /* rows below the current bin */
    if (before > 0 && rank <= (double)before)
        return -INFINITY;
    for (size_t k = 0; k < kept->cells; k++) {
        const uint64_t count = kept->cell[k];
        if (count > 0 && rank <= (double)(before + count)) {
            const double from = td_axis_edge(axis, k), to = td_axis_edge(axis, k + 1);
            const double within = (rank - (double)before) / (double)count;
            return within < 1 ? from + (to - from) * within : to; /* avoids rounding */
        }
        before += count;
    }
    return INFINITY;
}
