/* SPDX-License-Identifier: MIT */
/*
 * What a loaded robot is: its records, its tree, the closure, the actuation.
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

/* What a dependent joint is: Σ factor · q_joint + constant, over independent joints. */
typedef struct td_combination {
    int count;
    int *joint;
    double *factor;
    double constant;
    bool by_loop; /* loops make it so, and nothing else does */
} td_combination;

/* A motion that moves no inertia, whatever the configuration: the velocities that take part,
   ascending, which of the tree's move, whether one of them, or of the joints that they move, has a
   rotor, and the bodies that move, to which a workspace may have added payloads. */
typedef struct td_idle_motion {
    size_t count, bodies;
    int *velocity, *body;
    char *moves; /* per velocity of the tree */
    bool rotors;
} td_idle_motion;

/* The idle motions of a space, which make its mass matrix singular; none where all is NULL. Where
   something resists them, a sum of them may be idle still: the velocities that take part in any,
   the last one first, are those whose pivots may be rounding then. What they move: per velocity of
   the tree, and of the links those that turn. */
typedef struct td_idle {
    size_t count, suspects;
    td_idle_motion *motion;
    int *suspect;
    char *moves, *turns;
} td_idle;

/*
 * The closure in two steps. What is linear (mimic, couplings, parallelograms) leaves the
 * coordinates w: q = M w + b, q̇ = rate ẇ. Loops make some of those depend on the others, y; without
 * loops that have to be solved w is y. q̇ = G ẏ is both.
 */
typedef struct td_closure_map {
    bool identity;               /* q and y are the same */
    td_combination *combination; /* per joint that depends on others linearly */
    size_t nw, nwd, ny, nyd;
    int *w, *wd;          /* per joint: its first entry in w and ẇ, −1 for none */
    int *w_of_y, *q_of_y; /* per entry of y: which of w, and of q, it is */
    int *qd_of_yd;        /* per entry of ẏ: which of q̇ it is */
    char *placed;         /* per entry of y: whether it is of a pose that loops decide in part,
                             and γ moves it */
    td_csr position;      /* M */
    td_csr rate;          /* nv × nwd, constant */
    td_csr velocity;      /* G; the values are those of the reference configuration */
    td_sparse position_out, velocity_out; /* M and G as the interface has them */
    td_csr constraint;                    /* K of what is linear: a row per such joint */
    int *constraint_q;                    /* per entry of that: the position it is about */
    double *constraint_offset;            /* per row */
    double *offset;                       /* b */
    double *reference;                    /* w where loops were assembled */
    double *reference_q;                  /* q where the robot begins, its loops assembled */
    double *reference_y;                  /* and y */
    td_loops loops;
    td_loop_place *loop_place;     /* per loop */
    int *loop_group;               /* per loop: the group that it is in, −1 for open ones */
    td_loop_cluster *loop_cluster; /* per group that is solved */
    td_balances balances;
    size_t rows;          /* of all constraints: linear ones, then those of the loops */
    double *row_rounding; /* per row: a row of K that is no longer is rounding */
    td_pattern pattern;   /* of Gᵀ H G */
    size_t suspects; /* independent velocities of loops with several: large values of G may leave no
                        digits of GᵀHG */
    int *suspect;    /* the last one first */
    td_clusters clusters; /* empty for the identity */
    size_t terms;         /* products of which Gᵀ H G is the sum; 0 for the identity */
    td_scatter scatter; /* these, from the entries of H to those of Gᵀ H G; empty where there are
                           too many to be written down */
    td_idle idle;       /* in independent coordinates */
} td_closure_map;

typedef struct td_actuation_map {
    size_t nu;      /* entries of u */
    int *joint;     /* of each; −1 for one in a loop */
    int *loop;      /* the loop then, else −1 */
    int *row;       /* the joint's entry in q̇ */
    int *position;  /* the joint's entry in q */
    td_csr matrix;  /* M_u; the values are those of the reference configuration */
    size_t entries; /* of joints' rows, which come first */
    int *entry;     /* per such entry: the one of G */
    td_loop_motors loops;
    size_t drivable; /* independent velocities that are in drives */
    td_drives drives;
    td_status status; /* what td_actuation_status says */
} td_actuation_map;

