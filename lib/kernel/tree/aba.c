/* SPDX-License-Identifier: MIT */
/*
 * Forward dynamics by the articulated-body algorithm (Featherstone 1983), in world axes with the
 * reference point at each body's origin: articulated inertias are shifted and added, never turned,
 * and the axis of a revolute joint has no linear part. With the classical acceleration (α, a) of
 * the body's origin and its articulated inertia
 *
 *   n = I α + H a + bias,   f = Hᵀ α + M a + bias
 *
 * passes go outwards (velocities, bias), inwards (inertias), outwards (accelerations). Gravity is
 * an acceleration −g of the world, and accelerations are counted from those that velocities and
 * gravity alone would give: the bias is then what the motion without q̈ takes, and the inertias meet
 * only what q̈ adds. A joint whose acceleration is given (hybrid dynamics) adds it to the former,
 * and hands its inertia on undiminished.
 *
 * Trees of other reals than one double have an algorithm of their own, see kernel/tree/aba_body.c,
 * which takes joints of several coordinates from here.
 */

/* A pivot this small against the trace of the inertia it comes from is rounding. */
#define SMALLEST_JOINT_INERTIA 1e-13

/* what the inward pass leaves for the outward one, for a joint of one coordinate */
typedef struct projected {
    effect U; /* of its axis, about the parent's origin: there the outward pass does not wait for
                 what the arm adds to the acceleration; kernel/tree/aba_body.c has its own */
    real inverse; /* of the joint-space inertia */
} projected;

/* the same for a joint with several */
typedef struct wide_projected {
    spatial S[6];
    effect U[6];
    real D[6][6]; /* lower triangle: L and the inverse of the pivots */
} wide_projected;

/* ---- outwards: velocities and bias ----------------------------------------------------------- */

/* A joint's own velocity v beside its parent's: what it adds to ω and to the accelerations */
TD_INLINE void add_joint_velocity(const td_body *body, const td_scratch *s, const axes *p,
                                  const real *qd, arrow w_parent, arrow *w, screw *a)
{
    const arrow axis = arrow_col(&p->z);
    *w = w_parent;
    if (body->motion == TD_MOTION_REVOLUTE) {
        arrow v = arrow_scale_by(qd[0], axis);
        a->angular = arrow_add(a->angular, arrow_cross(w_parent, v));
        *w = arrow_add(w_parent, v);
    } else if (body->motion == TD_MOTION_PRISMATIC) {
        a->linear = arrow_add(a->linear, arrow_cross(w_parent, arrow_scale_by(2.0 * qd[0], axis)));
    } else {
        spatial v = joint_rate_at(body, s, p, qd);
        *a = screw_add(*a,
                       screw_of(joint_bias(body, arrow_vec3(w_parent), spatial_zero().linear, v)));
        *w = arrow_add(w_parent, arrow_of(v.angular));
    }
}

/* The motion without the accelerations that are sought, and the force that it takes: the bias.
   Known accelerations (NULL: none) are those of the joints that are given (NULL: all). */
static void aba_bias(const td_tree *tree, const td_scratch *s, const real *qd, const real *known,
                     const unsigned char *given, int loaded)
{
    const axes *p = s->pose;
    const arrow *arm = s->arm;
    const inertia *own = s->inertia;
    const spatial *external = s->wrench;
    const screw world = screw_of(world_acceleration(tree));
    const arrow none = arrow_of(spatial_zero().linear);
    arrow *w = s->velocity;
    screw *a = s->acceleration;
    articulated *A = s->articulated;

    for (size_t i = 0; i < tree->bodies; i++) {
        const td_body *body = &tree->body[i];
        arrow w_parent = none;
        screw now = world;
        if (body->parent >= 0) {
            const arrow r = arm[i];
            w_parent = w[body->parent];
            now = a[body->parent];
            now.linear = arrow_add(
                now.linear, arrow_crosses(now.angular, r, w_parent, arrow_cross(w_parent, r)));
        }
        add_joint_velocity(body, s, &p[i], qd + body->qd, w_parent, &w[i], &now);
        if (known && (!given || given[body->qd]))
            now = screw_add(now, screw_of(joint_rate_at(body, s, &p[i], known + body->qd)));
        a[i] = now;
        screw bias = inertial_force(body->mass, &own[i], w[i], &now);
        if (loaded) {
            const mat3 R = rotation_in(&p[i]);
            const vec3 n = turn(&R, external[i].angular), f = turn(&R, external[i].linear);
            bias = screw_add(bias, screw_of((spatial){scale(-1, n), scale(-1, f)}));
        }
        articulated_start(&A[i], bias);
    }
}

/* ---- inwards: articulated inertias ----------------------------------------------------------- */

