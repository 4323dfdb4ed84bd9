/* SPDX-License-Identifier: MIT */
/*
 * Kernels of kernel/algebra/: transfer between doubles and lanes, factorizations, constraints. Part
 * of the list in kernel/table.h, which explains the format.
 */
#ifndef KERNEL /* if the file is parsed by itself */
#define KERNEL(result, name, parameters)
#define OPTIONAL_KERNEL KERNEL
#endif

// clang-format off
/* ---- kernel/algebra/transfer.c: between rows of doubles, one per state, and reals ---- */
/* Loads states: dst[i] lane l = src[l * columns + i]. Lanes beyond `rows` repeat the last row.
   Returns a mask with a bit for each of the first rows lanes that is set if all its numbers are
   finite. */
KERNEL(int, load, (td_reals *dst, const double *src, size_t columns, size_t rows))
/* Stores the first rows lanes of src to dst, whose rows are `columns` doubles apart. Returns the
   mask of load. */
KERNEL(int, store, (double *dst, const td_reals *src, size_t columns, size_t rows))
/* Stores a symmetric matrix with this pattern, as size × size doubles for each of the first rows
   lanes. finite (NULL if not wanted) receives the mask of load. */
KERNEL(void, store_symmetric, (double *dst, const td_reals *src, const td_pattern *pattern,
       size_t rows, int *finite))
/* Expands a symmetric matrix with this pattern to size × size reals. */
KERNEL(void, symmetric, (const td_pattern *pattern, const td_reals *src, td_reals *dst))
/* Returns the mask of load for count reals. */
KERNEL(int, lanes_finite, (const td_reals *src, size_t count, size_t rows))
/* For a single state: returns 1 if all numbers of the arrays are finite, else 0. Skips in[k] =
   NULL. */
KERNEL(int, all_finite, (size_t arrays, const void *const *in, const size_t *counts))
/* Returns a mask with a bit for each of the first rows lanes. It is set if all quaternions, which
   begin at src[at[k]], have unit length within 1e-6. NaN counts as unit length. */
KERNEL(int, unit, (const td_reals *src, const int *at, size_t count, size_t rows))
KERNEL(void, copy, (td_reals *dst, const td_reals *src, size_t count))
KERNEL(void, clear, (td_reals *dst, size_t count))
/* a += b and a −= b, element by element */
KERNEL(void, add_to, (td_reals *a, const td_reals *b, size_t count))
KERNEL(void, subtract_from, (td_reals *a, const td_reals *b, size_t count))
/* a = −a */
KERNEL(void, negate, (td_reals *a, size_t count))
/* out = A x + b; b may be NULL */
KERNEL(void, affine, (const td_csr *A, const double *b, const td_reals *x, td_reals *out))
/* dst[i] = src[index[i]] */
KERNEL(void, gather, (td_reals *dst, const td_reals *src, const int *index, size_t count))
/* dst[index[i]] −= src[i] */
KERNEL(void, subtract_at, (td_reals *dst, const td_reals *src, const int *index, size_t count))
/* dst[i] = splat(src[i]) */
KERNEL(void, spread, (td_reals *dst, const double *src, size_t count))
/* out = G x and out = Gᵀ x; values are the nonzeros of G */
KERNEL(void, rates, (const td_csr *G, const td_reals *values, const td_reals *x, td_reals *out))
KERNEL(void, transposed, (const td_csr *G, const td_reals *values, const td_reals *x,
       td_reals *out))
/* target = 0, then adds the terms of the scatter list */
KERNEL(void, scatter, (const td_scatter *scatter, const td_reals *values, const td_reals *source,
       td_reals *target, size_t count))
/* target = Gᵀ H G; H and the result have the given patterns */
KERNEL(void, reduce, (const td_pattern *tree, const td_csr *G, const td_reals *values,
       const td_reals *H, const td_pattern *pattern, td_reals *target))
/* out = A G; A has rows rows, row-major */
KERNEL(void, times_sparse, (const td_reals *A, size_t rows, const td_csr *G, const td_reals *values,
       td_reals *out))
