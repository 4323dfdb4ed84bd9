/* SPDX-License-Identifier: MIT */
/*
 * Derivatives of inverse dynamics times a direction d, ḋ, d̈ of q, q̇, q̈. Let x = S d. In axes
 * that move with the bodies, their velocities and accelerations change by
 *
 *   p = p_parent + v × x + S ḋ,   r = r_parent + a × x + v × (v × x + 2 S ḋ) + S d̈.
 *
 * F is the force that a body and its subtree require. Forces and joint forces change by
 *
 *   g = I r + 2 B p,   g_parent += g + x ×* F,   δτ = Sᵀ g
 *
 * (see kernel/tree/product_room.h). v and a are the body's. They differ from the motion before the
 * joint only by terms that vanish in these products. Joints of several coordinates use the motion
 * before the joint; coordinates that act in sequence are processed one at a time.
 */
#include "kernel/tree/product_room.h"

/* Computes the joints' parts of p and r for a strip of bodies, as if all joints were revolute. */
static void start_changes(const td_tree *tree, const td_scratch *s, const product_room *room,
                          size_t i)
{
    const strip_motion m = motion_of_strip(tree, s, i);
    const real *along = room->along + tree->body[i].qd;
    product_body *out = &room->body[i];
    const strip3 x = strip3_scale(strip_load(along), m.z);
    const strip3 z = strip3_scale(strip_load(along + room->apart), m.z);
    const strip3 u = strip3_cross(m.w, x), uv = strip3_cross(m.v, x);
    const strip3 t = strip3_add(u, strip3_add(z, z));
    const strip3 r = strip3_add(strip3_cross(m.alpha, x), strip3_cross(m.w, t));
    const strip3 rv =
        strip3_add(strip3_cross(m.a, x), strip3_add(strip3_cross(m.w, uv), strip3_cross(m.v, t)));
    strip3_scatter(strip3_add(u, z), &out->velocity.angular, sizeof *out);
    strip3_scatter(uv, &out->velocity.linear, sizeof *out);
    strip3_scatter(strip3_add(r, strip3_scale(strip_load(along + 2 * room->apart), m.z)),
                   &out->acceleration.angular, sizeof *out);
    strip3_scatter(rv, &out->acceleration.linear, sizeof *out);
}

/* Computes the same for a joint of any kind. */
static void start_general_change(const td_tree *tree, const td_scratch *s, const product_room *room,
                                 const real *qd, const real *qdd, size_t i)
{
    const td_body *body = &tree->body[i];
    const real *d = room->along + body->qd, *dd = d + room->apart, *ddd = dd + room->apart;
    const spatial after = ((const body_motion *)s->motion)[i].velocity;
    spatial v = velocity_before(tree, s, i),
            a = acceleration_before(tree, s, i, world_acceleration(tree));
    spatial p = spatial_zero(), r = p;
    for (int k = 0; k < body->nv; k++) {
        const spatial S = column_at(body, s, (const axes *)s->pose + i, k);
        const bool one_by_one = body->nv == 1 || joint_is_sequence(body);
        const spatial x = spatial_scale(d[k], S), z = spatial_scale(dd[k], S);
        const spatial u = motion_cross(v, x), t = spatial_add(u, z);
        p = spatial_add(p, t);
        r = spatial_add(r, spatial_add(motion_cross(a, x), motion_cross(v, t)));
        r = spatial_add(r, motion_cross(one_by_one ? v : after, z));
        r = spatial_add_scaled(r, ddd[k], S);
        if (joint_is_sequence(body)) {
            a = acceleration_behind(a, v, S, qd[body->qd + k], qdd[body->qd + k]);
            v = spatial_add_scaled(v, qd[body->qd + k], S);
        }
    }
    room->body[i].velocity = screw_of(p);
    room->body[i].acceleration = screw_of(r);
}

/* Computes p and r of all bodies, and their forces g = I r + 2 B p. The latest body's p and r stay
   in registers. */
