/* SPDX-License-Identifier: MIT */
/*
 * Analysis of a group of loops at load time: assembly, rank, and the solution that the model keeps.
 * A group consists of loops that share coordinates. A slot is one velocity coordinate of w that
 * moves the group; it has one column in J.
 *
 * Code in this folder does not depend on load/repair/. It closes a group with the frames that the
 * file gives, from the start positions of its joints. If that is not enough, load/loops.c and
 * load/loop_decision.c request another start or corrected frames.
 */
#ifndef TD_LOOP_ANALYSIS_H
#define TD_LOOP_ANALYSIS_H

#include "kernel/kernel.h"
#include "load/build.h"
#include "model/manifold.h"

/* TD_ASSEMBLED: a group counts as assembled if its dimensionless residual is at most this.
   TD_RANK_TOLERANCE: a column of J counts for the rank if its length is at least this fraction of
   the longest column. */
#define TD_ASSEMBLED 1e-12
#define TD_RANK_TOLERANCE 1e-8
/* largest residual of loops that count as closed except for rounding in the file */
#define TD_ROUNDED_RESIDUAL 1e-4
/* weight of joints with a given start position in the distance from the start of assembly */
#define TD_WEIGHT_OF_GIVEN 10.

/* Kinds of columns. Columns of the first kinds become dependent first. FOLLOWER: the joint follows
   others by curves. WHOLE: the joint has a quaternion and is not declared independent. PART: the
   same, but loops determine only some of its coordinates. DEPENDENT: declared dependent. FREE: all
   other joints. LEADER: leads followers by curves. ELASTIC: an elastic joint of a flexible link.
   INDEPENDENT: declared independent. */
enum {
    TD_KIND_FOLLOWER,
    TD_KIND_WHOLE,
    TD_KIND_PART,
    TD_KIND_DEPENDENT,
    TD_KIND_FREE,
    TD_KIND_LEADER,
    TD_KIND_ELASTIC,
    TD_KIND_INDEPENDENT,
    TD_KINDS
};

/* Ways to try assembly. GIVEN: joints whose start the file or the options give stay fixed.
   INDEPENDENT: joints that are declared independent stay fixed. ALL: all joints move, from their
   start positions. ELSEWHERE: all joints move, from random positions. */
typedef enum td_assembly_try {
    TD_TRY_GIVEN,
    TD_TRY_INDEPENDENT,
    TD_TRY_ALL,
    TD_TRY_ELSEWHERE
} td_assembly_try;

/* Lookup tables that all groups of one load share, so that the time for a group depends only on its
   own size. Each group resets the entries that it sets. */
typedef struct td_loop_desk {
    int *joint_of_w, *joint_of_wd; /* per position in w, per velocity in ẇ: its joint */
    int *place;                    /* per body: its index in the group, or −1 */
    int *at;        /* per joint: offset of its positions in the group's w, or −1 */
    int *slot;      /* per velocity in ẇ: its slot, or −1 */
    td_csr limited; /* per coordinate of w: indices of the position limits that depend on it */
    int *joint_by_limit, *q_by_limit; /* per limit: its joint, and its position in q of the tree */
} td_loop_desk;

/* Working memory for one group. Its w, q and K have entries only for the joints of the group. With
   entries for the whole robot the time to load would grow with the square of the number of
   groups. */
