/* SPDX-License-Identifier: MIT */
/*
 * Scratch of kernel/tree/rnea_derivatives.c: the columns of supporting bodies (model/clusters.h),
 * and the rows that are multiplied with them.
 */
#ifndef TD_TANGENT_ROOM_H
#define TD_TANGENT_ROOM_H

#include "kernel/kernel.h"
#include "kernel/tree/tangent_matrices.h"

/* Scratch of the recursion. Part k of column c of supporting bodies is columns[k * apart + c]. */
typedef struct tangent_room {
    body_load *carries; /* per body */
    vec3 *origin;       /* per body: its origin relative to the origin of its root body */
    tangents own;       /* columns and rows of the joints */
    size_t apart;
    real *columns;
    column_tangent *column; /* of a cluster: bodies × coordinates */
    row_tangent *row;       /* of a cluster: coordinates */
} tangent_room;

static tangent_room tangent_take(td_stack *stack, const td_tree *tree, const td_clusters *clusters)
{
    const size_t bodies = (size_t)clusters->most_bodies;
    const size_t coordinates = (size_t)clusters->most_coordinates;
    tangent_room r = {.apart = td_whole_strips(clusters->columns)};
    r.carries = td_take(stack, body_load, td_whole_strips(tree->bodies));
    r.origin = td_take(stack, vec3, tree->bodies);
    r.own = tangents_take(stack, tree);
    r.columns = td_take(stack, real, COLUMN_PARTS * r.apart);
    r.column = td_take(stack, column_tangent, bodies * coordinates);
    r.row = td_take(stack, row_tangent, coordinates);
    return r;
}

static void rnea_derivatives_measure(const td_scratch_sizes *sizes, td_stack *stack)
{
    const size_t begin = stack->used;
    if (!sizes->matrices)
        return;
    tangent_take(stack, sizes->tree, sizes->tree_clusters);
    const size_t tree = stack->used;
    stack->used = begin;
    tangent_take(stack, sizes->tree, sizes->clusters);
    if (stack->used < tree)
        stack->used = tree;
}

static void find_origins(const td_tree *tree, const td_scratch *s, vec3 *origin)
{
    const packed3 *arm = s->arm;
    for (size_t i = 0; i < tree->bodies; i++) {
        const int parent = tree->body[i].parent;
        origin[i] =
            parent < 0 ? vec3_splat((td_vec3){0, 0, 0}) : add(origin[parent], packed3_vec3(arm[i]));
    }
}

TD_INLINE column_range columns_of(const tangent_room *room, const td_stretch *stretch, int count)
{
    return (column_range){room->columns + stretch->column, room->apart, (size_t)stretch->coordinate,
                          count};
}

/* Stores the entries of a row with all columns between a carrier and the world. The row is about
   the origin of body at; it is shifted to the point of one run of columns after the other. */
TD_INLINE void put_outwards(const td_clusters *clusters, const tangent_room *room, int carrier,
                            int at, const row_place *p, bool turning, const tangent_matrices *out)
{
    for (int k = clusters->outwards[carrier]; k >= 0; k = clusters->stretch[k].next) {
        const td_stretch *stretch = &clusters->stretch[k];
        const column_range columns = columns_of(room, stretch, stretch->columns);
        const int point = clusters->point[stretch->column];
        if (point != at)
            row_part_shift(p->row, p->apart, sub(room->origin[at], room->origin[point]), turning);
        at = point;
        put_row_entries(&columns, p, turning, out);
        put_mirrors(&columns, p, out);
    }
}

/* Stores a column of body b about the point of its run. */
TD_INLINE void keep_column(const td_clusters *clusters, const tangent_room *room, int b, int at,
                           column_tangent c)
{
    if (clusters->point[at] != b)
        column_shift(&c, sub(room->origin[clusters->point[at]], room->origin[b]));
    put_column_part(room->columns + at, room->apart, &c);
}

/* Returns the first run of columns from a carrier (−1: the world) to the world, −1 if no coordinate
   moves the carrier. */
TD_INLINE int first_stretch(const td_clusters *clusters, int carrier)
{
    return carrier < 0 ? -1 : clusters->outwards[carrier];
}

/* Returns the point of these columns, or the carrier itself if there are none. */
TD_INLINE int point_of(const td_clusters *clusters, int carrier)
{
    const int first = first_stretch(clusters, carrier);
    return first < 0 ? carrier : clusters->point[clusters->stretch[first].column];
}

