/* SPDX-License-Identifier: MIT */
/*
 * Motion of the tree under constraints. Motor forces and multipliers of a motion are compared with
 * independent coordinates and with the equation of motion, on the branch of q. Accelerations are
 * compared with dense equations, on the constraints and off them. Also projection of positions, and
 * of velocities with their impulse.
 */
#include <math.h>
#include <string.h>

#include "loop_robots.h"
#include "multipliers.h"
#include "td_test.h"

enum { MOST = 96, MOST_ROWS = 96, STATES = 9 };

/* Robots with followers, couplings and loops. scale: how far y may be from zero. */
static const struct {
    const char *file;
    td_base base;
    double scale;
} robots[] = {
    {"four_bar.urdf", TD_BASE_FIXED, 1},        {"five_bar.urdf", TD_BASE_FIXED, 0.3},
    {"linear_leg.urdf", TD_BASE_FLOATING, 0.3}, {"stewart.urdf", TD_BASE_FLOATING, 0.02},
    {"goldberg_5r.urdf", TD_BASE_FIXED, 0.3},   {"stephenson.urdf", TD_BASE_FIXED, 1},
    {"pasibot_leg.urdf", TD_BASE_FIXED, 1},     {"spherical_3rpr.urdf", TD_BASE_FIXED, 0.05},
    {"hand_a.urdf", TD_BASE_FIXED, 0.5},        {"gripper.urdf", TD_BASE_FLOATING, 0.3},
    {"parallelogram.urdf", TD_BASE_FIXED, 0.5},
};

typedef struct state {
    double y[MOST], yd[MOST], ydd[MOST], q[MOST], qd[MOST], qdd[MOST];
} state;

static bool draw(td_random *random, const td_model *model, td_workspace *w, double scale, state *x)
{
    td_draw_configuration(random, model, false, scale, x->y);
    td_random_fill(random, td_nyd(model), x->yd);
    td_random_fill(random, td_nyd(model), x->ydd);
    return td_closure(model, w, x->y, x->yd, x->ydd, x->q, x->qd, x->qdd) == TD_OK;
}

static td_model *load(int i)
{
    td_load_options options = td_load_options_default();
    options.base = robots[i].base;
    return td_load_robot(robots[i].file, &options);
}

static void add_columns(size_t rows, size_t columns, const double *K, const double *x, double *out)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            out[j] += K[i * columns + j] * x[i];
}

TD_LOOP_TEST(inverse_dynamics, 0, sizeof robots / sizeof *robots)
{
    td_model *model = load(_i);
    td_workspace *w = test_workspace(model);
    size_t nv = td_nv(model), nyd = td_nyd(model), nu = td_nu(model);
    size_t rows = td_constraint_count(model), done = 0;
    td_random random = {(uint64_t)_i + 10};
    double *K = doubles(rows * nv);
    ck_assert(nv <= MOST && rows <= MOST_ROWS);
    td_forces forces = td_forces_default();
    forces.passive = true;
    for (int k = 0; k < 200 && done < 20; k++) {
        state x;
        double u[MOST], lambda[MOST_ROWS], tau[MOST], sum[MOST] = {0}, tau_y[MOST], own[MOST];
        double rest[MOST], G_rest[MOST];
        if (!draw(&random, model, w, robots[_i].scale, &x))
            continue;
        done++;
        td_status status = td_constrained_inverse_dynamics(model, w, x.q, x.qd, x.qdd, &forces,
                                                           NULL, u, rest, lambda);
        ck_assert_msg(status == TD_OK, "%s: %s", robots[_i].file, td_status_text(status));
        assert_ok(td_inverse_dynamics(model, w, x.y, x.yd, x.ydd, &forces, tau_y));
        assert_ok(td_forces_to_actuators(model, w, x.y, tau_y, NULL, own, G_rest));
        td_assert_close(nu, u, own, 1e-10, td_largest(nyd, tau_y));
        td_assert_close(nyd, rest, G_rest, 1e-10, td_largest(nyd, tau_y));
        TD_IN_TREE(w, td_inverse_dynamics(model, w, x.q, x.qd, x.qdd, &forces, tau));
        assert_ok(td_constraint_jacobian(model, w, x.q, K));
        add_columns(rows, nv, K, lambda, sum);
        for (size_t i = 0; i < nu; i++)
            sum[td_actuator_at(model, i).qd] += u[i];
        for (size_t i = 0; i < 6 && robots[_i].base == TD_BASE_FLOATING; i++)
            sum[i] += rest[i]; /* no force acts on the base */
        td_assert_close(nv, sum, tau, 1e-9, td_largest(nv, tau));
    }
    ck_assert_uint_ge(done, 10);
}

/* the other branch of the four-bar: q selects it, and the start stored in the workspace does not
   matter */
