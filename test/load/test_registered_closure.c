/* SPDX-License-Identifier: MIT */
/*
 * Tests user-supplied closures. A crank-rocker in closed form equals the one solved by Newton's
 * method. A cam has a closure that no file can express. Invalid closures are refused.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "td_test.h"

/* ---- a crank-rocker ----------------------------------------------------------------------------
 */

static const double a = 0.1, b = 0.25, c = 0.3, d = 0.35; /* crank, coupler, rocker, ground */

/* Computes angles of coupler and rocker against the ground's direction from the crank's. */
static void bars(double crank, double out[2])
{
    double x = d - a * cos(crank), z = -a * sin(crank), reach = hypot(x, z);
    double way = atan2(z, x), open = acos((reach * reach + b * b - c * c) / (2 * reach * b));
    out[0] = way + open;
    out[1] = atan2(a * sin(crank) + b * sin(out[0]), a * cos(crank) + b * cos(out[0]) - d);
}

static const double start = 1.1;

/* Computes q of coupler (relative to the crank) and rocker from q of the crank. Derivatives follow
   from bar velocities: a sin(θ − φ) + ... = 0 along and across the coupler and the rocker. */
static int four_bar(const void *context, const double *y, const double *yd, double *x, double *G,
                    double *G_rate)
{
    double now[2], then[2], theta = start + y[0];
    if (context && *(const double *)context < fabs(y[0]))
        return 1;
    bars(theta, now);
    bars(start, then);
    x[0] = now[0] - then[0] - y[0];
    x[1] = now[1] - then[1];
    double s = sin(now[1] - now[0]);
    double coupler = a * sin(theta - now[1]) / (b * s), rocker = a * sin(theta - now[0]) / (c * s);
    G[0] = coupler - 1;
    G[1] = rocker;
    if (yd) {
        double w = yd[0], wc = coupler * w, wr = rocker * w;
        double s_rate = cos(now[1] - now[0]) * (wr - wc);
        G_rate[0] = (a * cos(theta - now[1]) * (w - wr) - coupler * b * s_rate) / (b * s);
        G_rate[1] = (a * cos(theta - now[0]) * (w - wc) - rocker * c * s_rate) / (c * s);
    }
    return 0;
}

static void add_bar(td_builder *builder, const char *name, double length)
{
    td_link link = td_solid_link(name, 2 * length, 0.1 * length * length);
    link.inertial.position[0] = length / 2;
    assert_ok(td_builder_add_link(builder, &link));
}

static void add_pin(td_builder *builder, const char *name, const char *parent, const char *child,
                    double x, double angle)
{
    td_joint joint = td_joint_default(name, TD_JOINT_CONTINUOUS, parent, child);
    const double turned[9] = {cos(angle), 0, -sin(angle), 0, 1, 0, sin(angle), 0, cos(angle)};
    joint.origin.position[0] = x;
    memcpy(joint.origin.rotation, turned, sizeof turned);
    joint.axis[0] = joint.axis[2] = 0;
    joint.axis[1] = -1;
    assert_ok(td_builder_add_joint(builder, &joint));
}

/* loop: adds the file's loop. another: adds a mirrored linkage with its own loop. */
static td_builder *add_crank_rocker(td_builder *builder, bool loop, bool another)
{
    double at[2];
    bars(start, at);
    add_bar(builder, "ground", 0);
    for (int k = 0; k < 1 + another; k++) {
        char name[3][16], joint[3][16], pin[16];
        static const char *const part[] = {"crank", "coupler", "rocker"};
        const double length[] = {a, b, c};
        for (int i = 0; i < 3; i++) {
            snprintf(name[i], sizeof name[i], "%s%s", part[i], k ? "2" : "");
            snprintf(joint[i], sizeof joint[i], "%s%s", part[i], k ? "_2" : "_1");
            add_bar(builder, name[i], length[i]);
        }
        snprintf(pin, sizeof pin, "pin%d", k);
        add_pin(builder, joint[0], "ground", name[0], 0, start);
        add_pin(builder, joint[1], name[0], name[1], a, at[0] - start);
        add_pin(builder, joint[2], "ground", name[2], d, at[1]);
        if (loop || k) {
            td_loop record = td_loop_default(pin, name[1], name[2]);
            record.predecessor_origin.position[0] = b;
            record.successor_origin.position[0] = c;
            record.axis[0] = 0;
            record.axis[1] = -1;
            assert_ok(td_builder_add_loop(builder, &record));
        }
        assert_ok(td_builder_set_independent(builder, joint[0], true));
    }
    return builder;
}

static td_builder *crank_rocker(bool loop, bool another)
{
    return add_crank_rocker(test_builder("crank-rocker"), loop, another);
}

static const char *const dependent[] = {"coupler_1", "rocker_1"}, *const independent[] = {
                                                                      "crank_1"};

static td_closure_function form(const double *limit)
{
    return (td_closure_function){.size_of = sizeof(td_closure_function),
                                 .name = "form",
                                 .dependents = 2,
                                 .independents = 1,
                                 .dependent = dependent,
                                 .independent = independent,
                                 .solve = four_bar,
                                 .context = limit};
}

