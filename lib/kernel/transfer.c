/* SPDX-License-Identifier: MIT */
/*
 * Transfer: states in rows of doubles to reals and back, and the sparse linear maps between
 * independent and tree coordinates.
 */

static void load(void *dst, const double *src, size_t columns, size_t rows)
{
    real *out = dst;
    const double *row[TD_LANE_COUNT];
    for (size_t lane = 0; lane < TD_LANE_COUNT; lane++)
        row[lane] = src + (lane < rows ? lane : rows - 1) * columns;
    size_t i = 0;
#if defined(TD_REAL_LANES)
    for (; i + TD_LINE <= columns; i += TD_LINE) {
        real square[TD_LINE];
        lines_load(square, row, i);
        for (size_t k = 0; k < TD_LINE; k++)
            out[i + k] = square[k];
    }
#endif
    for (; i < columns; i++) {
        real x = splat(row[0][i]);
        for (size_t lane = 1; lane < TD_LANE_COUNT; lane++)
            x = real_set(x, lane, row[lane][i]);
        out[i] = x;
    }
}

/* count reals to the first rows lanes, stride doubles apart; their sum */
TD_INLINE real store_run(double *dst, size_t stride, const real *in, size_t count, size_t rows)
{
    real sum[2] = {splat(0), splat(0)};
    size_t i = 0;
#if defined(TD_REAL_LANES)
    double *row[TD_LANE_COUNT] = {0};
    for (size_t lane = 0; rows == TD_LANE_COUNT && lane < TD_LANE_COUNT; lane++)
        row[lane] = dst + lane * stride;
    for (; rows == TD_LANE_COUNT && i + 2 * TD_LINE <= count; i += 2 * TD_LINE) {
        real squares[2 * TD_LINE];
        for (size_t k = 0; k < 2 * TD_LINE; k++)
            sum[k % 2] += squares[k] = in[i + k];
        lines_store_both(row, i, squares);
    }
    for (; rows == TD_LANE_COUNT && i + TD_LINE <= count; i += TD_LINE) {
        real square[TD_LINE];
        for (size_t k = 0; k < TD_LINE; k++)
            sum[k % 2] += square[k] = in[i + k];
        lines_store(row, i, square);
    }
#endif
    for (; i < count; i++) {
        sum[0] += in[i];
        for (size_t lane = 0; lane < TD_LANE_COUNT && lane < rows; lane++)
            dst[lane * stride + i] = real_get(in[i], lane);
    }
    return sum[0] + sum[1];
}

/* a bit for each of the first rows lanes: whether 0 x is 0 */
TD_INLINE int vanishing(real x, size_t rows)
{
    x *= 0.0;
#if defined(TD_REAL_LANES)
    return wide_le(x, splat(0)) & ((1 << rows) - 1);
#else
    (void)rows;
    return real_get(x, 0) == 0;
#endif
}

static int lanes_finite(const void *src, size_t count, size_t rows)
{
    const real *in = src;
    real sum[4]; /* NaN as soon as one is NaN or infinite */
    for (size_t k = 0; k < 4; k++)
        sum[k] = splat(0);
    size_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (size_t k = 0; k < 4; k++)
            sum[k] += 0.0 * in[i + k];
    for (; i < count; i++)
        sum[0] += 0.0 * in[i];
    return vanishing(sum[0] + sum[1] + (sum[2] + sum[3]), rows);
}

/* whether all numbers of a row are */
TD_INLINE bool row_finite(const double *row, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += 0.0 * row[i];
    return sum == 0;
}

/* A sum is finite only if all that it is of are. The sum of finite numbers may overflow, though:
   then, and where one is not finite, they are asked one by one. */
static int store(double *dst, const void *src, size_t columns, size_t rows)
{
    int mask = vanishing(store_run(dst, columns, src, columns, rows), rows);
    return mask == (1 << rows) - 1 ? mask : lanes_finite(src, columns, rows);
}

static void copy(void *dst, const void *src, size_t count)
{
    if (dst != src)
        memcpy(dst, src, count * sizeof(real));
}

static void clear(void *dst, size_t count)
{
    memset(dst, 0, count * sizeof(real));
}

static void add_to(void *a, const void *b, size_t count)
{
    real *sum = a;
    const real *term = b;
    for (size_t i = 0; i < count; i++)
        sum[i] += term[i];
}

static void subtract_from(void *a, const void *b, size_t count)
{
    real *sum = a;
    const real *term = b;
    for (size_t i = 0; i < count; i++)
        sum[i] -= term[i];
}

static void affine(const td_csr *A, const double *b, const void *x, void *out)
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

static void gather(void *dst, const void *src, const int *index, size_t count)
{
    real *to = dst;
    const real *from = src;
    for (size_t i = 0; i < count; i++)
        to[i] = from[index[i]];
}

static void spread(void *dst, const double *src, size_t count)
{
    real *out = dst;
    for (size_t i = 0; i < count; i++)
        out[i] = splat(src[i]);
}

static void rates(const td_csr *G, const void *values, const void *x, void *out)
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

static void transposed(const td_csr *G, const void *values, const void *x, void *out)
{
    const real *in = x, *value = values;
    real *result = out;
    for (int j = 0; j < G->columns; j++)
        result[j] = splat(0);
    for (int i = 0; i < G->rows; i++)
        for (int k = G->row[i]; k < G->row[i + 1]; k++)
            result[G->column[k]] += value[k] * in[i];
}

static void scatter(const td_scatter *list, const void *values, const void *source, void *target,
                    size_t count)
{
    const real *in = source, *value = values;
    real *out = target;
    clear(out, count);
    if (!list->left) {
        for (size_t k = 0; k < list->count; k++)
            out[list->to[k]] += list->factor[k] * in[list->from[k]];
        return;
    }
    for (size_t k = 0; k < list->count; k++)
        out[list->to[k]] +=
            list->factor[k] * value[list->left[k]] * value[list->right[k]] * in[list->from[k]];
}

static void times_sparse(const void *A, size_t rows, const td_csr *G, const void *values, void *out)
{
    const real *a = A, *value = values;
    real *result = out;
    clear(result, rows * (size_t)G->columns);
    for (size_t r = 0; r < rows; r++, a += G->rows, result += G->columns)
        for (int i = 0; i < G->rows; i++)
            for (int k = G->row[i]; k < G->row[i + 1]; k++)
                result[G->column[k]] += value[k] * a[i];
}

static void congruence(const void *A, const td_csr *G, const void *values, const void *B, void *out)
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

static void choose(const unsigned char *mask, const void *yes, const void *no, void *out,
                   size_t count)
{
    const real *a = yes, *b = no;
    real *result = out;
    for (size_t i = 0; i < count; i++)
        result[i] = mask[i] ? a[i] : b[i];
}
