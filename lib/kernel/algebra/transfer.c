/* SPDX-License-Identifier: MIT */
/*
 * Transfer of states between rows of doubles and reals, and the sparse linear maps between
 * independent coordinates and coordinates of the tree.
 */
#include "kernel/real/arrays.h"
#include "model/sparse.h"

/* (1 + 1e-6)² − 1 */
#define UNIT_EXCESS 2.000002e-6

static __attribute__((noinline)) int each_finite(size_t arrays, const void *const *in,
                                                 const size_t *counts)
{
    for (size_t k = 0; k < arrays; k++)
        if (in[k] && !(lanes_finite(in[k], counts[k], 1) & 1))
            return 0;
    return 1;
}

#if defined(TD_REAL_DOUBLE)
/* sum += the numbers from x to end, `many` at a time. The last step ends exactly at end, so some
   numbers may be added twice. There must be at least `many` numbers. */
TD_INLINE void sum_by(size_t many, const double *x, const double *end, td_wide *sum)
{
    for (end -= many; x < end; x += many)
        for (size_t k = 0; k < many; k += TD_WIDE)
            *sum += wide_load(x + k);
    for (size_t k = 0; k < many; k += TD_WIDE)
        *sum += wide_load(end + k);
}

/* sum += n numbers from x on, in vectors as long as n allows */
TD_INLINE void sum_up(const double *x, size_t n, td_wide *sum)
{
    const double *end = x + n;
    if (n >= 64)
        sum_by(32, x, end, sum);
    else if (n >= 8)
        sum_by(8, x, end, sum);
    else if (n >= TD_WIDE)
        sum_by(TD_WIDE, x, end, sum);
    else
        for (; x < end; x++)
            *sum += (td_wide){*x};
}

/* Returns whether all numbers of the arrays are finite; NULL arrays are skipped. A finite sum
   implies finite terms. The sum of finite numbers may overflow, though, so a sum that is not finite
   leads to a check of each number. */
static int all_finite(size_t arrays, const void *const *in, const size_t *counts)
{
    td_wide sum = {0};
    for (size_t k = 0; k < arrays; k++)
        if (in[k])
            sum_up(in[k], counts[k], &sum);
    if (wide_le(0.0 * sum, (td_wide){0}) == (1 << TD_WIDE) - 1)
        return 1;
    return each_finite(arrays, in, counts);
}
#else
static int all_finite(size_t arrays, const void *const *in, const size_t *counts)
{
    return each_finite(arrays, in, counts);
}
#endif

/* Returns a mask with a bit for each of the first rows lanes. It is set if the four numbers at each
   at[k] have length 1 within 1e-6. NaN counts as unit length. */
static int unit(const td_reals *src, const int *at, size_t count, size_t rows)
{
    const real *x = src;
    real worst = splat(0);
    for (size_t k = 0; k < count; k++) {
        const real *p = x + at[k];
        real excess = (p[0] * p[0] + p[1] * p[1]) + (p[2] * p[2] + p[3] * p[3]) - 1.0;
        worst = select_lt(worst, excess * excess, excess * excess, worst);
    }
    return vanishing(select_lt(splat(UNIT_EXCESS * UNIT_EXCESS), worst, splat(INFINITY), splat(0)),
                     rows);
}

#if defined(TD_REAL_LANES)
/* Loads TD_LINE columns from i on into out and adds them to the sums. */
TD_INLINE void load_square(real *out, const double *const row[TD_LANE_COUNT], size_t i, real sum[2])
{
    real square[TD_LINE];
    lines_load(square, row, i);
    for (size_t k = 0; k < TD_LINE; k++)
        sum[k % 2] += out[i + k] = square[k];
}
#endif

