/* SPDX-License-Identifier: MIT */
/*
 * Inverse dynamics and what is read from it: bias and gravity forces, the Coriolis matrix, and the
 * call that gives several of them at once.
 */
#include "tandem/dynamics.h"

#include "base/sized.h"
#include "run/call.h"
#include "tandem/batch.h"

/* what an operation needs beside its rows */
typedef struct options {
    const td_forces *forces;
    td_frame frame;
} options;

static bool is_frame(td_frame frame)
{
    return (unsigned)frame <= TD_WORLD_ALIGNED;
}

/* ---- inverse dynamics, bias and gravity ------------------------------------------------------ */

static void op_inverse_dynamics(const td_eval *eval, const void *const *in, void *const *out,
                                const void *context)
{
    const options *o = context;
    const void *q = td_eval_position(eval, in[0]);
    const void *qd = td_eval_velocity(eval, in[1]);
    td_eval_tree_force(eval, q, qd, td_eval_acceleration(eval, in[2]), o->forces, false,
                       td_eval_tau_storage(eval, out[0]));
    td_eval_reduce(eval, out[0]);
}

/* the forces of a motion, into an output of that name */
static td_status motion_forces(const td_site *site, const double *y, const double *yd,
                               const double *ydd, const td_forces *forces, const char *name,
                               double *out)
{
    td_forces known;
    const bool valid = td_forces_read(&forces, &known);
    size_t n = td_site_velocities(site);
    options context = {forces, TD_BODY};
    td_call call;
    td_call_begin(&call, op_inverse_dynamics, &context);
    td_call_positions(&call, site, y, true);
    td_call_input(&call, yd, n, false);
    td_call_input(&call, ydd, n, false);
    td_call_forces(&call, site, forces, valid);
    td_call_add_output(&call, name, out, n, true);
    return td_call_run(site, &call);
}

static td_status inverse_dynamics(const td_site *site, const double *y, const double *yd,
                                  const double *ydd, const td_forces *forces, double *tau_y)
{
    return motion_forces(site, y, yd, ydd, forces, "tau_y", tau_y);
}

td_status td_inverse_dynamics(const td_model *model, td_workspace *workspace, const double *y,
                              const double *yd, const double *ydd, const td_forces *forces,
                              double *tau_y)
{
    return inverse_dynamics(TD_SINGLE(model, workspace, TD_SPACE_INDEPENDENT), y, yd, ydd, forces,
                            tau_y);
}

td_status td_tree_inverse_dynamics(const td_model *model, td_workspace *workspace, const double *q,
                                   const double *qd, const double *qdd, const td_forces *forces,
                                   double *tau)
{
    return inverse_dynamics(TD_SINGLE(model, workspace, TD_SPACE_TREE), q, qd, qdd, forces, tau);
}

td_status td_batch_inverse_dynamics(const td_model *model, td_workspace *workspace, size_t n,
                                    const double *y, const double *yd, const double *ydd,
                                    const td_forces *forces, double *tau_y, td_status *statuses)
{
    return inverse_dynamics(TD_BATCH(model, workspace, TD_SPACE_INDEPENDENT, n, statuses), y, yd,
                            ydd, forces, tau_y);
}

td_status td_batch_tree_inverse_dynamics(const td_model *model, td_workspace *workspace, size_t n,
                                         const double *q, const double *qd, const double *qdd,
                                         const td_forces *forces, double *tau, td_status *statuses)
{
    return inverse_dynamics(TD_BATCH(model, workspace, TD_SPACE_TREE, n, statuses), q, qd, qdd,
                            forces, tau);
}

static td_status bias_force(const td_site *site, const double *y, const double *yd,
                            const td_forces *forces, double *C)
{
    return motion_forces(site, y, yd, NULL, forces, "C", C);
}

td_status td_bias_force(const td_model *model, td_workspace *workspace, const double *y,
                        const double *yd, const td_forces *forces, double *C)
{
    return bias_force(TD_SINGLE(model, workspace, TD_SPACE_INDEPENDENT), y, yd, forces, C);
}

td_status td_tree_bias_force(const td_model *model, td_workspace *workspace, const double *q,
                             const double *qd, const td_forces *forces, double *C)
{
    return bias_force(TD_SINGLE(model, workspace, TD_SPACE_TREE), q, qd, forces, C);
}

td_status td_batch_bias_force(const td_model *model, td_workspace *workspace, size_t n,
                              const double *y, const double *yd, const td_forces *forces, double *C,
                              td_status *statuses)
{
    return bias_force(TD_BATCH(model, workspace, TD_SPACE_INDEPENDENT, n, statuses), y, yd, forces,
                      C);
}

