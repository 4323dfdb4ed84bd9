/* SPDX-License-Identifier: MIT */
/*
 * Springs and dampers between two links, and the energy of all springs.
 */
#include "functions/arguments.h"
#include "functions/operations.h"

void td_op_spring_state(const td_eval *eval, const void *const *in, void *const *out,
                        const void *context)
{
    const td_arguments *with = context;
    td_eval_motions(eval, in[0], in[1], NULL, TD_EVERY_LINK);
    eval->kernels->spring_motion(eval->tree, eval->scratch, with->spring, out[0]);
}

void td_op_spring_energy(const td_eval *eval, const void *const *in, void *const *out,
                         const void *context)
{
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    (void)context;
    const void *q = td_eval_position(eval, in[0]);
    k->poses(eval->tree, s, q, TD_EVERY_LINK, true);
    k->motions(eval->tree, s, s->zeros, s->zeros, TD_EVERY_LINK);
    k->clear(out[0], 1);
    td_eval_add_spring_energy(eval, q, out[0]);
}
