/* SPDX-License-Identifier: MIT */
/*
 * Repairs recordings: decreasing times, missing rows and values, outliers, angles modulo a turn
 * (recording_turns.c), and signs of quaternions (recording_quaternions.c). Reports all faults with
 * their lines. Without --repair, faults whose repair needs a guess are errors.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/recording/median.h"
#include "../lib/recording/outliers.h"
#include "input/recording.h"
#include "tandem/trajectory.h"
#include "text.h"

enum { TOLD = 5, GAP_STEPS = 10 };

/* Returns the lines of rows in the file, "12" or "12-15", in a new string. */
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
            (repair ? tell_note : complain)("%s:%zu: the time is missing", r->name, r->line[i]);
        } else if (bad <= TOLD) {
            (repair ? tell_note : complain)("%s:%zu: time %s is not after %s of line %zu", r->name,
                                            r->line[i], number_clear(r->t[i]).text,
                                            number_clear(r->t[kept - 1]).text, r->line[kept - 1]);
        }
    }
    r->rows = kept;
    if (bad > 0) {
        (repair ? tell_note : complain)("%s: %s whose time does not increase%s", r->name,
                                        counted(bad, "row").text,
                                        repair ? ": left out" : " (--repair leaves them out)");
    }
    if (kept < 4) {
        complain("%s: %s with a time, but a recording needs four", r->name,
                 counted(kept, "row").text);
        return false;
    }
    return bad == 0 || repair;
}

static double median_step(const recording *r)
{
    scoped double *step = allocate(r->rows, sizeof *step);
    for (size_t i = 0; i + 1 < r->rows; i++) {
        step[i] = r->t[i + 1] - r->t[i];
    }
    return td_median(step, r->rows - 1);
}

/* Finds and reports missing rows. */
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
            (wide ? complain : tell_note)("%s:%zu: no row for %s s, but time steps are %s s%s",
                                          r->name, r->line[i + 1], number_brief(here).text,
                                          number_brief(step).text,
                                          wide ? " (--gap SECONDS or --repair bridges it)" : "");
        }
        if (wide) {
            break;
        }
    }
    if (count > TOLD) {
        tell_note("%s: %zu more steps are longer", r->name, count - TOLD);
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
            complain("%s: column '%s' has %s, but a recording needs four", r->name,
                     r->channel[k].name, counted(values, "value").text);
            return false;
        }
    }
    return true;
}

/* Removes rows at both ends that lack values. */
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
        tell_note("%s:%s: skipped: some columns have no values yet", r->name, lines);
        free(lines);
    }
    if (last < r->rows) {
        char *lines = lines_text(r, last, r->rows - 1);
        tell_note("%s:%s: skipped: some columns have no more values", r->name, lines);
        free(lines);
    }
    r->rows = last > first ? last - first : 0;
    for (size_t i = 0; i < r->rows && first > 0; i++) {
        keep_row(r, i, first + i);
    }
    if (r->rows < 4) {
        complain("%s: fewer than four rows have values in all columns", r->name);
    }
    return r->rows >= 4;
}

/* The values of a channel that are not missing. */
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

/* Finds and reports outliers (outliers.h). With --repair they become missing values. Returns false
   if there is not enough memory. */
static bool find_outliers(recording *r, channel *c, bool repair)
{
    samples s = samples_of(r, c);
    size_t *index = allocate(s.n, sizeof *index), count;
    scoped double *expected = allocate(s.n, sizeof *expected);
    const td_status status = td_outliers(s.n, s.t, s.x, index, expected, &count);
    for (size_t k = 0; k < count && status == TD_OK; k++) {
        const size_t i = index[k];
        if (k < TOLD) {
            tell_note("%s:%zu: column '%s': %s is an outlier, its neighbors suggest %s", r->name,
                      r->line[s.row[i]], c->name, number_brief(s.x[i] / c->factor).text,
                      number_brief(expected[k] / c->factor).text);
        }
        if (repair) {
            c->x[s.row[i]] = (double)NAN;
        }
    }
    if (status != TD_OK) {
        complain("%s: %s", r->name, td_status_text(status));
    } else if (count > 0) {
        tell_note("%s: column '%s': %s%s", r->name, c->name, counted(count, "outlier").text,
                  repair ? ", replaced by values that their neighbors suggest"
                         : " (--repair replaces them)");
    }
    free(index);
    samples_free(&s);
    return status == TD_OK;
}

