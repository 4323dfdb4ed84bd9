/* SPDX-License-Identifier: MIT */
/*
 * Joints that follow others by curves: the curves themselves, γ and G by hand, all identities of
 * dynamics, and the complex step of derivatives on random robots. Also mechanisms modeled both by
 * loops and by curves, and rejected input.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "along.h"
#include "coupled_robots.h"
#include "curve_robots.h"
#include "identities.h"
#include "kept_energy.h"
#include "loop_robots.h"
#include "model/model.h"
#include "model/records.h"
#include "tandem/simulation.h"

enum { ROOM = 64 };

static const double twopi = 6.28318530717958647692;
static const double one_two[] = {1, 2}, up[] = {0, 1, 1, 2}, zigzag[] = {0, 1, 0, 1};
static const double straight[] = {0, 1, 2, 3}, jump[] = {0, 0.01, 5, 5.01};

/* ---- the curves themselves ------------------------------------------------------------------- */

/* values of the first curve of a robot whose second joint follows its first */
static td_model *of_curve(const td_curve *curve, const char *types)
{
    td_builder *builder = curve_row(types);
    curve_follow(builder, "j2", curve, 1, 0);
    return model_of_builder(builder, NULL);
}

static void value_of(const td_model *model, double x, double value[4])
{
    assert_ok(td_curve_value(model, 0, 0, x, value));
}

TD_TEST(polynomials)
{
    const double c[16] = {0.1, -0.3, 0.2, 0.05, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.01};
    const td_curve curve = curve_polynomial("j1", 16, c);
    td_model *model = of_curve(&curve, "rr");
    for (double x = -1.2; x < 1.3; x += 0.3) {
        double found[4];
        const double expected[] = {
            0.1 + x * (-0.3 + x * (0.2 + x * 0.05)) + 0.01 * pow(x, 15),
            -0.3 + x * (0.4 + x * 0.15) + 0.15 * pow(x, 14),
            0.4 + 0.3 * x + 2.1 * pow(x, 13),
            0.3 + 27.3 * pow(x, 12),
        };
        value_of(model, x, found);
        td_assert_close(4, found, expected, 1e-14, 1);
    }
}

/* of a spline that must reproduce a polynomial: clamped ends, and given slopes */
TD_LOOP_TEST(splines_reproduce, 0, 4)
{
    enum { N = 9 };
    const int degree = _i % 2 ? 5 : 3;
    const bool hermite = _i / 2;
    double at[N], value[N], slope[N], bend[N];
    for (int i = 0; i < N; i++) {
        const double x = at[i] = -1 + 0.25 * i + 0.03 * (i % 3);
        value[i] = degree == 3 ? 1 + x * (2 + x * (3 - 4 * x)) : pow(x, 5) - x * x;
        slope[i] = degree == 3 ? 2 + x * (6 - 12 * x) : 5 * pow(x, 4) - 2 * x;
        bend[i] = degree == 3 ? 6 - 24 * x : 20 * x * x * x - 2;
    }
    td_curve curve = curve_table("j1", N, at, value);
    curve.degree = degree;
    curve.ends = hermite ? TD_CURVE_ENDS_HERMITE : TD_CURVE_ENDS_CLAMPED;
    curve.slope = slope, curve.curvature = bend;
    curve.end_slope[0] = slope[0], curve.end_slope[1] = slope[N - 1];
    curve.end_curvature[0] = bend[0], curve.end_curvature[1] = bend[N - 1];
    td_model *model = of_curve(&curve, "rr");
    for (double x = -0.99; x < 0.99; x += 0.07) {
        double found[4];
        const double expected[] = {
            degree == 3 ? 1 + x * (2 + x * (3 - 4 * x)) : pow(x, 5) - x * x,
            degree == 3 ? 2 + x * (6 - 12 * x) : 5 * pow(x, 4) - 2 * x,
            degree == 3 ? 6 - 24 * x : 20 * x * x * x - 2,
            degree == 3 ? -24 : 60 * x * x,
        };
        value_of(model, x, found);
        td_assert_close(4, found, expected, 1e-11, 10);
    }
    double end[4];
    value_of(model, at[N - 1] + 0.5, end); /* a straight line */
    ck_assert_double_eq_tol(end[0], value[N - 1] + 0.5 * slope[N - 1], 1e-12);
    ck_assert_double_eq_tol(end[1], slope[N - 1], 1e-12);
    ck_assert_double_eq(end[2], 0);
    value_of(model, at[0] - 0.5, end);
    ck_assert_double_eq_tol(end[0], value[0] - 0.5 * slope[0], 1e-12);
}

/* natural and periodic splines: all derivatives except the last are continuous at knots and ends */
TD_LOOP_TEST(splines_are_smooth, 0, 4)
{
    enum { N = 12 };
    const int degree = _i % 2 ? 5 : 3;
    const bool periodic = _i / 2;
    double at[N], value[N];
    for (int i = 0; i < N; i++) {
        at[i] = 0.3 + 0.5 * i + 0.1 * sin(3.0 * i);
        value[i] = sin(1.7 * i * i);
    }
    value[N - 1] = periodic ? value[0] : value[N - 1];
    td_curve curve = curve_table("j1", N, at, value);
    curve.degree = degree;
    curve.ends = periodic ? TD_CURVE_ENDS_PERIODIC : TD_CURVE_ENDS_NATURAL;
    td_model *model = of_curve(&curve, "cr");
    const double h = 1e-9;
    for (int i = 0; i < N; i++) {
        double before[4], behind[4], here[4];
        value_of(model, at[i] - h, before);
        value_of(model, at[i] + h, behind);
        value_of(model, at[i], here);
        ck_assert_double_eq_tol(here[0], value[i], 1e-13);
        for (int k = 0; k < (degree == 5 && (periodic || (i && i < N - 1)) ? 4 : 3); k++)
            ck_assert_double_eq_tol(before[k], behind[k], 1e-5 * (1 + fabs(behind[k])));
        if (!periodic && (i == 0 || i == N - 1))
            ck_assert_double_eq_tol(here[2], 0, 1e-10);
    }
    const double period = at[N - 1] - at[0];
    for (double x = 0.4; periodic && x < 5; x += 0.37)
        for (int turn = -3; turn <= 3; turn++) {
            double one[4], other[4];
            value_of(model, x, one);
            value_of(model, x + turn * period, other);
            td_assert_close(4, one, other, 1e-11, 10 + td_largest(4, one));
        }
}

TD_TEST(long_tables)
{
    enum { N = 10000 };
    double *at = doubles(2 * N), *value = at + N, worst = 0;
    for (int i = 0; i < N; i++) {
        at[i] = twopi * i / (N - 1);
        value[i] = i == N - 1 ? value[0] : sin(at[i] + 0.3) + 0.1 * cos(3 * at[i]);
    }
    td_curve curve = curve_table("j1", N, at, value);
    curve.ends = TD_CURVE_ENDS_PERIODIC;
    td_model *model = of_curve(&curve, "cp");
    for (double x = -20; x < 20; x += 0.0137) {
        double found[4];
        value_of(model, x, found);
        worst = fmax(worst, fabs(found[0] - sin(x + 0.3) - 0.1 * cos(3 * x)));
        worst = fmax(worst, fabs(found[1] - cos(x + 0.3) + 0.3 * sin(3 * x)) * 1e-3);
    }
    ck_assert_double_lt(worst, 1e-13);
    ck_assert(isinf(td_effective_limit_at(model, 0).lower));
}

/* ---- against independent models -------------------------------------------------------------- */

/* compares inverse and forward dynamics of two models at random states */
static void same_dynamics(const td_model *a, const td_model *b, double tolerance)
{
    td_workspace *v = test_workspace(a), *w = test_workspace(b);
    td_random random = {11};
    const size_t n = td_nyd(a);
    ck_assert_uint_eq(n, td_nyd(b));
    for (int k = 0; k < 20; k++) {
        double y[ROOM], yd[ROOM], ydd[ROOM], tau[2][ROOM], back[2][ROOM], q[2][ROOM];
        td_random_fill(&random, n, y), td_random_fill(&random, n, yd);
        td_random_fill(&random, n, ydd);
        assert_ok(td_closure(a, v, y, yd, ydd, NULL, NULL, q[0]));
        assert_ok(td_closure(b, w, y, yd, ydd, NULL, NULL, q[1]));
        td_assert_close(td_nv(a), q[0], q[1], tolerance, 1 + td_largest(td_nv(a), q[1]));
        assert_ok(td_inverse_dynamics(a, v, y, yd, ydd, NULL, tau[0]));
        assert_ok(td_inverse_dynamics(b, w, y, yd, ydd, NULL, tau[1]));
        td_assert_close(n, tau[0], tau[1], tolerance, 1 + td_largest(n, tau[1]));
        assert_ok(td_forward_dynamics(a, v, y, yd, tau[1], NULL, back[0]));
        assert_ok(td_forward_dynamics(b, w, y, yd, tau[1], NULL, back[1]));
        td_assert_close(n, back[0], back[1], 100 * tolerance, 1 + td_largest(n, back[1]));
    }
}

