/* SPDX-License-Identifier: MIT */
/*
 * Derivatives of inverse dynamics (Singh, Russell and Wensing 2022, in the family of Carpentier and
 * Mansard 2018), over clusters of bodies whose coordinates are coupled. For coordinates i and j,
 * the body of j on the way from i to the root, with I, B and f of all that i moves (B as in
 * kernel/tree/coriolis.c) and the columns of column_tangent.h,
 *
 *   ∂τ_i/∂y_j = Sᵢᵀ (2 B P_j + I R_j),   ∂τ_j/∂y_i = S_jᵀ (2 B P_i + I R_i + Sᵢ ×* f)
 *   ∂τ_i/∂ẏ_j = Sᵢᵀ (2 B S_j + I Q_j),   ∂τ_j/∂ẏ_i = S_jᵀ (2 B S_i + I Q_i)
 *   H_ij = Sᵢᵀ I S_j.
 *
 * A coordinate of a cluster moves each of its bodies k by sums over the joints before,
 *
 *   S = Σ S_k G_k,   P = Σ P_k G_k + S_k C_k,   Q = Σ Q_k G_k + S_k B_k,
 *   R = Σ R_k G_k + Q_k C_k + S_k D_k,
 *
 * with C = ∂(Gẏ)/∂y, D = ∂(Gÿ + g)/∂y and B = ∂g/∂ẏ of the closure, which vanish for linear
 * couplings. Whatever hangs on a cluster hangs on one of its bodies, and sees the columns of that
 * body alone: pairs of coordinates are not more than those of y. O(coordinates · depth), and within
 * clusters bodies · coordinates².
 *
 * ∂(Gᵀτ)/∂y at fixed τ is not in it: the closure adds that.
 */
#include "kernel/kernel.h"
#include "kernel/tree/column_tangent.h"
#include "kernel/tree/inertia.h"
#include "kernel/tree/link_state.h"

/* The matrices, n × n; NULL: not wanted. */
typedef struct tangent_matrices {
    real *by_position, *by_rate, *mass;
    size_t n;
} tangent_matrices;

/* rows that are taken together where each body carries the next */
enum { CHAIN_ROWS = 4 };

/* What the recursion works with. Of the columns of bodies that carry, part k of column c is at
   columns[k * apart + c]. */
typedef struct tangent_room {
    body_load *carries; /* per body */
    vec3 *origin; /* per body: its origin from that of the first body on its way from the root */
    tangents own; /* of the joints */
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

/* ---- entries --------------------------------------------------------------------------------- */

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
    if (out->mass)
        out->mass[at] += factor * spatial_dot(row->t, c->S);
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
    if (out->mass)
        out->mass[at] += spatial_dot(S, row->t);
}

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

TD_INLINE column_range columns_of(const tangent_room *room, const td_stretch *stretch, int count)
{
    return (column_range){room->columns + stretch->column, room->apart, (size_t)stretch->coordinate,
                          count};
}

/* a row: its first part, and the coordinate that it is of */
typedef struct row_place {
    real *row;
    size_t apart, i;
} row_place;

/* entries of a row and of columns on the way to the world, side by side */
TD_INLINE void put_row_entries(const column_range *c, const row_place *p, bool turning,
                               const tangent_matrices *out)
{
    const size_t n = out->n, apart = c->apart;
    const bool last = p->i + 1 == n;
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
        if (out->mass)
            put_along(out->mass + at, force_on(&t, S, apart), count, last);
    }
}

/* their mirrors, one below the other */
TD_INLINE void put_mirrors(const column_range *c, const row_place *p, const tangent_matrices *out)
{
    const size_t n = out->n, apart = c->apart;
    const strip_force t = strip_force_of(p->row + ROW_T * p->apart, p->apart);
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
        if (out->mass)
            put_apart(out->mass + at, force_on(&t, S, apart), count, n);
    }
}

