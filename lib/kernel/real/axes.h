/* SPDX-License-Identifier: MIT */
/*
 * Poses stored by columns: the axes x, y, z and the origin p. A rotation or translation in the
 * parent is a sum of the parent's columns, scaled by numbers from memory.
 */
#ifndef TD_AXES_H
#define TD_AXES_H

#include "kernel/real/row4.h"
#include <stddef.h>

#if defined(TD_REAL_DOUBLE)
typedef row4 col3; /* the fourth entry is arbitrary */
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

/* Returns the axis of the body's joint. */
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

/* Returns R k. */
TD_INLINE col3 axes_rotate(const axes *P, real x, real y, real z)
{
    return col_add(col_add(col_scale(z, P->z), col_scale(x, P->x)), col_scale(y, P->y));
}

/* Returns [R K, R r]: the origin is relative to P's. */
TD_INLINE axes axes_times_k(const axes *P, const td_placement *K)
{
    return (axes){axes_rotate(P, splat(K->x[0]), splat(K->y[0]), splat(K->z[0])),
                  axes_rotate(P, splat(K->x[1]), splat(K->y[1]), splat(K->z[1])),
                  axes_rotate(P, splat(K->x[2]), splat(K->y[2]), splat(K->z[2])),
                  axes_rotate(P, splat(K->x[3]), splat(K->y[3]), splat(K->z[3]))};
}

/* Returns R Rz(angle). */
TD_INLINE axes axes_rotate_about_z(axes P, real sine, real cosine)
{
    return (axes){col_add(col_scale(cosine, P.x), col_scale(sine, P.y)),
                  col_sub(col_scale(cosine, P.y), col_scale(sine, P.x)), P.z, P.p};
}

/* Returns the column at a byte offset from x. This needs no branch, but P must be in memory. */
TD_INLINE const col3 *axes_column(const axes *P, size_t behind)
{
    return (const col3 *)((const char *)P + behind);
}

/* Stores 12 reals, [R p] row by row. */
TD_INLINE void axes_store(real *at, axes P)
{
#if defined(TD_REAL_DOUBLE)
    const col3 column[4] = {P.x, P.y, P.z, P.p};
    for (int part = 0; part < TD_ROW_PARTS; part++) /* parts of the columns */
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
