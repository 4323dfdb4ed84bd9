/* SPDX-License-Identifier: MIT */
/*
 * Dynamics of the tree, in tree and in independent coordinates, checked by identities: forward
 * dynamics inverts inverse dynamics, H q̈ + C, columns of H from inverse dynamics, factors and
 * inverse, the Coriolis matrix, and hybrid dynamics. Also passive forces, singular robots, long
 * chains and deep trees. Robots are random, with all joint types and followers, fixed and floating.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "algebra.h"
#include "identities.h"

static td_model *robot(td_random *random, size_t joints, size_t followers, bool scalar,
                       td_base base, td_plan plan)
{
    td_load_options options = td_load_options_default();
    options.base = base;
    options.plan = plan;
    td_random_fill(random, 3, options.gravity);
    td_builder *builder = td_random_robot(random, joints, followers, scalar);
    return model_of_builder(builder, &options);
}

TD_LOOP_TEST(identities, 0, 4)
{
    td_random random = {(uint64_t)(1000 + _i)};
    int regular = 0;
    for (int k = 0; k < 60; k++) {
        OWNED_HERE;
        td_base base = k % 3 == 0 ? TD_BASE_FLOATING : TD_BASE_FIXED;
        td_model *model =
            robot(&random, 1 + (size_t)k / 3, k % 2 ? 5 : 0, k % 5 == 0, base, (td_plan)(k % 3));
        for (int tree = 0; tree < 2; tree++) {
            state s = state_new(model, tree);
            regular += identities_check(&s, &random, 1);
        }
    }
    ck_assert_int_ge(regular, 30);
}

#if TANDEM_HAS_URDF
TD_LOOP_TEST(bundled_robots, 0, td_robot_count())
{
    td_random random = {77};
    for (int base = TD_BASE_FIXED; base <= TD_BASE_FLOATING; base++)
        for (int tree = 0; tree < 2; tree++) {
            td_load_options options = td_load_options_default();
            options.base = (td_base)base;
            td_model *model = td_load_robot(td_robots[_i], &options);
            state s = state_new(model, tree);
            int regular = identities_check(&s, &random, 5);
            /* On a floating base, the shoulder's first link has no mass and could rotate freely
               about its first joint. The hand's ground has none either and could slide under the
               wrist. */
            bool defined =
                base == TD_BASE_FIXED || (strcmp(td_robots[_i], "recupera_shoulder.urdf") != 0 &&
                                          strncmp(td_robots[_i], "hand_", 5) != 0);
            ck_assert_int_eq(regular, defined ? 5 : 0);
        }
}
#endif

/* ---- the two plans --------------------------------------------------------------------------- */

static td_model *planned(const td_builder *builder, td_base base, td_plan plan)
{
    td_load_options options = td_load_options_default();
    options.base = base;
    options.plan = plan;
    td_model *model = model_of_builder(builder, &options);
    ck_assert_int_eq(td_plan_of(model).plan, td_nyd(model) < td_nv(model) ? plan : TD_PLAN_CLUSTER);
    ck_assert_int_eq(td_plan_of(model).batch_plan, td_plan_of(model).plan);
    return model;
}

/* Clusters and factors of Gᵀ H G must give the same accelerations on random robots with followers
   anywhere: chains, leaders above, below and on other branches, and free joints in between.
   Accelerations may differ by the rounding of forces times the norm of the inverse mass matrix. */
