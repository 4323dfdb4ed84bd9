/* SPDX-License-Identifier: MIT */
/*
 * Motors: the maps of forces and motions between motors and independent coordinates, against the
 * closure's matrices, finite differences and power. Also their derivatives, too many or too few
 * motors, and dead points.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra.h"
#include "loop_robots.h"
#include "td_test.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

enum { MOST = 64 };

static void times(size_t rows, size_t columns, const double *A, const double *x, bool transposed,
                  double *out)
{
    memset(out, 0, (transposed ? columns : rows) * sizeof *out);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            out[transposed ? j : i] += A[i * columns + j] * x[transposed ? i : j];
}

/* ---- derivatives ------------------------------------------------------------------------------
 */

/* checks ∂u/∂y, ∂u/∂τ and ∂(M_uᵀ u)/∂y against sixth-order differences of the same functions */
static void check_derivatives(td_random *random, const td_model *model, td_workspace *w,
                              const double *y, double tolerance)
{
    static const double weight[] = {0.75, -0.15, 1.0 / 60}, h = 1e-3;
    const size_t n = td_nyd(model), nu = td_nu(model);
    double tau[MOST], u[MOST], motor_weight[MOST], value[MOST], there[MOST], force[MOST];
    double *du_dy = doubles(4 * nu * n + 2 * n * n), *du_dtau_y = du_dy + nu * n;
    double *by_y = du_dtau_y + nu * n, *by_tau = by_y + nu * n, *X = by_tau + nu * n,
           *by_X = X + n * n;
    td_random_fill(random, n, tau);
    for (size_t i = 0; i < nu; i++)
        motor_weight[i] = 1.5 + td_random_number(random);
    const td_status status =
        td_forces_to_actuators_derivatives(model, w, y, tau, motor_weight, u, du_dy, du_dtau_y);
    ck_assert_int_eq(td_forces_to_actuators(model, w, y, tau, motor_weight, value, NULL), status);
    td_assert_close(nu, u, value, 1e-13, 1 + td_largest(nu, value));
    assert_ok(td_forces_from_actuators_derivatives(model, w, y, u, force, X));
    assert_ok(td_forces_from_actuators(model, w, y, u, value));
    td_assert_close(n, force, value, 1e-13, 1 + td_largest(n, value));
    for (size_t k = 0; k < n; k++)
        for (int step = -3; step <= 3; step++) {
            if (step == 0)
                continue;
            const double factor = (step < 0 ? -1 : 1) * weight[abs(step) - 1] / h;
            double unit[MOST] = {0};
            unit[k] = 1;
            td_integrate(model, TD_COORDINATES_INDEPENDENT, y, unit, step * h, there);
            td_forces_to_actuators(model, w, there, tau, motor_weight, value, NULL);
            for (size_t i = 0; i < nu; i++)
                by_y[i * n + k] += factor * value[i];
            td_forces_from_actuators(model, w, there, u, value);
            for (size_t i = 0; i < n; i++)
                by_X[i * n + k] += factor * value[i];
            memcpy(force, tau, sizeof force);
            force[k] += step * h;
            td_forces_to_actuators(model, w, y, force, motor_weight, value, NULL);
            for (size_t i = 0; i < nu; i++)
                by_tau[i * n + k] += factor * value[i];
        }
    td_assert_close(nu * n, du_dy, by_y, tolerance, 1 + td_largest(nu * n, by_y));
    td_assert_close(nu * n, du_dtau_y, by_tau, 1e-10, 1 + td_largest(nu * n, by_tau));
    td_assert_close(n * n, X, by_X, tolerance, 1 + td_largest(n * n, by_X));
}

/* Motors in loop joints and at dependent joints, with more or fewer motors than coordinates. */
TD_LOOP_TEST(along_y_in_loops, 0, 6)
{
    static const char *const names[][5] = {
        {"pin0", "pin1"},
        {"rocker0", "pin1"},
        {"coupler0", "crank1"},
        {"pin0", "crank0", "rocker1", "pin1"},
        {"crank0", "rocker0", "coupler0", "pin0"},
        {"pin0"},
    };
    td_load_options options = td_load_options_default();
    options.actuation = TD_ACTUATION_LIST;
    options.actuated = names[_i];
    while (options.actuated_count < 5 && names[_i][options.actuated_count])
        options.actuated_count++;
    td_random random = {(uint64_t)(1 + _i)};
    td_builder *builder = chain_of_four_bars(2, CHAIN_OF_CRANK_ROCKERS);
    td_model *model = model_of_builder(builder, &options);
    td_workspace *w = test_workspace(model);
    for (int state = 0; state < 8; state++) {
        const double y[] = {0.4 * td_random_number(&random), 0.4 * td_random_number(&random)};
        check_derivatives(&random, model, w, y, 1e-8);
    }
}

