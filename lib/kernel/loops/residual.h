/* SPDX-License-Identifier: MIT */
/*
 * φ, K and K̇ of loop joints. Each row of φ compares a point or direction on the successor with one
 * on the predecessor. Its derivative with respect to the successor's velocity relative to the
 * predecessor is a wrench F at the successor's point. For a joint with the motion S there, K has
 * the entry ± F · S, and K̇ the entry ± (Ḟ · S + F · Ṡ).
 */
#ifndef TD_RESIDUAL_H
#define TD_RESIDUAL_H

#include "kernel/kernel.h"
#include "kernel/loops/coupling.h"
#include "kernel/real/arrays.h"
#include "kernel/tree/motion_subspace.h"
#include <stdbool.h>

/* The scratch of a group. Q, R, W and the poses remain for later calls. */
typedef struct loop_room {
    real *angle, *sine, *cosine;   /* bodies, rounded up to a multiple of LOOP_ANGLES */
    pose *pose;                    /* bodies: relative to the body that carries the group */
    spatial *motion;               /* bodies: ω, and v of the origin */
    spatial *wrench, *wrench_rate; /* rows */
    real *phi;                     /* rows */
    real *column;                  /* rows or dependents, whichever is larger */
    real *dependent, *independent; /* columns of J with one element per row; dependent becomes Q */
    real *dependent_rate;          /* of J̇ */
    real *R, *rotation;            /* dependents² */
    real *W, *W_rate;              /* dependents × independents */
    real *step, *tangent, *ahead, *moved; /* dependents */
    real *from, *best;                    /* positions of the dependents */
    real *dy;                             /* independents */
    real *part;             /* coordinates of the poses that loops determine in part */
    real *frame;            /* like dependent: Q of the last accepted point */
    real *least;            /* 1: smallest squared ratio of a pivot to its column */
    coupling_room coupling; /* followers by curves */
} loop_room;

enum { LOOP_ANGLES = 8 }; /* number of angles whose sines are computed together */

TD_INLINE size_t loop_angles(const td_loop_group *g)
{
    return ((size_t)g->bodies + LOOP_ANGLES - 1) / LOOP_ANGLES * LOOP_ANGLES;
}

/* Allocates the scratch of a group that is solved implicitly, or kept only for φ and K. */
static loop_room loop_take(td_stack *stack, const td_loop_group *g)
{
    const size_t b = (size_t)g->bodies, m = (size_t)g->rows, angles = loop_angles(g);
    const size_t x = (size_t)g->dependents, y = (size_t)g->independents;
    const size_t positions = x + (size_t)(TD_FLOATING_POSITIONS * g->quaternions);
    loop_room r;
    r.angle = td_take(stack, real, angles);
    r.sine = td_take(stack, real, angles);
    r.cosine = td_take(stack, real, angles);
    r.pose = td_take(stack, pose, b);
    r.motion = td_take(stack, spatial, b);
    r.wrench = td_take(stack, spatial, m);
    r.wrench_rate = td_take(stack, spatial, m);
    r.phi = td_take(stack, real, m);
    r.column = td_take(stack, real, m > x ? m : x);
    r.dependent = td_take(stack, real, m * x);
    r.dependent_rate = td_take(stack, real, m * x);
    r.independent = td_take(stack, real, m * y);
    r.R = td_take(stack, real, x * x);
    r.rotation = td_take(stack, real, x * x);
    r.W = td_take(stack, real, x * y);
    r.W_rate = td_take(stack, real, x * y);
    r.step = td_take(stack, real, x);
    r.tangent = td_take(stack, real, x);
    r.ahead = td_take(stack, real, x);
    r.moved = td_take(stack, real, x);
    r.from = td_take(stack, real, positions);
    r.best = td_take(stack, real, positions);
    r.dy = td_take(stack, real, y);
    r.part = td_take(stack, real, (size_t)(TD_PART_COORDINATES * g->quaternions));
    r.frame = td_take(stack, real, m * x);
    r.least = td_take(stack, real, 1);
    r.coupling = coupling_take(stack, g->curves);
    return r;
}

/* ---- the group's bodies ---------------------------------------------------------------------- */

TD_INLINE pose origin_pose(void)
{
    const td_mat3 identity = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    return (pose){mat3_splat(&identity), vec3_splat((td_vec3){0, 0, 0})};
}

