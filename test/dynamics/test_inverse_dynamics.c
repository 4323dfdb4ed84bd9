/* SPDX-License-Identifier: MIT */
/*
 * Link poses and inverse dynamics of one state. They are compared with the independent formulation
 * in oracle.c and with the same kernels in quadruple precision, and checked by identities with the
 * complex step. Robots are random ones with all joint types and the bundled ones, fixed and
 * floating, with wrenches in every frame. Functions for one link are compared with functions for
 * all links.
 */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "dynamics/eval.h"
#include "dynamics/workspace.h"
#include "kernel/real/quad.h"
#include "oracle.h"
#include "td_test.h"

extern const td_kernels td_kernels_quad, td_kernels_complex;

typedef struct fixture {
    td_model *model;
    td_workspace *workspace;
    size_t nq, nv, links;
    double *q, *qd, *qdd, *tau, *expected, *poses, *expected_poses, *wrenches;
} fixture;

static fixture fixture_new(td_model *model)
{
    fixture f = {.model = model, .workspace = test_workspace(model)};
    ck_assert_ptr_nonnull(f.workspace);
    f.nq = td_nq(model);
    f.nv = td_nv(model);
    f.links = td_link_count(model);
    f.q = doubles(f.nq);
    f.qd = doubles(f.nv);
    f.qdd = doubles(f.nv);
    f.tau = doubles(f.nv);
    f.expected = doubles(f.nv);
    f.poses = doubles(12 * f.links);
    f.expected_poses = doubles(12 * f.links);
    f.wrenches = doubles(6 * f.links);
    return f;
}

static void random_state(fixture *f, td_random *random)
{
    td_draw_configuration(random, f->model, true, 3, f->q);
    td_random_fill(random, f->nv, f->qd);
    td_random_fill(random, f->nv, f->qdd);
    td_random_fill(random, 6 * f->links, f->wrenches);
}

/* poses and torques of a random state, without wrenches and with wrenches in each frame */
static void check_state(fixture *f, td_random *random, double tolerance)
{
    random_state(f, random);
    oracle_inverse_dynamics(f->model, f->q, f->qd, f->qdd, NULL, f->expected_poses, f->expected,
                            NULL);
    assert_ok(TD_IN_TREE(f->workspace, td_link_poses(f->model, f->workspace, f->q, f->poses)));
    td_assert_close(12 * f->links, f->poses, f->expected_poses, tolerance, 1);
    assert_ok(TD_IN_TREE(f->workspace, td_inverse_dynamics(f->model, f->workspace, f->q, f->qd,
                                                           f->qdd, NULL, f->tau)));
    td_assert_close(f->nv, f->tau, f->expected, tolerance, 1);
    td_forces forces = td_forces_default();
    forces.wrenches = f->wrenches;
    for (int frame = TD_FRAME_WORLD; frame <= TD_FRAME_ALIGNED; frame++) {
        forces.wrench_frame = (td_frame)frame;
        oracle_inverse_dynamics(f->model, f->q, f->qd, f->qdd, &forces, NULL, f->expected, NULL);
        assert_ok(TD_IN_TREE(f->workspace, td_inverse_dynamics(f->model, f->workspace, f->q, f->qd,
                                                               f->qdd, &forces, f->tau)));
        td_assert_close(f->nv, f->tau, f->expected, tolerance, 1);
    }
}

static td_model *random_model(td_random *random, size_t joints, td_base base, bool scalar)
{
    td_builder *builder = td_random_robot(random, joints, 0, scalar);
    td_load_options options = td_load_options_default();
    options.base = base;
    td_random_fill(random, 3, options.gravity);
    return model_of_builder(builder, &options);
}

TD_LOOP_TEST(random_robots, 0, 4)
{
    td_random random = {(uint64_t)_i};
    for (int k = 0; k < 50; k++) {
        td_base base = k % 3 == 0 ? TD_BASE_FLOATING : TD_BASE_FIXED;
        fixture f = fixture_new(random_model(&random, 1 + (size_t)k / 2, base, false));
        for (int n = 0; n < 5; n++)
            check_state(&f, &random, 2e-13);
    }
}

#if TANDEM_HAS_URDF
TD_LOOP_TEST(bundled_robots, 0, td_robot_count())
{
    td_random random = {7};
    for (int base = TD_BASE_FIXED; base <= TD_BASE_FLOATING; base++) {
        td_load_options options = td_load_options_default();
        options.base = (td_base)base;
        fixture f = fixture_new(td_load_robot(td_robots[_i], &options));
        for (int n = 0; n < 20; n++)
            check_state(&f, &random, 1e-13);
    }
}
#endif