/* the mirrors of CHAIN_ROWS rows side by side, of consecutive coordinates */
TD_INLINE void put_mirrors_of_chain(const column_range *c, const row_place *p,
                                    const tangent_matrices *out)
{
    const size_t n = out->n, apart = c->apart, row_apart = p->apart;
    for (int k = 0; k < c->count; k++) {
        const strip_force S = strip_force_of(c->columns + k, apart);
        const size_t at = (c->first + (size_t)k) * n + p->i;
        for (int r = 0; r < CHAIN_ROWS; r += TD_STRIP) {
            const real *row = p->row + r;
            if (out->by_position)
                strip_store(out->by_position + at + r,
                            force_on(&S, row + ROW_BY_POSITION * row_apart, row_apart), TD_STRIP);
            if (out->by_rate)
                strip_store(out->by_rate + at + r,
                            force_on(&S, row + ROW_BY_RATE * row_apart, row_apart), TD_STRIP);
            if (out->mass)
                strip_store(out->mass + at + r, force_on(&S, row + ROW_T * row_apart, row_apart),
                            TD_STRIP);
        }
    }
}

/* A row about the origin of body at, and all columns on the way from a carrier to the world. The
   row is referred to the points of the columns, one after the other. */
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

/* a column of body b, about the origin of its stretch */
TD_INLINE void keep_column(const td_clusters *clusters, const tangent_room *room, int b, int at,
                           column_tangent c)
{
    if (clusters->point[at] != b)
        column_shift(&c, sub(room->origin[clusters->point[at]], room->origin[b]));
    put_column_part(room->columns + at, room->apart, &c);
}

/* the point of the first columns that rows meet on the way from a carrier to the world */
TD_INLINE int point_of(const td_clusters *clusters, int carrier)
{
    return clusters->point[clusters->stretch[clusters->outwards[carrier]].column];
}

/* (ω, v + ω × r) of parts of columns, a strip at a time */
TD_INLINE void keep_motion(const real *from, size_t from_apart, real *to, size_t apart, strip3 r)
{
    const strip3 w = strip3_part(from, from_apart);
    put_strip3(to, apart, w);
    put_strip3(to + 3 * apart, apart,
               strip3_add(strip3_part(from + 3 * from_apart, from_apart), strip3_cross(w, r)));
}

/* A strip of bodies with one coordinate each, from body b on: their columns, which lie side by
   side, about the points of their stretches, and their rows about those of the first columns that
   these meet. */
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

/* how many clusters from number n on are those of consecutive bodies with one coordinate each, up
   to CHAIN_ROWS */
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

/* the columns of all bodies of plain clusters, and the rows of those with one coordinate */
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

/* ---- clusters -------------------------------------------------------------------------------- */

typedef struct tangent_call {
    const td_tree *tree;
    const td_clusters *clusters;
    const td_scratch *s;
    const real *qd, *qdd;
    const td_csr *pattern;     /* of the next four; NULL in the tree's coordinates */
    const real *G, *C, *D, *B; /* the last three NULL: zero */
    tangent_room room;
    tangent_matrices out;
} tangent_call;

/* a body with several coordinates to which nothing is coupled */
static void differentiate_plain(const tangent_call *call, const td_cluster *cluster)
{
    const td_clusters *clusters = call->clusters;
    const tangent_matrices *out = &call->out;
    const tangents *own = &call->room.own;
    const int b = clusters->body[cluster->first];
    const td_body *body = &call->tree->body[b];
    const size_t first = (size_t)clusters->coordinate[cluster->coordinate];
    for (int k = 0; k < body->nv; k++) {
        const row_tangent row = row_part(own->row + body->qd + k, own->apart, own->turning);
        for (int j = 0; j < body->nv; j++) {
            const column_tangent column = column_part(own->part + body->qd + j, own->apart);
            if (!joint_is_sequence(body) || j <= k)
                add_entries(out, first + (size_t)k, first + (size_t)j, splat(1), &row, &column);
            if (joint_is_sequence(body) && j < k)
                add_mirrors(out, first + (size_t)j, first + (size_t)k, column.S, &row);
        }
        const row_place place = {own->row + body->qd + k, own->apart, first + (size_t)k};
        if (cluster->outer >= 0)
            put_outwards(clusters, &call->room, cluster->outer, b, &place, own->turning, out);
    }
}

/* the entry on the diagonal of a joint with one coordinate, which is there */
TD_INLINE void put_diagonal(const tangents *own, size_t j, size_t i, const tangent_matrices *out)
{
    const real *at = own->part + j;
    if (out->by_position)
        out->by_position[i * (out->n + 1)] = at[OWN_BY_POSITION * own->apart];
    if (out->by_rate)
        out->by_rate[i * (out->n + 1)] = at[OWN_BY_RATE * own->apart];
    if (out->mass)
        out->mass[i * (out->n + 1)] = at[OWN_MASS * own->apart];
}

