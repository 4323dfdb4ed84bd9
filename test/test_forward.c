/* SPDX-License-Identifier: MIT */
/*
 * The whole dynamics of the tree, in tree and in independent coordinates, by identities: forward
 * dynamics undoes inverse dynamics, H q̈ + C, columns of H from inverse dynamics, factors and
 * inverse, the Coriolis matrix, hybrid dynamics, passive forces, singular robots, long chains and
 * deep trees. On random robots of all joint types, with followers, fixed and floating.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "identities.h"

/* mass everywhere, damping and the rest on every joint */
static td_model *robot(td_random *random, size_t joints, size_t followers, bool scalar,
                       td_base base)
{
    td_load_options options = td_load_options_default();
    options.base = base;
    td_random_fill(random, 3, options.gravity);
    td_model *model = NULL;
    td_builder *builder = td_random_robot(random, joints, followers, scalar);
    ck_assert_int_eq(td_builder_finish(builder, &options, NULL, &model), TD_OK);
    td_builder_free(builder);
    return model;
}

START_TEST(identities)
{
    td_random random = {(uint64_t)(1000 + _i)};
    int regular = 0;
    for (int k = 0; k < 60; k++) {
        td_base base = k % 3 == 0 ? TD_BASE_FLOATING : TD_BASE_FIXED;
        td_model *model = robot(&random, 1 + (size_t)k / 3, k % 2 ? 5 : 0, k % 5 == 0, base);
        for (int tree = 0; tree < 2; tree++) {
            state s = state_new(model, tree);
            regular += identities_check(&s, &random, 1);
            state_free(&s);
        }
        td_model_free(model);
    }
    ck_assert_int_ge(regular, 30);
}
END_TEST

#if TANDEM_HAS_URDF
START_TEST(bundled_robots)
{
    td_random random = {77};
    for (int base = TD_BASE_FIXED; base <= TD_BASE_FLOATING; base++)
        for (int tree = 0; tree < 2; tree++) {
            td_load_options options = td_load_options_default();
            options.base = (td_base)base;
            td_model *model = td_load_robot(td_robots[_i], &options);
            state s = state_new(model, tree);
            int regular = identities_check(&s, &random, 5);
            /* the shoulder's first link has no mass and could turn freely under its first joint */
            bool defined =
                base == TD_BASE_FIXED || strcmp(td_robots[_i], "recupera_shoulder.urdf") != 0;
            ck_assert_int_eq(regular, defined ? 5 : 0);
            state_free(&s);
            td_model_free(model);
        }
}
END_TEST
#endif

/* ---- singular robots
 * ------------------------------------------------------------------------------ */

static td_model *chain(const double *masses, size_t count, bool thin, bool sliding)
{
    td_builder *builder = td_builder_new("chain");
    td_link base = td_link_default("l0");
    td_builder_add_link(builder, &base);
    for (size_t i = 0; i < count; i++) {
        char name[16], parent[16], joint_name[16];
        snprintf(parent, sizeof parent, "l%zu", i);
        snprintf(name, sizeof name, "l%zu", i + 1);
        snprintf(joint_name, sizeof joint_name, "j%zu", i);
        td_link link = td_link_default(name);
        link.has_inertial = masses[i] > 0;
        link.mass = masses[i];
        if (!thin) {
            link.inertial.position[0] = 0.25;
            link.inertia[0] = 0.01 * masses[i];
            link.inertia[3] = link.inertia[5] = 0.02 * masses[i];
        }
        td_joint joint = td_joint_default(
            joint_name, sliding ? TD_JOINT_PRISMATIC : TD_JOINT_REVOLUTE, parent, name);
        joint.axis[0] = 0;
        joint.axis[1 + i % 2] = 1;
        joint.origin.position[0] = i ? 0.5 : 0;
        td_builder_add_link(builder, &link);
        td_builder_add_joint(builder, &joint);
    }
    td_model *model;
    ck_assert_int_eq(td_builder_finish(builder, NULL, NULL, &model), TD_OK);
    td_builder_free(builder);
    return model;
}

