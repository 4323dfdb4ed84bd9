/* SPDX-License-Identifier: MIT */
/*
 * Inertias in world axes about each body's origin, composite inertias, and the mass matrix by the
 * composite-rigid-body algorithm: column i of H is the force that lets the subtree of body i follow
 * a unit acceleration of its joint, felt by the joints of its ancestors. Masses of subtrees are
 * constants of the model. Nothing is turned: on the way up only moments change, by r × f.
 */

/* ---- own inertias ---------------------------------------------------------------------------- */

/* about the bodies' origins: h, and I as its diagonal and as (xy, yz, zx) */
typedef struct run_inertia {
    run3 h, diagonal, mixed;
} run_inertia;

/* of bodies abreast: R [h u v], with which I is middle · 1 − u uᵀ + v vᵀ */
TD_INLINE run_inertia own_inertias(const td_tree *tree, const td_scratch *s, size_t i)
{
    const td_moments *k = &tree->moments[i / TD_ABREAST];
    const size_t at = i % TD_ABREAST;
    run3 R[3];
    const axes *p = (const axes *)s->pose + i;
    R[0] = run3_gather_columns(&p->x, sizeof *p);
    R[1] = run3_gather_columns(&p->y, sizeof *p);
    R[2] = run3_gather_columns(&p->z, sizeof *p);
    const run3 h = run3_turn_k(R, k->h, at);
    const run3 u = run3_turn_k(R, k->u, at), v = run3_turn_k(R, k->v, at);
    const run middle = run_load_k(k->middle + at);
    return (run_inertia){
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
    for (size_t i = 0; i < tree->bodies; i += TD_RUN) {
        const run_inertia a = own_inertias(tree, s, i);
        run_scatter(a.h.x, &own[i].h.x, apart);
        run_scatter(a.h.y, &own[i].h.y, apart);
        run_scatter(a.h.z, &own[i].h.z, apart);
        run_scatter(a.diagonal.x, &own[i].I.xx, apart);
        run_scatter(a.mixed.x, &own[i].I.xy, apart);
        run_scatter(a.mixed.z, &own[i].I.xz, apart);
        run_scatter(a.diagonal.y, &own[i].I.yy, apart);
        run_scatter(a.mixed.y, &own[i].I.yz, apart);
        run_scatter(a.diagonal.z, &own[i].I.zz, apart);
    }
}

/* ---- composites ------------------------------------------------------------------------------ */

/* sum + b about a point r farther back: h + m r, I + 2 (r·k) 1 − (r kᵀ + k rᵀ) with k = h + ½ m r.
   What waits for the last body comes last. */
TD_INLINE composite composite_add_shifted(const composite *sum, double mass, const composite *b,
                                          arrow r)
{
    const arrow k = arrow_add(b->h, arrow_scale(0.5 * mass, r)), k_yzx = arrow_yzx(k);
    const arrow r_yzx = arrow_yzx(r), twice = arrow_scale(2, r);
    return (composite){
        arrow_add(arrow_add(sum->h, arrow_scale(mass, r)), b->h),
        arrow_add(arrow_add(arrow_add(sum->diagonal, arrow_mul(arrow_yzx(twice), k_yzx)),
                            arrow_mul(arrow_zxy(twice), arrow_zxy(k))),
                  b->diagonal),
        arrow_add(arrow_sub(arrow_sub(sum->mixed, arrow_mul(r, k_yzx)), arrow_mul(r_yzx, k)),
                  b->mixed),
    };
}

/* of bodies abreast, their own inertias */
TD_INLINE void start_composites(const td_tree *tree, const td_scratch *s, size_t i, composite *to)
{
    const run_inertia own = own_inertias(tree, s, i);
    run3_scatter(own.h, &to->h, sizeof *to);
    run3_scatter(own.diagonal, &to->diagonal, sizeof *to);
    run3_scatter(own.mixed, &to->mixed, sizeof *to);
}

/* Bodies start abreast before any child comes; one by one, when their first child does. */
static void composites(const td_tree *tree, const td_scratch *s)
{
    const arrow *arm = s->arm;
    composite *total = s->composite;
    for (size_t i = 0; TD_RUN > 1 && i < tree->bodies; i += TD_RUN)
        start_composites(tree, s, i, &total[i]);
    for (size_t i = tree->bodies; i-- > 0;) {
        const td_body *body = &tree->body[i];
        const size_t parent = (size_t)body->parent;
        if (TD_RUN == 1 && body->leaf)
            start_composites(tree, s, i, &total[i]);
        if (body->parent < 0)
            continue;
        composite sum[TD_RUN] = {total[parent]}; /* of which the first alone is used */
        if (TD_RUN == 1 && body->last)
            start_composites(tree, s, parent, sum);
        total[parent] = composite_add_shifted(sum, body->subtree, &total[i], arm[i]);
    }
}

/* ---- mass matrix ----------------------------------------------------------------------------- */

/* What gives the subtree of a body a unit velocity of its joint: momentum, or the force for as much
   acceleration, about the first origin of the body's limb. */
typedef struct row_force {
    arrow n, f;
} row_force;

/* What the rows of H are made of. Columns are arrays a coordinate: a row runs over the ancestors of
   a limb as over consecutive numbers. */
typedef struct row_parts {
    real *wx, *wy, *wz, *vx, *vy, *vz; /* per velocity: its column about the first origin of its
                                          limb */
    real *diagonal;                    /* per velocity */
    row_force *force;                  /* per velocity */
    arrow *to_outer; /* per limb: its first origin from that of the limb that carries it */
    arrow *from_top; /* per body: its origin from the first one of its limb */
} row_parts;

TD_INLINE row_parts row_parts_in(const td_tree *tree, const td_scratch *s)
{
    const size_t nv = td_abreast(tree->nv);
    real *w = s->columns, *v = w + 3 * nv, *diagonal = v + 3 * nv;
    row_force *force = (row_force *)(diagonal + nv);
    arrow *to_outer = (arrow *)(force + nv);
    return (row_parts){
        w,          w + nv,   w + 2 * nv, v,        v + nv,
        v + 2 * nv, diagonal, force,      to_outer, to_outer + td_abreast(tree->bodies)};
}

static void find_tops(const td_tree *tree, const td_scratch *s, const row_parts *parts)
{
    const arrow *arm = s->arm;
    for (size_t l = 0; l < tree->limbs; l++) {
        const td_limb *limb = &tree->limb[l];
        const size_t top = (size_t)limb->top, end = top + (size_t)limb->bodies;
        arrow from_top = arrow_of(spatial_zero().linear);
        if (limb->parent >= 0)
            parts->to_outer[l] = arrow_add(arm[top], parts->from_top[limb->parent]);
        parts->from_top[top] = from_top;
        for (size_t i = top + 1; i < end; i++)
            parts->from_top[i] = from_top = arrow_add(from_top, arm[i]);
    }
}

/* An inertia about an axis that is this small against the trace is rounding, and stands for none:
   factors tell a joint that turns nothing by its entry on the diagonal alone. */
#define SMALLEST_TURN 1e-14

TD_INLINE real but_rounding(real entry, real trace)
{
    return select_lt(entry, SMALLEST_TURN * trace, splat(0), entry);
}

/* whether velocity k of a joint with several turns its body */
TD_INLINE bool turns_body(const td_body *body, int k)
{
    return body->motion == TD_MOTION_FLOATING ? k < 3 : k == 2;
}

/* of bodies abreast, as if the joints of all turned */
TD_INLINE void find_parts_abreast(const td_tree *tree, const td_scratch *s, const row_parts *parts,
                                  size_t i)
{
    const composite *total = (const composite *)s->composite + i;
    const axes *p = (const axes *)s->pose + i;
    const run3 axis = run3_gather_columns(&p->z, sizeof *p);
    const run3 h = run3_gather(&total->h, sizeof *total);
    const run3 d = run3_gather(&total->diagonal, sizeof *total);
    const run3 m = run3_gather(&total->mixed, sizeof *total);
    const run3 r = run3_gather(&parts->from_top[i], sizeof *parts->from_top);
    const run3 n = {d.x * axis.x + m.x * axis.y + m.z * axis.z,
                    m.x * axis.x + d.y * axis.y + m.y * axis.z,
                    m.z * axis.x + m.y * axis.y + d.z * axis.z};
    const run3 f = run3_cross(axis, h);
    const run turning = run3_dot(axis, n), least = SMALLEST_TURN * (d.x + d.y + d.z);
    const size_t j = (size_t)tree->body[i].qd;
    row_force *force = &parts->force[j];
    run_store(parts->diagonal + j, run_select_lt(turning, least, run_splat(splat(0)), turning),
              TD_RUN);
    run3_scatter(run3_add(n, run3_cross(r, f)), &force->n, sizeof *force);
    run3_scatter(f, &force->f, sizeof *force);
    run3_store(axis, parts->wx + j, parts->wy + j, parts->wz + j);
    run3_store(run3_cross(r, axis), parts->vx + j, parts->vy + j, parts->vz + j);
}

/* a column and its force, both about the first origin of the limb */
TD_INLINE void set_parts(const row_parts *parts, int j, spatial column, spatial force,
                         real diagonal)
{
    const vec3 w = column.angular, v = column.linear;
    parts->wx[j] = w.x, parts->wy[j] = w.y, parts->wz[j] = w.z;
    parts->vx[j] = v.x, parts->vy[j] = v.y, parts->vz[j] = v.z;
    parts->force[j] = (row_force){arrow_of(force.angular), arrow_of(force.linear)};
    parts->diagonal[j] = diagonal;
}

/* of a body whose joint does not only turn */
static void find_other_parts(const td_tree *tree, const td_scratch *s, const row_parts *parts,
                             size_t i)
{
    const td_body *body = &tree->body[i];
    const axes *p = (const axes *)s->pose + i;
    const inertia total = composite_at(s, i);
    const vec3 r = arrow_vec3(parts->from_top[i]);
    if (body->motion == TD_MOTION_PRISMATIC) {
        const spatial S = narrow_column(body, axis_in(p));
        const spatial F = {cross(total.h, S.linear), scale(body->subtree, S.linear)};
        set_parts(parts, body->qd, S, force_shift(F, r), splat(body->subtree));
        return;
    }
    const real trace = sym_trace(&total.I);
    for (int k = 0; k < body->nv; k++) {
        const spatial S = column_at(body, s, p, k), F = momentum_of(body->subtree, &total, S);
        const real entry = spatial_dot(S, F);
        set_parts(parts, body->qd + k, motion_shift(S, negative(r)), force_shift(F, r),
                  turns_body(body, k) ? but_rounding(entry, trace) : entry);
    }
}

/* What is computed abreast for a joint that does not only turn, and what passes the end of bodies
   with consecutive velocities, is overwritten. */
static void find_parts(const td_tree *tree, const td_scratch *s, const row_parts *parts)
{
    find_tops(tree, s, parts);
    for (size_t i = 0, step; i < tree->bodies; i += step) {
        const td_body *body = &tree->body[i];
        const size_t straight = (size_t)body->straight;
        step = straight < TD_RUN ? straight : TD_RUN;
        if (TD_RUN > 1 || body->motion == TD_MOTION_REVOLUTE)
            find_parts_abreast(tree, s, parts, i);
    }
    for (size_t k = 0; k < tree->others; k++)
        find_other_parts(tree, s, parts, (size_t)tree->other[k]);
}

/* entries of H: a force on some columns from one on */
TD_INLINE void project_on(const row_parts *parts, size_t first, size_t count,
                          const row_force *force, real *entry, bool exactly)
{
    const run nx = run_splat(arrow_get(&force->n, 0)), fx = run_splat(arrow_get(&force->f, 0));
    const run ny = run_splat(arrow_get(&force->n, 1)), fy = run_splat(arrow_get(&force->f, 1));
    const run nz = run_splat(arrow_get(&force->n, 2)), fz = run_splat(arrow_get(&force->f, 2));
    for (size_t k = 0; k < count; k += TD_RUN) {
        const size_t j = first + k;
        run_store(entry + k,
                  nx * run_load(parts->wx + j) + ny * run_load(parts->wy + j) +
                      nz * run_load(parts->wz + j) +
                      (fx * run_load(parts->vx + j) + fy * run_load(parts->vy + j) +
                       fz * run_load(parts->vz + j)),
                  exactly ? (int)(count - k) : TD_RUN);
    }
}

/* Rows of a limb: its own columns first, which may pass the end of a row into what is written
   later, then limb by limb those of its ancestors. */
TD_INLINE void limb_rows(const td_tree *tree, const row_parts *parts, const td_limb *limb, real *H)
{
    const size_t first = (size_t)limb->qd, rows = (size_t)limb->rows, depth = (size_t)limb->depth;
    row_force *force = parts->force + first;
    real *const entries = H + tree->pattern.row[first], *row = entries + depth;
    for (size_t k = 0; k < rows; k++) {
        project_on(parts, first, k, &force[k], row, false);
        row[k] = parts->diagonal[first + k];
        row += depth + k + 1;
    }
    for (const td_limb *inner = limb; inner->outer >= 0; inner = &tree->limb[inner->outer]) {
        const td_limb *outer = &tree->limb[inner->outer];
        const arrow r = parts->to_outer[inner - tree->limb];
        const size_t columns = (size_t)(inner->end - outer->qd);
        row = entries + outer->depth;
        for (size_t k = 0; k < rows; k++) {
            force[k].n = arrow_add(force[k].n, arrow_cross(r, force[k].f));
            project_on(parts, (size_t)outer->qd, columns, &force[k], row, true);
            row += depth + k + 1;
        }
    }
}

static void add_rotors(const td_tree *tree, real *H)
{
    for (size_t i = 0; i < tree->nv; i++)
        H[tree->pattern.row[i] + (size_t)tree->pattern.depth[i]] += splat(tree->passive[i].rotor);
}

static void crba(const td_tree *tree, const td_scratch *s, int with_rotors)
{
    real *H = s->mass;
    const row_parts parts = row_parts_in(tree, s);
    find_parts(tree, s, &parts);
    for (size_t l = 0; l < tree->limbs; l++)
        limb_rows(tree, &parts, &tree->limb[l], H);
    if (with_rotors)
        add_rotors(tree, H);
}
