/* SPDX-License-Identifier: MIT */
/*
 * Transfer: states in rows of doubles to reals and back, and the sparse affine maps between
 * independent and tree coordinates.
 */

static void load(void *dst, const double *src, size_t columns, size_t rows)
{
    real *out = dst;
    for (size_t i = 0; i < columns; i++) {
        real x = splat(src[i]);
        for (size_t lane = 1; lane < TD_LANE_COUNT; lane++)
            x = real_set(x, lane, src[(lane < rows ? lane : rows - 1) * columns + i]);
        out[i] = x;
    }
}

static void store(double *dst, const void *src, size_t columns, size_t rows)
{
    const real *in = src;
    for (size_t i = 0; i < columns; i++)
        for (size_t lane = 0; lane < TD_LANE_COUNT && lane < rows; lane++)
            dst[lane * columns + i] = real_get(in[i], lane);
}

static void zero(void *dst, size_t count)
{
    memset(dst, 0, count * sizeof(real));
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

static void transposed(const td_csr *A, const void *x, void *out)
{
    const real *in = x;
    real *result = out;
    for (int j = 0; j < A->columns; j++)
        result[j] = splat(0);
    for (int i = 0; i < A->rows; i++)
        for (int k = A->row[i]; k < A->row[i + 1]; k++)
            result[A->column[k]] += A->value[k] * in[i];
}
