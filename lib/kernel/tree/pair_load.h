/* SPDX-License-Identifier: MIT */
/*
 * What two bodies do to each other, as springs and dampers between links and passive forces in
 * joints that close loops: the load W on the successor, about the successor's point, −W being the
 * predecessor's, and what it changes by. Where the successor is displaced by ξ against the
 * predecessor, δW is what W changes by in axes that move with the predecessor.
 */
#ifndef TD_PAIR_LOAD_H
#define TD_PAIR_LOAD_H

#include "kernel/tree/column_motion.h"
#include "kernel/tree/passive.h"
#include "kernel/tree/springs.h"

/* ---- loads ----------------------------------------------------------------------------------- */

/* A small motion of the successor against the predecessor and a change of its relative velocity, at
   the successor's point and in axes that move with the predecessor. */
typedef struct spring_change {
    spatial displacement, velocity;
} spring_change;

/* With φ = −(k (l − l₀) + c dl/dt), in δ(φ u) = −(k δl + c δ(dl/dt)) u + φ δu the terms of k and
   without l₀ are −k times the displacement: nothing is divided by l then, and a line without free
   length has this derivative also where its points coincide. */
TD_INLINE spatial line_load_change(const td_spring_element *spring, const spring_state *state,
                                   const spring_change *change)
{
    const line_state *line = &state->line;
    const vec3 u = line->u, moved = change->displacement.linear;
    const vec3 turned = scale_by(line->inverse, sub(moved, scale_by(dot(u, moved), u)));
    const real rate = dot(turned, state->between.against.linear) + dot(u, change->velocity.linear);
    const real rest = spring->stiffness * spring->length - spring->damping * line->rate;
    spatial load = spatial_zero();
    load.linear = sub(scale_by(rest, turned), scale(spring->stiffness, moved));
    load.linear = sub(load.linear, scale_by(spring->damping * rate, u));
    return load;
}

/* What N ω changes by with the angles: yaw turns what N is applied to, and pitch changes what the
   rate of roll is divided by and adds to that of yaw. */
TD_INLINE vec3 angle_rates_change(const roll_pitch_yaw *a, vec3 w, vec3 angle_rate, vec3 angles)
{
    const vec3 turned = {angles.z * w.y, -(angles.z * w.x), splat(0)};
    const real roll = angles.y * angle_rate.x;
    return add(angle_rates(a, turned),
               (vec3){roll * a->tangent_pitch, splat(0), roll / a->cosine_pitch});
}

/* what Nᵀ m changes by with the angles */
TD_INLINE vec3 moment_change(const roll_pitch_yaw *a, vec3 m, vec3 moment, vec3 angles)
{
    const real roll = angles.y * (a->tangent_pitch * m.x + m.z / a->cosine_pitch);
    const vec3 turned = {-(angles.z * moment.y), angles.z * moment.x, splat(0)};
    return add(moment_of(a, (vec3){roll, splat(0), splat(0)}), turned);
}

/* What H turns by where the rotation H H turns by φ: (1 + H)⁻¹ φ. As H turns by ψ/2 about n, that
   is φ/2 along n, and across it 1 / (1 + exp(iψ/2)) = (1 − i tan(ψ/4)) / 2 times φ. */
TD_INLINE vec3 half_turn(const half_rotation *half, vec3 turn)
{
    return scale(0.5, sub(turn, cross(half->tangent, turn)));
}

