/* SPDX-License-Identifier: MIT */
/*
 * Kernels of kernel/algebra/: numbers in and out of lanes, factors, constraints. A part of the
 * list in kernel/table.h, which says how it is read.
 */
#ifndef KERNEL /* the file is read alone */
#define KERNEL(result, name, parameters)
#define OPTIONAL_KERNEL KERNEL
#endif

// clang-format off
/* ---- kernel/algebra/transfer.c: between doubles, row per state, and reals ---- */
/* dst[i] lane l = src[l * columns + i]; lanes past rows repeat the last row. Returns a bit for each
   of the first rows lanes: whether all its numbers are finite. */
KERNEL(int, load, (td_reals *dst, const double *src, size_t columns, size_t rows))
/* src to the first rows lanes, whose rows of dst are columns apart. Returns the bits that load
   returns. */
KERNEL(int, store, (double *dst, const td_reals *src, size_t columns, size_t rows))
/* A symmetric matrix of that pattern, to size × size doubles for each of the first rows lanes.
   finite (NULL: not asked) gets the bits that
   load returns. */
KERNEL(void, store_symmetric, (double *dst, const td_reals *src, const td_pattern *pattern,
       size_t rows, int *finite))
/* A symmetric matrix of that pattern to size × size reals. */
KERNEL(void, symmetric, (const td_pattern *pattern, const td_reals *src, td_reals *dst))
/* The bits that load returns, of count reals. */
KERNEL(int, lanes_finite, (const td_reals *src, size_t count, size_t rows))
/* Of one state: 1 if all numbers of some arrays are finite (in[k] NULL: no numbers), else 0. */
KERNEL(int, all_finite, (size_t arrays, const void *const *in, const size_t *counts))
/* Returns a bit for each of the first rows lanes: whether the quaternions that begin at at[k] of
   src have unit length, to 1e-6. NaN passes. */
KERNEL(int, unit, (const td_reals *src, const int *at, size_t count, size_t rows))
KERNEL(void, copy, (td_reals *dst, const td_reals *src, size_t count))
KERNEL(void, clear, (td_reals *dst, size_t count))
/* a += b; a −= b; entry by entry */
KERNEL(void, add_to, (td_reals *a, const td_reals *b, size_t count))
KERNEL(void, subtract_from, (td_reals *a, const td_reals *b, size_t count))
/* a = −a */
KERNEL(void, negate, (td_reals *a, size_t count))
/* out = A x + b (b NULL: none) */
KERNEL(void, affine, (const td_csr *A, const double *b, const td_reals *x, td_reals *out))
/* dst[i] = src[index[i]] */
KERNEL(void, gather, (td_reals *dst, const td_reals *src, const int *index, size_t count))
/* dst[index[i]] −= src[i] */
KERNEL(void, subtract_at, (td_reals *dst, const td_reals *src, const int *index, size_t count))
/* dst[i] = splat(src[i]) */
KERNEL(void, spread, (td_reals *dst, const double *src, size_t count))
/* out = G x, out = Gᵀ x, with the values of G beside its pattern */
KERNEL(void, rates, (const td_csr *G, const td_reals *values, const td_reals *x, td_reals *out))
KERNEL(void, transposed, (const td_csr *G, const td_reals *values, const td_reals *x,
       td_reals *out))
/* target = 0, then what the scatter adds */
KERNEL(void, scatter, (const td_scatter *scatter, const td_reals *values, const td_reals *source,
       td_reals *target, size_t count))
/* target = Gᵀ H G, with the patterns of H and of the result */
KERNEL(void, reduce, (const td_pattern *tree, const td_csr *G, const td_reals *values,
       const td_reals *H, const td_pattern *pattern, td_reals *target))
/* out = A G; A has rows rows, row-major */
KERNEL(void, times_sparse, (const td_reals *A, size_t rows, const td_csr *G, const td_reals *values,
       td_reals *out))
