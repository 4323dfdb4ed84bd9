/* SPDX-License-Identifier: MIT */
/*
 * The sparsity of symmetric matrices of a tree, found at load.
 */
#ifndef TD_PATTERN_H
#define TD_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

enum { TD_TILE = 4 };

/*
 * A part of a symmetric matrix whose rows are stored without a gap; or, without columns, the
 * triangle of some rows on the diagonal. The whole matrix, both triangles, is written in lines of
 * TD_TILE numbers, of which those behind the tile may be any where later tiles have them right.
 * Reading passes the last entry of the matrix by up to TD_TILE − 1.
 */
typedef struct td_tile {
    unsigned short row, column, rows, columns;
    bool exactly, mirror_exactly; /* behind its lines, or their mirrors, are zeros of the matrix or
                                     the next row */
    unsigned entry[TD_TILE]; /* where the rows begin; the last one again where there are fewer */
} td_tile;

/*
 * The sparsity of a symmetric matrix whose entries (i, j) vanish unless one coordinate is an
 * ancestor of the other. Row i holds the entries of i's ancestors from the root on, then i itself:
 * depth[i] + 1 numbers from row[i]. A row of an ancestor is thus as long as a beginning of the row
 * of i.
 */
typedef struct td_pattern {
    size_t size;            /* rows */
    size_t entries;         /* numbers in all */
    int *parent;            /* coordinate, −1 at a root */
    int *depth;             /* number of ancestors */
    int *first_consecutive; /* first of the consecutive ancestors that end here: i, i − 1, ...
                               first_consecutive[i] */
    int *last;              /* of its descendants; itself where it has none */
    size_t *row;
    bool tiled; /* or else entries one by one are less work */
    /* up to TD_TILE rows and all their ancestors that are consecutive, then their triangle: the
       whole matrix, from one row to the next */
    size_t tiles_below;
    td_tile *below;
    /* up to TD_TILE consecutive rows and ancestors, from one ancestor to the next: the mirror of
       all that but the triangles, from one row to the next */
    size_t tiles_above;
    td_tile *above;
} td_pattern;

/* room for a pattern of that size; false without memory */
bool td_pattern_new(td_pattern *pattern, td_arena *arena, size_t size);

/* all that follows from the parents, which are set; false without memory */
bool td_pattern_finish(td_pattern *pattern, td_arena *arena);

#endif
