/* SPDX-License-Identifier: MIT */
/*
 * Joints that close loops. The same mechanism is cut at one joint or another. It must feel the same
 * springs, damping, friction and motors, whether their joint closes the loop or belongs to the
 * tree.
 */
#include <math.h>
#include <string.h>

#include "loop_balance.h"

enum { LINKS = 4, CRANK = 1, COUPLER, OUTPUT };

/* Positions at q = 0 in the plane x z; all link frames are parallel, and the bodies are mounted on
   base 0. */
typedef struct place {
    double x, z;
} place;

typedef struct closing {
    double damping, friction, stiffness, reference;
} closing;

/* A, B, C, D: joints base-crank, crank-coupler, coupler-output, base-output */
typedef struct mechanism {
    place at[4];
    bool slides;  /* whether D is prismatic, along x */
    closing c, d; /* passive forces of the joints C and D */
} mechanism;

static const mechanism mechanisms[] = {
    {{{0, 0}, {0.05, 0.1}, {0.3, 0.25}, {0.35, 0}},
     false,
     {0.3, 0.2, 4, 0.3},
     {0.1, 0.05, 2, -0.2}},
    {{{0, 0}, {0.03, 0.12}, {0.4, 0.02}, {0.4, 0.02}},
     true,
     {0.02, 0.01, 0.5, 0.4},
     {3, 0.4, 60, 0.05}},
};

/* frame: origin of the link frame, relative to which the mechanism's center of mass is converted */
static void add_link(td_builder *builder, const char *name, int index, place frame)
{
    td_link link = td_solid_link(name, 0.4 + 0.3 * index, 0.002 * (1 + index));
    link.inertial.position[0] = 0.04 * index - frame.x;
    link.inertial.position[1] = 0.01;
    link.inertial.position[2] = 0.05 - frame.z;
    td_builder_add_link(builder, &link);
}

static td_pose shift(place from, place to)
{
    td_pose pose = TD_POSE_IDENTITY;
    pose.position[0] = to.x - from.x;
    pose.position[2] = to.z - from.z;
    return pose;
}

static void set_axis(double axis[3], bool slides)
{
    axis[0] = slides;
    axis[1] = !slides;
    axis[2] = 0;
}

static void add_joint(td_builder *builder, const char *name, bool slides, const char *parent,
                      const char *child, td_pose origin, const closing *own)
{
    td_joint joint =
        td_joint_default(name, slides ? TD_JOINT_PRISMATIC : TD_JOINT_CONTINUOUS, parent, child);
    joint.origin = origin;
    set_axis(joint.axis, slides);
    joint.limit.lower = -3;
    joint.limit.upper = 3;
    joint.independent = strcmp(name, "A") == 0;
    if (own) {
        joint.damping = own->damping;
        joint.friction = own->friction;
        joint.spring_stiffness = own->stiffness;
        joint.spring_reference = own->reference;
    }
    td_builder_add_joint(builder, &joint);
}

static void add_loop(td_builder *builder, const char *name, bool slides, const char *predecessor,
                     const char *successor, td_pose before, td_pose after, const closing *own)
{
    td_loop loop = td_loop_default(name, predecessor, successor);
    loop.type = slides ? TD_LOOP_PRISMATIC : TD_LOOP_REVOLUTE;
    loop.predecessor_origin = before;
    loop.successor_origin = after;
    set_axis(loop.axis, slides);
    loop.damping = own->damping;
    loop.friction = own->friction;
    loop.spring_stiffness = own->stiffness;
    loop.spring_reference = own->reference;
    td_builder_add_loop(builder, &loop);
}

/* cut at D or at C; motor: the only one (NULL: the independent joints) */
static td_model *build(const mechanism *m, bool at_d, const char *motor, td_plan plan)
{
    td_builder *builder = test_builder("cut");
    static const char *const links[LINKS] = {"base", "crank", "coupler", "output"};
    const place *p = m->at, ground = {0, 0}, end = m->slides ? p[2] : p[3];
    const place frame[LINKS] = {ground, p[0], p[1], at_d ? p[2] : end};
    for (int i = 0; i < LINKS; i++)
        add_link(builder, links[i], i, frame[i]);
    add_joint(builder, "A", false, "base", "crank", shift(ground, p[0]), NULL);
    add_joint(builder, "B", false, "crank", "coupler", shift(p[0], p[1]), NULL);
    if (at_d) {
        add_joint(builder, "C", false, "coupler", "output", shift(p[1], p[2]), &m->c);
        add_loop(builder, "D", m->slides, "base", "output", shift(ground, end), shift(p[2], end),
                 &m->d);
    } else {
        add_joint(builder, "D", m->slides, "base", "output", shift(ground, end), &m->d);
        add_loop(builder, "C", false, "coupler", "output", shift(p[1], p[2]), shift(end, p[2]),
                 &m->c);
    }
    td_load_options options = td_load_options_default();
    options.plan = plan;
    if (motor) {
        options.actuation = TD_ACTUATION_LIST;
        options.actuated = &motor;
        options.actuated_count = 1;
    }
    td_model *model;
    td_diagnostics *list = test_diagnostics(0);
    td_status status = test_builder_finish(builder, &options, list, &model);
    ck_assert_msg(status == TD_OK, "%s",
                  td_diagnostics_count(list, TD_SEVERITY_ERROR) ? "errors"
                                                                : td_status_text(status));
    return model;
}

