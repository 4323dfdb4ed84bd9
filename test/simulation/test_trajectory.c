/* SPDX-License-Identifier: MIT */
/*
 * Tests trajectories: moves against their formulas and limits, splines against polynomials that
 * they must reproduce, continuity and end conditions, the B-splines of 001-a §6, and derivatives by
 * differences. Also tests how much a motion must slow down to satisfy a robot's limits.
 */
#include <math.h>
#include <string.h>

#include "moving_robots.h"
#include "tandem/simulation.h"
#include "tandem/trajectory.h"

enum { NUMBERS = 3, MOST_POINTS = 40 };

static double value_at(const td_trajectory *t, double time, int derivative, size_t j)
{
    double y[8], yd[8], ydd[8];
    assert_ok(td_trajectory_evaluate(t, time, y, yd, ydd));
    return derivative == 0 ? y[j] : derivative == 1 ? yd[j] : ydd[j];
}

/* Checks that velocity and acceleration are derivatives, within pieces. */
static void check_derivatives(const td_trajectory *t)
{
    for (size_t piece = 0; piece < td_trajectory_pieces(t); piece++)
        for (int k = 1; k < 8; k++) {
            const double a = td_trajectory_piece(t, piece), b = td_trajectory_piece(t, piece + 1);
            const double time = a + (b - a) * k / 8, h = 1e-4 * (b - a);
            for (size_t j = 0; j < td_trajectory_size(t); j++)
                for (int d = 0; d < 2; d++) {
                    const double size = 1 + fabs(value_at(t, time, d, j)) / (b - a) +
                                        fabs(value_at(t, time, d + 1, j));
                    const double change =
                        (8 * (value_at(t, time + h, d, j) - value_at(t, time - h, d, j)) -
                         value_at(t, time + 2 * h, d, j) + value_at(t, time - 2 * h, d, j)) /
                        (12 * h);
                    ck_assert_msg(fabs(change - value_at(t, time, d + 1, j)) < 1e-9 * size,
                                  "derivative %d of number %zu at %g: %.15g, difference %.15g",
                                  d + 1, j, time, value_at(t, time, d + 1, j), change);
                }
        }
}

/* Checks continuity between pieces up to the given derivative. */
static void check_continuity(const td_trajectory *t, int derivatives)
{
    for (size_t piece = 1; piece < td_trajectory_pieces(t); piece++) {
        const double time = td_trajectory_piece(t, piece);
        for (size_t j = 0; j < td_trajectory_size(t); j++)
            for (int d = 0; d <= derivatives; d++) {
                const double a = value_at(t, nextafter(time, -1e9), d, j),
                             b = value_at(t, time, d, j);
                td_assert_close(1, &a, &b, 1e-11, 10);
            }
    }
}

/* ---- moves ----------------------------------------------------------------------------------- */

static const double from[NUMBERS] = {0.3, -1, 2}, to[NUMBERS] = {1.5, -2.5, 2};

/* Compares the largest velocity and acceleration of s in [0, 1] with published ones: 001-a §2 for
   degree 7, 001-b §7 for the cycloid (1.25664 rad/s and ±0.394784 rad/s² of 2 π in 10 s), and
   textbooks. */
TD_LOOP_TEST(moves, 0, 4)
{
    const double speed[4] = {1.5, 1.875, 35.0 / 16, 2}, pi = acos(-1);
    const double change[4] = {6, 10 / sqrt(3), 84 * sqrt(5) / 25, 2 * pi};
    td_trajectory *t;
    assert_ok(td_trajectory_move(NUMBERS, from, to, (td_profile)_i, 2, &t));
    check_derivatives(t);
    double largest[2] = {0, 0};
    for (int k = 0; k <= 20000; k++) {
        const double time = 2e0 * k / 20000;
        for (int d = 0; d < 2; d++)
            largest[d] = fmax(largest[d], fabs(value_at(t, time, d + 1, 0)));
        ck_assert(value_at(t, time, 0, 2) == 2 && value_at(t, time, 1, 2) == 0);
        const double s = (value_at(t, time, 0, 0) - 0.3) / 1.2,
                     r = (value_at(t, time, 0, 1) + 1) / -1.5;
        ck_assert(fabs(s - r) < 1e-13);
    }
    ck_assert(fabs(largest[0] - 1.2 * speed[_i] / 2) < 1e-8);
    ck_assert(fabs(largest[1] - 1.2 * change[_i] / 4) < 1e-6);
    for (size_t j = 0; j < NUMBERS; j++) {
        ck_assert(fabs(value_at(t, 0, 0, j) - from[j]) < 1e-15);
        ck_assert(fabs(value_at(t, 2, 0, j) - to[j]) < 4e-15);
        ck_assert(fabs(value_at(t, 2, 1, j)) < 1e-13 && value_at(t, 3, 1, j) == 0);
        ck_assert(fabs(value_at(t, 9, 0, j) - to[j]) < 4e-15);
    }
    assert_ok(td_trajectory_scale(t, 3));
    ck_assert(td_trajectory_end(t) == 6);
    check_derivatives(t);
    ck_assert(fabs(value_at(t, 6, 0, 0) - to[0]) < 4e-15);
    td_trajectory_free(t);
}

