/* SPDX-License-Identifier: MIT */
/*
 * Articulated-body inertias. Let (α, a) be the acceleration of the body's origin, relative to the
 * acceleration without q̈:
 *
 *   [ n ]   [ I   H | bias moment ] [ α ]
 *   [ f ] = [ Hᵀ  M | bias force  ] [ a ]
 *                                   [ 1 ]
 *
 * The algorithms read this block, subtract products U Vᵀ from it, shift it and add it up. A product
 * removes the motions that a joint allows: U = A S has a column for every motion. Its entry for the
 * bias is −u, where u is the driving force minus the bias along the motion. So the operations that
 * reduce the inertia update the bias as well.
 *
 * Single states store the block by rows of four numbers. Other reals store only the entries that
 * symmetry leaves, because full rows would take more operations.
 */
#ifndef TD_ARTICULATED_H
#define TD_ARTICULATED_H

#include "kernel/tree/inertia.h"

#if defined(TD_REAL_DOUBLE)

typedef struct articulated {
    row4 I[3]; /* the fourth entry is arbitrary, but finite */
    row4 H[3]; /* the fourth entry is the bias moment */
    row4 M[3]; /* the fourth entry is the bias force */
} articulated;

typedef struct projection {
    row4 angular; /* the fourth entry is arbitrary, but finite */
    row4 linear;  /* the fourth entry is −u */
} projection;

TD_INLINE vec3 row_vec3(const row4 *row)
{
    return (vec3){row_get(row, 0), row_get(row, 1), row_get(row, 2)};
}

/* Stores the bias of the body alone, where its inertia will be. */
TD_INLINE void articulated_start(articulated *A, screw bias)
{
#if TD_WIDE == 4
    A->H[0].part[0] = bias.angular;
    A->M[0].part[0] = bias.linear;
#else
    const vec3 n = bias.angular, f = bias.linear;
    A->H[0] = row_of(n.x, n.y, n.z, 0);
    A->M[0] = row_of(f.x, f.y, f.z, 0);
#endif
}

/* Returns the body's inertia about its origin, with the stored bias. */
TD_INLINE articulated articulated_own(double mass, const inertia *b, const articulated *start)
{
    const vec3 h = b->h, n = row_vec3(&start->H[0]), f = row_vec3(&start->M[0]);
    articulated A = {
        .H = {row_of(0, -h.z, h.y, n.x), row_of(h.z, 0, -h.x, n.y), row_of(-h.y, h.x, 0, n.z)},
        .M = {row_of(mass, 0, 0, f.x), row_of(0, mass, 0, f.y), row_of(0, 0, mass, f.z)},
    };
    sym_rows(&b->I, A.I);
    return A;
}

TD_INLINE spatial articulated_bias(const articulated *A)
{
    return (spatial){{row_get(&A->H[0], 3), row_get(&A->H[1], 3), row_get(&A->H[2], 3)},
                     {row_get(&A->M[0], 3), row_get(&A->M[1], 3), row_get(&A->M[2], 3)}};
}

/* Return the traces of I and M. */
TD_INLINE real articulated_angular_trace(const articulated *A)
{
    return row_get(&A->I[0], 0) + row_get(&A->I[1], 1) + row_get(&A->I[2], 2);
}
TD_INLINE real articulated_linear_trace(const articulated *A)
{
    return row_get(&A->M[0], 0) + row_get(&A->M[1], 1) + row_get(&A->M[2], 2);
}

/* Returns Σ v_i rows_i. */
TD_INLINE row4 rows_sum(const row4 rows[3], vec3 v)
{
    return row_add(row_add(row_scale(v.x, rows[0]), row_scale(v.y, rows[1])),
                   row_scale(v.z, rows[2]));
}

/* Returns the first three entries of each row times v. */
TD_INLINE vec3 rows_times(const row4 rows[3], vec3 v)
{
    return (vec3){
        row_get(&rows[0], 0) * v.x + row_get(&rows[0], 1) * v.y + row_get(&rows[0], 2) * v.z,
        row_get(&rows[1], 0) * v.x + row_get(&rows[1], 1) * v.y + row_get(&rows[1], 2) * v.z,
        row_get(&rows[2], 0) * v.x + row_get(&rows[2], 1) * v.y + row_get(&rows[2], 2) * v.z,
    };
}

/* Returns the force without the bias. */
TD_INLINE spatial articulated_apply(const articulated *A, spatial x)
{
    row4 n = rows_sum(A->I, x.angular);
    row4 f = row_add(rows_sum(A->H, x.angular), rows_sum(A->M, x.linear));
    return (spatial){add(row_vec3(&n), rows_times(A->H, x.linear)), row_vec3(&f)};
}

/* Returns the projection with given U and u. */
TD_INLINE projection projection_of(spatial U, real u)
{
    return (projection){row_of(U.angular.x, U.angular.y, U.angular.z, U.angular.z),
                        row_of(U.linear.x, U.linear.y, U.linear.z, -u)};
}