TD_TEST(no_velocity_means_zero)
{
    td_random random = {3};
    fixture f = fixture_new(random_model(&random, 12, TD_BASE_FLOATING, false));
    random_state(&f, &random);
    memset(f.qd, 0, f.nv * sizeof *f.qd);
    memset(f.qdd, 0, f.nv * sizeof *f.qdd);
    TD_IN_TREE(f.workspace,
               td_inverse_dynamics(f.model, f.workspace, f.q, f.qd, f.qdd, NULL, f.expected));
    TD_IN_TREE(f.workspace,
               td_inverse_dynamics(f.model, f.workspace, f.q, NULL, NULL, NULL, f.tau));
    ck_assert_mem_eq(f.tau, f.expected, f.nv * sizeof *f.tau);
}

#if TANDEM_HAS_URDF
/* 20 N down at the tool of an arm with the default frame: world axes at the link's origin */
TD_TEST(wrenches_in_the_default_frame)
{
    td_model *model = td_load_robot("arm7.urdf", NULL);
    td_workspace *workspace = test_workspace(model);
    const size_t n = td_ny(model),
                 moved = td_joint_place_at(model, td_joint_index(model, "joint_2")).y;
    double *y = doubles(n), *none = doubles(n), *tau = doubles(n), *pushed = doubles(n),
           *wrenches = doubles(6 * td_link_count(model));
    td_forces forces = td_forces_default();
    y[moved] = 0.5;
    assert_ok(td_inverse_dynamics(model, workspace, y, none, none, &forces, tau));
    forces.wrenches = wrenches;
    wrenches[6 * td_link_index(model, "tool") + 5] = -20;
    assert_ok(td_inverse_dynamics(model, workspace, y, none, none, &forces, pushed));
    ck_assert_double_eq_tol(pushed[moved] - tau[moved], -2.777, 5e-4);
}
#endif

/* Data that a call leaves in the workspace must not affect the next one: poison it, repeat,
   compare. */
TD_TEST(scratch_is_no_state)
{
    td_random random = {4};
    fixture f = fixture_new(random_model(&random, 20, TD_BASE_FIXED, false));
    random_state(&f, &random);
    TD_IN_TREE(f.workspace,
               td_inverse_dynamics(f.model, f.workspace, f.q, f.qd, f.qdd, NULL, f.expected));
    memset(f.qd, 0xff, f.nv * sizeof *f.qd); /* NaN everywhere */
    td_forces forces = td_forces_default();
    forces.wrenches = f.wrenches;
    memset(f.wrenches, 0xff, 6 * f.links * sizeof *f.wrenches);
    double *q = doubles(f.nq);
    memset(q, 0xff, f.nq * sizeof *q);
    TD_IN_TREE(f.workspace,
               td_inverse_dynamics(f.model, f.workspace, q, f.qd, f.qd, &forces, f.tau));
    ck_assert(isnan(f.tau[0]));
    random = (td_random){4};
    random_model(&random, 20, TD_BASE_FIXED, false);
    td_draw_configuration(&random, f.model, true, 3, f.q);
    td_random_fill(&random, f.nv, f.qd);
    TD_IN_TREE(f.workspace,
               td_inverse_dynamics(f.model, f.workspace, f.q, f.qd, f.qdd, NULL, f.tau));
    ck_assert_mem_eq(f.tau, f.expected, f.nv * sizeof *f.tau);
}

/* Functions for one link against functions for all links in another workspace: positions,
   velocities, accelerations; J q̇, J q̈ + J̇ q̇. */
