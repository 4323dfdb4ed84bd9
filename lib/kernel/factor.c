/* SPDX-License-Identifier: MIT */
/*
 * Symmetric matrices with the sparsity of a tree: the factorisation A = Lᵀ D L without fill-in
 * (Featherstone 2005), L unit lower triangular, and what it serves. As a row holds a coordinate's
 * ancestors from the root on, every inner loop runs over consecutive numbers.
 */

/* A pivot this small against the diagonal entry it comes from is rounding: the matrix is singular.
 */
#define SMALLEST_PIVOT 1e-13

static void factor(const td_pattern *pattern, void *A, void *singular)
{
    real *a = A;
    real bad = splat(-1);
    real *diagonal; /* what the diagonal was, kept behind the entries */
    diagonal = a + pattern->entries;
    for (size_t k = 0; k < pattern->size; k++)
        diagonal[k] = a[pattern->row[k] + (size_t)pattern->depth[k]];
    for (size_t k = pattern->size; k-- > 0;) {
        real *row = a + pattern->row[k];
        real pivot = row[pattern->depth[k]];
        bad = first_bad(bad, SMALLEST_PIVOT * diagonal[k], pivot, k);
        real inverse = 1.0 / pivot;
        for (int i = pattern->parent[k]; i >= 0; i = pattern->parent[i]) {
            int depth = pattern->depth[i];
            real *above = a + pattern->row[i];
            real quotient = row[depth] * inverse;
            for (int j = 0; j <= depth; j++)
                above[j] -= quotient * row[j];
            row[depth] = quotient; /* L(k, i); rows of higher ancestors need only lower j */
        }
    }
    *(real *)singular = bad;
}

static void solve(const td_pattern *pattern, const void *factored, void *vector)
{
    const real *L = factored;
    real *x = vector;
    for (size_t k = pattern->size; k-- > 0;) { /* Lᵀ x = b */
        const real *entry = L + pattern->row[k] + pattern->depth[k];
        for (int j = pattern->parent[k]; j >= 0; j = pattern->parent[j])
            x[j] -= *--entry * x[k];
    }
    for (size_t k = 0; k < pattern->size; k++) { /* D, and L x = b */
        const real *entry = L + pattern->row[k] + pattern->depth[k];
        real sum = x[k] / *entry;
        for (int j = pattern->parent[k]; j >= 0; j = pattern->parent[j])
            sum -= *--entry * x[j];
        x[k] = sum;
    }
}

static void invert(const td_pattern *pattern, const void *factored, void *inverse)
{
    real *row = inverse;
    clear(row, pattern->size * pattern->size);
    for (size_t k = 0; k < pattern->size; k++, row += pattern->size) {
        row[k] = splat(1);
        solve(pattern, factored, row); /* the inverse is symmetric: columns are rows */
    }
}

static void multiply(const td_pattern *pattern, const void *A, const void *x, void *out)
{
    const real *a = A, *in = x;
    real *result = out;
    for (size_t k = 0; k < pattern->size; k++) {
        const real *entry = a + pattern->row[k] + pattern->depth[k];
        real sum = *entry * in[k];
        for (int j = pattern->parent[k]; j >= 0; j = pattern->parent[j]) {
            --entry;
            sum += *entry * in[j];
            result[j] += *entry * in[k];
        }
        result[k] = sum;
    }
}

static void exclude(const td_pattern *pattern, const unsigned char *given, void *A)
{
    real *a = A;
    for (size_t k = 0; k < pattern->size; k++) {
        real *entry = a + pattern->row[k] + pattern->depth[k];
        if (given[k])
            *entry = splat(1);
        for (int j = pattern->parent[k]; j >= 0; j = pattern->parent[j]) {
            --entry;
            if (given[k] || given[j])
                *entry = splat(0);
        }
    }
}