TD_TEST(branch_of_q)
{
    td_model *model = td_load_robot("four_bar.urdf", NULL);
    td_workspace *w = test_workspace(model), *other = test_workspace(model);
    td_random random = {3};
    bool found = false;
    double q[3], u[2], tau_y, qd[3], qdd[3], y = 0, yd = 0.7, ydd = -0.4;
    for (int k = 0; k < 500 && !found; k++) {
        td_random_fill(&random, 3, q);
        for (int i = 0; i < 3; i++)
            q[i] *= 3;
        found = td_closure_start(model, other, q) == TD_OK && fabs(q[1]) > 0.1;
        if (found) {
            double here[3], there[3];
            td_closure(model, w, &y, NULL, NULL, here, NULL, NULL);
            td_closure(model, other, &y, NULL, NULL, there, NULL, NULL);
            found = fabs(remainder(here[1] - there[1], 6.283185307179586)) > 0.1;
        }
    }
    ck_assert(found);
    assert_ok(td_closure(model, other, &y, &yd, &ydd, q, qd, qdd));
    assert_ok(td_inverse_dynamics(model, other, &y, &yd, &ydd, NULL, &tau_y));
    assert_ok(td_constrained_inverse_dynamics(model, w, q, qd, qdd, NULL, NULL, u, NULL, NULL));
    ck_assert_double_eq_tol(u[0], tau_y, 1e-10);
}

TD_LOOP_TEST(position, 0, sizeof robots / sizeof *robots)
{
    td_model *model = load(_i);
    td_workspace *w = test_workspace(model);
    size_t nv = td_nv(model), nq = td_nq(model), rows = td_constraint_count(model), done = 0;
    td_random random = {(uint64_t)_i + 30};
    for (int k = 0; k < 200 && done < 20; k++) {
        state x;
        double v[MOST], off[MOST], back[MOST], again[MOST], phi[MOST_ROWS], residual = 1;
        if (!draw(&random, model, w, 0.5 * robots[_i].scale, &x))
            continue;
        done++;
        td_random_fill(&random, nv, v);
        td_integrate(model, TD_COORDINATES_TREE, x.q, v, 0.01 * robots[_i].scale, off);
        td_status status = td_project_position(model, w, off, back, &residual);
        ck_assert_msg(status == TD_OK, "%s: %s", robots[_i].file, td_status_text(status));
        ck_assert_double_le(residual, 1e-12);
        assert_ok(td_constraint_residual(model, w, back, phi));
        ck_assert_double_le(td_largest(rows, phi), 1e-12);
        td_difference(model, TD_COORDINATES_TREE, off, back, v);
        ck_assert_double_le(td_largest(nv, v), 0.2 * robots[_i].scale);
        memcpy(again, back, nq * sizeof *back); /* closed q stays; in place */
        assert_ok(td_project_position(model, w, again, again, NULL));
        td_assert_close(nq, again, back, 1e-12, 1);
    }
    ck_assert_uint_ge(done, 10);
}

/* The step is the shortest in kinetic energy: H Δ is a combination of the rows of K, up to second
   order in Δ. */
TD_TEST(shortest)
{
    td_model *model = td_load_robot("four_bar.urdf", NULL);
    td_workspace *w = test_workspace(model);
    double y = 0.3, q[3], error[2];
    assert_ok(td_closure(model, w, &y, NULL, NULL, q, NULL, NULL));
    for (int k = 0; k < 2; k++) {
        double off[3], back[3], v[3], H[9], G[3], size = k ? 1e-4 : 1e-3, way[] = {1, -0.5, 0.7};
        td_integrate(model, TD_COORDINATES_TREE, q, way, size, off);
        assert_ok(td_project_position(model, w, off, back, NULL));
        td_difference(model, TD_COORDINATES_TREE, off, back, v);
        TD_IN_TREE(w, td_mass_matrix(model, w, q, NULL, H));
        td_closure_jacobian(model, w, &y, G);
        double along = 0, scale = 0;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                along += G[i] * H[3 * i + j] * v[j];
                scale += fabs(G[i] * H[3 * i + j] * v[j]);
            }
        error[k] = fabs(along) / scale;
    }
    ck_assert_double_le(error[0], 2e-2);
    ck_assert_double_le(error[1], 0.2 * error[0]);
}

/* Projects an arbitrary velocity. The result fulfills the constraints, H (projected − q̇) = Kᵀ
   impulse, and does not depend on whether the impulse is requested. */