/* Moves the reference point of parts of columns, (ω, v + ω × r), a strip at a time. */
TD_INLINE void keep_motion(const real *from, size_t from_apart, real *to, size_t apart, strip3 r)
{
    const strip3 w = strip3_part(from, from_apart);
    put_strip3(to, apart, w);
    put_strip3(to + 3 * apart, apart,
               strip3_add(strip3_part(from + 3 * from_apart, from_apart), strip3_cross(w, r)));
}

/* Stores a strip of bodies with one coordinate each, from body b on: their consecutive columns
   about the points of their runs, and their rows about the points of the first columns that they
   are multiplied with. */
TD_INLINE void keep_strip(const td_clusters *clusters, const td_tree *tree,
                          const tangent_room *room, size_t b, size_t count, bool turning)
{
    const size_t from = room->own.apart, apart = room->apart;
    const int at = clusters->column[b];
    const real *x = room->own.part + tree->body[b].qd;
    real *to = room->columns + at, *row = room->own.row + tree->body[b].qd;
    vec3 back[TD_STRIP], row_back[TD_STRIP];
    for (size_t k = 0; k < TD_STRIP; k++) {
        const size_t body = k < count ? b + k : b;
        const int carrier = tree->body[body].parent;
        back[k] = sub(room->origin[clusters->point[(size_t)at + body - b]], room->origin[body]);
        row_back[k] = carrier < 0
                          ? spatial_zero().angular
                          : sub(room->origin[body], room->origin[point_of(clusters, carrier)]);
    }
    const strip3 r = strip3_gather_vec3(back, sizeof *back);
    keep_motion(x + COLUMN_S * from, from, to + COLUMN_S * apart, apart, r);
    keep_motion(x + COLUMN_Q * from, from, to + COLUMN_Q * apart, apart, r);
    keep_motion(x + COLUMN_R * from, from, to + COLUMN_R * apart, apart, r);
    put_strip3(to + COLUMN_P * apart, apart, strip3_part(x + COLUMN_P * from, from));
    const strip3 shift = strip3_gather_vec3(row_back, sizeof *row_back);
    for (int k = 0; k < row_forces(turning); k++, row += 6 * from) {
        const strip3 n = strip3_part(row, from), f = strip3_part(row + 3 * from, from);
        const strip3 moved = strip3_add(n, strip3_cross(shift, f));
        strip_store(row, moved.x, (int)count);
        strip_store(row + from, moved.y, (int)count);
        strip_store(row + 2 * from, moved.z, (int)count);
    }
}

/* Returns how many clusters, from number n on, are consecutive bodies with one coordinate each, up
   to CHAIN_ROWS. */
TD_INLINE size_t simple_run(const td_tree *tree, const td_clusters *clusters, size_t n)
{
    const int b = clusters->body[clusters->cluster[n].first];
    size_t run = 0;
    while (run < CHAIN_ROWS && n + run < clusters->count && run < (size_t)tree->body[b].straight) {
        const td_cluster *cluster = &clusters->cluster[n + run];
        const int body = clusters->body[cluster->first];
        if (!cluster->plain || body != b + (int)run || tree->body[body].nv > 1)
            break;
        run++;
    }
    return run;
}

/* Stores the columns of all bodies of plain clusters, and the rows of plain clusters with one
   coordinate. */
static void keep_plain(const td_tree *tree, const td_clusters *clusters, const tangent_room *room,
                       bool turning)
{
    for (size_t n = 0; n < clusters->count; n++) {
        const td_cluster *cluster = &clusters->cluster[n];
        const int b = clusters->body[cluster->first];
        const td_body *body = &tree->body[b];
        if (!cluster->plain)
            continue;
        if (body->nv == 1) {
            const size_t most = simple_run(tree, clusters, n),
                         run = most < TD_STRIP ? most : TD_STRIP;
            keep_strip(clusters, tree, room, (size_t)b, run, turning);
            n += run - 1;
            continue;
        }
        for (int k = 0; k < body->nv; k++) {
            const column_tangent c = column_part(room->own.part + body->qd + k, room->own.apart);
            keep_column(clusters, room, b, clusters->column[b] + k, c);
        }
    }
}

#endif
