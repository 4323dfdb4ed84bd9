/* SPDX-License-Identifier: MIT */
/*
 * Tests td_complete, which computes all joints from measured ones. Results equal the measured
 * positions and velocities and satisfy φ(q) = 0 and K q̇ = 0, which do not use γ. They equal the
 * state from which the measurements were taken. Missing measurements are named. A pose that does
 * not close is an error and does not affect later calls.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "coupled_robots.h"
#include "curve_robots.h"
#include "loop_robots.h"

enum { MOST = 200, NAME = 80, STATES = 12 };

/* Names of coordinates, ordered by joint. */
typedef struct names {
    char text[MOST][NAME];
    const char *list[MOST];
    size_t q[MOST], qd[MOST]; /* qd: MOST for the last entry of a quaternion */
    size_t count;
} names;

static void add_names(names *n, const td_model *model, size_t joint)
{
    const td_joint_place place = td_joint_place_at(model, joint);
    const td_joint_kind *kind = td_joint_kind_of(td_joint_at(model, joint)->type);
    for (size_t k = 0; k < place.nq; k++) {
        ck_assert_uint_lt(n->count, MOST);
        snprintf(n->text[n->count], NAME, "%s%s", td_joint_at(model, joint)->name,
                 td_component_text(model, joint, TD_QUANTITY_POSITION, (size_t)k));
        n->list[n->count] = n->text[n->count];
        n->q[n->count] = place.q + k;
        const size_t v = kind->quaternion == TD_NONE ? k
                         : k >= kind->quaternion     ? k - kind->quaternion
                                                     : k + 3;
        n->qd[n->count] =
            v == 3 && k >= kind->quaternion && kind->quaternion != TD_NONE ? MOST : place.qd + v;
        n->count++;
    }
}

/* Measures the joints of a random order until they determine all others. */
static td_completion *draw_measured(td_random *random, const td_model *model, names *n)
{
    size_t order[MOST], count = td_movable_count(model);
    for (size_t i = 0; i < count; i++) {
        const size_t k = td_random_below(random, i + 1);
        order[i] = order[k];
        order[k] = td_movable_joint(model, i);
    }
    *n = (names){.count = 0};
    td_completion *c = NULL;
    for (size_t i = 0; i < count; i++) {
        add_names(n, model, order[i]);
        assert_ok(test_completion_new(model, n->list, n->count, 1e-6, &c));
        if (td_completion_missing(c, 0) == TD_NONE)
            return c;
    }
    ck_abort_msg("all joints do not determine all joints");
    return c;
}

/* Fails unless q and q̇ close all loops and equal the measurements. */
static void check_state(const td_model *model, td_workspace *w, const names *n, const double *p,
                        const double *v, const double *q, const double *qd, double tolerance)
{
    const size_t rows = td_constraint_count(model), nv = td_nv(model);
    double *phi = doubles(rows), *K = doubles(rows * nv);
    assert_ok(td_constraint_residual(model, w, q, phi));
    assert_ok(td_constraint_jacobian(model, w, q, K));
    const double scale = 1 + td_largest(nv, qd);
    for (size_t i = 0; i < rows; i++) {
        double rate = 0;
        for (size_t k = 0; k < nv; k++)
            rate += K[i * nv + k] * qd[k];
        ck_assert_double_le(fabs(phi[i]), 1e-8);
        ck_assert_double_le(fabs(rate), 1e-8 * scale);
    }
    for (size_t i = 0; i < n->count; i++) {
        const double sign = n->qd[i] == MOST && q[n->q[i]] * p[i] < 0 ? -1 : 1;
        double turns = fabs(q[n->q[i]] - sign * p[i]);
        turns = fmin(turns, fabs(remainder(turns, 6.283185307179586)));
        ck_assert_double_le(turns, tolerance * (1 + fabs(p[i])));
        if (n->qd[i] != MOST)
            ck_assert_double_le(fabs(qd[n->qd[i]] - v[i]), 1e-7 * scale);
    }
}

