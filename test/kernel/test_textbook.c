/* SPDX-License-Identifier: MIT */
/*
 * The fast kernels against the textbook kernels of lib/kernel/reference: inverse dynamics, mass
 * matrix and forward dynamics, for one state and a batch. Robots are random trees with all joint
 * types, branches, fixed joints, fixed and floating bases, gravity in any direction and wrenches.
 * The textbook kernels are compared with themselves in quadruple precision, and checked by
 * identities of H and C.
 */
#include <math.h>

#include "kernel/real/quad.h"
#include "kernel/reference/reference.h"
#include "model/model.h"
#include "model/tree_inertia.h"
#include "td_test.h"

extern const td_textbook td_textbook_double, td_textbook_quad;

enum { ROBOTS = 40, STATES = 7 };

typedef struct robot {
    td_model *model;
    td_workspace *workspace;
    const td_tree *tree;
    size_t nq, nv;
    double *q, *qd, *qdd, *tau; /* STATES rows */
    double *wrenches;           /* links × 6, in the links' axes */
    double *f_ext;              /* bodies × 6 */
} robot;

static void cross(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* Converts wrenches on links to forces on the bodies that carry them, in the coordinates of the
   bodies. */
static void find_body_forces(robot *r)
{
    for (size_t k = 0; k < r->tree->links; k++) {
        const td_link_frame *link = &r->tree->link[k];
        const td_mat3 *E = &link->rotation;
        const double R[9] = {E->xx, E->xy, E->xz, E->yx, E->yy, E->yz, E->zx, E->zy, E->zz};
        const double p[3] = {link->position.x, link->position.y, link->position.z};
        const double *w = r->wrenches + 6 * k;
        double turned[6] = {0}, arm[3];
        if (link->body < 0)
            continue;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                turned[i] += R[3 * i + j] * w[j];
                turned[3 + i] += R[3 * i + j] * w[3 + j];
            }
        cross(p, turned + 3, arm);
        for (int i = 0; i < 6; i++)
            r->f_ext[6 * link->body + i] += turned[i] + (i < 3 ? arm[i] : 0);
    }
}

static robot robot_of(unsigned seed)
{
    td_random random = {seed};
    td_load_options options = td_load_options_default();
    robot r = {0};
    options.base = seed % 3 == 0 ? TD_BASE_FLOATING : TD_BASE_FIXED;
    td_random_fill(&random, 3, options.gravity);
    td_builder *builder =
        td_random_robot(&random, 1 + td_random_below(&random, 14), 0, seed % 2 == 0);
    assert_ok(test_builder_finish(builder, &options, NULL, &r.model));
    r.workspace = test_workspace(r.model);
    r.tree = &r.model->tree;
    r.nq = td_nq(r.model), r.nv = td_nv(r.model);
    r.q = doubles(STATES * r.nq);
    r.qd = doubles(STATES * r.nv), r.qdd = doubles(STATES * r.nv), r.tau = doubles(STATES * r.nv);
    r.wrenches = doubles(6 * r.tree->links), r.f_ext = doubles(6 * r.tree->bodies);
    for (size_t i = 0; i < STATES; i++)
        td_draw_configuration(&random, r.model, true, 3, r.q + i * r.nq);
    td_random_fill(&random, STATES * r.nv, r.qd);
    td_random_fill(&random, STATES * r.nv, r.qdd);
    td_random_fill(&random, STATES * r.nv, r.tau);
    td_random_fill(&random, 6 * r.tree->links, r.wrenches);
    find_body_forces(&r);
    return r;
}

/* Returns the random robot with that number. regular: counts only robots with a regular mass
   matrix; many are singular, as links may be massless. */
static robot robot_new(int number, bool regular)
{
    unsigned seed = 1000 * (unsigned)number + 1;
    robot r = robot_of(seed);
    double *qdd = doubles(r.nv);
    while (regular && TD_IN_TREE(r.workspace, td_forward_dynamics(r.model, r.workspace, r.q, NULL,
                                                                  NULL, NULL, qdd))) {
        r = robot_of(++seed);
        qdd = doubles(r.nv);
    }
    return r;
}

