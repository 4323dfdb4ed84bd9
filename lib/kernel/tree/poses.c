/* SPDX-License-Identifier: MIT */
/*
 * Forward kinematics: the pose of every body and link in the world, the centre of mass, and
 * external wrenches turned from the frame they are given in to that of the bodies.
 */

typedef struct pose {
    mat3 R; /* x_world = R x_body + p */
    vec3 p;
} pose;

TD_INLINE pose pose_at(const axes *P)
{
    return (pose){rotation_in(P), origin_in(P)};
}

/* ---- bodies -------------------------------------------------------------------------------- */

/* The bodies from the root to one, and where the sines and cosines of their angles begin. */
typedef struct path {
    const int *body, *sines;
    size_t bodies, times;
} path;

/* The scratch keeps the last one: the same link is asked for again and again. */
static void find_path(const td_tree *tree, int *kept, int tip)
{
    int *body = kept + TD_PATH_LISTS, *sines = body + tree->bodies, count = 0, times = 0;
    for (int b = tip; b >= 0; b = tree->body[b].parent)
        count++;
    kept[TD_PATH_TIP] = tip;
    kept[TD_PATH_BODIES] = count;
    for (int b = tip; b >= 0; b = tree->body[b].parent)
        body[--count] = b;
    for (int k = 0; k < kept[TD_PATH_BODIES]; k++) {
        const int angle = tree->body[body[k]].angle, start = angle / TD_SINES * TD_SINES;
        if (angle >= 0 && (times == 0 || sines[times - 1] != start))
            sines[times++] = start;
    }
    kept[TD_PATH_TIMES] = times;
}

TD_INLINE path path_to(const td_tree *tree, const td_scratch *s, int tip)
{
    int *kept = s->path, *body = kept + TD_PATH_LISTS;
    if (kept[TD_PATH_TIP] != tip)
        find_path(tree, kept, tip);
    return (path){body, body + tree->bodies, (size_t)kept[TD_PATH_BODIES],
                  (size_t)kept[TD_PATH_TIMES]};
}

/* The axes of a body from those it has at q = 0, its origin against its parent's in both: one that
   turns or slides, and any. */
TD_INLINE axes turned_or_slid(const td_body *body, const td_scratch *s, const real *q, axes A)
{
    const real *sine = s->sine, *cosine = s->cosine;
    if (body->motion == TD_MOTION_REVOLUTE)
        return axes_turn_about_z(A, sine[body->angle], cosine[body->angle]);
    A.p = col_add(A.p, col_scale(q[body->q], A.z));
    return A;
}

TD_INLINE axes moved(const td_body *body, const td_scratch *s, const real *q, axes A)
{
    const real *sine = s->sine, *cosine = s->cosine, *at = q + body->q;
    if (body->motion == TD_MOTION_REVOLUTE || body->motion == TD_MOTION_PRISMATIC)
        return turned_or_slid(body, s, q, A);
    if (body->motion == TD_MOTION_FLOATING) {
        const mat3 E = quaternion_transposed(at + 3); /* its rows are the columns of the rotation */
        return (axes){axes_turn(&A, E.xx, E.xy, E.xz), axes_turn(&A, E.yx, E.yy, E.yz),
                      axes_turn(&A, E.zx, E.zy, E.zz),
                      col_add(A.p, axes_turn(&A, at[0], at[1], at[2]))};
    }
    A.p = col_add(A.p, col_add(col_scale(at[0], A.x), col_scale(at[1], A.y)));
    return axes_turn_about_z(A, sine[body->angle], cosine[body->angle]);
}

/* with its origin in the world; arms: the one to it is kept */
TD_INLINE axes from_parent(const td_scratch *s, size_t i, const axes *parent, bool arms, axes A)
{
    arrow *arm = s->arm;
    if (arms)
        arm[i] = arrow_col(&A.p);
    A.p = col_add(A.p, parent->p);
    return A;
}

/* What is constant comes first, of numbers from memory, and what came of it turns or moves. */
TD_INLINE axes pose_on(const td_tree *tree, const td_scratch *s, const real *q, size_t i,
                       const axes *parent, bool arms)
{
    return from_parent(s, i, parent, arms,
                       moved(&tree->body[i], s, q, axes_times_k(parent, &tree->body_at_zero[i])));
}

#if defined(TD_REAL_LANES)

TD_INLINE col3 axes_get(const axes *P, int k)
{
    return k == 0 ? P->x : k == 1 ? P->y : P->z;
}

/* In lanes, where the product with a constant is dear: the axes of most bodies are their parent's
   by other names. From the parent's to the body's. */
