/* SPDX-License-Identifier: MIT */
/*
 * Building a model from records: the shared state of the steps, and the steps. load/build.c runs
 * them in order.
 */
#ifndef TD_BUILD_H
#define TD_BUILD_H

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/frame.h"
#include "model/model.h"
#include "tandem/builder.h"

/* The corrections of a group of loops that rounded numbers keep open
   (load/repair/loop_rounding.c). */
typedef struct td_loop_rounding {
    bool tried;           /* whether a correction was attempted */
    double residual;      /* residual before the correction, 0 if the group is as in the file */
    double turned, moved; /* the largest corrections of frames: rad, m */
    double size;          /* of the mechanism, m */
    const char *frames;   /* names of the corrected frames */
} td_loop_rounding;

/* The shared state of the steps. Each step reports into diagnostics and returns false only if
   memory runs out. The number of errors shows whether it failed. */
typedef struct td_build {
    td_model *model;
    const td_load_options *options;
    td_diagnostics *diagnostics;
    td_arena temporary;         /* scratch memory of the steps, in scopes */
    size_t search_budget;       /* shared by all searches of td_suggest during a load */
    bool incomplete;            /* see td_builder */
    const td_model *unlocked;   /* the model without locks, for the branch of loops; may be NULL */
    const double *locked;       /* see td_locked_position; NULL without locks */
    struct td_loop_desk *desk;  /* see load/closure/loop_analysis.h */
    td_loop_rounding *rounding; /* per loop; a group uses the element of its first loop */
    bool corrected;    /* frames of records were corrected, or more followers must be solved with
                          loops: all loops must be closed again */
    char *tied;        /* per joint: whether it follows by curves and is solved with loops */
    char *leads;       /* per joint: whether others follow it by curves */
    double *assembled; /* TD_MOST_POSITIONS per joint: assembled positions of its group of loops */
    char *linear;      /* per loop: whether it is a linear linkage inside a group
                          (closure/sub_linkages.c) */
    td_combination *found; /* linear dependences from these linkages, in order of discovery */
    int *found_joint, *found_loop; /* their joints, and the loops that cause them */
    size_t found_count;
    const double *start;  /* TD_MOST_POSITIONS per joint: where the assembly of loops starts; the
                             first one is NaN if not given; NULL: at zero */
    bool start_is_closed; /* loops are closed at start, on the intended branch */
} td_build;

/* Reads a caller's options, or the defaults if given is NULL. Returns false if the caller's struct
   has fields that the library does not know. */
bool td_options_read(const td_load_options *given, td_load_options *ours);

/* default values of max_cluster and max_elastic */
enum { TD_CLUSTER_CAP = 2000, TD_ELASTIC_CAP = 50000 };

/* Returns whether the numbers and lists of options are valid. */
bool td_options_are_valid(const td_load_options *options);
/* Checks the options of xacro alone, before it is run. */
bool td_xacro_options_are_valid(const td_load_options *options);

/* Runs all steps on an empty model (load/build.c). unlocked: see td_build. */
td_status td_make_model(const td_builder *builder, td_load_options *options, td_diagnostics *list,
                        const td_model *unlocked, td_model *model);

bool td_build_has_errors(const td_build *build, size_t errors_before);

enum { TD_SUGGESTION = 160 };

/* Returns a remedy for an unknown name: "did you mean 'x'?", written to text. Returns `other` if no
   name is close, or if the search has used up its budget. Never suggests except, which may be NULL;
   for example, a joint cannot follow itself. */
const char *td_suggest(td_build *build, const td_names *names, const char *name, const char *except,
                       const char *other, char text[TD_SUGGESTION]);

enum { TD_LOOP_TEXT = 2048 };

/* Returns a remedy that contains the complete <loop> element to write instead of a joint; the text
   is in `written`, or constant if names are too long (repair/loop_text.c). place: pose of the
   joint's frame in the child with all joints at zero; NULL if unknown. */
const char *td_loop_instead(const td_joint *joint, const td_pose *place,
                            char written[TD_LOOP_TEXT]);

/* Returns the <loop> element of a loop without dynamics that is not universal, distance or mask;
   the text is in `written`, or constant if names are too long. */
const char *td_loop_element(const td_loop *loop, char written[TD_LOOP_TEXT]);