typedef struct td_loop_analysis {
    td_build *build;
    td_model *model;
    td_loop_group *group;
    td_loop_group closing; /* the group with the turn rows of its loops added (td_loop_joint): these
                              are zero if the loop is closed, and nonzero if it is half a turn
                              off */
    td_scratch scratch;
    td_tree tree;             /* tree of the bodies of the group, in its order; only the fields that
                                 loop kernels read */
    int *body;                /* per body of the group: its index in that tree */
    td_loop_column *column;   /* columns of the group, with velocity indices of that tree */
    td_csr position;          /* q of that tree as a function of the group's w */
    td_loop_curves curves;    /* curves of the group, with indices of that tree, which has one extra
                                 coordinate per slot after the bodies; their w is the group's */
    size_t first_q, first_qd; /* first of these extra coordinates */
    double *offset;
    int slots;
    int *joint, *component;  /* per slot: its joint, and its index among the joint's velocities */
    int *place;              /* per slot: offset of the joint's positions in w */
    size_t nw;               /* number of positions of all joints that have slots */
    double *unit;            /* per slot: 1 for an angle, size for a length */
    int *slot_of;            /* per velocity of the robot's ẇ: its slot, or −1 */
    double size;             /* length scale of the mechanism, m */
    td_stack stack;          /* memory of the arrays below */
    double *w, *q, *phi, *K; /* sizes nw, nq of tree, rows, rows × nv of tree, with the rows of
                                closing */
    double *J, *copy;        /* rows × slots, column-major */
    double *pull;  /* per slot: sum of |∂q̇/∂ẇ| over the velocities that depend on it */
    double *R;     /* slots² */
    double *trial; /* nw */
    double *W;     /* ∂x/∂y, rank × (slots − rank); x: picked coordinates */
    double *step;  /* slots */
    double *near, openness; /* near, nw: the first position at which the group closes except for
                               rounding; openness: its residual, or infinity */
    int *kind, *pick;       /* per slot: its kind; the slots, dependent ones first */
    char *follows;          /* per follower by curves: whether its start is computed from its
                               leaders */
    const double *lower, *upper; /* per slot: bounds that td_analysis_descend keeps, or NULL */
    bool straight;               /* whether assembly locks elastic joints */
    int *class_of;    /* per slot: its kind; −1 if a joint with a quaternion must be independent,
                         TD_KIND_PART if loops must determine part of it */
    double longest;   /* length of the longest column of J at positions near w */
    double tolerance; /* fraction of longest below which a column counts as zero */
    int rank;
} td_loop_analysis;

/* ---- loop_group.c ---------------------------------------------------------------------------- */

/* Returns the name of loop number loop of the records, or "". */
const char *td_loop_name(const td_model *model, int loop);

/* Returns the body to which a link belongs, and the nearest common ancestor of two bodies. −1 is
   the world. */
int td_loop_body(const td_model *model, const char *link);
int td_loop_ancestor(const td_tree *tree, int a, int b);

/* Fills bodies, rows and columns of the group from count loops of the records. Returns false if out
   of memory. */
bool td_make_loop_group(td_loop_analysis *analysis, const int *loops, int count);

/* Adds count followers by curves, in evaluation order, to be solved with the group. Returns false
   if out of memory. */
bool td_add_followers(td_loop_analysis *analysis, const int *joint, int count);

/* Allocates the lookup tables of all groups in build->temporary. Returns false if out of memory. */
bool td_loop_desk_open(td_build *build);

/* Computes the data of the group that depend on frames of the records and of the tree: points and
   rows. */
void td_fill_loop_group(td_loop_analysis *analysis);
enum { TD_NO_LOOP = -1, TD_ALL_LOOPS = -2 };
/* Fills analysis->closing: the rows of the group and the turn rows of its loops. Leaves out the
   turn row of loop free (index in the group); TD_NO_LOOP: none, TD_ALL_LOOPS: all. */
void td_fill_closing(td_loop_analysis *analysis, int free);

/* Returns the name of a closure of the options, or "" (load/closure/registered_closure.c). */
const char *td_function_name(const td_closure_function *f);

/* ---- loop_analysis.c ------------------------------------------------------------------------- */

/* Lists the slots: all coordinates w on which the group's joints depend. Allocates in the caller's
   scope of build->temporary. Returns false if out of memory; call td_analysis_close also then. */
bool td_analysis_slots(td_loop_analysis *analysis);
/* Allocates the numeric arrays. Call td_analysis_close also if this fails. */
bool td_analysis_open(td_loop_analysis *analysis);
void td_analysis_close(td_loop_analysis *analysis);