TD_INLINE void pose_by_names(const td_tree *tree, const td_scratch *s, const real *q, size_t i,
                             bool arms, axes *last, td_manner names)
{
    const td_body *body = &tree->body[i];
    const td_vec3 r = body->position;
    const axes parent = *last;
    if (names == TD_MANNER_OTHER) {
        *last = pose_on(tree, s, q, i, &parent, arms);
        return;
    }
    const manner_names *as = &names_by[names];
    const axes at_zero = {axes_get(&parent, as->x), axes_get(&parent, as->y),
                          col_scale(splat(as->sign), axes_get(&parent, as->z)),
                          axes_turn(&parent, splat(r.x), splat(r.y), splat(r.z))};
    *last = from_parent(s, i, &parent, arms, turned_or_slid(body, s, q, at_zero));
}

#endif

/* Of all bodies, or of those of a path; the world is a body like others. The last body stays in
   registers: memory takes longer to give it back. */
TD_INLINE void chain_poses(const td_tree *tree, const td_scratch *s, const real *q,
                           const path *along, bool arms)
{
    const axes world = axes_splat(&own_axes);
    axes *body = s->pose, last = world;
    const size_t count = along ? along->bodies : tree->bodies;
    for (size_t k = 0; k < count; k++) {
        const size_t i = along ? (size_t)along->body[k] : k;
        const int parent = tree->body[i].parent;
        if (parent < 0)
            last = world;
        else if (!along && (size_t)parent + 1 != i)
            last = body[parent];
#if defined(TD_REAL_LANES)
        by_manner(tree->body[i].names, pose_by_names, tree, s, q, i, arms, &last);
#else
        last = pose_on(tree, s, q, i, &last, arms);
#endif
        body[i] = last;
    }
}

static void poses(const td_tree *tree, const td_scratch *s, const void *q, int link, int arms)
{
    path along = {.bodies = tree->bodies};
    if (link >= 0)
        along = path_to(tree, s, tree->link[link].body);
    if (along.bodies == tree->bodies) {
        find_sines(tree, s, q);
        if (arms)
            chain_poses(tree, s, q, NULL, true);
        else
            chain_poses(tree, s, q, NULL, false);
        return;
    }
    real_sincos_some(along.times, along.sines, q, tree->angle_q, s->sine, s->cosine);
    chain_poses(tree, s, q, &along, true);
}

/* ---- links --------------------------------------------------------------------------------- */

TD_INLINE real sum_of_4(const real *x)
{
    return (x[0] + x[1]) + (x[2] + x[3]);
}

/* Where what is written goes: 12 reals in a row, or rows of doubles, one for each lane. */
typedef struct outlet {
    real *reals;
    double *at[TD_LANE_COUNT];
    size_t columns, rows;
} outlet;

/* Axes, and their sum where they go to rows. What goes to a lane is written at once: memory takes
   vectors that are not aligned faster one behind the other. */
TD_INLINE real put_axes(const outlet *to, axes P)
{
    real row[12];
    if (to->reals) {
        axes_store(to->reals, P);
        return splat(0);
    }
    axes_store(row, P);
#if defined(TD_REAL_LANES)
    if (to->rows == TD_LANE_COUNT) {
        const real sum = sum_of_4(row) + sum_of_4(row + 4) + sum_of_4(row + 8);
        for (int i = 0; i < 12; i += TD_LINE)
            wide_transpose(row + i);
        for (size_t k = 0; k < TD_LINE; k++) {
            double *one = to->at[k], *other = to->at[TD_LANE_COUNT - TD_LINE + k];
            size_t i = 0;
            for (; i + 2 * TD_LINE <= 12; i += 2 * TD_LINE)
                lines_to_both(one + i, other + i, row[i + k], row[i + TD_LINE + k]);
            if (i < 12)
                lines_to(one + i, other + i, row[i + k]);
        }
        return sum;
    }
#endif
    return store_run(to->at[0], to->columns, row, 12, to->rows);
}

TD_INLINE col3 link_axis(const td_link_frame *link, const axes *body, int k)
{
    return col_scale(splat(link->sign[k]),
                     *axes_column(body, (size_t)link->axis[k] * sizeof(col3)));
}

/* The columns that a manner names: how far behind the first, for axes_column. */
typedef struct manner_columns {
    size_t x, y, z;
} manner_columns;

#define TD_COLUMNS(manner, x, y, z, sign)                                                          \
    [manner] = {(x) * sizeof(col3), (y) * sizeof(col3), (z) * sizeof(col3)},
static const manner_columns columns_by[] = {TD_MANNERS(TD_COLUMNS)};
#undef TD_COLUMNS

