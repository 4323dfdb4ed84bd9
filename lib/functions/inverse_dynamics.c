/* SPDX-License-Identifier: MIT */
/*
 * Inverse dynamics and what is read from it: bias and gravity forces, the Coriolis matrix, and the
 * call that gives several of them at once.
 */
#include "tandem/dynamics.h"

#include "base/sized.h"
#include "functions/arguments.h"
#include "functions/operations.h"

/* ---- inverse dynamics, bias and gravity ------------------------------------------------------ */

/* the forces of a motion */
static void motion_forces(const td_eval *eval, const void *y, const void *yd, const void *ydd,
                          const td_forces *forces, void *out)
{
    const void *q = td_eval_position(eval, y), *qd = td_eval_velocity(eval, yd);
    td_eval_tree_force(eval, q, qd, td_eval_acceleration(eval, ydd), forces, false,
                       td_eval_tau_storage(eval, out));
    td_eval_reduce(eval, out);
}

void td_op_inverse_dynamics(const td_eval *eval, const void *const *in, void *const *out,
                            const void *context)
{
    const td_arguments *with = context;
    motion_forces(eval, in[0], in[1], in[2], with->forces, out[0]);
}

void td_op_bias_force(const td_eval *eval, const void *const *in, void *const *out,
                      const void *context)
{
    const td_arguments *with = context;
    motion_forces(eval, in[0], in[1], NULL, with->forces, out[0]);
}

void td_op_gravity_force(const td_eval *eval, const void *const *in, void *const *out,
                         const void *context)
{
    (void)context;
    motion_forces(eval, in[0], NULL, NULL, NULL, out[0]);
}

/* ---- the Coriolis matrix --------------------------------------------------------------------- */

/* a matrix of the tree, where that is not the result */
td_reals *td_coriolis_take(td_stack *stack, const td_model *model, const td_kernels *k)
{
    const size_t nv = model->closure.identity ? 0 : model->tree.nv;
    return td_take_reals(stack, k, nv * nv);
}

/* Gᵀ C G, and Gᵀ H Ġ where G changes: Ḣ − 2 C stays antisymmetric */
static void reduce_coriolis(const td_eval *eval, const void *qd, td_reals *matrix, void *out)
{
    const td_closure_map *closure = eval->closure;
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    k->clear(out, closure->nyd * closure->nyd);
    k->congruence(matrix, &closure->velocity, s->G, s->G, out);
    if (!td_eval_closure_rates(eval, qd))
        return;
    k->crba(eval->tree, s, 0);
    k->symmetric(&eval->tree->pattern, s->mass, matrix);
    k->congruence(matrix, &closure->velocity, s->G, s->G_rate, out);
}

void td_op_coriolis_matrix(const td_eval *eval, const void *const *in, void *const *out,
                           const void *context)
{
    (void)context;
    const td_tree *tree = eval->tree;
    const td_kernels *k = eval->kernels;
    td_eval_motions(eval, in[0], in[1], NULL, TD_EVERY_LINK);
    k->inertias(tree, eval->scratch);
    k->composites(tree, eval->scratch);
    td_scope(eval->scratch->stack, coriolis);
    td_reals *matrix = td_coriolis_take(eval->scratch->stack, eval->model, k);
    k->coriolis(tree, eval->scratch, td_eval_is_tree(eval) ? out[0] : matrix);
    if (!td_eval_is_tree(eval))
        reduce_coriolis(eval, in[1] ? eval->scratch->qd : eval->scratch->zeros, matrix, out[0]);
}

/* ---- everything at once ---------------------------------------------------------------------- */

enum { H, C, GRAVITY, POSES, VELOCITIES, ACCELERATIONS, COM, MOMENTUM, ENERGY, TERMS };

