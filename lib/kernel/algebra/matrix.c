/* SPDX-License-Identifier: MIT */
/*
 * Writes symmetric matrices from their patterns to rows of doubles, both triangles, using the tiles
 * that pattern.c finds at load. A line of numbers may extend past its tile; a later tile then
 * overwrites the excess, so the order of tiles matters. Tiles that precede zeros or the end of a
 * row are marked. For these, lanes write zeros into the excess, and lines that must not extend past
 * the tile are written number by number.
 */
#include "kernel/real/arrays.h"
#include "model/pattern.h"

TD_INLINE void store_number(double *dst, size_t n, size_t i, size_t j, real x)
{
    for (size_t lane = 0; lane < TD_LANE_COUNT; lane++)
        dst[lane * n * n + i * n + j] = real_get(x, lane);
}

/* Writes the entries of a tile, their mirror images, or both, and nothing else. Returns their
   sum. */
TD_INLINE real store_exactly(double *dst, size_t n, const real *in, const td_tile *tile, bool below,
                             bool above)
{
    const size_t row = tile->row, column = tile->column;
    real sum = splat(0);
    for (size_t i = 0; i < tile->rows; i++)
        for (size_t j = 0; j < (tile->columns ? tile->columns : i + 1); j++) {
            const real x = in[tile->entry[i] + j];
            sum += x;
            if (below)
                store_number(dst, n, row + i, column + j, x);
            if (above)
                store_number(dst, n, column + j, row + i, x);
        }
    return sum;
}

#if defined(TD_REAL_DOUBLE)

enum { PARTS = TD_TILE / TD_WIDE };

/* Writes both triangles at once, since each square is in registers and can be transposed there. */
static void store_below(double *dst, size_t n, const real *in, const td_tile *tile)
{
    double *below = dst + tile->row * n + tile->column;
    double *above = dst + tile->column * n + tile->row;
    const int rows = tile->rows;
    unsigned entry[TD_TILE];
    for (int k = 0; k < TD_TILE; k++)
        entry[k] = tile->entry[k];
    for (int left = tile->columns, count; left > 0; left -= count) {
        td_wide square[PARTS][PARTS][TD_WIDE]; /* first index: block of columns, or block of rows
                                                  after the transposition */
        count = (left - 1) % TD_TILE + 1;
        for (int i = 0; i < TD_TILE; i++)
            for (int j = 0; j < PARTS; j++)
                square[j][i / TD_WIDE][i % TD_WIDE] = wide_load(in + entry[i] + j * TD_WIDE);
        for (int i = 0; i < TD_TILE && i < rows; i++)
            for (int j = 0; j < PARTS; j++)
                wide_store(below + (size_t)i * n + j * TD_WIDE,
                           square[j][i / TD_WIDE][i % TD_WIDE]);
        for (int i = 0; i < PARTS; i++)
            for (int j = 0; j < PARTS; j++)
                wide_transpose(square[i][j]);
        for (int i = 0; i < TD_TILE && i < count; i++)
            for (int j = 0; j < PARTS; j++)
                wide_store(above + (size_t)i * n + j * TD_WIDE,
                           square[i / TD_WIDE][j][i % TD_WIDE]);
        below += count, above += (size_t)count * n;
        for (int k = 0; k < TD_TILE; k++)
            entry[k] += (unsigned)count;
    }
}

TD_INLINE void store_triangle(double *dst, size_t n, const real *in, const td_tile *tile)
{
    double *at = dst + tile->row * n + tile->row;
    for (int i = 0; i < TD_TILE && i < tile->rows; i++)
        for (int j = 0; j < TD_TILE; j += TD_WIDE)
            wide_store(at + (size_t)i * n + j, wide_load(in + tile->entry[i] + j));
    for (int j = 1; j < TD_TILE && j < tile->rows; j++)
        for (int i = 0; i < j; i++)
            at[(size_t)i * n + (size_t)j] = in[tile->entry[j] + (unsigned)i];
}

static void store_tiles(double *dst, const real *in, const td_pattern *pattern)
{
    const size_t n = pattern->size;
    const td_tile *tile = pattern->below, *end = tile + pattern->tiles_below;
    for (; tile < end; tile++)
        if (tile->exactly || tile->mirror_exactly)
            store_exactly(dst, n, in, tile, true, true);
        else if (tile->columns)
            store_below(dst, n, in, tile);
        else
            store_triangle(dst, n, in, tile);
}

#elif defined(TD_REAL_LANES)

/* Writes a line of TD_TILE numbers into the matrices of all lanes and adds it to sum. Entry j is
   in[index], where index is an expression in j, or zero for j ≥ count. */
#define TD_STORE_LINE(dst, n, count, index)                                                        \
    for (int part = 0; part < TD_TILE; part += TD_LINE) {                                          \
        double *line = (dst) + part, *next = line + (TD_LANE_COUNT - TD_LINE) * (n) * (n);         \
        real square[TD_LINE];                                                                      \
        for (int k = 0; k < TD_LINE; k++) {                                                        \
            const int j = part + k;                                                                \
            const real *number = &in[index];                                                       \
            square[k] = *(j < (count) ? number : &zero);                                           \
        }                                                                                          \
        for (int k = 0; k < TD_LINE; k++)                                                          \
            sum[k % 2] += square[k];                                                               \
        wide_transpose(square);                                                                    \
        for (size_t k = 0; k < TD_LINE; k++)                                                       \
            lines_to(line + k * (n) * (n), next + k * (n) * (n), square[k]);                       \
    }