/* Computes weighted φ and J of the group at w. Returns the largest |φ|. */
double td_analysis_examine(td_loop_analysis *analysis, const double *w);
/* Does the same for analysis->closing: returns how far the group is from closed. */
double td_analysis_openness(td_loop_analysis *analysis, const double *w);
/* Appends the row of tree position q in q = M w + b, in terms of the group's w, as a row of
   position. Sets the end of that row. */
void td_analysis_append_row(const td_loop_analysis *analysis, int q, td_csr *position, int row);

/* ---- loop_positions.c ------------------------------------------------------------------------ */

/* Returns the entry of w for a slot. For a joint with a quaternion, pass its first slot: returns
   the first position of the joint. */
double *td_analysis_coordinate(const td_loop_analysis *analysis, double *w, int slot);
/* Returns the kind of a slot's joint, and whether it has a quaternion. The slots of a joint with a
   quaternion are consecutive. They are usually all dependent or all independent. */
const td_joint_row *td_analysis_row(const td_loop_analysis *analysis, int slot);
bool td_analysis_has_quaternion(const td_loop_analysis *analysis, int slot);
/* Returns whether the joint of a slot has just one coordinate. */
bool td_analysis_is_scalar(const td_loop_analysis *analysis, int slot);
/* Moves w by step, which has one entry per slot in the slot's unit. */
void td_analysis_move(const td_loop_analysis *analysis, double *w, const double *step);

/* Returns whether the file or the options give the start position of a joint, and that position. */
bool td_is_given_start(const td_build *build, int joint);
const double *td_joint_start(const td_build *build, int joint);
/* Returns whether a slot belongs to an elastic joint that assembly keeps straight. */
bool td_analysis_is_held(const td_loop_analysis *analysis, int slot);
/* Returns a pseudorandom number in [−1, 1) and advances the seed. */
double td_analysis_random(unsigned *seed);
/* Returns whether a slot stays fixed in this way of assembly. */
bool td_analysis_stands_still(const td_loop_analysis *analysis, int slot, td_assembly_try by);
/* Moves every slot that does not stay fixed by a random step of at most size. */
void td_analysis_move_at_random(td_loop_analysis *analysis, double *w, td_assembly_try by,
                                double size, unsigned *seed);
/* Writes the start of assembly to w: given start positions; for other joints zero, or the nearest
   position within limits. */
void td_analysis_start(const td_loop_analysis *analysis, double *w);
/* Stores the positions of the group's joints at w, TD_MOST_POSITIONS for each joint. */
void td_keep_positions(const td_loop_analysis *analysis, double *of_joint);

/* ---- loop_descent.c -------------------------------------------------------------------------- */

/* Minimizes |φ|² by least squares, starting at w. Slots with kind >= fixed do not move. Leaves the
   best position in w and returns its largest residual. */
double td_analysis_descend(td_loop_analysis *analysis, double *w, int fixed);
/* Does the same with the slots fixed that this way of assembly keeps fixed. */
double td_analysis_try(td_loop_analysis *analysis, double *w, td_assembly_try by);

/* ---- loop_assembly.c ------------------------------------------------------------------------- */

/* Assembles the group. Writes the closed or nearest position to w and returns its largest residual,
   or −1 if out of memory. Fills near. *used: the way of assembly that succeeded. Sets straight if
   flexible links stayed straight. */
double td_analysis_assemble(td_loop_analysis *analysis, td_assembly_try *used);
/* Returns whether loops that do not close would close with loop free of the group half a turn off,
   where φ is also zero. TD_ALL_LOOPS: with any of them. Changes w. */
bool td_analysis_closes_turned(td_loop_analysis *analysis, int free);

/* ---- loop_rank.c ----------------------------------------------------------------------------- */

/* Assigns the kinds of the slots. */
void td_sort_columns(td_loop_analysis *analysis);

/* Sets the threshold for the rank from positions near w; returns false if out of memory.
   td_analysis_rank returns the rank at w and picks the dependent columns. */