TD_LOOP_TEST(plans_agree, 0, 4)
{
    td_random random = {(uint64_t)(5000 + _i)};
    int regular = 0;
    size_t largest = 0;
    for (int k = 0; k < 750; k++) {
        OWNED_HERE;
        td_builder *builder =
            td_random_robot(&random, 2 + (size_t)(k % 25), 1 + (size_t)(k % 9), k % 2);
        td_base base = k % 3 ? TD_BASE_FIXED : TD_BASE_FLOATING;
        td_model *model = planned(builder, base, TD_PLAN_CLUSTER);
        td_model *other = planned(builder, base, TD_PLAN_REDUCED);
        state s = state_new(model, false), t = state_new(other, false);
        td_draw_configuration(&random, model, false, 2, s.q);
        td_random_fill(&random, s.n, s.qd);
        td_random_fill(&random, s.n, s.tau);
        s.forces.passive = k % 2;
        td_status status = td_forward_dynamics(model, s.w, s.q, s.qd, s.tau, &s.forces, s.x);
        ck_assert_int_eq(status == TD_OK || status == TD_ERROR_SINGULAR, 1);
        if (status == TD_OK &&
            td_forward_dynamics(other, t.w, s.q, s.qd, s.tau, &s.forces, t.x) == TD_OK) {
            td_bias_force(model, s.w, s.q, s.qd, &s.forces, s.C);
            td_mass_matrix_inverse(model, s.w, s.q, &s.forces, s.M);
            td_mass_matrix(model, s.w, s.q, &s.forces, s.H);
            double inverse = td_largest(s.n * s.n, s.M);
            double forces =
                1 + td_largest(s.n, s.C) + td_largest(s.n * s.n, s.H) * td_largest(s.n, s.x);
            td_assert_close(s.n, s.x, t.x, 1e-10, 1e-3 * inverse * forces);
            regular++;
        }
        if (td_plan_of(model).largest_cluster > largest)
            largest = td_plan_of(model).largest_cluster;
    }
    ck_assert_int_ge(regular, 200); /* the others end in massless links */
    ck_assert_uint_ge(largest, 15); /* these include clusters that had to absorb many joints */
}

/* Choice of the plan: on chains of parallelograms, factors win below 10 modules and clusters above
   12, according to the counts in bench/instructions.txt. */
static td_builder *parallelograms(size_t modules)
{
    td_builder *builder = test_builder("parallelograms");
    td_link base = td_link_default("l0");
    td_builder_add_link(builder, &base);
    for (size_t i = 1; i <= 3 * modules; i++) { /* crank, coupler, rocker in turn */
        size_t part = (i - 1) % 3, crank = i - part, ground = crank > 1 ? crank - 2 : 0;
        char parent[24], name[24], joint_name[24], leader[24];
        snprintf(parent, sizeof parent, "l%zu", part == 1 ? crank : ground);
        snprintf(name, sizeof name, "l%zu", i);
        snprintf(joint_name, sizeof joint_name, "j%zu", i);
        snprintf(leader, sizeof leader, "j%zu", crank);
        td_link link = td_solid_link(name, 1, 0.1);
        td_joint joint = td_joint_default(joint_name, TD_JOINT_CONTINUOUS, parent, name);
        joint.mimic = part == 0 ? NULL : leader;
        joint.multiplier = part == 1 ? -1 : 1;
        td_builder_add_link(builder, &link);
        td_builder_add_joint(builder, &joint);
    }
    return builder;
}

TD_TEST(automatic_plan)
{
    for (size_t modules = 1; modules <= 40; modules++) {
        OWNED_HERE;
        td_builder *builder = parallelograms(modules);
        td_model *model = model_of_builder(builder, NULL);
        td_plan_info plan = td_plan_of(model);
        ck_assert_uint_eq(plan.clusters, modules);
        ck_assert_uint_eq(plan.largest_cluster, 3);
        if (modules < 6)
            ck_assert_int_eq(plan.plan, TD_PLAN_REDUCED);
        if (modules > 8)
            ck_assert_int_eq(plan.plan, TD_PLAN_CLUSTER);
        if (modules < 10)
            ck_assert_int_eq(plan.batch_plan, TD_PLAN_REDUCED);
        if (modules > 13)
            ck_assert_int_eq(plan.batch_plan, TD_PLAN_CLUSTER);
    }
}

/* ---- constraints ----------------------------------------------------------------------------- */

