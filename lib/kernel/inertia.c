/* SPDX-License-Identifier: MIT */
/*
 * Inertias in world axes about each body's origin, composite inertias, and the mass matrix by the
 * composite-rigid-body algorithm: column i of H is the force that lets the subtree of body i follow
 * a unit acceleration of its joint, felt by the joints of its ancestors. Masses of subtrees are
 * constants of the model. Nothing is turned: on the way up only moments change, by r × f.
 */

TD_INLINE inertia own_inertia(const td_tree *tree, const td_scratch *s, size_t i)
{
    const placement *p = s->pose;
    const placement turned = rotation_times_k(&p[i], &tree->body_moments[i]);
    const vec3 u = column_in(&turned, 1), v = column_in(&turned, 2);
    const real middle = splat(tree->body[i].middle);
    return (inertia){
        column_in(&turned, 0),
        {middle - u.x * u.x + v.x * v.x, v.x * v.y - u.x * u.y, v.x * v.z - u.x * u.z,
         middle - u.y * u.y + v.y * v.y, v.y * v.z - u.y * u.z, middle - u.z * u.z + v.z * v.z},
    };
}

static void inertias(const td_tree *tree, const td_scratch *s)
{
    inertia *own = s->inertia;
    for (size_t i = 0; i < tree->bodies; i++)
        own[i] = own_inertia(tree, s, i);
}

/* sum + b about a point r farther back: h + m r, I + 2 (r·k) 1 − (r kᵀ + k rᵀ) with k = h + ½ m r.
   What k is waited for comes last. */
TD_INLINE inertia inertia_add_shifted(const inertia *sum, double mass, const inertia *b, vec3 r)
{
    const vec3 k = add(b->h, scale(0.5 * mass, r)), r2 = scale(2, r);
    const sym3 I = sym_add(sum->I, b->I);
    return (inertia){
        add(add(sum->h, scale(mass, r)), b->h),
        {I.xx + r2.y * k.y + r2.z * k.z, I.xy - r.x * k.y - r.y * k.x, I.xz - r.x * k.z - r.z * k.x,
         I.yy + r2.x * k.x + r2.z * k.z, I.yz - r.y * k.z - r.z * k.y,
         I.zz + r2.x * k.x + r2.y * k.y},
    };
}

static void composites(const td_tree *tree, const td_scratch *s)
{
    const vec3 *arm = s->arm;
    inertia *total = s->composite;
    for (size_t i = tree->bodies; i-- > 0;) {
        const td_body *body = &tree->body[i];
        const size_t parent = (size_t)body->parent;
        if (body->leaf)
            total[i] = own_inertia(tree, s, i);
        if (body->parent < 0)
            continue;
        const inertia sum = body->last ? own_inertia(tree, s, parent) : total[parent];
        total[parent] = inertia_add_shifted(&sum, body->subtree, &total[i], arm[i]);
    }
}

/* Columns of the joints about the first origin of their limb, each of their coordinates an array: a
   row of H runs over the ancestors of a limb as over consecutive numbers. */
typedef struct limb_columns {
    real *wx, *wy, *wz, *vx, *vy, *vz;
    vec3 *from_top; /* per body: its origin from the first one of its limb */
    vec3 *to_outer; /* per limb: its first origin from that of the limb that carries it */
} limb_columns;

TD_INLINE void set_column(const limb_columns *S, int j, vec3 w, vec3 v)
{
    S->wx[j] = w.x, S->wy[j] = w.y, S->wz[j] = w.z;
    S->vx[j] = v.x, S->vy[j] = v.y, S->vz[j] = v.z;
}

/* before all rows: read in vectors soon after they are written in numbers, they would be waited for
 */
static void set_columns(const td_tree *tree, const td_scratch *s, const limb_columns *S)
{
    const placement *p = s->pose;
    const vec3 *arm = s->arm;
    vec3 from_top = spatial_zero().linear;
    for (size_t i = 0; i < tree->bodies; i++) {
        const td_body *body = &tree->body[i];
        const td_limb *limb = &tree->limb[body->limb];
        if (limb->top == (int)i) {
            from_top = spatial_zero().linear;
            if (limb->parent >= 0)
                S->to_outer[body->limb] = add(arm[i], S->from_top[limb->parent]);
        } else {
            from_top = add(from_top, arm[i]);
        }
        S->from_top[i] = from_top;
        if (body->motion == TD_MOTION_REVOLUTE) {
            const vec3 axis = axis_in(&p[i]);
            set_column(S, body->qd, axis, cross(from_top, axis));
            continue;
        }
        for (int k = 0; k < body->nv; k++) {
            const spatial column = column_at(body, s, &p[i], k);
            set_column(S, body->qd + k, column.angular,
                       add(column.linear, cross(from_top, column.angular)));
        }
    }
}