TD_LOOP_TEST(velocity, 0, sizeof robots / sizeof *robots)
{
    td_model *model = load(_i);
    td_workspace *w = test_workspace(model);
    const size_t nv = td_nv(model), rows = td_constraint_count(model);
    td_random random = {(uint64_t)_i + 60};
    static double K[MOST_ROWS * MOST], H[MOST * MOST];
    int done = 0;
    for (int k = 0; k < 200 && done < 20; k++) {
        state x;
        double qd[MOST], projected[MOST], alone[MOST], impulse[MOST_ROWS];
        double change[MOST], before[MOST] = {0}, momentum[MOST] = {0}, expected[MOST] = {0},
                             rate[MOST_ROWS] = {0};
        const double zero[MOST_ROWS] = {0};
        if (!draw(&random, model, w, robots[_i].scale, &x))
            continue;
        done++;
        td_random_fill(&random, nv, qd);
        assert_ok(td_project_velocity(model, w, x.q, qd, projected, impulse));
        assert_ok(td_project_velocity(model, w, x.q, qd, alone, NULL));
        td_assert_close(nv, alone, projected, 0, 0);
        assert_ok(td_constraint_jacobian(model, w, x.q, K));
        TD_IN_TREE(w, td_mass_matrix(model, w, x.q, NULL, H));
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < nv; j++)
                rate[i] += K[i * nv + j] * projected[j];
        td_assert_close(rows, rate, zero, 1e-10, 1 + td_largest(nv, projected));
        for (size_t i = 0; i < nv; i++)
            change[i] = projected[i] - qd[i];
        add_columns(nv, nv, H, change, momentum); /* H is symmetric */
        add_columns(nv, nv, H, qd, before);
        add_columns(rows, nv, K, impulse, expected);
        td_assert_close(nv, momentum, expected, 1e-10, td_largest(nv, before));
    }
    ck_assert_int_ge(done, 10);
}

/* ---- forward dynamics ------------------------------------------------------------------------ */

/* checks q̈, τ_c = Kᵀ λ and all rows of a batch against dense equations with multipliers */
static void check_forward(const td_model *model, td_workspace *w, size_t n, const double *q,
                          const double *qd, const double *tau, const td_constraint_options *options,
                          double tolerance)
{
    const size_t nq = td_nq(model), nv = td_nv(model), rows = td_constraint_count(model);
    td_forces forces = td_forces_default();
    forces.passive = true;
    static double qdd[STATES * MOST], lambda[STATES * MOST_ROWS], K[MOST_ROWS * MOST];
    td_status each[STATES];
    assert_ok(td_batch_constrained_forward_dynamics(model, w, n, q, qd, tau, &forces, options, qdd,
                                                    lambda, each));
    for (size_t i = 0; i < n; i++) {
        const double *at = q + i * nq, *rate = qd + i * nv, *force = tau + i * nv;
        double alone[MOST], multipliers[MOST_ROWS], expected[MOST], tau_c[MOST], found[MOST] = {0};
        assert_ok(each[i]);
        ck_assert(multipliers_accelerations(model, w, at, rate, force, &forces, options->alpha,
                                            options->beta, expected, tau_c));
        const double size = 1 + td_largest(nv, expected);
        td_assert_close(nv, qdd + i * nv, expected, tolerance, size);
        assert_ok(td_constrained_forward_dynamics(model, w, at, rate, force, &forces, options,
                                                  alone, multipliers));
        td_assert_close(nv, alone, expected, tolerance, size);
        assert_ok(td_constraint_jacobian(model, w, at, K));
        add_columns(rows, nv, K, multipliers, found);
        const double load = 1 + td_largest(nv, tau_c);
        td_assert_close(nv, found, tau_c, tolerance, load);
        memset(found, 0, sizeof found);
        add_columns(rows, nv, K, lambda + i * rows, found);
        td_assert_close(nv, found, tau_c, tolerance, load);
    }
}

/* how far states violate the closure and its velocities, and Baumgarte's α and β */
static const struct {
    double off, alpha, beta, tolerance;
} departures[] = {
    {0, 0, 0, 1e-11}, {0, 3, 5, 1e-11}, {1e-9, 0, 0, 1e-8}, {1e-3, 2, 7, 1e-8}, {0.1, 1, 1, 1e-8},
};
enum { DEPARTURES = sizeof departures / sizeof *departures };

TD_LOOP_TEST(forward_dynamics, 0, sizeof robots / sizeof *robots)
{
    td_model *model = load(_i);
    td_workspace *w = test_workspace(model);
    const size_t nq = td_nq(model), nv = td_nv(model);
    td_random random = {(uint64_t)(800 + _i)};
    static double q[STATES * MOST], qd[STATES * MOST], tau[STATES * MOST];
    for (int d = 0; d < DEPARTURES; d++) {
        /* away from closure, redundant constraints of spatial loops contradict each other, and the
           robot does not determine which ones hold */
        if (departures[d].off > 1e-6 && strstr(robots[_i].file, "goldberg"))
            continue;
        td_constraint_options options = td_constraint_options_default();
        options.alpha = departures[d].alpha, options.beta = departures[d].beta;
        for (size_t i = 0; i < STATES;) {
            state x;
            double way[MOST];
            if (!draw(&random, model, w, robots[_i].scale, &x))
                continue;
            td_random_fill(&random, nv, way);
            td_integrate(model, TD_COORDINATES_TREE, x.q, way, departures[d].off, q + i * nq);
            td_random_fill(&random, nv, way);
            for (size_t k = 0; k < nv; k++)
                qd[i * nv + k] = x.qd[k] + departures[d].off * way[k];
            td_random_fill(&random, nv, tau + i * nv);
            i++;
        }
        check_forward(model, w, STATES, q, qd, tau, &options, departures[d].tolerance);
    }
}

