/* SPDX-License-Identifier: MIT */
/*
 * Calls of LAPACK by its Fortran symbols.
 */
#include "linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void dsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
            double *work, const int *lwork, int *info, unsigned long jobz_len,
            unsigned long uplo_len);

void dgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, double *a,
             const int *lda, double *s, double *u, const int *ldu, double *vt, const int *ldvt,
             double *work, const int *lwork, int *info, unsigned long jobu_len,
             unsigned long jobvt_len);

bool td_right_vectors(int m, int n, double *A, double *values, double *Vt)
{
    if (n == 0)
        return true;
    const int one = 1, room = 5 * m + 3 * n;
    double *work = malloc((size_t)room * sizeof *work), none;
    int info = 1;
    if (work)
        dgesvd_("N", "A", &m, &n, A, &m, values, &none, &one, Vt, &n, work, &room, &info, 1, 1);
    free(work);
    return info == 0;
}

bool td_symmetric_eigen(const double m[6], double values[3], double vectors[9])
{
    for (int i = 0; i < 6; i++)
        if (!isfinite(m[i]))
            return false;
    double a[9] = {m[0], m[1], m[2], m[1], m[3], m[4], m[2], m[4], m[5]}, work[24];
    const int n = 3, room = 24;
    int info;
    dsyev_(vectors ? "V" : "N", "U", &n, a, &n, values, work, &room, &info, 1, 1);
    if (vectors)
        memcpy(vectors, a, sizeof a);
    return info == 0;
}

/* ---- rank ------------------------------------------------------------------------------------ */

static double column_dot(int m, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < m; i++)
        sum += a[i] * b[i];
    return sum;
}

/* the next column to take, from the k-th on; −1 for none */
static int pick(int m, int n, int k, const double *A, const int *class_of, const int *column,
                double bound)
{
    int class = -1, best = -1;
    double longest = 0;
    for (int j = k; j < n; j++) {
        int c = class_of[column[j]];
        double length = sqrt(column_dot(m, A + (size_t)j * (size_t)m, A + (size_t)j * (size_t)m));
        if (c < 0 || !(length > bound) || (class >= 0 && c > class))
            continue;
        longest = c == class && length < longest ? longest : length;
        class = c;
    }
    for (int j = k; class >= 0 && j < n; j++) {
        double length = sqrt(column_dot(m, A + (size_t)j * (size_t)m, A + (size_t)j * (size_t)m));
        if (class_of[column[j]] == class && length >= 0.3 * longest &&
            (best < 0 || column[j] > column[best]))
            best = j;
    }
    return best;
}

static void swap_columns(int m, int n, int k, int j, double *A, double *R, int *column)
{
    for (int i = 0; i < m; i++) {
        double x = A[(size_t)k * (size_t)m + (size_t)i];
        A[(size_t)k * (size_t)m + (size_t)i] = A[(size_t)j * (size_t)m + (size_t)i];
        A[(size_t)j * (size_t)m + (size_t)i] = x;
    }
    for (int i = 0; i < k; i++) {
        double x = R[i * n + k];
        R[i * n + k] = R[i * n + j];
        R[i * n + j] = x;
    }
    int c = column[k];
    column[k] = column[j];
    column[j] = c;
}

int td_pivoted_qr(int m, int n, double *A, const int *class_of, double tolerance, double *R,
                  int *column)
{
    double scale = 0;
    for (int j = 0; j < n; j++) {
        column[j] = j;
        double *a = A + (size_t)j * (size_t)m;
        scale = fmax(scale, sqrt(column_dot(m, a, a)));
    }
    int rank = 0;
    for (; rank < n && rank < m; rank++) {
        int j = pick(m, n, rank, A, class_of, column, tolerance * scale);
        if (j < 0)
            break;
        swap_columns(m, n, rank, j, A, R, column);
        double *q = A + (size_t)rank * (size_t)m;
        double length = sqrt(column_dot(m, q, q));
        R[rank * n + rank] = length;
        for (int i = 0; i < m; i++)
            q[i] /= length;
        for (int k = rank + 1; k < n; k++) {
            double *a = A + (size_t)k * (size_t)m;
            R[rank * n + k] = column_dot(m, q, a);
            for (int i = 0; i < m; i++)
                a[i] -= R[rank * n + k] * q[i];
        }
    }
    return rank;
}

/* makes two columns orthogonal; whether they were not */
static bool rotate(int m, double *a, double *b)
{
    double aa = column_dot(m, a, a), bb = column_dot(m, b, b), ab = column_dot(m, a, b);
    if (!(fabs(ab) > 1e-15 * sqrt(aa * bb)))
        return false;
    double zeta = (bb - aa) / (2 * ab);
    double t = copysign(1, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    double c = 1 / sqrt(1 + t * t), s = c * t;
    for (int i = 0; i < m; i++) {
        double x = a[i];
        a[i] = c * x - s * b[i];
        b[i] = s * x + c * b[i];
    }
    return true;
}

void td_singular_values(int m, int n, double *A, double *smallest, double *largest)
{
    enum { MOST_SWEEPS = 40 };
    bool changed = true;
    for (int sweep = 0; sweep < MOST_SWEEPS && changed; sweep++) {
        changed = false;
        for (int j = 0; j < n; j++)
            for (int k = j + 1; k < n; k++)
                changed =
                    rotate(m, A + (size_t)j * (size_t)m, A + (size_t)k * (size_t)m) || changed;
    }
    *smallest = *largest = 0;
    for (int j = 0; j < n; j++) {
        double length = sqrt(column_dot(m, A + (size_t)j * (size_t)m, A + (size_t)j * (size_t)m));
        *largest = fmax(*largest, length);
        *smallest = j == 0 ? length : fmin(*smallest, length);
    }
}
