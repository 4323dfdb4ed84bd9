/* SPDX-License-Identifier: MIT */
/*
 * Constants of the tree, written once per workspace; the poses of links; and external wrenches,
 * transformed from their frame to body coordinates.
 */
#include "kernel/real/arrays.h"
#include "kernel/tree/pose.h"

static void prepare(const td_tree *tree, const td_scratch *s)
{
    placement *placed = s->placed;
    for (size_t i = 0; i < tree->bodies; i++)
        placed[i] = placement_splat(&tree->body_at_zero[i]);
    clear(s->zeros, tree->nv);
    s->path[TD_PATH_TIP] = -2;
}

/* ---- links --------------------------------------------------------------------------------- */

TD_INLINE real sum_of_4(const real *x)
{
    return (x[0] + x[1]) + (x[2] + x[3]);
}

/* Destination of poses: 12 reals in a row, or a row of doubles for each lane. */
typedef struct pose_destination {
    real *reals;
    double *at[TD_LANE_COUNT];
    size_t columns, rows;
} pose_destination;

/* Stores axes. Returns their sum if they go to rows. Stores to one lane follow each other, which is
   faster for vectors that are not aligned. */
TD_INLINE real put_axes(const pose_destination *destination, axes P)
{
    real row[12];
    if (destination->reals) {
        axes_store(destination->reals, P);
        return splat(0);
    }
    axes_store(row, P);
#if defined(TD_REAL_LANES)
    if (destination->rows == TD_LANE_COUNT) {
        const real sum = sum_of_4(row) + sum_of_4(row + 4) + sum_of_4(row + 8);
        for (int i = 0; i < 12; i += TD_LINE)
            wide_transpose(row + i);
        for (size_t k = 0; k < TD_LINE; k++) {
            double *lower = destination->at[k],
                   *upper = destination->at[TD_LANE_COUNT - TD_LINE + k];
            size_t i = 0;
            for (; i + 2 * TD_LINE <= 12; i += 2 * TD_LINE)
                lines_to_both(lower + i, upper + i, row[i + k], row[i + TD_LINE + k]);
            if (i < 12)
                lines_to(lower + i, upper + i, row[i + k]);
        }
        return sum;
    }
#endif
    return store_reals(destination->at[0], destination->columns, row, 12, destination->rows);
}

TD_INLINE col3 link_axis(const td_link_frame *link, const axes *body, int k)
{
    return col_scale(splat(link->sign[k]),
                     *axes_column(body, (size_t)link->axis[k] * sizeof(col3)));
}

/* The columns that an axis permutation selects, as byte offsets for axes_column. */
typedef struct permutation_columns {
    size_t x, y, z;
} permutation_columns;

#define TD_COLUMNS(permutation, x, y, z, sign)                                                     \
    [permutation] = {(x) * sizeof(col3), (y) * sizeof(col3), (z) * sizeof(col3)},
static const permutation_columns columns_by[] = {TD_PERMUTATIONS(TD_COLUMNS)};
#undef TD_COLUMNS

/* Writes the pose of a link. Most links share the origin of their joint, which has x, y or z as its
   axis. In lanes, where the product with a constant transform takes many operations, two more cases
   are separate: negated axes (with and without the body's origin), and rotations about z. Each case
   stores its own result, so that it stays in registers. */
TD_INLINE real put_link(const td_tree *tree, const td_scratch *s, size_t k,
                        const pose_destination *destination)
{
    const td_link_frame *link = &tree->link[k];
    const td_placement *K = &tree->link_placement[k];
    if (link->body < 0)
        return put_axes(destination, axes_splat(K));
    const axes *body = (const axes *)s->pose + link->body;
    if (link->permutation != TD_PERMUTATION_OTHER) {
        const permutation_columns *chosen = &columns_by[link->permutation];
        return put_axes(destination,
                        (axes){*axes_column(body, chosen->x), *axes_column(body, chosen->y),
                               *axes_column(body, chosen->z), body->p});
    }
    axes P;
    if (TD_LANE_COUNT > 1 && link->parallel) {
        P = (axes){link_axis(link, body, 0), link_axis(link, body, 1), link_axis(link, body, 2),
                   body->p};
        if (link->here)
            return put_axes(destination, P);
        P.p = axes_rotate(body, splat(K->x[3]), splat(K->y[3]), splat(K->z[3]));
    } else if (TD_LANE_COUNT > 1 && link->about_z) {
        P = axes_rotate_about_z(*body, splat(K->y[0]), splat(K->x[0]));
        P.p = axes_rotate(body, splat(K->x[3]), splat(K->y[3]), splat(K->z[3]));
    } else {
        P = axes_times_k(body, K);
    }
    P.p = col_add(P.p, body->p);
    return put_axes(destination, P);
}

