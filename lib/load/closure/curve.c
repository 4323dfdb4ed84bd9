/* SPDX-License-Identifier: MIT */
/*
 * Curves at load time: checks them and computes their polynomial pieces. docs/couplings.md gives
 * the formula of each form.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/dense.h"
#include "base/printf_like.h"
#include "base/spline.h"
#include "load/build.h"

enum { MOST_COEFFICIENTS = 16 };

/* largest jump of f'' at a point, relative to the largest f'', that rounded slopes in a file can
   cause */
static const double kink = 1e-4;
/* A table is reported as stepped if its slope exceeds the adjacent slopes by this factor.
   Mechanisms do not have such curves. */
static const double step = 20;

/* Context of messages about a curve. */
typedef struct subject {
    td_build *build;
    const td_follower *follower;
    const td_curve *curve;
    bool good;
} subject;

static const char *leader_text(const td_curve *curve)
{
    return curve->leader ? curve->leader : "";
}

static void refuse(subject *s, const char *remedy, const char *format, ...) TD_PRINTF_LIKE(3, 4);

static void refuse(subject *s, const char *remedy, const char *format, ...)
{
    char what[256];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    s->good = false;
    td_report(s->build->diagnostics, TD_CODE_CURVE, s->follower->source, remedy,
              "the curve of joint '%s' as a function of '%s': %s", s->follower->joint,
              leader_text(s->curve), what);
}

static bool finite_all(subject *s, const double *numbers, size_t count, const char *what)
{
    for (size_t i = 0; numbers && i < count; i++)
        if (!isfinite(numbers[i])) {
            refuse(s, "use finite numbers", "the %s of entry %zu is not finite", what, i + 1);
            return false;
        }
    return true;
}

/* ---- polynomials and sines ------------------------------------------------------------------- */

static bool make_polynomial(subject *s, td_arena *arena, td_curve_data *data)
{
    const td_curve *c = s->curve;
    if (!c->coefficients || c->coefficients > MOST_COEFFICIENTS) {
        refuse(s, "give 1 to 16 coefficients in ascending powers: \"c0 c1 c2 …\"",
               "the polynomial has %zu coefficients", c->coefficients);
        return true;
    }
    if (!finite_all(s, c->coefficient, c->coefficients, "coefficient"))
        return true;
    data->degree = (int)c->coefficients - 1;
    while (data->degree > 3 && c->coefficient[data->degree] == 0)
        data->degree--;
    data->coefficient = TD_ARENA_NEW(arena, double, MOST_COEFFICIENTS);
    if (!data->coefficient)
        return false;
    memcpy(data->coefficient, c->coefficient, c->coefficients * sizeof(double));
    data->degree = data->degree > 3 ? data->degree : 3; /* fastest in the kernel */
    return true;
}

static void make_sine(subject *s, td_curve_data *data)
{
    const td_curve *c = s->curve;
    const double numbers[] = {c->amplitude, c->frequency, c->phase};
    finite_all(s, numbers, 3, "number");
    data->sine = true;
    data->amplitude = c->amplitude;
    data->frequency = c->frequency;
    data->phase = c->phase;
}

/* ---- splines --------------------------------------------------------------------------------- */

static bool points_are_good(subject *s)
{
    const td_curve *c = s->curve;
    const size_t least = c->ends == TD_CURVE_ENDS_PERIODIC ? 3 : 2;
    if (c->degree != 3 && c->degree != 5) {
        refuse(s, "use degree 3 or 5", "a spline cannot have degree %d", c->degree);
        return false;
    }
    if (c->points < least) {
        refuse(s, "add points to the table", "it has %zu points but needs at least %zu", c->points,
               least);
        return false;
    }
    if (!finite_all(s, c->at, c->points, "position") ||
        !finite_all(s, c->value, c->points, "value") ||
        !finite_all(s, c->slope, c->points, "slope") ||
        !finite_all(s, c->curvature, c->points, "curvature"))
        return false;
    for (size_t i = 1; i < c->points; i++)
        if (!(c->at[i] > c->at[i - 1])) {
            refuse(s, "sort the table by the leader's position, without repetitions",
                   "positions do not ascend: %.9g follows %.9g at point %zu", c->at[i],
                   c->at[i - 1], i + 1);
            return false;
        }
    return true;
}