/* ---- too many, too few ------------------------------------------------------------------------
 */

/* motors at some joints of a random robot with followers: fewer than coordinates, as many, or
   more */
TD_LOOP_TEST(any_number, 0, 60)
{
    td_random random = {(uint64_t)_i + 1};
    td_builder *builder = td_random_robot(&random, 8, 4, true);
    const char *names[16];
    char room[16][32];
    size_t count = 0;
    td_model *plain, *model;
    assert_ok(test_builder_finish(builder, NULL, NULL, &plain));
    for (size_t i = 0; i < td_joint_count(plain) && count < 16; i++) {
        const td_joint *joint = td_joint_at(plain, i);
        if (joint->type == TD_JOINT_FIXED || td_random_number(&random) < -0.5 + _i % 3 * 0.5)
            continue;
        snprintf(room[count], sizeof room[count], "%s", joint->name);
        names[count] = room[count];
        count++;
    }
    td_load_options options = td_load_options_default();
    options.actuation = TD_ACTUATION_LIST;
    options.actuated = names;
    options.actuated_count = count;
    options.base = _i % 2 ? TD_BASE_FLOATING : TD_BASE_FIXED;
    assert_ok(test_builder_finish(builder, &options, NULL, &model));
    td_workspace *w = test_workspace(model);
    size_t nu = td_nu(model), n = td_nyd(model), first = _i % 2 ? 6 : 0;
    double tau[MOST], u[MOST], rest[MOST], weight[MOST], M_u[MOST * MOST], back[MOST];
    double direction[MOST * MOST];
    ck_assert_uint_eq(nu, count);
    td_random_fill(&random, n, tau);
    for (size_t i = 0; i < nu; i++)
        weight[i] = 1.5 + td_random_number(&random);
    assert_ok(td_actuation_matrix(model, w, NULL, M_u));
    td_actuation_report report = {.size_of = sizeof report};
    td_status status = td_actuation_examine(model, w, NULL, &report, direction);
    ck_assert_int_eq(status, td_actuation_status(model));
    ck_assert_uint_eq(report.drivable, n - first);
    ck_assert(status != TD_OK || report.rank == report.drivable);
    ck_assert_int_eq(td_forces_to_actuators(model, w, NULL, tau, weight, u, rest), status);
    times(nu, n, M_u, u, true, back);
    for (size_t i = 0; i < n; i++)
        ck_assert_double_le(fabs(back[i] + rest[i] - tau[i]), 1e-13);
    if (status == TD_OK)
        ck_assert_double_le(td_largest(n - first, rest + first), 1e-13);
    times(nu, n, M_u, rest, false, back); /* no other u has a smaller residual */
    ck_assert_double_le(td_largest(nu, back), 1e-13);
    for (int k = 0; k < 4; k++) { /* and among those no u has a smaller Σ weight u² */
        double v[MOST], own[MOST], force[MOST];
        td_random_fill(&random, nu, v);
        times(nu, n, M_u, v, true, force);
        td_forces_to_actuators(model, w, NULL, force, NULL, own, NULL);
        double sum = 0;
        for (size_t i = 0; i < nu; i++) {
            v[i] -= own[i];
            sum += weight[i] * u[i] * v[i];
        }
        times(nu, n, M_u, v, true, force);
        ck_assert_double_le(td_largest(n, force), 1e-13);
        if (status == TD_OK)
            ck_assert_double_le(fabs(sum), 1e-12 * (1 + td_largest(nu, u)));
    }
    for (size_t k = 0; k + report.rank < report.drivable; k++) {
        times(nu, n, M_u, direction + k * n, false, back);
        ck_assert_double_le(td_largest(nu, back), 1e-13);
        for (size_t l = 0; l <= k; l++)
            ck_assert_double_le(fabs(vec_dot(n, direction + k * n, direction + l * n) - (k == l)),
                                1e-13);
    }
}

/* ---- known values ---------------------------------------------------------------------------- */

