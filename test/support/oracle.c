/* SPDX-License-Identifier: MIT */
/*
 * Projected Newton-Euler equations in world coordinates.
 */
#include "oracle.h"

#include <math.h>
#include <stdlib.h>

typedef long double num;

typedef struct v3 {
    num x[3];
} v3;

typedef struct m3 {
    num a[3][3];
} m3;

static v3 vec(const double *x)
{
    return (v3){{x[0], x[1], x[2]}};
}

static v3 plus(v3 a, v3 b)
{
    return (v3){{a.x[0] + b.x[0], a.x[1] + b.x[1], a.x[2] + b.x[2]}};
}

static v3 times(num s, v3 a)
{
    return (v3){{s * a.x[0], s * a.x[1], s * a.x[2]}};
}

static v3 minus(v3 a, v3 b)
{
    return plus(a, times(-1, b));
}

static v3 crossed(v3 a, v3 b)
{
    return (v3){{a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2],
                 a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}

static num dotted(v3 a, v3 b)
{
    return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2];
}

static m3 mat(const double *r)
{
    m3 m;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m.a[i][j] = r[3 * i + j];
    return m;
}

static v3 apply(m3 m, v3 v)
{
    v3 r;
    for (int i = 0; i < 3; i++)
        r.x[i] = m.a[i][0] * v.x[0] + m.a[i][1] * v.x[1] + m.a[i][2] * v.x[2];
    return r;
}

static m3 product(m3 a, m3 b)
{
    m3 m;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m.a[i][j] = a.a[i][0] * b.a[0][j] + a.a[i][1] * b.a[1][j] + a.a[i][2] * b.a[2][j];
    return m;
}

static m3 transposed(m3 a)
{
    m3 m;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m.a[i][j] = a.a[j][i];
    return m;
}

/* Rodrigues' formula: the rotation by an angle, given by its sine and cosine, about a unit axis */
static m3 turn(v3 k, num s, num c)
{
    m3 m;
    for (int i = 0; i < 3; i++) {
        v3 e = {{i == 0, i == 1, i == 2}};
        v3 column =
            plus(plus(times(c, e), times(s, crossed(k, e))), times((1 - c) * dotted(k, e), k));
        for (int j = 0; j < 3; j++)
            m.a[j][i] = column.x[j];
    }
    return m;
}

/* the smallest rotation that takes z to the axis; about x for −z */
static m3 turn_to(v3 axis)
{
    v3 z = {{0, 0, 1}}, across = crossed(z, axis);
    num s = sqrtl(dotted(across, across)), c = axis.x[2];
    if (s == 0)
        return turn((v3){{1, 0, 0}}, 0, c > 0 ? 1 : -1);
    return turn(times(1 / s, across), s, c);
}

static m3 of_quaternion(const double *p)
{
    num x = p[0], y = p[1], z = p[2], w = p[3];
    return (m3){{{w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)},
                 {2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)},
                 {2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z}}};
}

typedef struct state {
    m3 R;
    v3 p, v, w, alpha, a; /* of the link's origin, in world axes */
    v3 force, moment;     /* of the link and its subtree; the moment is about the world's origin */
} state;

/* the joint's motion relative to the parent; directions in world axes */
typedef struct relative {
    m3 R;        /* of the child */
    v3 p;        /* of the child */
    v3 w, w_dot; /* relative rates, and the derivatives of their components in the moving axes */
    v3 v, v_dot; /* relative velocity of the origin, and its derivative as seen from the parent */
} relative;

