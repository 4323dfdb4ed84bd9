/* SPDX-License-Identifier: MIT */
/*
 * Linear models of robots with rods that turn about the lines of their ends: equilibria, compliance
 * and gains leave these motions out. Compared with the same robot with a locked rod, and with the
 * eigenvalues of the closed loop.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linear/linear.h"
#include "rod_robots.h"
#include "tandem/linearize.h"

enum { MOST = MOST_OF_RODS };

/* The rod of a crank with its slider locked at an angle. */
static td_model *load_locked(const td_builder *builder, double angle)
{
    td_load_options options = td_load_options_default();
    const td_joint_position lock = {"rx", angle};
    options.locked = &lock;
    options.locked_count = 1;
    return model_of_builder(builder, &options);
}

/* Computes K and S at y, held by the motors, with weights 100, 1 and 0.1. Returns the
   linearization. */
static td_linearization *regulate(td_model *model, td_workspace *w, const double *y, double *K,
                                  double *S)
{
    const size_t n = td_nyd(model), m = td_nu(model), states = 2 * n;
    double *Q = doubles(states * states), *R = doubles(m * m);
    td_linearization *l;
    td_linear_directions idle = {.entry = (size_t *)(void *)doubles(n),
                                 .direction = doubles(n * n)};
    assert_ok(td_linearization_new(model, TD_INPUTS_MOTORS, &l));
    assert_ok(td_linearize_held(l, w, y, NULL, NULL));
    for (size_t i = 0; i < states; i++)
        Q[i * (states + 1)] = i < n ? 100 : 1;
    for (size_t i = 0; i < m; i++)
        R[i * (m + 1)] = 0.1;
    assert_ok(td_linear_idle(model, w, y, true, &idle));
    ck_assert_uint_eq(idle.count, td_idle_count(model));
    const td_linear_problem problem = {
        states, m, td_linearization_A(l), td_linearization_B(l), Q, R, false};
    assert_ok(td_linear_regulator_beside(&idle, &problem, K, S));
    return l;
}

/* A gain moves everything but the rods to rest. */
static void check_loop(td_model *model, const double *y)
{
    td_workspace *w = test_workspace(model);
    const size_t n = td_nyd(model), m = td_nu(model), states = 2 * n;
    double *K = doubles(m * states), *loop = doubles(states * states), *real = doubles(2 * states);
    td_linearization *l = regulate(model, w, y, K, NULL);
    const double *A = td_linearization_A(l), *B = td_linearization_B(l);
    for (size_t i = 0; i < states; i++)
        for (size_t j = 0; j < states; j++) {
            loop[i * states + j] = A[i * states + j];
            for (size_t k = 0; k < m; k++)
                loop[i * states + j] -= B[i * m + k] * K[k * states + j];
        }
    assert_ok(td_linear_eigenvalues(states, loop, real, real + states));
    size_t still = 0;
    for (size_t i = 0; i < states; i++) {
        const bool zero = hypot(real[i], real[states + i]) < 1e-3;
        still += zero;
        ck_assert(zero || real[i] < -0.1);
    }
    ck_assert_uint_eq(still, 2 * td_idle_count(model));
    td_linearization_free(l);
}

TD_LOOP_TEST(gains_leave_rods_out, 0, 2 + 2)
{
    td_random random = {(uint64_t)_i + 1};
    td_model *model = _i < 2 ? load_rods(build_crank_rod(&rod_robots[_i]), 0, 1, false)
                             : load_rods(build_hexapod(_i % 2 ? 1e-6 : 0, false), 1, 6, false);
    td_workspace *w = test_workspace(model);
    double y[2 * MOST];
    draw_rods(&random, model, w, y);
    check_loop(model, y);
}

TD_TEST(gain_is_that_of_the_locked_robot)
{
    td_builder *builder = build_crank_rod(&rod_robots[0]);
    td_model *model = load_rods(builder, 0, 1, false), *locked = load_locked(builder, 0.2);
    const double y[2] = {0.3, 0.2};
    double K[4], S[16], of_locked[2], cost[4];
    td_linearization_free(regulate(model, test_workspace(model), y, K, S));
    td_linearization_free(regulate(locked, test_workspace(locked), y, of_locked, cost));
    ck_assert_double_le(fabs(K[0] - of_locked[0]), 1e-9 * fabs(of_locked[0]));
    ck_assert_double_le(fabs(K[2] - of_locked[1]), 1e-9 * fabs(of_locked[1]));
    ck_assert_double_eq(K[1], 0);
    ck_assert_double_eq(K[3], 0);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            if (i % 2 || j % 2)
                ck_assert_double_eq(S[4 * i + j], 0);
            else
                ck_assert_double_le(fabs(S[4 * i + j] - cost[i + j / 2]),
                                    1e-9 * fabs(cost[i + j / 2]));
}

/* The crank hangs at rest, and the rod stays where it was. */
TD_TEST(equilibrium_and_compliance)
{
    td_builder *builder = build_crank_rod(&rod_robots[1]);
    td_model *model = load_rods(builder, 0, 1, false), *locked = load_locked(builder, 0.2);
    td_model *const both[2] = {model, locked};
    double y[2][2] = {{0.4, 0.2}, {0.4, 0}}, compliance[2][36];
    for (int k = 0; k < 2; k++) {
        td_workspace *w = test_workspace(both[k]);
        td_linearization *l;
        assert_ok(td_linearization_new(both[k], TD_INPUTS_MOTORS, &l));
        assert_ok(td_equilibrium(l, w, y[k], NULL, NULL, NULL));
        assert_ok(td_link_compliance(both[k], w, td_link_index(both[k], "slider"), NULL, y[k], NULL,
                                     NULL, NULL, compliance[k], NULL));
        td_linearization_free(l);
    }
    ck_assert_double_le(fabs(y[0][0] - y[1][0]), 1e-9);
    ck_assert_double_le(fabs(y[0][1] - 0.2), 1e-14);
    td_assert_close(36, compliance[0], compliance[1], 1e-7, td_largest(36, compliance[1]));
}