/* Follows a path near y. Returns at how many states the result is the one that was measured. */
static size_t walk(td_random *random, const td_model *model, double *y, size_t *asked)
{
    const size_t nq = td_nq(model), nv = td_nv(model), nyd = td_nyd(model);
    td_workspace *w = test_workspace(model);
    double *q = doubles(2 * nq), *qd = doubles(2 * nv), *yd = doubles(nyd), *found = q + nq,
           *speed = qd + nv, p[MOST], v[MOST];
    names n;
    td_completion *c = draw_measured(random, model, &n);
    size_t same = 0;
    assert_ok(td_closure(model, w, y, NULL, NULL, q, NULL, NULL));
    if (td_completion_start(c, q) == TD_OK) {
        td_random_fill(random, nyd, yd);
        for (int i = 0; i < STATES; i++) {
            td_integrate(model, TD_COORDINATES_INDEPENDENT, y, yd, 0.005, y);
            if (td_closure(model, w, y, yd, NULL, q, qd, NULL) != TD_OK)
                break;
            for (size_t k = 0; k < n.count; k++) {
                p[k] = q[n.q[k]];
                v[k] = n.qd[k] == MOST ? 0 : qd[n.qd[k]];
            }
            double left;
            if (i == 0 && n.qd[0] != MOST) { /* a failed call must not affect the next one */
                v[0] = NAN;
                ck_assert_int_eq(td_complete(c, p, v, found, speed, &left), TD_ERROR_NOT_FINITE);
                v[0] = qd[n.qd[0]];
            }
            const td_status status = td_complete(c, p, v, found, speed, &left);
            if (status == TD_ERROR_CLOSURE_SINGULAR)
                continue;
            ++*asked;
            ck_assert_msg(status == TD_OK, "%s, %g left", td_status_text(status), left);
            ck_assert_double_le(left, 1e-6);
            check_state(model, w, &n, p, v, found, speed, 1e-6);
            same += td_largest_difference(nq, q, found) < 1e-6 &&
                    td_relative_difference(nv, qd, speed, 1) < 1e-4;
        }
    }
    return same;
}

TD_LOOP_TEST(any_joints_of_loops, 0, loop_robot_count)
{
    td_random random = {(uint64_t)(3 + _i)};
    td_model *model = loop_robot_load(&loop_robots[_i]);
    double *y = doubles(td_ny(model));
    size_t same = 0, asked = 0;
    for (int k = 0; k < 8; k++) {
        loop_robot_state(&random, &loop_robots[_i], model, y);
        same += walk(&random, model, y, &asked);
    }
    ck_assert_msg(asked > 20 && same == asked, "robot %d: %zu of %zu", _i, same, asked);
}

TD_LOOP_TEST(any_joints_of_couplings, 0, 8)
{
    td_random random = {(uint64_t)(30 + _i)};
    td_builder *builder = _i % 2 ? coupled_random(&random, 14) : coupled_hand_on_arm();
    td_model *model = model_of_builder(builder, NULL);
    double *y = doubles(td_ny(model));
    size_t same = 0, asked = 0;
    for (int k = 0; k < 4; k++) {
        td_draw_configuration(&random, model, false, 1, y);
        same += walk(&random, model, y, &asked);
    }
    ck_assert_uint_gt(asked, 40);
    ck_assert_uint_eq(same, asked);
}

/* Tests j2 that follows j1, and j4 that follows both j1 and j3, through curves. */
TD_LOOP_TEST(any_joints_of_curves, 0, 2)
{
    static const double cubic[] = {0.02, 0.6, 0.15, 0.1};
    td_random random = {(uint64_t)(50 + _i)};
    td_builder *builder = curve_row("rrpr");
    const td_curve first = curve_polynomial("j1", 4, cubic);
    const td_curve both[] = {curve_sine("j1", 0.3, 1, 0.2), curve_polynomial("j3", 2, cubic)};
    curve_follow(builder, "j2", &first, 1, 0);
    curve_follow(builder, "j4", both, 2, 0.1);
    td_model *model = model_of_builder(builder, NULL);
    double y[2];
    size_t same = 0, asked = 0;
    for (int k = 0; k < 8; k++) {
        td_draw_configuration(&random, model, false, 0.5, y);
        same += walk(&random, model, y, &asked);
    }
    ck_assert_msg(asked == 8 * STATES && same == asked, "%zu of %zu", same, asked);
}

/* ---- missing, redundant or wrong measurements ------------------------------------------------ */

static const char *const motors[] = {"crank0", "crank1"}, *const rockers[] = {"rocker0", "rocker1"};

