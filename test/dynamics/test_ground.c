/* SPDX-License-Identifier: MIT */
/*
 * Ground reactions. The residual wrench of a human that walks is compared with the rates of linear
 * and angular momentum. These come from differences of positions and rotations that the test
 * computes itself. Centers of pressure are compared with plates computed by hand, and splits among
 * feet with the conditions of the minimum.
 */
#include <math.h>
#include <string.h>

#include "td_test.h"

/* ---- a human that walks ---------------------------------------------------------------------- */

/* 74 kg and 1.8 m with 57 velocities: a floating base and 17 ball joints. Each joint rotates about
   its own axis by the angle amplitude · sin(2π t · turns + phase). */
typedef struct body {
    const char *name;
    int parent;
    double joint[3], com[3], mass, size[3]; /* a box of that size: x forward, y left, z up */
    double axis[3], amplitude, turns, phase;
} body;

static const body human[] = {
    {"pelvis", -1, {0, 0, 0}, {0, 0, 0.02}, 9.8, {0.2, 0.32, 0.2}, {0.1, 0.3, 1}, 0.12, 0.9, 0.3},
    {"abdomen", 0, {0, 0, 0.1}, {0.01, 0, 0.09}, 9.6, {0.2, 0.3, 0.18}, {0, 0.2, 1}, 0.1, 0.9, 1},
    {"thorax", 1, {0, 0, 0.18}, {0, 0, 0.14}, 15.4, {0.22, 0.32, 0.3}, {0.1, 0, 1}, 0.2, 0.9, 2},
    {"head", 2, {0, 0, 0.32}, {0.02, 0, 0.13}, 5.1, {0.2, 0.16, 0.26}, {0, 1, 0.3}, 0.1, 1.8, 0},
    {"left_clavicle",
     2,
     {0, 0.03, 0.26},
     {0, 0.08, 0},
     0.6,
     {0.05, 0.16, 0.05},
     {1, 0, 1},
     0.05,
     0.9,
     1},
    {"left_upper_arm",
     4,
     {0, 0.17, 0},
     {0, 0, -0.14},
     2,
     {0.1, 0.1, 0.3},
     {0.1, 1, 0},
     0.5,
     0.9,
     3},
    {"left_forearm",
     5,
     {0, 0, -0.3},
     {0, 0, -0.11},
     1.2,
     {0.08, 0.08, 0.25},
     {0, 1, 0.2},
     0.4,
     0.9,
     2.5},
    {"left_hand",
     6,
     {0, 0, -0.25},
     {0, 0, -0.07},
     0.45,
     {0.05, 0.09, 0.18},
     {1, 1, 0},
     0.2,
     0.9,
     1},
    {"right_clavicle",
     2,
     {0, -0.03, 0.26},
     {0, -0.08, 0},
     0.6,
     {0.05, 0.16, 0.05},
     {1, 0, -1},
     0.05,
     0.9,
     2},
    {"right_upper_arm",
     8,
     {0, -0.17, 0},
     {0, 0, -0.14},
     2,
     {0.1, 0.1, 0.3},
     {-0.1, 1, 0},
     0.5,
     0.9,
     0},
    {"right_forearm",
     9,
     {0, 0, -0.3},
     {0, 0, -0.11},
     1.2,
     {0.08, 0.08, 0.25},
     {0, 1, -0.2},
     0.4,
     0.9,
     5.6},
    {"right_hand",
     10,
     {0, 0, -0.25},
     {0, 0, -0.07},
     0.45,
     {0.05, 0.09, 0.18},
     {1, -1, 0},
     0.2,
     0.9,
     4},
    {"left_thigh",
     0,
     {0, 0.09, -0.08},
     {0, 0, -0.18},
     8.6,
     {0.16, 0.16, 0.42},
     {0, 1, 0.1},
     0.45,
     0.9,
     0},
    {"left_shank",
     12,
     {0, 0, -0.42},
     {0, 0, -0.18},
     3.15,
     {0.11, 0.11, 0.41},
     {0, 1, 0},
     0.5,
     0.9,
     1},
    {"left_foot",
     13,
     {0, 0, -0.41},
     {0.06, 0, -0.04},
     1.05,
     {0.25, 0.09, 0.08},
     {0.1, 1, 0},
     0.3,
     0.9,
     2},
    {"right_thigh",
     0,
     {0, -0.09, -0.08},
     {0, 0, -0.18},
     8.6,
     {0.16, 0.16, 0.42},
     {0, 1, -0.1},
     0.45,
     0.9,
     3.1},
    {"right_shank",
     15,
     {0, 0, -0.42},
     {0, 0, -0.18},
     3.15,
     {0.11, 0.11, 0.41},
     {0, 1, 0},
     0.5,
     0.9,
     4.1},
    {"right_foot",
     16,
     {0, 0, -0.41},
     {0.06, 0, -0.04},
     1.05,
     {0.25, 0.09, 0.08},
     {-0.1, 1, 0},
     0.3,
     0.9,
     5.1},
};
enum {
    BODIES = sizeof human / sizeof *human,
    POSITIONS = 7 + 4 * (BODIES - 1),
    VELOCITIES = 6 + 3 * (BODIES - 1)
};

