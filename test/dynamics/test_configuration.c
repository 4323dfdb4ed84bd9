/* SPDX-License-Identifier: MIT */
/*
 * Configurations. Integration and difference must be inverse for rotations up to π. Motions along a
 * constant twist must compose and agree with link velocities. Quaternions are normalized. Random
 * configurations must lie within limits, repeat with their seed, and be uniformly distributed.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "functions.h"

static td_model *free_body(void)
{
    td_builder *builder = test_builder("free");
    td_link link = td_link_default("body");
    td_load_options options = td_load_options_default();
    options.base = TD_BASE_FLOATING;
    td_builder_add_link(builder, &link);
    return model_of_builder(builder, &options);
}

static td_model *any_robot(uint64_t seed, size_t followers)
{
    td_random random = {seed};
    td_builder *builder = td_random_robot(&random, 12, followers, false);
    td_model *model = robot_for(builder, TD_BASE_FLOATING, NULL);
    return model;
}

static void check_unit(const td_model *model, bool tree, const double *q)
{
    for (size_t j = 0; j < td_movable_count(model); j++) {
        const size_t joint = td_movable_joint(model, j);
        td_joint_place p = td_joint_place_at(model, joint);
        const size_t quaternion = td_joint_kind_of(td_joint_at(model, joint)->type)->quaternion;
        size_t first = tree ? p.q : p.y;
        if (quaternion == TD_NONE || first == TD_NONE)
            continue;
        const double *x = q + first + quaternion;
        double norm = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
        ck_assert_double_le(fabs(norm - 1), 4e-16);
    }
}

/* ---- round trips
 * -------------------------------------------------------------------------------------- */

/* index and number of the w components of quaternions */
static size_t floating_w(const td_model *model, bool tree, size_t at[])
{
    size_t count = 0;
    for (size_t i = 0; i < td_movable_count(model); i++) {
        const size_t joint = td_movable_joint(model, i);
        const td_joint_place place = td_joint_place_at(model, joint);
        const size_t quaternion = td_joint_kind_of(td_joint_at(model, joint)->type)->quaternion;
        if (quaternion != TD_NONE && (tree || place.y != TD_NONE))
            at[count++] = (tree ? place.q : place.y) + quaternion + 3;
    }
    return count;
}

/* w ≥ 0 */
static void check_upright(const td_model *model, bool tree, const double *q)
{
    size_t at[64];
    for (size_t i = floating_w(model, tree, at); i-- > 0;)
        ck_assert(q[at[i]] >= 0);
}

static void turn_upright(const td_model *model, bool tree, double *q)
{
    size_t at[64];
    for (size_t i = floating_w(model, tree, at); i-- > 0;)
        for (size_t k = at[i] - 3; k < at[i] && q[at[i]] < 0; k++)
            q[k] = -q[k];
    for (size_t i = floating_w(model, tree, at); i-- > 0;)
        q[at[i]] = fabs(q[at[i]]);
}

/* Checks y ⊕ v and back for a free body with a given rotation angle and translation. A pose is
   accurate to rounding of its quaternion, so a small rotation is recovered to within rounding of 1.
   From the neutral pose, whose quaternion represents the smallest rotations, it is recovered to
   relative rounding. */
static void check_round_trip(const td_model *model, td_random *random, bool neutral, double angle,
                             double way)
{
    double y[7], v[6], to[7], back[6], again[7], norm = 0;
    td_draw_configuration(random, model, false, 2, y);
    if (neutral)
        td_neutral(model, TD_COORDINATES_INDEPENDENT, y);
    td_random_fill(random, 6, v);
    for (int i = 0; i < 3; i++)
        norm += v[i] * v[i];
    for (int i = 0; i < 3; i++) {
        v[i] *= angle / sqrt(norm);
        v[3 + i] *= way;
    }
    td_integrate(model, TD_COORDINATES_INDEPENDENT, y, v, 1, to);
    check_unit(model, false, to);
    td_difference(model, TD_COORDINATES_INDEPENDENT, y, to, back);
    td_assert_close(3, v, back, 2e-15, neutral ? 0 : 1);
    /* difference of y + V v and y: the translation is accurate to rounding of the position, and V⁻¹
       amplifies that near π */
    td_assert_close(3, v + 3, back + 3, 4e-15, neutral ? 0 : 1);
    for (int i = 3; i < 7; i++) /* the other quaternion of the same orientation */
        to[i] = -to[i];
    td_difference(model, TD_COORDINATES_INDEPENDENT, y, to, again);
    td_assert_close(6, back, again, 1e-15, 0);
}