/* At the slider's dead point y has no G, but the motion of the tree exists. */
TD_TEST(forward_at_dead_points)
{
    td_model *model = td_load_robot("stephenson_dead.urdf", NULL);
    td_workspace *w = test_workspace(model);
    const size_t nv = td_nv(model);
    td_random random = {5};
    const td_constraint_options options = td_constraint_options_default();
    double tau[MOST], qd[MOST] = {0};
    td_random_fill(&random, nv, tau);
    check_forward(model, w, 1, td_reference(model, TD_COORDINATES_TREE), qd, tau, &options, 1e-7);
    double expected[MOST], found[MOST]; /* also without statuses */
    assert_ok(td_constrained_forward_dynamics(model, w, td_reference(model, TD_COORDINATES_TREE),
                                              qd, tau, NULL, NULL, expected, NULL));
    assert_ok(td_batch_constrained_forward_dynamics(model, w, 1,
                                                    td_reference(model, TD_COORDINATES_TREE), qd,
                                                    tau, NULL, NULL, found, NULL, NULL));
    td_assert_close(nv, found, expected, 1e-12, 1 + td_largest(nv, expected));
}

/* A failing row affects no other row of a batch, with or without statuses, also in batches longer
   than a block. Workspaces without matrices return everything that G determines. */
TD_TEST(forward_batches)
{
    enum { ROWS = 150, LOST = 70 };
    td_load_options load_options = td_load_options_default();
    load_options.plan = TD_PLAN_CLUSTER;
    td_model *model = td_load_robot("five_bar.urdf", &load_options);
    td_workspace_options without = td_workspace_options_default();
    without.matrices = false;
    td_workspace *w = test_workspace(model), *small = test_workspace_with(model, &without);
    const size_t nq = td_nq(model), nv = td_nv(model);
    static double q[ROWS * MOST], qdd[3][ROWS * MOST];
    td_status each[ROWS];
    td_random random = {9};
    for (size_t i = 0; i < ROWS; i++) {
        state x;
        while (!draw(&random, model, w, 0.3, &x))
            continue;
        memcpy(q + i * nq, x.q, nq * sizeof *q);
    }
    assert_ok(td_batch_constrained_forward_dynamics(model, small, ROWS, q, NULL, NULL, NULL, NULL,
                                                    qdd[0], NULL, NULL));
    q[LOST * nq] = NAN;
    ck_assert_int_eq(td_batch_constrained_forward_dynamics(model, w, ROWS, q, NULL, NULL, NULL,
                                                           NULL, qdd[1], NULL, each),
                     TD_ERROR_NOT_FINITE);
    ck_assert_int_eq(td_batch_constrained_forward_dynamics(model, w, ROWS, q, NULL, NULL, NULL,
                                                           NULL, qdd[2], NULL, NULL),
                     TD_ERROR_NOT_FINITE);
    for (size_t i = 0; i < ROWS; i++) {
        ck_assert_int_eq(each[i], i == LOST ? TD_ERROR_NOT_FINITE : TD_OK);
        for (int k = 1; k < 3; k++)
            ck_assert(i == LOST ? isnan(qdd[k][i * nv])
                                : memcmp(qdd[k] + i * nv, qdd[0] + i * nv, nv * sizeof **qdd) == 0);
    }
}

TD_TEST(cannot)
{
    td_model *model = td_load_robot("four_bar.urdf", NULL);
    td_workspace *w = test_workspace(model);
    double q[3] = {NAN, 0, 0}, out[3], u[1];
    double residual = 0;
    ck_assert_int_eq(td_project_position(model, w, q, out, &residual), TD_ERROR_NOT_FINITE);
    ck_assert(isnan(residual));
    ck_assert(isnan(out[1]));
    ck_assert_int_eq(td_project_position(model, w, NULL, out, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(
        td_constrained_inverse_dynamics(model, w, q, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
        TD_ERROR_ARGUMENT);
    ck_assert_int_eq(
        td_constrained_inverse_dynamics(model, w, q, NULL, NULL, NULL, NULL, u, NULL, NULL),
        TD_ERROR_NOT_FINITE);
}
