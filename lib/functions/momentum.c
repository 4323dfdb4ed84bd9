/* SPDX-License-Identifier: MIT */
/*
 * The centre of mass, momentum and energy of the whole robot.
 */
#include "functions/state_call.h"
#include "tandem/batch.h"
#include "tandem/kinematics.h"

static void op_mass_center(const td_eval *eval, const void *const *in, void *const *out,
                           const void *context)
{
    const options *o = context;
    td_eval_motions(eval, in[0], in[1], in[2], TD_EVERY_LINK);
    eval->kernels->mass_center(eval->tree, eval->scratch, o->scope == TD_MOVING, out[0]);
}

static td_status center_of_mass_motion(const td_site *site, const double *y, const double *yd,
                                       const double *ydd, td_scope scope, double *motion)
{
    options o = {.scope = scope};
    if (!is_scope(scope))
        return td_refuse_at(site, "scope");
    return run_ydd(site, op_mass_center, &o, y, yd, ydd, motion, 9);
}

td_status td_center_of_mass_motion(const td_model *model, td_workspace *workspace, const double *y,
                                   const double *yd, const double *ydd, td_scope scope,
                                   double *motion)
{
    return center_of_mass_motion(TD_SINGLE(model, workspace, TD_SPACE_INDEPENDENT), y, yd, ydd,
                                 scope, motion);
}

td_status td_tree_center_of_mass_motion(const td_model *model, td_workspace *workspace,
                                        const double *q, const double *qd, const double *qdd,
                                        td_scope scope, double *motion)
{
    return center_of_mass_motion(TD_SINGLE(model, workspace, TD_SPACE_TREE), q, qd, qdd, scope,
                                 motion);
}

td_status td_batch_center_of_mass_motion(const td_model *model, td_workspace *workspace, size_t n,
                                         const double *y, const double *yd, const double *ydd,
                                         td_scope scope, double *motion, td_status *statuses)
{
    return center_of_mass_motion(TD_BATCH(model, workspace, TD_SPACE_INDEPENDENT, n, statuses), y,
                                 yd, ydd, scope, motion);
}

td_status td_batch_tree_center_of_mass_motion(const td_model *model, td_workspace *workspace,
                                              size_t n, const double *q, const double *qd,
                                              const double *qdd, td_scope scope, double *motion,
                                              td_status *statuses)
{
    return center_of_mass_motion(TD_BATCH(model, workspace, TD_SPACE_TREE, n, statuses), q, qd, qdd,
                                 scope, motion);
}

static void op_center_of_mass(const td_eval *eval, const void *const *in, void *const *out,
                              const void *context)
{
    const options *o = context;
    td_eval_poses(eval, in[0], TD_EVERY_LINK, false);
    eval->kernels->center_of_mass(eval->tree, eval->scratch, o->scope == TD_MOVING, out[0]);
}

static td_status center_of_mass(const td_site *site, const double *y, td_scope scope, double *com)
{
    options o = {.scope = scope};
    if (!is_scope(scope))
        return td_refuse_at(site, "scope");
    return run_y(site, op_center_of_mass, &o, y, com, 3);
}

td_status td_center_of_mass(const td_model *model, td_workspace *workspace, const double *y,
                            td_scope scope, double *com)
{
    return center_of_mass(TD_SINGLE(model, workspace, TD_SPACE_INDEPENDENT), y, scope, com);
}

td_status td_tree_center_of_mass(const td_model *model, td_workspace *workspace, const double *q,
                                 td_scope scope, double *com)
{
    return center_of_mass(TD_SINGLE(model, workspace, TD_SPACE_TREE), q, scope, com);
}

td_status td_batch_center_of_mass(const td_model *model, td_workspace *workspace, size_t n,
                                  const double *y, td_scope scope, double *com, td_status *statuses)
{
    return center_of_mass(TD_BATCH(model, workspace, TD_SPACE_INDEPENDENT, n, statuses), y, scope,
                          com);
}

td_status td_batch_tree_center_of_mass(const td_model *model, td_workspace *workspace, size_t n,
                                       const double *q, td_scope scope, double *com,
                                       td_status *statuses)
{
    return center_of_mass(TD_BATCH(model, workspace, TD_SPACE_TREE, n, statuses), q, scope, com);
}

/* poses and composite inertias, then the momentum matrix of the tree into room */
static void tree_momentum_matrix(const td_eval *eval, const void *y, td_scope scope, void *known)
{
    const td_tree *tree = eval->tree;
    td_eval_poses(eval, y, TD_EVERY_LINK, true);
    eval->kernels->composites(tree, eval->scratch);
    eval->kernels->momentum_matrix(tree, eval->scratch, scope == TD_MOVING, known);
}

static void op_momentum_matrix(const td_eval *eval, const void *const *in, void *const *out,
                               const void *context)
{
    const options *o = context;
    tree_momentum_matrix(eval, in[0], o->scope, td_eval_matrix_storage(eval, out[0]));
    td_eval_times_G(eval, 6, out[0]);
}

