/* SPDX-License-Identifier: MIT */
/*
 * Operands of the rows of the mass matrix, packed or dense.
 */
#ifndef TD_MASS_ROWS_H
#define TD_MASS_ROWS_H

#include "kernel/kernel.h"
#include "kernel/tree/inertia.h"
#include "kernel/tree/motion_subspace.h"

/* The force that gives the subtree of a body a unit acceleration of its joint, which equals the
   momentum at a unit velocity. Its reference point is the first origin of the body's chain. */
typedef struct row_force {
    packed3 n, f;
} row_force;

/* The operands of the rows of H. Columns are stored as one array per component, so that a row reads
   consecutive numbers along each chain of ancestors. */
typedef struct row_parts {
    size_t apart;
    real *wx, *wy, *wz, *vx, *vy, *vz; /* per velocity: its column about the first origin of its
                                          chain; arrays with the stride apart */
    real *diagonal;                    /* per velocity */
    row_force *force;                  /* per velocity */
    packed3 *to_outer; /* per chain: its first origin relative to the outer chain's */
    packed3 *from_top; /* per body: its origin relative to the first one of its chain */
} row_parts;

static row_parts *row_parts_take(td_stack *stack, const td_tree *tree)
{
    const size_t nv = td_whole_strips(tree->nv), bodies = td_whole_strips(tree->bodies);
    row_parts *parts = td_take(stack, row_parts, 1), r = {.apart = nv};
    real **const column[] = {&r.wx, &r.wy, &r.wz, &r.vx, &r.vy, &r.vz};
    real *columns = td_take(stack, real, 6 * nv);
    for (size_t k = 0; columns && k < 6; k++)
        *column[k] = columns + k * nv;
    r.diagonal = td_take(stack, real, nv);
    r.force = td_take(stack, row_force, nv);
    r.to_outer = td_take(stack, packed3, bodies);
    r.from_top = td_take(stack, packed3, bodies);
    if (parts)
        *parts = r;
    return parts;
}

static void find_tops(const td_tree *tree, const td_scratch *s, const row_parts *parts)
{
    const packed3 *arm = s->arm;
    for (size_t l = 0; l < tree->chains; l++) {
        const td_chain *chain = &tree->chain[l];
        const size_t top = (size_t)chain->top, end = top + (size_t)chain->bodies;
        packed3 from_top = packed3_of(spatial_zero().linear);
        if (chain->parent >= 0)
            parts->to_outer[l] = packed3_add(arm[top], parts->from_top[chain->parent]);
        parts->from_top[top] = from_top;
        for (size_t i = top + 1; i < end; i++)
            parts->from_top[i] = from_top = packed3_add(from_top, arm[i]);
    }
}

/* An inertia about an axis with an absolute value below this part of the trace is rounding error
   and is set to zero. The factorization recognizes a joint that rotates no inertia only by its
   diagonal entry. A larger negative value comes from a file with physically impossible inertias,
   and is kept. */
#define SMALLEST_AXIS_INERTIA 1e-14

TD_INLINE real but_rounding(real entry, real trace)
{
    const real least = SMALLEST_AXIS_INERTIA * trace;
    return select_lt(entry * entry, least * least, splat(0), entry);
}

