/* SPDX-License-Identifier: MIT */
/*
 * The load of a spring with a damper on its two links (td_spring in tandem/records.h), from their
 * poses and velocities. Everything is in world axes.
 */
#ifndef TD_SPRINGS_H
#define TD_SPRINGS_H

#include <math.h>

#include "kernel/real/arrays.h"
#include "kernel/real/quaternion.h"
#include "kernel/tree/link_state.h"

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

/* The successor's frame relative to the predecessor's. */
typedef struct spring_relation {
    mat3 predecessor, successor; /* axes */
    vec3 point;                  /* of the successor */
    vec3 d;                      /* from the predecessor's point to the successor's */
    spatial velocity;            /* of the successor's link, at the point */
    spatial against;             /* the same minus the predecessor's, at the same point */
} spring_relation;

TD_INLINE spring_relation spring_relation_of(const td_tree *tree, const td_scratch *s,
                                             const td_spring_element *spring)
{
    const spring_end a = spring_end_of(tree, s, &spring->predecessor);
    const spring_end c = spring_end_of(tree, s, &spring->successor);
    const vec3 d = sub(c.pose.p, a.pose.p);
    return (spring_relation){
        .predecessor = a.pose.R,
        .successor = c.pose.R,
        .point = c.pose.p,
        .d = d,
        .velocity = c.velocity,
        .against = spatial_sub(c.velocity, motion_shift(a.velocity, d)),
    };
}

/* Returns k x², summed over three directions. */
TD_INLINE real weighted_square(td_vec3 k, vec3 x)
{
    return k.x * x.x * x.x + k.y * x.y * x.y + k.z * x.z * x.z;
}

