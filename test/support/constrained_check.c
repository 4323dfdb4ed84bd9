/* SPDX-License-Identifier: MIT */
/*
 * Checks of the derivatives of constrained motion.
 */
#include "constrained_check.h"

#include <math.h>
#include <string.h>

constrained constrained_new(td_model *model)
{
    constrained c = {.model = model, .w = test_workspace(model)};
    c.nq = td_nq(model), c.nv = td_nv(model), c.nyd = td_nyd(model);
    c.rows = td_constraint_count(model);
    c.forces = td_forces_default();
    c.forces.friction_velocity = 0.5;
    c.options = td_constraint_options_default();
    c.y = doubles(td_ny(model)), c.yd = doubles(c.nyd);
    c.q = doubles(c.nq), c.qd = doubles(c.nv), c.tau = doubles(c.nv);
    c.qdd = doubles(c.nv), c.lambda = doubles(c.rows);
    for (int k = 0; k < 3; k++) {
        c.by[k] = doubles(c.nv * c.nv);
        c.lambda_by[k] = doubles(c.rows * c.nv);
    }
    return c;
}

td_status constrained_differentiate(const constrained *c)
{
    return td_constrained_forward_dynamics_derivatives(
        c->model, c->w, c->q, c->qd, c->tau, &c->forces, &c->options, c->qdd, c->lambda, c->by[0],
        c->by[1], c->by[2], c->lambda_by[0], c->lambda_by[1], c->lambda_by[2]);
}

static td_status motion(const constrained *c, const double *q, const double *qd, double *qdd,
                        double *lambda)
{
    return td_constrained_forward_dynamics(c->model, c->w, q, qd, c->tau, &c->forces, &c->options,
                                           qdd, lambda);
}

/* C += A B for sizes m × k and k × n, or C += Aᵀ B */
static void add_product(size_t m, size_t k, size_t n, const double *A, bool transposed,
                        const double *B, double *C)
{
    for (size_t i = 0; i < m; i++)
        for (size_t p = 0; p < k; p++)
            for (size_t j = 0; j < n; j++)
                C[i * n + j] += (transposed ? A[p * m + i] : A[i * k + p]) * B[p * n + j];
}

/* ---- against independent coordinates --------------------------------------------------------- */

static void close_enough(size_t count, const double *found, const double *expected,
                         double tolerance, double size)
{
    td_assert_close(count, found, expected, tolerance, fmax(size, td_largest(count, expected)));
}

/* At q = γ(y), q̇ = G ẏ the constrained motion is q̈ = G ÿ + g, with ÿ from forward dynamics under Gᵀ
   τ. Hence ∂q̈/∂q G + ∂q̈/∂q̇ ∂(Gẏ)/∂y = ∂(Gÿ + g)/∂y + G (∂ÿ/∂y + H⁻¹ ∂(Gᵀτ)/∂y), ∂q̈/∂q̇ G = ∂g/∂ẏ + G
   ∂ÿ/∂ẏ, ∂q̈/∂τ = G H⁻¹ Gᵀ. */
void constrained_check_closure(const constrained *c, double tolerance)
{
    OWNED_HERE;
    const size_t n = c->nyd, nv = c->nv;
    double *G = doubles(nv * n), *tau_y = doubles(n), *ydd = doubles(n), *dy = doubles(n * n);
    double *dyd = doubles(n * n), *inverse = doubles(n * n), *along = doubles(nv * n);
    double *acceleration = doubles(nv * n), *rate = doubles(nv * n), *stiffness = doubles(n * n);
    double *found = doubles(nv * nv), *expected = doubles(nv * nv), *part = doubles(n * nv);
    assert_ok(td_closure_jacobian(c->model, c->w, c->y, G));
    add_product(n, nv, 1, G, true, c->tau, tau_y);
    assert_ok(td_forward_dynamics_derivatives(c->model, c->w, c->y, c->yd, tau_y, &c->forces, ydd,
                                              dy, dyd, inverse));
    assert_ok(td_closure_derivatives(c->model, c->w, c->y, c->yd, ydd, c->tau, along, acceleration,
                                     rate, stiffness));
    add_product(nv, nv, n, c->by[0], false, G, found);
    add_product(nv, nv, n, c->by[1], false, along, found);
    add_product(n, n, n, inverse, false, stiffness, dy);
    memcpy(expected, acceleration, nv * n * sizeof *expected);
    add_product(nv, n, n, G, false, dy, expected);
    close_enough(nv * n, found, expected, tolerance, td_largest(nv * nv, c->by[0]));
    memset(found, 0, nv * n * sizeof *found);
    add_product(nv, nv, n, c->by[1], false, G, found);
    memcpy(expected, rate, nv * n * sizeof *expected);
    add_product(nv, n, n, G, false, dyd, expected);
    close_enough(nv * n, found, expected, tolerance, td_largest(nv * nv, c->by[1]));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < nv; j++)
            for (size_t k = 0; k < n; k++)
                part[i * nv + j] += inverse[i * n + k] * G[j * n + k];
    memset(expected, 0, nv * nv * sizeof *expected);
    add_product(nv, n, nv, G, false, part, expected);
    close_enough(nv * nv, c->by[2], expected, tolerance, 0);
}

