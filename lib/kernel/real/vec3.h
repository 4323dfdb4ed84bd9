/* SPDX-License-Identifier: MIT */
/*
 * Three-vectors and 3 × 3 matrices over `real`. The suffix _k marks an operand that is a constant
 * of the model, in double. A rotation E transforms coordinates: E v is in the rotated frame, Eᵀ v
 * in the original one.
 */
#ifndef TD_VEC3_H
#define TD_VEC3_H

#include "kernel/real/real.h"
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

TD_INLINE vec3 vec3_splat(td_vec3 k)
{
    return (vec3){splat(k.x), splat(k.y), splat(k.z)};
}

TD_INLINE mat3 mat3_splat(const td_mat3 *k)
{
    return (mat3){splat(k->xx), splat(k->xy), splat(k->xz), splat(k->yx), splat(k->yy),
                  splat(k->yz), splat(k->zx), splat(k->zy), splat(k->zz)};
}

/* Returns entry k. */
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

/* Returns s k. */
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

/* Returns c + a × b. */
TD_INLINE vec3 add_cross(vec3 c, vec3 a, vec3 b)
{
    return (vec3){c.x + a.y * b.z - a.z * b.y, c.y + a.z * b.x - a.x * b.z,
                  c.z + a.x * b.y - a.y * b.x};
}

/* Returns k × b. */
TD_INLINE vec3 cross_k(td_vec3 k, vec3 b)
{
    return (vec3){k.y * b.z - k.z * b.y, k.z * b.x - k.x * b.z, k.x * b.y - k.y * b.x};
}

/* Returns E v. */
TD_INLINE vec3 rotate(const mat3 *E, vec3 v)
{
    return (vec3){E->xx * v.x + E->xy * v.y + E->xz * v.z, E->yx * v.x + E->yy * v.y + E->yz * v.z,
                  E->zx * v.x + E->zy * v.y + E->zz * v.z};
}

/* Returns Eᵀ v. */
TD_INLINE vec3 rotate_transposed(const mat3 *E, vec3 v)
{
    return (vec3){E->xx * v.x + E->yx * v.y + E->zx * v.z, E->xy * v.x + E->yy * v.y + E->zy * v.z,
                  E->xz * v.x + E->yz * v.y + E->zz * v.z};
}

/* Returns A k. */
TD_INLINE vec3 rotate_k(const mat3 *A, td_vec3 k)
{
    return (vec3){A->xx * k.x + A->xy * k.y + A->xz * k.z, A->yx * k.x + A->yy * k.y + A->yz * k.z,
                  A->zx * k.x + A->zy * k.y + A->zz * k.z};
}

/* Returns K v. */
TD_INLINE vec3 rotate_by_k(const td_mat3 *K, vec3 v)
{
    return (vec3){K->xx * v.x + K->xy * v.y + K->xz * v.z, K->yx * v.x + K->yy * v.y + K->yz * v.z,
                  K->zx * v.x + K->zy * v.y + K->zz * v.z};
}

/* Returns Kᵀ v. */
TD_INLINE vec3 rotate_transposed_by_k(const td_mat3 *K, vec3 v)
{
    return (vec3){K->xx * v.x + K->yx * v.y + K->zx * v.z, K->xy * v.x + K->yy * v.y + K->zy * v.z,
                  K->xz * v.x + K->yz * v.y + K->zz * v.z};
}

/* Returns A Bᵀ. */
TD_INLINE mat3 mul_transposed(const mat3 *A, const mat3 *B)
{
    vec3 x = rotate(A, (vec3){B->xx, B->xy, B->xz});
    vec3 y = rotate(A, (vec3){B->yx, B->yy, B->yz});
    vec3 z = rotate(A, (vec3){B->zx, B->zy, B->zz});
    return (mat3){x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
}

/* Returns A K. */
TD_INLINE mat3 mul_k(const mat3 *A, const td_mat3 *K)
{
    vec3 x = rotate_k(A, (td_vec3){K->xx, K->yx, K->zx});
    vec3 y = rotate_k(A, (td_vec3){K->xy, K->yy, K->zy});
    vec3 z = rotate_k(A, (td_vec3){K->xz, K->yz, K->zz});
    return (mat3){x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
}

/* Writes the first two rows of E = Rz(angle)ᵀ K. The third row does not change. */
TD_INLINE void rotate_about_z(mat3 *E, const td_mat3 *K, real sine, real cosine)
{
    E->xx = cosine * K->xx + sine * K->yx;
    E->xy = cosine * K->xy + sine * K->yy;
    E->xz = cosine * K->xz + sine * K->yz;
    E->yx = cosine * K->yx - sine * K->xx;
    E->yy = cosine * K->yy - sine * K->xy;
    E->yz = cosine * K->yz - sine * K->xz;
}

/* Returns I v for a constant symmetric matrix. */
TD_INLINE vec3 mul_sym_k(const td_sym3 *I, vec3 v)
{
    return (vec3){I->xx * v.x + I->xy * v.y + I->xz * v.z, I->xy * v.x + I->yy * v.y + I->yz * v.z,
                  I->xz * v.x + I->yz * v.y + I->zz * v.z};
}

TD_INLINE vec3 scale_by(real s, vec3 a)
{
    return (vec3){s * a.x, s * a.y, s * a.z};
}

/* Returns S v for a symmetric matrix. */
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

/* Returns R S Rᵀ from the columns of S Rᵀ. */
TD_INLINE sym3 rotate_half(const mat3 *R, vec3 x, vec3 y, vec3 z)
{
    return (sym3){R->xx * x.x + R->xy * x.y + R->xz * x.z, R->xx * y.x + R->xy * y.y + R->xz * y.z,
                  R->xx * z.x + R->xy * z.y + R->xz * z.z, R->yx * y.x + R->yy * y.y + R->yz * y.z,
                  R->yx * z.x + R->yy * z.y + R->yz * z.z, R->zx * z.x + R->zy * z.y + R->zz * z.z};
}

/* Returns R S Rᵀ for a symmetric matrix, and for a constant one. */
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

/* Returns [r]× M. */
TD_INLINE mat3 cross_mat(vec3 r, const mat3 *M)
{
    vec3 x = cross(r, (vec3){M->xx, M->yx, M->zx});
    vec3 y = cross(r, (vec3){M->xy, M->yy, M->zy});
    vec3 z = cross(r, (vec3){M->xz, M->yz, M->zz});
    return (mat3){x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
}

#endif
