/* SPDX-License-Identifier: MIT */
/*
 * What loops are worked on with at load: a group of loops that share coordinates, its assembly, its
 * rank, what is decided by them and kept of it. Nothing here knows of repair (load/repair/): a
 * group is closed from where it is drawn, and the steps above (load/loops.c, load/loop_decision.c)
 * ask for another start or other frames where that is not enough.
 */
#ifndef TD_LOOP_ANALYSIS_H
#define TD_LOOP_ANALYSIS_H

#include "kernel/kernel.h"
#include "load/build.h"
#include "model/manifold.h"

/* The residual, without dimension, up to which a group counts as assembled; and the least length,
   as a part of the longest, of a column of J that counts for the rank. */
#define TD_ASSEMBLED 1e-12
#define TD_RANK_TOLERANCE 1e-8
/* The residual of loops that close but for rounding. */
#define TD_ROUNDED_RESIDUAL 1e-4
/* how many times joints that are given a start count in the distance from where assembly starts */
#define TD_WEIGHT_OF_GIVEN 10.

/* Kinds of columns, those that become dependent first: joints that follow others by curves; those
   with a quaternion, unless they are declared independent; those among them that loops decide in
   part; joints that are declared dependent; others; those that lead followers by curves; elastic
   ones of flexible links; those declared independent. */
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

/* How assembly is tried: with the joints standing still that the file or the options start; with
   those that are declared independent standing still; with all moving, from where joints start; and
   from elsewhere. */
typedef enum td_assembly_try {
    TD_TRY_GIVEN,
    TD_TRY_INDEPENDENT,
    TD_TRY_ALL,
    TD_TRY_ELSEWHERE
} td_assembly_try;

/* What all groups of a load share, so that none takes time for what it has no part in: which joints
   coordinates of w belong to, and marks that each group leaves as it found them. */
typedef struct td_loop_desk {
    int *joint_of_w, *joint_of_wd; /* per coordinate of w, per velocity */
    int *place;                    /* per body: its place in the group, −1 */
    int *at;                       /* per joint: where its positions are in the group's w, −1 */
    int *slot;                     /* per velocity of w: its slot, −1 */
    td_csr limited; /* per coordinate of w: the limits of positions that it moves, by number */
    int *joint_by_limit, *q_by_limit; /* per limit: whose, and which position of the tree */
} td_loop_desk;

/* What a group is worked on with, beside the group itself. Its w, q and K have entries for the
   joints of the group alone: those of the whole robot would make the time to load it grow with the
   square of the number of groups. */
typedef struct td_loop_analysis {
    td_build *build;
    td_model *model;
    td_loop_group *group;
    td_loop_group closing; /* the group with the turns of its loops (td_loop_joint) among its rows:
                              these vanish where it is closed, and not half a turn off */
    td_scratch scratch;
    td_tree tree;           /* of the bodies of the group alone, in its order, as far as kernels of
                               loops read one */
    int *body;              /* per body of the group: its number in that tree */
    td_loop_column *column; /* with the velocities of that tree */
    td_csr position;        /* q of that tree, from w of the group */
    td_loop_curves curves;  /* of the group, with the numbers of that tree: behind the bodies it has
                               a coordinate for each slot; w is the group's */
    size_t first_q, first_qd; /* where these are */
    double *offset;
    int slots;
    int *joint, *component;  /* per slot: whose velocity coordinate it is */
    int *place;              /* per slot: where the positions of its joint are in w */
    size_t nw;               /* positions of the joints with slots */
    double *unit;            /* per slot */
    int *slot_of;            /* of the velocities of the robot's w, −1 for none */
    double size;             /* of the mechanism, m */
    td_stack stack;          /* of what follows */
    double *w, *q, *phi, *K; /* nw, nq, rows, rows × nv of tree; rows: of closing */
    double *J, *copy;        /* rows × slots, by columns */
    double *pull;            /* per slot: the sum of the factors by which velocities follow it */
    double *R;               /* slots² */
    double *trial;           /* nw */
    double *W;               /* ∂x/∂y of the picks, rank × (slots − rank) */
    double *step;            /* slots */
    double *near, openness;  /* nw: the first start that led to where the group closes but for
                                rounding, and the residual there; infinite for none */
    int *kind, *pick;        /* slots */
    char *follows;           /* per follower by curves: it starts where its leaders have it */
    const double *lower, *upper; /* slots: bounds that td_analysis_descend keeps; NULL: none */
    bool straight;               /* whether assembly keeps elastic joints where they are */
    int *class_of;    /* kind, or −1 for joints with a quaternion that must be independent, and
                         TD_KIND_PART for those that loops must decide in part */
    double longest;   /* length of the longest column of J at positions near w */
    double tolerance; /* part of it below which a column counts as none */
    int rank;
} td_loop_analysis;