static int load(td_reals *dst, const double *src, size_t columns, size_t rows)
{
    real *out = dst, sum[2] = {splat(0), splat(0)};
    const double *row[TD_LANE_COUNT];
    for (size_t lane = 0; lane < TD_LANE_COUNT; lane++)
        row[lane] = src + (lane < rows ? lane : rows - 1) * columns;
    size_t i = 0;
#if defined(TD_REAL_LANES)
    for (; i + TD_LINE <= columns; i += TD_LINE)
        load_square(out, row, i, sum);
    if (i < columns && columns >= TD_LINE) { /* overlap the last full square */
        load_square(out, row, columns - TD_LINE, sum);
        i = columns;
    }
#endif
    for (; i < columns; i++) {
        real x = splat(row[0][i]);
        for (size_t lane = 1; lane < TD_LANE_COUNT; lane++)
            x = real_set(x, lane, row[lane][i]);
        sum[0] += out[i] = x;
    }
    int mask = vanishing(sum[0] + sum[1], rows); /* as in store */
    return mask == (1 << rows) - 1 ? mask : lanes_finite(dst, columns, rows);
}

/* A finite sum implies finite terms. The sum of finite numbers may overflow, though, so a sum that
   is not finite leads to a check of each number. */
static int store(double *dst, const td_reals *src, size_t columns, size_t rows)
{
    int mask = vanishing(store_reals(dst, columns, src, columns, rows), rows);
    return mask == (1 << rows) - 1 ? mask : lanes_finite(src, columns, rows);
}

static void add_to(td_reals *a, const td_reals *b, size_t count)
{
    real *sum = a;
    const real *term = b;
    for (size_t i = 0; i < count; i++)
        sum[i] += term[i];
}

static void subtract_from(td_reals *a, const td_reals *b, size_t count)
{
    real *sum = a;
    const real *term = b;
    for (size_t i = 0; i < count; i++)
        sum[i] -= term[i];
}

static void negate(td_reals *a, size_t count)
{
    real *x = a;
    for (size_t i = 0; i < count; i++)
        x[i] = -x[i];
}

static void affine(const td_csr *A, const double *b, const td_reals *x, td_reals *out)
{
    const real *in = x;
    real *result = out;
    for (int i = 0; i < A->rows; i++) {
        real sum = splat(b ? b[i] : 0);
        for (int k = A->row[i]; k < A->row[i + 1]; k++)
            sum += A->value[k] * in[A->column[k]];
        result[i] = sum;
    }
}

static void gather(td_reals *dst, const td_reals *src, const int *index, size_t count)
{
    real *target = dst;
    const real *from = src;
    for (size_t i = 0; i < count; i++)
        target[i] = from[index[i]];
}

static void subtract_at(td_reals *dst, const td_reals *src, const int *index, size_t count)
{
    real *target = dst;
    const real *from = src;
    for (size_t i = 0; i < count; i++)
        target[index[i]] -= from[i];
}

static void rates(const td_csr *G, const td_reals *values, const td_reals *x, td_reals *out)
{
    const real *in = x, *value = values;
    real *result = out;
    for (int i = 0; i < G->rows; i++) {
        real sum = splat(0);
        for (int k = G->row[i]; k < G->row[i + 1]; k++)
            sum += value[k] * in[G->column[k]];
        result[i] = sum;
    }
}

static void transposed(const td_csr *G, const td_reals *values, const td_reals *x, td_reals *out)
{
    const real *in = x, *value = values;
    real *result = out;
    for (int j = 0; j < G->columns; j++)
        result[j] = splat(0);
    for (int i = 0; i < G->rows; i++)
        for (int k = G->row[i]; k < G->row[i + 1]; k++)
            result[G->column[k]] += value[k] * in[i];
}

static void scatter(const td_scatter *list, const td_reals *values, const td_reals *source,
                    td_reals *target, size_t count)
{
    const real *in = source, *value = values;
    real *out = target;
    clear(out, count);
    if (!list->left) {
        for (size_t k = 0; k < list->count; k++)
            out[list->target[k]] += list->factor[k] * in[list->source[k]];
        return;
    }
    for (size_t k = 0; k < list->count; k++)
        out[list->target[k]] +=
            list->factor[k] * value[list->left[k]] * value[list->right[k]] * in[list->source[k]];
}

/* Computes the terms that a scatter list would contain, entry by entry of G. H(i, j) also stands
   for H(j, i). */
