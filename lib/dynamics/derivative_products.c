/* SPDX-License-Identifier: MIT */
/*
 * Products of the derivatives of inverse and forward dynamics with a direction or a covector,
 * computed without matrices. Let C = ∂(Gẏ)/∂y, D = ∂(Gÿ + g)/∂y and B = ∂g/∂ẏ be the derivatives
 * of the closure. A direction becomes the tree's direction
 *
 *   d = G dy,   ḋ = G dẏ + C dy,   d̈ = G dÿ + D dy + B dẏ.
 *
 * The result is mapped back by Gᵀ, plus ∂(Gᵀτ)/∂y dy at the fixed τ of the tree. A covector
 * takes the same steps with the transposed matrices.
 */
#include "tandem/derivatives.h"

#include "dynamics/arguments.h"
#include "dynamics/operation_room.h"
#include "dynamics/operations.h"

/* Computes poses, motions and wrenches (sets at->loaded) and the derivatives of the closure;
   with by_position also τ of the tree. Returns whether the closure has nonzero derivatives. */
static bool prepare(const td_eval *eval, td_motion_inputs *at, const td_forces *forces,
                    bool by_position)
{
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    const bool curved = !td_eval_is_tree(eval) &&
                        td_eval_closure_derivatives(eval, at->qd, by_position ? at->qdd : NULL);
    k->poses(eval->tree, s, at->q, TD_EVERY_LINK, true);
    if (curved && by_position)
        td_eval_tree_force(eval, at->q, at->qd, at->qdd, forces, true, s->tau);
    at->loaded = td_eval_loads(eval, at->qd, at->qdd, forces);
    return curved;
}

/* Returns the state of the tree at which products are computed, except accelerations. */
static td_motion_inputs begin(const td_eval *eval, const void *y, const void *yd,
                              const td_forces *forces)
{
    td_motion_inputs at = {.q = td_eval_position(eval, y),
                           .wrenches = td_eval_wrenches(eval, forces),
                           .frame = forces ? (int)forces->wrench_frame : TD_AT_WORLD,
                           .friction_velocity = forces ? forces->friction_velocity : 1,
                           .passive = td_with_passive(forces)};
    at.qd = td_eval_velocity(eval, yd);
    return at;
}

/* ---- product with a direction ---------------------------------------------------------------- */

/* Computes out += A x; x may be NULL for zero. */
static void add_rates(const td_eval *eval, const td_reals *values, const void *x,
                      td_products_room *p, td_reals *out)
{
    const td_kernels *k = eval->kernels;
    if (!x)
        return;
    k->rates(&eval->closure->velocity, values, x, p->other);
    k->add_to(out, p->other, eval->tree->nv);
}

/* Computes the change of the forces along directions in the call's coordinates (NULL: none). */
static void tangent(const td_eval *eval, td_motion_inputs *at, const td_forces *forces,
                    const void *const *along, td_products_room *p, void *out)
{
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    const size_t nv = eval->tree->nv, n = td_velocity_count(eval->model, eval->space);
    const bool in_tree = td_eval_is_tree(eval);
    const td_reals *direction[TD_PRODUCT_PARTS];
    const bool curved = prepare(eval, at, forces, along[TD_PRODUCT_POSITION] != NULL);
    for (int i = 0; i < TD_PRODUCT_PARTS; i++) {
        direction[i] = in_tree && along[i] ? along[i] : s->zeros;
        if (in_tree)
            continue;
        direction[i] = p->part[i];
        k->clear(p->part[i], nv);
        add_rates(eval, s->G, along[i], p, p->part[i]);
    }
    k->clear(p->found, n);
    if (curved) {
        add_rates(eval, s->velocity_y, along[TD_PRODUCT_POSITION], p, p->part[TD_PRODUCT_RATE]);
        add_rates(eval, s->acceleration_y, along[TD_PRODUCT_POSITION], p,
                  p->part[TD_PRODUCT_ACCELERATION]);
        add_rates(eval, s->acceleration_yd, along[TD_PRODUCT_RATE], p,
                  p->part[TD_PRODUCT_ACCELERATION]);
    }
    if (curved && along[TD_PRODUCT_POSITION])
        td_eval_closure_stiffness_times(eval, s->tau, along[TD_PRODUCT_POSITION], false, p->found);
    k->rnea_tangent(eval->tree, &eval->closure->loops, s, at, direction,
                    td_eval_tau_storage(eval, out));
    td_eval_reduce(eval, out);
    if (curved)
        k->add_to(out, p->found, n);
}

void td_op_inverse_dynamics_tangent(const td_eval *eval,
                                    const td_inverse_dynamics_tangent_arguments *a)
{
    td_scope(eval->scratch->stack, products);
    td_products_room p = td_products_take(eval->scratch->stack, eval->model, eval->kernels);
    td_motion_inputs at = begin(eval, a->y, a->yd, a->forces);
    at.qdd = td_eval_acceleration(eval, a->ydd);
    const void *const along[TD_PRODUCT_PARTS] = {a->dy, a->dyd, a->dydd};
    tangent(eval, &at, a->forces, along, &p, a->dtau_y);
}

/* ---- product with a covector ----------------------------------------------------------------- */

/* Computes out += Aᵀ x. */
static void add_transposed(const td_eval *eval, const td_reals *values, const td_reals *x,
                           td_products_room *p, void *out)
{
    eval->kernels->transposed(&eval->closure->velocity, values, x, p->other);
    eval->kernels->add_to(out, p->other, eval->closure->nyd);
}

