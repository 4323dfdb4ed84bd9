/* SPDX-License-Identifier: MIT */
/*
 * Patterns of symmetric matrices: rows, runs, and the tiles that expand a matrix into full storage,
 * whole vectors at a time.
 */
#include "model/pattern.h"

#include <string.h>

bool td_pattern_new(td_pattern *pattern, td_arena *arena, size_t size)
{
    pattern->size = size;
    pattern->parent = TD_ARENA_NEW(arena, int, size);
    pattern->depth = TD_ARENA_NEW(arena, int, size);
    pattern->first_consecutive = TD_ARENA_NEW(arena, int, size);
    pattern->last = TD_ARENA_NEW(arena, int, size);
    pattern->row = TD_ARENA_NEW(arena, size_t, size);
    return pattern->parent && pattern->depth && pattern->first_consecutive && pattern->last &&
           pattern->row;
}

/* ---- tiles ----------------------------------------------------------------------------------- */

/* Larger matrices are written entry by entry, so that loading takes little time. */
enum { MOST_TILED = 2048 };

/* The contents of a column in the current rows. */
typedef enum content { NOTHING, ANCESTORS, THEMSELVES, DESCENDANTS } content;

typedef struct tiler {
    td_pattern *pattern;               /* without memory for tiles, they are only counted */
    int children[MOST_TILED];          /* per coordinate */
    unsigned char content[MOST_TILED]; /* per column, for the current rows */
} tiler;

/* Returns the number of rows from the given one on that form one tile: each is the only child of
   the one before. The remainder of whole tiles comes first, so that lines pass its end only into
   other tiles. */
static int rows_from(const tiler *t, int row)
{
    const td_pattern *p = t->pattern;
    int length = 1;
    while (row + length < (int)p->size && p->parent[row + length] == row + length - 1 &&
           t->children[row + length - 1] == 1)
        length++;
    return (length - 1) % TD_TILE + 1;
}

static void find_content(tiler *t, int row, int rows)
{
    const td_pattern *p = t->pattern;
    memset(t->content, NOTHING, p->size);
    for (int j = p->parent[row]; j >= 0; j = p->parent[j])
        t->content[j] = ANCESTORS;
    memset(t->content + row, THEMSELVES, (size_t)rows);
    for (int j = row + rows; j < (int)p->size; j++) {
        const int above = p->parent[j];
        if (above >= row && (above < row + rows || t->content[above] == DESCENDANTS))
            t->content[j] = DESCENDANTS;
    }
}

/* Returns whether lines of TD_TILE numbers that begin in a column, with this number of valid
   columns, would overwrite zeros or the next row. */
static bool passes(const tiler *t, int column, int columns)
{
    for (int j = column + columns; j < column + TD_TILE; j++)
        if (j >= (int)t->pattern->size || t->content[j] == NOTHING)
            return true;
    return false;
}

/* Returns whether lines of a tile's mirror would do so: the coordinates after its rows must be
   descendants of its last column. */
static bool mirror_passes(const td_pattern *p, const td_tile *tile)
{
    const int ancestor = tile->column + tile->columns - 1, end = tile->row + tile->rows;
    for (int j = end; j < tile->row + TD_TILE; j++) {
        int i = j < (int)p->size ? j : -1;
        while (i > ancestor)
            i = p->parent[i];
        if (i != ancestor)
            return true;
    }
    return false;
}

/* Adds a tile of these rows and ancestors. columns = 0: the triangle of the rows. */
static td_tile *add_tile(const td_pattern *p, td_tile *tiles, size_t *count, int row, int rows,
                         int column, int columns)
{
    td_tile *tile = tiles ? &tiles[*count] : NULL;
    ++*count;
    if (!tile)
        return NULL;
    tile->row = (unsigned short)row;
    tile->column = (unsigned short)column;
    tile->rows = (unsigned short)rows;
    tile->columns = (unsigned short)columns;
    for (int k = 0; k < TD_TILE; k++)
        tile->entry[k] =
            (unsigned)(p->row[row + (k < rows ? k : rows - 1)] + (size_t)p->depth[column]);
    return tile;
}

/* Adds the tiles of the current rows in a range of columns with equal content. */
static void add_tiles(tiler *t, int row, int rows, int column, int columns)
{
    td_pattern *p = t->pattern;
    const bool passing = passes(t, column, columns);
    td_tile *tile;
    switch ((content)t->content[column]) {
    case NOTHING:
        break;
    case ANCESTORS:
        tile = add_tile(p, p->below, &p->tiles_below, row, rows, column, columns);
        if (tile) {
            tile->exactly = passing;
            tile->mirror_exactly = mirror_passes(p, tile);
        }
        break;
    case THEMSELVES:
        tile = add_tile(p, p->below, &p->tiles_below, row, rows, row, 0);
        if (tile)
            tile->exactly = passing;
        break;
    case DESCENDANTS:
        for (int next; columns > 0; column += next, columns -= next) {
            next = (columns - 1) % TD_TILE + 1;
            tile = add_tile(p, p->above, &p->tiles_above, column, next, row, rows);
            if (tile)
                tile->mirror_exactly = passes(t, column, next);
        }
    }
}

static void tile(tiler *t)
{
    const int n = (int)t->pattern->size;
    t->pattern->tiles_below = t->pattern->tiles_above = 0;
    for (int row = 0, rows; row < n; row += rows) {
        rows = rows_from(t, row);
        find_content(t, row, rows);
        for (int column = 0, end; column < n; column = end) {
            for (end = column + 1; end < n && t->content[end] == t->content[column];)
                end++;
            add_tiles(t, row, rows, column, end - column);
        }
    }
}

static bool find_tiles(td_pattern *pattern, td_arena *arena)
{
    tiler t = {.pattern = pattern};
    if (pattern->size > MOST_TILED)
        return true;
    for (size_t i = 0; i < pattern->size; i++)
        if (pattern->parent[i] >= 0)
            t.children[pattern->parent[i]]++;
    tile(&t);
    if (pattern->tiles_below + pattern->tiles_above > pattern->entries) /* no savings */
        return true;
    pattern->below = TD_ARENA_NEW(arena, td_tile, pattern->tiles_below);
    pattern->above = TD_ARENA_NEW(arena, td_tile, pattern->tiles_above);
    if (!pattern->below || !pattern->above)
        return false;
    tile(&t);
    pattern->tiled = true;
    return true;
}

bool td_pattern_finish(td_pattern *pattern, td_arena *arena)
{
    for (size_t i = 0; i < pattern->size; i++) {
        int parent = pattern->parent[i];
        pattern->depth[i] = parent < 0 ? 0 : pattern->depth[parent] + 1;
        pattern->first_consecutive[i] =
            parent >= 0 && parent == (int)i - 1 ? pattern->first_consecutive[parent] : (int)i;
        pattern->row[i] = pattern->entries;
        pattern->entries += (size_t)pattern->depth[i] + 1;
        pattern->last[i] = (int)i;
    }
    for (size_t i = pattern->size; i-- > 0;)
        if (pattern->parent[i] >= 0 && pattern->last[pattern->parent[i]] < pattern->last[i])
            pattern->last[pattern->parent[i]] = pattern->last[i];
    return find_tiles(pattern, arena);
}
