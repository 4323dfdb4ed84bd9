/* SPDX-License-Identifier: MIT */
/*
 * Curve followers together with loops: followers that move loops, followers of joints that loops
 * decide, and loops closed through curves. γ is compared with the curves themselves. Also covers
 * all identities of dynamics, derivatives by the complex step, reactions, constrained motion and
 * energy. A linear curve must equal a mimic joint.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "along.h"
#include "constrained_check.h"
#include "curve_robots.h"
#include "identities.h"
#include "kept_energy.h"
#include "loop_balance.h"
#include "loop_robots.h"
#include "model/records.h"
#include "tandem/simulation.h"

enum { ROOM = 64 };

static const double cubic[] = {0.02, 0.6, 0.15, -0.1}, square[] = {0.05, 0.4, 0.3};

/* ---- robots ---------------------------------------------------------------------------------- */

static td_joint *joint_of(td_builder *builder, const char *name)
{
    for (size_t i = 0; i < builder->records.joint.count; i++)
        if (strcmp(builder->records.joint.at[i].name, name) == 0)
            return &builder->records.joint.at[i];
    ck_abort_msg("no joint %s", name);
    return NULL;
}

/* wheels turn1, turn2, … in a row; the first one is on that link */
static void add_wheels(td_builder *builder, const char *carrier, int wheels)
{
    enum { MOST_WHEELS = 4 };
    char link[MOST_WHEELS][24], joint[MOST_WHEELS][24];
    for (int k = 0; k < wheels; k++) {
        snprintf(link[k], sizeof link[k], "wheel%d", k + 1);
        snprintf(joint[k], sizeof joint[k], "turn%d", k + 1);
        const td_link wheel = curve_link(link[k]);
        td_joint turn =
            td_joint_default(joint[k], k == 1 ? TD_JOINT_PRISMATIC : TD_JOINT_CONTINUOUS,
                             k ? link[k - 1] : carrier, link[k]);
        turn.axis[0] = 0, turn.axis[1] = k, turn.axis[2] = 1;
        turn.origin.position[0] = 0.1;
        assert_ok(td_builder_add_link(builder, &wheel));
        assert_ok(td_builder_add_joint(builder, &turn));
    }
}

/* a motor drives the crank of a four-bar through a cubic */
static td_builder *driven(void)
{
    td_builder *builder = chain_of_four_bars(1, CHAIN_OF_CRANK_ROCKERS | CHAIN_GEARED);
    const td_curve curve = curve_polynomial("motor0", 4, cubic);
    joint_of(builder, "crank0")->mimic = NULL;
    curve_follow(builder, "crank0", &curve, 1, 0);
    return builder;
}

/* a wheel follows the rocker, which the loop decides; a second wheel follows the first, and a third
   follows crank and rocker */
static td_builder *behind(void)
{
    td_builder *builder = chain_of_four_bars(1, CHAIN_OF_CRANK_ROCKERS);
    add_wheels(builder, "rocker_link0", 3);
    joint_of(builder, "crank0")->independent = 1;
    const td_curve first = curve_polynomial("rocker0", 3, square);
    const td_curve second = curve_sine("turn1", 0.2, 2, 0.4);
    const td_curve third[] = {curve_polynomial("crank0", 4, cubic),
                              curve_sine("rocker0", 0.3, 1, 0.1)};
    curve_follow(builder, "turn1", &first, 1, 0);
    curve_follow(builder, "turn2", &second, 1, 0.1);
    curve_follow(builder, "turn3", third, 2, 0);
    return builder;
}

/* a curve into a loop, and a table out of it */
static td_builder *through(void)
{
    enum { N = 41 };
    double at[N], value[N];
    for (int i = 0; i < N; i++) {
        at[i] = -4 + 0.2 * i;
        value[i] = 0.3 * sin(at[i]);
    }
    td_builder *builder = driven();
    td_curve points = curve_table("rocker0", N, at, value),
             on = curve_polynomial("turn1", 3, square);
    points.degree = 5;
    add_wheels(builder, "coupler_link0", 2);
    curve_follow(builder, "turn1", &points, 1, 0);
    curve_follow(builder, "turn2", &on, 1, 0);
    return builder;
}

/* the crank of a four-bar on the coupler of another one follows that one's rocker */
static td_builder *joined(void)
{
    td_builder *builder = chain_of_four_bars(2, CHAIN_OF_CRANK_ROCKERS);
    const td_curve curve = curve_sine("rocker0", 0.5, 1, 0);
    curve_follow(builder, "crank1", &curve, 1, 0);
    return builder;
}

