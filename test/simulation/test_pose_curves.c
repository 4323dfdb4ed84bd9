/* SPDX-License-Identifier: MIT */
/*
 * Tests motions of joints with quaternions: velocities from rates of numbers against closed forms
 * (a coning motion), splines through orientations, moves that turn about a fixed axis, and limits
 * of angular and linear velocity.
 */
#include <math.h>
#include <string.h>

#include "functions.h"
#include "tandem/trajectory.h"

enum { NY = 7 + 1 + 4, NYD = 6 + 1 + 3, BASE = 3, BALL = 8, BALL_VELOCITY = 7 };

static const td_coordinates independent = TD_COORDINATES_INDEPENDENT;

/* A floating trunk with a ball joint on an arm. */
static td_model *trunk(void)
{
    td_builder *b = test_builder("trunk");
    const char *const names[] = {"trunk", "arm", "hand"};
    for (int i = 0; i < 3; i++) {
        td_link link = td_link_default(names[i]);
        link.has_inertial = true;
        link.mass = 1 + i;
        link.inertial.position[0] = 0.1 * i;
        link.inertia[0] = 0.1, link.inertia[3] = 0.12, link.inertia[5] = 0.15;
        assert_ok(td_builder_add_link(b, &link));
    }
    td_joint elbow = td_joint_default("elbow", TD_JOINT_REVOLUTE, "trunk", "arm");
    td_joint wrist = td_joint_default("wrist", TD_JOINT_BALL, "arm", "hand");
    elbow.limit.lower = -3, elbow.limit.upper = 3;
    wrist.origin.position[2] = 0.3;
    assert_ok(td_builder_add_joint(b, &elbow));
    assert_ok(td_builder_add_joint(b, &wrist));
    td_load_options options = td_load_options_default();
    options.base = TD_BASE_FLOATING;
    return model_of_builder(b, &options);
}

/* ---- a coning motion ------------------------------------------------------------------------- */

/* Rz(a t) Rx(b) Rz(c t) as a quaternion with two derivatives; angular velocity and acceleration in
   body axes. */
static void coning(double t, double a, double b, double c, double p[3][4], double w[3],
                   double alpha[3])
{
    const double sum = (a + c) / 2, gap = (a - c) / 2, C = cos(b / 2), S = sin(b / 2);
    for (int d = 0; d < 3; d++) {
        const double turn = d * acos(0), f = pow(gap, d), g = pow(sum, d);
        p[d][0] = S * f * cos(gap * t + turn);
        p[d][1] = S * f * sin(gap * t + turn);
        p[d][2] = C * g * sin(sum * t + turn);
        p[d][3] = C * g * cos(sum * t + turn);
    }
    w[0] = a * sin(b) * sin(c * t), w[1] = a * sin(b) * cos(c * t), w[2] = a * cos(b) + c;
    alpha[0] = a * c * sin(b) * cos(c * t), alpha[1] = -a * c * sin(b) * sin(c * t), alpha[2] = 0;
}

/* Computes v = Rᵀ ẋ or a vector of body axes from world axes, with a unit quaternion. */
static void to_body(const double p[4], const double x[3], double out[3])
{
    const double n[3] = {-p[0], -p[1], -p[2]};
    const double t[3] = {2 * (n[1] * x[2] - n[2] * x[1]), 2 * (n[2] * x[0] - n[0] * x[2]),
                         2 * (n[0] * x[1] - n[1] * x[0])};
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = x[i] + p[3] * t[i] + n[j] * t[k] - n[k] * t[j];
    }
}

/* The numbers of the trunk's motion with two derivatives, and velocities and accelerations. */
static void motion_at(double t, double number[3][NY], double yd[NYD], double ydd[NYD])
{
    double p[3][4], v[3], a[3], x[3][3];
    for (int d = 0; d < 3; d++) {
        const double turn = d * acos(0);
        for (int i = 0; i < 3; i++)
            x[d][i] = number[d][i] = 0.3 * pow(1 + i, d) * sin((1 + i) * t + turn);
        number[d][7] = 0.5 * pow(2, d) * cos(2 * t + turn);
    }
    coning(t, 1.3, 0.7, 2.1, p, yd, ydd);
    to_body(p[0], x[1], v);
    to_body(p[0], x[2], a);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        yd[3 + i] = v[i];
        ydd[3 + i] = a[i] - (yd[j] * v[k] - yd[k] * v[j]);
    }
    for (int d = 0; d < 3; d++)
        memcpy(number[d] + BASE, p[d], sizeof p[d]);
    yd[6] = number[1][7], ydd[6] = number[2][7];
    coning(t, -0.8, 1.9, 3, p, yd + BALL_VELOCITY, ydd + BALL_VELOCITY);
    for (int d = 0; d < 3; d++)
        memcpy(number[d] + BALL, p[d], sizeof p[d]);
}

