/* SPDX-License-Identifier: MIT */
/*
 * Computes states of a sweep from their indices; see arrays.h.
 */
#include <math.h>
#include <string.h>

#include "input/quaternions.h"
#include "sweep/arrays.h"

#include "sweep/sample.h"

/* Copies rows of the table of samples over the base values. */
static void put_samples(sweep_arrays *w, uint64_t first, size_t n)
{
    const sweep_samples *samples = &w->spec->samples;
    for (size_t quantity = 0; quantity < QUANTITY_COUNT; quantity++) {
        const size_t width = w->spec->width[quantity];
        if (samples->value[quantity] == NULL || width == 0) {
            continue;
        }
        for (size_t i = 0; i < n; i++) {
            const double chance =
                samples->any ? w->points[i * w->spec->dimensions + samples->dimension] : 0;
            const size_t row = samples->any ? (size_t)(chance * (double)samples->rows)
                                            : (size_t)((first + i) / w->spec->grid % samples->rows);
            memcpy(w->array[quantity] + i * width, samples->value[quantity] + row * width,
                   width * sizeof(double));
        }
    }
}

/* Restores the base values, which the previous leaf may have changed. */
static void put_base(sweep_arrays *w, enum sweep_array array, size_t n)
{
    const size_t width = w->spec->width[array];
    for (size_t i = 0; i < n; i++) {
        memcpy(w->array[array] + i * width, w->spec->base[array], width * sizeof(double));
    }
}

static void put_variable(sweep_arrays *w, const sweep_variable *v, uint64_t first, size_t n)
{
    const size_t width = w->spec->width[v->array], dimensions = w->spec->dimensions;
    const double *point = w->points + v->dimension;
    double *x = w->array[v->array] + v->index;
    const double from = v->from, span = v->to - v->from;
    switch (v->kind) {
    case SWEEP_UNIFORM:
        for (size_t i = 0; i < n; i++) {
            x[i * width] = from + span * point[i * dimensions];
        }
        break;
    case SWEEP_NORMAL:
        for (size_t i = 0; i < n; i++) {
            x[i * width] = from + v->to * td_normal_quantile(point[i * dimensions]);
        }
        break;
    case SWEEP_GRID:
        for (size_t i = 0; i < n; i++) {
            const uint64_t step = (first + i) / v->divisor % v->steps;
            x[i * width] = step + 1 == v->steps
                               ? v->to
                               : from + span * ((double)step / (double)(v->steps - 1));
        }
        break;
    case SWEEP_FIXED:
        for (size_t i = 0; i < n; i++) {
            x[i * width] = from;
        }
        break;
    }
}

/* Normalizes quaternions with varied components. Four normal numbers give uniform random
   orientations. */
static void turn(sweep_arrays *w, size_t n)
{
    const coordinates *c = &w->spec->c;
    const size_t width = w->spec->width[SWEEP_Q];
    for (size_t k = 0; k < c->joints; k++) {
        const size_t joint = (size_t)c->joint[k];
        if (!has_quaternion(c->model, joint)) {
            continue;
        }
        const size_t at = coordinates_position(c, joint) + quaternion_of(c->model, joint);
        for (size_t i = 0; i < n; i++) {
            double *p = w->array[SWEEP_Q] + i * width + at;
            const double norm = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
            for (size_t m = 0; m < 4; m++) {
                p[m] /= norm;
            }
        }
    }
}

/* Fills Sobol points. All combinations of grids and all rows of samples share one point, so that
   the sequence is evenly distributed for each of them; a subsequence would not be. The points are
   always shifted, so that the first is not the corner of the cube. */
static void put_sobol(sweep_arrays *w, uint64_t first, size_t n)
{
    const sweep_spec *spec = w->spec;
    const uint64_t begin = first / spec->period, end = (first + n - 1) / spec->period + 1;
    td_sobol_points(spec->seed + 1, begin, (size_t)(end - begin), spec->dimensions, w->points);
    for (size_t i = n; i-- > 0 && spec->period > 1;) {
        const size_t from = (size_t)((first + i) / spec->period - begin);
        memmove(w->points + i * spec->dimensions, w->points + from * spec->dimensions,
                spec->dimensions * sizeof *w->points);
    }
}

void sweep_sample(sweep_arrays *w, uint64_t first, size_t n)
{
    const sweep_spec *spec = w->spec;
    if (spec->dimensions > 0 && spec->sobol) {
        put_sobol(w, first, n);
    } else if (spec->dimensions > 0) {
        td_random_points(spec->seed, first, n, spec->dimensions, w->points);
    }
    if (spec->turned) {
        put_base(w, SWEEP_Q, n);
    }
    put_samples(w, first, n);
    for (size_t i = 0; i < spec->variables; i++) {
        put_variable(w, &spec->variable[i], first, n);
    }
    if (spec->turned) {
        turn(w, n);
    }
}
