/* SPDX-License-Identifier: MIT */
/*
 * Derivatives of momentum, its rate and kinetic energy with respect to the coordinates of the tree.
 * I is the composite inertia of the bodies that a coordinate moves, h their momentum, and f the
 * force that their motion requires. B is defined in kernel/tree/coriolis.h, the columns in
 * column_motion.h.
 *
 *   ∂h/∂q = S ×* h + I P,             ∂h/∂q̇ = I S,
 *   ∂f/∂q = S ×* f + I R + 2 B P,     ∂f/∂q̇ = I Q + 2 B S,
 *   ∂T/∂q = P · h,                    ∂T/∂q̇ = S · h.
 *
 * None of them includes gravity.
 */
#include "kernel/tree/carried.h"
#include "kernel/tree/column_motion.h"
#include "kernel/tree/scope.h"

typedef struct momentum_room {
    body_load *carries;
    spatial *momentum; /* of a body and its subtree, about the body's origin */
} momentum_room;

static momentum_room momentum_take(td_stack *stack, const td_tree *tree)
{
    const size_t strips = TD_STRIP > 1 ? td_whole_strips(tree->bodies) : tree->bodies;
    momentum_room room;
    room.carries = td_take(stack, body_load, strips);
    room.momentum = td_take(stack, spatial, tree->bodies);
    return room;
}

static void momentum_derivatives_measure(const td_scratch_sizes *sizes, td_stack *stack)
{
    if (sizes->matrices)
        momentum_take(stack, sizes->tree);
}

static void find_momentum(const td_tree *tree, const td_scratch *s, spatial *momentum)
{
    const body_motion *m = s->motion;
    const inertia *own = s->inertia;
    for (size_t i = 0; i < tree->bodies; i++)
        momentum[i] = momentum_of(tree->body[i].mass, &own[i], m[i].velocity);
    for (size_t i = tree->bodies; i-- > 0;) {
        const int parent = tree->body[i].parent;
        if (parent >= 0)
            momentum[parent] =
                spatial_add(momentum[parent],
                            force_shift(momentum[i], packed3_vec3(((const packed3 *)s->arm)[i])));
    }
}

/* changes with one coordinate, and with its rate */
typedef struct momentum_change {
    spatial momentum, momentum_rate, force, force_rate;
} momentum_change;

TD_INLINE momentum_change momentum_change_of(double mass, const inertia *total, const product *B,
                                             spatial momentum, spatial force,
                                             const joint_column_change *c)
{
    const spatial by_P = product_apply(B, c->P.angular), by_S = product_apply(B, c->S.angular);
    return (momentum_change){
        spatial_add(force_cross(c->S, momentum), momentum_of(mass, total, c->P)),
        momentum_of(mass, total, c->S),
        spatial_add(force_cross(c->S, force),
                    spatial_add(momentum_of(mass, total, c->R), spatial_add(by_P, by_P))),
        spatial_add(momentum_of(mass, total, c->Q), spatial_add(by_S, by_S)),
    };
}

/* Computes derivatives of momentum and its rate with respect to q and q̇; if center is 1, computes
   derivatives of the velocity and acceleration of the center of mass instead. */
static void momentum_derivatives(const td_tree *tree, const td_scratch *s, int moving_only,
                                 int center, const td_motion_inputs *in, td_reals *const outputs[4])
{
    real *const out[] = {outputs[0], outputs[1], outputs[2], outputs[3]};
    td_scope(s->stack, momentum_derivatives);
    const momentum_room room = momentum_take(s->stack, tree);
    td_tree weightless = *tree;
    weightless.gravity = (td_vec3){0, 0, 0};
    find_carried(&weightless, s, 0, room.carries);
    find_momentum(tree, s, room.momentum);

    const axes *p = s->pose;
    const double per_mass = 1 / scope_mass(tree, moving_only);
    const vec3 c = scale(per_mass, scope_moment(tree, s, moving_only));
    vec3 h = spatial_zero().angular, f = h;
    for (size_t i = 0; i < tree->bodies; i++)
        if (tree->body[i].parent < 0) {
            h = add(h, room.momentum[i].linear);
            f = add(f, packed3_vec3(room.carries[i].f));
        }
    for (size_t b = 0; b < tree->bodies; b++) {
        const td_body *body = &tree->body[b];
        const inertia total = composite_at(s, b);
        const product B = body_load_product(&room.carries[b]);
        const spatial force = {packed3_vec3(room.carries[b].n), packed3_vec3(room.carries[b].f)};
        const vec3 r = sub(origin_in(&p[b]), c);
        joint_column_change own[MOST_JOINT_VELOCITIES];
        joint_column_changes(tree, s, b, in->qd, in->qdd, spatial_zero(), own);
        for (int j = 0; j < body->nv; j++) {
            momentum_change by =
                momentum_change_of(body->subtree, &total, &B, room.momentum[b], force, &own[j]);
            const vec3 moved =
                scale(per_mass, by.momentum_rate.linear); /* displacement of the center of mass */
            spatial *const x[] = {&by.momentum, &by.momentum_rate, &by.force, &by.force_rate};
            const vec3 moment[] = {cross(moved, h), spatial_zero().angular, cross(moved, f),
                                   spatial_zero().angular};
            for (int i = 0; i < 4; i++) {
                if (!out[i])
                    continue;
                if (center) {
                    put_vec3_part(out[i] + body->qd + j, tree->nv, scale(per_mass, x[i]->linear));
                    continue;
                }
                *x[i] = force_shift(*x[i], r);
                x[i]->angular = sub(x[i]->angular, moment[i]);
                put_spatial_part(out[i] + body->qd + j, tree->nv, *x[i]);
            }
        }
    }
}

static void kinetic_derivatives(const td_tree *tree, const td_scratch *s, const td_reals *qd,
                                td_reals *by_position, td_reals *by_rate)
{
    td_scope(s->stack, momentum_derivatives);
    const momentum_room room = momentum_take(s->stack, tree);
    find_momentum(tree, s, room.momentum);
    real *along = by_position, *rate = by_rate;
    for (size_t b = 0; b < tree->bodies; b++) {
        const td_body *body = &tree->body[b];
        joint_column_motion own[MOST_JOINT_VELOCITIES];
        joint_column_motions(tree, s, b, qd, own);
        for (int j = 0; j < body->nv; j++) {
            if (along)
                along[body->qd + j] = spatial_dot(own[j].P, room.momentum[b]);
            if (rate)
                rate[body->qd + j] = spatial_dot(own[j].S, room.momentum[b]);
        }
    }
}
