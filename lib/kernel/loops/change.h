/* SPDX-License-Identifier: MIT */
/*
 * Derivatives of the motions of a group's bodies and of φ̇, φ̈ along a small displacement. Like a
 * velocity, the displacement is given as a motion of each body. A vector a that is fixed to a body
 * rotated by θ changes by θ × a. With the bodies' velocities ω, v and accelerations α, a known,
 *
 *   ȧ = ω × a,   ä = α × a + ω × ȧ,
 *   δȧ = δω × a + ω × δa,   δä = δα × a + α × δa + δω × ȧ + ω × δȧ.
 *
 * Each row of φ is bilinear in such vectors and in the difference of two points. Joint velocities
 * and accelerations are components along axes that are displaced too: S q̇ changes by θ × S q̇ + S
 * δq̇, with the rotation θ of the body to which the direction of S is fixed.
 */
#ifndef TD_CHANGE_H
#define TD_CHANGE_H

#include "kernel/loops/problem.h"

/* per body: the classical acceleration of its origin, its displacement, and the resulting changes
   of velocity and acceleration */
typedef struct loop_change {
    spatial *acceleration, *displacement, *velocity_change, *acceleration_change;
} loop_change;

/* Whether changes of velocities and φ̇ are computed, or also of accelerations and φ̈. */
typedef enum change_order { CHANGE_OF_VELOCITY = 1, CHANGE_OF_ACCELERATION } change_order;

static loop_change change_take(td_stack *stack, size_t bodies)
{
    loop_change c;
    c.acceleration = td_take(stack, spatial, bodies);
    c.displacement = td_take(stack, spatial, bodies);
    c.velocity_change = td_take(stack, spatial, bodies);
    c.acceleration_change = td_take(stack, spatial, bodies);
    return c;
}