/* Project on a revolute joint whose axis passes through the origin, or on a prismatic joint along
   the axis. tau is the joint force. */
TD_INLINE projection projection_revolute(const articulated *A, vec3 axis, real tau)
{
    return (projection){rows_sum(A->I, axis), row_sub(rows_sum(A->H, axis), row_last(tau))};
}
TD_INLINE projection projection_prismatic(const articulated *A, vec3 axis, real tau)
{
    vec3 n = rows_times(A->H, axis);
    return (projection){row_of(n.x, n.y, n.z, n.z), row_sub(rows_sum(A->M, axis), row_last(tau))};
}

TD_INLINE projection projection_add(projection a, projection b)
{
    return (projection){row_add(a.angular, b.angular), row_add(a.linear, b.linear)};
}

TD_INLINE projection projection_scale(real s, projection U)
{
    return (projection){row_scale(s, U.angular), row_scale(s, U.linear)};
}

TD_INLINE vec3 projection_angular(const projection *U)
{
    return row_vec3(&U->angular);
}
TD_INLINE vec3 projection_linear(const projection *U)
{
    return row_vec3(&U->linear);
}

/* Returns u − U · a; +0 if all numbers are zero. */
TD_INLINE real projection_residual(const projection *U, const screw *a)
{
#if TD_WIDE == 4
    const td_wide power = U->angular.part[0] * a->angular + U->linear.part[0] * a->linear;
    return (0 - (row_get(&U->linear, 3) + power[0])) - (power[1] + power[2]);
#else
    const vec3 n = row_vec3(&U->angular), f = row_vec3(&U->linear);
    return 0 - (row_get(&U->linear, 3) + (dot(n, a->angular) + dot(f, a->linear)));
#endif
}

/* Moves the reference point of U by −r. */
TD_INLINE projection projection_shift(const projection *U, vec3 r)
{
    return (projection){row_add_cross(U->angular, r, U->linear), U->linear};
}

/* Computes A − U Vᵀ, including the bias. */
TD_INLINE void articulated_subtract(articulated *A, const projection *U, const projection *V)
{
    for (int i = 0; i < 3; i++) {
        row4 n = row_spread(U->angular, i), f = row_spread(U->linear, i);
        A->I[i] = row_sub(A->I[i], row_mul(n, V->angular));
        A->H[i] = row_sub(A->H[i], row_mul(n, V->linear));
        A->M[i] = row_sub(A->M[i], row_mul(f, V->linear));
    }
}

/* rows += [r]× other */
TD_INLINE void rows_add_cross(row4 rows[3], vec3 r, const row4 other[3])
{
    rows[0] = row_sub(row_add(rows[0], row_scale(r.y, other[2])), row_scale(r.z, other[1]));
    rows[1] = row_sub(row_add(rows[1], row_scale(r.z, other[0])), row_scale(r.x, other[2]));
    rows[2] = row_sub(row_add(rows[2], row_scale(r.x, other[1])), row_scale(r.y, other[0]));
}

/* Moves the reference point of A by −r, including the bias. */
TD_INLINE articulated articulated_shift(const articulated *A, vec3 r)
{
    /* W = H + [r] M,  I + [r] Hᵀ − W [r] */
    articulated result = *A;
    row4 Ht[3];
    rows_transpose(A->H, Ht);
    rows_add_cross(result.I, r, Ht);
    rows_add_cross(result.H, r, A->M);
    for (int i = 0; i < 3; i++)
        result.I[i] = row_add_cross(result.I[i], r, result.H[i]);
    return result;
}

/* Returns a + b. */
TD_INLINE articulated articulated_sum(const articulated *a, const articulated *b)
{
    articulated result;
    for (int i = 0; i < 3; i++) {
        result.I[i] = row_add(a->I[i], b->I[i]);
        result.H[i] = row_add(a->H[i], b->H[i]);
        result.M[i] = row_add(a->M[i], b->M[i]);
    }
    return result;
}

#else

typedef struct articulated {
    sym3 I;
    mat3 H;
    sym3 M;
    spatial bias; /* bias force */
} articulated;

typedef struct projection {
    spatial U;
    real u;
} projection;

TD_INLINE void articulated_start(articulated *A, screw bias)
{
    A->bias = screw_spatial(bias);
}

TD_INLINE articulated articulated_own(double mass, const inertia *b, const articulated *start)
{
    const real none = splat(0), m = splat(mass);
    vec3 h = b->h;
    return (articulated){
        b->I,
        {none, -h.z, h.y, h.z, none, -h.x, -h.y, h.x, none},
        {m, none, none, m, none, m},
        start->bias,
    };
}

TD_INLINE spatial articulated_bias(const articulated *A)
{
    return A->bias;
}

TD_INLINE real articulated_angular_trace(const articulated *A)
{
    return sym_trace(&A->I);
}
TD_INLINE real articulated_linear_trace(const articulated *A)
{
    return sym_trace(&A->M);
}