/* Returns whether the last value of a periodic curve equals the first one. */
static bool repeats(subject *s)
{
    const td_curve *c = s->curve;
    const double off = c->value[c->points - 1] - c->value[0];
    if (fabs(off) <= 1e-9 * td_dense_largest(c->points, c->value))
        return true;
    refuse(s,
           "make the last value equal the first; for a follower that advances with every turn, add "
           "a straight line to a periodic curve",
           "the table is periodic, but its last value is %.9g and its first is %.9g",
           c->value[c->points - 1], c->value[0]);
    return false;
}

/* Returns the slope of the table after point i. */
static double rise(const td_curve *c, size_t i)
{
    return (c->value[i + 1] - c->value[i]) / (c->at[i + 1] - c->at[i]);
}

static void look_for_steps(subject *s)
{
    const td_curve *c = s->curve;
    double sum = 0;
    for (size_t i = 0; i + 1 < c->points; i++)
        sum += fabs(rise(c, i));
    const double mean = sum / (double)(c->points - 1);
    for (size_t i = 1; i + 2 < c->points; i++) {
        const double beside = fmax(fabs(rise(c, i - 1)), fabs(rise(c, i + 1)));
        if (fabs(rise(c, i)) <= step * beside || fabs(rise(c, i)) <= 2 * mean)
            continue;
        td_report(
            s->build->diagnostics, TD_CODE_CURVE_STEP, s->follower->source,
            "correct the table, or add points where it is steep: a spline oscillates around a jump",
            "the table of joint '%s' as a function of '%s' jumps from %.9g to %.9g between %.9g "
            "and %.9g",
            s->follower->joint, leader_text(c), c->value[i], c->value[i + 1], c->at[i],
            c->at[i + 1]);
        return;
    }
}

/* Computes slopes and second derivatives at the points. Returns false if out of memory. */
static bool derive(subject *s, double *slope, double *bend)
{
    const td_curve *c = s->curve;
    const size_t n = c->points;
    static const td_spline_ends ends[] = {TD_SPLINE_NATURAL, TD_SPLINE_CLAMPED, TD_SPLINE_PERIODIC};
    for (size_t i = 0; i < n; i++) {
        slope[i] = c->slope ? c->slope[i] : 0;
        bend[i] = c->curvature ? c->curvature[i] : 0;
    }
    if (c->ends == TD_CURVE_ENDS_HERMITE)
        return true;
    if (c->ends == TD_CURVE_ENDS_CLAMPED) {
        const double given[] = {c->end_slope[0], c->end_slope[1], c->end_curvature[0],
                                c->end_curvature[1]};
        if (!finite_all(s, given, 4, "end slope or curvature"))
            return true;
        slope[0] = given[0], slope[n - 1] = given[1];
        bend[0] = given[2], bend[n - 1] = given[3];
    }
    return td_spline_derivatives(c->degree, ends[c->ends], n, c->at, c->value, slope, bend);
}

/* Computes f'' at the start and at the end of a piece. */
static void bends(const td_curve_data *data, int piece, double h, double bend[2])
{
    const double *c = data->coefficient + piece * (data->degree + 1);
    bend[0] = 2 * c[2];
    bend[1] = 2 * c[2] + 6 * c[3] * h;
    if (data->degree == 5)
        bend[1] += 12 * c[4] * h * h + 20 * c[5] * h * h * h;
}

/* Reports a discontinuous f'' if slopes were given. */
static void look_for_kinks(subject *s, const td_curve_data *data)
{
    const td_curve *c = s->curve;
    double largest = 0, worst = 0, noise = 0, last = NAN;
    size_t where = 0;
    for (size_t i = 0; i + 1 < c->points; i++) {
        double bend[2];
        const double h = c->at[i + 1] - c->at[i];
        bends(data, (int)i + 1, h, bend);
        largest = fmax(largest, fmax(fabs(bend[0]), fabs(bend[1])));
        noise = fmax(noise, 1e-13 * (fabs(c->value[i]) + fabs(c->value[i + 1])) / (h * h));
        if (fabs(bend[0] - last) > worst) {
            worst = fabs(bend[0] - last);
            where = i;
        }
        last = bend[1];
    }
    if (worst <= kink * largest + noise)
        return;
    s->good = false;
    td_report(s->build->diagnostics, TD_CODE_CURVE_KINK, s->follower->source,
              "give slopes of a C² curve, omit the slopes and use natural ends, or write "
              "kinks=\"true\" if the jump is intended",
              "the curve of joint '%s' as a function of '%s': its second derivative jumps by %.3g "
              "at %.9g, so accelerations would jump",
              s->follower->joint, leader_text(c), worst, c->at[where]);
}

