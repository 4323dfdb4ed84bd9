/* SPDX-License-Identifier: MIT */
/*
 * Solves X = A⁻¹ B for many right-hand sides, the columns of B, with the factors A = Lᵀ D L of a
 * symmetric matrix with the sparsity of a tree (ltdl.c). A panel of columns stays in the L1 cache.
 * Each pass keeps several of its rows in registers and loads an ancestor's row once for all of
 * them. With a single state, columns are processed in SIMD vectors of the instruction set's full
 * width.
 */
#include "kernel/algebra/ltdl.h"
#include "kernel/real/arrays.h"
#include "kernel/scratch.h"

/* ---- several columns of a row ---------------------------------------------------------------- */

#if defined(TD_REAL_DOUBLE) && defined(__AVX512F__)
enum { SIDES = 8 };
typedef double sides __attribute__((vector_size(8 * SIDES)));
#elif defined(TD_REAL_DOUBLE)
enum { SIDES = TD_WIDE };
typedef td_wide sides;
#else
enum { SIDES = 1 };
typedef real sides;
#endif

/* Number of rows that are solved together, each the parent of the next. A panel has PANEL vectors
   of SIDES columns, as many as fit in registers. */
enum { BLOCK_ROWS = 4 };
#if defined(__AVX512F__)
enum { PANEL = 4 };
#else
enum { PANEL = 3 };
#endif

TD_INLINE sides sides_load(const real *x)
{
    sides a;
    memcpy(&a, x, sizeof a);
    return a;
}
TD_INLINE void sides_store(real *x, sides a)
{
    memcpy(x, &a, sizeof a);
}

/* ---- panels ---------------------------------------------------------------------------------- */

/* Lᵀ x = b for rows k and following, whose descendants are finished: subtracts their contribution
   from all ancestors, x_j −= Σ_r L(r, j) x_r. */
TD_INLINE void panel_upwards(const td_pattern *pattern, const real *L, real *x, size_t apart, int k,
                             int rows, int width)
{
    sides own[BLOCK_ROWS][PANEL];
    const real *row[BLOCK_ROWS];
    const int depth = pattern->depth[k];
    for (int r = 0; r < rows; r++) {
        row[r] = L + pattern->row[k + r];
        for (int v = 0; v < width; v++)
            own[r][v] = sides_load(x + (size_t)(k + r) * apart + v * SIDES);
    }
    for (int r = rows - 1; r > 0; r--)
        for (int i = 0; i < r; i++)
            for (int v = 0; v < width; v++)
                own[i][v] -= row[r][depth + i] * own[r][v];
    for (int r = 0; r < rows - 1; r++)
        for (int v = 0; v < width; v++)
            sides_store(x + (size_t)(k + r) * apart + v * SIDES, own[r][v]);
    for (int last = pattern->parent[k], first; last >= 0; last = pattern->parent[first]) {
        first = pattern->first_consecutive[last];
        real *at = x + (size_t)first * apart;
        const int begin = pattern->depth[first], end = pattern->depth[last];
        for (int j = begin; j <= end; j++, at += apart)
            for (int v = 0; v < width; v++) {
                sides sum = sides_load(at + v * SIDES);
                for (int r = 0; r < rows; r++)
                    sum -= row[r][j] * own[r][v];
                sides_store(at + v * SIDES, sum);
            }
    }
}

/* D and L x = b for rows k and following, whose ancestors are finished: x_r = b_r / D_r − Σ_j L(r,
   j) x_j. */
TD_INLINE void panel_downwards(const td_pattern *pattern, const real *L, real *x, size_t apart,
                               int k, int rows, int width)
{
    sides own[BLOCK_ROWS][PANEL];
    const real *row[BLOCK_ROWS];
    const int depth = pattern->depth[k];
    for (int r = 0; r < rows; r++) {
        row[r] = L + pattern->row[k + r];
        const real inverse = 1.0 / row[r][depth + r];
        for (int v = 0; v < width; v++)
            own[r][v] = inverse * sides_load(x + (size_t)(k + r) * apart + v * SIDES);
    }
    for (int last = pattern->parent[k], first; last >= 0; last = pattern->parent[first]) {
        first = pattern->first_consecutive[last];
        const real *at = x + (size_t)first * apart;
        const int begin = pattern->depth[first], end = pattern->depth[last];
        for (int j = begin; j <= end; j++, at += apart)
            for (int v = 0; v < width; v++) {
                const sides above = sides_load(at + v * SIDES);
                for (int r = 0; r < rows; r++)
                    own[r][v] -= row[r][j] * above;
            }
    }
    for (int r = 0; r < rows; r++) {
        for (int i = 0; i < r; i++)
            for (int v = 0; v < width; v++)
                own[r][v] -= row[r][depth + i] * own[i][v];
        for (int v = 0; v < width; v++)
            sides_store(x + (size_t)(k + r) * apart + v * SIDES, own[r][v]);
    }
}

/* Returns whether rows k to k + rows − 1 exist and each is the parent of the next. */
TD_INLINE bool are_consecutive(const td_pattern *pattern, int k, int rows)
{
    const int last = k + rows - 1;
    return k >= 0 && last < (int)pattern->size && pattern->first_consecutive[last] <= k;
}