/* Computes products of a covector with the derivatives of forces, in the call's coordinates
   (NULL: not wanted). Outputs must not alias inputs. */
static void adjoint(const td_eval *eval, td_motion_inputs *at, const td_forces *forces,
                    const void *covector, td_products_room *p, void *const *out)
{
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    const bool in_tree = td_eval_is_tree(eval);
    const void *w = covector;
    const bool curved = prepare(eval, at, forces, out[TD_PRODUCT_POSITION] != NULL);
    if (!in_tree) {
        k->rates(&eval->closure->velocity, s->G, covector, p->other);
        w = p->other;
    }
    k->rnea_adjoint(eval->tree, &eval->closure->loops, s, at, w, in_tree ? out : p->part);
    for (int i = 0; i < TD_PRODUCT_PARTS && !in_tree; i++)
        if (out[i])
            k->transposed(&eval->closure->velocity, s->G, p->part[i], out[i]);
    if (!curved)
        return;
    if (out[TD_PRODUCT_RATE])
        add_transposed(eval, s->acceleration_yd, p->part[TD_PRODUCT_ACCELERATION], p,
                       out[TD_PRODUCT_RATE]);
    if (!out[TD_PRODUCT_POSITION])
        return;
    add_transposed(eval, s->velocity_y, p->part[TD_PRODUCT_RATE], p, out[TD_PRODUCT_POSITION]);
    add_transposed(eval, s->acceleration_y, p->part[TD_PRODUCT_ACCELERATION], p,
                   out[TD_PRODUCT_POSITION]);
    td_eval_closure_stiffness_times(eval, s->tau, covector, true, out[TD_PRODUCT_POSITION]);
}

void td_op_inverse_dynamics_adjoint(const td_eval *eval,
                                    const td_inverse_dynamics_adjoint_arguments *a)
{
    td_scope(eval->scratch->stack, products);
    td_products_room p = td_products_take(eval->scratch->stack, eval->model, eval->kernels);
    td_motion_inputs at = begin(eval, a->y, a->yd, a->forces);
    at.qdd = td_eval_acceleration(eval, a->ydd);
    void *const by[TD_PRODUCT_PARTS] = {a->by_y, a->by_yd, a->by_ydd};
    adjoint(eval, &at, a->forces, a->covector, &p, by);
}

/* ---- forward dynamics ------------------------------------------------------------------------ */

/* Computes accelerations into ydd, and returns the state of the tree including them. */
static td_motion_inputs accelerate(const td_eval *eval, const void *y, const void *yd,
                                   const void *tau_y, const td_forces *forces, void *ydd)
{
    const td_scratch *s = eval->scratch;
    td_motion_inputs at = begin(eval, y, yd, forces);
    at.qdd = eval->closure->loops.solved ? s->g : NULL;
    eval->kernels->copy(s->tau_y, tau_y ? tau_y : s->zeros,
                        td_velocity_count(eval->model, eval->space));
    td_eval_accelerations(eval, forces, NULL, &at, s->tau_y, ydd);
    at.qdd = td_eval_acceleration(eval, ydd);
    return at;
}

void td_op_forward_dynamics_tangent(const td_eval *eval,
                                    const td_forward_dynamics_tangent_arguments *a)
{
    const td_kernels *k = eval->kernels;
    const size_t n = td_velocity_count(eval->model, eval->space);
    td_scope(eval->scratch->stack, products);
    td_products_room p = td_products_take(eval->scratch->stack, eval->model, k);
    void *ydd = a->ydd ? a->ydd : p.ydd;
    td_motion_inputs at = accelerate(eval, a->y, a->yd, a->tau_y, a->forces, ydd);
    if (!a->dydd)
        return;
    const void *const along[TD_PRODUCT_PARTS] = {a->dy, a->dyd, NULL};
    tangent(eval, &at, a->forces, along, &p, p.part[TD_PRODUCT_POSITION]);
    k->copy(p.found, a->dtau_y ? a->dtau_y : eval->scratch->zeros, n);
    k->subtract_from(p.found, p.part[TD_PRODUCT_POSITION], n);
    td_eval_solve(eval, td_with_passive(a->forces), at.q, p.found, a->dydd);
}

void td_op_forward_dynamics_adjoint(const td_eval *eval,
                                    const td_forward_dynamics_adjoint_arguments *a)
{
    const td_kernels *k = eval->kernels;
    const size_t n = td_velocity_count(eval->model, eval->space);
    td_scope(eval->scratch->stack, products);
    td_products_room p = td_products_take(eval->scratch->stack, eval->model, k);
    void *ydd = a->ydd ? a->ydd : p.ydd;
    td_motion_inputs at = accelerate(eval, a->y, a->yd, a->tau_y, a->forces, ydd);
    if (!a->by_y && !a->by_yd && !a->by_tau)
        return;
    k->poses(eval->tree, eval->scratch, at.q, TD_EVERY_LINK, true);
    void *solved = a->by_tau ? a->by_tau : p.solved;
    k->copy(p.found, a->covector, n);
    td_eval_solve(eval, td_with_passive(a->forces), at.q, p.found, solved);
    void *const by[TD_PRODUCT_PARTS] = {a->by_y, a->by_yd, NULL};
    adjoint(eval, &at, a->forces, solved, &p, by);
    for (int i = 0; i < 2; i++)
        if (by[i])
            k->negate(by[i], n);
}
