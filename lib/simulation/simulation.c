/* SPDX-License-Identifier: MIT */
/*
 * Start, steps and queries of a simulation. The integrated equations are in rates.c, the energy in
 * energy.c.
 */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/coordinates.h"
#include "base/sized.h"
#include "integrator_inside.h"
#include "simulation_inside.h"

static td_status start(td_simulation *s, double t, const double *y, const double *yd,
                       const double *z)
{
    s->started = false;
    s->failed_loop = TD_NONE;
    td_simulation_choose_y(s);
    td_simulation_find_home(s);
    memset(s->x, 0, s->size * sizeof *s->x);
    memcpy(s->x, y ? y : td_reference(s->model, TD_COORDINATES_INDEPENDENT), s->ny * sizeof *s->x);
    if (yd)
        memcpy(s->x + s->np, yd, s->nyd * sizeof *yd);
    if (z)
        memcpy(s->x + s->np + s->nyd, z, s->options.states * sizeof *z);
    for (size_t i = 0; i < s->row_count; i++) {
        s->rows[i].mode = TD_ROW_OFF;
        s->rows[i].rests = false;
        s->rows[i].left = -INFINITY;
    }
    s->event_count = 0;
    s->events_since = 0;
    s->burst = t;
    s->resolution = 0;
    td_status status = td_simulation_look(s, t, s->x);
    if (status == TD_OK)
        status = td_simulation_accelerate(s, t, s->x, NULL);
    if (status != TD_OK)
        return status;
    td_simulation_project(s, t, s->x);
    if (s->row_count > 0)
        status = td_simulation_settle(s, t, s->x, NULL);
    if (status == TD_OK && s->fixed)
        status = td_simulation_energy(s, s->begin_energy);
    if (status == TD_OK)
        status = td_integrator_start(s->integrator, t, s->x);
    s->started = status == TD_OK;
    return status;
}

td_status td_simulation_start(td_simulation *s, double t, const double *y, const double *yd,
                              const double *z)
{
    return s ? TD_IN_INDEPENDENT(s->w, start(s, t, y, yd, z)) : TD_ERROR_ARGUMENT;
}

/* Closes the loops at the current state. The next step follows them from there. */
static td_status close_end(td_simulation *s)
{
    if (!s->iterated)
        return TD_OK;
    const double t = td_integrator_time(s->integrator);
    td_status status = TD_OK;
    /* already closed if the last stage is the first one of the next step */
    if (!td_integrator_rate_is_known(s->integrator) || s->latest != t) {
        memcpy(s->x, td_integrator_state(s->integrator), s->size * sizeof *s->x);
        status = td_simulation_look(s, t, s->x);
        if (status == TD_OK)
            status = td_closure(s->model, s->w, s->u, NULL, NULL, s->q, NULL, NULL);
    }
    if (status == TD_OK)
        td_simulation_begin_loops(s);
    return status;
}

/* Counts an event at t. Returns false if there are too many in too short a time. */
static bool count_event(td_simulation *s, double t)
{
    enum { MOST = 10000 };
    static const double BURST = 1e-6;
    if (s->events_since++ < MOST)
        return true;
    const bool advances = t - s->burst > BURST;
    s->events_since = 0;
    s->burst = t;
    return advances;
}

/* Ends the step at t, and continues from the state after the events. */
static td_status happen(td_simulation *s, double t)
{
    td_status status = td_integrator_cut(s->integrator, t);
    if (status == TD_OK)
        status = close_end(s);
    if (status != TD_OK)
        return status;
    if (!count_event(s, t))
        return TD_ERROR_EVENTS;
    memcpy(s->x, td_integrator_state(s->integrator), s->size * sizeof *s->x);
    status = td_simulation_settle(s, t, s->x, s->happened);
    return status == TD_OK ? td_integrator_jump(s->integrator, s->x) : status;
}

/* Selects the coordinates of the next step. */
static td_status choose(td_simulation *s, bool at_once, bool *changed)
{
    const double t = td_integrator_time(s->integrator);
    memcpy(s->x, td_integrator_state(s->integrator), s->size * sizeof *s->x);
    td_status status = td_simulation_choose(s, t, s->x, at_once, changed);
    return status == TD_OK && *changed ? td_integrator_start(s->integrator, t, s->x) : status;
}

static bool is_of_loops(td_status status)
{
    return status == TD_ERROR_ASSEMBLY || status == TD_ERROR_BRANCH ||
           status == TD_ERROR_CLOSURE_SINGULAR;
}

/* Takes a step to a state at which loops close. Methods whose last stage is elsewhere have not
   checked this. A step that goes too far is undone, and repeated with a shorter length unless
   the length is fixed. */
static td_status step_closed(td_simulation *s, double until)
{
    static const double SHORTER = 0.25, SHORTEST = 1e-8;
    td_status status = td_integrator_step(s->integrator, until);
    if (status != TD_OK)
        return status;
    const double begin = td_integrator_begin(s->integrator);
    const double whole = td_integrator_time(s->integrator) - begin;
    double h = whole;
    while (status == TD_OK && (status = close_end(s)) != TD_OK) {
        const td_status back = td_integrator_cut(s->integrator, begin);
        h *= SHORTER;
        if (back != TD_OK || s->fixed || !is_of_loops(status) || h < SHORTEST * whole)
            return back != TD_OK ? back : status;
        status = td_integrator_step(s->integrator, begin + h);
    }
    return status;
}