td_status td_batch_tree_bias_force(const td_model *model, td_workspace *workspace, size_t n,
                                   const double *q, const double *qd, const td_forces *forces,
                                   double *C, td_status *statuses)
{
    return bias_force(TD_BATCH(model, workspace, TD_SPACE_TREE, n, statuses), q, qd, forces, C);
}

static td_status gravity_force(const td_site *site, const double *y, double *tau_y)
{
    return motion_forces(site, y, NULL, NULL, NULL, "tau_y", tau_y);
}

td_status td_gravity_force(const td_model *model, td_workspace *workspace, const double *y,
                           double *tau_y)
{
    return gravity_force(TD_SINGLE(model, workspace, TD_SPACE_INDEPENDENT), y, tau_y);
}

td_status td_tree_gravity_force(const td_model *model, td_workspace *workspace, const double *q,
                                double *tau)
{
    return gravity_force(TD_SINGLE(model, workspace, TD_SPACE_TREE), q, tau);
}

td_status td_batch_gravity_force(const td_model *model, td_workspace *workspace, size_t n,
                                 const double *y, double *tau_y, td_status *statuses)
{
    return gravity_force(TD_BATCH(model, workspace, TD_SPACE_INDEPENDENT, n, statuses), y, tau_y);
}

td_status td_batch_tree_gravity_force(const td_model *model, td_workspace *workspace, size_t n,
                                      const double *q, double *tau, td_status *statuses)
{
    return gravity_force(TD_BATCH(model, workspace, TD_SPACE_TREE, n, statuses), q, tau);
}

/* ---- the Coriolis matrix --------------------------------------------------------------------- */

/* Gᵀ C G, and Gᵀ H Ġ where G changes: Ḣ − 2 C stays antisymmetric */
static void reduce_coriolis(const td_eval *eval, void *out)
{
    const td_closure_map *closure = &eval->model->closure;
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    k->clear(out, closure->nyd * closure->nyd);
    k->congruence(s->matrix, &closure->velocity, s->G, s->G, out);
    if (!closure->loops.solved)
        return;
    k->crba(eval->tree, s, 0);
    k->symmetric(&eval->tree->pattern, s->mass, s->matrix);
    k->congruence(s->matrix, &closure->velocity, s->G, s->G_rate, out);
}

static void op_coriolis(const td_eval *eval, const void *const *in, void *const *out,
                        const void *context)
{
    (void)context;
    const td_tree *tree = eval->tree;
    const td_kernels *k = eval->kernels;
    td_eval_motions(eval, in[0], in[1], NULL, TD_EVERY_LINK);
    k->inertias(tree, eval->scratch);
    k->composites(tree, eval->scratch);
    k->coriolis(tree, eval->scratch, td_eval_matrix_storage(eval, out[0]));
    if (!td_eval_is_tree(eval))
        reduce_coriolis(eval, out[0]);
}

static td_status coriolis_matrix(const td_site *site, const double *y, const double *yd, double *C)
{
    size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, op_coriolis, NULL);
    td_call_positions(&call, site, y, true);
    td_call_input(&call, yd, n, false);
    td_call_output(&call, C, n * n, true);
    return td_call_run(site, &call);
}

td_status td_coriolis_matrix(const td_model *model, td_workspace *workspace, const double *y,
                             const double *yd, double *C)
{
    return coriolis_matrix(TD_SINGLE(model, workspace, TD_SPACE_INDEPENDENT), y, yd, C);
}

td_status td_tree_coriolis_matrix(const td_model *model, td_workspace *workspace, const double *q,
                                  const double *qd, double *C)
{
    return coriolis_matrix(TD_SINGLE(model, workspace, TD_SPACE_TREE), q, qd, C);
}

td_status td_batch_coriolis_matrix(const td_model *model, td_workspace *workspace, size_t n,
                                   const double *y, const double *yd, double *C,
                                   td_status *statuses)
{
    return coriolis_matrix(TD_BATCH(model, workspace, TD_SPACE_INDEPENDENT, n, statuses), y, yd, C);
}

td_status td_batch_tree_coriolis_matrix(const td_model *model, td_workspace *workspace, size_t n,
                                        const double *q, const double *qd, double *C,
                                        td_status *statuses)
{
    return coriolis_matrix(TD_BATCH(model, workspace, TD_SPACE_TREE, n, statuses), q, qd, C);
}

/* ---- everything at once ---------------------------------------------------------------------- */

void td_terms_init(td_terms *terms, size_t size_of)
{
    const td_terms ours = {.frame = TD_WORLD_ALIGNED};
    td_sized_write(terms, size_of, &ours, sizeof ours);
}

enum { H, C, GRAVITY, POSES, VELOCITIES, ACCELERATIONS, COM, MOMENTUM, ENERGY, TERMS };

