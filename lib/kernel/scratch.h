/* SPDX-License-Identifier: MIT */
/*
 * The scratch: what kernels write to, and how they leave their results for the next one. Its
 * members are taken once, from the stack of the workspace, by the kernels (kernel/rooms.c): what
 * an array consists of is known to them alone, as are the structures that are named here. What
 * nothing is left in is no member: the functions that use it take it, in a scope (kernel/scopes.h).
 */
#ifndef TD_SCRATCH_H
#define TD_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/stack.h"
#include "kernel/reals.h"
#include "kernel/scopes.h"
#include "model/clusters.h"
#include "model/drives.h"
#include "model/loops.h"
#include "model/tree.h"

typedef struct td_scratch {
    td_stack *stack; /* above the members: for scopes */

    /* coordinates of the tree; used where the caller's arrays cannot serve directly */
    td_reals *q, *qd, *qdd, *tau;
    /* in y: forces of the call, bias force, and two more for hybrid dynamics */
    td_reals *tau_y, *bias, *rest, *force_y;
    td_reals *zeros;         /* nv zeros, for a velocity or acceleration that is not given */
    td_reals *sine, *cosine; /* per angle */
    int *path;               /* the last path that was asked for: see td_path_part */

    /* per body, in body coordinates */
    struct placement *placed; /* [Eᵀ ρ]: E turns the parent's coordinates into the body's, ρ is the
                                 body's origin in the parent's frame */
    struct spin_motion *spin_motion;   /* kernel/tree/newton_euler.h */
    struct packed_force *packed_force; /* kernel/tree/rnea.c */
    struct spatial *wrench;            /* external */

    /* per body, in world axes unless an algorithm of body coordinates uses it */
    struct axes *pose;                         /* in the world */
    td_packed3 *arm;                           /* from the parent's origin to the body's */
    td_packed3 *velocity;                      /* ω */
    struct screw *acceleration;                /* of the body's origin */
    struct inertia *inertia;                   /* the body's own */
    struct composite *composite;               /* of the body and all below it */
    struct body_motion *motion;                /* velocity and acceleration */
    struct articulated *articulated;           /* articulated inertia with its bias */
    struct joint_projection *joint_projection; /* what a joint of one coordinate leaves of that */
    struct product *product;                   /* kernel/tree/coriolis.c */
    struct general_projection *general;        /* per general joint: what it leaves */
    struct spatial *force;                     /* per link: reactions */

    td_reals *singular; /* 1: the first velocity with a vanishing pivot, −1 for none */
    td_reals *doubt;    /* 1: how much pivots may be amplified, and a copy of singular */
    td_reals *M_u;      /* the values of M_u; constant where no loop is solved */

    /* only where there are couplings */
    struct cluster_room *cluster; /* per cluster: kernel/tree/cluster.c */
    td_reals *columns;            /* 6 × nv, before they are columns of y */
    td_reals *G;                  /* the values of G; constant where no loop is solved */

    /* only where there are matrices */
    struct row_parts *row_parts; /* what the rows of the mass matrix are made of */
    td_reals *mass;              /* pattern of the tree: H, or its factors */
    td_reals *reduced;           /* with couplings, pattern of y: Gᵀ H G, or its factors */
    td_reals *K, *phi, *drift;   /* of constraints: K is constraints × nv */

    /* only where loops are solved */
    td_reals *w;                    /* the coordinates that the linear closure leaves */
    td_reals *G_rate, *g;           /* dG/dt, and G_rate ẏ */
    td_reals *velocity_y;           /* as G: ∂(Gẏ)/∂y, */
    td_reals *acceleration_y;       /* ∂(Gÿ + g)/∂y, */
    td_reals *acceleration_yd;      /* ∂g/∂ẏ */
    td_reals *force_w;              /* forces along ẇ */
    struct loop_room *loop;         /* per group: kernel/loops/residual.h */
    struct function_room *function; /* per group: kernel/loops/function.h */
    struct curves_room *curves;     /* per group: kernel/loops/curves.h */
    td_reals *outcome;              /* TD_OUTCOMES reals */
    td_reals *u;                    /* forces of motors, where loops are closed */
    struct spatial *loop_wrench;    /* per loop of the model: what it carries */
    td_reals *loop_motor;           /* per loop of the model: the force of a motor in it */
    const double *anchor;           /* w where γ starts if it does not from the last */
    double *last;                   /* w of the last state that closed; NULL: not kept */
} td_scratch;

/* The parts of td_scratch.path: the body that the path leads to (−2 for none yet), how many bodies
   it has and how many times TD_SINES angles, and where the lists of those begin: bodies, root
   first, and as many angles. */
typedef enum td_path_part {
    TD_PATH_TIP,
    TD_PATH_BODIES,
    TD_PATH_TIMES,
    TD_PATH_LISTS
} td_path_part;

/* What became of the loops: 0, or 1 they do not close, 2 singular, 3 another branch; the loop at
   fault; the largest residual; how often the constraints were evaluated; what part of the step to y
   the loop at blame was followed. */
typedef enum td_loop_outcome {
    TD_OUTCOME_CODE,
    TD_OUTCOME_LOOP,
    TD_OUTCOME_RESIDUAL,
    TD_OUTCOME_EVALUATIONS,
    TD_OUTCOME_REACHED,
    TD_OUTCOMES
} td_loop_outcome;

/* What the sizes of the scratch follow from. */
typedef struct td_scratch_sizes {
    const td_tree *tree;
    const td_pattern *reduced;              /* of Gᵀ H G; NULL without couplings */
    const td_drives *drives, *chart_drives; /* the latter NULL without charts */
    const td_clusters *clusters, *tree_clusters;
    const td_loops *loops;
    const td_balances *balances;
    size_t M_u, G;        /* entries; those of G are 0 where its values are not asked for */
    size_t G_rate, w, wd; /* entries, positions and velocities, where loops are solved, else 0 */
    size_t constraints;   /* of constrained equations of motion */
    size_t u;             /* where loops are closed, else 0 */
    bool matrices;
} td_scratch_sizes;

#endif