static void change_bodies(const td_tree *tree, const td_scratch *s, const product_room *room)
{
    const packed3 *arm = s->arm;
    product_body *all = room->body;
    screw last_p = screw_of(spatial_zero()), last_r = last_p;
    for (size_t i = 0; i < tree->bodies; i++) {
        const int parent = tree->body[i].parent;
        if (parent >= 0 && (size_t)parent + 1 != i)
            last_p = all[parent].velocity, last_r = all[parent].acceleration;
        const screw before_p = screw_shift(last_p, arm[i]), before_r = screw_shift(last_r, arm[i]);
        last_p = all[i].velocity, last_r = all[i].acceleration;
        if (parent < 0)
            continue;
        all[i].velocity = last_p = screw_add(last_p, before_p);
        all[i].acceleration = last_r = screw_add(last_r, before_r);
    }
    for (size_t i = 0; i < tree->bodies; i += TD_STRIP) {
        product_body *x = &all[i];
        const body_load *c = &room->load[i];
        const strip3 A[3] = {strip3_gather(&c->A[0], sizeof *c), strip3_gather(&c->A[1], sizeof *c),
                             strip3_gather(&c->A[2], sizeof *c)};
        const strip3 momentum = strip3_gather(&c->p, sizeof *c);
        const strip3 p = strip3_gather(&x->velocity.angular, sizeof *x);
        const strip3 twice = strip3_add(p, p);
        strip3 n, f;
        momenta_of_strip(tree, s, i, strip3_gather(&x->acceleration.angular, sizeof *x),
                         strip3_gather(&x->acceleration.linear, sizeof *x), &n, &f);
        strip3_scatter(strip3_add(n, strip3_times(A, twice)), &x->force.angular, sizeof *x);
        strip3_scatter(strip3_add(f, strip3_cross(twice, momentum)), &x->force.linear, sizeof *x);
    }
}

/* Computes ξ of all bodies. */
static void displace_bodies(const td_tree *tree, const td_scratch *s, const product_room *room)
{
    const packed3 *arm = s->arm;
    for (size_t i = 0; i < tree->bodies; i++) {
        const td_body *body = &tree->body[i];
        spatial *xi = &room->displaced[i];
        *xi = joint_rate_at(body, s, (const axes *)s->pose + i, room->along + body->qd);
        if (body->parent >= 0)
            *xi =
                spatial_add(*xi, motion_shift(room->displaced[body->parent], packed3_vec3(arm[i])));
    }
}

static void change_kept_directions(const td_tree *tree, const product_room *room)
{
    for (size_t i = 0; i < tree->bodies; i++) {
        const kept_direction *kept = &room->kept[i];
        const spatial xi = room->displaced[i];
        spatial f = product_apply(&kept->B, xi.angular);
        f.angular = add_cross(f.angular, xi.linear, kept->g);
        add_screw(&room->body[i].force, f);
    }
}

/* Adds the change of a pair's forces. External forces reduce the required force, hence the minus
   sign. */
static void change_pair(const td_scratch *s, const product_room *room, const pair_load *pair)
{
    spatial xi = spatial_zero(), P = xi;
    const int ends[] = {pair->predecessor, pair->successor};
    for (int k = 0; k < 2; k++) {
        if (ends[k] >= 0) {
            const spatial v = screw_spatial(room->body[ends[k]].velocity);
            xi =
                spatial_add(motion_at_point(s, ends[k], room->displaced[ends[k]], pair->point), xi);
            P = spatial_add(motion_at_point(s, ends[k], v, pair->point), P);
        }
        if (k == 0)
            xi = spatial_scale(splat(-1), xi), P = spatial_scale(splat(-1), P);
    }
    const pair_change change = pair_change_of(pair, xi, P);
    for (int k = 0; k < 2; k++)
        if (ends[k] >= 0) {
            const vec3 back = sub(pair->point, origin_in((const axes *)s->pose + ends[k]));
            const spatial f = force_shift(k ? change.successor : change.predecessor, back);
            add_screw(&room->body[ends[k]].force, spatial_scale(splat(-1), f));
        }
}