/* Takes a step in coordinates that are away from dead points. If the step reveals a dead point,
   selects other coordinates and repeats it. */
static td_status step(td_simulation *s, double until)
{
    bool changed = false;
    td_status status = s->iterated && until > td_integrator_time(s->integrator)
                           ? choose(s, false, &changed)
                           : TD_OK;
    if (status == TD_OK)
        status = step_closed(s, until);
    if (is_of_loops(status))
        s->failed_loop = td_failed_loop(s->w, NULL);
    if (!s->iterated || !is_of_loops(status))
        return status;
    if (changed)
        return status;
    const td_status again = choose(s, true, &changed);
    return again == TD_OK && changed ? step_closed(s, until) : status;
}

/* Takes a step and handles the events at its end. */
static td_status step_and_happen(td_simulation *s, double until)
{
    const double begin = td_integrator_time(s->integrator);
    td_status status = step(s, until);
    if (status != TD_OK || s->row_count == 0)
        return status;
    for (size_t i = 0; i < s->row_count && td_integrator_time(s->integrator) > begin; i++) {
        s->rows[i].step_mode = s->rows[i].mode;
        s->rows[i].step_sign = s->rows[i].sign;
    }
    double t;
    const double end = td_integrator_time(s->integrator);
    s->resolution = 16 * DBL_EPSILON * fmax(fabs(end), end - begin);
    status = td_integrator_locate(s->integrator, &t, s->happened);
    return status == TD_OK && isfinite(t) ? happen(s, t) : status;
}

/* Returns whether a diverging motion can end with this status. */
static bool may_diverge(td_status status)
{
    return is_of_loops(status) || status == TD_ERROR_SINGULAR || status == TD_ERROR_NOT_FINITE ||
           status == TD_ERROR_STEP || status == TD_ERROR_REACTION;
}

static td_status step_once(td_simulation *s, double until)
{
    s->event_count = 0;
    td_simulation_enter(s);
    td_status status = step_and_happen(s, until);
    const bool diverges = s->fixed && may_diverge(status) && td_simulation_diverges(s);
    td_simulation_leave(s);
    td_simulation_note_start(s);
    if (!diverges)
        return status;
    s->failed_loop = TD_NONE;
    return TD_ERROR_DIVERGED;
}

td_status td_simulation_step(td_simulation *s, double until)
{
    return s && s->started ? TD_IN_INDEPENDENT(s->w, step_once(s, until)) : TD_ERROR_ARGUMENT;
}

static td_status jump(td_simulation *s)
{
    td_simulation_enter(s);
    const double t = td_integrator_time(s->integrator);
    s->event_count = 0;
    memcpy(s->x, td_integrator_state(s->integrator), s->size * sizeof *s->x);
    td_simulation_project(s, t, s->x);
    td_status status = td_simulation_look(s, t, s->x);
    if (status == TD_OK)
        status = td_simulation_accelerate(s, t, s->x, NULL);
    if (status == TD_OK && s->row_count > 0)
        status = td_simulation_settle(s, t, s->x, NULL);
    td_simulation_remember(s);
    if (status == TD_OK)
        status = td_integrator_jump(s->integrator, s->x); /* uses the end of the step */
    td_simulation_recall(s);
    td_simulation_leave(s);
    s->started = status == TD_OK;
    return status;
}

td_status td_simulation_jump(td_simulation *s)
{
    return s && s->started ? TD_IN_INDEPENDENT(s->w, jump(s)) : TD_ERROR_ARGUMENT;
}

size_t td_simulation_event_count(const td_simulation *s)
{
    return s ? s->event_count : 0;
}

void td_simulation_event_read(const td_simulation *s, size_t i, td_simulation_event *event,
                              size_t size_of)
{
    static const td_simulation_event none = {.t = NAN, .joint = TD_NONE, .loop = TD_NONE};
    td_sized_write(event, size_of, s && i < s->event_count ? &s->events[i] : &none, sizeof none);
}

const char *td_event_text(td_event_kind kind)
{
    static const char *const texts[] = {
#define TD_EVENT_TEXT(code, text) text,
        TD_EVENT_TABLE(TD_EVENT_TEXT)
#undef TD_EVENT_TEXT
    };
    return (size_t)kind < sizeof texts / sizeof *texts ? texts[kind] : "unknown event";
}

td_status td_simulation_advance(td_simulation *s, double t)
{
    if (!s || !s->started || !(t >= td_integrator_time(s->integrator)))
        return TD_ERROR_ARGUMENT;
    td_status status = TD_OK;
    while (status == TD_OK && td_integrator_time(s->integrator) < t)
        status = td_simulation_step(s, t);
    return status;
}

double td_simulation_time(const td_simulation *s)
{
    return s ? td_integrator_time(s->integrator) : 0;
}

double td_simulation_begin(const td_simulation *s)
{
    return s ? td_integrator_begin(s->integrator) : 0;
}

size_t td_simulation_failed_loop(const td_simulation *s)
{
    if (!s)
        return TD_NONE;
    if (s->failed_loop != TD_NONE)
        return s->failed_loop;
    return td_failed_loop(s->w, NULL);
}

void td_simulation_counts_read(const td_simulation *s, td_integrator_counts *counts, size_t size_of)
{
    const td_integrator_counts ours = td_integrator_counts_of(s ? s->integrator : NULL);
    td_sized_write(counts, size_of, &ours, sizeof ours);
}
