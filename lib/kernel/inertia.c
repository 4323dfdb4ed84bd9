/* SPDX-License-Identifier: MIT */
/*
 * Inertias in world axes about each body's origin, composite inertias, and the mass matrix by the
 * composite-rigid-body algorithm: column i of H is the force that lets the subtree of body i follow
 * a unit acceleration of its joint, felt by the joints of its ancestors. Masses of subtrees are
 * constants of the model. Nothing is turned: on the way up only moments change, by r × f.
 */

static void inertias(const td_tree *tree, const td_scratch *s)
{
    const pose *p = s->pose;
    inertia *own = s->inertia;
    for (size_t i = 0; i < tree->bodies; i++) {
        own[i].h = turn_k(&p[i].R, tree->body[i].moment);
        own[i].I = turn_sym_k(&p[i].R, &tree->body[i].inertia);
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

/* row of H that belongs to coordinate k of body i: entries of i's own coordinates up to k, and of
   all its ancestors' */
TD_INLINE void crba_row(const td_tree *tree, const td_scratch *s, size_t i, int k, real *H)
{
    const pose *p = s->pose;
    const vec3 *arm = s->arm;
    const inertia *total = s->composite;
    const td_body *body = &tree->body[i];
    const td_pattern *pattern = &tree->pattern;
    size_t coordinate = (size_t)(body->qd + k);
    real *entry = H + pattern->row[coordinate] + pattern->depth[coordinate];

    spatial force = momentum_of(body->subtree, &total[i], column_of(body, s, &p[i], k));
    for (int m = k; m >= 0; m--)
        *entry-- = spatial_dot(column_of(body, s, &p[i], m), force);
    for (int j = (int)i; tree->body[j].parent >= 0;) {
        force = force_shift(force, arm[j]);
        j = tree->body[j].parent;
        const td_body *ancestor = &tree->body[j];
        switch (ancestor->motion) {
        case TD_MOTION_REVOLUTE:
            *entry-- = dot(axis_of(&p[j]), force.angular);
            break;
        case TD_MOTION_PRISMATIC:
            *entry-- = dot(axis_of(&p[j]), force.linear);
            break;
        default:
            for (int m = ancestor->nv - 1; m >= 0; m--)
                *entry-- = spatial_dot(wide_column(ancestor, s, &p[j], m), force);
        }
    }
}

static void crba(const td_tree *tree, const td_scratch *s, int with_rotors)
{
    real *H = s->mass;
    for (size_t i = 0; i < tree->bodies; i++)
        for (int k = 0; k < tree->body[i].nv; k++)
            crba_row(tree, s, i, k, H);
    if (!with_rotors)
        return;
    for (size_t i = 0; i < tree->nv; i++)
        H[tree->pattern.row[i] + (size_t)tree->pattern.depth[i]] += splat(tree->passive[i].rotor);
}
