/* SPDX-License-Identifier: MIT */
/*
 * Accuracy of forward dynamics against the same kernels in quadruple precision, where inertias of
 * very different size meet. Examples are links of a few grams at the end of a long arm, on joints
 * that spin them about themselves or swing them far out. Single states, which then use the axes of
 * the bodies, must be as accurate as batches.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dynamics/eval.h"
#include "dynamics/workspace.h"
#include "kernel/isa.h"
#include "model/model.h"
#include "td_test.h"

extern const td_kernels td_kernels_quad;

enum { ARM = 20, FINE = 3, JOINTS = ARM + FINE, STATES = 5 };

/* The last links of an arm have masses of a few grams and moments of inertia of about 1e-9 kg m².
   Their centers of mass lie on the joint's axis or anywhere, at the given distance. */
typedef struct fine_links {
    const char *name;
    double length, reach; /* m: between their joints, and from joint to center of mass */
    bool oblique, along;
    double tolerance; /* single state, relative to the largest acceleration */
} fine_links;

static const fine_links fine[] = {
    {"rods that spin", 0.3, 0.1, false, true, 1e-14},
    {"rods that spin, far out", 2, 2, false, true, 1e-14},
    {"rods that spin, oblique", 0.02, 0.3, true, true, 1e-13},
    {"pendulums", 2, 2, false, false, 2e-12},
    {"pendulums, oblique", 0.3, 0.3, true, false, 2e-12},
    {"links near their axes", 2, 0.02, true, false, 5e-12},
};

/* between a and b, logarithmically distributed */
static double between(td_random *random, double a, double b)
{
    return a * pow(b / a, 0.5 + 0.5 * td_random_number(random));
}

static void unit(td_random *random, double x[3])
{
    double length;
    do {
        td_random_fill(random, 3, x);
        length = hypot(hypot(x[0], x[1]), x[2]);
    } while (length < 0.1);
    for (int k = 0; k < 3; k++)
        x[k] /= length;
}

static td_model *arm_with(const fine_links *f, td_random *random)
{
    td_builder *builder = test_builder(f->name);
    td_link base = td_link_default("l0");
    td_builder_add_link(builder, &base);
    for (size_t i = 1; i <= JOINTS; i++) {
        const bool is_fine = i > ARM;
        char name[16], parent[16], child[16];
        double way[3], center[3];
        snprintf(name, sizeof name, "j%zu", i);
        snprintf(parent, sizeof parent, "l%zu", i - 1);
        snprintf(child, sizeof child, "l%zu", i);
        td_joint joint = td_joint_default(name, TD_JOINT_CONTINUOUS, parent, child);
        td_link link = td_link_default(child);
        unit(random, way), unit(random, center);
        joint.axis[0] = i % 3 == 0, joint.axis[1] = i % 3 == 1, joint.axis[2] = i % 3 == 2;
        if (f->oblique)
            unit(random, joint.axis);
        link.has_inertial = true;
        link.mass = is_fine ? between(random, 1e-3, 5e-3) : 1;
        for (int k = 0; k < 3; k++) {
            joint.origin.position[k] = i > 1 ? (i > ARM + 1 ? f->length : 0.3) * way[k] : 0;
            link.inertial.position[k] =
                is_fine ? f->reach * (f->along ? joint.axis[k] : center[k]) : 0.12 * center[k];
            link.inertia[k == 0   ? 0
                         : k == 1 ? 3
                                  : 5] = is_fine ? between(random, 1e-9, 1.5e-9) : 0.0075;
        }
        td_builder_add_link(builder, &link);
        td_builder_add_joint(builder, &joint);
    }
    return model_of_builder(builder, NULL);
}