/* two four-bars driven by one motor, through one curve each; the second also by a mimic joint */
static td_builder *shared(void)
{
    td_builder *builder = chain_of_four_bars(2, CHAIN_OF_CRANK_ROCKERS | CHAIN_GEARED);
    const td_curve first = curve_polynomial("motor0", 4, cubic);
    const td_curve second = curve_sine("crank0", 0.4, 1.5, 0);
    joint_of(builder, "crank0")->mimic = NULL;
    curve_follow(builder, "crank0", &first, 1, 0);
    curve_follow(builder, "motor1", &second, 1, 0.1);
    return builder;
}

/* A row of joints, bent at q = 0, where a rod closes it. Follower and leader are both in the
   loop. */
static td_builder *rod(const char *types)
{
    td_builder *builder = curve_row(types);
    char last[24];
    snprintf(last, sizeof last, "l%zu", strlen(types));
    td_loop loop = td_loop_default("rod", "l0", last);
    loop.type = TD_LOOP_DISTANCE;
    double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, p[3] = {0, 0.2, 0}, sum = 0;
    for (size_t k = 0; k < builder->records.joint.count; k++) {
        td_pose *origin = &builder->records.joint.at[k].origin;
        double turned[9] = {0};
        td_rotation_from_rpy(0.3, 0.5, 0.8, origin->rotation);
        origin->position[1] = 0.1;
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) {
                p[a] += R[3 * a + b] * origin->position[b];
                for (int c = 0; c < 3; c++)
                    turned[3 * a + c] += R[3 * a + b] * origin->rotation[3 * b + c];
            }
        memcpy(R, turned, sizeof R);
    }
    for (int a = 0; a < 3; a++) {
        p[a] += 0.3 * R[3 * a + 1];
        sum += p[a] * p[a];
    }
    loop.distance = sqrt(sum);
    loop.predecessor_origin.position[1] = -0.2;
    loop.successor_origin.position[1] = 0.3;
    assert_ok(td_builder_add_loop(builder, &loop));
    return builder;
}

static td_builder *finger(void)
{
    td_builder *builder = rod("rrrr");
    const td_curve curve = curve_polynomial("j1", 3, square);
    curve_follow(builder, "j3", &curve, 1, 0);
    return builder;
}

/* lengths, and a sum of two joints of the loop */
static td_builder *slides(void)
{
    td_builder *builder = rod("rrprr");
    const td_curve curve[] = {curve_polynomial("j2", 4, cubic), curve_sine("j4", 0.1, 2, 0)};
    curve_follow(builder, "j3", curve, 2, 0.05);
    return builder;
}

/* A ball joint in the loop. The loop decides part of it where nothing else depends on it. Also a
   follower of a follower outside of the loop. */
static td_builder *balls(void)
{
    td_builder *builder = rod("rbrr");
    add_wheels(builder, "l1", 1);
    const td_curve first = curve_polynomial("j1", 3, square),
                   second = curve_sine("turn1", 0.5, 1, 0);
    curve_follow(builder, "turn1", &first, 1, 0);
    curve_follow(builder, "j3", &second, 1, 0);
    return builder;
}

/* all joints except the ball follow, so the remaining row of the loop decides part of the ball */
static td_builder *only_balls(void)
{
    td_builder *builder = rod("rbr");
    const td_curve curve = curve_polynomial("j1", 4, cubic);
    joint_of(builder, "j1")->independent = 1;
    curve_follow(builder, "j3", &curve, 1, 0);
    return builder;
}

/* a planar joint and a linear mimic joint in the loop */
static td_builder *planar(void)
{
    td_builder *builder = curve_row("rrr");
    const td_link link = curve_link("plate");
    td_joint joint = td_joint_default("plane", TD_JOINT_PLANAR, "l3", "plate");
    joint.axis[0] = 0, joint.axis[2] = 1;
    joint.origin.position[0] = 0.2;
    td_loop loop = td_loop_default("shut", "l0", "plate");
    loop.type = TD_LOOP_SPHERICAL;
    loop.predecessor_origin.position[0] = 0.9, loop.predecessor_origin.position[1] = 0.2;
    const td_curve curve = curve_polynomial("j1", 3, square);
    assert_ok(td_builder_add_link(builder, &link));
    assert_ok(td_builder_add_joint(builder, &joint));
    assert_ok(td_builder_add_loop(builder, &loop));
    curve_follow(builder, "j3", &curve, 1, 0);
    return builder;
}