TD_INLINE void solve_panel_of(const td_pattern *pattern, const real *L, real *x, size_t apart,
                              int width)
{
    for (int k = (int)pattern->size; k > 0;)
        if (are_consecutive(pattern, k - BLOCK_ROWS, BLOCK_ROWS))
            panel_upwards(pattern, L, x, apart, k -= BLOCK_ROWS, BLOCK_ROWS, width);
        else if (are_consecutive(pattern, k - 2, 2))
            panel_upwards(pattern, L, x, apart, k -= 2, 2, width);
        else
            panel_upwards(pattern, L, x, apart, k -= 1, 1, width);
    for (int k = 0; k < (int)pattern->size;)
        if (are_consecutive(pattern, k, BLOCK_ROWS)) {
            panel_downwards(pattern, L, x, apart, k, BLOCK_ROWS, width);
            k += BLOCK_ROWS;
        } else if (are_consecutive(pattern, k, 2)) {
            panel_downwards(pattern, L, x, apart, k, 2, width);
            k += 2;
        } else {
            panel_downwards(pattern, L, x, apart, k, 1, width);
            k++;
        }
}

/* Dispatches to a version of solve_panel_of compiled for a constant width. */
static __attribute__((noinline)) void solve_panel(const td_pattern *pattern, const real *L, real *x,
                                                  size_t apart, int width)
{
    if (width == 1)
        solve_panel_of(pattern, L, x, apart, 1);
    else if (width == 2)
        solve_panel_of(pattern, L, x, apart, 2);
    else if (width == 3 || PANEL == 3)
        solve_panel_of(pattern, L, x, apart, 3);
    else
        solve_panel_of(pattern, L, x, apart, PANEL);
}

/* ---- all columns ----------------------------------------------------------------------------- */

/* Allocates a panel for columns that do not fill vectors. */
static real *sides_take(td_stack *stack, size_t n)
{
    return td_take(stack, real, SIDES > 1 ? n * PANEL * SIDES : 0);
}

static void sides_measure(const td_scratch_sizes *sizes, td_stack *stack)
{
    if (sizes->matrices)
        sides_take(stack, sizes->tree->nv);
}

/* Copies n rows of count numbers and pads each with zeros to `wide` numbers. */
static void sides_spread(const real *x, size_t apart, size_t n, size_t count, size_t wide,
                         real *room)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < wide; j++)
            room[i * wide + j] = j < count ? x[i * apart + j] : splat(0);
}

/* Solves a panel whose count columns do not fill its vectors. */
static void solve_rest(const td_pattern *pattern, const td_scratch *s, const real *L, real *x,
                       size_t apart, size_t count, int width)
{
    td_scope(s->stack, sides);
    const size_t n = pattern->size, wide = (size_t)width * SIDES;
    real *padded = sides_take(s->stack, n);
    sides_spread(x, apart, n, count, wide, padded);
    solve_panel(pattern, L, padded, wide, width);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < count; j++)
            x[i * apart + j] = padded[i * wide + j];
}

/* Solves count columns in panels of similar width. Rows of x are `apart` reals apart. */
static void solve_panels(const td_pattern *pattern, const td_scratch *s, const td_reals *factored,
                         real *x, size_t apart, size_t count)
{
    size_t vectors = (count + SIDES - 1) / SIDES, panels = (vectors + PANEL - 1) / PANEL;
    for (size_t done = 0; panels > 0; panels--) {
        const size_t width = (vectors + panels - 1) / panels, end = done + width * SIDES;
        if (end <= count)
            solve_panel(pattern, factored, x + done, apart, (int)width);
        else
            solve_rest(pattern, s, factored, x + done, apart, count - done, (int)width);
        vectors -= width;
        done = end;
    }
}

static void solve_many(const td_pattern *pattern, const td_scratch *s, const td_reals *factored,
                       size_t columns, td_reals *X)
{
    solve_panels(pattern, s, factored, X, columns, columns);
}

/* Number of columns of the inverse computed before they are written: all columns of a small matrix,
   else three or four panels. Their rows then spread over all sets of the cache. */
enum { SMALL_INVERSE = 32, INVERSE_COLUMNS = 12 };

static real *inverse_take(td_stack *stack, size_t n)
{
    return td_take(stack, real, n * SMALL_INVERSE);
}

static void inverse_measure(const td_scratch_sizes *sizes, td_stack *stack)
{
    if (!sizes->matrices)
        return;
    inverse_take(stack, sizes->tree->nv);
    sides_measure(sizes, stack);
}

static int invert_rows(const td_pattern *pattern, const td_scratch *s, const td_reals *factored,
                       double *dst, size_t rows)
{
    td_scope(s->stack, inverse);
    const size_t n = pattern->size, apart = n <= SMALL_INVERSE ? n : INVERSE_COLUMNS;
    real *x = inverse_take(s->stack, n), sum = splat(0);
    for (size_t first = 0, count; first < n; first += count) {
        count = n - first < apart ? n - first : apart;
        clear(x, n * apart);
        for (size_t k = 0; k < count; k++)
            x[(first + k) * apart + k] = splat(1);
        solve_panels(pattern, s, factored, x, apart, count);
        if (count == n) {
            sum += store_reals(dst, n * n, x, n * n, rows);
            continue;
        }
        for (size_t i = 0; i < n; i++)
            sum += store_reals(dst + i * n + first, n * n, x + i * apart, count, rows);
    }
    int mask = vanishing(sum, rows); /* as in store */
    for (size_t lane = 0; lane < rows; lane++)
        if (!(mask >> lane & 1) && row_finite(dst + lane * n * n, n * n))
            mask |= 1 << lane;
    return mask;
}

static void invert(const td_pattern *pattern, const td_scratch *s, const td_reals *factored,
                   td_reals *inverse)
{
    real *X = inverse;
    clear(X, pattern->size * pattern->size);
    for (size_t i = 0; i < pattern->size; i++)
        X[i * (pattern->size + 1)] = splat(1);
    solve_many(pattern, s, factored, pattern->size, X);
}
