/* SPDX-License-Identifier: MIT */
/*
 * Covectors w times derivatives of inverse dynamics. W = W_parent + S w is a virtual velocity. F, M
 * and N are the sums of forces, of I W, and of 2 Bᵀ W over all bodies that a joint moves.
 *
 *   wᵀ ∂τ/∂q̈ = Sᵀ M,   wᵀ ∂τ/∂q̇ = Sᵀ (N − 2 v ×* M),
 *   wᵀ ∂τ/∂q = −Sᵀ (v ×* (N − v ×* M) + a ×* M + W ×* F).
 *
 * This is the transpose of kernel/tree/rnea_tangent.c (see kernel/tree/product_room.h). v, a and W
 * are the body's; for joints of several coordinates, they are the motions before the joint.
 */
#include "kernel/tree/pair_adjoint.h"
#include "kernel/tree/product_room.h"

/* Computes W of all bodies, and M and N of each body alone. */
static void move_virtually(const td_tree *tree, const td_scratch *s, const product_room *room)
{
    const packed3 *arm = s->arm;
    product_body *all = room->body;
    screw W = screw_of(spatial_zero());
    for (size_t i = 0; i < tree->bodies; i++) {
        const td_body *body = &tree->body[i];
        const axes *at = (const axes *)s->pose + i;
        screw before = screw_of(spatial_zero());
        if (body->parent >= 0)
            before =
                screw_shift((size_t)body->parent + 1 == i ? W : all[body->parent].velocity, arm[i]);
        W = before;
        if (joint_only_turns(body))
            W.angular = packed3_add(W.angular,
                                    packed3_scale_by(room->along[body->qd], packed3_col(&at->z)));
        else
            add_screw(&W, joint_rate_at(body, s, at, room->along + body->qd));
        all[i].velocity = W;
    }
    for (size_t i = 0; i < tree->bodies; i += TD_STRIP) {
        product_body *x = &all[i];
        const body_load *c = &room->load[i];
        const strip3 w = strip3_gather(&x->velocity.angular, sizeof *x);
        const strip3 v = strip3_gather(&x->velocity.linear, sizeof *x);
        const strip3 momentum = strip3_gather(&c->p, sizeof *c);
        const strip3 A[3] = {strip3_gather(&c->A[0], sizeof *c), strip3_gather(&c->A[1], sizeof *c),
                             strip3_gather(&c->A[2], sizeof *c)};
        strip3 n, f;
        momenta_of_strip(tree, s, i, w, v, &n, &f);
        /* N = 2 Bᵀ W, a moment */
        const strip3 half =
            strip3_add((strip3){strip3_dot(A[0], w), strip3_dot(A[1], w), strip3_dot(A[2], w)},
                       strip3_cross(momentum, v));
        strip3_scatter(n, &x->acceleration.angular, sizeof *x);
        strip3_scatter(f, &x->acceleration.linear, sizeof *x);
        strip3_scatter(strip3_add(half, half), &x->force.angular, sizeof *x);
        strip3_scatter(strip3_splat(0), &x->force.linear, sizeof *x);
    }
}

/* Adds the weights of ξ. */
static void weigh_kept_directions(const td_tree *tree, const product_room *room)
{
    for (size_t i = 0; i < tree->bodies; i++) {
        const kept_direction *kept = &room->kept[i];
        const spatial W = screw_spatial(room->body[i].velocity);
        const spatial weight = {product_apply_transposed(&kept->B, W), cross(kept->g, W.angular)};
        room->displaced[i] = spatial_add(room->displaced[i], weight);
    }
}

static void weigh_pair(const td_scratch *s, const product_room *room, const pair_load *pair)
{
    const int ends[] = {pair->predecessor, pair->successor};
    spatial W[2] = {spatial_zero(), spatial_zero()};
    for (int k = 0; k < 2; k++)
        if (ends[k] >= 0)
            W[k] = motion_at_point(s, ends[k], screw_spatial(room->body[ends[k]].velocity),
                                   pair->point);
    const pair_weight weight = pair_weight_of(pair, W[1], W[0]);
    for (int k = 0; k < 2; k++)
        if (ends[k] >= 0) {
            const real sign = splat(k ? -1 : 1); /* external forces reduce the required force */
            const vec3 back = sub(pair->point, origin_in((const axes *)s->pose + ends[k]));
            spatial *xi = &room->displaced[ends[k]];
            *xi = spatial_add_scaled(*xi, sign, force_shift(weight.xi, back));
            add_screw(&room->body[ends[k]].force, spatial_scale(sign, force_shift(weight.P, back)));
        }
}

