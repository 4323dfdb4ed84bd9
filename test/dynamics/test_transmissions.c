/* SPDX-License-Identifier: MIT */
/*
 * Motors that pull several joints: forces, motions and rotors against sums over joints, the same
 * robot without motors, virtual work, and the equations of ros_control's transmissions.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coupled_robots.h"
#include "loop_robots.h"
#include "td_test.h"

enum { MOTORS = 3, TERMS = 3, MOST = 128 };

/* A robot without and with motors, and the motors. */
typedef struct pair {
    td_model *plain, *driven;
    td_workspace *w, *v; /* of plain, of driven */
    size_t motors;
    double turns[MOTORS], inertia[MOTORS], damping[MOTORS], friction[MOTORS];
    double *A; /* motors × nyd: from the plain model */
    int joint[MOTORS][TERMS];
    double ratio[MOTORS][TERMS];
} pair;

static const char *const motor_names[MOTORS] = {"drive a", "drive b", "drive c"};

static td_builder *robot(int i, td_random *random)
{
    switch (i % 5) {
    case 0:
        return coupled_hand_on_arm();
    case 1:
        return chain_of_four_bars(2, CHAIN_OF_CRANK_ROCKERS);
    case 2:
        return chain_of_four_bars(3, CHAIN_OF_PARALLELOGRAMS);
    case 3:
        return chain_of_four_bars(2, CHAIN_GEARED);
    default:
        return coupled_random(random, 12);
    }
}

static double positive(td_random *random)
{
    return 1.2 + td_random_number(random);
}

/* Draws motors of the plain robot, and adds them to the builder. */
static void add_motors(pair *p, td_random *random, td_builder *builder)
{
    size_t scalar[MOST], count = 0;
    for (size_t j = 0; j < td_movable_count(p->plain); j++) {
        const size_t joint = td_movable_joint(p->plain, j);
        if (td_joint_place_at(p->plain, joint).nq == 1)
            scalar[count++] = joint;
    }
    p->motors = count < TERMS ? 0 : MOTORS;
    for (size_t m = 0; m < p->motors; m++) {
        p->turns[m] = td_random_number(random) < 0 ? -2 : 3;
        p->inertia[m] = 0.3 * positive(random);
        p->damping[m] = 0.1 * positive(random);
        p->friction[m] = 0.2 * positive(random);
        for (size_t k = 0; k < TERMS; k++) {
            const size_t first = td_random_below(random, count);
            p->joint[m][k] = (int)scalar[(first + k) % count];
            p->ratio[m][k] = td_random_number(random) < 0 ? -positive(random) : positive(random);
            td_transmission t = td_transmission_default(
                "drives", td_joint_at(p->plain, (size_t)p->joint[m][k])->name);
            t.actuator = motor_names[m];
            t.ratio = p->ratio[m][k];
            t.mechanical_reduction = p->turns[m];
            t.rotor_inertia = p->inertia[m];
            t.damping = p->damping[m];
            t.friction = p->friction[m];
            assert_ok(td_builder_add_transmission(builder, &t));
        }
    }
}

static pair pair_of(int i, td_base base, td_plan plan)
{
    pair p = {.plain = NULL};
    td_random random = {(uint64_t)i + 1};
    td_builder *builder = robot(i, &random);
    td_load_options options = td_load_options_default();
    options.base = base;
    options.plan = plan;
    p.plain = model_of_builder(builder, &options);
    add_motors(&p, &random, builder);
    options.actuation = TD_ACTUATION_LIST;
    options.actuated = motor_names;
    options.actuated_count = p.motors;
    p.driven = model_of_builder(builder, &options);
    p.w = test_workspace(p.plain);
    p.v = test_workspace(p.driven);
    ck_assert_uint_eq(td_nyd(p.plain), td_nyd(p.driven));
    ck_assert_uint_eq(td_nu(p.driven), p.motors);
    p.A = doubles(MOTORS * td_nyd(p.plain));
    return p;
}

