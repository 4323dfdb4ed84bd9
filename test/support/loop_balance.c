/* SPDX-License-Identifier: MIT */
/*
 * Newton-Euler equations by the oracle, with loop forces as wrenches on links.
 */
#include "loop_balance.h"

#include <math.h>

#include "algebra.h"
#include "oracle.h"

/* ---- vectors --------------------------------------------------------------------------------- */

static void column(const double R[9], int k, double a[3])
{
    for (int i = 0; i < 3; i++)
        a[i] = R[3 * i + k];
}

/* ---- links ----------------------------------------------------------------------------------- */

void loop_balance_frames(const td_model *model, td_workspace *w, const double *q, size_t loop,
                         td_pose frame[2])
{
    const td_loop *record = td_loop_at(model, loop);
    const char *const link[2] = {record->predecessor, record->successor};
    const td_pose *const origin[2] = {&record->predecessor_origin, &record->successor_origin};
    double *poses = doubles(12 * td_link_count(model));
    assert_ok(TD_IN_TREE(w, td_link_poses(model, w, q, poses)));
    for (int e = 0; e < 2; e++) {
        const double *p = poses + 12 * td_link_index(model, link[e]);
        const double R[9] = {p[0], p[1], p[2], p[4], p[5], p[6], p[8], p[9], p[10]};
        vec_turn(R, origin[e]->position, frame[e].position);
        for (int i = 0; i < 3; i++) {
            frame[e].position[i] += p[4 * i + 3];
            for (int j = 0; j < 3; j++) {
                double c[3];
                column(origin[e]->rotation, j, c);
                frame[e].rotation[3 * i + j] = vec_dot(3, R + 3 * i, c);
            }
        }
    }
}

/* computes the joint reactions caused by loop wrenches on links at rest: reactions with them minus
   those without */
static void of_loops(const td_model *model, const double *q, const double *loops, double *tau,
                     double *joints)
{
    const size_t links = td_link_count(model), nv = td_nv(model), count = td_joint_count(model);
    double *wrenches = doubles(6 * links), *rest = doubles(6 * count), *at_rest = doubles(nv);
    td_forces forces = td_forces_default();
    forces.wrenches = wrenches;
    forces.wrench_frame = TD_FRAME_WORLD;
    for (size_t l = 0; l < td_loop_count(model); l++)
        for (size_t k = 0; k < 6; k++) {
            const td_loop *loop = td_loop_at(model, l);
            wrenches[6 * td_link_index(model, loop->successor) + k] += loops[6 * l + k];
            wrenches[6 * td_link_index(model, loop->predecessor) + k] -= loops[6 * l + k];
        }
    oracle_inverse_dynamics(model, q, NULL, NULL, NULL, NULL, at_rest, rest);
    oracle_inverse_dynamics(model, q, NULL, NULL, &forces, NULL, tau, joints);
    for (size_t i = 0; tau && i < nv; i++)
        tau[i] -= at_rest[i];
    for (size_t i = 0; i < 6 * count; i++)
        joints[i] -= rest[i];
}

void loop_balance_of_wrenches(const td_model *model, const double *q, const double *loops,
                              double *joints)
{
    of_loops(model, q, loops, NULL, joints);
}

/* ---- joints ---------------------------------------------------------------------------------- */

/* computes the passive forces of the tree's joints: damping, friction, springs and rotors */
static void passive_forces(const td_model *model, td_workspace *w, const double *q,
                           const double *qd, const double *qdd, const td_forces *forces, double *p)
{
    const size_t nv = td_nv(model), joints = td_joint_count(model);
    double *with = doubles(nv), *without = doubles(nv), *a = doubles(nv), *b = doubles(nv);
    double *unused = doubles(6 * joints);
    td_forces rigid = *forces;
    rigid.passive = false;
    TD_IN_TREE(w, td_inverse_dynamics(model, w, q, qd, qdd, forces, with));
    TD_IN_TREE(w, td_inverse_dynamics(model, w, q, qd, qdd, &rigid, without));
    oracle_inverse_dynamics(model, q, qd, qdd, forces, NULL, a, unused); /* springs between links */
    oracle_inverse_dynamics(model, q, qd, qdd, &rigid, NULL, b, unused);
    for (size_t i = 0; i < nv; i++)
        p[i] = with[i] - without[i] - (a[i] - b[i]);
    assert_ok(td_loop_force(model, w, q, qd, NULL, forces, a));
    for (size_t i = 0; i < nv; i++)
        p[i] += a[i];
}