/* entries of H: a force on the columns from first up to end */
TD_INLINE void project_on(const limb_columns *S, int first, int end, spatial force, real *entry)
{
    const run nx = run_splat(force.angular.x), fx = run_splat(force.linear.x);
    const run ny = run_splat(force.angular.y), fy = run_splat(force.linear.y);
    const run nz = run_splat(force.angular.z), fz = run_splat(force.linear.z);
    for (int j = first; j < end; j += TD_RUN)
        run_store(
            entry + (j - first),
            nx * run_load(S->wx + j) + ny * run_load(S->wy + j) + nz * run_load(S->wz + j) +
                (fx * run_load(S->vx + j) + fy * run_load(S->vy + j) + fz * run_load(S->vz + j)),
            end - j);
}

/* entries of all ancestors of a body, limb by limb, from a force at the body's origin */
TD_INLINE void project_on_ancestors(const td_tree *tree, const limb_columns *S, size_t i,
                                    spatial force, real *row)
{
    int l = tree->body[i].limb, end = tree->body[i].qd;
    vec3 d = S->from_top[i];
    for (;;) {
        const td_limb *limb = &tree->limb[l];
        force = force_shift(force, d);
        project_on(S, limb->qd, end, force, row + limb->depth);
        if (limb->outer < 0)
            return;
        d = S->to_outer[l];
        end = limb->end;
        l = limb->outer;
    }
}

/* An inertia about an axis that is this small against the trace is rounding, and stands for none:
   factors tell a joint that turns nothing by its entry on the diagonal alone. */
#define SMALLEST_TURN 1e-14

TD_INLINE real turning_entry(const inertia *total, real entry)
{
    return select_lt(entry, SMALLEST_TURN * sym_trace(&total->I), splat(0), entry);
}

/* rows of a joint with several coordinates; apart from the others, whose numbers stay in registers
 */
static __attribute__((noinline)) void crba_wide(const td_tree *tree, const td_scratch *s,
                                                const limb_columns *S, size_t i, real *H)
{
    const pose p = pose_at((const placement *)s->pose + i);
    const inertia *total = (const inertia *)s->composite + i;
    const td_body *body = &tree->body[i];
    for (int k = 0; k < body->nv; k++) {
        real *row = H + tree->pattern.row[body->qd + k];
        const int own = tree->pattern.depth[body->qd];
        spatial force = momentum_of(body->subtree, total, wide_column(body, s, &p, k));
        project_on_ancestors(tree, S, i, force, row);
        for (int m = 0; m <= k; m++)
            row[own + m] = spatial_dot(wide_column(body, s, &p, m), force);
        if (body->motion == TD_MOTION_PLANAR ? k == 2 : k < 3)
            row[own + k] = turning_entry(total, row[own + k]);
    }
}

static void crba(const td_tree *tree, const td_scratch *s, int with_rotors)
{
    const placement *p = s->pose;
    const inertia *total = s->composite;
    const size_t nv = tree->nv;
    real *H = s->mass, *room = s->columns;
    vec3 *places = (vec3 *)(room + 6 * nv);
    const limb_columns S = {room,          room + nv,     room + 2 * nv, room + 3 * nv,
                            room + 4 * nv, room + 5 * nv, places,        places + tree->bodies};

    set_columns(tree, s, &S);
    for (size_t i = 0; i < tree->bodies; i++) {
        const td_body *body = &tree->body[i];
        if (body->nv > 1) {
            crba_wide(tree, s, &S, i, H);
            continue;
        }
        const vec3 axis = axis_in(&p[i]);
        real *row = H + tree->pattern.row[body->qd], diagonal;
        spatial force;
        if (body->motion == TD_MOTION_REVOLUTE) {
            force = (spatial){mul_sym(&total[i].I, axis), cross(axis, total[i].h)};
            diagonal = turning_entry(&total[i], dot(axis, force.angular));
        } else {
            force = (spatial){cross(total[i].h, axis), scale(body->subtree, axis)};
            diagonal = dot(axis, force.linear);
        }
        project_on_ancestors(tree, &S, i, force, row);
        row[tree->pattern.depth[body->qd]] = diagonal;
    }
    if (!with_rotors)
        return;
    for (size_t i = 0; i < tree->nv; i++)
        H[tree->pattern.row[i] + (size_t)tree->pattern.depth[i]] += splat(tree->passive[i].rotor);
}
