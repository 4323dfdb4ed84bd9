/* SPDX-License-Identifier: MIT */
/*
 * Bounds of velocities over a step. Bounds of position, velocity and acceleration of a joint are
 * combined into one interval of its q̇. A row of G with a single entry bounds that coordinate;
 * other rows remain rows.
 */
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/limit.h"
#include "ik/rate.h"

/* ---- list of bounds -------------------------------------------------------------------------- */

static double chosen(const double *given, size_t i, double otherwise)
{
    return given ? given[i] : otherwise;
}

/* Returns velocity k of a joint with its own bounds. *free counts velocities that do not follow
   others. */
static td_ik_mover mover_of(const td_model *model, const td_ik_rate_options *options, size_t joint,
                            size_t k, size_t *free)
{
    const td_joint *record = td_joint_at(model, joint);
    const td_joint_kind *kind = td_joint_kind_of(record->type);
    const td_joint_place place = td_joint_place_at(model, joint);
    const double own = record->limit.velocity > 0 ? record->limit.velocity : INFINITY;
    const size_t qd = place.qd + k;
    const bool follows = place.dependent || (place.dependents >> k & 1);
    td_ik_mover m = {.qd = qd,
                     .yd = follows ? TD_NONE : place.yd + (*free)++,
                     .lower = -INFINITY,
                     .upper = INFINITY,
                     .velocity = chosen(options->velocities, qd, own),
                     .acceleration = chosen(options->accelerations, qd, INFINITY)};
    m.q = kind->quaternion == TD_NONE ? place.q + k : 0;
    if (kind->bounded) {
        m.lower = isnan(record->limit.lower) ? -INFINITY : record->limit.lower;
        m.upper = isnan(record->limit.upper) ? INFINITY : record->limit.upper;
    }
    return m;
}

static bool is_bounded(const td_ik_mover *m)
{
    return isfinite(m->lower) || isfinite(m->upper) || isfinite(m->velocity) ||
           isfinite(m->acceleration);
}

void td_ik_rate_bounded(const td_model *model, const td_ik_rate_options *options,
                        unsigned char *bounded)
{
    for (size_t i = 0; i < td_joint_count(model); i++)
        for (size_t k = 0, free = 0; k < td_joint_place_at(model, i).nv; k++) {
            const td_ik_mover m = mover_of(model, options, i, k, &free);
            bounded[m.qd] = m.yd == TD_NONE && is_bounded(&m);
        }
}

size_t td_ik_rate_movers(const td_ik_rate *rate, size_t *followers, td_ik_mover *mover)
{
    const td_ik *ik = rate->ik;
    size_t count = 0;
    *followers = 0;
    for (size_t i = 0; i < td_joint_count(ik->model); i++) {
        for (size_t k = 0, free = 0; k < td_joint_place_at(ik->model, i).nv; k++) {
            td_ik_mover m = mover_of(ik->model, &rate->options, i, k, &free);
            if (m.yd != TD_NONE) {
                m.lower = ik->least[m.yd];
                m.upper = ik->most[m.yd];
            }
            if (!is_bounded(&m))
                continue;
            if (mover)
                mover[count] = m;
            count++;
            *followers += m.yd == TD_NONE;
        }
    }
    return count;
}

/* ---- interval of a velocity ------------------------------------------------------------------ */

/* Returns the largest velocity toward a limit at the distance `far` that allows stopping before
   it. With steps of h and the deceleration a, the joint moves v h, then (v − a h) h, and so on. */
static double towards(double far, double h, double a)
{
    if (far <= 0 || isinf(a) || isinf(far))
        return far / h;
    const double change = a * h * h;
    const double m = floor(0.5 * (sqrt(1 + 8 * far / change) - 1)); /* steps after the first one */
    return (far + 0.5 * m * (m + 1) * change) / ((m + 1) * h);
}

typedef struct interval {
    double lower, upper;
} interval;

static interval interval_of(const td_ik_rate *rate, const td_ik_mover *m, bool moves)
{
    const double h = rate->options.step, v = m->velocity, a = m->acceleration;
    interval x = {-v, v};
    if (isfinite(m->lower))
        x.lower = fmax(x.lower, fmin(-towards(rate->q[m->q] - m->lower, h, a), v));
    if (isfinite(m->upper))
        x.upper = fmin(x.upper, fmax(towards(m->upper - rate->q[m->q], h, a), -v));
    if (moves && isfinite(a)) {
        x.lower = fmax(x.lower, rate->qd[m->qd] - (a + rate->qdd[m->qd]) * h);
        x.upper = fmin(x.upper, rate->qd[m->qd] + (a - rate->qdd[m->qd]) * h);
    }
    return x;
}

/* Replaces an empty interval by its middle, which violates both ends least. Returns false if it was
   empty by more than rounding. */
static bool make_sound(double *lower, double *upper)
{
    if (*lower <= *upper)
        return true;
    const double gap = *lower - *upper, size = fabs(*lower) + fabs(*upper);
    *lower = *upper = 0.5 * (*lower + *upper);
    return gap <= 1e-12 * size;
}

/* Returns a negligible velocity: over a step it moves the joint by no more than the tolerance of
   limits, the size of errors of first-order steps. */
static double nothing(const td_ik_rate *rate, const td_ik_mover *m)
{
    return td_limit_tolerance(rate->q[m->q]) / rate->options.step;
}