static relative move(const td_joint *joint, m3 Rj, v3 pj, const double *q, const double *qd,
                     const double *qdd)
{
    v3 none = {{0, 0, 0}};
    relative r = {Rj, pj, none, none, none, none};
    v3 axis = vec(joint->axis), a = apply(Rj, axis);
    switch (joint->type) {
    case TD_JOINT_FIXED:
        break;
    case TD_JOINT_REVOLUTE:
    case TD_JOINT_CONTINUOUS:
        r.R = product(Rj, turn(axis, sinl(q[0]), cosl(q[0])));
        r.w = times(qd[0], a);
        r.w_dot = times(qdd[0], a);
        break;
    case TD_JOINT_SCREW: {
        const num h = joint->pitch / (4 * acosl(0));
        r.R = product(Rj, turn(axis, sinl(q[0]), cosl(q[0])));
        r.p = plus(pj, times(h * q[0], a));
        r.w = times(qd[0], a);
        r.w_dot = times(qdd[0], a);
        r.v = times(h * qd[0], a);
        r.v_dot = times(h * qdd[0], a);
        break;
    }
    case TD_JOINT_UNIVERSAL: {
        const m3 Rx = product(Rj, turn((v3){{1, 0, 0}}, sinl(q[0]), cosl(q[0])));
        const v3 x = apply(Rj, (v3){{1, 0, 0}}), y = apply(Rx, (v3){{0, 1, 0}});
        r.R = product(Rx, turn((v3){{0, 1, 0}}, sinl(q[1]), cosl(q[1])));
        r.w = plus(times(qd[0], x), times(qd[1], y));
        r.w_dot = plus(times(qdd[0], x), times(qdd[1], y));
        r.w_dot = plus(r.w_dot, times(qd[0] * qd[1], crossed(x, y)));
        break;
    }
    case TD_JOINT_BALL:
        r.R = product(Rj, of_quaternion(q));
        r.w = apply(r.R, vec(qd));
        r.w_dot = apply(r.R, vec(qdd));
        break;
    case TD_JOINT_PRISMATIC:
        r.p = plus(pj, times(q[0], a));
        r.v = times(qd[0], a);
        r.v_dot = times(qdd[0], a);
        break;
    case TD_JOINT_PLANAR: {
        m3 P = product(Rj, turn_to(axis));
        r.p = plus(pj, apply(P, (v3){{q[0], q[1], 0}}));
        r.v = apply(P, (v3){{qd[0], qd[1], 0}});
        r.v_dot = apply(P, (v3){{qdd[0], qdd[1], 0}});
        r.R = product(Rj, turn(axis, sinl(q[2]), cosl(q[2])));
        r.w = times(qd[2], a);
        r.w_dot = times(qdd[2], a);
        break;
    }
    case TD_JOINT_FLOATING:
        r.R = product(Rj, of_quaternion(q + 3));
        r.p = plus(pj, apply(Rj, vec(q)));
        r.w = apply(r.R, vec(qd));
        r.w_dot = apply(r.R, vec(qdd));
        r.v = apply(r.R, vec(qd + 3));
        r.v_dot = plus(apply(r.R, vec(qdd + 3)), crossed(r.w, r.v));
        break;
    }
    return r;
}

static void advance(const state *parent, const relative *r, state *link)
{
    v3 arm = minus(r->p, parent->p);
    link->R = r->R;
    link->p = r->p;
    link->v = plus(plus(parent->v, crossed(parent->w, arm)), r->v);
    link->w = plus(parent->w, r->w);
    link->alpha = plus(plus(parent->alpha, crossed(parent->w, r->w)), r->w_dot);
    link->a = plus(plus(parent->a, crossed(parent->alpha, arm)),
                   crossed(parent->w, crossed(parent->w, arm)));
    link->a = plus(link->a, plus(times(2, crossed(parent->w, r->v)), r->v_dot));
}

static void load_link(const td_model *model, size_t k, const double *wrench, td_frame frame,
                      state *s)
{
    const td_link *link = td_link_at(model, k);
    s->force = s->moment = (v3){{0, 0, 0}};
    if (link->has_inertial) {
        v3 arm = apply(s->R, vec(link->inertial.position));
        m3 Ri = product(s->R, mat(link->inertial.rotation));
        const double *I = link->inertia;
        m3 J = product(
            product(Ri, mat((double[]){I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5]})),
            transposed(Ri));
        v3 a = plus(plus(s->a, crossed(s->alpha, arm)), crossed(s->w, crossed(s->w, arm)));
        s->force = times(link->mass, minus(a, vec(td_gravity(model, NULL))));
        s->moment = plus(plus(apply(J, s->alpha), crossed(s->w, apply(J, s->w))),
                         crossed(plus(s->p, arm), s->force));
    }
    if (wrench) {
        v3 moment = vec(wrench), force = vec(wrench + 3);
        if (frame == TD_FRAME_BODY) {
            moment = apply(s->R, moment);
            force = apply(s->R, force);
        }
        if (frame != TD_FRAME_WORLD)
            moment = plus(moment, crossed(s->p, force));
        s->force = minus(s->force, force);
        s->moment = minus(s->moment, moment);
    }
}

/* ---- springs between links --------------------------------------------------------------------
 */

/* the frame of a spring on its link, and its velocities */
typedef struct end {
    m3 R;
    v3 p, v, w;
} end;

static end end_of(const state *s, const td_pose *at)
{
    const v3 arm = apply(s->R, vec(at->position));
    return (end){product(s->R, mat(at->rotation)), plus(s->p, arm), plus(s->v, crossed(s->w, arm)),
                 s->w};
}

