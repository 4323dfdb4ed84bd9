/* SPDX-License-Identifier: MIT */
/*
 * Common parts of rnea_tangent.c (derivatives of inverse dynamics times a direction) and
 * rnea_adjoint.c (covectors times these derivatives). Neither forms a matrix: the columns and rows
 * of kernel/tree/rnea_derivatives.c are summed in an outward and an inward pass. Rigid motions
 * change nothing in axes that move with the bodies. So positions of bodies matter only for wrenches
 * that do not rotate with their links, and for forces between pairs of bodies. These depend on the
 * displacement of bodies, ξ = ξ_parent + S d. Time and memory are O(joints).
 */
#ifndef TD_PRODUCT_ROOM_H
#define TD_PRODUCT_ROOM_H

#include "kernel/kernel.h"
#include "kernel/tree/carried.h"
#include "kernel/tree/column_motion.h"
#include "kernel/tree/pair_load.h"

/* ---- scratch --------------------------------------------------------------------------------- */

/* Per body, for a direction: p, r and g. For a covector: W, M and N. */
typedef struct product_body {
    screw velocity, acceleration, force;
} product_body;

typedef struct product_room {
    body_load *load; /* B of each body alone; n and f are summed over its subtree later */
    product_body *body;
    spatial *displaced;   /* ξ, or weights of it */
    kept_direction *kept; /* of each body alone */
    size_t apart;
    real *along;  /* d, ḋ, d̈ or w, in whole strips */
    real *result; /* product with a covector, in the same order */
} product_room;

static product_room product_take(td_stack *stack, const td_tree *tree)
{
    const size_t bodies = td_whole_strips(tree->bodies);
    product_room r = {.apart = td_whole_strips(tree->nv)};
    r.load = td_take(stack, body_load, bodies);
    r.body = td_take(stack, product_body, bodies);
    r.displaced = td_take(stack, spatial, tree->bodies);
    r.kept = td_take(stack, kept_direction, tree->bodies);
    r.along = td_take(stack, real, 3 * r.apart);
    r.result = td_take(stack, real, 3 * r.apart);
    return r;
}

static void rnea_products_measure(const td_scratch_sizes *sizes, td_stack *stack)
{
    product_take(stack, sizes->tree);
}

/* ---- common functions ------------------------------------------------------------------------ */

/* Computes moment and force: the inertias of a strip of bodies times motions. */
TD_INLINE void momenta_of_strip(const td_tree *tree, const td_scratch *s, size_t i, strip3 w,
                                strip3 v, strip3 *n, strip3 *f)
{
    const td_mass_moments *k = &tree->moments[i / TD_STRIP_BODIES];
    const strip mass = strip_load_k(k->mass + i % TD_STRIP_BODIES);
    const strip_inertia own = own_inertias(tree, s, i);
    *n = strip3_add(strip3_symmetric(own.diagonal, own.mixed, w), strip3_cross(own.h, v));
    *f = strip3_add(strip3_scale(mass, v), strip3_cross(w, own.h));
}

/* Returns how many bodies from body i on have consecutive velocities, at most a strip. */
TD_INLINE size_t strip_of_joints(const td_tree *tree, size_t i)
{
    const size_t straight = (size_t)tree->body[i].straight;
    return straight < TD_STRIP ? straight : TD_STRIP;
}

/* Returns the spatial acceleration after a coordinate, a + S q̈ + v × S q̇, for joints whose
   coordinates act in sequence. v is the velocity before the coordinate. */
TD_INLINE spatial acceleration_behind(spatial a, spatial v, spatial S, real qd, real qdd)
{
    return spatial_add_scaled(spatial_add_scaled(a, qdd, S), qd, motion_cross(v, S));
}

/* Adds the diagonal matrices of springs, resistances and rotors of joints, each times its x, to its
   out. */
static void add_passive_products(const td_tree *tree, const td_motion_inputs *in,
                                 const real *const x[3], real *const out[3])
{
    const real *qd = in->qd;
    for (size_t j = 0; j < tree->nv; j++) {
        const td_passive *p = &tree->passive[j];
        out[0][j] += p->stiffness * x[0][j];
        out[1][j] += passive_resistance(p, qd[j], in->friction_velocity) * x[1][j];
        out[2][j] += p->rotor * x[2][j];
    }
}

TD_INLINE screw force_of_child(screw f, packed3 arm)
{
    return (screw){packed3_add_cross(f.angular, arm, f.linear), f.linear};
}

TD_INLINE spatial carried_force(const body_load *c)
{
    return (spatial){packed3_vec3(c->n), packed3_vec3(c->f)};
}

/* Returns a body's motion at a point. The world's motion is zero. */
TD_INLINE spatial motion_at_point(const td_scratch *s, int body, spatial motion, vec3 point)
{
    return motion_shift(motion, sub(point, origin_in((const axes *)s->pose + body)));
}

TD_INLINE void add_screw(screw *sum, spatial x)
{
    *sum = screw_add(*sum, screw_of(x));
}

/* Calls f(s, room, pair) for every spring between links and every loop joint with passive
   forces. */
TD_INLINE void for_each_pair(const td_tree *tree, const td_loops *loops, const td_scratch *s,
                             double friction_velocity,
                             void (*f)(const td_scratch *, const product_room *, const pair_load *),
                             const product_room *room)
{
    for (size_t i = 0; i < tree->springs; i++) {
        const spring_state state = spring_state_of(tree, s, &tree->spring[i]);
        const pair_load pair = spring_pair(tree, &tree->spring[i], &state);
        f(s, room, &pair);
    }
    for (size_t n = 0; n < loops->count; n++) {
        const td_loop_group *g = &loops->group[n];
        for (int k = 0; g->passive && k < g->axes; k++)
            if (passive_acts(&g->axis[k].passive)) {
                const pair_load pair = axis_pair(s, g, &g->axis[k], friction_velocity);
                f(s, room, &pair);
            }
    }
}

#endif