static void check_same(size_t n, const double *value, const double *expected, double tolerance,
                       const char *what)
{
    double scale = 1e-300, error = td_largest_difference(n, value, expected);
    for (size_t i = 0; i < n; i++)
        scale = fmax(scale, fabs(expected[i]));
    ck_assert_msg(error <= tolerance * scale, "%s: off by %g of %g", what, error, scale);
}

TD_LOOP_TEST(inverse_dynamics, 0, ROBOTS)
{
    robot r = robot_new(_i, false);
    td_forces forces = td_forces_default();
    forces.wrenches = r.wrenches;
    forces.wrench_frame = TD_FRAME_BODY;
    double *tau = doubles(r.nv), *expected = doubles(STATES * r.nv),
           *batch = doubles(STATES * r.nv);
    for (size_t i = 0; i < STATES; i++) {
        const double *q = r.q + i * r.nq, *qd = r.qd + i * r.nv, *qdd = r.qdd + i * r.nv;
        td_textbook_double.rnea(r.tree, q, qd, qdd, r.f_ext, expected + i * r.nv);
        assert_ok(TD_IN_TREE(r.workspace,
                             td_inverse_dynamics(r.model, r.workspace, q, qd, qdd, &forces, tau)));
        check_same(r.nv, tau, expected + i * r.nv, 1e-12, "one state");
    }
    assert_ok(
        TD_IN_TREE(r.workspace, td_batch_inverse_dynamics(r.model, r.workspace, STATES, r.q, r.qd,
                                                          r.qdd, &forces, batch, NULL)));
    check_same(STATES * r.nv, batch, expected, 1e-12, "batch");
}

static void check_mass_matrix(const robot *r)
{
    const size_t n = r->nv * r->nv;
    double *H = doubles(n), *expected = doubles(STATES * n), *batch = doubles(STATES * n);
    for (size_t i = 0; i < STATES; i++) {
        const double *q = r->q + i * r->nq;
        td_textbook_double.crba(r->tree, q, expected + i * n);
        assert_ok(TD_IN_TREE(r->workspace, td_mass_matrix(r->model, r->workspace, q, NULL, H)));
        check_same(n, H, expected + i * n, 1e-12, "one state");
    }
    assert_ok(TD_IN_TREE(r->workspace, td_batch_mass_matrix(r->model, r->workspace, STATES, r->q,
                                                            NULL, batch, NULL)));
    check_same(STATES * n, batch, expected, 1e-12, "batch");
}

TD_LOOP_TEST(mass_matrix, 0, ROBOTS)
{
    robot r = robot_new(_i, false);
    check_mass_matrix(&r);
}

/* Files may contain inertias that no body can have, negative about some axes, which causes a
   warning. Results are linear in them all the same. */
TD_LOOP_TEST(inertias_of_no_body, 0, ROBOTS)
{
    robot r = robot_new(_i, false);
    td_tree *tree = &r.model->tree;
    td_points *points = test_calloc(tree->bodies, sizeof *points);
    td_random random = {(uint64_t)_i};
    for (size_t i = 0; i < tree->bodies; i++) {
        double change[6];
        td_sym3 *I = &tree->body[i].inertia;
        td_random_fill(&random, 6, change);
        I->xx += 5 * change[0], I->yy += 5 * change[1], I->zz += 5 * change[2];
        I->xy += 5 * change[3], I->xz += 5 * change[4], I->yz += 5 * change[5];
    }
    td_tree_derive(tree, points);
    check_mass_matrix(&r);
}

/* Compares accelerations by the forces that they require, H times their difference, because they
   may be large where a joint moves almost no inertia. */
