/* SPDX-License-Identifier: MIT */
/*
 * Finds the equilibrium nearest to a start: r(y) = τ_y(y, 0, 0) − M_uᵀ u = 0, where r is the
 * force that inputs lack. Damped least squares (Levenberg-Marquardt) minimizes |r|². This can
 * stop at a minimum with r ≠ 0, for example where a pendulum is level. From there y moves along
 * −r, the direction in which the robot falls.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/coordinates.h"
#include "base/damped.h"
#include "base/dense.h"
#include "linear/linearization.h"
#include "tandem/closure.h"
#include "tandem/configuration.h"
#include "tandem/derivatives.h"

enum { MOST_STEPS = 200, MOST_FALLS = 20 };

/* The problem to solve. */
typedef struct problem {
    td_linearization *l;
    td_workspace *workspace;
    const double *u;
    const td_forces *forces;
    const unsigned char *held;
    double scale; /* largest magnitude of all forces in r */
} problem;

static bool is_held(const problem *p, size_t i)
{
    return p->held && p->held[i];
}

/* Computes l->residual = r(y), with 0 for held coordinates. `slope`: also computes its
   derivative K in l->along, column-major. */
static td_status evaluate(problem *p, const double *y, bool slope)
{
    td_linearization *l = p->l;
    const size_t n = l->n;
    td_status status =
        slope ? td_inverse_dynamics_derivatives(l->model, p->workspace, y, NULL, NULL, p->forces,
                                                l->tau, l->product, NULL, NULL)
              : td_inverse_dynamics(l->model, p->workspace, y, NULL, NULL, p->forces, l->tau);
    if (status == TD_OK && slope)
        status = td_input_tangent(l, p->workspace, y, p->u);
    if (status == TD_OK)
        status = td_input_forces(l, p->workspace, y, p->u, l->other);
    if (status != TD_OK)
        return status;
    for (size_t i = 0; i < n; i++) {
        l->residual[i] = is_held(p, i) ? 0 : l->tau[i] - l->other[i];
        p->scale = fmax(p->scale, fmax(fabs(l->tau[i]), fabs(l->other[i])));
        for (size_t k = 0; k < n && slope; k++) {
            const bool free = !is_held(p, i) && !is_held(p, k);
            const double entry = l->product[i * n + k] - l->map_along[i * n + k];
            l->along[k * n + i] = free ? entry : 0;
            p->scale = fmax(p->scale, free ? fabs(entry) : 0);
        }
    }
    return td_dense_finite(n, l->residual) ? TD_OK : TD_ERROR_NOT_FINITE;
}

/* Computes y + step into l->moved, limiting the step to 1. Closes loops that determine part of a
   pose. */
static td_status move(problem *p, const double *y)
{
    td_linearization *l = p->l;
    const double most = td_dense_largest(l->n, l->step);
    for (size_t i = 0; i < l->n && most > 1; i++)
        l->step[i] /= most;
    td_integrate(l->model, TD_COORDINATES_INDEPENDENT, y, l->step, 1, l->moved);
    if (!l->turns || td_loop_cluster_count(l->model) == 0)
        return TD_OK;
    td_status status = td_closure(l->model, p->workspace, l->moved, NULL, NULL, l->q, NULL, NULL);
    return status == TD_OK
               ? td_independent_coordinates(l->model, p->workspace, l->q, l->moved, NULL)
               : status;
}

/* Takes one descent step of |r|² from l->start and updates l->start. Returns false if no step
   reduces |r|². */
static bool descend(problem *p, double *damping)
{
    td_linearization *l = p->l;
    const size_t n = l->n;
    const double before = td_dense_dot(n, l->residual, l->residual);
    memcpy(l->direction, l->residual, n * sizeof *l->direction);
    const double square = td_dense_dot(n * n, l->along, l->along);
    for (; *damping < 1e8; *damping *= 8) {
        if (!td_damped_step(n, n, l->along, l->direction, *damping * square / (double)n, &l->stack,
                            l->step))
            continue;
        for (size_t i = 0; i < n; i++)
            l->step[i] = -l->step[i];
        td_status status = move(p, l->start);
        if (status == TD_OK)
            status = evaluate(p, l->moved, false);
        if (status == TD_OK && td_dense_dot(n, l->residual, l->residual) < before) {
            memcpy(l->start, l->moved, l->ny * sizeof *l->start);
            *damping = fmax(*damping / 64, 1e-18);
            return true;
        }
    }
    return false;
}

/* Takes a step in the direction in which the robot falls. */
static bool fall(problem *p)
{
    td_linearization *l = p->l;
    const double most = td_dense_largest(l->n, l->residual);
    for (size_t i = 0; i < l->n; i++)
        l->step[i] = -0.1 * l->residual[i] / most;
    if (move(p, l->start) != TD_OK || evaluate(p, l->moved, false) != TD_OK)
        return false;
    memcpy(l->start, l->moved, l->ny * sizeof *l->start);
    return true;
}

static td_status find(problem *p)
{
    td_linearization *l = p->l;
    double damping = 1e-9;
    for (int step = 0, falls = 0; step < MOST_STEPS; step++) {
        td_status status = evaluate(p, l->start, true);
        if (status != TD_OK)
            return status;
        const double left = td_dense_largest(l->n, l->residual);
        if (left <= 1e-14 * p->scale)
            return TD_OK;
        if (!descend(p, &damping)) {
            if (left <= 1e-10 * p->scale) /* limited by rounding */
                return TD_OK;
            damping = 1e-9;
            status = evaluate(p, l->start, false);
            if (status != TD_OK || falls++ == MOST_FALLS || !fall(p))
                return TD_ERROR_EQUILIBRIUM;
        }
    }
    return TD_ERROR_EQUILIBRIUM;
}

td_status td_equilibrium(td_linearization *l, td_workspace *workspace, double *y, const double *u,
                         const td_forces *forces, const unsigned char *held)
{
    if (!l || !y || td_chart_is_used(workspace))
        return TD_ERROR_ARGUMENT;
    for (size_t i = 0; i < l->m; i++)
        l->u[i] = u ? u[i] : 0;
    memcpy(l->start, y, l->ny * sizeof *y);
    problem p = {l, workspace, l->u, forces, held, 0};
    const td_status status = TD_IN_INDEPENDENT(workspace, find(&p));
    if (status == TD_OK)
        memcpy(y, l->start, l->ny * sizeof *y);
    return status;
}
