/* SPDX-License-Identifier: MIT */
/*
 * Inertias in world axes about each body's origin, composite inertias, and the mass matrix by the
 * composite-rigid-body algorithm: column i of H is the force that lets the subtree of body i follow
 * a unit acceleration of its joint, felt by the joints of its ancestors. Masses of subtrees are
 * constants of the model. Nothing is turned: on the way up only moments change, by r × f.
 */
#include "kernel/tree/mass_rows.h"

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