static void unit_axis(const body *b, long double axis[3])
{
    const long double length = sqrtl(
        (long double)(b->axis[0] * b->axis[0] + b->axis[1] * b->axis[1] + b->axis[2] * b->axis[2]));
    for (int i = 0; i < 3; i++)
        axis[i] = (long double)b->axis[i] / length;
}

static td_model *build_human(void)
{
    td_builder *builder = test_builder("human");
    for (int i = 0; i < BODIES; i++) {
        const body *b = &human[i];
        td_link link = td_link_default(b->name);
        link.has_inertial = true;
        link.mass = b->mass;
        memcpy(link.inertial.position, b->com, sizeof b->com);
        for (int k = 0; k < 3; k++) { /* m (y² + z²)/12 about x */
            const double y = b->size[(k + 1) % 3], z = b->size[(k + 2) % 3];
            link.inertia[(const int[]){0, 3, 5}[k]] = b->mass * (y * y + z * z) / 12;
        }
        assert_ok(td_builder_add_link(builder, &link));
        if (b->parent < 0)
            continue;
        td_joint joint = td_joint_default(b->name, TD_JOINT_BALL, human[b->parent].name, b->name);
        memcpy(joint.origin.position, b->joint, sizeof b->joint);
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    td_load_options options = td_load_options_default();
    options.base = TD_BASE_FLOATING;
    td_model *model = model_of_builder(builder, &options);
    ck_assert(td_ny(model) == POSITIONS && td_nyd(model) == VELOCITIES && VELOCITIES == 57);
    return model;
}

static const long double turn = 6.283185307179586476925286766559005768L;

/* An angle and its derivatives at time t. */
static void angle_at(const body *b, long double t, long double x[3])
{
    const long double rate = turn * (long double)b->turns, at = rate * t + (long double)b->phase;
    x[0] = (long double)b->amplitude * sinl(at);
    x[1] = (long double)b->amplitude * rate * cosl(at);
    x[2] = -rate * rate * x[0];
}

/* The position of the pelvis: forward at 1.3 m/s, with the rise and sway of walking. */
static void pelvis_at(long double t, long double p[3], long double v[3], long double a[3])
{
    const long double rise = turn * 1.8L, sway = turn * 0.9L;
    const long double x[3] = {1.3L * t + 0.02L * sinl(rise * t), 0.03L * sinl(sway * t),
                              0.93L + 0.025L * cosl(rise * t + 0.4L)};
    const long double rate[3] = {1.3L + 0.02L * rise * cosl(rise * t),
                                 0.03L * sway * cosl(sway * t),
                                 -0.025L * rise * sinl(rise * t + 0.4L)};
    const long double second[3] = {-0.02L * rise * rise * sinl(rise * t),
                                   -0.03L * sway * sway * sinl(sway * t),
                                   -0.025L * rise * rise * cosl(rise * t + 0.4L)};
    memcpy(p, x, sizeof x);
    memcpy(v, rate, sizeof rate);
    memcpy(a, second, sizeof second);
}

/* Rotation by an angle about a unit axis: 1 + sin K + (1 − cos) K². */
static void rotation_about(const long double u[3], long double angle, long double R[9])
{
    const long double s = sinl(angle), c = 1 - cosl(angle);
    const long double K[9] = {0, -u[2], u[1], u[2], 0, -u[0], -u[1], u[0], 0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            long double square = 0;
            for (int k = 0; k < 3; k++)
                square += K[3 * i + k] * K[3 * k + j];
            R[3 * i + j] = (i == j) + s * K[3 * i + j] + c * square;
        }
}

static void apply(const long double R[9], const long double x[3], long double y[3])
{
    for (int i = 0; i < 3; i++)
        y[i] = R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2];
}