/* Computes the operands of a strip of bodies, as if all their joints were revolute. */
TD_INLINE void find_parts_of_strip(const td_tree *tree, const td_scratch *s, const row_parts *parts,
                                   size_t i)
{
    const composite *total = (const composite *)s->composite + i;
    const axes *p = (const axes *)s->pose + i;
    const strip3 axis = strip3_gather_columns(&p->z, sizeof *p);
    const strip3 h = strip3_gather(&total->h, sizeof *total);
    const strip3 d = strip3_gather(&total->diagonal, sizeof *total);
    const strip3 m = strip3_gather(&total->mixed, sizeof *total);
    const strip3 r = strip3_gather(&parts->from_top[i], sizeof *parts->from_top);
    /* F = I^c S with S = (z, 0): n = I z, f = z × h; H_ii = z · n */
    const strip3 n = {d.x * axis.x + m.x * axis.y + m.z * axis.z,
                      m.x * axis.x + d.y * axis.y + m.y * axis.z,
                      m.z * axis.x + m.y * axis.y + d.z * axis.z};
    const strip3 f = strip3_cross(axis, h);
    const strip turning = strip3_dot(axis, n), least = SMALLEST_AXIS_INERTIA * (d.x + d.y + d.z);
    const size_t j = (size_t)tree->body[i].qd;
    row_force *force = &parts->force[j];
    strip_store(parts->diagonal + j,
                strip_select_lt(turning * turning, least * least, strip_splat(splat(0)), turning),
                TD_STRIP);
    /* about the first origin of the chain, at −r: n + r × f, and S = (z, r × z) */
    strip3_scatter(strip3_add(n, strip3_cross(r, f)), &force->n, sizeof *force);
    strip3_scatter(f, &force->f, sizeof *force);
    strip3_store(axis, parts->wx + j, parts->wy + j, parts->wz + j);
    strip3_store(strip3_cross(r, axis), parts->vx + j, parts->vy + j, parts->vz + j);
}

/* Stores a column and its force, both about the first origin of the chain. */
TD_INLINE void set_parts(const row_parts *parts, int j, spatial column, spatial force,
                         real diagonal)
{
    const vec3 w = column.angular, v = column.linear;
    parts->wx[j] = w.x, parts->wy[j] = w.y, parts->wz[j] = w.z;
    parts->vx[j] = v.x, parts->vy[j] = v.y, parts->vz[j] = v.z;
    parts->force[j] = (row_force){packed3_of(force.angular), packed3_of(force.linear)};
    parts->diagonal[j] = diagonal;
}

/* Computes the operands of a body whose joint is not revolute. */
static void find_other_parts(const td_tree *tree, const td_scratch *s, const row_parts *parts,
                             size_t i)
{
    const td_body *body = &tree->body[i];
    const axes *p = (const axes *)s->pose + i;
    const inertia total = composite_at(s, i);
    const vec3 r = packed3_vec3(parts->from_top[i]);
    if (!joint_is_general(body)) { /* prismatic */
        const spatial S = simple_column(body, axis_in(p));
        /* F = I^c S with S = (0, z): n = h × z, f = m z; H_ii = m */
        const spatial F = {cross(total.h, S.linear), scale(body->subtree, S.linear)};
        set_parts(parts, body->qd, S, force_shift(F, r), splat(body->subtree));
        return;
    }
    const real trace = sym_trace(&total.I);
    for (int k = 0; k < body->nv; k++) {
        /* F = I^c S,  H_ii = S · F */
        const spatial S = column_at(body, s, p, k), F = momentum_of(body->subtree, &total, S);
        const real entry = spatial_dot(S, F);
        set_parts(parts, body->qd + k, motion_shift(S, negative(r)), force_shift(F, r),
                  joint_turns(body, k) ? but_rounding(entry, trace) : entry);
    }
}

/* Computes all operands. Strips also write entries of joints that are not revolute, and entries
   after bodies with consecutive velocities. Both are overwritten later. */
static void find_parts(const td_tree *tree, const td_scratch *s, const row_parts *parts)
{
    find_tops(tree, s, parts);
    for (size_t i = 0, step; i < tree->bodies; i += step) {
        const td_body *body = &tree->body[i];
        const size_t straight = (size_t)body->straight;
        step = straight < TD_STRIP ? straight : TD_STRIP;
        if (TD_STRIP > 1 || joint_only_turns(body))
            find_parts_of_strip(tree, s, parts, i);
    }
    for (size_t k = 0; k < tree->others; k++)
        find_other_parts(tree, s, parts, (size_t)tree->other[k]);
}

static void add_rotors(const td_tree *tree, real *H)
{
    for (size_t i = 0; i < tree->nv; i++)
        H[tree->pattern.row[i] + (size_t)tree->pattern.depth[i]] += splat(tree->passive[i].rotor);
}

#endif
