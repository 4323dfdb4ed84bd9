/* SPDX-License-Identifier: MIT */
/*
 * Changes of the state and the load of a spring between two links, due to small relative motions of
 * the links.
 */
#ifndef TD_SPRING_CHANGE_H
#define TD_SPRING_CHANGE_H

#include "kernel/tree/springs.h"

/* A small displacement of the successor relative to the predecessor, and a change of its relative
   velocity. Both are at the successor's point, in axes that move with the predecessor. */
typedef struct spring_change {
    spatial displacement, velocity;
} spring_change;

/* Changes of the length of a line, its rate and its direction. */
typedef struct line_change {
    real length, rate;
    vec3 u;
} line_change;

TD_INLINE line_change line_change_of(const spring_state *state, const spring_change *change)
{
    const line_state *line = &state->line;
    const vec3 u = line->u, moved = change->displacement.linear;
    const real length = dot(u, moved);
    const vec3 turned = scale_by(line->inverse, sub(moved, scale_by(length, u)));
    return (line_change){
        length, dot(turned, state->between.against.linear) + dot(u, change->velocity.linear),
        turned};
}

/* Returns the change of φ u, where φ = −(k (l − l₀) + c dl/dt). In δ(φ u) = −(k δl + c δ(dl/dt)) u
   + φ δu, the terms with k and without l₀ add up to −k times the displacement. This form avoids a
   division by l. So a line with l₀ = 0 has a derivative even where its points coincide. */
TD_INLINE spatial line_load_change(const td_spring_element *spring, const spring_state *state,
                                   const spring_change *change)
{
    const line_state *line = &state->line;
    const line_change by = line_change_of(state, change);
    const real rest = spring->stiffness * spring->length - spring->damping * line->rate;
    spatial load = spatial_zero();
    load.linear = sub(scale_by(rest, by.u), scale(spring->stiffness, change->displacement.linear));
    load.linear = sub(load.linear, scale_by(spring->damping * by.rate, line->u));
    return load;
}

/* Returns the change of N ω with the angles. Yaw rotates the vector that N is applied to. Pitch
   changes the divisor of the roll rate and the term that roll adds to the yaw rate. */
TD_INLINE vec3 angle_rates_change(const roll_pitch_yaw *a, vec3 w, vec3 angle_rate, vec3 angles)
{
    const vec3 turned = {angles.z * w.y, -(angles.z * w.x), splat(0)};
    const real roll = angles.y * angle_rate.x;
    return add(angle_rates(a, turned),
               (vec3){roll * a->tangent_pitch, splat(0), roll / a->cosine_pitch});
}

/* Returns the change of Nᵀ m with the angles. */
TD_INLINE vec3 moment_change(const roll_pitch_yaw *a, vec3 m, vec3 moment, vec3 angles)
{
    const real roll = angles.y * (a->tangent_pitch * m.x + m.z / a->cosine_pitch);
    const vec3 turned = {-(angles.z * moment.y), angles.z * moment.x, splat(0)};
    return add(moment_of(a, (vec3){roll, splat(0), splat(0)}), turned);
}

/* Returns the rotation of H when H H rotates by φ: (1 + H)⁻¹ φ. H is a rotation by ψ/2 about n. So
   the result is φ/2 along n, and across n it is φ times 1 / (1 + exp(iψ/2)) = (1 − i tan(ψ/4)) /
   2. */
TD_INLINE vec3 half_turn(const half_rotation *half, vec3 turn)
{
    return scale(0.5, sub(turn, cross(half->tangent, turn)));
}

/* Changes of a bushing's angles and their rates, and of the displacement in the halfway axes and
   its rate; and the rotation of the halfway axes. */
typedef struct bushing_change {
    vec3 angles, angle_rate, halfway, rate_halfway, turn;
} bushing_change;

/* Displacement and velocity are in axes of the predecessor. */
TD_INLINE bushing_change bushing_change_of(const bushing_state *b, spatial moved, spatial velocity)
{
    const mat3 *H = &b->half.R;
    bushing_change by = {.angles = angle_rates(&b->angles, moved.angular),
                         .turn = half_turn(&b->half, moved.angular)};
    by.angle_rate = add(angle_rates(&b->angles, velocity.angular),
                        angle_rates_change(&b->angles, b->w, b->angle_rate, by.angles));
    const vec3 rate = sub(velocity.linear,
                          scale(0.5, add_cross(cross(velocity.angular, b->d), b->w, moved.linear)));
    by.halfway = rotate_transposed(H, sub(moved.linear, cross(by.turn, b->d)));
    by.rate_halfway = rotate_transposed(H, sub(rate, cross(by.turn, b->rate)));
    return by;
}

TD_INLINE spatial bushing_load_change(const td_spring_element *spring, const spring_state *state,
                                      const spring_change *change)
{
    const bushing_state *b = &state->bushing;
    const mat3 *A = &state->between.predecessor;
    const spatial moved = rotate_transposed_spatial(A, change->displacement);
    const bushing_change by =
        bushing_change_of(b, moved, rotate_transposed_spatial(A, change->velocity));
    const vec3 along_angles =
        resistance(spring->angular_stiffness, by.angles, spring->angular_damping, by.angle_rate);
    const vec3 moment = add(moment_of(&b->angles, along_angles),
                            moment_change(&b->angles, b->along_angles, b->moment, by.angles));
    const vec3 resisting =
        resistance(spring->linear_stiffness, by.halfway, spring->linear_damping, by.rate_halfway);
    const vec3 force = add_cross(rotate(&b->half.R, resisting), by.turn, b->force);
    const vec3 arm = add_cross(cross(moved.linear, b->force), b->d, force);
    return (spatial){rotate(A, sub(moment, scale(0.5, arm))), rotate(A, force)};
}

#endif
