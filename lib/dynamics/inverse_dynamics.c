/* SPDX-License-Identifier: MIT */
/*
 * Inverse dynamics and functions based on it: bias and gravity forces, the Coriolis matrix, and
 * the call that computes several terms at once.
 */
#include "base/dense.h"
#include "tandem/dynamics.h"

#include "base/sized.h"
#include "dynamics/arguments.h"
#include "dynamics/operation_room.h"
#include "dynamics/operations.h"

/* ---- inverse dynamics, bias and gravity ------------------------------------------------------ */

/* Computes the forces of a motion. */
static void motion_forces(const td_eval *eval, const void *y, const void *yd, const void *ydd,
                          const td_forces *forces, void *out)
{
    const void *q = td_eval_position(eval, y), *qd = td_eval_velocity(eval, yd);
    td_eval_tree_force(eval, q, qd, td_eval_acceleration(eval, ydd), forces, false,
                       td_eval_tau_storage(eval, out));
    td_eval_reduce(eval, out);
}

void td_op_inverse_dynamics(const td_eval *eval, const td_inverse_dynamics_arguments *a)
{
    motion_forces(eval, a->y, a->yd, a->ydd, a->forces, a->tau_y);
}

void td_op_bias_force(const td_eval *eval, const td_bias_force_arguments *a)
{
    motion_forces(eval, a->y, a->yd, NULL, a->forces, a->C);
}

void td_op_gravity_force(const td_eval *eval, const td_gravity_force_arguments *a)
{
    motion_forces(eval, a->y, NULL, NULL, NULL, a->tau_y);
}

/* ---- the Coriolis matrix --------------------------------------------------------------------- */

/* Computes Gᵀ C G, plus Gᵀ H Ġ if G varies; this keeps Ḣ − 2 C antisymmetric. */
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

void td_op_coriolis_matrix(const td_eval *eval, const td_coriolis_matrix_arguments *a)
{
    const td_tree *tree = eval->tree;
    const td_kernels *k = eval->kernels;
    td_eval_motions(eval, a->y, a->yd, NULL, TD_EVERY_LINK);
    k->inertias(tree, eval->scratch);
    k->composites(tree, eval->scratch);
    td_scope(eval->scratch->stack, coriolis);
    td_reals *matrix = td_coriolis_take(eval->scratch->stack, eval->model, k);
    k->coriolis(tree, eval->scratch, td_eval_is_tree(eval) ? a->C : matrix);
    if (!td_eval_is_tree(eval))
        reduce_coriolis(eval, a->yd ? eval->scratch->qd : eval->scratch->zeros, matrix, a->C);
}

/* ---- all terms at once ----------------------------------------------------------------------- */

typedef struct term_arguments {
    const td_reals *y, *yd;
    const td_forces *forces;
    td_frame frame;
    td_reals *H, *C, *gravity, *poses, *velocities, *accelerations, *com,
        *centroidal_momentum_matrix, *energy;
} term_arguments;

static void terms_of_motion(const td_eval *eval, const term_arguments *a, const void *q)
{
    const td_tree *tree = eval->tree;
    const td_kernels *k = eval->kernels;
    if (a->poses)
        k->link_poses(tree, eval->scratch, NULL, tree->links, a->poses);
    if (a->velocities)
        k->link_velocities(tree, eval->scratch, (int)a->frame, a->velocities);
    if (a->accelerations)
        k->link_accelerations(tree, eval->scratch, (int)a->frame, 0, a->accelerations);
    if (a->com)
        k->mass_center(tree, eval->scratch, 0, a->com);
    if (a->energy)
        td_eval_energy(eval, false, a->energy);
    if (a->energy && td_with_passive(a->forces))
        td_eval_add_spring_energy(eval, q, (char *)a->energy + k->real_size);
    if (a->centroidal_momentum_matrix) {
        k->momentum_matrix(tree, eval->scratch, 0,
                           td_eval_columns_storage(eval, a->centroidal_momentum_matrix));
        td_eval_times_G(eval, 6, a->centroidal_momentum_matrix);
    }
}

static void op_terms(const td_eval *eval, const void *arguments)
{
    const term_arguments *a = arguments;
    const td_tree *tree = eval->tree;
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    const void *q = td_eval_position(eval, a->y), *qd = td_eval_velocity(eval, a->yd);
    k->poses(tree, s, q, TD_EVERY_LINK, true);
    if (a->C) {
        td_eval_tree_force(eval, q, qd, td_eval_drift(eval), a->forces, true,
                           td_eval_tau_storage(eval, a->C));
        td_eval_reduce(eval, a->C);
    }
    if (a->gravity) {
        const td_motion_inputs rest = {q, s->zeros, s->zeros, .posed = true};
        k->rnea(tree, s, &rest, td_eval_tau_storage(eval, a->gravity));
        td_eval_reduce(eval, a->gravity);
    }
    if (a->H)
        td_eval_mass(eval, q, TD_FROM_POSES, td_with_passive(a->forces), &a->H);
    else
        k->composites(tree, s);
    k->motions(tree, s, qd, td_eval_drift(eval), TD_EVERY_LINK);
    terms_of_motion(eval, a, q);
}

td_status td_run_dynamics_terms(const td_site *site, const double *y, const double *yd,
                                const td_forces *forces, const td_terms *wanted)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site), links = td_site_links(site);
    td_terms terms = td_terms_default();
    const bool sound = td_sized_read(&terms, sizeof terms, wanted);
    term_arguments a = {y,
                        yd,
                        forces,
                        terms.frame,
                        terms.H,
                        terms.C,
                        terms.gravity,
                        terms.poses,
                        terms.velocities,
                        terms.accelerations,
                        terms.com,
                        terms.centroidal_momentum_matrix,
                        terms.energy};
    td_call call;
    td_call_begin(&call, op_terms, &a);
    td_call_frame(&call, site, terms.frame);
    td_call_require(&call, sound && !call.fault, "terms");
    td_call_positions(&call, site, &a, y, true);
    td_call_input(&call, &a, yd, n, false);
    td_call_forces(&call, site, &a.forces);
    td_call_matrices(&call, terms.H != NULL);
    td_call_matrix_output(&call, site, &a, H, TD_MATRIX_WHOLE, false);
    td_call_output(&call, &a, C, n, false);
    td_call_output(&call, &a, gravity, n, false);
    td_call_output(&call, &a, poses, 12 * links, false);
    td_call_output(&call, &a, velocities, 6 * links, false);
    td_call_output(&call, &a, accelerations, 6 * links, false);
    td_call_output(&call, &a, com, 9, false);
    td_call_output(&call, &a, centroidal_momentum_matrix, 6 * n, false);
    td_call_output(&call, &a, energy, 2, false);
    return td_call_run(site, &call);
}

/* ---- power ----------------------------------------------------------------------------------- */

double td_power(const td_model *model, td_coordinates coordinates, const double *tau_y,
                const double *yd)
{
    return td_dense_dot(td_velocity_count(model, coordinates), tau_y, yd);
}
