/* SPDX-License-Identifier: MIT */
/*
 * Estimates noise and selects cut-offs; see cutoff.h.
 */
#include "cutoff.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "median.h"

static const double pi = 3.14159265358979323846;

/* ---- noise ----------------------------------------------------------------------------------- */

/* Returns the divided difference of points 0 to order, scaled so that white noise keeps its
   variance. unit: unit of times, s. */
static double difference(size_t order, const double *t, const double *x, double unit)
{
    double sum = 0, squares = 0;
    for (size_t k = 0; k <= order; k++) {
        double factor = 1;
        for (size_t j = 0; j <= order; j++) {
            factor *= j == k ? 1 : (t[k] - t[j]) / unit;
        }
        sum += (x[k] - x[0]) / factor;
        squares += 1 / (factor * factor);
    }
    return sum / sqrt(squares);
}

/* Estimates the mean square of n Gaussian differences from the smaller nine tenths of them. */
static double mean_square(size_t n, double *d)
{
    /* of_those is E(z²) of standard normal z with |z| < 1.6449, which are nine tenths */
    static const double part = 0.9, of_those = 0.62303;
    double sum = 0;
    qsort(d, n, sizeof *d, td_compare_numbers);
    const size_t kept = (size_t)ceil(part * (double)n);
    for (size_t i = 0; i < kept; i++) {
        sum += d[i] * d[i];
    }
    return sum / (double)kept / of_those;
}

td_status td_noise_level(size_t n, const double *t, const double *x, double *noise)
{
    enum { LEAST_ROWS = 16, FIRST = 2, LAST = 10 };
    static const double no_less = 0.8;
    if (n < LEAST_ROWS) {
        *noise = (double)NAN;
        return TD_OK;
    }
    const double unit = 1 / td_filter_rate(n, t);
    double *d = calloc(n, sizeof *d);
    if (!d)
        return TD_ERROR_MEMORY;
    double last = (double)INFINITY;
    for (size_t order = FIRST; order <= LAST && order + 4 < n; order++) {
        for (size_t i = 0; i + order < n; i++) {
            d[i] = fabs(difference(order, t + i, x + i, unit));
        }
        const double now = mean_square(n - order, d);
        if (now >= no_less * last) {
            break;
        }
        last = now;
    }
    free(d);
    *noise = sqrt(last);
    return TD_OK;
}

/* ---- noise after filtering ------------------------------------------------------------------- */

/* A power spectrum. angle: rad per step, 0 to π. */
typedef double spectrum(const void *context, double angle);

/* Returns the variance of noise with this spectrum, its mean over angles from 0 to π. Uses
   Simpson's rule over the logarithm of the angle, because cut-offs may be thousands of times below
   the rate. */
static double variance_of(spectrum *density, const void *context)
{
    enum { STEPS = 600 };
    static const double decades = 14; /* natural boundary: lower frequencies do not affect it */
    const double h = decades / STEPS;
    double sum = 0;
    for (int i = 0; i <= STEPS; i++) {
        const double angle = pi * exp(-h * i);
        const double weight = i == 0 || i == STEPS ? 1 : i % 2 == 1 ? 4 : 2;
        sum += weight * density(context, angle) * angle;
    }
    return (sum * h / 3 + density(context, pi * exp(-decades)) * pi * exp(-decades)) / pi;
}

typedef struct noise_form {
    td_filter kind;
    double rate, cutoff;
    int degree;    /* of the spline */
    double pilot;  /* cut-off of the smoothed copy */
    int order;     /* of the derivative */
    bool smoothed; /* true: what the filter removes from the copy; false: what it leaves of the
                      values */
} noise_form;

static double response(const noise_form *f, double cutoff, double angle)
{
    return td_filter_response(f->kind, f->rate, cutoff, f->rate * angle / (2 * pi));
}

/* Returns the gain of derivatives at the knots of a spline of degree 3 or 5 for an oscillation: the
   symbols of cardinal splines (Schoenberg, Cardinal Spline Interpolation, 1973). */