/* Checks the paper's equations against each other on random robots with followers. K G = 0; the
   implicit equations of motion (5) give the same q̈ as the explicit ones (7, 11); τ_c = Kᵀ λ = H q̈ +
   C − τ and Gᵀ τ_c = 0 (2, 4, 6, 8). */
TD_LOOP_TEST(constraints, 0, 4)
{
    td_random random = {(uint64_t)(7000 + _i)};
    int regular = 0;
    for (int k = 0; k < 200; k++) {
        OWNED_HERE;
        td_model *model = robot(&random, 3 + (size_t)(k % 20), 1 + (size_t)(k % 6), k % 2,
                                k % 3 ? TD_BASE_FIXED : TD_BASE_FLOATING, (td_plan)(k % 3));
        state s = state_new(model, false);
        size_t nv = td_nv(model), n = s.n, c = td_constraint_count(model);
        ck_assert_uint_eq(c, nv - n);
        double *q = doubles(td_nq(model)), *qd = doubles(nv), *qdd = doubles(nv);
        double *implicit = doubles(nv), *tau = doubles(nv), *tau_c = doubles(nv);
        double *lambda = doubles(c), *K = doubles(c * nv), *G = doubles(nv * n);
        double *phi = doubles(c), *multiplied = doubles(nv);
        td_draw_configuration(&random, model, false, 2, s.q);
        td_random_fill(&random, n, s.qd);
        td_random_fill(&random, nv, tau);
        td_closure(model, s.w, s.q, s.qd, NULL, q, qd, NULL);
        td_constraint_jacobian(model, s.w, q, K);
        td_closure_jacobian(model, s.w, s.q, G);
        for (size_t i = 0; i < c; i++)
            for (size_t j = 0; j < n; j++) {
                double sum = 0;
                for (size_t m = 0; m < nv; m++)
                    sum += K[i * nv + m] * G[m * n + j];
                ck_assert_double_eq(sum, 0);
            }
        td_constraint_residual(model, s.w, q, phi);
        ck_assert_double_le(td_largest(c, phi), 1e-14);

        td_project_force(model, s.w, s.q, tau, s.tau);
        td_status one = td_forward_dynamics(model, s.w, s.q, s.qd, s.tau, NULL, s.qdd);
        td_status two =
            td_constrained_forward_dynamics(model, s.w, q, qd, tau, NULL, NULL, implicit, lambda);
        double *M = doubles(nv * nv);
        ck_assert_int_eq(one, two);
        if (one == TD_OK &&
            TD_IN_TREE(s.w, td_mass_matrix_inverse(model, s.w, q, NULL, M)) == TD_OK) {
            regular++;
            TD_IN_TREE(s.w, td_bias_force(model, s.w, q, qd, NULL, multiplied));
            double inverse = td_largest(nv * nv, M) * (double)nv;
            double forces = 1 + td_largest(nv, multiplied);
            td_closure(model, s.w, s.q, s.qd, s.qdd, q, qd, qdd);
            td_assert_close(nv, implicit, qdd, 1e-10, inverse * forces);
            td_constraint_force(model, s.w, s.q, s.qd, s.qdd, tau, NULL, tau_c);
            memset(multiplied, 0, nv * sizeof *multiplied);
            for (size_t i = 0; i < c; i++)
                for (size_t m = 0; m < nv; m++)
                    multiplied[m] += K[i * nv + m] * lambda[i];
            double *H = doubles(nv * nv);
            TD_IN_TREE(s.w, td_mass_matrix(model, s.w, q, NULL, H));
            double condition = inverse * td_largest(nv * nv, H) * (double)nv;
            td_assert_close(nv, tau_c, multiplied, 1e-13, condition * forces);
            td_project_force(model, s.w, s.q, tau_c, s.x);
            ck_assert_double_le(td_largest(n, s.x), 1e-13 * condition * forces);
        }
    }
    ck_assert_int_ge(regular, 30);
}

