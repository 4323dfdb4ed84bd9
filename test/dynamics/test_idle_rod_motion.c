/* SPDX-License-Identifier: MIT */
/*
 * Forward dynamics of robots with rods that turn about the lines of their ends: accelerations,
 * forces that no motor balances, derivatives against differences, payloads, and energy.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rod_robots.h"
#include "tandem/payload.h"

enum { MOST = MOST_OF_RODS };

/* ---- forward dynamics ------------------------------------------------------------------------ */

/* Checks derivatives at constant motor forces u, whose forces in y change with M_u. */
static void check_derivatives(td_model *model, td_workspace *w, const double *y, const double *yd,
                              const double *u)
{
    static const double weight[] = {0.75, -0.15, 1.0 / 60}, h = 5e-4;
    const size_t n = td_nyd(model);
    double *A = doubles(6 * n * n), *B = A + n * n, *C = B + n * n, *X = C + n * n,
           *by_y = X + n * n, *by_yd = by_y + n * n;
    double tau[MOST], ydd[MOST], moved[2 * MOST], rate[MOST];
    assert_ok(td_forces_from_actuators_derivatives(model, w, y, u, tau, X));
    assert_ok(td_forward_dynamics_derivatives(model, w, y, yd, tau, NULL, ydd, A, B, C));
    for (size_t i = 0; i < n * n; i++)
        for (size_t k = 0; k < n; k++)
            A[i] += C[i / n * n + k] * X[k * n + i % n];
    for (size_t k = 0; k < n; k++)
        for (int step = -3; step <= 3; step++) {
            if (step == 0)
                continue;
            const double factor = (step < 0 ? -1 : 1) * weight[abs(step) - 1] / h;
            double unit[MOST] = {0};
            unit[k] = 1;
            td_integrate(model, TD_COORDINATES_INDEPENDENT, y, unit, step * h, moved);
            assert_ok(td_forces_from_actuators(model, w, moved, u, tau));
            assert_ok(td_forward_dynamics(model, w, moved, yd, tau, NULL, ydd));
            for (size_t i = 0; i < n; i++)
                by_y[i * n + k] += factor * ydd[i];
            memcpy(rate, yd, n * sizeof *rate);
            rate[k] += step * h;
            assert_ok(td_forces_from_actuators(model, w, y, u, tau));
            assert_ok(td_forward_dynamics(model, w, y, rate, tau, NULL, ydd));
            for (size_t i = 0; i < n; i++)
                by_yd[i * n + k] += factor * ydd[i];
        }
    td_assert_close(n * n, A, by_y, 1e-6, 1 + td_largest(n * n, by_y));
    td_assert_close(n * n, B, by_yd, 1e-6, 1 + td_largest(n * n, by_yd));
}

/* Forward dynamics without inertia along the directions. */
static void check_forward(td_model *model, td_random *random)
{
    enum { STATES = 11 };
    td_workspace *w = test_workspace(model);
    const size_t n = td_nyd(model), ny = td_ny(model), nu = td_nu(model);
    double *y = doubles(STATES * (ny + 4 * n)), *yd = y + STATES * ny, *tau = yd + STATES * n,
           *ydd = tau + STATES * n, *again = ydd + STATES * n, u[MOST], back[MOST], given[MOST];
    td_status statuses[STATES];
    for (size_t s = 0; s < STATES; s++) {
        double *force = tau + s * n, *rate = yd + s * n, *result = ydd + s * n;
        draw_rods(random, model, w, y + s * ny);
        td_random_fill(random, n, rate);
        td_random_fill(random, nu, u);
        assert_ok(td_forces_from_actuators(model, w, y + s * ny, u, force));
        assert_ok(td_forward_dynamics(model, w, y + s * ny, rate, force, NULL, result));
        assert_ok(td_inverse_dynamics(model, w, y + s * ny, rate, result, NULL, back));
        td_assert_close(n, back, force, 1e-9, 1 + td_largest(n, back));
        unsigned char mask[MOST] = {1};
        for (size_t k = 0; k < td_idle_count(model); k++)
            ck_assert_double_eq(result[td_idle_direction_at(model, k).yd], 0);
        /* the first acceleration given; the same force results */
        memcpy(given, result, n * sizeof *given);
        memcpy(back, force, n * sizeof *back);
        back[0] = 0;
        if (td_joint_place_at(model, td_independent_joint(model, 0)).nyd == 1) {
            assert_ok(td_hybrid_dynamics(model, w, y + s * ny, rate, mask, NULL, given, back));
            td_assert_close(n, given, result, 1e-8, 1 + td_largest(n, result));
            ck_assert_double_le(fabs(back[0] - force[0]), 1e-8 * (1 + td_largest(n, force)));
        }
        if (ny == n) /* γ moves poses in y, which takes accuracy from differences */
            check_derivatives(model, w, y + s * ny, rate, u);
        /* a force along the direction has no acceleration */
        memcpy(back, force, n * sizeof *back);
        back[td_idle_direction_at(model, 0).yd] += 0.1;
        ck_assert_int_eq(td_forward_dynamics(model, w, y + s * ny, rate, back, NULL, given),
                         TD_ERROR_SINGULAR);
        ck_assert_uint_eq(td_singular_joint(w), td_idle_direction_at(model, 0).joint);
    }
    assert_ok(td_batch_forward_dynamics(model, w, STATES, y, yd, tau, NULL, again, statuses));
    td_assert_close(STATES * n, again, ydd, 1e-9, 1 + td_largest(STATES * n, ydd));
    tau[4 * n + td_idle_direction_at(model, 0).yd] += 0.1;
    ck_assert_int_eq(td_batch_forward_dynamics(model, w, STATES, y, yd, tau, NULL, again, statuses),
                     TD_ERROR_SINGULAR);
    for (int s = 0; s < STATES; s++)
        ck_assert_int_eq(statuses[s], s == 4 ? TD_ERROR_SINGULAR : TD_OK);
}