/* Computes A at y: the sums of rows of G of the plain robot. */
static void find_rows(pair *p, const double *y)
{
    const size_t n = td_nyd(p->plain);
    double *G = doubles(td_nv(p->plain) * n);
    assert_ok(td_closure_jacobian(p->plain, p->w, y, G));
    for (size_t m = 0; m < p->motors; m++)
        for (size_t c = 0; c < n; c++) {
            p->A[m * n + c] = 0;
            for (size_t k = 0; k < TERMS; k++) {
                const size_t row = td_joint_place_at(p->plain, (size_t)p->joint[m][k]).qd;
                p->A[m * n + c] += p->ratio[m][k] * G[row * n + c];
            }
        }
}

/* Adds Aᵀ x to out. */
static void add_pulled(const pair *p, const double *x, double *out)
{
    const size_t n = td_nyd(p->plain);
    for (size_t m = 0; m < p->motors; m++)
        for (size_t c = 0; c < n; c++)
            out[c] += p->A[m * n + c] * x[m];
}

static bool draw(pair *p, td_random *random, double *y)
{
    td_draw_configuration(random, p->plain, false, 0.4, y);
    return td_largest_rate(p->plain, p->w, y) < 50;
}

TD_LOOP_TEST(rotors_and_losses, 0, 30)
{
    pair p = pair_of(_i, _i % 3 == 0 ? TD_BASE_FLOATING : TD_BASE_FIXED,
                     _i % 2 ? TD_PLAN_CLUSTER : TD_PLAN_REDUCED);
    const size_t n = td_nyd(p.plain);
    td_random random = {(uint64_t)_i + 77};
    td_forces forces = with_passive_forces();
    double *y = doubles(td_ny(p.plain)), *H = doubles(n * n), *without = doubles(n * n);
    double *yd = doubles(n), *ydd = doubles(n), *tau = doubles(n), *expected = doubles(n);
    double *found = doubles(n), *M_u = doubles(MOTORS * n);
    double position[MOTORS], rate[MOTORS], acceleration[MOTORS], force[MOTORS];
    int states = 0;
    for (int state = 0; state < 8; state++) {
        if (!draw(&p, &random, y))
            continue;
        states++;
        find_rows(&p, y);
        assert_ok(td_actuation_matrix(p.driven, p.v, y, M_u));
        td_assert_close(p.motors * n, M_u, p.A, 1e-11, 1 + td_largest(p.motors * n, p.A));
        assert_ok(td_mass_matrix(p.plain, p.w, y, &forces, without));
        assert_ok(td_mass_matrix(p.driven, p.v, y, &forces, H));
        for (size_t m = 0; m < p.motors; m++)
            for (size_t k = 0; k < n * n; k++)
                without[k] += p.turns[m] * p.turns[m] * p.inertia[m] * p.A[m * n + k / n] *
                              p.A[m * n + k % n];
        td_assert_close(n * n, H, without, 1e-11, td_largest(n * n, H));
        td_random_fill(&random, n, yd);
        td_random_fill(&random, n, ydd);
        assert_ok(td_motion_to_actuators(p.driven, p.v, y, yd, ydd, position, rate, acceleration));
        assert_ok(td_inverse_dynamics(p.plain, p.w, y, yd, ydd, &forces, expected));
        assert_ok(td_inverse_dynamics(p.driven, p.v, y, yd, ydd, &forces, tau));
        for (size_t m = 0; m < p.motors; m++) {
            double speed = 0;
            for (size_t c = 0; c < n; c++)
                speed += p.A[m * n + c] * yd[c];
            ck_assert_double_eq_tol(rate[m], speed, 1e-11 * (1 + fabs(speed)));
            force[m] =
                p.turns[m] * p.turns[m] * (p.inertia[m] * acceleration[m] + p.damping[m] * speed) +
                fabs(p.turns[m]) * p.friction[m] * speed / hypot(speed, forces.friction_velocity);
        }
        add_pulled(&p, force, expected);
        td_assert_close(n, tau, expected, 1e-10, td_largest(n, expected));
        if (td_forward_dynamics(p.driven, p.v, y, yd, tau, &forces, found) == TD_OK)
            td_assert_close(n, found, ydd, 1e-7, 1);
        td_status status;
        assert_ok(td_batch_inverse_dynamics(p.driven, p.v, 1, y, yd, ydd, &forces, found, &status));
        td_assert_close(n, found, tau, 1e-10, td_largest(n, tau));
    }
    ck_assert_int_gt(states, 2);
}