/* where the row of a plain cluster with one coordinate is, which is referred to the point of the
   first columns that it meets */
TD_INLINE row_place row_of_simple(const tangent_call *call, const td_cluster *cluster)
{
    const td_clusters *clusters = call->clusters;
    const int j = call->tree->body[clusters->body[cluster->first]].qd;
    return (row_place){call->room.own.row + j, call->room.own.apart,
                       (size_t)clusters->coordinate[cluster->coordinate]};
}

TD_INLINE void differentiate_simple(const tangent_call *call, const td_cluster *cluster)
{
    const td_clusters *clusters = call->clusters;
    const tangents *own = &call->room.own;
    const row_place place = row_of_simple(call, cluster);
    if (cluster->outer >= 0)
        put_outwards(clusters, &call->room, cluster->outer, point_of(clusters, cluster->outer),
                     &place, own->turning, &call->out);
    put_diagonal(own, (size_t)(place.row - own->row), place.i, &call->out);
}

/* The stretch of the first of CHAIN_ROWS clusters from number n on (of the second one where that
   hangs on the world), if each carries the next, and what the second and later ones meet first is
   that with columns of the others behind; else −1. */
TD_INLINE int chain_from(const td_tree *tree, const td_clusters *clusters, size_t n)
{
    const td_cluster *cluster = &clusters->cluster[n];
    if (n + CHAIN_ROWS > clusters->count || simple_run(tree, clusters, n) < CHAIN_ROWS)
        return -1;
    const int b = clusters->body[cluster->first];
    const int i = clusters->coordinate[cluster->coordinate];
    const td_stretch *second = &clusters->stretch[clusters->outwards[b]];
    for (int r = 1; r < CHAIN_ROWS; r++) {
        const td_stretch *own = &clusters->stretch[clusters->outwards[b + r - 1]];
        if (tree->body[b + r].parent != b + r - 1 || own->column != second->column ||
            own->columns != second->columns + r - 1 ||
            clusters->coordinate[cluster[r].coordinate] != i + r)
            return -1;
    }
    if (cluster->outer < 0)
        return clusters->outwards[b];
    const int first = clusters->outwards[cluster->outer];
    return clusters->stretch[first].column == second->column ? first : -1;
}

static void differentiate_chain(const tangent_call *call, const td_cluster *cluster, int first)
{
    const td_clusters *clusters = call->clusters;
    const tangent_room *room = &call->room;
    const tangents *own = &room->own;
    const bool turning = own->turning;
    const row_place begin = row_of_simple(call, cluster);
    const td_stretch *stretch = &clusters->stretch[first];
    const int before = cluster->outer < 0 ? 0 : stretch->columns;
    column_range columns = columns_of(room, stretch, before);
    put_mirrors_of_chain(&columns, &begin, &call->out);
    for (int r = 0; r < CHAIN_ROWS; r++) {
        const row_place place = {begin.row + r, begin.apart, begin.i + (size_t)r};
        columns.count = before + r;
        put_row_entries(&columns, &place, turning, &call->out);
        put_diagonal(own, (size_t)(place.row - own->row), place.i, &call->out);
        const column_range within = {columns.columns + before, columns.apart, begin.i, r};
        put_mirrors(&within, &place, &call->out);
    }
    for (int at = clusters->point[stretch->column]; stretch->next >= 0;) {
        stretch = &clusters->stretch[stretch->next];
        columns = columns_of(room, stretch, stretch->columns);
        const int point = clusters->point[stretch->column];
        for (int r = 0; r < CHAIN_ROWS; r++) {
            const row_place place = {begin.row + r, begin.apart, begin.i + (size_t)r};
            row_part_shift(place.row, place.apart, sub(room->origin[at], room->origin[point]),
                           turning);
            put_row_entries(&columns, &place, turning, &call->out);
        }
        at = point;
        put_mirrors_of_chain(&columns, &begin, &call->out);
    }
}

/* Columns of a body of a cluster from those of its parent, its place in the cluster (−1: outside).
 */