/* Baumgarte stabilization where positions and velocities violate the constraints: K q̈ = k − 2 α K q̇
   − β² φ. With α = β = 0 this is K q̈ = k. */
TD_LOOP_TEST(stabilised_constraints, 0, 2)
{
    static const double parts[][2] = {{0, 3}, {2, 0}, {2, 3}, {0.5, 0.25}};
    td_random random = {(uint64_t)(7400 + _i)};
    int regular = 0;
    for (int k = 0; k < 60; k++) {
        OWNED_HERE;
        td_model *model = robot(&random, 3 + (size_t)(k % 12), 1 + (size_t)(k % 6), true,
                                k % 3 ? TD_BASE_FIXED : TD_BASE_FLOATING, TD_PLAN_AUTO);
        td_workspace *w = test_workspace(model);
        size_t nv = td_nv(model), c = td_constraint_count(model);
        double *q = doubles(td_nq(model)), *qd = doubles(nv), *tau = doubles(nv);
        double *free_qdd = doubles(nv), *qdd = doubles(nv), *K = doubles(c * nv);
        double *phi = doubles(c), *rate = doubles(c), *got = doubles(c), *expected = doubles(c);
        td_draw_configuration(&random, model, true, 2, q);
        td_random_fill(&random, nv, qd);
        td_random_fill(&random, nv, tau);
        td_constraint_jacobian(model, w, q, K);
        td_constraint_residual(model, w, q, phi);
        mat_times(c, nv, K, qd, rate);
        bool defined = td_constrained_forward_dynamics(model, w, q, qd, tau, NULL, NULL, free_qdd,
                                                       NULL) == TD_OK;
        for (size_t n = 0; defined && n < sizeof parts / sizeof *parts; n++) {
            td_constraint_options options = td_constraint_options_default();
            options.alpha = parts[n][0], options.beta = parts[n][1];
            assert_ok(
                td_constrained_forward_dynamics(model, w, q, qd, tau, NULL, &options, qdd, NULL));
            mat_times(c, nv, K, free_qdd, expected);
            mat_times(c, nv, K, qdd, got);
            for (size_t i = 0; i < c; i++)
                expected[i] -= 2 * options.alpha * rate[i] + options.beta * options.beta * phi[i];
            double size = td_largest(nv, qdd) + td_largest(nv, free_qdd);
            td_assert_close(c, got, expected, 1e-10, 1 + size);
            regular += size < 1e6;
        }
    }
    ck_assert_int_ge(regular, 40);
}

/* ---- singular robots ------------------------------------------------------------------------- */

static td_model *chain(const double *masses, size_t count, bool thin, bool sliding)
{
    td_builder *builder = test_builder("chain");
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
    return model_of_builder(builder, NULL);
}

static void check_singular(td_model *model, const char *joint)
{
    for (int tree = 0; tree < 2; tree++) {
        state s = state_new(model, tree);
        td_random random = {1};
        td_draw_configuration(&random, model, tree, 1, s.q);
        ck_assert_uint_eq(td_singular_joint(s.w), TD_NONE);
        s.x[0] = 0;
        ck_assert_int_eq(CALL(&s, forward_dynamics, s.q, NULL, NULL, NULL, s.x), TD_ERROR_SINGULAR);
        for (size_t i = 0; i < s.n; i++)
            ck_assert(isnan(s.x[i]));
        ck_assert_uint_ne(td_singular_joint(s.w), TD_NONE);
        ck_assert_str_eq(td_joint_at(model, td_singular_joint(s.w))->name, joint);
        ck_assert_int_eq(CALL(&s, solve_mass_matrix, s.q, s.tau, NULL, s.x), TD_ERROR_SINGULAR);
        ck_assert_str_eq(td_joint_at(model, td_singular_joint(s.w))->name, joint);
        ck_assert_int_eq(CALL(&s, mass_matrix_inverse, s.q, NULL, s.M), TD_ERROR_SINGULAR);
        /* inverse dynamics still works */
        assert_ok(CALL(&s, inverse_dynamics, s.q, s.qd, s.qdd, NULL, s.tau));
        ck_assert(isfinite(td_largest(s.n, s.tau)));
    }
}