/* b = −4 a: motors at b and c */
TD_TEST(conditions)
{
    td_builder *builder = test_builder("robot");
    static const char *const links[] = {"base", "la", "lb", "lc"}, *const joints[] = {"a", "b",
                                                                                      "c"};
    for (int i = 0; i < 4; i++) {
        td_link link = td_link_default(links[i]);
        td_builder_add_link(builder, &link);
    }
    for (int i = 0; i < 3; i++) {
        td_joint joint = td_joint_default(joints[i], TD_JOINT_CONTINUOUS, links[i], links[i + 1]);
        if (i == 1) {
            joint.mimic = "a";
            joint.multiplier = -4;
        }
        td_builder_add_joint(builder, &joint);
    }
    static const char *const motors[] = {"b", "c"};
    td_load_options options = td_load_options_default();
    options.actuation = TD_ACTUATION_LIST;
    options.actuated = motors;
    options.actuated_count = 2;
    td_model *model = model_of_builder(builder, &options);
    td_workspace *w = test_workspace(model);
    td_actuation_report report = {.size_of = sizeof report};
    assert_ok(td_actuation_examine(model, w, NULL, &report, NULL));
    ck_assert_double_eq_tol(report.smallest, 1, 1e-15);
    ck_assert_double_eq_tol(report.largest, 4, 1e-15);
    ck_assert_double_eq_tol(report.closure_condition, sqrt(17), 1e-14);
    ck_assert_double_eq_tol(report.map_condition, sqrt(17) / 4, 1e-15);
}

#if TANDEM_HAS_URDF

/* ---- robots of files ------------------------------------------------------------------------- */

static td_model *load(const char *file, const char *const *motors, size_t count, td_base base)
{
    td_load_options options = td_load_options_default();
    options.base = base;
    options.actuation = count ? TD_ACTUATION_LIST : TD_ACTUATION_TRANSMISSION;
    options.actuated = motors;
    options.actuated_count = count;
    return td_load_robot(file, &options);
}

/* y at which loops close and M_u is regular */
static void draw(td_random *random, const td_model *model, td_workspace *w, double scale, double *y)
{
    double q[MOST];
    do {
        td_draw_configuration(random, model, false, scale, y);
    } while (td_closure(model, w, y, NULL, NULL, q, NULL, NULL) != TD_OK);
}

/* entries of q̇ that belong to motors */
static void motor_rows(const td_model *model, size_t *row)
{
    size_t k = 0;
    for (size_t i = 0; i < td_nu(model); i++) {
        size_t joint = td_actuator_at(model, i).joint;
        k = i > 0 && joint == td_actuator_at(model, i - 1).joint ? k + 1 : 0;
        row[i] = td_joint_place_at(model, joint).qd + k;
    }
}

static const char *const leg_motors[] = {"hip_yaw",
                                         "hip_roll",
                                         "hip_actuator",
                                         "knee_actuator",
                                         "ankle_left_actuator",
                                         "ankle_right_actuator"};

/* ---- as many motors as coordinates ------------------------------------------------------------
 */

/* Checks M_u against G and differences of the motors' positions. Also checks forces mapped to
   motors and back, and as forces of the tree, and power. */
