/* SPDX-License-Identifier: MIT */
/*
 * One step of the methods with a fixed step: the classical Runge-Kutta method, and the
 * semi-implicit (symplectic) Euler method.
 */
#include <string.h>

#include "integrator_inside.h"

/* Computes x + h k into trial. */
static void move(td_integrator *i, double h, const double *k)
{
    for (size_t j = 0; j < i->ode.size; j++)
        i->trial[j] = i->x[j] + h * k[j];
}

td_status td_step_rk4(td_integrator *i, double h)
{
    double *const *k = i->k;
    for (int stage = 1; stage < 4; stage++) {
        const double part = stage == 3 ? h : 0.5 * h;
        move(i, part, k[stage - 1]);
        td_status status = td_integrator_rate(i, i->t + part, i->trial, k[stage]);
        if (status != TD_OK)
            return status;
    }
    /* x + h/6 (k₁ + 2 k₂ + 2 k₃ + k₄) */
    for (size_t j = 0; j < i->ode.size; j++)
        i->trial[j] = i->x[j] + h / 6 * (k[0][j] + 2 * (k[1][j] + k[2][j]) + k[3][j]);
    return TD_OK;
}

td_status td_step_semi_implicit(td_integrator *i, double h)
{
    const size_t positions = i->ode.positions;
    move(i, h, i->k[0]); /* v + h v̇(t, p, v) */
    memcpy(i->trial, i->x, positions * sizeof *i->trial);
    td_status status = td_integrator_rate(i, i->t, i->trial, i->k[1]);
    for (size_t j = 0; j < positions && status == TD_OK; j++)
        i->trial[j] = i->x[j] + h * i->k[1][j]; /* p + h ṗ(t, p, v of the end) */
    return status;
}