static void cross(const long double a[3], const long double b[3], long double c[3])
{
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        c[i] = a[j] * b[k] - a[k] * b[j];
    }
}

/* The state of the human for tandem. The twist of the base and its derivative are in its own axes,
   in which a vector x has the rate Rᵀ ẋ − ω × Rᵀ x. */
static void state_at(double t, double *y, double *yd, double *ydd)
{
    long double p[3], v[3], a[3], axis[3], x[3], R[9], w[3] = {0}, turned[3], own[3], rate[3];
    pelvis_at((long double)t, p, v, a);
    for (int i = 0; i < BODIES; i++) {
        const size_t q = i == 0 ? 3 : 7 + 4 * (size_t)(i - 1);
        const size_t qd = i == 0 ? 0 : 6 + 3 * (size_t)(i - 1);
        unit_axis(&human[i], axis);
        angle_at(&human[i], (long double)t, x);
        for (int k = 0; k < 3; k++) {
            y[q + (size_t)k] = (double)(axis[k] * sinl(x[0] / 2));
            yd[qd + (size_t)k] = (double)(axis[k] * x[1]);
            ydd[qd + (size_t)k] = (double)(axis[k] * x[2]);
            w[k] = i == 0 ? axis[k] * x[1] : w[k];
        }
        y[q + 3] = (double)cosl(x[0] / 2);
    }
    unit_axis(&human[0], axis);
    angle_at(&human[0], (long double)t, x);
    rotation_about(axis, -x[0], R);
    apply(R, v, own);
    apply(R, a, rate);
    cross(w, own, turned);
    for (int k = 0; k < 3; k++) {
        y[k] = (double)p[k];
        yd[3 + k] = (double)own[k];
        ydd[3 + k] = (double)(rate[k] - turned[k]);
    }
}

/* Poses of all bodies: rotation and center of mass, by the chain of rotations. */
static void place_bodies(long double t, long double R[][9], long double com[][3])
{
    long double p[BODIES][3], unused[3], axis[3], x[3], own[9], arm[3];
    for (int i = 0; i < BODIES; i++) {
        const body *b = &human[i];
        unit_axis(b, axis);
        angle_at(b, t, x);
        rotation_about(axis, x[0], own);
        if (b->parent < 0) {
            pelvis_at(t, p[i], unused, x);
            memcpy(R[i], own, sizeof own);
        } else {
            const long double *outer = R[b->parent];
            const long double joint[3] = {(long double)b->joint[0], (long double)b->joint[1],
                                          (long double)b->joint[2]};
            apply(outer, joint, arm);
            for (int k = 0; k < 3; k++)
                p[i][k] = p[b->parent][k] + arm[k];
            for (int k = 0; k < 9; k++)
                R[i][k] = outer[3 * (k / 3)] * own[k % 3] +
                          outer[3 * (k / 3) + 1] * own[3 + k % 3] +
                          outer[3 * (k / 3) + 2] * own[6 + k % 3];
        }
        const long double c[3] = {(long double)b->com[0], (long double)b->com[1],
                                  (long double)b->com[2]};
        apply(R[i], c, arm);
        for (int k = 0; k < 3; k++)
            com[i][k] = p[i][k] + arm[k];
    }
}

static const long double step = 1e-3L;
static const long double factor[2] = {8 / 12.0L, -1 / 12.0L}; /* central differences of order 4 */

/* Angular momentum about the world's origin, then linear momentum, by differences of the poses:
   ω× = Ṙ Rᵀ. */
