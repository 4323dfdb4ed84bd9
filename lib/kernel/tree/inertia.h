/* SPDX-License-Identifier: MIT */
/*
 * Inertias of bodies and subtrees, in world axes about the body's origin, and the momentum and
 * force of a motion.
 */
#ifndef TD_KERNEL_INERTIA_H
#define TD_KERNEL_INERTIA_H

#include "kernel/kernel.h"
#include "kernel/real/strip3.h"

/* Inertia of a body about its origin, in world axes: h = m c and the rotational inertia. The mass
   is a constant of the model. */
typedef struct inertia {
    vec3 h;
    sym3 I;
} inertia;

/* Inertia of a subtree about its body's origin, in world axes: h, and I as its diagonal and (xy,
   yz, zx). */
typedef struct composite {
    packed3 h, diagonal, mixed;
} composite;

TD_INLINE inertia composite_inertia(const composite *c)
{
    const packed3 *d = &c->diagonal, *m = &c->mixed;
    return (inertia){packed3_vec3(c->h),
                     {packed3_get(d, 0), packed3_get(m, 0), packed3_get(m, 2), packed3_get(d, 1),
                      packed3_get(m, 1), packed3_get(d, 2)}};
}

TD_INLINE inertia composite_at(const td_scratch *s, size_t i)
{
    return composite_inertia((const composite *)s->composite + i);
}

TD_INLINE composite composite_of(const inertia *b)
{
    const sym3 *I = &b->I;
    return (composite){packed3_of(b->h), packed3_of((vec3){I->xx, I->yy, I->zz}),
                       packed3_of((vec3){I->xy, I->yz, I->xz})};
}

/* Returns sum + b with b shifted by −r: h + m r, I + 2 (r·k) 1 − (r kᵀ + k rᵀ) with k = h + ½ m r.
   Operations that depend on the latest body come last. */
TD_INLINE composite composite_add_shifted(const composite *sum, double mass, const composite *b,
                                          packed3 r)
{
    const packed3 k = packed3_add(b->h, packed3_scale(0.5 * mass, r)), k_yzx = packed3_yzx(k);
    const packed3 r_yzx = packed3_yzx(r), twice = packed3_scale(2, r);
    return (composite){
        packed3_add(packed3_add(sum->h, packed3_scale(mass, r)), b->h),
        packed3_add(packed3_add(packed3_add(sum->diagonal, packed3_mul(packed3_yzx(twice), k_yzx)),
                                packed3_mul(packed3_zxy(twice), packed3_zxy(k))),
                    b->diagonal),
        packed3_add(
            packed3_sub(packed3_sub(sum->mixed, packed3_mul(r, k_yzx)), packed3_mul(r_yzx, k)),
            b->mixed),
    };
}

/* Returns the force for a motion: n = I α + ω × I ω + h × a, f = m a + α × h + ω × (ω × h). */
TD_INLINE screw inertial_force(double mass, const inertia *b, packed3 w, const screw *motion)
{
    const packed3 h = packed3_of(b->h), alpha = motion->angular, a = motion->linear;
    return (screw){
        packed3_add(packed3_mul_sym(&b->I, alpha),
                    packed3_crosses(w, packed3_mul_sym(&b->I, w), h, a)),
        packed3_add(packed3_scale_by(splat(mass), a),
                    packed3_crosses(alpha, h, w, packed3_cross(w, h))),
    };
}

/* Returns the momentum about the body's origin. */
TD_INLINE spatial momentum_of(double mass, const inertia *b, spatial v)
{
    return (spatial){add(mul_sym(&b->I, v.angular), cross(b->h, v.linear)),
                     add(scale(mass, v.linear), cross(v.angular, b->h))};
}

/* inertias about the bodies' origins: h, and I as its diagonal and (xy, yz, zx) */
typedef struct strip_inertia {
    strip3 h, diagonal, mixed;
} strip_inertia;

/* Computes the inertias of a strip of bodies. Rotates h, u and v by R; then I = middle · 1 − u uᵀ +
   v vᵀ. */
TD_INLINE strip_inertia own_inertias(const td_tree *tree, const td_scratch *s, size_t i)
{
    const td_mass_moments *k = &tree->moments[i / TD_STRIP_BODIES];
    const size_t at = i % TD_STRIP_BODIES;
    strip3 R[3];
    const axes *p = (const axes *)s->pose + i;
    R[0] = strip3_gather_columns(&p->x, sizeof *p);
    R[1] = strip3_gather_columns(&p->y, sizeof *p);
    R[2] = strip3_gather_columns(&p->z, sizeof *p);
    const strip3 h = strip3_rotate_k(R, k->h, at);
    const strip3 u = strip3_rotate_k(R, k->u, at), v = strip3_rotate_k(R, k->v, at);
    const strip middle = strip_load_k(k->middle + at);
    return (strip_inertia){
        h,
        {middle - u.x * u.x + v.x * v.x, middle - u.y * u.y + v.y * v.y,
         middle - u.z * u.z + v.z * v.z},
        {v.x * v.y - u.x * u.y, v.y * v.z - u.y * u.z, v.z * v.x - u.z * u.x},
    };
}

static void inertias(const td_tree *tree, const td_scratch *s)
{
    inertia *own = s->inertia;
    const size_t apart = sizeof *own / sizeof(real);
    for (size_t i = 0; i < tree->bodies; i += TD_STRIP) {
        const strip_inertia a = own_inertias(tree, s, i);
        strip_scatter(a.h.x, &own[i].h.x, apart);
        strip_scatter(a.h.y, &own[i].h.y, apart);
        strip_scatter(a.h.z, &own[i].h.z, apart);
        strip_scatter(a.diagonal.x, &own[i].I.xx, apart);
        strip_scatter(a.mixed.x, &own[i].I.xy, apart);
        strip_scatter(a.mixed.z, &own[i].I.xz, apart);
        strip_scatter(a.diagonal.y, &own[i].I.yy, apart);
        strip_scatter(a.mixed.y, &own[i].I.yz, apart);
        strip_scatter(a.diagonal.z, &own[i].I.zz, apart);
    }
}

#endif