TD_LOOP_TEST(polynomials, 0, 3)
{
    const size_t degree = 3 + 2 * (size_t)_i, half = (degree + 1) / 2;
    td_random random = {77};
    double begin[4 * NUMBERS], end[4 * NUMBERS];
    td_random_fill(&random, half * NUMBERS, begin);
    td_random_fill(&random, half * NUMBERS, end);
    td_trajectory *t;
    assert_ok(td_trajectory_polynomial(NUMBERS, degree, begin, end, 0.7, &t));
    check_derivatives(t);
    for (size_t j = 0; j < NUMBERS; j++) {
        for (size_t d = 0; d < half && d < 3; d++) {
            ck_assert(fabs(value_at(t, 0, (int)d, j) - begin[d * NUMBERS + j]) < 1e-14);
            ck_assert(fabs(value_at(t, 0.7, (int)d, j) - end[d * NUMBERS + j]) < 1e-11);
        }
        if (half == 4) { /* jerks, by differences of the acceleration */
            const double h = 1e-6;
            ck_assert(fabs((value_at(t, h, 2, j) - value_at(t, 0, 2, j)) / h -
                           begin[3 * NUMBERS + j]) < 1e-2);
            ck_assert(fabs((value_at(t, 0.7, 2, j) - value_at(t, 0.7 - h, 2, j)) / h -
                           end[3 * NUMBERS + j]) < 1e-2);
        }
    }
    td_trajectory_free(t);
}

/* Limits are satisfied, and each piece reaches one of them. The trapezoid of 001-a's friction bench
   has 150 m/s², 3.5 m/s, 100 mm: 0.051905 s, 18.33 mm of it at full speed. */
TD_TEST(limited)
{
    const double zero = 0, way = 0.1, v = 3.5, a = 150;
    td_trajectory *t;
    assert_ok(td_trajectory_limited(1, &zero, &way, &v, &a, NULL, &t));
    ck_assert(fabs(td_trajectory_end(t) - 0.051905) < 5e-7);
    const double cruise = td_trajectory_piece(t, 2) - td_trajectory_piece(t, 1);
    ck_assert(fabs(cruise * v - 0.01833) < 5e-6);
    td_trajectory_free(t);

    const double velocity[NUMBERS] = {1, 2, 1e-3}, change[NUMBERS] = {4, 3, 1e-3};
    const double jerks[5] = {1e4, 30, 8, 4, 1};
    for (int slow = 0; slow < 2; slow++)
        for (int k = -1; k < 5; k++) {
            double jerk[NUMBERS], v_limit[NUMBERS], top[3] = {0, 0, 0};
            for (int j = 0; j < NUMBERS; j++) {
                jerk[j] = k < 0 ? INFINITY : jerks[k];
                v_limit[j] = slow ? 0.1 * velocity[j] : 10 * velocity[j];
            }
            assert_ok(
                td_trajectory_limited(NUMBERS, from, to, v_limit, change, k < 0 ? NULL : jerk, &t));
            check_continuity(t, k < 0 ? 1 : 2);
            const double end = td_trajectory_end(t);
            for (size_t m = 0; m < 50 * td_trajectory_pieces(t); m++) {
                const double begin = td_trajectory_piece(t, m / 50),
                             length = td_trajectory_piece(t, m / 50 + 1) - begin;
                const double time = begin + length * ((double)(m % 50) + 0.5) / 50,
                             h = length * 1e-3;
                for (size_t j = 0; j < 2; j++) {
                    top[0] = fmax(top[0], fabs(value_at(t, time, 1, j)) / v_limit[j]);
                    top[1] = fmax(top[1], fabs(value_at(t, time, 2, j)) / change[j]);
                    top[2] =
                        fmax(top[2], fabs(value_at(t, time + h, 2, j) - value_at(t, time, 2, j)) /
                                         (h * jerk[j]));
                }
            }
            ck_assert_msg(top[0] < 1 + 1e-9 && top[1] < 1 + 1e-9 && (k < 0 || top[2] < 1 + 1e-4),
                          "%g %g %g", top[0], top[1], top[2]);
            /* the fastest number reaches its limits */
            ck_assert(slow ? top[0] > 0.999 : top[0] < 1);
            ck_assert(k < 0 ? top[1] > 0.999 : top[2] > 0.99);
            for (size_t j = 0; j < NUMBERS; j++)
                ck_assert(fabs(value_at(t, end, 0, j) - to[j]) < 1e-13);
            td_trajectory_free(t);
        }
    assert_ok(td_trajectory_limited(NUMBERS, from, from, velocity, change, NULL, &t));
    ck_assert(td_trajectory_end(t) == 0 && value_at(t, 1, 0, 1) == from[1]);
    td_trajectory_free(t);
}

/* ---- splines --------------------------------------------------------------------------------- */

static size_t points_of(td_random *random, size_t points, double *t)
{
    t[0] = -0.4;
    for (size_t i = 1; i < points; i++)
        t[i] = t[i - 1] + 0.3 + 0.25 * td_random_number(random);
    return points;
}

/* Returns a derivative of a polynomial of this degree, for number j. */
static double polynomial(size_t degree, double t, int derivative, size_t j)
{
    double sum = 0;
    for (size_t k = (size_t)derivative; k <= degree; k++) {
        double c = sin(1.0 + (double)(3 * k + j)) / (double)(k + 1);
        for (int d = 0; d < derivative; d++)
            c *= (double)(k - (size_t)d);
        sum += c * pow(t, (double)k - derivative);
    }
    return sum;
}

