/* SPDX-License-Identifier: MIT */
/*
 * Passive forces of the joints of the tree, rotor inertias, and their derivatives.
 */
#include "kernel/tree/passive.h"
#include "kernel/kernel.h"

static void passive(const td_tree *tree, const td_reals *coordinates, const td_reals *rates,
                    double friction_velocity, td_reals *out)
{
    const real *q = coordinates, *qd = rates;
    real *tau = out;
    for (size_t i = 0; i < tree->nv; i++) {
        const td_passive *p = &tree->passive[i];
        if (passive_acts(p))
            tau[i] += passive_force(p, q[tree->velocity_q[i]], qd[i], friction_velocity);
    }
}

static void rotors(const td_tree *tree, const td_reals *accelerations, td_reals *out)
{
    const real *qdd = accelerations;
    real *tau = out;
    for (size_t i = 0; i < tree->nv; i++)
        if (tree->passive[i].rotor != 0)
            tau[i] += tree->passive[i].rotor * qdd[i];
}

/* Adds to the derivatives. With the diagonal matrices k of stiffnesses, d of resistances and r of
   rotors: by_position += Gᵀ (k G + d C + r D), by_rate += Gᵀ (d G + r B), mass += Gᵀ r G. */
static void passive_derivatives(const td_tree *tree, const td_scratch *s,
                                const td_closure_changes *closure, const td_motion_inputs *in,
                                const td_force_derivatives *out)
{
    const td_csr *G = closure->G;
    const td_pattern *pattern = out->pattern;
    const real *g = s->G, *C = closure->velocity_y, *D = closure->acceleration_y;
    const real *B = closure->acceleration_yd, *qd = in->qd;
    real *dy = out->by_position, *dyd = out->by_rate, *H = out->mass;
    const size_t n = pattern->size;
    for (size_t i = 0; i < tree->nv; i++) {
        const td_passive *p = &tree->passive[i];
        if (!passive_acts(p) && p->rotor == 0)
            continue;
        const real resistance = passive_resistance(p, qd[i], in->friction_velocity);
        const int first = G ? G->row[i] : 0, end = G ? G->row[i + 1] : 1;
        for (int a = first; a < end; a++)
            for (int b = first; b < end; b++) {
                const size_t row = G ? (size_t)G->column[a] : i;
                const size_t column = G ? (size_t)G->column[b] : i, at = row * n + column;
                const real left = G ? g[a] : splat(1), right = G ? g[b] : splat(1);
                if (dy)
                    dy[at] += left * (p->stiffness * right);
                if (dy && C)
                    dy[at] += left * (resistance * C[b] + p->rotor * D[b]);
                if (dyd)
                    dyd[at] += left * (resistance * right);
                if (dyd && B)
                    dyd[at] += left * (p->rotor * B[b]);
                if (H && row >= column)
                    H[pattern->row[row] + (size_t)pattern->depth[column]] +=
                        left * (p->rotor * right);
            }
    }
}
