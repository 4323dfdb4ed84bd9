/* SPDX-License-Identifier: MIT */
/*
 * Three-vectors for the recursions of dynamics. For a single state, the entries x, y and z are the
 * only numbers that can fill a SIMD vector. With vectors of four, a packed3 is one SIMD vector
 * whose last entry is unused; otherwise, and in lanes, it is a vec3. Both forms have the same
 * functions, which are documented at the second form.
 */
#ifndef TD_PACKED3_H
#define TD_PACKED3_H

#include "kernel/real/axes.h"
#include "kernel/real/placement.h"
#include "kernel/real/spatial.h"

#if defined(TD_REAL_DOUBLE) && TD_WIDE == 4
#define TD_PACKED3_VECTOR

typedef td_wide packed3;

TD_INLINE packed3 packed3_yzx(packed3 a)
{
    return wide_shuffle(a, a, 1, 2, 0, 3);
}
TD_INLINE packed3 packed3_zxy(packed3 a)
{
    return wide_shuffle(a, a, 2, 0, 1, 3);
}

/* B by its diagonals (xx, yy, zz), (xy, yz, zx) and (xz, yx, zy): B r = d0 ∘ r + d1 ∘ r_yzx + d2 ∘
   r_zxy. Permuted copies of ω and α are stored, because permuting them again is slower. */
typedef struct spin {
    packed3 w, w_yzx, w_zxy;
    packed3 alpha, alpha_yzx, alpha_zxy;
    packed3 d0, d1, d2;
} spin;

TD_INLINE packed3 packed3_of(vec3 v)
{
    return (packed3){v.x, v.y, v.z,
                     v.z}; /* a zero would come from an instruction that valgrind does not model */
}
TD_INLINE packed3 packed3_col(const col3 *a)
{
    return a->part[0];
}
TD_INLINE real packed3_get(const packed3 *a, int k)
{
    return (*a)[k];
}
TD_INLINE packed3 packed3_add(packed3 a, packed3 b)
{
    return a + b;
}
TD_INLINE packed3 packed3_sub(packed3 a, packed3 b)
{
    return a - b;
}
TD_INLINE packed3 packed3_mul(packed3 a, packed3 b)
{
    return a * b;
}
TD_INLINE packed3 packed3_scale(double s, packed3 a)
{
    return s * a;
}
TD_INLINE packed3 packed3_cross(packed3 a, packed3 b)
{
    return packed3_yzx(a) * packed3_zxy(b) - packed3_zxy(a) * packed3_yzx(b);
}
TD_INLINE packed3 packed3_add_cross(packed3 c, packed3 a, packed3 b)
{
    return c + packed3_cross(a, b);
}
TD_INLINE packed3 packed3_scale_by(real s, packed3 a)
{
    return s * a;
}
TD_INLINE vec3 packed3_vec3(packed3 a)
{
    return (vec3){a[0], a[1], a[2]};
}
/* Computes both cross products in the order (z, x, y) and permutes their sum once. */
TD_INLINE packed3 packed3_crosses(packed3 a, packed3 b, packed3 c, packed3 d)
{
    return packed3_yzx(a * packed3_yzx(b) - packed3_yzx(a) * b + c * packed3_yzx(d) -
                       packed3_yzx(c) * d);
}
TD_INLINE packed3 packed3_mul_sym(const sym3 *S, packed3 a)
{
    row4 rows[3];
    sym_rows(S, rows);
    return row_spread((row4){{a}}, 0).part[0] * rows[0].part[0] +
           row_spread((row4){{a}}, 1).part[0] * rows[1].part[0] +
           row_spread((row4){{a}}, 2).part[0] * rows[2].part[0];
}
TD_INLINE packed3 packed3_add_z(packed3 a, real s)
{
    return a + s * (packed3){0, 0, 1, 0};
}
TD_INLINE packed3 packed3_add_entry(packed3 a, int k, real s)
{
    a[k] += s;
    return a;
}
TD_INLINE packed3 packed3_rate_z(packed3 w, real s, real s_dot)
{
    return s_dot * (packed3){0, 0, 1, 0} + wide_swap_pairs(w) * (s * (packed3){1, -1, 0, 0});
}
TD_INLINE packed3 packed3_rotate_transposed(const placement *P, const packed3 *v)
{
    return (*v)[0] * P->x.part[0] + (*v)[1] * P->y.part[0] + (*v)[2] * P->z.part[0];
}
/* Returns R v, from the columns of R. */
TD_INLINE packed3 packed3_rotate(const placement *P, const packed3 *v)
{
    row4 columns[3];
    rows_transpose((const row4[]){P->x, P->y, P->z}, columns);
    return (*v)[0] * columns[0].part[0] + (*v)[1] * columns[1].part[0] +
           (*v)[2] * columns[2].part[0];
}
TD_INLINE packed3 packed3_origin(const placement *P)
{
    td_wide second_last = wide_shuffle(P->x.part[0], P->y.part[0], 1, 5, 3, 7);
    return wide_shuffle(second_last, P->z.part[0], 2, 3, 7, 6);
}
TD_INLINE void spin_set(spin *at)
{
    packed3 w = at->w, w_yzx = packed3_yzx(w), w_zxy = packed3_zxy(w);
    packed3 alpha_yzx = packed3_yzx(at->alpha), alpha_zxy = packed3_zxy(at->alpha);
    at->w_yzx = w_yzx, at->w_zxy = w_zxy;
    at->alpha_yzx = alpha_yzx, at->alpha_zxy = alpha_zxy;
    at->d0 = -(w_yzx * w_yzx) - w_zxy * w_zxy;
    at->d1 = w * w_yzx - alpha_zxy;
    at->d2 = w * w_zxy + alpha_yzx;
}
TD_INLINE packed3 spin_times(const spin *angular, packed3 r)
{
    return angular->d0 * r + angular->d1 * packed3_yzx(r) + angular->d2 * packed3_zxy(r);
}
/* Returns the force of a regrouped inertia; see below. */
TD_INLINE packed3 spin_force_about_z(const td_inertia *J, const spin *angular)
{
    return angular->d0 * wide_load(J->first[0]) + angular->d1 * wide_load(J->first[1]) +
           angular->d2 * wide_load(J->first[2]);
}
TD_INLINE packed3 spin_force(const td_inertia *J, const spin *angular, packed3 a)
{
    return J->mass * a + spin_force_about_z(J, angular);
}
/* Returns I v, from the diagonals of I. */
TD_INLINE packed3 packed3_inertia(const td_inertia *J, packed3 v, packed3 v_yzx, packed3 v_zxy)
{
    return wide_load(J->second[0]) * v + wide_load(J->second[1]) * v_yzx +
           wide_load(J->second[2]) * v_zxy;
}
TD_INLINE packed3 spin_moment(const td_inertia *J, const spin *angular, packed3 a)
{
    packed3 momentum = packed3_inertia(J, angular->w, angular->w_yzx, angular->w_zxy);
    return packed3_inertia(J, angular->alpha, angular->alpha_yzx, angular->alpha_zxy) +
           (angular->w_yzx * packed3_zxy(momentum) - angular->w_zxy * packed3_yzx(momentum)) +
           (wide_load(J->first[1]) * packed3_zxy(a) - wide_load(J->first[2]) * packed3_yzx(a));
}
TD_INLINE packed3 spin_moment_about_z(const td_inertia *J, const spin *angular, packed3 a)
{
    return spin_moment(J, angular,
                       a); /* skipping the zero entries would save no vector instruction */
}

