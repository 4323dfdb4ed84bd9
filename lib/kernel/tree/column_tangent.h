/* SPDX-License-Identifier: MIT */
/*
 * First-order effect of a coordinate on bodies and on the forces that they require: the columns and
 * rows of the matrices in kernel/tree/rnea_derivatives.c. All are spatial vectors in world axes,
 * referred to one point that is at rest.
 */
#ifndef TD_COLUMN_TANGENT_H
#define TD_COLUMN_TANGENT_H

#include "kernel/real/arrays.h"
#include "kernel/tree/carried.h"
#include "kernel/tree/column_motion.h"

/* The change of a body's motion with a coordinate; see joint_column_change. */
typedef struct column_tangent {
    spatial S;
    vec3 P; /* the angular part: no force depends on the linear part */
    spatial Q, R;
} column_tangent;

/* The forces that a coordinate's motion requires of all bodies that it moves. Three of them are
   multiplied with the columns of earlier bodies: t = I S with R, Q and S; the moment b = 2 Bᵀ S
   with P and the angular part of S; and w with S. w is the part of wrenches that do not rotate with
   their links. by_position and by_rate are the forces on the columns of earlier bodies due to a
   change of the coordinate and of its rate. */
typedef struct row_tangent {
    spatial t, w, by_position, by_rate;
    vec3 b;
} row_tangent;

/* Moves the reference point of a column by r. */
TD_INLINE void column_shift(column_tangent *c, vec3 r)
{
    c->S = motion_shift(c->S, r);
    c->Q = motion_shift(c->Q, r);
    c->R = motion_shift(c->R, r);
}

/* Columns and rows of all velocities of the tree, about the origins of their bodies. Part k of
   velocity j is part[k * apart + j]. */
enum {
    COLUMN_S = 0,
    COLUMN_P = 6,
    COLUMN_Q = 9,
    COLUMN_R = 15,
    COLUMN_PARTS = 21,
    ROW_T = 0, /* rows follow the columns */
    ROW_BY_POSITION = 6,
    ROW_BY_RATE = 12,
    ROW_W = 18,
    ROW_B = 24,
    ROW_PARTS = 27,
    OWN_BY_POSITION = COLUMN_PARTS + ROW_PARTS, /* diagonal entries */
    OWN_BY_RATE,
    OWN_MASS,
    TANGENT_PARTS
};

typedef struct tangents {
    size_t apart;
    real *part, *row;     /* columns and all else; rows */
    kept_direction *kept; /* per body */
    bool turning;         /* whether some wrenches do not rotate with their links */
} tangents;

static tangents tangents_take(td_stack *stack, const td_tree *tree)
{
    tangents t = {.apart = td_whole_strips(tree->nv)};
    t.part = td_take(stack, real, TANGENT_PARTS * t.apart);
    t.row = t.part ? t.part + COLUMN_PARTS * t.apart : NULL;
    t.kept = td_take(stack, kept_direction, tree->bodies);
    return t;
}

/* ---- storage
   ----------------------------------------------------------------------------------- */

TD_INLINE vec3 vec3_part(const real *part, size_t apart)
{
    return (vec3){part[0], part[apart], part[2 * apart]};
}
TD_INLINE spatial spatial_part(const real *part, size_t apart)
{
    return (spatial){vec3_part(part, apart), vec3_part(part + 3 * apart, apart)};
}

/* Load and store a column. x: its first part; the others follow with the stride apart. */
TD_INLINE column_tangent column_part(const real *x, size_t apart)
{
    return (column_tangent){
        spatial_part(x + COLUMN_S * apart, apart), vec3_part(x + COLUMN_P * apart, apart),
        spatial_part(x + COLUMN_Q * apart, apart), spatial_part(x + COLUMN_R * apart, apart)};
}
TD_INLINE void put_column_part(real *x, size_t apart, const column_tangent *c)
{
    put_spatial_part(x + COLUMN_S * apart, apart, c->S);
    put_vec3_part(x + COLUMN_P * apart, apart, c->P);
    put_spatial_part(x + COLUMN_Q * apart, apart, c->Q);
    put_spatial_part(x + COLUMN_R * apart, apart, c->R);
}