TD_TEST(rods_without_inertia_keep_their_speed)
{
    td_random random = {3};
    check_forward(load_rods(build_crank_rod(&rod_robots[0]), 0, 1, false), &random);
}

TD_LOOP_TEST(hexapods_without_inertia_of_rods, 0, 2)
{
    td_random random = {(uint64_t)_i + 3};
    check_forward(load_rods(build_hexapod(0, _i), 1, 6, false), &random);
}

/* A payload on the rod gives it inertia: forward dynamics then needs no rule. */
TD_TEST(payload_resists)
{
    td_model *model = load_rods(build_crank_rod(&rod_robots[0]), 0, 1, false);
    td_workspace *w = test_workspace(model);
    const double y[2] = {0.3, 0.1}, yd[2] = {0.2, 0.4}, com[3] = {0.1, 0.02, 0},
                 moments[6] = {1e-3, 0, 0, 1e-3, 0, 1e-3};
    double ydd[2], tau[2];
    assert_ok(td_set_payload(w, td_idle_direction_at(model, 0).link, 0.1, com, moments));
    assert_ok(td_forward_dynamics(model, w, y, yd, NULL, NULL, ydd));
    ck_assert_double_gt(fabs(ydd[1]), 1e-3);
    assert_ok(td_inverse_dynamics(model, w, y, yd, ydd, NULL, tau));
    ck_assert_double_le(td_largest(2, tau), 1e-10);
}

/* Rods that spin keep the energy of the robot. */
static void check_energy(td_model *model, double dt)
{
    enum { STEPS = 200 };
    static const double at[4] = {0, 0.5, 0.5, 1};
    td_workspace *w = test_workspace(model);
    const size_t n = td_nyd(model);
    double y[MOST], yd[MOST], k[4][2][MOST], moved[MOST], rate[MOST], energy[2], first = 0;
    ck_assert_uint_eq(td_ny(model), n);
    memcpy(y, td_reference(model, TD_COORDINATES_INDEPENDENT), n * sizeof *y);
    for (size_t i = 0; i < n; i++)
        yd[i] = 0;
    for (size_t i = 0; i < td_idle_count(model); i++)
        yd[td_idle_direction_at(model, i).yd] = 3;
    for (int step = 0; step <= STEPS; step++) {
        assert_ok(td_energy(model, w, y, yd, TD_SCOPE_ALL, energy));
        first = step ? first : energy[0] + energy[1];
        for (int s = 0; s < 4; s++) {
            for (size_t i = 0; i < n; i++) {
                moved[i] = y[i] + (s ? dt * at[s] * k[s - 1][0][i] : 0);
                rate[i] = yd[i] + (s ? dt * at[s] * k[s - 1][1][i] : 0);
            }
            memcpy(k[s][0], rate, n * sizeof *rate);
            assert_ok(td_forward_dynamics(model, w, moved, rate, NULL, NULL, k[s][1]));
        }
        for (size_t i = 0; i < n; i++) {
            y[i] += dt / 6 * (k[0][0][i] + 2 * k[1][0][i] + 2 * k[2][0][i] + k[3][0][i]);
            yd[i] += dt / 6 * (k[0][1][i] + 2 * k[1][1][i] + 2 * k[2][1][i] + k[3][1][i]);
        }
    }
    ck_assert_double_gt(energy[0], 1e-3);
    ck_assert_double_le(fabs(energy[0] + energy[1] - first), 1e-9 * energy[0]);
}

TD_LOOP_TEST(spinning_rods_keep_energy, 0, 3)
{
    td_model *model = _i < 2 ? load_rods(build_crank_rod(&rod_robots[_i]), 0, 1, false)
                             : load_rods(build_hexapod(1e-6, false), 1, 6, false);
    check_energy(model, 5e-4);
}