static void reduce(const td_pattern *tree, const td_csr *G, const td_reals *values,
                   const td_reals *H, const td_pattern *pattern, td_reals *target)
{
    const real *in = H, *value = values;
    real *out = target;
    clear(out, pattern->entries);
    for (size_t i = 0; i < tree->size; i++)
        for (int k = G->row[i]; k < G->row[i + 1]; k++) {
            const real *h = in + tree->row[i] + tree->depth[i];
            const int a = G->column[k], depth = pattern->depth[a];
            real *row = out + pattern->row[a];
            for (int l = G->row[i]; l < G->row[i + 1]; l++)
                if (G->column[l] <= a)
                    row[pattern->depth[G->column[l]]] += value[k] * value[l] * *h;
            for (int j = tree->parent[i]; j >= 0; j = tree->parent[j]) {
                const real scaled = value[k] * *--h;
                for (int l = G->row[j]; l < G->row[j + 1]; l++) {
                    const int b = G->column[l];
                    if (b < a)
                        row[pattern->depth[b]] += value[l] * scaled;
                    else
                        out[pattern->row[b] + (size_t)depth] +=
                            (a == b ? 2 : 1) * value[l] * scaled;
                }
            }
        }
}

static void add_times_sparse(const td_reals *A, size_t rows, const td_csr *G,
                             const td_reals *values, td_reals *out)
{
    const real *a = A, *value = values;
    real *result = out;
    for (size_t r = 0; r < rows; r++, a += G->rows, result += G->columns)
        for (int i = 0; i < G->rows; i++)
            for (int k = G->row[i]; k < G->row[i + 1]; k++)
                result[G->column[k]] += value[k] * a[i];
}

static void times_sparse(const td_reals *A, size_t rows, const td_csr *G, const td_reals *values,
                         td_reals *out)
{
    clear(out, rows * (size_t)G->columns);
    add_times_sparse(A, rows, G, values, out);
}

static void congruence(const td_reals *A, const td_csr *G, const td_reals *values,
                       const td_reals *B, td_reals *out)
{
    const real *a = A, *left = values, *right = B;
    real *result = out;
    size_t rows = (size_t)G->rows, n = (size_t)G->columns;
    for (size_t i = 0; i < rows; i++)
        for (int k = G->row[i]; k < G->row[i + 1]; k++)
            for (size_t j = 0; j < rows; j++)
                for (int l = G->row[j]; l < G->row[j + 1]; l++)
                    result[(size_t)G->column[k] * n + (size_t)G->column[l]] +=
                        left[k] * right[l] * a[i * rows + j];
}

static void dense(const td_csr *G, const td_reals *values, td_reals *out)
{
    const real *value = values;
    real *result = out;
    const size_t columns = (size_t)G->columns;
    clear(out, (size_t)G->rows * columns);
    for (size_t i = 0; i < (size_t)G->rows; i++)
        for (int k = G->row[i]; k < G->row[i + 1]; k++)
            result[i * columns + (size_t)G->column[k]] = value[k];
}

static int store_sparse(const td_csr *G, const td_reals *values, double *dst, size_t rows)
{
    const real *value = values;
    const size_t columns = (size_t)G->columns, size = (size_t)G->rows * columns;
    wide_clear(dst, rows * size);
    if (!values)
        return (1 << rows) - 1;
    for (size_t i = 0; i < (size_t)G->rows; i++)
        for (int k = G->row[i]; k < G->row[i + 1]; k++)
            for (size_t lane = 0; lane < rows; lane++)
                dst[lane * size + i * columns + (size_t)G->column[k]] = real_get(value[k], lane);
    return lanes_finite(values, (size_t)G->row[G->rows], rows);
}

static void take_column(const td_reals *A, size_t rows, size_t columns, size_t column,
                        td_reals *out)
{
    const real *in = (const real *)A + column;
    real *x = out;
    for (size_t i = 0; i < rows; i++)
        x[i] = in[i * columns];
}

static void put_column(const td_reals *x, size_t rows, size_t columns, size_t column, td_reals *A)
{
    const real *in = x;
    real *out = (real *)A + column;
    for (size_t i = 0; i < rows; i++)
        out[i * columns] = in[i];
}

static void choose(const unsigned char *mask, const td_reals *yes, const td_reals *no,
                   td_reals *out, size_t count)
{
    const real *a = yes, *b = no;
    real *result = out;
    for (size_t i = 0; i < count; i++)
        result[i] = mask[i] ? a[i] : b[i];
}
