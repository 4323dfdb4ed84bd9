/* SPDX-License-Identifier: MIT */
/*
 * 3D algebra over `real`: the vocabulary of the kernels. A suffix _k marks an operand that is a
 * constant of the model, in double. A rotation E turns coordinates: E v are the coordinates of v
 * after the turn, Eᵀ v those before.
 */
#ifndef TD_SPATIAL_H
#define TD_SPATIAL_H

#include "kernel/real/lane.h"
#include "model/tree.h"

typedef struct vec3 {
    real x, y, z;
} vec3;

typedef struct mat3 {
    real xx, xy, xz, yx, yy, yz, zx, zy, zz;
} mat3;

typedef struct sym3 {
    real xx, xy, xz, yy, yz, zz;
} sym3;

/* A spatial vector: a motion (angular velocity or acceleration, that of a point) or a force (moment
   about a point, force). */
typedef struct spatial {
    vec3 angular, linear;
} spatial;

TD_INLINE vec3 vec3_splat(td_vec3 k)
{
    return (vec3){splat(k.x), splat(k.y), splat(k.z)};
}

TD_INLINE mat3 mat3_splat(const td_mat3 *k)
{
    return (mat3){splat(k->xx), splat(k->xy), splat(k->xz), splat(k->yx), splat(k->yy),
                  splat(k->yz), splat(k->zx), splat(k->zy), splat(k->zz)};
}

/* entry k */
TD_INLINE real vec3_get(const vec3 *a, int k)
{
    return k == 0 ? a->x : k == 1 ? a->y : a->z;
}

