/* SPDX-License-Identifier: MIT */
/*
 * 3D algebra over `real`: the vocabulary of the kernels. A suffix _k marks an operand that is a
 * constant of the model, in double. A rotation E turns coordinates: E v are the coordinates of v
 * after the turn, Eᵀ v those before.
 */
#ifndef TD_SPATIAL_H
#define TD_SPATIAL_H

#include "lane.h"
#include "tree.h"

typedef struct vec3 {
    real x, y, z;
} vec3;

typedef struct mat3 {
    real xx, xy, xz, yx, yy, yz, zx, zy, zz;
} mat3;

TD_INLINE vec3 vec3_splat(td_vec3 k)
{
    return (vec3){splat(k.x), splat(k.y), splat(k.z)};
}

TD_INLINE mat3 mat3_splat(const td_mat3 *k)
{
    return (mat3){splat(k->xx), splat(k->xy), splat(k->xz), splat(k->yx), splat(k->yy),
                  splat(k->yz), splat(k->zx), splat(k->zy), splat(k->zz)};
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

TD_INLINE vec3 scale(double s, vec3 a)
{
    return (vec3){s * a.x, s * a.y, s * a.z};
}

TD_INLINE real dot(vec3 a, vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

TD_INLINE vec3 cross(vec3 a, vec3 b)
{
    return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* k × b */
TD_INLINE vec3 cross_k(td_vec3 k, vec3 b)
{
    return (vec3){k.y * b.z - k.z * b.y, k.z * b.x - k.x * b.z, k.x * b.y - k.y * b.x};
}

/* a × (z s): what a turn at rate s about z does to a */
TD_INLINE vec3 cross_z(vec3 a, real s)
{
    return (vec3){a.y * s, -(a.x * s), splat(0)};
}

/* E v */
TD_INLINE vec3 turn(const mat3 *E, vec3 v)
{
    return (vec3){E->xx * v.x + E->xy * v.y + E->xz * v.z, E->yx * v.x + E->yy * v.y + E->yz * v.z,
                  E->zx * v.x + E->zy * v.y + E->zz * v.z};
}

/* Eᵀ v */
TD_INLINE vec3 turn_back(const mat3 *E, vec3 v)
{
    return (vec3){E->xx * v.x + E->yx * v.y + E->zx * v.z, E->xy * v.x + E->yy * v.y + E->zy * v.z,
                  E->xz * v.x + E->yz * v.y + E->zz * v.z};
}

/* A k */
TD_INLINE vec3 turn_k(const mat3 *A, td_vec3 k)
{
    return (vec3){A->xx * k.x + A->xy * k.y + A->xz * k.z, A->yx * k.x + A->yy * k.y + A->yz * k.z,
                  A->zx * k.x + A->zy * k.y + A->zz * k.z};
}

/* K v */
TD_INLINE vec3 turn_by_k(const td_mat3 *K, vec3 v)
{
    return (vec3){K->xx * v.x + K->xy * v.y + K->xz * v.z, K->yx * v.x + K->yy * v.y + K->yz * v.z,
                  K->zx * v.x + K->zy * v.y + K->zz * v.z};
}

/* Kᵀ v */
TD_INLINE vec3 turn_back_by_k(const td_mat3 *K, vec3 v)
{
    return (vec3){K->xx * v.x + K->yx * v.y + K->zx * v.z, K->xy * v.x + K->yy * v.y + K->zy * v.z,
                  K->xz * v.x + K->yz * v.y + K->zz * v.z};
}

/* A Bᵀ */
TD_INLINE mat3 mul_transposed(const mat3 *A, const mat3 *B)
{
    vec3 x = turn(A, (vec3){B->xx, B->xy, B->xz});
    vec3 y = turn(A, (vec3){B->yx, B->yy, B->yz});
    vec3 z = turn(A, (vec3){B->zx, B->zy, B->zz});
    return (mat3){x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
}

/* A K */
TD_INLINE mat3 mul_k(const mat3 *A, const td_mat3 *K)
{
    vec3 x = turn_k(A, (td_vec3){K->xx, K->yx, K->zx});
    vec3 y = turn_k(A, (td_vec3){K->xy, K->yy, K->zy});
    vec3 z = turn_k(A, (td_vec3){K->xz, K->yz, K->zz});
    return (mat3){x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
}

/* I v for a symmetric constant matrix */
TD_INLINE vec3 mul_sym_k(const td_sym3 *I, vec3 v)
{
    return (vec3){I->xx * v.x + I->xy * v.y + I->xz * v.z, I->xy * v.x + I->yy * v.y + I->yz * v.z,
                  I->xz * v.x + I->yz * v.y + I->zz * v.z};
}

/* [α]× + [ω]×[ω]×: applied to a point's position it gives the point's acceleration against the
   origin */
TD_INLINE mat3 acceleration_matrix(vec3 w, vec3 alpha)
{
    real xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
    real xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
    return (mat3){-(yy + zz),   xy - alpha.z, xz + alpha.y, xy + alpha.z, -(xx + zz),
                  yz - alpha.x, xz - alpha.y, yz + alpha.x, -(xx + yy)};
}

#endif