static void link_poses(const td_tree *tree, const td_scratch *s, const int *links, size_t count,
                       td_reals *out)
{
    pose_destination destination = {.reals = out};
    for (size_t k = 0; k < count; k++, destination.reals += 12)
        put_link(tree, s, links ? (size_t)links[k] : k, &destination);
}

TD_INLINE real put_links(const td_tree *tree, const td_scratch *s, const int *links, size_t count,
                         double *dst, size_t columns, size_t rows)
{
    pose_destination destination = {.columns = columns, .rows = rows};
    real sum = splat(0);
    for (size_t lane = 0; lane < rows; lane++)
        destination.at[lane] = dst + lane * columns;
    for (size_t k = 0; k < count; k++) {
        sum += put_link(tree, s, links ? (size_t)links[k] : k, &destination);
        for (size_t lane = 0; lane < rows; lane++)
            destination.at[lane] += 12;
    }
    return sum;
}

/* Stores poses as they are computed. An intermediate buffer would take 10 % more time. */
static int store_link_poses(const td_tree *tree, const td_scratch *s, const int *links,
                            size_t count, double *dst, size_t columns, size_t rows)
{
    /* If the number of rows is a constant, the compiler can remove the code for fewer rows. If all
       links are wanted, no list is read. */
    const real sum = rows < TD_LANE_COUNT ? put_links(tree, s, links, count, dst, columns, rows)
                     : links ? put_links(tree, s, links, count, dst, columns, TD_LANE_COUNT)
                             : put_links(tree, s, NULL, count, dst, columns, TD_LANE_COUNT);
    int mask = vanishing(sum, rows);
    if (mask == (1 << rows) - 1)
        return mask;
    mask = 0; /* as in store */
    for (size_t lane = 0; lane < rows; lane++)
        mask |= row_finite(dst + lane * columns, 12 * count) << lane;
    return mask;
}

/* Returns a wrench on a link in coordinates of the body that carries the link. */
TD_INLINE spatial wrench_on_body(const td_link_frame *link, const pose *body, const real *w,
                                 int frame)
{
    vec3 moment = {w[0], w[1], w[2]}, force = {w[3], w[4], w[5]};
    if (frame == TD_AT_BODY) {
        moment = rotate_by_k(&link->rotation, moment);
        force = rotate_by_k(&link->rotation, force);
    } else {
        if (frame == TD_AT_WORLD) /* move to the body's origin first: moment − p × force */
            moment = sub(moment, cross(body->p, force));
        moment = rotate_transposed(&body->R, moment);
        force = rotate_transposed(&body->R, force);
    }
    if (frame != TD_AT_WORLD) /* move from the link's origin to the body's */
        moment = add(moment, cross_k(link->position, force));
    return (spatial){moment, force};
}

static void wrenches(const td_tree *tree, const td_scratch *s, const td_reals *given, int frame)
{
    const real *w = given;
    const axes *placed = s->pose;
    spatial *total = s->wrench;

    for (size_t i = 0; i < tree->bodies; i++)
        total[i] = spatial_zero();
    for (size_t k = 0; k < tree->links; k++, w += 6) {
        int b = tree->link[k].body;
        if (b < 0)
            continue;
        const pose body = pose_at(&placed[b]);
        total[b] = spatial_add(total[b], wrench_on_body(&tree->link[k], &body, w, frame));
    }
}
