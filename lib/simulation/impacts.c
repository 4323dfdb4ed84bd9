/* SPDX-License-Identifier: MIT */
/*
 * Impacts at stops. With the rows J of all touched stops, v⁻ = J ẏ and restitution e:
 *
 *   ẏ⁺ = ẏ⁻ + M⁻¹ Jᵀ p,   0 ≤ p ⊥ v⁺ + e v⁻ ≥ 0                        (Newton; Moreau 1988)
 *
 * The work pᵀ (v⁻ + v⁺)/2 is never positive. Slow impacts stop all touched rows, v⁺ = 0.
 */
#include <float.h>
#include <math.h>

#include "bounded.h"
#include "simulation_inside.h"

static const double ROUNDING = 1e-13; /* rad/s or m/s */
/* largest change of a velocity by holding a row, rad/s or m/s */
static const double STOPPED = 1e-6;

void td_rows_report(td_simulation *s, const td_row *row, double t, td_event_kind kind,
                    double impulse)
{
    if (s->event_count < 2 * s->row_count)
        s->events[s->event_count++] = (td_simulation_event){
            .t = t, .kind = kind, .joint = row->joint, .impulse = impulse, .loop = row->loop};
}

td_status td_rows_contradiction(td_simulation *s, double t, size_t count)
{
    if (!s->given)
        return TD_ERROR_REACTION;
    for (size_t i = 0; i < count; i++) {
        const td_row *row = &s->rows[s->reactions.active[i]];
        if (row->stop && s->reactions.b[i] < 0)
            td_rows_report(s, row, t, row->sign > 0 ? TD_EVENT_LOWER_STOP : TD_EVENT_UPPER_STOP, 0);
    }
    return TD_ERROR_STOP;
}

td_status td_rows_look_at(td_simulation *s, double t, const double *x)
{
    td_status status = td_simulation_look(s, t, x);
    return status == TD_OK ? td_rows_look(s) : status;
}

