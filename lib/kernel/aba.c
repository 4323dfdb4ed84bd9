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
 */

/* A pivot this small against the trace of the inertia it comes from is rounding. */
#define SMALLEST_JOINT_INERTIA 1e-13

typedef struct articulated {
    sym3 I;
    mat3 H;
    sym3 M;
    spatial bias; /* force */
} articulated;

/* what the inward pass leaves for the outward one, for a joint of one coordinate */
typedef struct projected {
    spatial U;    /* articulated inertia times the axis */
    real inverse; /* of the joint-space inertia */
    real u;       /* tau − axis · bias */
} projected;

/* the same for a joint with several */
typedef struct wide_projected {
    spatial S[6], U[6];
    real D[6][6]; /* lower triangle: L and the inverse of the pivots */
    real u[6];
} wide_projected;

TD_INLINE articulated articulated_of(double mass, const inertia *b, spatial bias)
{
    const real none = splat(0), m = splat(mass);
    vec3 h = b->h;
    return (articulated){
        b->I,
        {none, -h.z, h.y, h.z, none, -h.x, -h.y, h.x, none},
        {m, none, none, m, none, m},
        bias,
    };
}

/* the force without the bias */
TD_INLINE spatial articulated_apply(const articulated *A, spatial x)
{
    return (spatial){add(mul_sym(&A->I, x.angular), turn(&A->H, x.linear)),
                     add(turn_back(&A->H, x.angular), mul_sym(&A->M, x.linear))};
}

/* A += the inertia of a child whose origin is r away, and its bias */
TD_INLINE void articulated_add(articulated *A, const articulated *child, vec3 r)
{
    const sym3 *M = &child->M;
    const mat3 full = {M->xx, M->xy, M->xz, M->xy, M->yy, M->yz, M->xz, M->yz, M->zz};
    /* W = H + [r] M,  I + [r] Hᵀ − W [r] */
    mat3 W = mat_add(child->H, cross_mat(r, &full));
    const mat3 *H = &child->H;
    A->I.xx += child->I.xx + (r.y * H->xz - r.z * H->xy) + (r.y * W.xz - r.z * W.xy);
    A->I.xy += child->I.xy + (r.y * H->yz - r.z * H->yy) + (r.z * W.xx - r.x * W.xz);
    A->I.xz += child->I.xz + (r.y * H->zz - r.z * H->zy) + (r.x * W.xy - r.y * W.xx);
    A->I.yy += child->I.yy + (r.z * H->yx - r.x * H->yz) + (r.z * W.yx - r.x * W.yz);
    A->I.yz += child->I.yz + (r.z * H->zx - r.x * H->zz) + (r.x * W.yy - r.y * W.yx);
    A->I.zz += child->I.zz + (r.x * H->zy - r.y * H->zx) + (r.x * W.zy - r.y * W.zx);
    A->H = mat_add(A->H, W);
    A->M = sym_add(A->M, child->M);
    A->bias = spatial_add(A->bias, force_shift(child->bias, r));
}

/* A − factor · U Uᵀ, U scaled by the factor given as V */
TD_INLINE void articulated_subtract(articulated *A, const spatial *U, const spatial *V)
{
    vec3 n = U->angular, f = U->linear, vn = V->angular, vf = V->linear;
    A->I.xx -= n.x * vn.x, A->I.xy -= n.x * vn.y, A->I.xz -= n.x * vn.z;
    A->I.yy -= n.y * vn.y, A->I.yz -= n.y * vn.z, A->I.zz -= n.z * vn.z;
    A->H.xx -= n.x * vf.x, A->H.xy -= n.x * vf.y, A->H.xz -= n.x * vf.z;
    A->H.yx -= n.y * vf.x, A->H.yy -= n.y * vf.y, A->H.yz -= n.y * vf.z;
    A->H.zx -= n.z * vf.x, A->H.zy -= n.z * vf.y, A->H.zz -= n.z * vf.z;
    A->M.xx -= f.x * vf.x, A->M.xy -= f.x * vf.y, A->M.xz -= f.x * vf.z;
    A->M.yy -= f.y * vf.y, A->M.yz -= f.y * vf.z, A->M.zz -= f.z * vf.z;
}

/* ---- outwards: velocities and bias ----------------------------------------------------------- */

/* A joint's own velocity v beside its parent's: what it adds to ω and to the accelerations */
TD_INLINE void add_joint_velocity(const td_body *body, const td_scratch *s, const placement *p,
                                  const real *qd, vec3 w_parent, vec3 *w, spatial *a)
{
    const vec3 axis = axis_in(p);
    *w = w_parent;
    if (body->motion == TD_MOTION_REVOLUTE) {
        vec3 v = scale_by(qd[0], axis);
        a->angular = add(a->angular, cross(w_parent, v));
        *w = add(w_parent, v);
    } else if (body->motion == TD_MOTION_PRISMATIC) {
        a->linear = add(a->linear, cross(w_parent, scale_by(2.0 * qd[0], axis)));
    } else {
        spatial v = joint_rate_at(body, s, p, qd);
        *a = spatial_add(*a, joint_bias(body, w_parent, spatial_zero().linear, v));
        *w = add(w_parent, v.angular);
    }
}

