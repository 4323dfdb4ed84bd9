/* SPDX-License-Identifier: MIT */
/*
 * Splits forces into parts, see contributions.h. By joints, tau_y = Gᵀ tau. By links, tau_y = Σ Jᵀ
 * f, where f is the wrench at the center of mass that the motion of the link requires. Passive
 * forces of joints are separate parts. The remainder comes from springs between links and from
 * external wrenches.
 */
#include "commands/contributions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/coordinates.h"
#include "input/coordinates.h"
#include "text.h"
#include "vectors.h"

/* Shares smaller than this fraction of the sum of absolute shares are rounding errors. */
static const double negligible = 1e-14;

const char *passive_part_text(enum passive_part part)
{
    static const char *const text[] = {"damping", "friction", "spring", "rotor"};
    return text[part];
}

const char *link_part_text(enum link_part part)
{
    static const char *const text[] = {"gravity", "inertia", "velocity"};
    return text[part];
}

double joint_share_total(const joint_share *share)
{
    return share->factor * share->torque + 0.0; /* no -0 */
}

double link_share_total(const link_share *share)
{
    double sum = 0;
    for (size_t k = 0; k < LINK_PART_COUNT; k++) {
        sum += share->part[k];
    }
    return sum;
}

/* ---- by joints ------------------------------------------------------------------------------- */

typedef struct tree_state {
    double *q, *qd, *qdd;
} tree_state;

static tree_state tree_state_new(const session *s, const robot_state *x)
{
    size_t nv = td_nv(s->model);
    tree_state t = {allocate(td_nq(s->model), sizeof(double)), allocate(nv, sizeof(double)),
                    allocate(nv, sizeof(double))};
    td_closure(s->model, s->workspace, x->value[QUANTITY_Q], x->value[QUANTITY_QD],
               x->value[QUANTITY_QDD], t.q, t.qd, t.qdd);
    return t;
}

static void tree_state_free(tree_state *t)
{
    free(t->q);
    free(t->qd);
    free(t->qdd);
}

/* of a joint's motors, at the joint; the records of a shaft are all of one motor */
static double rotor_inertia(const td_model *model, const td_joint *joint)
{
    double sum = 0;
    for (size_t i = 0; i < td_transmission_count(model); i++) {
        const td_transmission *t = td_transmission_at(model, i);
        const double turns = t->mechanical_reduction * (t->shaft != NULL ? 1 : t->ratio);
        if (strcmp(t->shaft != NULL ? t->shaft : t->joint, joint->name) != 0) {
            continue;
        }
        sum += turns * turns * t->rotor_inertia;
        if (joint->motor != NULL) {
            break;
        }
    }
    return sum;
}

static void add_passive(const td_model *model, const td_forces *forces, const tree_state *t,
                        joint_share *share)
{
    td_joint_place place = td_joint_place_at(model, share->joint);
    const td_joint *joint = td_joint_at(model, share->joint);
    if (!forces->passive || place.nv != 1) {
        return;
    }
    double qd = t->qd[place.qd];
    double v = forces->friction_velocity;
    share->passive[PASSIVE_DAMPING] = joint->damping * qd;
    share->passive[PASSIVE_FRICTION] = joint->friction * qd / sqrt(qd * qd + v * v);
    share->passive[PASSIVE_SPRING] =
        joint->spring_stiffness * (t->q[place.q] - joint->spring_reference);
    share->passive[PASSIVE_ROTOR] = rotor_inertia(model, joint) * t->qdd[place.qd];
}

/* Returns ẏ (a new array) with 1 for that coordinate and 0 for all others. */
static double *unit_velocity(const td_model *model, int coordinate)
{
    double *yd = allocate(td_nyd(model), sizeof *yd);
    yd[coordinate] = 1;
    return yd;
}

