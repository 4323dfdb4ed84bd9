/* SPDX-License-Identifier: MIT */
/*
 * Derivatives of inverse dynamics (Singh, Russell and Wensing 2022, related to Carpentier and
 * Mansard 2018), over clusters of bodies with coupled coordinates. Let the body of coordinate j
 * support coordinate i. I, B and f are sums over all bodies that i moves (B as in
 * kernel/tree/coriolis.c); columns are defined in column_tangent.h.
 *
 *   ∂τ_i/∂y_j = Sᵢᵀ (2 B P_j + I R_j),   ∂τ_j/∂y_i = S_jᵀ (2 B P_i + I R_i + Sᵢ ×* f)
 *   ∂τ_i/∂ẏ_j = Sᵢᵀ (2 B S_j + I Q_j),   ∂τ_j/∂ẏ_i = S_jᵀ (2 B S_i + I Q_i)
 *   H_ij = Sᵢᵀ I S_j.
 *
 * A coordinate of a cluster moves each of the cluster's bodies by sums over the supporting joints
 * k:
 *
 *   S = Σ S_k G_k,   P = Σ P_k G_k + S_k C_k,   Q = Σ Q_k G_k + S_k B_k,
 *   R = Σ R_k G_k + Q_k C_k + S_k D_k.
 *
 * C = ∂(Gẏ)/∂y, D = ∂(Gÿ + g)/∂y and B = ∂g/∂ẏ belong to the closure and vanish for linear
 * couplings. A subtree outside a cluster is attached to one of its bodies and depends only on the
 * columns of this body. So there are no more pairs than for the coordinates of y. The number of
 * operations is O(coordinates · depth), and bodies · coordinates² within each cluster.
 *
 * The result excludes ∂(Gᵀτ)/∂y at fixed τ, which the closure adds.
 */
#include "kernel/tree/tangent_room.h"

/* ---- clusters -------------------------------------------------------------------------------- */

typedef struct tangent_call {
    const td_tree *tree;
    const td_clusters *clusters;
    const td_scratch *s;
    const real *qd, *qdd;
    const td_csr *pattern;     /* of the next four; NULL in the coordinates of the tree */
    const real *G, *C, *D, *B; /* C and B NULL: zero; D NULL: not wanted */
    tangent_room room;
    tangent_matrices out;
} tangent_call;

/* Differentiates a body with several coordinates and no couplings. */
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

/* Stores the precomputed diagonal entries of a joint with one coordinate. */
TD_INLINE void put_diagonal(const tangents *own, size_t j, size_t i, const tangent_matrices *out)
{
    const real *at = own->part + j;
    if (out->by_position)
        out->by_position[i * (out->n + 1)] = at[OWN_BY_POSITION * own->apart];
    if (out->by_rate)
        out->by_rate[i * (out->n + 1)] = at[OWN_BY_RATE * own->apart];
    if (out->mass)
        *mass_entry(out, i, i) = at[OWN_MASS * own->apart];
}

/* Returns the row of a plain cluster with one coordinate. It is about the point of the first
   columns that it is multiplied with. */
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

/* Returns how many clusters from number n on form a chain, up to CHAIN_ROWS. All of them use the
   same first run of columns; the columns of the chain itself follow it. */
TD_INLINE int chain_rows_from(const td_tree *tree, const td_clusters *clusters, size_t n)
{
    const td_cluster *cluster = &clusters->cluster[n];
    const int b = clusters->body[cluster->first], run = (int)simple_run(tree, clusters, n);
    const int i = clusters->coordinate[cluster->coordinate];
    const td_stretch *second = &clusters->stretch[clusters->outwards[b]];
    const int first = first_stretch(clusters, cluster->outer);
    if (first >= 0 && clusters->stretch[first].column != second->column)
        return 1;
    int rows = 1;
    while (rows < run) {
        const td_stretch *own = &clusters->stretch[clusters->outwards[b + rows - 1]];
        if (tree->body[b + rows].parent != b + rows - 1 || own->column != second->column ||
            own->columns != second->columns + rows - 1 ||
            clusters->coordinate[cluster[rows].coordinate] != i + rows)
            break;
        rows++;
    }
    return rows;
}