TD_TEST(round_trips)
{
    static const double angles[] = {0,    1e-300, 1e-160, 1e-20, 1e-9,   1e-8,     1.1e-8,
                                    1e-6, 1e-3,   0.05,   0.07,  0.0999, 0.1,      0.1001,
                                    0.5,  1,      2,      3,     3.14,   3.1415926};
    td_model *model = free_body();
    td_random random = {1};
    for (size_t k = 0; k < sizeof angles / sizeof *angles; k++)
        for (int i = 0; i < 200; i++)
            check_round_trip(model, &random, i % 2, angles[k], i % 4 < 2 ? 1 : 1e-3);
}

/* A rotation by π has two axes and either is valid; a rotation beyond π comes back as the shorter
   one. */
TD_TEST(half_turns_and_more)
{
    td_model *model = free_body();
    td_random random = {2};
    for (int i = 0; i < 300; i++) {
        double y[7], v[6] = {0}, to[7], back[6], again[7], size = 0;
        double angle = M_PI * (1 + i / 100 * 0.3); /* π, 1.3 π, 1.6 π */
        td_draw_configuration(&random, model, false, 2, y);
        td_random_fill(&random, 6, v);
        double norm = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        for (int k = 0; k < 3; k++)
            v[k] *= angle / norm;
        td_integrate(model, TD_COORDINATES_INDEPENDENT, y, v, 1, to);
        td_difference(model, TD_COORDINATES_INDEPENDENT, y, to, back);
        size = sqrt(back[0] * back[0] + back[1] * back[1] + back[2] * back[2]);
        ck_assert_double_le(size, M_PI * (1 + 4e-16));
        ck_assert_double_le(fabs(size - fmin(angle, 2 * M_PI - angle)), 4e-15);
        td_integrate(model, TD_COORDINATES_INDEPENDENT, y, back, 1, again);
        double sign = to[3] * again[3] + to[4] * again[4] + to[5] * again[5] + to[6] * again[6];
        for (int k = 3; k < 7; k++)
            again[k] *= sign < 0 ? -1 : 1;
        td_assert_close(7, again, to, 1e-14, 1);
    }
}

/* On robots with all joint types, in both kinds of coordinates: dt scales, two motions along one
   twist add up, the difference of equal configurations is zero, and the result may alias the
   input. */
TD_LOOP_TEST(moves_compose, 0, 6)
{
    td_model *model = any_robot((uint64_t)_i, _i % 2 ? 5 : 0);
    td_random random = {3};
    for (int tree = 0; tree < 2; tree++) {
        size_t nq = tree ? td_nq(model) : td_ny(model), n = tree ? td_nv(model) : td_nyd(model);
        double *q = doubles(nq), *v = doubles(n), *once = doubles(nq), *twice = doubles(nq);
        double *zero = doubles(n), *d = doubles(n), *same = doubles(nq);
        for (int k = 0; k < 20; k++) {
            td_draw_configuration(&random, model, tree, 3, q);
            td_random_fill(&random, n, v);
            td_integrate(model, coordinates_for(tree), q, v, 0.7, once);
            memcpy(twice, q, nq * sizeof *q);
            td_integrate(model, coordinates_for(tree), twice, v, 0.3, twice);
            td_integrate(model, coordinates_for(tree), twice, v, 0.4, twice);
            td_assert_close(nq, once, twice, 2e-15, 1);
            check_unit(model, tree, once);
            td_difference(model, coordinates_for(tree), q, once, d);
            for (size_t i = 0; i < n; i++)
                d[i] /= 0.7;
            td_assert_close(n, d, v, 1e-14, 1);
            check_upright(model, tree, once);
            td_integrate(model, coordinates_for(tree), once, v, -0.7, twice);
            td_integrate(model, coordinates_for(tree), q, v, 0, same);
            td_assert_close(nq, twice, same, 2e-15, 1);
            check_upright(model, tree, same);
            turn_upright(model, tree, q);
            td_assert_close(nq, same, q, 4e-16, 1);
            td_difference(model, coordinates_for(tree), q, q, d);
            td_assert_close(n, d, zero, 4e-16, 1);
        }
    }
}