/* Marks velocities on which mimic joints act, or other couplings whose forces this check does not
   know. */
static void mark_coupled(const td_model *model, bool *coupled)
{
    bool all = td_coupling_count(model) > 0 || td_follower_count(model) > 0;
    for (size_t l = 0; l < td_loop_count(model); l++)
        all = all || td_loop_place_at(model, l).form == TD_LOOP_FORM_REGISTERED;
    for (size_t i = 0; i < td_joint_count(model); i++) {
        const td_joint *joint = td_joint_at(model, i);
        const td_joint_place at = td_joint_place_at(model, i);
        for (size_t k = 0; all && k < at.nv; k++)
            coupled[at.qd + k] = true;
        if (!joint->mimic || at.nv != 1)
            continue;
        const size_t leader = td_joint_index(model, joint->mimic);
        const td_joint_place above = td_joint_place_at(model, leader);
        coupled[at.qd] = true;
        if (above.nv)
            coupled[above.qd] = true;
        if (at.leader != TD_NONE)
            coupled[td_joint_place_at(model, at.leader).qd] = true;
    }
}

/* Adds up the motor forces along coordinates of the tree. Along independent coordinates adds the
   part of the forces that motors cannot provide. Forces of motors in loop joints go to in_loops. */
static void motor_forces(const td_model *model, td_workspace *w, const double *y, const double *yd,
                         const double *ydd, const td_forces *forces, double *applied,
                         double *in_loops)
{
    double *tau_y = doubles(td_nyd(model)), *rest = doubles(td_nyd(model));
    double *u = doubles(td_nu(model));
    assert_ok(td_inverse_dynamics(model, w, y, yd, ydd, forces, tau_y));
    const td_status status = td_forces_to_actuators(model, w, y, tau_y, NULL, u, rest);
    /* these accelerations may need forces along idle directions, which no motor provides */
    if (status != TD_ERROR_UNDERACTUATED || !td_idle_count(model))
        ck_assert_int_eq(status, td_actuation_status(model));
    for (size_t i = 0; i < td_nu(model); i++) {
        const td_actuator a = td_actuator_at(model, i);
        if (a.joint != TD_NONE)
            applied[a.qd] += u[i];
        else
            in_loops[a.loop] += u[i];
    }
    for (size_t k = 0; k < td_independent_count(model); k++) {
        const td_joint_place at = td_joint_place_at(model, td_independent_joint(model, k));
        for (size_t i = 0, n = 0; i < at.nv; i++)
            if (!(at.dependents >> i & 1))
                applied[at.qd + i] += rest[at.yd + n++];
    }
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* Checks the component of a wrench along a free direction of the joint. It must equal `along`, the
   passive and motor force there. */
static void check_direction(const double part[3], const double direction[3], double along,
                            double size)
{
    ck_assert_double_le(fabs(vec_dot(3, part, direction) - along), 1e-10 * size);
}

/* Checks the free directions of a loop joint. `along` is the force along the axis of a joint that
   has one. */
static void check_loop(const td_model *model, td_workspace *w, const double *q, size_t l,
                       const double *wrench, double along, double size)
{
    const td_loop *loop = td_loop_at(model, l);
    td_pose at[2];
    double moment[3], axis[3], second[3], line[3];
    const double *force = wrench + 3;
    loop_balance_frames(model, w, q, l, at);
    vec_cross(at[1].position, force, moment);
    for (int i = 0; i < 3; i++) {
        moment[i] = wrench[i] - moment[i];
        line[i] = at[1].position[i] - at[0].position[i];
    }
    vec_turn(at[0].rotation, loop->axis, axis);
    vec_turn(at[1].rotation, loop->second_axis, second);
    const double length = sqrt(vec_dot(3, axis, axis));
    for (int i = 0; i < 3; i++)
        axis[i] /= length;
    const double *nothing = (double[]){0, 0, 0};
    switch (loop->type) {
    case TD_LOOP_REVOLUTE:
        check_direction(moment, axis, along, size);
        break;
    case TD_LOOP_PRISMATIC:
        check_direction(force, axis, along, size);
        break;
    case TD_LOOP_CYLINDRICAL:
        check_direction(moment, axis, 0, size);
        check_direction(force, axis, 0, size);
        break;
    case TD_LOOP_PLANAR:
        check_direction(moment, axis, 0, size);
        vec_cross(axis, force, moment);
        td_assert_close(3, moment, nothing, 1e-10, size);
        break;
    case TD_LOOP_UNIVERSAL:
        check_direction(moment, axis, 0, size);
        check_direction(moment, second, 0, size);
        break;
    case TD_LOOP_DISTANCE:
        td_assert_close(3, moment, nothing, 1e-10, size);
        vec_cross(line, force, moment);
        td_assert_close(3, moment, nothing, 1e-10, size);
        break;
    case TD_LOOP_SPHERICAL:
        td_assert_close(3, moment, nothing, 1e-10, size);
        break;
    case TD_LOOP_FIXED:
        break;
    case TD_LOOP_MASK:
        for (int k = 0; k < 3; k++) {
            column(at[0].rotation, k, axis); /* the tests use masks about z */
            if (!(loop->mask >> (3 + k) & 1))
                check_direction(force, axis, 0, size);
        }
        if (!(loop->mask & 7))
            td_assert_close(3, moment, nothing, 1e-10, size);
        break;
    }
}

/* returns the force of springs, damping and friction in a loop joint along its axis */
static double loop_passive(const td_model *model, td_workspace *w, size_t l, const double *q,
                           const double *qd, const td_forces *forces)
{
    const td_loop *loop = td_loop_at(model, l);
    double motion[3];
    if (!forces->passive ||
        TD_IN_TREE(w, td_loop_motion(model, w, l, q, qd, NULL, motion)) != TD_OK)
        return 0;
    return -loop->damping * motion[1] -
           loop->friction * motion[1] / hypot(motion[1], forces->friction_velocity) -
           loop->spring_stiffness * (motion[0] - loop->spring_reference);
}

/* ---- complete check -------------------------------------------------------------------------- */

void loop_balance_check(const td_model *model, td_workspace *w, const double *y, const double *yd,
                        const double *ydd, const td_forces *given)
{
    OWNED_HERE;
    const size_t nq = td_nq(model), nv = td_nv(model), joints = td_joint_count(model);
    const size_t loops = td_loop_count(model);
    const td_forces forces = given ? *given : td_forces_default();
    double *q = doubles(nq), *qd = doubles(nv), *qdd = doubles(nv), *p = doubles(nv);
    double *found = doubles(6 * joints), *of = doubles(6 * loops), *expected = doubles(6 * joints);
    double *more = doubles(6 * joints), *tau = doubles(nv), *tau_more = doubles(nv);
    double *applied = doubles(nv), *in_loops = doubles(loops);
    bool *coupled = test_calloc(nv + 1, sizeof *coupled);
    assert_ok(td_closure(model, w, y, yd, ydd, q, qd, qdd));
    assert_ok(
        td_loop_reactions(model, w, y, yd, ydd, given, TD_FRAME_WORLD, found, of, NULL, NULL));
    oracle_inverse_dynamics(model, q, qd, qdd, &forces, NULL, tau, expected);
    const double largest = fmax(td_largest(6 * joints, found), td_largest(6 * loops, of));
    const double size = 1 + fmax(largest, td_largest(6 * joints, expected));
    of_loops(model, q, of, tau_more, more);
    for (size_t i = 0; i < 6 * joints; i++)
        expected[i] += more[i];
    td_assert_close(6 * joints, found, expected, 1e-12, size);

    passive_forces(model, w, q, qd, qdd, &forces, p);
    motor_forces(model, w, y, yd, ydd, given, applied, in_loops);
    mark_coupled(model, coupled);
    for (size_t i = 0; i < nv; i++)
        if (!coupled[i]) {
            const double along = tau[i] + tau_more[i], wanted = applied[i] - p[i];
            ck_assert_msg(fabs(along - wanted) <= 1e-10 * size,
                          "%s: velocity %zu of %zu has %.12g, not %.12g (size %.3g)",
                          td_model_name(model), i, nv, along, wanted, size);
        }
    for (size_t l = 0; l < loops; l++)
        check_loop(model, w, q, l, of + 6 * l,
                   in_loops[l] + loop_passive(model, w, l, q, qd, &forces), size);
}