/* the acceleration of a motor is the rate of its velocity */
TD_LOOP_TEST(accelerations, 0, 10)
{
    pair p = pair_of(_i, TD_BASE_FIXED, TD_PLAN_AUTO);
    const size_t n = td_nyd(p.plain);
    const double h = 1e-4;
    td_random random = {(uint64_t)_i + 5};
    double *y = doubles(td_ny(p.plain)), *there = doubles(td_ny(p.plain)), *yd = doubles(n);
    double *step = doubles(n), *then = doubles(n), *ydd = doubles(n);
    double acceleration[MOTORS], rate[2][MOTORS], slope[MOTORS];
    if (!draw(&p, &random, y))
        return;
    td_random_fill(&random, n, yd);
    td_random_fill(&random, n, ydd);
    assert_ok(td_motion_to_actuators(p.driven, p.v, y, yd, ydd, NULL, NULL, acceleration));
    for (int side = 0; side < 2; side++) {
        const double s = side ? h : -h;
        for (size_t c = 0; c < n; c++) {
            step[c] = s * yd[c] + s * s / 2 * ydd[c];
            then[c] = yd[c] + s * ydd[c];
        }
        td_integrate(p.driven, TD_COORDINATES_INDEPENDENT, y, step, 1, there);
        assert_ok(td_motion_to_actuators(p.driven, p.v, there, then, NULL, NULL, rate[side], NULL));
    }
    for (size_t m = 0; m < p.motors; m++)
        slope[m] = (rate[1][m] - rate[0][m]) / (2 * h);
    td_assert_close(p.motors, acceleration, slope, 1e-4, 1 + td_largest(p.motors, slope));
}

/* derivatives of inverse dynamics against differences, and of forward dynamics against these */
TD_LOOP_TEST(derivatives, 0, 10)
{
    pair p = pair_of(_i, TD_BASE_FIXED, _i % 2 ? TD_PLAN_CLUSTER : TD_PLAN_REDUCED);
    const size_t n = td_nyd(p.plain);
    const double h = 1e-5;
    td_random random = {(uint64_t)_i + 9};
    td_forces forces = with_passive_forces();
    double *y = doubles(td_ny(p.plain)), *there = doubles(td_ny(p.plain)), *yd = doubles(n);
    double *ydd = doubles(n), *unit = doubles(n), *tau = doubles(n), *side = doubles(n);
    double *dy = doubles(n * n), *dyd = doubles(n * n), *H = doubles(n * n), *M = doubles(n * n);
    double *slope = doubles(n * n), *fd_y = doubles(n * n), *fd_yd = doubles(n * n);
    if (!draw(&p, &random, y))
        return;
    td_random_fill(&random, n, yd);
    td_random_fill(&random, n, ydd);
    forces.friction_velocity = 0.5;
    assert_ok(td_inverse_dynamics_derivatives(p.driven, p.v, y, yd, ydd, &forces, tau, dy, dyd, H));
    assert_ok(td_mass_matrix(p.driven, p.v, y, &forces, M));
    td_assert_close(n * n, H, M, 1e-11, td_largest(n * n, M));
    for (size_t k = 0; k < n; k++)
        for (int s = -1; s <= 1; s += 2) {
            memset(unit, 0, n * sizeof *unit);
            unit[k] = 1;
            td_integrate(p.driven, TD_COORDINATES_INDEPENDENT, y, unit, s * h, there);
            assert_ok(td_inverse_dynamics(p.driven, p.v, there, yd, ydd, &forces, side));
            for (size_t i = 0; i < n; i++)
                slope[i * n + k] += s * side[i] / (2 * h);
        }
    td_assert_close(n * n, dy, slope, 1e-5, 1 + td_largest(n * n, slope));
    if (td_forward_dynamics_derivatives(p.driven, p.v, y, yd, tau, &forces, side, fd_y, fd_yd, M) !=
        TD_OK)
        return;
    for (size_t i = 0; i < n; i++) /* H ∂ÿ/∂y = −∂τ/∂y */
        for (size_t k = 0; k < n; k++)
            for (size_t j = 0; j < n; j++) {
                dy[i * n + k] += H[i * n + j] * fd_y[j * n + k];
                dyd[i * n + k] += H[i * n + j] * fd_yd[j * n + k];
            }
    memset(slope, 0, n * n * sizeof *slope);
    td_assert_close(n * n, dy, slope, 1e-7, 1 + td_largest(n * n, H) * td_largest(n * n, fd_y));
    td_assert_close(n * n, dyd, slope, 1e-7, 1 + td_largest(n * n, H) * td_largest(n * n, fd_yd));
}