/* ---- all joints
   -------------------------------------------------------------------------------- */

TD_INLINE void put_strip3(real *part, size_t apart, strip3 x)
{
    strip3_store(x, part, part + apart, part + 2 * apart);
}

/* Returns the subtree masses of a strip of bodies. Those after the last body are arbitrary. */
TD_INLINE strip subtrees_of_strip(const td_tree *tree, size_t i)
{
#if TD_STRIP > 1
    double mass[TD_STRIP];
    for (size_t k = 0; k < TD_STRIP; k++)
        mass[k] = tree->body[i + k < tree->bodies ? i + k : i].subtree;
    return strip_load_k(mass);
#else
    return strip_load_k(&tree->body[i].subtree);
#endif
}

/* Columns of a strip of bodies: S = (z, 0), P = (P, Pv) and so on, with v and a of the body
   itself. */
typedef struct strip_columns {
    strip3 z, P, Pv, Q, Qv, R, Rv;
} strip_columns;

/* Computes columns as if all joints were revolute. v and a of the body differ from the parent's
   only by multiples of S and P. So P = v × S, Q = 2 P, R = a × S + v × P. */
TD_INLINE strip_columns columns_of_strip(const td_tree *tree, const td_scratch *s, size_t i)
{
    strip_columns c;
    const strip_motion m = motion_of_strip(tree, s, i);
    const strip3 w = m.w, v = m.v, alpha = m.alpha, a = m.a, z = m.z;
    c.z = z;
    c.P = strip3_cross(w, z);
    c.Pv = strip3_cross(v, z);
    c.R = strip3_add(strip3_cross(alpha, z), strip3_cross(w, c.P));
    c.Rv = strip3_add(strip3_add(strip3_cross(a, z), strip3_cross(w, c.Pv)), strip3_cross(v, c.P));
    c.Q = strip3_add(c.P, c.P);
    c.Qv = strip3_add(c.Pv, c.Pv);
    return c;
}

TD_INLINE void put_columns_of_strip(real *at, size_t apart, const strip_columns *c)
{
    const strip3 none = strip3_splat(0);
    put_strip3(at + COLUMN_S * apart, apart, c->z);
    put_strip3(at + (COLUMN_S + 3) * apart, apart, none);
    put_strip3(at + COLUMN_P * apart, apart, c->P);
    put_strip3(at + COLUMN_Q * apart, apart, c->Q);
    put_strip3(at + (COLUMN_Q + 3) * apart, apart, c->Qv);
    put_strip3(at + COLUMN_R * apart, apart, c->R);
    put_strip3(at + (COLUMN_R + 3) * apart, apart, c->Rv);
}

