/* SPDX-License-Identifier: MIT */
/*
 * Rods that turn about the lines of their ends without effect: which of them are idle, their
 * directions, and forces of motors. Results are compared with the equations of the tree with
 * multipliers, with locked rods and with virtual work.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra.h"
#include "rod_robots.h"

enum { MOST = MOST_OF_RODS };

static const double small[6] = {1e-3, 0, 0, 1e-3, 0, 1e-3}, nowhere[3] = {0, 0, 0};

/* ---- which rods are idle --------------------------------------------------------------------- */

TD_LOOP_TEST(only_idle_rods_are_found, 0, ROD_ROBOTS)
{
    const crank_rod *r = &rod_robots[_i];
    td_diagnostics *list = test_diagnostics(0);
    td_load_options options = td_load_options_default();
    options.base = r->floating ? TD_BASE_FLOATING : TD_BASE_FIXED;
    td_model *model;
    assert_ok(test_builder_finish(build_crank_rod(r), &options, list, &model));
    ck_assert_msg(td_idle_count(model) == r->spins, "%s: %zu", r->name, td_idle_count(model));
    ck_assert_uint_eq(td_find_diagnostic(list, "URDF-I017") != NULL, r->spins);
    ck_assert_uint_eq(td_find_diagnostic(list, "URDF-I009") != NULL, r->damping > 0);
    const td_idle_direction none = td_idle_direction_at(model, r->spins);
    ck_assert(none.link == TD_NONE && none.joint == TD_NONE && none.yd == TD_NONE);
    if (!r->spins)
        return;
    const td_idle_direction found = td_idle_direction_at(model, 0);
    ck_assert_str_eq(td_link_at(model, found.link)->name, "rod");
    ck_assert_str_eq(td_joint_at(model, found.joint)->name, "rx");
    ck_assert_uint_eq(found.massless, r->massless);
    ck_assert(found.alone);
    ck_assert_uint_eq(td_nu(model), 1); /* by default an idle coordinate has no motor */
}

/* A shaft in two bearings of the base turns for a purpose. */
TD_TEST(shaft_is_not_idle)
{
    td_builder *builder = test_builder("shaft");
    add_body(builder, "base", 1, nowhere, small);
    add_body(builder, "shaft", 1, nowhere, small);
    td_joint joint = td_joint_default("shaft", TD_JOINT_CONTINUOUS, "base", "shaft");
    assert_ok(td_builder_add_joint(builder, &joint));
    td_loop loop = td_loop_default("bearing", "shaft", "base");
    loop.type = TD_LOOP_SPHERICAL;
    loop.predecessor_origin.position[0] = loop.successor_origin.position[0] = 0.4;
    assert_ok(td_builder_add_loop(builder, &loop));
    td_model *model = load_rods(builder, 0, 0, false);
    ck_assert_uint_eq(td_idle_count(model), 0);
    ck_assert_uint_eq(td_nu(model), 1);
}

#if TANDEM_HAS_URDF
/* A bell on a ball turns about its axis, but it is no rod: nothing holds its other end. */
TD_TEST(bell_is_not_idle)
{
    ck_assert_uint_eq(td_idle_count(td_load_robot("swing.urdf", NULL)), 0);
}
#endif

/* directions move rods alone; those without inertia are in the null space of H */
static void check_directions(td_model *model, td_random *random)
{
    td_workspace *w = test_workspace(model);
    const size_t n = td_nyd(model), count = td_idle_count(model), nv = td_nv(model);
    double y[2 * MOST], D[MOST * MOST], H[MOST * MOST], G[MOST * MOST], part[MOST], out[MOST];
    for (int state = 0; state < 4; state++) {
        draw_rods(random, model, w, y);
        assert_ok(td_idle_directions(model, w, y, D));
        assert_ok(td_mass_matrix(model, w, y, NULL, H));
        assert_ok(td_closure_jacobian(model, w, y, G));
        for (size_t k = 0; k < count; k++) {
            const td_idle_direction idle = td_idle_direction_at(model, k);
            for (size_t i = 0; i < n; i++)
                part[i] = D[i * count + k];
            ck_assert_double_eq(part[idle.yd], 1);
            mat_times(n, n, H, part, out);
            for (size_t i = 0; i < n && idle.massless; i++)
                ck_assert_double_le(fabs(out[i]), 1e-12 * td_largest(n * n, H));
            mat_times(nv, n, G, part, out);
            for (size_t j = 0; j < td_joint_count(model); j++) {
                const td_joint_place place = td_joint_place_at(model, j);
                const bool of_rod = td_joint_at(model, j)->name[0] == 'r';
                for (size_t i = 0; i < place.nv && !of_rod; i++)
                    ck_assert_double_le(fabs(out[place.qd + i]), 1e-9);
            }
        }
    }
}