/* Adds every joint that the coordinate moves, even if its force is zero. */
static td_status add_joints(const session *s, const td_forces *forces, const robot_state *x,
                            const tree_state *t, int coordinate, contributions *e)
{
    scoped double *unit = unit_velocity(s->model, coordinate);
    scoped double *G = allocate(td_nv(s->model), sizeof *G); /* one column of G */
    td_status status =
        td_closure(s->model, s->workspace, x->value[QUANTITY_Q], unit, NULL, NULL, G, NULL);
    e->joint = allocate(td_nv(s->model), sizeof *e->joint);
    for (size_t i = 0; i < td_movable_count(s->model); i++) {
        size_t joint = td_movable_joint(s->model, i);
        td_joint_place place = td_joint_place_at(s->model, joint);
        for (size_t row = place.qd; row < (size_t)(place.qd + place.nv); row++) {
            double factor = G[row];
            if (status == TD_OK && factor != 0) {
                joint_share *share = &e->joint[e->joint_count++];
                *share = (joint_share){
                    .joint = joint, .qd = row, .factor = factor, .torque = e->tau[row]};
                add_passive(s->model, forces, t, share);
            }
        }
    }
    return status;
}

/* ---- by links -------------------------------------------------------------------------------- */

/* Computes c = A b with A row-major, or c = Aᵀ b. */
static void rotate(const double A[9], bool transposed, const double b[3], double c[3])
{
    for (size_t i = 0; i < 3; i++) {
        c[i] = 0;
        for (size_t k = 0; k < 3; k++) {
            c[i] += A[transposed ? 3 * k + i : 3 * i + k] * b[k];
        }
    }
}

/* Multiplies the inertia matrix of a link by a vector in world axes; R is the link's rotation. */
static void inertia_times(const td_link *link, const double R[9], const double w[3], double out[3])
{
    const double *m = link->inertia;
    const double I[9] = {m[0], m[1], m[2], m[1], m[3], m[4], m[2], m[4], m[5]};
    double a[3];
    double b[3];
    rotate(R, true, w, a);
    rotate(link->inertial.rotation, true, a, b);
    rotate(I, false, b, a);
    rotate(link->inertial.rotation, false, a, b);
    rotate(R, false, b, out);
}

/* The motion of all links, in world axes at their origins. */
typedef struct link_motion {
    double *pose;         /* 12 each */
    double *velocity;     /* 6 */
    double *acceleration; /* 6, classical, due to ÿ at zero velocity */
    double *bias;         /* 6, classical, at ÿ = 0 */
    double *column;       /* 6, link velocity per unit velocity of the explained coordinate */
} link_motion;

static link_motion link_motion_new(const session *s, const robot_state *x, int coordinate)
{
    size_t n = 6 * td_link_count(s->model);
    link_motion m = {allocate(2 * n, sizeof(double)), allocate(n, sizeof(double)),
                     allocate(n, sizeof(double)), allocate(n, sizeof(double)),
                     allocate(n, sizeof(double))};
    scoped double *unit = unit_velocity(s->model, coordinate);
    const double *y = x->value[QUANTITY_Q];
    const double *yd = x->value[QUANTITY_QD];
    td_link_poses(s->model, s->workspace, y, m.pose);
    td_link_velocities(s->model, s->workspace, y, yd, TD_FRAME_ALIGNED, m.velocity);
    td_link_classical_accelerations(s->model, s->workspace, y, NULL, x->value[QUANTITY_QDD],
                                    TD_FRAME_ALIGNED, m.acceleration);
    td_link_classical_accelerations(s->model, s->workspace, y, yd, NULL, TD_FRAME_ALIGNED, m.bias);
    td_link_velocities(s->model, s->workspace, y, unit, TD_FRAME_ALIGNED, m.column);
    return m;
}

static void link_motion_free(link_motion *m)
{
    free(m->pose);
    free(m->velocity);
    free(m->acceleration);
    free(m->bias);
    free(m->column);
}

/* Computes the moment I α + ω × I ω and force m a at the center of mass. omega NULL: zero. */
static void wrench_of(const td_link *link, const double R[9], const double *a, const double *omega,
                      double wrench[6])
{
    double r[3];
    double c[3];
    double at_com[3];
    rotate(R, false, link->inertial.position, r);
    cross(a, r, c);
    for (size_t i = 0; i < 3; i++) {
        at_com[i] = a[3 + i] + c[i];
    }
    inertia_times(link, R, a, wrench);
    if (omega != NULL) {
        double d[3];
        cross(omega, r, c);
        cross(omega, c, d);
        for (size_t i = 0; i < 3; i++) {
            at_com[i] += d[i];
        }
        inertia_times(link, R, omega, c);
        cross(omega, c, d);
        for (size_t i = 0; i < 3; i++) {
            wrench[i] += d[i];
        }
    }
    for (size_t i = 0; i < 3; i++) {
        wrench[3 + i] = link->mass * at_com[i];
    }
}