bool td_expand_flexible(td_build *build); /* load/flexible/flexible.c: chains for flexible links */
bool td_check_names(td_build *build); /* load/check_names.c: missing, repeated, reserved names */
bool td_imply_links(td_build *build); /* load/tree/implied_links.c: parents that are not declared */
bool td_check_joints(td_build *build);      /* load/check.c: numbers, axes, limits */
bool td_check_loops(td_build *build);       /* load/check.c: frames, axes, masks of loops */
bool td_connect_links(td_build *build);     /* load/tree/order.c: parents, children, the root */
bool td_order_joints(td_build *build);      /* load/tree/order.c: regular numbering */
bool td_find_followers(td_build *build);    /* load/closure/followers.c: followers by curves */
bool td_read_start(td_build *build);        /* start.c: start positions of joints */
bool td_lock_joints(td_build *build);       /* lock.c: joints that the options lock */
bool td_resolve_mimic(td_build *build);     /* load/closure/mimic.c: mimic joints */
bool td_resolve_couplings(td_build *build); /* load/closure/coupling.c */
bool td_number_tree(td_build *build);       /* load/closure/mimic.c: q */
bool td_rebuild_tree(
    td_build *build); /* load/tree/tree.c: after frames of the records were changed */
bool td_check_curve_ranges(td_build *build); /* load/closure/followers.c: within limits */
bool td_settle_followers(td_build *build);   /* load/closure/follower_order.c: cycles, constants */
bool td_build_linear(td_build *build);       /* load/closure/linear_closure.c: w, M, b and K */
bool td_close_loops(td_build *build); /* load/loops.c: joints that depend on others by loops */
bool td_make_functions(
    td_build *build, int *owner,
    double *of_joint); /* load/closure/registered_closure.c: closures of the options */
void td_check_functions(td_build *build); /* load/closure/registered_closure.c: after all loops */
bool td_check_declared(
    td_build *build); /* load/closure/declared.c: declared dependent joints without a leader */
bool td_number_independent(td_build *build); /* load/closure/mimic.c: y */
bool td_build_velocity(td_build *build);     /* load/closure/linear_closure.c: G */
bool td_finish_loops(td_build *build);       /* load/loops.c: indices of loops in all coordinates */
bool td_balance_loops(td_build *build); /* load/closure/balance.c: data for the constraint forces */
bool td_fold_limits(td_build *build);   /* load/tree/limits.c: apply followers' limits to leaders */
bool td_ignore_limits(
    td_build *build); /* load/tree/limits.c: removes limits if the options request it */
/* Removes the position limits of a joint's record. */
void td_drop_limits(td_joint *joint);
bool td_place_reference(td_build *build);  /* load/start.c: joints outside loops */
bool td_build_tree(td_build *build);       /* load/tree/tree.c: bodies and frames */
bool td_build_pattern(td_build *build);    /* load/tree/reduced_pattern.c: sparsity of Gᵀ H G */
bool td_build_clusters(td_build *build);   /* load/tree/clusters.c: clusters of coupled bodies */
bool td_lay_columns(td_build *build);      /* load/tree/stretches.c: columns of carrying bodies */
bool td_choose_plan(td_build *build);      /* load/tree/clusters.c: method of forward dynamics */
bool td_audit_inertia(td_build *build);    /* load/tree/inertia_audit.c */
bool td_check_magnitudes(td_build *build); /* load/tree/magnitudes.c: wrong units */
bool td_choose_axes(td_build *build);      /* load/tree/axes.c: axes for articulated inertias */
bool td_find_idle(td_build *build);        /* load/tree/idle.c: massless motions */
bool td_find_spins(td_build *build);       /* load/tree/spins.c: idle spins of rods in loops */
bool td_report_idle(td_build *build);      /* load/tree/inertia_audit.c: reports them */
bool td_check_transmissions(td_build *build); /* load/actuation/transmissions.c: numbers */
bool td_find_motor_limits(td_build *build);   /* the same file: limits of joints by motors */
bool td_add_shafts(td_build *build);    /* load/actuation/shafts.c: motors of several joints */
bool td_check_springs(td_build *build); /* load/tree/springs.c: frames, numbers, links of springs */
bool td_place_springs(td_build *build); /* load/tree/springs.c: frames of springs in the tree */
bool td_report_loops(td_build *build);  /* load/check.c: loops and couplings */
bool td_leave_out_loops(td_build *build); /* load/check.c: no loops if the file has errors */
/* load/actuation/selection.c: joints with motors */
bool td_select_motors(td_build *build);
bool td_choose_actuation(td_build *build); /* load/actuation/drives.c */
/* Maps motors to M_u and its drives (load/actuation/drives.c). left_out: NULL, or per entry of ẏ:
   −1 if it belongs to no drive. */
