/* SPDX-License-Identifier: MIT */
/*
 * Interaction of two bodies: springs and dampers between links, and passive forces of loop joints.
 * The load W acts on the successor, about the successor's point, and −W on the predecessor. If the
 * successor is displaced by ξ relative to the predecessor, δW is the change of W in axes that move
 * with the predecessor.
 */
#ifndef TD_PAIR_LOAD_H
#define TD_PAIR_LOAD_H

#include "kernel/tree/column_motion.h"
#include "kernel/tree/passive.h"
#include "kernel/tree/spring_change.h"

/* ---- loads ----------------------------------------------------------------------------------- */

/* The force along the axis a of a loop joint, or the moment about it, is −f(x, ẋ). A displacement ξ
   of the successor changes x by x_ξ · ξ. stiffness and resistance are ∂f/∂x and ∂f/∂ẋ. */
typedef struct axis_load {
    bool turns;
    vec3 axis, x_xi;
    double stiffness;
    real resistance;
} axis_load;

/* Returns the change of the load. ẋ is the velocity relative to the predecessor along the axis,
   even while the loop is not closed. */
TD_INLINE spatial axis_load_change(const axis_load *axis, const spring_change *change)
{
    const spatial *xi = &change->displacement, *v = &change->velocity;
    const real x = dot(axis->x_xi, axis->turns ? xi->angular : xi->linear);
    const real rate = dot(axis->axis, axis->turns ? v->angular : v->linear);
    const vec3 load = scale_by(-(axis->stiffness * x + axis->resistance * rate), axis->axis);
    const vec3 none = spatial_zero().angular;
    return axis->turns ? (spatial){load, none} : (spatial){none, load};
}

/* The interaction of two bodies: a spring, or the passive force of a loop joint. */
typedef struct pair_load {
    int successor, predecessor;      /* bodies, −1 for the world */
    vec3 point;                      /* of the successor */
    spatial velocity, against;       /* as in spring_relation */
    spatial load;                    /* on the successor */
    const td_spring_element *spring; /* NULL: a loop joint */
    const spring_state *state;
    axis_load axis;
} pair_load;

/* Returns the change of the load in axes that move with the predecessor, about the successor's
   point, which moves. */
TD_INLINE spatial load_change(const pair_load *pair, const spring_change *change)
{
    if (!pair->spring)
        return axis_load_change(&pair->axis, change);
    return pair->spring->bushing ? bushing_load_change(pair->spring, pair->state, change)
                                 : line_load_change(pair->spring, pair->state, change);
}

/* Returns the change due to a displacement ξ of the successor. The relative velocity changes by P
   in axes that move with the successor. The result is about the displaced point. */
TD_INLINE spring_change displaced(const pair_load *pair, spatial xi, spatial P)
{
    spring_change change = {xi, spatial_add(P, motion_cross(xi, pair->velocity))};
    change.velocity.linear = add_cross(change.velocity.linear, pair->against.angular, xi.linear);
    return change;
}

/* The change of the forces on both bodies with ξ and P, about the successor's point, each in axes
   that move with its body. The load rotates with the predecessor. The term ξ ×* W converts its
   change to axes of the successor. */
typedef struct pair_change {
    spatial successor, predecessor;
} pair_change;

TD_INLINE pair_change pair_change_of(const pair_load *pair, spatial xi, spatial P)
{
    const spring_change change = displaced(pair, xi, P);
    spatial load = load_change(pair, &change);
    load.angular = add_cross(load.angular, xi.linear, pair->load.linear);
    return (pair_change){spatial_sub(load, force_cross(xi, pair->load)),
                         spatial_sub(spatial_zero(), load)};
}

/* ---- springs --------------------------------------------------------------------------------- */

TD_INLINE pair_load spring_pair(const td_tree *tree, const td_spring_element *spring,
                                const spring_state *state)
{
    return (pair_load){
        .successor = tree->link[spring->successor.link].body,
        .predecessor = tree->link[spring->predecessor.link].body,
        .point = state->between.point,
        .velocity = state->between.velocity,
        .against = state->between.against,
        .load = state->load,
        .spring = spring,
        .state = state,
    };
}

/* ---- loop joints ----------------------------------------------------------------------------- */

/* Returns the number in the tree of a body of a group, −1 for the world. */
TD_INLINE int body_of_group(const td_loop_group *g, int place)
{
    return place < 0 ? g->carrier : g->body[place];
}

/* a point of a body: body axes, position in the world, and velocity of the body there */
typedef struct point_of_body {
    mat3 R;
    vec3 point;
    spatial velocity;
} point_of_body;

TD_INLINE point_of_body body_point(const td_scratch *s, int body, td_vec3 point)
{
    const td_mat3 identity = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (body < 0)
        return (point_of_body){mat3_splat(&identity), vec3_splat(point), spatial_zero()};
    const axes *p = (const axes *)s->pose + body;
    const mat3 R = rotation_in(p);
    const vec3 d = rotate_k(&R, point);
    return (point_of_body){R, add(origin_in(p), d),
                           motion_shift(((const body_motion *)s->motion)[body].velocity, d)};
}

/* Returns the passive force of a loop joint with one axis. x is the angle from base to arm about
   the axis, or the displacement of the successor's point along it. */
static pair_load axis_pair(const td_scratch *s, const td_loop_group *g, const td_loop_axis *axis,
                           double friction_velocity)
{
    const td_loop_joint *loop = &g->loop[axis->loop];
    pair_load pair = {.successor = body_of_group(g, loop->successor),
                      .predecessor = body_of_group(g, loop->predecessor),
                      .load = spatial_zero()};
    const point_of_body to = body_point(s, pair.successor, loop->successor_point);
    const point_of_body from = body_point(s, pair.predecessor, loop->predecessor_point);
    const vec3 d = sub(to.point, from.point), a = rotate_k(&from.R, axis->axis);
    pair.point = to.point;
    pair.velocity = to.velocity;
    pair.against = spatial_sub(to.velocity, motion_shift(from.velocity, d));
    pair.axis = (axis_load){axis->turns, a, a, axis->passive.stiffness, splat(0)};
    real x = dot(a, d), rate = dot(a, pair.against.linear);
    if (axis->turns) { /* x = atan2(sine, cosine); ξ moves arm by ξ × arm */
        const vec3 base = rotate_k(&from.R, axis->base), arm = rotate_k(&to.R, axis->arm);
        const vec3 across = cross(a, base);
        const real sine = dot(across, arm), cosine = dot(base, arm);
        const real square = 1 / (sine * sine + cosine * cosine);
        pair.axis.x_xi =
            scale_by(square, cross(arm, sub(scale_by(cosine, across), scale_by(sine, base))));
        x = real_atan2(sine, cosine);
        rate = dot(a, pair.against.angular);
    }
    pair.axis.resistance = passive_resistance(&axis->passive, rate, friction_velocity);
    const vec3 load = scale_by(-passive_force(&axis->passive, x, rate, friction_velocity), a);
    if (axis->turns)
        pair.load.angular = load;
    else
        pair.load.linear = load;
    return pair;
}

#endif