/* Multiplies the four numbers at a place by 1 + sin(t)/2, with their derivatives. */
static void stretch(double t, double number[3][NY], int at)
{
    const double s[3] = {1 + 0.5 * sin(t), 0.5 * cos(t), -0.5 * sin(t)};
    for (int k = at; k < at + 4; k++) {
        const double y = number[0][k], r = number[1][k], a = number[2][k];
        number[0][k] = s[0] * y;
        number[1][k] = s[1] * y + s[0] * r;
        number[2][k] = s[2] * y + 2 * s[1] * r + s[0] * a;
    }
}

/* Velocities agree with closed forms for curves of any length, and rates lead back. */
TD_TEST(rates)
{
    td_model *model = trunk();
    for (int i = 0; i < 100; i++) {
        double number[3][NY], yd[NYD], ydd[NYD], v[NYD], a[NYD], rate[NY], second[NY];
        const double t = 0.1 * i;
        motion_at(t, number, yd, ydd);
        td_velocities_to_rates(model, independent, number[0], yd, ydd, rate, second);
        td_assert_close(NY, rate, number[1], 4e-15, 1);
        td_assert_close(NY, second, number[2], 4e-15, 10);
        stretch(t, number, BASE);
        stretch(t, number, BALL);
        td_rates_to_velocities(model, independent, number[0], number[1], number[2], v, a);
        td_assert_close(NYD, v, yd, 4e-15, 4);
        td_assert_close(NYD, a, ydd, 4e-15, 20);
        td_rates_to_velocities(model, independent, number[0], number[1], NULL, a, NULL);
        ck_assert_mem_eq(a, v, sizeof v);
        td_velocities_to_rates(model, independent, number[0], yd, NULL, rate, NULL);
        td_rates_to_velocities(model, independent, number[0], rate, NULL, v, NULL);
        td_assert_close(NYD, v, yd, 4e-15, 4);
    }
}

/* A robot of all joint types: rates are the derivative of moving along ẏ, in both coordinates. */
TD_LOOP_TEST(rates_of_moves, 0, 6)
{
    td_random random = {(uint64_t)_i};
    td_model *model =
        robot_for(td_random_robot(&random, 12, _i % 2 ? 5 : 0, false), TD_BASE_FLOATING, NULL);
    for (int tree = 0; tree < 2; tree++) {
        const td_coordinates space = coordinates_for(tree);
        const size_t n = tree ? td_nq(model) : td_ny(model),
                     nv = tree ? td_nv(model) : td_nyd(model);
        double y[200], v[200], a[200], back[200], rate[200], second[200], before[200], after[200];
        ck_assert_uint_lt(n, 200);
        td_draw_configuration(&random, model, tree, 1, y);
        td_random_fill(&random, nv, v);
        td_random_fill(&random, nv, a);
        td_velocities_to_rates(model, space, y, v, a, rate, second);
        const double h = 1e-4;
        td_integrate(model, space, y, v, h, after);
        td_integrate(model, space, y, v, -h, before);
        td_align_quaternions(model, space, y, after);
        td_align_quaternions(model, space, y, before);
        for (size_t i = 0; i < n; i++)
            after[i] = (after[i] - before[i]) / (2 * h);
        td_assert_close(n, after, rate, 1e-7, 1);
        td_rates_to_velocities(model, space, y, rate, second, back, before);
        td_assert_close(nv, back, v, 1e-14, 1);
        td_assert_close(nv, before, a, 1e-14, 1);
    }
}

/* ---- splines --------------------------------------------------------------------------------- */

enum { MOST = 401 };