/* Sets the pieces before the first point and after the last one: straight lines, or pieces of the
   next period. */
static void continue_ends(const td_curve *c, const double *slope, td_curve_data *data)
{
    const int powers = data->degree + 1, n = (int)c->points;
    double *first = data->coefficient, *last = data->coefficient + n * powers;
    if (c->ends == TD_CURVE_ENDS_PERIODIC) {
        for (int k = 0; k < powers; k++)
            first[k] = last[k] = data->coefficient[powers + k];
        return;
    }
    first[0] = c->value[0];
    first[1] = slope[0];
    last[0] = c->value[n - 1];
    last[1] = slope[n - 1];
}

static bool make_spline(subject *s, td_arena *arena, td_curve_data *data)
{
    const td_curve *c = s->curve;
    const size_t n = c->points;
    if (!points_are_good(s) || (c->ends == TD_CURVE_ENDS_PERIODIC && !repeats(s)))
        return true;
    td_arena_scope(&s->build->temporary);
    double *slope = TD_ARENA_NEW(&s->build->temporary, double, n);
    double *bend = TD_ARENA_NEW(&s->build->temporary, double, n);
    data->degree = c->degree;
    data->points = (int)n;
    data->point = td_arena_copy(arena, c->at, n, sizeof *c->at);
    data->coefficient = TD_ARENA_NEW(arena, double, (n + 1) * (size_t)(c->degree + 1));
    if (!slope || !bend || !data->point || !data->coefficient || !derive(s, slope, bend))
        return false;
    for (size_t i = 0; i + 1 < n; i++) {
        double piece[TD_SPLINE_POWERS];
        td_spline_piece(c->degree, c->at[i + 1] - c->at[i], c->value + i, slope + i, bend + i,
                        piece);
        for (int k = 0; k <= c->degree; k++)
            data->coefficient[(i + 1) * (size_t)(c->degree + 1) + (size_t)k] = piece[k];
    }
    const double length = c->at[n - 1] - c->at[0];
    data->density = (double)(n - 1) / length;
    data->period = c->ends == TD_CURVE_ENDS_PERIODIC ? length : 0;
    continue_ends(c, slope, data);
    bool finite = isfinite(data->density) && isfinite(length);
    for (size_t i = 0; i < (n + 1) * (size_t)(c->degree + 1); i++)
        finite = finite && isfinite(data->coefficient[i]);
    if (!finite) {
        refuse(s, "move the points farther apart, or use smaller values",
               "it is too steep between its points: the coefficients overflow");
        return true;
    }
    if (c->ends == TD_CURVE_ENDS_HERMITE && !c->kinks)
        look_for_kinks(s, data);
    look_for_steps(s);
    return true;
}

/* ---- whole curves ---------------------------------------------------------------------------- */

static void find_range(const td_curve *c, td_curve_data *data)
{
    const bool table = c->type == TD_CURVE_SPLINE,
               endless = table && c->ends == TD_CURVE_ENDS_PERIODIC;
    data->lower = endless ? -INFINITY : table ? c->at[0] : c->lower;
    data->upper = endless ? INFINITY : table ? c->at[c->points - 1] : c->upper;
}

bool td_make_curve(td_build *build, const td_follower *follower, const td_curve *record,
                   td_curve_data *curve)
{
    subject s = {build, follower, record, true};
    td_arena *arena = &build->model->records.arena;
    bool ok = true;
    *curve = (td_curve_data){0};
    if (record->type == TD_CURVE_POLYNOMIAL)
        ok = make_polynomial(&s, arena, curve);
    else if (record->type == TD_CURVE_SINE)
        make_sine(&s, curve);
    else
        ok = make_spline(&s, arena, curve);
    if (!ok || !s.good)
        return ok;
    find_range(record, curve);
    if (!(curve->lower < curve->upper))
        refuse(&s, "give the smaller end first", "the range from %.9g to %.9g is empty",
               curve->lower, curve->upper);
    return true;
}
