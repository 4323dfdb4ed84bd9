/* SPDX-License-Identifier: MIT */
/*
 * Derivatives of the conversions between forces of motors and forces along independent
 * coordinates, with respect to y and to the forces.
 */
#include "dynamics/arguments.h"
#include "dynamics/operation_room.h"
#include "dynamics/operations.h"

/* Computes X at q for the motor forces u and, if λ is given, Z. X must be zero on entry. Only
   for an M_u that depends on y. */
static void motors_along_y(const td_eval *eval, const td_motor_room *r, const void *q,
                           const void *u, const void *lambda, void *X, void *Z)
{
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    const td_actuation_map *map = eval->actuation;
    const td_csr *M_u = &map->matrix;
    const size_t n = (size_t)M_u->columns;
    td_motion_inputs in = {.q = q};
    td_motor_changes change = {.force = r->force, .X = X, .Z = lambda ? Z : NULL};
    if (lambda) {
        in.qd = td_eval_velocity(eval, lambda);
        k->clear(Z, map->nu * n);
        change.curved = td_eval_closure_derivatives(eval, in.qd, NULL);
        if (change.curved) {
            k->clear(r->values, (size_t)M_u->row[map->nu]);
            k->gather(r->values, s->velocity_y, map->entry, map->entries);
            k->dense(M_u, r->values, Z);
        }
    }
    k->motor_derivatives(eval->tree, eval->closure, map, s, &in, u, &change);
    td_eval_closure_stiffness(eval, r->force, X);
}

void td_op_forces_from_actuators_derivatives(
    const td_eval *eval, const td_forces_from_actuators_derivatives_arguments *a)
{
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    const td_csr *M_u = &eval->actuation->matrix;
    const bool change = td_motors_change(eval->model);
    const void *q = change ? td_eval_position(eval, a->y) : NULL;
    const void *values = change ? td_eval_motors(eval, q) : s->M_u;
    td_scope(s->stack, actuation);
    const td_motor_room r = td_actuation_take(s->stack, eval->model, k);
    if (a->tau_y)
        k->transposed(M_u, values, a->u, a->tau_y);
    if (!a->dtau_y_dy)
        return;
    k->clear(a->dtau_y_dy, (size_t)M_u->columns * (size_t)M_u->columns);
    if (change)
        motors_along_y(eval, &r, q, a->u, NULL, a->dtau_y_dy, NULL);
}

/* Returns whether some drive has a different number of motors than coordinates. */
static bool any_is_uneven(const td_drives *drives)
{
    for (size_t i = 0; i < drives->count; i++)
        if (drives->drive[i].motors != drives->drive[i].coordinates)
            return true;
    return false;
}

void td_op_forces_to_actuators_derivatives(const td_eval *eval,
                                           const td_forces_to_actuators_derivatives_arguments *a)
{
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    const td_actuation_map *map = eval->actuation;
    const size_t n = (size_t)map->matrix.columns;
    const bool change = td_motors_change(eval->model);
    const void *q = change ? td_eval_position(eval, a->y) : NULL;
    if (change)
        td_eval_motors(eval, q);
    td_scope(s->stack, actuation);
    const td_motor_room r = td_actuation_take(s->stack, eval->model, k);
    k->drive_forces(map, s, a->weight, a->tau_y, a->u, r.rest);
    td_eval_judge_spins(eval, a->tau_y, r.rest);
    const bool uneven = change && any_is_uneven(&map->drives);
    if (a->du_dy && change) {
        if (uneven)
            k->drive_multipliers(map, s, a->weight, a->u, r.rest, r.lambda);
        k->clear(r.X, n * n);
        motors_along_y(eval, &r, q, a->u, uneven ? r.lambda : NULL, r.X, r.Z);
    }
    k->drive_force_derivatives(map, s, a->weight, change ? r.X : NULL, uneven ? r.Z : NULL,
                               a->du_dy, a->du_dtau_y);
}