static void check_singular(td_model *model, const char *joint)
{
    for (int tree = 0; tree < 2; tree++) {
        state s = state_new(model, tree);
        td_random random = {1};
        td_random_configuration(&random, model, tree, 1, s.q);
        ck_assert_int_eq(td_singular_joint(s.w), -1);
        s.x[0] = 0;
        ck_assert_int_eq(CALL(&s, forward_dynamics, s.q, NULL, NULL, NULL, s.x), TD_ERROR_SINGULAR);
        for (size_t i = 0; i < s.n; i++)
            ck_assert(isnan(s.x[i]));
        ck_assert_int_ge(td_singular_joint(s.w), 0);
        ck_assert_str_eq(td_joint_at(model, (size_t)td_singular_joint(s.w))->name, joint);
        ck_assert_int_eq(CALL(&s, mass_matrix_solve, s.q, s.tau, NULL, s.x), TD_ERROR_SINGULAR);
        ck_assert_str_eq(td_joint_at(model, (size_t)td_singular_joint(s.w))->name, joint);
        ck_assert_int_eq(CALL(&s, mass_matrix_inverse, s.q, NULL, s.M), TD_ERROR_SINGULAR);
        /* inverse dynamics goes on */
        ck_assert_int_eq(CALL(&s, inverse_dynamics, s.q, s.qd, s.qdd, NULL, s.tau), TD_OK);
        ck_assert(isfinite(td_largest(s.n, s.tau)));
        state_free(&s);
    }
}

START_TEST(singular_robots)
{
    static const double no_tip[] = {1, 1, 0}, none[] = {0, 0, 0}, all[] = {1, 1, 1};
    static const struct {
        const double *masses;
        bool thin, sliding;
        const char *joint;
    } cases[] = {
        {no_tip, false, false, "j2"},
        {none, false, false, "j2"},
        {no_tip, false, true, "j2"},
        {all, true, false, "j2"}, /* point masses on the last axis */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        td_model *model = chain(cases[i].masses, 3, cases[i].thin, cases[i].sliding);
        check_singular(model, cases[i].joint);
        td_model_free(model);
    }
}
END_TEST

/* a NaN, and an infinity, in the state is a status of its own */
START_TEST(not_finite)
{
    static const double all[] = {1, 1, 1};
    td_model *model = chain(all, 3, false, false);
    state s = state_new(model, true);
    const double odd[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 3; i++) {
        s.q[1] = odd[i];
        ck_assert_int_eq(CALL(&s, forward_dynamics, s.q, s.qd, s.tau, NULL, s.x),
                         TD_ERROR_NOT_FINITE);
        ck_assert(isnan(s.x[0]) && isnan(s.x[2]));
        s.q[1] = 0;
        s.tau[2] = odd[i];
        ck_assert_int_eq(CALL(&s, forward_dynamics, s.q, s.qd, s.tau, NULL, s.x),
                         TD_ERROR_NOT_FINITE);
        s.tau[2] = 0;
    }
    ck_assert_int_eq(CALL(&s, forward_dynamics, s.q, s.qd, s.tau, NULL, s.x), TD_OK);
    state_free(&s);
    td_model_free(model);
}
END_TEST

/* singular and other states side by side in a batch */
START_TEST(batch_of_mixed_states)
{
    static const double all[] = {1, 1, 1};
    td_model *model = chain(all, 3, true, false); /* regular nowhere */
    td_model *good = chain(all, 3, false, false);
    td_workspace *w = td_workspace_new(good);
    enum { N = 11 };
    double q[N * 3] = {0}, tau[N * 3] = {0}, qdd[N * 3], alone[3];
    td_status each[N];
    td_random random = {3};
    td_random_fill(&random, N * 3, q);
    td_random_fill(&random, N * 3, tau);
    q[3 * 4] = NAN;
    ck_assert_int_eq(td_batch_forward_dynamics(good, w, N, q, NULL, tau, NULL, qdd, each),
                     TD_ERROR_NOT_FINITE);
    for (size_t i = 0; i < N; i++) {
        ck_assert_int_eq(each[i], i == 4 ? TD_ERROR_NOT_FINITE : TD_OK);
        td_forward_dynamics(good, w, q + 3 * i, NULL, tau + 3 * i, NULL, alone);
        if (i != 4)
            td_assert_close(3, qdd + 3 * i, alone, 1e-12, 0);
        else
            ck_assert(isnan(qdd[12]) && isnan(qdd[14]));
    }
    td_workspace_free(w);
    w = td_workspace_new(model);
    q[3 * 4] = 0;
    ck_assert_int_eq(td_batch_tree_forward_dynamics(model, w, N, q, NULL, tau, NULL, qdd, each),
                     TD_ERROR_SINGULAR);
    ck_assert_int_eq(each[N - 1], TD_ERROR_SINGULAR);
    ck_assert_int_eq(td_singular_joint(w), 2);
    td_workspace_free(w);
    td_model_free(model), td_model_free(good);
}
END_TEST

/* ---- size
 * -------------------------------------------------------------------------------------------- */