static td_status momentum_matrix(const td_site *site, const double *y, td_scope scope, double *A)
{
    options o = {.scope = scope};
    if (!is_scope(scope))
        return td_refuse_at(site, "scope");
    return run_y(site, op_momentum_matrix, &o, y, A, 6 * td_site_velocities(site));
}

td_status td_centroidal_momentum_matrix(const td_model *model, td_workspace *workspace,
                                        const double *y, td_scope scope, double *A)
{
    return momentum_matrix(TD_SINGLE(model, workspace, TD_SPACE_INDEPENDENT), y, scope, A);
}

td_status td_tree_centroidal_momentum_matrix(const td_model *model, td_workspace *workspace,
                                             const double *q, td_scope scope, double *A)
{
    return momentum_matrix(TD_SINGLE(model, workspace, TD_SPACE_TREE), q, scope, A);
}

td_status td_batch_centroidal_momentum_matrix(const td_model *model, td_workspace *workspace,
                                              size_t n, const double *y, td_scope scope, double *A,
                                              td_status *statuses)
{
    return momentum_matrix(TD_BATCH(model, workspace, TD_SPACE_INDEPENDENT, n, statuses), y, scope,
                           A);
}

td_status td_batch_tree_centroidal_momentum_matrix(const td_model *model, td_workspace *workspace,
                                                   size_t n, const double *q, td_scope scope,
                                                   double *A, td_status *statuses)
{
    return momentum_matrix(TD_BATCH(model, workspace, TD_SPACE_TREE, n, statuses), q, scope, A);
}

static void op_com_jacobian(const td_eval *eval, const void *const *in, void *const *out,
                            const void *context)
{
    const options *o = context;
    const td_tree *tree = eval->tree;
    td_eval_poses(eval, in[0], TD_EVERY_LINK, true);
    eval->kernels->composites(tree, eval->scratch);
    eval->kernels->com_jacobian(tree, eval->scratch, o->scope == TD_MOVING,
                                td_eval_matrix_storage(eval, out[0]));
    td_eval_times_G(eval, 3, out[0]);
}

static td_status center_of_mass_jacobian(const td_site *site, const double *y, td_scope scope,
                                         double *J)
{
    options o = {.scope = scope};
    if (!is_scope(scope))
        return td_refuse_at(site, "scope");
    return run_y(site, op_com_jacobian, &o, y, J, 3 * td_site_velocities(site));
}

td_status td_center_of_mass_jacobian(const td_model *model, td_workspace *workspace,
                                     const double *y, td_scope scope, double *J)
{
    return center_of_mass_jacobian(TD_SINGLE(model, workspace, TD_SPACE_INDEPENDENT), y, scope, J);
}

td_status td_tree_center_of_mass_jacobian(const td_model *model, td_workspace *workspace,
                                          const double *q, td_scope scope, double *J)
{
    return center_of_mass_jacobian(TD_SINGLE(model, workspace, TD_SPACE_TREE), q, scope, J);
}

td_status td_batch_center_of_mass_jacobian(const td_model *model, td_workspace *workspace, size_t n,
                                           const double *y, td_scope scope, double *J,
                                           td_status *statuses)
{
    return center_of_mass_jacobian(TD_BATCH(model, workspace, TD_SPACE_INDEPENDENT, n, statuses), y,
                                   scope, J);
}

td_status td_batch_tree_center_of_mass_jacobian(const td_model *model, td_workspace *workspace,
                                                size_t n, const double *q, td_scope scope,
                                                double *J, td_status *statuses)
{
    return center_of_mass_jacobian(TD_BATCH(model, workspace, TD_SPACE_TREE, n, statuses), q, scope,
                                   J);
}

static void op_momentum(const td_eval *eval, const void *const *in, void *const *out,
                        const void *context)
{
    const options *o = context;
    const td_tree *tree = eval->tree;
    td_eval_motions(eval, in[0], in[1], NULL, TD_EVERY_LINK);
    eval->kernels->inertias(tree, eval->scratch);
    eval->kernels->momentum(tree, eval->scratch, o->scope == TD_MOVING, out[0]);
}

static td_status find_momentum(const td_site *site, const double *y, const double *yd,
                               td_scope scope, double *h)
{
    options o = {.scope = scope};
    if (!is_scope(scope))
        return td_refuse_at(site, "scope");
    return run_named(site, op_momentum, &o, VELOCITIES, y, yd, NULL, "momentum", h, 6);
}

td_status td_centroidal_momentum(const td_model *model, td_workspace *workspace, const double *y,
                                 const double *yd, td_scope scope, double *momentum)
{
    return find_momentum(TD_SINGLE(model, workspace, TD_SPACE_INDEPENDENT), y, yd, scope, momentum);
}

td_status td_tree_centroidal_momentum(const td_model *model, td_workspace *workspace,
                                      const double *q, const double *qd, td_scope scope,
                                      double *momentum)
{
    return find_momentum(TD_SINGLE(model, workspace, TD_SPACE_TREE), q, qd, scope, momentum);
}