/* A spline of this degree through n rows of the motion over two seconds. */
static td_trajectory *spline(size_t n, size_t degree, const double *left, double sign)
{
    static double values[MOST * NY], t[MOST];
    for (size_t i = 0; i < n; i++) {
        double number[3][NY], yd[NYD], ydd[NYD];
        t[i] = 2.0 * (double)i / (double)(n - 1);
        motion_at(t[i], number, yd, ydd);
        double *p = number[0] + BALL, turned[4];
        if (left) {
            turned[0] = left[3] * p[0] + left[0] * p[3] + left[1] * p[2] - left[2] * p[1];
            turned[1] = left[3] * p[1] - left[0] * p[2] + left[1] * p[3] + left[2] * p[0];
            turned[2] = left[3] * p[2] + left[0] * p[1] - left[1] * p[0] + left[2] * p[3];
            turned[3] = left[3] * p[3] - left[0] * p[0] - left[1] * p[1] - left[2] * p[2];
            memcpy(p, turned, sizeof turned);
        }
        for (int k = 0; k < 4; k++)
            p[k] *= sign;
        memcpy(values + i * NY, number[0], sizeof number[0]);
    }
    td_trajectory *curve;
    assert_ok(
        td_trajectory_spline(n, NY, t, values, degree, TD_SPLINE_NOT_A_KNOT, NULL, NULL, &curve));
    return curve;
}

/* The largest errors of velocities and accelerations, away from the ends. */
static void errors_of(const td_model *model, const td_trajectory *curve, double error[2])
{
    error[0] = error[1] = 0;
    for (int i = 0; i < 1000; i++) {
        double number[3][NY], yd[NYD], ydd[NYD], y[NY], v[NYD], a[NYD];
        const double t = 0.4 + 1.2 * i / 1000;
        motion_at(t, number, yd, ydd);
        assert_ok(td_trajectory_state(curve, model, t, y, v, a));
        for (int k = 0; k < NYD; k++) {
            error[0] = fmax(error[0], fabs(v[k] - yd[k]));
            error[1] = fmax(error[1], fabs(a[k] - ydd[k]));
        }
        const double *p = y + BALL;
        const double norm = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3];
        ck_assert_double_le(fabs(norm - 1), 1e-15);
    }
}

/* Errors fall with the order of the spline's derivatives. */
TD_TEST(splines_converge)
{
    static const struct {
        size_t degree;
        double most[2];
    } cases[] = {{3, {1e-6, 4e-4}}, {5, {3e-10, 1e-7}}};
    td_model *model = trunk();
    for (size_t c = 0; c < 2; c++) {
        double coarse[2], fine[2];
        td_trajectory *curve = spline(101, cases[c].degree, NULL, 1);
        errors_of(model, curve, coarse);
        td_trajectory_free(curve);
        curve = spline(201, cases[c].degree, NULL, 1);
        errors_of(model, curve, fine);
        td_trajectory_free(curve);
        for (int d = 0; d < 2; d++) {
            const double order = (double)(cases[c].degree - (size_t)d);
            ck_assert_msg(fine[d] < cases[c].most[d], "degree %zu: %g", cases[c].degree, fine[d]);
            ck_assert_msg(fine[d] < 1.3 * coarse[d] / pow(2, order), "degree %zu: %g after %g",
                          cases[c].degree, fine[d], coarse[d]);
        }
    }
}

/* The motion does not depend on the sign of quaternions or on the frame of the parent. */
TD_TEST(frames_and_signs)
{
    td_model *model = trunk();
    const double left[4] = {0.5, -0.1, 0.7, 0.5}; /* unit length */
    td_trajectory *own = spline(31, 3, NULL, 1), *other = spline(31, 3, left, -1);
    for (int i = 0; i <= 300; i++) {
        double y[NY], v[NYD], a[NYD], w[NYD], b[NYD];
        assert_ok(td_trajectory_state(own, model, i / 150.0, y, v, a));
        assert_ok(td_trajectory_state(other, model, i / 150.0, y, w, b));
        td_assert_close(NYD, w, v, 1e-13, 10);
        td_assert_close(NYD, b, a, 1e-13, 100);
    }
    td_trajectory_free(own);
    td_trajectory_free(other);
}

