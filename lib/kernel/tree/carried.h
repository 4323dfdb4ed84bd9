/* SPDX-License-Identifier: MIT */
/*
 * The load of a subtree: the force that moves its bodies, minus the external forces on them, and
 * the sum of their factors B (kernel/tree/coriolis.h). A change δv of velocities changes this force
 * by 2 B δv. All are in world axes about the origin of the subtree's body.
 */
#ifndef TD_CARRIED_H
#define TD_CARRIED_H

#include "kernel/tree/coriolis.h"
#include "kernel/tree/inertia.h"
#include "kernel/tree/link_state.h"

typedef struct body_load {
    packed3 A[3], p; /* B: the columns of A, and the momentum p */
    packed3 n, f;    /* moment and force */
} body_load;

/* The effect of external wrenches that keep their world direction while the body rotates. A motion
   (α, v) of the body and its subtree changes the required force by δ = (A α + v × g, α × p). This
   is relative to wrenches that rotate with the body. */
typedef struct kept_direction {
    product B; /* A, p */
    vec3 g;
} kept_direction;

/* For a strip of bodies from body i on: ω, v, α, the acceleration relative to free fall (spatial a
   and classical), and the joint axes. */
typedef struct strip_motion {
    strip3 w, v, alpha, a, classical, z;
} strip_motion;

TD_INLINE strip_motion motion_of_strip(const td_tree *tree, const td_scratch *s, size_t i)
{
    const body_motion *m = (const body_motion *)s->motion + i;
    const axes *p = (const axes *)s->pose + i;
    strip_motion x = {
        .w = strip3_gather_vec3(&m->velocity.angular, sizeof *m),
        .v = strip3_gather_vec3(&m->velocity.linear, sizeof *m),
        .alpha = strip3_gather_vec3(&m->acceleration.angular, sizeof *m),
        .classical = strip3_gather_vec3(&m->acceleration.linear, sizeof *m),
        .z = strip3_gather_columns(&p->z, sizeof *p),
    };
    x.classical.x -= strip_splat(splat(tree->gravity.x));
    x.classical.y -= strip_splat(splat(tree->gravity.y));
    x.classical.z -= strip_splat(splat(tree->gravity.z));
    x.a = strip3_sub(x.classical, strip3_cross(x.w, x.v));
    return x;
}

/* Computes the loads of a strip of bodies from body i on, without their subtrees. */
TD_INLINE void start_carried_strip(const td_tree *tree, const td_scratch *s, size_t i,
                                   body_load *out)
{
    const strip_motion m = motion_of_strip(tree, s, i);
    const strip3 w = m.w, v = m.v, alpha = m.alpha, a = m.classical;
    const td_mass_moments *k = &tree->moments[i / TD_STRIP_BODIES];
    const strip mass = strip_load_k(k->mass + i % TD_STRIP_BODIES);
    const strip_inertia own = own_inertias(tree, s, i);
    const strip3 h = own.h, d = own.diagonal, o = own.mixed; /* o: (xy, yz, zx) */
    const strip3 Iw = strip3_symmetric(d, o, w);
    /* n = I α + ω × I ω + h × a,  f = m a + α × h + ω × (ω × h) */
    const strip3 wh = strip3_cross(w, h);
    const strip3 n = strip3_add(strip3_add(strip3_symmetric(d, o, alpha), strip3_cross(w, Iw)),
                                strip3_cross(h, a));
    const strip3 f =
        strip3_add(strip3_add(strip3_scale(mass, a), strip3_cross(alpha, h)), strip3_cross(w, wh));
    /* A α = h × (α × v) − ω × Σ α = (h · v) α − v (h · α) − ω × Σ α,  p = m v + ω × h */
    const strip half = 0.5 * (d.x + d.y + d.z), along = strip3_dot(h, v);
    const strip3 x = strip3_cross((strip3){half - d.x, -o.x, -o.z}, w);
    const strip3 y = strip3_cross((strip3){-o.x, half - d.y, -o.y}, w);
    const strip3 z = strip3_cross((strip3){-o.z, -o.y, half - d.z}, w);
    strip3_scatter((strip3){x.x - v.x * h.x + along, x.y - v.y * h.x, x.z - v.z * h.x}, &out->A[0],
                   sizeof *out);
    strip3_scatter((strip3){y.x - v.x * h.y, y.y - v.y * h.y + along, y.z - v.z * h.y}, &out->A[1],
                   sizeof *out);
    strip3_scatter((strip3){z.x - v.x * h.z, z.y - v.y * h.z, z.z - v.z * h.z + along}, &out->A[2],
                   sizeof *out);
    strip3_scatter(strip3_add(strip3_scale(mass, v), wh), &out->p, sizeof *out);
    strip3_scatter(n, &out->n, sizeof *out);
    strip3_scatter(f, &out->f, sizeof *out);
}

/* Computes the load of each body without its subtree. loaded: subtracts external wrenches, which
   the scratch contains per body. */
