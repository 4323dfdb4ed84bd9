/* SPDX-License-Identifier: MIT */
/*
 * The filters of tandem recording: noise and cutoff of each column, and resampling at equal steps.
 * See recording.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "commands/recording.h"
#include "input/option_value.h"
#include "tandem/trajectory.h"
#include "text.h"

/* Finds the cutoff of a channel: its own if given, else the common one, else NaN. Prints a message
   and returns false for an invalid one. */
static bool find_cutoff(const word_list *words, const channel *c, double *cutoff)
{
    *cutoff = (double)NAN;
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->word[i];
        const char *equals = strrchr(word, '=');
        const char *frequency = equals != NULL ? equals + 1 : word;
        const size_t length = equals != NULL ? (size_t)(equals - word) : 0;
        double x;
        if (!read_frequency(frequency, &x)) {
            complain("--cutoff %s: '%s' is not a frequency above zero (Hz)", word, frequency);
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
            complain("--cutoff %s: no column with that name is used", words->word[i]);
            return false;
        }
    }
    return true;
}

/* Resamples a column at other times by a cubic spline. */
static td_status resample(size_t from, const double *t, const double *x, size_t to,
                          const double *at, double *out)
{
    td_trajectory *spline = NULL;
    td_status status =
        td_trajectory_spline(from, 1, t, x, 3, TD_SPLINE_NOT_A_KNOT, NULL, NULL, &spline);
    for (size_t i = 0; i < to && status == TD_OK; i++) {
        status = td_trajectory_evaluate(spline, at[i], &out[i], NULL, NULL);
    }
    td_trajectory_free(spline);
    return status;
}

