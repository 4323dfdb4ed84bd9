/* SPDX-License-Identifier: MIT */
/*
 * Derivatives of inverse and of forward dynamics, and of the closure.
 */
#include "tandem/derivatives.h"

#include "dynamics/arguments.h"
#include "dynamics/operation_room.h"
#include "dynamics/operations.h"

/* ---- inverse dynamics ------------------------------------------------------------------------ */

void td_eval_force_derivatives(const td_eval *eval, const td_motion_inputs *at,
                               const td_forces *forces, void *tau, void *by_position, void *by_rate,
                               bool with_mass)
{
    const td_kernels *k = eval->kernels;
    const td_tree *tree = eval->tree;
    const td_scratch *s = eval->scratch;
    const td_loops *loops = &eval->closure->loops;
    const bool in_tree = td_eval_is_tree(eval);
    td_motion_inputs in = {.q = at->q, .qd = at->qd, .qdd = at->qdd};
    td_closure_changes closure = {.G = in_tree ? NULL : &eval->closure->velocity};
    const td_force_derivatives out = {by_position, by_rate, with_mass ? td_eval_matrix(eval) : NULL,
                                      td_eval_pattern(eval)};
    const td_clusters *clusters = in_tree ? &eval->model->tree_clusters : &eval->closure->clusters;
    const bool curved = !in_tree && (by_position || by_rate) &&
                        td_eval_closure_derivatives(eval, in.qd, by_position ? in.qdd : NULL);
    if (curved) {
        closure.velocity_y = s->velocity_y;
        closure.acceleration_y = by_position ? s->acceleration_y : NULL;
        closure.acceleration_yd = s->acceleration_yd;
    }
    k->poses(tree, s, in.q, TD_EVERY_LINK, true);
    if (tau || (curved && by_position))
        td_eval_tree_force(eval, in.q, in.qd, in.qdd, forces, true, td_eval_tau_storage(eval, tau));
    if (tau)
        td_eval_reduce(eval, tau);
    in.loaded = td_eval_loads(eval, in.qd, in.qdd, forces);
    in.wrenches = td_eval_wrenches(eval, forces);
    in.frame = forces ? (int)forces->wrench_frame : TD_AT_WORLD;
    k->composites(tree, s);
    k->rnea_derivatives(tree, clusters, s, &closure, &in, &out);
    if (td_with_passive(forces)) {
        in.friction_velocity = forces->friction_velocity;
        k->passive_derivatives(tree, s, &closure, &in, &out);
        if (td_loops_resist(loops))
            k->loop_passive_derivatives(tree, loops, s, &closure, &in, &out);
        if (tree->springs)
            k->spring_derivatives(tree, s, &closure, &in, &out);
    }
    if (curved && by_position) /* ∂(Gᵀτ)/∂y at fixed τ of the tree */
        td_eval_closure_stiffness(eval, s->tau, by_position);
}

void td_op_inverse_dynamics_derivatives(const td_eval *eval,
                                        const td_inverse_dynamics_derivatives_arguments *a)
{
    td_motion_inputs at = {.q = td_eval_position(eval, a->y)};
    at.qd = td_eval_velocity(eval, a->yd);
    at.qdd = td_eval_acceleration(eval, a->ydd);
    /* a separate kernel then computes H, both triangles at once */
    const bool deep = td_eval_is_tree(eval) && eval->tree->deep;
    td_eval_force_derivatives(eval, &at, a->forces, a->tau_y, a->dtau_y_dy, a->dtau_y_dyd,
                              a->H && !deep);
    if (a->H && deep)
        td_eval_mass(eval, at.q, TD_FROM_POSES, td_with_passive(a->forces), &a->H);
}

/* Computes ∂(H b)/∂y at q of the tree: the derivative of inverse dynamics at rest without
   gravity. */
static void product_derivatives(const td_eval *eval, const void *q, const void *b, void *dHb_dy)
{
    td_tree weightless = *eval->tree;
    weightless.gravity = (td_vec3){0, 0, 0};
    td_eval at = *eval;
    at.tree = &weightless;
    const td_motion_inputs rest = {
        .q = q, .qd = eval->scratch->zeros, .qdd = td_eval_acceleration(&at, b)};
    td_eval_force_derivatives(&at, &rest, NULL, NULL, dHb_dy, NULL, false);
}

void td_op_mass_matrix_product_derivatives(const td_eval *eval,
                                           const td_mass_matrix_product_derivatives_arguments *a)
{
    const void *q = td_eval_position(eval, a->y);
    td_eval_velocity(eval, NULL);
    product_derivatives(eval, q, a->b, a->dHb_dy);
}

void td_op_mass_matrix_derivatives(const td_eval *eval,
                                   const td_mass_matrix_derivatives_arguments *a)
{
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    const size_t n = td_eval_pattern(eval)->size, bytes = k->real_size;
    td_scope(s->stack, derivatives);
    char *unit = td_derivatives_take(s->stack, eval->model, k);
    const void *q = td_eval_position(eval, a->y);
    td_eval_velocity(eval, NULL);
    for (size_t j = 0; j < n; j++) {
        const double one = 1;
        k->clear(unit, n);
        k->spread(unit + j * bytes, &one, 1);
        product_derivatives(eval, q, unit, (char *)a->dH_dy + j * n * n * bytes);
    }
}