TD_INLINE pose loop_pose(const loop_room *r, int body)
{
    return body < 0 ? origin_pose() : r->pose[body];
}

TD_INLINE spatial loop_velocity(const loop_room *r, int body)
{
    return body < 0 ? spatial_zero() : r->motion[body];
}

/* Computes the poses of a group's bodies from q. Also stores the sines and cosines where columns of
   joints read them. */
static void loop_poses(const td_tree *tree, const td_loop_group *g, const td_scratch *s,
                       const loop_room *r, const real *q)
{
    clear(r->angle, loop_angles(g));
    for (int i = 0; i < g->bodies; i++) {
        const td_body *body = &tree->body[g->body[i]];
        if (body->angle >= 0)
            r->angle[i] = q[tree->angle_q[body->angle]];
    }
    real_sincos_array((size_t)g->bodies, r->angle, NULL, r->sine, r->cosine);
    for (int i = 0; i < g->bodies; i++) {
        const td_body *body = &tree->body[g->body[i]];
        mat3 E;
        vec3 offset;
        if (body->angle >= 0) {
            ((real *)s->sine)[body->angle] = r->sine[i];
            ((real *)s->cosine)[body->angle] = r->cosine[i];
        }
        joint_place_apart(body, q + body->q, r->sine[i], r->cosine[i], &E, &offset);
        pose parent = loop_pose(r, g->parent[i]);
        r->pose[i].R = mul_transposed(&parent.R, &E);
        r->pose[i].p = add(parent.p, rotate(&parent.R, offset));
    }
}

static void loop_motions(const td_tree *tree, const td_loop_group *g, const td_scratch *s,
                         const loop_room *r, const real *qd)
{
    for (int i = 0; i < g->bodies; i++) {
        const td_body *body = &tree->body[g->body[i]];
        vec3 arm = sub(r->pose[i].p, loop_pose(r, g->parent[i]).p);
        r->motion[i] = spatial_add(motion_shift(loop_velocity(r, g->parent[i]), arm),
                                   joint_rate(body, s, &r->pose[i], qd + body->qd));
    }
}

/* ---- φ, K and K̇ ------------------------------------------------------------------------------ */

/* the two sides of a loop joint */
typedef struct loop_ends {
    pose predecessor, successor;
    vec3 point;      /* on the successor */
    vec3 difference; /* from the predecessor's point to the successor's */
} loop_ends;

TD_INLINE loop_ends ends_of(const td_loop_joint *loop, const loop_room *r)
{
    loop_ends e = {.predecessor = loop_pose(r, loop->predecessor),
                   .successor = loop_pose(r, loop->successor)};
    e.point = add(e.successor.p, rotate_k(&e.successor.R, loop->successor_point));
    vec3 base = add(e.predecessor.p, rotate_k(&e.predecessor.R, loop->predecessor_point));
    e.difference = sub(e.point, base);
    return e;
}

/* Computes φ and F of the rows, and K of followers by curves. */
static void loop_rows(const td_loop_group *g, const loop_room *r, const real *q)
{
    if (g->curves)
        coupling_rows(g, &r->coupling, q, r->phi);
    for (int l = 0; l < g->loops; l++) {
        loop_ends e = ends_of(&g->loop[l], r);
        for (int i = g->loop[l].first; i < g->loop[l].first + g->loop[l].rows; i++) {
            const td_loop_row *row = &g->row[i];
            spatial F = spatial_zero();
            vec3 a = rotate_k(&e.predecessor.R, row->a);
            switch (row->kind) {
            case TD_ROW_POINT:
                F.linear = a;
                r->phi[i] = dot(a, e.difference);
                break;
            case TD_ROW_DOT: {
                vec3 b = rotate_k(&e.successor.R, row->b), c = rotate_k(&e.predecessor.R, row->c);
                vec3 d = rotate_k(&e.successor.R, row->d);
                F.angular = sub(cross(b, a), cross(d, c));
                r->phi[i] = dot(a, b) - dot(c, d) - row->aligned;
                break;
            }
            case TD_ROW_DISTANCE:
                F.linear = scale(1 / row->length, e.difference);
                r->phi[i] = 0.5 * (dot(F.linear, e.difference) - row->length);
                break;
            case TD_ROW_FOLLOWER:
                break;
            }
            r->wrench[i] = F;
        }
    }
}

