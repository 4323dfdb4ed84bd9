/* SPDX-License-Identifier: MIT */
/*
 * Computes the mass matrix and stores it directly to rows of doubles. An entry is the product of a
 * force and a column of six numbers each (see kernel/tree/mass_rows.h). So the rows of a chain in
 * the columns of another chain are a matrix product. It is computed in squares as wide as a SIMD
 * vector, one state at a time, so that its operands fit in the first-level cache. The transposed
 * square is stored in the other triangle. For lanes, only these operands are transposed, not every
 * entry.
 *
 * The alternative is to pack the matrix and expand it in matrix.c. This writes it twice and reads
 * it once, and for many joints it is limited by the second-level cache.
 *
 * A batch larger than all caches is streamed to memory from one matrix that stays in the cache.
 * Ordinary stores would read each line of memory several times, because transposed squares fill it
 * in pieces.
 */
#include "kernel/real/arrays.h"
#include "kernel/tree/mass_rows.h"

#if TD_WIDE > 2 && (defined(TD_REAL_DOUBLE) || defined(TD_REAL_LANES))
#define TD_DENSE_MASS

/* The row_parts of one state, in doubles. */
enum { PACKED3 = sizeof(packed3) / sizeof(real) };
typedef struct dense_parts {
    double *column; /* wx, wy, wz, vx, vy, vz: arrays with the stride apart */
    size_t apart;
    double *diagonal;
    double *force, *to_outer; /* packed vectors */
} dense_parts;

/* A matrix in progress, and a sum that is finite only if all its numbers are finite. */
typedef struct dense_matrix {
    double *H;
    size_t n;
    td_wide sum;
} dense_matrix;

typedef struct dense_columns {
    td_wide wx, wy, wz, vx, vy, vz;
} dense_columns;

/* Loads columns from the j-th on, about a point at r from their origin. */
TD_INLINE dense_columns dense_columns_at(const dense_parts *p, size_t j, const double r[3])
{
    const double *at = p->column + j;
    const size_t apart = p->apart;
    dense_columns c = {wide_load(at),
                       wide_load(at + apart),
                       wide_load(at + 2 * apart),
                       wide_load(at + 3 * apart),
                       wide_load(at + 4 * apart),
                       wide_load(at + 5 * apart)};
    c.vx = c.vx + c.wy * r[2] - c.wz * r[1];
    c.vy = c.vy + c.wz * r[0] - c.wx * r[2];
    c.vz = c.vz + c.wx * r[1] - c.wy * r[0];
    return c;
}

/* Computes row i in these columns. */
TD_INLINE td_wide dense_entries(const dense_parts *p, size_t i, const dense_columns *c)
{
    const double *n = p->force + 2 * PACKED3 * i, *f = n + PACKED3;
    return (c->wx * n[0] + c->wy * n[1] + c->wz * n[2]) +
           (c->vx * f[0] + c->vy * f[1] + c->vz * f[2]);
}

/*
 * Stores a line of a square. If the chain has at least TD_WIDE rows, and the block at least TD_WIDE
 * columns, the line is a whole vector. In this case, the remainder of the division into whole
 * squares comes first, and its lines extend into entries that are written later. The surplus
 * numbers need not be entries of H, but they enter the sum. In other blocks, lines are stored
 * exactly.
 */
TD_INLINE void put_line(dense_matrix *out, size_t i, size_t j, td_wide line, size_t count,
                        bool exactly)
{
    double *at = out->H + i * out->n + j;
    if (exactly)
        wide_store_some(at, line, count);
    else
        wide_store(at, line);
}

/* rows from i on, and columns from j on */
typedef struct dense_block {
    size_t i, rows, j, columns;
    bool exactly;
} dense_block;

TD_INLINE void put_square(dense_matrix *out, const dense_parts *p, dense_block b,
                          const dense_columns *c)
{
    const td_wide zero = {0};
    td_wide square[TD_WIDE], sum = zero;
    for (size_t k = 0; k < TD_WIDE; k++) {
        square[k] = dense_entries(p, b.i + k, c);
        if (k < b.rows)
            put_line(out, b.i + k, b.j, square[k], b.columns, b.exactly);
        sum += b.exactly && k >= b.rows ? zero : square[k];
    }
    out->sum += b.exactly ? wide_head(sum, zero, b.columns) : sum;
    wide_transpose_all(square);
    for (size_t k = 0; k < TD_WIDE && k < b.columns; k++)
        put_line(out, b.j + k, b.i, square[k], b.rows, b.exactly);
}

