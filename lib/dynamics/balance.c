/* SPDX-License-Identifier: MIT */
/*
 * Computes the forces that loops transmit. The motion of the tree needs the forces τ. Motors
 * supply S u, with M_uᵀ u + r = Gᵀ τ, where r at the independent joints is the part that no
 * motor supplies. The closure transmits the rest, τ_c = τ − S u − E r with Gᵀ τ_c = 0, as far as
 * forces of loops can.
 */
#include "dynamics/eval.h"

void td_eval_balance(const td_eval *eval, const void *q, const void *qd, const void *qdd,
                     const td_forces *forces)
{
    const td_closure_map *closure = eval->closure;
    const td_actuation_map *motors = eval->actuation;
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    const size_t in_joints = motors->nu - motors->loops.count; /* motors in loops come last */
    const void *tau_y = s->tau;
    td_eval_tree_force(eval, q, qd, qdd, forces, true, s->tau);
    if (!closure->identity) {
        k->transposed(&closure->velocity, s->G, s->tau, s->tau_y);
        tau_y = s->tau_y;
    }
    td_eval_motors(eval, q);
    k->drive_forces(motors, s, NULL, tau_y, s->u, s->rest);
    k->subtract_at(s->tau, s->u, motors->row, in_joints);
    k->subtract_at(s->tau, s->rest, closure->qd_of_yd, closure->nyd);
    char *in_loops = s->loop_motor;
    k->clear(in_loops, closure->balances.of);
    if (motors->loops.count) {
        for (size_t i = in_joints; i < motors->nu; i++)
            k->copy(in_loops + (size_t)motors->loop[i] * k->real_size,
                    (const char *)s->u + i * k->real_size, 1);
        k->clear(s->bias, eval->tree->nv);
        k->loop_push(eval->tree, &closure->loops, s, q, in_loops, s->bias);
        k->subtract_from(s->tau, s->bias, eval->tree->nv);
    }
    const td_motion_inputs in = {.q = q,
                                 .qd = qd,
                                 .passive = td_with_passive(forces),
                                 .friction_velocity = forces ? forces->friction_velocity : 1};
    k->balance_loops(eval->tree, closure, s, &in, s->tau);
}