/* The motion without the accelerations that are sought, and the force that it takes: the bias.
   Known accelerations (NULL: none) are those of the joints that are given (NULL: all). */
static void aba_bias(const td_tree *tree, const td_scratch *s, const real *qd, const real *known,
                     const unsigned char *given, int loaded)
{
    const placement *p = s->pose;
    const vec3 *arm = s->arm;
    const inertia *own = s->inertia;
    const spatial *external = s->wrench;
    const spatial world = world_acceleration(tree);
    vec3 *w = s->velocity;
    point_acceleration *of = s->acceleration;
    articulated *A = s->articulated;

    for (size_t i = 0; i < tree->bodies; i++) {
        const td_body *body = &tree->body[i];
        vec3 w_parent = spatial_zero().angular;
        spatial a = world;
        if (body->parent >= 0) {
            const point_acceleration *parent = &of[body->parent];
            w_parent = w[body->parent];
            a = motion_shift((spatial){parent->alpha, parent->a}, arm[i]);
            a.linear = add(a.linear, cross(w_parent, cross(w_parent, arm[i])));
        }
        add_joint_velocity(body, s, &p[i], qd + body->qd, w_parent, &w[i], &a);
        if (known && (!given || given[body->qd]))
            a = spatial_add(a, joint_rate_at(body, s, &p[i], known + body->qd));
        of[i].alpha = a.angular;
        of[i].a = a.linear;
        A[i].bias = inertial_force(body->mass, &own[i], w[i], a);
        if (loaded) {
            const mat3 R = rotation_in(&p[i]);
            A[i].bias = spatial_sub(
                A[i].bias, (spatial){turn(&R, external[i].angular), turn(&R, external[i].linear)});
        }
    }
}

/* ---- inwards: articulated inertias ----------------------------------------------------------- */

TD_INLINE real trace(const sym3 *S)
{
    return S->xx + S->yy + S->zz;
}

