/* SPDX-License-Identifier: MIT */
/*
 * Constraints K q̈ = k added to accelerations that know nothing of them (equation 5 of Kumar et al.
 * 2017): with the factors of H, Z = K H⁻¹ row by row and the Schur complement S = K Zᵀ,
 * λ = S⁻¹ (k − K q̈) and q̈ += Zᵀ λ. Rows that follow from earlier ones leave no pivot in S; their
 * multiplier is zero, and the others carry what is to be carried.
 */

/* a pivot below this part of its diagonal is that of a redundant row; so is a row whose square is
   below that part of the largest one's: rounding, as in what planar loops hold out of their plane
 */
#define SMALLEST_CONSTRAINT 1e-11
#define SMALLEST_ROW 1e-22

TD_INLINE real dense_dot(size_t n, const real *a, const real *b)
{
    real sum = splat(0);
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* L D Lᵀ of a positive semidefinite matrix in place (lower triangle), pivots inverted; those that
   do not exceed their bounds count as infinite */
static void semidefinite_factor(size_t n, real *D, const real *bounds)
{
    for (size_t k = 0; k < n; k++) {
        real pivot = D[k * n + k], bound = bounds[k];
        real inverse =
            select_lt(bound, pivot, 1.0 / select_lt(bound, pivot, pivot, splat(1)), splat(0));
        for (size_t i = k + 1; i < n; i++) {
            real quotient = D[i * n + k] * inverse;
            for (size_t j = i; j < n; j++)
                D[j * n + i] -= quotient * D[j * n + k];
        }
        for (size_t i = k + 1; i < n; i++)
            D[i * n + k] *= inverse;
        D[k * n + k] = inverse;
    }
}

static void constrain(const td_pattern *pattern, const void *factored, size_t n, const void *K,
                      const void *k, void *Z, void *S, void *accelerations, void *lambda)
{
    size_t nv = pattern->size;
    const real *row = K, *wanted = k;
    real *z = Z, *schur = S, *x = schur + n * n, *qdd = accelerations;
    copy(z, K, n * nv);
    for (size_t i = 0; i < n; i++) {
        solve(pattern, factored, z + i * nv);
        for (size_t j = 0; j <= i; j++)
            schur[i * n + j] = dense_dot(nv, row + j * nv, z + i * nv);
    }
    real largest = splat(0);
    for (size_t i = 0; i < n; i++) {
        real square = dense_dot(nv, row + i * nv, row + i * nv);
        largest = select_lt(largest, square, square, largest);
    }
    for (size_t i = 0; i < n; i++) {
        real square = dense_dot(nv, row + i * nv, row + i * nv), own = schur[i * n + i];
        x[i] = select_lt(SMALLEST_ROW * largest, square, SMALLEST_CONSTRAINT * own, 2.0 * own);
    }
    semidefinite_factor(n, schur, x);
    for (size_t i = 0; i < n; i++) {
        x[i] = -dense_dot(nv, row + i * nv, qdd);
        if (k)
            x[i] += wanted[i];
    }
    dense_solve(n, schur, x);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < nv; j++)
            qdd[j] += z[i * nv + j] * x[i];
    if (lambda)
        copy(lambda, x, n);
}

/* rows of the linear closure: φ and dense K. position[e] is the entry of q that goes with entry e
   of the pattern, offset what is subtracted per row. */
static void linear_constraints(const td_csr *A, const int *position, const double *offset,
                               size_t nv, const void *coordinates, void *residual, void *K)
{
    const real *q = coordinates;
    real *phi = residual, *row = K;
    clear(row, (size_t)A->rows * nv);
    for (int i = 0; i < A->rows; i++, row += nv) {
        phi[i] = splat(-offset[i]);
        for (int e = A->row[i]; e < A->row[i + 1]; e++) {
            phi[i] += A->value[e] * q[position[e]];
            row[A->column[e]] = splat(A->value[e]);
        }
    }
}

/* drift K̇ q̇ → k = − K̇ q̇ − 2 α K q̇ − β² φ (Baumgarte) */
static void stabilize(size_t rows, size_t nv, const void *K, const void *rates, const void *phi,
                      double alpha, double beta, void *drift)
{
    const real *row = K, *residual = phi;
    real *k = drift;
    for (size_t i = 0; i < rows; i++, row += nv)
        k[i] = -(k[i] + 2 * alpha * dense_dot(nv, row, rates) + beta * beta * residual[i]);
}
