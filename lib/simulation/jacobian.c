/* SPDX-License-Identifier: MIT */
/*
 * The Jacobian ∂f/∂x of the equations, for the methods that solve for their stages: by differences.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "integrator_inside.h"

/* The difference of x_j is the root of rounding, relative to a number of this size and more. */
static const double LEAST = 1e-3;

td_status td_integrator_jacobian(td_integrator *i, double *J)
{
    const size_t n = i->ode.size;
    double *x = i->trial, *rate = i->scratch;
    td_status status = td_integrator_current_rate(i);
    memcpy(x, i->x, n * sizeof *x);
    for (size_t j = 0; j < n && status == TD_OK; j++) {
        const double step = sqrt(DBL_EPSILON * fmax(LEAST, fabs(x[j])));
        x[j] = i->x[j] + (i->x[j] < 0 ? -step : step);
        const double h = x[j] - i->x[j];
        status = td_integrator_rate(i, i->t, x, rate);
        for (size_t k = 0; k < n; k++)
            J[k * n + j] = (rate[k] - i->rate[k]) / h;
        x[j] = i->x[j];
    }
    return status;
}