static td_builder *(*const mechanisms[])(void) = {driven, behind, through, joined,     shared,
                                                  finger, slides, balls,   only_balls, planar};
/* number of independent velocities of each */
static const size_t mobilities[] = {1, 1, 1, 1, 1, 2, 3, 4, 3, 2};
#define MECHANISMS ((int)(sizeof mechanisms / sizeof *mechanisms))

/* ---- identities ------------------------------------------------------------------------------ */

/* followers must be on their curves, and γ must satisfy all rows */
static void check_curves(const td_model *model, td_workspace *w, const double *q)
{
    for (size_t n = 0; n < td_follower_count(model); n++) {
        const td_follower *f = td_follower_at(model, n);
        double x = f->offset, value[4];
        for (size_t k = 0; k < f->curves; k++) {
            const size_t leader = td_joint_index(model, f->curve[k].leader);
            assert_ok(td_curve_value(model, n, k, q[td_joint_place_at(model, leader).q], value));
            x += value[0];
        }
        const size_t joint = td_joint_index(model, f->joint);
        ck_assert_double_eq_tol(q[td_joint_place_at(model, joint).q], x, 1e-13);
    }
    double phi[ROOM];
    assert_ok(td_constraint_residual(model, w, q, phi));
    ck_assert_double_lt(td_largest(td_constraint_count(model), phi), 1e-12);
}

/* checks q̇ and q̈ by differences of q and q̇ along y */
static void check_rates(const td_model *model, td_workspace *w, const double *y, td_random *random)
{
    static const double weight[] = {0.75, -0.15, 1.0 / 60};
    const double h = 5e-4;
    const size_t n = td_nyd(model), nv = td_nv(model);
    double yd[ROOM], q[ROOM], qd[ROOM], qdd[ROOM], sum[2][ROOM] = {{0}};
    double zero[ROOM] = {0}, way[ROOM], at[ROOM], there[ROOM], rate[ROOM];
    td_random_fill(random, n, yd);
    assert_ok(td_closure(model, w, y, yd, zero, q, qd, qdd));
    for (int k = 0; k < 6; k++) {
        const double step = (k % 2 ? -1 : 1) * (k / 2 + 1) * h;
        for (size_t i = 0; i < n; i++)
            way[i] = step * yd[i];
        td_integrate(model, TD_COORDINATES_INDEPENDENT, y, way, 1, at);
        assert_ok(td_closure(model, w, at, yd, NULL, there, rate, NULL));
        double moved[ROOM];
        td_difference(model, TD_COORDINATES_TREE, q, there, moved);
        for (size_t i = 0; i < nv; i++) {
            sum[0][i] += (k % 2 ? -1 : 1) * weight[k / 2] / h * moved[i];
            sum[1][i] += (k % 2 ? -1 : 1) * weight[k / 2] / h * rate[i];
        }
    }
    td_assert_close(nv, sum[0], qd, 1e-9, 1 + td_largest(nv, qd));
    td_assert_close(nv, sum[1], qdd, 1e-9, 1 + td_largest(nv, qdd));
}

/* checks Gᵀ H G, and inverse and forward dynamics against each other */
static void check_dynamics(const td_model *model, td_workspace *w, const double *y,
                           td_random *random)
{
    const size_t n = td_nyd(model), nv = td_nv(model);
    double G[ROOM * ROOM], H[ROOM * ROOM], M[ROOM * ROOM], q[ROOM], qd[ROOM], qdd[ROOM];
    double yd[ROOM], ydd[ROOM], tau[ROOM], of_y[2][ROOM], back[ROOM];
    td_random_fill(random, n, yd), td_random_fill(random, n, ydd);
    assert_ok(td_closure(model, w, y, yd, ydd, q, qd, qdd));
    check_curves(model, w, q);
    assert_ok(td_closure_jacobian(model, w, y, G));
    assert_ok(TD_IN_TREE(w, td_mass_matrix(model, w, q, NULL, H)));
    assert_ok(td_mass_matrix(model, w, y, NULL, M));
    const double largest = 1 + td_largest(n * n, M);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            double sum = 0;
            for (size_t i = 0; i < nv; i++)
                for (size_t j = 0; j < nv; j++)
                    sum += G[i * n + a] * H[i * nv + j] * G[j * n + b];
            ck_assert_double_eq_tol(sum, M[a * n + b], 1e-12 * largest);
        }
    assert_ok(TD_IN_TREE(w, td_inverse_dynamics(model, w, q, qd, qdd, NULL, tau)));
    assert_ok(td_project_force(model, w, y, tau, of_y[0]));
    assert_ok(td_inverse_dynamics(model, w, y, yd, ydd, NULL, of_y[1]));
    td_assert_close(n, of_y[0], of_y[1], 1e-12, 1 + td_largest(n, of_y[1]));
    assert_ok(td_forward_dynamics(model, w, y, yd, of_y[1], NULL, back));
    td_assert_close(n, back, ydd, 1e-9, 1 + td_largest(n, ydd));
}

