/* SPDX-License-Identifier: MIT */
/*
 * The integrator object: memory, start, and one step of any method. Methods are in fixed_step.c,
 * dormand_prince.c and radau.c; the solution between steps is in dense_output.c.
 */
#include "integrator_inside.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"

/* ---- options --------------------------------------------------------------------------------- */

static bool is_length(double x)
{
    return isfinite(x) && x >= 0;
}

static bool options_are_valid(const td_integrator_options *o)
{
    return (unsigned)o->method <= TD_METHOD_EXPONENTIAL_LINEAR && is_length(o->step) &&
           is_length(o->atol) && is_length(o->longest) && is_length(o->rtol) &&
           (td_method_is_fixed(o->method) || o->rtol > 0 || o->atol > 0) && o->event_parts > 0;
}

static bool ode_is_valid(const td_ode *ode)
{
    return ode->size > 0 && ode->size < SIZE_MAX / 64 / sizeof(double) && ode->rate &&
           ode->positions <= ode->size && ode->velocities <= ode->size - ode->positions &&
           (ode->events == 0 || ode->event) && ode->events < SIZE_MAX / 64 / sizeof(double);
}

static bool read_options(const td_integrator_options *given, td_integrator_options *ours)
{
    *ours = td_integrator_options_default();
    if (given && !td_sized_read(ours, sizeof *ours, given))
        return false;
    if (!options_are_valid(ours))
        return false;
    if (ours->atol == 0)
        ours->atol = ours->rtol;
    if (td_method_is_fixed(ours->method) && ours->step == 0)
        ours->step = 1e-3;
    return true;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Returns whether the method may use Radau's. TD_METHOD_AUTO only does if the number of
   equations is moderate. */
static bool has_radau(td_method method, size_t size)
{
    enum { MOST = 400 };
    return method == TD_METHOD_RADAU || (method == TD_METHOD_AUTO && size <= MOST);
}

bool td_method_has_jacobian(td_method method, size_t size)
{
    return td_method_is_exponential(method) || has_radau(method, size);
}

/* below this tolerance TD_METHOD_AUTO uses the explicit method of order 8, which needs less work */
static const double FINE = 1e-9;

static const td_pair *pair_of(const td_integrator_options *options)
{
    const double tolerance = options->rtol > 0 ? options->rtol : options->atol;
    const bool fine = options->method == TD_METHOD_AUTO && tolerance < FINE;
    return fine || options->method == TD_METHOD_DORMAND_PRINCE_8 ? &td_dormand_prince_8
                                                                 : &td_dormand_prince_5;
}

/* Returns the polynomial with the most stages and terms. */
static const td_polynomial *longest_polynomial(const td_pair *pair)
{
    return pair->full.terms > 0 ? &pair->full : &pair->plain;
}

static void integrator_take(td_integrator *i, td_stack *stack)
{
    const size_t n = i->ode.size, events = i->ode.events;
    i->x = td_take(stack, double, n);
    i->x_begin = td_take(stack, double, n);
    const td_polynomial *polynomial = longest_polynomial(i->pair);
    for (int k = 0; k < polynomial->stages; k++)
        i->k[k] = td_take(stack, double, n);
    i->rate = td_take(stack, double, n);
    i->trial = td_take(stack, double, n);
    i->scratch = td_take(stack, double, n);
    for (int k = 0; k < TD_CUBIC + polynomial->terms; k++)
        i->dense[k] = td_take(stack, double, n);
    i->value = td_take(stack, double, events);
    i->begin_value = td_take(stack, double, events);
    i->probe = td_take(stack, double, events);
    i->block = td_take(stack, double, (TD_BLOCK + 1) * events);
    i->armed = td_take(stack, bool, events);
    i->armed_before = td_take(stack, bool, events);
    if (has_radau(i->options.method, i->ode.size))
        i->radau = td_radau_take(i->ode.size, stack);
    if (td_method_is_exponential(i->options.method))
        td_exponential_step_take(i, stack);
}

td_status td_integrator_new(const td_ode *ode, const td_integrator_options *options,
                            td_integrator **integrator)
{
    td_integrator_options o;
    if (integrator)
        *integrator = NULL;
    if (!integrator || !ode || !ode_is_valid(ode) || !read_options(options, &o))
        return TD_ERROR_ARGUMENT;
    td_integrator *i = calloc(1, sizeof *i);
    if (!i)
        return TD_ERROR_MEMORY;
    i->ode = *ode;
    i->options = o;
    i->pair = pair_of(&o);
    if ((td_method_has_jacobian(o.method, ode->size) &&
         ode->size > SIZE_MAX / 64 / sizeof(double) / ode->size) ||
        !td_take_twice(&i->stack, integrator_take(i, &i->stack))) {
        td_integrator_free(i);
        return TD_ERROR_MEMORY;
    }
    *integrator = i;
    return TD_OK;
}

void td_integrator_free(td_integrator *integrator)
{
    if (!integrator)
        return;
    td_stack_end(&integrator->stack);
    free(integrator);
}

/* ---- start ----------------------------------------------------------------------------------- */

static td_method first_method(const td_integrator *i)
{
    if (i->options.method != TD_METHOD_AUTO)
        return i->options.method;
    return i->radau && i->ode.velocities > 0 ? TD_METHOD_RADAU : i->pair->method;
}

td_status td_integrator_start(td_integrator *i, double t, const double *x)
{
    if (!i || !x)
        return TD_ERROR_ARGUMENT;
    if (!isfinite(t) || !td_integrator_is_finite(i, x))
        return TD_ERROR_NOT_FINITE;
    memmove(i->x, x, i->ode.size * sizeof *x);
    memcpy(i->x_begin, i->x, i->ode.size * sizeof *x);
    i->t = i->begin = i->origin = t;
    i->count = 0;
    i->next = i->options.step;
    i->last_error = 1e-4;
    i->failing = 0;
    i->rate_known = i->dense_known = false;
    i->started = true;
    td_radau_restart(i);
    i->active = i->wanted = first_method(i);
    i->speaks = i->hushes = 0;
    memset(i->armed, 0, i->ode.events * sizeof *i->armed);
    return TD_OK;
}

/* ---- switching between two methods ----------------------------------------------------------- */

/* A Radau step takes about 40 evaluations. It saves time if the explicit method would need several
   steps instead: td_pair.worth. */
enum { SPEAKS_STIFF = 10, SPEAKS_SMOOTH = 20, HUSHES = 10 };

bool td_switches(const td_integrator *i)
{
    return i->options.method == TD_METHOD_AUTO && i->radau;
}

void td_switch_after(td_integrator *i, double ratio)
{
    const bool stiff = i->active == TD_METHOD_RADAU;
    if (stiff ? ratio < i->pair->worth : ratio > i->pair->stable) {
        i->hushes = 0;
        i->speaks++;
    } else if (++i->hushes == HUSHES) {
        i->speaks = 0;
    }
    if (i->speaks < (stiff ? SPEAKS_SMOOTH : SPEAKS_STIFF))
        return;
    i->wanted = stiff ? i->pair->method : TD_METHOD_RADAU;
    i->speaks = i->hushes = 0;
    i->last_error = 1e-4;
    td_radau_restart(i);
}

/* ---- one step -------------------------------------------------------------------------------- */

static td_status fixed_step(td_integrator *i, double until)
{
    const double step = i->options.step;
    double end = i->origin + (double)(i->count + 1) * step;
    const bool whole = end <= until - 1e-9 * step;
    if (!whole)
        end = until;
    td_status status = td_integrator_current_rate(i);
    if (status != TD_OK)
        return status;
    double *begin = i->k[0];
    i->k[0] = i->rate;
    i->rate = begin;
    const double h = end - i->t;
    if (td_method_is_exponential(i->options.method))
        status = td_step_exponential(i, h);
    else
        status =
            i->options.method == TD_METHOD_RK4 ? td_step_rk4(i, h) : td_step_semi_implicit(i, h);
    if (status == TD_OK && !td_integrator_is_finite(i, i->trial))
        status = TD_ERROR_NOT_FINITE;
    if (status != TD_OK) {
        i->rate = i->k[0]; /* the rate of the state is still known */
        i->k[0] = begin;
        return status;
    }
    td_integrator_accept(i, end);
    i->rate_known = false;
    i->count++;
    if (!whole) {
        i->origin = end;
        i->count = 0;
    }
    return TD_OK;
}

td_status td_integrator_step(td_integrator *i, double until)
{
    if (!i || !i->started || !(until >= i->t))
        return TD_ERROR_ARGUMENT;
    if (until == i->t)
        return TD_OK;
    i->active = i->wanted; /* the last step's polynomial was evaluated */
    switch (i->active) {
    case TD_METHOD_RADAU:
        return td_step_radau(i, until);
    case TD_METHOD_DORMAND_PRINCE:
    case TD_METHOD_DORMAND_PRINCE_8:
        return td_step_dormand_prince(i, until);
    default:
        return fixed_step(i, until);
    }
}

/* ---- queries --------------------------------------------------------------------------------- */

double td_integrator_time(const td_integrator *i)
{
    return i ? i->t : 0;
}

double td_integrator_begin(const td_integrator *i)
{
    return i ? i->begin : 0;
}

const double *td_integrator_state(const td_integrator *i)
{
    return i ? i->x : NULL;
}

td_integrator_counts td_integrator_counts_of(const td_integrator *i)
{
    return i ? i->counts : (td_integrator_counts){0};
}