/* ---- all bounds ------------------------------------------------------------------------------ */

static void put_row(td_ik_rate *rate, size_t mover, interval x)
{
    const td_ik *ik = rate->ik;
    const double *g = rate->G + rate->mover[mover].qd * ik->n;
    for (size_t k = 0; k < ik->columns; k++)
        rate->B[rate->rows * ik->columns + k] = g[ik->column[k]];
    rate->row[rate->rows] = mover;
    rate->row_lower[rate->rows] = x.lower;
    rate->row_upper[rate->rows] = x.upper;
    rate->rows++;
}

/* Returns the only column of a follower's row. Returns the number of columns if there are
   several, or none (*none). */
static size_t single(const td_ik_rate *rate, const double *g, bool *none)
{
    const td_ik *ik = rate->ik;
    size_t found = ik->columns, count = 0;
    for (size_t k = 0; k < ik->columns; k++)
        if (fabs(g[ik->column[k]]) > 1e-12) { /* smaller entries are dead points */
            found = k;
            count++;
        }
    *none = count == 0;
    return count == 1 ? found : ik->columns;
}

/* Restricts ẏ of a column by the bounds of a velocity that follows it alone. Returns false if
   nothing is left. */
static bool narrow(td_ik_rate *rate, const td_ik_mover *m, size_t v, double g, interval x)
{
    const double a = x.lower / g, b = x.upper / g, gap = nothing(rate, m) / fabs(g);
    double low = fmin(a, b), high = fmax(a, b);
    if (low > rate->upper[v] + gap || high < rate->lower[v] - gap)
        return false;
    low = fmin(low, rate->upper[v]);
    high = fmax(high, rate->lower[v]);
    if (low > rate->lower[v]) {
        rate->lower[v] = low;
        rate->below[v] = m->qd;
        rate->turned[v] = (signed char)((rate->turned[v] & 2) | (g < 0 ? 1 : 0));
    }
    if (high < rate->upper[v]) {
        rate->upper[v] = high;
        rate->above[v] = m->qd;
        rate->turned[v] = (signed char)((rate->turned[v] & 1) | (g < 0 ? 2 : 0));
    }
    return true;
}

static bool own_bounds(td_ik_rate *rate, bool moves)
{
    bool sound = true;
    for (size_t v = 0; v < rate->ik->n; v++) {
        rate->lower[v] = -INFINITY;
        rate->upper[v] = INFINITY;
        rate->below[v] = rate->above[v] = 0;
        rate->turned[v] = 0;
    }
    for (size_t i = 0; i < rate->movers; i++) {
        const td_ik_mover *m = &rate->mover[i];
        if (m->yd == TD_NONE || rate->ik->held[m->yd])
            continue;
        interval x = interval_of(rate, m, moves);
        sound = make_sound(&x.lower, &x.upper) && sound;
        rate->lower[m->yd] = x.lower;
        rate->upper[m->yd] = x.upper;
        rate->below[m->yd] = rate->above[m->yd] = m->qd;
    }
    return sound;
}

/* Sets ẏ of coordinates that do not affect goals: as close to 0 as bounds allow, 0 if held. */
static void rest(td_ik_rate *rate)
{
    const td_ik *ik = rate->ik;
    for (size_t v = 0; v < ik->n; v++)
        rate->rest[v] = ik->held[v] ? 0 : fmin(fmax(0, rate->lower[v]), rate->upper[v]);
    for (size_t k = 0; k < ik->columns; k++)
        rate->rest[ik->column[k]] = 0;
}

/* Adds the bounds of followers: to a column if there is only one and all can be merged (merge),
   otherwise as rows. */
static bool follow(td_ik_rate *rate, bool moves, bool merge, bool *sound)
{
    const td_ik *ik = rate->ik;
    rate->rows = 0;
    for (size_t i = 0; i < rate->movers; i++) {
        const td_ik_mover *m = &rate->mover[i];
        if (m->yd != TD_NONE)
            continue;
        const double *g = rate->G + m->qd * ik->n;
        interval x = interval_of(rate, m, moves);
        const double fixed = td_dense_dot(ik->n, g, rate->rest);
        bool none;
        x.lower -= fixed;
        x.upper -= fixed;
        *sound = make_sound(&x.lower, &x.upper) && *sound;
        const size_t k = single(rate, g, &none);
        if (none)
            *sound = *sound && x.lower <= nothing(rate, m) && x.upper >= -nothing(rate, m);
        else if (!merge || k == ik->columns)
            put_row(rate, i, x);
        else if (!narrow(rate, m, ik->column[k], g[ik->column[k]], x))
            return false;
    }
    return true;
}

bool td_ik_rate_bounds(td_ik_rate *rate, bool moves)
{
    bool sound = own_bounds(rate, moves), all = sound;
    rest(rate);
    rate->rows = 0;
    if (rate->followers && !follow(rate, moves, true, &all)) {
        own_bounds(rate, moves);
        all = sound;
        follow(rate, moves, false, &all);
    }
    for (size_t k = 0; k < rate->ik->columns; k++) {
        rate->column_lower[k] = rate->lower[rate->ik->column[k]];
        rate->column_upper[k] = rate->upper[rate->ik->column[k]];
    }
    return all;
}