bool td_analysis_prepare_ranks(td_loop_analysis *analysis);
int td_analysis_rank(td_loop_analysis *analysis, const double *w);
/* Computes the rank at analysis->w and the dependent columns. If that position is singular, moves
   analysis->w to one nearby. Returns false if out of memory. */
bool td_analysis_leave_singularity(td_loop_analysis *analysis);
/* Sets *touches if loops that are closed at analysis->w open as soon as their independent
   coordinates move. This happens if the constraint gradients are rank-deficient there. Returns
   false if out of memory. */
bool td_analysis_only_touches(td_loop_analysis *analysis, bool *touches);
/* td_analysis_find_influence computes W = ∂x/∂y for the picks of td_analysis_rank.
   td_analysis_round_row rounds one row of it to integers. It returns false if the row is zero or
   not nearly integer, if a factor is large, or if a joint has several coordinates. */
void td_analysis_find_influence(td_loop_analysis *analysis);
/* Sets the steps of the dependent picks to W times the steps of the others, in their units. */
void td_analysis_predict(td_loop_analysis *analysis);
bool td_analysis_round_row(td_loop_analysis *analysis, int pick);
/* Returns whether γ is linear about base with the current picks; then W is rounded to integers. If
   the rank is 0, returns whether the loops stay closed wherever their joints move. */
bool td_analysis_is_linear(td_loop_analysis *analysis, const double *base);

/* ---- loop_solution.c ------------------------------------------------------------------------- */

/* For a linear γ with integer W. td_make_combination expresses one pick as a combination of the
   joints that are not picked. td_take_combination makes a joint dependent by a combination;
   td_keep_linear does so for all picks. Each returns false if out of memory. */
bool td_make_combination(td_loop_analysis *analysis, int pick, td_combination *made);
bool td_take_combination(td_model *model, int joint, const td_combination *c);
bool td_keep_linear(td_loop_analysis *analysis);
/* Leaves the picked coordinates to Newton's method, in cluster number. Until w is renumbered,
   coordinate of the group stores joints, and velocity their components. Returns false if out of
   memory. */
bool td_keep_iterated(td_loop_analysis *analysis, int number);

/* Reports a joint whose declaration (independent or dependent) contradicts the analysis. */
void td_report_declared(const td_loop_analysis *analysis, int joint, bool independent);
/* Sets the form of all loops of the group. */
void td_set_loop_form(td_loop_analysis *analysis, td_loop_form form);

/* ---- loop_sparsity.c ------------------------------------------------------------------------- */

/* Fills td_loop_group.sparse; may reorder the dependent picks. Returns false if out of memory. */
bool td_find_sparsity(td_loop_analysis *analysis);

/* ---- slider.c, four_bar.c -------------------------------------------------------------------- */

/* Returns whether a closed-form γ for this mechanism applies to the closed group. If so, sets the
   group's form. */
bool td_find_slider(td_loop_analysis *analysis);
bool td_find_four_bar(td_loop_analysis *analysis);

/* ---- sub_linkages.c -------------------------------------------------------------------------- */

/* Looks for linear linkages among the loops of a group that was closed at build->assembled. Sets
   build->corrected if it finds any. Returns false if out of memory. */
bool td_find_sub_linkages(td_build *build, const int *loops, int count);
/* Makes the joints of these linkages dependent. Returns false if out of memory. */
bool td_take_sub_linkages(td_build *build);
/* Builds the group of a loop that is such a linkage. Returns false if out of memory. */
bool td_make_sub_linkage(td_build *build, int loop, td_loop_group *group);

/* ---- covered_loops.c ------------------------------------------------------------------------- */

/* Looks up the closure of the options that decides the joints of a loop, writes its index to
   *covered (−1: none), and checks that it closes the loop. owner: per joint, the closure that
   decides it, or −1. The loop becomes a separate group. Returns false if out of memory. */
bool td_close_covered(td_build *build, int loop, const int *owner, td_loop_group *group,
                      int *covered);

#endif