static td_model *finish(td_builder *builder, const td_closure_function *f, td_plan plan)
{
    td_load_options options = td_load_options_default();
    options.closures = f;
    options.closure_count = f != NULL;
    options.plan = plan;
    return model_of_builder(builder, &options);
}

static void compare(size_t n, const double *x, const double *y, double tolerance)
{
    td_assert_close(n, x, y, tolerance, 1);
}

/* Tests the closure with and without the loop in the file, and next to a second, iterated linkage.
 */
TD_LOOP_TEST(as_iterated, 0, 8)
{
    static const td_plan plans[] = {TD_PLAN_CLUSTER, TD_PLAN_REDUCED};
    bool another = _i & 1, loop = _i >> 1 & 1;
    td_closure_function f = form(NULL);
    td_model *own = finish(crank_rocker(loop, another), &f, plans[_i >> 2]);
    td_model *iterated = finish(crank_rocker(true, another), NULL, plans[_i >> 2]);
    td_workspace *w = test_workspace(own), *v = test_workspace(iterated);
    td_random random = {(uint64_t)_i + 1};
    size_t n = td_nyd(own), nv = td_nv(own), rows = td_constraint_count(own);
    ck_assert_uint_eq(n, 1 + (size_t)another);
    ck_assert_uint_eq(td_nyd(iterated), n);
    ck_assert_uint_eq(rows, 2U + (loop ? 5 : 0) + (another ? 5 : 0));
    if (loop)
        ck_assert_int_eq(td_loop_place_at(own, 0).form, TD_LOOP_FORM_REGISTERED);
    enum { STATES = 9 };
    double ys[STATES * 2], yds[STATES * 2], ydds[STATES * 2], taus[STATES * 2];
    for (size_t k = 0; k < STATES; k++) {
        double q[2][6], qd[2][6], qdd[2][6], tau[2][2], H[2][4], C[2][4], G[2][12], ydd[2][2];
        double K[12 * 6], phi[12], drift[12], back[6], moved[6];
        double *y = ys + k * n, *yd = yds + k * n;
        td_random_fill(&random, n, y);
        td_random_fill(&random, n, yd);
        td_random_fill(&random, n, ydds + k * n);
        for (size_t i = 0; i < n; i++)
            y[i] *= 3;
        for (int m = 0; m < 2; m++) {
            const td_model *model = m ? iterated : own;
            td_workspace *at = m ? v : w;
            assert_ok(td_closure(model, at, y, yd, ydds + k * n, q[m], qd[m], qdd[m]));
            assert_ok(td_closure_jacobian(model, at, y, G[m]));
            assert_ok(td_inverse_dynamics(model, at, y, yd, ydds + k * n, NULL, tau[m]));
            assert_ok(td_forward_dynamics(model, at, y, yd, tau[m], NULL, ydd[m]));
            assert_ok(td_mass_matrix(model, at, y, NULL, H[m]));
            assert_ok(td_coriolis_matrix(model, at, y, yd, C[m]));
        }
        compare(nv, q[0], q[1], 1e-13);
        compare(nv, qd[0], qd[1], 1e-12);
        compare(nv, qdd[0], qdd[1], 1e-11);
        compare(nv * n, G[0], G[1], 1e-12);
        compare(n, tau[0], tau[1], 1e-12);
        if (loop) {
            double joints[2][36], loops[2][12], of_joints[2][36], of_loops[2][12];
            for (int m = 0; m < 2; m++)
                assert_ok(td_loop_reactions(m ? iterated : own, m ? v : w, y, yd, ydds + k * n,
                                            NULL, TD_FRAME_WORLD, joints[m], loops[m], of_joints[m],
                                            of_loops[m]));
            compare(18 * n, joints[0], joints[1], 1e-11);
            compare(6 * n, loops[0], loops[1], 1e-11);
            compare(18 * n, of_joints[0], of_joints[1], 1e-8);
            compare(6 * n, of_loops[0], of_loops[1], 1e-8);
        }
        compare(n, ydd[0], ydds + k * n, 1e-11);
        compare(n * n, H[0], H[1], 1e-12);
        compare(n * n, C[0], C[1], 1e-12);
        memcpy(taus + k * n, tau[0], n * sizeof(double));

        /* implicit form: φ = 0, K q̇ = 0, K q̈ = k; and the constrained equations of the tree */
        assert_ok(td_constraint_residual(own, w, q[0], phi));
        ck_assert_double_le(td_largest(rows, phi), 1e-13);
        assert_ok(td_constraint_jacobian(own, w, q[0], K));
        assert_ok(td_constraint_drift(own, w, q[0], qd[0], drift));
        for (size_t i = 0; i < rows; i++) {
            double rate = 0, acceleration = 0;
            for (size_t j = 0; j < nv; j++) {
                rate += K[i * nv + j] * qd[0][j];
                acceleration += K[i * nv + j] * qdd[0][j];
            }
            ck_assert_double_le(fabs(rate), 1e-12);
            ck_assert_double_le(fabs(acceleration - drift[i]), 1e-10);
        }
        double force[6] = {0};
        for (size_t i = 0; i < n; i++) {
            size_t joint = td_independent_joint(own, i);
            force[td_joint_place_at(own, joint).qd] = tau[0][i];
        }
        assert_ok(
            td_constrained_forward_dynamics(own, w, q[0], qd[0], force, NULL, NULL, moved, NULL));
        compare(nv, moved, qdd[0], 1e-10);
        for (int kept = 0; kept < 2; kept++) { /* in a batch, with and without statuses */
            td_status each = TD_ERROR_IO;
            double alike[6];
            assert_ok(td_batch_constrained_forward_dynamics(
                own, w, 1, q[0], qd[0], force, NULL, NULL, alike, NULL, kept ? &each : NULL));
            ck_assert_int_eq(each, kept ? TD_OK : TD_ERROR_IO);
            ck_assert_mem_eq(alike, moved, nv * sizeof *alike);
        }
        for (size_t j = 0; j < nv; j++)
            moved[j] = q[0][j] + 1e-3 * td_random_number(&random);
        assert_ok(td_project_position(own, w, moved, back, NULL));
        assert_ok(td_constraint_residual(own, w, back, phi));
        ck_assert_double_le(td_largest(rows, phi), 1e-13);
    }
    double batch[STATES * 2];
    assert_ok(td_batch_inverse_dynamics(own, w, STATES, ys, yds, ydds, NULL, batch, NULL));
    compare(STATES * n, batch, taus, 1e-12);
}

