/* SPDX-License-Identifier: MIT */
/*
 * Rows of four numbers. For a single state a row is one SIMD vector or two.
 */
#ifndef TD_ROW4_H
#define TD_ROW4_H

#include "kernel/real/vec3.h"

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
/* Returns the elementwise product. */
TD_INLINE row4 row_mul(row4 a, row4 b)
{
    for (int i = 0; i < TD_ROW_PARTS; i++)
        a.part[i] *= b.part[i];
    return a;
}
/* Returns entry k in all four entries. */
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
/* Returns (0, 0, 0, x). */
TD_INLINE row4 row_last(real x)
{
    row4 a = {{{0}}};
    a.part[TD_ROW_PARTS - 1][TD_WIDE - 1] = x;
    return a;
}
/* Returns the first three entries of a row with the last entry of another. */
TD_INLINE row4 row_with_last(row4 a, row4 last)
{
#if TD_WIDE == 4
    a.part[0] = wide_shuffle(a.part[0], last.part[0], 0, 1, 2, 7);
#else
    a.part[1][1] = last.part[1][1];
#endif
    return a;
}
/* Transposes the 3 × 3 matrix formed by the first three entries of three rows. Fourth entries are
   arbitrary. */
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
/* Returns the rows of a symmetric matrix. Fourth entries are some of its entries. */
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
/* Does the same for a constant matrix, without a copy: loading a vector right after scalar stores
   to it would stall. */
TD_INLINE void sym_rows_k(const td_sym3 *k, row4 out[3])
{
#if TD_WIDE == 4
    _Static_assert(sizeof(sym3) == sizeof(td_sym3), "the same for one state");
    sym_rows((const sym3 *)(const void *)k, out);
#else
    const sym3 S = sym3_splat(k);
    sym_rows(&S, out);
#endif
}
/* Returns a + r × b, in the first three entries. */
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
/* Rotates a row of [Kᵀ r] about z. Writes the first two entries; the others must already be
   there. */
TD_INLINE void row_rotate(row4 *row, const double k[4], real sine, real cosine)
{
    row->at[0] = cosine * k[0] + sine * k[1];
    row->at[1] = cosine * k[1] - sine * k[0];
}
#endif

#endif