/* ---- loop_group.c ---------------------------------------------------------------------------- */

/* name of a loop of the records, "" without one */
const char *td_loop_name(const td_model *model, int loop);

/* the body that carries a link; the nearest body that carries both, −1 for the world */
int td_loop_body(const td_model *model, const char *link);
int td_loop_ancestor(const td_tree *tree, int a, int b);

/* Bodies, rows and columns of the group from the records of that many loops. False without memory.
 */
bool td_make_loop_group(td_loop_analysis *analysis, const int *loops, int count);

/* followers by curves that are solved with the group, in their order; false without memory */
bool td_add_followers(td_loop_analysis *analysis, const int *joint, int count);

/* For all groups, from build->temporary; false without memory. */
bool td_loop_desk_open(td_build *build);

/* What of that depends on the frames of the records and of the tree: points and rows. */
void td_fill_loop_group(td_loop_analysis *analysis);
enum { TD_NO_LOOP = -1, TD_ALL_LOOPS = -2 };
/* analysis->closing, with the turns of the loops but for one (of the group), none or all of them */
void td_fill_closing(td_loop_analysis *analysis, int free);

/* name of a closure of the options, "" without one (load/closure/registered_closure.c) */
const char *td_function_name(const td_closure_function *f);

/* ---- loop_analysis.c ------------------------------------------------------------------------- */

/* The slots: all coordinates w that the group's joints follow, in the caller's scope of
   build->temporary. False without memory; td_analysis_close follows also then. */
bool td_analysis_slots(td_loop_analysis *analysis);
/* room for numbers; close it also where that fails */
bool td_analysis_open(td_loop_analysis *analysis);
void td_analysis_close(td_loop_analysis *analysis);

/* φ and J at w, weighted, of the group; the largest |φ| */
double td_analysis_examine(td_loop_analysis *analysis, const double *w);
/* the same of analysis->closing: how far from closed the group is */
double td_analysis_openness(td_loop_analysis *analysis, const double *w);
/* a row of q = M w + b to be, of the group's w; where it is put ends */
void td_analysis_append_row(const td_loop_analysis *analysis, int q, td_csr *position, int row);

/* ---- loop_positions.c ------------------------------------------------------------------------ */

/* a slot's entry of w; of a joint with a quaternion the first one, of its first slot */
double *td_analysis_coordinate(const td_loop_analysis *analysis, double *w, int slot);
/* the row of the joint that a slot is of, and whether that has a quaternion: its slots follow each
   other, and are solved for as a whole or not at all */
const td_joint_row *td_analysis_row(const td_loop_analysis *analysis, int slot);
bool td_analysis_has_quaternion(const td_loop_analysis *analysis, int slot);
/* whether that joint has one coordinate alone */
bool td_analysis_is_scalar(const td_loop_analysis *analysis, int slot);
/* moves w by a step per slot, in the units of the slots */
void td_analysis_move(const td_loop_analysis *analysis, double *w, const double *step);

/* whether the file or the options start a joint, and where */
bool td_is_given_start(const td_build *build, int joint);
const double *td_joint_start(const td_build *build, int joint);
/* whether a slot is that of an elastic joint which assembly keeps straight */
bool td_analysis_is_held(const td_loop_analysis *analysis, int slot);
/* in [−1, 1), a fixed sequence for a seed */
double td_analysis_random(unsigned *seed);
/* whether a slot stands still in a try */
bool td_analysis_stands_still(const td_loop_analysis *analysis, int slot, td_assembly_try by);
/* a step of that size in every slot that does not stand still, at random */
void td_analysis_move_at_random(td_loop_analysis *analysis, double *w, td_assembly_try by,
                                double size, unsigned *seed);
/* Where assembly starts: where joints are said to start, else at zero or the nearest position
   within limits. */
void td_analysis_start(const td_loop_analysis *analysis, double *w);
/* remembers where the joints of a group stand at w, TD_MOST_POSITIONS for each joint */
void td_keep_positions(const td_loop_analysis *analysis, double *of_joint);

/* ---- loop_descent.c -------------------------------------------------------------------------- */

