/* SPDX-License-Identifier: MIT */
/*
 * Spatial vectors and matrices (Featherstone, chapter 2). A motion is (ω, v), a force (n, f). X
 * transforms motions from frame A to frame B, Xᵀ transforms forces from B to A.
 */
#ifndef TD_SPATIAL_VECTORS_H
#define TD_SPATIAL_VECTORS_H

#include "kernel/real/real.h"

typedef struct vector6 {
    real x[6];
} vector6;

typedef struct matrix6 {
    real m[6][6];
} matrix6;

static inline vector6 zero6(void)
{
    vector6 zero;
    for (int i = 0; i < 6; i++)
        zero.x[i] = splat(0);
    return zero;
}

static inline vector6 sum(vector6 a, vector6 b)
{
    for (int i = 0; i < 6; i++)
        a.x[i] += b.x[i];
    return a;
}

static inline vector6 difference(vector6 a, vector6 b)
{
    for (int i = 0; i < 6; i++)
        a.x[i] -= b.x[i];
    return a;
}

static inline vector6 times(real factor, vector6 a)
{
    for (int i = 0; i < 6; i++)
        a.x[i] *= factor;
    return a;
}

static inline real dot6(vector6 a, vector6 b)
{
    real s = splat(0);
    for (int i = 0; i < 6; i++)
        s += a.x[i] * b.x[i];
    return s;
}

/* Returns M a. */
static inline vector6 product(const matrix6 *M, vector6 a)
{
    vector6 b = zero6();
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            b.x[i] += M->m[i][j] * a.x[j];
    return b;
}

/* Returns Mᵀ a. */
static inline vector6 transposed_product(const matrix6 *M, vector6 a)
{
    vector6 b = zero6();
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            b.x[j] += M->m[i][j] * a.x[i];
    return b;
}

/* Returns Xᵀ I X: an inertia in the other frame. */
static inline matrix6 congruent(const matrix6 *X, const matrix6 *I)
{
    matrix6 result;
    for (int j = 0; j < 6; j++) {
        vector6 column = zero6();
        for (int i = 0; i < 6; i++)
            column.x[i] = X->m[i][j];
        column = transposed_product(X, product(I, column));
        for (int i = 0; i < 6; i++)
            result.m[i][j] = column.x[i];
    }
    return result;
}

static inline void add_matrix(matrix6 *a, const matrix6 *b)
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            a->m[i][j] += b->m[i][j];
}

/* a += factor b cᵀ */
static inline void add_dyad(matrix6 *a, real factor, vector6 b, vector6 c)
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            a->m[i][j] += factor * b.x[i] * c.x[j];
}

static inline void cross3(const real a[3], const real b[3], real c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* v × m = (ω × m_ω, ω × m_v + v × m_ω) */
static inline vector6 cross_motion(vector6 v, vector6 m)
{
    vector6 result;
    real other[3];
    cross3(v.x, m.x, result.x);
    cross3(v.x, m.x + 3, result.x + 3);
    cross3(v.x + 3, m.x, other);
    for (int i = 0; i < 3; i++)
        result.x[3 + i] += other[i];
    return result;
}

/* v ×* f = (ω × n + v × f, ω × f) */
static inline vector6 cross_force(vector6 v, vector6 f)
{
    vector6 result;
    real other[3];
    cross3(v.x, f.x, result.x);
    cross3(v.x + 3, f.x + 3, other);
    cross3(v.x, f.x + 3, result.x + 3);
    for (int i = 0; i < 3; i++)
        result.x[i] += other[i];
    return result;
}

/* Returns X = [E 0; −E r× E], to a frame rotated by E with its origin at r. */
static inline matrix6 plucker(real E[3][3], const real r[3])
{
    matrix6 X;
    for (int i = 0; i < 3; i++) {
        real row[3]; /* of −E r×: the cross product of r and the row of E */
        cross3(r, E[i], row);
        for (int j = 0; j < 3; j++) {
            X.m[i][j] = X.m[3 + i][3 + j] = E[i][j];
            X.m[i][3 + j] = splat(0);
            X.m[3 + i][j] = row[j];
        }
    }
    return X;
}

#endif
