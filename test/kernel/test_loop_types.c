/* SPDX-License-Identifier: MIT */
/*
 * Loop joints of every type, masks included, between the ends of two random limbs. For open loops:
 * φ by its definition, from link poses only. By differences, K must be its derivative and k the
 * derivative of −K q̇. Where γ closes the loop: the two frames must satisfy the constraints of the
 * type, and velocities and accelerations must keep them satisfied.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "along.h"
#include "constrained_check.h"
#include "loop_balance.h"
#include "loop_frames.h"

enum { LIMB = 7, MOST_NV = 6 * LIMB, ROWS = 6, ROBOTS = 4, HUNG = 3 };

static const td_loop_type types[] = {TD_LOOP_REVOLUTE, TD_LOOP_PRISMATIC, TD_LOOP_CYLINDRICAL,
                                     TD_LOOP_PLANAR,   TD_LOOP_UNIVERSAL, TD_LOOP_SPHERICAL,
                                     TD_LOOP_FIXED,    TD_LOOP_DISTANCE};
enum { TYPES = sizeof types / sizeof *types, KINDS = TYPES + 63 };

/* ---- rows ------------------------------------------------------------------------------------ */

/* Computes the rows for a given pose of the successor's frame in the predecessor's. With three
   constrained rotations, a row is half the difference of two products of axes. With two, it is the
   component of the free axis along each of the other axes. With one, it is one product. */
static size_t rows_at(const td_loop *loop, unsigned bits, td_pose at, double rows[ROWS])
{
    size_t n = 0;
    const double *R = at.rotation, *p = at.position;
    if (loop->type == TD_LOOP_DISTANCE) {
        double d = loop->distance;
        rows[0] = (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] - d * d) / (2 * d);
        return 1;
    }
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3, last = (k + 2) % 3;
        if (!(bits >> k & 1))
            continue;
        if (held_rotations(bits) == 3)
            rows[n++] = (R[3 * last + next] - R[3 * next + last]) / 2;
        else if (held_rotations(bits) == 2)
            rows[n++] = bits >> next & 1 ? R[3 * next + last] : R[3 * last + next];
        else
            rows[n++] = R[3 * next + last];
    }
    for (int k = 0; k < 3; k++)
        if (bits >> (3 + k) & 1)
            rows[n++] = p[k];
    return n;
}

/* ---- robots ---------------------------------------------------------------------------------- */

static void add_limb(td_builder *builder, td_random *random, const char *limb, bool floats)
{
    const td_joint_type kinds[LIMB] = {floats ? TD_JOINT_FLOATING : TD_JOINT_CONTINUOUS,
                                       TD_JOINT_CONTINUOUS,
                                       TD_JOINT_PRISMATIC,
                                       TD_JOINT_PLANAR,
                                       TD_JOINT_FIXED,
                                       TD_JOINT_CONTINUOUS,
                                       TD_JOINT_CONTINUOUS};
    char parent[16] = "base", child[16], name[16];
    for (int k = 0; k < LIMB; k++) {
        snprintf(child, sizeof child, "%s%d", limb, k);
        snprintf(name, sizeof name, "joint_%s%d", limb, k);
        td_link link = td_solid_link(child, 1, 0.1);
        td_joint joint = td_joint_default(name, kinds[k], parent, child);
        joint.origin = pose_random(random);
        td_random_fill(random, 3, joint.axis);
        joint.limit.lower = -4;
        joint.limit.upper = 4;
        assert_ok(td_builder_add_link(builder, &link));
        assert_ok(td_builder_add_joint(builder, &joint));
        memcpy(parent, child, sizeof parent);
    }
}

typedef struct fixture {
    td_model *model;
    td_workspace *w;
    unsigned bits;
    const td_loop *loop;
} fixture;

/* Two limbs with a loop between their ends, or one limb and the base, or a free body and the base.
   The loop is closed at q = 0. */
