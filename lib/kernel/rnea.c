/* SPDX-License-Identifier: MIT */
/*
 * Inverse dynamics by the recursive Newton-Euler algorithm, in body coordinates and with the
 * classical acceleration of each body's origin (Luh, Walker and Paul's form: no linear velocity is
 * needed). Outwards, with ρ the body's origin in its parent p and ω_J, v_J the joint's own motion:
 *
 *   ω = E ω_p + ω_J
 *   α = E α_p + (E ω_p) × ω_J + ω̇_J
 *   a = E (a_p + B_p ρ) + 2 (E ω_p) × v_J + v̇_J + ω_J × v_J,     B = [α]× + [ω]×[ω]×
 *   f = m a + B h − f_ext,   n = I α + ω × I ω + h × a − n_ext
 *
 * and inwards: tau = the part of (n, f) along the joint, f_p += Eᵀ f, n_p += Eᵀ n + ρ × Eᵀ f.
 * Gravity is an acceleration −g of the world.
 */

typedef struct point_acceleration {
    vec3 alpha, a;
    mat3 B;
} point_acceleration;

/* the joint's own velocity and its derivative, in body coordinates */
typedef struct joint_motion {
    vec3 w, w_dot; /* ω_J, ω̇_J */
    vec3 v, v_dot; /* v_J, v̇_J + ω_J × v_J */
} joint_motion;

/* planar: the coordinates' directions stay with the parent, so they are turned into the body */
TD_INLINE vec3 planar_to_body(real x, real y, real sine, real cosine)
{
    return (vec3){cosine * x + sine * y, cosine * y - sine * x, splat(0)};
}

TD_INLINE joint_motion motion_of(const td_body *body, const td_scratch *s, const real *qd,
                                 const real *qdd)
{
    const vec3 none = vec3_splat((td_vec3){0, 0, 0});
    joint_motion m = {none, none, none, none};
    if (body->motion == TD_MOTION_PLANAR) {
        real sine = ((const real *)s->sine)[body->angle];
        real cosine = ((const real *)s->cosine)[body->angle];
        m.w.z = qd[2];
        m.w_dot.z = qdd[2];
        m.v = planar_to_body(qd[0], qd[1], sine, cosine);
        m.v_dot = planar_to_body(qdd[0], qdd[1], sine, cosine);
    } else {
        m.w = (vec3){qd[0], qd[1], qd[2]};
        m.w_dot = (vec3){qdd[0], qdd[1], qdd[2]};
        m.v = (vec3){qd[3], qd[4], qd[5]};
        m.v_dot = add((vec3){qdd[3], qdd[4], qdd[5]}, cross(m.w, m.v));
    }
    return m;
}

/* the force that the motion takes, less the external one */
TD_INLINE spatial force_of(const td_body *body, vec3 w, const point_acceleration *acc)
{
    vec3 momentum = mul_sym_k(&body->inertia, w);
    spatial f;
    f.linear = add(scale(body->mass, acc->a), turn_k(&acc->B, body->moment));
    f.angular = add(add(mul_sym_k(&body->inertia, acc->alpha), cross(w, momentum)),
                    cross_k(body->moment, acc->a));
    return f;
}

/* ω, α, a of a body from those of its parent */
TD_INLINE void accelerate(const td_body *body, const td_scratch *s, const mat3 *Et, vec3 w_parent,
                          vec3 alpha_parent, vec3 a_parent, const real *qd, const real *qdd,
                          vec3 *w, point_acceleration *acc)
{
    *w = turn_back(Et, w_parent);
    acc->alpha = turn_back(Et, alpha_parent);
    acc->a = turn_back(Et, a_parent);
    switch (body->motion) {
    case TD_MOTION_REVOLUTE:
        acc->alpha = add(acc->alpha, cross_z(*w, qd[0]));
        acc->alpha.z += qdd[0];
        w->z += qd[0];
        break;
    case TD_MOTION_PRISMATIC:
        acc->a = add(acc->a, cross_z(*w, 2.0 * qd[0]));
        acc->a.z += qdd[0];
        break;
    case TD_MOTION_PLANAR:
    case TD_MOTION_FLOATING: {
        joint_motion m = motion_of(body, s, qd, qdd);
        acc->alpha = add(acc->alpha, add(cross(*w, m.w), m.w_dot));
        acc->a = add(acc->a, add(scale(2, cross(*w, m.v)), m.v_dot));
        *w = add(*w, m.w);
        break;
    }
    }
    acc->B = acceleration_matrix(*w, acc->alpha);
}

static void rnea_outwards(const td_tree *tree, const td_scratch *s, const real *qd, const real *qdd,
                          int loaded)
{
    const placement *placed = s->placed;
    vec3 *w = s->velocity;
    point_acceleration *acc = s->acceleration;
    spatial *f = s->force;
    const spatial *external = s->wrench;
    const vec3 none = vec3_splat((td_vec3){0, 0, 0});
    const vec3 up = vec3_splat((td_vec3){-tree->gravity.x, -tree->gravity.y, -tree->gravity.z});

    for (size_t i = 0; i < tree->bodies; i++) {
        const td_body *body = &tree->body[i];
        const pose at = pose_at(&placed[i]);
        int p = body->parent;
        if (p < 0)
            accelerate(body, s, &at.R, none, none, up, qd + body->qd, qdd + body->qd, &w[i],
                       &acc[i]);
        else
            accelerate(body, s, &at.R, w[p], acc[p].alpha, add(acc[p].a, turn(&acc[p].B, at.p)),
                       qd + body->qd, qdd + body->qd, &w[i], &acc[i]);
        f[i] = force_of(body, w[i], &acc[i]);
        if (loaded)
            f[i] = spatial_sub(f[i], external[i]);
    }
}

/* the part of a force along a body's joint */
TD_INLINE void project(const td_body *body, const td_scratch *s, const spatial *f, real *tau)
{
    switch (body->motion) {
    case TD_MOTION_REVOLUTE:
        tau[0] = f->angular.z;
        break;
    case TD_MOTION_PRISMATIC:
        tau[0] = f->linear.z;
        break;
    case TD_MOTION_PLANAR: {
        real sine = ((const real *)s->sine)[body->angle];
        real cosine = ((const real *)s->cosine)[body->angle];
        tau[0] = cosine * f->linear.x - sine * f->linear.y;
        tau[1] = sine * f->linear.x + cosine * f->linear.y;
        tau[2] = f->angular.z;
        break;
    }
    case TD_MOTION_FLOATING:
        tau[0] = f->angular.x;
        tau[1] = f->angular.y;
        tau[2] = f->angular.z;
        tau[3] = f->linear.x;
        tau[4] = f->linear.y;
        tau[5] = f->linear.z;
        break;
    }
}

static void rnea_inwards(const td_tree *tree, const td_scratch *s, real *tau)
{
    const placement *placed = s->placed;
    spatial *f = s->force;

    for (size_t i = tree->bodies; i-- > 0;) {
        const td_body *body = &tree->body[i];
        project(body, s, &f[i], tau + body->qd);
        if (body->parent < 0)
            continue;
        const pose at = pose_at(&placed[i]);
        spatial back = {turn(&at.R, f[i].angular), turn(&at.R, f[i].linear)};
        f[body->parent] = spatial_add(f[body->parent], force_shift(back, at.p));
    }
}

static void rnea(const td_tree *tree, const td_scratch *s, const void *qd, const void *qdd,
                 int loaded, void *tau)
{
    rnea_outwards(tree, s, qd, qdd, loaded);
    rnea_inwards(tree, s, tau);
}
