/* SPDX-License-Identifier: MIT */
/*
 * How a model is made of records: what the steps share, and the steps in their order
 * (load/build.c).
 */
#ifndef TD_BUILD_H
#define TD_BUILD_H

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/frame.h"
#include "model/model.h"
#include "tandem/builder.h"

/* What was corrected of a group of loops that rounding keeps open (load/repair/loop_rounding.c).
 */
typedef struct td_loop_rounding {
    bool tried;           /* whether that was attempted */
    double residual;      /* how far the group was open, 0 for one that is as the file has it */
    double turned, moved; /* the largest corrections of frames: rad, m */
    double size;          /* of the mechanism, m */
    const char *frames;   /* which ones */
} td_loop_rounding;

/* What the steps share. Each step reports into diagnostics and returns false only for want of
   memory; whether it found errors is seen from the count. */
typedef struct td_build {
    td_model *model;
    const td_load_options *options;
    td_diagnostics *diagnostics;
    td_arena temporary;         /* what steps work with, taken in scopes */
    size_t search_budget;       /* for td_suggest: all searches of a load take from it */
    bool incomplete;            /* see td_builder */
    const td_model *unlocked;   /* the robot without locks, which loops follow; NULL: none */
    const double *locked;       /* see td_locked_position; NULL without locks */
    struct td_loop_desk *desk;  /* see load/closure/loop_analysis.h */
    td_loop_rounding *rounding; /* per loop; that of a group is its first one's */
    bool corrected; /* records were changed for loops to close, or other followers are to be solved
                       with them: all must be closed anew */
    char *tied;     /* per joint: it follows by curves, and loops are solved with it */
    char *leads;    /* per joint: others follow it by curves */
    double *assembled;     /* TD_MOST_POSITIONS per joint: where its group of loops was assembled */
    char *linear;          /* per loop: a linear linkage inside a group (closure/sub_linkages.c) */
    td_combination *found; /* what these decide, in the order in which they were found */
    int *found_joint, *found_loop; /* whose they are, and by which loop */
    size_t found_count;
    const double *start;  /* TD_MOST_POSITIONS per joint where loops are first closed from, the
                             first NaN where that is left open; NULL: zero */
    bool start_is_closed; /* they are closed there, on the branch that is meant */
} td_build;

/* ours becomes the options that a caller gives, or the defaults for NULL. False where a caller's
   struct has fields that the library does not know. */
bool td_options_read(const td_load_options *given, td_load_options *ours);

/* what max_cluster and max_elastic are where they are 0 */
enum { TD_CLUSTER_CAP = 2000, TD_ELASTIC_CAP = 50000 };

/* whether numbers and lists of options that were read are such */
bool td_options_are_valid(const td_load_options *options);

/* The steps below, of an empty model: load/build.c. */
td_status td_make_model(const td_builder *builder, td_load_options *options, td_diagnostics *list,
                        const td_model *unlocked, td_model *model);

bool td_build_has_errors(const td_build *build, size_t errors_before);

enum { TD_SUGGESTION = 160 };

/* A remedy for a name that is not among names: "did you mean 'x'?", written to text, or else the
   other one, where no name is close or the search has used up its budget. except, which may be
   NULL, cannot have been meant: a joint does not follow itself. */
const char *td_suggest(td_build *build, const td_names *names, const char *name, const char *except,
                       const char *other, char text[TD_SUGGESTION]);

enum { TD_LOOP_TEXT = 2048 };

/* A remedy that has the <loop> to write in the place of a joint, as a whole element; in written, or
   a constant where names are too long for that (repair/loop_text.c). place: of the joint's frame on
   the child where all joints are at zero, NULL where it is not known. */
const char *td_loop_instead(const td_joint *joint, const td_pose *place,
                            char written[TD_LOOP_TEXT]);

bool td_expand_flexible(td_build *build); /* load/flexible/flexible.c: chains for flexible links */
bool td_check_names(td_build *build); /* load/check_names.c: missing, double and reserved names */
bool td_imply_links(td_build *build); /* load/tree/implied_links.c: parents that are not declared */
bool td_check_joints(td_build *build);      /* load/check.c: numbers, axes, limits */
bool td_check_loops(td_build *build);       /* load/check.c: frames, axes, masks of loops */
bool td_connect_links(td_build *build);     /* load/tree/order.c: parents, children, the root */
bool td_order_joints(td_build *build);      /* load/tree/order.c: regular numbering */
bool td_find_followers(td_build *build);    /* load/closure/followers.c: those by curves */
bool td_read_start(td_build *build);        /* start.c: where joints are said to start */
bool td_lock_joints(td_build *build);       /* lock.c: joints that the options make fixed */
bool td_resolve_mimic(td_build *build);     /* load/closure/mimic.c: followers */
bool td_resolve_couplings(td_build *build); /* load/closure/coupling.c */
bool td_number_tree(td_build *build);       /* load/closure/mimic.c: q */
bool td_rebuild_tree(
    td_build *build); /* load/tree/tree.c: after frames of the records were changed */
bool td_check_curve_ranges(td_build *build); /* load/closure/followers.c: against limits */
bool td_settle_followers(td_build *build);   /* load/closure/follower_order.c: circles, constants */
bool td_build_linear(td_build *build);       /* load/closure/linear_closure.c: w, M, b and K */
bool td_close_loops(td_build *build);        /* load/loops.c: what loops make dependent */
bool td_make_functions(
    td_build *build, int *owner,
    double *of_joint); /* load/closure/registered_closure.c: closures of the options */
void td_check_functions(td_build *build); /* load/closure/registered_closure.c: after all loops */
bool td_check_declared(
    td_build *build); /* load/closure/declared.c: joints that depend on nothing */