TD_LOOP_TEST(at_states, 0, 2 * MECHANISMS)
{
    td_random random = {(uint64_t)_i + 1};
    td_load_options options = td_load_options_default();
    options.plan = _i / MECHANISMS ? TD_PLAN_REDUCED : TD_PLAN_CLUSTER;
    td_model *model = model_of_builder(mechanisms[_i % MECHANISMS](), &options);
    td_workspace *w = test_workspace(model);
    ck_assert_uint_eq(td_nyd(model), mobilities[_i % MECHANISMS]);
    for (int k = 0; k < 8; k++) {
        double y[ROOM];
        td_draw_configuration(&random, model, false, 1, y);
        check_dynamics(model, w, y, &random);
        check_rates(model, w, y, &random);
        along_check_at(&random, model, w, y, 2, 1e-11);
    }
    state s = state_new(model, false);
    ck_assert_int_gt(identities_check(&s, &random, 4), 0);
}

/* lanes against single states */
TD_LOOP_TEST(batches, 0, MECHANISMS)
{
    enum { STATES = 7 };
    td_random random = {(uint64_t)_i + 51};
    td_model *model = model_of_builder(mechanisms[_i](), NULL);
    td_workspace *w = test_workspace(model);
    const size_t ny = td_ny(model), n = td_nyd(model);
    double y[STATES * ROOM], yd[STATES * ROOM], ydd[STATES * ROOM], tau[STATES * ROOM];
    for (size_t k = 0; k < STATES; k++)
        td_draw_configuration(&random, model, false, 1, y + k * ny);
    td_random_fill(&random, STATES * n, yd), td_random_fill(&random, STATES * n, ydd);
    td_closure_start(model, w, NULL);
    assert_ok(td_batch_inverse_dynamics(model, w, STATES, y, yd, ydd, NULL, tau, NULL));
    for (size_t k = 0; k < STATES; k++) {
        double one[ROOM];
        assert_ok(td_inverse_dynamics(model, w, y + k * ny, yd + k * n, ydd + k * n, NULL, one));
        td_assert_close(n, one, tau + k * n, 1e-11, 1 + td_largest(n, one));
    }
}

/* reactions of loops and joints, and motion of the tree under all rows with its derivatives */
TD_LOOP_TEST(forces, 0, MECHANISMS)
{
    td_random random = {(uint64_t)_i + 71};
    td_model *model = model_of_builder(mechanisms[_i](), NULL);
    td_workspace *w = test_workspace(model);
    const size_t n = td_nyd(model);
    for (int k = 0; k < 4; k++) {
        double y[ROOM], yd[ROOM], ydd[ROOM];
        td_draw_configuration(&random, model, false, 0.7, y);
        td_random_fill(&random, n, yd), td_random_fill(&random, n, ydd);
        loop_balance_check(model, w, y, yd, ydd, NULL);
        constrained_check_at(&random, model, y, 1e-10);
    }
}

/* Charts with the same motions: K G = 0, and the same accelerations. */
TD_LOOP_TEST(in_charts, 0, MECHANISMS)
{
    td_model *model = model_of_builder(mechanisms[_i](), NULL);
    td_workspace *w = test_workspace(model), *in_chart = test_workspace(model);
    td_random random = {(uint64_t)_i + 5};
    for (int step = 0; step < 12; step++) {
        double y[ROOM];
        td_draw_configuration(&random, model, false, 1, y);
        curve_agrees_in_chart(model, w, in_chart, y, &random);
    }
}

/* ---- against known solutions ----------------------------------------------------------------- */

