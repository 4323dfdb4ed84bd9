/* SPDX-License-Identifier: MIT */
/*
 * Tests the configuration in which loops start. Frames never differ by half a turn, where φ
 * vanishes as well. Joints are within limits if such a configuration exists. The branch is the one
 * given by the file or the options. Chains are drawn open. A hidden configuration defines the
 * loop's frames and limits around it, so that a closed configuration exists. Closing is checked
 * with link poses rather than φ.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/records.h"
#include "td_test.h"

enum { MOST_JOINTS = 8 };

/* A chain of scalar joints from "ground" to its last link, and a loop between these two. */
typedef struct chain {
    int joints;
    bool plane; /* all hinges about z */
    td_loop_type type;
    unsigned mask; /* of TD_LOOP_MASK */
    double reach;  /* range of limits around the hidden configuration; 0: no limits; negative: none
                      for continuous joints */
} chain;

static const char *const links[] = {"ground", "l0", "l1", "l2", "l3", "l4", "l5", "l6", "l7"};
static const char *const names[] = {"j0", "j1", "j2", "j3", "j4", "j5", "j6", "j7"};

static void add_link(td_builder *builder, td_random *random, const char *name)
{
    td_link link = td_solid_link(name, 1.5 + 0.5 * td_random_number(random), 0.1);
    assert_ok(td_builder_add_link(builder, &link));
}

static td_joint joint_of(const chain *c, td_random *random, int i, double hidden)
{
    const bool slides = c->plane ? i == 1 : td_random_below(random, 4) == 0;
    td_joint joint = td_joint_default(names[i],
                                      slides                        ? TD_JOINT_PRISMATIC
                                      : i % 2 == 0 || c->reach == 0 ? TD_JOINT_CONTINUOUS
                                                                    : TD_JOINT_REVOLUTE,
                                      links[i], links[i + 1]);
    td_random_fill(random, 3, joint.origin.position);
    if (c->plane) {
        joint.origin.position[2] = 0;
        joint.axis[0] = slides, joint.axis[2] = !slides;
    } else {
        td_random_rotation(random, joint.origin.rotation);
    }
    const double reach = fabs(c->reach);
    if (c->reach > 0 || (c->reach < 0 && joint.type != TD_JOINT_CONTINUOUS)) {
        joint.limit.lower = hidden - reach * (1 + 0.5 * td_random_number(random));
        joint.limit.upper = hidden + reach * (1 + 0.5 * td_random_number(random));
    } else if (joint.type != TD_JOINT_CONTINUOUS) {
        joint.limit.lower = -100, joint.limit.upper = 100;
    }
    joint.limit.effort = joint.limit.velocity = 1;
    return joint;
}

/* Axes R and origin of a frame of a link, in the world. */
typedef struct frame {
    double R[9], p[3];
} frame;

static frame in_world(const double pose[12], const td_pose *origin)
{
    frame f;
    for (int i = 0; i < 3; i++) {
        f.p[i] = pose[4 * i + 3];
        for (int k = 0; k < 3; k++) {
            f.p[i] += pose[4 * i + k] * origin->position[k];
            f.R[3 * i + k] = 0;
            for (int n = 0; n < 3; n++)
                f.R[3 * i + k] += pose[4 * i + n] * origin->rotation[3 * n + k];
        }
    }
    return f;
}

static frame link_frame(const td_model *model, td_workspace *w, const double *q, const char *link,
                        const td_pose *origin)
{
    double *poses = doubles(12 * td_link_count(model));
    assert_ok(TD_IN_TREE(w, td_link_poses(model, w, q, poses)));
    const frame f = in_world(poses + 12 * td_link_index(model, link), origin);
    return f;
}

/* Builds the chain without its loop. hidden receives positions of its joints at which the loop
   closes. */
