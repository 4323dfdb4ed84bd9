/* SPDX-License-Identifier: MIT */
/*
 * Null spaces by Gram-Schmidt orthogonalization from the last column to the first. Mass matrices
 * are factored in the same order, so the columns without a remainder are those whose pivots
 * vanish.
 */
#include "base/null_space.h"

#include <math.h>

td_column *td_columns_new(td_arena *arena, size_t rows, size_t columns)
{
    double *entry = TD_ARENA_NEW(arena, double, rows *columns);
    td_column *A = TD_ARENA_NEW(arena, td_column, columns);
    for (size_t k = 0; entry && A && k < columns; k++)
        A[k] = (td_column){entry + k * rows, rows, 0};
    return entry ? A : NULL;
}

void td_column_set(td_column *a, size_t row, double value)
{
    if (value == 0 && (row < a->first || row >= a->end))
        return;
    a->entry[row] = value;
    a->first = row < a->first ? row : a->first;
    a->end = row + 1 > a->end ? row + 1 : a->end;
}

static double dot(const td_column *a, const td_column *b)
{
    double sum = 0;
    for (size_t i = a->first > b->first ? a->first : b->first; i < a->end && i < b->end; i++)
        sum += a->entry[i] * b->entry[i];
    return sum;
}

/* Computes a −= part · b. */
static void subtract(td_column *a, double part, const td_column *b)
{
    for (size_t i = b->first; part != 0 && i < b->end; i++)
        td_column_set(a, i, a->entry[i] - part * b->entry[i]);
}

/* Computes x for column k, which is a linear combination of the kept columns after it: x_k = 1
   and R x = 0. */
static void solve(size_t n, size_t k, const double *R, const bool *kept, double *x)
{
    x[k] = 1;
    for (size_t j = k + 1; j < n; j++) {
        double sum = 0;
        for (size_t i = k; kept[j] && i < j; i++)
            sum += R[j * n + i] * x[i];
        x[j] = kept[j] ? -sum / R[j * n + j] : 0;
    }
}

bool td_find_null_space(td_arena *arena, size_t n, td_column *A, double rounded,
                        td_null_space *null)
{
    bool *kept = TD_ARENA_NEW(arena, bool, n);
    double *R = TD_ARENA_NEW(arena, double, n *n);
    size_t count = 0;
    if (!kept || !R)
        return false;
    for (size_t k = n; k-- > 0;) {
        for (int twice = 0; twice < 2; twice++)
            for (size_t j = n; j-- > k + 1;) {
                const double part = kept[j] ? dot(&A[k], &A[j]) : 0;
                R[j * n + k] += part;
                subtract(&A[k], part, &A[j]);
            }
        const double left = R[k * n + k] = sqrt(dot(&A[k], &A[k]));
        kept[k] = left > rounded;
        count += !kept[k];
        for (size_t i = A[k].first; kept[k] && i < A[k].end; i++)
            A[k].entry[i] /= left;
    }
    *null = (td_null_space){.size = n, .vector = TD_ARENA_NEW(arena, double, count *n)};
    for (size_t k = 0; null->vector && k < n; k++)
        if (!kept[k])
            solve(n, k, R, kept, null->vector + null->count++ * n);
    return null->vector != NULL;
}

void td_reduce_null_space(td_null_space *null)
{
    const size_t n = null->size;
    size_t done = 0;
    for (size_t i = 0; i < n && done < null->count; i++) {
        size_t best = done;
        for (size_t k = done; k < null->count; k++)
            if (fabs(null->vector[k * n + i]) > fabs(null->vector[best * n + i]))
                best = k;
        double *a = null->vector + best * n, *pivot_row = null->vector + done * n;
        if (!(fabs(a[i]) > TD_NULL_ROUNDED))
            continue;
        const double scale = a[i];
        for (size_t j = 0; j < n; j++) {
            const double x = a[j] / scale;
            a[j] = pivot_row[j];
            pivot_row[j] = x;
        }
        for (size_t k = 0; k < null->count; k++) {
            double *other = null->vector + k * n;
            const double part = k == done ? 0 : other[i];
            for (size_t j = 0; part != 0 && j < n; j++)
                other[j] -= part * pivot_row[j];
        }
        done++;
    }
    null->count = done;
}