/* lines into a loop, inside it and out of it, against linear mimic joints */
TD_LOOP_TEST(lines_are_mimic, 0, 3)
{
    static const double line[] = {0.03, 0.3};
    static const char *const followers[][2] = {
        {"crank0", "motor0"}, {"j3", "j1"}, {"turn1", "rocker0"}};
    td_builder *builder[2];
    for (int k = 0; k < 2; k++) {
        builder[k] = _i == 1
                         ? rod("rrrr")
                         : chain_of_four_bars(1, CHAIN_OF_CRANK_ROCKERS | (_i ? 0 : CHAIN_GEARED));
        if (_i == 1) {
            joint_of(builder[k], "j1")->independent = joint_of(builder[k], "j2")->independent = 1;
        } else if (_i) {
            joint_of(builder[k], "crank0")->independent = 1;
            add_wheels(builder[k], "rocker_link0", 1);
        }
        td_joint *joint = joint_of(builder[k], followers[_i][0]);
        const td_curve curve = curve_polynomial(followers[_i][1], 2, line);
        joint->mimic = NULL;
        if (k)
            curve_follow(builder[k], joint->name, &curve, 1, 0);
        else
            joint->mimic = td_arena_string(&builder[k]->records.arena, followers[_i][1]),
            joint->multiplier = line[1], joint->offset = line[0];
    }
    td_model *a = model_of_builder(builder[0], NULL), *b = model_of_builder(builder[1], NULL);
    td_workspace *v = test_workspace(a), *w = test_workspace(b);
    td_random random = {(uint64_t)_i + 11};
    const size_t n = td_nyd(a), nv = td_nv(a), loads = 6 * td_joint_count(a);
    ck_assert_uint_eq(n, td_nyd(b));
    for (int k = 0; k < 10; k++) {
        double y[ROOM], yd[ROOM], ydd[ROOM], q[2][ROOM], tau[2][ROOM], load[2][6 * ROOM];
        td_draw_configuration(&random, a, false, 1, y);
        td_random_fill(&random, n, yd), td_random_fill(&random, n, ydd);
        assert_ok(td_closure(a, v, y, NULL, NULL, q[0], NULL, NULL));
        assert_ok(td_closure(b, w, y, NULL, NULL, q[1], NULL, NULL));
        td_assert_close(nv, q[0], q[1], 1e-13, 1);
        assert_ok(td_inverse_dynamics(a, v, y, yd, ydd, NULL, tau[0]));
        assert_ok(td_inverse_dynamics(b, w, y, yd, ydd, NULL, tau[1]));
        td_assert_close(n, tau[0], tau[1], 1e-12, 1 + td_largest(n, tau[0]));
        assert_ok(td_forward_dynamics(a, v, y, yd, tau[0], NULL, tau[1]));
        assert_ok(td_forward_dynamics(b, w, y, yd, tau[0], NULL, tau[0]));
        td_assert_close(n, tau[0], tau[1], 1e-11, 1 + td_largest(n, tau[0]));
        assert_ok(td_joint_reactions(a, v, y, yd, ydd, NULL, TD_FRAME_WORLD, load[0]));
        assert_ok(td_joint_reactions(b, w, y, yd, ydd, NULL, TD_FRAME_WORLD, load[1]));
        td_assert_close(loads, load[0], load[1], 1e-10, 1 + td_largest(loads, load[0]));
    }
}

/* A slider-crank whose slide, decided by the loop, leads a wheel. x = r cos α + √(l² − …) follows
   from the loop alone, and the wheel from its curve. Also in reverse, with the slide given. */
TD_LOOP_TEST(slider_leads, 0, 2)
{
    const plane_slider shape = {.a = 0.3,
                                .b = 0.7,
                                .alpha = 0.8,
                                .delta = -0.3,
                                .cut = PLANE_R3,
                                .independent = _i ? PLANE_P : PLANE_R1,
                                .seed = 4};
    double sense[PLANE_JOINTS];
    td_builder *builder = plane_slider_builder(&shape, sense);
    const char *slide = plane_slider_joints[PLANE_P];
    const td_curve curve = curve_polynomial(slide, 4, cubic);
    add_wheels(builder, builder->records.link.at[1].name, 1);
    curve_follow(builder, "turn1", &curve, 1, 0);
    td_model *model = model_of_builder(builder, NULL);
    td_workspace *w = test_workspace(model);
    td_random random = {(uint64_t)_i + 2};
    const size_t at = td_joint_index(model, "turn1");
    ck_assert_uint_eq(td_nyd(model), 1);
    ck_assert_int_eq(td_joint_place_at(model, at).dependent, true);
    ck_assert_uint_eq(td_loop_cluster_count(model), _i ? 2 : 1);
    for (int k = 0; k < 6; k++) {
        double y[ROOM];
        td_draw_configuration(&random, model, false, 1, y);
        check_dynamics(model, w, y, &random);
        along_check_at(&random, model, w, y, 2, 1e-11);
    }
}

