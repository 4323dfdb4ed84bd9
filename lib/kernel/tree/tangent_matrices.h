/* SPDX-License-Identifier: MIT */
/*
 * Entries of the matrices of kernel/tree/rnea_derivatives.c, from rows and columns of
 * column_tangent.h: one by one, or those of a row and of many columns.
 */
#ifndef TD_TANGENT_MATRICES_H
#define TD_TANGENT_MATRICES_H

#include "kernel/tree/column_tangent.h"
#include "model/pattern.h"

/* The matrices: n × n, and the mass matrix by its pattern, of which entries below the diagonal are
   found; NULL: not wanted. */
typedef struct tangent_matrices {
    real *by_position, *by_rate, *mass;
    const td_pattern *pattern;
    size_t n;
} tangent_matrices;

/* Entry (i, j) of the mass matrix, where j is an ancestor of i in its pattern or i itself. Clusters
   have pairs of coordinates that are neither: these move no body both, and 0 is added to whichever
   entry is found. */
TD_INLINE real *mass_entry(const tangent_matrices *out, size_t i, size_t j)
{
    return out->mass + out->pattern->row[i] + out->pattern->depth[j];
}

/* ---- one by one ------------------------------------------------------------------------------ */

/* entries of coordinate i, whose row is given times a factor, and of column j of the same body */
TD_INLINE void add_entries(const tangent_matrices *out, size_t i, size_t j, real factor,
                           const row_tangent *row, const column_tangent *c)
{
    const size_t at = i * out->n + j;
    if (out->by_position)
        out->by_position[at] +=
            factor * (dot(row->b, c->P) + spatial_dot(row->t, c->R) + spatial_dot(row->w, c->S));
    if (out->by_rate)
        out->by_rate[at] += factor * (dot(row->b, c->S.angular) + spatial_dot(row->t, c->Q));
    if (out->mass && j <= i)
        *mass_entry(out, i, j) += factor * spatial_dot(row->t, c->S);
}

/* entries of coordinate i, which moves a body before by S, and of column j whose row is given */
TD_INLINE void add_mirrors(const tangent_matrices *out, size_t i, size_t j, spatial S,
                           const row_tangent *row)
{
    const size_t at = i * out->n + j;
    if (out->by_position)
        out->by_position[at] += spatial_dot(S, row->by_position);
    if (out->by_rate)
        out->by_rate[at] += spatial_dot(S, row->by_rate);
    if (out->mass && j <= i)
        *mass_entry(out, i, j) += spatial_dot(S, row->t);
}

/* ---- a row and many columns ------------------------------------------------------------------ */

/* a force of a row broadcast, and its product with columns from one on */
typedef struct strip_force {
    strip3 n, f;
} strip_force;

TD_INLINE strip3 strip3_broadcast(const real *part, size_t apart)
{
    return (strip3){strip_splat(part[0]), strip_splat(part[apart]), strip_splat(part[2 * apart])};
}

TD_INLINE strip_force strip_force_of(const real *part, size_t apart)
{
    return (strip_force){strip3_broadcast(part, apart), strip3_broadcast(part + 3 * apart, apart)};
}

TD_INLINE strip3 strip3_part(const real *part, size_t apart)
{
    return (strip3){strip_load(part), strip_load(part + apart), strip_load(part + 2 * apart)};
}

TD_INLINE strip force_on(const strip_force *x, const real *part, size_t apart)
{
    return strip3_dot(x->n, strip3_part(part, apart)) +
           strip3_dot(x->f, strip3_part(part + 3 * apart, apart));
}

/* the first count of a strip, so far apart */
TD_INLINE void put_apart(real *x, strip a, int count, size_t apart)
{
#if TD_STRIP > 1
    for (int k = 0; k < count && k < TD_STRIP; k++)
        x[(size_t)k * apart] = a[k];
#else
    (void)count, (void)apart;
    *x = a;
#endif
}

/* Side by side; what is behind is read and written back, unless that may be behind the matrix. */
TD_INLINE void put_along(real *x, strip a, int count, bool last)
{
    if (last && count < TD_STRIP)
        put_apart(x, a, count, 1);
    else
        strip_store(x, a, count);
}

/* columns of a stretch, from the first one on */
typedef struct column_range {
    const real *columns; /* the first part of the first one */
    size_t apart, first; /* the coordinate of the first one */
    int count;
} column_range;

/* a row: its first part, and the coordinate that it is of */
typedef struct row_place {
    real *row;
    size_t apart, i;
} row_place;

/* Where entries of the mass matrix, of a row and of columns, are side by side: the columns come
   before the row, each the parent of the next; or else NULL. What is there is added to: see
   mass_entry. */