/* Splines of every kind except periodic ones reproduce polynomials of their degree. */
TD_LOOP_TEST(splines_reproduce, 0, 6)
{
    const size_t degree = _i % 2 ? 5 : 3;
    const td_spline_kind kind = _i < 2   ? TD_SPLINE_NOT_A_KNOT
                                : _i < 4 ? TD_SPLINE_CLAMPED
                                         : TD_SPLINE_B;
    td_random random = {(uint64_t)(10 + _i)};
    for (size_t points = degree + 1; points < 20; points += 3) {
        double t[MOST_POINTS], values[MOST_POINTS * NUMBERS], begin[2 * NUMBERS], end[2 * NUMBERS];
        points_of(&random, points, t);
        for (size_t j = 0; j < NUMBERS; j++) {
            for (size_t i = 0; i < points; i++)
                values[i * NUMBERS + j] = polynomial(degree, t[i], 0, j);
            for (size_t d = 0; d < 2; d++) {
                begin[d * NUMBERS + j] = polynomial(degree, t[0], (int)d + 1, j);
                end[d * NUMBERS + j] = polynomial(degree, t[points - 1], (int)d + 1, j);
            }
        }
        td_trajectory *curve;
        assert_ok(
            td_trajectory_spline(points, NUMBERS, t, values, degree, kind, begin, end, &curve));
        ck_assert(td_trajectory_begin(curve) == t[0]);
        ck_assert(td_trajectory_end(curve) == t[points - 1]);
        for (int k = 0; k <= 100; k++)
            for (size_t j = 0; j < NUMBERS; j++)
                for (int d = 0; d < 3; d++) {
                    const double time = t[0] + (t[points - 1] - t[0]) * k / 100;
                    const double a = value_at(curve, fmin(time, t[points - 1]), d, j),
                                 b = polynomial(degree, time, d, j);
                    td_assert_close(1, &a, &b, 1e-9, pow(1 + fabs(time), (double)degree));
                }
        td_trajectory_free(curve);
    }
}

/* Hermite curves reproduce polynomials of degree 5 and 3. They also reproduce a cubic spline from
   its values and derivatives at its points. */
TD_TEST(hermite)
{
    enum { POINTS = 9, ALL = POINTS * NUMBERS };
    td_random random = {7};
    double t[MOST_POINTS], x[3][ALL], values[ALL];
    points_of(&random, POINTS, t);
    for (size_t degree = 3; degree <= 5; degree += 2) {
        for (size_t i = 0; i < ALL; i++)
            for (int d = 0; d < 3; d++)
                x[d][i] = polynomial(degree, t[i / NUMBERS], d, i % NUMBERS);
        td_trajectory *curve;
        assert_ok(td_trajectory_hermite(POINTS, NUMBERS, t, x[0], x[1], degree == 5 ? x[2] : NULL,
                                        &curve));
        ck_assert_uint_eq(td_trajectory_pieces(curve), POINTS - 1);
        for (int k = 0; k <= 100; k++)
            for (size_t j = 0; j < NUMBERS; j++)
                for (int d = 0; d < 3; d++) {
                    const double time =
                        fmin(t[0] + (t[POINTS - 1] - t[0]) * k / 100, t[POINTS - 1]);
                    const double a = value_at(curve, time, d, j),
                                 b = polynomial(degree, time, d, j);
                    td_assert_close(1, &a, &b, 1e-11, pow(1 + fabs(time), (double)degree));
                }
        td_trajectory_free(curve);
    }
    td_random_fill(&random, ALL, values);
    td_trajectory *spline, *curve;
    assert_ok(td_trajectory_spline(POINTS, NUMBERS, t, values, 3, TD_SPLINE_NOT_A_KNOT, NULL, NULL,
                                   &spline));
    for (size_t i = 0; i < POINTS; i++)
        td_trajectory_evaluate(spline, t[i], NULL, x[1] + i * NUMBERS, x[2] + i * NUMBERS);
    assert_ok(td_trajectory_hermite(POINTS, NUMBERS, t, values, x[1], x[2], &curve));
    check_derivatives(curve);
    check_continuity(curve, 2);
    for (int k = 0; k < 100; k++)
        for (size_t j = 0; j < NUMBERS; j++)
            for (int d = 0; d < 3; d++) {
                const double time = t[0] + (t[POINTS - 1] - t[0]) * k / 100;
                const double a = value_at(curve, time, d, j), b = value_at(spline, time, d, j);
                td_assert_close(1, &a, &b, 1e-10, 100);
            }
    td_trajectory_free(curve);
    td_trajectory_free(spline);
}

TD_LOOP_TEST(splines_through_points, 0, 8)
{
    const size_t degree = _i % 2 ? 5 : 3;
    const td_spline_kind kind = (td_spline_kind)(_i / 2);
    td_random random = {(uint64_t)(30 + _i)};
    double t[MOST_POINTS], values[MOST_POINTS * NUMBERS];
    const size_t points = points_of(&random, 23, t);
    td_random_fill(&random, points * NUMBERS, values);
    if (kind == TD_SPLINE_PERIODIC)
        memcpy(values + (points - 1) * NUMBERS, values, NUMBERS * sizeof *values);
    td_trajectory *curve;
    assert_ok(td_trajectory_spline(points, NUMBERS, t, values, degree, kind, NULL, NULL, &curve));
    for (size_t i = 0; i < points; i++)
        for (size_t j = 0; j < NUMBERS; j++)
            ck_assert(fabs(value_at(curve, t[i], 0, j) - values[i * NUMBERS + j]) < 1e-12);
    check_continuity(curve, 2);
    check_derivatives(curve);
    const double a = t[0], b = t[points - 1];
    for (size_t j = 0; j < NUMBERS; j++)
        for (int d = 0; d < 3; d++) {
            const double first = value_at(curve, a, d, j), last = value_at(curve, b, d, j);
            if (kind == TD_SPLINE_PERIODIC)
                td_assert_close(1, &first, &last, 1e-11, 10);
            if (kind == TD_SPLINE_CLAMPED && d > 0 && d <= (int)(degree - 1) / 2)
                ck_assert(fabs(first) < 1e-10 && fabs(last) < 1e-10);
        }
    td_trajectory_free(curve);
}