/* If only the base of a floating robot moves, its links move by the exponential of the base's
   twist, which stays constant in the base's axes. */
TD_TEST(twists_are_constant)
{
    td_model *model = any_robot(9, 0);
    td_workspace *w = test_workspace(model);
    td_random random = {4};
    size_t nq = td_nq(model), nv = td_nv(model), links = td_link_count(model);
    double *q = doubles(nq), *v = doubles(nv), *to = doubles(nq);
    double *before = doubles(6 * links), *after = doubles(6 * links);
    td_draw_configuration(&random, model, true, 2, q);
    td_random_fill(&random, 6, v);
    TD_IN_TREE(w, td_link_velocities(model, w, q, v, TD_FRAME_WORLD, before));
    td_integrate(model, TD_COORDINATES_TREE, q, v, 2.5, to);
    TD_IN_TREE(w, td_link_velocities(model, w, to, v, TD_FRAME_WORLD, after));
    td_assert_close(6 * links, before, after, 1e-14,
                    1); /* a screw motion leaves its own twist unchanged */
}

/* ---- neutral configurations and normalization ------------------------------------------------ */

TD_TEST(neutral_and_unit_quaternions)
{
    td_model *model = any_robot(5, 4);
    for (int tree = 0; tree < 2; tree++) {
        size_t nq = tree ? td_nq(model) : td_ny(model);
        double *q = doubles(nq), *kept = doubles(nq), sum = 0;
        memset(q, 0xff, nq * sizeof *q);
        td_neutral(model, coordinates_for(tree), q);
        size_t floating = 0;
        for (size_t j = 0; j < td_movable_count(model); j++)
            floating += td_joint_place_at(model, td_movable_joint(model, j)).nq !=
                        td_joint_place_at(model, td_movable_joint(model, j)).nv;
        for (size_t i = 0; i < nq; i++)
            sum += fabs(q[i]);
        ck_assert_uint_ge(floating, 2);
        ck_assert_double_eq(sum, (double)floating);
        check_unit(model, tree, q);
        td_random random = {6};
        for (int e = -300; e <= 300; e += 50) {
            td_random_fill(&random, nq, q);
            for (size_t i = 0; i < nq; i++)
                kept[i] = q[i] = ldexp(q[i], e * 3);
            td_normalize(model, coordinates_for(tree), q);
            check_unit(model, tree, q);
            ck_assert_double_eq(q[0], kept[0]); /* positions do not change */
        }
        td_random_fill(&random, nq, q);
        for (int i = 3; i < 7; i++)
            q[i] = 0; /* of the base */
        td_normalize(model, coordinates_for(tree), q);
        ck_assert(q[3] == 0 && q[4] == 0 && q[5] == 0 && q[6] == 1);
        /* NaN does not become an orientation */
        q[4] = NAN;
        td_normalize(model, coordinates_for(tree), q);
        ck_assert(isnan(q[3] + q[4] + q[5] + q[6]));
    }
}

/* ---- random configurations
 * ---------------------------------------------------------------------------- */

