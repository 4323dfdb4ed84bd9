/* SPDX-License-Identifier: MIT */
/*
 * The rank of a matrix, with the columns that it is made of.
 */
#include "base/linalg.h"

#include <math.h>
#include <stddef.h>

#include "base/jacobi.h"

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
    for (int i = 0; i < k; i++, R += n) {
        double x = R[k];
        R[k] = R[j];
        R[j] = x;
    }
    int c = column[k];
    column[k] = column[j];
    column[j] = c;
}

int td_pivoted_qr(int m, int n, double *A, const int *class_of, double tolerance, double *R,
                  int *column)
{
    double scale = 0;
    int rank = 0, exponent;
    bool finite = td_scale_matrix((size_t)m * (size_t)n, A, &exponent);
    for (int j = 0; j < n; j++) {
        column[j] = j;
        double *a = A + (size_t)j * (size_t)m;
        scale = fmax(scale, sqrt(column_dot(m, a, a)));
    }
    if (!finite)
        return 0;
    for (; rank < n && rank < m; rank++) {
        int j = pick(m, n, rank, A, class_of, column, tolerance * scale);
        if (j < 0)
            break;
        swap_columns(m, n, rank, j, A, R, column);
        double *q = A + (size_t)rank * (size_t)m;
        double length = sqrt(column_dot(m, q, q));
        double *row = R + (size_t)rank * (size_t)n;
        row[rank] = length;
        for (int i = 0; i < m; i++)
            q[i] /= length;
        for (int k = rank + 1; k < n; k++) {
            double *a = A + (size_t)k * (size_t)m;
            row[k] = column_dot(m, q, a);
            for (int i = 0; i < m; i++)
                a[i] -= row[k] * q[i];
        }
    }
    for (int i = 0; i < rank; i++)
        for (int k = i; k < n; k++)
            R[i * n + k] = ldexp(R[i * n + k], exponent);
    return rank;
}