TD_LOOP_TEST(fine_links_far_out, 0, sizeof fine / sizeof *fine)
{
    const fine_links *f = &fine[_i];
    td_random random = {(uint64_t)(40 + _i)};
    for (int robot = 0; robot < 12; robot++) {
        td_model *model = arm_with(f, &random), quad = *model;
        quad.batch = &td_kernels_quad;
        td_workspace *w = test_workspace(model), *v = test_workspace(&quad);
        double q[STATES * JOINTS], qd[STATES * JOINTS], tau[STATES * JOINTS];
        double one[STATES * JOINTS], many[STATES * JOINTS], exact[STATES * JOINTS];
        td_random_fill(&random, STATES * JOINTS, q);
        td_random_fill(&random, STATES * JOINTS, qd);
        td_random_fill(&random, STATES * JOINTS, tau);
        for (int i = 0; i < STATES * JOINTS; i++)
            q[i] *= 3, tau[i] *= 10;
        assert_ok(td_batch_forward_dynamics(&quad, v, STATES, q, qd, tau, NULL, exact, NULL));
        assert_ok(td_batch_forward_dynamics(model, w, STATES, q, qd, tau, NULL, many, NULL));
        for (size_t n = 0; n < STATES; n++) {
            const size_t at = n * JOINTS;
            assert_ok(td_forward_dynamics(model, w, q + at, qd + at, tau + at, NULL, one + at));
            const double largest = td_largest(JOINTS, exact + at);
            ck_assert_double_ge(largest, 100);
            double error = td_largest_difference(JOINTS, one + at, exact + at) / largest;
            ck_assert_msg(error < f->tolerance, "%s, one state: %.3g", f->name, error);
            error = td_largest_difference(JOINTS, many + at, exact + at) / largest;
            ck_assert_msg(error < fmin(1e-13, f->tolerance), "%s, batch: %.3g", f->name, error);
        }
    }
}

/* Hybrid dynamics of one state computes in the same way: without given accelerations it equals
   forward dynamics, to the last bit. */
TD_TEST(fine_links_in_hybrid_dynamics)
{
    td_random random = {7};
    td_model *model = arm_with(&fine[1], &random);
    td_workspace *w = test_workspace(model);
    double q[JOINTS], qd[JOINTS], tau[JOINTS], qdd[JOINTS], hybrid[JOINTS] = {0};
    unsigned char given[JOINTS] = {0};
    td_random_fill(&random, JOINTS, q);
    td_random_fill(&random, JOINTS, qd);
    td_random_fill(&random, JOINTS, tau);
    assert_ok(td_forward_dynamics(model, w, q, qd, tau, NULL, qdd));
    assert_ok(td_hybrid_dynamics(model, w, q, qd, given, NULL, hybrid, tau));
    ck_assert_mem_eq(hybrid, qdd, sizeof qdd);
}

/* ---- nearly singular robots ------------------------------------------------------------------ */

/* Robots that would be structurally singular if some of their links were massless. These links have
   the given fraction of the other links' mass and inertia. */
typedef enum near_shape {
    BASE_ON_A_HINGE,
    HINGES_ABOUT_ONE_AXIS,
    SEVEN_JOINTS,
    NEAR_SHAPES
} near_shape;

static td_builder *nearly_singular(near_shape shape, double part, td_random *random)
{
    static const char *const light[NEAR_SHAPES] = {"1000", "01000", "11111110"};
    td_builder *builder = test_builder("nearly singular");
    double axis[3] = {0, 0, 1};
    for (int i = 0; light[shape][i]; i++) {
        char name[16], parent[16], child[16];
        const double size = light[shape][i] == '1' ? part : 1;
        snprintf(name, sizeof name, "j%d", i);
        snprintf(parent, sizeof parent, "l%d", i - 1);
        snprintf(child, sizeof child, "l%d", i);
        td_link link = td_link_default(child);
        link.has_inertial = true;
        link.mass = size * (1 + 0.5 * td_random_number(random));
        td_random_fill(random, 3, link.inertial.position);
        for (int k = 0; k < 3; k++) {
            link.inertial.position[k] *= 0.3;
            link.inertia[k == 0   ? 0
                         : k == 1 ? 3
                                  : 5] = size * (0.3 + 0.1 * td_random_number(random));
        }
        td_builder_add_link(builder, &link);
        if (i == 0)
            continue;
        td_joint joint = td_joint_default(name, TD_JOINT_CONTINUOUS, parent, child);
        td_random_rotation(random, joint.origin.rotation);
        unit(random, joint.origin.position);
        if (shape == HINGES_ABOUT_ONE_AXIS && i == 2) {
            joint = td_joint_default(name, TD_JOINT_CONTINUOUS, parent, child);
            for (int k = 0; k < 3; k++)
                joint.origin.position[k] = 0.2 * axis[k];
        } else {
            unit(random, axis);
        }
        memcpy(joint.axis, axis, sizeof axis);
        td_builder_add_joint(builder, &joint);
    }
    return builder;
}

