/* SPDX-License-Identifier: MIT */
/*
 * The door between the library and its kernels. A table of kernels exists for every pair of
 * instruction set and `real`; `real` crosses this door by pointer only, as void *. All arrays of
 * reals hold one real per entry (lanes side by side), in memory aligned for it.
 *
 * Kernels leave their results in the scratch for the next one; what a kernel needs and what it
 * leaves is said as "needs → leaves". Two sets of coordinates are in use: body coordinates
 * (placements, rnea), and world axes with the reference point at each body's origin (all others),
 * in which inertias are added without being turned.
 */
#ifndef TD_KERNEL_H
#define TD_KERNEL_H

#include <stddef.h>

#include "model/clusters.h"
#include "model/drives.h"
#include "model/loops.h"
#include "model/sparse.h"
#include "model/tree.h"

/* What the kernels write to, carved once from the workspace (see workspace.c for the sizes). */
typedef struct td_scratch {
    /* coordinates of the tree; used where the caller's arrays cannot serve directly */
    void *q, *qd, *qdd, *tau;
    /* the same in y: forces of the call, bias force, and two more for hybrid dynamics */
    void *tau_y, *bias, *rest, *force_y;
    void *zeros;         /* nv zeros, for a velocity or acceleration that is not given */
    void *stage;         /* rows of a batch on their way in and out */
    void *sine, *cosine; /* per angle */
    int *path;           /* the last path that was asked for: see td_path_part */
    void *placed;        /* bodies × placement [Eᵀ ρ]: E turns the parent's coordinates into the
                            body's, ρ is the body's origin in the parent's frame */
    void *movement;      /* bodies × (spin, arrow a), see rnea.c */
    void *effort;        /* bodies × (arrow, arrow), see rnea.c */
    void *velocity;      /* bodies × arrow: ω */
    void *acceleration;  /* bodies × screw */
    void *force;         /* links × spatial: reactions */
    void *wrench;        /* bodies × spatial: external, body coordinates */

    void *pose;    /* bodies × axes: in the world */
    void *arm;     /* bodies × arrow: from the parent's origin to the body's, world axes */
    void *inertia; /* bodies × (vec3 h, sym3 I): the body's own */
    void *
        composite; /* bodies × composite, see kernel/tree/inertia.h: of the body and all below it */
    void *motion;  /* bodies × (spatial velocity, spatial acceleration) */
    void *articulated; /* bodies × articulated inertia with its bias: see articulated.h */
    void *projected;   /* bodies × scratch of the articulated-body algorithm */
    void *wide;        /* wide joints × their columns, see aba.c */
    void *product;     /* bodies × (mat3, vec3), for the Coriolis matrix */
    void *columns;  /* what the rows of the mass matrix are made of: see kernel/tree/mass_rows.h */
    void *mass;     /* pattern of the tree: H, or its factors */
    void *singular; /* 1 real: the first velocity with a vanishing pivot, −1 for none */
    void *M_u;      /* the values of M_u; constant, set by prepare, where no loop is solved */
    void *drive;    /* scratch of drives, see kernel/loops/drives.c */
    /* only where there are couplings: */
    void *reduced; /* pattern of y: Gᵀ H G, or its factors */
    void *keep;    /* pattern of y */
    void *cluster; /* scratch of the clusters, see cluster.c */
    void *schur;   /* see kernel/algebra/constraints.c */
    void *matrix;  /* the larger of nv × nv and 6 × nv */
    void *G;       /* the values of G; constant, set by prepare, where no loop is solved */
    /* only for constrained equations of motion: constraints × nv, at most nv rows of that, and
       constraints */
    void *K, *Z, *phi, *drift;
    /* only where loops are solved: */
    void *w;              /* the coordinates that the linear closure leaves */
    void *G_rate, *g;     /* dG/dt, and G_rate ẏ */
    void *loop;           /* scratch of the groups, see kernel/loops/residual.h */
    void *outcome;        /* TD_OUTCOMES reals */
    const double *start;  /* w where γ starts */
    const double *anchor; /* w where it starts if that fails */
    double *last;         /* w of the last state that closed; NULL: not kept */
} td_scratch;

