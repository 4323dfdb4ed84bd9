/* SPDX-License-Identifier: MIT */
/*
 * Computes A and B of a robot at a state; see linearize.h.
 */
#include "linear/linearization.h"

#include <math.h>
#include <string.h>

#include "base/coordinates.h"
#include "base/damped.h"
#include "base/dense.h"
#include "tandem/closure.h"
#include "tandem/configuration.h"
#include "tandem/derivatives.h"

/* ---- the object ------------------------------------------------------------------------------ */

static void take(td_stack *stack, td_linearization *l)
{
    const size_t n = l->n, m = l->m;
    l->A = td_take(stack, double, 4 * n * n);
    l->B = td_take(stack, double, 2 * n * m);
    l->ydd = td_take(stack, double, n);
    l->u = td_take(stack, double, m);
    l->rest = td_take(stack, double, n);
    l->tau = td_take(stack, double, n);
    l->map = td_take(stack, double, m *n);
    l->Hinv = td_take(stack, double, n *n);
    l->along = td_take(stack, double, n *n);
    l->rate = td_take(stack, double, n *n);
    l->map_along = td_take(stack, double, n *n);
    l->product = td_take(stack, double, n *n);
    l->G = td_take(stack, double, l->nv *n);
    l->qd = td_take(stack, double, l->nv);
    l->direction = td_take(stack, double, n);
    l->q = td_take(stack, double, td_nq(l->model));
    l->moved = td_take(stack, double, l->ny);
    l->start = td_take(stack, double, l->ny);
    l->step = td_take(stack, double, n);
    l->residual = td_take(stack, double, n);
    l->other = td_take(stack, double, n);
    td_damped_measure(n, n, stack);
}

td_status td_linearization_new(const td_model *model, td_inputs inputs,
                               td_linearization **linearization)
{
    if (!linearization)
        return TD_ERROR_ARGUMENT;
    *linearization = NULL;
    if (!model || (inputs != TD_INPUTS_FORCES && inputs != TD_INPUTS_MOTORS))
        return TD_ERROR_ARGUMENT;
    td_linearization *l = calloc(1, sizeof *l);
    if (!l)
        return TD_ERROR_MEMORY;
    l->model = model;
    l->inputs = inputs;
    l->ny = td_ny(model);
    l->n = td_nyd(model);
    l->nv = td_nv(model);
    l->m = inputs == TD_INPUTS_MOTORS ? td_nu(model) : l->n;
    for (size_t i = 0; i < td_joint_count(model); i++) {
        const td_joint_place place = td_joint_place_at(model, i);
        l->turns = l->turns || place.nq > place.nv;
    }
    if (!td_take_twice(&l->stack, take(&l->stack, l))) {
        free(l);
        return TD_ERROR_MEMORY;
    }
    *linearization = l;
    return TD_OK;
}

void td_linearization_free(td_linearization *l)
{
    if (l)
        td_stack_end(&l->stack);
    free(l);
}

size_t td_linearization_states(const td_linearization *l)
{
    return l ? 2 * l->n : 0;
}

size_t td_linearization_inputs(const td_linearization *l)
{
    return l ? l->m : 0;
}

const double *td_linearization_A(const td_linearization *l)
{
    return l ? l->A : NULL;
}

const double *td_linearization_B(const td_linearization *l)
{
    return l ? l->B : NULL;
}

const double *td_linearization_ydd(const td_linearization *l)
{
    return l ? l->ydd : NULL;
}

const double *td_linearization_u(const td_linearization *l)
{
    return l ? l->u : NULL;
}

const double *td_linearization_rest(const td_linearization *l)
{
    return l ? l->rest : NULL;
}

/* ---- inputs ---------------------------------------------------------------------------------- */

td_status td_input_forces(td_linearization *l, td_workspace *workspace, const double *y,
                          const double *u, double *tau)
{
    if (l->inputs == TD_INPUTS_MOTORS)
        return td_forces_from_actuators(l->model, workspace, y, u, tau);
    memcpy(tau, u, l->n * sizeof *tau);
    return TD_OK;
}

td_status td_input_tangent(td_linearization *l, td_workspace *workspace, const double *y,
                           const double *u)
{
    if (l->inputs == TD_INPUTS_MOTORS)
        return td_forces_from_actuators_derivatives(l->model, workspace, y, u, NULL, l->map_along);
    memset(l->map_along, 0, l->n * l->n * sizeof *l->map_along);
    return TD_OK;
}

/* ---- A and B --------------------------------------------------------------------------------- */

/* Computes out (nv) = a × b for velocities of a joint: angular velocities of a ball joint (nv =
   3), or twists (ω, v) of a floating joint (nv = 6): (ω_a × ω_b, ω_a × v_b + v_a × ω_b). */
static void bracket(size_t nv, const double *a, const double *b, double *out)
{
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): nv is 3 or 6 */
        out[i] = a[j] * b[k] - a[k] * b[j];
        if (nv == 6)
            out[3 + i] = a[j] * b[3 + k] - a[k] * b[3 + j] + a[3 + j] * b[k] - a[3 + k] * b[j];
    }
}

/* Writes the upper left block of A, −ad(ẏ). If loops determine part of a joint's pose, this
   takes the bracket of the joint's full velocities, G ẏ and each column of G. Only rows of
   velocities that belong to ẏ are used. */