static void terms_of_motion(const td_eval *eval, const options *o, const void *q, void *const *out)
{
    const td_tree *tree = eval->tree;
    const td_kernels *k = eval->kernels;
    if (out[POSES])
        k->link_poses(tree, eval->scratch, out[POSES]);
    if (out[VELOCITIES])
        k->link_velocities(tree, eval->scratch, (int)o->frame, out[VELOCITIES]);
    if (out[ACCELERATIONS])
        k->link_accelerations(tree, eval->scratch, (int)o->frame, 0, out[ACCELERATIONS]);
    if (out[COM])
        k->mass_center(tree, eval->scratch, 0, out[COM]);
    if (out[ENERGY])
        td_eval_energy(eval, false, out[ENERGY]);
    if (out[ENERGY] && td_with_passive(o->forces))
        td_eval_add_spring_energy(eval, q, (char *)out[ENERGY] + k->real_size);
    if (out[MOMENTUM]) {
        k->momentum_matrix(tree, eval->scratch, 0, td_eval_matrix_storage(eval, out[MOMENTUM]));
        td_eval_times_G(eval, 6, out[MOMENTUM]);
    }
}

static void op_terms(const td_eval *eval, const void *const *in, void *const *out,
                     const void *context)
{
    const options *o = context;
    const td_tree *tree = eval->tree;
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    const void *q = td_eval_position(eval, in[0]), *qd = td_eval_velocity(eval, in[1]);
    k->poses(tree, s, q, TD_EVERY_LINK, true);
    if (out[C]) {
        td_eval_tree_force(eval, q, qd, td_eval_drift(eval), o->forces, true,
                           td_eval_tau_storage(eval, out[C]));
        td_eval_reduce(eval, out[C]);
    }
    if (out[GRAVITY]) {
        k->rnea(tree, s, q, 1, s->zeros, s->zeros, 0, td_eval_tau_storage(eval, out[GRAVITY]));
        td_eval_reduce(eval, out[GRAVITY]);
    }
    td_eval_mass(eval, q, TD_FROM_POSES, td_with_passive(o->forces), H);
    k->motions(tree, s, qd, td_eval_drift(eval), TD_EVERY_LINK);
    terms_of_motion(eval, o, q, out);
}

static td_status dynamics_terms(const td_site *site, const double *y, const double *yd,
                                const td_forces *forces, const td_terms *wanted)
{
    td_forces known;
    const bool valid = td_forces_read(&forces, &known);
    td_terms terms = td_terms_default();
    if (!td_sized_read(&terms, sizeof terms, wanted) || !is_frame(terms.frame))
        return td_refuse_at(site, "terms");
    size_t n = td_site_velocities(site), links = td_site_links(site);
    options context = {forces, terms.frame};
    td_call call;
    td_call_begin(&call, op_terms, &context);
    td_call_positions(&call, site, y, true);
    td_call_input(&call, yd, n, false);
    td_call_forces(&call, site, forces, valid);
    td_call_mass_output(&call, terms.H, n, false);
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

td_status td_dynamics_terms(const td_model *model, td_workspace *workspace, const double *y,
                            const double *yd, const td_forces *forces, const td_terms *terms)
{
    return dynamics_terms(TD_SINGLE(model, workspace, TD_SPACE_INDEPENDENT), y, yd, forces, terms);
}

td_status td_tree_dynamics_terms(const td_model *model, td_workspace *workspace, const double *q,
                                 const double *qd, const td_forces *forces, const td_terms *terms)
{
    return dynamics_terms(TD_SINGLE(model, workspace, TD_SPACE_TREE), q, qd, forces, terms);
}

td_status td_batch_dynamics_terms(const td_model *model, td_workspace *workspace, size_t n,
                                  const double *y, const double *yd, const td_forces *forces,
                                  const td_terms *terms, td_status *statuses)
{
    return dynamics_terms(TD_BATCH(model, workspace, TD_SPACE_INDEPENDENT, n, statuses), y, yd,
                          forces, terms);
}

td_status td_batch_tree_dynamics_terms(const td_model *model, td_workspace *workspace, size_t n,
                                       const double *q, const double *qd, const td_forces *forces,
                                       const td_terms *terms, td_status *statuses)
{
    return dynamics_terms(TD_BATCH(model, workspace, TD_SPACE_TREE, n, statuses), q, qd, forces,
                          terms);
}

/* ---- power ----------------------------------------------------------------------------------- */

static double power(size_t n, const double *tau, const double *qd)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += tau[i] * qd[i];
    return sum;
}

double td_power(const td_model *model, const double *tau_y, const double *yd)
{
    return power(model->closure.nyd, tau_y, yd);
}

double td_tree_power(const td_model *model, const double *tau, const double *qd)
{
    return power(model->tree.nv, tau, qd);
}