static void momentum_at(long double t, long double h[6])
{
    long double R[BODIES][9], com[BODIES][3], Rd[BODIES][9] = {{0}}, v[BODIES][3] = {{0}};
    for (int k = 1; k <= 2; k++)
        for (int side = -1; side <= 1; side += 2) {
            place_bodies(t + side * k * step, R, com);
            for (int i = 0; i < BODIES; i++)
                for (int j = 0; j < 9; j++) {
                    Rd[i][j] += side * factor[k - 1] * R[i][j] / step;
                    v[i][j % 3] += j < 3 ? side * factor[k - 1] * com[i][j] / step : 0;
                }
        }
    place_bodies(t, R, com);
    memset(h, 0, 6 * sizeof *h);
    for (int i = 0; i < BODIES; i++) {
        const body *b = &human[i];
        long double W[9], w[3], own[3], spin[3], moment[3];
        for (int k = 0; k < 9; k++)
            W[k] = Rd[i][3 * (k / 3)] * R[i][3 * (k % 3)] +
                   Rd[i][3 * (k / 3) + 1] * R[i][3 * (k % 3) + 1] +
                   Rd[i][3 * (k / 3) + 2] * R[i][3 * (k % 3) + 2];
        w[0] = W[7], w[1] = W[2], w[2] = W[3];
        for (int k = 0; k < 3; k++) { /* R I Rᵀ ω */
            const double y = b->size[(k + 1) % 3], z = b->size[(k + 2) % 3];
            own[k] = (R[i][k] * w[0] + R[i][3 + k] * w[1] + R[i][6 + k] * w[2]) *
                     (long double)(b->mass * (y * y + z * z) / 12);
        }
        apply(R[i], own, spin);
        cross(com[i], v[i], moment);
        for (int k = 0; k < 3; k++) {
            h[k] += spin[k] + (long double)b->mass * moment[k];
            h[3 + k] += (long double)b->mass * v[i][k];
        }
    }
}

/* The wrench that changes the momentum: its rate, minus gravity. */
static void needed_wrench(double t, double wrench[6])
{
    long double rate[6] = {0}, h[6], R[BODIES][9], com[BODIES][3];
    for (int k = 1; k <= 2; k++)
        for (int side = -1; side <= 1; side += 2) {
            momentum_at((long double)t + side * k * step, h);
            for (int i = 0; i < 6; i++)
                rate[i] += side * factor[k - 1] * h[i] / step;
        }
    place_bodies((long double)t, R, com);
    for (int i = 0; i < BODIES;
         i++) { /* the weight (0, 0, −m g) has the moment (−y m g, x m g, 0) */
        const long double weight = (long double)human[i].mass * 9.81L;
        rate[0] += com[i][1] * weight;
        rate[1] -= com[i][0] * weight;
        rate[5] += weight;
    }
    for (int i = 0; i < 6; i++)
        wrench[i] = (double)rate[i];
}

typedef struct walk {
    td_model *model;
    td_workspace *w;
    double *y, *yd, *ydd, *tau;
    double weight;
} walk;

static walk walk_new(void)
{
    walk f = {.model = build_human()};
    f.w = test_workspace(f.model);
    f.y = doubles(POSITIONS), f.yd = doubles(VELOCITIES), f.ydd = doubles(VELOCITIES);
    f.tau = doubles(VELOCITIES);
    f.weight = 9.81 * td_total_mass(f.model);
    ck_assert_double_le(fabs(td_total_mass(f.model) - 74), 1e-9);
    return f;
}

TD_TEST(walking_human_needs_the_rate_of_its_momentum)
{
    walk f = walk_new();
    for (int i = 0; i < 20; i++) {
        const double t = 0.0573 * i;
        double wrench[6], expected[6];
        state_at(t, f.y, f.yd, f.ydd);
        assert_ok(td_residual_wrench(f.model, f.w, f.y, f.yd, f.ydd, NULL, TD_FRAME_WORLD, wrench));
        needed_wrench(t, expected);
        td_assert_close(6, wrench, expected, 1e-8, f.weight);
    }
}

