/* SPDX-License-Identifier: MIT */
/*
 * Checks derivatives of the closure along y (see along.h).
 */
#include "along.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>

#include "dynamics/eval.h"
#include "dynamics/workspace.h"
#include "kernel/kernel.h"
#include "model/model.h"

extern const td_kernels td_kernels_complex;

static const double step = 1e-200;

/* derivatives along y of q̇ = Gẏ, q̈ = Gÿ + g and Gᵀ tau, and the derivative of q̈ along ẏ */
typedef struct change {
    size_t nv, nyd;
    double *velocity, *acceleration, *by_velocity, *force;
} change;

static change change_new(const td_model *model)
{
    const size_t nv = td_nv(model), nyd = td_nyd(model);
    return (change){
        nv, nyd, doubles(nv * nyd), doubles(nv * nyd), doubles(nv * nyd), doubles(nyd * nyd)};
}

static void compare(const char *what, size_t n, const double *found, const double *expected,
                    double tolerance)
{
    const double scale = 1 + td_largest(n, expected);
    const double off = td_largest_difference(n, found, expected);
    ck_assert_msg(off <= tolerance * scale, "%s is off by %.2g of %.3g", what, off, scale);
}

/* compares td_closure_derivatives with the expected matrices */
static void check(const td_model *model, td_workspace *workspace, const double *y, const double *yd,
                  const double *ydd, const double *tau, const change *expected, double tolerance)
{
    change found = change_new(model);
    const size_t n = found.nv * found.nyd;
    assert_ok(td_closure_derivatives(model, workspace, y, yd, ydd, tau, found.velocity,
                                     found.acceleration, found.by_velocity, found.force));
    compare("the velocity's derivative", n, found.velocity, expected->velocity, tolerance);
    compare("the acceleration's derivative", n, found.acceleration, expected->acceleration,
            tolerance);
    compare("the acceleration's derivative by velocities", n, found.by_velocity,
            expected->by_velocity, tolerance);
    compare("the force's derivative", found.nyd * found.nyd, found.force, expected->force,
            tolerance);
}

/* ---- the complex step ------------------------------------------------------------------------ */

/* fills column a of each matrix from a call with displaced complex arguments */
static void column_of(const td_eval *eval, const double complex *y, const double complex *yd,
                      const double complex *ydd, double complex *tau, double complex *force,
                      size_t a, bool along, change *c)
{
    td_eval_position(eval, y);
    const double complex *qd = td_eval_velocity(eval, yd);
    const double complex *qdd = td_eval_acceleration(eval, ydd);
    for (size_t i = 0; i < c->nv; i++) {
        if (along)
            c->velocity[i * c->nyd + a] = cimag(qd[i]) / step;
        (along ? c->acceleration : c->by_velocity)[i * c->nyd + a] = cimag(qdd[i]) / step;
    }
    if (!along || td_eval_is_tree(eval))
        return;
    eval->kernels->transposed(&eval->closure->velocity, eval->scratch->G, tau, force);
    for (size_t i = 0; i < c->nyd; i++)
        c->force[i * c->nyd + a] = cimag(force[i]) / step;
}

static void fill(size_t n, const double *x, const double *rate, double complex *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = x[i] + (rate ? rate[i] * step : 0) * I;
}

/* Computes the rate of y at a velocity along its tangent. A chart may have more positions than y;
   there the rate follows from the rate of the tree's configuration. */
static void tangent(const td_model *model, td_workspace *workspace, const double *y,
                    const double *yd, double *rate)
{
    if (!td_chart_is_used(workspace)) {
        td_coordinate_rate(model, false, y, yd, rate);
        return;
    }
    const size_t nq = td_nq(model);
    double *q = doubles(nq), *qd = doubles(td_nv(model)), *of_q = doubles(nq);
    size_t *positions = test_calloc(nq + 1, sizeof *positions);
    assert_ok(td_closure(model, workspace, y, yd, NULL, q, qd, NULL));
    assert_ok(td_chart_entries(model, workspace, positions, NULL));
    td_coordinate_rate(model, true, q, qd, of_q);
    for (size_t i = 0; i < td_chart_positions(model); i++)
        rate[i] = of_q[positions[i]];
}