/* out += A G */
KERNEL(void, add_times_sparse, (const td_reals *A, size_t rows, const td_csr *G,
       const td_reals *values, td_reals *out))
/* out += Gᵀ A B, A square and dense, B with the pattern of G */
KERNEL(void, congruence, (const td_reals *A, const td_csr *G, const td_reals *values,
       const td_reals *B, td_reals *out))
/* Expands a sparse matrix to rows × columns reals. */
KERNEL(void, dense, (const td_csr *G, const td_reals *values, td_reals *out))
/* Expands the first lanes of a sparse matrix to rows × columns doubles each (values NULL: zeros).
   Returns the mask of load. */
KERNEL(int, store_sparse, (const td_csr *G, const td_reals *values, double *dst, size_t rows))
/* Copy a column of a row-major matrix to a vector and back. */
KERNEL(void, take_column, (const td_reals *A, size_t rows, size_t columns, size_t column,
       td_reals *out))
KERNEL(void, put_column, (const td_reals *x, size_t rows, size_t columns, size_t column,
       td_reals *A))
/* out[i] = mask[i] ? yes[i] : no[i] */
KERNEL(void, choose, (const unsigned char *mask, const td_reals *yes, const td_reals *no,
       td_reals *out, size_t count))

/* ---- kernel/algebra/ltdl.c ---- */
/* Factors A = Lᵀ D L in place. singular: the first coordinate with a vanishing pivot, −1 for
   none. */
KERNEL(void, factor, (const td_pattern *pattern, td_reals *A, td_reals *singular))
/* Checks whether the pivots of the given coordinates, in descending order, have correct digits.
   Stores the first one that does not in singular of the scratch. */
KERNEL(void, examine, (const td_pattern *pattern, const td_scratch *s, const td_reals *factored,
       const int *coordinate, size_t count, double bound))
/* x = A⁻¹ x, with A factored */
KERNEL(void, solve, (const td_pattern *pattern, const td_reals *factored, td_reals *x))
/* out = A x, with A not factored */
KERNEL(void, multiply, (const td_pattern *pattern, const td_reals *A, const td_reals *x,
       td_reals *out))
/* Replaces the rows and columns of given coordinates by rows and columns of the identity. */
KERNEL(void, exclude, (const td_pattern *pattern, const unsigned char *given, td_reals *A))

/* ---- kernel/algebra/solve_many.c ---- */
/* X = A⁻¹ X with A factored and many right-hand sides; X is size × columns, row-major. For a single
   state columns are processed in SIMD vectors. With lanes, each state has its own A and X. */
KERNEL(void, solve_many, (const td_pattern *pattern, const td_scratch *s,
       const td_reals *factored, size_t columns, td_reals *X))
/* A⁻¹ as size × size reals, with A factored */
KERNEL(void, invert, (const td_pattern *pattern, const td_scratch *s, const td_reals *factored,
       td_reals *inverse))
/* The inverse of each of the first rows lanes, as size × size doubles. Returns the mask of load. */
KERNEL(int, invert_rows, (const td_pattern *pattern, const td_scratch *s,
       const td_reals *factored, double *dst, size_t rows))

/* ---- kernel/algebra/constraints.c ---- */
/* Computes φ and dense K of the linear couplings. */
KERNEL(void, linear_constraints, (const td_closure_map *closure, size_t nv, const td_scratch *s,
       const td_reals *q))
/* Replaces K̇ q̇ in drift by k = − K̇ q̇ − 2 α K q̇ − β² φ (Baumgarte). Needs K and phi. */
KERNEL(void, stabilize, (size_t rows, size_t nv, const td_scratch *s, const td_reals *qd,
       double alpha, double beta))
/* Replaces the unconstrained qdd by qdd with K qdd = k (NULL: 0). Also computes the multipliers
   lambda (NULL: not wanted). Needs K, which has `rows` rows, and the factors of H in mass. A row
   has a zero multiplier if it depends on earlier rows, or if its norm is at most its rounding. */
KERNEL(void, constrain, (const td_pattern *pattern, const td_scratch *s, size_t rows,
       const double *rounding, const td_reals *k, td_reals *qdd, td_reals *lambda))
// clang-format on