TD_LOOP_TEST(directions_move_rods_alone, 0, IDLE_ROD_ROBOTS + 4)
{
    td_random random = {(uint64_t)_i + 1};
    const int k = _i - IDLE_ROD_ROBOTS;
    td_builder *builder =
        k < 0 ? build_crank_rod(&rod_robots[_i]) : build_hexapod(k % 2 ? 1e-6 : 0, k / 2);
    td_model *model = load_rods(builder, 0, 0, k < 0 && rod_robots[_i].floating);
    ck_assert_uint_eq(td_idle_count(model), k < 0 ? 1 : 6);
    check_directions(model, &random);
}

/* ---- motors ---------------------------------------------------------------------------------- */

/* Solves A x = b (n × n) by elimination with pivots. */
static void eliminate(size_t n, double *A, double *b)
{
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k; i < n; i++)
            pivot = fabs(A[i * n + k]) > fabs(A[pivot * n + k]) ? i : pivot;
        for (size_t j = 0; j <= n; j++) {
            double *a = j < n ? &A[k * n + j] : &b[k], *p = j < n ? &A[pivot * n + j] : &b[pivot];
            const double x = *a;
            *a = *p, *p = x;
        }
        for (size_t i = 0; i < n; i++) {
            const double part = i == k ? 0 : A[i * n + k] / A[k * n + k];
            for (size_t j = k; j < n; j++)
                A[i * n + j] -= part * A[k * n + j];
            b[i] -= part * b[k];
        }
    }
    for (size_t k = 0; k < n; k++)
        b[k] /= A[k * n + k];
}

/* Computes motor forces from H q̈ + C = Bᵀ u + Kᵀ λ of the tree, by least squares. *left is the
   largest part of the forces that u and λ do not give. */
static void solve_tree(td_model *model, td_workspace *w, const double *y, const double *yd,
                       const double *ydd, double *u, double *left)
{
    const size_t nv = td_nv(model), nu = td_nu(model), rows = td_constraint_count(model);
    const size_t m = nu + rows;
    double q[2 * MOST], qd[MOST], qdd[MOST], tau[MOST], x[MOST] = {0};
    double *K = doubles(rows * nv + m * nv + m * m), *A = K + rows * nv, *N = A + m * nv;
    ck_assert_uint_le(m, MOST);
    assert_ok(td_closure(model, w, y, yd, ydd, q, qd, qdd));
    td_use_coordinates(w, TD_COORDINATES_TREE);
    assert_ok(td_inverse_dynamics(model, w, q, qd, qdd, NULL, tau));
    td_use_coordinates(w, TD_COORDINATES_INDEPENDENT);
    assert_ok(td_constraint_jacobian(model, w, q, K));
    for (size_t i = 0; i < nu; i++)
        A[i * nv + td_actuator_at(model, i).qd] = 1;
    memcpy(A + nu * nv, K, rows * nv * sizeof *A);
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < m; j++)
            N[i * m + j] = vec_dot(nv, A + i * nv, A + j * nv);
        x[i] = vec_dot(nv, A + i * nv, tau);
    }
    eliminate(m, N, x);
    *left = 0;
    for (size_t j = 0; j < nv; j++) {
        double sum = tau[j];
        for (size_t i = 0; i < m; i++)
            sum -= A[i * nv + j] * x[i];
        *left = fmax(*left, fabs(sum));
    }
    memcpy(u, x, nu * sizeof *u);
}