/* what the parent sees of body i through a joint of one coordinate */
TD_INLINE articulated through_joint(const td_body *body, const articulated *A, vec3 axis, real tau,
                                    double rotor, projected *joint, real *bad)
{
    bool turns = body->motion == TD_MOTION_REVOLUTE;
    real inertia_scale;
    if (turns) {
        joint->U = (spatial){mul_sym(&A->I, axis), turn_back(&A->H, axis)};
        joint->u = tau - dot(axis, A->bias.angular);
        inertia_scale = trace(&A->I);
    } else {
        joint->U = (spatial){turn(&A->H, axis), mul_sym(&A->M, axis)};
        joint->u = tau - dot(axis, A->bias.linear);
        inertia_scale = trace(&A->M);
    }
    real D = dot(axis, turns ? joint->U.angular : joint->U.linear) + rotor;
    *bad = first_bad(*bad, SMALLEST_JOINT_INERTIA * inertia_scale, D, (size_t)body->qd);
    joint->inverse = 1.0 / D;

    articulated rest = *A;
    spatial V = spatial_scale(joint->inverse, joint->U);
    articulated_subtract(&rest, &joint->U, &V);
    rest.bias = spatial_add(A->bias, spatial_scale(joint->u, V));
    return rest;
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

TD_INLINE articulated through_wide_joint(const td_tree *tree, const td_body *body,
                                         const td_scratch *s, const placement *p,
                                         const articulated *A, const real *tau, int with_rotors,
                                         wide_projected *joint, real *bad)
{
    int n = body->nv;
    const pose at = pose_at(p);
    for (int k = 0; k < n; k++) {
        joint->S[k] = wide_column(body, s, &at, k);
        joint->U[k] = articulated_apply(A, joint->S[k]);
        joint->u[k] = tau[k] - spatial_dot(joint->S[k], A->bias);
        for (int j = 0; j <= k; j++)
            joint->D[k][j] = spatial_dot(joint->S[j], joint->U[k]);
        if (with_rotors)
            joint->D[k][k] += splat(tree->passive[body->qd + k].rotor);
    }
    factor_wide(body, joint->D, bad);

    articulated rest = *A;
    real x[6];
    for (int k = 0; k < n; k++)
        x[k] = joint->u[k];
    solve_wide(n, joint->D, x);
    for (int k = 0; k < n; k++) {
        real row[6]; /* V_k = Σ_j D⁻¹(k, j) U_j */
        for (int j = 0; j < n; j++)
            row[j] = splat(j == k);
        solve_wide(n, joint->D, row);
        spatial V = spatial_scale(row[0], joint->U[0]);
        for (int j = 1; j < n; j++)
            V = spatial_add(V, spatial_scale(row[j], joint->U[j]));
        articulated_subtract(&rest, &joint->U[k], &V);
        rest.bias = spatial_add(rest.bias, spatial_scale(x[k], joint->U[k]));
    }
    return rest;
}

/* what the first child to come gives its parent: its own inertia plus the child's, r away */
TD_INLINE void articulated_begin(articulated *A, const td_body *body, const inertia *own,
                                 const articulated *child, vec3 r)
{
    articulated sum = articulated_of(body->mass, own, A->bias);
    articulated_add(&sum, child, r);
    *A = sum;
}

static void aba_inwards(const td_tree *tree, const td_scratch *s, int with_rotors,
                        const unsigned char *given, const real *tau)
{
    const placement *p = s->pose;
    const vec3 *arm = s->arm;
    const inertia *own = s->inertia;
    articulated *A = s->articulated;
    projected *joint = s->projected;
    wide_projected *wide = s->wide;
    real bad = splat(-1);

    for (size_t i = tree->bodies; i-- > 0;) {
        const td_body *body = &tree->body[i];
        double rotor = with_rotors ? tree->passive[body->qd].rotor : 0;
        if (body->leaf)
            A[i] = articulated_of(body->mass, &own[i], A[i].bias);
        articulated rest;
        if (given && given[body->qd])
            rest = A[i];
        else if (body->wide < 0)
            rest =
                through_joint(body, &A[i], axis_in(&p[i]), tau[body->qd], rotor, &joint[i], &bad);
        else
            rest = through_wide_joint(tree, body, s, &p[i], &A[i], tau + body->qd, with_rotors,
                                      &wide[body->wide], &bad);
        if (body->last)
            articulated_begin(&A[body->parent], &tree->body[body->parent], &own[body->parent],
                              &rest, arm[i]);
        else if (body->parent >= 0)
            articulated_add(&A[body->parent], &rest, arm[i]);
    }
    *(real *)s->singular = bad;
}

/* ---- outwards: accelerations ----------------------------------------------------------------- */

/* qdd of a joint from the acceleration that the body would have without it; tau where qdd is given
 */
TD_INLINE void accelerate_joint(const td_tree *tree, const td_scratch *s, size_t i, spatial *a,
                                int with_rotors, bool given, real *tau, real *qdd)
{
    const td_body *body = &tree->body[i];
    const placement *p = (const placement *)s->pose + i;
    const articulated *A = (const articulated *)s->articulated + i;
    if (given) {
        spatial f = spatial_add(articulated_apply(A, *a), A->bias);
        for (int k = 0; k < body->nv; k++) {
            tau[k] = spatial_dot(column_at(body, s, p, k), f);
            if (with_rotors)
                tau[k] += tree->passive[body->qd + k].rotor * qdd[k];
        }
    } else if (body->wide < 0) {
        const projected *joint = (const projected *)s->projected + i;
        qdd[0] = joint->inverse * (joint->u - spatial_dot(joint->U, *a));
        vec3 part = scale_by(qdd[0], axis_in(p));
        if (body->motion == TD_MOTION_REVOLUTE)
            a->angular = add(a->angular, part);
        else
            a->linear = add(a->linear, part);
    } else {
        wide_projected *joint = (wide_projected *)s->wide + body->wide;
        for (int k = 0; k < body->nv; k++)
            qdd[k] = joint->u[k] - spatial_dot(joint->U[k], *a);
        solve_wide(body->nv, joint->D, qdd);
        for (int k = 0; k < body->nv; k++)
            *a = spatial_add(*a, spatial_scale(qdd[k], joint->S[k]));
    }
}

static void aba_outwards(const td_tree *tree, const td_scratch *s, int with_rotors,
                         const unsigned char *given, real *tau, real *qdd)
{
    const vec3 *arm = s->arm;
    point_acceleration *of = s->acceleration;

    for (size_t i = 0; i < tree->bodies; i++) {
        const td_body *body = &tree->body[i];
        spatial a = spatial_zero();
        if (body->parent >= 0)
            a = motion_shift((spatial){of[body->parent].alpha, of[body->parent].a}, arm[i]);
        accelerate_joint(tree, s, i, &a, with_rotors, given && given[body->qd], tau + body->qd,
                         qdd + body->qd);
        of[i].alpha = a.angular;
        of[i].a = a.linear;
    }
}

static void aba(const td_tree *tree, const td_scratch *s, const void *qd, int loaded,
                int with_rotors, const unsigned char *given, void *tau, void *qdd)
{
    aba_bias(tree, s, qd, given ? qdd : NULL, given, loaded);
    aba_inwards(tree, s, with_rotors, given, tau);
    aba_outwards(tree, s, with_rotors, given, tau, qdd);
}
