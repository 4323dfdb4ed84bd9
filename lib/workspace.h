/* SPDX-License-Identifier: MIT */
/*
 * The workspace: scratch for the kernels of one state and for those of several, carved from one
 * block.
 */
#ifndef TD_WORKSPACE_H
#define TD_WORKSPACE_H

#include "kernel/kernel.h"
#include "run.h"
#include "tandem/model.h"

struct td_workspace {
    const td_model *model;
    int singular_velocity; /* of the last state that was singular, −1 for none */
    td_space singular_space;
    td_scratch single, batch;
    int failed_loop; /* of the last state whose loops were not closed, −1 for none */
    double residual_left;
    double *residual;              /* nq doubles, for the inverse of the closure */
    double *anchor, *last, *start; /* nw doubles each: where γ starts */
    double *singular_room;         /* of the largest group: rows × dependents */
    void *block;
};

/* What must be in a workspace's block before its first use. */
void td_workspace_prepare(td_workspace *workspace);

/* A scratch for these kernels alone, with nothing else; free(*block) ends it. False without memory.
   Tests use it to run the kernels over other reals. */
bool td_scratch_new(const td_model *model, const td_kernels *kernels, td_scratch *scratch,
                    void **block);

#endif
