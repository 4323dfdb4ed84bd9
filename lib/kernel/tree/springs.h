/* SPDX-License-Identifier: MIT */
/*
 * What a spring with a damper does to the two links that it is between (td_spring in
 * tandem/records.h), from their poses and velocities. All in world axes.
 */
#ifndef TD_SPRINGS_H
#define TD_SPRINGS_H

#include <math.h>

#include "kernel/real/arrays.h"
#include "kernel/real/quaternion.h"
#include "kernel/tree/link_state.h"

/* The state of a spring. The load is a wrench on the successor, about the successor's point; the
   predecessor gets its negative. */
typedef struct spring_state {
    vec3 point; /* the successor's */
    spatial load;
    real distance, rate; /* of the points */
    real energy;         /* stored */
    real dissipation;    /* power that the damper takes */
} spring_state;

/* one end: its frame, and the velocity of its origin */
typedef struct spring_end {
    pose pose;
    spatial velocity;
} spring_end;

TD_INLINE spring_end spring_end_of(const td_tree *tree, const td_scratch *s,
                                   const td_spring_end *end)
{
    const link_state link = link_state_of(&tree->link[end->link], s);
    const vec3 d = rotate_k(&link.pose.R, end->position);
    return (spring_end){{mul_k(&link.pose.R, &end->rotation), add(link.pose.p, d)},
                        motion_shift(link.motion.velocity, d)};
}

/* k x² summed up over three directions */
TD_INLINE real weighted_square(td_vec3 k, vec3 x)
{
    return k.x * x.x * x.x + k.y * x.y * x.y + k.z * x.z * x.z;
}

/* −(k x + d ẋ) per direction */
TD_INLINE vec3 resistance(td_vec3 k, vec3 x, td_vec3 d, vec3 rate)
{
    return (vec3){-(k.x * x.x + d.x * rate.x), -(k.y * x.y + d.y * rate.y),
                  -(k.z * x.z + d.z * rate.z)};
}

/* f = −(k (l − l₀) + d dl/dt) u, u from the predecessor's point to the successor's; no force where
   they coincide */
TD_INLINE void act_along_line(const td_spring_element *spring, vec3 u, spring_state *state)
{
    const real stretch = state->distance - spring->length;
    state->energy = 0.5 * spring->stiffness * stretch * stretch;
    state->dissipation = spring->damping * state->rate * state->rate;
    state->load.linear =
        scale_by(-(spring->stiffness * stretch + spring->damping * state->rate), u);
}

/* Roll, pitch and yaw of R = Rz(yaw) Ry(pitch) Rx(roll), and the sine and cosine of the yaw, the
   cosine and tangent of the pitch. Roll and yaw have lost half of their digits or more where the
   cosine is below its bound: all is NaN then. */
typedef struct roll_pitch_yaw {
    vec3 angles;
    real sine_yaw, cosine_yaw, cosine_pitch, tangent_pitch;
} roll_pitch_yaw;

#define SMALLEST_COSINE_OF_PITCH 1e-8

TD_INLINE roll_pitch_yaw angles_of(const mat3 *R)
{
    const real length = real_sqrt(R->xx * R->xx + R->yx * R->yx);
    const real cosine = select_lt(length, splat(SMALLEST_COSINE_OF_PITCH), splat(NAN), length);
    return (roll_pitch_yaw){
        .angles = {real_atan2(R->zy, R->zz), real_atan2(-R->zx, cosine), real_atan2(R->yx, R->xx)},
        .sine_yaw = R->yx / cosine,
        .cosine_yaw = R->xx / cosine,
        .cosine_pitch = cosine,
        .tangent_pitch = -R->zx / cosine,
    };
}

/* rates of the angles from the angular velocity in the predecessor's axes: N ω */
TD_INLINE vec3 angle_rates(const roll_pitch_yaw *a, vec3 w)
{
    const real along = a->cosine_yaw * w.x + a->sine_yaw * w.y;
    return (vec3){along / a->cosine_pitch, a->cosine_yaw * w.y - a->sine_yaw * w.x,
                  w.z + a->tangent_pitch * along};
}

/* the moment in the predecessor's axes that has the power of forces m along the angles: Nᵀ m */
TD_INLINE vec3 moment_of(const roll_pitch_yaw *a, vec3 m)
{
    const real along = m.x / a->cosine_pitch + a->tangent_pitch * m.z;
    return (vec3){a->cosine_yaw * along - a->sine_yaw * m.y,
                  a->sine_yaw * along + a->cosine_yaw * m.y, m.z};
}

