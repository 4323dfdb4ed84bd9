/* SPDX-License-Identifier: MIT */
/*
 * Inverse dynamics by the recursive Newton-Euler algorithm, in body coordinates and with the
 * classical acceleration of each body's origin (Luh, Walker and Paul's form: no linear velocity is
 * needed). Outwards, with ρ the body's origin in its parent p and ω_J, v_J the joint's own motion:
 *
 *   ω = E ω_p + ω_J
 *   α = E α_p + (E ω_p) × ω_J + ω̇_J
 *   a = E (a_p + B_p ρ) + 2 (E ω_p) × v_J + v̇_J + ω_J × v_J,     B = [α]× + [ω]×[ω]×
 *
 * and inwards, a body's own force first:
 *
 *   f = m a + B h − f_ext,   n = I α + ω × I ω + h × a − n_ext
 *   tau = the part of (n, f) along the joint,   f_p += Eᵀ f,   n_p += Eᵀ n + ρ × Eᵀ f
 *
 * Gravity is an acceleration −g of the world. m, h and I are regrouped (find_inertias in
 * load/tree.c): of n and f only the part along the joint is what the joint carries.
 */

typedef struct movement {
    spin turn; /* ω, α and B */
    arrow a;
} movement;

typedef struct effort {
    arrow moment, force;
} effort;

TD_INLINE effort effort_add(effort a, effort b)
{
    return (effort){arrow_add(a.moment, b.moment), arrow_add(a.force, b.force)};
}

TD_INLINE effort effort_sub(effort a, const spatial *b)
{
    return (effort){arrow_sub(a.moment, arrow_of(b->angular)),
                    arrow_sub(a.force, arrow_of(b->linear))};
}

/* planar: the coordinates' directions stay with the parent, so they are turned into the body */
TD_INLINE vec3 planar_to_body(real x, real y, real sine, real cosine)
{
    return (vec3){cosine * x + sine * y, cosine * y - sine * x, splat(0)};
}

/* ω, α and a of the body from what they are with its joint at rest */
TD_INLINE void add_joint(const td_body *body, const td_scratch *s, const real *qd, const real *qdd,
                         movement *t)
{
    arrow *w = &t->turn.w, *alpha = &t->turn.alpha, *a = &t->a;
    switch (body->motion) {
    case TD_MOTION_REVOLUTE:
        *alpha = arrow_add(*alpha, arrow_rate_z(*w, qd[0], qdd[0]));
        *w = arrow_add_z(*w, qd[0]);
        break;
    case TD_MOTION_PRISMATIC:
        *a = arrow_add(*a, arrow_rate_z(*w, 2.0 * qd[0], qdd[0]));
        break;
    case TD_MOTION_PLANAR: {
        real sine = ((const real *)s->sine)[body->angle];
        real cosine = ((const real *)s->cosine)[body->angle];
        arrow v_J = arrow_of(planar_to_body(qd[0], qd[1], sine, cosine));
        arrow v_dot = arrow_of(planar_to_body(qdd[0], qdd[1], sine, cosine));
        *a = arrow_add(*a, arrow_add(arrow_scale(2, arrow_cross(*w, v_J)), v_dot));
        *alpha = arrow_add(*alpha, arrow_rate_z(*w, qd[2], qdd[2]));
        *w = arrow_add_z(*w, qd[2]);
        break;
    }
    case TD_MOTION_FLOATING: {
        arrow w_J = arrow_of((vec3){qd[0], qd[1], qd[2]});
        arrow w_dot = arrow_of((vec3){qdd[0], qdd[1], qdd[2]});
        arrow v_J = arrow_of((vec3){qd[3], qd[4], qd[5]});
        arrow v_dot = arrow_add(arrow_of((vec3){qdd[3], qdd[4], qdd[5]}), arrow_cross(w_J, v_J));
        *a = arrow_add(*a, arrow_add(arrow_scale(2, arrow_cross(*w, v_J)), v_dot));
        *alpha = arrow_add(*alpha, arrow_add(arrow_cross(*w, w_J), w_dot));
        *w = arrow_add(*w, w_J);
        break;
    }
    }
}

/* From the motion of the parent to that of the body, which stays in registers as far as they go:
   memory takes longer to give it back. Bodies are placed while it is waited for. */