/* uᵀ ẇ = τᵀ ẏ, and the tree's own shaft obeys the same forces in its own coordinates */
TD_LOOP_TEST(virtual_work, 0, 20)
{
    pair p = pair_of(_i, _i % 2 ? TD_BASE_FLOATING : TD_BASE_FIXED, TD_PLAN_AUTO);
    const size_t n = td_nyd(p.plain);
    td_random random = {(uint64_t)_i + 13};
    double *y = doubles(td_ny(p.plain)), *yd = doubles(n), *tau = doubles(n), *sum = doubles(n);
    double u[MOTORS], rate[MOTORS], at_motors = 0, at_joints = 0;
    if (!draw(&p, &random, y))
        return;
    find_rows(&p, y);
    td_random_fill(&random, n, yd);
    td_random_fill(&random, p.motors, u);
    assert_ok(td_motion_to_actuators(p.driven, p.v, y, yd, NULL, NULL, rate, NULL));
    assert_ok(td_forces_from_actuators(p.driven, p.v, y, u, tau));
    add_pulled(&p, u, sum);
    td_assert_close(n, tau, sum, 1e-11, 1 + td_largest(n, sum));
    for (size_t m = 0; m < p.motors; m++)
        at_motors += u[m] * rate[m];
    for (size_t c = 0; c < n; c++)
        at_joints += tau[c] * yd[c];
    ck_assert_double_eq_tol(at_motors, at_joints, 1e-10 * (1 + fabs(at_joints)));
}

#if TANDEM_HAS_URDF
/* Writes a robot as URDF. */
static char *exported(const td_model *model, td_export_format format)
{
    td_export_options options = td_export_options_default();
    options.format = format;
    size_t size = 0;
    td_diagnostics *list = test_diagnostics(0);
    const td_status status = td_model_export(model, &options, list, NULL, 0, &size);
    for (size_t i = 0; i < td_diagnostics_size(list); i++)
        printf("# %s\n", td_diagnostics_at(list, i)->message);
    ck_assert_int_eq(status, TD_OK);
    char *text = test_calloc(size + 1, 1);
    assert_ok(td_model_export(model, &options, NULL, text, size, &size));
    return text;
}
#endif

/* Files give the same motors back. */
TD_LOOP_TEST(files, 0, 5)
{
    pair p = pair_of(_i, TD_BASE_FIXED, TD_PLAN_AUTO);
    uint64_t digest, other, plain;
    assert_ok(td_model_digest(p.plain, NULL, &plain));
    assert_ok(td_model_digest(p.driven, NULL, &digest));
    ck_assert_uint_ne(digest, plain);
    size_t size;
    assert_ok(td_model_write(p.driven, NULL, 0, &size));
    char *text = test_calloc(size + 1, 1);
    assert_ok(td_model_write(p.driven, text, size, &size));
    td_model *read;
    assert_ok(test_load_model_memory(text, size, "text", NULL, NULL, &read));
    assert_ok(td_model_digest(read, NULL, &other));
    ck_assert_uint_eq(digest, other);
    ck_assert_uint_eq(td_nu(read), p.motors);
#if TANDEM_HAS_URDF
    char *urdf = exported(p.driven, TD_EXPORT_URDF);
    assert_ok(test_load_urdf_memory(urdf, strlen(urdf), "text", NULL, NULL, &read));
    assert_ok(td_model_digest(read, NULL, &other));
    ck_assert_uint_eq(digest, other);
    ck_assert_uint_eq(td_nv(read), td_nv(p.driven));
    ck_assert_str_eq(exported(read, TD_EXPORT_URDF), urdf);
#endif
}