static fixture fixture_new(td_random *random, int kind, int robot)
{
    static const char *const ends[ROBOTS][2] = {
        {"left6", "right6"}, {"base", "right6"}, {"left6", "base"}, {"base", "body"}};
    fixture f;
    td_builder *builder = test_builder("limbs");
    td_link base = td_link_default("base");
    assert_ok(td_builder_add_link(builder, &base));
    add_limb(builder, random, "left", robot == 2);
    add_limb(builder, random, "right", false);
    if (robot == HUNG)
        add_free_body(builder, random, TD_JOINT_FLOATING, "free", "body");
    td_model *open = model_of_builder(builder, NULL);
    td_workspace *w = test_workspace(open);
    double *poses = doubles(12 * td_link_count(open)), q[MOST_NV];
    td_neutral(open, TD_COORDINATES_TREE, q);
    assert_ok(TD_IN_TREE(w, td_link_poses(open, w, q, poses)));

    td_loop loop = td_loop_default("loop", ends[robot][0], ends[robot][1]);
    loop.type = kind < TYPES ? types[kind] : TD_LOOP_MASK;
    loop.mask = kind < TYPES ? 0 : (unsigned)(kind - TYPES + 1);
    f.bits = held_by(loop.type, loop.mask);
    memcpy(loop.axis, (double[]){0, 0, 1}, sizeof loop.axis);
    memcpy(loop.second_axis, (double[]){1, 0, 0}, sizeof loop.second_axis);
    loop.predecessor_origin = pose_random(random);
    td_pose left = pose_times(pose_of_link(poses, open, loop.predecessor), loop.predecessor_origin);
    td_pose at = held_pose(random, f.bits);
    loop.successor_origin =
        pose_times(pose_inverse(pose_of_link(poses, open, loop.successor)), pose_times(left, at));
    const double *p = at.position;
    loop.distance = loop.type == TD_LOOP_DISTANCE ? hypot(hypot(p[0], p[1]), p[2]) : 0;
    assert_ok(td_builder_add_loop(builder, &loop));
    f.model = model_of_builder(builder, NULL);
    f.w = test_workspace(f.model);
    f.loop = td_loop_at(f.model, 0);
    return f;
}

/* φ by definition, at a configuration of the tree */
static size_t expected_rows(const fixture *f, const double *q, double rows[ROWS])
{
    double *poses = doubles(12 * td_link_count(f->model));
    assert_ok(TD_IN_TREE(f->w, td_link_poses(f->model, f->w, q, poses)));
    td_pose left = pose_times(pose_of_link(poses, f->model, f->loop->predecessor),
                              f->loop->predecessor_origin);
    td_pose right =
        pose_times(pose_of_link(poses, f->model, f->loop->successor), f->loop->successor_origin);
    return rows_at(f->loop, f->bits, pose_times(pose_inverse(left), right), rows);
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* a derivative from values at −2, −1, 1 and 2 steps */
static void difference(size_t n, double x[4][ROWS], double step, double *rate)
{
    for (size_t i = 0; i < n; i++)
        rate[i] = (8 * (x[2][i] - x[1][i]) - (x[3][i] - x[0][i])) / (12 * step);
}

TD_LOOP_TEST(rows_of_the_tree, 0, KINDS)
{
    td_random random = {(uint64_t)(1 + _i)};
    for (int robot = 0; robot < ROBOTS; robot++) {
        fixture f = fixture_new(&random, _i, robot);
        size_t nv = td_nv(f.model), n = td_constraint_count(f.model);
        double q[MOST_NV], qd[MOST_NV], phi[ROWS], expected[ROWS], K[ROWS * MOST_NV], k[ROWS];
        td_draw_configuration(&random, f.model, true, 1, q);
        td_random_fill(&random, nv, qd);
        assert_ok(td_constraint_residual(f.model, f.w, q, phi));
        ck_assert_uint_eq(expected_rows(&f, q, expected), n);
        for (size_t i = 0; i < n; i++)
            td_assert_close(1, (double[]){fabs(phi[i])}, (double[]){fabs(expected[i])}, 1e-13, 1);

        double values[4][ROWS], products[4][ROWS], rate[ROWS], product[ROWS] = {0}, drift[ROWS];
        const double step = 1e-3, at[4] = {-2, -1, 1, 2};
        for (int s = 0; s < 4; s++) {
            double there[MOST_NV];
            td_integrate(f.model, TD_COORDINATES_TREE, q, qd, at[s] * step, there);
            assert_ok(td_constraint_residual(f.model, f.w, there, values[s]));
            assert_ok(td_constraint_jacobian(f.model, f.w, there, K));
            for (size_t i = 0; i < n; i++) {
                products[s][i] = 0;
                for (size_t j = 0; j < nv; j++)
                    products[s][i] += K[i * nv + j] * qd[j];
            }
        }
        assert_ok(td_constraint_jacobian(f.model, f.w, q, K));
        assert_ok(td_constraint_drift(f.model, f.w, q, qd, k));
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < nv; j++)
                product[i] += K[i * nv + j] * qd[j];
        difference(n, values, step, rate);
        td_assert_close(n, product, rate, 1e-10, 1);
        difference(n, products, step, drift);
        for (size_t i = 0; i < n; i++)
            drift[i] = -drift[i];
        td_assert_close(n, k, drift, 1e-9, 1);
    }
}

