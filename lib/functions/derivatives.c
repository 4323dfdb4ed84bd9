/* SPDX-License-Identifier: MIT */
/*
 * Derivatives of inverse and of forward dynamics, and of the closure.
 */
#include "tandem/derivatives.h"

#include "functions/arguments.h"
#include "functions/operations.h"

/* ---- inverse dynamics ------------------------------------------------------------------------ */

void td_eval_force_derivatives(const td_eval *eval, const void *q, const void *qd, const void *qdd,
                               const td_forces *forces, void *tau, void *by_position, void *by_rate,
                               bool with_mass)
{
    const td_kernels *k = eval->kernels;
    const td_tree *tree = eval->tree;
    const td_scratch *s = eval->scratch;
    const td_loops *loops = &eval->closure->loops;
    const bool in_tree = td_eval_is_tree(eval);
    const td_pattern *pattern = td_eval_pattern(eval);
    void *mass = with_mass ? td_eval_matrix(eval) : NULL;
    const td_csr *G = in_tree ? NULL : &eval->closure->velocity;
    const td_clusters *clusters = in_tree ? &eval->model->tree_clusters : &eval->closure->clusters;
    const bool curved = !in_tree && (by_position || by_rate) &&
                        td_eval_closure_derivatives(eval, qd, by_position ? qdd : NULL);
    const void *C = curved ? s->velocity_y : NULL,
               *D = curved && by_position ? s->acceleration_y : NULL;
    const void *B = curved ? s->acceleration_yd : NULL;
    k->poses(tree, s, q, TD_EVERY_LINK, true);
    if (tau || (curved && by_position))
        td_eval_tree_force(eval, q, qd, qdd, forces, true, td_eval_tau_storage(eval, tau));
    if (tau)
        td_eval_reduce(eval, tau);
    const bool loaded = td_eval_loads(eval, qd, qdd, forces);
    k->composites(tree, s);
    k->rnea_derivatives(tree, clusters, s, G, C, D, B, qd, qdd, loaded,
                        td_eval_wrenches(eval, forces), forces ? (int)forces->wrench_frame : 0,
                        by_position, by_rate, pattern, mass);
    if (td_with_passive(forces)) {
        k->passive_derivatives(tree, G, s->G, C, D, B, qd, forces->friction_velocity, by_position,
                               by_rate, pattern, mass);
        if (td_loops_resist(loops))
            k->loop_passive_derivatives(tree, loops, s, G, C, qd, forces->friction_velocity,
                                        by_position, by_rate);
        if (tree->springs)
            k->spring_derivatives(tree, s, G, C, qd, by_position, by_rate);
    }
    if (curved && by_position) /* ∂(Gᵀτ)/∂y at the τ of the tree */
        td_eval_closure_stiffness(eval, s->tau, by_position);
}

void td_op_inverse_dynamics_derivatives(const td_eval *eval, const void *const *in,
                                        void *const *out, const void *context)
{
    const td_arguments *with = context;
    const void *q = td_eval_position(eval, in[0]), *qd = td_eval_velocity(eval, in[1]);
    const bool deep = td_eval_is_tree(eval) && eval->tree->deep; /* both triangles come at once */
    td_eval_force_derivatives(eval, q, qd, td_eval_acceleration(eval, in[2]), with->forces, out[0],
                              out[1], out[2], out[3] && !deep);
    if (out[3] && deep)
        td_eval_mass(eval, q, TD_FROM_POSES, td_with_passive(with->forces), 3);
}

/* ∂(H b)/∂y at q of the tree, where nothing moves and nothing falls */
static void product_derivatives(const td_eval *eval, const void *q, const void *b, void *dHb_dy)
{
    td_tree weightless = *eval->tree;
    weightless.gravity = (td_vec3){0, 0, 0};
    td_eval at = *eval;
    at.tree = &weightless;
    td_eval_force_derivatives(&at, q, eval->scratch->zeros, td_eval_acceleration(&at, b), NULL,
                              NULL, dHb_dy, NULL, false);
}

void td_op_mass_matrix_product_derivatives(const td_eval *eval, const void *const *in,
                                           void *const *out, const void *context)
{
    (void)context;
    const void *q = td_eval_position(eval, in[0]);
    td_eval_velocity(eval, NULL);
    product_derivatives(eval, q, in[1], out[0]);
}

void td_op_mass_matrix_derivatives(const td_eval *eval, const void *const *in, void *const *out,
                                   const void *context)
{
    (void)context;
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    const size_t n = td_eval_pattern(eval)->size, bytes = k->real_size;
    td_scope(s->stack, derivatives);
    char *unit = td_derivatives_take(s->stack, eval->model, k);
    const void *q = td_eval_position(eval, in[0]);
    td_eval_velocity(eval, NULL);
    for (size_t j = 0; j < n; j++) {
        const double one = 1;
        k->clear(unit, n);
        k->spread(unit + j * bytes, &one, 1);
        product_derivatives(eval, q, unit, (char *)out[0] + j * n * n * bytes);
    }
}

/* ---- forward dynamics ------------------------------------------------------------------------ */

/* accelerations where those are no output, or a vector for ∂H/∂y */
td_reals *td_derivatives_take(td_stack *stack, const td_model *model, const td_kernels *k)
{
    return td_take_reals(stack, k, model->tree.nv);
}

/* ∂ÿ = −H⁻¹ ∂τ in place, from the factors */
static void solve_derivatives(const td_eval *eval, void *matrix)
{
    const size_t n = td_eval_pattern(eval)->size;
    if (!matrix)
        return;
    eval->kernels->solve_many(td_eval_pattern(eval), eval->scratch, td_eval_matrix(eval), n,
                              matrix);
    eval->kernels->negate(matrix, n * n);
}

void td_op_forward_dynamics_derivatives(const td_eval *eval, const void *const *in,
                                        void *const *out, const void *context)
{
    const td_arguments *with = context;
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    td_scope(s->stack, derivatives);
    td_reals *room = td_derivatives_take(s->stack, eval->model, k);
    void *ydd = out[0] ? out[0] : room;
    const void *q = td_eval_position(eval, in[0]), *qd = td_eval_velocity(eval, in[1]);
    k->copy(s->tau_y, in[2] ? in[2] : s->zeros, td_eval_pattern(eval)->size);
    td_eval_accelerations(eval, with->forces, NULL, q, qd,
                          eval->closure->loops.solved ? s->g : NULL, s->tau_y, ydd);
    if (!out[1] && !out[2] && !out[3])
        return;
    td_eval_force_derivatives(eval, q, qd, td_eval_acceleration(eval, ydd), with->forces, NULL,
                              out[1], out[2], true);
    td_eval_factor(eval, NULL, td_with_passive(with->forces));
    solve_derivatives(eval, out[1]);
    solve_derivatives(eval, out[2]);
    if (out[3])
        td_eval_invert(eval, out, 3);
}

/* ---- the closure ------------------------------------------------------------------------------
 */

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
    td_rows *rows = eval->rows; /* of a batch */
    for (int i = 0; i < 3; i++)
        if (out[i] && rows) {
            rows->finite &= k->store_sparse(G, curved ? values[i] : NULL, rows->at[i], rows->count);
            rows->written |= 1U << i;
        } else if (out[i] && curved) {
            k->dense(G, values[i], out[i]);
        } else if (out[i]) {
            k->clear(out[i], eval->tree->nv * nyd);
        }
    if (!out[3])
        return;
    k->clear(out[3], nyd * nyd);
    if (in[3])
        td_eval_closure_stiffness(eval, in[3], out[3]);
}
