/* SPDX-License-Identifier: MIT */
/*
 * The Jacobian ∂f/∂x for implicit methods: the user's function, or finite differences.
 */
#include <string.h>

#include "base/dense.h"
#include "integrator_inside.h"

static td_status differences(td_integrator *i, double t, const double *at, const double *here,
                             double *J)
{
    const size_t n = i->ode.size;
    double *x = i->trial, *rate = i->scratch;
    td_status status = TD_OK;
    memcpy(x, at, n * sizeof *x);
    for (size_t j = 0; j < n && status == TD_OK; j++) {
        x[j] = td_integrator_beside(at[j]);
        const double h = x[j] - at[j];
        status = td_integrator_rate(i, t, x, rate);
        for (size_t k = 0; k < n; k++)
            J[k * n + j] = (rate[k] - here[k]) / h;
        x[j] = at[j];
    }
    return status;
}

td_status td_integrator_jacobian(td_integrator *i, double t, const double *x, const double *rate,
                                 double *J)
{
    const size_t n = i->ode.size;
    i->counts.jacobians++;
    if (i->ode.jacobian && i->ode.jacobian(i->ode.context, t, x, J) == TD_OK &&
        td_dense_finite(n * n, J))
        return TD_OK;
    return differences(i, t, x, rate, J);
}