TD_LOOP_TEST(kept_by_the_closure, 0, KINDS)
{
    td_random random = {(uint64_t)(1 + _i)};
    for (int robot = 0; robot < ROBOTS; robot++) {
        fixture f = fixture_new(&random, _i, robot);
        size_t nv = td_nv(f.model), n = td_constraint_count(f.model), ny = td_nyd(f.model);
        ck_assert_uint_eq(ny, nv - n);
        for (int state = 0; state < 5; state++) {
            double y[MOST_NV], yd[MOST_NV], ydd[MOST_NV], q[MOST_NV], qd[MOST_NV], qdd[MOST_NV];
            double rows[ROWS], K[ROWS * MOST_NV], k[ROWS], velocity[ROWS], acceleration[ROWS];
            td_draw_configuration(&random, f.model, false, 0.2, y);
            td_random_fill(&random, ny, yd);
            td_random_fill(&random, ny, ydd);
            assert_ok(td_closure(f.model, f.w, y, yd, ydd, q, qd, qdd));
            ck_assert_uint_eq(expected_rows(&f, q, rows), n);
            ck_assert_double_le(td_largest(n, rows), 1e-12);
            assert_ok(td_constraint_jacobian(f.model, f.w, q, K));
            assert_ok(td_constraint_drift(f.model, f.w, q, qd, k));
            for (size_t i = 0; i < n; i++) {
                velocity[i] = acceleration[i] = 0;
                for (size_t j = 0; j < nv; j++) {
                    velocity[i] += K[i * nv + j] * qd[j];
                    acceleration[i] += K[i * nv + j] * qdd[j];
                }
            }
            ck_assert_double_le(td_largest(n, velocity), 1e-11 * (1 + td_largest(nv, qd)));
            td_assert_close(n, acceleration, k, 1e-10, 1 + td_largest(nv, qdd));
        }
    }
}

TD_LOOP_TEST(derivatives, 0, KINDS)
{
    td_random random = {(uint64_t)(1 + _i)};
    for (int robot = 0; robot < ROBOTS; robot++) {
        fixture f = fixture_new(&random, _i, robot);
        for (int state = 0; state < 3; state++) {
            double y[MOST_NV];
            td_draw_configuration(&random, f.model, false, 0.2, y);
            along_check_at(&random, f.model, f.w, y, 1, 1e-12);
            constrained_check_at(&random, f.model, y, 1e-11);
        }
    }
}

