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

/* The columns of bodies that carry, as arrays: entry c of part k is at[k * apart + c]. */
enum { PART_S = 0, PART_P = 6, PART_Q = 9, PART_R = 15, COLUMN_PARTS = 21 };

typedef struct tangent_room {
    vec3 *origin; /* per body: its origin from that of the first body on its way from the root */
    carried_force *carried; /* per body */
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
    r.origin = td_take(stack, vec3, tree->bodies);
    r.carried = td_take(stack, carried_force, tree->bodies);
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

/* ---- what bodies carry ----------------------------------------------------------------------- */

/* A wrench on a link in world axes, which keeps its direction, at a point that moves with the link
   or (in the world's frame) stays. */
static void add_wrench(const td_tree *tree, const td_scratch *s, size_t k, const double *w,
                       int frame, carried_force *body)
{
    const td_link_frame *link = &tree->link[k];
    const mat3 R = rotation_in((const axes *)s->pose + link->body);
    const vec3 n = vec3_splat((td_vec3){w[0], w[1], w[2]});
    const vec3 f = vec3_splat((td_vec3){w[3], w[4], w[5]});
    if (frame == TD_AT_WORLD) {
        const vec3 at = origin_in((const axes *)s->pose + link->body);
        const mat3 turned = skew(sub(n, cross(at, f)));
        body->turning.A = mat_sub(body->turning.A, turned);
        body->g = add(body->g, f);
    } else { /* α × n + p × (α × f) */
        const vec3 p = rotate_k(&R, link->position);
        const product turning = {mat_scale(-1, skew(n)), f};
        const product at_body = product_shift(&turning, p);
        body->turning.A = mat_add(body->turning.A, at_body.A);
    }
    body->turning.p = add(body->turning.p, f);
}

/* I ω̇ and so on of each body, less what acts on it, and its Coriolis factor */
static void start_carried(const td_tree *tree, const td_scratch *s, int loaded,
                          carried_force *carried)
{
    const vec3 none = vec3_splat((td_vec3){0, 0, 0});
    const mat3 no_matrix = skew(none);
    const body_motion *m = s->motion;
    const inertia *own = s->inertia;
    const spatial *wrench = s->wrench;
    const spatial world = world_acceleration(tree);
    product *B = s->product;
    for (size_t i = 0; i < tree->bodies; i++) {
        const screw a = screw_of(spatial_add(m[i].acceleration, world));
        const packed3 w = packed3_of(m[i].velocity.angular);
        B[i] = product_of(tree->body[i].mass, &own[i], m[i].velocity);
        carried[i] = (carried_force){
            screw_spatial(inertial_force(tree->body[i].mass, &own[i], w, &a)),
            {no_matrix, none},
            none,
        };
        if (!loaded)
            continue;
        const mat3 R = rotation_in((const axes *)s->pose + i);
        carried[i].force = spatial_sub(carried[i].force, (spatial){rotate(&R, wrench[i].angular),
                                                                   rotate(&R, wrench[i].linear)});
    }
}

/* of a body and of all below it */
static void sum_carried(const td_tree *tree, const td_scratch *s, bool turning,
                        carried_force *carried)
{
    const packed3 *arm = s->arm;
    product *B = s->product;
    for (size_t i = tree->bodies; i-- > 0;) {
        const int parent = tree->body[i].parent;
        if (parent < 0)
            continue;
        const vec3 r = packed3_vec3(arm[i]);
        const product up = product_shift(&B[i], r);
        carried_force *sum = &carried[parent];
        B[parent] = product_sum(&B[parent], &up);
        sum->force = spatial_add(sum->force, force_shift(carried[i].force, r));
        if (!turning)
            continue;
        /* (v + α × r) × g = v × g − g × (α × r) */
        product turned = product_shift(&carried[i].turning, r);
        turned.A = mat_sub(turned.A, cross_of_cross(carried[i].g, r));
        sum->turning = product_sum(&sum->turning, &turned);
        sum->g = add(sum->g, carried[i].g);
    }
}

static void find_carried(const td_tree *tree, const td_scratch *s, int loaded,
                         const double *wrenches, int frame, const tangent_room *room)
{
    const packed3 *arm = s->arm;
    const bool turning = wrenches && frame != TD_AT_BODY;
    start_carried(tree, s, loaded, room->carried);
    for (size_t k = 0; turning && k < tree->links; k++)
        if (tree->link[k].body >= 0)
            add_wrench(tree, s, k, wrenches + 6 * k, frame, &room->carried[tree->link[k].body]);
    sum_carried(tree, s, turning, room->carried);
    for (size_t i = 0; i < tree->bodies; i++) {
        const int parent = tree->body[i].parent;
        room->origin[i] = parent < 0 ? vec3_splat((td_vec3){0, 0, 0})
                                     : add(room->origin[parent], packed3_vec3(arm[i]));
    }
}

/* ---- joints ---------------------------------------------------------------------------------- */

/* the columns of a body's own joint, about the body's origin */
TD_INLINE void joint_tangents(const td_tree *tree, const td_scratch *s, size_t i, const real *qd,
                              const real *qdd, column_tangent *out)
{
    const td_body *body = &tree->body[i];
    const body_motion *m = s->motion;
    const bool in_sequence = joint_is_sequence(body);
    joint_column_motion own[MOST_JOINT_VELOCITIES];
    joint_column_motions(tree, s, i, qd, own);
    spatial a = world_acceleration(tree);
    if (body->parent >= 0) { /* of the parent, at the body's origin: spatial, not classical */
        const body_motion *before = &m[body->parent];
        a = spatial_add(
            a, motion_shift(before->acceleration, packed3_vec3(((const packed3 *)s->arm)[i])));
        a.linear = sub(a.linear, cross(before->velocity.angular, before->velocity.linear));
    }
    for (int k = 0; k < body->nv; k++) {
        const spatial S = own[k].S, P = own[k].P;
        const spatial rate = body->nv == 1 || in_sequence ? P : motion_cross(m[i].velocity, S);
        out[k] = (column_tangent){S, P.angular, spatial_add(P, rate),
                                  spatial_add(motion_cross(a, S), motion_cross(own[k].v, P))};
        if (in_sequence)
            a = spatial_add_scaled(spatial_add_scaled(a, qdd[body->qd + k], S), qd[body->qd + k],
                                   P);
    }
}

/* the row of a column, about the body's origin */
TD_INLINE row_tangent tangent_row_of(const td_scratch *s, const td_body *body, size_t i,
                                     const inertia *total, const carried_force *carried,
                                     const column_tangent *c)
{
    const product *B = (const product *)s->product + i;
    const spatial by_S = product_apply(B, c->S.angular), by_P = product_apply(B, c->P);
    row_tangent row = {
        .t = momentum_of(body->subtree, total, c->S),
        .b = scale(2, product_apply_transposed(B, c->S)),
    };
    row.by_rate = spatial_add(momentum_of(body->subtree, total, c->Q), spatial_add(by_S, by_S));
    row.by_position = spatial_add(momentum_of(body->subtree, total, c->R), spatial_add(by_P, by_P));
    row.by_position = spatial_add(row.by_position, force_cross(c->S, carried->force));
    row.w = spatial_zero();
    return row;
}

/* what wrenches add that keep their directions */
TD_INLINE void row_add_turning(row_tangent *row, const carried_force *carried, spatial S)
{
    const spatial turned = product_apply(&carried->turning, S.angular);
    row->by_position = spatial_add(row->by_position, turned);
    row->by_position.angular = add(row->by_position.angular, cross(S.linear, carried->g));
    row->w =
        (spatial){product_apply_transposed(&carried->turning, S), cross(carried->g, S.angular)};
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

/* a force broadcast, and its product with columns from one on */
typedef struct strip_force {
    strip n[3], f[3];
} strip_force;

TD_INLINE strip_force strip_force_of(spatial x)
{
    return (strip_force){
        {strip_splat(x.angular.x), strip_splat(x.angular.y), strip_splat(x.angular.z)},
        {strip_splat(x.linear.x), strip_splat(x.linear.y), strip_splat(x.linear.z)}};
}

TD_INLINE strip angular_on(const strip n[3], const real *part, size_t apart)
{
    return n[0] * strip_load(part) + n[1] * strip_load(part + apart) +
           n[2] * strip_load(part + 2 * apart);
}

TD_INLINE strip force_on(const strip_force *x, const real *part, size_t apart)
{
    return angular_on(x->n, part, apart) + angular_on(x->f, part + 3 * apart, apart);
}

/* the first count of a strip, next to each other or so far apart */
TD_INLINE void put(real *x, strip a, int count, size_t apart)
{
#if TD_STRIP > 1
    if (apart == 1 && count >= TD_STRIP) {
        strip_store(x, a, TD_STRIP);
        return;
    }
    for (int k = 0; k < count && k < TD_STRIP; k++)
        x[(size_t)k * apart] = a[k];
#else
    (void)count, (void)apart;
    *x = a;
#endif
}

/* The entries of a row and of the columns of a stretch: those of the row's coordinate side by side,
   and their mirrors one below the other. */
TD_INLINE void put_stretch(const tangent_room *room, const td_stretch *stretch,
                           const row_tangent *row, int coordinate, bool turning,
                           const tangent_matrices *out)
{
    const size_t apart = room->apart, n = out->n;
    const strip_force t = strip_force_of(row->t), w = strip_force_of(row->w);
    const strip b[3] = {strip_splat(row->b.x), strip_splat(row->b.y), strip_splat(row->b.z)};
    const strip_force by_position = strip_force_of(row->by_position);
    const strip_force by_rate = strip_force_of(row->by_rate);
    const size_t i = (size_t)coordinate, first = (size_t)stretch->coordinate;
    const real *columns = room->columns + stretch->column;
    for (int k = 0; k < stretch->columns; k += TD_STRIP, columns += TD_STRIP) {
        const int count = stretch->columns - k;
        const size_t j = first + (size_t)k;
        const real *S = columns + PART_S * apart, *Q = columns + PART_Q * apart;
        if (out->by_position) {
            strip x = angular_on(b, columns + PART_P * apart, apart) +
                      force_on(&t, columns + PART_R * apart, apart);
            if (turning)
                x += force_on(&w, S, apart);
            put(out->by_position + i * n + j, x, count, 1);
            put(out->by_position + j * n + i, force_on(&by_position, S, apart), count, n);
        }
        if (out->by_rate) {
            put(out->by_rate + i * n + j, angular_on(b, S, apart) + force_on(&t, Q, apart), count,
                1);
            put(out->by_rate + j * n + i, force_on(&by_rate, S, apart), count, n);
        }
        if (out->mass) {
            const strip x = force_on(&t, S, apart);
            put(out->mass + i * n + j, x, count, 1);
            put(out->mass + j * n + i, x, count, n);
        }
    }
}

/* a row, about the origin of the body that carries its cluster, and all columns from there to the
   world */
TD_INLINE void put_outwards(const td_clusters *clusters, const tangent_room *room, int carrier,
                            row_tangent row, int coordinate, bool turning,
                            const tangent_matrices *out)
{
    int at = carrier;
    for (int k = clusters->outwards[carrier]; k >= 0; k = clusters->stretch[k].next) {
        const td_stretch *stretch = &clusters->stretch[k];
        const int point = clusters->point[stretch->column];
        if (point != at)
            row_shift(&row, sub(room->origin[at], room->origin[point]));
        at = point;
        put_stretch(room, stretch, &row, coordinate, turning, out);
    }
}

/* The columns of a body that carries others, each about the origin of its stretch. */
static void keep_columns(const td_clusters *clusters, const tangent_room *room, int b,
                         const column_tangent *columns, int count)
{
    const size_t apart = room->apart;
    for (int k = 0; k < count; k++) {
        const int at = clusters->column[b] + k;
        column_tangent c = columns[k];
        if (clusters->point[at] != b)
            column_shift(&c, sub(room->origin[clusters->point[at]], room->origin[b]));
        const vec3 parts[] = {c.S.angular, c.S.linear,  c.P,       c.Q.angular,
                              c.Q.linear,  c.R.angular, c.R.linear};
        real *to = room->columns + at;
        for (size_t part = 0; part < sizeof parts / sizeof *parts; part++, to += 3 * apart)
            to[0] = parts[part].x, to[apart] = parts[part].y, to[2 * apart] = parts[part].z;
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
    bool turning;              /* there are wrenches that do not turn with their links */
    tangent_room room;
    tangent_matrices out;
} tangent_call;

/* the rows of a body's joint, about its origin */
TD_INLINE void joint_rows(const tangent_call *call, size_t b, const column_tangent *own,
                          row_tangent *row)
{
    const td_body *body = &call->tree->body[b];
    const carried_force *carried = &call->room.carried[b];
    const inertia total = composite_at(call->s, b);
    for (int k = 0; k < body->nv; k++) {
        row[k] = tangent_row_of(call->s, body, b, &total, carried, &own[k]);
        if (call->turning)
            row_add_turning(&row[k], carried, own[k].S);
    }
}

/* a body to whose joint's coordinates nothing is coupled */
TD_INLINE void differentiate_plain(const tangent_call *call, const td_cluster *cluster)
{
    const td_clusters *clusters = call->clusters;
    const tangent_matrices *out = &call->out;
    const int b = clusters->body[cluster->first];
    const td_body *body = &call->tree->body[b];
    const size_t first = (size_t)clusters->coordinate[cluster->coordinate];
    const vec3 back = packed3_vec3(((const packed3 *)call->s->arm)[b]);
    column_tangent own[MOST_JOINT_VELOCITIES];
    row_tangent row[MOST_JOINT_VELOCITIES];
    joint_tangents(call->tree, call->s, (size_t)b, call->qd, call->qdd, own);
    joint_rows(call, (size_t)b, own, row);
    if (clusters->column[b] >= 0)
        keep_columns(clusters, &call->room, b, own, body->nv);
    for (int k = 0; k < body->nv; k++) {
        for (int j = 0; j < body->nv; j++) {
            if (!joint_is_sequence(body) || j <= k)
                add_entries(out, first + (size_t)k, first + (size_t)j, splat(1), &row[k], &own[j]);
            if (joint_is_sequence(body) && j < k)
                add_mirrors(out, first + (size_t)j, first + (size_t)k, own[j].S, &row[k]);
        }
        if (cluster->outer < 0)
            continue;
        row_shift(&row[k], back);
        put_outwards(clusters, &call->room, cluster->outer, row[k], (int)first + k, call->turning,
                     out);
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
                                   int count, vec3 from_carrier, const column_tangent *own,
                                   const row_tangent *row, column_tangent *column)
{
    const int n = cluster->coordinates;
    const int *number = call->clusters->coordinate + cluster->coordinate;
    const int *of = call->pattern->row + j, *local = call->clusters->local;
    for (int e = of[0], k = 0; e < of[count]; e++) {
        while (e >= of[k + 1])
            k++;
        const int i = call->pattern->column[e];
        row_tangent moved = tangent_row_of_coordinate(call, e, &row[k]);
        for (int a = 0; a < n; a++)
            add_mirrors(&call->out, (size_t)number[a], (size_t)i, column[a].S, &moved);
        row_shift(&moved, from_carrier);
        tangent_row_add(&call->room.row[local[i]], &moved);
    }
    for (int k = 0; k < count; k++)
        add_columns(call, j + k, &own[k], column);
    for (int e = of[0], k = 0; e < of[count]; e++) {
        while (e >= of[k + 1])
            k++;
        for (int a = 0; a < n; a++)
            add_entries(&call->out, (size_t)call->pattern->column[e], (size_t)number[a], call->G[e],
                        &row[k], &column[a]);
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
        column_tangent own[MOST_JOINT_VELOCITIES], *column = room->column + i * n;
        row_tangent row[MOST_JOINT_VELOCITIES];
        int parent = i - 1;
        while (parent >= 0 && member[parent] != body->parent)
            parent--;
        const vec3 from_carrier = cluster->outer < 0
                                      ? spatial_zero().angular
                                      : sub(room->origin[b], room->origin[cluster->outer]);
        joint_tangents(call->tree, call->s, (size_t)b, call->qd, call->qdd, own);
        joint_rows(call, (size_t)b, own, row);
        start_columns(call, b, n, parent, column);
        const int together = joint_is_sequence(body) ? 1 : body->nv;
        for (int k = 0; k < body->nv; k += together)
            differentiate_together(call, cluster, body->qd + k, together, from_carrier, own + k,
                                   row + k, column);
        if (clusters->column[b] >= 0)
            keep_columns(clusters, room, b, column, n);
    }
    for (int a = 0; cluster->outer >= 0 && a < n; a++)
        put_outwards(clusters, room, cluster->outer, room->row[a],
                     clusters->coordinate[cluster->coordinate + a], call->turning, &call->out);
}

static void rnea_derivatives(const td_tree *tree, const td_clusters *clusters, const td_scratch *s,
                             const td_csr *G, const td_reals *velocity_y,
                             const td_reals *acceleration_y, const td_reals *acceleration_yd,
                             const td_reals *qd, const td_reals *qdd, int loaded,
                             const double *wrenches, int frame, td_reals *by_position,
                             td_reals *by_rate, td_reals *mass)
{
    td_scope(s->stack, rnea_derivatives);
    const tangent_call call = {
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
        .turning = wrenches && frame != TD_AT_BODY,
        .room = tangent_take(s->stack, tree, clusters),
        .out = {by_position, by_rate, mass, G ? (size_t)G->columns : tree->nv},
    };
    real *const matrix[] = {by_position, by_rate, mass};
    for (int k = 0; k < 3; k++)
        if (matrix[k])
            clear(matrix[k], call.out.n * call.out.n);
    find_carried(tree, s, loaded, wrenches, frame, &call.room);
    for (size_t n = 0; n < clusters->count; n++) {
        const td_cluster *cluster = &clusters->cluster[n];
        if (cluster->plain)
            differentiate_plain(&call, cluster);
        else
            differentiate_coupled(&call, cluster);
    }
}
