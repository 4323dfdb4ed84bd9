/* SPDX-License-Identifier: MIT */
/*
 * Inertias in world axes about each body's origin, composite inertias, and the mass matrix by the
 * composite-rigid-body algorithm: column i of H is the force that lets the subtree of body i follow
 * a unit acceleration of its joint, felt by the joints of its ancestors. Masses of subtrees are
 * constants of the model. Nothing is turned: on the way up only moments change, by r × f.
 */

static void inertias(const td_tree *tree, const td_scratch *s)
{
    const placement *p = s->pose;
    inertia *own = s->inertia;
    for (size_t i = 0; i < tree->bodies; i++) {
        const placement turned = rotation_times_k(&p[i], &tree->body_moments[i]);
        const vec3 u = column_in(&turned, 1), v = column_in(&turned, 2);
        const real middle = splat(tree->body[i].middle);
        own[i].h = column_in(&turned, 0);
        own[i].I = (sym3){middle - u.x * u.x + v.x * v.x, v.x * v.y - u.x * u.y,
                          v.x * v.z - u.x * u.z,          middle - u.y * u.y + v.y * v.y,
                          v.y * v.z - u.y * u.z,          middle - u.z * u.z + v.z * v.z};
    }
}

/* about a point r farther back: h + m r, I + 2 (r·k) 1 − (r kᵀ + k rᵀ) with k = h + ½ m r */
TD_INLINE inertia inertia_shift(double mass, const inertia *b, vec3 r)
{
    vec3 k = add(b->h, scale(0.5 * mass, r));
    real twice = 2.0 * dot(r, k);
    return (inertia){
        add(b->h, scale(mass, r)),
        {b->I.xx + twice - 2.0 * r.x * k.x, b->I.xy - (r.x * k.y + k.x * r.y),
         b->I.xz - (r.x * k.z + k.x * r.z), b->I.yy + twice - 2.0 * r.y * k.y,
         b->I.yz - (r.y * k.z + k.y * r.z), b->I.zz + twice - 2.0 * r.z * k.z},
    };
}

static void composites(const td_tree *tree, const td_scratch *s)
{
    const vec3 *arm = s->arm;
    inertia *total = s->composite;
    memcpy(total, s->inertia, tree->bodies * sizeof *total);
    for (size_t i = tree->bodies; i-- > 0;) {
        int parent = tree->body[i].parent;
        if (parent < 0)
            continue;
        inertia shifted = inertia_shift(tree->body[i].subtree, &total[i], arm[i]);
        total[parent].h = add(total[parent].h, shifted.h);
        total[parent].I = sym_add(total[parent].I, shifted.I);
    }
}

/* Columns of the joints about the first origin of their limb, each of their coordinates an array: a
   row of H runs over the ancestors of a limb as over consecutive numbers. */
typedef struct limb_columns {
    real *wx, *wy, *wz, *vx, *vy, *vz;
    vec3 *from_top; /* per body: its origin from the first one of its limb */
} limb_columns;

TD_INLINE void set_column(const limb_columns *S, int i, vec3 w, vec3 v)
{
    S->wx[i] = w.x, S->wy[i] = w.y, S->wz[i] = w.z;
    S->vx[i] = v.x, S->vy[i] = v.y, S->vz[i] = v.z;
}

TD_INLINE real project_on_column(const limb_columns *S, int j, spatial force)
{
    return dot((vec3){S->wx[j], S->wy[j], S->wz[j]}, force.angular) +
           dot((vec3){S->vx[j], S->vy[j], S->vz[j]}, force.linear);
}

/* entries of H: a force on the columns from first up to end */
TD_INLINE void project_on(const limb_columns *columns, int first, int end, spatial force,
                          real *entry)
{
    const limb_columns S = *columns;
    if (end - first <= 2) { /* no loop: what comes before and after its vectors costs more */
        if (end > first)
            entry[0] = project_on_column(&S, first, force);
        if (end > first + 1)
            entry[1] = project_on_column(&S, first + 1, force);
        return;
    }
    TD_INDEPENDENT
    for (int j = first; j < end; j++)
        entry[j - first] = project_on_column(&S, j, force);
}

/* entries of all ancestors of a body, limb by limb, from a force at the body's origin */
TD_INLINE void project_on_ancestors(const td_tree *tree, const td_scratch *s, const limb_columns *S,
                                    size_t i, spatial force, real *row)
{
    const vec3 *arm = s->arm;
    const td_body *body = &tree->body[i];
    int end = body->qd;
    vec3 d = S->from_top[i];
    for (;;) {
        const td_body *top = &tree->body[body->top];
        force = force_shift(force, d);
        project_on(S, top->qd, end, force, row + tree->pattern.depth[top->qd]);
        if (top->parent < 0)
            return;
        d = add(arm[body->top], S->from_top[top->parent]);
        body = &tree->body[top->parent];
        end = body->qd + body->nv;
    }
}

/* columns and rows of a joint with several coordinates */
static void crba_wide(const td_tree *tree, const td_scratch *s, const limb_columns *S, size_t i,
                      real *H)
{
    const pose p = pose_at((const placement *)s->pose + i);
    const inertia *total = (const inertia *)s->composite + i;
    const td_body *body = &tree->body[i];
    for (int k = 0; k < body->nv; k++) {
        real *row = H + tree->pattern.row[body->qd + k];
        spatial column = wide_column(body, s, &p, k);
        spatial force = momentum_of(body->subtree, total, column);
        set_column(S, body->qd + k, column.angular,
                   add(column.linear, cross(S->from_top[i], column.angular)));
        project_on_ancestors(tree, s, S, i, force, row);
        for (int m = 0; m <= k; m++)
            row[tree->pattern.depth[body->qd] + m] =
                spatial_dot(wide_column(body, s, &p, m), force);
    }
}

static void crba(const td_tree *tree, const td_scratch *s, int with_rotors)
{
    const placement *p = s->pose;
    const vec3 *arm = s->arm;
    const inertia *total = s->composite;
    const size_t nv = tree->nv;
    const vec3 none = spatial_zero().linear;
    real *H = s->mass, *room = s->columns;
    const limb_columns S = {room,          room + nv,     room + 2 * nv,          room + 3 * nv,
                            room + 4 * nv, room + 5 * nv, (vec3 *)(room + 6 * nv)};

    for (size_t i = 0; i < tree->bodies; i++) {
        const td_body *body = &tree->body[i];
        const vec3 axis = axis_in(&p[i]);
        S.from_top[i] = body->top == (int)i ? none : add(S.from_top[i - 1], arm[i]);
        if (body->nv > 1) {
            crba_wide(tree, s, &S, i, H);
            continue;
        }
        real *row = H + tree->pattern.row[body->qd];
        real *diagonal = row + tree->pattern.depth[body->qd];
        spatial force;
        if (body->motion == TD_MOTION_REVOLUTE) {
            set_column(&S, body->qd, axis, cross(S.from_top[i], axis));
            force = (spatial){mul_sym(&total[i].I, axis), cross(axis, total[i].h)};
            *diagonal = dot(axis, force.angular);
        } else {
            set_column(&S, body->qd, none, axis);
            force = (spatial){cross(total[i].h, axis), scale(body->subtree, axis)};
            *diagonal = dot(axis, force.linear);
        }
        project_on_ancestors(tree, s, &S, i, force, row);
    }
    if (!with_rotors)
        return;
    for (size_t i = 0; i < tree->nv; i++)
        H[tree->pattern.row[i] + (size_t)tree->pattern.depth[i]] += splat(tree->passive[i].rotor);
}