TD_INLINE vec3 add(vec3 a, vec3 b)
{
    return (vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

TD_INLINE vec3 add_k(vec3 a, td_vec3 k)
{
    return (vec3){a.x + k.x, a.y + k.y, a.z + k.z};
}

TD_INLINE vec3 sub(vec3 a, vec3 b)
{
    return (vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

TD_INLINE vec3 negative(vec3 a)
{
    return (vec3){-a.x, -a.y, -a.z};
}

TD_INLINE vec3 scale(double s, vec3 a)
{
    return (vec3){s * a.x, s * a.y, s * a.z};
}

/* s k */
TD_INLINE vec3 scale_k(real s, td_vec3 k)
{
    return (vec3){s * k.x, s * k.y, s * k.z};
}

TD_INLINE real dot(vec3 a, vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

TD_INLINE vec3 cross(vec3 a, vec3 b)
{
    return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* c + a × b */
TD_INLINE vec3 add_cross(vec3 c, vec3 a, vec3 b)
{
    return (vec3){c.x + a.y * b.z - a.z * b.y, c.y + a.z * b.x - a.x * b.z,
                  c.z + a.x * b.y - a.y * b.x};
}

/* k × b */
TD_INLINE vec3 cross_k(td_vec3 k, vec3 b)
{
    return (vec3){k.y * b.z - k.z * b.y, k.z * b.x - k.x * b.z, k.x * b.y - k.y * b.x};
}

/* E v */
TD_INLINE vec3 rotate(const mat3 *E, vec3 v)
{
    return (vec3){E->xx * v.x + E->xy * v.y + E->xz * v.z, E->yx * v.x + E->yy * v.y + E->yz * v.z,
                  E->zx * v.x + E->zy * v.y + E->zz * v.z};
}

/* Eᵀ v */
TD_INLINE vec3 rotate_transposed(const mat3 *E, vec3 v)
{
    return (vec3){E->xx * v.x + E->yx * v.y + E->zx * v.z, E->xy * v.x + E->yy * v.y + E->zy * v.z,
                  E->xz * v.x + E->yz * v.y + E->zz * v.z};
}

/* A k */
TD_INLINE vec3 rotate_k(const mat3 *A, td_vec3 k)
{
    return (vec3){A->xx * k.x + A->xy * k.y + A->xz * k.z, A->yx * k.x + A->yy * k.y + A->yz * k.z,
                  A->zx * k.x + A->zy * k.y + A->zz * k.z};
}

/* K v */
TD_INLINE vec3 rotate_by_k(const td_mat3 *K, vec3 v)
{
    return (vec3){K->xx * v.x + K->xy * v.y + K->xz * v.z, K->yx * v.x + K->yy * v.y + K->yz * v.z,
                  K->zx * v.x + K->zy * v.y + K->zz * v.z};
}

/* Kᵀ v */
TD_INLINE vec3 rotate_transposed_by_k(const td_mat3 *K, vec3 v)
{
    return (vec3){K->xx * v.x + K->yx * v.y + K->zx * v.z, K->xy * v.x + K->yy * v.y + K->zy * v.z,
                  K->xz * v.x + K->yz * v.y + K->zz * v.z};
}

/* A Bᵀ */
TD_INLINE mat3 mul_transposed(const mat3 *A, const mat3 *B)
{
    vec3 x = rotate(A, (vec3){B->xx, B->xy, B->xz});
    vec3 y = rotate(A, (vec3){B->yx, B->yy, B->yz});
    vec3 z = rotate(A, (vec3){B->zx, B->zy, B->zz});
    return (mat3){x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
}

/* A K */
TD_INLINE mat3 mul_k(const mat3 *A, const td_mat3 *K)
{
    vec3 x = rotate_k(A, (td_vec3){K->xx, K->yx, K->zx});
    vec3 y = rotate_k(A, (td_vec3){K->xy, K->yy, K->zy});
    vec3 z = rotate_k(A, (td_vec3){K->xz, K->yz, K->zz});
    return (mat3){x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
}

/* E = Rz(angle)ᵀ K: the first two rows of K turn, the third is not written */
TD_INLINE void rotate_about_z(mat3 *E, const td_mat3 *K, real sine, real cosine)
{
    E->xx = cosine * K->xx + sine * K->yx;
    E->xy = cosine * K->xy + sine * K->yy;
    E->xz = cosine * K->xz + sine * K->yz;
    E->yx = cosine * K->yx - sine * K->xx;
    E->yy = cosine * K->yy - sine * K->xy;
    E->yz = cosine * K->yz - sine * K->xz;
}

/* I v for a symmetric constant matrix */
TD_INLINE vec3 mul_sym_k(const td_sym3 *I, vec3 v)
{
    return (vec3){I->xx * v.x + I->xy * v.y + I->xz * v.z, I->xy * v.x + I->yy * v.y + I->yz * v.z,
                  I->xz * v.x + I->yz * v.y + I->zz * v.z};
}

TD_INLINE vec3 scale_by(real s, vec3 a)
{
    return (vec3){s * a.x, s * a.y, s * a.z};
}

/* S v for a symmetric matrix */
TD_INLINE vec3 mul_sym(const sym3 *S, vec3 v)
{
    return (vec3){S->xx * v.x + S->xy * v.y + S->xz * v.z, S->xy * v.x + S->yy * v.y + S->yz * v.z,
                  S->xz * v.x + S->yz * v.y + S->zz * v.z};
}

TD_INLINE sym3 sym_add(sym3 a, sym3 b)
{
    return (sym3){a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz};
}

TD_INLINE sym3 sym3_splat(const td_sym3 *k)
{
    return (sym3){splat(k->xx), splat(k->xy), splat(k->xz),
                  splat(k->yy), splat(k->yz), splat(k->zz)};
}

TD_INLINE sym3 sym_add_k(sym3 a, const td_sym3 *k)
{
    return (sym3){a.xx + k->xx, a.xy + k->xy, a.xz + k->xz,
                  a.yy + k->yy, a.yz + k->yz, a.zz + k->zz};
}

TD_INLINE mat3 mat_add(mat3 a, mat3 b)
{
    return (mat3){a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yx + b.yx, a.yy + b.yy,
                  a.yz + b.yz, a.zx + b.zx, a.zy + b.zy, a.zz + b.zz};
}

TD_INLINE real sym_trace(const sym3 *S)
{
    return S->xx + S->yy + S->zz;
}

/* R S Rᵀ from S Rᵀ by columns */
TD_INLINE sym3 rotate_half(const mat3 *R, vec3 x, vec3 y, vec3 z)
{
    return (sym3){R->xx * x.x + R->xy * x.y + R->xz * x.z, R->xx * y.x + R->xy * y.y + R->xz * y.z,
                  R->xx * z.x + R->xy * z.y + R->xz * z.z, R->yx * y.x + R->yy * y.y + R->yz * y.z,
                  R->yx * z.x + R->yy * z.y + R->yz * z.z, R->zx * z.x + R->zy * z.y + R->zz * z.z};
}

/* R S Rᵀ for a symmetric matrix, and for a constant one */
TD_INLINE sym3 rotate_sym(const mat3 *R, const sym3 *S)
{
    return rotate_half(R, mul_sym(S, (vec3){R->xx, R->xy, R->xz}),
                       mul_sym(S, (vec3){R->yx, R->yy, R->yz}),
                       mul_sym(S, (vec3){R->zx, R->zy, R->zz}));
}
TD_INLINE sym3 rotate_sym_k(const mat3 *R, const td_sym3 *K)
{
    return rotate_half(R, mul_sym_k(K, (vec3){R->xx, R->xy, R->xz}),
                       mul_sym_k(K, (vec3){R->yx, R->yy, R->yz}),
                       mul_sym_k(K, (vec3){R->zx, R->zy, R->zz}));
}

/* [r]× M */
TD_INLINE mat3 cross_mat(vec3 r, const mat3 *M)
{
    vec3 x = cross(r, (vec3){M->xx, M->yx, M->zx});
    vec3 y = cross(r, (vec3){M->xy, M->yy, M->zy});
    vec3 z = cross(r, (vec3){M->xz, M->yz, M->zz});
    return (mat3){x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
}

/* M [r]× */
TD_INLINE mat3 mat_cross(const mat3 *M, vec3 r)
{
    vec3 x = cross((vec3){M->xx, M->xy, M->xz}, r);
    vec3 y = cross((vec3){M->yx, M->yy, M->yz}, r);
    vec3 z = cross((vec3){M->zx, M->zy, M->zz}, r);
    return (mat3){x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z};
}

TD_INLINE spatial spatial_add(spatial a, spatial b)
{
    return (spatial){add(a.angular, b.angular), add(a.linear, b.linear)};
}

TD_INLINE spatial spatial_sub(spatial a, spatial b)
{
    return (spatial){sub(a.angular, b.angular), sub(a.linear, b.linear)};
}

TD_INLINE spatial spatial_scale(real s, spatial a)
{
    return (spatial){scale_by(s, a.angular), scale_by(s, a.linear)};
}

/* power of a force along a motion */
TD_INLINE real spatial_dot(spatial a, spatial b)
{
    return dot(a.angular, b.angular) + dot(a.linear, b.linear);
}

TD_INLINE spatial spatial_zero(void)
{
    const vec3 none = {splat(0), splat(0), splat(0)};
    return (spatial){none, none};
}

/* a force, its moment taken about a point that is r farther back: (n + r × f, f) */
TD_INLINE spatial force_shift(spatial f, vec3 r)
{
    return (spatial){add_cross(f.angular, r, f.linear), f.linear};
}

/* a motion, that of the point that is r farther on: (ω, v + ω × r) */
TD_INLINE spatial motion_shift(spatial v, vec3 r)
{
    return (spatial){v.angular, add_cross(v.linear, v.angular, r)};
}

/* [α]× + [ω]×[ω]×: applied to a point's position it gives the point's acceleration against the
   origin */
TD_INLINE mat3 acceleration_matrix(vec3 w, vec3 alpha)
{
    real xx = -(w.x * w.x), yy = -(w.y * w.y), zz = -(w.z * w.z);
    real xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
    return (mat3){yy + zz,      xy - alpha.z, xz + alpha.y, xy + alpha.z, xx + zz,
                  yz - alpha.x, xz - alpha.y, yz + alpha.x, xx + yy};
}

/* ---- placements: [R p], x_outer = R x + p ------------------------------------------------------
 *
 * Kept row by row: for one state a row is a vector, or two.
 */

#if defined(TD_REAL_DOUBLE)
enum { TD_ROW_PARTS = 4 / TD_WIDE };
typedef struct row4 {
    td_wide part[TD_ROW_PARTS];
} row4;
TD_INLINE real row_get(const row4 *row, int k)
{
    return row->part[k / TD_WIDE][k % TD_WIDE];
}
TD_INLINE row4 row_of(real a, real b, real c, real d)
{
#if TD_WIDE == 4
    return (row4){{{a, b, c, d}}};
#else
    return (row4){{{a, b}, {c, d}}};
#endif
}
TD_INLINE row4 row_scale(real s, row4 a)
{
    for (int i = 0; i < TD_ROW_PARTS; i++)
        a.part[i] = s * a.part[i];
    return a;
}
TD_INLINE row4 row_add(row4 a, row4 b)
{
    for (int i = 0; i < TD_ROW_PARTS; i++)
        a.part[i] += b.part[i];
    return a;
}
TD_INLINE row4 row_sub(row4 a, row4 b)
{
    for (int i = 0; i < TD_ROW_PARTS; i++)
        a.part[i] -= b.part[i];
    return a;
}
/* entry by entry */
TD_INLINE row4 row_mul(row4 a, row4 b)
{
    for (int i = 0; i < TD_ROW_PARTS; i++)
        a.part[i] *= b.part[i];
    return a;
}
/* entry k four times */
TD_INLINE row4 row_spread(row4 a, int k)
{
#if TD_WIDE == 4
    const td_wide x = a.part[0];
    switch (k) {
    case 0:
        return (row4){{wide_shuffle(x, x, 0, 0, 0, 0)}};
    case 1:
        return (row4){{wide_shuffle(x, x, 1, 1, 1, 1)}};
    case 2:
        return (row4){{wide_shuffle(x, x, 2, 2, 2, 2)}};
    default:
        return (row4){{wide_shuffle(x, x, 3, 3, 3, 3)}};
    }
#else
    const double x = a.part[k / 2][k % 2];
    return (row4){{{x, x}, {x, x}}};
#endif
}
/* (0, 0, 0, x) */
TD_INLINE row4 row_last(real x)
{
    row4 a = {{{0}}};
    a.part[TD_ROW_PARTS - 1][TD_WIDE - 1] = x;
    return a;
}
/* transposes the 3 × 3 matrix of the first three entries of three rows; fourth entries are
   arbitrary */
TD_INLINE void rows_transpose(const row4 a[3], row4 out[3])
{
#if TD_WIDE == 4
    const td_wide x = a[0].part[0], y = a[1].part[0], z = a[2].part[0];
    const td_wide even = wide_shuffle(x, y, 0, 4, 2, 6), odd = wide_shuffle(x, y, 1, 5, 3, 7);
    out[0].part[0] = wide_shuffle(even, z, 0, 1, 4, 5);
    out[1].part[0] = wide_shuffle(odd, wide_swap_pairs(z), 0, 1, 4, 5);
    out[2].part[0] = wide_shuffle(even, z, 2, 3, 6, 7);
#else
    const td_wide *x = a[0].part, *y = a[1].part, *z = a[2].part;
    out[0] = (row4){{{x[0][0], y[0][0]}, z[0]}};
    out[1] = (row4){{{x[0][1], y[0][1]}, wide_swap_pairs(z[0])}};
    out[2] = (row4){{{x[1][0], y[1][0]}, z[1]}};
#endif
}
/* the rows of a symmetric matrix; fourth entries of it, whichever */
TD_INLINE void sym_rows(const sym3 *S, row4 out[3])
{
#if TD_WIDE == 4
    const double *at = &S->xx;
    const td_wide y = wide_load(at + 1), z = wide_load(at + 2);
    out[0].part[0] = wide_load(at);
    out[1].part[0] = wide_shuffle(y, y, 0, 2, 3, 3);
    out[2].part[0] = wide_shuffle(z, z, 0, 2, 3, 3);
#else
    out[0] = row_of(S->xx, S->xy, S->xz, S->xz);
    out[1] = row_of(S->xy, S->yy, S->yz, S->yz);
    out[2] = row_of(S->xz, S->yz, S->zz, S->zz);
#endif
}
/* a + r × b, of the first three entries */
TD_INLINE row4 row_add_cross(row4 a, vec3 r, row4 b)
{
#if TD_WIDE == 4
    const td_wide before = {r.z, r.x, r.y, r.y}, after = {r.y, r.z, r.x, r.x}, x = b.part[0];
    a.part[0] += after * wide_shuffle(x, x, 2, 0, 1, 3);
    a.part[0] -= before * wide_shuffle(x, x, 1, 2, 0, 3);
#else
    const td_wide xy = b.part[0], z = b.part[1];
    a.part[0] += (td_wide){r.y, r.z} * (td_wide){z[0], xy[0]};
    a.part[0] -= (td_wide){r.z, r.x} * (td_wide){xy[1], z[0]};
    a.part[1] += r.x * (td_wide){xy[1], xy[0]};
    a.part[1] -= r.y * xy;
#endif
    return a;
}
TD_INLINE void row_rotate(row4 *row, const double k[4], real sine, real cosine)
{
    const td_wide zero = wide_load(k);
#if TD_WIDE == 4
    row->part[0] = zero * (td_wide){cosine, cosine, 1, 1} +
                   wide_swap_pairs(zero) * (td_wide){sine, -sine, 0, 0};
#else
    row->part[0] = cosine * zero + wide_swap_pairs(zero) * (td_wide){sine, -sine};
#endif
}
#else
typedef struct row4 {
    real at[4];
} row4;
TD_INLINE real row_get(const row4 *row, int k)
{
    return row->at[k];
}
TD_INLINE row4 row_of(real a, real b, real c, real d)
{
    return (row4){{a, b, c, d}};
}
TD_INLINE row4 row_scale(real s, row4 a)
{
    return (row4){{s * a.at[0], s * a.at[1], s * a.at[2], s * a.at[3]}};
}
TD_INLINE row4 row_add(row4 a, row4 b)
{
    return (row4){{a.at[0] + b.at[0], a.at[1] + b.at[1], a.at[2] + b.at[2], a.at[3] + b.at[3]}};
}
/* a row of [Kᵀ r] after a turn about z: the first two entries turn, the others are there already */
TD_INLINE void row_rotate(row4 *row, const double k[4], real sine, real cosine)
{
    row->at[0] = cosine * k[0] + sine * k[1];
    row->at[1] = cosine * k[1] - sine * k[0];
}
#endif

typedef struct placement {
    row4 x, y, z;
} placement;

TD_INLINE mat3 placement_rotation(const placement *P)
{
    return (mat3){row_get(&P->x, 0), row_get(&P->x, 1), row_get(&P->x, 2),
                  row_get(&P->y, 0), row_get(&P->y, 1), row_get(&P->y, 2),
                  row_get(&P->z, 0), row_get(&P->z, 1), row_get(&P->z, 2)};
}

TD_INLINE placement placement_splat(const td_placement *K)
{
    return (placement){
        row_of(splat(K->x[0]), splat(K->x[1]), splat(K->x[2]), splat(K->x[3])),
        row_of(splat(K->y[0]), splat(K->y[1]), splat(K->y[2]), splat(K->y[3])),
        row_of(splat(K->z[0]), splat(K->z[1]), splat(K->z[2]), splat(K->z[3])),
    };
}

/* [Rᵀ p] */
TD_INLINE placement placement_transposed(const mat3 *R, vec3 p)
{
    return (placement){row_of(R->xx, R->yx, R->zx, p.x), row_of(R->xy, R->yy, R->zy, p.y),
                       row_of(R->xz, R->yz, R->zz, p.z)};
}

/* [(Rz(angle)ᵀ K)ᵀ r] from [Kᵀ r], written to a placement that has been at some angle */
TD_INLINE void placement_rotate(placement *P, const td_placement *K, real sine, real cosine)
{
    row_rotate(&P->x, K->x, sine, cosine);
    row_rotate(&P->y, K->y, sine, cosine);
    row_rotate(&P->z, K->z, sine, cosine);
}

/* [R p] with another p */
TD_INLINE void placement_move(placement *P, vec3 p)
{
    P->x = row_of(row_get(&P->x, 0), row_get(&P->x, 1), row_get(&P->x, 2), p.x);
    P->y = row_of(row_get(&P->y, 0), row_get(&P->y, 1), row_get(&P->y, 2), p.y);
    P->z = row_of(row_get(&P->z, 0), row_get(&P->z, 1), row_get(&P->z, 2), p.z);
}

/* ---- axes: the pose of a body, by columns -----------------------------------------------------
 *
 * What turns or moves a body against its parent takes sums of the parent's axes: numbers from
 * memory times vectors that are at hand.
 */

#if defined(TD_REAL_DOUBLE)
typedef row4 col3; /* with any fourth entry */
TD_INLINE col3 col_scale(real s, col3 a)
{
    return row_scale(s, a);
}
TD_INLINE col3 col_add(col3 a, col3 b)
{
    return row_add(a, b);
}
TD_INLINE col3 col_sub(col3 a, col3 b)
{
    return row_sub(a, b);
}
TD_INLINE real col_get(const col3 *a, int k)
{
    return row_get(a, k);
}
TD_INLINE col3 col_splat(double x, double y, double z)
{
    return row_of(x, y, z, z);
}
#else
typedef vec3 col3;
TD_INLINE col3 col_scale(real s, col3 a)
{
    return scale_by(s, a);
}
TD_INLINE col3 col_add(col3 a, col3 b)
{
    return add(a, b);
}
TD_INLINE col3 col_sub(col3 a, col3 b)
{
    return sub(a, b);
}
TD_INLINE real col_get(const col3 *a, int k)
{
    return vec3_get(a, k);
}
TD_INLINE col3 col_splat(double x, double y, double z)
{
    return vec3_splat((td_vec3){x, y, z});
}
#endif

/* x_world = [x y z] x_body + p */
typedef struct axes {
    col3 x, y, z, p;
} axes;
_Static_assert(offsetof(axes, z) == 2 * sizeof(col3), "columns lie side by side");

TD_INLINE vec3 col_vec3(const col3 *a)
{
    return (vec3){col_get(a, 0), col_get(a, 1), col_get(a, 2)};
}

TD_INLINE mat3 rotation_in(const axes *P)
{
    return (mat3){col_get(&P->x, 0), col_get(&P->y, 0), col_get(&P->z, 0),
                  col_get(&P->x, 1), col_get(&P->y, 1), col_get(&P->z, 1),
                  col_get(&P->x, 2), col_get(&P->y, 2), col_get(&P->z, 2)};
}

/* the axis of a body's joint */
TD_INLINE vec3 axis_in(const axes *P)
{
    return col_vec3(&P->z);
}

TD_INLINE vec3 origin_in(const axes *P)
{
    return col_vec3(&P->p);
}

TD_INLINE axes axes_splat(const td_placement *K)
{
    return (axes){col_splat(K->x[0], K->y[0], K->z[0]), col_splat(K->x[1], K->y[1], K->z[1]),
                  col_splat(K->x[2], K->y[2], K->z[2]), col_splat(K->x[3], K->y[3], K->z[3])};
}

/* R k */
TD_INLINE col3 axes_rotate(const axes *P, real x, real y, real z)
{
    return col_add(col_add(col_scale(z, P->z), col_scale(x, P->x)), col_scale(y, P->y));
}

/* R K, the origin against P's */
TD_INLINE axes axes_times_k(const axes *P, const td_placement *K)
{
    return (axes){axes_rotate(P, splat(K->x[0]), splat(K->y[0]), splat(K->z[0])),
                  axes_rotate(P, splat(K->x[1]), splat(K->y[1]), splat(K->z[1])),
                  axes_rotate(P, splat(K->x[2]), splat(K->y[2]), splat(K->z[2])),
                  axes_rotate(P, splat(K->x[3]), splat(K->y[3]), splat(K->z[3]))};
}

/* R Rz(angle) */
TD_INLINE axes axes_rotate_about_z(axes P, real sine, real cosine)
{
    return (axes){col_add(col_scale(cosine, P.x), col_scale(sine, P.y)),
                  col_sub(col_scale(cosine, P.y), col_scale(sine, P.x)), P.z, P.p};
}

/* x, y or z, whose address is that far behind the first: no branch, but P must be in memory */
TD_INLINE const col3 *axes_column(const axes *P, size_t behind)
{
    return (const col3 *)((const char *)P + behind);
}

/* as 12 reals, [R p] row by row */
TD_INLINE void axes_store(real *at, axes P)
{
#if defined(TD_REAL_DOUBLE)
    const col3 column[4] = {P.x, P.y, P.z, P.p};
    for (int part = 0; part < TD_ROW_PARTS; part++) /* of columns */
        for (int first = 0; first < 4; first += TD_WIDE) {
            td_wide square[TD_WIDE];
            for (int k = 0; k < TD_WIDE; k++)
                square[k] = column[first + k].part[part];
            wide_transpose(square);
            for (int k = 0; k < TD_WIDE && part * TD_WIDE + k < 3; k++)
                wide_store(at + 4 * (part * TD_WIDE + k) + first, square[k]);
        }
#else
    at[0] = P.x.x, at[1] = P.y.x, at[2] = P.z.x, at[3] = P.p.x;
    at[4] = P.x.y, at[5] = P.y.y, at[6] = P.z.y, at[7] = P.p.y;
    at[8] = P.x.z, at[9] = P.y.z, at[10] = P.z.z, at[11] = P.p.z;
#endif
}

#endif
