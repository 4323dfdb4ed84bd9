/* SPDX-License-Identifier: MIT */
/*
 * Springs and dampers between two links, and the energy of all springs.
 */
#include "dynamics/arguments.h"
#include "dynamics/operations.h"

void td_op_spring_state(const td_eval *eval, const td_spring_state_arguments *a)
{
    td_eval_motions(eval, a->y, a->yd, NULL, TD_EVERY_LINK);
    eval->kernels->spring_motion(eval->tree, eval->scratch, a->spring, a->motion);
}

void td_op_spring_energy(const td_eval *eval, const td_spring_energy_arguments *a)
{
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    const void *q = td_eval_position(eval, a->y);
    k->poses(eval->tree, s, q, TD_EVERY_LINK, true);
    k->motions(eval->tree, s, s->zeros, s->zeros, TD_EVERY_LINK);
    k->clear(a->energy, 1);
    td_eval_add_spring_energy(eval, q, a->energy);
}