/* Stores one row exactly. */
TD_INLINE void put_row(dense_matrix *out, const dense_parts *p, size_t i, size_t j, size_t columns,
                       const dense_columns *c)
{
    const td_wide line = dense_entries(p, i, c), zero = {0};
    wide_store_some(out->H + i * out->n + j, line, columns);
    for (size_t k = 0; k < TD_WIDE; k++)
        if (k < columns)
            out->H[(j + k) * out->n + i] = line[k];
    out->sum += wide_head(line, zero, columns);
}

/* Stores a square on the diagonal. */
TD_INLINE void put_triangle(dense_matrix *out, const dense_parts *p, size_t i, size_t rows,
                            bool exactly)
{
    static const double here[3] = {0, 0, 0};
    const dense_columns c = dense_columns_at(p, i, here);
    const td_wide diagonal = wide_load(p->diagonal + i), zero = {0};
    td_wide below[TD_WIDE], above[TD_WIDE];
    for (size_t k = 0; k < TD_WIDE; k++)
        above[k] = below[k] = dense_entries(p, i + k, &c);
    wide_transpose_all(above);
    for (size_t k = 0; k < TD_WIDE && k < rows; k++) {
        const td_wide rest = wide_head(diagonal, above[k], k + 1);
        const td_wide line = wide_head(below[k], rest, k);
        put_line(out, i + k, i, line, rows, exactly);
        out->sum += exactly ? wide_head(line, zero, rows) : line;
    }
}

/* consecutive columns of the chain itself, or of a chain that carries it */
typedef struct dense_strip {
    size_t first, columns;
    bool own, exactly;
} dense_strip;

/* Stores the rows of a chain in these columns, whose first origin is at −r from the chain's own. */
TD_INLINE void put_columns(dense_matrix *out, const dense_parts *p, const td_chain *chain,
                           dense_strip run, const double r[3])
{
    const size_t top = (size_t)chain->qd, rows = (size_t)chain->rows;
    const bool exactly = run.exactly;
    for (size_t j = 0, width; j < run.columns; j += width) {
        width = (run.columns - j - 1) % TD_WIDE + 1;
        if (run.own)
            put_triangle(out, p, top + j, width, exactly);
        const dense_columns c = dense_columns_at(p, run.first + j, r);
        for (size_t i = run.own ? j + width : 0, high; i < rows; i += high) {
            high = (rows - i - 1) % TD_WIDE + 1;
            if (exactly && high <= 2)
                for (size_t k = 0; k < high; k++)
                    put_row(out, p, top + i + k, run.first + j, width, &c);
            else
                put_square(out, p, (dense_block){top + i, high, run.first + j, width, exactly}, &c);
        }
    }
}

/* Stores the rows of a chain. In each call the flag for exact lines is a constant, so that no line
   needs a branch. */
static void put_chain(dense_matrix *out, const td_tree *tree, const dense_parts *p,
                      const td_chain *chain)
{
    const size_t top = (size_t)chain->qd, rows = (size_t)chain->rows;
    double r[3] = {0, 0, 0};
    if (rows == 1)
        out->sum[0] += out->H[top * (out->n + 1)] = p->diagonal[top];
    else if (rows < TD_WIDE)
        put_columns(out, p, chain, (dense_strip){top, rows, true, true}, r);
    else
        put_columns(out, p, chain, (dense_strip){top, rows, true, false}, r);
    for (const td_chain *inner = chain; inner->outer >= 0; inner = &tree->chain[inner->outer]) {
        const td_chain *outer = &tree->chain[inner->outer];
        const size_t first = (size_t)outer->qd, columns = (size_t)(inner->end - outer->qd);
        for (size_t k = 0; k < 3; k++)
            r[k] += p->to_outer[PACKED3 * (size_t)(inner - tree->chain) + k];
        if (rows < TD_WIDE || columns < TD_WIDE)
            put_columns(out, p, chain, (dense_strip){first, columns, false, true}, r);
        else
            put_columns(out, p, chain, (dense_strip){first, columns, false, false}, r);
    }
}