static void check_link(const fixture *f, td_workspace *other, size_t link, td_frame frame)
{
    double *velocities = doubles(6 * f->links), *accelerations = doubles(6 * f->links);
    double *J = doubles(6 * f->nv), rate[6], motion[9];
    const double origin[3] = {0, 0, 0};
    const td_model *m = f->model;
    TD_IN_TREE(other, td_link_poses(m, other, f->q, f->poses));
    TD_IN_TREE(other, td_link_velocities(m, other, f->q, f->qd, TD_FRAME_ALIGNED, velocities));
    TD_IN_TREE(other, td_link_classical_accelerations(m, other, f->q, f->qd, f->qdd,
                                                      TD_FRAME_ALIGNED, accelerations));
    assert_ok(TD_IN_TREE(
        f->workspace, td_point_motion(m, f->workspace, link, origin, f->q, f->qd, f->qdd, motion)));
    const double *R = f->poses + 12 * link, *v = velocities + 6 * link;
    const double *a = accelerations + 6 * link;
    const double expected[9] = {R[3], R[7], R[11], v[3], v[4], v[5], a[3], a[4], a[5]};
    td_assert_close(9, motion, expected, 1e-13, 1);

    TD_IN_TREE(other, td_link_velocities(m, other, f->q, f->qd, frame, velocities));
    if (frame == TD_FRAME_ALIGNED)
        TD_IN_TREE(other, td_link_classical_accelerations(m, other, f->q, f->qd, f->qdd, frame,
                                                          accelerations));
    else
        TD_IN_TREE(other, td_link_spatial_accelerations(m, other, f->q, f->qd, f->qdd, frame,
                                                        accelerations));
    assert_ok(
        TD_IN_TREE(f->workspace, td_link_jacobian(m, f->workspace, link, NULL, f->q, frame, J)));
    assert_ok(TD_IN_TREE(f->workspace, td_link_bias_acceleration(m, f->workspace, link, NULL, f->q,
                                                                 f->qd, frame, rate)));
    double velocity[6] = {0};
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < f->nv; j++) {
            velocity[i] += J[i * f->nv + j] * f->qd[j];
            rate[i] += J[i * f->nv + j] * f->qdd[j];
        }
    td_assert_close(6, velocity, velocities + 6 * link, 1e-13, 1);
    td_assert_close(6, rate, accelerations + 6 * link, 1e-13, 1);

    double *twice = doubles(2 * f->nq), *both = doubles(12 * f->nv);
    const double *second = both + 6 * f->nv;
    memcpy(twice + f->nq, f->q, f->nq * sizeof *twice);
    td_neutral(m, TD_COORDINATES_TREE, twice);
    assert_ok(TD_IN_TREE(f->workspace, td_batch_link_jacobian(m, f->workspace, 2, link, NULL, twice,
                                                              frame, both, NULL)));
    td_assert_close(6 * f->nv, second, J, 1e-14, 1);
}

/* These functions compute only the bodies between root and link, and the workspace remembers these.
   Queries one link after the other, at changing states. */
TD_LOOP_TEST(one_link, 0, 4)
{
    td_random random = {(uint64_t)_i + 40};
    for (int k = 0; k < 20; k++) {
        td_base base = k % 3 == 0 ? TD_BASE_FLOATING : TD_BASE_FIXED;
        fixture f = fixture_new(random_model(&random, 1 + (size_t)k, base, false));
        td_workspace *other = test_workspace(f.model);
        for (int n = 0; n < 40; n++) {
            random_state(&f, &random);
            check_link(&f, other, td_random_below(&random, f.links), (td_frame)(n % 3));
        }
    }
}

/* A thin rod along its joint, which is mounted on a joint across. Its tiny moment of inertia about
   itself must keep its digits next to the large one for swinging. */
TD_TEST(thin_rod)
{
    enum { STATES = 9 };
    const double mass = 3, reach = 0.4, across = 0.16, along = 3e-13;
    td_builder *builder = test_builder("rod");
    td_link base = td_link_default("base"), arm = td_link_default("arm"),
            rod = td_link_default("rod");
    td_joint swing = td_joint_default("swing", TD_JOINT_CONTINUOUS, "base", "arm");
    td_joint spin = td_joint_default("spin", TD_JOINT_CONTINUOUS, "arm", "rod");
    swing.axis[0] = 0, swing.axis[1] = 1;
    spin.axis[0] = 0, spin.axis[2] = 1;
    rod.has_inertial = true;
    rod.mass = mass;
    rod.inertial.position[2] = reach;
    rod.inertia[0] = rod.inertia[3] = across, rod.inertia[5] = along;
    td_load_options options = td_load_options_default();
    options.gravity[2] = 0;
    td_builder_add_link(builder, &base), td_builder_add_link(builder, &arm);
    td_builder_add_link(builder, &rod);
    td_builder_add_joint(builder, &swing), td_builder_add_joint(builder, &spin);
    td_model *model = model_of_builder(builder, &options);

    td_workspace *workspace = test_workspace(model);
    td_random random = {8};
    double q[2 * STATES], qdd[2 * STATES], tau[2 * STATES], one[2], zero[2 * STATES] = {0};
    td_random_fill(&random, 2 * STATES, q);
    td_random_fill(&random, 2 * STATES, qdd);
    TD_IN_TREE(workspace,
               td_batch_inverse_dynamics(model, workspace, STATES, q, zero, qdd, NULL, tau, NULL));
    for (int k = 0; k < STATES; k++) {
        TD_IN_TREE(workspace,
                   td_inverse_dynamics(model, workspace, q + 2 * k, zero, qdd + 2 * k, NULL, one));
        const double swung = (across + mass * reach * reach) * qdd[2 * k];
        const double spun = along * qdd[2 * k + 1];
        td_assert_close(1, one, &swung, 1e-15, 0);
        td_assert_close(1, one + 1, &spun, 1e-15, 0);
        td_assert_close(1, tau + 2 * k, &swung, 1e-15, 0);
        td_assert_close(1, tau + 2 * k + 1, &spun, 1e-15, 0);
    }
}