/* The six entries of inverse dynamics along the base are the same wrench in body axes. */
TD_TEST(base_has_the_residual_wrench)
{
    walk f = walk_new();
    td_random random = {5};
    double wrench[6], *wrenches = doubles(6 * BODIES);
    td_forces forces = with_passive_forces();
    forces.wrenches = wrenches;
    for (int i = 0; i < 6; i++) {
        state_at(0.13 * i, f.y, f.yd, f.ydd);
        td_random_fill(&random, 6 * BODIES, wrenches);
        forces.wrench_frame = (td_frame)(i % 3);
        assert_ok(td_inverse_dynamics(f.model, f.w, f.y, f.yd, f.ydd, &forces, f.tau));
        assert_ok(
            td_residual_wrench(f.model, f.w, f.y, f.yd, f.ydd, &forces, TD_FRAME_BODY, wrench));
        td_assert_close(6, wrench, f.tau, 1e-12, f.weight);
    }
}

/* In flight nothing is needed, whatever the joints do. */
TD_TEST(flight_needs_no_wrench)
{
    walk f = walk_new();
    double wrench[6];
    const double none[6] = {0};
    state_at(0.31, f.y, f.yd, f.ydd);
    td_random random = {9};
    td_random_fill(&random, VELOCITIES - 6, f.tau + 6);
    assert_ok(td_forward_dynamics(f.model, f.w, f.y, f.yd, f.tau, NULL, f.ydd));
    assert_ok(td_residual_wrench(f.model, f.w, f.y, f.yd, f.ydd, NULL, TD_FRAME_ALIGNED, wrench));
    td_assert_close(6, wrench, none, 1e-11, f.weight);
}

/* ---- points of a plane ----------------------------------------------------------------------- */

static void moment_at(const double w[6], const double p[3], double m[3])
{
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        m[i] = w[i] - (p[j] * w[3 + k] - p[k] * w[3 + j]);
    }
}

/* A plate at z = 0.1 m: a force (20, −30, 700) N at (0.3, −0.2) m, with a moment of 5 N m about the
   normal. */
TD_TEST(center_of_pressure_of_a_plate)
{
    const double at[3] = {0.3, -0.2, 0.1}, plane[3] = {7, -4, 0.1}, up[3] = {0, 0, 2.5};
    const double wrench[6] = {at[1] * 700 + at[2] * 30,
                              at[2] * 20 - at[0] * 700,
                              -at[0] * 30 - at[1] * 20 + 5,
                              20,
                              -30,
                              700};
    double center[3], zmp[3], moment;
    ck_assert(td_center_of_pressure(wrench, plane, up, 0, center, &moment));
    td_assert_close(3, center, at, 1e-14, 10);
    ck_assert_double_le(fabs(moment - 5), 1e-12);
    ck_assert(td_zero_moment_point(wrench, plane, up, up, 0, zmp));
    td_assert_close(3, zmp, at, 1e-14, 10);
    ck_assert(td_center_of_pressure(wrench, plane, up, 699, center, NULL));
}

TD_TEST(ground_that_would_pull_has_no_center)
{
    const double plane[3] = {0, 0, 0}, up[3] = {0, 0, 1}, zero[3] = {0, 0, 0};
    double center[3], moment;
    const double cases[][6] = {
        {1, 2, 3, 4, 5, 0}, {1, 2, 3, 4, 5, -6}, {1, 2, 3, 4, 5, 20}, {0}, {1, 2, NAN, 4, 5, NAN}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memset(center, 0, sizeof center);
        ck_assert(!td_center_of_pressure(cases[i], plane, up, 20, center, &moment));
        ck_assert(isnan(center[0]) && isnan(center[1]) && isnan(center[2]) && isnan(moment));
        memset(center, 0, sizeof center);
        ck_assert(!td_zero_moment_point(cases[i], plane, up, up, 20, center));
        ck_assert(isnan(center[0]) && isnan(center[1]) && isnan(center[2]));
    }
    ck_assert(!td_center_of_pressure(cases[2], plane, zero, 0, center, NULL));
}

/* On an inclined plane both points lie on the plane. The moment at the center of pressure is about
   the normal, and the moment at the ZMP about the vertical. */