TD_INLINE spatial articulated_apply(const articulated *A, spatial x)
{
    return (spatial){add(mul_sym(&A->I, x.angular), rotate(&A->H, x.linear)),
                     add(rotate_transposed(&A->H, x.angular), mul_sym(&A->M, x.linear))};
}

TD_INLINE projection projection_of(spatial U, real u)
{
    return (projection){U, u};
}

TD_INLINE projection projection_revolute(const articulated *A, vec3 axis, real tau)
{
    return (projection){{mul_sym(&A->I, axis), rotate_transposed(&A->H, axis)},
                        tau - dot(axis, A->bias.angular)};
}
TD_INLINE projection projection_prismatic(const articulated *A, vec3 axis, real tau)
{
    return (projection){{rotate(&A->H, axis), mul_sym(&A->M, axis)},
                        tau - dot(axis, A->bias.linear)};
}

TD_INLINE projection projection_add(projection a, projection b)
{
    return (projection){spatial_add(a.U, b.U), a.u + b.u};
}

TD_INLINE projection projection_scale(real s, projection U)
{
    return (projection){spatial_scale(s, U.U), s * U.u};
}

TD_INLINE vec3 projection_angular(const projection *U)
{
    return U->U.angular;
}
TD_INLINE vec3 projection_linear(const projection *U)
{
    return U->U.linear;
}

TD_INLINE real projection_residual(const projection *U, const screw *a)
{
    return U->u - (dot(U->U.angular, a->angular) + dot(U->U.linear, a->linear));
}

TD_INLINE projection projection_shift(const projection *U, vec3 r)
{
    return (projection){force_shift(U->U, r), U->u};
}

TD_INLINE void articulated_subtract(articulated *A, const projection *U, const projection *V)
{
    vec3 n = U->U.angular, f = U->U.linear, vn = V->U.angular, vf = V->U.linear;
    A->I.xx -= n.x * vn.x, A->I.xy -= n.x * vn.y, A->I.xz -= n.x * vn.z;
    A->I.yy -= n.y * vn.y, A->I.yz -= n.y * vn.z, A->I.zz -= n.z * vn.z;
    A->H.xx -= n.x * vf.x, A->H.xy -= n.x * vf.y, A->H.xz -= n.x * vf.z;
    A->H.yx -= n.y * vf.x, A->H.yy -= n.y * vf.y, A->H.yz -= n.y * vf.z;
    A->H.zx -= n.z * vf.x, A->H.zy -= n.z * vf.y, A->H.zz -= n.z * vf.z;
    A->M.xx -= f.x * vf.x, A->M.xy -= f.x * vf.y, A->M.xz -= f.x * vf.z;
    A->M.yy -= f.y * vf.y, A->M.yz -= f.y * vf.z, A->M.zz -= f.z * vf.z;
    A->bias = spatial_add(A->bias, spatial_scale(V->u, U->U));
}

TD_INLINE articulated articulated_shift(const articulated *A, vec3 r)
{
    const sym3 *M = &A->M;
    const mat3 full = {M->xx, M->xy, M->xz, M->xy, M->yy, M->yz, M->xz, M->yz, M->zz};
    const mat3 *H = &A->H;
    mat3 W = mat_add(*H, cross_mat(r, &full));
    return (articulated){
        {A->I.xx + (r.y * H->xz - r.z * H->xy) + (r.y * W.xz - r.z * W.xy),
         A->I.xy + (r.y * H->yz - r.z * H->yy) + (r.z * W.xx - r.x * W.xz),
         A->I.xz + (r.y * H->zz - r.z * H->zy) + (r.x * W.xy - r.y * W.xx),
         A->I.yy + (r.z * H->yx - r.x * H->yz) + (r.z * W.yx - r.x * W.yz),
         A->I.yz + (r.z * H->zx - r.x * H->zz) + (r.x * W.yy - r.y * W.yx),
         A->I.zz + (r.x * H->zy - r.y * H->zx) + (r.x * W.zy - r.y * W.zx)},
        W,
        A->M,
        force_shift(A->bias, r),
    };
}

TD_INLINE articulated articulated_sum(const articulated *a, const articulated *b)
{
    return (articulated){sym_add(a->I, b->I), mat_add(a->H, b->H), sym_add(a->M, b->M),
                         spatial_add(a->bias, b->bias)};
}

#endif

/* Returns A + (B − U Uᵀ / D) with B shifted by −r. U is about the new point already, so that only
   the last product waits for D. */
TD_INLINE articulated articulated_add_through(const articulated *A, const articulated *B, vec3 r,
                                              const projection *U, real inverse)
{
    const articulated shifted = articulated_shift(B, r);
    articulated sum = articulated_sum(A, &shifted);
    const projection V = projection_scale(inverse, *U);
    articulated_subtract(&sum, U, &V);
    return sum;
}

#endif