/* ---- quadruple precision ----------------------------------------------------------------------
 */

static quad *quads(size_t n, const double *x)
{
    quad *y = test_calloc(n + 8, sizeof *y);
    for (size_t i = 0; i < n; i++)
        y[i] = x[i];
    return y;
}

/* The kernels' rounding error: with 30 joints of all types within 2e-14 of the largest torque. */
TD_LOOP_TEST(rounding_error, 0, 4)
{
    td_random random = {(uint64_t)(100 + _i)};
    fixture f = fixture_new(random_model(&random, 30, TD_BASE_FIXED, false));
    td_scratch scratch;
    td_stack stack;
    ck_assert(td_scratch_new(f.model, &td_kernels_quad, &scratch, &stack));
    td_eval run = {f.model,
                   &f.model->tree,
                   &f.model->closure,
                   &f.model->actuation,
                   &td_kernels_quad,
                   &scratch,
                   TD_COORDINATES_TREE,
                   NULL,
                   NULL};
    for (int n = 0; n < 5; n++) {
        random_state(&f, &random);
        quad *q = quads(f.nq, f.q), *qd = quads(f.nv, f.qd), *qdd = quads(f.nv, f.qdd);
        quad *tau = quads(f.nv, f.qd), *poses = quads(12 * f.links, f.poses);
        td_eval_tree_force(&run, q, qd, qdd, NULL, false, tau);
        TD_IN_TREE(f.workspace,
                   td_inverse_dynamics(f.model, f.workspace, f.q, f.qd, f.qdd, NULL, f.tau));
        for (size_t i = 0; i < f.nv; i++)
            f.expected[i] = (double)tau[i];
        td_assert_close(f.nv, f.tau, f.expected, 2e-14, 0);
        td_eval_poses(&run, q, TD_EVERY_LINK, true);
        run.kernels->link_poses(&f.model->tree, run.scratch, NULL, f.links, poses);
        TD_IN_TREE(f.workspace, td_link_poses(f.model, f.workspace, f.q, f.poses));
        for (size_t i = 0; i < 12 * f.links; i++)
            f.expected_poses[i] = (double)poses[i];
        td_assert_close(12 * f.links, f.poses, f.expected_poses, 5e-15, 1);
    }
    td_stack_end(&stack);
}

/* ---- complex step -----------------------------------------------------------------------------
 */

static const double step = 1e-200;

/* q moved along qd by i · step: along the quaternion's tangent for floating joints */
static void displace(const td_model *model, const double *q, const double *qd,
                     double complex *moved)
{
    double *rate = doubles(td_nq(model));
    td_coordinate_rate(model, true, q, qd, rate);
    for (size_t i = 0; i < td_nq(model); i++)
        moved[i] = q[i] + I * step * rate[i];
}

typedef struct complex_run {
    td_eval run;
    td_stack stack;
    double complex *q, *qd, *tau, *weight;
} complex_run;