/* Least squares of φ from w on, in which slots of a kind of fixed or more stand still. Leaves the
   best w; its largest residual. */
double td_analysis_descend(td_loop_analysis *analysis, double *w, int fixed);
/* the same, with the slots that stand still in a try */
double td_analysis_try(td_loop_analysis *analysis, double *w, td_assembly_try by);

/* ---- loop_assembly.c ------------------------------------------------------------------------- */

/* w where the group is closed, or nearly; its largest residual, −1 without memory. Fills near;
 *used: the try that found it. Sets straight where flexible links have stayed so. */
double td_analysis_assemble(td_loop_analysis *analysis, td_assembly_try *used);
/* Whether loops that do not close do so where one of them (of the group), or all, may be half a
   turn off, where φ vanishes as well. w changes. */
bool td_analysis_closes_turned(td_loop_analysis *analysis, int free);

/* ---- loop_rank.c ----------------------------------------------------------------------------- */

/* The kinds of the slots. */
void td_sort_columns(td_loop_analysis *analysis);

/* Sets how the rank is told near w (false without memory), and the rank at a position. */
bool td_analysis_prepare_ranks(td_loop_analysis *analysis);
int td_analysis_rank(td_loop_analysis *analysis, const double *w);
/* The rank there and the dependent columns; w moves a little where that is singular. False without
   memory. */
bool td_analysis_leave_singularity(td_loop_analysis *analysis);
/* Whether loops that are closed at w open when their independent coordinates move, as constraints
   do whose gradient is short of their rank there. False without memory. */
bool td_analysis_only_touches(td_loop_analysis *analysis, bool *touches);
/* ∂x/∂y of the picks into W, after td_analysis_rank; and a row of it in whole numbers, those of
   joints with one coordinate each: false where it is not nearly so, or zero, or a factor is large
   (loop_rank.c) */
void td_analysis_find_influence(td_loop_analysis *analysis);
bool td_analysis_round_row(td_loop_analysis *analysis, int pick);
/* Whether γ is linear about base, with the picks as they are; leaves W in whole numbers then. With
   rank 0: whether the loops are closed wherever their joints are. */
bool td_analysis_is_linear(td_loop_analysis *analysis, const double *base);

/* ---- loop_solution.c ------------------------------------------------------------------------- */

/* Where γ is linear with W in whole numbers: the pick of that number as a combination of joints
   that are not picked; a joint becomes one; all picks do. False without memory. */
bool td_make_combination(td_loop_analysis *analysis, int pick, td_combination *made);
bool td_take_combination(td_model *model, int joint, const td_combination *c);
bool td_keep_linear(td_loop_analysis *analysis);
/* The picked coordinates are left to Newton's method, in the cluster of that number. Until w is
   numbered anew, coordinate of the group has the joints, and velocity their components. False
   without memory. */
bool td_keep_iterated(td_loop_analysis *analysis, int number);

/* A joint that is declared independent, or not, and is not. */
void td_report_declared(const td_loop_analysis *analysis, int joint, bool independent);
/* of all loops of the group */
void td_set_loop_form(td_loop_analysis *analysis, td_loop_form form);

/* ---- loop_sparsity.c ------------------------------------------------------------------------- */

/* td_loop_group.sparse; the dependent picks may change their order. False without memory. */
bool td_find_sparsity(td_loop_analysis *analysis);

/* ---- slider.c, four_bar.c -------------------------------------------------------------------- */

/* Whether the group has that formula, where it is closed; sets its form then. */
bool td_find_slider(td_loop_analysis *analysis);
bool td_find_four_bar(td_loop_analysis *analysis);

/* ---- sub_linkages.c -------------------------------------------------------------------------- */

/* Looks for linear linkages among the loops of a group, which is at build->assembled; sets
   build->corrected where there are. False without memory. */
bool td_find_sub_linkages(td_build *build, const int *loops, int count);
/* Their joints follow from now on. False without memory. */
bool td_take_sub_linkages(td_build *build);
/* A loop of which that is so, as a group of its own. False without memory. */
bool td_make_sub_linkage(td_build *build, int loop, td_loop_group *group);

/* ---- covered_loops.c ------------------------------------------------------------------------- */

/* Whether a closure of the options decides the loop (*covered is its index then, else −1), and
   checks that it closes it. owner: by joint, the closure that decides it, −1 for none. The loop
   becomes a group of its own. False without memory. */
bool td_close_covered(td_build *build, int loop, const int *owner, td_loop_group *group,
                      int *covered);

#endif