static td_status turn(td_linearization *l, td_workspace *workspace, const double *y,
                      const double *yd)
{
    const size_t n = l->n;
    td_status status = td_closure_jacobian(l->model, workspace, y, l->G);
    if (status != TD_OK)
        return status;
    td_dense_product(l->nv, n, 1, l->G, yd, l->qd);
    for (size_t j = 0; j < td_joint_count(l->model); j++) {
        const td_joint_place place = td_joint_place_at(l->model, j);
        if (place.nq == place.nv || place.nyd == 0)
            continue;
        for (size_t k = 0; k < n; k++) {
            double column[6] = {0}, product[6] = {0};
            size_t row = place.yd;
            for (size_t i = 0; i < place.nv; i++)
                column[i] = l->G[(place.qd + i) * n + k];
            bracket(place.nv, l->qd + place.qd, column, product);
            for (size_t i = 0; i < place.nv; i++)
                if (!(place.dependents >> i & 1))
                    l->A[row++ * 2 * n + k] = -product[i];
        }
    }
    return TD_OK;
}

/* Writes B = (0; H⁻¹ M_uᵀ). */
static td_status put_inputs(td_linearization *l, td_workspace *workspace, const double *y)
{
    const size_t n = l->n, m = l->m;
    double *lower = l->B + n * m;
    memset(l->B, 0, n * m * sizeof *l->B);
    if (l->inputs == TD_INPUTS_FORCES) {
        memcpy(lower, l->Hinv, n * n * sizeof *lower);
        return TD_OK;
    }
    td_status status = td_actuation_matrix(l->model, workspace, y, l->map);
    if (status == TD_OK)
        td_dense_product_transposed(n, n, m, l->Hinv, l->map, lower);
    return status;
}

/* Computes A and B at y, ẏ and l->u. */
static td_status fill(td_linearization *l, td_workspace *workspace, const double *y,
                      const double *yd, const td_forces *forces)
{
    const size_t n = l->n;
    td_status status = td_chart_is_used(workspace) ? TD_ERROR_ARGUMENT
                                                   : td_input_forces(l, workspace, y, l->u, l->tau);
    if (status == TD_OK)
        status = td_forward_dynamics_derivatives(l->model, workspace, y, yd, l->tau, forces, l->ydd,
                                                 l->along, l->rate, l->Hinv);
    if (status == TD_OK)
        status = td_input_tangent(l, workspace, y, l->u);
    if (status == TD_OK)
        status = put_inputs(l, workspace, y);
    if (status != TD_OK)
        return status;
    memset(l->A, 0, 2 * n * n * sizeof *l->A);
    td_dense_product(n, n, n, l->Hinv, l->map_along, l->product);
    for (size_t i = 0; i < n; i++) {
        l->A[i * 2 * n + n + i] = 1;
        for (size_t k = 0; k < n; k++) {
            l->A[(n + i) * 2 * n + k] = l->along[i * n + k] + l->product[i * n + k];
            l->A[(n + i) * 2 * n + n + k] = l->rate[i * n + k];
        }
    }
    return yd && l->turns ? turn(l, workspace, y, yd) : TD_OK;
}

static td_status finish(td_linearization *l, td_status status)
{
    const size_t n = l->n;
    if (status == TD_OK &&
        !(td_dense_finite(4 * n * n, l->A) && td_dense_finite(2 * n * l->m, l->B)))
        status = TD_ERROR_NOT_FINITE;
    if (status != TD_OK) {
        td_dense_spoil(4 * n * n, l->A);
        td_dense_spoil(2 * n * l->m, l->B);
        td_dense_spoil(n, l->ydd);
    }
    return status;
}

td_status td_linearize(td_linearization *l, td_workspace *workspace, const double *y,
                       const double *yd, const double *u, const td_forces *forces)
{
    if (!l)
        return TD_ERROR_ARGUMENT;
    for (size_t i = 0; i < l->m; i++)
        l->u[i] = u ? u[i] : 0;
    memset(l->rest, 0, l->n * sizeof *l->rest);
    return finish(l, TD_IN_INDEPENDENT(workspace, fill(l, workspace, y, yd, forces)));
}

/* Computes the inputs that hold the state into l->u. */
static td_status hold(td_linearization *l, td_workspace *workspace, const double *y,
                      const double *yd, const td_forces *forces)
{
    const size_t n = l->n;
    if (td_chart_is_used(workspace))
        return TD_ERROR_ARGUMENT;
    td_status status = td_inverse_dynamics_derivatives(l->model, workspace, y, yd, NULL, forces,
                                                       l->tau, l->along, NULL, NULL);
    memset(l->rest, 0, n * sizeof *l->rest);
    if (status != TD_OK || l->inputs == TD_INPUTS_FORCES) {
        memcpy(l->u, l->tau, (status == TD_OK ? n : 0) * sizeof *l->u);
        return status;
    }
    status = td_forces_to_actuators(l->model, workspace, y, l->tau, NULL, l->u, l->rest);
    const double scale = fmax(td_dense_largest(n, l->tau), td_dense_largest(n * n, l->along));
    bool holds = true; /* also false if the rest is NaN */
    for (size_t i = 0; i < n; i++)
        holds = holds && fabs(l->rest[i]) <= 1e-9 * scale;
    if (status == TD_OK) /* a remaining force acts on a floating base */
        return holds ? TD_OK : TD_ERROR_UNDERACTUATED;
    const bool few = status == TD_ERROR_UNDERACTUATED || status == TD_ERROR_ACTUATION_SINGULAR;
    return few && holds ? TD_OK : status;
}

td_status td_linearize_held(td_linearization *l, td_workspace *workspace, const double *y,
                            const double *yd, const td_forces *forces)
{
    if (!l)
        return TD_ERROR_ARGUMENT;
    td_status status = TD_IN_INDEPENDENT(workspace, hold(l, workspace, y, yd, forces));
    if (status == TD_OK)
        status = TD_IN_INDEPENDENT(workspace, fill(l, workspace, y, yd, forces));
    return finish(l, status);
}