void along_check(const td_model *model, td_workspace *workspace, const double *y, const double *yd,
                 const double *ydd, const double *tau, double tolerance)
{
    OWNED_HERE;
    change c = change_new(model);
    const size_t ny = workspace->eval.closure->ny;
    td_scratch scratch;
    td_stack stack;
    ck_assert(td_scratch_new(model, &td_kernels_complex, &scratch, &stack));
    const td_eval eval = {model,
                          &model->tree,
                          workspace->eval.closure,
                          workspace->eval.actuation,
                          &td_kernels_complex,
                          &scratch,
                          TD_COORDINATES_INDEPENDENT,
                          NULL,
                          NULL};
    if (workspace->eval.closure->loops.solved)
        scratch.anchor = workspace->anchor;
    double complex *at = test_calloc(ny + 4 * c.nv, sizeof *at);
    double complex *v = at + ny, *acceleration = v + c.nyd, *force = acceleration + c.nyd;
    double complex *projected = force + c.nv;
    double *unit = doubles(c.nyd), *rate = doubles(ny);
    fill(c.nyd, ydd, NULL, acceleration);
    fill(c.nv, tau, NULL, force);
    for (size_t a = 0; a < c.nyd; a++)
        for (int along = 0; along < 2; along++) {
            unit[a] = 1;
            tangent(model, workspace, y, unit, rate);
            fill(ny, y, along ? rate : NULL, at);
            fill(c.nyd, yd, along ? NULL : unit, v);
            column_of(&eval, at, v, acceleration, force, projected, a, along, &c);
            unit[a] = 0;
        }
    check(model, workspace, y, yd, ydd, tau, &c, tolerance);
    td_stack_end(&stack);
}

void along_check_at(td_random *random, const td_model *model, td_workspace *workspace,
                    const double *y, int count, double tolerance)
{
    OWNED_HERE;
    const size_t nv = td_nv(model), nyd = td_nyd(model);
    double *yd = doubles(nyd), *ydd = doubles(nyd), *tau = doubles(nv);
    for (int n = 0; n < count; n++) {
        td_random_fill(random, nyd, yd);
        td_random_fill(random, nyd, ydd);
        td_random_fill(random, nv, tau);
        along_check(model, workspace, y, yd, ydd, tau, tolerance);
    }
}

/* ---- differences ----------------------------------------------------------------------------- */

/* adds the results at a displaced state, times a factor */
static void add_state(const td_model *model, td_workspace *workspace, const double *y,
                      const double *yd, const double *ydd, const double *tau, double factor,
                      double *qd, double *qdd, double *force)
{
    const size_t nv = td_nv(model), nyd = td_nyd(model);
    double *q = doubles(td_nq(model)), *v = doubles(nv), *a = doubles(nv), *f = doubles(nyd);
    assert_ok(td_closure(model, workspace, y, yd, ydd, q, v, a));
    assert_ok(td_project_force(model, workspace, y, tau, f));
    for (size_t i = 0; i < nv; i++) {
        qd[i] += factor * v[i];
        qdd[i] += factor * a[i];
    }
    for (size_t i = 0; i < nyd; i++)
        force[i] += factor * f[i];
}

void along_check_differences(const td_model *model, td_workspace *workspace, const double *y,
                             const double *yd, const double *ydd, const double *tau, double h,
                             double tolerance)
{
    OWNED_HERE;
    static const double weight[] = {0.75, -0.15, 1.0 / 60};
    change c = change_new(model);
    double *unit = doubles(c.nyd), *moved = doubles(td_ny(model)), *v = doubles(c.nyd);
    for (size_t a = 0; a < c.nyd; a++) {
        double *along[3] = {doubles(c.nv), doubles(c.nv), doubles(c.nyd)};
        double *by[3] = {doubles(c.nv), doubles(c.nv), doubles(c.nyd)};
        unit[a] = 1;
        memcpy(v, yd, c.nyd * sizeof *v);
        for (int k = -3; k <= 3; k++) {
            const double factor = k ? (k < 0 ? -1 : 1) * weight[abs(k) - 1] / h : 0;
            td_integrate(model, TD_COORDINATES_INDEPENDENT, y, unit, k * h, moved);
            v[a] = yd[a] + k * h;
            add_state(model, workspace, moved, yd, ydd, tau, factor, along[0], along[1], along[2]);
            add_state(model, workspace, y, v, ydd, tau, factor, by[0], by[1], by[2]);
        }
        unit[a] = 0;
        for (size_t i = 0; i < c.nv; i++) {
            c.velocity[i * c.nyd + a] = along[0][i];
            c.acceleration[i * c.nyd + a] = along[1][i];
            c.by_velocity[i * c.nyd + a] = by[1][i];
        }
        for (size_t i = 0; i < c.nyd; i++)
            c.force[i * c.nyd + a] = along[2][i];
    }
    check(model, workspace, y, yd, ydd, tau, &c, tolerance);
}
