/* SPDX-License-Identifier: MIT */
/*
 * One step of the exponential methods. The equations are split at the beginning of the step, ẋ =
 * J x + N(t, x), and the linear part is integrated exactly. N is held constant over the step
 * (Pope 1963; also exponential Rosenbrock-Euler). Or it varies linearly to its value at the end
 * of that step (Cox and Matthews 2002, their ETD2RK):
 *
 *   U = x + h φ₁(hJ) f(t, x)
 *   x⁺ = U + h φ₂(hJ) (f(t + h, U) − f(t, x) − J (U − x))
 *
 * with φ₁(z) = (eᶻ − 1)/z, φ₂(z) = (φ₁(z) − 1)/z. These need no inverse of J, because they are
 * blocks of the exponential of an augmented matrix (Hochbruck and Ostermann, Exponential
 * integrators, Acta Numerica 19, 2010, 2.1 and 4).
 */
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "integrator_inside.h"

bool td_method_is_exponential(td_method method)
{
    return method == TD_METHOD_EXPONENTIAL || method == TD_METHOD_EXPONENTIAL_LINEAR;
}

void td_exponential_step_take(td_integrator *i, td_stack *stack)
{
    const size_t n = i->ode.size;
    i->exponential.n = n + 2;
    i->J = td_take(stack, double, n *n);
    i->change = td_take(stack, double, n);
    td_exponential_take(stack, &i->exponential);
}

/* Adds hᵖ φ_p(hJ) b to x, p = 1 or 2. This is the upper right part of the exponential of h (J, b
   e₁ᵀ; 0, N), where N is p × p with ones above its diagonal. b is scaled to length 1/h, so that
   it adds no squarings. Returns false if the result is not finite. */
static bool add_phi(td_integrator *i, size_t p, double h, const double *b, double *x)
{
    td_exponential *e = &i->exponential;
    const size_t n = i->ode.size, m = n + p;
    const double largest = td_dense_largest(n, b);
    if (largest == 0)
        return true;
    e->n = m;
    memset(e->X, 0, m * m * sizeof *e->X);
    for (size_t k = 0; k < n; k++) {
        for (size_t l = 0; l < n; l++)
            e->X[k * m + l] = h * i->J[k * n + l];
        e->X[k * m + n] = b[k] / largest;
    }
    if (p == 2)
        e->X[n * m + n + 1] = 1;
    if (!td_exponentiate(e))
        return false;
    for (size_t k = 0; k < n; k++)
        x[k] += pow(h, (double)p) * largest * e->X[k * m + m - 1];
    return true;
}

td_status td_step_exponential(td_integrator *i, double h)
{
    const size_t n = i->ode.size;
    const double *rate = i->k[0];
    double *change = i->change;
    td_status status = td_integrator_jacobian(i, i->t, i->x, rate, i->J);
    if (status != TD_OK)
        return status;
    memcpy(i->trial, i->x, n * sizeof *i->trial);
    if (!add_phi(i, 1, h, rate, i->trial))
        return TD_ERROR_NOT_FINITE;
    if (i->options.method == TD_METHOD_EXPONENTIAL)
        return TD_OK;
    status = td_integrator_rate(i, i->t + h, i->trial, change);
    for (size_t k = 0; k < n && status == TD_OK; k++) {
        change[k] -= rate[k];
        for (size_t l = 0; l < n; l++)
            change[k] -= i->J[k * n + l] * (i->trial[l] - i->x[l]);
        change[k] /= h;
    }
    if (status == TD_OK && !add_phi(i, 2, h, change, i->trial))
        status = TD_ERROR_NOT_FINITE;
    return status;
}
