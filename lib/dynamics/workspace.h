/* SPDX-License-Identifier: MIT */
/*
 * The workspace: scratch for kernels of single states and, per thread, for batches, on stacks in
 * one block.
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

/* The first failures of a call. singular_velocity is the velocity without inertia and loop the
   loop that was not closed (−1: none). residual is the loop's remaining error and reached the
   fraction of the path that was followed. The rows belong to the failed states. */
typedef struct td_failure {
    int singular_velocity, loop;
    double residual, reached;
    size_t singular_row, loop_row;
} td_failure;

#define TD_NO_FAILURE ((td_failure){-1, -1, 0, 1, 0, 0})

/* State of one worker in a batch: scratch, and the outcome of its rows, which may come in any
   order. */
typedef struct td_share {
    td_stack stack;
    td_scratch scratch;
    td_status status; /* of the first row that failed */
    size_t row;       /* the first row that failed; the number of states if none did */
    td_failure failure;
} td_share;

/* The changes of a workspace to its model: its own tree. The arrays of this tree are the model's,
   except for arrays with inertias once payloads are allowed. (changes.c) */
typedef struct td_payload {
    double mass, center[3], inertia[6]; /* as in td_set_payload */
} td_payload;

typedef struct td_changes {
    td_tree tree;
    td_stack stack; /* no block: no payloads */
    td_body *body;
    td_link_frame *link;
    td_inertia *body_inertia, *regrouped;
    td_mass_moments *moments;
    td_points *points;
    /* per link; `kept` saves the payloads while rows of a batch have others */
    td_payload *payload, *kept;
    const double *row;      /* for batches: rows × row_links payloads, or NULL */
    const size_t *row_link; /* the links of these payloads */
    size_t rows, row_links;
    int *velocity; /* all velocities of the tree, the last one first */
} td_changes;

struct td_workspace {
    const td_model *model;
    td_eval eval; /* of single states, with the tree and closure that calls currently use; each call
                     sets the other members */
    td_rows rows; /* rows of the matrices that a single call returns */
    td_chart chart;
    td_changes changes;
    td_coordinates singular_space;
    td_stack stack;
    td_scratch single;
    bool matrices; /* whether it has memory for matrices */
    td_coordinates coordinates;
    td_following following;
    td_failure failure;
    const char *fault;         /* the last argument that was refused */
    double *residual;          /* nq doubles, for the inverse of the closure */
    double *anchor, *last;     /* nw doubles each: where γ starts, in y or the chart */
    double *y_anchor, *y_last; /* in y */
    double *start;             /* nw */
    td_row_start rows_from;    /* for batches, and the given start of each row: row_starts × nq */
    const double *row_start;
    size_t row_starts;
    double *singular_room;        /* J of the largest group: rows × coordinates */
    double *correction, *kept;    /* nv, for projections */
    double *in_loops;             /* per loop: forces of motors */
    double *motor;                /* nu; the following are for motions of motors: */
    double *motion_y, *motion_to; /* ny */
    double *motion_yd;            /* nyd */
    double *motion_rate;          /* 2 nyd */
    void *block;
    size_t bytes;
    size_t stage_reals;   /* capacity for the rows of a batch, on the stack of each thread */
    struct td_pool *pool; /* NULL with one thread */
    size_t threads;
    td_share share[]; /* one per thread */
};

/* Initializes the parts of a workspace's block that must be set before its first use. */
void td_workspace_prepare(td_workspace *workspace);

/* Switches calls to u of the chart (`chart`), or to y (dynamics/chart.h). */
void td_workspace_speak(td_workspace *workspace, bool chart);

/* Returns the largest stage of a batch, in reals, over operations that open a scope
   (TD_SCOPE_stage: none). It follows from the table of operations (dynamics/entries/stage.c). */
size_t td_stage_reals(const td_model *model, bool matrices, td_scope_name scope);

/* In a build with checks: verifies that no array of the workspace was written beyond its end. No
   scope may be open. */
void td_workspace_verify(const td_workspace *workspace);

/* Sets every byte of the block, then prepares it again. Tests use it to show that no result
   depends on earlier contents. */
void td_workspace_fill(td_workspace *workspace, int byte);

/* Allocates scratch for these kernels alone; td_stack_end frees it. Returns false if memory is
   exhausted. Tests use it to run kernels over other number types. */
bool td_scratch_new(const td_model *model, const td_kernels *kernels, td_scratch *scratch,
                    td_stack *stack);

/* Internal version of td_used_coordinates. */
static inline td_coordinates td_coordinates_at(const td_workspace *workspace)
{
    return workspace ? workspace->coordinates : TD_COORDINATES_INDEPENDENT;
}

#endif
