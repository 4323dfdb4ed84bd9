/* SPDX-License-Identifier: MIT */
/*
 * The filters of tandem motion: the cut-off of each column, and equal steps, see motion.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "motion.h"
#include "tandem/trajectory.h"
#include "text.h"

/* The cut-off for a channel: its own, or the one of all; NaN where none is given. False with a
   message. */
static bool find_cutoff(const word_list *words, const channel *c, double *cutoff)
{
    *cutoff = (double)NAN;
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->word[i];
        const char *equals = strrchr(word, '=');
        const char *frequency = equals != NULL ? equals + 1 : word;
        const size_t length = equals != NULL ? (size_t)(equals - word) : 0;
        double x;
        if (!parse_number(frequency, &x) || x <= 0) {
            complain("--cutoff %s: '%s' is no frequency above zero (Hz)", word, frequency);
            return false;
        }
        if (equals == NULL ? isnan(*cutoff)
                           : strlen(c->name) == length && strncmp(c->name, word, length) == 0) {
            *cutoff = x;
        }
    }
    return true;
}

static bool cutoffs_known(const recording *r, const word_list *words)
{
    for (size_t i = 0; i < words->count; i++) {
        const char *equals = strrchr(words->word[i], '=');
        bool found = equals == NULL;
        for (size_t k = 0; k < r->channels && !found; k++) {
            const size_t length = (size_t)(equals - words->word[i]);
            found = strlen(r->channel[k].name) == length &&
                    strncmp(r->channel[k].name, words->word[i], length) == 0;
        }
        if (!found) {
            complain("--cutoff %s: no column of that name is used", words->word[i]);
            return false;
        }
    }
    return true;
}

/* Values of a column at other times, by a cubic spline through it. */
static td_status resample(size_t from, const double *t, const double *x, size_t to,
                          const double *at, double *out)
{
    td_trajectory *spline = NULL;
    td_status status =
        td_trajectory_spline(from, 1, t, x, 3, TD_SPLINE_NOT_A_KNOT, NULL, NULL, &spline);
    for (size_t i = 0; i < to && status == TD_OK; i++) {
        status = td_trajectory_at(spline, at[i], &out[i], NULL, NULL);
    }
    td_trajectory_free(spline);
    return status;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median. */
static double usual_step(const recording *r)
{
    double *step = allocate(r->rows, sizeof *step);
    for (size_t i = 0; i + 1 < r->rows; i++) {
        step[i] = r->t[i + 1] - r->t[i];
    }
    qsort(step, r->rows - 1, sizeof *step, compare);
    const double middle = step[(r->rows - 1) / 2];
    free(step);
    return middle;
}

/* Equal steps, which the Butterworth filter needs. */
static td_status make_even(recording *r)
{
    double shortest = (double)INFINITY, longest = 0;
    const double whole = r->t[r->rows - 1] - r->t[0];
    for (size_t i = 0; i + 1 < r->rows; i++) {
        shortest = fmin(shortest, r->t[i + 1] - r->t[i]);
        longest = fmax(longest, r->t[i + 1] - r->t[i]);
    }
    if (longest - shortest < 0.02 * longest) {
        /* times are rounded: what the filter takes for equal must be so for the spline */
        for (size_t i = 0; i < r->rows; i++) {
            r->t[i] = r->t[0] + whole * (double)i / (double)(r->rows - 1);
        }
        return TD_OK;
    }
    const size_t steps = (size_t)fmin(round(whole / usual_step(r)), 1e8);
    const size_t n = steps + 1;
    double *t = allocate(n, sizeof *t);
    for (size_t i = 0; i < n; i++) {
        t[i] = r->t[0] + whole * (double)i / (double)steps;
    }
    complain("%s: steps from %s to %s s: resampled at %s Hz before the filter", r->name,
             number_brief(shortest).text, number_brief(longest).text,
             number_brief((double)steps / whole).text);
    td_status status = TD_OK;
    for (size_t k = 0; k < r->channels && status == TD_OK; k++) {
        double *x = allocate(n, sizeof *x);
        status = resample(r->rows, r->t, r->channel[k].x, n, t, x);
        free(r->channel[k].x);
        r->channel[k].x = x;
    }
    free(r->t);
    r->t = t;
    r->rows = n;
    return status;
}

int motion_filter(recording *r, const motion_options *options)
{
    if (!cutoffs_known(r, &options->cutoff)) {
        return EXIT_USAGE;
    }
    td_status status = options->filter == FILTER_BUTTERWORTH ? make_even(r) : TD_OK;
    if (status != TD_OK) {
        complain("%s: %s", r->name, td_status_text(status));
        return EXIT_USAGE;
    }
    const double largest = filter_largest_cutoff(r->rows, r->t);
    for (size_t k = 0; k < r->channels && options->filter != FILTER_NONE; k++) {
        channel *c = &r->channel[k];
        if (!find_cutoff(&options->cutoff, c, &c->cutoff)) {
            return EXIT_USAGE;
        }
        c->filter = options->filter;
        c->chosen = isnan(c->cutoff);
        if (c->chosen) {
            c->cutoff = filter_choose_cutoff(c->filter, r->rows, r->t, c->x);
            if (options->common.plot != NULL) { /* the report says it, where there is one */
                complain("%s: column '%s': cut-off %s Hz by residual analysis", r->name, c->name,
                         number_brief(c->cutoff).text);
            }
        } else if (c->cutoff > largest) {
            complain("%s: column '%s': a cut-off of %s Hz is above %s Hz, 0.45 of the rate",
                     r->name, c->name, number_brief(c->cutoff).text, number_brief(largest).text);
            return EXIT_USAGE;
        }
        filter_apply(c->filter, r->rows, r->t, c->cutoff, c->x);
    }
    return EXIT_GOOD;
}