td_status td_batch_centroidal_momentum(const td_model *model, td_workspace *workspace, size_t n,
                                       const double *y, const double *yd, td_scope scope,
                                       double *momentum, td_status *statuses)
{
    return find_momentum(TD_BATCH(model, workspace, TD_SPACE_INDEPENDENT, n, statuses), y, yd,
                         scope, momentum);
}

td_status td_batch_tree_centroidal_momentum(const td_model *model, td_workspace *workspace,
                                            size_t n, const double *q, const double *qd,
                                            td_scope scope, double *momentum, td_status *statuses)
{
    return find_momentum(TD_BATCH(model, workspace, TD_SPACE_TREE, n, statuses), q, qd, scope,
                         momentum);
}

static void op_momentum_bias(const td_eval *eval, const void *const *in, void *const *out,
                             const void *context)
{
    const options *o = context;
    const td_tree *tree = eval->tree;
    td_eval_motions(eval, in[0], in[1], NULL, TD_EVERY_LINK);
    eval->kernels->inertias(tree, eval->scratch);
    eval->kernels->momentum_rate(tree, eval->scratch, o->scope == TD_MOVING, out[0]);
}

static td_status momentum_bias(const td_site *site, const double *y, const double *yd,
                               td_scope scope, double *bias)
{
    options o = {.scope = scope};
    if (!is_scope(scope))
        return td_refuse_at(site, "scope");
    return run_yd(site, op_momentum_bias, &o, y, yd, bias, 6);
}

td_status td_centroidal_momentum_bias(const td_model *model, td_workspace *workspace,
                                      const double *y, const double *yd, td_scope scope,
                                      double *bias)
{
    return momentum_bias(TD_SINGLE(model, workspace, TD_SPACE_INDEPENDENT), y, yd, scope, bias);
}

td_status td_tree_centroidal_momentum_bias(const td_model *model, td_workspace *workspace,
                                           const double *q, const double *qd, td_scope scope,
                                           double *bias)
{
    return momentum_bias(TD_SINGLE(model, workspace, TD_SPACE_TREE), q, qd, scope, bias);
}

td_status td_batch_centroidal_momentum_bias(const td_model *model, td_workspace *workspace,
                                            size_t n, const double *y, const double *yd,
                                            td_scope scope, double *bias, td_status *statuses)
{
    return momentum_bias(TD_BATCH(model, workspace, TD_SPACE_INDEPENDENT, n, statuses), y, yd,
                         scope, bias);
}

td_status td_batch_tree_centroidal_momentum_bias(const td_model *model, td_workspace *workspace,
                                                 size_t n, const double *q, const double *qd,
                                                 td_scope scope, double *bias, td_status *statuses)
{
    return momentum_bias(TD_BATCH(model, workspace, TD_SPACE_TREE, n, statuses), q, qd, scope,
                         bias);
}

static void op_energy(const td_eval *eval, const void *const *in, void *const *out,
                      const void *context)
{
    const options *o = context;
    const td_kernels *k = eval->kernels;
    const void *q = td_eval_position(eval, in[0]), *qd = td_eval_velocity(eval, in[1]);
    k->poses(eval->tree, eval->scratch, q, TD_EVERY_LINK, true);
    k->motions(eval->tree, eval->scratch, qd, eval->scratch->zeros, TD_EVERY_LINK);
    td_eval_energy(eval, o->scope == TD_MOVING, out[0]);
    if (o->scope == TD_WITH_SPRINGS)
        td_eval_add_spring_energy(eval, q, (char *)out[0] + k->real_size);
}

static td_status find_energy(const td_site *site, const double *y, const double *yd, td_scope scope,
                             double *e)
{
    options o = {.scope = scope};
    if (!is_scope(scope))
        return td_refuse_at(site, "scope");
    return run_named(site, op_energy, &o, VELOCITIES, y, yd, NULL, "energy", e, 2);
}

td_status td_energy(const td_model *model, td_workspace *workspace, const double *y,
                    const double *yd, td_scope scope, double *energy)
{
    return find_energy(TD_SINGLE(model, workspace, TD_SPACE_INDEPENDENT), y, yd, scope, energy);
}

td_status td_tree_energy(const td_model *model, td_workspace *workspace, const double *q,
                         const double *qd, td_scope scope, double *energy)
{
    return find_energy(TD_SINGLE(model, workspace, TD_SPACE_TREE), q, qd, scope, energy);
}

td_status td_batch_energy(const td_model *model, td_workspace *workspace, size_t n, const double *y,
                          const double *yd, td_scope scope, double *energy, td_status *statuses)
{
    return find_energy(TD_BATCH(model, workspace, TD_SPACE_INDEPENDENT, n, statuses), y, yd, scope,
                       energy);
}

td_status td_batch_tree_energy(const td_model *model, td_workspace *workspace, size_t n,
                               const double *q, const double *qd, td_scope scope, double *energy,
                               td_status *statuses)
{
    return find_energy(TD_BATCH(model, workspace, TD_SPACE_TREE, n, statuses), q, qd, scope,
                       energy);
}