/* Computes the share of a link's inertia or of its payload's, given as link. */
static link_share share_of_body(const session *s, const link_motion *m, size_t index,
                                const td_link *link)
{
    const double *pose = m->pose + 12 * index, *column = m->column + 6 * index;
    const double R[9] = {pose[0], pose[1], pose[2], pose[4], pose[5],
                         pose[6], pose[8], pose[9], pose[10]};
    const double *g = td_gravity(s->model, NULL);
    double to_com[3], com[3];
    double wrench[LINK_PART_COUNT][6];
    link_share share = {.link = index};
    rotate(R, false, link->inertial.position, to_com);
    cross(column, to_com, com);
    for (size_t i = 0; i < 3; i++) {
        com[i] += column[3 + i];
    }
    for (size_t i = 0; i < 6; i++) {
        wrench[LINK_GRAVITY][i] = i < 3 ? 0 : -link->mass * g[i - 3];
    }
    wrench_of(link, R, m->acceleration + 6 * index, NULL, wrench[LINK_INERTIA]);
    wrench_of(link, R, m->bias + 6 * index, m->velocity + 6 * index, wrench[LINK_VELOCITY]);
    for (size_t k = 0; k < LINK_PART_COUNT; k++) {
        share.part[k] = dot(column, wrench[k]) + dot(com, wrench[k] + 3);
    }
    return share;
}