/* Applies a force at a point and a moment to the successor, and the opposite ones to the
   predecessor. */
static void pull(state *predecessor, state *successor, v3 at, v3 force, v3 moment)
{
    moment = plus(moment, crossed(at, force));
    successor->force = minus(successor->force, force);
    successor->moment = minus(successor->moment, moment);
    predecessor->force = plus(predecessor->force, force);
    predecessor->moment = plus(predecessor->moment, moment);
}

static v3 line_force(const td_spring *spring, const end *a, const end *c)
{
    const v3 d = minus(c->p, a->p);
    const num l = sqrtl(dotted(d, d));
    const num rate = dotted(d, minus(c->v, a->v)) / l;
    return times(-(spring->stiffness * (l - spring->length) + spring->damping * rate) / l, d);
}

/* the rotation by half the angle of R, which is below π: the quaternion halfway between 1 and R's
 */
static m3 half_turn(m3 R)
{
    const num w = sqrtl(1 + R.a[0][0] + R.a[1][1] + R.a[2][2]) / 2;
    const v3 u = {{(R.a[2][1] - R.a[1][2]) / (4 * w), (R.a[0][2] - R.a[2][0]) / (4 * w),
                   (R.a[1][0] - R.a[0][1]) / (4 * w)}};
    const num length = sqrtl(dotted(u, u)), angle = atan2l(length, w);
    if (length == 0)
        return turn((v3){{1, 0, 0}}, 0, 1);
    return turn(times(1 / length, u), sinl(angle), cosl(angle));
}

static v3 bushing_force(const td_spring *spring, const end *a, const end *c)
{
    const m3 half = product(a->R, half_turn(product(transposed(a->R), c->R)));
    const v3 d = minus(c->p, a->p), spin = times(0.5L, plus(c->w, a->w));
    const v3 x = apply(transposed(half), d);
    const v3 rate = apply(transposed(half), minus(minus(c->v, a->v), crossed(spin, d)));
    v3 f;
    for (int i = 0; i < 3; i++)
        f.x[i] = -(spring->linear_stiffness[i] * x.x[i] + spring->linear_damping[i] * rate.x[i]);
    return apply(half, f);
}

/* The axes of roll, pitch and yaw are not orthogonal. Rates are found with the reciprocal axes, and
   the torques act along them. The power of each torque is then its value times its rate. */
static v3 bushing_moment(const td_spring *spring, const end *a, const end *c)
{
    const m3 R = product(transposed(a->R), c->R);
    const num roll = atan2l(R.a[2][1], R.a[2][2]), yaw = atan2l(R.a[1][0], R.a[0][0]);
    const num pitch = atan2l(-R.a[2][0], hypotl(R.a[2][1], R.a[2][2]));
    const num angle[3] = {roll, pitch, yaw};
    const v3 axis[3] = {
        {{R.a[0][0], R.a[1][0], R.a[2][0]}}, {{-sinl(yaw), cosl(yaw), 0}}, {{0, 0, 1}}};
    const num volume = dotted(axis[0], crossed(axis[1], axis[2]));
    const v3 spin = apply(transposed(a->R), minus(c->w, a->w));
    v3 moment = {{0, 0, 0}};
    for (int i = 0; i < 3; i++) {
        const v3 reciprocal = times(1 / volume, crossed(axis[(i + 1) % 3], axis[(i + 2) % 3]));
        const num torque = spring->angular_stiffness[i] * angle[i] +
                           spring->angular_damping[i] * dotted(reciprocal, spin);
        moment = minus(moment, times(torque, reciprocal));
    }
    return apply(a->R, moment);
}

static void load_springs(const td_model *model, state *s)
{
    for (size_t i = 0; i < td_spring_count(model); i++) {
        const td_spring *spring = td_spring_at(model, i);
        state *predecessor = &s[td_link_index(model, spring->predecessor)];
        state *successor = &s[td_link_index(model, spring->successor)];
        const end a = end_of(predecessor, &spring->predecessor_origin);
        const end c = end_of(successor, &spring->successor_origin);
        const v3 halfway = times(0.5L, plus(a.p, c.p));
        if (spring->type == TD_SPRING_LINE)
            pull(predecessor, successor, c.p, line_force(spring, &a, &c), (v3){{0, 0, 0}});
        else
            pull(predecessor, successor, halfway, bushing_force(spring, &a, &c),
                 bushing_moment(spring, &a, &c));
    }
}