TD_INLINE spatial bushing_load_change(const td_spring_element *spring, const spring_state *state,
                                      const spring_change *change)
{
    const bushing_state *b = &state->bushing;
    const mat3 *A = &state->between.predecessor, *H = &b->half.R;
    const spatial moved = rotate_transposed_spatial(A, change->displacement);
    const spatial velocity = rotate_transposed_spatial(A, change->velocity);

    const vec3 angles = angle_rates(&b->angles, moved.angular);
    const vec3 angle_rate = add(angle_rates(&b->angles, velocity.angular),
                                angle_rates_change(&b->angles, b->w, b->angle_rate, angles));
    const vec3 along_angles =
        resistance(spring->angular_stiffness, angles, spring->angular_damping, angle_rate);
    const vec3 moment = add(moment_of(&b->angles, along_angles),
                            moment_change(&b->angles, b->along_angles, b->moment, angles));

    const vec3 turn = half_turn(&b->half, moved.angular);
    const vec3 rate = sub(velocity.linear,
                          scale(0.5, add_cross(cross(velocity.angular, b->d), b->w, moved.linear)));
    const vec3 halfway = rotate_transposed(H, sub(moved.linear, cross(turn, b->d)));
    const vec3 rate_halfway = rotate_transposed(H, sub(rate, cross(turn, b->rate)));
    const vec3 resisting =
        resistance(spring->linear_stiffness, halfway, spring->linear_damping, rate_halfway);
    const vec3 force = add_cross(rotate(H, resisting), turn, b->force);

    const vec3 arm = add_cross(cross(moved.linear, b->force), b->d, force);
    return (spatial){rotate(A, sub(moment, scale(0.5, arm))), rotate(A, force)};
}

/* The force along the axis a of a loop joint, or the moment about it, −f(x, ẋ): what x changes by
   with a displacement ξ of the successor (zero for none), x_ξ · ξ, and f with x and ẋ. */
typedef struct axis_load {
    bool turns;
    vec3 axis, x_xi;
    double stiffness;
    real resistance;
} axis_load;

/* ẋ is the part along the axis of the velocity against the predecessor, wherever the loop is */
TD_INLINE spatial axis_load_change(const axis_load *axis, const spring_change *change)
{
    const spatial *xi = &change->displacement, *v = &change->velocity;
    const real x = dot(axis->x_xi, axis->turns ? xi->angular : xi->linear);
    const real rate = dot(axis->axis, axis->turns ? v->angular : v->linear);
    const vec3 load = scale_by(-(axis->stiffness * x + axis->resistance * rate), axis->axis);
    const vec3 none = spatial_zero().angular;
    return axis->turns ? (spatial){load, none} : (spatial){none, load};
}

/* What two bodies do to each other: a spring, or the passive force of a loop joint. */
typedef struct pair_load {
    int successor, predecessor;      /* bodies, −1 for the world */
    vec3 point;                      /* the successor's */
    spatial velocity, against;       /* as spring_relation has them */
    spatial load;                    /* on the successor */
    const td_spring_element *spring; /* NULL: the other */
    const spring_state *state;
    axis_load axis;
} pair_load;

/* what the load changes by in axes that move with the predecessor, about the successor's point,
   which moves */
TD_INLINE spatial load_change(const pair_load *pair, const spring_change *change)
{
    if (!pair->spring)
        return axis_load_change(&pair->axis, change);
    return pair->spring->bushing ? bushing_load_change(pair->spring, pair->state, change)
                                 : line_load_change(pair->spring, pair->state, change);
}

/* What changes with a displacement ξ of the successor's point against the predecessor, and by P of
   the relative velocity in axes that move along, of the forces on both about that point, in axes
   that move with the body that they act on: the load turns with the predecessor, and counts as if
   it turned with the successor (ξ ×* W). */
typedef struct pair_change {
    spatial successor, predecessor;
} pair_change;

TD_INLINE pair_change pair_change_of(const pair_load *pair, spatial xi, spatial P)
{
    spring_change change = {xi, spatial_add(P, motion_cross(xi, pair->velocity))};
    /* at the point where the successor's has moved to */
    change.velocity.linear = add_cross(change.velocity.linear, pair->against.angular, xi.linear);
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

/* ---- joints that close loops ----------------------------------------------------------------- */

/* a body of a group: its number in the tree, −1 for the world */
TD_INLINE int body_of_group(const td_loop_group *g, int place)
{
    return place < 0 ? g->carrier : g->body[place];
}

/* a point of a body, given in its axes: where that is, and the velocity of the body there */
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

/* The passive force in a loop joint with one axis: x is the angle from base to arm about the axis,
   or the way of the successor's point along it. */
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
    if (axis->turns) { /* x = atan2(sine, cosine), as arm moves by ξ × arm */
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