static double spline_gain(const noise_form *f, double angle)
{
    const double c = cos(angle), half = 2 * sin(angle / 2);
    const double three = (2 + c) / 3, five = (33 + 26 * c + cos(2 * angle)) / 60;
    if (f->order == 0) {
        return 1;
    }
    if (f->order == 1) {
        const double four = (11 * cos(angle / 2) + cos(1.5 * angle)) / 12;
        return f->rate * (f->degree == 3 ? sin(angle) / three : half * four / five);
    }
    return f->rate * f->rate * half * half / (f->degree == 3 ? three : five / three);
}

static double left_density(const void *context, double angle)
{
    const noise_form *f = context;
    const double gain = response(f, f->cutoff, angle) * spline_gain(f, angle);
    return gain * gain;
}

void td_noise_left(td_filter kind, double rate, double cutoff, int degree,
                   double variance[TD_DERIVATIVES])
{
    noise_form f = {.kind = kind, .rate = rate, .cutoff = cutoff, .degree = degree};
    for (f.order = 0; f.order < TD_DERIVATIVES; f.order++) {
        variance[f.order] = variance_of(left_density, &f);
    }
}

double td_noise_weighted(const td_error_weight *weight, const double variance[TD_DERIVATIVES])
{
    /* the covariance of a position and its second derivative is minus the variance of the first */
    return weight->of[0][0] * variance[0] + weight->of[2][2] * variance[2] +
           (weight->of[1][1] - 2 * weight->of[0][2]) * variance[1];
}

/* ---- the cut-off ----------------------------------------------------------------------------- */

/* The values at equal steps, and their smoothed copies. */
typedef struct search {
    td_filter kind;
    size_t n, count;
    const double *t;
    const td_noisy_column *column;
    double rate;
    bool positions; /* only errors of positions count, with the weight 1 */
    double pilot;   /* Hz; 0: the copies are the values themselves */
    double *copy;   /* count × n */
    double *room;   /* 2 n */
    td_status status;
} search;

/* Returns the response 3 H² − 2 H³ of three passes of a filter H, which is flatter below the
   cut-off and steeper above (Kaiser and Hamming 1977). */
static double sharp(double H)
{
    return H * H * (3 - 2 * H);
}

static void filter(search *s, double cutoff, double *x)
{
    if (s->status == TD_OK)
        s->status = td_filter_apply(s->kind, s->n, s->t, cutoff, x);
}

static void smooth_copies(search *s)
{
    double *twice = s->room + s->n;
    for (size_t c = 0; c < s->count; c++) {
        double *copy = s->copy + c * s->n;
        memcpy(twice, s->column[c].x, s->n * sizeof *twice);
        filter(s, s->pilot, twice);
        filter(s, s->pilot, twice);
        memcpy(copy, twice, s->n * sizeof *twice);
        filter(s, s->pilot, copy);
        for (size_t i = 0; i < s->n; i++)
            copy[i] = 3 * twice[i] - 2 * copy[i];
    }
}

/* Returns the gain of a difference, which approximates the derivative at low frequencies. */
static double difference_gain(const noise_form *f, double angle)
{
    return pow(2 * sin(angle / 2) * f->rate, f->order);
}

/* Safety margin: noise that is larger than estimated by this part must not count as motion. */
static const double doubt = 0.15;

/* Returns the spectrum that white noise of variance 1 adds to the mean square: the noise that the
   filter leaves, minus the noise of the copy that looks like removed motion. */
static double added_density(const void *context, double angle)
{
    const noise_form *f = context;
    const double H = response(f, f->cutoff, angle);
    const double copied = f->pilot > 0 ? sharp(response(f, f->pilot, angle)) : 1;
    const double gain = difference_gain(f, angle);
    return (H * H - (1 + doubt) * copied * copied * (1 - H) * (1 - H)) * gain * gain;
}