/* Computes columns and rows of a strip of bodies as if all their joints were revolute. */
TD_INLINE void find_tangents_of_strip(const td_tree *tree, const td_scratch *s,
                                      const body_load *carries, const tangents *t, size_t i)
{
    const size_t apart = t->apart;
    real *at = t->part + tree->body[i].qd, *row = t->row + tree->body[i].qd;
    const composite *total = (const composite *)s->composite + i;
    const body_load *c = carries + i;
    const strip mass = subtrees_of_strip(tree, i);
    const strip_columns column = columns_of_strip(tree, s, i);
    const strip3 z = column.z, P = column.P, Q = column.Q, Qv = column.Qv, R = column.R,
                 Rv = column.Rv;
    put_columns_of_strip(at, apart, &column);

    const strip3 h = strip3_gather(&total->h, sizeof *total);
    const strip3 d = strip3_gather(&total->diagonal, sizeof *total);
    const strip3 o = strip3_gather(&total->mixed, sizeof *total);
    const strip3 A[3] = {strip3_gather(&c->A[0], sizeof *c), strip3_gather(&c->A[1], sizeof *c),
                         strip3_gather(&c->A[2], sizeof *c)};
    const strip3 momentum = strip3_gather(&c->p, sizeof *c);
    const strip3 n = strip3_gather(&c->n, sizeof *c), f = strip3_gather(&c->f, sizeof *c);
    /* t = I S,  b = 2 Aᵀ z */
    const strip3 tn = strip3_symmetric(d, o, z), tf = strip3_cross(z, h);
    const strip3 b = {2 * strip3_dot(A[0], z), 2 * strip3_dot(A[1], z), 2 * strip3_dot(A[2], z)};
    /* I Q + 2 B S */
    const strip3 Bz = strip3_times(A, z), pz = strip3_cross(z, momentum);
    const strip3 rn =
        strip3_add(strip3_add(strip3_symmetric(d, o, Q), strip3_cross(h, Qv)), strip3_add(Bz, Bz));
    const strip3 rf =
        strip3_add(strip3_sub(strip3_scale(mass, Qv), strip3_cross(h, Q)), strip3_add(pz, pz));
    /* I R + 2 B P + S ×* f */
    const strip3 BP = strip3_times(A, Q), pP = strip3_cross(Q, momentum);
    const strip3 xn = strip3_add(strip3_add(strip3_symmetric(d, o, R), strip3_cross(h, Rv)),
                                 strip3_add(BP, strip3_cross(z, n)));
    const strip3 xf = strip3_add(strip3_sub(strip3_scale(mass, Rv), strip3_cross(h, R)),
                                 strip3_add(pP, strip3_cross(z, f)));
    put_strip3(row + ROW_T * apart, apart, tn);
    put_strip3(row + (ROW_T + 3) * apart, apart, tf);
    put_strip3(row + ROW_BY_POSITION * apart, apart, xn);
    put_strip3(row + (ROW_BY_POSITION + 3) * apart, apart, xf);
    put_strip3(row + ROW_BY_RATE * apart, apart, rn);
    put_strip3(row + (ROW_BY_RATE + 3) * apart, apart, rf);
    put_strip3(row + ROW_B * apart, apart, b);
    strip_store(at + OWN_BY_POSITION * apart,
                strip3_dot(b, P) + strip3_dot(tn, R) + strip3_dot(tf, Rv), TD_STRIP);
    strip_store(at + OWN_BY_RATE * apart, strip3_dot(b, z) + strip3_dot(tn, Q) + strip3_dot(tf, Qv),
                TD_STRIP);
    strip_store(at + OWN_MASS * apart, strip3_dot(tn, z), TD_STRIP);
}

/* Computes columns and rows of a body whose joint is not revolute. */
static void find_other_tangents(const td_tree *tree, const td_scratch *s, const body_load *carries,
                                const tangents *t, const real *qd, const real *qdd, size_t i)
{
    const td_body *body = &tree->body[i];
    const inertia total = composite_at(s, i);
    const product B = body_load_product(&carries[i]);
    const spatial force = {packed3_vec3(carries[i].n), packed3_vec3(carries[i].f)};
    joint_column_change own[MOST_JOINT_VELOCITIES];
    joint_column_changes(tree, s, i, qd, qdd, world_acceleration(tree), own);
    for (int k = 0; k < body->nv; k++) {
        const size_t apart = t->apart;
        real *at = t->part + body->qd + k, *row = t->row + body->qd + k;
        const column_tangent of = {own[k].S, own[k].P.angular, own[k].Q, own[k].R}, *c = &of;
        const spatial by_S = product_apply(&B, c->S.angular), by_P = product_apply(&B, c->P);
        const spatial momentum = momentum_of(body->subtree, &total, c->S);
        const vec3 b = scale(2, product_apply_transposed(&B, c->S));
        const spatial by_rate =
            spatial_add(momentum_of(body->subtree, &total, c->Q), spatial_add(by_S, by_S));
        const spatial by_position = spatial_add(
            spatial_add(momentum_of(body->subtree, &total, c->R), spatial_add(by_P, by_P)),
            force_cross(c->S, force));
        put_column_part(at, apart, c);
        put_spatial_part(row + ROW_T * apart, apart, momentum);
        put_spatial_part(row + ROW_BY_POSITION * apart, apart, by_position);
        put_spatial_part(row + ROW_BY_RATE * apart, apart, by_rate);
        put_vec3_part(row + ROW_B * apart, apart, b);
        at[OWN_BY_POSITION * apart] = dot(b, c->P) + spatial_dot(momentum, c->R);
        at[OWN_BY_RATE * apart] = dot(b, c->S.angular) + spatial_dot(momentum, c->Q);
        at[OWN_MASS * apart] = spatial_dot(momentum, c->S);
    }
}

