/* SPDX-License-Identifier: MIT */
/*
 * Three-vectors of several consecutive bodies at once, as many as a strip has reals. Their numbers
 * are gathered from arrays of structures and scattered to such arrays. In lanes, where a strip is
 * one real, this is a copy.
 */
#ifndef TD_STRIP3_H
#define TD_STRIP3_H

#include "kernel/real/packed3.h"
#include "kernel/real/strip.h"

_Static_assert(TD_STRIP_BODIES % TD_STRIP == 0,
               "scratch has room for TD_STRIP_BODIES bodies at once");

typedef struct strip3 {
    strip x, y, z;
} strip3;

TD_INLINE strip3 strip3_add(strip3 a, strip3 b)
{
    return (strip3){a.x + b.x, a.y + b.y, a.z + b.z};
}

TD_INLINE strip3 strip3_sub(strip3 a, strip3 b)
{
    return (strip3){a.x - b.x, a.y - b.y, a.z - b.z};
}

TD_INLINE strip3 strip3_splat(double x)
{
    const strip all = strip_splat(splat(x));
    return (strip3){all, all, all};
}

/* Returns A v, from the columns of A. */
TD_INLINE strip3 strip3_times(const strip3 A[3], strip3 v)
{
    return (strip3){A[0].x * v.x + A[1].x * v.y + A[2].x * v.z,
                    A[0].y * v.x + A[1].y * v.y + A[2].y * v.z,
                    A[0].z * v.x + A[1].z * v.y + A[2].z * v.z};
}

TD_INLINE strip3 strip3_scale(strip f, strip3 a)
{
    return (strip3){f * a.x, f * a.y, f * a.z};
}

/* Returns S v for a symmetric matrix, given as its diagonal and (xy, yz, zx). */
TD_INLINE strip3 strip3_symmetric(strip3 diagonal, strip3 mixed, strip3 v)
{
    return (strip3){diagonal.x * v.x + mixed.x * v.y + mixed.z * v.z,
                    mixed.x * v.x + diagonal.y * v.y + mixed.y * v.z,
                    mixed.z * v.x + mixed.y * v.y + diagonal.z * v.z};
}

TD_INLINE strip strip3_dot(strip3 a, strip3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

TD_INLINE strip3 strip3_cross(strip3 a, strip3 b)
{
    return (strip3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* Returns R k from the columns of R, for constant vectors of the bodies. */
TD_INLINE strip3 strip3_rotate_k(const strip3 R[3], const double k[3][TD_STRIP_BODIES], size_t at)
{
    const strip x = strip_load_k(k[0] + at), y = strip_load_k(k[1] + at),
                z = strip_load_k(k[2] + at);
    return (strip3){R[0].x * x + R[1].x * y + R[2].x * z, R[0].y * x + R[1].y * y + R[2].y * z,
                    R[0].z * x + R[1].z * y + R[2].z * z};
}

/* Gathers vectors with a stride in bytes. */
TD_INLINE strip3 strip3_gather_vec3(const vec3 *src, size_t bytes)
{
    const size_t apart = bytes / sizeof(real);
    return (strip3){strip_gather(&src->x, apart), strip_gather(&src->y, apart),
                    strip_gather(&src->z, apart)};
}

TD_INLINE void strip3_store(strip3 a, real *x, real *y, real *z)
{
    strip_store(x, a.x, TD_STRIP);
    strip_store(y, a.y, TD_STRIP);
    strip_store(z, a.z, TD_STRIP);
}

/* Gather and scatter packed vectors with a stride in bytes. */
#if defined(TD_REAL_DOUBLE) && TD_WIDE == 4
TD_INLINE strip3 strip3_gather(const packed3 *src, size_t bytes)
{
    td_wide square[4];
    for (size_t k = 0; k < 4; k++)
        square[k] = *(const packed3 *)((const char *)src + k * bytes);
    wide_transpose(square);
    return (strip3){square[0], square[1], square[2]};
}
TD_INLINE void strip3_scatter(strip3 a, packed3 *out, size_t bytes)
{
    td_wide square[4] = {a.x, a.y, a.z, a.z};
    wide_transpose(square);
    for (size_t k = 0; k < 4; k++)
        *(packed3 *)((char *)out + k * bytes) = square[k];
}
#else
TD_INLINE strip3 strip3_gather(const packed3 *src, size_t bytes)
{
    return strip3_gather_vec3(src, bytes);
}
TD_INLINE void strip3_scatter(strip3 a, packed3 *out, size_t bytes)
{
    const size_t apart = bytes / sizeof(real);
    strip_scatter(a.x, &out->x, apart);
    strip_scatter(a.y, &out->y, apart);
    strip_scatter(a.z, &out->z, apart);
}
#endif

/* Gathers columns with a stride in bytes. */
#if defined(TD_REAL_DOUBLE)
TD_INLINE strip3 strip3_gather_columns(const col3 *src, size_t bytes)
{
    strip entry[4];
    for (int part = 0; part < TD_ROW_PARTS; part++) {
        td_wide square[TD_WIDE];
        for (size_t k = 0; k < TD_WIDE; k++)
            square[k] = ((const col3 *)((const char *)src + k * bytes))->part[part];
        wide_transpose(square);
        for (int k = 0; k < TD_WIDE; k++)
            entry[part * TD_WIDE + k] = square[k];
    }
    return (strip3){entry[0], entry[1], entry[2]};
}
#else
TD_INLINE strip3 strip3_gather_columns(const col3 *src, size_t bytes)
{
    (void)bytes;
    return (strip3){src->x, src->y, src->z};
}
#endif

#endif