static void find_loads(const td_tree *tree, const td_scratch *s, int loaded, body_load *all)
{
    const spatial *wrench = s->wrench;
    for (size_t i = 0; i < tree->bodies; i += TD_STRIP)
        start_carried_strip(tree, s, i, &all[i]);
    for (size_t i = 0; loaded && i < tree->bodies; i++) {
        const mat3 R = rotation_in((const axes *)s->pose + i);
        all[i].n = packed3_sub(all[i].n, packed3_of(rotate(&R, wrench[i].angular)));
        all[i].f = packed3_sub(all[i].f, packed3_of(rotate(&R, wrench[i].linear)));
    }
}

/* Computes the load of each body with its subtree. */
static void find_carried(const td_tree *tree, const td_scratch *s, int loaded, body_load *all)
{
    const packed3 *arm = s->arm;
    find_loads(tree, s, loaded, all);
    for (size_t i = tree->bodies; i-- > 0;) {
        const int parent = tree->body[i].parent;
        if (parent < 0)
            continue;
        const body_load *own = &all[i];
        const packed3 r = arm[i];
        body_load *sum = &all[parent];
        /* n + r × f;  A α + r × (α × p) = A α + (r · p) α − p (r · α) */
        sum->n = packed3_add(sum->n, packed3_add_cross(own->n, r, own->f));
        sum->f = packed3_add(sum->f, own->f);
        const packed3 products = packed3_mul(r, own->p);
        const real along =
            packed3_get(&products, 0) + packed3_get(&products, 1) + packed3_get(&products, 2);
        for (int k = 0; k < 3; k++) {
            const packed3 turned = packed3_scale_by(packed3_get(&r, k), own->p);
            sum->A[k] =
                packed3_add(sum->A[k], packed3_add_entry(packed3_sub(own->A[k], turned), k, along));
        }
        sum->p = packed3_add(sum->p, own->p);
    }
}

TD_INLINE product body_load_product(const body_load *c)
{
    const packed3 *A = c->A;
    return (product){{packed3_get(&A[0], 0), packed3_get(&A[1], 0), packed3_get(&A[2], 0),
                      packed3_get(&A[0], 1), packed3_get(&A[1], 1), packed3_get(&A[2], 1),
                      packed3_get(&A[0], 2), packed3_get(&A[1], 2), packed3_get(&A[2], 2)},
                     packed3_vec3(c->p)};
}

/* Adds a wrench on a link that keeps its world direction. It acts at a point of the link, or in the
   world's frame at a fixed point. */
static void keep_direction(const td_tree *tree, const td_scratch *s, size_t k, const real *w,
                           int frame, kept_direction *kept)
{
    const td_link_frame *link = &tree->link[k];
    const vec3 n = {w[0], w[1], w[2]}, f = {w[3], w[4], w[5]};
    if (frame == TD_AT_WORLD) { /* all of α × n + v × f is missing */
        const vec3 at = origin_in((const axes *)s->pose + link->body);
        kept->B.A = mat_sub(kept->B.A, skew(sub(n, cross(at, f))));
        kept->g = add(kept->g, f);
    } else { /* α × n + r × (α × f), because the link's origin moves with the body */
        const mat3 R = rotation_in((const axes *)s->pose + link->body);
        kept->B.A = mat_add(kept->B.A, cross_of_cross(rotate_k(&R, link->position), f));
        kept->B.A = mat_sub(kept->B.A, skew(n));
    }
    kept->B.p = add(kept->B.p, f);
}

/* Computes the effect for each body without its subtree. */
static void start_kept_directions(const td_tree *tree, const td_scratch *s, const real *wrenches,
                                  int frame, kept_direction *all)
{
    const vec3 none = spatial_zero().angular;
    for (size_t i = 0; i < tree->bodies; i++)
        all[i] = (kept_direction){{skew(none), none}, none};
    for (size_t k = 0; k < tree->links; k++)
        if (tree->link[k].body >= 0)
            keep_direction(tree, s, k, wrenches + 6 * k, frame, &all[tree->link[k].body]);
}

/* Computes the effect for each body with its subtree. */
static void find_kept_directions(const td_tree *tree, const td_scratch *s, const real *wrenches,
                                 int frame, kept_direction *all)
{
    const packed3 *arm = s->arm;
    start_kept_directions(tree, s, wrenches, frame, all);
    for (size_t i = tree->bodies; i-- > 0;) {
        if (tree->body[i].parent < 0)
            continue;
        kept_direction *sum = &all[tree->body[i].parent];
        const vec3 r = packed3_vec3(arm[i]);
        /* (v + α × r) × g = v × g − g × (α × r) */
        product up = product_shift(&all[i].B, r);
        up.A = mat_sub(up.A, cross_of_cross(all[i].g, r));
        sum->B = product_sum(&sum->B, &up);
        sum->g = add(sum->g, all[i].g);
    }
}

#endif