/* lines in every form against linear mimic joints; the follower has a linear follower, too */
TD_LOOP_TEST(lines_are_mimic, 0, 3)
{
    enum { N = 21 };
    const double c[] = {0.2, -1.5};
    double at[N], value[N];
    for (int i = 0; i < N; i++) {
        at[i] = -2 + 0.2 * i + 0.01 * (i % 4);
        value[i] = c[0] + c[1] * at[i];
    }
    td_curve curve = _i ? curve_table("j1", N, at, value) : curve_polynomial("j1", 2, c);
    curve.degree = _i == 2 ? 5 : 3;
    td_builder *builder = curve_row("rrpr"), *linear = curve_row("rrpr");
    curve_follow(builder, "j3", &curve, 1, 0);
    for (int k = 0; k < 2; k++) {
        td_records *records = k ? &linear->records : &builder->records;
        records->joint.at[1].mimic = td_arena_string(&records->arena, "j3");
        records->joint.at[1].multiplier = 0.4;
    }
    td_joint *joint = &linear->records.joint.at[2];
    joint->mimic = td_arena_string(&linear->records.arena, "j1");
    joint->multiplier = c[1], joint->offset = c[0];
    td_model *a = model_of_builder(builder, NULL), *b = model_of_builder(linear, NULL);
    same_dynamics(a, b, _i == 2 ? 1e-11 : 1e-12);
}

/* a Scotch yoke: the crank pin moves in a slot across the slider's direction */
static td_builder *yoke(bool loop, double radius)
{
    td_builder *builder = test_builder("yoke");
    const td_link base = td_link_default("base"), crank = curve_link("crank"),
                  slide = curve_link("slide");
    td_joint turn = td_joint_default("turn", TD_JOINT_CONTINUOUS, "base", "crank");
    td_joint move = td_joint_default("move", TD_JOINT_PRISMATIC, "base", "slide");
    turn.axis[0] = 0, turn.axis[2] = 1;
    move.axis[0] = 0, move.axis[1] = 1;
    turn.independent = 1;
    assert_ok(td_builder_add_link(builder, &base));
    assert_ok(td_builder_add_link(builder, &crank));
    assert_ok(td_builder_add_link(builder, &slide));
    assert_ok(td_builder_add_joint(builder, &turn));
    assert_ok(td_builder_add_joint(builder, &move));
    if (loop) { /* y of the pin in the slider's frame is 0: y = move */
        td_loop pin = td_loop_default("pin", "slide", "crank");
        pin.type = TD_LOOP_MASK;
        pin.mask = 1U << 4;
        pin.successor_origin.position[0] = radius;
        assert_ok(td_builder_add_loop(builder, &pin));
    } else {
        const td_curve curve = curve_sine("turn", radius, 1, 0);
        curve_follow(builder, "move", &curve, 1, 0);
    }
    return builder;
}

TD_TEST(scotch_yoke)
{
    td_model *curve = model_of_builder(yoke(false, 0.2), NULL),
             *loop = model_of_builder(yoke(true, 0.2), NULL);
    ck_assert_int_eq(td_loop_place_at(loop, 0).form, TD_LOOP_FORM_ITERATED);
    same_dynamics(curve, loop, 1e-12);
}

/* Builds the same tree as a mechanism with one independent joint, but without its loop. The other
   joints follow by quintic pieces with the slopes and curvatures of γ at the given number of
   points. Returns the largest differences of positions and forces between the points. */
static void compare_fit(const td_model *loop, size_t points, double reach, double worst[2])
{
    enum { MOST_POINTS = 200, OTHERS = 2 };
    static double at[MOST_POINTS], value[OTHERS][3][MOST_POINTS];
    const size_t nq = td_nq(loop);
    const size_t leader = td_independent_joint(loop, 0);
    td_workspace *w = test_workspace(loop);
    double start[1], q[ROOM], qd[ROOM], qdd[ROOM];
    int other[OTHERS], count = 0;
    td_builder *builder = test_builder("fitted");
    for (size_t i = 0; i < td_link_count(loop); i++)
        assert_ok(td_builder_add_link(builder, td_link_at(loop, i)));
    for (size_t i = 0; i < td_joint_count(loop); i++) {
        assert_ok(td_builder_add_joint(builder, td_joint_at(loop, i)));
        if (td_joint_place_at(loop, i).dependent)
            other[count++] = (int)i;
    }
    ck_assert_int_eq(count, OTHERS);
    memcpy(start, td_reference(loop, TD_COORDINATES_INDEPENDENT), td_ny(loop) * sizeof *start);
    for (size_t k = 0; k < points; k++) {
        const double one = 1;
        at[k] = start[0] + reach * (2 * (double)k / (double)(points - 1) - 1);
        assert_ok(td_closure(loop, w, &at[k], &one, NULL, q, qd, qdd));
        for (int i = 0; i < OTHERS; i++) {
            const td_joint_place place = td_joint_place_at(loop, (size_t)other[i]);
            value[i][0][k] = q[place.q], value[i][1][k] = qd[place.qd];
            value[i][2][k] = qdd[place.qd];
        }
    }
    for (int i = 0; i < OTHERS; i++) {
        td_curve curve = curve_table(td_joint_at(loop, leader)->name, points, at, value[i][0]);
        curve.degree = 5;
        curve.ends = TD_CURVE_ENDS_HERMITE;
        curve.slope = value[i][1];
        curve.curvature = value[i][2];
        curve_follow(builder, td_joint_at(loop, (size_t)other[i])->name, &curve, 1, 0);
    }
    td_model *fitted = model_of_builder(builder, NULL);
    td_workspace *v = test_workspace(fitted);
    ck_assert_uint_eq(td_nyd(fitted), 1);
    worst[0] = worst[1] = 0;
    for (size_t k = 0; k + 1 < points; k++) {
        const double y = 0.5 * (at[k] + at[k + 1]), yd = 0.7, ydd = -0.4;
        double found[ROOM], tau[2];
        assert_ok(td_closure(loop, w, &y, NULL, NULL, q, NULL, NULL));
        assert_ok(td_closure(fitted, v, &y, NULL, NULL, found, NULL, NULL));
        assert_ok(td_inverse_dynamics(loop, w, &y, &yd, &ydd, NULL, &tau[0]));
        assert_ok(td_inverse_dynamics(fitted, v, &y, &yd, &ydd, NULL, &tau[1]));
        for (size_t i = 0; i < nq; i++)
            worst[0] = fmax(worst[0], fabs(q[i] - found[i]));
        worst[1] = fmax(worst[1], fabs(tau[0] - tau[1]) / (1 + fabs(tau[0])));
    }
}

/* Four-bars and slider-cranks as fitted couplings. The error of the fit decreases with the sixth
   power of the point spacing for positions, and with the fourth power for forces. */
TD_LOOP_TEST(fitted_loops, 0, 2)
{
    double sense[PLANE_JOINTS], coarse[2], fine[2];
    const plane_slider slider = {.a = 0.3,
                                 .b = 0.7,
                                 .alpha = 0.8,
                                 .delta = -0.3,
                                 .cut = PLANE_R3,
                                 .independent = PLANE_R1,
                                 .seed = 5};
    td_model *loop = model_of_builder(_i ? plane_slider_builder(&slider, sense)
                                         : chain_of_four_bars(1, CHAIN_OF_CRANK_ROCKERS),
                                      NULL);
    compare_fit(loop, 11, 0.4, coarse);
    compare_fit(loop, 21, 0.4, fine);
    ck_assert_msg(coarse[0] < 1e-5 && coarse[1] < 1e-2, "%g, %g", coarse[0], coarse[1]);
    ck_assert_msg(fine[0] < coarse[0] / 40 && fine[1] < coarse[1] / 8, "%g to %g, %g to %g",
                  coarse[0], fine[0], coarse[1], fine[1]);
}

