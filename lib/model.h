/* SPDX-License-Identifier: MIT */
/*
 * The model's inside, and the steps that make one (model_build.c calls them in this order).
 */
#ifndef TD_MODEL_H
#define TD_MODEL_H

#include "diagnostic.h"
#include "kernel/kernel.h"
#include "names.h"
#include "records.h"
#include "tandem/actuation.h"
#include "tandem/closure.h"
#include "tandem/model.h"

/* What a dependent joint is: Σ factor · q_joint + constant, over independent joints. */
typedef struct td_combination {
    int count;
    int *joint;
    double *factor;
    double constant;
} td_combination;

/*
 * The closure in two steps. What is linear (mimic, couplings, parallelograms) leaves the
 * coordinates w: q = M w + b, q̇ = rate ẇ. Loops make some of those depend on the others, y; without
 * loops that have to be solved w is y. q̇ = G ẏ is both.
 */
typedef struct td_closure_map {
    bool identity;               /* q and y are the same */
    td_combination *combination; /* per joint that depends on others linearly */
    size_t nw, nwd, ny, nyd;
    int *w, *wd;               /* per joint: its first entry in w and ẇ, −1 for none */
    td_csr position;           /* M */
    td_csr rate;               /* nv × nwd, constant */
    td_csr velocity;           /* G; the values are those of the reference configuration */
    td_csr constraint;         /* K of what is linear: a row per such joint */
    int *constraint_q;         /* per entry of that: the position it is about */
    double *constraint_offset; /* per row */
    double *offset;            /* b */
    double *reference;         /* w where loops were assembled */
    double *reference_q;       /* and q */
    td_loops loops;
    td_loop_place *loop_place;     /* per loop */
    int *loop_group;               /* per loop: the group that it is in, −1 for open ones */
    td_loop_cluster *loop_cluster; /* per group that is solved */
    size_t rows;                   /* of all constraints: linear ones, then those of the loops */
    td_pattern pattern;            /* of Gᵀ H G */
    size_t suspects; /* independent velocities of loops with several: large values of G may leave no
                        digits of GᵀHG */
    int *suspect;    /* the last one first */
    td_clusters clusters; /* empty for the identity */
    td_scatter scatter;   /* from the entries of H to those of Gᵀ H G; empty for the identity */
} td_closure_map;

typedef struct td_actuation_map {
    size_t nu;      /* entries of u */
    int *joint;     /* of each; −1 for one in a loop */
    int *loop;      /* the loop then, else −1 */
    int *row;       /* the joint's entry in q̇ */
    int *position;  /* and in q */
    td_csr matrix;  /* M_u; the values are those of the reference configuration */
    size_t entries; /* of joints' rows, which come first */
    int *entry;     /* per such entry: the one of G */
    td_loop_motors loops;
    size_t drivable; /* independent velocities that are in drives */
    td_drives drives;
    td_status status; /* what td_actuation_status says */
} td_actuation_map;

/* Which coordinates a call speaks. */
typedef enum td_space { TD_SPACE_INDEPENDENT, TD_SPACE_TREE } td_space;

/* Where the quaternions of floating joints are in a configuration. */
typedef struct td_quaternions {
    size_t count;
    int *at;
} td_quaternions;

/* A motion that moves no inertia, whatever the configuration: the velocities that take part,
   ascending, whether one of them, or of the joints that they move, has a rotor, and the bodies that
   move, to which a workspace may have added payloads. */
typedef struct td_idle_motion {
    size_t count, bodies;
    int *velocity, *body;
    bool rotors;
} td_idle_motion;

/* Those of a space, which make its mass matrix singular; none where all is NULL. What they move:
   per velocity of the tree, and of the links those that turn. */
typedef struct td_idle {
    size_t count;
    td_idle_motion *motion;
    char *moves, *turns;
} td_idle;

struct td_model {
    td_records records; /* joints in the model's order */
    td_names link_names, joint_names;
    td_base base;
    int root;
    int *link_joint; /* per link: the joint above it, −1 for the root */
    td_joint_place *place;
    int *movable, *independent; /* joint indices */
    size_t movable_count, independent_count;
    td_quaternions quaternion[2]; /* by td_space */
    td_tree tree;
    td_closure_map closure;
    td_effective_limit *limit; /* per joint */
    td_inertia_audit *audit;   /* per link */
    td_actuation_map actuation;
    td_idle idle, idle_tree; /* in independent coordinates, in the tree's */
    td_plan_info plan;
    const td_kernels *single, *batch;
};

/* What the steps share. Each step reports into diagnostics and returns false only for want of
   memory; whether it found errors is seen from the count. */
typedef struct td_build {
    td_model *model;
    const td_load_options *options;
    td_diagnostics *diagnostics;
    size_t search_budget; /* for td_suggest: all searches of a load take from it */
    bool incomplete;      /* see td_builder */
    const td_builder *builder;
    const double *locked; /* see td_locked_position; NULL without locks */
    const double *start;  /* TD_FLOATING_POSITIONS per joint where loops are first closed from, the
                             first  NaN where that is left open; NULL: zero */
} td_build;