/* Each link must be in balance, and the joint must transmit nothing along its free directions. */
TD_LOOP_TEST(in_balance, 0, KINDS)
{
    td_random random = {(uint64_t)(1 + _i)};
    for (int robot = 0; robot < ROBOTS; robot++) {
        fixture f = fixture_new(&random, _i, robot);
        const size_t ny = td_nyd(f.model);
        td_forces forces = td_forces_default();
        double *wrenches = doubles(6 * td_link_count(f.model));
        td_random_fill(&random, 6 * td_link_count(f.model), wrenches);
        forces.wrenches = wrenches;
        forces.wrench_frame = TD_FRAME_BODY;
        for (int state = 0; state < 5; state++) {
            double y[MOST_NV], yd[MOST_NV], ydd[MOST_NV];
            td_draw_configuration(&random, f.model, false, 0.2, y);
            td_random_fill(&random, ny, yd);
            td_random_fill(&random, ny, ydd);
            loop_balance_check(f.model, f.w, y, yd, ydd, &forces);
        }
    }
}

/* ---- several floating bodies ----------------------------------------------------------------- */

static td_builder *door_with_bodies(td_random *random)
{
    td_builder *builder = test_builder("bodies");
    td_link base = td_link_default("base");
    assert_ok(td_builder_add_link(builder, &base));
    add_free_body(builder, random, TD_JOINT_CONTINUOUS, "hinge", "door");
    add_free_body(builder, random, TD_JOINT_FLOATING, "free_1", "first");
    add_free_body(builder, random, TD_JOINT_FLOATING, "free_2", "second");
    return builder;
}

/* Two free bodies: a door on a hinge carries one, which carries the other. They must follow the
   door, in large and small steps. */
TD_LOOP_TEST(floating_bodies_in_a_row, 0, 4)
{
    td_random random = {(uint64_t)_i + 90}, again = random;
    td_builder *builder = door_with_bodies(&random);
    td_model *open = model_of_builder(builder, NULL);
    td_workspace *w = test_workspace(open);
    double poses[48], q[32];
    td_neutral(open, TD_COORDINATES_TREE, q);
    assert_ok(TD_IN_TREE(w, td_link_poses(open, w, q, poses)));
    const td_pose door = pose_of_link(poses, open, "door"),
                  first = pose_of_link(poses, open, "first"),
                  second = pose_of_link(poses, open, "second");

    builder = door_with_bodies(&again);
    td_loop held = td_loop_default("held", "door", "first");
    held.type = TD_LOOP_FIXED;
    held.predecessor_origin = pose_times(pose_inverse(door), first);
    assert_ok(td_builder_add_loop(builder, &held));
    held.name = "on_it";
    held.predecessor = "first", held.successor = "second";
    held.predecessor_origin = pose_times(pose_inverse(first), second);
    assert_ok(td_builder_add_loop(builder, &held));
    td_model *model = model_of_builder(builder, NULL);
    w = test_workspace(model);
    ck_assert_uint_eq(td_nyd(model), 1);
    for (int k = 0; k < 9; k++) {
        const double y = (k - 4) * 0.7;
        assert_ok(td_closure(model, w, &y, NULL, NULL, q, NULL, NULL));
        assert_ok(TD_IN_TREE(w, td_link_poses(model, w, q, poses)));
        const td_pose turned = pose_of_link(poses, model, "door");
        static const char *const names[] = {"first", "second"};
        const td_pose *const starts[] = {&first, &second};
        for (int b = 0; b < 2; b++) {
            const td_pose expected = pose_times(turned, pose_times(pose_inverse(door), *starts[b]));
            const td_pose found = pose_of_link(poses, model, names[b]);
            td_assert_close(9, found.rotation, expected.rotation, 1e-12, 1);
            td_assert_close(3, found.position, expected.position, 1e-12, 1);
        }
    }
}