enum { MOST = 16 };

/* a state, and accelerations by every method */
typedef struct ways {
    double q[MOST], qd[MOST], tau[MOST], rest[MOST], exact[MOST], qdd[6][MOST];
    td_status status[6];
} ways;

static void go_all_ways(const td_model *model, td_workspace *w, ways *a)
{
    const size_t nv = td_nv(model);
    const unsigned char given[MOST] = {0};
    double tau[MOST], factors[MOST * (MOST + 1) / 2];
    a->status[0] = td_forward_dynamics(model, w, a->q, a->qd, a->tau, NULL, a->qdd[0]);
    a->status[1] =
        td_batch_forward_dynamics(model, w, 1, a->q, a->qd, a->tau, NULL, a->qdd[1], NULL);
    a->status[2] = td_solve_mass_matrix(model, w, a->q, a->rest, NULL, a->qdd[2]);
    a->status[3] = td_batch_mass_matrix_factors(model, w, 1, a->q, NULL, factors, NULL);
    td_factors_solve(model, w, factors, 1, a->rest, a->qdd[3]);
    memcpy(tau, a->tau, sizeof tau);
    memset(a->qdd[4], 0, nv * sizeof(double));
    a->status[4] = td_hybrid_dynamics(model, w, a->q, a->qd, given, NULL, a->qdd[4], tau);
    a->status[5] =
        td_constrained_forward_dynamics(model, w, a->q, a->qd, a->tau, NULL, NULL, a->qdd[5], NULL);
}

/* Returns the largest amplification of a chain: how much larger than a pivot D the terms are whose
   difference it is. With x_k = 1 and the joints after it free: Σ A_jj x_j² / Σ_ij x_i A_ij x_j. */
static long double most_amplified(size_t n, const double *H)
{
    long double most = 0;
    for (size_t k = 0; k < n; k++) {
        long double A[MOST][MOST + 1], x[MOST] = {0}, sum = 0, D = 0;
        for (size_t i = k + 1; i < n; i++) {
            for (size_t j = k + 1; j < n; j++)
                A[i][j] = H[i * n + j];
            A[i][n] = -H[i * n + k];
        }
        for (size_t p = k + 1; p < n; p++)
            for (size_t i = p + 1; i < n; i++) {
                const long double part = A[i][p] / A[p][p];
                for (size_t j = p; j <= n; j++)
                    A[i][j] -= part * A[p][j];
            }
        x[k] = 1;
        for (size_t i = n; i-- > k + 1;) {
            x[i] = A[i][n];
            for (size_t j = i + 1; j < n; j++)
                x[i] -= A[i][j] * x[j];
            x[i] /= A[i][i];
        }
        for (size_t i = k; i < n; i++) {
            sum += H[i * n + i] * x[i] * x[i];
            for (size_t j = k; j < n; j++)
                D += x[i] * H[i * n + j] * x[j];
        }
        most = fmaxl(most, sum / D);
    }
    return most;
}

/* The bound that forward dynamics computes is never below that value, however light some links
   are. */