TD_LOOP_TEST(leg, 0, 2)
{
    td_model *model = load("linear_leg.urdf", NULL, 0, _i ? TD_BASE_FLOATING : TD_BASE_FIXED);
    td_workspace *w = test_workspace(model);
    td_random random = {3};
    size_t nu = td_nu(model), n = td_nyd(model), nv = td_nv(model), first = _i ? 6 : 0, row[MOST];
    double *G = test_malloc(nv * n * sizeof *G);
    ck_assert_uint_eq(nu, 6);
    assert_ok(td_actuation_status(model));
    motor_rows(model, row);
    for (int k = 0; k < 50; k++) {
        double y[MOST], yd[MOST], ydd[MOST], tau[MOST], u[MOST], back[MOST], M_u[6 * MOST];
        double rest[MOST], at[MOST], rate[MOST], acceleration[MOST], tree[MOST] = {0};
        draw(&random, model, w, 0.3, y);
        td_random_fill(&random, n, yd);
        td_random_fill(&random, n, ydd);
        td_random_fill(&random, n, tau);
        assert_ok(td_actuation_matrix(model, w, y, M_u));
        assert_ok(td_closure_jacobian(model, w, y, G));
        for (size_t i = 0; i < nu; i++)
            ck_assert_mem_eq(M_u + i * n, G + row[i] * n, n * sizeof *G);
        check_derivatives(&random, model, w, y, 1e-7);

        assert_ok(td_forces_to_actuators(model, w, y, tau, NULL, u, rest));
        times(nu, n, M_u, u, true, back);
        td_assert_close(n - first, back + first, tau + first, 1e-14, td_largest(n, tau));
        td_assert_close(first, rest, tau, 0, 1); /* the base wrench */
        ck_assert_double_le(td_largest(n - first, rest + first), 1e-14 * td_largest(n, tau));
        assert_ok(td_forces_from_actuators(model, w, y, u, back));
        td_assert_close(n - first, back + first, tau + first, 1e-14, td_largest(n, tau));
        for (size_t i = 0; i < nu; i++)
            tree[row[i]] = u[i];
        assert_ok(td_project_force(model, w, y, tree, back));
        td_assert_close(n - first, back + first, tau + first, 1e-14, td_largest(n, tau));

        assert_ok(td_motion_to_actuators(model, w, y, yd, ydd, at, rate, acceleration));
        double power = vec_dot(n - first, tau + first, yd + first);
        ck_assert_double_le(fabs(vec_dot(nu, u, rate) - power), 1e-13 * (1 + fabs(power)));
        const double h = 1e-5;
        double forth[MOST], there[MOST], there_rate[MOST], here[MOST], here_rate[MOST];
        double yd_forth[MOST];
        for (int side = -1; side <= 1; side += 2) {
            td_integrate(model, TD_COORDINATES_INDEPENDENT, y, yd, side * h, forth);
            for (size_t i = 0; i < n; i++)
                yd_forth[i] = yd[i] + side * h * ydd[i];
            for (size_t i = first; i < n; i++) /* ÿ displaces y as well, except for the base */
                forth[i + (first ? 1 : 0)] += h * h / 2 * ydd[i];
            assert_ok(td_motion_to_actuators(model, w, forth, yd_forth, NULL,
                                             side < 0 ? here : there,
                                             side < 0 ? here_rate : there_rate, NULL));
        }
        for (size_t i = 0; i < nu; i++) {
            ck_assert_double_le(fabs((there[i] - here[i]) / (2 * h) - rate[i]), 1e-8);
            ck_assert_double_le(fabs((there_rate[i] - here_rate[i]) / (2 * h) - acceleration[i]),
                                1e-7);
        }
    }
}

/* from the motors' motion to y, and back to the same motion */
TD_LOOP_TEST(leg_from_motors, 0, 2)
{
    td_model *model = load("linear_leg.urdf", NULL, 0, _i ? TD_BASE_FLOATING : TD_BASE_FIXED);
    td_workspace *w = test_workspace(model);
    td_random random = {4};
    size_t n = td_nyd(model), ny = td_ny(model), first = _i ? 6 : 0, q_first = _i ? 7 : 0;
    for (int k = 0; k < 50; k++) {
        double y[MOST], yd[MOST], ydd[MOST], at[6], rate[6], acceleration[6], residual = 1;
        double found[MOST], found_d[MOST], found_dd[MOST];
        draw(&random, model, w, 0.3, y);
        td_random_fill(&random, n, yd);
        td_random_fill(&random, n, ydd);
        assert_ok(td_motion_to_actuators(model, w, y, yd, ydd, at, rate, acceleration));
        memcpy(found, y, sizeof found);
        memcpy(found_d, yd, sizeof found_d);
        memcpy(found_dd, ydd, sizeof found_dd);
        for (size_t i = q_first; i < ny; i++)
            found[i] = 0;
        for (size_t i = first; i < n; i++)
            found_d[i] = found_dd[i] = 0;
        assert_ok(td_motion_from_actuators(model, w, at, rate, acceleration, found, found_d,
                                           found_dd, &residual));
        ck_assert_double_le(residual, 1e-13);
        td_assert_close(ny, found, y, 1e-10, 1); /* the lever arms are 2 to 7 cm */
        td_assert_close(n, found_d, yd, 1e-9, 1);
        td_assert_close(n, found_dd, ydd, 1e-8, td_largest(n, ydd));
    }
    /* impossible motion: y stays unchanged */
    double far[6] = {0, 0, 5, 0, 0, 0}, y[MOST] = {0}, kept[MOST] = {0};
    td_neutral(model, TD_COORDINATES_INDEPENDENT, y);
    memcpy(kept, y, sizeof kept);
    ck_assert_int_ne(td_motion_from_actuators(model, w, far, NULL, NULL, y, NULL, NULL, NULL),
                     TD_OK);
    ck_assert_mem_eq(y, kept, sizeof y);
}

