/* SPDX-License-Identifier: MIT */
/*
 * A loaded robot: its records, tree, closure and actuation.
 */
#ifndef TD_MODEL_H
#define TD_MODEL_H

#include "base/index.h"
#include "base/names.h"
#include "model/clusters.h"
#include "model/drives.h"
#include "model/loops.h"
#include "model/pattern.h"
#include "model/records.h"
#include "model/sparse.h"
#include "model/tree.h"
#include "tandem/actuation.h"
#include "tandem/builder.h"
#include "tandem/closure.h"
#include "tandem/model.h"

/* A joint that depends linearly on independent joints: q = Σ factor · q_joint + constant. */
typedef struct td_combination {
    int count;
    int *joint;
    double *factor;
    double constant;
    bool by_loop; /* only loops cause this dependence */
} td_combination;

/* A motion that moves no inertia at any configuration. The velocities that take part are in
   ascending order. rotors: one of them, or of the joints that they move, has a rotor. The bodies
   are all that move; a workspace may have added payloads to them. */
typedef struct td_idle_motion {
    size_t count, bodies;
    int *velocity, *body;
    char *moves; /* per velocity of the tree: whether it takes part in the motion or follows it */
    bool rotors;
} td_idle_motion;

/* The massless motions of a space, which make its mass matrix singular. All members are NULL if
   there are no such motions. Even if friction or rotors resist each of them, a combination may
   still be massless. suspect lists all velocities that take part in any massless motion, the last
   one first: their pivots may be rounding errors. moves and turns describe the motions together:
   the velocities of the tree that they move, and the links that they rotate. */
typedef struct td_idle {
    size_t count, suspects;
    td_idle_motion *motion;
    int *suspect;
    char *moves, *turns;
} td_idle;

/*
 * The closure map, in two steps. The linear couplings (mimic joints, weighted sums, parallelograms)
 * leave the coordinates w: q = M w + b, q̇ = rate ẇ. Loops make some of these depend on the others,
 * y. Without loops to solve, w equals y. Both steps together give q̇ = G ẏ.
 */
typedef struct td_closure_map {
    bool identity;               /* q and y are the same */
    td_combination *combination; /* per joint that depends linearly on others */
    size_t nw, nwd, ny, nyd;
    int *w, *wd;          /* per joint: its first entry in w and ẇ, −1 for none */
    int *w_of_y, *q_of_y; /* per entry of y: its index in w and in q */
    int *qd_of_yd;        /* per entry of ẏ: its index in q̇ */
    char *placed; /* per entry of y: whether it belongs to a pose that loops determine in part, so
                     that γ moves it */
    td_csr position;                      /* M */
    td_csr rate;                          /* nv × nwd, constant */
    td_csr velocity;                      /* G; the values belong to the reference configuration */
    td_sparse position_out, velocity_out; /* M and G as the API returns them */
    td_csr constraint;         /* K of the linear couplings: one row per dependent joint */
    int *constraint_q;         /* per entry of constraint: the index of its position in q */
    double *constraint_offset; /* per row */
    double *offset;            /* b */
    double *reference;         /* w at which the loops were assembled */
    double *reference_q;       /* initial q, with assembled loops */
    double *reference_y;       /* initial y */
    td_loops loops;
    td_loop_place *loop_place;     /* per loop */
    int *loop_group;               /* per loop: its group, −1 for open loops */
    td_loop_cluster *loop_cluster; /* per group that is solved */
    td_balances balances;
    size_t rows;          /* number of all constraints: the linear ones, then the loops' rows */
    double *row_rounding; /* per row of K: at or below this norm the row is rounding error */
    td_pattern pattern;   /* of Gᵀ H G */
    size_t suspects; /* independent velocities of loops that have several: if G is large, rounding
                        may destroy all digits of GᵀHG */
    int *suspect;    /* in descending order */
    td_clusters clusters; /* empty for the identity */
    size_t terms;         /* number of products that GᵀHG sums; 0 for the identity */
    td_scatter scatter; /* entries of H to entries of GᵀHG; empty if there are too many products */
    td_idle idle;       /* in independent coordinates */
} td_closure_map;

