/* SPDX-License-Identifier: MIT */
/*
 * Constraints K q̈ = 0 added to accelerations that know nothing of them (equation 5 of Kumar et al.
 * 2017): with the factors of H, Z = K H⁻¹ row by row and the Schur complement K Zᵀ, λ = −(K Zᵀ)⁻¹ K
 * q̈ and q̈ += Zᵀ λ.
 */

/* row of K times x */
TD_INLINE real constraint_dot(const td_csr *K, int row, const real *x)
{
    real sum = splat(0);
    for (int k = K->row[row]; k < K->row[row + 1]; k++)
        sum += K->value[k] * x[K->column[k]];
    return sum;
}

/* Z: constraints × nv; S: constraints² + constraints; lambda may be NULL */
static void constrain(const td_pattern *pattern, const void *factored, const td_csr *K, void *Z,
                      void *S, void *accelerations, void *lambda)
{
    size_t n = (size_t)K->rows, nv = pattern->size;
    real *z = Z, *schur = S, *x = schur + n * n, *qdd = accelerations;
    clear(z, n * nv);
    for (size_t i = 0; i < n; i++) {
        for (int k = K->row[i]; k < K->row[i + 1]; k++)
            z[i * nv + (size_t)K->column[k]] = splat(K->value[k]);
        solve(pattern, factored, z + i * nv);
        for (size_t j = 0; j <= i; j++)
            schur[i * n + j] = constraint_dot(K, (int)j, z + i * nv);
        x[i] = -constraint_dot(K, (int)i, qdd);
    }
    dense_factor(n, schur, NULL, NULL, NULL);
    dense_solve(n, schur, x);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < nv; k++)
            qdd[k] += z[i * nv + k] * x[i];
    if (lambda)
        copy(lambda, x, n);
}