TD_INLINE void move_body(const td_tree *tree, const td_scratch *s, const real *q, const real *qd,
                         const real *qdd, size_t i, movement *last, td_manner manner)
{
    const td_body *body = &tree->body[i];
    movement *of = s->movement, now;
    const hinge h = hinge_make(tree, s, q, i, manner);
    if (body->parent < 0) {
        const arrow none = arrow_of(vec3_splat((td_vec3){0, 0, 0}));
        const arrow up =
            arrow_of(vec3_splat((td_vec3){-tree->gravity.x, -tree->gravity.y, -tree->gravity.z}));
        now.turn.w = now.turn.alpha = none;
        now.a = to_body(&h, &up);
    } else {
        const spin *parent = TD_LANE_COUNT < 8 ? &of[body->parent].turn : &last->turn;
        now.turn.w = to_body(&h, &last->turn.w);
        now.turn.alpha = to_body(&h, &last->turn.alpha);
        arrow a = arrow_add(spin_times(parent, hinge_origin(&h)), last->a);
        now.a = to_body(&h, &a);
    }
    add_joint(body, s, qd + body->qd, qdd + body->qd, &now);
    spin_set(&now.turn);
    of[i] = *last = now;
}

static void rnea_outwards(const td_tree *tree, const td_scratch *s, const real *q, const real *qd,
                          const real *qdd)
{
    const movement *of = s->movement;
    movement last = {.a = arrow_of(vec3_splat((td_vec3){0, 0, 0}))};
    for (size_t i = 0; i < tree->bodies; i++) {
        const int parent = tree->body[i].parent;
        if (parent >= 0 && (size_t)parent + 1 != i)
            last = of[parent];
        by_manner(tree->body[i].manner, move_body, tree, s, q, qd, qdd, i, &last);
    }
}

/* The force that moves a body, but for what regrouping has given to its parent. */
TD_INLINE effort own_effort(const td_tree *tree, const movement *of, size_t i)
{
    const td_inertia *J = &tree->regrouped[i];
    if (tree->body[i].motion == TD_MOTION_REVOLUTE)
        return (effort){spin_moment_about_z(J, &of->turn, of->a), spin_force_about_z(J, &of->turn)};
    return (effort){spin_moment(J, &of->turn, of->a), spin_force(J, &of->turn, of->a)};
}

/* the part of a force along a body's joint */
TD_INLINE void project(const td_body *body, const td_scratch *s, const effort *f, real *tau)
{
    switch (body->motion) {
    case TD_MOTION_REVOLUTE:
        tau[0] = arrow_get(&f->moment, 2);
        break;
    case TD_MOTION_PRISMATIC:
        tau[0] = arrow_get(&f->force, 2);
        break;
    case TD_MOTION_PLANAR: {
        real sine = ((const real *)s->sine)[body->angle];
        real cosine = ((const real *)s->cosine)[body->angle];
        real x = arrow_get(&f->force, 0), y = arrow_get(&f->force, 1);
        tau[0] = cosine * x - sine * y;
        tau[1] = sine * x + cosine * y;
        tau[2] = arrow_get(&f->moment, 2);
        break;
    }
    case TD_MOTION_FLOATING:
        for (int k = 0; k < 3; k++) {
            tau[k] = arrow_get(&f->moment, k);
            tau[3 + k] = arrow_get(&f->force, k);
        }
        break;
    }
}

/* a force on body i, to its parent */
TD_INLINE void hand_back(const td_tree *tree, const td_scratch *s, size_t i, const effort *f,
                         effort *back, td_manner manner)
{
    const hinge h = hinge_again(tree, s, i, manner);
    const arrow force = to_parent(&h, &f->force), moment = to_parent(&h, &f->moment);
    *back = (effort){arrow_add_cross(moment, hinge_origin(&h), force), force};
}

/* What the body before takes over stays at hand; other parents' shares wait in the scratch. */
static void rnea_inwards(const td_tree *tree, const td_scratch *s, int loaded, real *tau)
{
    const movement *of = s->movement;
    const spatial *external = s->wrench;
    effort *share = s->effort;
    const arrow none = arrow_of(vec3_splat((td_vec3){0, 0, 0}));

    effort back = {none, none};
    int to = -1; /* whose it is */
    for (int i = (int)tree->bodies; i-- > 0;) {
        const td_body *body = &tree->body[i];
        effort f = own_effort(tree, &of[i], (size_t)i);
        if (loaded)
            f = effort_sub(f, &external[i]);
        if (to == i)
            f = effort_add(f, back);
        if (body->forks)
            f = effort_add(f, share[i]);
        project(body, s, &f, tau + body->qd);

        to = body->parent;
        if (to < 0)
            continue;
        by_manner(body->manner, hand_back, tree, s, (size_t)i, &f, &back);
        if (to == i - 1)
            continue;
        share[to] = body->last ? back : effort_add(share[to], back);
    }
}

static void rnea(const td_tree *tree, const td_scratch *s, const void *q, int posed, const void *qd,
                 const void *qdd, int loaded, void *tau)
{
    if (!posed)
        find_sines(tree, s, q);
    rnea_outwards(tree, s, q, qd, qdd);
    rnea_inwards(tree, s, loaded, tau);
}