static td_builder *open_chain(const chain *c, td_random *random, double *hidden)
{
    td_builder *builder = test_builder("chain");
    add_link(builder, random, links[0]);
    for (int i = 0; i < c->joints; i++) {
        add_link(builder, random, links[i + 1]);
        hidden[i] = (c->plane ? 1 : 2) * td_random_number(random);
        const td_joint joint = joint_of(c, random, i, hidden[i]);
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    return builder;
}

/* Returns the loop, closed at the hidden configuration. The predecessor's frame is rotated by half
   a turn about the given axis, if any. */
static td_loop loop_of(const chain *c, td_builder *builder, td_random *random, const double *hidden,
                       int turned_about)
{
    td_loop loop = td_loop_default("closure", links[0], links[c->joints]);
    loop.type = c->type;
    loop.mask = c->mask;
    loop.axis[0] = 0, loop.axis[2] = 1;
    td_random_fill(random, 3, loop.successor_origin.position);
    if (!c->plane)
        td_random_rotation(random, loop.successor_origin.rotation);
    else
        loop.successor_origin.position[2] = 0;
    td_model *tree = model_of_builder(builder, NULL);
    td_workspace *w = test_workspace(tree);
    frame f = link_frame(tree, w, hidden, links[c->joints], &loop.successor_origin);
    for (int i = 0; turned_about >= 0 && i < 9; i++)
        f.R[i] *= i % 3 == turned_about ? 1 : -1;
    memcpy(loop.predecessor_origin.position, f.p, sizeof f.p);
    memcpy(loop.predecessor_origin.rotation, f.R, sizeof f.R);
    return loop;
}

/* Returns how far the two frames violate the loop's constraints, each computed separately. */
static double gap(const chain *c, const td_model *model, td_workspace *w, const double *q)
{
    const td_loop *loop = td_loop_at(model, 0);
    const frame p = link_frame(model, w, q, loop->predecessor, &loop->predecessor_origin);
    const frame s = link_frame(model, w, q, loop->successor, &loop->successor_origin);
    double R[9], d[3], worst = 0;
    for (int i = 0; i < 3; i++) {
        d[i] = 0;
        for (int n = 0; n < 3; n++)
            d[i] += p.R[3 * n + i] * (s.p[n] - p.p[n]);
        for (int k = 0; k < 3; k++) {
            R[3 * i + k] = 0;
            for (int n = 0; n < 3; n++)
                R[3 * i + k] += p.R[3 * n + i] * s.R[3 * n + k];
        }
    }
    const unsigned about_z = 3, all = 7;
    const unsigned mask = c->type == TD_LOOP_FIXED         ? all | all << 3
                          : c->type == TD_LOOP_PRISMATIC   ? all | about_z << 3
                          : c->type == TD_LOOP_CYLINDRICAL ? about_z | about_z << 3
                          : c->type == TD_LOOP_PLANAR      ? about_z | 4 << 3
                          : c->type == TD_LOOP_REVOLUTE    ? about_z | all << 3
                                                           : c->mask;
    for (int k = 0; k < 3; k++) {
        if (mask >> (3 + k) & 1)
            worst = fmax(worst, fabs(d[k]));
        /* an axis is fixed if rotations about both other axes are constrained */
        if ((mask >> (k + 1) % 3 & 1) && (mask >> (k + 2) % 3 & 1))
            for (int i = 0; i < 3; i++)
                worst = fmax(worst, fabs(R[3 * i + k] - (i == k)));
    }
    return worst;
}

static td_status close_chain(td_builder *builder, const td_load_options *options,
                             td_diagnostics *list, td_model **model)
{
    return test_builder_finish(builder, options, list, model);
}

/* ---- half turns ------------------------------------------------------------------------------ */

static const chain kinds[] = {
    {7, false, TD_LOOP_FIXED, 0, 0},         {7, false, TD_LOOP_PRISMATIC, 0, 0},
    {7, false, TD_LOOP_CYLINDRICAL, 0, 0},   {7, false, TD_LOOP_REVOLUTE, 0, 0},
    {6, false, TD_LOOP_PLANAR, 0, 0},        {7, false, TD_LOOP_MASK, 5 | 6 << 3, 0},
    {7, false, TD_LOOP_MASK, 7 | 1 << 3, 0},
};
enum { KINDS = sizeof kinds / sizeof *kinds, CHAINS = 60 };

/* Checks that the loop is closed at and near the reference, in single calls and batches. */
static void check_closed(const chain *c, const td_model *model, td_random *random)
{
    td_workspace *w = test_workspace(model);
    double y[MOST_JOINTS], q[2 * MOST_JOINTS], step[MOST_JOINTS];
    td_status status[2];
    ck_assert(gap(c, model, w, td_reference(model, TD_COORDINATES_TREE)) < 1e-9);
    for (int n = 0; n < 4; n++) {
        assert_ok(td_independent_coordinates(model, w, td_reference(model, TD_COORDINATES_TREE), y,
                                             NULL));
        td_random_fill(random, td_ny(model), step);
        for (size_t i = 0; i < td_ny(model); i++)
            y[i] += step[i];
        if (td_closure(model, w, y, NULL, NULL, q, NULL, NULL) == TD_OK)
            ck_assert(gap(c, model, w, q) < 1e-8);
        td_batch_closure(model, w, 1, y, NULL, NULL, q, NULL, NULL, status);
        if (status[0] == TD_OK)
            ck_assert(gap(c, model, w, q) < 1e-8);
    }
}

TD_LOOP_TEST(chains_close_the_right_way_round, 0, KINDS)
{
    const chain *c = &kinds[_i];
    td_random random = {(uint64_t)_i + 1};
    int closed = 0;
    for (int n = 0; n < CHAINS; n++) {
        double hidden[MOST_JOINTS];
        td_builder *builder = open_chain(c, &random, hidden);
        const td_loop loop = loop_of(c, builder, &random, hidden, -1);
        td_model *model = NULL;
        assert_ok(td_builder_add_loop(builder, &loop));
        if (close_chain(builder, NULL, NULL, &model) == TD_OK) {
            closed++;
            check_closed(c, model, &random);
        }
    }
    ck_assert_msg(closed >= CHAINS - 2, "%d of %d chains were closed", closed, CHAINS);
}

/* A configuration in which frames differ by half a turn is neither a start nor a projection. */
TD_LOOP_TEST(half_a_turn_off_is_open, 0, KINDS)
{
    const chain *c = &kinds[_i];
    td_random random = {(uint64_t)_i + 100};
    int tried = 0;
    for (int n = 0; n < 20; n++) {
        double hidden[MOST_JOINTS], projected[MOST_JOINTS], residual;
        td_builder *builder = open_chain(c, &random, hidden);
        /* about an axis that reverses the constrained one, which is y for the mask */
        const td_loop loop = loop_of(c, builder, &random, hidden, 0);
        td_model *model = NULL;
        assert_ok(td_builder_add_loop(builder, &loop));
        if (close_chain(builder, NULL, NULL, &model) == TD_OK) {
            td_workspace *w = test_workspace(model);
            double phi[8];
            ck_assert_uint_le(td_constraint_count(model), 8);
            assert_ok(td_constraint_residual(model, w, hidden, phi));
            ck_assert(td_largest(td_constraint_count(model), phi) < 1e-12);
            ck_assert_int_eq(td_closure_start(model, w, hidden), TD_ERROR_ASSEMBLY);
            ck_assert_uint_eq(td_failed_loop(w, NULL), 0);
            ck_assert_int_eq(td_project_position(model, w, hidden, projected, &residual),
                             TD_ERROR_ASSEMBLY);
            ck_assert(residual > 1e-9);
            tried++;
        }
    }
    ck_assert_int_ge(tried, 12);
}

/* Tests a weld and a prismatic loop between links that cannot rotate against each other, also
   because of followers. */
TD_LOOP_TEST(loops_that_close_half_a_turn_off_are_refused, 0, 6)
{
    static const td_loop_type types[] = {TD_LOOP_FIXED, TD_LOOP_PRISMATIC, TD_LOOP_REVOLUTE};
    const bool follows = _i % 2;
    const td_loop_type type = types[_i / 2];
    for (int turned = 0; turned < 2; turned++) {
        td_random random = {1};
        td_builder *builder = test_builder("frame");
        td_diagnostics *list = test_diagnostics(100);
        for (int i = 0; i < 4; i++)
            add_link(builder, &random, links[i]);
        for (int i = 0; i < 3; i++) {
            td_joint joint = td_joint_default(names[i], TD_JOINT_PRISMATIC, links[i], links[i + 1]);
            memset(joint.axis, 0, sizeof joint.axis);
            joint.axis[i] = 1;
            if (follows && i) {
                joint.type = TD_JOINT_CONTINUOUS;
                joint.axis[0] = 0, joint.axis[1] = 0, joint.axis[2] = 1;
                joint.origin.position[0] = i - 1;
                joint.mimic = i == 2 ? names[1] : NULL;
                joint.multiplier = -1;
            }
            assert_ok(td_builder_add_joint(builder, &joint));
        }
        td_loop loop = td_loop_default("meeting", links[0], links[3]);
        loop.type = type;
        loop.axis[0] = 1;
        loop.predecessor_origin.position[0] = follows ? 1 : 0.5;
        if (turned)
            td_rotation_from_rpy(0, 0, M_PI, loop.predecessor_origin.rotation);
        assert_ok(td_builder_add_loop(builder, &loop));
        td_model *model = NULL;
        const td_status status = test_builder_finish(builder, NULL, list, &model);
        const td_diagnostic *d = td_find_diagnostic(list, "URDF-C020");
        if (turned) {
            ck_assert_int_eq(status, TD_ERROR_MODEL);
            ck_assert_ptr_nonnull(d);
            ck_assert_ptr_nonnull(strstr(d->message, "'meeting'"));
            ck_assert_ptr_nonnull(strstr(d->message, "half a turn"));
        } else {
            ck_assert_ptr_null(d);
            assert_ok(status);
        }
    }
}

/* ---- limits ---------------------------------------------------------------------------------- */

static const chain limited[] = {
    {3, true, TD_LOOP_SPHERICAL, 0, 0.3},  {4, true, TD_LOOP_REVOLUTE, 0, 0.5},
    {5, true, TD_LOOP_FIXED, 0, 0.5},      {7, false, TD_LOOP_FIXED, 0, 0.6},
    {7, false, TD_LOOP_REVOLUTE, 0, 0.4},  {7, false, TD_LOOP_CYLINDRICAL, 0, 0.4},
    {8, false, TD_LOOP_SPHERICAL, 0, 0.3},
};
enum { LIMITED = sizeof limited / sizeof *limited };

static double outside(const td_model *model, const double *q)
{
    double worst = 0;
    for (size_t i = 0; i < td_joint_count(model); i++) {
        const td_limit *limit = &td_joint_at(model, i)->limit;
        const double x = q[td_joint_place_at(model, i).q];
        worst = fmax(worst, fmax(limit->lower - x, x - limit->upper));
    }
    return worst;
}

TD_LOOP_TEST(loops_close_within_limits, 0, LIMITED)
{
    const chain *c = &limited[_i];
    td_random random = {(uint64_t)_i + 7};
    int within = 0, closed = 0;
    for (int n = 0; n < CHAINS; n++) {
        double hidden[MOST_JOINTS];
        td_builder *builder = open_chain(c, &random, hidden);
        const td_loop loop = loop_of(c, builder, &random, hidden, -1);
        td_diagnostics *list = test_diagnostics(1000);
        td_model *model = NULL;
        assert_ok(td_builder_add_loop(builder, &loop));
        if (close_chain(builder, NULL, list, &model) == TD_OK) {
            const bool good = outside(model, td_reference(model, TD_COORDINATES_TREE)) < 1e-5;
            closed++;
            within += good;
            /* limits that are violated are reported, and nothing else is */
            ck_assert_int_eq(td_find_diagnostic(list, "URDF-C050") == NULL, good);
        }
    }
    ck_assert_msg(closed >= CHAINS - 2 && within >= closed - 1,
                  "%d of %d chains were closed, %d within limits", closed, CHAINS, within);
}

/* Builds an arm and a cylinder whose rod is pinned to it. The rod has the length d or −d; it
   extends along side · x. */
static td_builder *telescope_to(double side, double lower, double upper, const double *reference)
{
    td_random random = {1};
    td_builder *builder = test_builder("telescope");
    static const char *const parents[] = {"ground", "ground", "l1"};
    static const td_joint_type types[] = {TD_JOINT_CONTINUOUS, TD_JOINT_CONTINUOUS,
                                          TD_JOINT_PRISMATIC};
    for (int i = 0; i < 4; i++)
        add_link(builder, &random, links[i]);
    for (int i = 0; i < 3; i++) {
        td_joint joint = td_joint_default(names[i], types[i], parents[i], links[i + 1]);
        joint.axis[0] = i == 2 ? side : 0;
        joint.axis[2] = i != 2;
        joint.independent = i == 0;
        if (i == 1)
            joint.origin.position[0] = 0.3, joint.origin.position[1] = -0.6;
        if (i == 2) {
            joint.limit.lower = lower;
            joint.limit.upper = upper;
            joint.limit.effort = joint.limit.velocity = 1;
        }
        if (reference)
            joint.reference[0] = reference[i];
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    td_loop loop = td_loop_default("pin", "l0", "l2");
    loop.type = TD_LOOP_SPHERICAL;
    loop.predecessor_origin.position[0] = 1;
    assert_ok(td_builder_add_loop(builder, &loop));
    return builder;
}

static td_builder *telescope(double lower, double upper, const double *reference)
{
    return telescope_to(1, lower, upper, reference);
}

/* The start of a joint with limits does not depend on the sign of its axis. */
TD_TEST(limits_on_either_side_of_zero)
{
    static const double limits[][2] = {{0.5, 0.8}, {1.1, 1.2}, {0.3, 0.7}, {1.4, 1.5}, {0.2, 3}};
    for (size_t n = 0; n < sizeof limits / sizeof *limits; n++) {
        double q[2][3];
        for (int k = 0; k < 2; k++) {
            const double low = limits[n][0], high = limits[n][1];
            td_builder *builder = telescope_to(k ? -1 : 1, k ? -high : low, k ? -low : high, NULL);
            td_model *model = model_of_builder(builder, NULL);
            memcpy(q[k], td_reference(model, TD_COORDINATES_TREE), sizeof q[k]);
            ck_assert_double_le(outside(model, q[k]), 1e-6);
        }
        q[1][2] = -q[1][2];
        td_assert_close(3, q[0], q[1], 1e-9, 1);
    }
}

/* The search for a closed configuration leaves no whole turns in angles without limits. */
TD_LOOP_TEST(no_turns_within_limits, 0, 3)
{
    static const chain free_to_turn[] = {
        {5, true, TD_LOOP_FIXED, 0, -0.5},
        {7, false, TD_LOOP_REVOLUTE, 0, -0.4},
        {8, false, TD_LOOP_SPHERICAL, 0, -0.3},
    };
    const chain *c = &free_to_turn[_i];
    td_random random = {(uint64_t)_i + 70};
    int turned = 0, closed = 0;
    for (int n = 0; n < CHAINS; n++) {
        double hidden[MOST_JOINTS];
        td_builder *builder = open_chain(c, &random, hidden);
        const td_loop loop = loop_of(c, builder, &random, hidden, -1);
        td_model *model = NULL;
        assert_ok(td_builder_add_loop(builder, &loop));
        if (close_chain(builder, NULL, NULL, &model) == TD_OK) {
            bool far = false;
            for (size_t i = 0; i < td_joint_count(model); i++) {
                const double x =
                    td_reference(model, TD_COORDINATES_TREE)[td_joint_place_at(model, i).q];
                far |= td_joint_at(model, i)->type == TD_JOINT_CONTINUOUS && fabs(x) > M_PI;
            }
            turned += far;
            closed++;
        }
    }
    ck_assert_int_eq(turned, 0);
    ck_assert_int_ge(closed, CHAINS - 2);
}

TD_TEST(a_limit_that_no_closing_keeps_is_a_warning)
{
    td_builder *builder = telescope(4, 5, NULL);
    td_diagnostics *list = test_diagnostics(100);
    td_model *model = NULL;
    assert_ok(test_builder_finish(builder, NULL, list, &model));
    const td_diagnostic *d = td_find_diagnostic(list, "URDF-C050");
    ck_assert_ptr_nonnull(d);
    ck_assert_ptr_nonnull(strstr(d->message, "'j2'"));
    ck_assert_ptr_nonnull(strstr(d->message, "'pin'"));
    ck_assert_ptr_nonnull(strstr(d->message, "below its limit 4"));
}

/* Builds a four-bar with a floating coupler, pinned to crank and rocker. It is drawn this far along
   y from the pins, with a rotated crank. */
static td_builder *floating_coupler(double away, double turned)
{
    static const char *const bodies[] = {"ground", "crank", "rocker", "coupler"};
    static const double at[][2] = {{0, 0}, {0, 0}, {0.3, 0}, {0, 0.1}}, end[2] = {0.35, 0.2};
    td_builder *builder = test_builder("floating_coupler");
    td_random random = {1};
    for (int i = 0; i < 4; i++)
        add_link(builder, &random, bodies[i]);
    for (int i = 1; i < 4; i++) {
        td_joint joint = td_joint_default(
            bodies[i], i == 3 ? TD_JOINT_FLOATING : TD_JOINT_CONTINUOUS, "ground", bodies[i]);
        joint.axis[0] = 0, joint.axis[2] = 1;
        joint.origin.position[0] = at[i][0];
        joint.origin.position[1] = at[i][1] + (i == 3 ? away : 0);
        if (i == 1) {
            double *R = joint.origin.rotation;
            R[0] = R[4] = cos(turned), R[3] = sin(turned), R[1] = -R[3];
        }
        joint.independent = i == 1;
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    for (int i = 0; i < 2; i++) {
        td_loop loop = td_loop_default(i ? "pin2" : "pin1", bodies[1 + i], "coupler");
        loop.type = TD_LOOP_REVOLUTE;
        loop.axis[0] = 0, loop.axis[2] = 1;
        for (int k = 0; k < 2; k++) {
            loop.predecessor_origin.position[k] = (i ? end[k] : at[3][k]) - at[1 + i][k];
            loop.successor_origin.position[k] = i ? end[k] - at[3][k] : 0;
        }
        assert_ok(td_builder_add_loop(builder, &loop));
    }
    return builder;
}

/* Zero is the neutral position of a floating joint. No diagnostic is reported if the loop is closed
   there up to the digits of a file. Otherwise the gap is reported. */
TD_TEST(how_far_loops_are_open_at_zero)
{
    const double digits = 1e-4;
    double whole = 0;
    for (int k = 0; k < 5; k++) {
        const double turned = k == 2 ? 0.2 : 0;
        const double away = k == 1   ? 0.02
                            : k == 3 ? 0.9 * digits * whole
                            : k == 4 ? 1.1 * digits * whole
                                     : 0;
        td_builder *builder = floating_coupler(away, turned);
        td_diagnostics *list = test_diagnostics(100);
        td_model *model = NULL;
        assert_ok(test_builder_finish(builder, NULL, list, &model));
        const td_diagnostic *d = td_find_diagnostic(list, "URDF-C021");
        ck_assert_int_eq(d != NULL, k > 0 && k != 3);
        double part, size;
        if (d) {
            ck_assert_int_eq(
                sscanf(d->message, "loop 'pin1' is open by %lf of its size of %lf m", &part, &size),
                2);
            ck_assert_double_le(fabs(part * size / (away + 0.1 * turned) - 1), 0.02);
            whole = size;
        }
    }
}

/* ---- start positions ------------------------------------------------------------------------- */

/* Loads with these options and returns the positions of the three joints in the reference. */
static void reference_of(td_builder *builder, const td_joint_position *start, size_t count,
                         double q[3])
{
    td_load_options options = td_load_options_default();
    options.start = start;
    options.start_count = count;
    td_model *model = model_of_builder(builder, &options);
    memcpy(q, td_reference(model, TD_COORDINATES_TREE), 3 * sizeof *q);
    /* closed: the rod ends at the arm */
    ck_assert(fabs(0.3 + q[2] * cos(q[1]) - cos(q[0])) < 1e-9);
    ck_assert(fabs(-0.6 + q[2] * sin(q[1]) - sin(q[0])) < 1e-9);
}

TD_TEST(starts_choose_the_branch)
{
    const double d = hypot(0.7, 0.6), in_file[] = {0, NAN, d};
    td_builder *plain = telescope(-9, 9, NULL), *said = telescope(-9, 9, in_file);
    double q[3];
    for (int side = -1; side <= 1; side += 2) {
        reference_of(plain, &(td_joint_position){"j2", side * 0.8}, 1, q); /* j2 keeps its start */
        ck_assert(fabs(q[2] - side * 0.8) < 1e-12);
        reference_of(plain, (td_joint_position[]){{"j2", side * 0.8}, {"j0", 0}}, 2, q);
        /* the independent joint j0 keeps its start, j2 does not */
        ck_assert(fabs(q[0]) < 1e-12 && fabs(q[2] - side * d) < 1e-9);
        reference_of(said, NULL, 0, q);
        ck_assert(fabs(q[0]) < 1e-12 && fabs(q[2] - d) < 1e-9);
        reference_of(said, (td_joint_position[]){{"j2", side * d}}, 1, q);
        ck_assert(fabs(q[0]) < 1e-12 && fabs(q[2] - side * d) < 1e-9);
    }
    /* a start has priority over limits, whose violation is reported */
    td_builder *tight = telescope(0.2, 3, NULL);
    reference_of(tight, &(td_joint_position){"j2", -0.8}, 1, q);
    ck_assert(fabs(q[2] + 0.8) < 1e-12);
}

/* Inside the circle of the arm's end, the rod can reach the circle in every direction. The cylinder
   keeps its start, and the rod is within limits. If the rod would be too long for its limits, the
   cylinder deviates from its start as little as possible. */
TD_TEST(starts_are_kept_within_limits)
{
    for (int n = 0; n < 16; n++) {
        const double angle = (n - 8) * M_PI / 8;
        td_builder *builder = telescope(0.2, 3, NULL);
        double q[3];
        reference_of(builder, &(td_joint_position){"j1", angle}, 1, q);
        ck_assert(fabs(q[1] - angle) < 1e-12);
        ck_assert(q[2] > 0.2 - 1e-5 && q[2] < 3 + 1e-5);
        const double needed = q[2];
        builder = telescope(0.2, 1.2, NULL);
        reference_of(builder, &(td_joint_position){"j1", angle}, 1, q);
        ck_assert(q[2] > 0.2 - 1e-5 && q[2] < 1.2 + 1e-5);
        ck_assert(needed > 1.2 || fabs(q[1] - angle) < 1e-12);
    }
}

/* Inconsistent starts are changed as little as possible. Joints without a start may change ten
   times as much. Near a closed configuration all relations are linear. */
TD_TEST(given_starts_are_left_least)
{
    const double a = 1e-3, angle = asin(-0.6); /* j1 is 0 there, and the rod 0.5 long */
    td_builder *builder = telescope(-9, 9, NULL);
    double q[3], t;
    for (size_t i = 0; i < 3; i++)
        builder->records.joint.at[i].independent = -1;
    const td_joint_position start[] = {{"j0", angle + a}, {"j2", 0.5 + 0.6 * a}};
    td_load_options options = td_load_options_default();
    options.start = start;
    options.start_count = 2;
    td_model *model = model_of_builder(builder, &options);
    memcpy(q, td_reference(model, TD_COORDINATES_TREE), sizeof q);
    /* along the loop, j1 changes by 1.6 t and the rod by 0.6 t, relative to a size of about 1 */
    t = q[0] - angle;
    ck_assert_double_le(fabs(q[1] / t - 1.6), 1e-2);
    ck_assert_double_le(fabs(1 - t / a - 0.0185), 0.001);
}

TD_TEST(wrong_starts_are_refused)
{
    static const struct {
        td_joint_position start[2];
        td_status status;
        const char *code;
    } wrong[] = {
        {{{"j9", 0}}, TD_ERROR_MODEL, "URDF-C052"},
        {{{"mount", 0}}, TD_ERROR_MODEL, "URDF-C053"},
        {{{"idler", 0}}, TD_ERROR_MODEL, "URDF-C053"},
        {{{"j2", 0.5}, {"j2", 0.5}}, TD_ERROR_MODEL, "URDF-C053"},
        {{{"deck", 0.5}}, TD_ERROR_MODEL, "URDF-C053"},
        {{{"ship.qx", 0.5}}, TD_ERROR_MODEL, "URDF-C053"},
        {{{"ship.qw", -1}, {"deck.theta", 0.5}}, TD_OK, NULL},
        {{{"j2", NAN}}, TD_ERROR_ARGUMENT, NULL},
    };
    td_builder *builder = telescope(-9, 9, NULL);
    td_random random = {1};
    static const char *const more[] = {"mount", "idler", "deck", "ship"};
    static const td_joint_type types[] = {TD_JOINT_FIXED, TD_JOINT_CONTINUOUS, TD_JOINT_PLANAR,
                                          TD_JOINT_FLOATING};
    for (int i = 0; i < 4; i++) {
        td_joint joint = td_joint_default(more[i], types[i], "ground", more[i]);
        joint.mimic = i == 1 ? "j0" : NULL;
        add_link(builder, &random, more[i]);
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++) {
        td_load_options options = td_load_options_default();
        td_diagnostics *list = test_diagnostics(100);
        td_model *model = NULL;
        options.start = wrong[n].start;
        options.start_count = wrong[n].start[1].joint ? 2 : 1;
        ck_assert_int_eq(test_builder_finish(builder, &options, list, &model), wrong[n].status);
        if (wrong[n].code)
            ck_assert_ptr_nonnull(td_find_diagnostic(list, wrong[n].code));
    }
}

/* Robots without loops start within limits, including limits of followers, or at the given start.
 */
TD_TEST(trees_begin_within_limits)
{
    td_random random = {3};
    td_builder *builder = test_builder("tree");
    static const double lower[] = {0.5, -3, NAN}, upper[] = {2, -1, NAN};
    for (int i = 0; i < 4; i++)
        add_link(builder, &random, links[i]);
    for (int i = 0; i < 3; i++) {
        td_joint joint = td_joint_default(
            names[i], i == 2 ? TD_JOINT_CONTINUOUS : TD_JOINT_REVOLUTE, links[i], links[i + 1]);
        joint.limit.lower = lower[i];
        joint.limit.upper = upper[i];
        joint.limit.effort = joint.limit.velocity = 1;
        joint.mimic = i == 1 ? names[0] : NULL;
        joint.multiplier = -1;
        joint.reference[0] = i == 2 ? 0.7 : NAN;
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    const td_joint_position start[] = {{"j0", 1.5}, {"j2", 0.25}};
    for (size_t given = 0; given < 3; given++) {
        td_load_options options = td_load_options_default();
        options.start = start;
        options.start_count = given;
        td_model *model = model_of_builder(builder, &options);
        /* j1 = −j0 is limited to −3 to −1, so that j0 is at least 1 */
        const double first = given > 0 ? 1.5 : 1, last = given > 1 ? 0.25 : 0.7;
        const double q[] = {first, -first, last}, expected[] = {first, last};
        double y[2];
        memcpy(y, td_reference(model, TD_COORDINATES_INDEPENDENT), td_ny(model) * sizeof *y);
        td_assert_close(3, td_reference(model, TD_COORDINATES_TREE), q, 1e-15, 1);
        td_assert_close(2, y, expected, 1e-15, 1);
    }
}