typedef struct pair {
    td_model *model[2]; /* cut at C, cut at D */
    td_workspace *w[2];
} pair;

static pair pair_of(int index, const char *motor, td_plan plan)
{
    pair p;
    for (int k = 0; k < 2; k++) {
        p.model[k] = build(&mechanisms[index], k, motor, plan);
        p.w[k] = test_workspace(p.model[k]);
        ck_assert_uint_eq(td_nyd(p.model[k]), 1);
        ck_assert_uint_eq(td_loop_cluster_count(p.model[k]), 1);
    }
    return p;
}

static td_joint_place place_of(const td_model *model, const char *joint)
{
    return td_joint_place_at(model, td_joint_index(model, joint));
}

#define NUMBER(x, y, tolerance)                                                                    \
    ck_assert_double_le(fabs((x) - (y)), (tolerance)*fmax(1, fmax(fabs(x), fabs(y))))

/* the coordinate of the closing joint equals the joint coordinate of the other model; so do
   forces */
TD_LOOP_TEST(coordinates, 0, 2)
{
    pair p = pair_of(_i, NULL, TD_PLAN_AUTO);
    td_random random = {1};
    for (int i = 0; i < 200; i++) {
        double y = 0.8 * td_random_number(&random), yd = td_random_number(&random);
        double ydd = td_random_number(&random), motion[2][3];
        for (int k = 0; k < 2; k++)
            assert_ok(td_loop_motion(p.model[k], p.w[k], 0, &y, &yd, &ydd, motion[k]));
        for (int k = 0; k < 2; k++) {
            double q[3], qd[3], qdd[3];
            const char *joint = td_loop_at(p.model[!k], 0)->name;
            td_joint_place at = place_of(p.model[k], joint);
            assert_ok(td_closure(p.model[k], p.w[k], &y, &yd, &ydd, q, qd, qdd));
            NUMBER(motion[!k][0], q[at.q], 1e-13);
            NUMBER(motion[!k][1], qd[at.qd], 1e-12);
            NUMBER(motion[!k][2], qdd[at.qd], 1e-11);
            double of_tree[3];
            assert_ok(
                TD_IN_TREE(p.w[k], td_loop_motion(p.model[k], p.w[k], 0, q, qd, qdd, of_tree)));
            for (int n = 0; n < 3; n++)
                NUMBER(of_tree[n], motion[k][n], 1e-11);
        }
    }
    double motion[3], y = 0;
    ck_assert_int_eq(td_loop_motion(p.model[0], p.w[0], 1, &y, NULL, NULL, motion),
                     TD_ERROR_ARGUMENT);
}

/* The closing joint must transmit the same wrench as the joint of the other model, in all
   determined components, with motors and passive forces. */
TD_LOOP_TEST(reactions, 0, 4 * (2))
{
    static const char *const motors[] = {NULL, "A", "C", "D"};
    pair p = pair_of(_i / 4, motors[_i % 4], TD_PLAN_AUTO);
    td_forces forces = td_forces_default();
    forces.passive = true;
    td_random random = {3};
    int compared = 0;
    for (int i = 0; i < 50; i++) {
        const double y = 0.8 * td_random_number(&random), yd = td_random_number(&random);
        const double ydd = td_random_number(&random);
        double joints[2][18], loop[2][6], of_joints[2][18], of_loop[2][6];
        for (int k = 0; k < 2; k++) {
            loop_balance_check(p.model[k], p.w[k], &y, &yd, &ydd, &forces);
            assert_ok(td_loop_reactions(p.model[k], p.w[k], &y, &yd, &ydd, &forces, TD_FRAME_WORLD,
                                        joints[k], loop[k], of_joints[k], of_loop[k]));
        }
        const double size = 1 + td_largest(18, joints[0]);
        for (int k = 0; k < 2; k++) {
            const size_t joint = td_joint_index(p.model[!k], td_loop_at(p.model[k], 0)->name);
            for (size_t n = 0; n < 6; n++) {
                const bool sure = of_loop[k][n] == 0 && of_joints[!k][6 * joint + n] == 0;
                ck_assert(!sure || fabs(loop[k][n] - joints[!k][6 * joint + n]) < 1e-10 * size);
                compared += sure;
            }
        }
    }
    ck_assert_int_ge(compared, 50 * 2 * 3); /* the planar components */
}