static void differentiate_chain(const tangent_call *call, const td_cluster *cluster, int rows)
{
    const td_clusters *clusters = call->clusters;
    const tangent_room *room = &call->room;
    const tangents *own = &room->own;
    const bool turning = own->turning;
    const row_place begin = row_of_simple(call, cluster);
    const int first = first_stretch(clusters, cluster->outer);
    const int own_first = clusters->outwards[clusters->body[cluster->first]];
    const td_stretch *stretch = &clusters->stretch[first < 0 ? own_first : first];
    const int before = first < 0 ? 0 : stretch->columns;
    column_range columns = columns_of(room, stretch, before);
    put_mirrors_of_chain(&columns, &begin, rows, &call->out);
    for (int r = 0; r < rows; r++) {
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
        for (int r = 0; r < rows; r++) {
            const row_place place = {begin.row + r, begin.apart, begin.i + (size_t)r};
            row_part_shift(place.row, place.apart, sub(room->origin[at], room->origin[point]),
                           turning);
            put_row_entries(&columns, &place, turning, &call->out);
        }
        at = point;
        put_mirrors_of_chain(&columns, &begin, rows, &call->out);
    }
}

/* Initializes the columns of a cluster's body from its parent's. parent: the parent's index in the
   cluster (−1: outside). */
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

/* Adds velocity j of the tree, with its column, to the columns of its body. */
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
        if (call->D)
            c->R = spatial_add_scaled(c->R, call->D[e], own->S);
    }
}

/* Converts the row of velocity j of the tree to a row of coordinate e of row j of G. */
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
    if (call->D)
        row.by_position = spatial_add_scaled(row.by_position, call->D[e], own->t);
    row.by_rate = spatial_add_scaled(row.by_rate, call->B[e], own->t);
    return row;
}

/* Moves the reference point of a row by −r. */
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

/* Differentiates count coordinates, from j on, of a body's joint that act together. Entries use the
   columns of the body. Mirrors use the columns of earlier bodies, the initial contents of
   column. */
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
        const int parent = body->parent == cluster->outer ? -1 : clusters->place[body->parent];
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
                             const td_closure_changes *closure, const td_motion_inputs *in,
                             const td_force_derivatives *out)
{
    td_scope(s->stack, rnea_derivatives);
    tangent_call call = {
        .tree = tree,
        .clusters = clusters,
        .s = s,
        .qd = in->qd,
        .qdd = in->qdd,
        .pattern = closure->G,
        .G = s->G,
        .C = closure->velocity_y,
        .D = closure->acceleration_y,
        .B = closure->acceleration_yd,
        .room = tangent_take(s->stack, tree, clusters),
        .out = {out->by_position, out->by_rate, out->mass, out->pattern, out->pattern->size},
    };
    if (out->by_position)
        clear(out->by_position, call.out.n * call.out.n);
    if (out->by_rate)
        clear(out->by_rate, call.out.n * call.out.n);
    if (out->mass)
        clear(out->mass, out->pattern->entries);
    find_carried(tree, s, in->loaded, call.room.carries);
    find_tangents(tree, s, call.room.carries, &call.room.own, in->qd, in->qdd);
    call.room.own.turning = in->wrenches && in->frame != TD_AT_BODY;
    if (call.room.own.turning) {
        find_kept_directions(tree, s, in->wrenches, in->frame, call.room.own.kept);
        add_kept_directions(tree, &call.room.own);
    }
    find_origins(tree, s, call.room.origin);
    keep_plain(tree, clusters, &call.room, call.room.own.turning);
    for (size_t n = 0; n < clusters->count; n++) {
        const td_cluster *cluster = &clusters->cluster[n];
        if (!cluster->plain) {
            differentiate_coupled(&call, cluster);
            continue;
        }
        if (cluster->coordinates > 1) {
            differentiate_plain(&call, cluster);
            continue;
        }
        const int rows = call.out.n < CHAIN_ROWS ? 1 : chain_rows_from(tree, clusters, n);
        if (rows > 1)
            differentiate_chain(&call, cluster, rows);
        else
            differentiate_simple(&call, cluster);
        n += (size_t)rows - 1;
    }
}
