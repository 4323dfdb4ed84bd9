/* SPDX-License-Identifier: MIT */
/*
 * What a loaded robot is: its records, its tree, the closure, the actuation.
 */
#ifndef TD_MODEL_H
#define TD_MODEL_H

#include "base/index.h"
#include "base/names.h"
#include "model/closure.h"
#include "model/pattern.h"
#include "model/records.h"
#include "model/tree.h"
#include "tandem/builder.h"
#include "tandem/model.h"

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