/* the leg with motors both at the actuators and at the joints that they drive: one more than
   needed, one left out */
TD_LOOP_TEST(leg_with_others, 0, 2)
{
    static const char *const more[] = {"hip_yaw",
                                       "hip_roll",
                                       "hip_pitch",
                                       "hip_actuator",
                                       "knee_actuator",
                                       "ankle_left_actuator",
                                       "ankle_right_actuator"};
    td_model *model = load("linear_leg.urdf", _i ? leg_motors : more, _i ? 5 : 7, TD_BASE_FIXED);
    td_workspace *w = test_workspace(model);
    td_random random = {5};
    size_t nu = td_nu(model), n = td_nyd(model);
    ck_assert_int_eq(td_actuation_status(model), _i ? TD_ERROR_UNDERACTUATED : TD_OK);
    for (int k = 0; k < 20; k++) {
        double y[MOST], tau[6], u[7], rest[6], M_u[7 * 6], direction[6 * 6], back[7];
        double weight[] = {1, 2, 3, 400, 5, 6, 7};
        draw(&random, model, w, 0.3, y);
        check_derivatives(&random, model, w, y, 1e-7);
        td_random_fill(&random, n, tau);
        td_actuation_matrix(model, w, y, M_u);
        td_status status = td_forces_to_actuators(model, w, y, tau, weight, u, rest);
        td_actuation_report report = {.size_of = sizeof report};
        ck_assert_int_eq(td_actuation_examine(model, w, y, &report, direction), status);
        ck_assert_int_eq(status, td_actuation_status(model));
        ck_assert_uint_eq(report.rank, _i ? 5 : 6);
        if (_i) {
            ck_assert(isinf(report.map_condition));
            times(nu, n, M_u, direction, false, back);
            ck_assert_double_le(td_largest(nu, back), 1e-14);
            times(nu, n, M_u, rest, false, back);
            ck_assert_double_le(td_largest(nu, back), 1e-14);
            ck_assert_int_eq(td_motion_from_actuators(model, w, u, NULL, NULL, y, NULL, NULL, NULL),
                             TD_ERROR_UNDERACTUATED);
        } else {
            ck_assert_double_le(td_largest(n, rest), 1e-14);
            /* the force at the hip is distributed according to the weights and the lever arm */
            size_t hip = td_joint_place_at(model, td_joint_index(model, "hip_pitch")).yd;
            size_t row[7], joint = 7, actuator = 7;
            motor_rows(model, row);
            for (size_t i = 0; i < nu; i++) {
                const char *name = td_joint_at(model, (size_t)td_actuator_at(model, i).joint)->name;
                joint = strcmp(name, "hip_pitch") == 0 ? i : joint;
                actuator = strcmp(name, "hip_actuator") == 0 ? i : actuator;
            }
            ck_assert(joint < 7 && actuator < 7);
            double lever = M_u[actuator * n + (size_t)hip];
            double share = weight[actuator] * u[actuator] / (weight[joint] * u[joint]);
            ck_assert_double_le(fabs(share - lever), 1e-13);
        }
    }
}

/* a platform with four of its six legs driven: fewer motors than coordinates */
TD_TEST(platform_with_four_legs)
{
    const char *legs[6];
    size_t count = 0;
    td_model *plain = td_load_robot("stewart.urdf", NULL);
    for (size_t i = 0; i < td_nyd(plain); i++)
        legs[count++] = td_joint_at(plain, td_independent_joint(plain, i))->name;
    ck_assert_uint_eq(count, 6);
    td_model *model = load("stewart.urdf", legs, 4, TD_BASE_FIXED);
    td_workspace *w = test_workspace(model);
    td_random random = {8};
    for (int k = 0; k < 10; k++) {
        double y[MOST];
        draw(&random, model, w, 0.02, y);
        check_derivatives(&random, model, w, y, 1e-7);
    }
}