/* ---- forward dynamics ------------------------------------------------------------------------ */

/* Computes ∂ÿ = −H⁻¹ ∂τ in place, from the factors. Held accelerations do not change. */
static void solve_derivatives(const td_eval *eval, const unsigned char *held, void *matrix)
{
    const size_t n = td_eval_pattern(eval)->size, row = n * eval->kernels->real_size;
    if (!matrix)
        return;
    for (size_t i = 0; held && i < n; i++)
        if (held[i])
            eval->kernels->clear((char *)matrix + i * row, n);
    eval->kernels->solve_many(td_eval_pattern(eval), eval->scratch, td_eval_matrix(eval), n,
                              matrix);
    eval->kernels->negate(matrix, n * n);
}

/* Writes ∂ÿ/∂τ, from the factors. Held accelerations do not change. */
static void invert_mass(const td_eval *eval, const unsigned char *held, td_reals *const *inverse)
{
    const td_rows *rows = eval->rows;
    const size_t n = td_eval_pattern(eval)->size, bytes = eval->kernels->real_size;
    td_eval_invert(eval, inverse);
    for (size_t i = 0; held && i < n; i++) {
        const size_t at = i * (n + 1);
        if (held[i] && !rows)
            eval->kernels->clear((char *)*inverse + at * bytes, 1);
        for (size_t r = 0; held[i] && rows && r < rows->count; r++)
            ((double *)rows->at[td_rows_find(rows, inverse)])[r * n * n + at] = 0;
    }
}

void td_op_forward_dynamics_derivatives(const td_eval *eval,
                                        const td_forward_dynamics_derivatives_arguments *a)
{
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    td_scope(s->stack, derivatives);
    td_reals *room = td_derivatives_take(s->stack, eval->model, k);
    void *ydd = a->ydd ? a->ydd : room;
    td_motion_inputs at = {.q = td_eval_position(eval, a->y)};
    at.qd = td_eval_velocity(eval, a->yd);
    at.qdd = eval->closure->loops.solved ? s->g : NULL;
    k->copy(s->tau_y, a->tau_y ? a->tau_y : s->zeros, td_eval_pattern(eval)->size);
    td_eval_accelerations(eval, a->forces, NULL, &at, s->tau_y, ydd);
    if (!a->dydd_dy && !a->dydd_dyd && !a->dydd_dtau_y)
        return;
    at.qdd = td_eval_acceleration(eval, ydd);
    td_eval_force_derivatives(eval, &at, a->forces, NULL, a->dydd_dy, a->dydd_dyd, true);
    const unsigned char *held = td_eval_hold(eval, NULL);
    if (held)
        k->exclude(td_eval_pattern(eval), held, td_eval_matrix(eval));
    td_eval_factor(eval, held, td_with_passive(a->forces));
    solve_derivatives(eval, held, a->dydd_dy);
    solve_derivatives(eval, held, a->dydd_dyd);
    if (a->dydd_dtau_y)
        invert_mass(eval, held, &a->dydd_dtau_y);
}

/* ---- the closure ------------------------------------------------------------------------------
 */

void td_op_closure_derivatives(const td_eval *eval, const td_closure_derivatives_arguments *a)
{
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    const td_csr *G = &eval->closure->velocity;
    const size_t nyd = eval->closure->nyd;
    td_eval_position(eval, a->y);
    const void *qd = td_eval_velocity(eval, a->yd);
    const void *qdd = a->dqdd_dy ? td_eval_acceleration(eval, a->ydd) : NULL;
    const bool curved =
        (a->dqd_dy || a->dqdd_dy || a->dqdd_dyd) && td_eval_closure_derivatives(eval, qd, qdd);
    const td_reals *const values[] = {s->velocity_y, s->acceleration_y, s->acceleration_yd};
    td_reals *const *const outputs[] = {&a->dqd_dy, &a->dqdd_dy, &a->dqdd_dyd};
    td_rows *rows = eval->rows; /* only in batches */
    for (int i = 0; i < 3; i++) {
        td_reals *out = *outputs[i];
        if (out && rows) {
            const size_t output = td_rows_find(rows, outputs[i]);
            rows->finite &=
                k->store_sparse(G, curved ? values[i] : NULL, rows->at[output], rows->count);
            rows->written |= 1U << output;
        } else if (out && curved) {
            k->dense(G, values[i], out);
        } else if (out) {
            k->clear(out, eval->tree->nv * nyd);
        }
    }
    if (!a->dtau_y_dy)
        return;
    k->clear(a->dtau_y_dy, nyd * nyd);
    if (a->tau)
        td_eval_closure_stiffness(eval, a->tau, a->dtau_y_dy);
}