/* Sums F, M and N over subtrees. Sums for the next body in the loop stay in registers. */
static void sum_weights(const td_tree *tree, const td_scratch *s, const product_room *room)
{
    const packed3 *arm = s->arm;
    screw F = screw_of(spatial_zero()), M = F, N = F;
    int receiver = -1;
    for (int i = (int)tree->bodies; i-- > 0;) {
        product_body *own = &room->body[i];
        body_load *load = &room->load[i];
        if (receiver == i) {
            load->n = packed3_add(load->n, F.angular), load->f = packed3_add(load->f, F.linear);
            own->acceleration = screw_add(own->acceleration, M);
            own->force = screw_add(own->force, N);
        }
        receiver = tree->body[i].parent;
        if (receiver < 0)
            continue;
        F = force_of_child((screw){load->n, load->f}, arm[i]);
        M = force_of_child(own->acceleration, arm[i]), N = force_of_child(own->force, arm[i]);
        if (receiver == i - 1)
            continue;
        product_body *sum = &room->body[receiver];
        load = &room->load[receiver];
        load->n = packed3_add(load->n, F.angular), load->f = packed3_add(load->f, F.linear);
        sum->acceleration = screw_add(sum->acceleration, M);
        sum->force = screw_add(sum->force, N);
        receiver = -1;
    }
}

/* Sums the weights of ξ over subtrees. */
static void sum_displacements(const td_tree *tree, const td_scratch *s, const product_room *room)
{
    const packed3 *arm = s->arm;
    for (size_t i = tree->bodies; i-- > 0;) {
        const int parent = tree->body[i].parent;
        if (parent >= 0)
            room->displaced[parent] = spatial_add(
                room->displaced[parent], force_shift(room->displaced[i], packed3_vec3(arm[i])));
    }
}

/* Adds the weights of ξ to the weights of q. */
static void weigh_displacements(const td_tree *tree, const td_scratch *s, const product_room *room)
{
    for (size_t i = 0; i < tree->bodies; i++) {
        const td_body *body = &tree->body[i];
        for (int k = 0; k < body->nv; k++)
            room->result[body->qd + k] +=
                spatial_dot(column_at(body, s, (const axes *)s->pose + i, k), room->displaced[i]);
    }
}

/* Computes the results for the joints of a strip of bodies, as if all were revolute: moments about
   their axes. */
static void weigh_joints(const td_tree *tree, const td_scratch *s, const product_room *room,
                         size_t i)
{
    real *out = room->result + tree->body[i].qd;
    const strip_motion m = motion_of_strip(tree, s, i);
    const product_body *x = &room->body[i];
    const body_load *c = &room->load[i];
    const strip3 Mn = strip3_gather(&x->acceleration.angular, sizeof *x);
    const strip3 Mf = strip3_gather(&x->acceleration.linear, sizeof *x);
    const strip3 Nn = strip3_gather(&x->force.angular, sizeof *x);
    const strip3 Nf = strip3_gather(&x->force.linear, sizeof *x);
    const strip3 Wn = strip3_gather(&x->velocity.angular, sizeof *x);
    const strip3 Wv = strip3_gather(&x->velocity.linear, sizeof *x);
    /* v ×* M */
    const strip3 n = strip3_add(strip3_cross(m.w, Mn), strip3_cross(m.v, Mf));
    const strip3 f = strip3_cross(m.w, Mf);
    strip3 sum =
        strip3_add(strip3_cross(m.w, strip3_sub(Nn, n)), strip3_cross(m.v, strip3_sub(Nf, f)));
    sum = strip3_add(sum, strip3_add(strip3_cross(m.alpha, Mn), strip3_cross(m.a, Mf)));
    sum = strip3_add(sum, strip3_add(strip3_cross(Wn, strip3_gather(&c->n, sizeof *c)),
                                     strip3_cross(Wv, strip3_gather(&c->f, sizeof *c))));
    strip_store(out, -strip3_dot(m.z, sum), TD_STRIP);
    strip_store(out + room->apart, strip3_dot(m.z, strip3_sub(Nn, strip3_add(n, n))), TD_STRIP);
    strip_store(out + 2 * room->apart, strip3_dot(m.z, Mn), TD_STRIP);
}