/* One joint of each kind: with limits, without, with one limit, and a leader whose follower has the
   tighter limit. */
static td_model *limited_robot(void)
{
    static const struct {
        const char *name;
        td_joint_type type;
        double lower, upper;
        const char *mimic;
    } joints[] = {
        {"both", TD_JOINT_REVOLUTE, -0.5, 2, NULL},
        {"none", TD_JOINT_CONTINUOUS, NAN, NAN, NULL},
        {"slide", TD_JOINT_PRISMATIC, 3, 4, NULL},
        {"leader", TD_JOINT_REVOLUTE, -2, 2, NULL},
        {"follower", TD_JOINT_REVOLUTE, -1, 3, "leader"}, /* q = 2 leader + 1: leader in [-1, 1] */
        {"wheel", TD_JOINT_CONTINUOUS, NAN, NAN, NULL},
        {"of_wheel", TD_JOINT_REVOLUTE, -1, 3, "wheel"}, /* the same */
        {"planar", TD_JOINT_PLANAR, NAN, NAN, NULL},
        {"floating", TD_JOINT_FLOATING, NAN, NAN, NULL},
    };
    td_builder *builder = test_builder("limited");
    td_link base = td_link_default("base");
    td_builder_add_link(builder, &base);
    for (size_t i = 0; i < sizeof joints / sizeof *joints; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s_link", joints[i].name);
        td_link link = td_link_default(name);
        td_joint joint = td_joint_default(joints[i].name, joints[i].type, "base", name);
        joint.limit.lower = joints[i].lower;
        joint.limit.upper = joints[i].upper;
        joint.mimic = joints[i].mimic;
        joint.multiplier = 2;
        joint.offset = 1;
        td_builder_add_link(builder, &link);
        td_builder_add_joint(builder, &joint);
    }
    return model_of_builder(builder, NULL);
}

typedef struct spread {
    double lower, upper; /* found */
    double mean, square; /* sums */
} spread;

/* Checks that values are uniform in [lower, upper] by their extremes, mean and variance. For 20000
   numbers in [0, 1] the mean is within 5 standard deviations, 5 / √(12 n) = 0.010, and so is the
   variance, 5 · √(1/180 n) = 0.0026. */
enum { SAMPLES = 20000 };

static void check_even(const spread *s, double lower, double upper)
{
    double span = upper - lower, mean = s->mean / SAMPLES;
    ck_assert(s->lower >= lower && s->upper <= upper);
    ck_assert_double_le(s->lower - lower, 1e-3 * span);
    ck_assert_double_le(upper - s->upper, 1e-3 * span);
    ck_assert_double_le(fabs(mean - 0.5 * (lower + upper)), 0.010 * span);
    double variance = s->square / SAMPLES - mean * mean;
    ck_assert_double_le(fabs(variance - span * span / 12), 0.0026 * span * span);
}

static void sample(const td_model *model, bool tree, spread *s, double *outer)
{
    size_t nq = tree ? td_nq(model) : td_ny(model);
    double *q = doubles(nq);
    uint64_t seed = 12;
    td_joint_place floating = td_joint_place_at(model, td_joint_index(model, "floating"));
    for (size_t i = 0; i < nq; i++)
        s[i] = (spread){INFINITY, -INFINITY, 0, 0};
    for (int n = 0; n < SAMPLES; n++) {
        uint64_t before = seed;
        td_random_configuration(model, coordinates_for(tree), &seed, q);
        ck_assert(seed != before);
        check_unit(model, tree, q);
        check_upright(model, tree, q);
        for (size_t i = 0; i < nq; i++) {
            s[i].lower = fmin(s[i].lower, q[i]);
            s[i].upper = fmax(s[i].upper, q[i]);
            s[i].mean += q[i];
            s[i].square += q[i] * q[i];
        }
        const double *x = q + (tree ? floating.q : floating.y) + 3;
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                outer[4 * i + j] += x[i] * x[j] / SAMPLES;
    }
}