TD_TEST(singular_robots)
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
    }
}

/* A point mass on the axis of the last joint, some distance along it. For any axis and mass, the
   moment of inertia that rounding leaves about that axis must count as zero. */
TD_LOOP_TEST(mass_on_an_axis, 0, 50)
{
    td_random random = {(uint64_t)_i};
    double rotation[9];
    td_random_rotation(&random, rotation);
    td_builder *builder = test_builder("spindle");
    static const char *const links[] = {"base", "arm", "spindle"}, *const joints[] = {"j0", "j1"};
    for (int i = 0; i < 3; i++) {
        td_link link = td_link_default(links[i]);
        link.has_inertial = i > 0;
        link.mass = i ? 0.1 * (_i + 1) : 0;
        for (int k = 0; k < 3; k++)
            link.inertial.position[k] = i == 1 ? 0.1 * (k + 1) : _i % 2 ? rotation[k] : k == 2;
        td_builder_add_link(builder, &link);
    }
    for (int i = 0; i < 2; i++) {
        td_joint joint = td_joint_default(joints[i], TD_JOINT_CONTINUOUS, links[i], links[i + 1]);
        for (int k = 0; k < 3; k++)
            joint.axis[k] = i == 0 ? k == 1 : _i % 2 ? rotation[k] : k == 2;
        td_builder_add_joint(builder, &joint);
    }
    td_model *model = model_of_builder(builder, NULL);
    check_singular(model, "j1");
}

/* A cluster without inertia: leader and follower move massless links. A diagnostic at load and the
   status of calls report it and name the leader, with either plan. A follower with mass makes the
   robot regular. */
TD_TEST(singular_cluster)
{
    static const double masses[] = {1, 0, 0, 0, 0, 1}; /* arm, leader, follower; again */
    for (int regular = 0; regular < 2; regular++)
        for (int plan = TD_PLAN_CLUSTER; plan <= TD_PLAN_REDUCED; plan++) {
            td_builder *builder = test_builder("robot");
            td_link base = td_link_default("l0");
            td_builder_add_link(builder, &base);
            static const char *const names[] = {"l0", "l1", "l2", "l3"};
            static const char *const joints[] = {"arm", "leader", "follower"};
            for (size_t i = 0; i < 3; i++) {
                td_link link = td_link_default(names[i + 1]);
                link.has_inertial = true;
                link.mass = i ? masses[3 * (size_t)regular + i] : 1;
                link.inertial.position[0] = 0.2;
                link.inertia[0] = link.inertia[3] = link.inertia[5] = 0.1 * link.mass;
                td_joint joint = td_joint_default(joints[i], TD_JOINT_CONTINUOUS,
                                                  i == 2 ? "l1" : names[i], names[i + 1]);
                joint.axis[2] = 1;
                joint.mimic = i == 2 ? "leader" : NULL;
                joint.multiplier = -0.5;
                td_builder_add_link(builder, &link);
                td_builder_add_joint(builder, &joint);
            }
            td_load_options options = td_load_options_default();
            options.plan = (td_plan)plan;
            td_diagnostics *list = test_diagnostics(0);
            td_model *model;
            assert_ok(test_builder_finish(builder, &options, list, &model));
            bool said[2] = {false, false}; /* a note where only the tree's is singular */
            for (size_t i = 0; i < td_diagnostics_size(list); i++) {
                const char *code = td_diagnostics_at(list, i)->code;
                said[0] = said[0] || strcmp(code, "URDF-I009") == 0;
                said[1] = said[1] || strcmp(code, "URDF-I011") == 0;
            }
            ck_assert(said[regular] && !said[!regular]);
            td_workspace *w = test_workspace(model);
            const double y[] = {0.3, 0.4};
            double ydd[2];
            td_status status = td_forward_dynamics(model, w, y, NULL, NULL, NULL, ydd);
            ck_assert_int_eq(status, regular ? TD_OK : TD_ERROR_SINGULAR);
            if (!regular) {
                ck_assert(isnan(ydd[0]) && isnan(ydd[1]));
                ck_assert_str_eq(td_joint_at(model, td_singular_joint(w))->name, "leader");
            }
        }
}