/* Motor forces at rest, and in motion if the rods have no inertia about their lines. */
static void check_motors(td_model *model, td_random *random, bool moving)
{
    td_workspace *w = test_workspace(model);
    const size_t n = td_nyd(model), nu = td_nu(model), count = td_idle_count(model);
    double y[2 * MOST], yd[MOST] = {0}, ydd[MOST] = {0}, tau[MOST], u[MOST], rest[MOST];
    double expected[MOST], left, rate[MOST], virtual[MOST], D[MOST * MOST];
    assert_ok(td_actuation_status(model));
    ck_assert_uint_eq(nu + count, n);
    for (int state = 0; state < 6; state++) {
        draw_rods(random, model, w, y);
        td_random_fill(random, moving ? n : 0, yd);
        td_random_fill(random, moving ? n : 0, ydd);
        assert_ok(td_inverse_dynamics(model, w, y, yd, ydd, NULL, tau));
        assert_ok(td_forces_to_actuators(model, w, y, tau, NULL, u, rest));
        const double scale = td_largest(n, tau);
        ck_assert_double_le(td_largest(n, rest), 1e-10 * scale);
        solve_tree(model, w, y, yd, ydd, expected, &left);
        ck_assert_double_le(left, 1e-9 * scale);
        td_assert_close(nu, u, expected, 1e-8, scale);
        /* virtual work */
        td_random_fill(random, n, virtual);
        assert_ok(td_motion_to_actuators(model, w, y, virtual, NULL, NULL, rate, NULL));
        ck_assert_double_le(fabs(vec_dot(nu, u, rate) - vec_dot(n, tau, virtual)),
                            1e-10 * (1 + scale));
        td_actuation_report report = {.size_of = sizeof report};
        assert_ok(td_actuation_examine(model, w, y, &report, NULL));
        ck_assert_uint_eq(report.rank, nu);
        /* a force along an idle direction */
        const size_t along = td_idle_direction_at(model, 0).yd;
        tau[along] += 0.01 * scale;
        ck_assert_int_eq(td_forces_to_actuators(model, w, y, tau, NULL, rate, rest),
                         TD_ERROR_UNDERACTUATED);
        assert_ok(td_idle_directions(model, w, y, D));
        ck_assert_double_le(fabs(rest[along] - 0.01 * scale), 1e-9 * scale);
        tau[along] -= 0.01 * scale;
    }
}

TD_LOOP_TEST(motor_forces_are_unique, 0, PLAIN_ROD_ROBOTS)
{
    td_random random = {(uint64_t)_i + 1};
    td_model *model = load_rods(build_crank_rod(&rod_robots[_i]), 0, 1, false);
    check_motors(model, &random, rod_robots[_i].massless);
}

TD_LOOP_TEST(motor_forces_of_hexapods, 0, 4)
{
    td_random random = {(uint64_t)_i + 1};
    td_model *model = load_rods(build_hexapod(_i % 2 ? 1e-6 : 0, _i / 2), 1, 6, false);
    check_motors(model, &random, _i % 2 == 0);
}

/* the same robot with the rod locked has the same motor force */
TD_LOOP_TEST(locked_rod_needs_the_same_force, 0, PLAIN_ROD_ROBOTS)
{
    td_builder *builder = build_crank_rod(&rod_robots[_i]);
    td_model *model = load_rods(builder, 0, 1, false);
    td_workspace *w = test_workspace(model);
    const double y[2] = {0.3, 0}, zero = 0;
    double tau[2], u, locked_tau;
    td_load_options options = td_load_options_default();
    const td_joint_position lock = {"rx", 0};
    options.locked = &lock;
    options.locked_count = 1;
    td_model *locked = model_of_builder(builder, &options);
    td_workspace *v = test_workspace(locked);
    assert_ok(td_inverse_dynamics(model, w, y, NULL, NULL, NULL, tau));
    assert_ok(td_forces_to_actuators(model, w, y, tau, NULL, &u, NULL));
    assert_ok(td_inverse_dynamics(locked, v, y, NULL, NULL, NULL, &locked_tau));
    ck_assert_double_le(fabs(u - locked_tau), 1e-13);
    if (rod_robots[_i].massless) {
        double ydd[2], locked_ydd;
        const double yd[2] = {0.7, 0};
        assert_ok(td_forward_dynamics(model, w, y, yd, (double[2]){0.2, 0}, NULL, ydd));
        assert_ok(td_forward_dynamics(locked, v, y, yd, (double[2]){0.2, 0}, NULL, &locked_ydd));
        ck_assert_double_le(fabs(ydd[0] - locked_ydd), 1e-11 * fabs(locked_ydd));
        ck_assert_double_eq(ydd[1], zero);
    }
}