bool td_number_independent(td_build *build); /* load/closure/mimic.c: y */
bool td_build_velocity(td_build *build);     /* load/closure/linear_closure.c: G */
bool td_finish_loops(td_build *build);       /* load/loops.c: their places in all coordinates */
bool td_balance_loops(td_build *build); /* load/closure/balance.c: what their forces are found by */
bool td_fold_limits(td_build *build);   /* load/tree/limits.c: followers' limits on the leader */
bool td_ignore_limits(
    td_build *build); /* load/tree/limits.c: where the options say so, no limits */
/* the record of a joint without limits of position */
void td_drop_limits(td_joint *joint);
bool td_place_reference(td_build *build);  /* load/start.c: joints of no loop within limits */
bool td_build_tree(td_build *build);       /* load/tree/tree.c: bodies and frames */
bool td_build_pattern(td_build *build);    /* load/tree/reduced_pattern.c: sparsity of Gᵀ H G */
bool td_build_clusters(td_build *build);   /* load/tree/clusters.c: clusters of coupled bodies */
bool td_lay_columns(td_build *build);      /* load/tree/stretches.c: columns of bodies that carry */
bool td_choose_plan(td_build *build);      /* load/tree/clusters.c: which forward dynamics */
bool td_audit_inertia(td_build *build);    /* load/tree/inertia_audit.c */
bool td_check_magnitudes(td_build *build); /* load/tree/magnitudes.c: against the robot's size */
bool td_choose_axes(td_build *build);      /* load/tree/axes.c: of articulated inertias */
bool td_find_idle(td_build *build);        /* load/tree/idle.c: singular by structure */
bool td_report_idle(td_build *build);      /* load/tree/inertia_audit.c: what that means */
bool td_check_transmissions(td_build *build); /* load/actuation/transmissions.c: their numbers */
bool td_check_springs(td_build *build); /* load/tree/springs.c: frames, numbers, links of springs */
bool td_place_springs(td_build *build); /* load/tree/springs.c: where they are in the tree */
bool td_report_loops(td_build *build);  /* load/check.c: loops and couplings */
bool td_leave_out_loops(td_build *build); /* load/check.c: those of a file with errors */
/* load/actuation/selection.c: which joints are motors */
bool td_select_motors(td_build *build);
bool td_choose_actuation(td_build *build); /* load/actuation/drives.c */
/* load/actuation/drives.c: M_u and its drives; left_out: NULL, or what of ẏ is in none, −1 there */
bool td_map_motors(td_model *model, const int *left_out);
bool td_make_charts(td_build *build); /* load/closure/charts.c: other coordinates than y */
bool td_check_motors(
    td_build *build); /* load/actuation/motors.c: whether loops make them singular */
bool td_choose_kernels(td_build *build); /* isa.c: by the processor, or TANDEM_ISA */

/* Reports a pose that is no frame; what: "a joint", say (load/check.c). */
void td_check_pose(td_build *build, const td_pose *pose, td_source source, const char *what);
/* Whether a link of a loop, coupling or spring, from the other to it, exists; reports one that does
   not (load/check.c). */
bool td_check_end(td_build *build, td_source source, const char *what, const char *name,
                  const char *end, const char *other);

/* The joint that has that name or a coordinate of it, −1 for none; *coordinate: which one, −1 where
   that is left open. A name of a joint comes first (named_coordinate.c). */
int td_named_coordinate(const td_model *model, const char *name, int *coordinate);
/* which of the coordinates of a joint with several has that name, −1 for none */
int td_coordinate_of_joint(const td_joint *joint, const char *name);
/* how the coordinates of a joint that has several are named, written to text */
const char *td_coordinates_remedy(td_joint_type type, char text[TD_SUGGESTION]);
bool td_is_unit_quaternion(const double xyzw[4]);

/* whether a joint follows others, by <mimic> or curves */
static inline bool td_is_follower(const td_build *build, int joint)
{
    return build->model->records.joint.at[joint].mimic || build->model->follower[joint] >= 0;
}

/* The curve of a record as kernels evaluate it; reports what is wrong with it. False without
   memory. (load/closure/curve.c) */
bool td_make_curve(td_build *build, const td_follower *follower, const td_curve *record,
                   td_curve_data *curve);
/* once all loops are decided: groups of followers, behind those of loops, and where they start
   (load/closure/curve_groups.c) */
bool td_make_curve_groups(td_build *build, double *of_joint);
bool td_finish_curves(td_build *build); /* once y and G are there */
/* Followers from what they follow, and if rate is not NULL, their rates from those of these;
   at[place] says where each place's coordinate is in both. needed: which followers, NULL for all.
   (load/closure/follower_order.c) */
void td_place_followers(const td_model *model, const td_loop_curves *curves, const int *at,
                        const char *needed, double *w, double *rate);
/* the limits of followers by curves, on their leaders (load/closure/curve_limits.c) */
bool td_fold_curve_limits(td_build *build);

/* whether the options lock a joint, and the coordinate that it keeps: 0 where it has none (lock.c)
 */
bool td_is_locked(const td_build *build, int joint);
double td_locked_position(const td_build *build, int joint);
/* the child's frame in that of the joint, at a position */
td_frame3 td_joint_motion(const td_joint *joint, const double *q);
/* makes a joint the fixed one that it is at a position */
void td_fix_joint(td_joint *joint, const double *q);
/* The same with the record of a joint as a builder had it, if the options of the model lock it;
   *position becomes where it is then, 0 where that is no one coordinate. False, and nothing is
   changed, if they do not. */
bool td_lock_record(const td_model *model, td_joint *joint, double *position);

/* what a joint's combination says, in its place: one leader, a constant, or several terms
   (load/closure/coupling.c) */
void td_place_combination(td_model *model, int joint);

#endif