static void check_accelerations(const robot *r, const double *q, const double *qdd,
                                const double *expected, const double *H, const char *what)
{
    double *force = doubles(r->nv), *other = doubles(r->nv);
    td_textbook_double.crba(r->tree, q, (double *)H);
    for (size_t i = 0; i < r->nv; i++)
        for (size_t j = 0; j < r->nv; j++) {
            force[i] += H[i * r->nv + j] * qdd[j];
            other[i] += H[i * r->nv + j] * expected[j];
        }
    check_same(r->nv, force, other, 1e-11, what);
}

TD_LOOP_TEST(forward_dynamics, 0, ROBOTS)
{
    robot r = robot_new(_i, true);
    td_forces forces = td_forces_default();
    forces.wrenches = r.wrenches;
    forces.wrench_frame = TD_FRAME_BODY;
    double *qdd = doubles(r.nv), *expected = doubles(STATES * r.nv),
           *batch = doubles(STATES * r.nv);
    double *H = doubles(r.nv * r.nv);
    for (size_t i = 0; i < STATES; i++) {
        const double *q = r.q + i * r.nq, *qd = r.qd + i * r.nv, *tau = r.tau + i * r.nv;
        td_textbook_double.aba(r.tree, q, qd, tau, r.f_ext, expected + i * r.nv);
        assert_ok(TD_IN_TREE(r.workspace,
                             td_forward_dynamics(r.model, r.workspace, q, qd, tau, &forces, qdd)));
        check_accelerations(&r, q, qdd, expected + i * r.nv, H, "one state");
    }
    assert_ok(
        TD_IN_TREE(r.workspace, td_batch_forward_dynamics(r.model, r.workspace, STATES, r.q, r.qd,
                                                          r.tau, &forces, batch, NULL)));
    for (size_t i = 0; i < STATES; i++)
        check_accelerations(&r, r.q + i * r.nq, batch + i * r.nv, expected + i * r.nv, H, "batch");
}

static quad *quads(const double *x, size_t n)
{
    quad *copy = test_calloc(n + 1, sizeof *copy);
    for (size_t i = 0; i < n; i++)
        copy[i] = (quad)x[i];
    return copy;
}

/* In quadruple precision the three agree: tau = H qdd + C, and forward dynamics of tau returns qdd.
   Inverse dynamics in double has rounding errors of double precision. */
TD_LOOP_TEST(quadruple_precision, 0, ROBOTS)
{
    robot r = robot_new(_i, true);
    const size_t n = r.nv;
    double *rounded = doubles(n), *expected = doubles(n), *zeros = doubles(n);
    quad *q = quads(r.q, r.nq), *qd = quads(r.qd, n), *qdd = quads(r.qdd, n);
    quad *f_ext = quads(r.f_ext, 6 * r.tree->bodies), *none = quads(zeros, n);
    quad *tau = quads(zeros, n), *C = quads(zeros, n), *back = quads(zeros, n);
    quad *H = test_calloc(n * n + 1, sizeof *H);
    td_textbook_quad.rnea(r.tree, q, qd, qdd, f_ext, tau);
    td_textbook_quad.rnea(r.tree, q, qd, none, f_ext, C);
    td_textbook_quad.crba(r.tree, q, H);
    td_textbook_quad.aba(r.tree, q, qd, tau, f_ext, back);
    for (size_t i = 0; i < n; i++) {
        quad sum = C[i];
        for (size_t j = 0; j < n; j++)
            sum += H[i * n + j] * qdd[j];
        rounded[i] = (double)(sum - tau[i]);
        expected[i] = (double)(back[i] - qdd[i]);
        ck_assert_double_le(fabs(rounded[i]), 1e-28);
        ck_assert_double_le(fabs(expected[i]), 1e-20); /* times the condition of H */
    }
    td_textbook_double.rnea(r.tree, r.q, r.qd, r.qdd, r.f_ext, rounded);
    for (size_t i = 0; i < n; i++)
        expected[i] = (double)tau[i];
    check_same(n, rounded, expected, 1e-14, "rounding");
}