/* The rotation by half the angle about the axis of that of the angles: its quaternion is (1 + w, v)
   normalised, (w, v) being that of the angles with w ≥ 0. */
TD_INLINE mat3 half_of(vec3 angles)
{
    enum { AXES = 3, WHOLE = 8 }; /* whole vectors are taken */
    real half[WHOLE] = {0.5 * angles.x, 0.5 * angles.y, 0.5 * angles.z}, s[WHOLE], c[WHOLE];
    for (int k = AXES; k < WHOLE; k++)
        half[k] = splat(0);
    real_sincos_array(AXES, half, NULL, s, c);
    const real x = c[2] * c[1] * s[0] - s[2] * s[1] * c[0];
    const real y = c[2] * s[1] * c[0] + s[2] * c[1] * s[0];
    const real z = s[2] * c[1] * c[0] - c[2] * s[1] * s[0];
    const real w = c[2] * c[1] * c[0] + s[2] * s[1] * s[0];
    const real sign = select_lt(w, splat(0), splat(-1), splat(1));
    const real factor = sign / real_sqrt(2 * (1 + sign * w));
    const real quaternion[4] = {factor * x, factor * y, factor * z, factor * sign * (1 + sign * w)};
    const mat3 transposed = quaternion_transposed(quaternion);
    return (mat3){transposed.xx, transposed.yx, transposed.zx, transposed.xy, transposed.yy,
                  transposed.zy, transposed.xz, transposed.yz, transposed.zz};
}

TD_INLINE void act_as_bushing(const td_spring_element *spring, const spring_end *a,
                              const spring_end *c, vec3 d, vec3 v, spring_state *state)
{
    const vec3 w = sub(c->velocity.angular, a->velocity.angular);
    const vec3 x = rotate_transposed(&a->pose.R, (vec3){c->pose.R.xx, c->pose.R.yx, c->pose.R.zx});
    const vec3 y = rotate_transposed(&a->pose.R, (vec3){c->pose.R.xy, c->pose.R.yy, c->pose.R.zy});
    const vec3 z = rotate_transposed(&a->pose.R, (vec3){c->pose.R.xz, c->pose.R.yz, c->pose.R.zz});
    const mat3 R = {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
    const roll_pitch_yaw angles = angles_of(&R);
    const vec3 angle_rate = angle_rates(&angles, rotate_transposed(&a->pose.R, w));
    const vec3 moment =
        rotate(&a->pose.R, moment_of(&angles, resistance(spring->angular_stiffness, angles.angles,
                                                         spring->angular_damping, angle_rate)));

    /* in axes halfway, which turn with half of both angular velocities */
    const mat3 half = half_of(angles.angles);
    const vec3 turning = scale(0.5, add(a->velocity.angular, c->velocity.angular));
    const vec3 displacement = rotate_transposed(&half, rotate_transposed(&a->pose.R, d));
    const vec3 displacement_rate =
        rotate_transposed(&half, rotate_transposed(&a->pose.R, sub(v, cross(turning, d))));
    const vec3 force =
        rotate(&a->pose.R, rotate(&half, resistance(spring->linear_stiffness, displacement,
                                                    spring->linear_damping, displacement_rate)));

    state->energy = 0.5 * (weighted_square(spring->angular_stiffness, angles.angles) +
                           weighted_square(spring->linear_stiffness, displacement));
    state->dissipation = weighted_square(spring->angular_damping, angle_rate) +
                         weighted_square(spring->linear_damping, displacement_rate);
    state->load.linear = force; /* halfway between the points: d/2 back from the successor's */
    state->load.angular = sub(moment, scale(0.5, cross(d, force)));
}

/* needs pose and motion */
TD_INLINE spring_state spring_state_of(const td_tree *tree, const td_scratch *s,
                                       const td_spring_element *spring)
{
    const spring_end a = spring_end_of(tree, s, &spring->predecessor);
    const spring_end c = spring_end_of(tree, s, &spring->successor);
    const vec3 d = sub(c.pose.p, a.pose.p), v = sub(c.velocity.linear, a.velocity.linear);
    spring_state state = {.point = c.pose.p, .load = spatial_zero()};
    state.distance = real_sqrt(dot(d, d));
    const real tiny = splat(1e-150);
    const vec3 u = scale_by(1 / select_lt(state.distance, tiny, splat(1), state.distance), d);
    state.rate = dot(u, v);
    if (spring->bushing)
        act_as_bushing(spring, &a, &c, d, v, &state);
    else
        act_along_line(spring, u, &state);
    return state;
}

#endif