/* a NaN or an infinity in the state has a status for itself */
TD_TEST(not_finite)
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
    assert_ok(CALL(&s, forward_dynamics, s.q, s.qd, s.tau, NULL, s.x));
}

/* singular and regular states in the same batch */
TD_TEST(batch_of_mixed_states)
{
    static const double all[] = {1, 1, 1};
    td_model *model = chain(all, 3, true, false); /* singular everywhere */
    td_model *good = chain(all, 3, false, false);
    td_workspace *w = test_workspace(good);
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
    w = test_workspace(model);
    q[3 * 4] = 0;
    ck_assert_int_eq(
        TD_IN_TREE(w, td_batch_forward_dynamics(model, w, N, q, NULL, tau, NULL, qdd, each)),
        TD_ERROR_SINGULAR);
    ck_assert_int_eq(each[N - 1], TD_ERROR_SINGULAR);
    ck_assert_uint_eq(td_singular_joint(w), 2);
}

/* ---- size ------------------------------------------------------------------------------------ */

/* arity 1: a chain; 2: a binary tree, 127 joints for depth 7 */
static td_model *regular_tree(size_t joints, size_t arity, bool mixed)
{
    td_builder *builder = test_builder("tree");
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
    return model_of_builder(builder, NULL);
}

/* The residual of forward dynamics, |ID(FD(tau)) − tau|, is small relative to the acting forces for
   any condition of H, which grows fast with the length of a chain. */
static void check_large(td_model *model, double tolerance)
{
    state s = state_new(model, true);
    td_random random = {5};
    for (int k = 0; k < 3; k++) {
        td_draw_configuration(&random, model, true, 1, s.q);
        td_random_fill(&random, s.n, s.qd);
        td_random_fill(&random, s.n, s.qdd);
        for (size_t i = 0; i < s.n; i++)
            s.qd[i] *= 0.1;
        CALL(&s, inverse_dynamics, s.q, s.qd, s.qdd, NULL, s.tau);
        CALL(&s, mass_matrix, s.q, NULL, s.H);
        CALL(&s, bias_force, s.q, s.qd, NULL, s.C);
        mat_times(s.n, s.n, s.H, s.qdd, s.x);
        for (size_t i = 0; i < s.n; i++)
            s.x[i] += s.C[i];
        td_assert_close(s.n, s.x, s.tau, 1e-12, 0);
        assert_ok(CALL(&s, forward_dynamics, s.q, s.qd, s.tau, NULL, s.x));
        CALL(&s, inverse_dynamics, s.q, s.qd, s.x, NULL, s.z);
        td_assert_close(s.n, s.z, s.tau, tolerance, td_largest(s.n, s.C));
        assert_ok(CALL(&s, solve_mass_matrix, s.q, s.tau, NULL, s.x));
        mat_times(s.n, s.n, s.H, s.x, s.z);
        td_assert_close(s.n, s.z, s.tau, tolerance, 0);
        CALL(&s, coriolis_matrix, s.q, s.qd, s.M);
        mat_times(s.n, s.n, s.M, s.qd, s.x);
        CALL(&s, gravity_force, s.q, s.z);
        for (size_t i = 0; i < s.n; i++)
            s.C[i] -= s.z[i];
        td_assert_close(s.n, s.x, s.C, 1e-12, td_largest(s.n, s.z));
    }
}

TD_TEST(long_chain)
{
    check_large(regular_tree(1000, 1, true), 1e-11);
}

TD_TEST(deep_tree)
{
    check_large(regular_tree(127, 2, true), 1e-12);
}