/* begin is the number of entries in the first line that belong to the tile, if only zeros follow
   the tile. It is TD_TILE if another tile follows or the line is full. */
TD_INLINE void store_below(double *dst, size_t n, const real *in, const td_tile *tile, int begin,
                           real *sum)
{
    const real zero = splat(0);
    double *at = dst + tile->row * n + tile->column;
    const unsigned columns = tile->columns, first = (columns - 1) % TD_TILE + 1;
    for (int i = 0; i < tile->rows; i++, at += n) {
        TD_STORE_LINE(at, n, begin, tile->entry[i] + (unsigned)j)
        for (unsigned done = first; done < columns; done += TD_TILE)
            TD_STORE_LINE(at + done, n, TD_TILE, tile->entry[i] + done + (unsigned)j)
    }
}

TD_INLINE void store_triangle(double *dst, size_t n, const real *in, const td_tile *tile, int begin,
                              real *sum)
{
    const real zero = splat(0);
    double *at = dst + tile->row * n + tile->row;
    for (int i = 0; i < TD_TILE && i < tile->rows; i++)
        TD_STORE_LINE(at + (size_t)i * n, n, begin,
                      j > i ? tile->entry[j] + (unsigned)i : tile->entry[i] + (unsigned)j)
}

TD_INLINE void store_above(double *dst, size_t n, const real *in, const td_tile *tile, int begin,
                           real *sum)
{
    const real zero = splat(0);
    double *at = dst + tile->column * n + tile->row;
    for (int i = 0; i < tile->columns; i++, at += n)
        TD_STORE_LINE(at, n, begin, tile->entry[j] + (unsigned)i)
}

#undef TD_STORE_LINE

/* Writes one triangle after the other, so that memory is written along its rows. Lines that would
   extend into zeros are padded with zeros, except at the end of a row. Returns the sum of all
   numbers written. */
static real store_tiles(double *dst, const real *in, const td_pattern *pattern)
{
    const size_t n = pattern->size;
    const td_tile *tile = pattern->below, *end = tile + pattern->tiles_below;
    real sum[2] = {splat(0), splat(0)};
    for (; tile < end; tile++) {
        const int first = tile->columns ? tile->columns : tile->rows;
        const size_t column = tile->columns ? tile->column : tile->row;
        if (tile->exactly && column + TD_TILE > n)
            sum[0] += store_exactly(dst, n, in, tile, true, !tile->columns);
        else if (tile->exactly && tile->columns)
            store_below(dst, n, in, tile, first, sum);
        else if (tile->exactly)
            store_triangle(dst, n, in, tile, first, sum);
        else if (tile->columns)
            store_below(dst, n, in, tile, TD_TILE, sum);
        else
            store_triangle(dst, n, in, tile, TD_TILE, sum);
    }
    for (tile = pattern->above, end = tile + pattern->tiles_above; tile < end; tile++)
        if (tile->mirror_exactly && (size_t)tile->row + TD_TILE > n)
            sum[0] += store_exactly(dst, n, in, tile, false, true);
        else if (tile->mirror_exactly)
            store_above(dst, n, in, tile, tile->rows, sum);
        else
            store_above(dst, n, in, tile, TD_TILE, sum);
    return sum[0] + sum[1];
}

#else

static void store_tiles(double *dst, const real *in, const td_pattern *pattern)
{
    for (size_t k = 0; k < pattern->tiles_below; k++)
        store_exactly(dst, pattern->size, in, &pattern->below[k], true, true);
}

#endif

static void store_entries(double *dst, const real *in, const td_pattern *pattern, size_t rows)
{
    const size_t n = pattern->size;
    for (size_t i = 0; i < n; i++) {
        const real *entry = in + pattern->row[i] + pattern->depth[i];
        for (int j = (int)i; j >= 0; j = pattern->parent[j], entry--)
            for (size_t lane = 0; lane < TD_LANE_COUNT && lane < rows; lane++) {
                double *matrix = dst + lane * n * n, value = real_get(*entry, lane);
                matrix[i * n + (size_t)j] = value;
                matrix[(size_t)j * n + i] = value;
            }
    }
}

static void store_symmetric(double *dst, const td_reals *src, const td_pattern *pattern,
                            size_t rows, int *finite)
{
    const size_t n = pattern->size;
    int mask = 0;
    if (2 * pattern->entries < n * (n + 1))
        wide_clear(dst, rows * n * n);
    if (!pattern->tiled || rows != TD_LANE_COUNT)
        store_entries(dst, src, pattern, rows);
    else
#if defined(TD_REAL_LANES)
        mask = vanishing(store_tiles(dst, src, pattern), rows); /* see store */
#else
        store_tiles(dst, src, pattern);
#endif
    if (finite)
        *finite = mask == (1 << rows) - 1 ? mask : lanes_finite(src, pattern->entries, rows);
}

/* Expands a symmetric matrix from its pattern to n × n reals, both triangles. */
static void symmetric(const td_pattern *pattern, const td_reals *src, td_reals *dst)
{
    const real *in = src;
    real *out = dst;
    size_t n = pattern->size;
    memset(out, 0, n * n * sizeof *out);
    for (size_t i = 0; i < n; i++) {
        const real *entry = in + pattern->row[i] + pattern->depth[i];
        for (int j = (int)i; j >= 0; j = pattern->parent[j], entry--)
            out[i * n + (size_t)j] = out[(size_t)j * n + i] = *entry;
    }
}