/* several leaders, a chain, a leader that follows linearly: γ, G and g computed by hand */
TD_TEST(by_hand)
{
    const double square[] = {0, 0, 0.5}, line[] = {0.1, 2}, cubic[] = {0, 0.3, 0, -0.2};
    const td_curve sum[] = {curve_polynomial("j1", 3, square), curve_sine("j2", 0.4, 2, 0.3),
                            curve_polynomial("j5", 2, line)};
    const td_curve chain = curve_polynomial("j3", 4, cubic);
    td_builder *builder = curve_row("rprrr");
    curve_follow(builder, "j3", sum, 3, 0.05);
    curve_follow(builder, "j4", &chain, 1, -0.1);
    td_joint *joint = &builder->records.joint.at[4];
    joint->mimic = td_arena_string(&builder->records.arena, "j1");
    joint->multiplier = -0.5, joint->offset = 0.2;
    td_model *model = model_of_builder(builder, NULL);
    td_workspace *w = test_workspace(model);
    ck_assert_uint_eq(td_nyd(model), 2);
    ck_assert_uint_eq(td_follower_of(model, 3), 1);
    ck_assert_uint_eq(td_follower_count(model), 2);
    td_random random = {7};
    for (int n = 0; n < 20; n++) {
        double y[2], yd[2], ydd[2], q[5], qd[5], qdd[5];
        td_random_fill(&random, 2, y), td_random_fill(&random, 2, yd);
        td_random_fill(&random, 2, ydd);
        assert_ok(td_closure(model, w, y, yd, ydd, q, qd, qdd));
        const double x =
            0.05 + 0.5 * y[0] * y[0] + 0.4 * sin(2 * y[1] + 0.3) + 0.1 + 2 * (0.2 - 0.5 * y[0]);
        const double xd = y[0] * yd[0] + 0.8 * cos(2 * y[1] + 0.3) * yd[1] - yd[0];
        const double xdd = y[0] * ydd[0] + yd[0] * yd[0] + 0.8 * cos(2 * y[1] + 0.3) * ydd[1] -
                           1.6 * sin(2 * y[1] + 0.3) * yd[1] * yd[1] - ydd[0];
        const double z = -0.1 + 0.3 * x - 0.2 * x * x * x, slope = 0.3 - 0.6 * x * x;
        const double expected[][5] = {
            {y[0], y[1], x, z, 0.2 - 0.5 * y[0]},
            {yd[0], yd[1], xd, slope * xd, -0.5 * yd[0]},
            {ydd[0], ydd[1], xdd, slope * xdd - 1.2 * x * xd * xd, -0.5 * ydd[0]},
        };
        td_assert_close(5, q, expected[0], 1e-14, 1);
        td_assert_close(5, qd, expected[1], 1e-14, 1);
        td_assert_close(5, qdd, expected[2], 1e-14, 3);
    }
}

/* ---- random robots --------------------------------------------------------------------------- */

/* A random robot with linear followers. About half of the scalar joints that follow nothing then
   follow earlier ones, in random order, by sums of curves of all forms. followers: their number. */
static td_builder *random_curves(td_random *random, size_t joints, int *followers)
{
    td_builder *builder = coupled_random(random, joints);
    const td_records *records = &builder->records;
    const char *leader[ROOM];
    size_t leaders = 0;
    *followers = 0;
    for (size_t i = 0; i < records->joint.count; i++) {
        const td_joint *joint = &records->joint.at[i];
        const bool scalar = joint->type == TD_JOINT_REVOLUTE ||
                            joint->type == TD_JOINT_CONTINUOUS ||
                            joint->type == TD_JOINT_PRISMATIC || joint->type == TD_JOINT_SCREW;
        if (!scalar || joint->mimic)
            continue;
        if (leaders < 2 || td_random_below(random, 2)) {
            leader[leaders++] = joint->name;
            continue;
        }
        td_curve curve[3];
        double numbers[3][24];
        const size_t count = 1 + td_random_below(random, 3);
        for (size_t k = 0; k < count; k++) {
            const char *of = leader[td_random_below(random, leaders)];
            double *x = numbers[k];
            td_random_fill(random, 24, x);
            switch (td_random_below(random, 3)) {
            case 0:
                curve[k] = curve_polynomial(of, 2 + td_random_below(random, 5), x);
                break;
            case 1:
                curve[k] = curve_sine(of, x[0], 1 + x[1], x[2]);
                break;
            default:
                for (int p = 0; p < 12; p++)
                    x[p] = -1.4 + 0.25 * p + 0.1 * x[p];
                curve[k] = curve_table(of, 12, x, x + 12);
                curve[k].degree = td_random_below(random, 2) ? 5 : 3;
                curve[k].ends =
                    td_random_below(random, 2) ? TD_CURVE_ENDS_NATURAL : TD_CURVE_ENDS_CLAMPED;
            }
        }
        curve_follow(builder, joint->name, curve, count, 0.1);
        ++*followers;
        leader[leaders++] = joint->name; /* others may follow this one */
    }
    return builder;
}

TD_LOOP_TEST(identities, 0, 24)
{
    td_random random = {(uint64_t)_i + 1};
    int followers = 0, regular = 0;
    td_load_options options = td_load_options_default();
    options.base = _i % 3 == 0 ? TD_BASE_FLOATING : TD_BASE_FIXED;
    options.plan = _i % 2 ? TD_PLAN_REDUCED : TD_PLAN_CLUSTER;
    td_model *model =
        model_of_builder(random_curves(&random, 6 + (size_t)_i, &followers), &options);
    ck_assert(followers > 0 || _i < 12);
    state s = state_new(model, false);
    regular += identities_check(&s, &random, 5);
    ck_assert_int_gt(regular, 0);
}

TD_LOOP_TEST(derivatives, 0, 16)
{
    td_random random = {(uint64_t)_i + 101};
    int followers = 0;
    td_model *model = model_of_builder(random_curves(&random, 6 + (size_t)_i, &followers), NULL);
    td_workspace *w = test_workspace(model);
    for (int n = 0; n < 5; n++) {
        double y[2 * ROOM];
        td_draw_configuration(&random, model, false, 1, y);
        along_check_at(&random, model, w, y, 2, 1e-13);
    }
}

/* rows of a batch against single calls */
TD_LOOP_TEST(batches, 0, 4)
{
    td_random random = {(uint64_t)_i + 31};
    int followers = 0;
    enum { STATES = 13 };
    td_model *model = model_of_builder(random_curves(&random, 14, &followers), NULL);
    td_workspace *w = test_workspace(model);
    const size_t ny = td_ny(model), n = td_nyd(model);
    double y[STATES * ROOM], yd[STATES * ROOM], ydd[STATES * ROOM], tau[STATES * ROOM];
    for (size_t k = 0; k < STATES; k++)
        td_draw_configuration(&random, model, false, 2, y + k * ny);
    td_random_fill(&random, STATES * n, yd), td_random_fill(&random, STATES * n, ydd);
    assert_ok(td_batch_inverse_dynamics(model, w, STATES, y, yd, ydd, NULL, tau, NULL));
    for (size_t k = 0; k < STATES; k++) {
        double one[ROOM];
        assert_ok(td_inverse_dynamics(model, w, y + k * ny, yd + k * n, ydd + k * n, NULL, one));
        td_assert_close(n, one, tau + k * n, 1e-12, 1 + td_largest(n, one));
    }
}

/* ---- motion ---------------------------------------------------------------------------------- */

TD_LOOP_TEST(energy_stays, 0, 2)
{
    enum { N = 41 };
    double at[N], value[N];
    for (int i = 0; i < N; i++) {
        at[i] = -4 + 0.2 * i;
        value[i] = 0.3 * sin(at[i]);
    }
    const double cubic[] = {0.1, 0.6, 0.2, -0.1};
    td_builder *builder = curve_row("crp");
    const td_curve first = curve_polynomial("j1", 4, cubic), waves = curve_sine("j1", 0.7, 1, 0.2);
    td_curve points = curve_table("j1", N, at, value);
    points.degree = 5;
    curve_follow(builder, "j2", _i ? &waves : &first, 1, 0);
    curve_follow(builder, "j3", &points, 1, 0);
    td_model *model = model_of_builder(builder, NULL);
    const double y[] = {0.4}, yd[] = {0.3};
    /* at a tolerance of 1e-11 the error is 1e-10 to 1e-9, depending on where steps meet knots */
    check_energy_is_kept(model, 1e-12, y, yd, 10);
}