/* Computes columns and rows of all joints. Strips also write entries of joints that are not
   revolute, and entries after bodies with consecutive velocities. Both are overwritten later. */
static void find_tangents(const td_tree *tree, const td_scratch *s, const body_load *carries,
                          const tangents *t, const real *qd, const real *qdd)
{
    for (size_t i = 0, step; i < tree->bodies; i += step) {
        const td_body *body = &tree->body[i];
        const size_t straight = (size_t)body->straight;
        step = straight < TD_STRIP ? straight : TD_STRIP;
        if (TD_STRIP > 1 || joint_only_turns(body))
            find_tangents_of_strip(tree, s, carries, t, i);
    }
    for (size_t k = 0; k < tree->others; k++)
        find_other_tangents(tree, s, carries, t, qd, qdd, (size_t)tree->other[k]);
}

/* Adds wrenches that keep their directions to the rows of all joints. */
static void add_kept_directions(const td_tree *tree, const tangents *t)
{
    const size_t apart = t->apart;
    for (size_t i = 0; i < tree->bodies; i++) {
        const td_body *body = &tree->body[i];
        const kept_direction *kept = &t->kept[i];
        for (int j = body->qd; j < body->qd + body->nv; j++) {
            real *row = t->row + j;
            const spatial S = spatial_part(t->part + j + COLUMN_S * apart, apart);
            const spatial w = {product_apply_transposed(&kept->B, S), cross(kept->g, S.angular)};
            spatial force = spatial_part(row + ROW_BY_POSITION * apart, apart);
            force = spatial_add(force, product_apply(&kept->B, S.angular));
            force.angular = add(force.angular, cross(S.linear, kept->g));
            put_spatial_part(row + ROW_BY_POSITION * apart, apart, force);
            put_spatial_part(row + ROW_W * apart, apart, w);
            t->part[OWN_BY_POSITION * apart + (size_t)j] += spatial_dot(w, S);
        }
    }
}

/* Load and store a row. x: its first part. */
TD_INLINE row_tangent row_part(const real *x, size_t apart, bool turning)
{
    return (row_tangent){spatial_part(x + ROW_T * apart, apart),
                         turning ? spatial_part(x + ROW_W * apart, apart) : spatial_zero(),
                         spatial_part(x + ROW_BY_POSITION * apart, apart),
                         spatial_part(x + ROW_BY_RATE * apart, apart),
                         vec3_part(x + ROW_B * apart, apart)};
}
TD_INLINE void put_row_part(real *x, size_t apart, const row_tangent *row)
{
    put_spatial_part(x + ROW_T * apart, apart, row->t);
    put_spatial_part(x + ROW_BY_POSITION * apart, apart, row->by_position);
    put_spatial_part(x + ROW_BY_RATE * apart, apart, row->by_rate);
    put_spatial_part(x + ROW_W * apart, apart, row->w);
    put_vec3_part(x + ROW_B * apart, apart, row->b);
}

/* Returns the number of forces that row_part_shift shifts: t, by_position, by_rate and, if turning,
   w. */
TD_INLINE int row_forces(bool turning)
{
    return turning ? 4 : 3;
}

/* Moves the reference point of a row by −r. */
TD_INLINE void row_part_shift(real *row, size_t apart, vec3 r, bool turning)
{
    for (int k = 0; k < row_forces(turning); k++, row += 6 * apart)
        put_vec3_part(row, apart, force_shift(spatial_part(row, apart), r).angular);
}

#endif