static void weigh_general_joint(const td_tree *tree, const td_scratch *s, const product_room *room,
                                const real *qd, const real *qdd, size_t i)
{
    const td_body *body = &tree->body[i];
    const product_body *x = &room->body[i];
    const spatial M = screw_spatial(x->acceleration), N = screw_spatial(x->force);
    const spatial F = carried_force(&room->load[i]);
    const spatial after = ((const body_motion *)s->motion)[i].velocity;
    spatial v = velocity_before(tree, s, i),
            a = acceleration_before(tree, s, i, world_acceleration(tree));
    spatial W = spatial_zero();
    if (body->parent >= 0)
        W = screw_spatial(
            screw_shift(room->body[body->parent].velocity, ((const packed3 *)s->arm)[i]));
    for (int k = 0; k < body->nv; k++) {
        const int j = body->qd + k;
        real *out = room->result + j;
        const spatial S = column_at(body, s, (const axes *)s->pose + i, k);
        const bool one_by_one = body->nv == 1 || joint_is_sequence(body);
        const spatial rest = spatial_sub(N, force_cross(v, M));
        const spatial position =
            spatial_add(spatial_add(force_cross(v, rest), force_cross(a, M)), force_cross(W, F));
        out[0] = -spatial_dot(S, position);
        out[room->apart] =
            spatial_dot(S, spatial_sub(rest, force_cross(one_by_one ? v : after, M)));
        out[2 * room->apart] = spatial_dot(S, M);
        if (joint_is_sequence(body)) {
            a = acceleration_behind(a, v, S, qd[j], qdd[j]);
            v = spatial_add_scaled(v, qd[j], S);
            W = spatial_add_scaled(W, room->along[j], S);
        }
    }
}

static void rnea_adjoint(const td_tree *tree, const td_loops *loops, const td_scratch *s,
                         const td_motion_inputs *in, const td_reals *covector,
                         td_reals *const by[3])
{
    td_scope(s->stack, rnea_products);
    const product_room room = product_take(s->stack, tree);
    const real *const along[] = {room.along, room.along, room.along};
    real *const sums[] = {room.result, room.result + room.apart, room.result + 2 * room.apart};
    const bool turning = in->wrenches && in->frame != TD_AT_BODY;
    const bool displaced = turning || in->passive;
    copy(room.along, covector, tree->nv);
    find_loads(tree, s, in->loaded, room.load);
    move_virtually(tree, s, &room);
    for (size_t i = 0; displaced && i < tree->bodies; i++)
        room.displaced[i] = spatial_zero();
    if (turning) {
        start_kept_directions(tree, s, in->wrenches, in->frame, room.kept);
        weigh_kept_directions(tree, &room);
    }
    if (in->passive)
        for_each_pair(tree, loops, s, in->friction_velocity, weigh_pair, &room);
    sum_weights(tree, s, &room);
    if (displaced)
        sum_displacements(tree, s, &room);
    for (size_t i = 0, step; i < tree->bodies; i += step) {
        step = strip_of_joints(tree, i);
        if (TD_STRIP > 1 || joint_only_turns(&tree->body[i]))
            weigh_joints(tree, s, &room, i);
    }
    for (size_t k = 0; k < tree->others; k++)
        weigh_general_joint(tree, s, &room, in->qd, in->qdd, (size_t)tree->other[k]);
    if (displaced)
        weigh_displacements(tree, s, &room);
    if (in->passive)
        add_passive_products(tree, in, along, sums);
    for (size_t k = 0; k < 3; k++)
        if (by[k])
            copy(by[k], sums[k], tree->nv);
}