/* Resamples forces on links at ascending times by linear interpolation, as in recording_forces. */
static void resample_lines(size_t from, const double *t, const double *x, size_t to,
                           const double *at, double *out)
{
    size_t k = 0;
    for (size_t i = 0; i < to; i++) {
        while (k + 2 < from && t[k + 1] <= at[i]) {
            k++;
        }
        const double part = fmin(fmax((at[i] - t[k]) / (t[k + 1] - t[k]), 0), 1);
        out[i] = (1 - part) * x[k] + part * x[k + 1];
    }
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the median time step. */
static double usual_step(const recording *r)
{
    scoped double *step = allocate(r->rows, sizeof *step);
    for (size_t i = 0; i + 1 < r->rows; i++) {
        step[i] = r->t[i + 1] - r->t[i];
    }
    qsort(step, r->rows - 1, sizeof *step, compare);
    return step[(r->rows - 1) / 2];
}

/* Returns whether steps are equal up to rounding of times. */
static bool is_even(const recording *r, double *shortest, double *longest)
{
    *shortest = (double)INFINITY;
    *longest = 0;
    for (size_t i = 0; i + 1 < r->rows; i++) {
        *shortest = fmin(*shortest, r->t[i + 1] - r->t[i]);
        *longest = fmax(*longest, r->t[i + 1] - r->t[i]);
    }
    return *longest - *shortest < 0.02 * *longest;
}

/* Returns n equally spaced times from the first to the last, in a new array. */
static double *even_times(const recording *r, size_t n)
{
    const double whole = r->t[r->rows - 1] - r->t[0];
    double *t = allocate(n, sizeof *t);
    for (size_t i = 0; i < n; i++) {
        t[i] = r->t[0] + whole * (double)i / (double)(n - 1);
    }
    return t;
}

static size_t even_count(const recording *r)
{
    return (size_t)fmin(round((r->t[r->rows - 1] - r->t[0]) / usual_step(r)), 1e8) + 1;
}

/* Resamples at equal steps, which the Butterworth filter needs. */
static td_status make_even(recording *r)
{
    double shortest, longest;
    const bool even = is_even(r, &shortest, &longest);
    const size_t n = even ? r->rows : even_count(r);
    double *t = even_times(r, n);
    td_status status = TD_OK;
    if (!even) {
        tell_note("%s: time steps vary from %s to %s s; resampled at %s Hz before filtering",
                  r->name, number_brief(shortest).text, number_brief(longest).text,
                  number_brief((double)(n - 1) / (t[n - 1] - t[0])).text);
    }
    for (size_t k = 0; k < r->all && status == TD_OK && !even; k++) {
        double *x = allocate(n, sizeof *x);
        if (k < r->channels) {
            status = resample(r->rows, r->t, r->channel[k].x, n, t, x);
        } else {
            resample_lines(r->rows, r->t, r->channel[k].x, n, t, x);
        }
        free(r->channel[k].x);
        r->channel[k].x = x;
    }
    /* the spline needs the same equal steps as the filter, although recorded times are rounded */
    free(r->t);
    r->t = t;
    r->rows = n;
    return status;
}

/* ---- choice of cutoffs ---------------------------------------------------------------------- */

/* Lists the columns that share a cutoff with channel k: itself, or the others of its quaternion.
   Returns their number, 0 if an earlier channel has listed them. */
static size_t list_shared(const recording *r, size_t k, channel *list[4])
{
    const size_t parts = recording_quaternion(r, &r->channel[k], list);
    if (parts == 0) {
        list[0] = &r->channel[k];
        return 1;
    }
    return list[0] == &r->channel[k] ? parts : 0;
}

/* Chooses the cutoffs of channels without one, by the weight of each. x: recorded values. */
static td_status choose(recording *r, double *const *x, td_error_weight *weight)
{
    double shortest, longest;
    const bool even = is_even(r, &shortest, &longest);
    const size_t n = even ? r->rows : even_count(r);
    scoped double *t = even_times(r, n), *copy = allocate(4 * n, sizeof *copy);
    td_status status = TD_OK;
    for (size_t k = 0; k < r->channels && status == TD_OK; k++) {
        channel *list[4];
        td_noisy_column column[4];
        const size_t count = r->channel[k].chosen ? list_shared(r, k, list) : 0;
        double sum = 0;
        for (size_t i = 0; i < count && status == TD_OK; i++) {
            const size_t at = (size_t)(list[i] - r->channel);
            column[i] = (td_noisy_column){even ? x[at] : copy + i * n, list[i]->noise, weight[at]};
            for (size_t a = 0; a < TD_DERIVATIVES; a++) {
                sum += weight[at].of[a][a];
            }
            if (!even) {
                status = resample(r->rows, r->t, x[at], n, t, copy + i * n);
            }
        }
        if (status == TD_OK && sum > 0) {
            status = td_cutoff_choose(list[0]->filter, n, t, count, column, &list[0]->cutoff);
        }
        for (size_t i = 1; i < count && sum > 0; i++) {
            list[i]->cutoff = list[0]->cutoff;
        }
    }
    return status;
}

/* Filters all channels of x. */
static td_status apply(recording *r, double *const *x)
{
    td_status status = TD_OK;
    for (size_t k = 0; k < r->channels && status == TD_OK; k++) {
        channel *c = &r->channel[k];
        memcpy(c->x, x[k], r->rows * sizeof *c->x);
        status = td_filter_apply(c->filter, r->rows, r->t, c->cutoff, c->x);
    }
    return status;
}

/* Chooses cutoffs for accelerations first. Then, with the resulting motion, chooses them for the
   forces of the robot. */
static td_status choose_all(const recorded_result *m, recording *r, double *const *x,
                            const double *rest)
{
    scoped td_error_weight *weight = allocate(r->channels, sizeof *weight);
    for (size_t k = 0; k < r->channels; k++) {
        const int order = QUANTITY_QDD - (int)r->channel[k].quantity;
        weight[k].of[order][order] = 1;
    }
    td_status status = choose(r, x, weight);
    motion_curve curve;
    if (status == TD_OK) {
        status = apply(r, x);
    }
    if (status == TD_OK && recorded_states(r, m->options->cubic, rest, &curve)) {
        memset(weight, 0, r->channels * sizeof *weight);
        recorded_weights(m, r, &curve, rest, weight);
        motion_curve_free(&curve);
        status = choose(r, x, weight);
    }
    return status;
}

/* Reads the cutoffs of the options. *any: some channel needs a chosen cutoff. */
static bool read_cutoffs(recording *r, const recorded_options *options, bool *any)
{
    const double largest = td_filter_largest_cutoff(r->rows, r->t);
    *any = false;
    for (size_t k = 0; k < r->channels; k++) {
        channel *list[4];
        const size_t count = list_shared(r, k, list);
        double given = (double)NAN;
        for (size_t i = 0; i < count; i++) {
            if (!find_cutoff(&options->cutoff, list[i], &list[i]->cutoff)) {
                return false;
            }
            given = isnan(given) ? list[i]->cutoff : given;
        }
        for (size_t i = 0; i < count; i++) {
            list[i]->cutoff = given;
        }
    }
    for (size_t k = 0; k < r->channels; k++) {
        channel *c = &r->channel[k];
        c->filter = options->filter;
        c->chosen = c->filter != TD_FILTER_NONE && isnan(c->cutoff);
        *any = *any || c->chosen;
        if (c->chosen) {
            c->cutoff = largest;
        } else if (c->cutoff > largest) {
            complain(
                "%s: column '%s': the cutoff of %s Hz is above %s Hz, 0.45 of the sampling rate",
                r->name, c->name, number_brief(c->cutoff).text, number_brief(largest).text);
            return false;
        }
    }
    return true;
}

static void tell_chosen(const recording *r)
{
    for (size_t k = 0; k < r->channels; k++) {
        if (r->channel[k].chosen) {
            tell_note("%s: column '%s': chose a cutoff of %s Hz", r->name, r->channel[k].name,
                      number_brief(r->channel[k].cutoff).text);
        }
    }
}

int recorded_filter(const recorded_result *m, recording *r, const double *rest)
{
    const recorded_options *options = m->options;
    bool any = false;
    if (!cutoffs_known(r, &options->cutoff)) {
        return EXIT_USAGE;
    }
    td_status status = TD_OK;
    for (size_t k = 0; k < r->channels && status == TD_OK; k++) {
        channel *c = &r->channel[k];
        status = td_noise_level(r->rows, r->t, c->x, &c->noise);
    }
    if (status == TD_OK && options->filter == TD_FILTER_BUTTERWORTH) {
        status = make_even(r);
    }
    if (status == TD_OK && !read_cutoffs(r, options, &any)) {
        return EXIT_USAGE;
    }
    scoped double **x = allocate(r->channels, sizeof *x);
    for (size_t k = 0; k < r->channels && status == TD_OK; k++) {
        x[k] = allocate(r->rows, sizeof **x);
        memcpy(x[k], r->channel[k].x, r->rows * sizeof **x);
    }
    if (status == TD_OK && any) {
        status = choose_all(m, r, x, rest);
    }
    if (status == TD_OK) {
        status = apply(r, x);
    }
    if (status == TD_OK) {
        if (options->common.plot != NULL) { /* without --plot, the report prints them */
            tell_chosen(r);
        }
    } else {
        complain("%s: %s", r->name, td_status_text(status));
    }
    for (size_t k = 0; k < r->channels; k++) {
        free(x[k]);
    }
    return status == TD_OK ? EXIT_GOOD : EXIT_COMPUTE;
}