TD_INLINE spatial spatial_of(const spatial *motion, int body)
{
    return body < 0 ? spatial_zero() : motion[body];
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* Returns (ω × w, ω' × v), the change of S q̇ = (w, v) as the directions of S rotate. `own` is the
   motion of the body. v may be fixed to the parent, which moves by `parent`. */
TD_INLINE spatial carried(const td_body *body, spatial own, spatial parent, spatial S_qd)
{
    const vec3 slides = joint_column_is_parents(body, 0) ? parent.angular : own.angular;
    return (spatial){cross(own.angular, S_qd.angular), cross(slides, S_qd.linear)};
}

/* Computes the accelerations of the bodies, whose velocities are in r. With S q̇ = (w, v) and S q̈ =
   (w', v'):

   α = α_p + w' + ω_p × w,   a = a_p + α_p × r + ω_p × ṙ + v' + ω × v */
static void loop_accelerations(const td_tree *tree, const td_loop_group *g, const td_scratch *s,
                               const loop_room *r, const real *qd, const real *qdd,
                               spatial *acceleration)
{
    for (int i = 0; i < g->bodies; i++) {
        const td_body *body = &tree->body[g->body[i]];
        const int parent = g->parent[i];
        const spatial v = r->motion[i], vp = loop_velocity(r, parent);
        const vec3 arm = sub(r->pose[i].p, loop_pose(r, parent).p);
        const spatial S_qd = joint_rate(body, s, &r->pose[i], qd + body->qd);
        const spatial S_qdd = joint_rate(body, s, &r->pose[i], qdd + body->qd);
        spatial a = motion_shift(spatial_of(acceleration, parent), arm);
        a = spatial_add(a, spatial_add(S_qdd, carried(body, v, vp, S_qd)));
        a.linear = add_cross(a.linear, vp.angular, sub(v.linear, vp.linear));
        acceleration[i] = a;
    }
}

/* Computes how the displacement changes the bodies' velocities and, depending on order, their
   accelerations. q̇ changes by qd_change (NULL: zero); q̈ does not change. */
TD_INLINE void loop_changes(const loop_problem *p, const loop_room *r, const loop_change *c,
                            change_order order, const real *qd, const real *qdd,
                            const real *qd_change)
{
    const td_loop_group *g = p->g;
    for (int i = 0; i < g->bodies; i++) {
        const td_body *body = &p->tree->body[g->body[i]];
        const int parent = g->parent[i];
        const pose *place = &r->pose[i];
        const spatial moved = c->displacement[i], moved_p = spatial_of(c->displacement, parent);
        const spatial v = r->motion[i], vp = loop_velocity(r, parent);
        const spatial dvp = spatial_of(c->velocity_change, parent);
        const vec3 arm = sub(place->p, loop_pose(r, parent).p);
        const vec3 arm_change = sub(moved.linear, moved_p.linear);
        const spatial S_qd = joint_rate(body, p->s, place, qd + body->qd);
        spatial S_qd_change = carried(body, moved, moved_p, S_qd);
        if (qd_change)
            S_qd_change =
                spatial_add(S_qd_change, joint_rate(body, p->s, place, qd_change + body->qd));
        spatial dv = spatial_add(motion_shift(dvp, arm), S_qd_change);
        dv.linear = add_cross(dv.linear, vp.angular, arm_change);
        c->velocity_change[i] = dv;
        if (order == CHANGE_OF_VELOCITY)
            continue;
        const spatial S_qdd = joint_rate(body, p->s, place, qdd + body->qd);
        spatial da = motion_shift(spatial_of(c->acceleration_change, parent), arm);
        da.linear = add_cross(da.linear, spatial_of(c->acceleration, parent).angular, arm_change);
        da.linear = add_cross(da.linear, dvp.angular, sub(v.linear, vp.linear));
        da.linear = add_cross(da.linear, vp.angular, sub(dv.linear, dvp.linear));
        da = spatial_add(da, carried(body, moved, moved_p, S_qdd));
        da = spatial_add(da, carried(body, dv, dvp, S_qd));
        da = spatial_add(da, carried(body, v, vp, S_qd_change));
        c->acceleration_change[i] = da;
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* A vector, its first two time derivatives, and the change of each by the displacement. */
typedef struct changing {
    vec3 at[3], change[3];
} changing;

/* Returns a vector that is fixed to a body. */
TD_INLINE changing changing_fixed(const loop_room *r, const loop_change *c, change_order order,
                                  int body, td_vec3 k)
{
    const mat3 R = loop_pose(r, body).R;
    const vec3 w = loop_velocity(r, body).angular;
    const vec3 moved = spatial_of(c->displacement, body).angular;
    const vec3 w_change = spatial_of(c->velocity_change, body).angular;
    changing x;
    x.at[0] = rotate_k(&R, k);
    x.at[1] = cross(w, x.at[0]);
    x.change[0] = cross(moved, x.at[0]);
    x.change[1] = add_cross(cross(w_change, x.at[0]), w, x.change[0]);
    if (order == CHANGE_OF_VELOCITY)
        return x;
    const vec3 alpha = spatial_of(c->acceleration, body).angular;
    const vec3 alpha_change = spatial_of(c->acceleration_change, body).angular;
    x.at[2] = add_cross(cross(alpha, x.at[0]), w, x.at[1]);
    x.change[2] = add_cross(cross(alpha_change, x.at[0]), alpha, x.change[0]);
    x.change[2] = add_cross(x.change[2], w_change, x.at[1]);
    x.change[2] = add_cross(x.change[2], w, x.change[1]);
    return x;
}

/* Returns a point that is fixed to a body. */
TD_INLINE changing changing_point(const loop_room *r, const loop_change *c, change_order order,
                                  int body, td_vec3 k)
{
    changing x = changing_fixed(r, c, order, body, k);
    x.at[0] = add(x.at[0], loop_pose(r, body).p);
    x.at[1] = add(x.at[1], loop_velocity(r, body).linear);
    x.change[0] = add(x.change[0], spatial_of(c->displacement, body).linear);
    x.change[1] = add(x.change[1], spatial_of(c->velocity_change, body).linear);
    if (order == CHANGE_OF_VELOCITY)
        return x;
    x.at[2] = add(x.at[2], spatial_of(c->acceleration, body).linear);
    x.change[2] = add(x.change[2], spatial_of(c->acceleration_change, body).linear);
    return x;
}

TD_INLINE changing changing_difference(changing a, const changing *b, change_order order)
{
    for (int k = 0; k <= (int)order; k++) {
        a.at[k] = sub(a.at[k], b->at[k]);
        a.change[k] = sub(a.change[k], b->change[k]);
    }
    return a;
}

/* Returns the change of the first or second derivative of a · b. */
TD_INLINE real change_of_product(const changing *a, const changing *b, change_order order)
{
    if (order == CHANGE_OF_VELOCITY)
        return dot(a->change[1], b->at[0]) + dot(a->at[1], b->change[0]) +
               dot(a->change[0], b->at[1]) + dot(a->at[0], b->change[1]);
    return dot(a->change[2], b->at[0]) + dot(a->at[2], b->change[0]) + dot(a->change[0], b->at[2]) +
           dot(a->at[0], b->change[2]) +
           2 * (dot(a->change[1], b->at[1]) + dot(a->at[1], b->change[1]));
}

/* Computes the weighted changes of φ̇ or φ̈. Call loop_changes with the same order first. */
TD_INLINE void loop_row_changes(const td_loop_group *g, const loop_room *r, const loop_change *c,
                                change_order order, real *out)
{
    for (int l = 0; l < g->loops; l++) {
        const td_loop_joint *loop = &g->loop[l];
        const int p = loop->predecessor, s = loop->successor;
        const changing base = changing_point(r, c, order, p, loop->predecessor_point);
        const changing way = changing_difference(
            changing_point(r, c, order, s, loop->successor_point), &base, order);
        for (int i = loop->first; i < loop->first + loop->rows; i++) {
            const td_loop_row *row = &g->row[i];
            real x = splat(0);
            if (row->kind == TD_ROW_DISTANCE) {
                x = (0.5 / row->length) * change_of_product(&way, &way, order);
            } else {
                const changing a = changing_fixed(r, c, order, p, row->a);
                if (row->kind == TD_ROW_POINT) {
                    x = change_of_product(&a, &way, order);
                } else {
                    const changing b = changing_fixed(r, c, order, s, row->b);
                    const changing e = changing_fixed(r, c, order, p, row->c);
                    const changing d = changing_fixed(r, c, order, s, row->d);
                    x = change_of_product(&a, &b, order) - change_of_product(&e, &d, order);
                }
            }
            out[i] = row->weight * x;
        }
    }
}

#endif
