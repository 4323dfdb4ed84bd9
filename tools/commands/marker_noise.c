/* SPDX-License-Identifier: MIT */
/*
 * Compares residuals of points with noise; see marker_noise.h.
 */
#include "commands/marker_noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/recording/cutoff.h"
#include "text.h"

enum { MOST_KEPT = 16384 }; /* rows; more do not improve the estimate */

marker_noise marker_noise_new(const marker_list *points, double noise)
{
    return (marker_noise){.points = points,
                          .given = noise,
                          .square = allocate(points->count, sizeof(double)),
                          .count = allocate(points->count, sizeof(size_t))};
}

void marker_noise_free(marker_noise *n)
{
    free(n->square);
    free(n->count);
    free(n->time);
    free(n->kept);
}

/* Keeps the positions of a row for the estimate. */
static void keep_row(marker_noise *n, double time, const double *position)
{
    const size_t width = 3 * n->points->count;
    if (n->rows == n->capacity) {
        n->capacity = 2 * n->capacity + 64;
        n->time = reallocate(n->time, n->capacity, sizeof *n->time);
        n->kept = reallocate(n->kept, n->capacity * width, sizeof *n->kept);
    }
    n->time[n->rows] = time;
    markers_spread(n->points, position, n->kept + n->rows++ * width);
}

void marker_noise_add(marker_noise *n, double time, const double *position, const double *left,
                      size_t determined)
{
    size_t seen = 0;
    for (size_t i = 0; i < n->points->count; i++) {
        if (n->points->marker[i].seen) {
            n->square[i] += left[2 * seen] * left[2 * seen];
            n->count[i]++;
            seen++;
        }
    }
    n->freedom += (double)(3 * seen) - (double)(determined < 3 * seen ? determined : 3 * seen);
    const bool later = n->rows == 0 || time > n->time[n->rows - 1];
    if (isnan(n->given) && n->rows < MOST_KEPT && later) {
        keep_row(n, time, position);
    }
}

double marker_noise_level(const marker_noise *n)
{
    const size_t width = 3 * n->points->count;
    scoped double *t = allocate(n->rows, sizeof *t), *x = allocate(n->rows, sizeof *x);
    double sum = 0;
    size_t columns = 0;
    for (size_t k = 0; k < width && isnan(n->given); k++) {
        size_t rows = 0;
        double noise;
        for (size_t i = 0; i < n->rows; i++) {
            x[rows] = n->kept[i * width + k];
            t[rows] = n->time[i];
            rows += isfinite(x[rows]) ? 1 : 0;
        }
        if (td_noise_level(rows, t, x, &noise) != TD_OK) {
            end_without_memory();
        }
        if (isfinite(noise)) {
            sum += noise * noise;
            columns++;
        }
    }
    return !isnan(n->given) ? n->given : columns > 0 ? sqrt(sum / (double)columns) : (double)NAN;
}

bool is_misfit(double residual, double noise)
{
    static const double factor = 3;
    static const double least = 1e-6; /* m: rounded tables and the end of the search leave less */
    return residual > least && residual > factor * noise;
}

void tell_misfit(double residual, double noise, const char *worst, double distance,
                 const char *remedy)
{
    tell_note("the model does not fit: %.2g mm against %.2g mm of noise; worst is point '%s' with "
              "%.2g mm (%s)",
              1e3 * residual, 1e3 * noise, worst, 1e3 * distance, remedy);
}

void marker_noise_tell(const marker_noise *n)
{
    double sum = 0, largest = -1;
    const char *worst = NULL;
    for (size_t i = 0; i < n->points->count; i++) {
        const double rms = n->count[i] > 0 ? sqrt(n->square[i] / (double)n->count[i]) : -1;
        sum += n->square[i];
        worst = rms > largest ? n->points->marker[i].name : worst;
        largest = fmax(largest, rms);
    }
    const double residual = n->freedom > 0 ? sqrt(sum / n->freedom) : 0;
    const double noise = is_misfit(residual, 0) ? marker_noise_level(n) : (double)NAN;
    if (is_misfit(residual, noise)) {
        tell_misfit(residual, noise, worst, largest,
                    "'tandem calibrate' finds lengths, axes and points that fit");
    }
}