/* The error of a periodic spline through points of a sine has order degree + 1. */
TD_LOOP_TEST(periodic_order, 0, 2)
{
    const size_t degree = _i ? 5 : 3;
    const double turn = 2 * acos(-1);
    double error[2] = {0, 0};
    for (int fine = 0; fine < 2; fine++) {
        const size_t points = fine ? 33 : 17;
        double t[MOST_POINTS], values[MOST_POINTS];
        for (size_t i = 0; i < points; i++) {
            t[i] = (double)i / (double)(points - 1);
            values[i] = i + 1 < points ? sin(turn * t[i]) : sin(0);
        }
        td_trajectory *curve;
        assert_ok(td_trajectory_spline(points, 1, t, values, degree, TD_SPLINE_PERIODIC, NULL, NULL,
                                       &curve));
        for (int k = 0; k < 1000; k++)
            error[fine] =
                fmax(error[fine], fabs(value_at(curve, k / 1000.0, 0, 0) - sin(turn * k / 1000.0)));
        td_trajectory_free(curve);
    }
    const double ratio = error[0] / error[1], expected = pow(2, (double)degree + 1);
    ck_assert_msg(ratio > 0.85 * expected && ratio < 1.3 * expected, "errors %.3g, %.3g", error[0],
                  error[1]);
}

/* Compares with 001-a §6: chord lengths as times, averaged knots .461669, .647632, .765535 (planar)
   and .169643, .294818, .460818, .656218 (spatial), to the paper's six digits. */
static void check_paper(size_t points, size_t n, const double *Q, size_t inner, const double *knots)
{
    double t[8] = {0};
    for (size_t i = 1; i < points; i++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += pow(Q[i * n + j] - Q[(i - 1) * n + j], 2);
        t[i] = t[i - 1] + sqrt(sum);
    }
    for (size_t i = 1; i < points; i++)
        t[i] = i + 1 == points ? 1 : t[i] / t[points - 1];
    td_trajectory *curve;
    assert_ok(td_trajectory_spline(points, n, t, Q, 3, TD_SPLINE_B, NULL, NULL, &curve));
    ck_assert_uint_eq(td_trajectory_pieces(curve), inner + 1);
    for (size_t i = 0; i < inner; i++)
        ck_assert(fabs(td_trajectory_piece(curve, i + 1) - knots[i]) < 6e-7);
    for (size_t i = 0; i < points; i++)
        for (size_t j = 0; j < n; j++)
            ck_assert(fabs(value_at(curve, t[i], 0, j) - Q[i * n + j]) < 1e-10);
    check_continuity(curve, 2);
    /* the first two control points differ by the initial velocity times a third of the first knot
     */
    if (n == 2)
        for (size_t j = 0; j < n; j++) {
            const double P1 = Q[j] + knots[0] / 3 * value_at(curve, 0, 1, j);
            ck_assert(fabs(P1 - (j ? 418.359 : 679.879)) < 6e-4);
        }
    td_trajectory_free(curve);
}

TD_TEST(paper_splines)
{
    static const double planar[] = {550, 500, 700, 520, 850, 590,  900,
                                    590, 950, 700, 980, 730, 1000, 800};
    static const double spatial[] = {400, 430, 252, 460, 400, 252, 520, 430, 276, 535, 490, 303,
                                     490, 640, 354, 655, 655, 393, 760, 730, 444, 850, 640, 426};
    static const double planar_knots[] = {.461669, .647632, .765535};
    static const double spatial_knots[] = {.169643, .294818, .460818, .656218};
    check_paper(7, 2, planar, 3, planar_knots);
    check_paper(8, 3, spatial, 4, spatial_knots);
}

/* ---- motion tables --------------------------------------------------------------------------- */

