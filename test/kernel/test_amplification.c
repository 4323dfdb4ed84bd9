/* SPDX-License-Identifier: MIT */
/*
 * The amplification that forward dynamics computes for the pivots of the mass matrix, without
 * forming that matrix, against the matrix in long double. Amplification: how much larger than a
 * pivot the terms are whose difference it is, as the maximum of all coordinates. Robots are random
 * trees with all joint types, rotors and given accelerations, and clusters of followers. Others are
 * chains with some light links, and long chains about parallel axes. Each is tested for one state
 * and in lanes.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "coupled_robots.h"
#include "dynamics/workspace.h"
#include "functions.h"
#include "model/model.h"

enum { TRIALS = 60, MOST = 130 };

/* ---- exact values ---------------------------------------------------------------------------- */

/* Returns the largest ratio of these terms to a pivot D, over all coordinates: with x_k = 1 and the
   coordinates after it free, Σ H_jj x_j² / Σ x_i H_ij x_j. Uses H = Lᵀ D L in the given order,
   without coordinates whose acceleration is given. */
static long double most_amplified(size_t n, const double *H, size_t count, const int *order)
{
    static long double A[MOST][MOST], x[MOST];
    long double most = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            A[i][j] = H[(size_t)order[i] * n + (size_t)order[j]];
    for (size_t k = count; k-- > 0;)
        for (size_t i = k; i-- > 0;) {
            const long double part = A[k][i] / A[k][k];
            for (size_t j = 0; j <= i; j++)
                A[i][j] -= part * A[k][j];
            A[k][i] = part;
        }
    for (size_t k = 0; k < count; k++) {
        long double sum = 0;
        for (size_t j = k; j < count; j++) {
            x[j] = j == k;
            for (size_t i = k; i < j; i++)
                x[j] -= A[j][i] * x[i];
            sum += H[(size_t)order[j] * (n + 1)] * x[j] * x[j];
        }
        most = fmaxl(most, sum / A[k][k]);
    }
    return most;
}

/* ---- computed values ------------------------------------------------------------------------- */

typedef struct found {
    const td_model *model;
    const td_kernels *kernels;
    const td_scratch *scratch;
    bool tree, rotors, in_body_axes;
    const unsigned char *given;
    struct td_suspect_list all;
} found;

/* returns whether a pivot is below that fraction of its terms; all velocities are candidates */
static bool is_bad(const found *f, double digits)
{
    const td_closure_map *closure = &f->model->closure;
    const td_suspects suspects = {{f->all, {NULL, 0}}, digits};
    const td_motion_inputs in = {f->in_body_axes ? f->scratch->q : NULL, .rotors = f->rotors};
    const double none = -1;
    double bad[8];
    f->kernels->spread(f->scratch->singular, &none, 1);
    f->kernels->examine_joints(
        &f->model->tree, f->tree ? &f->model->tree_clusters : &closure->clusters,
        f->tree ? NULL : &closure->velocity, f->scratch, &in, f->given, &suspects);
    f->kernels->store(bad, f->scratch->singular, 1, f->kernels->lanes);
    for (size_t i = 1; i < f->kernels->lanes; i++)
        ck_assert_double_eq(bad[i], bad[0]);
    return bad[0] >= 0;
}

/* Bisects the exponent of that fraction. Returns the inverse of its limit. */
static double found_amplified(const found *f)
{
    double low = 0, high = 25;
    for (int n = 0; n < 45; n++) {
        const double middle = 0.5 * (low + high);
        *(is_bad(f, pow(10, -middle)) ? &low : &high) = middle;
    }
    return pow(10, low);
}

/* Runs forward dynamics without velocities and forces, or hybrid dynamics; the scratch they leave
   is examined. */
static td_status accelerate(const td_model *model, td_workspace *w, bool tree, bool lanes,
                            const double *y, const td_forces *forces, const unsigned char *given)
{
    double zero[MOST] = {0}, tau[MOST] = {0}, out[MOST] = {0};
    if (!given && !lanes)
        return TD_IN(w, coordinates_for(tree),
                     td_forward_dynamics(model, w, y, zero, tau, forces, out));
    if (!given)
        return TD_IN(w, coordinates_for(tree),
                     td_batch_forward_dynamics(model, w, 1, y, zero, tau, forces, out, NULL));
    if (!lanes)
        return TD_IN_TREE(w, td_hybrid_dynamics(model, w, y, zero, given, forces, out, tau));
    return TD_IN_TREE(
        w, td_batch_hybrid_dynamics(model, w, 1, y, zero, given, forces, out, tau, NULL));
}

/* Compares both kinds of kernels with the exact value at a random state. Returns that value, or 0
   for a singular state. */