TD_TEST(inclined_planes_tell_both_points_apart)
{
    td_random random = {3};
    for (int i = 0; i < 20; i++) {
        double x[12], center[3], zmp[3], m[3], free_moment, distance = 0;
        td_random_fill(&random, 12, x);
        const double n[3] = {0.4 * x[0], 0.4 * x[1], 1}, up[3] = {0, 0, 1}, *p = x + 3;
        const double w[6] = {100 * x[6], 100 * x[7], 100 * x[8],
                             50 * x[9],  50 * x[10], 300 + 50 * x[11]};
        ck_assert(td_center_of_pressure(w, p, n, 1, center, &free_moment));
        ck_assert(td_zero_moment_point(w, p, n, up, 1, zmp));
        const double *const found[] = {center, zmp}, *const axis[] = {n, up};
        for (int k = 0; k < 2; k++) {
            double height = 0, across[3];
            moment_at(w, found[k], m);
            for (int a = 0; a < 3; a++) {
                const int b = (a + 1) % 3, c = (a + 2) % 3;
                height += n[a] * (found[k][a] - p[a]);
                across[a] = m[b] * axis[k][c] - m[c] * axis[k][b];
            }
            ck_assert_double_le(fabs(height), 1e-13);
            ck_assert_double_le(td_largest(3, across), 1e-11);
        }
        moment_at(w, center, m);
        const double length = sqrt(n[0] * n[0] + n[1] * n[1] + 1);
        ck_assert_double_le(fabs(free_moment - (m[0] * n[0] + m[1] * n[1] + m[2]) / length), 1e-11);
        for (int a = 0; a < 3; a++)
            distance = fmax(distance, fabs(center[a] - zmp[a]));
        ck_assert_double_gt(distance, 1e-6);
    }
}

/* ---- feet ------------------------------------------------------------------------------------ */

enum { FEET = 3 };

/* The sum of wrenches about their points, about the world's origin. */
static void sum_of(const double *points, const double *wrenches, size_t count, double sum[6])
{
    memset(sum, 0, 6 * sizeof *sum);
    for (size_t k = 0; k < count; k++) {
        const double *p = points + 3 * k, *w = wrenches + 6 * k;
        for (int i = 0; i < 3; i++) {
            const int j = (i + 1) % 3, l = (i + 2) % 3;
            sum[i] += w[i] + p[j] * w[3 + l] - p[l] * w[3 + j];
            sum[3 + i] += w[3 + i];
        }
    }
}

static double cost_of(const double *wrenches, const double *near, const double *weights,
                      double length)
{
    double cost = 0;
    for (int k = 0; k < FEET; k++)
        for (int i = 0; i < 6; i++) {
            const double off = (wrenches[6 * k + i] - near[6 * k + i]) / (i < 3 ? length : 1);
            cost += off * off / weights[k];
        }
    return cost;
}

static void draw_feet(td_random *random, double *points, double *weights, double *near,
                      double wrench[6])
{
    td_random_fill(random, 3 * FEET, points);
    td_random_fill(random, 6 * FEET, near);
    for (int k = 0; k < FEET; k++) {
        weights[k] = 1.5 + td_random_number(random);
        near[6 * k + 5] += 300;
    }
    td_random_fill(random, 6, wrench);
    wrench[5] += 700;
}

/* The wrenches sum to the given one. Every exchange between two feet that keeps the sum has a zero
   derivative of the cost. */
TD_TEST(split_is_nearest)
{
    td_random random = {11};
    double points[3 * FEET], weights[FEET], near[6 * FEET], wrench[6], sum[6], split[6 * FEET];
    for (int i = 0; i < 20; i++) {
        const double length = i % 2 ? 0.1 : 1;
        draw_feet(&random, points, weights, near, wrench);
        ck_assert(td_split_wrench(wrench, FEET, points, weights, near, length, split));
        sum_of(points, split, FEET, sum);
        td_assert_close(6, sum, wrench, 1e-14, 1000);
        const double least = cost_of(split, near, weights, length);
        for (int k = 0; k < 6 * FEET; k++) {
            double cost[2], exchange[6] = {0}, moved[6 * FEET], moments[6];
            const int from = k / 6, to = (from + 1) % FEET;
            exchange[k % 6] = 1;
            sum_of(points + 3 * from, exchange, 1, moments); /* about the origin */
            moment_at(moments, points + 3 * to, exchange);
            memcpy(exchange + 3, moments + 3, sizeof(double[3]));
            for (int side = 0; side < 2; side++) {
                memcpy(moved, split, sizeof split);
                moved[k] += side ? 1 : -1;
                for (int a = 0; a < 6; a++)
                    moved[6 * to + a] -= side ? exchange[a] : -exchange[a];
                cost[side] = cost_of(moved, near, weights, length);
                ck_assert_double_gt(cost[side], least);
            }
            ck_assert_double_le(fabs(cost[1] - cost[0]), 1e-10 * (cost[1] + cost[0]));
        }
    }
}