static void start_columns(const tangent_call *call, int b, int n, int parent,
                          column_tangent *column)
{
    const vec3 arm = packed3_vec3(((const packed3 *)call->s->arm)[b]);
    const column_tangent none = {spatial_zero(), spatial_zero().angular, spatial_zero(),
                                 spatial_zero()};
    for (int a = 0; a < n; a++) {
        column[a] = parent < 0 ? none : call->room.column[parent * n + a];
        if (parent >= 0)
            column_shift(&column[a], arm);
    }
}

/* what velocity j of the tree, whose column is given, adds to the columns of its body */
static void add_columns(const tangent_call *call, int j, const column_tangent *own,
                        column_tangent *column)
{
    for (int e = call->pattern->row[j]; e < call->pattern->row[j + 1]; e++) {
        column_tangent *c = &column[call->clusters->local[call->pattern->column[e]]];
        const real G = call->G[e];
        c->S = spatial_add_scaled(c->S, G, own->S);
        c->P = add(c->P, scale_by(G, own->P));
        c->Q = spatial_add_scaled(c->Q, G, own->Q);
        c->R = spatial_add_scaled(c->R, G, own->R);
        if (!call->C)
            continue;
        c->P = add(c->P, scale_by(call->C[e], own->S.angular));
        c->Q = spatial_add_scaled(c->Q, call->B[e], own->S);
        c->R = spatial_add_scaled(c->R, call->C[e], own->Q);
        c->R = spatial_add_scaled(c->R, call->D[e], own->S);
    }
}

/* the row of velocity j of the tree as that of coordinate e of its row of G */
TD_INLINE row_tangent tangent_row_of_coordinate(const tangent_call *call, int e,
                                                const row_tangent *own)
{
    const real G = call->G[e];
    row_tangent row = {spatial_scale(G, own->t), spatial_scale(G, own->w),
                       spatial_scale(G, own->by_position), spatial_scale(G, own->by_rate),
                       scale_by(G, own->b)};
    if (!call->C)
        return row;
    row.by_position = spatial_add_scaled(row.by_position, call->C[e], own->by_rate);
    row.by_position = spatial_add_scaled(row.by_position, call->D[e], own->t);
    row.by_rate = spatial_add_scaled(row.by_rate, call->B[e], own->t);
    return row;
}

/* the same, referred to a point that is r farther back */
TD_INLINE void tangent_row_shift(row_tangent *row, vec3 r)
{
    row->t = force_shift(row->t, r);
    row->w = force_shift(row->w, r);
    row->by_position = force_shift(row->by_position, r);
    row->by_rate = force_shift(row->by_rate, r);
}

TD_INLINE void tangent_row_add(row_tangent *sum, const row_tangent *row)
{
    sum->t = spatial_add(sum->t, row->t);
    sum->w = spatial_add(sum->w, row->w);
    sum->by_position = spatial_add(sum->by_position, row->by_position);
    sum->by_rate = spatial_add(sum->by_rate, row->by_rate);
    sum->b = add(sum->b, row->b);
}

/* Coordinates from one on of a body's joint that move together: entries with the columns of the
   body, mirrors with those of the bodies before, which are what column begins with. */
static void differentiate_together(const tangent_call *call, const td_cluster *cluster, int j,
                                   int count, vec3 from_carrier, column_tangent *column)
{
    const tangents *own = &call->room.own;
    const int n = cluster->coordinates;
    const int *number = call->clusters->coordinate + cluster->coordinate;
    const int *of = call->pattern->row + j, *local = call->clusters->local;
    for (int e = of[0], k = 0; e < of[count]; e++) {
        while (e >= of[k + 1])
            k++;
        const int i = call->pattern->column[e];
        const row_tangent row = row_part(own->row + j + k, own->apart, own->turning);
        row_tangent moved = tangent_row_of_coordinate(call, e, &row);
        for (int a = 0; a < n; a++)
            add_mirrors(&call->out, (size_t)number[a], (size_t)i, column[a].S, &moved);
        tangent_row_shift(&moved, from_carrier);
        tangent_row_add(&call->room.row[local[i]], &moved);
    }
    for (int k = 0; k < count; k++) {
        const column_tangent c = column_part(own->part + j + k, own->apart);
        add_columns(call, j + k, &c, column);
    }
    for (int e = of[0], k = 0; e < of[count]; e++) {
        while (e >= of[k + 1])
            k++;
        const row_tangent row = row_part(own->row + j + k, own->apart, own->turning);
        for (int a = 0; a < n; a++)
            add_entries(&call->out, (size_t)call->pattern->column[e], (size_t)number[a], call->G[e],
                        &row, &column[a]);
    }
}

