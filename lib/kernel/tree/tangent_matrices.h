/* SPDX-License-Identifier: MIT */
/*
 * Entries of the matrices of kernel/tree/rnea_derivatives.c, from rows and columns of
 * column_tangent.h: single entries, or a row times many columns.
 */
#ifndef TD_TANGENT_MATRICES_H
#define TD_TANGENT_MATRICES_H

#include "kernel/tree/column_tangent.h"
#include "model/pattern.h"

/* The n × n matrices, and the mass matrix by its pattern, below and on the diagonal. NULL: not
   wanted. */
typedef struct tangent_matrices {
    real *by_position, *by_rate, *mass;
    const td_pattern *pattern;
    size_t n;
} tangent_matrices;

/* Returns entry (i, j) of the mass matrix. j is i or an ancestor of i in the pattern. Clusters also
   have pairs for which this does not apply. Such pairs move no common body, and 0 is added to some
   entry. */
TD_INLINE real *mass_entry(const tangent_matrices *out, size_t i, size_t j)
{
    return out->mass + out->pattern->row[i] + out->pattern->depth[j];
}

/* ---- single entries -------------------------------------------------------------------------- */

/* Adds the entries of coordinate i, whose row is multiplied by factor, and column j of the same
   body. */
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

/* Adds the entries of coordinate i, which moves an earlier body by S, and of column j with its
   row. */
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

/* ---- a row and many columns
   ------------------------------------------------------------------- */

/* a force of a row in all entries of strips; force_on multiplies it with a strip of columns */
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

/* Stores the first count reals of a strip with the stride apart. */
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

/* Stores count consecutive reals. Rewrites the memory after them, except in the last row, where it
   may lie beyond the matrix. */
TD_INLINE void put_along(real *x, strip a, int count, bool last)
{
    if (last && count < TD_STRIP)
        put_apart(x, a, count, 1);
    else
        strip_store(x, a, count);
}

/* consecutive columns of one run, with a common point */
typedef struct column_range {
    const real *columns; /* first part of the first column */
    size_t apart, first; /* coordinate of the first column */
    int count;
} column_range;

/* the first part of a row, and its coordinate i */
typedef struct row_place {
    real *row;
    size_t apart, i;
} row_place;

/* Returns the consecutive entries of the mass matrix for a row and columns, or NULL if they are not
   consecutive. They are if the columns precede the row and each is the parent of the next. Entries
   are added to: see mass_entry. */
TD_INLINE real *mass_row(const column_range *c, const row_place *p, const tangent_matrices *out)
{
    const bool together =
        c->first + (size_t)c->count <= p->i &&
        out->pattern->first_consecutive[c->first + (size_t)c->count - 1] <= (int)c->first;
    return together ? mass_entry(out, p->i, c->first) : NULL;
}

/* Adds entries of the mass matrix one by one. With dependent joints, columns may follow the row. */
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

/* Stores the entries of a row with supporting columns, which are consecutive. */
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

/* Stores the transposed entries, in one column of each matrix. The mass matrix needs none. */
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

/* largest number of rows that are processed together, each body being the parent of the next */
enum { CHAIN_ROWS = 4 };

/* Stores transposed entries of several rows with consecutive coordinates. Needs n ≥ CHAIN_ROWS. */
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
