/* SPDX-License-Identifier: MIT */
/*
 * Composite inertias in world axes about each body's origin, and the mass matrix by the
 * composite-rigid-body algorithm. Let the joint of body i have a unit acceleration, while its
 * subtree moves as one rigid body. Column i of H is the force for this motion, projected on the
 * joint and on its ancestors. Subtree masses are constants of the model. Nothing is rotated: on the
 * way to the root, only moments change, by r × f.
 */
#include "kernel/tree/mass_rows.h"

/* ---- composites ------------------------------------------------------------------------------ */

/* Initializes a strip of composites with the inertias of bodies i and following. */
TD_INLINE void start_composites(const td_tree *tree, const td_scratch *s, size_t i,
                                composite *target)
{
    const strip_inertia own = own_inertias(tree, s, i);
    strip3_scatter(own.h, &target->h, sizeof *target);
    strip3_scatter(own.diagonal, &target->diagonal, sizeof *target);
    strip3_scatter(own.mixed, &target->mixed, sizeof *target);
}

/* Adds the composite inertia of body i, given in child, to its parent's. Returns the sum. */
TD_INLINE composite add_child(const td_tree *tree, const td_scratch *s, size_t i,
                              const composite *child)
{
    const td_body *body = &tree->body[i];
    const size_t parent = (size_t)body->parent;
    composite *total = (composite *)s->composite + parent;
    composite sum[TD_STRIP] = {*total}; /* only the first one is used */
    if (TD_STRIP == 1 && body->last)
        start_composites(tree, s, parent, sum);
    return *total = composite_add_shifted(sum, body->subtree, child, ((packed3 *)s->arm)[i]);
}

/* Computes all composite inertias. With strips, all bodies are initialized first; otherwise each
   body is initialized when its first child is added. Along a chain, the sum stays in registers. */
static void composites(const td_tree *tree, const td_scratch *s)
{
    composite *total = s->composite;
    for (size_t i = 0; TD_STRIP > 1 && i < tree->bodies; i += TD_STRIP)
        start_composites(tree, s, i, &total[i]);
    for (size_t l = tree->chains; l-- > 0;) {
        const td_chain *chain = &tree->chain[l];
        size_t i = (size_t)(chain->top + chain->bodies) - 1;
        if (TD_STRIP == 1 && tree->body[i].leaf)
            start_composites(tree, s, i, &total[i]);
        composite sum = total[i];
        for (; i > (size_t)chain->top; i--)
            sum = add_child(tree, s, i, &sum);
        if (chain->parent >= 0)
            add_child(tree, s, i, &sum);
    }
}

/* ---- mass matrix ----------------------------------------------------------------------------- */

/* Computes entries of H: the products of a force and count columns from the first one on. */
TD_INLINE void project_on(const row_parts *parts, size_t first, size_t count,
                          const row_force *force, real *entry, bool exactly)
{
    const strip nx = strip_splat(packed3_get(&force->n, 0)),
                fx = strip_splat(packed3_get(&force->f, 0));
    const strip ny = strip_splat(packed3_get(&force->n, 1)),
                fy = strip_splat(packed3_get(&force->f, 1));
    const strip nz = strip_splat(packed3_get(&force->n, 2)),
                fz = strip_splat(packed3_get(&force->f, 2));
    for (size_t k = 0; k < count; k += TD_STRIP) { /* H_ij = F_i · S_j = n · ω_j + f · v_j */
        const size_t j = first + k;
        strip_store(entry + k,
                    nx * strip_load(parts->wx + j) + ny * strip_load(parts->wy + j) +
                        nz * strip_load(parts->wz + j) +
                        (fx * strip_load(parts->vx + j) + fy * strip_load(parts->vy + j) +
                         fz * strip_load(parts->vz + j)),
                    exactly ? (int)(count - k) : TD_STRIP);
    }
}

/* Computes the rows of a chain. Its diagonal block comes first; strips may write past the end of a
   row, into entries that are written later. Then come the columns of its ancestors, chain by
   chain. */
TD_INLINE void chain_rows(const td_tree *tree, const row_parts *parts, const td_chain *chain,
                          real *H)
{
    const size_t first = (size_t)chain->qd, rows = (size_t)chain->rows,
                 depth = (size_t)chain->depth;
    row_force *force = parts->force + first;
    real *const entries = H + tree->pattern.row[first], *row = entries + depth;
    for (size_t k = 0; k < rows; k++) {
        project_on(parts, first, k, &force[k], row, false);
        /* H_ii = S_i · I^c_i S_i */
        row[k] = parts->diagonal[first + k];
        row += depth + k + 1;
    }
    for (const td_chain *inner = chain; inner->outer >= 0; inner = &tree->chain[inner->outer]) {
        const td_chain *outer = &tree->chain[inner->outer];
        const packed3 r = parts->to_outer[inner - tree->chain];
        const size_t columns = (size_t)(inner->end - outer->qd);
        row = entries + outer->depth;
        for (size_t k = 0; k < rows; k++) {
            /* n about the first origin of the outer chain: n + r × f */
            force[k].n = packed3_add(force[k].n, packed3_cross(r, force[k].f));
            project_on(parts, (size_t)outer->qd, columns, &force[k], row, true);
            row += depth + k + 1;
        }
    }
}

static void crba(const td_tree *tree, const td_scratch *s, int with_rotors)
{
    real *H = s->mass;
    const row_parts parts = *s->row_parts;
    find_parts(tree, s, &parts);
    for (size_t l = 0; l < tree->chains; l++)
        chain_rows(tree, &parts, &tree->chain[l], H);
    if (with_rotors)
        add_rotors(tree, H); /* H_ii += rotor */
}