/* a motor at a rocker transmits nothing to the crank where the rocker reverses */
TD_TEST(dead_point)
{
    static const char *const rocker[] = {"rocker_joint"};
    td_model *model = load("four_bar.urdf", rocker, 1, TD_BASE_FIXED);
    td_workspace *w = test_workspace(model);
    double from = NAN, last = 0, before = 0;
    for (double y = 0; y < 6.3 && isnan(from); y += 0.05) {
        double M_u;
        assert_ok(td_actuation_matrix(model, w, &y, &M_u));
        if (y > 0 && (M_u > 0) != (last > 0))
            from = y - 0.05;
        before = last, last = M_u;
    }
    ck_assert(!isnan(from));
    double low = from, high = from + 0.05;
    while (nextafter(low, high) < high) {
        double middle = low + (high - low) / 2, M_u;
        td_actuation_matrix(model, w, &middle, &M_u);
        *((M_u > 0) == (before > 0) ? &low : &high) = middle;
    }
    double tau = 1, u = 0, rest = 0;
    ck_assert_int_eq(td_forces_to_actuators(model, w, &low, &tau, NULL, &u, &rest),
                     TD_ERROR_ACTUATION_SINGULAR);
    ck_assert(isnan(u) && isnan(rest));
    assert_ok(td_forces_to_actuators(model, w, &from, &tau, NULL, &u, &rest));
    ck_assert(isfinite(u));
}