TD_LOOP_TEST(passive_forces, 0, 4)
{
    static const td_plan plans[] = {TD_PLAN_CLUSTER, TD_PLAN_REDUCED};
    pair p = pair_of(_i / 2, NULL, plans[_i % 2]);
    td_forces forces = td_forces_default();
    forces.passive = true;
    td_random random = {2};
    enum { STATES = 50 };
    double all[STATES][3], batch[2][STATES];
    for (int i = 0; i < STATES; i++) {
        double y = 0.8 * td_random_number(&random), yd = td_random_number(&random);
        double ydd = td_random_number(&random), tau[2], acceleration[2], rigid;
        memcpy(all[i], (double[]){y, yd, ydd}, sizeof all[i]);
        for (int k = 0; k < 2; k++) {
            const td_model *model = p.model[k];
            double q[3], qd[3], tau_a[3], qdd[3], lambda[8];
            assert_ok(td_inverse_dynamics(model, p.w[k], &y, &yd, &ydd, &forces, &tau[k]));
            assert_ok(
                td_forward_dynamics(model, p.w[k], &y, &yd, &tau[k], &forces, &acceleration[k]));
            NUMBER(acceleration[k], ydd, 1e-11);

            /* same by the equations of the tree, with τ_a computed by hand */
            size_t independent = place_of(model, "A").qd;
            td_forces of_tree = forces;
            assert_ok(td_closure(model, p.w[k], &y, &yd, NULL, q, qd, NULL));
            double force[3] = {0};
            force[independent] = tau[k];
            assert_ok(td_constrained_forward_dynamics(model, p.w[k], q, qd, force, &of_tree, NULL,
                                                      qdd, lambda));
            NUMBER(qdd[independent], ydd, 1e-11);
            assert_ok(td_loop_force(model, p.w[k], q, qd, NULL, &forces, tau_a));
            td_inverse_dynamics(model, p.w[k], &y, &yd, &ydd, NULL, &rigid);
            double joints[3] = {0}, reduced; /* forces of the joint in the tree */
            const closing *own = k ? &mechanisms[_i / 2].c : &mechanisms[_i / 2].d;
            td_joint_place at = place_of(model, k ? "C" : "D");
            joints[at.qd] = own->damping * qd[at.qd] +
                            own->friction * qd[at.qd] / hypot(qd[at.qd], 1e-3) +
                            own->stiffness * (q[at.q] - own->reference);
            for (int n = 0; n < 3; n++)
                joints[n] -= tau_a[n];
            assert_ok(td_project_force(model, p.w[k], &y, joints, &reduced));
            NUMBER(rigid + reduced, tau[k], 1e-12);
        }
        NUMBER(tau[0], tau[1], 1e-12);
    }
    for (int k = 0; k < 2; k++) {
        double y[STATES], yd[STATES], ydd[STATES];
        for (int i = 0; i < STATES; i++)
            y[i] = all[i][0], yd[i] = all[i][1], ydd[i] = all[i][2];
        assert_ok(td_batch_inverse_dynamics(p.model[k], p.w[k], STATES, y, yd, ydd, &forces,
                                            batch[k], NULL));
        for (int i = 0; i < STATES; i++) {
            double tau;
            td_inverse_dynamics(p.model[k], p.w[k], y + i, yd + i, ydd + i, &forces, &tau);
            NUMBER(batch[k][i], tau, 1e-12);
        }
    }
}

