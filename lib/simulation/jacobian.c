/* SPDX-License-Identifier: MIT */
/*
 * The Jacobian ∂f/∂x of the equations, for the methods that solve for their stages: by differences.
 */
#include <string.h>

#include "integrator_inside.h"

td_status td_integrator_jacobian(td_integrator *i, double *J)
{
    const size_t n = i->ode.size;
    double *x = i->trial, *rate = i->scratch;
    td_status status = td_integrator_current_rate(i);
    memcpy(x, i->x, n * sizeof *x);
    for (size_t j = 0; j < n && status == TD_OK; j++) {
        x[j] = td_integrator_beside(i->x[j]);
        const double h = x[j] - i->x[j];
        status = td_integrator_rate(i, i->t, x, rate);
        for (size_t k = 0; k < n; k++)
            J[k * n + j] = (rate[k] - i->rate[k]) / h;
        x[j] = i->x[j];
    }
    return status;
}