TD_INLINE real *mass_row(const column_range *c, const row_place *p, const tangent_matrices *out)
{
    const bool together =
        c->first + (size_t)c->count <= p->i &&
        out->pattern->first_consecutive[c->first + (size_t)c->count - 1] <= (int)c->first;
    return together ? mass_entry(out, p->i, c->first) : NULL;
}

/* the same one by one; where followers decide so, columns come behind the row */
static void add_mass(const column_range *c, const row_place *p, const tangent_matrices *out)
{
    const size_t i = p->i;
    const strip_force t = strip_force_of(p->row + ROW_T * p->apart, p->apart);
    for (int k = 0; k < c->count; k += TD_STRIP) {
        real entry[TD_STRIP];
        strip_scatter(force_on(&t, c->columns + k, c->apart), entry, 1);
        for (int e = 0; e < TD_STRIP && e < c->count - k; e++) {
            const size_t j = c->first + (size_t)(k + e);
            *(j < i ? mass_entry(out, i, j) : mass_entry(out, j, i)) += entry[e];
        }
    }
}

/* entries of a row and of columns on the way to the world, side by side */
TD_INLINE void put_row_entries(const column_range *c, const row_place *p, bool turning,
                               const tangent_matrices *out)
{
    const size_t n = out->n, apart = c->apart;
    const bool last = p->i + 1 == n;
    real *mass = out->mass && c->count > 0 ? mass_row(c, p, out) : NULL;
    const strip_force t = strip_force_of(p->row + ROW_T * p->apart, p->apart);
    const strip3 b = strip3_broadcast(p->row + ROW_B * p->apart, p->apart);
    for (int k = 0; k < c->count; k += TD_STRIP) {
        const size_t at = p->i * n + c->first + (size_t)k;
        const real *S = c->columns + k;
        const int count = c->count - k;
        if (out->by_position) {
            strip x = strip3_dot(b, strip3_part(S + COLUMN_P * apart, apart)) +
                      force_on(&t, S + COLUMN_R * apart, apart);
            if (turning) {
                const strip_force w = strip_force_of(p->row + ROW_W * p->apart, p->apart);
                x += force_on(&w, S, apart);
            }
            put_along(out->by_position + at, x, count, last);
        }
        if (out->by_rate)
            put_along(out->by_rate + at,
                      strip3_dot(b, strip3_part(S, apart)) +
                          force_on(&t, S + COLUMN_Q * apart, apart),
                      count, last);
        if (mass)
            strip_store(mass + k, strip_load(mass + k) + force_on(&t, S, apart), count);
    }
    if (out->mass && !mass && c->count > 0)
        add_mass(c, p, out);
}

/* their mirrors, one below the other; of the mass matrix there are none */
TD_INLINE void put_mirrors(const column_range *c, const row_place *p, const tangent_matrices *out)
{
    const size_t n = out->n, apart = c->apart;
    const strip_force by_position = strip_force_of(p->row + ROW_BY_POSITION * p->apart, p->apart);
    const strip_force by_rate = strip_force_of(p->row + ROW_BY_RATE * p->apart, p->apart);
    for (int k = 0; k < c->count; k += TD_STRIP) {
        const size_t at = (c->first + (size_t)k) * n + p->i;
        const real *S = c->columns + k;
        const int count = c->count - k;
        if (out->by_position)
            put_apart(out->by_position + at, force_on(&by_position, S, apart), count, n);
        if (out->by_rate)
            put_apart(out->by_rate + at, force_on(&by_rate, S, apart), count, n);
    }
}

/* most rows that are taken together where each body carries the next */
enum { CHAIN_ROWS = 4 };

/* the mirrors of as many rows side by side, of consecutive coordinates; n is CHAIN_ROWS or more */
TD_INLINE void put_mirrors_of_chain(const column_range *c, const row_place *p, int rows,
                                    const tangent_matrices *out)
{
    const size_t n = out->n, apart = c->apart, row_apart = p->apart;
    for (int k = 0; k < c->count; k++) {
        const strip_force S = strip_force_of(c->columns + k, apart);
        const size_t at = (c->first + (size_t)k) * n + p->i;
        for (int r = 0; r < rows; r += TD_STRIP) {
            const real *row = p->row + r;
            if (out->by_position)
                strip_store(out->by_position + at + r,
                            force_on(&S, row + ROW_BY_POSITION * row_apart, row_apart), rows - r);
            if (out->by_rate)
                strip_store(out->by_rate + at + r,
                            force_on(&S, row + ROW_BY_RATE * row_apart, row_apart), rows - r);
        }
    }
}

#endif