/* Computes the share of a link with its payloads. */
static link_share share_of_link(const session *s, const link_motion *m, size_t index)
{
    link_share share = share_of_body(s, m, index, td_link_at(s->model, index));
    for (size_t i = 0; i < s->loads->payloads; i++) {
        const payload *p = &s->loads->payload[i];
        if (p->index != index) {
            continue;
        }
        td_link body = {.mass = p->mass, .inertial = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
        memcpy(body.inertial.position, p->at, sizeof p->at);
        memcpy(body.inertia, p->inertia, sizeof p->inertia);
        const link_share more = share_of_body(s, m, index, &body);
        for (size_t k = 0; k < LINK_PART_COUNT; k++) {
            share.part[k] += more.part[k];
        }
    }
    return share;
}

static bool carries(const session *s, size_t link)
{
    for (size_t i = 0; i < s->loads->payloads; i++) {
        if (s->loads->payload[i].index == link) {
            return true;
        }
    }
    return false;
}

/* Sets rounding errors to zero and drops links without a remaining part. */
static void drop_rounding(contributions *e)
{
    double scale = 0;
    size_t kept = 0;
    for (size_t i = 0; i < e->link_count; i++) {
        for (size_t k = 0; k < LINK_PART_COUNT; k++) {
            scale += fabs(e->link[i].part[k]);
        }
    }
    scale = isfinite(scale) ? scale : 0;
    for (size_t i = 0; i < e->link_count; i++) {
        link_share share = e->link[i];
        bool any = false;
        for (size_t k = 0; k < LINK_PART_COUNT; k++) {
            share.part[k] = fabs(share.part[k]) <= negligible * scale ? 0 : share.part[k];
            any = any || share.part[k] != 0;
        }
        if (any) {
            e->link[kept++] = share;
        }
    }
    e->link_count = kept;
}

/* Computes the joints' passive forces and the remainder of the whole force after these and the
   parts of links. Sets the remainder to zero if it is rounding. */
static void find_rest(contributions *e)
{
    static const double ROUNDING = 1e-9;
    double sum = 0;
    double size = fabs(e->force);
    for (size_t i = 0; i < e->joint_count; i++) {
        for (size_t k = 0; k < PASSIVE_COUNT; k++) {
            e->passive += e->joint[i].factor * e->joint[i].passive[k];
        }
    }
    for (size_t i = 0; i < e->link_count; i++) {
        sum += link_share_total(&e->link[i]);
        for (size_t k = 0; k < LINK_PART_COUNT; k++) {
            size += fabs(e->link[i].part[k]);
        }
    }
    const double rest = e->force - e->passive - sum;
    e->other = fabs(rest) <= ROUNDING * (size + fabs(e->passive)) ? 0 : rest;
}

static void add_links(const session *s, const robot_state *x, int coordinate, contributions *e)
{
    size_t links = td_link_count(s->model);
    link_motion motion = link_motion_new(s, x, coordinate);
    e->link = allocate(links, sizeof *e->link);
    for (size_t i = 0; i < links; i++) {
        if (td_link_at(s->model, i)->has_inertial || carries(s, i)) {
            e->link[e->link_count++] = share_of_link(s, &motion, i);
        }
    }
    drop_rounding(e);
    link_motion_free(&motion);
}

/* ---- both ------------------------------------------------------------------------------------ */

/* Computes the motors' forces in the tree. At independent joints, adds the part of tau_y that
   motors cannot provide, such as the wrench of a floating base. If u does not exist, this is all of
   tau_y. */
static void find_motors(const session *s, const double *y, const double *q, const double *tau_y,
                        contributions *e)
{
    const td_model *model = s->model;
    size_t nu = td_nu(model);
    scoped double *u = allocate(nu, sizeof *u);
    scoped double *rest = allocate(td_nyd(model), sizeof *rest);
    e->motor = allocate(td_nv(model), sizeof *e->motor);
    e->motors = td_forces_to_actuators(model, s->workspace, y, tau_y, NULL, u, rest) ==
                    td_actuation_status(model) &&
                nu > 0;
    if (e->motors) {
        scoped double *in_loops = allocate(td_loop_count(model), sizeof *in_loops);
        for (size_t i = 0; i < nu; i++) {
            td_actuator a = td_actuator_at(model, i);
            if (a.loop != TD_NONE) {
                in_loops[a.loop] = u[i];
            }
        }
        td_loop_force(model, s->workspace, q, NULL, in_loops, NULL, e->motor);
        for (size_t i = 0; i < nu; i++) {
            td_actuator a = td_actuator_at(model, i);
            if (a.joint != TD_NONE) {
                e->motor[a.qd] += u[i];
            }
        }
    }
    const double *left = e->motors ? rest : tau_y;
    for (size_t i = 0; i < td_independent_count(model); i++) {
        td_joint_place place = td_joint_place_at(model, td_independent_joint(model, i));
        for (size_t n = 0; n < place.nyd; n++) {
            size_t k = joint_component(place, QUANTITY_TAU, false, n);
            e->motor[place.qd + k] += left[place.yd + n];
        }
    }
}

td_status find_contributions(const session *s, const robot_state *x, const td_forces *forces,
                             int coordinate, contributions *e)
{
    double *const *value = x->value;
    size_t nv = td_nv(s->model);
    double *tau_y = value[QUANTITY_TAU];
    tree_state tree = tree_state_new(s, x);
    *e =
        (contributions){.tau = allocate(nv, sizeof(double)), .tau_c = allocate(nv, sizeof(double))};
    td_status status = td_inverse_dynamics(s->model, s->workspace, value[QUANTITY_Q],
                                           value[QUANTITY_QD], value[QUANTITY_QDD], forces, tau_y);
    if (status == TD_OK) {
        status = TD_IN_TREE(s->workspace, td_inverse_dynamics(s->model, s->workspace, tree.q,
                                                              tree.qd, tree.qdd, forces, e->tau));
    }
    if (status == TD_OK) {
        find_motors(s, value[QUANTITY_Q], tree.q, tau_y, e);
        status = td_constraint_force(s->model, s->workspace, value[QUANTITY_Q], value[QUANTITY_QD],
                                     value[QUANTITY_QDD], e->motor, forces, e->tau_c);
    }
    if (status == TD_OK && coordinate >= 0) {
        e->force = tau_y[coordinate];
        status = add_joints(s, forces, x, &tree, coordinate, e);
        add_links(s, x, coordinate, e);
        find_rest(e);
    }
    tree_state_free(&tree);
    return status;
}

void contributions_free(contributions *e)
{
    free(e->joint);
    free(e->link);
    free(e->tau);
    free(e->motor);
    free(e->tau_c);
}