static void differentiate_coupled(const tangent_call *call, const td_cluster *cluster)
{
    const td_clusters *clusters = call->clusters;
    const tangent_room *room = &call->room;
    const int *member = clusters->body + cluster->first, n = cluster->coordinates;
    const row_tangent none = {spatial_zero(), spatial_zero(), spatial_zero(), spatial_zero(),
                              spatial_zero().angular};
    for (int a = 0; a < n; a++)
        room->row[a] = none;
    for (int i = 0; i < cluster->bodies; i++) {
        const int b = member[i];
        const td_body *body = &call->tree->body[b];
        column_tangent *column = room->column + i * n;
        int parent = i - 1;
        while (parent >= 0 && member[parent] != body->parent)
            parent--;
        const vec3 from_carrier = cluster->outer < 0
                                      ? spatial_zero().angular
                                      : sub(room->origin[b], room->origin[cluster->outer]);
        start_columns(call, b, n, parent, column);
        const int together = joint_is_sequence(body) ? 1 : body->nv;
        for (int k = 0; k < body->nv; k += together)
            differentiate_together(call, cluster, body->qd + k, together, from_carrier, column);
        if (clusters->column[b] >= 0)
            for (int a = 0; a < n; a++)
                keep_column(clusters, room, b, clusters->column[b] + a, column[a]);
    }
    for (int a = 0; cluster->outer >= 0 && a < n; a++) {
        real row[ROW_PARTS];
        const row_place place = {row, 1, (size_t)clusters->coordinate[cluster->coordinate + a]};
        put_row_part(row, 1, &room->row[a]);
        put_outwards(clusters, room, cluster->outer, cluster->outer, &place, room->own.turning,
                     &call->out);
    }
}

static void rnea_derivatives(const td_tree *tree, const td_clusters *clusters, const td_scratch *s,
                             const td_csr *G, const td_reals *velocity_y,
                             const td_reals *acceleration_y, const td_reals *acceleration_yd,
                             const td_reals *qd, const td_reals *qdd, int loaded,
                             const double *wrenches, int frame, td_reals *by_position,
                             td_reals *by_rate, td_reals *mass)
{
    td_scope(s->stack, rnea_derivatives);
    tangent_call call = {
        .tree = tree,
        .clusters = clusters,
        .s = s,
        .qd = qd,
        .qdd = qdd,
        .pattern = G,
        .G = s->G,
        .C = velocity_y,
        .D = acceleration_y,
        .B = acceleration_yd,
        .room = tangent_take(s->stack, tree, clusters),
        .out = {by_position, by_rate, mass, G ? (size_t)G->columns : tree->nv},
    };
    real *const matrix[] = {by_position, by_rate, mass};
    for (int k = 0; k < 3; k++)
        if (matrix[k])
            clear(matrix[k], call.out.n * call.out.n);
    find_carried(tree, s, loaded, call.room.carries);
    find_tangents(tree, s, call.room.carries, &call.room.own, qd, qdd);
    call.room.own.turning = wrenches && frame != TD_AT_BODY;
    if (call.room.own.turning) {
        find_kept_directions(tree, s, wrenches, frame, call.room.own.kept);
        add_kept_directions(tree, &call.room.own);
    }
    find_origins(tree, s, call.room.origin);
    keep_plain(tree, clusters, &call.room, call.room.own.turning);
    for (size_t n = 0; n < clusters->count; n++) {
        const td_cluster *cluster = &clusters->cluster[n];
        int first;
        if (!cluster->plain) {
            differentiate_coupled(&call, cluster);
        } else if (cluster->coordinates > 1) {
            differentiate_plain(&call, cluster);
        } else if ((first = chain_from(tree, clusters, n)) >= 0) {
            differentiate_chain(&call, cluster, first);
            n += CHAIN_ROWS - 1;
        } else {
            differentiate_simple(&call, cluster);
        }
    }
}