TD_LOOP_TEST(bound_on_amplification, HINGES_ABOUT_ONE_AXIS, NEAR_SHAPES)
{
    td_random random = {(uint64_t)(90 + _i)};
    int bounded = 0, close = 0;
    for (int trial = 0; trial < 300; trial++) {
        td_builder *builder = nearly_singular((near_shape)_i, pow(10, -1 - trial % 8), &random);
        td_model *model = model_of_builder(builder, NULL);
        td_workspace *w = test_workspace(model);
        const size_t n = td_nv(model);
        double q[MOST], zero[MOST] = {0}, H[MOST * MOST], qdd[MOST], bound[TD_MOST_LANES];
        ck_assert_uint_le(n, MOST);
        td_random_fill(&random, n, q);
        for (size_t i = 0; i < n; i++)
            q[i] *= 3;
        if (model->tree.largest &&
            td_batch_forward_dynamics(model, w, 1, q, zero, zero, NULL, qdd, NULL) == TD_OK) {
            const td_scratch *s = &w->share[0].scratch;
            model->batch->amplification(&model->tree, s, false, s->doubt);
            model->batch->store(bound, s->doubt, 1, 1);
            assert_ok(TD_IN_TREE(w, td_mass_matrix(model, w, q, NULL, H)));
            const long double truth = most_amplified(n, H);
            ck_assert_msg(bound[0] > 0.999 * (double)truth, "%g, and it is %Lg", bound[0], truth);
            bounded++;
            close += bound[0] < 1e6 * (double)truth;
        }
    }
    ck_assert_int_ge(bounded, 50);
    ck_assert_int_ge(close, bounded / 2);
}

/* At 1e-12 of the other links' inertia no digits are left, and every method reports it. At 1e-8 the
   acceleration is accurate. In between, all methods agree. */
