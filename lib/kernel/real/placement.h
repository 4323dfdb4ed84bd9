/* SPDX-License-Identifier: MIT */
/*
 * Placements [R p]: x_outer = R x + p, stored row by row.
 */
#ifndef TD_PLACEMENT_H
#define TD_PLACEMENT_H

#include "kernel/real/row4.h"

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

/* Returns [Rᵀ p]. */
TD_INLINE placement placement_transposed(const mat3 *R, vec3 p)
{
    return (placement){row_of(R->xx, R->yx, R->zx, p.x), row_of(R->xy, R->yy, R->zy, p.y),
                       row_of(R->xz, R->yz, R->zz, p.z)};
}

/* Writes [(Rz(angle)ᵀ K)ᵀ r], given [Kᵀ r]. P must already contain this placement at some angle:
   only the entries that depend on the angle may be written. */
TD_INLINE void placement_rotate(placement *P, const td_placement *K, real sine, real cosine)
{
    row_rotate(&P->x, K->x, sine, cosine);
    row_rotate(&P->y, K->y, sine, cosine);
    row_rotate(&P->z, K->z, sine, cosine);
}

/* Replaces p in [R p]. */
TD_INLINE void placement_move(placement *P, vec3 p)
{
    P->x = row_of(row_get(&P->x, 0), row_get(&P->x, 1), row_get(&P->x, 2), p.x);
    P->y = row_of(row_get(&P->y, 0), row_get(&P->y, 1), row_get(&P->y, 2), p.y);
    P->z = row_of(row_get(&P->z, 0), row_get(&P->z, 1), row_get(&P->z, 2), p.z);
}

#endif