/* Time grows linearly with the number of points, without loss of accuracy. */
TD_TEST(many_points)
{
    enum { MANY = 20000 };
    double *t = test_malloc(MANY * sizeof *t), *values = test_malloc(MANY * sizeof *values);
    for (size_t i = 0; i < MANY; i++) {
        t[i] = 1e-3 * (double)i;
        values[i] = sin(3 * t[i]);
    }
    td_trajectory *curve;
    assert_ok(
        td_trajectory_spline(MANY, 1, t, values, 5, TD_SPLINE_NOT_A_KNOT, NULL, NULL, &curve));
    for (double time = 1e-4; time < 19.9; time += 0.01) {
        ck_assert(fabs(value_at(curve, time, 0, 0) - sin(3 * time)) < 1e-14);
        ck_assert(fabs(value_at(curve, time, 1, 0) - 3 * cos(3 * time)) < 1e-11);
        ck_assert(fabs(value_at(curve, time, 2, 0) + 9 * sin(3 * time)) < 1e-7);
    }
    td_trajectory_free(curve);
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void add_body(td_builder *b, const char *name, double mass, double z, const double I[3])
{
    td_link link = td_link_default(name);
    link.has_inertial = mass > 0;
    link.mass = mass;
    link.inertial.position[2] = z;
    link.inertia[0] = I[0], link.inertia[3] = I[1], link.inertia[5] = I[2];
    assert_ok(td_builder_add_link(b, &link));
}

/* Builds the pan-tilt gimbal of 001-a §2: m2 = 0.946 kg at a2 (our choice; the paper has none),
   limits 150°/s and 150°/s². */
static td_model *gimbal(double a2, double effort, const double gravity[3])
{
    const double rad = acos(-1) / 180, none[3] = {0, 0, 0};
    const double I1[3] = {0.010, 0.010, 0.013}, I2[3] = {0.010, 0.010, 0.010};
    td_builder *b = test_builder("gimbal");
    add_body(b, "ground", 0, 0, none);
    add_body(b, "pan_link", 2.233, 0, I1);
    add_body(b, "tilt_link", 0.946, -a2, I2);
    td_joint pan = td_joint_default("pan", TD_JOINT_CONTINUOUS, "ground", "pan_link");
    td_joint tilt = td_joint_default("tilt", TD_JOINT_CONTINUOUS, "pan_link", "tilt_link");
    pan.axis[0] = 0, pan.axis[2] = 1;
    pan.limit.velocity = tilt.limit.velocity = 150 * rad;
    pan.limit.acceleration = tilt.limit.acceleration = 150 * rad;
    tilt.limit.effort = effort;
    td_builder_add_joint(b, &pan);
    td_builder_add_joint(b, &tilt);
    td_load_options options = td_load_options_default();
    memcpy(options.gravity, gravity, sizeof options.gravity);
    return model_of_builder(b, &options);
}

/* 180° and 140° by the polynomial of degree 7: the acceleration of the pan is active, with T =
   3.0026 s (001-a §2). After this scaling the limit holds to rounding. */
TD_TEST(paper_times)
{
    const double weightless[3] = {0, 0, 0}, rad = acos(-1) / 180;
    const double zero[2] = {0, 0}, goal[2] = {180 * rad, 140 * rad};
    td_model *model = gimbal(0.05, NAN, weightless);
    td_workspace *w = test_workspace(model);
    td_trajectory *t;
    td_time_scale scale = {.size_of = sizeof scale};
    assert_ok(td_trajectory_move(2, zero, goal, TD_PROFILE_SEPTIC, 1, &t));
    assert_ok(td_trajectory_time_scale(model, w, t, NULL, &scale));
    ck_assert_msg(fabs(scale.factor - 3.0026) < 5e-5, "%.6f", scale.factor);
    ck_assert_int_eq(scale.kind, TD_LIMIT_ACCELERATION);
    ck_assert_uint_eq(scale.joint, td_joint_index(model, "pan"));
    const double exact = sqrt(180 * 84 * sqrt(5) / 25 / 150);
    ck_assert(fabs(scale.factor - exact) < 1e-12);
    td_trajectory_scale(t, 1.01 * scale.factor);
    assert_ok(td_trajectory_time_scale(model, w, t, NULL, &scale));
    ck_assert(scale.factor == 1 && scale.kind == TD_LIMIT_NONE);
    td_time_scale_options options = td_time_scale_options_default();
    options.faster = true;
    assert_ok(td_trajectory_time_scale(model, w, t, &options, &scale));
    ck_assert(fabs(scale.factor - 1 / 1.01) < 1e-12);
    td_trajectory_free(t);
}

/* The effort limit of the tilt is active: after scaling, the torque reaches it and does not exceed
   it. If gravity alone exceeds it, that is an error. */
TD_TEST(torque_limits)
{
    const double down[3] = {0, 0, -9.81}, zero[2] = {0, 0}, goal[2] = {2, 1};
    const double a2 = 0.05, weight = 0.946 * 9.81 * a2 * sin(1);
    td_model *model = gimbal(a2, 1.05 * weight, down);
    td_workspace *w = test_workspace(model);
    td_trajectory *t;
    td_time_scale scale = {.size_of = sizeof scale};
    assert_ok(td_trajectory_move(2, zero, goal, TD_PROFILE_MINIMUM_JERK, 0.2, &t));
    td_limit none[2];
    for (int i = 0; i < 2; i++)
        none[i] = (td_limit){NAN, NAN, i ? 1.05 * weight : NAN, NAN, NAN, NAN, NAN};
    td_time_scale_options options = td_time_scale_options_default();
    options.limits = none;
    assert_ok(td_trajectory_time_scale(model, w, t, &options, &scale));
    ck_assert_int_eq(scale.kind, TD_LIMIT_FORCE);
    ck_assert_uint_eq(scale.joint, td_joint_index(model, "tilt"));
    assert_ok(td_trajectory_scale(t, scale.factor));
    double most = 0;
    for (int k = 0; k <= 20000; k++) {
        double y[2], yd[2], ydd[2], tau[2];
        td_trajectory_evaluate(t, td_trajectory_end(t) * k / 20000, y, yd, ydd);
        assert_ok(td_inverse_dynamics(model, w, y, yd, ydd, NULL, tau));
        most = fmax(most, fabs(tau[1]));
    }
    ck_assert_msg(fabs(most / (1.05 * weight) - 1) < 1e-7, "%.9f of the limit",
                  most / (1.05 * weight));
    none[1].effort = 0.99 * weight;
    ck_assert_int_eq(td_trajectory_time_scale(model, w, t, &options, &scale), TD_ERROR_LIMIT);
    ck_assert(scale.kind == TD_LIMIT_FORCE && isinf(scale.factor));
    ck_assert_uint_eq(scale.joint, td_joint_index(model, "tilt"));
    td_trajectory_free(t);
}

/* Builds two slides on the ground, of 1 and 10 kg, without gravity. */
static td_model *slides(double friction, double effort)
{
    const double unit[3] = {1, 1, 1}, none[3] = {0, 0, 0};
    td_builder *b = test_builder("slides");
    add_body(b, "ground", 0, 0, none);
    add_body(b, "light", 1, 0, unit);
    add_body(b, "heavy", 10, 0, unit);
    td_joint fast = td_joint_default("fast", TD_JOINT_PRISMATIC, "ground", "light");
    td_joint slow = td_joint_default("slow", TD_JOINT_PRISMATIC, "ground", "heavy");
    slow.friction = friction;
    slow.limit.effort = effort;
    td_builder_add_joint(b, &fast);
    td_builder_add_joint(b, &slow);
    return model_of_builder(b, NULL);
}

/* Friction is evaluated at the final speed. A joint moves at 2 mm/s before scaling, where friction
   is still smoothed, and at 9 mm/s afterward. */
TD_TEST(friction_of_the_scaled_motion)
{
    const double zero[2] = {0, 0}, goal[2] = {1, 1e-3}, effort = 5;
    td_model *model = slides(4, effort);
    td_workspace *w = test_workspace(model);
    td_forces forces = td_forces_default();
    forces.passive = true;
    for (int slower = 0; slower < 2; slower++) {
        td_trajectory *t;
        td_time_scale scale = {.size_of = sizeof scale};
        td_time_scale_options options = td_time_scale_options_default();
        options.faster = true;
        assert_ok(
            td_trajectory_move(2, zero, goal, TD_PROFILE_MINIMUM_JERK, slower ? 0.05 : 1, &t));
        assert_ok(td_trajectory_time_scale(model, w, t, &options, &scale));
        ck_assert(slower ? scale.factor > 1 : scale.factor < 1);
        assert_ok(td_trajectory_scale(t, scale.factor));
        double most = 0;
        for (int k = 0; k <= 20000; k++) {
            double y[2], yd[2], ydd[2], tau[2];
            td_trajectory_evaluate(t, td_trajectory_end(t) * k / 20000, y, yd, ydd);
            assert_ok(td_inverse_dynamics(model, w, y, yd, ydd, &forces, tau));
            most = fmax(most, fabs(tau[1]));
        }
        ck_assert_msg(fabs(most / effort - 1) < 1e-7, "%.9f of the limit", most / effort);
        td_trajectory_free(t);
    }
}

/* Reversal points between samples are checked too: 1e-7 beyond the limit is an error. */
TD_LOOP_TEST(positions_between_samples, 0, 2)
{
    td_model *model = slides(0, NAN);
    td_workspace *w = test_workspace(model);
    const double sign = _i ? -1 : 1, time[4] = {0, 0.9, 1.7, 3}, way[4] = {0, 0.95, 0.9, 0};
    double points[8], peak[2];
    for (int k = 0; k < 4; k++)
        points[2 * k] = points[2 * k + 1] = sign * way[k];
    td_trajectory *t;
    assert_ok(td_trajectory_spline(4, 2, time, points, 3, TD_SPLINE_CLAMPED, NULL, NULL, &t));
    double a = time[1], b = time[2];
    for (int n = 0; n < 60; n++) {
        const double middle = 0.5 * (a + b);
        *(sign * value_at(t, middle, 1, 0) > 0 ? &a : &b) = middle;
    }
    td_trajectory_evaluate(t, a, peak, NULL, NULL);
    for (int beyond = 0; beyond < 2; beyond++) {
        const double end = peak[0] - sign * (beyond ? 1e-7 : 0);
        td_limit limits[2];
        for (int j = 0; j < 2; j++)
            limits[j] = (td_limit){j && _i ? end : -2, j && !_i ? end : 2, NAN, NAN, NAN, NAN, NAN};
        td_time_scale_options options = td_time_scale_options_default();
        options.limits = limits;
        td_time_scale scale = {.size_of = sizeof scale};
        ck_assert_int_eq(td_trajectory_time_scale(model, w, t, &options, &scale),
                         beyond ? TD_ERROR_LIMIT : TD_OK);
        ck_assert_int_eq(scale.kind, beyond ? TD_LIMIT_POSITION : TD_LIMIT_NONE);
        ck_assert(!beyond ||
                  (scale.joint == td_joint_index(model, "slow") && fabs(scale.t - a) < 1e-12));
    }
    td_trajectory_free(t);
}

#if TANDEM_HAS_URDF
/* The gripper's fingers follow its driver, and their limits count. */
TD_TEST(followers_count)
{
    td_model *model = td_load_robot("gripper.urdf", NULL);
    td_workspace *w = test_workspace(model);
    const size_t joint = td_independent_joint(model, 0);
    const td_effective_limit limit = td_effective_limit_at(model, joint);
    const double closed = limit.lower, open = limit.upper;
    td_trajectory *t;
    td_time_scale scale = {.size_of = sizeof scale};
    td_time_scale_options options = td_time_scale_options_default();
    options.forces = false;
    assert_ok(td_trajectory_move(1, &closed, &open, TD_PROFILE_CUBIC, 1e-3, &t));
    assert_ok(td_trajectory_time_scale(model, w, t, &options, &scale));
    const double expected = 1.5 * (open - closed) / 1e-3 / limit.velocity;
    ck_assert_msg(fabs(scale.factor / expected - 1) < 1e-12, "%.15g, expected %.15g", scale.factor,
                  expected);
    td_trajectory_free(t);
    const double beyond = open + 0.01;
    assert_ok(td_trajectory_move(1, &closed, &beyond, TD_PROFILE_CUBIC, 1, &t));
    ck_assert_int_eq(td_trajectory_time_scale(model, w, t, &options, &scale), TD_ERROR_LIMIT);
    ck_assert_int_eq(scale.kind, TD_LIMIT_POSITION);
    td_trajectory_free(t);
}
#endif

/* ---- search over speeds ---------------------------------------------------------------------- */

enum { SLOW_JOINTS = 3, SLOW_FOLLOWERS = 2, SLOW_SAMPLES = 2000, SPEEDS = 100 };

/* Builds an arm of three joints, one of them continuous with inactive position limits. Two have
   followers, one of them in the opposite direction. It has dampers, and each limit exists by
   chance. */
static td_model *limited_arm(td_random *random)
{
    static const char *const link[] = {"base", "l1", "l2", "l3", "f1", "f2"};
    static const char *const name[] = {"j1", "j2", "j3", "g1", "g2"};
    const double unit[3] = {0.02, 0.03, 0.025};
    td_builder *b = test_builder("arm");
    for (int k = 0; k < 6; k++)
        add_body(b, link[k], k ? 0.5 + 0.2 * k : 0, k ? 0.1 : 0, unit);
    for (int k = 0; k < SLOW_JOINTS + SLOW_FOLLOWERS; k++) {
        const int parent = k < SLOW_JOINTS ? k : 3;
        td_joint joint = td_joint_default(name[k], k == 1 ? TD_JOINT_CONTINUOUS : TD_JOINT_REVOLUTE,
                                          link[parent], link[k + 1]);
        td_random_fill(random, 3, joint.axis);
        td_random_fill(random, 3, joint.origin.position);
        joint.damping = 0.3 * fabs(td_random_number(random));
        joint.limit.lower = k == 1 ? -0.1 : -20;
        joint.limit.upper = k == 1 ? 0.1 : 20;
        joint.limit.velocity = td_random_below(random, 3) ? 3 + td_random_number(random) : NAN;
        joint.limit.acceleration =
            td_random_below(random, 2) ? 9 + 5 * td_random_number(random) : NAN;
        joint.limit.deceleration =
            td_random_below(random, 2) ? 9 + 5 * td_random_number(random) : NAN;
        joint.limit.effort = td_random_below(random, 3) ? 30 + 12 * td_random_number(random) : NAN;
        if (k >= SLOW_JOINTS) {
            joint.mimic = name[k - SLOW_JOINTS];
            joint.multiplier = k == SLOW_JOINTS ? -0.7 : 1.6;
        }
        td_builder_add_joint(b, &joint);
    }
    return model_of_builder(b, NULL);
}

/* Returns the largest ratio of what a motion at that speed requires to a limit, by inverse dynamics
   and the records. Returns NaN if a call fails. */
static double demand(const td_model *model, td_workspace *w, const double *y, const double *yd,
                     const double *ydd, double speed, bool forces)
{
    double v[SLOW_JOINTS], a[SLOW_JOINTS], tau[SLOW_JOINTS], q[8], qd[8], qdd[8], most = 0;
    td_forces passive = td_forces_default();
    passive.passive = true;
    for (int i = 0; i < SLOW_JOINTS; i++) {
        v[i] = speed * yd[i];
        a[i] = speed * speed * ydd[i];
    }
    /* no assertion: it would take longer than the calls */
    if (td_closure(model, w, y, v, a, q, qd, qdd) != TD_OK ||
        td_inverse_dynamics(model, w, y, v, a, &passive, tau) != TD_OK)
        return NAN;
    for (size_t j = 0; j < td_joint_count(model); j++) {
        const td_joint *joint = td_joint_at(model, j);
        const td_joint_place place = td_joint_place_at(model, j);
        const td_limit *limit = &joint->limit;
        const double rate = qd[place.qd], change = qdd[place.qd];
        if (limit->velocity > 0)
            most = fmax(most, fabs(rate) / limit->velocity);
        const double bound = rate * change < 0 && limit->deceleration > 0 ? limit->deceleration
                                                                          : limit->acceleration;
        if (bound > 0)
            most = fmax(most, fabs(change) / bound);
        if (!forces || !(limit->effort > 0))
            continue;
        const bool follows = joint->mimic != NULL;
        const size_t leader = follows ? td_joint_index(model, joint->mimic) : j;
        const double carried = follows ? fabs(joint->multiplier) : 1;
        most =
            fmax(most, fabs(tau[td_joint_place_at(model, leader).yd]) / (carried * limit->effort));
    }
    return most;
}

/* The factor is the smallest for which this motion and all slower ones satisfy all limits. */
TD_LOOP_TEST(scale_by_search, 0, 20)
{
    td_random random = {(uint64_t)_i + 100};
    td_model *model = limited_arm(&random);
    td_workspace *w = test_workspace(model);
    double points[5 * SLOW_JOINTS], y[SLOW_JOINTS], yd[SLOW_JOINTS], ydd[SLOW_JOINTS];
    const double time[5] = {0, 0.4, 0.9, 1.3, 2};
    td_random_fill(&random, 5 * SLOW_JOINTS, points);
    td_trajectory *t;
    assert_ok(
        td_trajectory_spline(5, SLOW_JOINTS, time, points, 5, TD_SPLINE_CLAMPED, NULL, NULL, &t));
    for (int forces = 0; forces < 2; forces++) {
        td_time_scale scale = {.size_of = sizeof scale};
        td_time_scale_options options = td_time_scale_options_default();
        options.faster = true;
        options.forces = forces;
        options.samples = 200;
        const td_status status = td_trajectory_time_scale(model, w, t, &options, &scale);
        double fastest = INFINITY; /* over all times, the lowest speed that violates a limit */
        for (int k = 0; k < SLOW_SAMPLES && fastest > 0; k++) {
            td_trajectory_evaluate(t, 2.0 * k / SLOW_SAMPLES, y, yd, ydd);
            double within = 0;
            const double step = fmin(fastest, 8) / SPEEDS;
            const double still = demand(model, w, y, yd, ydd, 0, forces);
            ck_assert(!isnan(still));
            if (still > 1) {
                fastest = 0;
                break;
            }
            while (within < fastest && within < 8 &&
                   demand(model, w, y, yd, ydd, within + step, forces) <= 1)
                within += step;
            double beyond = within + step;
            if (within >= fmin(fastest, 8))
                continue;
            for (int n = 0; n < 40; n++) {
                const double middle = 0.5 * (within + beyond);
                *(demand(model, w, y, yd, ydd, middle, forces) <= 1 ? &within : &beyond) = middle;
            }
            fastest = fmin(fastest, within);
        }
        if (fastest == 0) {
            ck_assert_int_eq(status, TD_ERROR_LIMIT);
            continue;
        }
        assert_ok(status);
        if (isinf(fastest))
            continue; /* no limit, or one that is active only beyond eight times the speed */
        /* samples may miss the peak, at which the factor must be the limit's exact one (below) */
        const double against = scale.factor * fastest;
        ck_assert_msg(against > 1 - 1e-9 && against < 1 + 1e-3, "%.9f, by search %.9f (kind %d)",
                      scale.factor, 1 / fastest, (int)scale.kind);
        td_trajectory_evaluate(t, scale.t, y, yd, ydd);
        const double reached = demand(model, w, y, yd, ydd, 1 / scale.factor, forces);
        ck_assert_msg(fabs(reached - 1) < 1e-6, "%.9f of the limit", reached);
    }
    td_trajectory_free(t);
}

/* ---- the gimbal by computed torque ----------------------------------------------------------- */

typedef struct controller {
    const td_model *model;
    const td_trajectory *goal;
} controller;

/* Computes τ = ID(y, ẏ, ÿ_d + 2 ω (ẏ_d − ẏ) + ω² (y_d − y)). */
static td_status computed_torque(void *context, const td_action *a)
{
    const controller *c = context;
    double y[2], yd[2], ydd[2];
    const double omega = 40;
    td_trajectory_evaluate(c->goal, a->t, y, yd, ydd);
    for (int i = 0; i < 2; i++)
        ydd[i] += omega * (2 * (yd[i] - a->yd[i]) + omega * (y[i] - a->y[i]));
    return td_inverse_dynamics(c->model, a->workspace, a->y, a->yd, ydd, NULL, a->tau_y);
}

/* From an initial error, the gimbal converges to its trajectory and stays on it. */
TD_TEST(gimbal_follows)
{
    const double down[3] = {0, 0, -9.81}, rad = acos(-1) / 180;
    const double zero[2] = {0, 0}, goal[2] = {180 * rad, 140 * rad}, aside[2] = {0.1, -0.1};
    td_model *model = gimbal(0.05, NAN, down);
    td_trajectory *t;
    assert_ok(td_trajectory_move(2, zero, goal, TD_PROFILE_SEPTIC, 3, &t));
    controller c = {model, t};
    td_simulation_options options = td_simulation_options_default();
    options.act = computed_torque;
    options.context = &c;
    td_simulation *s = simulation_of(model, &options);
    assert_ok(td_simulation_start(s, 0, aside, NULL, NULL));
    while (td_simulation_time(s) < 3) {
        assert_ok(td_simulation_step(s, 3));
        double y[2], tau[2], wanted[2];
        td_simulation_sample sample = td_simulation_sample_default();
        sample.y = y;
        sample.tau_y = tau;
        const double time = td_simulation_time(s);
        assert_ok(td_simulation_evaluate(s, time, &sample));
        td_trajectory_evaluate(t, time, wanted, NULL, NULL);
        /* the error of a critically damped oscillator */
        const double left = 0.1 * (1 + 40 * time) * exp(-40 * time);
        ck_assert(fabs(y[0] - wanted[0] - left) < 1e-7 && fabs(y[1] - wanted[1] + left) < 1e-7);
    }
    td_trajectory_free(t);
}

/* ---- invalid input --------------------------------------------------------------------------- */

static void refused(td_status status, td_status expected, td_trajectory **t)
{
    ck_assert_int_eq(status, expected);
    ck_assert_ptr_null(*t);
    *t = (td_trajectory *)1;
}

TD_TEST(arguments)
{
    td_trajectory *t = (td_trajectory *)1;
    const double times[4] = {0, 1, 1, 2}, good[4] = {0, 1, 2, 3}, x[4] = {0, 1, 4, 9};
    const double bad[4] = {0, NAN, 1, 2}, one = 1, zero = 0;
#define REFUSED(call) refused(call, TD_ERROR_ARGUMENT, &t)
    REFUSED(td_trajectory_move(1, NULL, x, TD_PROFILE_CUBIC, 1, &t));
    REFUSED(td_trajectory_move(0, x, x, TD_PROFILE_CUBIC, 1, &t));
    REFUSED(td_trajectory_move(1, x, x, TD_PROFILE_CUBIC, 0, &t));
    REFUSED(td_trajectory_move(1, x, x, (td_profile)9, 1, &t));
    REFUSED(td_trajectory_polynomial(1, 4, x, x, 1, &t));
    REFUSED(td_trajectory_limited(1, x, x, &zero, &one, NULL, &t));
    refused(td_trajectory_limited(1, bad + 1, x, &one, &one, NULL, &t), TD_ERROR_NOT_FINITE, &t);
    refused(td_trajectory_limited(1, x, bad + 1, &one, &one, NULL, &t), TD_ERROR_NOT_FINITE, &t);
    REFUSED(td_trajectory_spline(4, 1, times, x, 3, TD_SPLINE_B, NULL, NULL, &t));
    REFUSED(td_trajectory_hermite(4, 1, times, x, x, x, &t));
    REFUSED(td_trajectory_hermite(4, 1, good, x, NULL, x, &t));
    REFUSED(td_trajectory_hermite(1, 1, good, x, x, x, &t));
    refused(td_trajectory_hermite(4, 1, good, x, x, bad, &t), TD_ERROR_NOT_FINITE, &t);
    REFUSED(td_trajectory_spline(3, 1, good, x, 3, TD_SPLINE_B, NULL, NULL, &t));
    REFUSED(td_trajectory_spline(4, 1, good, x, 4, TD_SPLINE_B, NULL, NULL, &t));
    REFUSED(td_trajectory_spline(4, 1, good, x, 3, TD_SPLINE_PERIODIC, NULL, NULL, &t));
    refused(td_trajectory_spline(4, 1, good, bad, 3, TD_SPLINE_B, NULL, NULL, &t),
            TD_ERROR_NOT_FINITE, &t);
    ck_assert_int_eq(td_trajectory_move(1, x, x, TD_PROFILE_CUBIC, 1, NULL), TD_ERROR_ARGUMENT);
    assert_ok(td_trajectory_spline(4, 1, good, x, 3, TD_SPLINE_B, NULL, NULL, &t));
    ck_assert_int_eq(td_trajectory_evaluate(t, NAN, NULL, NULL, NULL), TD_ERROR_NOT_FINITE);
    ck_assert_int_eq(td_trajectory_evaluate(NULL, 0, NULL, NULL, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_trajectory_scale(t, 0), TD_ERROR_ARGUMENT);
    td_time_scale scale = {.size_of = sizeof scale};
    td_model *model = double_pendulum();
    td_workspace *w = test_workspace(model);
    ck_assert_int_eq(td_trajectory_time_scale(model, w, t, NULL, &scale), TD_ERROR_ARGUMENT);
    td_trajectory_free(t);
    td_trajectory_free(NULL);
}
