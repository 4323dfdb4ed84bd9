/* SPDX-License-Identifier: MIT */
/*
 * A loaded robot: its records, tree, closure and actuation.
 */
#ifndef TD_MODEL_H
#define TD_MODEL_H

#include "base/index.h"
#include "base/names.h"
#include "model/closure.h"
#include "model/idle_spins.h"
#include "model/pattern.h"
#include "model/records.h"
#include "model/tree.h"
#include "tandem/builder.h"
#include "tandem/model.h"

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

/* Limits of the motors that drive a joint or a loop, in its coordinate. Infinity: no limit. */
typedef struct td_drive_limit {
    double effort, velocity, power;
} td_drive_limit;

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
    td_drive_limit *drive;      /* per joint, then per loop: limits of the motors that drive it */
    td_inertia_audit *audit;    /* per link */
    td_actuation_map actuation;
    td_idle idle_tree; /* in the tree's coordinates */
    td_spins spins;
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

/* Returns the joint of a velocity of the tree. */
static inline int td_joint_of_velocity(const td_model *model, int velocity)
{
    size_t j = model->movable_count - 1;
    while (model->place[model->movable[j]].qd > velocity)
        j--;
    return model->movable[j];
}

/* Returns whether all weights of motors are positive numbers. weight may be NULL. */
bool td_weights_are_sound(const td_model *model, const double *weight);

/* Returns the index of a loop's axis in its group, −1 for none. */
int td_loop_axis_of(const td_loop_group *group, int loop);

/* limits of an unlimited joint */
extern const td_effective_limit td_no_limit;

#endif
