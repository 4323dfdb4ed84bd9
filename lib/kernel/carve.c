/* SPDX-License-Identifier: MIT */
/*
 * The pieces of the scratch, with the types and layouts of the kernels that use them.
 */
#include "kernel/scratch.h"

#include "kernel/algebra/ltdl.h"
#include "kernel/algebra/schur_layout.h"
#include "kernel/kernel.h"
#include "kernel/tree/articulated_joint.h"
#include "kernel/tree/coriolis.h"
#include "kernel/tree/mass_rows.h"
#include "kernel/tree/newton_euler.h"

/* member = a piece of so many of a type */
#define TAKE(member, type, count)                                                                  \
    (s->member = (type *)carver->piece(carver, "s->" #member, (count) * sizeof(type), false))

/* Of one state, vectors take along what is behind the last body or velocity, and rows end by
   writing back what is behind them (strip_store in strip.h). Nothing depends on that, but memory
   checkers do not know. Lanes read no such thing, and their pages stay untouched until they are
   used. */
#define TAKE_CLEARED(member, type, count)                                                          \
    (s->member =                                                                                   \
         (type *)carver->piece(carver, "s->" #member, (count) * sizeof(type), TD_LANE_COUNT == 1))

static void carve_coordinates(const td_scratch_sizes *sizes, td_carver *carver, td_scratch *s)
{
    const td_tree *tree = sizes->tree;
    const size_t nv = tree->nv, angles = td_whole_vectors(tree->angles);
    TAKE(q, real, tree->nq);
    TAKE(qd, real, nv);
    TAKE(qdd, real, nv);
    TAKE(tau, real, nv);
    TAKE(zeros, real, nv);
    TAKE(tau_y, real, nv);
    TAKE(bias, real, nv);
    TAKE(rest, real, nv);
    TAKE(force_y, real, nv);
    TAKE(sine, real, angles);
    TAKE(cosine, real, angles);
    TAKE(path, int, TD_PATH_LISTS + 2 * tree->bodies);
    TAKE(singular, real, 1);
    TAKE(doubt, real, 1);
}

static void carve_bodies(const td_tree *tree, td_carver *carver, td_scratch *s)
{
    const size_t bodies = tree->bodies;
    const size_t strips = TD_STRIP > 1 ? td_whole_strips(bodies) : bodies; /* taken in strips */
    TAKE(placed, placement, bodies);
    TAKE(velocity, packed3, bodies);
    TAKE(spin_motion, spin_motion, bodies);
    TAKE(packed_force, packed_force, bodies);
    TAKE(acceleration, screw, bodies);
    TAKE(force, spatial, tree->links);
    TAKE(wrench, spatial, bodies);
    TAKE_CLEARED(pose, axes, strips);
    TAKE_CLEARED(arm, packed3, strips);
    TAKE_CLEARED(inertia, inertia, strips);
    TAKE_CLEARED(composite, composite, strips);
    TAKE(motion, body_motion, bodies);
    TAKE(articulated, articulated, bodies);
    TAKE(joint_projection, joint_projection, bodies);
    TAKE(multi_dof, multi_dof_projection, tree->multi_dof_joints);
    TAKE(product, product, bodies);
}

/* bytes of H, or of the parts of rows of all states where those are kept in its place */
static size_t mass_reals(const td_tree *tree)
{
    size_t reals = pattern_reals(&tree->pattern);
#if defined(TD_REAL_LANES)
    const size_t rows = row_layout_of(tree).reals; /* kernel/tree/mass_dense.c */
    if (tree->deep && rows > reals)
        reals = rows;
#endif
    return reals;
}

static void carve_matrices(const td_scratch_sizes *sizes, td_carver *carver, td_scratch *s)
{
    const td_tree *tree = sizes->tree;
    const size_t nv = tree->nv, square = nv > 6 ? nv * nv : 6 * nv;
    const td_pattern *reduced = sizes->reduced;
    const td_schur_layout schur = td_schur_layout_of(sizes->constraints, nv);
    TAKE_CLEARED(columns, real, row_layout_of(tree).reals);
    TAKE_CLEARED(mass, real, mass_reals(tree));
    TAKE(M_u, real, sizes->M_u);
    TAKE(drive, real, sizes->drives);
    TAKE(reduced, real, reduced ? pattern_reals(reduced) : 0);
    TAKE(keep, real, reduced ? reduced->entries : 0);
    TAKE(cluster, real, sizes->clusters);
    TAKE(matrix, real, reduced ? square : 0);
    TAKE(G, real, sizes->G);
    TAKE(schur, real, schur.reals);
    TAKE(K, real, sizes->constraints * nv);
    TAKE(Z, real, schur.Z);
    TAKE(phi, real, sizes->constraints);
    TAKE(drift, real, sizes->constraints);
}

static void carve(const td_scratch_sizes *sizes, td_carver *carver, td_scratch *s)
{
    carve_coordinates(sizes, carver, s);
    carve_bodies(sizes->tree, carver, s);
    carve_matrices(sizes, carver, s);
    TAKE_CLEARED(w, real,
                 sizes->w); /* entries that are y are kept with those that were solved for */
    TAKE(G_rate, real, sizes->G_rate);
    TAKE(g, real, sizes->G_rate ? sizes->tree->nv : 0);
    TAKE(outcome, real, TD_OUTCOMES);
    TAKE(loop, real, sizes->loops);
    TAKE(u, real, sizes->u);
    TAKE(balance, real, sizes->balance);
    TAKE(stage, real, sizes->stage);
}

#undef TAKE
#undef TAKE_CLEARED
