/* SPDX-License-Identifier: MIT */
/*
 * Derivatives along configurations.
 */
#include "tandem/derivatives.h"

#include "functions/operations.h"

void td_op_closure_derivatives(const td_eval *eval, const void *const *in, void *const *out,
                               const void *context)
{
    (void)context;
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    const td_csr *G = &eval->closure->velocity;
    const size_t nyd = eval->closure->nyd;
    td_eval_position(eval, in[0]);
    const void *qd = td_eval_velocity(eval, in[1]);
    const void *qdd = out[1] ? td_eval_acceleration(eval, in[2]) : NULL;
    const bool curved = (out[0] || out[1] || out[2]) && td_eval_closure_derivatives(eval, qd, qdd);
    const td_reals *const values[] = {s->velocity_y, s->acceleration_y, s->acceleration_yd};
    for (int i = 0; i < 3; i++)
        if (out[i] && curved)
            k->dense(G, values[i], out[i]);
        else if (out[i])
            k->clear(out[i], eval->tree->nv * nyd);
    if (!out[3])
        return;
    k->clear(out[3], nyd * nyd);
    if (in[3])
        td_eval_closure_stiffness(eval, in[3], out[3]);
}