static void torque(const td_joint *joint, const double *q, const state *parent, const state *child,
                   double *tau)
{
    v3 moment =
        minus(child->moment, crossed(child->p, child->force)); /* about the child's origin */
    m3 Rj = product(parent->R, mat(joint->origin.rotation));
    v3 a = apply(Rj, vec(joint->axis));
    switch (joint->type) {
    case TD_JOINT_FIXED:
        break;
    case TD_JOINT_REVOLUTE:
    case TD_JOINT_CONTINUOUS:
        tau[0] = (double)dotted(a, moment);
        break;
    case TD_JOINT_SCREW:
        tau[0] =
            (double)(dotted(a, moment) + joint->pitch / (4 * acosl(0)) * dotted(a, child->force));
        break;
    case TD_JOINT_UNIVERSAL: {
        const m3 Rx = product(Rj, turn((v3){{1, 0, 0}}, sinl(q[0]), cosl(q[0])));
        tau[0] = (double)dotted(apply(Rj, (v3){{1, 0, 0}}), moment);
        tau[1] = (double)dotted(apply(Rx, (v3){{0, 1, 0}}), moment);
        break;
    }
    case TD_JOINT_BALL: {
        v3 n = apply(transposed(child->R), moment);
        for (int i = 0; i < 3; i++)
            tau[i] = (double)n.x[i];
        break;
    }
    case TD_JOINT_PRISMATIC:
        tau[0] = (double)dotted(a, child->force);
        break;
    case TD_JOINT_PLANAR: {
        m3 P = transposed(product(Rj, turn_to(vec(joint->axis))));
        v3 f = apply(P, child->force);
        tau[0] = (double)f.x[0];
        tau[1] = (double)f.x[1];
        tau[2] = (double)dotted(a, moment);
        break;
    }
    case TD_JOINT_FLOATING: {
        v3 n = apply(transposed(child->R), moment), f = apply(transposed(child->R), child->force);
        for (int i = 0; i < 3; i++) {
            tau[i] = (double)n.x[i];
            tau[3 + i] = (double)f.x[i];
        }
        break;
    }
    }
}

static void write_pose(const state *s, double *row)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            row[4 * i + j] = (double)s->R.a[i][j];
        row[4 * i + 3] = (double)s->p.x[i];
    }
}

void oracle_inverse_dynamics(const td_model *model, const double *q, const double *qd,
                             const double *qdd, const td_forces *forces, double *poses, double *tau,
                             double *reactions)
{
    const double zeros[6] = {0}, *wrenches = forces ? forces->wrenches : NULL;
    const td_frame frame = forces ? forces->wrench_frame : TD_FRAME_BODY;
    size_t joints = td_joint_count(model), links = td_link_count(model);
    const state world = {.R = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
    state *s = calloc(links, sizeof *s);
    s[td_root_link(model)] = world;
    for (size_t i = 0; i < joints; i++) {
        const td_joint *joint = td_joint_at(model, i);
        td_joint_place place = td_joint_place_at(model, i);
        const state *parent = place.parent_link == TD_NONE ? &world : &s[place.parent_link];
        m3 Rj = product(parent->R, mat(joint->origin.rotation));
        v3 pj = plus(parent->p, apply(parent->R, vec(joint->origin.position)));
        relative r =
            move(joint, Rj, pj, q + (place.q == TD_NONE ? 0 : place.q),
                 qd && place.nv ? qd + place.qd : zeros, qdd && place.nv ? qdd + place.qd : zeros);
        advance(parent, &r, &s[place.child_link]);
    }
    for (size_t k = 0; k < links; k++) {
        if (poses)
            write_pose(&s[k], poses + 12 * k);
        load_link(model, k, wrenches ? wrenches + 6 * k : NULL, frame, &s[k]);
    }
    if (forces && forces->passive)
        load_springs(model, s);
    for (size_t i = joints; i-- > 0;) {
        td_joint_place place = td_joint_place_at(model, i);
        state *child = &s[place.child_link];
        state *parent = place.parent_link == TD_NONE ? NULL : &s[place.parent_link];
        for (int k = 0; reactions && k < 3; k++) {
            reactions[6 * i + (size_t)k] = (double)child->moment.x[k];
            reactions[6 * i + (size_t)k + 3] = (double)child->force.x[k];
        }
        if (tau && place.nv)
            torque(td_joint_at(model, i), q + (place.q == TD_NONE ? 0 : place.q),
                   parent ? parent : &world, child, tau + place.qd);
        if (parent) {
            parent->force = plus(parent->force, child->force);
            parent->moment = plus(parent->moment, child->moment);
        }
    }
    free(s);
}