/* where a link is asked for */
enum { TD_EVERY_LINK = -1 };

/* The parts of td_scratch.path: the body that the path leads to (−2 for none yet), how many bodies
   it has and how many times TD_SINES angles, and where the lists of those begin: bodies, root
   first, and as many angles. */
typedef enum td_path_part {
    TD_PATH_TIP,
    TD_PATH_BODIES,
    TD_PATH_TIMES,
    TD_PATH_LISTS
} td_path_part;

/* What became of the loops: 0, or 1 they do not close, 2 singular, 3 another branch; the loop to
   blame; the largest residual; how often the constraints were evaluated; how much of the way to y
   the loop to blame was followed. */
typedef enum td_loop_outcome {
    TD_OUTCOME_CODE,
    TD_OUTCOME_LOOP,
    TD_OUTCOME_RESIDUAL,
    TD_OUTCOME_EVALUATIONS,
    TD_OUTCOME_REACHED,
    TD_OUTCOMES
} td_loop_outcome;

/* How wrenches and motions of links are expressed; the values of td_frame. */
enum { TD_AT_WORLD, TD_AT_BODY, TD_AT_WORLD_ALIGNED };

typedef struct td_kernels {
    const char *isa;
    size_t lanes;
    size_t real_size; /* bytes of one real */

    /* ---- kernel/algebra/transfer.c: between doubles, row per state, and reals ---- */
    /* dst[i] lane l = src[l * columns + i]; lanes past rows repeat the last row. A bit for each of
       the first rows lanes: whether all its numbers are finite */
    int (*load)(void *dst, const double *src, size_t columns, size_t rows);
    /* the first rows lanes; dst's rows are columns apart; the bits are those of load */
    int (*store)(double *dst, const void *src, size_t columns, size_t rows);
    /* a symmetric matrix of that pattern, as size × size doubles a row; finite (NULL: not asked):
       those bits */
    void (*store_symmetric)(double *dst, const void *src, const td_pattern *pattern, size_t rows,
                            int *finite);
    /* the same in reals, for one matrix */
    void (*symmetric)(const td_pattern *pattern, const void *src, void *dst);
    /* those bits alone */
    int (*finite)(const void *src, size_t count, size_t rows);
    /* of one state: 1 if all numbers of some arrays are finite (in[k] NULL: none), else 0 */
    int (*all_finite)(size_t arrays, const void *const *in, const size_t *counts);
    /* a bit for each of the first rows lanes: whether the quaternions at at[k] of src have unit
       length, but for 1e-6; NaN passes */
    int (*unit)(const void *src, const int *at, size_t count, size_t rows);
    void (*copy)(void *dst, const void *src, size_t count);
    void (*clear)(void *dst, size_t count);
    /* a += b; a −= b; entry by entry */
    void (*add)(void *a, const void *b, size_t count);
    void (*subtract)(void *a, const void *b, size_t count);
    /* out = A x + b (b NULL: none) */
    void (*affine)(const td_csr *A, const double *b, const void *x, void *out);
    /* dst[i] = src[index[i]] */
    void (*gather)(void *dst, const void *src, const int *index, size_t count);
    /* dst[i] = splat(src[i]) */
    void (*spread)(void *dst, const double *src, size_t count);
    /* with the values of G beside its pattern: out = G x, out = Gᵀ x */
    void (*rates)(const td_csr *G, const void *values, const void *x, void *out);
    void (*transposed)(const td_csr *G, const void *values, const void *x, void *out);
    /* target = 0, then the scatter; rows × columns of A times G, row-major: out = A G, or += */
    void (*scatter)(const td_scatter *scatter, const void *values, const void *source, void *target,
                    size_t count);
    void (*times_sparse)(const void *A, size_t rows, const td_csr *G, const void *values,
                         void *out);
    /* out += Gᵀ A B, A square and dense, B with the pattern of G */
    void (*congruence)(const void *A, const td_csr *G, const void *values, const void *B,
                       void *out);
    /* entry by entry: where mask is set yes, else no */
    void (*choose)(const unsigned char *mask, const void *yes, const void *no, void *out,
                   size_t count);

    /* ---- kernel/tree/pose.h, poses.c ---- */
    /* what in the scratch depends on the tree alone; once per workspace, before all others */
    void (*prepare)(const td_tree *tree, const td_scratch *s);
    /* q → pose, and arm if asked for, else it may be another state's */
    /* link: for the bodies from the root to that of a link alone; those of all others stay as they
       are, and belong to another state */
    void (*poses)(const td_tree *tree, const td_scratch *s, const void *q, int link, int arms);
    /* pose → links × 12 reals */
    void (*link_poses)(const td_tree *tree, const td_scratch *s, void *out);
    /* the same to doubles, as store has it */
    int (*store_link_poses)(const td_tree *tree, const td_scratch *s, double *dst, size_t columns,
                            size_t rows);
    /* wrenches on links (links × 6 doubles) → wrench; in world frames it needs pose */
    void (*wrenches)(const td_tree *tree, const td_scratch *s, const double *wrenches, int frame);

    /* ---- rnea.c: q, wrench (if loaded) → tau, sines and cosines; posed: the poses of all bodies
       at q are there, and so are those ---- */
    void (*rnea)(const td_tree *tree, const td_scratch *s, const void *q, int posed, const void *qd,
                 const void *qdd, int loaded, void *tau);

    /* ---- passive.c: out += damping, friction, springs; and rotors · qdd ---- */
    void (*passive)(const td_tree *tree, const void *q, const void *qd, double friction_velocity,
                    void *out);
    void (*rotors)(const td_tree *tree, const void *qdd, void *out);

    /* ---- kernel/tree/mass.c ---- */
    /* pose → inertia */
    void (*inertias)(const td_tree *tree, const td_scratch *s);
    /* pose, arm → composite */
    void (*composites)(const td_tree *tree, const td_scratch *s);
    /* pose, arm, composite → mass; rotors are added where asked for */
    void (*crba)(const td_tree *tree, const td_scratch *s, int rotors);

    /* ---- kernel/tree/mass_dense.c: pose, arm, composite → the mass matrix of the first rows
       states, nv × nv doubles each; a bit for each: whether all of it is finite. NULL where that is
       not faster ----
     */
    int (*dense_mass)(const td_tree *tree, const td_scratch *s, int rotors, double *dst,
                      size_t rows);

    /* ---- kernel/tree/mass_body.c: q → mass; placed: rnea at q came before; NULL for one state
     * ---- */
    void (*hinged_mass)(const td_tree *tree, const td_scratch *s, const void *q, int placed,
                        int rotors);

    /* ---- kernel/algebra/ltdl.c: A = Lᵀ D L in place, and what it serves ---- */
    void (*factor)(const td_pattern *pattern, void *A, void *singular);
    /* whether pivots of given coordinates, the last ones first, have digits; room: size reals */
    void (*examine)(const td_pattern *pattern, const void *factored, const int *coordinate,
                    size_t count, double bound, void *room, void *singular);
    void (*solve)(const td_pattern *pattern, const void *factored, void *x);
    /* inverse, size × size, from the factors */
    void (*invert)(const td_pattern *pattern, const void *factored, void *inverse);
    /* out = A x, before factoring */
    void (*multiply)(const td_pattern *pattern, const void *A, const void *x, void *out);
    /* rows and columns of given coordinates become those of the identity */
    void (*exclude)(const td_pattern *pattern, const unsigned char *given, void *A);

    /* ---- aba.c, kernel/tree/aba_body.c: q, wrench (if loaded) → qdd; posed: the poses of all
       bodies at q are there ---- */
    /* given (per velocity, NULL: none) marks joints whose qdd is given and whose tau is found;
       tau and qdd are read and written accordingly */
    void (*aba)(const td_tree *tree, const td_scratch *s, const void *q, int posed, const void *qd,
                int loaded, int rotors, const unsigned char *given, void *tau, void *qdd);

    /* ---- cluster.c: the same in independent coordinates ---- */
    /* pose, arm, inertia, wrench (if loaded) → ydd; G takes independent to tree velocities */
    /* g (NULL: zero) is what velocities add to tree accelerations */
    void (*cluster_aba)(const td_tree *tree, const td_clusters *clusters, const td_csr *G,
                        const td_scratch *s, const void *qd, const void *g, int loaded, int rotors,
                        const void *tau_y, void *ydd);

    /* ---- kernel/loops/drives.c ---- */
    /* u of drives by the values of M_u, and tau_y − M_uᵀ u (nyd) in rest; weight is per motor, NULL
       for ones; → singular: the first coordinate of a drive that its motors do not span, −1 */
    void (*drive_forces)(const td_drives *drives, const td_csr *M_u, const void *values,
                         const double *weight, const td_scratch *s, const void *tau_y, void *u,
                         void *rest);
    /* ẏ from u̇ by least squares, where every drive has as many motors as coordinates or more;
       entries of no drive are left; → singular as above */
    void (*drive_rates)(const td_drives *drives, const td_csr *M_u, const void *values,
                        const td_scratch *s, const void *rates, void *yd);

    /* ---- kernel/loops/close.c ---- */
    /* y → w, G, outcome; M takes w to q (with offset) and rate ẇ to q̇ */
    void (*close)(const td_tree *tree, const td_loops *loops, const td_csr *M, const double *offset,
                  const td_csr *rate, const td_csr *G, const td_scratch *s, const void *y);
    /* w → G and outcome of a state that is closed: nothing is solved */
    void (*tangent)(const td_tree *tree, const td_loops *loops, const td_csr *M,
                    const double *offset, const td_csr *rate, const td_csr *G, const td_scratch *s);
    /* of that state and q̇: → G_rate */
    void (*close_rates)(const td_tree *tree, const td_loops *loops, const td_csr *rate,
                        const td_csr *G, const td_scratch *s, const void *qd);
    /* the columns of the dependent coordinates of a group, in their units, at that state: reals */
    void (*loop_columns)(const td_tree *tree, const td_loops *loops, size_t group,
                         const td_csr *rate, const td_scratch *s, void *columns);
    /* φ, K (rows × nv) and K̇ q̇ (qd NULL: not) of all groups at a configuration of the tree */
    void (*constraints)(const td_tree *tree, const td_loops *loops, const td_scratch *s,
                        const void *q, const void *qd, void *phi, void *K, void *drift);

    /* ---- kernel/loops/axis.c ---- */
    /* out += what damping, friction and springs of loop joints take at a configuration of the tree
     */
    void (*loop_passive)(const td_tree *tree, const td_loops *loops, const td_scratch *s,
                         const void *q, const void *qd, double friction_velocity, void *out);
    /* out += what forces (one per loop record) in loop joints do to the tree */
    void (*loop_push)(const td_tree *tree, const td_loops *loops, const td_scratch *s,
                      const void *q, const void *forces, void *out);
    /* 3 reals: position, velocity and acceleration of a loop joint's coordinate */
    void (*loop_motion)(const td_tree *tree, const td_loops *loops, const td_scratch *s,
                        size_t group, int axis, const void *q, const void *qd, const void *qdd,
                        void *out);
    /* the rows of M_u that belong to motors in loops, from the values of G at q */
    void (*loop_motors)(const td_tree *tree, const td_loops *loops, const td_loop_motors *motors,
                        const td_csr *G, const td_scratch *s, const void *q, const void *values,
                        void *M_u);

    /* ---- kernel/algebra/constraints.c ---- */
    void (*linear_constraints)(const td_csr *A, const int *position, const double *offset,
                               size_t nv, const void *q, void *phi, void *K);
    void (*stabilize)(size_t rows, size_t nv, const void *K, const void *qd, const void *phi,
                      double alpha, double beta, void *drift);
    /* factors of H, qdd without constraints → qdd with K qdd = k (NULL: 0), and the multipliers (or
       NULL). K is rows × nv; of the smaller of rows and nv, least, Z has room for least × nv and S
       for least (least + 1) + rows. Rows that follow from earlier ones get no multiplier. */
    void (*constrain)(const td_pattern *pattern, const void *factored, size_t rows, const void *K,
                      const void *k, void *Z, void *S, void *qdd, void *lambda);

    /* ---- motion.c ---- */
    /* pose, arm → motion: velocity and classical acceleration of each body's origin */
    /* of the link that poses were computed for */
    void (*motions)(const td_tree *tree, const td_scratch *s, const void *qd, const void *qdd,
                    int link);
    /* motion, pose → links × 6 reals: velocity; acceleration, classical or spatial */
    void (*link_velocities)(const td_tree *tree, const td_scratch *s, int frame, void *out);
    void (*link_accelerations)(const td_tree *tree, const td_scratch *s, int frame, int classical,
                               void *out);
    /* motion, pose → 9 reals: position, velocity and acceleration of a point on a link */
    void (*point_motion)(const td_tree *tree, const td_scratch *s, int link, const double point[3],
                         void *out);
    /* motion, pose → 6 reals: J̇ q̇ of a point on a link */
    void (*jacobian_rate)(const td_tree *tree, const td_scratch *s, int link, const double point[3],
                          int frame, void *out);
    /* motion, inertia, pose → 2 reals: kinetic and potential energy */
    void (*energies)(const td_tree *tree, const td_scratch *s, int moving_only, void *out);
    /* pose → 3 reals */
    void (*center_of_mass)(const td_tree *tree, const td_scratch *s, int moving_only, void *out);
    /* motion, pose → 9 reals: the centre of mass, its velocity and acceleration */
    void (*mass_center)(const td_tree *tree, const td_scratch *s, int moving_only, void *out);
    /* motion, pose, inertia → 6 reals: momentum about the centre of mass */
    void (*momentum)(const td_tree *tree, const td_scratch *s, int moving_only, void *out);
    /* motion, pose, inertia → 6 reals: rate of change of momentum about the centre of mass */
    void (*momentum_rate)(const td_tree *tree, const td_scratch *s, int moving_only, void *out);
    /* motion, pose → joints × 6 reals: what the link above exerts on the link below */
    void (*reactions)(const td_tree *tree, const td_scratch *s, const double *wrenches,
                      int wrench_frame, int frame, void *out);

    /* ---- jacobian.c ---- */
    /* pose → 6 × nv reals, of a point on a link */
    void (*jacobian)(const td_tree *tree, const td_scratch *s, int link, const double point[3],
                     int frame, void *out);
    /* pose → 6 × nv reals: what each velocity gives the link that its joint moves */
    void (*joint_columns)(const td_tree *tree, const td_scratch *s, int frame, void *out);
    /* pose, composite → 6 × nv reals: momentum (angular about the centre of mass) per velocity */
    void (*momentum_matrix)(const td_tree *tree, const td_scratch *s, int moving_only, void *out);

    /* pose, composite → 3 × nv reals */
    void (*com_jacobian)(const td_tree *tree, const td_scratch *s, int moving_only, void *out);

    /* ---- coriolis.c: motion, pose, arm, inertia, composite → nv × nv reals ---- */
    void (*coriolis)(const td_tree *tree, const td_scratch *s, void *out);
} td_kernels;

#endif