/* out += the same */
KERNEL(void, add_times_sparse, (const td_reals *A, size_t rows, const td_csr *G,
       const td_reals *values, td_reals *out))
/* out += Gᵀ A B, A square and dense, B with the pattern of G */
KERNEL(void, congruence, (const td_reals *A, const td_csr *G, const td_reals *values,
       const td_reals *B, td_reals *out))
/* the values of a sparse matrix, to rows × columns reals */
KERNEL(void, dense, (const td_csr *G, const td_reals *values, td_reals *out))
/* the same of each of the first lanes, to rows × columns doubles (values NULL: zeros).
   Returns the bits that load returns. */
KERNEL(int, store_sparse, (const td_csr *G, const td_reals *values, double *dst, size_t rows))
/* a column of a row-major matrix, from it and to it */
KERNEL(void, take_column, (const td_reals *A, size_t rows, size_t columns, size_t column,
       td_reals *out))
KERNEL(void, put_column, (const td_reals *x, size_t rows, size_t columns, size_t column,
       td_reals *A))
/* out[i] = mask[i] ? yes[i] : no[i] */
KERNEL(void, choose, (const unsigned char *mask, const td_reals *yes, const td_reals *no,
       td_reals *out, size_t count))

/* ---- kernel/algebra/ltdl.c ---- */
/* A = Lᵀ D L in place; singular: the first coordinate with a vanishing pivot, −1 for none */
KERNEL(void, factor, (const td_pattern *pattern, td_reals *A, td_reals *singular))
/* Whether the pivots of given coordinates, the last ones first, have digits: into singular of the
   scratch. */
KERNEL(void, examine, (const td_pattern *pattern, const td_scratch *s, const td_reals *factored,
       const int *coordinate, size_t count, double bound))
/* x = A⁻¹ x, from the factors */
KERNEL(void, solve, (const td_pattern *pattern, const td_reals *factored, td_reals *x))
/* out = A x, before factoring */
KERNEL(void, multiply, (const td_pattern *pattern, const td_reals *A, const td_reals *x,
       td_reals *out))
/* rows and columns of given coordinates become those of the identity */
KERNEL(void, exclude, (const td_pattern *pattern, const unsigned char *given, td_reals *A))

/* ---- kernel/algebra/solve_many.c ---- */
/* X = A⁻¹ X, size × columns, row-major, from the factors: for many right-hand sides. Of one state
   columns are taken in vectors; in lanes each state has its own matrix and right-hand sides. */
KERNEL(void, solve_many, (const td_pattern *pattern, const td_scratch *s,
       const td_reals *factored, size_t columns, td_reals *X))
/* A⁻¹, size × size, from the factors */
KERNEL(void, invert, (const td_pattern *pattern, const td_scratch *s, const td_reals *factored,
       td_reals *inverse))
/* The same of each of the first lanes, to size × size doubles. Returns the bits that
   load returns. */
KERNEL(int, invert_rows, (const td_pattern *pattern, const td_scratch *s,
       const td_reals *factored, double *dst, size_t rows))

/* ---- kernel/algebra/constraints.c ---- */
/* phi and K, dense, of what is linear */
KERNEL(void, linear_constraints, (const td_closure_map *closure, size_t nv, const td_scratch *s,
       const td_reals *q))
/* K, phi and drift, K̇ q̇ → drift: k = − K̇ q̇ − 2 α K q̇ − β² φ (Baumgarte) */
KERNEL(void, stabilize, (size_t rows, size_t nv, const td_scratch *s, const td_reals *qd,
       double alpha, double beta))
/* K, factors of H in mass, qdd without constraints → qdd with K qdd = k (NULL: 0), and the multipliers
   lambda (NULL: not wanted). K has rows rows. Rows that follow from earlier ones, or are no longer
   than their rounding, get no multiplier. */
KERNEL(void, constrain, (const td_pattern *pattern, const td_scratch *s, size_t rows,
       const double *rounding, const td_reals *k, td_reals *qdd, td_reals *lambda))
// clang-format on