TD_LOOP_TEST(nearly_singular_robots, 0, 3 * NEAR_SHAPES)
{
    static const char *const isas[] = {"baseline", "avx2", "avx512"};
    const near_shape shape = (near_shape)(_i % NEAR_SHAPES);
    const char *isa = isas[_i / NEAR_SHAPES];
    td_random random = {(uint64_t)(70 + _i % NEAR_SHAPES)};
    if (!td_isa_choose(isa))
        return;
    setenv("TANDEM_ISA", isa, 1);
    for (int k = 0; k < 240; k++) {
        const double part = pow(10, -16 + k % 13);
        td_builder *builder = nearly_singular(shape, part, &random);
        td_load_options options = td_load_options_default();
        options.base = shape == BASE_ON_A_HINGE ? TD_BASE_FLOATING : TD_BASE_FIXED;
        td_model *model = model_of_builder(builder, &options);
        td_model quad = *model;
        quad.batch = &td_kernels_quad;
        td_workspace *w = test_workspace(model), *v = test_workspace(&quad);
        const size_t nv = td_nv(model);
        ways a = {{0}, {0}, {0}, {0}, {0}, {{0}}, {0}};
        td_draw_configuration(&random, model, true, 3, a.q);
        td_random_fill(&random, nv, a.qd);
        td_random_fill(&random, nv, a.tau);
        td_bias_force(model, w, a.q, a.qd, NULL, a.rest);
        for (size_t i = 0; i < nv; i++)
            a.rest[i] = a.tau[i] - a.rest[i];
        go_all_ways(model, w, &a);
        for (int n = 0; n < 6; n++) {
            ck_assert_msg(a.status[n] == a.status[0], "%.0e: %d and %d", part, (int)a.status[0],
                          (int)a.status[n]);
            if (part < 3e-12)
                ck_assert_int_eq(a.status[n], TD_ERROR_SINGULAR);
            if (part > 3e-9)
                assert_ok(a.status[n]);
        }
        if (a.status[0] == TD_OK) {
            assert_ok(
                td_batch_forward_dynamics(&quad, v, 1, a.q, a.qd, a.tau, NULL, a.exact, NULL));
            for (int n = 0; n < 6; n++) {
                double error =
                    td_largest_difference(nv, a.qdd[n], a.exact) / td_largest(nv, a.exact);
                ck_assert_msg(error < fmin(1e-5, 1e-13 + 2e-14 / part), "%.0e, %d: %.3g", part, n,
                              error);
            }
        }
    }
    unsetenv("TANDEM_ISA");
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* Two cranks and two couplers that meet in a revolute joint: a five-bar, whose couplers can be
   collinear. */
static td_model *five_bar(td_plan plan)
{
    static const char *const links[] = {"base", "left", "left_rod", "right", "right_rod"};
    static const char *const joints[] = {"", "a", "b", "c", "d"};
    td_builder *builder = test_builder("five-bar");
    for (int i = 0; i < 5; i++) {
        td_link link = td_solid_link(links[i], 1, 0.01);
        link.inertial.position[0] = 0.15;
        td_builder_add_link(builder, &link);
        if (i == 0)
            continue;
        td_joint joint =
            td_joint_default(joints[i], TD_JOINT_CONTINUOUS, links[i % 2 ? 0 : i - 1], links[i]);
        joint.axis[0] = 0, joint.axis[2] = 1;
        joint.origin.position[0] = i == 3 ? 0.4 : i % 2 ? 0 : 0.3;
        joint.independent = i % 2;
        td_builder_add_joint(builder, &joint);
    }
    td_loop loop = td_loop_default("pin", "left_rod", "right_rod");
    loop.axis[0] = 0, loop.axis[2] = 1;
    loop.predecessor_origin.position[0] = loop.successor_origin.position[0] = 0.45;
    td_builder_add_loop(builder, &loop);
    td_load_options options = td_load_options_default();
    options.plan = plan;
    td_model *model = model_of_builder(builder, &options);
    ck_assert_uint_eq(td_nyd(model), 2);
    return model;
}

/* Bisects along a path from the reference for the position where the loop opens. Returns the
   distance. γ starts from the last closed q, also afterwards. */
static double way_to_the_end(const td_model *model, td_workspace *w, const double y0[2],
                             const double way[2], double q[5])
{
    double closed = 0, open = 3, trial[5];
    memcpy(q, td_reference(model, TD_COORDINATES_TREE), td_nq(model) * sizeof *q);
    for (int n = 0; n < 60; n++) {
        const double at = 0.5 * (closed + open);
        const double y[2] = {y0[0] + at * way[0], y0[1] + at * way[1]};
        td_closure_start(model, w, q);
        if (td_closure(model, w, y, NULL, NULL, trial, NULL, NULL) == TD_OK) {
            memcpy(q, trial, sizeof trial);
            closed = at;
        } else {
            open = at;
        }
    }
    td_closure_start(model, w, q);
    return closed;
}

/* Near positions with collinear couplers, motion in one direction of the cranks moves the couplers
   without bound, and GᵀHG loses the other direction. Accelerations are accurate to 1e-7, or a
   status reports the failure. */
TD_LOOP_TEST(loops_near_a_singular_position, 0, 6)
{
    static const double directions[][2] = {{1, -1}, {1, 0}, {-0.3, -1}};
    td_model *model = five_bar(_i % 2 ? TD_PLAN_CLUSTER : TD_PLAN_REDUCED), quad = *model;
    quad.batch = &td_kernels_quad;
    td_workspace *w = test_workspace(model), *v = test_workspace(&quad);
    const double *way = directions[_i / 2], yd[2] = {0.001, 0.002}, tau[2] = {-0.5, 1};
    double y0[2], q[5], x[2], exact[2];
    int good = 0;
    td_independent_coordinates(model, w, td_reference(model, TD_COORDINATES_TREE), y0, NULL);
    const double end = way_to_the_end(model, w, y0, way, q);
    td_closure_start(&quad, v, q);
    for (double left = 1e-13; left < 1e-4; left *= 2) {
        const double y[2] = {y0[0] + (end - left) * way[0], y0[1] + (end - left) * way[1]};
        for (int batch = 0; batch < 2; batch++) {
            td_status status =
                batch ? td_batch_forward_dynamics(model, w, 1, y, yd, tau, NULL, x, NULL)
                      : td_forward_dynamics(model, w, y, yd, tau, NULL, x);
            if (status != TD_OK ||
                td_batch_forward_dynamics(&quad, v, 1, y, yd, tau, NULL, exact, NULL) != TD_OK)
                continue;
            double error = td_largest_difference(2, x, exact) / td_largest(2, exact);
            ck_assert_msg(error < 1e-7, "%.3g from the end: %.3g", left, error);
            good++;
        }
    }
    ck_assert_int_ge(good, 1);
}

/* x = k (y₀ − 0.7 y₁), where k is the context */
static int geared(const void *context, const double *y, const double *yd, double *x, double *G,
                  double *G_rate)
{
    const double k = *(const double *)context;
    (void)yd;
    x[0] = k * (y[0] - 0.7 * y[1]);
    G[0] = k;
    G[1] = -0.7 * k;
    if (G_rate)
        G_rate[0] = G_rate[1] = 0;
    return 0;
}

/* Two cranks whose geared-up difference drives a third joint. In one direction of ẏ its inertia is
   multiplied by k² and hides the inertia of the cranks in the other direction. */
static td_model *differential(const double *k, td_plan plan)
{
    static const char *const links[] = {"base", "a", "b", "c"}, *const joints[] = {"", "j", "k",
                                                                                   "l"};
    td_builder *builder = test_builder("differential");
    for (int i = 0; i < 4; i++) {
        td_link link = td_solid_link(links[i], 1, 0.01);
        link.inertial.position[0] = 0.1 * i;
        td_builder_add_link(builder, &link);
        if (i == 0)
            continue;
        td_joint joint = td_joint_default(joints[i], TD_JOINT_CONTINUOUS, links[i == 3], links[i]);
        joint.axis[0] = 0, joint.axis[1] = i == 3, joint.axis[2] = i != 3;
        joint.origin.position[1] = 0.2;
        td_builder_add_joint(builder, &joint);
    }
    const td_closure_function closure = {.size_of = sizeof closure,
                                         .name = "differential",
                                         .dependents = 1,
                                         .independents = 2,
                                         .dependent = joints + 3,
                                         .independent = joints + 1,
                                         .solve = geared,
                                         .context = k};
    td_load_options options = td_load_options_default();
    options.plan = plan;
    options.closures = &closure;
    options.closure_count = 1;
    return model_of_builder(builder, &options);
}

/* With both plans, for one state and a batch: up to k = 1000 accelerations are accurate, and from
   10⁵ on no digits are left. */
TD_TEST(large_values_of_G)
{
    td_random random = {9};
    for (double k = 1; k < 1e8; k *= 2) {
        td_status status[4];
        double y[2], yd[2], tau[2], x[4][2], exact[2];
        td_random_fill(&random, 2, y);
        td_random_fill(&random, 2, yd);
        td_random_fill(&random, 2, tau);
        y[0] /= k, y[1] /= k, yd[0] /= k, yd[1] /= k;
        for (int plan = 0; plan < 2; plan++) {
            td_model *model = differential(&k, plan ? TD_PLAN_CLUSTER : TD_PLAN_REDUCED);
            td_model quad = *model;
            quad.batch = &td_kernels_quad;
            td_workspace *w = test_workspace(model), *v = test_workspace(&quad);
            double *one = x[2 * plan], *many = x[2 * plan + 1];
            status[2 * plan] = td_forward_dynamics(model, w, y, yd, tau, NULL, one);
            status[2 * plan + 1] =
                td_batch_forward_dynamics(model, w, 1, y, yd, tau, NULL, many, NULL);
            td_batch_forward_dynamics(&quad, v, 1, y, yd, tau, NULL, exact, NULL);
        }
        for (int n = 0; n < 4; n++) {
            if (k < 1e3)
                assert_ok(status[n]);
            if (k > 1e5)
                ck_assert_int_eq(status[n], TD_ERROR_SINGULAR);
            if (status[n] == TD_OK && !isnan(exact[0]))
                td_assert_close(2, x[n], exact, 1e-15 + 1e-15 * k * k, 0);
        }
    }
}

/* Links that are nearly points (2 kg, 10⁻⁶ kg m²): one after a planar joint, a floating joint or a
   cluster with the same motions, on another link that floats. The base feels almost no inertia
   about some axes, and the inverse of that inertia is correspondingly large. */
static td_model *points_behind(td_random *random, int kind)
{
    static const td_joint_type types[3][4] = {
        {TD_JOINT_PLANAR},
        {TD_JOINT_FLOATING, TD_JOINT_CONTINUOUS},
        {TD_JOINT_PRISMATIC, TD_JOINT_PRISMATIC, TD_JOINT_CONTINUOUS, TD_JOINT_CONTINUOUS},
    };
    static const int joints[3] = {1, 2, 4};
    td_builder *builder = test_builder("points");
    char name[16], parent[16], child[16] = "l0";
    for (int i = 0; i <= joints[kind]; i++) {
        td_link link = td_link_default(child);
        link.has_inertial = kind < 2 || i == 0 || i == 3;
        link.mass = link.has_inertial ? 2 : 0;
        unit(random, link.inertial.position);
        if (link.has_inertial)
            link.inertia[0] = 3e-6, link.inertia[3] = 4e-6, link.inertia[5] = 5e-6;
        td_builder_add_link(builder, &link);
        if (i > 0) {
            td_joint joint = td_joint_default(name, types[kind][i - 1], parent, child);
            for (int k = 0; k < 3; k++)
                joint.axis[k] = (i - 1) % 3 == k;
            unit(random, joint.origin.position);
            if (kind < 2 || i == 1)
                td_random_rotation(random, joint.origin.rotation);
            if (i == 4) { /* couples all four */
                joint.mimic = "j0";
                joint.multiplier = 1.3;
            }
            td_builder_add_joint(builder, &joint);
        }
        snprintf(name, sizeof name, "j%d", i);
        strcpy(parent, child);
        snprintf(child, sizeof child, "l%d", i + 1);
    }
    td_load_options options = td_load_options_default();
    options.base = TD_BASE_FLOATING;
    options.plan = TD_PLAN_CLUSTER;
    return model_of_builder(builder, &options);
}

/* The conditions of these matrices are about 10⁷. */
TD_LOOP_TEST(joints_of_several_coordinates, 0, 3)
{
    td_random random = {(uint64_t)(60 + _i)};
    for (int robot = 0; robot < 20; robot++) {
        td_model *model = points_behind(&random, _i), quad = *model;
        quad.batch = &td_kernels_quad;
        td_workspace *w = test_workspace(model), *v = test_workspace(&quad);
        const size_t n = td_nyd(model);
        double y[32], yd[32], tau[32], one[32], many[32], exact[32];
        td_draw_configuration(&random, model, false, 1, y);
        td_random_fill(&random, n, yd);
        td_random_fill(&random, n, tau);
        assert_ok(td_forward_dynamics(model, w, y, yd, tau, NULL, one));
        assert_ok(td_batch_forward_dynamics(model, w, 1, y, yd, tau, NULL, many, NULL));
        assert_ok(td_batch_forward_dynamics(&quad, v, 1, y, yd, tau, NULL, exact, NULL));
        td_assert_close(n, one, exact, 1e-8, 0);
        td_assert_close(n, many, exact, 1e-8, 0);
    }
}

#if TANDEM_HAS_URDF
/* Common robots compute in world axes, which takes half the time. */
TD_TEST(usual_robots)
{
    static const char *const robots[] = {
        "arm7.urdf",          "humanoid.urdf",         "hand_a.urdf",   "gripper.urdf",
        "linear_leg.urdf",    "larm_leg.urdf",         "five_bar.urdf", "pasibot_leg.urdf",
        "parallelogram.urdf", "recupera_shoulder.urdf"};
    for (size_t i = 0; i < sizeof robots / sizeof *robots; i++)
        for (int base = TD_BASE_FIXED; base <= TD_BASE_FLOATING; base++) {
            td_load_options options = td_load_options_default();
            options.base = (td_base)base;
            td_model *model = td_load_robot(robots[i], &options);
            ck_assert_msg(!model->tree.fine, "%s", robots[i]);
        }
}
#endif

/* ---- a vanishing column ---------------------------------------------------------------------- */

/* A crank of 1 m and a slider on a line through its axis, connected at a fixed distance; the slider
   is independent. Where the crank is in line with that line, the only column of J_x is zero. */
static td_model *crank_at_a_distance(double distance)
{
    td_builder *builder = test_builder("crank");
    static const char *const names[] = {"base", "crank", "slider"};
    for (int i = 0; i < 3; i++) {
        td_link link = td_solid_link(names[i], 1, 0.1);
        assert_ok(td_builder_add_link(builder, &link));
    }
    td_joint crank = td_joint_default("crank", TD_JOINT_CONTINUOUS, "base", "crank");
    crank.axis[0] = 0, crank.axis[2] = 1;
    crank.independent = 0;
    td_rotation_from_rpy(0, 0, 0.5, crank.origin.rotation);
    td_joint slide = td_joint_default("slide", TD_JOINT_PRISMATIC, "base", "slider");
    slide.origin.position[0] = cos(0.5) + sqrt(distance * distance - sin(0.5) * sin(0.5));
    assert_ok(td_builder_add_joint(builder, &crank));
    assert_ok(td_builder_add_joint(builder, &slide));
    td_loop rod = td_loop_default("rod", "crank", "slider");
    rod.type = TD_LOOP_DISTANCE;
    rod.distance = distance;
    rod.predecessor_origin.position[0] = 1;
    assert_ok(td_builder_add_loop(builder, &rod));
    return model_of_builder(builder, NULL);
}

/* Calls that start at or near the dead point: G is accurate to 1e-8, or the status reports that it
   is not. Same for batches. */
TD_TEST(one_column_at_its_dead_point)
{
    const double L = 1.7;
    td_model *model = crank_at_a_distance(L);
    const td_joint_place at = td_joint_place_at(model, td_joint_index(model, "crank"));
    const td_joint_place slide = td_joint_place_at(model, td_joint_index(model, "slide"));
    ck_assert_uint_eq(td_ny(model), 1);
    const double origin = cos(0.5) + sqrt(L * L - sin(0.5) * sin(0.5));
    for (double angle = 0.1; angle > 1e-14; angle /= 3) {
        td_workspace *w = test_workspace(model);
        const double rod = sqrt(L * L - sin(angle) * sin(angle)), yd = 1;
        double q[2], qd[2], closed[2], y;
        q[at.q] = angle - 0.5;
        q[slide.q] = y = cos(angle) + rod - origin;
        const td_status started = td_closure_start(model, w, q);
        const td_status single = td_closure(model, w, &y, &yd, NULL, closed, qd, NULL);
        td_status batch;
        td_batch_closure(model, w, 1, &y, &yd, NULL, closed, NULL, NULL, &batch);
        ck_assert(batch == TD_OK ? single == TD_OK : angle < 1e-3);
        ck_assert(angle < 1e-3 || (started == TD_OK && single == TD_OK));
        ck_assert(angle > 1e-5 || (started != TD_OK && single != TD_OK));
        if (single == TD_OK) {
            const double slope = -sin(angle) - sin(angle) * cos(angle) / rod;
            ck_assert_double_eq_tol(qd[at.qd] * slope, 1, 1e-8);
        }
    }
}