bool td_build_has_errors(const td_build *build, size_t errors_before);

/* The floating base has this name where a joint of the robot has the plain one, see
   td_order_joints; it is found by it in any case. */
#define TD_PLAIN_BASE_NAME "base"
#define TD_BASE_NAME "$" TD_PLAIN_BASE_NAME

enum { TD_SUGGESTION = 160 };

/* A remedy for a name that is none of names: "did you mean 'x'?", written to text, or else the
   other one, where no name is close or the search has used up its budget. except, which may be
   NULL, cannot have been meant: a joint does not follow itself. */
const char *td_suggest(td_build *build, const td_names *names, const char *name, const char *except,
                       const char *other, char text[TD_SUGGESTION]);

bool td_check_names(td_build *build);       /* model_check.c: missing, double and reserved names */
bool td_imply_links(td_build *build);       /* model_imply.c: parents that are not declared */
bool td_check_joints(td_build *build);      /* model_check.c: numbers, axes, limits */
bool td_check_loops(td_build *build);       /* model_check.c: frames, axes, masks of loops */
bool td_connect_links(td_build *build);     /* model_order.c: parents, children, the root */
bool td_order_joints(td_build *build);      /* model_order.c: regular numbering */
bool td_lock_joints(td_build *build);       /* lock.c: joints that the options make fixed */
bool td_resolve_mimic(td_build *build);     /* closure_mimic.c: followers */
bool td_resolve_couplings(td_build *build); /* closure_coupling.c */
bool td_number_tree(td_build *build);       /* closure_mimic.c: q */
bool td_build_linear(td_build *build);      /* closure_linear.c: w, M, b and K */
bool td_close_loops(td_build *build);       /* closure_loop.c: what loops make dependent */
bool td_make_functions(td_build *build, int *owner,
                       double *of_joint);    /* closure_function.c: closures of the options */
void td_check_functions(td_build *build);    /* closure_function.c: after all loops */
bool td_check_declared(td_build *build);     /* closure_declared.c: joints that depend on nothing */
bool td_number_independent(td_build *build); /* closure_mimic.c: y */
bool td_build_velocity(td_build *build);     /* closure_linear.c: G */
bool td_finish_loops(td_build *build);       /* closure_loop.c: the reference, in all coordinates */
bool td_fold_limits(td_build *build);        /* closure_limits.c: followers' limits on the leader */
bool td_build_tree(td_build *build);         /* model_tree.c: bodies and frames */
bool td_build_pattern(td_build *build);      /* closure_pattern.c: sparsity of Gᵀ H G */
bool td_build_clusters(td_build *build);     /* closure_cluster.c: clusters of coupled bodies */
bool td_choose_plan(td_build *build);        /* closure_cluster.c: which forward dynamics */
bool td_audit_inertia(td_build *build);      /* model_inertia.c */
bool td_choose_axes(td_build *build);        /* model_axes.c: of articulated inertias */
bool td_find_idle(td_build *build);          /* model_idle.c: singular by structure */
bool td_report_idle(td_build *build);        /* model_inertia.c: what that means */
bool td_report_loops(td_build *build);       /* model_check.c: loops and couplings */
bool td_leave_out_loops(td_build *build);    /* model_check.c: those of a file with errors */
bool td_choose_actuation(td_build *build);   /* actuation.c */
bool td_choose_kernels(td_build *build);     /* isa.c: by the processor, or TANDEM_ISA */

/* whether the options lock a joint, and the coordinate that it keeps: 0 where it has none (lock.c)
 */
bool td_is_locked(const td_build *build, int joint);
double td_locked_position(const td_build *build, int joint);

/* what a joint's combination says, in its place: one leader, a constant, or several terms
   (closure_coupling.c) */
void td_place_combination(td_model *model, int joint);

/* whether the k-th position of a joint is dependent; a floating joint is so as a whole */
static inline bool td_position_is_dependent(const td_joint_place *place, int k)
{
    return place->dependent || (place->nq == place->nv && (place->dependents >> k & 1));
}

/* what the coordinates of a joint with that many velocities append to its name, NULL at the end
   (coordinate.c) */
const char *const *td_components(int nv, td_quantity quantity);

/* a sparse matrix as rows × columns doubles, row-major (closure.c) */
void td_csr_dense(const td_csr *A, double *matrix);

/* whether a group with its slots, closed at w, has γ in closed form; fills its slider
   (closure_slider.c) */
bool td_find_slider(const td_model *model, td_loop_group *group, const double *w);

/* whether weights of motors are positive numbers; NULL is fine (actuate.c) */
bool td_weights_are_sound(const td_model *model, const double *weight);

/* the axis of a loop in its group, −1 for none (constraint.c) */
int td_loop_axis_of(const td_loop_group *group, int loop);

/* number of position and velocity coordinates of a joint type */
int td_joint_nq(td_joint_type type);
int td_joint_nv(td_joint_type type);
/* revolute, continuous or prismatic */
bool td_joint_is_scalar(td_joint_type type);

#endif