/* a motor at C or D drives the crank, whether or not its joint closes the loop */
TD_LOOP_TEST(motors, 0, 4)
{
    static const char *const names[] = {"C", "D"};
    pair p = pair_of(_i / 2, names[_i % 2], TD_PLAN_AUTO);
    td_random random = {3};
    for (int i = 0; i < 50; i++) {
        double y = 0.5 * td_random_number(&random), yd = td_random_number(&random);
        double ydd = td_random_number(&random), tau = td_random_number(&random);
        double M_u[2], u[2], motion[2][3];
        for (int k = 0; k < 2; k++) {
            const td_model *model = p.model[k];
            bool in_loop = k == _i % 2;
            ck_assert_uint_eq(td_nu(model), 1);
            ck_assert_int_eq(td_actuator_at(model, 0).joint == TD_NONE, in_loop);
            ck_assert_uint_eq(td_actuator_at(model, 0).loop, in_loop ? 0 : TD_NONE);
            assert_ok(td_actuation_status(model));
            assert_ok(td_actuation_matrix(model, p.w[k], &y, &M_u[k]));
            assert_ok(td_forces_to_actuators(model, p.w[k], &y, &tau, NULL, &u[k], NULL));
            assert_ok(td_motion_to_actuators(model, p.w[k], &y, &yd, &ydd, &motion[k][0],
                                             &motion[k][1], &motion[k][2]));
            /* start nearby, because two crank positions belong to one output position */
            double back = y + 1e-3, back_d = 0, back_dd = 0, residual;
            assert_ok(td_motion_from_actuators(model, p.w[k], &motion[k][0], &motion[k][1],
                                               &motion[k][2], &back, &back_d, &back_dd, &residual));
            NUMBER(back, y, 1e-10);
            NUMBER(back_d, yd, 1e-9);
            NUMBER(back_dd, ydd, 1e-8);
            if (in_loop) { /* τ_a of that force, reduced to the crank, is the required torque */
                double q[3], tau_a[3], reduced;
                td_closure(model, p.w[k], &y, NULL, NULL, q, NULL, NULL);
                assert_ok(td_loop_force(model, p.w[k], q, NULL, &u[k], NULL, tau_a));
                td_project_force(model, p.w[k], &y, tau_a, &reduced);
                NUMBER(reduced, tau, 1e-12);
            }
        }
        NUMBER(M_u[0], M_u[1], 1e-12);
        NUMBER(u[0], u[1], 1e-10);
        for (int n = 0; n < 3; n++)
            NUMBER(motion[0][n], motion[1][n], 1e-11);
    }
}

/* derivative of the tree's inverse dynamics with respect to its k-th position or velocity, by
   sixth-order differences */
static void tree_difference(const pair *p, int k, const double *q, const double *qd,
                            const td_forces *forces, bool by_rate, size_t of, double column[3])
{
    static const double weight[] = {45.0 / 60, -9.0 / 60, 1.0 / 60};
    const double step = 3e-3;
    for (int i = 0; i < 3; i++)
        column[i] = 0;
    for (int n = 1; n <= 3; n++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double moved[3], tau[3];
            memcpy(moved, by_rate ? qd : q, sizeof moved);
            moved[of] += sign * n * step;
            assert_ok(
                TD_IN_TREE(p->w[k], td_inverse_dynamics(p->model[k], p->w[k], by_rate ? q : moved,
                                                        by_rate ? moved : qd, NULL, forces, tau)));
            for (int i = 0; i < 3; i++)
                column[i] += sign * weight[n - 1] * tau[i] / step;
        }
}

/* The derivatives must not depend on where the mechanism is cut. In tree coordinates they must
   equal differences, closed or not. */
TD_LOOP_TEST(derivatives, 0, 2)
{
    pair p = pair_of(_i, NULL, TD_PLAN_AUTO);
    td_forces forces = td_forces_default();
    forces.passive = true;
    forces.friction_velocity = 0.5;
    td_random random = {5};
    for (int i = 0; i < 30; i++) {
        const double y = 0.8 * td_random_number(&random), yd = td_random_number(&random);
        const double ydd = td_random_number(&random);
        double of[2][3], q[3], qd[3], dq[9], dqd[9];
        for (int k = 0; k < 2; k++) {
            assert_ok(td_inverse_dynamics_derivatives(p.model[k], p.w[k], &y, &yd, &ydd, &forces,
                                                      NULL, &of[k][0], &of[k][1], &of[k][2]));
            td_random_fill(&random, 3, q);
            td_random_fill(&random, 3, qd);
            assert_ok(
                TD_IN_TREE(p.w[k], td_inverse_dynamics_derivatives(p.model[k], p.w[k], q, qd, NULL,
                                                                   &forces, NULL, dq, dqd, NULL)));
            for (size_t n = 0; n < 6; n++) {
                double expected[3];
                tree_difference(&p, k, q, qd, &forces, n >= 3, n % 3, expected);
                const double *matrix = n < 3 ? dq : dqd;
                for (size_t r = 0; r < 3; r++)
                    ck_assert_double_le(fabs(matrix[3 * r + n % 3] - expected[r]),
                                        1e-8 * (1 + td_largest(9, matrix)));
            }
        }
        td_assert_close(3, of[0], of[1], 1e-10, 1 + td_largest(3, of[1]));
    }
}
