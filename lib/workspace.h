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
    double *residual; /* nq doubles, for the inverse of the closure */
    void *block;
};

/* A scratch for these kernels alone, with nothing else; free(*block) ends it. False without memory.
   Tests use it to run the kernels over other reals. */
bool td_scratch_new(const td_model *model, const td_kernels *kernels, td_scratch *scratch,
                    void **block);

#endif