/* what a joint of one coordinate makes of A; r is the arm from the parent */
TD_INLINE void project_joint(const td_body *body, const articulated *A, vec3 axis, vec3 r, real tau,
                             double rotor, projected *joint, real *bad)
{
    bool turns = body->motion == TD_MOTION_REVOLUTE;
    const effect U = turns ? effect_of_turn(A, axis, tau) : effect_of_slide(A, axis, tau);
    const vec3 along = turns ? effect_angular(&U) : effect_linear(&U);
    real D = rotor + axis.x * along.x + axis.y * along.y + axis.z * along.z;
    real scale = turns ? articulated_turning(A) : articulated_sliding(A);
    *bad = first_bad(*bad, SMALLEST_JOINT_INERTIA * scale, D, (size_t)body->qd);
    joint->U = effect_shift(&U, r);
    joint->inverse = 1.0 / D;
}

/* L D Lᵀ of the lower triangle in place, pivots inverted */
TD_INLINE void factor_wide(const td_body *body, real D[6][6], real *bad)
{
    int n = body->nv;
    real diagonal[6];
    for (int k = 0; k < n; k++)
        diagonal[k] = D[k][k];
    for (int k = 0; k < n; k++) {
        *bad =
            first_bad(*bad, SMALLEST_JOINT_INERTIA * diagonal[k], D[k][k], (size_t)(body->qd + k));
        D[k][k] = 1.0 / D[k][k];
        for (int i = k + 1; i < n; i++) {
            real quotient = D[i][k] * D[k][k];
            for (int j = i; j < n; j++)
                D[j][i] -= quotient * D[j][k];
        }
        for (int i = k + 1; i < n; i++)
            D[i][k] *= D[k][k];
    }
}

TD_INLINE void solve_wide(int n, real D[6][6], real *x)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            x[i] -= D[i][j] * x[j];
    for (int i = n - 1; i >= 0; i--) {
        x[i] *= D[i][i];
        for (int j = i + 1; j < n; j++)
            x[i] -= D[j][i] * x[j];
    }
}

/* the same through a joint with several, if anything sees it */
TD_INLINE void through_wide_joint(const td_tree *tree, const td_body *body, const td_scratch *s,
                                  const axes *p, articulated *A, const real *tau, int with_rotors,
                                  wide_projected *joint, real *bad)
{
    int n = body->nv;
    const pose at = pose_at(p);
    const spatial bias = articulated_bias(A);
    for (int k = 0; k < n; k++) {
        joint->S[k] = wide_column(body, s, &at, k);
        spatial U = articulated_apply(A, joint->S[k]);
        joint->U[k] = effect_of(U, tau[k] - spatial_dot(joint->S[k], bias));
        for (int j = 0; j <= k; j++)
            joint->D[k][j] = spatial_dot(joint->S[j], U);
        if (with_rotors)
            joint->D[k][k] += splat(tree->passive[body->qd + k].rotor);
    }
    factor_wide(body, joint->D, bad);

    for (int k = 0; body->parent >= 0 && k < n; k++) {
        real row[6]; /* V_k = Σ_j D⁻¹(k, j) U_j */
        for (int j = 0; j < n; j++)
            row[j] = splat(j == k);
        solve_wide(n, joint->D, row);
        effect V = effect_scale(row[0], joint->U[0]);
        for (int j = 1; j < n; j++)
            V = effect_add(V, effect_scale(row[j], joint->U[j]));
        articulated_subtract(A, &joint->U[k], &V);
    }
}

/* of body i without its children */
TD_INLINE articulated own_articulated(const td_tree *tree, const td_scratch *s, size_t i)
{
    return articulated_own(tree->body[i].mass, (const inertia *)s->inertia + i,
                           (const articulated *)s->articulated + i);
}

/* ---- outwards: accelerations ----------------------------------------------------------------- */

/* qdd of a joint from the acceleration that the body would have without it; tau where qdd is given
 */