static double check(const td_model *model, td_random *random, bool tree, bool rotors, bool hybrid)
{
    static double H[MOST * MOST], y[MOST], q[MOST];
    static int order[MOST], all[MOST];
    unsigned char given[MOST] = {0};
    td_workspace *w = test_workspace(model);
    const size_t n = tree ? td_nv(model) : td_nyd(model);
    const td_clusters *c = tree ? &model->tree_clusters : &model->closure.clusters;
    td_forces forces = td_forces_default();
    size_t count = 0;
    ck_assert_uint_le(n, MOST);
    forces.passive = rotors;
    td_draw_configuration(random, model, tree, 2, y);
    for (size_t i = 0; i < model->tree.bodies; i++) {
        const td_body *body = &model->tree.body[i];
        const unsigned char choice = hybrid && td_random_below(random, 3) == 0;
        memset(given + body->qd, choice, (size_t)body->nv);
    }
    for (size_t i = 0; i < n; i++) {
        all[i] = (int)i;
        if (!given[c->coordinate[i]])
            order[count++] = c->coordinate[i];
    }
    assert_ok(TD_IN(w, coordinates_for(tree), td_mass_matrix(model, w, y, &forces, H)));
    if (tree)
        memcpy(q, y, td_nq(model) * sizeof *q);
    else
        assert_ok(td_closure(model, w, y, NULL, NULL, q, NULL, NULL));
    double truth = 0;
    for (int lanes = 0; lanes < 2; lanes++) {
        if (accelerate(model, w, tree, lanes, y, &forces, hybrid ? given : NULL) != TD_OK)
            continue;
        const td_kernels *k = lanes ? model->batch : model->single;
        const td_scratch *s = lanes ? &w->share[0].scratch : &w->single;
        const bool in_body_axes = tree && (model->tree.fine || !k->world_axes_aba);
        const found f = {model, k, s, tree, rotors, in_body_axes, hybrid ? given : NULL, {all, n}};
        k->spread(s->q, q, td_nq(model));
        const double is = found_amplified(&f);
        truth = (double)most_amplified(n, H, count, order);
        ck_assert_msg(fabs(is - truth) < (1e-9 + 1e-13 * truth) * truth,
                      "%g is found where it is %g, %d lanes", is, truth, lanes);
    }
    return truth;
}

/* ---- robots ---------------------------------------------------------------------------------- */

TD_LOOP_TEST(trees, 0, TRIALS)
{
    td_random random = {(uint64_t)_i + 1};
    td_builder *builder = td_random_limbs(&random, 12, 0, false, 4);
    td_model *model = robot_for(builder, _i % 2 ? TD_BASE_FLOATING : TD_BASE_FIXED, NULL);
    for (int way = 0; way < 4; way++)
        check(model, &random, true, way & 1, way & 2);
}

TD_LOOP_TEST(clusters, 0, TRIALS)
{
    td_random random = {(uint64_t)_i + 1};
    td_builder *builder = _i % 3 ? coupled_random(&random, 10) : coupled_parallelograms(3);
    td_load_options options = td_load_options_default();
    options.base = _i % 2 ? TD_BASE_FLOATING : TD_BASE_FIXED;
    options.plan = TD_PLAN_CLUSTER;
    td_model *model = model_of_builder(builder, &options);
    if (!model->closure.identity)
        for (int rotors = 0; rotors < 2; rotors++)
            ck_assert_double_gt(check(model, &random, false, rotors, false), 0);
}

/* links of 1 kg, every `light`-th of them with `part` of that mass, about axes that are parallel or
   not */
static td_model *chain(size_t links, double part, size_t light, bool parallel, td_random *random)
{
    td_builder *builder = test_builder("chain");
    td_link base = td_link_default("l0");
    assert_ok(td_builder_add_link(builder, &base));
    for (size_t i = 1; i <= links; i++) {
        char name[16], parent[16], child[16];
        snprintf(name, sizeof name, "j%zu", i);
        snprintf(parent, sizeof parent, "l%zu", i - 1);
        snprintf(child, sizeof child, "l%zu", i);
        td_link link = td_link_default(child);
        td_joint joint = td_joint_default(name, TD_JOINT_CONTINUOUS, parent, child);
        const double size = i % light == 0 ? part : 1;
        link.has_inertial = true;
        link.mass = size;
        link.inertial.position[0] = 0.1;
        link.inertia[0] = 0.1 * size, link.inertia[3] = 0.2 * size, link.inertia[5] = 0.15 * size;
        joint.origin.position[0] = 0.2, joint.origin.position[2] = 0.1;
        joint.axis[0] = 0, joint.axis[1] = 1;
        if (!parallel)
            td_random_fill(random, 3, joint.axis);
        assert_ok(td_builder_add_link(builder, &link));
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    td_model *model = robot_for(builder, TD_BASE_FIXED, NULL);
    return model;
}

/* Up to the loss of all digits: calls succeed up to an amplification of 1e10. */
TD_LOOP_TEST(light_links, 0, TRIALS)
{
    td_random random = {(uint64_t)_i + 1};
    td_model *model = chain(9, pow(10, -_i % 12), 2 + (size_t)_i % 3, _i % 2, &random);
    const double truth = check(model, &random, true, false, false);
    ck_assert_double_le(truth, 1.001e10);
}

/* With a hundred links no digits are lost: every method succeeds, and all agree. */
TD_LOOP_TEST(long_chains, 0, 4)
{
    enum { LINKS = 100 };
    td_random random = {(uint64_t)_i + 1};
    static double y[LINKS], tau[LINKS], qdd[LINKS], solved[LINKS], bias[LINKS], each[LINKS];
    td_model *model = chain(LINKS, 1, 2, true, &random);
    const double truth = check(model, &random, true, false, false);
    ck_assert_double_gt(truth, 1000);
    ck_assert_double_lt(truth, 1e8);
    td_workspace *w = test_workspace(model);
    td_random_fill(&random, LINKS, y);
    td_random_fill(&random, LINKS, tau);
    assert_ok(td_forward_dynamics(model, w, y, NULL, tau, NULL, qdd));
    assert_ok(td_batch_forward_dynamics(model, w, 1, y, NULL, tau, NULL, each, NULL));
    assert_ok(td_bias_force(model, w, y, NULL, NULL, bias));
    for (size_t i = 0; i < LINKS; i++)
        tau[i] -= bias[i];
    assert_ok(td_solve_mass_matrix(model, w, y, tau, NULL, solved));
    td_assert_close(LINKS, qdd, solved, 1e-8, td_largest(LINKS, solved));
    td_assert_close(LINKS, each, solved, 1e-8, td_largest(LINKS, solved));
}