/* With infinite length forces are shares of the remainder, and near may be the result. */
TD_TEST(infinite_length_splits_by_shares)
{
    td_random random = {17};
    double points[3 * FEET], weights[FEET], near[6 * FEET], wrench[6], sum[6], split[6 * FEET];
    draw_feet(&random, points, weights, near, wrench);
    const double shares[FEET] = {0.25, 0.75, 0};
    ck_assert(td_split_wrench(wrench, FEET, points, shares, NULL, INFINITY, split));
    sum_of(points, split, FEET, sum);
    td_assert_close(6, sum, wrench, 1e-14, 1000);
    for (int k = 0; k < FEET; k++)
        for (int a = 3; a < 6; a++)
            ck_assert_double_le(fabs(split[6 * k + a] - shares[k] * wrench[a]), 1e-12);
    for (int a = 0; a < 3; a++) /* moments in the ratio of the shares */
        ck_assert_double_le(fabs(3 * split[a] - split[6 + a]), 1e-11);
    ck_assert(td_split_wrench(wrench, FEET, points, shares, near, 0.2, near));
    sum_of(points, near, FEET, sum);
    td_assert_close(6, sum, wrench, 1e-14, 1000);
}

/* Plates that measure a known split with noise: the result is at least as near to the truth in sum,
   and no farther from the plates than the truth is. */
TD_TEST(noisy_plates_are_corrected)
{
    td_random random = {23};
    double points[3 * FEET], truth[6 * FEET], plates[6 * FEET], wrench[6], sum[6], split[6 * FEET],
        noise[6 * FEET];
    const double weights[FEET] = {1, 1, 1}, length = 0.1;
    for (int i = 0; i < 20; i++) {
        double drawn[FEET];
        draw_feet(&random, points, drawn, truth, wrench);
        sum_of(points, truth, FEET, wrench);
        td_random_fill(&random, 6 * FEET, noise);
        for (int k = 0; k < 6 * FEET; k++)
            plates[k] = truth[k] + noise[k] * (k % 6 < 3 ? 1 : 10);
        ck_assert(td_split_wrench(wrench, FEET, points, weights, plates, length, split));
        sum_of(points, split, FEET, sum);
        td_assert_close(6, sum, wrench, 1e-14, 1000);
        ck_assert_double_le(cost_of(split, plates, weights, length),
                            cost_of(truth, plates, weights, length));
        /* a projection on the set of splits with the right sum moves nearer to each of them */
        ck_assert_double_lt(cost_of(split, truth, weights, length),
                            cost_of(plates, truth, weights, length));
    }
}

TD_TEST(invalid_splits_are_refused)
{
    const double points[6] = {0, 0, 0, 1, 0, 0}, wrench[6] = {0, 0, 0, 0, 0, 1};
    const double good[2] = {1, 1}, zero[2] = {0, 0}, negative[2] = {1, -1},
                 nan_weight[2] = {NAN, 1};
    const double broken[6] = {0, 0, 0, 0, NAN, 1};
    double split[12];
    ck_assert(td_split_wrench(wrench, 2, points, good, NULL, 1, split));
    const double *const weights[] = {zero, negative, nan_weight};
    for (int i = 0; i < 3; i++) {
        memset(split, 0, sizeof split);
        ck_assert(!td_split_wrench(wrench, 2, points, weights[i], NULL, 1, split));
        for (int k = 0; k < 12; k++)
            ck_assert(isnan(split[k]));
    }
    ck_assert(!td_split_wrench(wrench, 2, points, good, NULL, 0, split));
    ck_assert(!td_split_wrench(wrench, 2, points, good, NULL, -1, split));
    ck_assert(!td_split_wrench(wrench, 2, points, good, NULL, NAN, split));
    ck_assert(!td_split_wrench(broken, 2, points, good, NULL, 1, split));
    ck_assert(!td_split_wrench(wrench, 0, points, good, NULL, 1, split));
}