TD_TEST(missing_joints_are_named)
{
    td_model *model = model_of_four_bars(2);
    td_completion *c;
    double p[] = {0.1}, q[6], left;
    assert_ok(test_completion_new(model, rockers, 1, 1e-3, &c));
    ck_assert_uint_eq(td_completion_missing(c, 0), td_joint_index(model, "crank1"));
    ck_assert_uint_eq(td_completion_missing(c, 1), TD_NONE);
    ck_assert_int_eq(td_complete(c, p, NULL, q, NULL, &left), TD_ERROR_UNDETERMINED);
    ck_assert(isnan(q[0]) && isnan(q[5]) && isnan(left));
    assert_ok(test_completion_new(model, NULL, 0, 1e-3, &c));
    ck_assert(td_completion_missing(c, 0) != TD_NONE && td_completion_missing(c, 1) != TD_NONE &&
              td_completion_missing(c, 2) == TD_NONE);
    ck_assert_uint_eq(td_completion_missing(NULL, 0), TD_NONE);
}

/* Measures all joints with noise. The result is as near as the noise permits, and nearer than the
   measurement. */
TD_TEST(too_many_are_averaged)
{
    td_random random = {7};
    td_model *model = model_of_four_bars(1);
    td_workspace *w = test_workspace(model);
    const char *const all[] = {"crank0", "coupler0", "rocker0"};
    size_t at[3];
    td_completion *c;
    assert_ok(test_completion_new(model, all, 3, 1e-3, &c));
    double off = 0, worse = 0;
    for (int i = 0; i < 200; i++) {
        double y = 0.002 * i, q[3], p[3], found[3], left, noise[3];
        assert_ok(td_closure(model, w, &y, NULL, NULL, q, NULL, NULL));
        td_random_fill(&random, 3, noise);
        for (int k = 0; k < 3; k++) {
            assert_ok(td_coordinate_of(model, TD_COORDINATES_TREE, all[k], &at[k], NULL));
            p[k] = q[at[k]] + 1e-4 * noise[k];
        }
        assert_ok(td_complete(c, p, NULL, found, NULL, &left));
        ck_assert(left <= 2e-4 && left > 0);
        off += pow(found[at[0]] - y, 2);
        worse += pow(p[0] - y, 2);
    }
    ck_assert_double_lt(off, 0.8 * worse);
}

/* The rocker cannot reach this position. The next call behaves as if the failed one had not
   happened. */
TD_TEST(a_pose_that_does_not_close)
{
    td_model *model = model_of_four_bars(1);
    td_completion *c, *other;
    assert_ok(test_completion_new(model, rockers, 1, 1e-3, &c));
    assert_ok(test_completion_new(model, rockers, 1, 1e-3, &other));
    double q[3], qd[3], again[3], left, near = 0.05, far = 2.5, none = NAN, speed = 1;
    ck_assert_int_eq(td_complete(c, &far, &speed, q, qd, &left), TD_ERROR_MEASURED);
    assert_ok(td_complete(c, &near, &speed, q, qd, &left));
    assert_ok(td_complete(other, &near, &speed, again, NULL, NULL));
    ck_assert_mem_eq(q, again, sizeof q);
    ck_assert_int_eq(td_complete(c, &far, &speed, q, qd, &left), TD_ERROR_MEASURED);
    ck_assert(left > 0.1 && isnan(q[0]) && isnan(qd[2]));
    ck_assert_int_eq(td_complete(c, &none, NULL, q, NULL, NULL), TD_ERROR_NOT_FINITE);
    ck_assert_int_eq(td_complete(c, &near, &none, q, qd, NULL), TD_ERROR_NOT_FINITE);
    near = 0.06;
    assert_ok(td_complete(c, &near, &speed, q, qd, &left));
    assert_ok(td_complete(other, &near, &speed, again, NULL, NULL));
    ck_assert_mem_eq(q, again, sizeof q);
}

/* Follows a branch from call to call, and starts on a given branch. */
TD_TEST(branches_are_kept)
{
    td_model *model = model_of_four_bars(1);
    td_workspace *w = test_workspace(model);
    td_completion *c;
    assert_ok(test_completion_new(model, rockers, 1, 1e-3, &c));
    size_t crank, rocker;
    assert_ok(td_coordinate_of(model, TD_COORDINATES_TREE, "crank0", &crank, NULL));
    assert_ok(td_coordinate_of(model, TD_COORDINATES_TREE, "rocker0", &rocker, NULL));
    double q[3], found[3];
    for (double y = 0; y < 6.28; y += 0.02) { /* started at q, it finds any crank angle */
        assert_ok(td_closure(model, w, &y, NULL, NULL, q, NULL, NULL));
        assert_ok(td_completion_start(c, q));
        assert_ok(td_complete(c, &q[rocker], NULL, found, NULL, NULL));
        ck_assert_double_lt(fabs(found[crank] - y), 1e-6);
    }
    assert_ok(td_completion_start(c, NULL));
    for (double y = 0; y < 20; y += 0.02) { /* several turns, through both dead points */
        assert_ok(td_closure(model, w, &y, NULL, NULL, q, NULL, NULL));
        assert_ok(td_complete(c, &q[rocker], NULL, found, NULL, NULL));
        ck_assert_double_lt(fabs(found[crank] - y), 1e-4);
    }
}

