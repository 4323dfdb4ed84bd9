/* SPDX-License-Identifier: MIT */
/*
 * Plane rotations that make one pair of axes or columns orthogonal at a time, repeated until all
 * pairs are. Matrices are first scaled by a power of two, so that no square overflows.
 */
#include "base/jacobi.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

#include "base/dense.h"

/* Both methods converge quadratically in 6 to 12 sweeps; the bound guarantees termination. */
enum { MOST_SWEEPS = 40 };

bool td_scale_matrix(size_t count, double *A, int *exponent)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(A[i]))
            return false;
        largest = fmax(largest, fabs(A[i]));
    }
    frexp(largest, exponent);
    for (size_t i = 0; i < count && *exponent != 0; i++)
        A[i] = ldexp(A[i], -*exponent);
    return true;
}

/* Cosine c, sine s and tangent t of the rotation that makes a pair orthogonal. zeta is the
   cotangent of twice the angle. The smaller of the two possible angles is used, as convergence
   requires. */
typedef struct rotation {
    double c, s, t;
} rotation;

static rotation rotation_of(double zeta)
{
    double t = copysign(1, zeta) / (fabs(zeta) + hypot(1, zeta));
    double c = 1 / sqrt(1 + t * t);
    return (rotation){c, c * t, t};
}

static void rotate(const rotation *r, int n, double *a, double *b)
{
    for (int i = 0; i < n; i++) {
        double x = a[i];
        a[i] = r->c * x - r->s * b[i];
        b[i] = r->s * x + r->c * b[i];
    }
}

static void swap(int n, double *a, double *b)
{
    for (int i = 0; i < n; i++) {
        double x = a[i];
        a[i] = b[i];
        b[i] = x;
    }
}

/* ---- symmetric 3 × 3 ------------------------------------------------------------------------- */

/* Makes a[p][q] zero by rotating axes p and q, which are rows p and q of v. Returns false if the
   entry was already negligible for eigenvalues with a small relative error. */
static bool rotate_axes(double a[3][3], double v[3][3], int p, int q)
{
    double between = a[p][q];
    if (!(fabs(between) > DBL_EPSILON / 2 * sqrt(fabs(a[p][p])) * sqrt(fabs(a[q][q]))))
        return false;
    const int other = 3 - p - q;
    rotation r = rotation_of((a[q][q] - a[p][p]) / (2 * between));
    a[p][p] -= r.t * between;
    a[q][q] += r.t * between;
    a[p][q] = a[q][p] = 0;
    rotate(&r, 1, &a[other][p], &a[other][q]);
    a[p][other] = a[other][p];
    a[q][other] = a[other][q];
    rotate(&r, 3, v[p], v[q]);
    return true;
}

bool td_symmetric_eigen(const double m[6], double values[3], double vectors[9])
{
    double a[3][3] = {{m[0], m[1], m[2]}, {m[1], m[3], m[4]}, {m[2], m[4], m[5]}};
    double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int exponent;
    if (!td_scale_matrix(9, a[0], &exponent))
        return false;
    bool changed = true;
    for (int sweep = 0; sweep < MOST_SWEEPS && changed; sweep++) {
        changed = rotate_axes(a, v, 0, 1);
        changed = rotate_axes(a, v, 0, 2) || changed;
        changed = rotate_axes(a, v, 1, 2) || changed;
    }
    for (int k = 0; k < 3; k++)
        values[k] = a[k][k];
    for (int k = 0; k < 3; k++) {
        int least = k;
        for (int j = k + 1; j < 3; j++)
            least = values[j] < values[least] ? j : least;
        swap(1, &values[k], &values[least]);
        swap(3, v[k], v[least]);
        values[k] = ldexp(values[k], exponent);
    }
    for (int i = 0; vectors && i < 9; i++)
        vectors[i] = v[i / 3][i % 3];
    return true;
}

/* ---- singular values ------------------------------------------------------------------------- */

