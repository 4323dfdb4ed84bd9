/* SPDX-License-Identifier: MIT */
/*
 * The scratch: memory in which kernels leave results for other kernels. Kernels allocate its
 * members once, from the stack of the workspace (kernel/rooms.c), because the types of the elements
 * are complete only there. Results that only one function needs are not members; that function
 * allocates them in a scope (kernel/scopes.h).
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
    td_stack *stack; /* the free part after the members, for scopes */

    /* coordinates of the tree, used if the caller's arrays cannot be used directly */
    td_reals *q, *qd, *qdd, *tau;
    /* in y: the forces of the call, the bias force, and two more for hybrid dynamics */
    td_reals *tau_y, *bias, *rest, *force_y;
    td_reals *zeros;         /* nv zeros, used for a missing velocity or acceleration */
    td_reals *sine, *cosine; /* per angle */
    int *path;               /* the path to the body that was last requested: see td_path_part */

    /* per body, in body coordinates */
    struct placement *placed; /* [Eᵀ ρ]: E rotates the parent's coordinates into the body's; ρ is
                                 the body's origin in the parent's frame */
    struct spin_motion *spin_motion;   /* kernel/tree/newton_euler.h */
    struct packed_force *packed_force; /* kernel/tree/rnea.c */
    struct spatial *wrench;            /* external wrenches */

    /* per body, in world axes unless an algorithm in body coordinates uses it */
    struct axes *pose;               /* pose in the world */
    td_packed3 *arm;                 /* from the parent's origin to the body's */
    td_packed3 *velocity;            /* ω */
    struct screw *acceleration;      /* of the body's origin */
    struct inertia *inertia;         /* of the body alone */
    struct composite *composite;     /* composite inertia, of the body and its descendants */
    struct body_motion *motion;      /* velocity and acceleration */
    struct articulated *articulated; /* articulated-body inertia and bias force */
    struct joint_projection *joint_projection; /* articulated inertia after projection through a
                                                  joint with one coordinate */
    struct product *product;                   /* kernel/tree/coriolis.c */
    struct general_projection *general;        /* per general joint: the same projection */
    struct spatial *force;                     /* per link: reaction wrench */

    td_reals *singular; /* 1 real: the first velocity with a vanishing pivot, −1 for none */
    td_reals *doubt;    /* 1 real: bound of the amplification of pivots, and a copy of singular */
    td_reals *M_u;      /* the values of M_u, constant if no loops are solved */

    /* used only for models with couplings */
    struct cluster_room *cluster; /* per cluster: kernel/tree/cluster.c */
    td_reals *columns;            /* 6 × nv, before reduction to the columns of y */
    td_reals *G;                  /* the values of G, constant if no loops are solved */

    /* used only in workspaces with matrices */
    struct row_parts *row_parts; /* terms from which the rows of the mass matrix are assembled */
    td_reals *mass;              /* with the tree's pattern: H, or its factors */
    td_reals *reduced;         /* for couplings, with the pattern of y: Gᵀ H G, or its factors */
    td_reals *K, *phi, *drift; /* K is constraints × nv */

    /* used only for models with idle spins (model/idle_spins.h) */
    unsigned char *hold; /* per entry of ẏ: whether its acceleration is held at zero */
    td_reals *held_mass; /* with the pattern of y: Gᵀ H G */
    double *judged;      /* forces of all lanes */

    /* used only for models that solve loops */
    td_reals *w;                    /* the coordinates that the linear closure leaves */
    td_reals *G_rate, *g;           /* dG/dt, and G_rate ẏ */
    td_reals *velocity_y;           /* same pattern as G: ∂(Gẏ)/∂y, */
    td_reals *acceleration_y;       /* ∂(Gÿ + g)/∂y, */
    td_reals *acceleration_yd;      /* ∂g/∂ẏ */
    td_reals *force_w;              /* forces in ẇ */
    struct loop_room *loop;         /* per group: kernel/loops/residual.h */
    struct function_room *function; /* per group: kernel/loops/function.h */
    struct curves_room *curves;     /* per group: kernel/loops/curves.h */
    td_reals *outcome;              /* TD_OUTCOMES reals */
    td_reals *u;                    /* forces of motors, in models with loops */
    struct spatial *loop_wrench;    /* per loop of the model: its constraint wrench */
    td_reals *loop_motor;           /* per loop of the model: the force of the motor in its joint */
    const double *anchor;           /* w from which γ starts if it does not start from `last` */
    double *last;                   /* w of the last state that closed; NULL if not kept */
} td_scratch;

/* The parts of td_scratch.path: the body at which the path ends (−2 before the first path), the
   number of its bodies, and the number of batches of TD_SINES angles. TD_PATH_LISTS is the index at
   which two lists begin. The first list has the bodies, root first. The second has the first angle
   of each batch. */
typedef enum td_path_part {
    TD_PATH_TIP,
    TD_PATH_BODIES,
    TD_PATH_TIMES,
    TD_PATH_LISTS
} td_path_part;

/* The outcome for the loops: a code (0 success, 1 not closed, 2 singular, 3 another branch); the
   loop that failed; the largest residual; the number of evaluations of the constraints; the
   fraction of the path to y that the failed loop completed. */
typedef enum td_loop_outcome {
    TD_OUTCOME_CODE,
    TD_OUTCOME_LOOP,
    TD_OUTCOME_RESIDUAL,
    TD_OUTCOME_EVALUATIONS,
    TD_OUTCOME_REACHED,
    TD_OUTCOMES
} td_loop_outcome;

/* The data that determine the sizes of the scratch. */
typedef struct td_scratch_sizes {
    const td_tree *tree;
    const td_pattern *reduced;              /* pattern of Gᵀ H G; NULL without couplings */
    const td_drives *drives, *chart_drives; /* chart_drives is NULL without charts */
    const td_clusters *clusters, *tree_clusters;
    const td_loops *loops;
    const td_balances *balances;
    size_t M_u, G;        /* entries; G is 0 if its values are not needed */
    size_t G_rate, w, wd; /* entries, positions and velocities if loops are solved; else 0 */
    size_t constraints;   /* of the constrained equations of motion */
    size_t u;             /* motors in models with loops; else 0 */
    bool matrices;
} td_scratch_sizes;

#endif