#else

typedef vec3 packed3;

/* ω, α, and B = [α]× + [ω]×[ω]×, which maps a point to its acceleration relative to the origin */
typedef struct spin {
    packed3 w, alpha;
    mat3 B;
} spin;

TD_INLINE packed3 packed3_of(vec3 v)
{
    return v;
}
/* Return (y, z, x) and (z, x, y) for (x, y, z). */
TD_INLINE packed3 packed3_yzx(packed3 a)
{
    return (vec3){a.y, a.z, a.x};
}
TD_INLINE packed3 packed3_zxy(packed3 a)
{
    return (vec3){a.z, a.x, a.y};
}
/* Returns entry k. */
TD_INLINE real packed3_get(const packed3 *a, int k)
{
    return vec3_get(a, k);
}
TD_INLINE packed3 packed3_add(packed3 a, packed3 b)
{
    return add(a, b);
}
TD_INLINE packed3 packed3_sub(packed3 a, packed3 b)
{
    return sub(a, b);
}
/* Returns the elementwise product. */
TD_INLINE packed3 packed3_mul(packed3 a, packed3 b)
{
    return (vec3){a.x * b.x, a.y * b.y, a.z * b.z};
}
TD_INLINE packed3 packed3_scale(double s, packed3 a)
{
    return scale(s, a);
}
TD_INLINE packed3 packed3_cross(packed3 a, packed3 b)
{
    return cross(a, b);
}
/* Returns c + a × b. */
TD_INLINE packed3 packed3_add_cross(packed3 c, packed3 a, packed3 b)
{
    return add_cross(c, a, b);
}
TD_INLINE packed3 packed3_scale_by(real s, packed3 a)
{
    return scale_by(s, a);
}
TD_INLINE vec3 packed3_vec3(packed3 a)
{
    return a;
}
/* Returns a × b + c × d. */
TD_INLINE packed3 packed3_crosses(packed3 a, packed3 b, packed3 c, packed3 d)
{
    return add(cross(a, b), cross(c, d));
}
/* Returns S a. */
TD_INLINE packed3 packed3_mul_sym(const sym3 *S, packed3 a)
{
    return mul_sym(S, a);
}
/* Returns a + z s. */
TD_INLINE packed3 packed3_add_z(packed3 a, real s)
{
    a.z += s;
    return a;
}
/* Returns a with s added to entry k. */
TD_INLINE packed3 packed3_add_entry(packed3 a, int k, real s)
{
    return k == 0   ? (vec3){a.x + s, a.y, a.z}
           : k == 1 ? (vec3){a.x, a.y + s, a.z}
                    : (vec3){a.x, a.y, a.z + s};
}
/* Returns w × z s + z s_dot: the rate of change of z s in a frame with angular velocity w. */
TD_INLINE packed3 packed3_rate_z(packed3 w, real s, real s_dot)
{
    return (vec3){w.y * s, -(w.x * s), s_dot};
}
/* Returns Rᵀ v for a placement [R p]. */
TD_INLINE packed3 packed3_rotate_transposed(const placement *P, const packed3 *v)
{
    const mat3 R = placement_rotation(P);
    return rotate_transposed(&R, *v);
}
/* Returns R v. */
TD_INLINE packed3 packed3_rotate(const placement *P, const packed3 *v)
{
    const mat3 R = placement_rotation(P);
    return rotate(&R, *v);
}
/* Returns p. */
TD_INLINE packed3 packed3_origin(const placement *P)
{
    return (vec3){row_get(&P->x, 3), row_get(&P->y, 3), row_get(&P->z, 3)};
}
TD_INLINE packed3 packed3_col(const col3 *a)
{
    return col_vec3(a);
}
/* Computes B from ω and α. */
TD_INLINE void spin_set(spin *at)
{
    at->B = acceleration_matrix(at->w, at->alpha);
}
/* Returns B r. */
TD_INLINE packed3 spin_times(const spin *angular, packed3 r)
{
    return rotate(&angular->B, r);
}
/* Returns the force that moves a body whose origin accelerates by a: m a + B h. */
TD_INLINE packed3 spin_force(const td_inertia *J, const spin *angular, packed3 a)
{
    const td_vec3 h = {J->first[0][0], J->first[0][1], J->first[0][2]};
    return add(scale(J->mass, a), rotate_k(&angular->B, h));
}
/* Returns the moment for the same motion, about the body's origin: I α + ω × I ω + h × a. The first
   two terms equal the sum of m x × B x over its points x. From B and S = Σ m x xᵀ this takes fewer
   operations. */