/* Accelerations are continuous, also with rows far apart. */
TD_TEST(continuity)
{
    td_model *model = trunk();
    td_trajectory *curve = spline(7, 3, NULL, 1);
    for (size_t i = 1; i < td_trajectory_pieces(curve); i++) {
        const double t = td_trajectory_piece(curve, i);
        double y[NY], v[NYD], a[NYD], w[NYD], b[NYD];
        assert_ok(td_trajectory_state(curve, model, nextafter(t, 0), y, v, a));
        assert_ok(td_trajectory_state(curve, model, t, y, w, b));
        td_assert_close(NYD, w, v, 1e-12, 10);
        td_assert_close(NYD, b, a, 1e-12, 100);
    }
    td_trajectory_free(curve);
}

/* ---- moves ----------------------------------------------------------------------------------- */

static void ends_of_move(double from[NY], double to[NY], double axis[3], double *angle)
{
    double number[3][NY], yd[NYD], ydd[NYD], v[NYD] = {0};
    td_model *model = trunk();
    motion_at(0.3, number, yd, ydd);
    memcpy(from, number[0], sizeof number[0]);
    motion_at(1.4, number, yd, ydd);
    memcpy(to, number[0], sizeof number[0]);
    td_difference(model, independent, from, to, v);
    *angle = 0;
    for (int k = 0; k < 3; k++)
        *angle = hypot(*angle, v[BALL_VELOCITY + k]);
    for (int k = 0; k < 3; k++)
        axis[k] = v[BALL_VELOCITY + k] / *angle;
    for (int k = BALL; k < BALL + 4; k++) /* the other sign is the same orientation */
        to[k] = -to[k];
}

/* A move turns about a fixed axis, with its profile. */
TD_LOOP_TEST(moves_turn, 0, 4)
{
    td_model *model = trunk();
    double from[NY], to[NY], axis[3], angle;
    ends_of_move(from, to, axis, &angle);
    td_trajectory *curve, *share;
    const double zero = 0, one = 1;
    assert_ok(td_trajectory_move(NY, from, to, (td_profile)_i, 1.7, &curve));
    assert_ok(td_trajectory_move(1, &zero, &one, (td_profile)_i, 1.7, &share));
    assert_ok(td_trajectory_turn(curve, BALL));
    assert_ok(td_trajectory_turn(curve, BASE));
    assert_ok(td_trajectory_scale(curve, 2));
    assert_ok(td_trajectory_scale(share, 2));
    for (int i = 0; i <= 100; i++) {
        double y[NY], v[NYD], a[NYD], s, sd, sdd;
        assert_ok(td_trajectory_state(curve, model, 0.034 * i, y, v, a));
        assert_ok(td_trajectory_evaluate(share, 0.034 * i, &s, &sd, &sdd));
        for (int k = 0; k < 3; k++) {
            ck_assert_double_le(fabs(v[BALL_VELOCITY + k] - angle * axis[k] * sd), 1e-13);
            ck_assert_double_le(fabs(a[BALL_VELOCITY + k] - angle * axis[k] * sdd), 1e-12);
            ck_assert_double_le(fabs(y[k] - (from[k] + s * (to[k] - from[k]))), 1e-14);
        }
        if (i == 100) {
            td_align_quaternions(model, independent, to, y);
            td_assert_close(NY, y, to, 4e-14, 1);
        }
    }
    td_trajectory_free(curve);
    td_trajectory_free(share);
}

/* The fastest move reaches its limits of angular velocity and acceleration. */
TD_TEST(limited_moves)
{
    td_model *model = trunk();
    double from[NY], to[NY], axis[3], angle, v[NY], a[NY];
    ends_of_move(from, to, axis, &angle);
    const double speed = 0.9, change = 2.5;
    for (int k = 0; k < NY; k++)
        v[k] = a[k] = 1e3;
    for (int k = BALL; k < BALL + 4; k++) {
        to[k] = -to[k];
        v[k] = speed * fabs(to[k] - from[k]) / angle;
        a[k] = change * fabs(to[k] - from[k]) / angle;
    }
    td_trajectory *curve;
    assert_ok(td_trajectory_limited(NY, from, to, v, a, NULL, &curve));
    assert_ok(td_trajectory_turn(curve, BALL));
    ck_assert_double_le(fabs(td_trajectory_end(curve) - (angle / speed + speed / change)), 1e-13);
    double fastest = 0, hardest = 0;
    for (int i = 0; i <= 1000; i++) {
        double y[NY], yd[NYD], ydd[NYD];
        assert_ok(
            td_trajectory_state(curve, model, td_trajectory_end(curve) * i / 1000, y, yd, ydd));
        const double *w = yd + BALL_VELOCITY, *b = ydd + BALL_VELOCITY;
        fastest = fmax(fastest, sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]));
        hardest = fmax(hardest, sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]));
    }
    ck_assert_double_le(fabs(fastest - speed), 1e-13);
    ck_assert_double_le(fabs(hardest - change), 1e-12);
    td_trajectory_free(curve);
}

