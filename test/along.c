/* SPDX-License-Identifier: MIT */
/*
 * Derivatives of the closure along y, see along.h.
 */
#include "along.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "call/workspace.h"
#include "kernel/kernel.h"
#include "model/model.h"
#include "robot/eval.h"

extern const td_kernels td_kernels_complex;

static const double step = 1e-200;

/* q̇ = Gẏ, q̈ = Gÿ + g and Gᵀ tau; the derivatives of these along y, and that of q̈ along ẏ */
typedef struct change {
    size_t nv, nyd;
    double *velocity, *acceleration, *by_velocity, *force;
} change;

static double *numbers(size_t n)
{
    double *x = calloc(n + 1, sizeof *x);
    ck_assert_ptr_nonnull(x);
    return x;
}

static change change_new(const td_model *model)
{
    const size_t nv = td_nv(model), nyd = td_nyd(model);
    return (change){
        nv, nyd, numbers(nv * nyd), numbers(nv * nyd), numbers(nv * nyd), numbers(nyd * nyd)};
}

static void change_free(change *c)
{
    free(c->velocity), free(c->acceleration), free(c->by_velocity), free(c->force);
}

static void compare(const char *what, size_t n, const double *found, const double *expected,
                    double tolerance)
{
    const double scale = 1 + td_largest(n, expected);
    const double off = td_largest_difference(n, found, expected);
    ck_assert_msg(off <= tolerance * scale, "%s is off by %.2g of %.3g", what, off, scale);
}

/* what the function says against what is expected */
static void check(const td_model *model, td_workspace *workspace, const double *y, const double *yd,
                  const double *ydd, const double *tau, const change *expected, double tolerance)
{
    change found = change_new(model);
    const size_t n = found.nv * found.nyd;
    ck_assert_int_eq(td_closure_derivatives(model, workspace, y, yd, ydd, tau, found.velocity,
                                            found.acceleration, found.by_velocity, found.force),
                     TD_OK);
    compare("the velocity's derivative", n, found.velocity, expected->velocity, tolerance);
    compare("the acceleration's derivative", n, found.acceleration, expected->acceleration,
            tolerance);
    compare("the acceleration's derivative by velocities", n, found.by_velocity,
            expected->by_velocity, tolerance);
    compare("the force's derivative", found.nyd * found.nyd, found.force, expected->force,
            tolerance);
    change_free(&found);
}

/* ---- the complex step ------------------------------------------------------------------------ */

/* column a of each matrix, of the call at displaced complex arguments */
static void column_of(const td_eval *eval, const double complex *y, const double complex *yd,
                      const double complex *ydd, double complex *tau, size_t a, bool along,
                      change *c)
{
    double complex force[64];
    ck_assert_int_le((int)c->nyd, 64);
    td_eval_position(eval, y);
    const double complex *qd = td_eval_velocity(eval, yd);
    const double complex *qdd = td_eval_acceleration(eval, ydd);
    for (size_t i = 0; i < c->nv; i++) {
        if (along)
            c->velocity[i * c->nyd + a] = cimag(qd[i]) / step;
        (along ? c->acceleration : c->by_velocity)[i * c->nyd + a] = cimag(qdd[i]) / step;
    }
    if (!along)
        return;
    if (td_eval_is_tree(eval))
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

void along_check(const td_model *model, td_workspace *workspace, const double *y, const double *yd,
                 const double *ydd, const double *tau, double tolerance)
{
    change c = change_new(model);
    const size_t ny = td_ny(model);
    td_scratch scratch;
    td_stack stack;
    ck_assert(td_scratch_new(model, &td_kernels_complex, &scratch, &stack));
    const td_eval eval = {model,
                          &model->tree,
                          &model->closure,
                          &model->actuation,
                          &td_kernels_complex,
                          &scratch,
                          TD_SPACE_INDEPENDENT,
                          NULL};
    double complex *at = calloc(ny + 3 * c.nv + 1, sizeof *at);
    double complex *v = at + ny, *acceleration = v + c.nyd, *force = acceleration + c.nyd;
    double *unit = numbers(c.nyd), *rate = numbers(ny);
    fill(c.nyd, ydd, NULL, acceleration);
    fill(c.nv, tau, NULL, force);
    for (size_t a = 0; a < c.nyd; a++)
        for (int along = 0; along < 2; along++) {
            unit[a] = 1;
            td_coordinate_rate(model, false, y, unit, rate);
            fill(ny, y, along ? rate : NULL, at);
            fill(c.nyd, yd, along ? NULL : unit, v);
            column_of(&eval, at, v, acceleration, force, a, along, &c);
            unit[a] = 0;
        }
    check(model, workspace, y, yd, ydd, tau, &c, tolerance);
    free(at), free(unit), free(rate);
    td_stack_end(&stack);
    change_free(&c);
}

void along_check_at(td_random *random, const td_model *model, td_workspace *workspace,
                    const double *y, int count, double tolerance)
{
    const size_t nv = td_nv(model), nyd = td_nyd(model);
    double *yd = numbers(nyd), *ydd = numbers(nyd), *tau = numbers(nv);
    for (int n = 0; n < count; n++) {
        td_random_fill(random, nyd, yd);
        td_random_fill(random, nyd, ydd);
        td_random_fill(random, nv, tau);
        along_check(model, workspace, y, yd, ydd, tau, tolerance);
    }
    free(yd), free(ydd), free(tau);
}