/* Kᵀ ∂λ/∂q̇ = H ∂q̈/∂q̇ + ∂τ_id/∂q̇, and Kᵀ ∂λ/∂τ = H ∂q̈/∂τ − 1 */
void constrained_check_multipliers(const constrained *c, double tolerance)
{
    OWNED_HERE;
    const size_t nv = c->nv;
    double *K = doubles(c->rows * nv), *H = doubles(nv * nv), *by_rate = doubles(nv * nv);
    assert_ok(td_constraint_jacobian(c->model, c->w, c->q, K));
    assert_ok(
        TD_IN_TREE(c->w, td_inverse_dynamics_derivatives(c->model, c->w, c->q, c->qd, c->qdd,
                                                         &c->forces, NULL, NULL, by_rate, H)));
    for (int k = 1; k < 3; k++) {
        double *sum = doubles(nv * nv), *expected = doubles(nv * nv), size = 1;
        add_product(nv, c->rows, nv, K, true, c->lambda_by[k], sum);
        add_product(nv, nv, nv, H, false, c->by[k], expected);
        for (size_t i = 0; i < nv; i++)
            for (size_t j = 0; j < nv; j++)
                expected[i * nv + j] += k == 1 ? by_rate[i * nv + j] : -(double)(i == j);
        size = td_largest(nv * nv, H) * td_largest(nv * nv, c->by[k]);
        close_enough(nv * nv, sum, expected, tolerance, size);
    }
}

/* ---- against differences --------------------------------------------------------------------- */

/* Computes one column by differences of the motion with step h. Returns false where the derivatives
   do not exist at a displaced state. */
static bool column_by_differences(const constrained *c, bool position, size_t j, double h,
                                  double *qdd, double *lambda)
{
    static const double weight[] = {0.75, -0.15, 1.0 / 60};
    const size_t nv = c->nv;
    double *at = doubles(c->nq), *rate = doubles(nv), *unit = doubles(nv), *a = doubles(nv),
           *l = doubles(c->rows);
    bool good = true;
    memset(qdd, 0, nv * sizeof *qdd), memset(lambda, 0, c->rows * sizeof *lambda);
    unit[j] = 1;
    for (int k = 0; good && k < 6; k++) {
        const double step = (k % 2 ? -1 : 1) * (k / 2 + 1) * h, w = (k % 2 ? -1 : 1) / h;
        td_integrate(c->model, TD_COORDINATES_TREE, c->q, unit, position ? step : 0, at);
        memcpy(rate, c->qd, nv * sizeof *rate);
        rate[j] += position ? 0 : step;
        constrained moved = *c;
        moved.q = at, moved.qd = rate, moved.qdd = a, moved.lambda = l;
        for (int i = 0; i < 3; i++)
            moved.by[i] = moved.lambda_by[i] = NULL;
        good = constrained_differentiate(&moved) == TD_OK;
        assert_ok(motion(c, at, rate, a, l));
        for (size_t i = 0; i < nv; i++)
            qdd[i] += w * weight[k / 2] * a[i];
        for (size_t i = 0; i < c->rows; i++)
            lambda[i] += w * weight[k / 2] * l[i];
    }
    return good;
}