/* The pose of a link likewise. Most links are where their joint is, its axis x, y or z; in lanes,
   where the product with a constant is dear, axes that point backwards and turns about z are told
   as well, and whether the former are where the body is. Every case puts its own, so that it stays
   in registers. */
TD_INLINE real put_link(const td_tree *tree, const td_scratch *s, size_t k, const outlet *to)
{
    const td_link_frame *link = &tree->link[k];
    const td_placement *K = &tree->link_placement[k];
    if (link->body < 0)
        return put_axes(to, axes_splat(K));
    const axes *body = (const axes *)s->pose + link->body;
    if (link->names != TD_MANNER_OTHER) {
        const manner_columns *as = &columns_by[link->names];
        return put_axes(to, (axes){*axes_column(body, as->x), *axes_column(body, as->y),
                                   *axes_column(body, as->z), body->p});
    }
    axes P;
    if (TD_LANE_COUNT > 1 && link->parallel) {
        P = (axes){link_axis(link, body, 0), link_axis(link, body, 1), link_axis(link, body, 2),
                   body->p};
        if (link->here)
            return put_axes(to, P);
        P.p = axes_turn(body, splat(K->x[3]), splat(K->y[3]), splat(K->z[3]));
    } else if (TD_LANE_COUNT > 1 && link->about_z) {
        P = axes_turn_about_z(*body, splat(K->y[0]), splat(K->x[0]));
        P.p = axes_turn(body, splat(K->x[3]), splat(K->y[3]), splat(K->z[3]));
    } else {
        P = axes_times_k(body, K);
    }
    P.p = col_add(P.p, body->p);
    return put_axes(to, P);
}

static void link_poses(const td_tree *tree, const td_scratch *s, void *out)
{
    outlet to = {.reals = out};
    for (size_t k = 0; k < tree->links; k++, to.reals += 12)
        put_link(tree, s, k, &to);
}

TD_INLINE real put_links(const td_tree *tree, const td_scratch *s, double *dst, size_t columns,
                         size_t rows)
{
    outlet to = {.columns = columns, .rows = rows};
    real sum = splat(0);
    for (size_t lane = 0; lane < rows; lane++)
        to.at[lane] = dst + lane * columns;
    for (size_t k = 0; k < tree->links; k++) {
        sum += put_link(tree, s, k, &to);
        for (size_t lane = 0; lane < rows; lane++)
            to.at[lane] += 12;
    }
    return sum;
}

/* Poses are written as they are computed: by way of a stage they take a tenth more time. */
static int store_link_poses(const td_tree *tree, const td_scratch *s, double *dst, size_t columns,
                            size_t rows)
{
    /* with their number known, nothing is kept in memory for fewer */
    const real sum = rows == TD_LANE_COUNT ? put_links(tree, s, dst, columns, TD_LANE_COUNT)
                                           : put_links(tree, s, dst, columns, rows);
    int mask = vanishing(sum, rows);
    if (mask == (1 << rows) - 1)
        return mask;
    mask = 0; /* see store */
    for (size_t lane = 0; lane < rows; lane++)
        mask |= row_finite(dst + lane * columns, 12 * tree->links) << lane;
    return mask;
}

/* a wrench on a link, in the coordinates of the body that carries it */
TD_INLINE spatial wrench_on_body(const td_link_frame *link, const pose *body, const double *w,
                                 int frame)
{
    vec3 moment = vec3_splat((td_vec3){w[0], w[1], w[2]});
    vec3 force = vec3_splat((td_vec3){w[3], w[4], w[5]});
    if (frame == TD_AT_BODY) {
        moment = turn_by_k(&link->rotation, moment);
        force = turn_by_k(&link->rotation, force);
    } else {
        if (frame == TD_AT_WORLD) /* to the body's origin first: moment − p × force */
            moment = sub(moment, cross(body->p, force));
        moment = turn_back(&body->R, moment);
        force = turn_back(&body->R, force);
    }
    if (frame != TD_AT_WORLD) /* from the link's origin to the body's */
        moment = add(moment, cross_k(link->position, force));
    return (spatial){moment, force};
}

static void wrenches(const td_tree *tree, const td_scratch *s, const double *given, int frame)
{
    const axes *placed = s->pose;
    spatial *total = s->wrench;

    for (size_t i = 0; i < tree->bodies; i++)
        total[i] = spatial_zero();
    for (size_t k = 0; k < tree->links; k++, given += 6) {
        int b = tree->link[k].body;
        if (b < 0)
            continue;
        const pose body = pose_at(&placed[b]);
        total[b] = spatial_add(total[b], wrench_on_body(&tree->link[k], &body, given, frame));
    }
}