/* Returns 0 if a loop is nearer to its correct orientation than to half a turn off. Otherwise
   returns its distance from the correct one, more than half of turn.aligned. */
TD_INLINE real loop_turned(const td_loop_joint *loop, const loop_room *r)
{
    const td_loop_row *row = &loop->turn;
    const real none = splat(0);
    if (row->aligned == 0)
        return none;
    const mat3 P = loop_pose(r, loop->predecessor).R, S = loop_pose(r, loop->successor).R;
    real off = row->aligned - dot(rotate_k(&P, row->a), rotate_k(&S, row->b));
    if (row->aligned > 1)
        off += dot(rotate_k(&P, row->c), rotate_k(&S, row->d));
    return select_lt(splat(0.5 * row->aligned), off, off, none);
}

/* Computes Ḟ of the rows, and K̇ of followers by curves. */
static void loop_row_rates(const td_loop_group *g, const loop_room *r, const real *qd)
{
    if (g->curves)
        coupling_rates(g, &r->coupling, qd);
    for (int l = 0; l < g->loops; l++) {
        const td_loop_joint *loop = &g->loop[l];
        loop_ends e = ends_of(loop, r);
        spatial vp = loop_velocity(r, loop->predecessor), vs = loop_velocity(r, loop->successor);
        vec3 base = rotate_k(&e.predecessor.R, loop->predecessor_point);
        vec3 rate = sub(motion_shift(vs, sub(e.point, e.successor.p)).linear,
                        motion_shift(vp, base).linear);
        for (int i = loop->first; i < loop->first + loop->rows; i++) {
            const td_loop_row *row = &g->row[i];
            spatial F = spatial_zero();
            vec3 a = rotate_k(&e.predecessor.R, row->a), a_rate = cross(vp.angular, a);
            if (row->kind == TD_ROW_POINT) {
                F.linear = a_rate;
            } else if (row->kind == TD_ROW_DISTANCE) {
                F.linear = scale(1 / row->length, rate);
            } else {
                vec3 b = rotate_k(&e.successor.R, row->b), b_rate = cross(vs.angular, b);
                vec3 c = rotate_k(&e.predecessor.R, row->c), c_rate = cross(vp.angular, c);
                vec3 d = rotate_k(&e.successor.R, row->d), d_rate = cross(vs.angular, d);
                F.angular = sub(add(cross(b_rate, a), cross(b, a_rate)),
                                add(cross(d_rate, c), cross(d, c_rate)));
            }
            r->wrench_rate[i] = F;
        }
    }
}

/* Returns the joint's motion S at the loop's point. */
TD_INLINE spatial loop_column(const td_tree *tree, const td_loop_group *g, const td_scratch *s,
                              const loop_room *r, const td_loop_column *c, vec3 point)
{
    const pose *p = &r->pose[c->body];
    spatial S = column_of(&tree->body[g->body[c->body]], s, p, c->k);
    return motion_shift(S, sub(point, p->p));
}

/* Returns Ṡ. v is the velocity of the loop's point on the successor. */
TD_INLINE spatial loop_column_rate(const td_tree *tree, const td_loop_group *g, const td_scratch *s,
                                   const loop_room *r, const td_loop_column *c, vec3 point, vec3 v)
{
    const pose *p = &r->pose[c->body];
    const td_body *body = &tree->body[g->body[c->body]];
    spatial S = column_of(body, s, p, c->k), motion = r->motion[c->body];
    vec3 w = joint_column_is_parents(body, c->k) ? loop_velocity(r, g->parent[c->body]).angular
                                                 : motion.angular;
    spatial rate = {cross(w, S.angular), cross(w, S.linear)};
    rate = motion_shift(rate, sub(point, p->p));
    rate.linear = add(rate.linear, cross(S.angular, sub(v, motion.linear)));
    return rate;
}

/* Returns the velocity of the loop's point on the successor. */
TD_INLINE vec3 loop_point_velocity(const td_loop_joint *loop, const loop_room *r,
                                   const loop_ends *e)
{
    return motion_shift(loop_velocity(r, loop->successor), sub(e->point, e->successor.p)).linear;
}

static void loop_fill(const td_loop_group *g, const real *W, real *G)
{
    for (size_t k = 0; k < g->fill.count; k++)
        G[g->fill.target[k]] += g->fill.factor[k] * W[g->fill.source[k]];
}

#endif