/* returns the number of directions compared */
int constrained_check_differences(const constrained *c, double h, double tolerance)
{
    const size_t nv = c->nv;
    double *qdd = doubles(nv), *lambda = doubles(c->rows), *ours = doubles(nv + c->rows);
    int checked = 0;
    for (int kind = 0; kind < 2; kind++)
        for (size_t j = 0; j < nv; j++) {
            if (!column_by_differences(c, kind == 0, j, h, qdd, lambda))
                continue;
            for (size_t i = 0; i < nv; i++)
                ours[i] = c->by[kind][i * nv + j];
            td_assert_close(nv, ours, qdd, tolerance,
                            1 + td_largest(nv, c->qdd) + td_largest(nv * nv, c->by[kind]));
            for (size_t i = 0; i < c->rows; i++)
                ours[i] = c->lambda_by[kind][i * nv + j];
            td_assert_close(c->rows, ours, lambda, tolerance,
                            1 + td_largest(c->rows, c->lambda) +
                                td_largest(c->rows * nv, c->lambda_by[kind]));
            checked++;
        }
    return checked;
}

/* Checks λ along the closure, at y ⊕ h e with the same ẏ. This includes λ of redundant rows. */
void constrained_check_along(const constrained *c, double h, double tolerance)
{
    static const double weight[] = {0.75, -0.15, 1.0 / 60};
    const size_t n = c->nyd, nv = c->nv;
    double *G = doubles(nv * n), *along = doubles(nv * n), *found = doubles(c->rows * n);
    double *y = doubles(td_ny(c->model)), *q = doubles(c->nq), *qd = doubles(nv);
    double *unit = doubles(n), *a = doubles(nv), *l = doubles(c->rows), *sum = doubles(c->rows);
    double *column = doubles(c->rows);
    assert_ok(td_closure_jacobian(c->model, c->w, c->y, G));
    assert_ok(
        td_closure_derivatives(c->model, c->w, c->y, c->yd, NULL, NULL, along, NULL, NULL, NULL));
    add_product(c->rows, nv, n, c->lambda_by[0], false, G, found);
    add_product(c->rows, nv, n, c->lambda_by[1], false, along, found);
    for (size_t j = 0; j < n; j++) {
        memset(sum, 0, c->rows * sizeof *sum);
        unit[j] = 1;
        for (int k = 0; k < 6; k++) {
            const double sign = k % 2 ? -1 : 1;
            td_integrate(c->model, TD_COORDINATES_INDEPENDENT, c->y, unit, sign * (k / 2 + 1) * h,
                         y);
            assert_ok(td_closure(c->model, c->w, y, c->yd, NULL, q, qd, NULL));
            assert_ok(motion(c, q, qd, a, l));
            for (size_t i = 0; i < c->rows; i++)
                sum[i] += sign / h * weight[k / 2] * l[i];
        }
        unit[j] = 0;
        for (size_t i = 0; i < c->rows; i++)
            column[i] = found[i * n + j];
        td_assert_close(c->rows, column, sum, tolerance,
                        1 + td_largest(c->rows, c->lambda) + td_largest(c->rows * n, found));
    }
}

void constrained_check_at(td_random *random, td_model *model, const double *y, double tolerance)
{
    OWNED_HERE;
    constrained c = constrained_new(model);
    double *wrenches = doubles(6 * td_link_count(model));
    memcpy(c.y, y, td_ny(model) * sizeof *y);
    td_random_fill(random, c.nyd, c.yd);
    td_random_fill(random, c.nv, c.tau);
    td_random_fill(random, 6 * td_link_count(model), wrenches);
    c.forces.wrenches = wrenches;
    c.forces.wrench_frame = (td_frame)td_random_below(random, 3);
    c.forces.passive = td_random_below(random, 2);
    assert_ok(td_closure(model, c.w, c.y, c.yd, NULL, c.q, c.qd, NULL));
    const td_status status = motion(&c, c.q, c.qd, c.qdd, c.lambda);
    ck_assert_int_eq(constrained_differentiate(&c), status);
    if (status == TD_OK) {
        constrained_check_closure(&c, tolerance);
        constrained_check_multipliers(&c, tolerance);
        if (td_largest_rate(model, c.w, y) < 30) /* beyond that, differences are too inaccurate */
            constrained_check_along(&c, 3e-5, 1e-7);
    } else {
        ck_assert_int_eq(status, TD_ERROR_SINGULAR);
    }
}
