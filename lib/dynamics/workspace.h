/* SPDX-License-Identifier: MIT */
/*
 * The workspace: scratch for the kernels of one state and, for every thread, for those of several,
 * on stacks in one block.
 */
#ifndef TD_WORKSPACE_H
#define TD_WORKSPACE_H

#include "dynamics/chart.h"
#include "dynamics/eval.h"
#include "kernel/kernel.h"
#include "model/model.h"
#include "model/tree_inertia.h"
#include "tandem/closure.h"
#include "tandem/workspace.h"

/* The first states of a call that went wrong: the velocity that moves no inertia, the loop that was
   not closed (−1 for none), what remained of that, and how much of the path was followed; and the
   rows of these states. */
typedef struct td_failure {
    int singular_velocity, loop;
    double residual, reached;
    size_t singular_row, loop_row;
} td_failure;

#define TD_NO_FAILURE ((td_failure){-1, -1, 0, 1, 0, 0})

/* What one thread has to itself in a batch: scratch, and how its states went, which are in any
   order. */
typedef struct td_share {
    td_stack stack;
    td_scratch scratch;
    td_status status; /* of the first one that is not TD_OK */
    size_t row;       /* that one; the number of states where there is none */
    td_failure failure;
} td_share;

/* What a workspace has changed of the model: a tree of its own, whose arrays are the model's but
   for those with inertias in them once there is room for payloads. (changes.c) */
typedef struct td_payload {
    double mass, center[3], inertia[6]; /* as in td_set_payload */
} td_payload;

typedef struct td_changes {
    td_tree tree;
    td_stack stack; /* without a block: no payloads */
    td_body *body;
    td_link_frame *link;
    td_inertia *body_inertia, *regrouped;
    td_mass_moments *moments;
    td_points *points;
    td_payload *payload, *kept; /* per link; the latter while rows of a batch have others */
    const double *row;          /* of batches: rows × row_links payloads, or NULL */
    const size_t *row_link;     /* their links */
    size_t rows, row_links;
    int *velocity; /* all of the tree, the last one first */
} td_changes;

struct td_workspace {
    const td_model *model;
    td_eval eval; /* of one state, with the tree and the closure that calls use at present; a call
                     sets the members that are its own */
    td_rows rows; /* of the matrices that a call for one state returns */
    td_chart chart;
    td_changes changes;
    td_coordinates singular_space;
    td_stack stack;
    td_scratch single;
    bool matrices; /* whether there is room for them */
    td_coordinates coordinates;
    td_following following;
    td_failure failure;
    const char *fault;         /* the argument that was refused last */
    double *residual;          /* nq doubles, for the inverse of the closure */
    double *anchor, *last;     /* nw doubles each: where γ starts, in y or the chart */
    double *y_anchor, *y_last; /* in y */
    double *start;             /* nw */
    td_row_start rows_from;    /* of batches, and what rows are given: row_starts × nq */
    const double *row_start;
    size_t row_starts;
    double *singular_room;        /* of the largest group: rows × coordinates */
    double *correction, *kept;    /* nv, for projections */
    double *in_loops;             /* a loop each: forces of motors */
    double *motor;                /* nu doubles, and for motions of motors: */
    double *motion_y, *motion_to; /* ny */
    double *motion_yd;            /* nyd */
    double *motion_rate;          /* 2 nyd */
    void *block;
    size_t bytes;
    size_t stage_reals;   /* room for the rows of a batch, on the stack of each thread */
    struct td_pool *pool; /* NULL with one thread */
    size_t threads;
    td_share share[]; /* one a thread */
};

/* What must be in a workspace's block before its first use. */
void td_workspace_prepare(td_workspace *workspace);

/* Calls speak u of the chart, or y (dynamics/chart.h). */
void td_workspace_speak(td_workspace *workspace, bool chart);

/* Reals that the stage of a batch takes at most, of operations that open a scope (TD_SCOPE_stage:
   none), by the rows that calls are made of (dynamics/entries/stage.c). */
size_t td_stage_reals(const td_model *model, bool matrices, td_scope_name scope);

/* In a build with checks: that no piece of the workspace was written beyond its end. No scope is
   open. */
void td_workspace_verify(const td_workspace *workspace);

/* Sets every byte of it that prepare does not own: for tests that nothing depends on what was
   there. */
void td_workspace_fill(td_workspace *workspace, int byte);

/* A scratch for these kernels alone, with nothing else; td_stack_end ends it. False without
   memory. Tests use it to run the kernels over other reals. */
bool td_scratch_new(const td_model *model, const td_kernels *kernels, td_scratch *scratch,
                    td_stack *stack);

/* What td_used_coordinates returns, within the library. */
static inline td_coordinates td_coordinates_at(const td_workspace *workspace)
{
    return workspace ? workspace->coordinates : TD_COORDINATES_INDEPENDENT;
}

#endif