TD_INLINE void accelerate_joint(const td_tree *tree, const td_scratch *s, size_t i, const axes *p,
                                const screw *outer, screw *a, int with_rotors, bool given,
                                real *tau, real *qdd)
{
    const td_body *body = &tree->body[i];
    const articulated *A = (const articulated *)s->articulated + i;
    if (given) {
        spatial f = spatial_add(articulated_apply(A, screw_spatial(*a)), articulated_bias(A));
        for (int k = 0; k < body->nv; k++) {
            tau[k] = spatial_dot(column_at(body, s, p, k), f);
            if (with_rotors)
                tau[k] += tree->passive[body->qd + k].rotor * qdd[k];
        }
    } else if (body->wide < 0) {
        const projected *joint = (const projected *)s->projected + i;
        qdd[0] = joint->inverse * effect_left(&joint->U, outer);
        arrow part = arrow_scale_by(qdd[0], arrow_col(&p->z));
        if (body->motion == TD_MOTION_REVOLUTE)
            a->angular = arrow_add(a->angular, part);
        else
            a->linear = arrow_add(a->linear, part);
    } else {
        wide_projected *joint = (wide_projected *)s->wide + body->wide;
        for (int k = 0; k < body->nv; k++)
            qdd[k] = effect_left(&joint->U[k], a);
        solve_wide(body->nv, joint->D, qdd);
        for (int k = 0; k < body->nv; k++)
            *a = screw_add(*a, screw_of(spatial_scale(qdd[k], joint->S[k])));
    }
}

/* ---- one state ------------------------------------------------------------------------------- */

/* Other reals go by the bodies' axes, see kernel/tree/aba_body.c: what is above serves them in
 * clusters, and there. */
#if defined(TD_REAL_DOUBLE)

/* apart from the joints of one coordinate, whose numbers stay in registers */
static __attribute__((noinline)) void aba_inwards_rare(const td_tree *tree, const td_scratch *s,
                                                       size_t i, int with_rotors, bool given,
                                                       const real *tau, real *bad)
{
    const td_body *body = &tree->body[i];
    articulated seen = ((const articulated *)s->articulated)[i];
    if (!given)
        through_wide_joint(tree, body, s, (const axes *)s->pose + i, &seen, tau, with_rotors,
                           (wide_projected *)s->wide + body->wide, bad);
    if (body->parent < 0)
        return;
    seen = articulated_shift(&seen, arrow_vec3(((const arrow *)s->arm)[i]));
    articulated *A = (articulated *)s->articulated + body->parent;
    const articulated before = body->last ? own_articulated(tree, s, (size_t)body->parent) : *A;
    *A = articulated_sum(&before, &seen);
}

static void aba_inwards(const td_tree *tree, const td_scratch *s, int with_rotors,
                        const unsigned char *given, const real *tau)
{
    const axes *p = s->pose;
    const arrow *arm = s->arm;
    articulated *A = s->articulated;
    projected *joint = s->projected;
    real *bad = s->singular;

    *bad = splat(-1);
    for (size_t i = tree->bodies; i-- > 0;) {
        const td_body *body = &tree->body[i];
        if (body->leaf)
            A[i] = own_articulated(tree, s, i);
        bool is_given = given && given[body->qd];
        if (is_given || body->wide >= 0) {
            aba_inwards_rare(tree, s, i, with_rotors, is_given, tau + body->qd, bad);
            continue;
        }
        double rotor = with_rotors ? tree->passive[body->qd].rotor : 0;
        project_joint(body, &A[i], axis_in(&p[i]), arrow_vec3(arm[i]), tau[body->qd], rotor,
                      &joint[i], bad);
        if (body->last) { /* of the parent's children, the first to come */
            const articulated own = own_articulated(tree, s, (size_t)body->parent);
            A[body->parent] = articulated_add_through(&own, &A[i], arrow_vec3(arm[i]), &joint[i].U,
                                                      joint[i].inverse);
        } else if (body->parent >= 0) {
            A[body->parent] = articulated_add_through(&A[body->parent], &A[i], arrow_vec3(arm[i]),
                                                      &joint[i].U, joint[i].inverse);
        }
    }
}

static void aba_outwards(const td_tree *tree, const td_scratch *s, int with_rotors,
                         const unsigned char *given, real *tau, real *qdd)
{
    const axes *p = s->pose;
    const arrow *arm = s->arm;
    const screw none = screw_of(spatial_zero());
    screw *a = s->acceleration;

    for (size_t i = 0; i < tree->bodies; i++) {
        const td_body *body = &tree->body[i];
        const screw outer = body->parent < 0 ? none : a[body->parent];
        screw now = screw_shift(outer, arm[i]);
        accelerate_joint(tree, s, i, &p[i], &outer, &now, with_rotors, given && given[body->qd],
                         tau + body->qd, qdd + body->qd);
        a[i] = now;
    }
}

static void aba(const td_tree *tree, const td_scratch *s, const void *q, int posed, const void *qd,
                int loaded, int with_rotors, const unsigned char *given, void *tau, void *qdd)
{
    if (!posed)
        poses(tree, s, q, TD_EVERY_LINK, true);
    inertias(tree, s);
    aba_bias(tree, s, qd, given ? qdd : NULL, given, loaded);
    aba_inwards(tree, s, with_rotors, given, tau);
    aba_outwards(tree, s, with_rotors, given, tau, qdd);
}

#endif