static double complex dot_complex(size_t n, const double complex *a, const double complex *b)
{
    double complex sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Kinetic plus potential energy: from inverse dynamics and the center of mass, ½ q̇·(ID(q, 0, q̇) −
   ID(q, 0, 0)) − m g·com, and from the kernel. The two must agree. */
static double complex energy(const fixture *f, complex_run *c)
{
    const td_tree *tree = &f->model->tree;
    const td_kernels *k = c->run.kernels;
    const td_scratch *s = c->run.scratch;
    double complex com[3], both[2];
    td_eval_motions(&c->run, c->q, c->qd, NULL, TD_EVERY_LINK);
    k->inertias(tree, s);
    k->energies(tree, s, 0, both);
    k->center_of_mass(tree, s, 0, com);
    td_eval_tree_force(&c->run, c->q, s->zeros, c->qd, NULL, true, c->tau);
    td_eval_tree_force(&c->run, c->q, s->zeros, s->zeros, NULL, true, c->weight);
    for (size_t i = 0; i < f->nv; i++)
        c->tau[i] -= c->weight[i];
    const double *g = td_gravity(f->model, NULL);
    double complex kinetic = 0.5 * dot_complex(f->nv, c->qd, c->tau);
    double complex potential =
        -td_total_mass(f->model) * (g[0] * com[0] + g[1] * com[1] + g[2] * com[2]);
    ck_assert_double_le(cabs(kinetic - both[0]), 1e-13 * cabs(kinetic));
    ck_assert_double_le(cabs(potential - both[1]), 1e-13 * (1 + cabs(potential)));
    return kinetic + potential;
}

/* The power of the joint torques is the rate of change of the energy. The complex step gives it
   exactly: tau · q̇ = d/dt (T + V) along (q̇, q̈). */
TD_LOOP_TEST(power_balance, 0, 4)
{
    td_random random = {(uint64_t)(200 + _i)};
    fixture f = fixture_new(random_model(&random, 15, TD_BASE_FLOATING, false));
    td_scratch scratch;
    complex_run c;
    ck_assert(td_scratch_new(f.model, &td_kernels_complex, &scratch, &c.stack));
    c.run = (td_eval){f.model,
                      &f.model->tree,
                      &f.model->closure,
                      &f.model->actuation,
                      &td_kernels_complex,
                      &scratch,
                      TD_COORDINATES_TREE,
                      NULL,
                      NULL};
    c.q = test_calloc(f.nq, sizeof *c.q);
    c.qd = test_calloc(f.nv, sizeof *c.qd);
    c.tau = test_calloc(f.nv, sizeof *c.tau);
    c.weight = test_calloc(f.nv, sizeof *c.weight);
    for (int n = 0; n < 10; n++) {
        random_state(&f, &random);
        displace(f.model, f.q, f.qd, c.q);
        for (size_t i = 0; i < f.nv; i++)
            c.qd[i] = f.qd[i] + I * step * f.qdd[i];
        double rate = cimag(energy(&f, &c)) / step;
        TD_IN_TREE(f.workspace,
                   td_inverse_dynamics(f.model, f.workspace, f.q, f.qd, f.qdd, NULL, f.tau));
        double power = 0, size = 0;
        for (size_t i = 0; i < f.nv; i++) {
            power += f.tau[i] * f.qd[i];
            size += fabs(f.tau[i] * f.qd[i]);
        }
        ck_assert_msg(fabs(power - rate) <= 1e-12 * size, "power %.17g, energy rate %.17g", power,
                      rate);
    }
    td_stack_end(&c.stack);
}

/* ---- arguments --------------------------------------------------------------------------------
 */

TD_TEST(bad_arguments)
{
    td_random random = {5};
    fixture f = fixture_new(random_model(&random, 3, TD_BASE_FIXED, true));
    td_forces forces = td_forces_default();
    const double marker = 12345;
    f.tau[0] = marker;
    ck_assert_int_eq(TD_IN_TREE(f.workspace, td_inverse_dynamics(NULL, f.workspace, f.q, NULL, NULL,
                                                                 NULL, f.tau)),
                     TD_ERROR_ARGUMENT);
    ck_assert_int_eq(
        TD_IN_TREE(NULL, td_inverse_dynamics(f.model, NULL, f.q, NULL, NULL, NULL, f.tau)),
        TD_ERROR_ARGUMENT);
    ck_assert_int_eq(TD_IN_TREE(f.workspace, td_inverse_dynamics(f.model, f.workspace, NULL, NULL,
                                                                 NULL, NULL, f.tau)),
                     TD_ERROR_ARGUMENT);
    forces.size_of = 1;
    ck_assert_int_eq(TD_IN_TREE(f.workspace, td_inverse_dynamics(f.model, f.workspace, f.q, NULL,
                                                                 NULL, &forces, f.tau)),
                     TD_ERROR_ARGUMENT);
    forces = td_forces_default();
    forces.wrench_frame = (td_frame)17;
    ck_assert_int_eq(TD_IN_TREE(f.workspace, td_inverse_dynamics(f.model, f.workspace, f.q, NULL,
                                                                 NULL, &forces, f.tau)),
                     TD_ERROR_ARGUMENT);
    ck_assert_double_eq(f.tau[0], marker);
}