/* where γ' = 0 and nothing else moves there is no inertia; elsewhere there is */
TD_TEST(no_slope_is_singular)
{
    td_builder *builder = test_builder("press");
    const td_link base = td_link_default("base"), arm = td_link_default("arm");
    const td_link ram = curve_link("ram");
    td_joint turn = td_joint_default("turn", TD_JOINT_CONTINUOUS, "base", "arm");
    td_joint move = td_joint_default("move", TD_JOINT_PRISMATIC, "base", "ram");
    const td_curve curve = curve_sine("turn", 0.2, 1, 0);
    assert_ok(td_builder_add_link(builder, &base));
    assert_ok(td_builder_add_link(builder, &arm));
    assert_ok(td_builder_add_link(builder, &ram));
    assert_ok(td_builder_add_joint(builder, &turn));
    assert_ok(td_builder_add_joint(builder, &move));
    curve_follow(builder, "move", &curve, 1, 0);
    td_model *model = model_of_builder(builder, NULL);
    td_workspace *w = test_workspace(model);
    const double tau[] = {1};
    double y[] = {0.3}, ydd[1], H[1];
    assert_ok(td_forward_dynamics(model, w, y, NULL, tau, NULL, ydd));
    assert_ok(td_mass_matrix(model, w, y, NULL, H));
    const double slope = 0.2 * cos(0.3);
    ck_assert_double_eq_tol(H[0], 0.7 * slope * slope, 1e-15);

    builder = curve_row("r");
    const double square[] = {0, 0, 1};
    const td_curve parabola = curve_polynomial("lead", 3, square);
    const td_link tip = td_link_default("tip");
    const td_joint lead = td_joint_default("lead", TD_JOINT_CONTINUOUS, "l0", "tip");
    assert_ok(td_builder_add_link(builder, &tip));
    assert_ok(td_builder_add_joint(builder, &lead));
    curve_follow(builder, "j1", &parabola, 1, 0);
    model = model_of_builder(builder, NULL);
    w = test_workspace(model);
    y[0] = 0;
    ck_assert_int_eq(td_forward_dynamics(model, w, y, NULL, tau, NULL, ydd), TD_ERROR_SINGULAR);
    y[0] = -0.1;
    assert_ok(td_forward_dynamics(model, w, y, NULL, tau, NULL, ydd));
}

/* ---- limits, starts, locks, payloads --------------------------------------------------------- */

TD_TEST(limits_about_the_start)
{
    /* x² ≤ 0.25 and x² ≥ 0.04: near 0.3 the range is [0.2, 0.5], near −0.3 it is [−0.5, −0.2] */
    const double square[] = {0, 0, 1};
    const td_curve curve = curve_polynomial("j1", 3, square);
    const double starts[] = {0.3, -0.3, 0.05, 2};
    const double expected[][2] = {{0.2, 0.5}, {-0.5, -0.2}, {0.2, 0.5}, {0.2, 0.5}};
    for (int k = 0; k < 4; k++) {
        td_builder *builder = curve_row("rrr");
        td_joint *joint = builder->records.joint.at;
        joint[0].reference[0] = starts[k];
        joint[1].limit.lower = 0.04, joint[1].limit.upper = 0.25;
        joint[1].limit.velocity = 2;
        curve_follow(builder, "j2", &curve, 1, 0);
        td_model *model = model_of_builder(builder, NULL);
        const td_effective_limit limit = td_effective_limit_at(model, 0);
        ck_assert_double_eq_tol(limit.lower, expected[k][0], 1e-8);
        ck_assert_double_eq_tol(limit.upper, expected[k][1], 1e-8);
        ck_assert_uint_eq(limit.lower_joint, 1);
        ck_assert_double_eq_tol(limit.velocity, 2, 1e-6); /* the steepest slope is 1 */
        ck_assert(isinf(td_effective_limit_at(model, 1).upper));
    }
}

/* A chain of followers, each following the one before, longer than the depth to which sums for Gᵀ H
   G are expanded. Followers exceed their limits all along it. */
TD_LOOP_TEST(long_chains, 0, 2)
{
    enum { N = 280 };
    const double slope[] = {0, 0.99, 0.01};
    char link[N + 1][16], name[N][16];
    td_builder *builder = test_builder("chain");
    for (int i = 0; i <= N; i++) {
        snprintf(link[i], sizeof link[i], "l%d", i);
        const td_link l = i ? curve_link(link[i]) : td_link_default(link[i]);
        assert_ok(td_builder_add_link(builder, &l));
    }
    for (int i = 0; i < N; i++) {
        snprintf(name[i], sizeof name[i], "j%d", i);
        td_joint joint = td_joint_default(name[i], TD_JOINT_REVOLUTE, link[i], link[i + 1]);
        joint.origin.position[0] = 0.05;
        joint.limit.lower = -1, joint.limit.upper = i == N - 1 ? 0.1 : 1;
        joint.axis[0] = 0, joint.axis[i % 2 ? 1 : 2] = 1;
        if (i > 1 && i % 3 == 0) {
            joint.mimic = name[i - 1];
            joint.multiplier = 0.99;
        }
        assert_ok(td_builder_add_joint(builder, &joint));
        const td_curve curve = curve_polynomial(name[i > 1 ? i - 1 : 0], 3, slope);
        if (i > 1 && i % 3 && _i)
            curve_follow(builder, name[i], &curve, 1, 0);
        else if (i > 1 && i % 3) {
            td_joint *kept = &builder->records.joint.at[i];
            kept->mimic = td_arena_string(&builder->records.arena, name[i - 1]);
            kept->multiplier = 0.99;
        }
    }
    td_model *model = model_of_builder(builder, NULL);
    td_workspace *w = test_workspace(model);
    const size_t n = td_nyd(model);
    ck_assert_uint_eq(n, 2);
    ck_assert_uint_eq(model->closure.scatter.count, 0);
    const double y[] = {0.2, 0.1}, at[] = {y[0], y[1], y[0], y[1]};
    double q[N], G[2 * N], *H = test_malloc(sizeof *H * N * N), M[4], rows[8];
    assert_ok(td_closure(model, w, y, NULL, NULL, q, NULL, NULL));
    assert_ok(td_closure_jacobian(model, w, y, G));
    assert_ok(TD_IN_TREE(w, td_mass_matrix(model, w, q, NULL, H)));
    assert_ok(td_mass_matrix(model, w, y, NULL, M));
    assert_ok(td_batch_mass_matrix(model, w, 2, at, NULL, rows, NULL));
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            double sum = 0;
            for (size_t i = 0; i < N; i++)
                for (size_t j = 0; j < N; j++)
                    sum += G[i * n + a] * H[i * N + j] * G[j * n + b];
            ck_assert_double_eq_tol(M[a * n + b], sum, 1e-12 * td_largest(4, M));
            ck_assert_double_eq_tol(rows[4 + a * n + b], sum, 1e-12 * td_largest(4, M));
        }
    /* the last joint of the chain is at its limit of 0.1 then, unless joint 1 is at its limit of
       1 */
    double end[] = {0, fmin(1, td_effective_limit_at(model, 1).upper)};
    assert_ok(td_closure(model, w, end, NULL, NULL, q, NULL, NULL));
    ck_assert(fabs(q[N - 1] - 0.1) < 1e-8 || end[1] == 1);
}

/* Joints outside of loops start within their limits and the limits that their followers imply.
   Followers then start within theirs, too. */
TD_TEST(starts)
{
    const double cubic[] = {0.5, 0.3, 0, 0.1};
    const td_curve curve = curve_polynomial("j1", 4, cubic);
    td_builder *builder = curve_row("rr");
    builder->records.joint.at[1].limit.lower = 0.9;
    curve_follow(builder, "j2", &curve, 1, 0);
    td_model *model = model_of_builder(builder, NULL);
    const double *q = td_reference(model, TD_COORDINATES_TREE);
    ck_assert_double_eq_tol(q[1], 0.9, 1e-8);
    ck_assert_double_eq_tol(0.5 + q[0] * (0.3 + 0.1 * q[0] * q[0]), q[1], 1e-14);
    double y[1];
    memcpy(y, td_reference(model, TD_COORDINATES_INDEPENDENT), td_ny(model) * sizeof *y);
    ck_assert_double_eq(y[0], q[0]);
}

/* locking a leader turns everything that follows it into constants */
TD_TEST(locked_leaders)
{
    const double cubic[] = {0.5, 0.3, 0, 0.1};
    const td_curve curve = curve_polynomial("j1", 4, cubic), chain = curve_sine("j2", 1, 1, 0);
    const td_curve both[] = {curve_sine("j1", 0.4, 1, 0), curve_polynomial("j4", 4, cubic)};
    td_model *free_model = NULL, *locked = NULL;
    const td_joint_position lock = {"j1", 0.7};
    for (int k = 0; k < 2; k++) {
        td_builder *builder = curve_row("rrrrrr");
        curve_follow(builder, "j2", &curve, 1, 0);
        curve_follow(builder, "j3", &chain, 1, 0.2);
        curve_follow(builder, "j5", both, 2, 0);
        td_joint *joint = &builder->records.joint.at[5];
        joint->mimic = td_arena_string(&builder->records.arena, "j3");
        joint->multiplier = 2;
        td_load_options options = td_load_options_default();
        options.locked = &lock, options.locked_count = (size_t)k;
        *(k ? &locked : &free_model) = model_of_builder(builder, &options);
    }
    ck_assert_uint_eq(td_nyd(free_model), 2);
    ck_assert_uint_eq(td_nyd(locked), 1);
    td_workspace *v = test_workspace(free_model), *w = test_workspace(locked);
    const double y[] = {0.7, 0.3}, yd[] = {0, 0.4}, ydd[] = {0, -0.2};
    double q[6], of_locked[5], tau[2], of[1];
    assert_ok(td_closure(free_model, v, y, yd, ydd, q, NULL, NULL));
    assert_ok(td_closure(locked, w, y + 1, yd + 1, ydd + 1, of_locked, NULL, NULL));
    td_assert_close(5, of_locked, q + 1, 1e-15, 1);
    assert_ok(td_inverse_dynamics(free_model, v, y, yd, ydd, NULL, tau));
    assert_ok(td_inverse_dynamics(locked, w, y + 1, yd + 1, ydd + 1, NULL, of));
    td_assert_close(1, of, tau + 1, 1e-13, 1);
    ck_assert_uint_eq(td_joint_place_at(locked, 2).leader, TD_NONE);
    ck_assert_uint_eq(td_joint_place_at(locked, 2).cluster, TD_NONE);
    ck_assert(td_joint_place_at(locked, 2).dependent);
}