/* a batch in which one state is invalid */
TD_TEST(batch)
{
    enum { STATES = 19 };
    td_model *model = load("linear_leg.urdf", NULL, 0, TD_BASE_FIXED);
    td_workspace *w = test_workspace(model);
    td_random random = {6};
    double y[STATES * 6], tau[STATES * 6], u[STATES * 6], rest[STATES * 6], own[6], own_rest[6];
    double weight[] = {1, 2, 3, 4, 5, 6};
    td_status each[STATES];
    for (int i = 0; i < STATES; i++)
        draw(&random, model, w, 0.3, y + 6 * i);
    y[6 * 7 + 2] = NAN;
    td_random_fill(&random, STATES * 6, tau);
    ck_assert_int_ne(td_batch_forces_to_actuators(model, w, STATES, y, tau, weight, u, rest, each),
                     TD_OK);
    for (int i = 0; i < STATES; i++) {
        ck_assert_int_eq(each[i] == TD_OK, i != 7);
        if (i == 7) {
            ck_assert(isnan(u[6 * i]));
            continue;
        }
        td_forces_to_actuators(model, w, y + 6 * i, tau + 6 * i, weight, own, own_rest);
        td_assert_close(6, u + 6 * i, own, 1e-10, td_largest(6, own));
    }
    double bad[] = {1, 1, 0, 1, 1, 1};
    ck_assert_int_eq(td_forces_to_actuators(model, w, y, tau, bad, u, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_forces_to_actuators(model, w, NULL, tau, NULL, u, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_forces_to_actuators(model, w, y, NULL, NULL, u, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_actuation_matrix(model, w, y, NULL), TD_ERROR_ARGUMENT);
}

#endif

/* ---- whole turns, revolute or prismatic motors ----------------------------------------------- */

/* Positions of motors in loops that make whole turns are equal modulo 2π: the joints are found from
   any turn, and the actuators report that they are angles. */
TD_TEST(motors_in_loops_count_whole_turns)
{
    static const char *const names[] = {"pin0", "pin1"};
    td_load_options options = td_load_options_default();
    options.actuation = TD_ACTUATION_LIST;
    options.actuated = names;
    options.actuated_count = 2;
    td_builder *builder = chain_of_four_bars(2, CHAIN_OF_CRANK_ROCKERS);
    td_model *model = model_of_builder(builder, &options);
    td_workspace *w = test_workspace(model);
    const double y[] = {0.3, -0.2};
    double at[2];
    assert_ok(td_motion_to_actuators(model, w, y, NULL, NULL, at, NULL, NULL));
    for (int turns = -2; turns <= 2; turns++) {
        const double there[] = {at[0] + 2 * M_PI * turns, at[1] - 2 * M_PI * turns};
        double found[] = {0.1, 0}, residual = 1;
        assert_ok(
            td_motion_from_actuators(model, w, there, NULL, NULL, found, NULL, NULL, &residual));
        ck_assert_double_le(residual, 1e-12);
        td_assert_close(2, found, y, 1e-9, 1);
    }
    for (size_t i = 0; i < 2; i++) {
        const td_actuator a = td_actuator_at(model, i);
        ck_assert(a.loop != TD_NONE && a.joint == TD_NONE && a.q == TD_NONE && a.qd == TD_NONE &&
                  a.turns);
        ck_assert_str_eq(a.name, names[i]);
    }
    const td_actuator none = td_actuator_at(model, 2);
    ck_assert(none.loop == TD_NONE && none.joint == TD_NONE);
}

static void add_body(td_builder *b, const char *name, td_joint_type type, const char *parent)
{
    td_link link = td_link_default(name);
    link.has_inertial = parent != NULL;
    link.mass = 1;
    link.inertia[0] = link.inertia[3] = link.inertia[5] = 0.1;
    assert_ok(td_builder_add_link(b, &link));
    if (!parent)
        return;
    td_joint joint = td_joint_default(name, type, parent, name);
    assert_ok(td_builder_add_joint(b, &joint));
}

/* A motor in a loop between two bodies that slide along one line or rotate about it. Its coordinate
   is the difference of theirs. Lengths that differ by 2π are different, angles are not. Rates that
   are not given are zero. */
TD_LOOP_TEST(motors_between_two_bodies, 0, 2)
{
    static const char *const names[] = {"a", "between"};
    const bool turns = _i;
    const td_joint_type type = turns ? TD_JOINT_CONTINUOUS : TD_JOINT_PRISMATIC;
    td_builder *builder = test_builder("two");
    add_body(builder, "world", TD_JOINT_FIXED, NULL);
    add_body(builder, "a", type, "world");
    add_body(builder, "b", type, "world");
    td_loop loop = td_loop_default("between", "a", "b");
    loop.type = turns ? TD_LOOP_REVOLUTE : TD_LOOP_PRISMATIC;
    assert_ok(td_builder_add_loop(builder, &loop));
    td_load_options options = td_load_options_default();
    options.actuation = TD_ACTUATION_LIST;
    options.actuated = names;
    options.actuated_count = 2;
    td_model *model = model_of_builder(builder, &options);
    ck_assert_uint_eq(td_ny(model), 2);
    td_workspace *w = test_workspace(model);
    const double way = turns ? 2.5 : 8, at[] = {1, turns ? way + 2 * M_PI : way};
    double y[] = {0, 0}, yd[] = {5, 6}, ydd[] = {7, 8}, back[2], rate[2], residual = 1;
    assert_ok(td_motion_from_actuators(model, w, at, NULL, NULL, y, yd, ydd, &residual));
    ck_assert_double_le(fabs(y[0] - 1), 1e-12);
    ck_assert_double_le(fabs(y[1] - y[0] - way), 1e-12);
    ck_assert_double_le(residual, 1e-12);
    ck_assert_double_le(td_largest(2, yd), 1e-14);
    ck_assert_double_le(td_largest(2, ydd), 1e-14);
    const double expected[] = {1, way}, rates[] = {0.3, -0.2};
    assert_ok(td_motion_from_actuators(model, w, at, rates, NULL, y, yd, NULL, NULL));
    assert_ok(td_motion_to_actuators(model, w, y, yd, NULL, back, rate, NULL));
    td_assert_close(2, back, expected, 1e-12, 8);
    td_assert_close(2, rate, rates, 1e-13, 1);
    const td_actuator a = td_actuator_at(model, 1);
    ck_assert(a.loop == 0 && a.turns == turns);
}

/* A planar joint has three motors, two prismatic and one revolute, each at one of its
   coordinates. */
TD_TEST(motors_of_a_planar_joint)
{
    static const char *const names[] = {"plate"};
    td_builder *builder = test_builder("plate");
    add_body(builder, "world", TD_JOINT_FIXED, NULL);
    add_body(builder, "arm", TD_JOINT_REVOLUTE, "world");
    add_body(builder, "plate", TD_JOINT_PLANAR, "arm");
    td_load_options options = td_load_options_default();
    options.actuation = TD_ACTUATION_LIST;
    options.actuated = names;
    options.actuated_count = 1;
    td_model *model = model_of_builder(builder, &options);
    const td_joint_place place = td_joint_place_at(model, td_joint_index(model, "plate"));
    ck_assert_uint_eq(td_nu(model), 3);
    for (size_t i = 0; i < 3; i++) {
        const td_actuator a = td_actuator_at(model, i);
        ck_assert_str_eq(a.name, "plate");
        ck_assert(a.component == i && a.q == place.q + i && a.qd == place.qd + i &&
                  a.loop == TD_NONE);
        ck_assert(a.turns == (i == 2));
    }
}