TD_INLINE packed3 spin_moment(const td_inertia *J, const spin *angular, packed3 a)
{
    const double *h = J->first[0];
    const td_sym3 *S = &J->spread;
    const mat3 *B = &angular->B;
    return (vec3){S->yy * B->zy - S->zz * B->yz + S->yz * (B->zz - B->yy) + S->xy * B->zx -
                      S->xz * B->yx + h[1] * a.z - h[2] * a.y,
                  S->zz * B->xz - S->xx * B->zx + S->xz * (B->xx - B->zz) + S->yz * B->xy -
                      S->xy * B->zy + h[2] * a.x - h[0] * a.z,
                  S->xx * B->yx - S->yy * B->xy + S->xy * (B->yy - B->xx) + S->xz * B->yz -
                      S->yz * B->xz + h[0] * a.y - h[1] * a.x};
}
/* Return force and moment without m, h_z and S_zz, which are zero in the regrouped inertia of a
   revolute joint. */
TD_INLINE packed3 spin_force_about_z(const td_inertia *J, const spin *angular)
{
    const double *h = J->first[0];
    const mat3 *B = &angular->B;
    return (vec3){h[0] * B->xx + h[1] * B->xy, h[0] * B->yx + h[1] * B->yy,
                  h[0] * B->zx + h[1] * B->zy};
}
TD_INLINE packed3 spin_moment_about_z(const td_inertia *J, const spin *angular, packed3 a)
{
    const double *h = J->first[0];
    const td_sym3 *S = &J->spread;
    const mat3 *B = &angular->B;
    return (vec3){
        S->yy * B->zy + S->yz * (B->zz - B->yy) + S->xy * B->zx - S->xz * B->yx + h[1] * a.z,
        S->xz * (B->xx - B->zz) - S->xx * B->zx + S->yz * B->xy - S->xy * B->zy - h[0] * a.z,
        S->xx * B->yx - S->yy * B->xy + S->xy * (B->yy - B->xx) + S->xz * B->yz - S->yz * B->xz +
            h[0] * a.y - h[1] * a.x};
}

#endif

/* a spatial vector of two packed vectors */
typedef struct screw {
    packed3 angular, linear;
} screw;

TD_INLINE screw screw_of(spatial a)
{
    return (screw){packed3_of(a.angular), packed3_of(a.linear)};
}
TD_INLINE spatial screw_spatial(screw a)
{
    return (spatial){packed3_vec3(a.angular), packed3_vec3(a.linear)};
}
TD_INLINE screw screw_add(screw a, screw b)
{
    return (screw){packed3_add(a.angular, b.angular), packed3_add(a.linear, b.linear)};
}
/* Moves the reference point of a motion by r; see motion_shift. */
TD_INLINE screw screw_shift(screw v, packed3 r)
{
    return (screw){v.angular, packed3_add_cross(v.linear, v.angular, r)};
}

#endif