/* a payload acts as a part of the link */
/* A refused lock reports the joint at the root of the dependency, however long the chain is. */
TD_LOOP_TEST(locked_followers, 0, 2)
{
    const td_curve on_root = curve_table("j1", 4, straight, zigzag),
                   chain = curve_sine("j2", 1, 1, 0);
    const td_joint_position lock = {"j4", 0.7};
    td_load_options options = td_load_options_default();
    options.locked = &lock, options.locked_count = 1;
    td_builder *builder = curve_row("rrrr");
    curve_follow(builder, "j2", &on_root, 1, 0);
    curve_follow(builder, "j3", &chain, 1, 0);
    builder->records.joint.at[3].mimic = td_arena_string(&builder->records.arena, "j3");
    if (_i)
        builder->records.joint.at[0].mimic = td_arena_string(&builder->records.arena, "j4");
    td_model *model = NULL;
    td_diagnostics *list = test_diagnostics(0);
    ck_assert_int_eq(test_builder_finish(builder, &options, list, &model), TD_ERROR_MODEL);
    const td_diagnostic *found = td_find_diagnostic(list, "URDF-L002");
    ck_assert_msg(found != NULL, "%s", td_diagnostics_at(list, 0)->code);
    ck_assert_str_eq(found->remedy, _i ? "make one of them independent" : "lock 'j1' instead");
}

/* a locked leader does not use the rest of its table, so the range of its limits causes no
   warning */
TD_TEST(locked_ranges)
{
    const td_curve curve = curve_table("j1", 4, straight, zigzag);
    const td_joint_position lock = {"j1", 0.7};
    td_load_options options = td_load_options_default();
    options.locked = &lock;
    for (options.locked_count = 0; options.locked_count < 2; options.locked_count++) {
        td_builder *builder = curve_row("rr");
        td_model *model = NULL;
        td_diagnostics *list = test_diagnostics(0);
        curve_follow(builder, "j2", &curve, 1, 0);
        assert_ok(test_builder_finish(builder, &options, list, &model));
        ck_assert((td_find_diagnostic(list, "URDF-M015") == NULL) == (options.locked_count > 0));
    }
}

TD_TEST(payloads)
{
    const double cubic[] = {0.5, 0.3, 0, 0.1};
    const td_curve curve = curve_polynomial("j1", 4, cubic);
    td_builder *builder = curve_row("rr"), *heavy = curve_row("rr");
    curve_follow(builder, "j2", &curve, 1, 0), curve_follow(heavy, "j2", &curve, 1, 0);
    heavy->records.link.at[2].mass += 1.5;
    td_model *model = model_of_builder(builder, NULL), *other = model_of_builder(heavy, NULL);
    td_workspace *w = test_workspace(model), *v = test_workspace(other);
    const double com[] = {0.1, 0.05, 0};
    assert_ok(td_set_payload(w, td_link_index(model, "l2"), 1.5, com, NULL));
    const double y[] = {0.4}, yd[] = {-0.7}, ydd[] = {0.2};
    double a[1], b[1];
    assert_ok(td_inverse_dynamics(model, w, y, yd, ydd, NULL, a));
    assert_ok(td_inverse_dynamics(other, v, y, yd, ydd, NULL, b));
    td_assert_close(1, a, b, 1e-13, 1);
}

/* ---- rejected input, and its messages -------------------------------------------------------- */

/* faulty input with the code and a part of the message */
typedef struct wrong {
    const char *code, *text;
    void (*make)(td_builder *builder);
} wrong;

static void circle(td_builder *builder)
{
    const td_curve a = curve_polynomial("j2", 2, one_two), b = curve_polynomial("j3", 2, one_two);
    curve_follow(builder, "j1", &a, 1, 0);
    curve_follow(builder, "j2", &b, 1, 0);
    td_joint *joint = &builder->records.joint.at[2];
    joint->mimic = td_arena_string(&builder->records.arena, "j1");
}

static void itself(td_builder *builder)
{
    const td_curve a = curve_polynomial("j1", 2, one_two);
    curve_follow(builder, "j1", &a, 1, 0);
}

static void twice(td_builder *builder)
{
    const td_curve a = curve_polynomial("j1", 2, one_two);
    curve_follow(builder, "j2", &a, 1, 0);
    curve_follow(builder, "j2", &a, 1, 0);
}

static void nobody(td_builder *builder)
{
    const td_curve a = curve_polynomial("j7", 2, one_two);
    curve_follow(builder, "j2", &a, 1, 0);
}

static void no_joint(td_builder *builder)
{
    const td_curve a = curve_polynomial("j1", 2, one_two);
    curve_follow(builder, "j9", &a, 1, 0);
}

static void descending(td_builder *builder)
{
    const td_curve a = curve_table("j1", 4, up, zigzag);
    curve_follow(builder, "j2", &a, 1, 0);
}

static void not_periodic(td_builder *builder)
{
    td_curve a = curve_table("j1", 4, straight, straight);
    a.ends = TD_CURVE_ENDS_PERIODIC;
    curve_follow(builder, "j2", &a, 1, 0);
}

static void kinked(td_builder *builder)
{
    td_curve a = curve_table("j1", 4, straight, zigzag);
    a.ends = TD_CURVE_ENDS_HERMITE;
    a.slope = straight;
    curve_follow(builder, "j2", &a, 1, 0);
}

static void no_degree(td_builder *builder)
{
    td_curve a = curve_table("j1", 4, straight, zigzag);
    a.degree = 4;
    curve_follow(builder, "j2", &a, 1, 0);
}

static void no_coefficients(td_builder *builder)
{
    const td_curve a = td_curve_default(TD_CURVE_POLYNOMIAL, "j1");
    curve_follow(builder, "j2", &a, 1, 0);
}

static void no_number(td_builder *builder)
{
    const double bad[] = {0, NAN};
    const td_curve a = curve_polynomial("j1", 2, bad);
    curve_follow(builder, "j2", &a, 1, 0);
}

static void loop_stays_open(td_builder *builder)
{
    const td_curve a = curve_polynomial("j1", 2, one_two);
    td_loop loop = td_loop_default("shut", "l0", "l3");
    loop.type = TD_LOOP_DISTANCE;
    loop.distance = 5;
    curve_follow(builder, "j2", &a, 1, 0);
    assert_ok(td_builder_add_loop(builder, &loop));
}

static const wrong errors[] = {
    {"URDF-M002", "cycle: j1 → j2 → j3 → j1", circle},
    {"URDF-M002", "cycle: j1 → j1", itself},
    {"URDF-M011", "two definitions", twice},
    {"URDF-M001", "'j7', which does not exist", nobody},
    {"URDF-M011", "'j9' of a follower record does not exist", no_joint},
    {"URDF-M012", "do not ascend: 1 follows 1 at point 3", descending},
    {"URDF-M012", "last value is 3", not_periodic},
    {"URDF-M013", "jumps", kinked},
    {"URDF-M012", "degree 4", no_degree},
    {"URDF-M012", "0 coefficients", no_coefficients},
    {"URDF-M012", "entry 2 is not finite", no_number},
    {"URDF-C020", "'shut' cannot be closed while joint 'j2' follows others by curves",
     loop_stays_open},
};

static void check_report(const td_builder *builder, const wrong *expected, td_status status,
                         size_t most)
{
    td_model *model = NULL;
    td_diagnostics *list = test_diagnostics(0);
    ck_assert_int_eq(test_builder_finish(builder, NULL, list, &model), status);
    const td_diagnostic *found = td_find_diagnostic(list, expected->code);
    ck_assert_msg(found != NULL, "no %s", expected->code);
    ck_assert_msg(strstr(found->message, expected->text) != NULL, "%s", found->message);
    ck_assert_uint_le(td_diagnostics_size(list), most);
}

