/* SPDX-License-Identifier: MIT */
/*
 * The rank of a matrix, by QR factorization with column pivoting.
 */
#include "base/linalg.h"

#include <math.h>
#include <stddef.h>

#include "base/dense.h"
#include "base/jacobi.h"

static double column_length(int m, const double *a)
{
    return sqrt(td_dense_dot((size_t)m, a, a));
}

/* Factors A = Q R, m × n. A stores the columns of Q, then the remainders of the other columns.
   length and column have the remainders' lengths and original indices in the same order. */
typedef struct factors {
    int m, n;
    double *A, *R, *length;
    int *column;
} factors;

static double *column_of(const factors *f, int k)
{
    return f->A + (size_t)k * (size_t)f->m;
}

/* Returns the next pivot column at or after k, or −1 for none. */
static int pick(const factors *f, int k, const int *class_of, double bound)
{
    const double *length = f->length;
    const int *column = f->column, n = f->n;
    int class = -1, best = -1;
    double longest = 0;
    for (int j = k; j < n; j++) {
        int c = class_of[column[j]];
        if (c < 0 || !(length[j] > bound) || (class >= 0 && c > class))
            continue;
        longest = c == class && length[j] < longest ? longest : length[j];
        class = c;
    }
    for (int j = k; class >= 0 && j < n; j++)
        if (class_of[column[j]] == class && length[j] >= 0.3 * longest &&
            (best < 0 || column[j] > column[best]))
            best = j;
    return best;
}

static void swap(double *a, double *b)
{
    const double x = *a;
    *a = *b;
    *b = x;
}

static void swap_columns(const factors *f, int k, int j)
{
    double *R = f->R;
    for (int i = 0; i < f->m; i++)
        swap(column_of(f, k) + i, column_of(f, j) + i);
    for (int i = 0; i < k; i++, R += f->n)
        swap(R + k, R + j);
    swap(f->length + k, f->length + j);
    int c = f->column[k];
    f->column[k] = f->column[j];
    f->column[j] = c;
}

/* Subtracts from the columns after k their components along column k, which go to row k of R.
   Columns of loops share few rows: only the nonzero rows of q are read, and only columns with a
   component are written. */
static void take_from_rest(const factors *f, int k)
{
    const double *q = column_of(f, k);
    double *row = f->R + (size_t)k * (size_t)f->n;
    int first = 0, end = f->m;
    while (first < end && q[first] == 0)
        first++;
    while (end > first && q[end - 1] == 0)
        end--;
    for (int j = k + 1; j < f->n; j++) {
        double *a = column_of(f, j);
        row[j] = td_dense_dot((size_t)(end - first), q + first, a + first);
        if (row[j] == 0)
            continue;
        for (int i = first; i < end; i++)
            a[i] -= row[j] * q[i];
        f->length[j] = column_length(f->m, a);
    }
}

int td_pivoted_qr(int m, int n, double *A, const int *class_of, double tolerance, double *R,
                  int *column)
{
    double scale = 0;
    int rank = 0, exponent;
    bool finite = td_scale_matrix((size_t)m * (size_t)n, A, &exponent);
    for (int j = 0; j < n; j++)
        column[j] = j;
    if (!finite || n == 0)
        return 0;
    /* the lengths of the remainders are in the last row of R, whose final entry is written last */
    double *length = R + (size_t)(n - 1) * (size_t)n;
    const factors f = {m, n, A, R, length, column};
    for (int j = 0; j < n; j++) {
        length[j] = column_length(m, A + (size_t)j * (size_t)m);
        scale = fmax(scale, length[j]);
    }
    for (; rank < n && rank < m; rank++) {
        int j = pick(&f, rank, class_of, tolerance * scale);
        if (j < 0)
            break;
        swap_columns(&f, rank, j);
        double *q = column_of(&f, rank);
        const double taken = length[rank];
        for (int i = 0; i < m; i++)
            q[i] /= taken;
        R[(size_t)rank * (size_t)n + (size_t)rank] = taken;
        take_from_rest(&f, rank);
    }
    for (int i = 0; i < rank; i++)
        for (int k = i; k < n; k++)
            R[i * n + k] = ldexp(R[i * n + k], exponent);
    return rank;
}