/* if a loop could leave either of two joints independent, the leader of followers is selected */
TD_LOOP_TEST(leaders_are_independent, 0, 3)
{
    static const char *const leader[] = {"crank0", "coupler0", "rocker0"};
    for (int declared = 0; declared < 2; declared++) {
        td_builder *builder = chain_of_four_bars(1, CHAIN_OF_CRANK_ROCKERS);
        static const char *const joints[] = {"crank0", "coupler0", "rocker0"};
        for (int k = 0; k < 3; k++)
            joint_of(builder, joints[k])->independent = -1;
        joint_of(builder, joints[(_i + 1) % 3])->independent = declared ? 1 : -1;
        const td_curve curve = curve_polynomial(leader[_i], 3, square);
        add_wheels(builder, "coupler_link0", 1);
        curve_follow(builder, "turn1", &curve, 1, 0);
        td_model *model = model_of_builder(builder, NULL);
        const size_t at = td_joint_index(model, declared ? joints[(_i + 1) % 3] : leader[_i]);
        ck_assert(!td_joint_place_at(model, at).dependent);
        ck_assert_uint_eq(td_loop_cluster_count(model), declared ? 1 : 2);
    }
}

/* joints that a locked motor leads stay in place, with their loops and followers */
TD_TEST(locked_leaders)
{
    td_load_options options = td_load_options_default();
    const td_joint_position lock = {"motor0", 0.3};
    options.locked = &lock;
    options.locked_count = 1;
    td_model *free_to_move = model_of_builder(through(), NULL);
    td_model *model = model_of_builder(through(), &options);
    td_workspace *v = test_workspace(free_to_move), *w = test_workspace(model);
    const double y[] = {0.3};
    double q[2][ROOM];
    ck_assert_uint_eq(td_nyd(model), 0);
    assert_ok(td_closure(free_to_move, v, y, NULL, NULL, q[0], NULL, NULL));
    assert_ok(td_closure(model, w, NULL, NULL, NULL, q[1], NULL, NULL));
    for (size_t i = 0; i < td_joint_count(model); i++) {
        const td_joint_place from = td_joint_place_at(free_to_move, i),
                             to = td_joint_place_at(model, i);
        if (to.nq)
            ck_assert_double_eq_tol(q[0][from.q], q[1][to.q], 1e-12);
    }
}

/* joints decided by user-supplied closures cannot lead or follow curves */
TD_LOOP_TEST(closures_refused, 0, 2)
{
    static const char *const decided[] = {"j2"}, *const by[] = {"j1"};
    static const char *const code[] = {"URDF-M016", "URDF-C030"};
    td_closure_function function = {.size_of = sizeof function,
                                    .name = "twice",
                                    .dependents = 1,
                                    .independents = 1,
                                    .dependent = decided,
                                    .independent = by,
                                    .solve = doubled_closure};
    td_load_options options = td_load_options_default();
    options.closures = &function;
    options.closure_count = 1;
    td_builder *builder = curve_row("rrr");
    const td_curve curve = curve_polynomial(_i ? "j3" : "j2", 3, square);
    curve_follow(builder, _i ? "j2" : "j3", &curve, 1, 0);
    td_model *model = NULL;
    td_diagnostics *list = test_diagnostics(0);
    ck_assert_int_eq(test_builder_finish(builder, &options, list, &model), TD_ERROR_MODEL);
    ck_assert_msg(td_find_diagnostic(list, code[_i]) != NULL, "%s",
                  td_diagnostics_at(list, 0)->message);
}

/* ---- motion ---------------------------------------------------------------------------------- */

TD_LOOP_TEST(energy_stays, 0, 3)
{
    td_model *model = model_of_builder(_i == 2 ? finger() : _i ? joined() : through(), NULL);
    double y[ROOM], yd[ROOM] = {0.2};
    memcpy(y, td_reference(model, TD_COORDINATES_INDEPENDENT), td_ny(model) * sizeof *y);
    check_energy_is_kept(model, 1e-11, y, yd, 3);
}