TD_LOOP_TEST(refused, 0, sizeof errors / sizeof *errors)
{
    td_builder *builder = curve_row("rrr");
    errors[_i].make(builder);
    check_report(builder, &errors[_i], TD_ERROR_MODEL, 1);
}

static void beyond(td_builder *builder)
{
    const td_curve a = curve_table("j1", 4, straight, zigzag);
    curve_follow(builder, "j2", &a, 1, 0);
}

static void stepped(td_builder *builder)
{
    const td_curve a = curve_table("j1", 4, straight, jump);
    curve_follow(builder, "j2", &a, 1, 0);
}

static void outside(td_builder *builder)
{
    const td_curve a = curve_polynomial("j1", 2, one_two);
    builder->records.joint.at[1].limit.upper = 1;
    curve_follow(builder, "j2", &a, 1, 0);
}

static void never(td_builder *builder)
{
    const td_curve a = curve_polynomial("j1", 1, one_two + 1);
    builder->records.joint.at[1].limit.upper = 1;
    curve_follow(builder, "j2", &a, 1, 0);
}

static void of_fixed(td_builder *builder)
{
    const td_curve a = curve_polynomial("j1", 2, one_two);
    builder->records.joint.at[0].type = TD_JOINT_FIXED;
    curve_follow(builder, "j2", &a, 1, 0);
}

static const wrong warnings[] = {
    {"URDF-M015", "covers 0 to 3, but the limits of 'j1' are [-3, 3]", beyond},
    {"URDF-M014", "jumps from 0.01 to 5 between 1 and 2", stepped},
    {"URDF-M008", "around its start, but its own limits are [-3, 3]", outside},
    {"URDF-M009", "no position of 'j1'", never},
    {"URDF-M007", "it stays at 1", of_fixed},
};

TD_LOOP_TEST(said, 0, sizeof warnings / sizeof *warnings)
{
    td_builder *builder = curve_row("rrr");
    warnings[_i].make(builder);
    check_report(builder, &warnings[_i], TD_OK, SIZE_MAX);
}