typedef struct td_actuation_map {
    size_t nu;      /* entries of u */
    int *joint;     /* per entry of u: its joint, −1 for a motor in a loop joint */
    int *loop;      /* per entry of u: its loop, −1 for a motor in a joint of the tree */
    int *row;       /* the joint's entry in q̇ */
    int *position;  /* the joint's entry in q */
    td_csr matrix;  /* M_u; the values belong to the reference configuration */
    size_t entries; /* entries in the rows of joints, which come first */
    int *entry;     /* per such entry: its index in G */
    td_loop_motors loops;
    size_t drivable; /* independent velocities that belong to drives */
    td_drives drives;
    td_status status; /* returned by td_actuation_status */
} td_actuation_map;

/*
 * Shared data of a model's charts, which are other choices of independent coordinates
 * (dynamics/chart.h). The closure's G has an entry wherever any chart's G has one. All other
 * members follow from this pattern.
 */
typedef struct td_charts {
    bool any;   /* whether there are charts besides y; if not, all other members are empty */
    bool wide;  /* whether u may have more entries than y: in groups that contain quaternion joints,
                   velocities can be swapped, and u contains all of their positions, after the
                   entries of y */
    bool mixed; /* whether coordinates without motors may be swapped; motor forces for the other
                   coordinates alone are then not available in u */
    td_closure_map closure; /* its ny is the size of u */
    td_actuation_map actuation;
    int *q_of_w, *qd_of_wd; /* per entry of w and ẇ: its index in q and q̇ */
    int *group;             /* per entry of ẇ: its group of loops, −1 for none */
    int *yd;                /* per entry of ẇ: its index in ẏ, −1 if it is dependent in y */
    char *swaps;            /* per entry of ẇ: whether another one may replace it */
    size_t *fill;           /* per solved group: capacity for its entries of G */
} td_charts;

/* The curves of a joint that follows others, built from its record. */
typedef struct td_follower_curves {
    td_curve_data *curve; /* per curve of the record */
    int *leader;          /* per curve of the record: the leading joint */
} td_follower_curves;

/* Indices of quaternions, their first components, in a configuration. */
typedef struct td_quaternions {
    size_t count;
    int *at;
} td_quaternions;

/* The data that td_joint_place returns for a joint, with internal indices: −1 for none. */
typedef struct td_place {
    int parent_link, child_link;
    int parent_joint;
    int body;
    int nq, nv;
    int q, qd;
    int y, yd;
    int ny, nyd;
    int leader;
    int terms;
    int cluster;
    unsigned dependents;
    bool dependent;
    double multiplier, offset;
} td_place;

struct td_model {
    td_records records; /* joints in the model's order */
    td_records given; /* records in the order of the builder, and the options, for td_model_write */
    td_load_options given_options;
    td_names link_names, joint_names;
    td_base base;
    int root;
    int *link_joint; /* per link: the joint that moves it, −1 for the root */
    td_place *place;
    int *movable, *independent; /* joint indices */
    size_t movable_count, independent_count;
    td_quaternions quaternion[2]; /* by td_coordinates */
    td_tree tree;
    td_clusters tree_clusters; /* for the tree's coordinates: each body by itself */
    td_closure_map closure;
    int *follower;              /* per joint: index of its follower record, −1 for none */
    td_follower_curves *curves; /* per record */
    td_effective_limit *limit;  /* per joint */
    td_inertia_audit *audit;    /* per link */
    td_actuation_map actuation;
    td_idle idle_tree; /* in the tree's coordinates */
    td_charts charts;
    td_plan_info plan;
    const struct td_kernels *single, *batch; /* kernel/kernel.h */
};

/* The floating base gets this name if a joint of the robot already has the plain name; see
   td_order_joints. Look-ups by this name find the base in either case. */
#define TD_PLAIN_BASE_NAME "base"
#define TD_BASE_NAME "$" TD_PLAIN_BASE_NAME

/* Returns whether the k-th position of a joint is dependent. A joint with a quaternion is dependent
   only as a whole. */
static inline bool td_position_is_dependent(const td_place *place, int k)
{
    return place->dependent || (place->nq == place->nv && (place->dependents >> k & 1));
}

/* Returns the closure with the most entries of G, for which memory is reserved. With charts this is
   the closure that all charts share. */
static inline const td_closure_map *td_widest_closure(const td_model *model)
{
    return model->charts.any ? &model->charts.closure : &model->closure;
}

/* Returns whether all weights of motors are positive numbers. weight may be NULL. */
bool td_weights_are_sound(const td_model *model, const double *weight);

/* Returns the index of a loop's axis in its group, −1 for none. */
int td_loop_axis_of(const td_loop_group *group, int loop);

/* limits of an unlimited joint */
extern const td_effective_limit td_no_limit;

#endif