/* Returns whether all numbers are finite. If their sum is not, tests each: the sum may have
   overflowed. */
TD_INLINE bool dense_finite(const dense_matrix *matrix)
{
    return wide_le(0.0 * matrix->sum, (td_wide){0}) == (1 << TD_WIDE) - 1 ||
           row_finite(matrix->H, matrix->n * matrix->n);
}

/* Allocates the operands of all states, one state after the other. */
static dense_parts dense_take(td_stack *stack, const td_tree *tree)
{
    dense_parts p = {.apart = td_whole_strips(tree->nv)};
    p.column = td_take(stack, double, TD_LANE_COUNT * 6 * p.apart);
    p.diagonal = td_take(stack, double, TD_LANE_COUNT *p.apart);
    p.force = td_take(stack, double, TD_LANE_COUNT * 2 * PACKED3 * p.apart);
    p.to_outer = td_take(stack, double, TD_LANE_COUNT *PACKED3 * tree->chains);
    return p;
}

/* Allocates the matrix from which results are streamed. */
static double *dense_take_matrix(td_stack *stack, const td_tree *tree)
{
    return td_take(stack, double, TD_LANE_COUNT > 1 ? tree->nv * tree->nv : 0);
}

static void dense_mass_measure(const td_scratch_sizes *sizes, td_stack *stack)
{
    if (sizes->matrices && TD_LANE_COUNT > 1 && sizes->tree->deep) {
        dense_take(stack, sizes->tree);
        dense_take_matrix(stack, sizes->tree);
    }
}

static int dense_mass(const td_tree *tree, const td_scratch *s, int with_rotors, int streamed,
                      double *dst, size_t rows)
{
    td_scope(s->stack, dense_mass);
    const size_t n = tree->nv;
    const row_parts parts = *s->row_parts;
    const real *force = (const real *)parts.force, *to_outer = (const real *)parts.to_outer;
    dense_parts p = {(double *)parts.wx, parts.apart, (double *)parts.diagonal,
                     (double *)parts.force, (double *)parts.to_outer};
    const size_t columns = 6 * p.apart, forces = 2 * PACKED3 * n, chains = PACKED3 * tree->chains;
    int finite = 0;
    find_parts(tree, s, &parts);
    for (size_t i = 0; with_rotors && i < n; i++)
        parts.diagonal[i] += splat(tree->passive[i].rotor);
    const bool streams = TD_LANE_COUNT > 1 && streamed;
    double *const matrix = streams ? dense_take_matrix(s->stack, tree) : dst;
    if (2 * tree->pattern.entries < n * (n + 1))
        wide_clear(matrix, (streams ? 1 : rows) * n * n);
    if (TD_LANE_COUNT > 1) {
        p = dense_take(s->stack, tree);
        store_reals(p.column, columns, parts.wx, columns, TD_LANE_COUNT);
        store_reals(p.diagonal, n, parts.diagonal, n, TD_LANE_COUNT);
        store_reals(p.force, forces, force, forces, TD_LANE_COUNT);
        store_reals(p.to_outer, chains, to_outer, chains, TD_LANE_COUNT);
    }
    for (size_t lane = 0; lane < rows; lane++) {
        const dense_parts own = {p.column + lane * columns, p.apart, p.diagonal + lane * n,
                                 p.force + lane * forces, p.to_outer + lane * chains};
        dense_matrix out = {matrix + (streams ? 0 : lane * n * n), n, {0}};
        for (size_t l = 0; l < tree->chains; l++)
            put_chain(&out, tree, &own, &tree->chain[l]);
        finite |= dense_finite(&out) << lane;
        if (streams)
            wide_stream(dst + lane * n * n, matrix, n * n);
    }
    return finite;
}

#else

static void dense_mass_measure(const td_scratch_sizes *sizes, td_stack *stack)
{
    (void)sizes, (void)stack;
}

#endif