/* Fills missing values by a spline through the others. After trim the first and last rows are
   complete. */
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
        scoped char *lines = lines_text(r, first, i - 1);
        if (wide) {
            complain(
                "%s:%s: column '%s' has no values for %s s (--gap SECONDS or --repair fills it)",
                r->name, lines, c->name, number_brief(width).text);
        } else if (count++ < TOLD) {
            tell_note("%s:%s: column '%s': %s missing, interpolated", r->name, lines, c->name,
                      counted(i - first, "value").text);
        }
        if (wide) {
            return false;
        }
    }
    if (count > TOLD) {
        tell_note("%s: column '%s': %s more, interpolated", r->name, c->name,
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
            status = td_trajectory_evaluate(spline, r->t[i], &c->x[i], NULL, NULL);
        }
    }
    td_trajectory_free(spline);
    samples_free(&s);
    if (status != TD_OK) {
        complain("%s: column '%s': %s", r->name, c->name, td_status_text(status));
    }
    return status == TD_OK;
}

/* Repairs a column. Searches outliers in the unwrapped angle. If outliers are replaced, determines
   turns from the other values only. */
static bool mend_column(recording *r, channel *c, double gap, bool repair)
{
    scoped double *raw = allocate(r->rows, sizeof *raw);
    memcpy(raw, c->x, r->rows * sizeof *raw);
    bool good = recording_unwrap(r, c, !repair) && find_outliers(r, c, repair);
    for (size_t i = 0; i < r->rows && repair; i++) {
        c->x[i] = isnan(c->x[i]) ? c->x[i] : raw[i];
    }
    good = good && (!repair || recording_unwrap(r, c, true)) && fill_gaps(r, c, gap, repair);
    return good;
}

/* Makes all columns of a quaternion missing where one is. */
static void join_gaps(const recording *r, channel *const *part, size_t parts)
{
    for (size_t i = 0; i < r->rows; i++) {
        bool missing = false;
        for (size_t k = 0; k < parts; k++) {
            missing = missing || isnan(part[k]->x[i]);
        }
        for (size_t k = 0; k < parts && missing; k++) {
            part[k]->x[i] = (double)NAN;
        }
    }
}

/* Repairs the columns of a quaternion. */
static bool mend_quaternion(recording *r, channel *const *part, size_t parts, double gap,
                            bool repair)
{
    bool good = true;
    recording_align(r, part, parts, !repair);
    for (size_t k = 0; k < parts && good; k++) {
        good = find_outliers(r, part[k], repair);
    }
    if (good && repair) {
        join_gaps(r, part, parts);
        recording_align(r, part, parts, true);
    }
    for (size_t k = 0; k < parts && good; k++) {
        good = fill_gaps(r, part[k], gap, repair);
    }
    return good;
}

static bool mend(recording *r, channel *c, double gap, bool repair)
{
    channel *part[4];
    if (c >= r->channel + r->channels) {
        return fill_gaps(r, c, gap, repair); /* forces may jump */
    }
    const size_t parts = recording_quaternion(r, c, part);
    if (parts == 0) {
        return mend_column(r, c, gap, repair);
    }
    return part[0] != c || mend_quaternion(r, part, parts, gap, repair); /* once for all parts */
}

bool recording_repair(recording *r, const recording_options *options)
{
    const bool repair = options->repair;
    if (!mend_times(r, repair) || !recording_check_quaternions(r, repair) || !trim(r)) {
        return false;
    }
    const double step = median_step(r);
    const double gap = isnan(options->gap) ? GAP_STEPS * step : options->gap;
    bool good = check_steps(r, step, gap, repair);
    for (size_t k = 0; k < r->all && good; k++) {
        good = mend(r, &r->channel[k], gap, repair);
    }
    return good;
}