/* Where the rocker has zero velocity, that velocity does not determine the crank's. */
TD_TEST(velocities_at_a_dead_point)
{
    td_model *model = model_of_four_bars(1);
    td_workspace *w = test_workspace(model);
    size_t crank, rocker, first;
    assert_ok(td_coordinate_of(model, TD_COORDINATES_TREE, "crank0", &crank, &first));
    assert_ok(td_coordinate_of(model, TD_COORDINATES_TREE, "rocker0", &rocker, &first));
    double from = 0, to = 0, q[3], qd[3], at, rate[2];
    for (int i = 0; i < 200; i++) { /* steps until its velocity changes sign, then bisects */
        const double y = to == 0 ? from + 0.05 : 0.5 * (from + to), one = 1;
        at = from;
        assert_ok(td_closure(model, w, &at, &one, NULL, NULL, qd, NULL));
        rate[0] = qd[first];
        assert_ok(td_closure(model, w, &y, &one, NULL, q, qd, NULL));
        rate[1] = qd[first];
        if (rate[0] * rate[1] <= 0)
            to = y;
        else
            from = y;
    }
    td_completion *c;
    const double still = 0;
    assert_ok(test_completion_new(model, rockers, 1, 1e-3, &c));
    assert_ok(td_completion_start(c, q));
    ck_assert_int_eq(td_complete(c, &q[rocker], &still, q, qd, NULL), TD_ERROR_CLOSURE_SINGULAR);
    ck_assert(fabs(q[crank] - to) < 1e-5 && isnan(qd[0]) && isnan(qd[2]));
    assert_ok(td_complete(c, &q[rocker], NULL, q, NULL, NULL));
}

/* Ignores whole turns of a continuous joint that a loop determines, but keeps whole turns of an
   independent joint. */
TD_TEST(whole_turns)
{
    const double turn = 2 * acos(-1);
    td_model *model = model_of_four_bars(1);
    td_completion *c, *direct;
    size_t crank, rocker;
    assert_ok(td_coordinate_of(model, TD_COORDINATES_TREE, "crank0", &crank, NULL));
    assert_ok(td_coordinate_of(model, TD_COORDINATES_TREE, "rocker0", &rocker, NULL));
    assert_ok(test_completion_new(model, rockers, 1, 1e-3, &c));
    assert_ok(test_completion_new(model, motors, 1, 1e-3, &direct));
    double q[3], again[3], p = 0.05, left;
    assert_ok(td_complete(c, &p, NULL, q, NULL, &left));
    p -= 3 * turn;
    assert_ok(td_complete(c, &p, NULL, again, NULL, &left));
    ck_assert(left < 1e-9 && td_largest_difference(3, q, again) < 1e-9);
    p = q[crank] + 2 * turn;
    assert_ok(td_complete(direct, &p, NULL, again, NULL, &left));
    ck_assert(again[crank] == p && fabs(remainder(again[rocker] - q[rocker], turn)) < 1e-9);
}

/* Measures followers as well as their leaders, with noise, so that no state fits exactly. The
   result is the nearest one, and q equals γ(y) to the bit. */