static void terms_of_motion(const td_eval *eval, const td_arguments *with, const void *q,
                            void *const *out)
{
    const td_tree *tree = eval->tree;
    const td_kernels *k = eval->kernels;
    if (out[POSES])
        k->link_poses(tree, eval->scratch, NULL, tree->links, out[POSES]);
    if (out[VELOCITIES])
        k->link_velocities(tree, eval->scratch, (int)with->frame, out[VELOCITIES]);
    if (out[ACCELERATIONS])
        k->link_accelerations(tree, eval->scratch, (int)with->frame, 0, out[ACCELERATIONS]);
    if (out[COM])
        k->mass_center(tree, eval->scratch, 0, out[COM]);
    if (out[ENERGY])
        td_eval_energy(eval, false, out[ENERGY]);
    if (out[ENERGY] && td_with_passive(with->forces))
        td_eval_add_spring_energy(eval, q, (char *)out[ENERGY] + k->real_size);
    if (out[MOMENTUM]) {
        k->momentum_matrix(tree, eval->scratch, 0, td_eval_columns_storage(eval, out[MOMENTUM]));
        td_eval_times_G(eval, 6, out[MOMENTUM]);
    }
}

static void op_terms(const td_eval *eval, const void *const *in, void *const *out,
                     const void *context)
{
    const td_arguments *with = context;
    const td_tree *tree = eval->tree;
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    const void *q = td_eval_position(eval, in[0]), *qd = td_eval_velocity(eval, in[1]);
    k->poses(tree, s, q, TD_EVERY_LINK, true);
    if (out[C]) {
        td_eval_tree_force(eval, q, qd, td_eval_drift(eval), with->forces, true,
                           td_eval_tau_storage(eval, out[C]));
        td_eval_reduce(eval, out[C]);
    }
    if (out[GRAVITY]) {
        k->rnea(tree, s, q, 1, s->zeros, s->zeros, 0, td_eval_tau_storage(eval, out[GRAVITY]));
        td_eval_reduce(eval, out[GRAVITY]);
    }
    if (out[H])
        td_eval_mass(eval, q, TD_FROM_POSES, td_with_passive(with->forces), H);
    else
        k->composites(tree, s);
    k->motions(tree, s, qd, td_eval_drift(eval), TD_EVERY_LINK);
    terms_of_motion(eval, with, q, out);
}

td_status td_run_dynamics_terms(const td_site *site, const double *y, const double *yd,
                                const td_forces *forces, const td_terms *wanted)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site), links = td_site_links(site);
    td_terms terms = td_terms_default();
    td_arguments with;
    td_call call;
    td_call_begin(&call, op_terms, &with);
    const bool sound = td_sized_read(&terms, sizeof terms, wanted);
    td_call_frame(&call, site, &with, terms.frame);
    td_call_require(&call, sound && !call.fault, "terms");
    td_call_positions(&call, site, y, true);
    td_call_input(&call, yd, n, false);
    td_call_forces(&call, site, &with, forces);
    td_call_matrices(&call, terms.H != NULL);
    td_call_matrix_output(&call, site, terms.H, TD_MATRIX_WHOLE, false);
    td_call_output(&call, terms.C, n, false);
    td_call_output(&call, terms.gravity, n, false);
    td_call_output(&call, terms.poses, 12 * links, false);
    td_call_output(&call, terms.velocities, 6 * links, false);
    td_call_output(&call, terms.accelerations, 6 * links, false);
    td_call_output(&call, terms.com, 9, false);
    td_call_output(&call, terms.centroidal_momentum_matrix, 6 * n, false);
    td_call_output(&call, terms.energy, 2, false);
    return td_call_run(site, &call);
}

/* ---- power ----------------------------------------------------------------------------------- */

double td_power(const td_model *model, td_coordinates coordinates, const double *tau_y,
                const double *yd)
{
    double sum = 0;
    for (size_t i = 0; i < td_velocity_count(model, coordinates); i++)
        sum += tau_y[i] * yd[i];
    return sum;
}