bool td_map_motors(td_model *model, const int *left_out);
bool td_make_charts(td_build *build); /* load/closure/charts.c: coordinates other than y */
bool td_check_motors(
    td_build *build); /* load/actuation/motors.c: motors that loops make singular */
bool td_choose_kernels(td_build *build); /* load/instruction_set.c: by processor or TANDEM_ISA */

/* Reports a pose that is not finite or not a rotation. what: for example "joint"; name: of the
   record, or NULL (load/check.c). */
void td_check_pose(td_build *build, const td_pose *pose, td_source source, const char *what,
                   const char *name);
/* Reports a stiffness or damping that is negative or not finite. what: its name; kind: for example
   "spring"; name: of the record (load/check.c). */
void td_check_passive(td_build *build, td_source source, const char *what, const char *kind,
                      const char *name, double value);
/* Reports links that do not exist at the ends of a loop, coupling or spring (load/check.c). */
void td_check_ends(td_build *build, td_source source, const char *what, const char *name,
                   const char *predecessor, const char *successor);
/* Finds a follower's leader by name. Reports a missing one at `source` and returns −1
   (closure/followers.c). */
int td_find_leader(td_build *build, const char *leader, const char *follower, td_source source);

/* Returns the joint with this name, or with a coordinate of this name; −1 if no joint has it. The
   index of the coordinate is stored in *coordinate, −1 if the name does not select one. Names of
   joints come first (named_coordinate.c). */
int td_named_coordinate(const td_model *model, const char *name, int *coordinate);
/* Returns which coordinate of a joint with several has this name, −1 for none. */
int td_coordinate_of_joint(const td_joint *joint, const char *name);
/* Writes how the coordinates of a joint with several coordinates are named. */
const char *td_coordinates_remedy(td_joint_type type, char text[TD_SUGGESTION]);
bool td_is_unit_quaternion(const double xyzw[4]);

/* Returns whether a joint follows others, by <mimic> or curves. */
static inline bool td_is_follower(const td_build *build, int joint)
{
    return build->model->records.joint.at[joint].mimic || build->model->follower[joint] >= 0;
}

/* Converts a curve's record to the form of the kernels; reports errors. Returns false if memory
   runs out (load/closure/curve.c). */
bool td_make_curve(td_build *build, const td_follower *follower, const td_curve *record,
                   td_curve_data *curve);
/* Makes the groups of followers by curves, after the groups of loops, and computes their start
   positions. Call it after all loops are decided (load/closure/curve_groups.c). */
bool td_make_curve_groups(td_build *build, double *of_joint);
bool td_finish_curves(td_build *build); /* call it after y and G exist */
/* Computes followers from their leaders and, if rate is not NULL, their rates from the leaders'
   rates. at: per place of curves, the index of its coordinate in w and rate. needed: which
   followers, NULL for all (load/closure/follower_order.c). */
void td_place_followers(const td_model *model, const td_loop_curves *curves, const int *at,
                        const char *needed, double *w, double *rate);
/* Applies the limits of followers by curves to their leaders (load/closure/curve_limits.c). */
bool td_fold_curve_limits(td_build *build);

/* Return whether the options lock a joint, and its locked position: 0 if it has several coordinates
   or is not locked (lock.c). */
bool td_is_locked(const td_build *build, int joint);
double td_locked_position(const td_build *build, int joint);
/* Returns the child's frame in the joint's frame at a position. */
td_frame3 td_joint_motion(const td_joint *joint, const double *q);
/* Turns a joint into a fixed joint at a position. */
void td_fix_joint(td_joint *joint, const double *q);
/* Does the same for a builder's record of a joint if the model's options lock it. Sets *position to
   its locked position, 0 if it has several coordinates. Otherwise returns false and changes
   nothing. */
bool td_lock_record(const td_model *model, td_joint *joint, double *position);

/* Fills a joint's td_place from its combination: one leader, a constant, or several terms
   (load/closure/coupling.c). */
void td_place_combination(td_model *model, int joint);

#endif
