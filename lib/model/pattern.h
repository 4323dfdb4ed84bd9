/* SPDX-License-Identifier: MIT */
/*
 * The sparsity of symmetric matrices of a tree, computed at load.
 */
#ifndef TD_PATTERN_H
#define TD_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

enum { TD_TILE = 4 };

/*
 * A tile: a block of a symmetric matrix whose rows are stored contiguously. A tile without columns
 * is the triangle of some rows on the diagonal. To write the full matrix, both triangles, each line
 * of a tile is copied as TD_TILE numbers. Numbers beyond the tile may be arbitrary if later tiles
 * overwrite them. Reading passes the last entry of the matrix by up to TD_TILE − 1 numbers.
 */
typedef struct td_tile {
    unsigned short row, column, rows, columns;
    bool exactly, mirror_exactly; /* numbers beyond its lines, or its mirror's lines, must not be
                                     overwritten: zeros, or the next row */
    unsigned entry[TD_TILE]; /* where its rows begin in memory; the last one is repeated if there
                                are fewer */
} td_tile;

/*
 * The sparsity of a symmetric matrix with H(i, j) = 0 unless coordinate i is an ancestor of j or
 * the reverse. Row i stores the entries of i's ancestors, from the root on, and then i itself:
 * depth[i] + 1 numbers from row[i] on. The row of an ancestor thus has the same columns as the
 * beginning of row i.
 */
typedef struct td_pattern {
    size_t size;            /* rows */
    size_t entries;         /* total number of entries */
    int *parent;            /* coordinate, −1 at a root */
    int *depth;             /* number of ancestors */
    int *first_consecutive; /* first of the consecutive ancestors that end here: i, i − 1, ...
                               first_consecutive[i] */
    int *last;              /* its last descendant; the coordinate itself if it has none */
    size_t *row;
    bool tiled; /* whether copying tiles is less work than copying single entries */
    /* The lower triangle, row by row: tiles of up to TD_TILE rows and a run of consecutive
       ancestors, then the triangle of these rows. */
    size_t tiles_below;
    td_tile *below;
    /* The upper triangle without the triangles of tiles_below, row by row: mirrored tiles of up to
       TD_TILE consecutive rows and ancestors. */
    size_t tiles_above;
    td_tile *above;
} td_pattern;

/* Allocates a pattern of this size. Returns false if memory runs out. */
bool td_pattern_new(td_pattern *pattern, td_arena *arena, size_t size);

/* Computes everything that follows from parent, which is set. Returns false if memory runs out. */
bool td_pattern_finish(td_pattern *pattern, td_arena *arena);

#endif