/* ---- limits ---------------------------------------------------------------------------------- */

static double length(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* Limits apply to the lengths of angular and linear vectors. */
TD_TEST(limits_of_vectors)
{
    td_model *model = trunk();
    td_workspace *w = test_workspace(model);
    td_trajectory *curve = spline(101, 5, NULL, 1);
    double most[4] = {0}; /* of angular and linear vectors: of the wrist, then of the base */
    for (int i = 0; i <= 200000; i++) {
        double number[3][NY], yd[NYD], ydd[NYD];
        motion_at(i * 1e-5, number, yd, ydd);
        for (int d = 0; d < 2; d++) {
            const double *velocity = d ? ydd : yd, *linear = number[1 + d];
            most[d] = fmax(most[d], length(velocity + BALL_VELOCITY));
            most[2 + d] = fmax(most[2 + d], fmax(length(velocity), length(linear)));
        }
    }
    const size_t base = 0, wrist = td_joint_index(model, "wrist");
    for (int i = 0; i < 4; i++) {
        td_limit limits[3];
        for (int k = 0; k < 3; k++)
            limits[k] = (td_limit){NAN, NAN, NAN, NAN, NAN, NAN, NAN};
        const size_t joint = i < 2 ? wrist : base;
        *(i % 2 ? &limits[joint].acceleration : &limits[joint].velocity) =
            most[i] / (i % 2 ? 9 : 3);
        td_time_scale_options options = td_time_scale_options_default();
        options.limits = limits;
        options.forces = false;
        td_time_scale scale = {.size_of = sizeof scale};
        assert_ok(td_trajectory_time_scale(model, w, curve, &options, &scale));
        ck_assert_msg(fabs(scale.factor - 3) < 1e-5, "case %d: %.9f", i, scale.factor);
        ck_assert_int_eq(scale.kind, i % 2 ? TD_LIMIT_ACCELERATION : TD_LIMIT_VELOCITY);
        ck_assert_uint_eq(scale.joint, joint);
    }
    td_trajectory_free(curve);
}

TD_TEST(refused_arguments)
{
    td_model *model = trunk();
    td_trajectory *curve = spline(7, 3, NULL, 1), *move;
    double y[NY] = {0}, to[NY] = {1}, v[NYD];
    ck_assert_int_eq(td_trajectory_turn(curve, BALL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_trajectory_turn(NULL, 0), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_trajectory_state(curve, NULL, 0, y, v, v), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_trajectory_state(NULL, model, 0, y, v, v), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_trajectory_state(curve, model, NAN, y, v, v), TD_ERROR_NOT_FINITE);
    assert_ok(td_trajectory_state(curve, model, 0, NULL, NULL, NULL));
    assert_ok(td_trajectory_move(NY, y, to, TD_PROFILE_CUBIC, 1, &move));
    ck_assert_int_eq(td_trajectory_turn(move, NY - 3), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_trajectory_turn(move, BALL), TD_ERROR_QUATERNION);
    td_trajectory_free(move);
    y[6] = y[NY - 1] = to[6] = to[NY - 1] = 1;
    assert_ok(td_trajectory_move(NY, y, to, TD_PROFILE_CUBIC, 1, &move));
    assert_ok(td_trajectory_turn(move, 4)); /* not where the base's quaternion is */
    ck_assert_int_eq(td_trajectory_turn(move, BALL - 1), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_trajectory_state(move, model, 0, y, v, v), TD_ERROR_ARGUMENT);
    td_trajectory_free(move);
    assert_ok(td_trajectory_move(NY - 1, y, to, TD_PROFILE_CUBIC, 1, &move));
    ck_assert_int_eq(td_trajectory_state(move, model, 0, y, v, v), TD_ERROR_ARGUMENT);
    td_trajectory_free(move);
    td_trajectory_free(curve);
}