/* Products of lengths above this are not subnormal, so they have full precision. */
static const double least_product = 1e-280;

/* Returns the product of two columns divided by la lb. Entries are at most near 1. */
static double dot(int m, const double *a, double la, const double *b, double lb)
{
    double sum = 0;
    if (la * lb > least_product)
        return td_dense_dot((size_t)m, a, b) / (la * lb);
    for (int i = 0; i < m; i++)
        sum += a[i] / la * (b[i] / lb);
    return sum;
}

/* Returns the length of a column whose entries are at most near 1. */
static double length(int m, const double *a)
{
    const double square = dot(m, a, 1, a, 1);
    if (square > least_product)
        return sqrt(square);
    const double largest = td_dense_largest((size_t)m, a);
    return largest < DBL_MIN ? largest : largest * sqrt(dot(m, a, largest, a, largest));
}

/* Makes two columns of A orthogonal, and rotates the columns of V (NULL: none) likewise. Returns
   whether they were not. A column that is negligible relative to the largest entry, which is
   near 1, has no direction and is skipped. */
static bool rotate_columns(int m, double *a, double *b, int n, double *va, double *vb)
{
    double la = length(m, a), lb = length(m, b);
    if (!(la > DBL_MIN && lb > DBL_MIN))
        return false;
    double cosine = dot(m, a, la, b, lb);
    if (!(fabs(cosine) > sqrt(m) * DBL_EPSILON))
        return false;
    rotation r = rotation_of((lb / la - la / lb) / (2 * cosine));
    rotate(&r, m, a, b);
    if (va)
        rotate(&r, n, va, vb);
    return r.t != 0;
}

/* Makes the columns of A orthogonal by rotations, and rotates the columns of V (NULL: none)
   likewise. */
static void orthogonalize(int m, int n, double *A, double *V)
{
    const size_t rows = (size_t)m, columns = (size_t)n;
    bool changed = true;
    for (int sweep = 0; sweep < MOST_SWEEPS && changed; sweep++) {
        changed = false;
        for (size_t j = 0; j < columns; j++)
            for (size_t k = j + 1; k < columns; k++) {
                double *vj = V ? V + j * columns : NULL, *vk = V ? V + k * columns : NULL;
                changed = rotate_columns(m, A + j * rows, A + k * rows, n, vj, vk) || changed;
            }
    }
}

void td_jacobi_svd(int m, int n, double *A, double *values, double *V)
{
    const size_t rows = (size_t)m, columns = (size_t)n;
    int exponent;
    bool finite = td_scale_matrix(rows * columns, A, &exponent);
    for (size_t i = 0; i < columns * columns; i++)
        V[i] = finite ? i % (columns + 1) == 0 : NAN;
    if (finite)
        orthogonalize(m, n, A, V);
    for (size_t k = 0; k < columns; k++)
        values[k] = finite ? length(m, A + k * rows) : NAN;
    for (size_t k = 0; k < columns; k++) {
        size_t largest = k;
        for (size_t j = k + 1; j < columns; j++)
            largest = values[j] > values[largest] ? j : largest;
        swap(1, &values[k], &values[largest]);
        swap(n, V + k * columns, V + largest * columns);
        values[k] = ldexp(values[k], exponent);
    }
}

void td_singular_values(int m, int n, double *A, double *smallest, double *largest)
{
    const size_t rows = (size_t)m, columns = (size_t)n;
    *smallest = *largest = 0;
    int exponent;
    if (!td_scale_matrix(rows * columns, A, &exponent)) {
        *smallest = *largest = NAN;
        return;
    }
    orthogonalize(m, n, A, NULL);
    for (size_t k = 0; k < columns; k++) {
        double value = ldexp(length(m, A + k * rows), exponent);
        *largest = fmax(*largest, value);
        *smallest = k == 0 ? value : fmin(*smallest, value);
    }
}