double td_rows_kick(td_simulation *s, double *x, size_t count)
{
    const td_reactions *k = &s->reactions;
    double *v = x + s->np, *change = k->extra, work = 0;
    const size_t n = s->nyd;
    for (size_t j = 0; j < n; j++) {
        change[j] = 0;
        for (size_t i = 0; i < count; i++)
            change[j] += k->X[i * n + j] * k->lambda[i];
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            work += (v[i] + 0.5 * change[i]) * k->full[i * n + j] * change[j];
    for (size_t j = 0; j < n; j++)
        v[j] += change[j];
    return work;
}

bool td_row_is_touched(const td_row *row)
{
    return row->stop && (row->gap <= TD_NEAR || row->mode == TD_ROW_HOLDS);
}

double td_row_rounding(const td_simulation *s, const td_row *row)
{
    static const double CLOSED = 1e-12;
    const double size = fmax(fabs(s->q[row->q]), fabs(row->at));
    return s->u_of_q[row->q] < 0 ? CLOSED : fmax(4 * DBL_EPSILON * size, DBL_MIN);
}

/* Returns whether a joint that reaches its stop at t with speed v was away from it long and far
   enough to be distinguished from rest. Impacts are located late by up to the rounding δ of
   times and g of gaps. Under an acceleration a toward the stop this increases the speed: v ≤ v'
   + a δ and v² ≤ v'² + 2 a g, where v' is the speed at the start of the flight. A flight has the
   duration T ≈ 2 v'/a and the height v' T/4. So the increase is less than the loss in the impact
   if (1 − e) T > 2 δ and (1 − e) v T > 4 g. Bounces then become slower until there is no flight. */
static bool is_flight(const td_simulation *s, const td_row *row, double t, double v)
{
    static const double LEAST = 1e-3, SAFE = 4;
    const double taken = fmax(1 - s->options.restitution, LEAST), duration = t - row->left;
    return taken * duration > SAFE * s->resolution &&
           taken * v * duration > SAFE * 4 * td_row_rounding(s, row);
}

/* Lists the touched stops in active. Returns whether a joint moves into one of them; *fastest is
   the largest such speed after a flight. */
static bool touched(td_simulation *s, double t, size_t *count, double *fastest)
{
    double largest = 1, speed = 0;
    *count = 0;
    *fastest = 0;
    for (size_t i = 0; i < s->row_count; i++) {
        const td_row *row = &s->rows[i];
        if (!td_row_is_touched(row))
            continue;
        const double v = -row->sign * row->rate;
        speed = fmax(speed, v);
        if (v > s->options.rest_speed && is_flight(s, row, t, v))
            *fastest = fmax(*fastest, v);
        largest = fmax(largest, fabs(row->rate));
        s->reactions.active[(*count)++] = i;
    }
    return speed > ROUNDING * largest;
}

bool td_row_passes(const td_simulation *s, size_t count, size_t i)
{
    static const double NOTHING = 1e-9; /* relative to the motion by u̇ */
    const td_reactions *k = &s->reactions;
    const double rate = fabs(s->rows[k->active[i]].rate);
    double moved = 0, change = 0;
    for (size_t j = 0; j < s->nyd; j++) {
        moved = fmax(moved, fabs(k->J[i * s->nyd + j]));
        change = fmax(change, fabs(k->X[i * s->nyd + j]) * rate);
    }
    return rate <= TD_AT_REST && (moved <= NOTHING || !(change < STOPPED * k->A[i * count + i]));
}

/* Computes one impact of all touched stops, including stops at rest and stops that joints leave.
   With the same e for all, kinetic energy does not grow, and stops that share a freedom do not
   contradict each other. The result does not depend on the side of zero to which rounding moves
   a rate at rest. If a joint then moves into a stop that it was leaving, another impact follows.

   A slow impact at one of several stops could throw a joint off another one. It would fall back
   and throw off the first, without end, if the mass matrix couples them. So slow impacts bring
   all of them to rest together (p of either sign), with the joints that stick. Their
   accelerations then decide which are released. */
static td_status impact_once(td_simulation *s, double t, double *x, size_t count, double e,
                             bool rest)
{
    td_reactions *k = &s->reactions;
    for (size_t i = 0; i < s->row_count && rest; i++)
        if (!s->rows[i].stop && s->rows[i].mode == TD_ROW_HOLDS)
            k->active[count++] = i;
    td_status status = td_rows_matrix(s, count);
    if (status != TD_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        const td_row *row = &s->rows[k->active[i]];
        const double v = td_row_sign(row) * row->rate;
        k->b[i] = rest ? v : v + e * v;
        const bool moves = !td_row_passes(s, count, i);
        k->lower[i] = moves && rest && (!row->stop || v <= TD_AT_REST) ? -INFINITY : 0;
        k->upper[i] = moves ? INFINITY : 0;
    }
    if (!td_bounded_solve(count, k->A, k->b, k->lower, k->upper, k->lambda, &s->stack))
        return td_rows_contradiction(s, t, count);
    for (size_t i = 0; i < count; i++)
        s->rows[k->active[i]].impulse += k->lambda[i];
    x[s->size - 1] += td_rows_kick(s, x, count);
    return td_rows_look_at(s, t, x);
}

/* After many impacts, the last ones have no restitution. */
td_status td_rows_impact(td_simulation *s, double t, double *x)
{
    enum { ELASTIC = 50, MOST = 60 };
    size_t count;
    double fastest;
    td_status status = TD_OK;
    for (size_t i = 0; i < s->row_count; i++)
        s->rows[i].impulse = 0;
    for (int n = 0; n < MOST && status == TD_OK && touched(s, t, &count, &fastest); n++)
        status =
            impact_once(s, t, x, count, n < ELASTIC ? s->options.restitution : 0, fastest == 0);
    for (size_t i = 0; i < s->row_count && status == TD_OK; i++) {
        const td_row *row = &s->rows[i];
        if (row->mode != TD_ROW_HOLDS && row->impulse > 0)
            td_rows_report(s, row, t, row->sign > 0 ? TD_EVENT_LOWER_STOP : TD_EVENT_UPPER_STOP,
                           row->impulse);
    }
    return status;
}