/* ---- open loops ------------------------------------------------------------------------------ */

/* Equals four_bar near the start. Far away, where loading does not evaluate it, the rocker is
   slightly off. */
static int four_bar_ajar(const void *context, const double *y, const double *yd, double *x,
                         double *G, double *G_rate)
{
    const int answer = four_bar(context, y, yd, x, G, G_rate);
    x[1] += y[0] > 2.5 ? 1e-6 : 0;
    return answer;
}

/* A closure that leaves its loop open causes an error, even if loops that followers close come
   first. */
TD_LOOP_TEST(leaves_the_loop_open, 0, 2)
{
    td_builder *builder = test_builder("crank-rocker");
    static const char *const sides[] = {"left", "right"};
    for (int i = 0; i < 2 && _i; i++) {
        add_bar(builder, sides[i], 1);
        td_joint joint = td_joint_default(sides[i], TD_JOINT_PRISMATIC, "ground", sides[i]);
        joint.mimic = i ? "left" : NULL;
        joint.limit.lower = -1, joint.limit.upper = 1;
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    if (_i) {
        td_loop bar = td_loop_default("bar", "left", "right");
        bar.type = TD_LOOP_FIXED;
        assert_ok(td_builder_add_loop(builder, &bar));
    }
    add_crank_rocker(builder, true, false);
    td_closure_function f = form(NULL);
    f.solve = four_bar_ajar;
    td_model *model = finish(builder, &f, TD_PLAN_AUTO);
    td_workspace *w = test_workspace(model);
    if (_i)
        ck_assert_int_eq(td_loop_place_at(model, 0).form, TD_LOOP_FORM_IMPLIED);
    double y[2] = {0, 0}, q[5];
    assert_ok(td_closure(model, w, y, NULL, NULL, q, NULL, NULL));
    y[td_joint_place_at(model, td_joint_index(model, "crank_1")).y] = 3;
    ck_assert_int_eq(td_closure(model, w, y, NULL, NULL, q, NULL, NULL), TD_ERROR_ASSEMBLY);
}

/* One function serves two linkages, each with a loop in the file. */
TD_TEST(one_for_two)
{
    static const char *const dependent_2[] = {"coupler_2", "rocker_2"};
    static const char *const independent_2[] = {"crank_2"};
    td_closure_function f[] = {form(NULL), form(NULL)};
    f[1].dependent = dependent_2;
    f[1].independent = independent_2;
    td_load_options options = td_load_options_default();
    options.closures = f;
    options.closure_count = 2;
    td_builder *builder = crank_rocker(true, true);
    td_model *own, *iterated = finish(crank_rocker(true, true), NULL, TD_PLAN_AUTO);
    assert_ok(test_builder_finish(builder, &options, NULL, &own));
    static const char *const swapped[] = {"rocker_1", "coupler_1"};
    td_model *wrong; /* the first one's loop is checked with the first one's joints */
    f[0].dependent = swapped;
    ck_assert_int_eq(test_builder_finish(builder, &options, NULL, &wrong), TD_ERROR_MODEL);
    td_workspace *w = test_workspace(own), *v = test_workspace(iterated);
    for (size_t l = 0; l < 2; l++)
        ck_assert_int_eq(td_loop_place_at(own, l).form, TD_LOOP_FORM_REGISTERED);
    td_random random = {11};
    for (int k = 0; k < 10; k++) {
        double y[2], yd[2], ydd[2], tau[2], expected[2];
        td_random_fill(&random, 2, y);
        td_random_fill(&random, 2, yd);
        td_random_fill(&random, 2, ydd);
        assert_ok(td_inverse_dynamics(own, w, y, yd, ydd, NULL, tau));
        assert_ok(td_inverse_dynamics(iterated, v, y, yd, ydd, NULL, expected));
        compare(2, tau, expected, 1e-12);
    }
}

/* ---- a cam -------------------------------------------------------------------------------------
 */

/* A follower rises by the sum of a camshaft and a wedge: x = h (1 − cos 2 y0) + y1². */
static int cam(const void *context, const double *y, const double *yd, double *x, double *G,
               double *G_rate)
{
    const double h = *(const double *)context;
    x[0] = h * (1 - cos(2 * y[0])) + y[1] * y[1];
    G[0] = 2 * h * sin(2 * y[0]);
    G[1] = 2 * y[1];
    if (yd) {
        G_rate[0] = 4 * h * cos(2 * y[0]) * yd[0];
        G_rate[1] = 2 * yd[1];
    }
    return 0;
}

static td_builder *cam_robot(void)
{
    td_builder *builder = test_builder("cam");
    add_bar(builder, "frame", 0);
    add_bar(builder, "shaft", 0.1);
    add_bar(builder, "wedge", 0.2);
    add_bar(builder, "follower", 0.3);
    add_pin(builder, "turn", "frame", "shaft", 0, 0.3);
    static const double axes[2][3] = {{1, 0, 0}, {0, 0, 1}};
    for (int k = 0; k < 2; k++) {
        td_joint joint = td_joint_default(k ? "rise" : "push", TD_JOINT_PRISMATIC, "frame",
                                          k ? "follower" : "wedge");
        memcpy(joint.axis, axes[k], sizeof joint.axis);
        joint.limit.lower = -1;
        joint.limit.upper = 1;
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    return builder;
}

static const char *const rise[] = {"rise"}, *const causes[] = {"turn", "push"};

static td_closure_function cam_form(const double *h)
{
    return (td_closure_function){.size_of = sizeof(td_closure_function),
                                 .name = "cam",
                                 .dependents = 1,
                                 .independents = 2,
                                 .dependent = rise,
                                 .independent = causes,
                                 .solve = cam,
                                 .context = h};
}

/* Compares inverse dynamics by hand, in which gravity acts on the follower only. Also checks power
   and energy. */
TD_TEST(cam_follower)
{
    const double h = 0.02, g = 9.81, mass = 2 * 0.3, wedge = 2 * 0.2;
    const td_closure_function f = cam_form(&h);
    td_model *model = finish(cam_robot(), &f, TD_PLAN_AUTO);
    td_workspace *w = test_workspace(model);
    td_random random = {5};
    td_joint_place turn = td_joint_place_at(model, td_joint_index(model, "turn"));
    td_joint_place push = td_joint_place_at(model, td_joint_index(model, "push"));
    for (int k = 0; k < 30; k++) {
        double y[2], yd[2], ydd[2], tau[2], own[2] = {0, 0}, v[2], vd[2], at[2];
        td_random_fill(&random, 2, y);
        td_random_fill(&random, 2, yd);
        td_random_fill(&random, 2, ydd);
        assert_ok(td_inverse_dynamics(model, w, y, yd, ydd, NULL, tau));
        at[0] = y[turn.y], at[1] = y[push.y];
        v[0] = yd[turn.yd], v[1] = yd[push.yd];
        vd[0] = ydd[turn.yd], vd[1] = ydd[push.yd];
        double slope[] = {2 * h * sin(2 * at[0]), 2 * at[1]};
        double rising = slope[0] * vd[0] + slope[1] * vd[1] + 4 * h * cos(2 * at[0]) * v[0] * v[0] +
                        2 * v[1] * v[1];
        double lifted = mass * (rising + g);
        own[1] = wedge * vd[1] + slope[1] * lifted;
        /* the shaft's bar: 2·0.1 kg with 0.1·0.01 kg m² about its center, 0.05 m off the axis */
        double bar = 0.2, arm = 0.05, own_inertia = 0.1 * 0.01 + bar * arm * arm;
        own[0] = own_inertia * vd[0] + bar * g * arm * cos(0.3 + at[0]) + slope[0] * lifted;
        double expected[2];
        expected[turn.yd] = own[0], expected[push.yd] = own[1];
        compare(2, tau, expected, 1e-13);
    }
}

/* ---- derivatives ----------------------------------------------------------------------------- */

enum { DERIVED = 6 * 3 }; /* largest nv × nyd of these robots */

typedef struct derivatives {
    double velocity[DERIVED], acceleration[DERIVED], by_velocity[DERIVED], force[DERIVED];
} derivatives;

#define NONE                                                                                       \
    {                                                                                              \
        {0}, {0}, {0},                                                                             \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

static void compare_derivatives(size_t n, const derivatives *found, const derivatives *expected,
                                double tolerance)
{
    compare(n, found->velocity, expected->velocity,
            tolerance * (1 + td_largest(n, expected->velocity)));
    compare(n, found->acceleration, expected->acceleration,
            tolerance * (1 + td_largest(n, expected->acceleration)));
    compare(n, found->by_velocity, expected->by_velocity,
            tolerance * (1 + td_largest(n, expected->by_velocity)));
    compare(n, found->force, expected->force, tolerance * (1 + td_largest(n, expected->force)));
}

/* Derivatives by differences of the function equal those from the loop's equations, in batches too.
 */
TD_LOOP_TEST(derivatives_as_iterated, 0, 4)
{
    const bool another = _i & 1, loop = _i >> 1;
    const td_closure_function f = form(NULL);
    td_model *own = finish(crank_rocker(loop, another), &f, TD_PLAN_AUTO);
    td_model *iterated = finish(crank_rocker(true, another), NULL, TD_PLAN_AUTO);
    td_workspace *w = test_workspace(own), *v = test_workspace(iterated);
    td_random random = {(uint64_t)_i + 1};
    enum { STATES = 11 };
    const size_t n = td_nyd(own), nv = td_nv(own);
    double y[STATES * 2], yd[STATES * 2], ydd[STATES * 2], tau[STATES * 6];
    double many[4][STATES * DERIVED] = {{0}};
    td_random_fill(&random, STATES * n, y);
    td_random_fill(&random, STATES * n, yd);
    td_random_fill(&random, STATES * n, ydd);
    td_random_fill(&random, STATES * nv, tau);
    assert_ok(td_batch_closure_derivatives(own, w, STATES, y, yd, ydd, tau, many[0], many[1],
                                           many[2], many[3], NULL));
    for (size_t k = 0; k < STATES; k++) {
        derivatives at[2] = {NONE, NONE}, row = NONE;
        for (int m = 0; m < 2; m++)
            assert_ok(td_closure_derivatives(m ? iterated : own, m ? v : w, y + k * n, yd + k * n,
                                             ydd + k * n, tau + k * nv, at[m].velocity,
                                             at[m].acceleration, at[m].by_velocity, at[m].force));
        compare_derivatives(nv * n, &at[0], &at[1], 1e-11);
        memcpy(row.velocity, many[0] + k * nv * n, nv * n * sizeof(double));
        memcpy(row.acceleration, many[1] + k * nv * n, nv * n * sizeof(double));
        memcpy(row.by_velocity, many[2] + k * nv * n, nv * n * sizeof(double));
        memcpy(row.force, many[3] + k * n * n, n * n * sizeof(double));
        compare_derivatives(nv * n, &row, &at[0], 1e-12);
    }
}

static int cam_derivatives(const void *context, const double *y, const double *yd,
                           const double *ydd, const double *f, double *velocity_y,
                           double *acceleration_y, double *force_y)
{
    const double h = *(const double *)context;
    const double second = 4 * h * cos(2 * y[0]), third = -8 * h * sin(2 * y[0]);
    if (y[0] > 0.9)
        return 1;
    if (velocity_y) {
        velocity_y[0] = second * yd[0];
        velocity_y[1] = 2 * yd[1];
    }
    if (acceleration_y) {
        acceleration_y[0] = second * ydd[0] + third * yd[0] * yd[0];
        acceleration_y[1] = 2 * ydd[1];
    }
    if (force_y) {
        force_y[0] = f[0] * second;
        force_y[1] = force_y[2] = 0;
        force_y[3] = f[0] * 2;
    }
    return 0;
}

/* The closure's analytic derivatives equal differences. */
TD_TEST(derivatives_of_ones_own)
{
    const double h = 0.02;
    td_closure_function f[2] = {cam_form(&h), cam_form(&h)};
    f[0].derivatives = cam_derivatives;
    td_model *model[2];
    td_workspace *w[2];
    for (int m = 0; m < 2; m++) {
        model[m] = finish(cam_robot(), &f[m], TD_PLAN_AUTO);
        w[m] = test_workspace(model[m]);
    }
    const size_t turn = td_joint_place_at(model[0], td_joint_index(model[0], "turn")).yd;
    const size_t push = 1 - turn;
    const size_t raised = td_joint_place_at(model[0], td_joint_index(model[0], "rise")).qd;
    td_random random = {5};
    for (int k = 0; k < 30; k++) {
        double y[2], yd[2], ydd[2], tau[3];
        derivatives at[2] = {NONE, NONE};
        td_random_fill(&random, 2, y);
        td_random_fill(&random, 2, yd);
        td_random_fill(&random, 2, ydd);
        td_random_fill(&random, 3, tau);
        y[turn] *= 0.9;
        for (int m = 0; m < 2; m++)
            assert_ok(td_closure_derivatives(model[m], w[m], y, yd, ydd, tau, at[m].velocity,
                                             at[m].acceleration, at[m].by_velocity, at[m].force));
        compare_derivatives(6, &at[0], &at[1], 2e-13);
        derivatives expected = NONE;
        const double second = 4 * h * cos(2 * y[turn]);
        expected.velocity[2 * raised + turn] = second * yd[turn];
        expected.velocity[2 * raised + push] = 2 * yd[push];
        expected.acceleration[2 * raised + turn] =
            second * ydd[turn] - 8 * h * sin(2 * y[turn]) * yd[turn] * yd[turn];
        expected.acceleration[2 * raised + push] = 2 * ydd[push];
        for (int i = 0; i < 6; i++)
            expected.by_velocity[i] = 2 * expected.velocity[i];
        expected.force[3 * turn] = second * tau[raised];
        expected.force[3 * push] = 2 * tau[raised];
        compare_derivatives(6, &at[0], &expected, 1e-15);
        y[turn] = 0.95; /* the closure has no derivatives here */
        assert_ok(td_closure(model[0], w[0], y, yd, NULL, at[0].velocity, NULL, NULL));
        ck_assert_int_eq(td_closure_derivatives(model[0], w[0], y, yd, ydd, tau, at[0].velocity,
                                                NULL, NULL, NULL),
                         TD_ERROR_ASSEMBLY);
        ck_assert(isnan(at[0].velocity[0]));
    }
}

/* Finite differences need values on both sides. */
TD_TEST(no_value_nearby)
{
    const double limit = 1;
    const td_closure_function f = form(&limit);
    td_model *model = finish(crank_rocker(false, false), &f, TD_PLAN_AUTO);
    td_workspace *w = test_workspace(model);
    double q[3], matrix[9];
    assert_ok(td_closure(model, w, (double[]){0.999}, NULL, NULL, q, NULL, NULL));
    ck_assert_int_eq(td_closure_derivatives(model, w, (double[]){0.999}, (double[]){1}, NULL, NULL,
                                            matrix, NULL, NULL, NULL),
                     TD_ERROR_ASSEMBLY);
    assert_ok(td_closure_derivatives(model, w, (double[]){0.99}, (double[]){1}, NULL, NULL, matrix,
                                     NULL, NULL, NULL));
}

/* ---- invalid closures ------------------------------------------------------------------------ */

static int wrong_slope(const void *context, const double *y, const double *yd, double *x, double *G,
                       double *G_rate)
{
    int status = four_bar(context, y, yd, x, G, G_rate);
    G[1] *= 1.01;
    return status;
}

static int wrong_rate(const void *context, const double *y, const double *yd, double *x, double *G,
                      double *G_rate)
{
    int status = four_bar(context, y, yd, x, G, G_rate);
    if (yd)
        G_rate[0] = -G_rate[0];
    return status;
}

static int off_the_loop(const void *context, const double *y, const double *yd, double *x,
                        double *G, double *G_rate)
{
    int status = four_bar(context, y, yd, x, G, G_rate);
    x[1] += 1e-3;
    return status;
}

static int never(const void *context, const double *y, const double *yd, double *x, double *G,
                 double *G_rate)
{
    (void)context, (void)y, (void)yd, (void)x, (void)G, (void)G_rate;
    return 1;
}

TD_TEST(refused)
{
    static const char *const unknown[] = {"coupler_1", "rockr_1"};
    static const char *const twice[] = {"coupler_1", "coupler_1"};
    static const char *const one[] = {"coupler_1"};
    static const char *const strange[] = {"rocker_1"};
    static const char *const first[] = {"crank_1", "crank_1"}; /* the joint of index 0 */
    const struct {
        int (*solve)(const void *, const double *, const double *, double *, double *, double *);
        const char *const *names;
        size_t dependents;
        const char *const *from;
        const char *code, *text, *remedy; /* remedy NULL: not checked */
    } cases[] = {
        {four_bar, unknown, 2, independent, "URDF-C030", "the joint does not exist", NULL},
        {four_bar, twice, 2, independent, "URDF-C030", "named twice", NULL},
        {four_bar, dependent, 2, strange, "URDF-C030", "named twice", NULL},
        {four_bar, first, 2, strange, "URDF-C030", "named twice", NULL},
        {doubled_closure, one, 1, independent, "URDF-C030", "but not joint 'rocker_1'", NULL},
        {wrong_slope, dependent, 2, independent, "URDF-C031", "not the derivative",
         "correct G or G_rate of the closure"},
        {wrong_rate, dependent, 2, independent, "URDF-C031", "not the derivative",
         "correct G or G_rate of the closure"},
        {off_the_loop, dependent, 2, independent, "URDF-C031", "leaves loop 'pin0' open", NULL},
        {never, dependent, 2, independent, "URDF-C031", "no value",
         "define the closure at zero, or rotate the joint frames so that zero is a valid "
         "configuration"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        td_closure_function f = form(NULL);
        f.solve = cases[i].solve;
        f.dependent = cases[i].names;
        f.dependents = cases[i].dependents;
        f.independent = cases[i].from;
        td_load_options options = td_load_options_default();
        options.closures = &f;
        options.closure_count = 1;
        td_builder *builder = crank_rocker(true, false);
        td_diagnostics *list = test_diagnostics(0);
        td_model *model;
        ck_assert_int_eq(test_builder_finish(builder, &options, list, &model), TD_ERROR_MODEL);
        ck_assert_ptr_null(model);
        size_t found = 0;
        for (size_t k = 0; k < td_diagnostics_size(list); k++) {
            const td_diagnostic *d0 = td_diagnostics_at(list, k);
            if (strcmp(d0->code, cases[i].code) != 0 || !strstr(d0->message, cases[i].text))
                continue;
            found++;
            if (cases[i].remedy)
                ck_assert_str_eq(d0->remedy, cases[i].remedy);
        }
        ck_assert_msg(found == 1, "case %zu: said %zu times", i, found);
        f.solve = NULL;
        ck_assert_int_eq(test_builder_finish(builder, &options, list, &model), TD_ERROR_ARGUMENT);
    }
}

static int wrong_derivatives(const void *context, const double *y, const double *yd,
                             const double *ydd, const double *f, double *velocity_y,
                             double *acceleration_y, double *force_y)
{
    const int status = cam_derivatives(context, y, yd, ydd, f, velocity_y, acceleration_y, force_y);
    acceleration_y[1] += 0.01;
    return status;
}

TD_TEST(wrong_derivatives_are_refused)
{
    const double h = 0.02;
    td_closure_function f = cam_form(&h);
    f.derivatives = wrong_derivatives;
    td_load_options options = td_load_options_default();
    options.closures = &f;
    options.closure_count = 1;
    td_builder *builder = cam_robot();
    td_diagnostics *list = test_diagnostics(0);
    td_model *model;
    ck_assert_int_eq(test_builder_finish(builder, &options, list, &model), TD_ERROR_MODEL);
    const td_diagnostic *said = td_find_diagnostic(list, "URDF-C031");
    ck_assert_ptr_nonnull(said);
    ck_assert_ptr_nonnull(strstr(said->message, "its derivatives do not match its G"));
}

/* A closure may not use a joint as independent that another closure makes dependent. */
TD_TEST(independent_joint_that_depends)
{
    const double h = 0.02;
    static const char *const turn[] = {"turn"}, *const push[] = {"push"};
    const td_closure_function f[] = {{.size_of = sizeof *f,
                                      .name = "lift",
                                      .dependents = 1,
                                      .independents = 2,
                                      .dependent = rise,
                                      .independent = causes,
                                      .solve = cam,
                                      .context = &h},
                                     {.size_of = sizeof *f,
                                      .name = "gear",
                                      .dependents = 1,
                                      .independents = 1,
                                      .dependent = push,
                                      .independent = turn,
                                      .solve = doubled_closure}};
    td_load_options options = td_load_options_default();
    options.closures = f;
    options.closure_count = 2;
    td_builder *builder = cam_robot();
    td_diagnostics *list = test_diagnostics(0);
    td_model *model;
    ck_assert_int_eq(test_builder_finish(builder, &options, list, &model), TD_ERROR_MODEL);
    ck_assert_uint_eq(td_diagnostics_count(list, TD_SEVERITY_ERROR), 1);
    const td_diagnostic *error = NULL;
    for (size_t k = 0; k < td_diagnostics_size(list); k++)
        if (td_diagnostics_at(list, k)->severity == TD_SEVERITY_ERROR)
            error = td_diagnostics_at(list, k);
    ck_assert_str_eq(error->code, "URDF-C030");
    ck_assert_ptr_nonnull(strstr(error->message, "joint 'push'"));
}

/* Two closures may not determine the same joint, whichever of their dependent joints it is. */
TD_TEST(decided_twice)
{
    static const char *const last[] = {"rocker_1"};
    td_closure_function f[] = {form(NULL), form(NULL)};
    f[1].name = "again";
    f[1].dependents = 1;
    f[1].dependent = last;
    td_load_options options = td_load_options_default();
    options.closures = f;
    options.closure_count = 2;
    td_builder *builder = crank_rocker(false, false);
    td_diagnostics *list = test_diagnostics(0);
    td_model *model;
    ck_assert_int_eq(test_builder_finish(builder, &options, list, &model), TD_ERROR_MODEL);
    bool found = false;
    for (size_t k = 0; k < td_diagnostics_size(list); k++) {
        const td_diagnostic *said = td_diagnostics_at(list, k);
        found = found || (strcmp(said->code, "URDF-C030") == 0 &&
                          strstr(said->message, "another closure already determines it") != NULL);
    }
    ck_assert(found);
}

/* At a state without a value, single calls and batches return a status and no number. */
TD_TEST(no_value)
{
    const double limit = 1;
    td_closure_function f = form(&limit);
    td_model *model = finish(crank_rocker(false, false), &f, TD_PLAN_AUTO);
    td_workspace *w = test_workspace(model);
    double y[6] = {0.5, -0.9, 1.5, 0.1, -2, 0.3}, tau[6];
    td_status each[6];
    ck_assert_int_eq(td_inverse_dynamics(model, w, y + 2, NULL, NULL, NULL, tau),
                     TD_ERROR_ASSEMBLY);
    ck_assert(isnan(tau[0]));
    ck_assert_int_eq(td_batch_inverse_dynamics(model, w, 6, y, NULL, NULL, NULL, tau, each),
                     TD_ERROR_ASSEMBLY);
    for (int i = 0; i < 6; i++) {
        ck_assert_int_eq(each[i], fabs(y[i]) > limit ? TD_ERROR_ASSEMBLY : TD_OK);
        ck_assert(isnan(tau[i]) == (each[i] != TD_OK));
    }
}

/* Products with derivatives of dynamics equal products with the matrices, whose cam derivatives
   come from differences or from the closure (_i). Equation 5 uses multipliers, which are not
   differentiated. */
TD_LOOP_TEST(products_and_constrained_motion, 0, 2)
{
    enum { N = 2, NV = 3 };
    const double h = 0.02, y[N] = {0.4, 0.1}, yd[N] = {1.5, -0.7}, ydd[N] = {2, 3};
    const double along[3][N] = {{0.3, -1}, {0.8, 0.4}, {-0.2, 0.9}}, w[N] = {0.7, -1.3};
    td_closure_function f = cam_form(&h);
    f.derivatives = _i ? cam_derivatives : NULL;
    td_model *model = finish(cam_robot(), &f, TD_PLAN_AUTO);
    td_workspace *workspace = test_workspace(model);
    double D[3][N * N], found[3 + 1][N], expected[3 + 1][N] = {{0}};
    assert_ok(td_inverse_dynamics_derivatives(model, workspace, y, yd, ydd, NULL, NULL, D[0], D[1],
                                              D[2]));
    assert_ok(td_inverse_dynamics_tangent(model, workspace, y, yd, ydd, NULL, along[0], along[1],
                                          along[2], found[3]));
    assert_ok(td_inverse_dynamics_adjoint(model, workspace, y, yd, ydd, NULL, w, found[0], found[1],
                                          found[2]));
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                expected[3][i] += D[k][i * N + j] * along[k][j];
                expected[k][j] += w[i] * D[k][i * N + j];
            }
    for (int k = 0; k < 4; k++)
        td_assert_close(N, found[k], expected[k], 1e-14, 1 + td_largest(N, expected[k]));

    double q[NV], qd[NV], qdd[NV], by_tau[NV * NV];
    assert_ok(td_closure(model, workspace, y, yd, NULL, q, qd, NULL));
    ck_assert_int_eq(td_constrained_forward_dynamics_derivatives(model, workspace, q, qd, NULL,
                                                                 NULL, NULL, qdd, NULL, NULL, NULL,
                                                                 by_tau, NULL, NULL, NULL),
                     TD_ERROR_CLOSURE_SINGULAR);
    ck_assert(isnan(qdd[0]) && isnan(by_tau[NV]));
}

/* ---- many joints that follow one ------------------------------------------------------------- */

enum { FOLLOWERS = 12 };

/* The i-th follower is (1 + i) y². */
static int squares(const void *context, const double *y, const double *yd, double *x, double *G,
                   double *G_rate)
{
    (void)context;
    for (int i = 0; i < FOLLOWERS; i++) {
        x[i] = (1 + i) * y[0] * y[0];
        G[i] = 2 * (1 + i) * y[0];
        if (yd)
            G_rate[i] = 2 * (1 + i) * yd[0];
    }
    return 0;
}

TD_TEST(many_follow_one)
{
    enum { ROWS = 9, ALL = FOLLOWERS + 1 };
    char names[ALL][8], links[ALL + 1][8] = {"base"};
    const char *following[FOLLOWERS];
    td_builder *builder = test_builder("many");
    td_link base = td_link_default(links[0]);
    assert_ok(td_builder_add_link(builder, &base));
    for (int i = 0; i < ALL; i++) {
        snprintf(names[i], sizeof names[i], "j%d", i);
        snprintf(links[i + 1], sizeof links[i], "l%d", i);
        const td_link link = td_link_default(links[i + 1]);
        const td_joint joint =
            td_joint_default(names[i], TD_JOINT_CONTINUOUS, links[0], links[i + 1]);
        assert_ok(td_builder_add_link(builder, &link));
        assert_ok(td_builder_add_joint(builder, &joint));
        if (i > 0)
            following[i - 1] = names[i];
    }
    const char *const leader = names[0];
    const td_closure_function f = {.size_of = sizeof f,
                                   .name = "squares",
                                   .dependents = FOLLOWERS,
                                   .independents = 1,
                                   .dependent = following,
                                   .independent = &leader,
                                   .solve = squares};
    td_load_options options = td_load_options_default();
    options.closures = &f;
    options.closure_count = 1;
    td_model *model = model_of_builder(builder, &options);
    td_workspace *w = test_workspace(model);
    double y[ROWS], yd[ROWS], ydd[ROWS], q[2][ROWS * ALL], qd[2][ROWS * ALL], qdd[2][ROWS * ALL];
    for (int r = 0; r < ROWS; r++) {
        y[r] = 0.1 * r - 0.3, yd[r] = 1 - 0.2 * r, ydd[r] = 0.5 + 0.1 * r;
        for (int i = 0; i < ALL; i++) {
            const int at = r * ALL + i;
            q[0][at] = i == 0 ? y[r] : i * y[r] * y[r];
            qd[0][at] = i == 0 ? yd[r] : 2 * i * y[r] * yd[r];
            qdd[0][at] = i == 0 ? ydd[r] : 2 * i * (y[r] * ydd[r] + yd[r] * yd[r]);
        }
    }
    for (int batch = 0; batch < 2; batch++) {
        for (int r = 0; r < ROWS && !batch; r++)
            assert_ok(td_closure(model, w, &y[r], &yd[r], &ydd[r], q[1] + r * ALL, qd[1] + r * ALL,
                                 qdd[1] + r * ALL));
        if (batch)
            assert_ok(td_batch_closure(model, w, ROWS, y, yd, ydd, q[1], qd[1], qdd[1], NULL));
        td_assert_close(ROWS * ALL, q[1], q[0], 1e-15, 1);
        td_assert_close(ROWS * ALL, qd[1], qd[0], 1e-15, td_largest(ROWS * ALL, qd[0]));
        td_assert_close(ROWS * ALL, qdd[1], qdd[0], 1e-15, td_largest(ROWS * ALL, qdd[0]));
    }
}