/* Computes δτ of a joint that is not revolute, and adds x ×* F to g. */
static __attribute__((noinline)) void change_general_joint(const td_tree *tree, const td_scratch *s,
                                                           const product_room *room, size_t i,
                                                           spatial F, screw *g, real *out)
{
    const td_body *body = &tree->body[i];
    spatial seen = screw_spatial(*g);
    for (int k = body->nv; k-- > 0;) {
        const spatial S = column_at(body, s, (const axes *)s->pose + i, k);
        out[body->qd + k] = spatial_dot(S, seen);
        const spatial turned = force_cross(spatial_scale(room->along[body->qd + k], S), F);
        add_screw(g, turned);
        if (joint_is_sequence(body))
            seen = spatial_add(seen, turned);
    }
}

/* Computes δτ = Sᵀ g of all joints in an inward pass. F and g of body i − 1 stay in registers. */
static void change_joints(const td_tree *tree, const td_scratch *s, const product_room *room,
                          real *out)
{
    const packed3 *arm = s->arm;
    screw back_g = screw_of(spatial_zero()), back_F = back_g;
    int receiver = -1;
    for (int i = (int)tree->bodies; i-- > 0;) {
        const td_body *body = &tree->body[i];
        screw g = room->body[i].force, F = {room->load[i].n, room->load[i].f};
        if (receiver == i)
            g = screw_add(g, back_g), F = screw_add(F, back_F);
        if (joint_only_turns(body)) {
            const packed3 z = packed3_col(&((const axes *)s->pose + i)->z);
            const packed3 x = packed3_scale_by(room->along[body->qd], z);
            const packed3 products = packed3_mul(z, g.angular);
            out[body->qd] =
                packed3_get(&products, 0) + packed3_get(&products, 1) + packed3_get(&products, 2);
            g.angular = packed3_add_cross(g.angular, x, F.angular);
            g.linear = packed3_add_cross(g.linear, x, F.linear);
        } else {
            change_general_joint(tree, s, room, (size_t)i, screw_spatial(F), &g, out);
        }
        receiver = body->parent;
        if (receiver < 0)
            continue;
        back_g = force_of_child(g, arm[i]), back_F = force_of_child(F, arm[i]);
        if (receiver == i - 1)
            continue;
        product_body *sum = &room->body[receiver];
        body_load *load = &room->load[receiver];
        sum->force = screw_add(sum->force, back_g);
        load->n = packed3_add(load->n, back_F.angular);
        load->f = packed3_add(load->f, back_F.linear);
        receiver = -1;
    }
}

static void rnea_tangent(const td_tree *tree, const td_loops *loops, const td_scratch *s,
                         const td_motion_inputs *in, const td_reals *const direction[3],
                         td_reals *out)
{
    td_scope(s->stack, rnea_products);
    const product_room room = product_take(s->stack, tree);
    const real *along[3];
    const bool turning = in->wrenches && in->frame != TD_AT_BODY;
    real *tau = out, *const sums[] = {tau, tau, tau};
    for (size_t k = 0; k < 3; k++) {
        along[k] = room.along + k * room.apart;
        copy(room.along + k * room.apart, direction[k], tree->nv);
    }
    find_loads(tree, s, in->loaded, room.load);
    for (size_t i = 0, step; i < tree->bodies; i += step) {
        step = strip_of_joints(tree, i);
        if (TD_STRIP > 1 || joint_only_turns(&tree->body[i]))
            start_changes(tree, s, &room, i);
    }
    for (size_t k = 0; k < tree->others; k++)
        start_general_change(tree, s, &room, in->qd, in->qdd, (size_t)tree->other[k]);
    change_bodies(tree, s, &room);
    if (turning || in->passive)
        displace_bodies(tree, s, &room);
    if (turning) {
        start_kept_directions(tree, s, in->wrenches, in->frame, room.kept);
        change_kept_directions(tree, &room);
    }
    if (in->passive)
        for_each_pair(tree, loops, s, in->friction_velocity, change_pair, &room);
    change_joints(tree, s, &room, tau);
    if (in->passive)
        add_passive_products(tree, in, along, sums);
}