/*
 * What the charts of a model have in common, which are other choices of independent coordinates
 * (dynamics/chart.h): the closure whose G has an entry wherever that of one of them has one, with
 * all that follows from this pattern, and its actuation.
 */
typedef struct td_charts {
    bool any;   /* whether there are others than y; nothing else is there if not */
    bool wide;  /* whether u may have more entries than y: groups with joints that have a quaternion
                   swap their velocities, and all of their positions are in u, after those of y */
    bool mixed; /* whether coordinates that no motor moves may be swapped: which motor forces give
                   those of the others is not asked in u then */
    td_closure_map closure; /* whose ny is that of u */
    td_actuation_map actuation;
    int *q_of_w, *qd_of_wd; /* per entry of w and ẇ: which of q and q̇ it is */
    int *group;             /* per entry of ẇ: the group of loops that it is in, −1 for none */
    int *yd;                /* per entry of ẇ that is independent in y: which of ẏ, else −1 */
    char *swaps;            /* per entry of ẇ: whether another one may take its place */
    size_t *fill;           /* per group that is solved: room for what it puts into G */
} td_charts;

/* A joint that follows others by curves, as it was made of its record. */
typedef struct td_follower_curves {
    td_curve_data *curve; /* per curve of the record */
    int *leader;          /* likewise: a joint */
} td_follower_curves;

/* Where the quaternions of floating joints are in a configuration. */
typedef struct td_quaternions {
    size_t count;
    int *at;
} td_quaternions;

/* What td_joint_place says of a joint, with the library's indices: -1 for none. */
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
    td_records given;   /* as the builder had them, and the options, for td_model_write */
    td_load_options given_options;
    td_names link_names, joint_names;
    td_base base;
    int root;
    int *link_joint; /* per link: the joint above it, −1 for the root */
    td_place *place;
    int *movable, *independent; /* joint indices */
    size_t movable_count, independent_count;
    td_quaternions quaternion[2]; /* by td_coordinates */
    td_tree tree;
    td_clusters tree_clusters; /* of the tree's coordinates: every body by itself */
    td_closure_map closure;
    int *follower; /* per joint: which of the followers' records it is, −1 for none */
    td_follower_curves *curves; /* per record */
    td_effective_limit *limit;  /* per joint */
    td_inertia_audit *audit;    /* per link */
    td_actuation_map actuation;
    td_idle idle_tree; /* in the tree's coordinates */
    td_charts charts;
    td_plan_info plan;
    const struct td_kernels *single, *batch; /* kernel/kernel.h */
};

/* The floating base has this name where a joint of the robot has the plain one, see
   td_order_joints; it is found by it in any case. */
#define TD_PLAIN_BASE_NAME "base"
#define TD_BASE_NAME "$" TD_PLAIN_BASE_NAME

/* whether the k-th position of a joint is dependent; one with a quaternion is so as a whole */
static inline bool td_position_is_dependent(const td_place *place, int k)
{
    return place->dependent || (place->nq == place->nv && (place->dependents >> k & 1));
}

/* the closure that room is made for: a chart's G has more entries, and all that follows from them
 */
static inline const td_closure_map *td_widest_closure(const td_model *model)
{
    return model->charts.any ? &model->charts.closure : &model->closure;
}

/* whether weights of motors are positive numbers; NULL is fine */
bool td_weights_are_sound(const td_model *model, const double *weight);

/* the axis of a loop in its group, −1 for none */
int td_loop_axis_of(const td_loop_group *group, int loop);

/* of a joint that nothing bounds */
extern const td_effective_limit td_no_limit;

#endif