/* builders reject invalid records; tables with deliberate kinks load */
TD_TEST(records)
{
    td_builder *builder = curve_row("rrr");
    td_curve curve = curve_table("j1", 4, NULL, zigzag);
    td_follower follower = td_follower_default("j2");
    follower.curve = &curve, follower.curves = 1;
    ck_assert_int_eq(td_builder_add_follower(builder, &follower), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_builder_add_follower(builder, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_builder_add_follower(NULL, &follower), TD_ERROR_ARGUMENT);
    curve.at = straight;
    curve.ends = (td_curve_ends)7;
    ck_assert_int_eq(td_builder_add_follower(builder, &follower), TD_ERROR_ARGUMENT);
    curve.ends = TD_CURVE_ENDS_HERMITE;
    ck_assert_int_eq(td_builder_add_follower(builder, &follower), TD_ERROR_ARGUMENT);
    curve.slope = zigzag, curve.kinks = true;
    assert_ok(td_builder_add_follower(builder, &follower));
    td_model *model = model_of_builder(builder, NULL);
    double value[4];
    ck_assert_int_eq(td_curve_value(model, 0, 1, 0, value), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_curve_value(model, 1, 0, 0, value), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_curve_value(NULL, 0, 0, 0, value), TD_ERROR_ARGUMENT);
    ck_assert_ptr_null(td_follower_at(model, 1));
    ck_assert_ptr_null(td_curve_at(td_follower_at(model, 0), 1));
    ck_assert_str_eq(td_curve_at(td_follower_at(model, 0), 0)->leader, "j1");
    ck_assert_uint_eq(td_follower_of(model, 0), TD_NONE);
    ck_assert_uint_eq(td_follower_of(model, 99), TD_NONE);
}

#if TANDEM_HAS_URDF
/* ---- files ----------------------------------------------------------------------------------- */

/* a row of revolute joints a, b and c with the <mimic> of b and further elements */
static td_status read_row(const char *mimic, const char *rest, td_diagnostics *list,
                          td_model **model)
{
    static const char inertial[] =
        "<inertial><origin xyz='0.1 0.02 0'/><mass value='1'/>"
        "<inertia ixx='.01' iyy='.01' izz='.01' ixy='0' ixz='0' iyz='0'/></inertial>";
    char text[8192];
    size_t used = (size_t)snprintf(text, sizeof text, "<robot name='row'><link name='l0'/>");
    for (int i = 0; i < 3; i++)
        used += (size_t)snprintf(
            text + used, sizeof text - used,
            "<link name='l%d'>%s</link><joint name='%c' type='continuous'><parent link='l%d'/>"
            "<child link='l%d'/><axis xyz='0 0 1'/><origin xyz='%g 0 0'/>%s</joint>",
            i + 1, inertial, 'a' + i, i, i + 1, i ? 0.3 : 0, i == 1 ? mimic : "");
    snprintf(text + used, sizeof text - used, "%s</robot>", rest);
    return test_load_urdf_memory(text, strlen(text), "row", NULL, list, model);
}

static double line(double x)
{
    return 2 * x + 0.5;
}

static double square(double x)
{
    return 0.1 + 0.5 * x + 0.2 * x * x;
}

static double wave(double x)
{
    return 0.3 * sin(x) - 0.1;
}

static double sum_of(double x)
{
    return 0.2 + 0.4 * sin(2 * x + 0.1) + x * x;
}

static double straight_table(double x)
{
    return 3 * x - 1;
}

/* the content of a <mimic>, and the expected function b(a) */
static const struct {
    const char *mimic;
    double (*f)(double x);
} spellings[] = {
    {"<mimic joint='a' multiplier='2' offset='0.5'/>", line},
    {"<mimic joint='a' type='linear' multiplier='2' offset='0.5'/>", line},
    {"<mimic joint='a' polycoef='0.5 2'/>", line},
    {"<mimic joint='a' multiplier='1' offset='0' polycoef=' 0.1 0.5\n0.2 '/>", square},
    {"<mimic joint='a' polycoef='0.1 0.5 0.2' range='-9 9'/>", square},
    {"<mimic joint='a' type='sin' multiplier='0.3' offset='-0.1'/>", wave},
    {"<mimic offset='0.2'><curve joint='a' type='sine' amplitude='0.4' frequency='2' phase='0.1'/>"
     "<curve joint='a' type='polynomial' coefficients='0 0 1'/></mimic>",
     sum_of},
    {"<mimic joint='a'><curve type='spline' at='-1 0 0.5 2' value='-4 -1 0.5 5'/></mimic>",
     straight_table},
    {"<mimic joint='a'><curve type='spline' degree='5' ends='hermite' at='0 1' value='-1 2' "
     "slope='3 3' curvature='0 0'/></mimic>",
     straight_table},
    {"<mimic joint='a'><curve type='spline' ends='clamped' at='0 1' value='-1 2' "
     "end_slope='3 3'/></mimic>",
     straight_table},
};

TD_LOOP_TEST(spelled, 0, sizeof spellings / sizeof *spellings)
{
    td_model *model = NULL;
    assert_ok(read_row(spellings[_i].mimic, "", NULL, &model));
    td_workspace *w = test_workspace(model);
    for (double x = -1.3; x < 1.4; x += 0.3) {
        const double y[] = {x, 0.2};
        double q[3];
        assert_ok(td_closure(model, w, y, NULL, NULL, q, NULL, NULL));
        ck_assert_double_eq_tol(q[1], spellings[_i].f(x), 1e-14);
    }
}

static const struct {
    const char *mimic, *code, *text;
} misspelled[] = {
    {"<mimic joint='a' polycoef='0 1' multiplier='2'/>", "URDF-M017", "in addition to polycoef"},
    {"<mimic joint='a' polycoef='0 1' offset='2'/>", "URDF-M017", "in addition to polycoef"},
    {"<mimic joint='a' polycoef='0 x'/>", "URDF-N001", "polycoef"},
    {"<mimic joint='a' polycoef=''/>", NULL, "polycoef"},
    {"<mimic joint='a' type='cos'/>", "URDF-M017", "unknown type 'cos'"},
    {"<mimic joint='a' expression='2*x'/>", "URDF-M017", "'expression'"},
    {"<mimic joint='a'><table/></mimic>", "URDF-M017", "unknown child <table>"},
    {"<mimic joint='a' polycoef='0 1' type='sin'/>", "URDF-M017", "several forms"},
    {"<mimic joint='a' multiplier='2'><curve type='sine' amplitude='1'/></mimic>", "URDF-M017",
     "in addition to its curves"},
    {"<mimic><curve type='sine' amplitude='1'/></mimic>", "URDF-M017", "names no joint"},
    {"<mimic joint='a'><curve amplitude='1'/></mimic>", "URDF-M017", "no type"},
    {"<mimic joint='a'><curve type='sine'/></mimic>", NULL, "amplitude"},
    {"<mimic joint='a'><curve type='spline' at='0 1 2' value='0 1'/></mimic>", "URDF-M017",
     "3 numbers in 'at', but 2 in 'value'"},
    {"<mimic joint='a'><curve type='spline' at='0 1' value='0 1' slope='1 1'/></mimic>",
     "URDF-M017", "'slope' without ends that use it"},
    {"<mimic joint='a'><curve type='spline' at='0 1' value='0 1' ends='open'/></mimic>",
     "URDF-M017", "unknown ends 'open'"},
    {"<mimic joint='a'><curve type='spline' at='0 1 1' value='0 1 2'/></mimic>", "URDF-M012",
     "do not ascend: 1 follows 1 at point 3"},
    {"<mimic joint='a'><curve type='spline' at='0 1' value='0 1' degree='4'/></mimic>", "URDF-M012",
     "degree"},
};

TD_LOOP_TEST(not_spelled, 0, sizeof misspelled / sizeof *misspelled)
{
    td_model *model = NULL;
    td_diagnostics *list = test_diagnostics(0);
    ck_assert_int_eq(read_row(misspelled[_i].mimic, "", list, &model), TD_ERROR_MODEL);
    bool found = false;
    for (size_t i = 0; i < td_diagnostics_size(list); i++) {
        const td_diagnostic *d = td_diagnostics_at(list, i);
        found = found || (strstr(d->message, misspelled[_i].text) &&
                          (!misspelled[_i].code || strcmp(d->code, misspelled[_i].code) == 0));
    }
    ck_assert_msg(found, "%s", td_diagnostics_at(list, 0)->message);
}

/* reads <constraint> as a <loop>; axes in other directions rotate the child's frame */
TD_LOOP_TEST(constraints, 0, 6)
{
    static const char *const both[][2] = {
        {"<constraint name='shut' type='revolute'><parent link='l0'/><child link='l3'/>"
         "<parent_origin xyz='0.5 0.2 0'/><child_origin xyz='0.2 0.1 0'/>"
         "<parent_axis xyz='0 0 1'/><child_axis xyz='0 0 1'/><dynamics "
         "damping='0.3'/></constraint>",
         "<loop name='shut' type='revolute'><predecessor link='l0'><origin xyz='0.5 0.2 0'/>"
         "</predecessor><successor link='l3'><origin xyz='0.2 0.1 0'/></successor>"
         "<axis xyz='0 0 1'/><dynamics damping='0.3'/></loop>"},
        {"<constraint name='shut' type='revolute'><parent link='l0'/><child link='l3'/>"
         "<parent_origin xyz='0.5 0.2 0' rpy='1.5707963267948966 0 0'/><parent_axis xyz='0 1 0'/>"
         "<child_origin xyz='0.2 0.1 0'/><child_axis xyz='0 0 2'/></constraint>",
         "<loop name='shut' type='revolute'><predecessor link='l0'><origin xyz='0.5 0.2 0'/>"
         "</predecessor><successor link='l3'><origin xyz='0.2 0.1 0'/></successor>"
         "<axis xyz='0 0 1'/></loop>"},
        {"<constraint name='shut' type='continuous'><parent link='l0'/><child link='l3'/>"
         "<parent_origin xyz='0.5 0.2 0'/><child_origin xyz='0.2 0.1 0' rpy='3.141592653589793 0 "
         "0'/>"
         "<parent_axis xyz='0 0 1'/><child_axis xyz='0 0 -1'/></constraint>",
         "<loop name='shut' type='revolute'><predecessor link='l0'><origin xyz='0.5 0.2 0'/>"
         "</predecessor><successor link='l3'><origin xyz='0.2 0.1 0'/></successor>"
         "<axis xyz='0 0 1'/></loop>"},
        /* opposite axes that are not along an axis of the frames */
        {"<constraint name='shut' type='revolute'><parent link='l0'/><child link='l3'/>"
         "<parent_origin xyz='0.5 0.2 0' rpy='0.5 0.2 0.3'/>"
         "<parent_axis xyz='-0.19866933079506122 0.4698689469495153 0.8600893382050473'/>"
         "<child_origin xyz='0.2 0.1 0' rpy='-2.641592653589793 -0.2 -0.3'/>"
         "<child_axis xyz='0.19866933079506122 -0.4698689469495153 -0.8600893382050473'/>"
         "</constraint>",
         "<loop name='shut' type='revolute'><predecessor link='l0'><origin xyz='0.5 0.2 0'/>"
         "</predecessor><successor link='l3'><origin xyz='0.2 0.1 0'/></successor>"
         "<axis xyz='0 0 1'/></loop>"},
        {"<constraint name='shut' type='revolute'><parent link='l0'/><child link='l3'/>"
         "<parent_origin xyz='0.5 0.2 0' rpy='0.3 -0.6 0.3'/>"
         "<parent_axis xyz='0.5646424733950354 0.24390335148307188 0.7884732286981352'/>"
         "<child_origin xyz='0.2 0.1 0' rpy='-2.8415926535897933 0.6000000000000001 -0.3'/>"
         "<child_axis xyz='-0.5646424733950354 -0.24390335148307188 -0.7884732286981352'/>"
         "</constraint>",
         "<loop name='shut' type='revolute'><predecessor link='l0'><origin xyz='0.5 0.2 0'/>"
         "</predecessor><successor link='l3'><origin xyz='0.2 0.1 0'/></successor>"
         "<axis xyz='0 0 1'/></loop>"},
        {"<constraint name='shut' type='revolute'><parent link='l0'/><child link='l3'/>"
         "<parent_origin xyz='0.5 0.2 0' rpy='1.3 0.6 -0.5'/>"
         "<parent_axis xyz='-0.5646424733950354 0.7952588874625528 0.22077631021049246'/>"
         "<child_origin xyz='0.2 0.1 0' rpy='-1.841592653589793 -0.6 0.5'/>"
         "<child_axis xyz='0.5646424733950354 -0.7952588874625528 -0.22077631021049246'/>"
         "</constraint>",
         "<loop name='shut' type='revolute'><predecessor link='l0'><origin xyz='0.5 0.2 0'/>"
         "</predecessor><successor link='l3'><origin xyz='0.2 0.1 0'/></successor>"
         "<axis xyz='0 0 1'/></loop>"},
    };
    td_model *model[2] = {NULL, NULL};
    for (int k = 0; k < 2; k++)
        assert_ok(read_row("", both[_i][k], NULL, &model[k]));
    ck_assert_uint_eq(td_nyd(model[0]), 1);
    td_workspace *v = test_workspace(model[0]), *w = test_workspace(model[1]);
    double y[1], yd[] = {0.3}, q[2][3], tau[2][1];
    const td_forces passive = {
        .size_of = sizeof passive, .passive = true, .friction_velocity = 1e-3};
    memcpy(y, td_reference(model[1], TD_COORDINATES_INDEPENDENT), td_ny(model[1]) * sizeof *y);
    assert_ok(td_closure(model[0], v, y, NULL, NULL, q[0], NULL, NULL));
    assert_ok(td_closure(model[1], w, y, NULL, NULL, q[1], NULL, NULL));
    td_assert_close(3, q[0], q[1], 1e-12, 1);
    assert_ok(td_inverse_dynamics(model[0], v, y, yd, yd, &passive, tau[0]));
    assert_ok(td_inverse_dynamics(model[1], w, y, yd, yd, &passive, tau[1]));
    td_assert_close(1, tau[0], tau[1], 1e-10, 1);
}

/* the file of a loop that closes for any directions of the two axes (%s) */
static const char opposite_text[] =
    "<robot name='r'><link name='l0'/>"
    "<link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
    "iyz='0'/></inertial></link>"
    "<link name='b'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
    "iyz='0'/></inertial></link>"
    "<link name='c'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
    "iyz='0'/></inertial></link>"
    "<joint name='ja' type='continuous'><parent link='l0'/><child link='a'/><axis xyz='0 0 1'/>"
    "</joint><joint name='jb' type='ball'><parent link='a'/><child link='b'/>"
    "<origin xyz='0.5 0 0'/></joint><joint name='jc' type='continuous'><parent link='l0'/>"
    "<child link='c'/><origin xyz='0.7 0 0'/><axis xyz='0 0 1'/></joint>"
    "<constraint name='k' type='cylindrical'><parent link='c'/><child link='b'/>"
    "<parent_origin xyz='0.6 0 0'/><child_origin xyz='0.8 0 0'/>"
    "<parent_axis xyz='%.17g %.17g %.17g'/><child_axis xyz='%.17g %.17g %.17g'/></constraint>"
    "</robot>";

/* Checks the rotation of the child's frame if its axis differs by `off` from the opposite of the
   parent's axis. `parent` and `across` are orthogonal unit vectors. The result must be the shortest
   rotation, to rounding. */
static void turns_shortest(const double parent[3], const double across[3], double off)
{
    char text[2048];
    double child[3];
    for (int i = 0; i < 3; i++)
        child[i] = sin(off) * across[i] - cos(off) * parent[i];
    snprintf(text, sizeof text, opposite_text, parent[0], parent[1], parent[2], child[0], child[1],
             child[2]);
    td_model *model = NULL;
    assert_ok(test_load_urdf_memory(text, strlen(text), NULL, NULL, NULL, &model));
    const double *R = td_loop_at(model, 0)->successor_origin.rotation;
    for (int i = 0; i < 3; i++) {
        double turned = 0;
        for (int k = 0; k < 3; k++) {
            double product = 0;
            for (int j = 0; j < 3; j++)
                product += R[3 * i + j] * R[3 * k + j];
            ck_assert_double_eq_tol(product, i == k, 2e-15);
            turned += R[3 * i + k] * parent[k];
        }
        ck_assert_double_eq_tol(turned, child[i], 1e-15);
    }
    ck_assert_double_eq_tol(R[0] + R[4] + R[8], 1 - 2 * cos(off), 2e-15);
}

TD_LOOP_TEST(opposite_axes, 0, 5)
{
    static const double pair[][2][3] = {{{0, 0, 1}, {1, 0, 0}},
                                        {{0, 0, 1}, {0.28, -0.96, 0}},
                                        {{0.48, -0.64, 0.6}, {0.8, 0.6, 0}},
                                        {{-0.8, 0, 0.6}, {0, -1, 0}},
                                        {{0.6, 0.48, -0.64}, {0, 0.8, 0.6}}};
    const double(*p)[3] = pair[_i];
    turns_shortest(p[0], p[1], 0);
    for (double off = 1e-16; off < 3; off *= 1.09)
        turns_shortest(p[0], p[1], off);
    turns_shortest(p[0], p[1], 1.5707963267948966);
    turns_shortest(p[0], p[1], 3.1415926535897931);
}

/* Loads the robot of a file and adds wheels that follow its crank; the second wheel follows the
   first. */
static td_model *loop_with_wheels(const char *name, const char *crank, const char *carrier,
                                  int wheels)
{
    enum { MOST_WHEELS = 8 };
    char path[512];
    snprintf(path, sizeof path, "%s/%s", td_robot_directory(), name);
    size_t size;
    char *text = td_read_file(path, &size);
    td_builder *builder = NULL;
    assert_ok(test_parse_urdf_memory(text, size, name, NULL, NULL, &builder));
    const double square[] = {0.1, 0.5, 0.3};
    const td_curve of_crank[] = {curve_polynomial(crank, 3, square), curve_sine(crank, 0.2, 2, 0)};
    const td_curve of_wheel = curve_sine("turn1", 0.1, 1, 0.3);
    char link[MOST_WHEELS][24], joint[MOST_WHEELS][24];
    for (int k = 0; k < wheels; k++) {
        snprintf(link[k], sizeof link[k], "wheel%d", k + 1);
        snprintf(joint[k], sizeof joint[k], "turn%d", k + 1);
        const td_link wheel = curve_link(link[k]);
        td_joint turn =
            td_joint_default(joint[k], k == 1 ? TD_JOINT_PRISMATIC : TD_JOINT_CONTINUOUS,
                             k ? link[k - 1] : carrier, link[k]);
        turn.axis[0] = 0, turn.axis[1] = k, turn.axis[2] = 1;
        assert_ok(td_builder_add_link(builder, &wheel));
        assert_ok(td_builder_add_joint(builder, &turn));
        curve_follow(builder, joint[k], k == 1 ? &of_wheel : of_crank, k == 1 ? 1 : 2, 0);
    }
    return model_of_builder(builder, NULL);
}

TD_LOOP_TEST(beside_loops, 0, 2)
{
    static const char *const robots[][3] = {{"four_bar.urdf", "crank_joint", "crank"},
                                            {"five_bar.urdf", "O", "DO"}};
    td_random random = {(uint64_t)_i + 3};
    td_model *model = loop_with_wheels(robots[_i][0], robots[_i][1], robots[_i][2], 2);
    td_workspace *w = test_workspace(model);
    const size_t n = td_nyd(model);
    const size_t crank = td_joint_place_at(model, td_joint_index(model, robots[_i][1])).q;
    const size_t wheel = td_joint_place_at(model, td_joint_index(model, "turn1")).q;
    double y[ROOM];
    ck_assert_uint_eq(td_loop_cluster_count(model), 2);
    memcpy(y, td_reference(model, TD_COORDINATES_INDEPENDENT), td_ny(model) * sizeof *y);
    for (int k = 0; k < 8; k++) {
        double yd[ROOM], ydd[ROOM], q[ROOM], qd[ROOM], qdd[ROOM], tau[ROOM], of_y[2][ROOM];
        y[0] += _i ? -0.01 : 0.03;
        td_random_fill(&random, n, yd), td_random_fill(&random, n, ydd);
        assert_ok(td_closure(model, w, y, yd, ydd, q, qd, qdd));
        const double x = q[crank];
        ck_assert_double_eq_tol(q[wheel], 0.1 + x * (0.5 + 0.3 * x) + 0.2 * sin(2 * x), 1e-14);
        ck_assert_double_eq_tol(qd[wheel], (0.5 + 0.6 * x + 0.4 * cos(2 * x)) * qd[crank], 1e-13);
        assert_ok(TD_IN_TREE(w, td_inverse_dynamics(model, w, q, qd, qdd, NULL, tau)));
        assert_ok(td_project_force(model, w, y, tau, of_y[0]));
        assert_ok(td_inverse_dynamics(model, w, y, yd, ydd, NULL, of_y[1]));
        td_assert_close(n, of_y[0], of_y[1], 1e-12, 1 + td_largest(n, of_y[1]));
        double back[ROOM];
        assert_ok(td_forward_dynamics(model, w, y, yd, of_y[1], NULL, back));
        td_assert_close(n, back, ydd, 1e-9, 1 + td_largest(n, ydd));
        along_check_at(&random, model, w, y, 1, 1e-11);
    }
}

/* Uses charts of a loop whose motor leads followers. K G = 0 must hold for G of the chart, and the
   same forces of the tree must cause the same accelerations. */
TD_LOOP_TEST(in_charts, 0, 3)
{
    static const int wheels[] = {1, 2, 6};
    td_model *model = loop_with_wheels("five_bar.urdf", "O", "DO", wheels[_i]);
    td_workspace *w = test_workspace(model), *in_chart = test_workspace(model);
    td_random random = {(uint64_t)_i + 5};
    double y[ROOM];
    int others = 0;
    memcpy(y, td_reference(model, TD_COORDINATES_INDEPENDENT), td_ny(model) * sizeof *y);
    for (int step = 0; step < 60; step++) {
        double q[ROOM];
        y[0] -= 0.01, y[1] += 0.013;
        if (td_closure(model, w, y, NULL, NULL, q, NULL, NULL) != TD_OK)
            break;
        curve_agrees_in_chart(model, w, in_chart, y, &random);
        others += td_chart_is_used(in_chart);
    }
    ck_assert_int_gt(others, 3);
}

static const struct {
    const char *rest, *code, *text;
    td_status status;
} constraint_reports[] = {
    {"<constraint name='x' type='floating'><parent link='l0'/><child link='l3'/></constraint>",
     "URDF-C004", "'floating', which cannot close a loop", TD_OK},
    {"<constraint name='x'><parent link='l0'/><child link='l3'/></constraint>", "URDF-C004",
     "no type", TD_OK},
    {"<constraint name='x' type='fixed'><parent link='l0'/></constraint>", "URDF-C003",
     "no <child>", TD_ERROR_MODEL},
    {"<constraint name='x' type='spherical'><parent link='l0'/><child link='l2'/>"
     "<parent_origin xyz='0.4 0.1 0'/><child_origin xyz='0.1 0.1 0'/><limit lower='0' upper='1'/>"
     "</constraint>",
     "URDF-C013", "<limit>", TD_OK},
};

TD_LOOP_TEST(constraints_report, 0, sizeof constraint_reports / sizeof *constraint_reports)
{
    td_model *model = NULL;
    td_diagnostics *list = test_diagnostics(0);
    ck_assert_int_eq(read_row("", constraint_reports[_i].rest, list, &model),
                     constraint_reports[_i].status);
    const td_diagnostic *found = td_find_diagnostic(list, constraint_reports[_i].code);
    ck_assert_msg(found != NULL, "no %s", constraint_reports[_i].code);
    ck_assert_msg(strstr(found->message, constraint_reports[_i].text) != NULL, "%s",
                  found->message);
}
#endif
