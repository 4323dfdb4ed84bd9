/* SPDX-License-Identifier: MIT */
/*
 * What recordings have wrong: times that go back, rows and values that are missing, outliers. All
 * of it is told with its lines; what cannot be mended without a guess is refused unless --repair
 * asks.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "recording/recording.h"
#include "tandem/trajectory.h"
#include "text.h"

enum { TOLD = 5, GAP_STEPS = 10 };

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts x. */
static double median(double *x, size_t n)
{
    qsort(x, n, sizeof *x, compare);
    return n % 2 == 1 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/* "12" or "12-15", lines of the file; a new string. */
static char *lines_text(const recording *r, size_t first, size_t last)
{
    return first == last ? text_format("%zu", r->line[first])
                         : text_format("%zu-%zu", r->line[first], r->line[last]);
}

static void keep_row(recording *r, size_t to, size_t from)
{
    r->t[to] = r->t[from];
    r->line[to] = r->line[from];
    for (size_t k = 0; k < r->all; k++) {
        r->channel[k].x[to] = r->channel[k].x[from];
    }
}

/* ---- times ----------------------------------------------------------------------------------- */

static bool mend_times(recording *r, bool repair)
{
    size_t kept = 0, bad = 0;
    for (size_t i = 0; i < r->rows; i++) {
        const bool good = isfinite(r->t[i]) && (kept == 0 || r->t[i] > r->t[kept - 1]);
        if (good) {
            keep_row(r, kept++, i);
        } else if (bad++ < TOLD && kept == 0) {
            complain("%s:%zu: there is no time", r->name, r->line[i]);
        } else if (bad <= TOLD) {
            complain("%s:%zu: time %s is not after %s of line %zu", r->name, r->line[i],
                     number_clear(r->t[i]).text, number_clear(r->t[kept - 1]).text,
                     r->line[kept - 1]);
        }
    }
    r->rows = kept;
    if (bad > 0) {
        complain("%s: %s whose time does not go on%s", r->name, counted(bad, "row").text,
                 repair ? ": left out" : " (--repair leaves them out)");
    }
    if (kept < 4) {
        complain("%s: %s with a time, and a recording needs four", r->name,
                 counted(kept, "row").text);
        return false;
    }
    return bad == 0 || repair;
}

static double median_step(const recording *r)
{
    double *step = allocate(r->rows, sizeof *step);
    for (size_t i = 0; i + 1 < r->rows; i++) {
        step[i] = r->t[i + 1] - r->t[i];
    }
    const double middle = median(step, r->rows - 1);
    free(step);
    return middle;
}

/* Rows that are missing. */
static bool check_steps(const recording *r, double step, double gap, bool repair)
{
    size_t count = 0;
    bool good = true;
    for (size_t i = 0; i + 1 < r->rows; i++) {
        const double here = r->t[i + 1] - r->t[i];
        if (here < 1.5 * step) {
            continue;
        }
        const bool wide = here > gap && !repair;
        good = good && !wide;
        if (count++ < TOLD || wide) {
            complain("%s:%zu: no row for %s s, where steps are %s s%s", r->name, r->line[i + 1],
                     number_brief(here).text, number_brief(step).text,
                     wide ? " (--gap SECONDS or --repair go over it)" : "");
        }
        if (wide) {
            break;
        }
    }
    if (count > TOLD) {
        complain("%s: %zu more steps are longer", r->name, count - TOLD);
    }
    return good;
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool is_complete(const recording *r, size_t row)
{
    for (size_t k = 0; k < r->all; k++) {
        if (isnan(r->channel[k].x[row])) {
            return false;
        }
    }
    return true;
}

static bool has_values(const recording *r)
{
    for (size_t k = 0; k < r->all; k++) {
        size_t values = 0;
        for (size_t i = 0; i < r->rows; i++) {
            values += isnan(r->channel[k].x[i]) ? 0 : 1;
        }
        if (values < 4) {
            complain("%s: column '%s' has %s, and a recording needs four", r->name,
                     r->channel[k].name, counted(values, "value").text);
            return false;
        }
    }
    return true;
}

/* Rows at the ends that have not all values. */
static bool trim(recording *r)
{
    size_t first = 0, last = r->rows;
    if (!has_values(r)) {
        return false;
    }
    while (first < last && !is_complete(r, first)) {
        first++;
    }
    while (last > first && !is_complete(r, last - 1)) {
        last--;
    }
    if (first > 0) {
        char *lines = lines_text(r, 0, first - 1);
        complain("%s:%s: left out: not all columns have values yet", r->name, lines);
        free(lines);
    }
    if (last < r->rows) {
        char *lines = lines_text(r, last, r->rows - 1);
        complain("%s:%s: left out: not all columns have values any more", r->name, lines);
        free(lines);
    }
    r->rows = last > first ? last - first : 0;
    for (size_t i = 0; i < r->rows && first > 0; i++) {
        keep_row(r, i, first + i);
    }
    if (r->rows < 4) {
        complain("%s: no four rows have values of all columns", r->name);
    }
    return r->rows >= 4;
}

/* The values of a channel that are there. */
typedef struct samples {
    size_t n, *row;
    double *t, *x;
} samples;

static samples samples_of(const recording *r, const channel *c)
{
    samples s = {0, allocate(r->rows, sizeof(size_t)), allocate(r->rows, sizeof(double)),
                 allocate(r->rows, sizeof(double))};
    for (size_t i = 0; i < r->rows; i++) {
        if (!isnan(c->x[i])) {
            s.row[s.n] = i;
            s.t[s.n] = r->t[i];
            s.x[s.n++] = c->x[i];
        }
    }
    return s;
}

static void samples_free(samples *s)
{
    free(s->row);
    free(s->t);
    free(s->x);
}

/* What the cubic through two neighbours on each side has in place of value i. */
static double expected(const samples *s, size_t i)
{
    const size_t at[4] = {i - 2, i - 1, i + 1, i + 2};
    double sum = 0;
    for (size_t a = 0; a < 4; a++) {
        double weight = 1;
        for (size_t b = 0; b < 4; b++) {
            weight *= a == b ? 1 : (s->t[i] - s->t[at[b]]) / (s->t[at[a]] - s->t[at[b]]);
        }
        sum += weight * s->x[at[a]];
    }
    return sum;
}

/* The value of the line, parabola or cubic through so many points on one side (step −1: before, 1:
   after) at point i. */
static double continued(const samples *s, size_t i, ptrdiff_t step, size_t count)
{
    double sum = 0;
    for (size_t a = 1; a <= count; a++) {
        const size_t at = i + (size_t)(step * (ptrdiff_t)a);
        double weight = 1;
        for (size_t b = 1; b <= count; b++) {
            const size_t other = i + (size_t)(step * (ptrdiff_t)b);
            weight *= a == b ? 1 : (s->t[i] - s->t[other]) / (s->t[at] - s->t[other]);
        }
        sum += weight * s->x[at];
    }
    return sum;
}

/* Whether point i, by so much off its neighbours, goes on from those on one side alone: it is at a
   corner, where a motion's acceleration or jerk jumps, or a column itself does. */
static bool is_corner(const samples *s, size_t i, double off)
{
    enum { LEAST = 2, MOST = 4 };
    static const double part = 0.2;
    for (size_t count = LEAST; count <= MOST; count++) {
        if ((i >= count && fabs(s->x[i] - continued(s, i, -1, count)) < part * off) ||
            (i + count < s->n && fabs(s->x[i] - continued(s, i, 1, count)) < part * off)) {
            return true;
        }
    }
    return false;
}

/* Whether the neighbours of point i agree once it has the value that they suggest: else more than
   one value is off, and the motion has a corner or few rows there. */
static bool is_alone(const samples *s, size_t i)
{
    static const double part = 0.3;
    const double before = s->x[i], off = before - expected(s, i);
    double left = 0;
    s->x[i] -= off;
    for (size_t k = i > 4 ? i - 2 : 2; k <= i + 2 && k + 2 < s->n; k++) {
        const double by = k == i ? 0 : s->x[k] - expected(s, k);
        left += by * by;
    }
    s->x[i] = before;
    return left < part * off * off;
}

/* Outliers: values further from that cubic than ten times what is usual nearby, and than a
   thousandth of the column's range; of a spike and what it does to its neighbours, the spike. */
static void find_outliers(recording *r, channel *c, bool repair)
{
    enum { NEAR = 3, FAR = 20 };
    samples s = samples_of(r, c);
    double *d = allocate(s.n, sizeof *d);
    double low = s.x[0], high = s.x[0];
    size_t count = 0;
    for (size_t i = 0; i < s.n; i++) {
        low = fmin(low, s.x[i]);
        high = fmax(high, s.x[i]);
        d[i] = i >= 2 && i + 2 < s.n ? fabs(s.x[i] - expected(&s, i)) : 0;
    }
    for (size_t i = 2; i + 2 < s.n; i++) {
        if (d[i] <= 1e-3 * (high - low) || d[i] < d[i - 1] || d[i] < d[i + 1]) {
            continue;
        }
        double nearby[2 * FAR];
        size_t n = 0;
        for (size_t k = NEAR; k <= FAR; k++) {
            if (i >= k + 2) {
                nearby[n++] = d[i - k];
            }
            if (i + k + 2 < s.n) {
                nearby[n++] = d[i + k];
            }
        }
        if (n == 0 || d[i] <= 10 * median(nearby, n) || !is_alone(&s, i) ||
            is_corner(&s, i, d[i])) {
            continue;
        }
        if (count++ < TOLD) {
            complain("%s:%zu: column '%s': %s is an outlier, its neighbours suggest %s", r->name,
                     r->line[s.row[i]], c->name, number_brief(s.x[i] / c->factor).text,
                     number_brief(expected(&s, i) / c->factor).text);
        }
        if (repair) {
            c->x[s.row[i]] = (double)NAN;
        }
    }
    if (count > 0) {
        complain("%s: column '%s': %s%s", r->name, c->name, counted(count, "outlier").text,
                 repair ? ", replaced by what their neighbours suggest"
                        : " (--repair replaces them)");
    }
    free(d);
    samples_free(&s);
}

/* Missing values from a spline through the others; after trim both ends have values. */
static bool fill_gaps(recording *r, channel *c, double gap, bool repair)
{
    size_t count = 0;
    for (size_t i = 0; i < r->rows;) {
        if (!isnan(c->x[i])) {
            i++;
            continue;
        }
        const size_t first = i;
        while (isnan(c->x[i])) {
            i++;
        }
        const double width = r->t[i] - r->t[first - 1];
        const bool wide = width > gap && !repair;
        char *lines = lines_text(r, first, i - 1);
        if (wide) {
            complain(
                "%s:%s: column '%s' has no values for %s s (--gap SECONDS or --repair fill it)",
                r->name, lines, c->name, number_brief(width).text);
        } else if (count++ < TOLD) {
            complain("%s:%s: column '%s': %s missing, interpolated", r->name, lines, c->name,
                     counted(i - first, "value").text);
        }
        free(lines);
        if (wide) {
            return false;
        }
    }
    if (count > TOLD) {
        complain("%s: column '%s': %s more, interpolated", r->name, c->name,
                 counted(count - TOLD, "gap").text);
    }
    if (count == 0) {
        return true;
    }
    samples s = samples_of(r, c);
    td_trajectory *spline = NULL;
    td_status status =
        td_trajectory_spline(s.n, 1, s.t, s.x, 3, TD_SPLINE_NOT_A_KNOT, NULL, NULL, &spline);
    for (size_t i = 0; i < r->rows && status == TD_OK; i++) {
        if (isnan(c->x[i])) {
            status = td_trajectory_at(spline, r->t[i], &c->x[i], NULL, NULL);
        }
    }
    td_trajectory_free(spline);
    samples_free(&s);
    if (status != TD_OK) {
        complain("%s: column '%s': %s", r->name, c->name, td_status_text(status));
    }
    return status == TD_OK;
}

bool recording_repair(recording *r, const recording_options *options)
{
    const bool repair = options->repair;
    if (!mend_times(r, repair) || !trim(r)) {
        return false;
    }
    const double step = median_step(r);
    const double gap = isnan(options->gap) ? GAP_STEPS * step : options->gap;
    bool good = check_steps(r, step, gap, repair);
    for (size_t k = 0; k < r->all && good; k++) {
        if (k < r->channels) { /* forces may jump */
            find_outliers(r, &r->channel[k], repair);
        }
        good = fill_gaps(r, &r->channel[k], gap, repair);
    }
    return good;
}
