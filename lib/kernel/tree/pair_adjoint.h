/* SPDX-License-Identifier: MIT */
/*
 * The adjoints of the maps in pair_load.h: from weights of the forces on two bodies to weights of
 * their displacement and relative velocity. Each statement is the transpose of one in pair_load.h,
 * in reverse order.
 */
#ifndef TD_PAIR_ADJOINT_H
#define TD_PAIR_ADJOINT_H

#include "kernel/tree/pair_load.h"

/* The adjoint of line_load_change. weight: weights of the load of a line. */
TD_INLINE spring_change line_load_adjoint(const td_spring_element *spring,
                                          const spring_state *state, spatial weight)
{
    const line_state *line = &state->line;
    const vec3 u = line->u, m = weight.linear;
    const real rest = spring->stiffness * spring->length - spring->damping * line->rate;
    const real rate = -(spring->damping * dot(u, m));
    const vec3 turned = add(scale_by(rest, m), scale_by(rate, state->between.against.linear));
    spring_change back = {spatial_zero(), spatial_zero()};
    back.displacement.linear =
        sub(scale_by(line->inverse, sub(turned, scale_by(dot(u, turned), u))),
            scale(spring->stiffness, m));
    back.velocity.linear = scale_by(rate, u);
    return back;
}

/* The adjoints of angle_rates_change and moment_change, with respect to the angles. */
TD_INLINE vec3 angle_rates_adjoint(const roll_pitch_yaw *a, vec3 w, vec3 angle_rate, vec3 weight)
{
    const vec3 turned = moment_of(a, weight);
    return (vec3){splat(0),
                  angle_rate.x * (a->tangent_pitch * weight.x + weight.z / a->cosine_pitch),
                  w.y * turned.x - w.x * turned.y};
}
TD_INLINE vec3 moment_adjoint(const roll_pitch_yaw *a, vec3 m, vec3 moment, vec3 weight)
{
    const real roll = angle_rates(a, weight).x;
    return (vec3){splat(0), roll * (a->tangent_pitch * m.x + m.z / a->cosine_pitch),
                  moment.x * weight.y - moment.y * weight.x};
}

TD_INLINE spring_change bushing_load_adjoint(const td_spring_element *spring,
                                             const spring_state *state, spatial weight)
{
    const bushing_state *b = &state->bushing;
    const mat3 *A = &state->between.predecessor, *H = &b->half.R;
    const vec3 none = spatial_zero().linear;
    const spatial m = rotate_transposed_spatial(A, weight);
    const vec3 by_arm = scale(-0.5, m.angular);
    const vec3 by_force = add_cross(m.linear, by_arm, b->d);
    const vec3 resisting = rotate_transposed(H, by_force);
    const vec3 halfway =
        rotate(H, resistance(spring->linear_stiffness, resisting, spring->linear_damping, none));
    const vec3 rate =
        rotate(H, resistance(spring->linear_stiffness, none, spring->linear_damping, resisting));

    vec3 turn = cross(b->force, by_force);
    turn = sub(turn, cross(b->d, halfway));
    turn = sub(turn, cross(b->rate, rate));
    spatial moved = {scale(0.5, sub(turn, cross(turn, b->half.tangent))),
                     add(cross(b->force, by_arm), halfway)};
    moved.linear = sub(moved.linear, scale(0.5, cross(rate, b->w)));
    spatial velocity = {scale(-0.5, cross(b->d, rate)), rate};

    const vec3 along = angle_rates(&b->angles, m.angular);
    const vec3 angle_rate =
        resistance(spring->angular_stiffness, none, spring->angular_damping, along);
    vec3 angles = resistance(spring->angular_stiffness, along, spring->angular_damping, none);
    angles = add(angles, moment_adjoint(&b->angles, b->along_angles, b->moment, m.angular));
    angles = add(angles, angle_rates_adjoint(&b->angles, b->w, b->angle_rate, angle_rate));
    velocity.angular = add(velocity.angular, moment_of(&b->angles, angle_rate));
    moved.angular = add(moved.angular, moment_of(&b->angles, angles));
    return (spring_change){{rotate(A, moved.angular), rotate(A, moved.linear)},
                           {rotate(A, velocity.angular), rotate(A, velocity.linear)}};
}

TD_INLINE spring_change axis_load_adjoint(const axis_load *axis, spatial weight)
{
    const real along = dot(axis->axis, axis->turns ? weight.angular : weight.linear);
    const vec3 xi = scale_by(-(axis->stiffness * along), axis->x_xi);
    const vec3 v = scale_by(-(axis->resistance * along), axis->axis);
    const vec3 none = spatial_zero().angular;
    return axis->turns ? (spring_change){{xi, none}, {v, none}}
                       : (spring_change){{none, xi}, {none, v}};
}

TD_INLINE spring_change load_adjoint(const pair_load *pair, spatial weight)
{
    if (!pair->spring)
        return axis_load_adjoint(&pair->axis, weight);
    return pair->spring->bushing ? bushing_load_adjoint(pair->spring, pair->state, weight)
                                 : line_load_adjoint(pair->spring, pair->state, weight);
}

/* weights of ξ and P of one pair */
typedef struct pair_weight {
    spatial xi, P;
} pair_weight;

/* The adjoint of pair_change_of. successor, predecessor: weights of the forces on both bodies,
   about the successor's point. */
TD_INLINE pair_weight pair_weight_of(const pair_load *pair, spatial successor, spatial predecessor)
{
    const spatial against = spatial_sub(successor, predecessor);
    const spring_change back = load_adjoint(pair, against);
    /* The relative velocity changes by P + ξ × v + (0, ω × the linear part of ξ). */
    spatial xi = spatial_add(back.displacement, force_cross(pair->velocity, back.velocity));
    xi.linear = add_cross(xi.linear, back.velocity.linear, pair->against.angular);
    xi.linear = add_cross(xi.linear, pair->load.linear, against.angular);
    return (pair_weight){spatial_add(xi, force_cross(successor, pair->load)), back.velocity};
}

#endif