TD_LOOP_TEST(noise_leaves_no_trial, 0, 4)
{
    td_random random = {(uint64_t)_i + 20};
    td_builder *builder = curve_row("rrrr");
    const td_curve first = curve_sine("j1", 0.8, 1, 0.7), second = curve_sine("j2", 1.3, 2, 0.2);
    curve_follow(builder, "j3", &first, 1, 0.1);
    curve_follow(builder, "j4", &second, 1, 0);
    td_model *model = model_of_builder(builder, NULL);
    td_workspace *w = test_workspace(model);
    const size_t nq = td_nq(model);
    double y[MOST], p[MOST], noise[MOST], q[MOST], again[MOST], left;
    names n = {.count = 0};
    for (size_t i = 0; i < td_movable_count(model); i++)
        add_names(&n, model, td_movable_joint(model, i));
    td_completion *c;
    assert_ok(test_completion_new(model, n.list, n.count, 100, &c));
    for (int i = 0; i < 50; i++) {
        td_random_fill(&random, td_ny(model), y);
        td_random_fill(&random, n.count, noise);
        assert_ok(td_closure(model, w, y, NULL, NULL, q, NULL, NULL));
        for (size_t k = 0; k < n.count; k++)
            p[k] = q[n.q[k]] + 0.05 * noise[k];
        assert_ok(td_complete(c, p, NULL, q, NULL, &left));
        assert_ok(td_independent_coordinates(model, w, q, y, NULL));
        assert_ok(td_closure(model, w, y, NULL, NULL, again, NULL, NULL));
        ck_assert_mem_eq(q, again, nq * sizeof *q);
        double most = 0;
        for (size_t k = 0; k < n.count; k++)
            most = fmax(most, fabs(p[k] - q[n.q[k]]));
        ck_assert_double_eq(left, most); /* from the same y, to the bit */
    }
}

TD_TEST(refused)
{
    td_model *model = model_of_four_bars(2);
    td_completion *c = (td_completion *)&model;
    const char *const twice[] = {"crank0", "crank0"}, *const none[] = {"crank0", NULL};
    double q[6] = {0};
    ck_assert_int_eq(test_completion_new(NULL, motors, 2, 1e-3, &c), TD_ERROR_ARGUMENT);
    ck_assert_ptr_null(c);
    ck_assert_int_eq(test_completion_new(model, motors, 2, 0, &c), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(test_completion_new(model, NULL, 2, 1e-3, &c), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(test_completion_new(model, none, 2, 1e-3, &c), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(test_completion_new(model, twice, 2, 1e-3, &c), TD_ERROR_NAME);
    ck_assert_int_eq(test_completion_new(model, motors, 2, 1e-3, NULL), TD_ERROR_ARGUMENT);
    assert_ok(test_completion_new(model, motors, 2, 1e-3, &c));
    ck_assert_int_eq(td_complete(NULL, q, NULL, q, NULL, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_complete(c, NULL, NULL, q, NULL, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_complete(c, q, NULL, NULL, NULL, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_completion_start(NULL, NULL), TD_ERROR_ARGUMENT);
    td_completion_free(NULL);
}

/* A part of a quaternion is not enough. A floating base needs all four numbers, and no more. */
TD_TEST(quaternions_are_whole)
{
    td_builder *builder = chain_of_four_bars(1, CHAIN_OF_CRANK_ROCKERS);
    td_load_options options = td_load_options_default();
    options.base = TD_BASE_FLOATING;
    td_model *model = model_of_builder(builder, &options);
    static const char *const list[] = {"crank0",  "base.x",  "base.y",  "base.z",
                                       "base.qx", "base.qy", "base.qz", "base.qw"};
    td_completion *c;
    ck_assert_int_eq(test_completion_new(model, list, 7, 1e-3, &c), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(test_completion_new(model, list, 3, 1e-3, &c), TD_ERROR_ARGUMENT);
    assert_ok(test_completion_new(model, list, 4, 1e-3, &c));
    ck_assert_uint_eq(td_completion_missing(c, 0), 0);
    ck_assert_uint_eq(td_completion_missing(c, 1), TD_NONE);
    assert_ok(test_completion_new(model, list, 8, 1e-3, &c));
    ck_assert_uint_eq(td_completion_missing(c, 0), TD_NONE);
    double p[] = {0.1, 100, -200, 3, 0, 0, 0.9, 0.9}, q[10];
    ck_assert_int_eq(td_complete(c, p, NULL, q, NULL, NULL), TD_ERROR_QUATERNION);
    p[6] = 0.6, p[7] = 0.8;
    assert_ok(td_complete(c, p, NULL, q, NULL, NULL));
    ck_assert(fabs(q[0] - 100) < 1e-9 && fabs(q[2] - 3) < 1e-12 && fabs(q[5] - 0.6) < 1e-12);
    double v[] = {0.1, 1, 2, 3, 4, 5, 6, NAN}, qd[9]; /* the last number is not read */
    assert_ok(td_complete(c, p, v, q, qd, NULL));
    ck_assert(isfinite(qd[0]) && isfinite(qd[5]));
    v[5] = NAN;
    ck_assert_int_eq(td_complete(c, p, v, q, qd, NULL), TD_ERROR_NOT_FINITE);
}