/* Returns −(k x + d ẋ) per direction. */
TD_INLINE vec3 resistance(td_vec3 k, vec3 x, td_vec3 d, vec3 rate)
{
    return (vec3){-(k.x * x.x + d.x * rate.x), -(k.y * x.y + d.y * rate.y),
                  -(k.z * x.z + d.z * rate.z)};
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* The length l of a line, dl/dt, 1/l, and the direction u from the predecessor's point to the
   successor's. u and 1/l are zero if the points coincide. */
typedef struct line_state {
    real length, rate, inverse;
    vec3 u;
} line_state;

TD_INLINE line_state line_of(const spring_relation *between)
{
    const real tiny = splat(1e-150);
    line_state line = {.length = real_sqrt(dot(between->d, between->d))};
    const real divisor = select_lt(line.length, tiny, splat(1), line.length);
    line.inverse = select_lt(line.length, tiny, splat(0), 1 / divisor);
    line.u = scale_by(line.inverse, between->d);
    line.rate = dot(line.u, between->against.linear);
    return line;
}

/* Returns the load f = −(k (l − l₀) + c dl/dt) u. */
TD_INLINE spatial line_load(const td_spring_element *spring, const line_state *line)
{
    const real stretch = line->length - spring->length;
    spatial load = spatial_zero();
    load.linear = scale_by(-(spring->stiffness * stretch + spring->damping * line->rate), line->u);
    return load;
}

/* ---- bushings -------------------------------------------------------------------------------- */

/* Roll, pitch and yaw of R = Rz(yaw) Ry(pitch) Rx(roll), the sine and cosine of yaw, and the cosine
   and tangent of pitch. Where the cosine of pitch is below its bound, roll and yaw have lost at
   least half of their digits. Pitch and all quotients are NaN then. */
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

/* Returns the rates of the angles, N ω, for the angular velocity ω in the predecessor's axes. */
TD_INLINE vec3 angle_rates(const roll_pitch_yaw *a, vec3 w)
{
    const real along = a->cosine_yaw * w.x + a->sine_yaw * w.y;
    return (vec3){along / a->cosine_pitch, a->cosine_yaw * w.y - a->sine_yaw * w.x,
                  w.z + a->tangent_pitch * along};
}

/* Returns the moment Nᵀ m in the predecessor's axes that has the same power as the forces m along
   the angles. */
TD_INLINE vec3 moment_of(const roll_pitch_yaw *a, vec3 m)
{
    const real along = m.x / a->cosine_pitch + a->tangent_pitch * m.z;
    return (vec3){a->cosine_yaw * along - a->sine_yaw * m.y,
                  a->sine_yaw * along + a->cosine_yaw * m.y, m.z};
}

/* Half of the rotation by ψ about n that the angles describe. Let (w, v) be the quaternion of the
   full rotation, with w ≥ 0. Then half of it has the normalized quaternion (1 + w, v), and n
   tan(ψ/4) = v / (1 + w). */
typedef struct half_rotation {
    mat3 R;
    vec3 tangent;
} half_rotation;

TD_INLINE half_rotation half_of(vec3 angles)
{
    enum { AXES = 3, WHOLE = 8 }; /* sines are computed in whole vectors */
    real half[WHOLE] = {0.5 * angles.x, 0.5 * angles.y, 0.5 * angles.z}, s[WHOLE], c[WHOLE];
    for (int k = AXES; k < WHOLE; k++)
        half[k] = splat(0);
    real_sincos_array(AXES, half, NULL, s, c);
    const vec3 v = {
        c[2] * c[1] * s[0] - s[2] * s[1] * c[0],
        c[2] * s[1] * c[0] + s[2] * c[1] * s[0],
        s[2] * c[1] * c[0] - c[2] * s[1] * s[0],
    };
    const real w = c[2] * c[1] * c[0] + s[2] * s[1] * s[0];
    const real sign = select_lt(w, splat(0), splat(-1), splat(1)), sum = 1 + sign * w;
    const real factor = sign / real_sqrt(2 * sum);
    const real quaternion[4] = {factor * v.x, factor * v.y, factor * v.z, factor * sign * sum};
    const mat3 transposed = quaternion_transposed(quaternion);
    return (half_rotation){
        {transposed.xx, transposed.yx, transposed.zx, transposed.xy, transposed.yy, transposed.zy,
         transposed.xz, transposed.yz, transposed.zz},
        scale_by(sign / sum, v),
    };
}

/* The state in axes of the predecessor. Members named halfway are in the halfway axes, which rotate
   with the mean of both angular velocities. */
typedef struct bushing_state {
    roll_pitch_yaw angles;
    vec3 angle_rate;
    vec3 along_angles, moment; /* forces that resist the angles, and their moment */
    half_rotation half;        /* rotation to the halfway axes */
    vec3 d, w;                 /* vector between the points, and relative angular velocity */
    vec3 rate;                 /* of d, as seen from the halfway axes */
    vec3 displacement_halfway, rate_halfway;
    vec3 force;
} bushing_state;

TD_INLINE bushing_state bushing_of(const td_spring_element *spring, const spring_relation *between)
{
    const mat3 *A = &between->predecessor, *C = &between->successor;
    const vec3 x = rotate_transposed(A, (vec3){C->xx, C->yx, C->zx});
    const vec3 y = rotate_transposed(A, (vec3){C->xy, C->yy, C->zy});
    const vec3 z = rotate_transposed(A, (vec3){C->xz, C->yz, C->zz});
    const mat3 R = {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
    bushing_state b = {
        .angles = angles_of(&R),
        .d = rotate_transposed(A, between->d),
        .w = rotate_transposed(A, between->against.angular),
    };
    b.angle_rate = angle_rates(&b.angles, b.w);
    b.along_angles = resistance(spring->angular_stiffness, b.angles.angles, spring->angular_damping,
                                b.angle_rate);
    b.moment = moment_of(&b.angles, b.along_angles);

    b.half = half_of(b.angles.angles);
    b.rate = sub(rotate_transposed(A, between->against.linear), scale(0.5, cross(b.w, b.d)));
    b.displacement_halfway = rotate_transposed(&b.half.R, b.d);
    b.rate_halfway = rotate_transposed(&b.half.R, b.rate);
    b.force = rotate(&b.half.R, resistance(spring->linear_stiffness, b.displacement_halfway,
                                           spring->linear_damping, b.rate_halfway));
    return b;
}

/* Returns the load. The force acts midway between the points: at −d/2 from the successor's. */
TD_INLINE spatial bushing_load(const spring_relation *between, const bushing_state *b)
{
    const vec3 moment = sub(b->moment, scale(0.5, cross(b->d, b->force)));
    return (spatial){rotate(&between->predecessor, moment),
                     rotate(&between->predecessor, b->force)};
}

/* ---- both ------------------------------------------------------------------------------------ */

/* The load is a wrench on the successor, about the successor's point. Its negative acts on the
   predecessor. */
typedef struct spring_state {
    spring_relation between;
    union {
        line_state line;
        bushing_state bushing;
    };
    spatial load;
} spring_state;

/* Computes the state of a spring. Needs pose and motion. */
TD_INLINE spring_state spring_state_of(const td_tree *tree, const td_scratch *s,
                                       const td_spring_element *spring)
{
    spring_state state;
    state.between = spring_relation_of(tree, s, spring);
    if (spring->bushing) {
        state.bushing = bushing_of(spring, &state.between);
        state.load = bushing_load(&state.between, &state.bushing);
    } else {
        state.line = line_of(&state.between);
        state.load = line_load(spring, &state.line);
    }
    return state;
}

/* Returns the stored energy. */
TD_INLINE real energy_of(const td_spring_element *spring, const spring_state *state)
{
    if (spring->bushing)
        return 0.5 *
               (weighted_square(spring->angular_stiffness, state->bushing.angles.angles) +
                weighted_square(spring->linear_stiffness, state->bushing.displacement_halfway));
    const real stretch = state->line.length - spring->length;
    return 0.5 * spring->stiffness * stretch * stretch;
}

/* Returns the power that the damper dissipates. */
TD_INLINE real dissipation_of(const td_spring_element *spring, const spring_state *state)
{
    if (spring->bushing)
        return weighted_square(spring->angular_damping, state->bushing.angle_rate) +
               weighted_square(spring->linear_damping, state->bushing.rate_halfway);
    return spring->damping * state->line.rate * state->line.rate;
}

/* Adds a load to the wrench of a body, in body coordinates at the body's origin. */
TD_INLINE void load_body(const td_scratch *s, int body, spatial load, vec3 point)
{
    if (body < 0)
        return;
    spatial *total = (spatial *)s->wrench + body;
    const pose at = pose_at((const axes *)s->pose + body);
    *total =
        spatial_add(*total, rotate_transposed_spatial(&at.R, force_shift(load, sub(point, at.p))));
}

#endif