TD_TEST(samples_are_spread_evenly)
{
    td_model *model = limited_robot();
    for (int tree = 0; tree < 2; tree++) {
        spread s[32];
        double outer[16] = {0};
        static const struct {
            const char *name;
            size_t entry;
            double lower, upper;         /* in y */
            double own_lower, own_upper; /* in tree coordinates */
        } expected[] = {
            {"both", 0, -0.5, 2, -0.5, 2}, {"none", 0, -M_PI, M_PI, -M_PI, M_PI},
            {"slide", 0, 3, 4, 3, 4},      {"leader", 0, -1, 1, -2, 2},
            {"follower", 0, 0, 0, -1, 3},  {"wheel", 0, -1, 1, -M_PI, M_PI},
            {"of_wheel", 0, 0, 0, -1, 3},  {"planar", 0, -1, 1, -1, 1},
            {"planar", 1, -1, 1, -1, 1},   {"planar", 2, -M_PI, M_PI, -M_PI, M_PI},
            {"floating", 0, -1, 1, -1, 1}, {"floating", 2, -1, 1, -1, 1},
        };
        sample(model, tree, s, outer);
        for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
            size_t joint = td_joint_index(model, expected[i].name);
            td_joint_place p = td_joint_place_at(model, joint);
            if (tree)
                check_even(&s[p.q + expected[i].entry], expected[i].own_lower,
                           expected[i].own_upper);
            else if (p.y != TD_NONE)
                check_even(&s[p.y + expected[i].entry], expected[i].lower, expected[i].upper);
        }
        /* orientations: the mean of p pᵀ is ¼ 1; 5 standard deviations of its entries are below 5 ·
           √(1/24 n) = 0.0072 */
        for (int i = 0; i < 16; i++)
            ck_assert_double_le(fabs(outer[i] - (i % 5 == 0 ? 0.25 : 0)), 0.0072);
    }
}

/* limits that other formats use for "no limit", and whose difference overflows */
TD_TEST(samples_are_finite)
{
    td_builder *builder = test_builder("huge");
    td_link base = td_link_default("base"), link = td_link_default("link");
    td_joint joint = td_joint_default("joint", TD_JOINT_REVOLUTE, "base", "link");
    joint.limit.lower = -DBL_MAX;
    joint.limit.upper = DBL_MAX;
    td_builder_add_link(builder, &base);
    td_builder_add_link(builder, &link);
    td_builder_add_joint(builder, &joint);
    td_model *model = model_of_builder(builder, NULL);
    uint64_t seed = 3;
    int negative = 0;
    for (int n = 0; n < 200; n++) {
        double y, q;
        td_random_configuration(model, TD_COORDINATES_INDEPENDENT, &seed, &y);
        td_random_configuration(model, TD_COORDINATES_TREE, &seed, &q);
        ck_assert(isfinite(y) && isfinite(q));
        negative += y < 0;
    }
    ck_assert(negative > 60 && negative < 140); /* more than 5 standard deviations from one half */
}

TD_TEST(samples_come_again)
{
    td_model *model = any_robot(8, 3);
    for (int tree = 0; tree < 2; tree++) {
        size_t nq = tree ? td_nq(model) : td_ny(model);
        double *first = doubles(nq), *again = doubles(nq), *next = doubles(nq);
        uint64_t one = 99, two = 99, other = 100;
        td_random_configuration(model, coordinates_for(tree), &one, first);
        td_random_configuration(model, coordinates_for(tree), &two, again);
        ck_assert_mem_eq(first, again, nq * sizeof *first);
        ck_assert_uint_eq(one, two);
        td_random_configuration(model, coordinates_for(tree), &two, next);
        td_random_configuration(model, coordinates_for(tree), &other, again);
        for (size_t i = 0; i < nq; i++)
            ck_assert(next[i] != first[i] && again[i] != first[i]);
    }
}
