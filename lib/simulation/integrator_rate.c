/* SPDX-License-Identifier: MIT */
/*
 * Functions for all methods: counted evaluation of rates, and the end of a step.
 */
#include <string.h>

#include "base/dense.h"
#include "integrator_inside.h"

bool td_integrator_is_finite(const td_integrator *i, const double *x)
{
    return td_dense_finite(i->ode.size, x);
}

td_status td_integrator_rate(td_integrator *i, double t, const double *x, double *rate)
{
    i->counts.evaluations++;
    td_status status = i->ode.rate(i->ode.context, t, x, rate);
    if (status == TD_OK && !td_dense_finite(i->ode.size, rate))
        status = TD_ERROR_NOT_FINITE;
    return status;
}

td_status td_integrator_current_rate(td_integrator *i)
{
    if (i->rate_known)
        return TD_OK;
    td_status status = td_integrator_rate(i, i->t, i->x, i->rate);
    i->rate_known = status == TD_OK;
    return status;
}

bool td_integrator_rate_is_known(const td_integrator *i)
{
    return i->rate_known;
}

void td_integrator_forget_rate(td_integrator *i)
{
    i->rate_known = false;
}

void td_integrator_accept(td_integrator *i, double t)
{
    double *old = i->x_begin;
    i->x_begin = i->x;
    i->x = i->trial;
    i->trial = old;
    i->begin = i->t;
    i->t = t;
    i->dense_known = false;
    i->counts.steps++;
    if (i->ode.project)
        i->ode.project(i->ode.context, t, i->x);
}