/* Returns the mean weighted square of what the filter removes from a copy. */
static double removed(search *s, const double *copy, const td_error_weight *weight, double cutoff)
{
    const size_t skip = s->n / 20, first = skip > 1 ? skip : 1, last = s->n - first;
    const double rate = s->rate;
    double *d = s->room, sum = 0;
    memcpy(d, copy, s->n * sizeof *d);
    filter(s, cutoff, d);
    for (size_t i = 0; i < s->n; i++) {
        d[i] = copy[i] - d[i];
    }
    for (size_t i = first; i < last; i++) {
        const double e[TD_DERIVATIVES] = {d[i], (d[i + 1] - d[i - 1]) / 2 * rate,
                                          (d[i + 1] - 2 * d[i] + d[i - 1]) * rate * rate};
        for (size_t a = 0; a < TD_DERIVATIVES; a++) {
            for (size_t b = 0; b < TD_DERIVATIVES; b++) {
                sum += weight->of[a][b] * e[a] * e[b];
            }
        }
    }
    return sum / (double)(last - first);
}

/* Estimates the mean square error. The estimate is unbiased except for motion above the pilot's
   cut-off, which no lower cut-off keeps. */
static double risk(search *s, double cutoff)
{
    static const td_error_weight of_positions = {{{1}}};
    noise_form f = {.kind = s->kind, .rate = s->rate, .cutoff = cutoff, .pilot = s->pilot};
    double added[TD_DERIVATIVES], sum = 0;
    for (f.order = 0; f.order < TD_DERIVATIVES; f.order++) {
        added[f.order] = variance_of(added_density, &f);
    }
    for (size_t c = 0; c < s->count; c++) {
        const td_noisy_column *column = &s->column[c];
        const td_error_weight *weight = s->positions ? &of_positions : &column->weight;
        const double noise = column->noise > 0 ? column->noise : 0;
        sum += removed(s, s->copy + c * s->n, weight, cutoff) +
               noise * noise * td_noise_weighted(weight, added);
    }
    return sum;
}

/* Returns the cut-off with the least risk: on a logarithmic grid, then between grid points. */
static double least(search *s, double lowest, double highest)
{
    enum { STEPS = 40 };
    const double step = pow(highest / lowest, 1.0 / STEPS);
    double at[STEPS + 1], value[STEPS + 1];
    int best = 0;
    for (int k = 0; k <= STEPS; k++) {
        at[k] = lowest * pow(step, k);
        value[k] = risk(s, at[k]);
        best = value[k] < value[best] ? k : best;
    }
    if (best == 0 || best == STEPS) {
        return at[best];
    }
    /* minimum of the parabola through three grid points */
    const double a = value[best - 1], b = value[best], c = value[best + 1];
    return at[best] * pow(step, (a - c) / (a - 2 * b + c) / 2);
}

static bool any_noise(size_t count, const td_noisy_column *column)
{
    bool any = false;
    for (size_t c = 0; c < count; c++)
        any = any || column[c].noise > 0;
    return any;
}

td_status td_cutoff_choose(td_filter kind, size_t n, const double *t, size_t count,
                           const td_noisy_column *column, double *cutoff)
{
    /* A copy must keep the motion, but its noise makes the estimate less certain. Positions need no
       copy, and their cut-off is above the accelerations'. */
    enum { ROUNDS = 4 };
    static const double above_first = 1.2, above = 1.8;
    const double highest = td_filter_largest_cutoff(n, t), lowest = 1 / (t[n - 1] - t[0]);
    if (!any_noise(count, column) || lowest >= highest) {
        *cutoff = highest;
        return TD_OK;
    }
    search s = {.kind = kind,
                .n = n,
                .count = count,
                .t = t,
                .column = column,
                .rate = td_filter_rate(n, t),
                .positions = true};
    s.copy = calloc((count + 2) * n, sizeof *s.copy);
    if (!s.copy)
        return TD_ERROR_MEMORY;
    s.room = s.copy + count * n;
    for (size_t c = 0; c < count; c++)
        memcpy(s.copy + c * n, column[c].x, n * sizeof *s.copy);
    double found = least(&s, lowest, highest);
    s.positions = false;
    double pilot = above_first * found;
    for (int k = 0; k < ROUNDS && s.status == TD_OK; k++) {
        s.pilot = fmin(pilot, highest / 2);
        smooth_copies(&s);
        found = least(&s, lowest, highest);
        pilot = fmin(pilot, above * found);
    }
    if (s.status == TD_OK)
        *cutoff = found;
    free(s.copy);
    return s.status;
}