/* arity 1: a chain; 2: a binary tree, 127 joints for depth 7 */
static td_model *regular_tree(size_t joints, size_t arity, bool mixed)
{
    td_builder *builder = td_builder_new("tree");
    td_link base = td_link_default("l0");
    td_builder_add_link(builder, &base);
    for (size_t i = 1; i <= joints; i++) {
        char name[16], parent[16], joint_name[16];
        snprintf(parent, sizeof parent, "l%zu", i == 1 ? 0 : (i - 2) / arity + 1);
        snprintf(name, sizeof name, "l%zu", i);
        snprintf(joint_name, sizeof joint_name, "j%zu", i);
        td_link link = td_link_default(name);
        link.has_inertial = true;
        link.mass = 0.5;
        link.inertial.position[2] = 0.05;
        link.inertia[0] = link.inertia[3] = 1e-3;
        link.inertia[5] = 5e-4;
        td_joint joint = td_joint_default(
            joint_name, mixed && i % 7 == 3 ? TD_JOINT_PRISMATIC : TD_JOINT_CONTINUOUS, parent,
            name);
        joint.axis[0] = i % 3 == 0, joint.axis[1] = i % 3 == 1, joint.axis[2] = i % 3 == 2;
        joint.origin.position[2] = 0.1;
        td_builder_add_link(builder, &link);
        td_builder_add_joint(builder, &joint);
    }
    td_model *model;
    ck_assert_int_eq(td_builder_finish(builder, NULL, NULL, &model), TD_OK);
    td_builder_free(builder);
    return model;
}

static void times(size_t n, const double *A, const double *x, double *y)
{
    for (size_t i = 0; i < n; i++) {
        y[i] = 0;
        for (size_t j = 0; j < n; j++)
            y[i] += A[i * n + j] * x[j];
    }
}

/* The residual of FD, |ID(FD(tau)) − tau|, is small against the forces at play whatever the
   condition of H, which grows fast with the length of a chain. */
static void check_large(td_model *model, double tolerance)
{
    state s = state_new(model, true);
    td_random random = {5};
    for (int k = 0; k < 3; k++) {
        td_random_configuration(&random, model, true, 1, s.q);
        td_random_fill(&random, s.n, s.qd);
        td_random_fill(&random, s.n, s.qdd);
        for (size_t i = 0; i < s.n; i++)
            s.qd[i] *= 0.1;
        CALL(&s, inverse_dynamics, s.q, s.qd, s.qdd, NULL, s.tau);
        CALL(&s, mass_matrix, s.q, NULL, s.H);
        CALL(&s, bias_force, s.q, s.qd, NULL, s.C);
        times(s.n, s.H, s.qdd, s.x);
        for (size_t i = 0; i < s.n; i++)
            s.x[i] += s.C[i];
        td_assert_close(s.n, s.x, s.tau, 1e-12, 0);
        ck_assert_int_eq(CALL(&s, forward_dynamics, s.q, s.qd, s.tau, NULL, s.x), TD_OK);
        CALL(&s, inverse_dynamics, s.q, s.qd, s.x, NULL, s.z);
        td_assert_close(s.n, s.z, s.tau, tolerance, td_largest(s.n, s.C));
        ck_assert_int_eq(CALL(&s, mass_matrix_solve, s.q, s.tau, NULL, s.x), TD_OK);
        times(s.n, s.H, s.x, s.z);
        td_assert_close(s.n, s.z, s.tau, tolerance, 0);
        CALL(&s, coriolis_matrix, s.q, s.qd, s.M);
        times(s.n, s.M, s.qd, s.x);
        CALL(&s, gravity_force, s.q, s.z);
        for (size_t i = 0; i < s.n; i++)
            s.C[i] -= s.z[i];
        td_assert_close(s.n, s.x, s.C, 1e-12, td_largest(s.n, s.z));
    }
    state_free(&s);
    td_model_free(model);
}

START_TEST(long_chain)
{
    check_large(regular_tree(1000, 1, true), 1e-11);
}
END_TEST

START_TEST(deep_tree)
{
    check_large(regular_tree(127, 2, true), 1e-12);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("forward");
    TCase *tcase = tcase_create("forward");
    tcase_set_timeout(tcase, 240);
    tcase_add_loop_test(tcase, identities, 0, 4);
#if TANDEM_HAS_URDF
    int robots = 0;
    while (td_robots[robots])
        robots++;
    tcase_add_loop_test(tcase, bundled_robots, 0, robots);
#endif
    tcase_add_test(tcase, singular_robots);
    tcase_add_test(tcase, not_finite);
    tcase_add_test(tcase, batch_of_mixed_states);
    tcase_add_test(tcase, long_chain);
    tcase_add_test(tcase, deep_tree);
    suite_add_tcase(suite, tcase);
    return td_test_run(suite);
}
