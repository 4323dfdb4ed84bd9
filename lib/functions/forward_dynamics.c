/* SPDX-License-Identifier: MIT */
/*
 * Forward and hybrid dynamics. In the tree's coordinates accelerations come from the
 * articulated-body algorithm; in independent ones, where there are couplings, from the same over
 * clusters (kernel/tree/cluster.c) or from the factors of Gᵀ H G, whose sparsity is found at load
 * (load/tree/reduced_pattern.c): load/tree/clusters.c chooses, for one state and for batches.
 */
#include "run/call.h"
#include "run/workspace.h"
#include "tandem/batch.h"
#include "tandem/dynamics.h"

typedef struct hybrid {
    const td_forces *forces;
    const unsigned char *given; /* NULL: forward dynamics */
} hybrid;

/* qdd (and tau where qdd is given) of the tree; tau is what the joints give, passive forces aside
 */
static void tree_accelerations(const td_eval *eval, const hybrid *h, const void *q, const void *qd,
                               void *tau, void *qdd)
{
    const td_kernels *k = eval->kernels;
    const td_tree *tree = eval->tree;
    const td_scratch *s = eval->scratch;
    bool passive = td_with_passive(h->forces);
    const bool posed = td_eval_needs_poses(eval, h->forces);
    if (posed)
        k->poses(tree, s, q, TD_EVERY_LINK, true);
    bool loaded = td_eval_load(eval, qd, h->forces);
    /* passive forces act with the joints': give way to them, and add them to what was found; forces
       that were given stay as they were */
    if (passive) {
        k->copy(s->rest, tau, tree->nv);
        k->clear(s->tau, tree->nv);
        td_eval_passive(eval, q, qd, h->forces, s->tau);
        k->subtract_from(tau, s->tau, tree->nv);
    }
    k->aba(tree, s, q, posed, qd, loaded, passive, h->given, tau, qdd);
    td_eval_doubt(eval, q, h->given, passive);
    if (passive && h->given) {
        k->add_to(tau, s->tau, tree->nv);
        k->choose(h->given, tau, s->rest, tau, tree->nv);
    }
}

/* Accelerations by factors of Gᵀ H G: given accelerations go to the right-hand side, and the
   equations of their coordinates are replaced by ÿ = given. */
static void reduced_accelerations(const td_eval *eval, const hybrid *h, const void *q,
                                  const void *qd, void *tau, void *ydd)
{
    const td_kernels *k = eval->kernels;
    const td_model *model = eval->model;
    const td_scratch *s = eval->scratch;
    const td_pattern *pattern = &model->closure.pattern;
    size_t n = pattern->size;
    const bool posed = td_eval_mass_takes_poses(eval); /* they serve both */
    if (posed)
        k->poses(eval->tree, s, q, TD_EVERY_LINK, true);
    td_eval_tree_force(eval, q, qd, td_eval_drift(eval), h->forces, posed, s->tau);
    td_eval_mass(eval, q, posed ? TD_FROM_POSES : TD_FROM_PLACEMENTS, td_with_passive(h->forces),
                 TD_NO_OUTPUT);
    k->transposed(&model->closure.velocity, s->G, s->tau, s->bias);
    if (!h->given) {
        k->copy(ydd, tau, n);
        k->subtract_from(ydd, s->bias, n);
        td_eval_factor(eval, NULL, td_with_passive(h->forces));
        k->solve(pattern, s->reduced, ydd);
        return;
    }
    k->copy(s->keep, s->reduced, pattern->entries);
    k->choose(h->given, ydd, s->zeros, s->rest, n); /* the accelerations given, zero elsewhere */
    k->multiply(pattern, s->reduced, s->rest, s->force_y);
    k->add_to(s->force_y, s->bias, n);
    k->copy(s->rest, tau, n);
    k->subtract_from(s->rest, s->force_y, n); /* tau − C − H ÿ of what is given */
    k->choose(h->given, ydd, s->rest, ydd, n);
    k->exclude(pattern, h->given, s->reduced);
    td_eval_factor(eval, h->given, td_with_passive(h->forces));
    k->solve(pattern, s->reduced, ydd);
    k->multiply(pattern, s->keep, ydd, s->force_y);
    k->add_to(s->force_y, s->bias, n);
    k->choose(h->given, s->force_y, tau, tau, n);
}

/* Accelerations by articulated bodies over clusters; no acceleration is given. */
static void cluster_accelerations(const td_eval *eval, const hybrid *h, const void *q,
                                  const void *qd, void *tau, void *ydd)
{
    const td_kernels *k = eval->kernels;
    const td_model *model = eval->model;
    const td_tree *tree = eval->tree;
    const td_scratch *s = eval->scratch;
    bool passive = td_with_passive(h->forces);
    k->poses(tree, s, q, TD_EVERY_LINK, true);
    k->inertias(tree, s);
    bool loaded = td_eval_load(eval, qd, h->forces);
    if (passive) {
        k->clear(s->tau, tree->nv);
        td_eval_passive(eval, q, qd, h->forces, s->tau);
        k->transposed(&model->closure.velocity, s->G, s->tau, s->bias);
        k->subtract_from(tau, s->bias, model->closure.nyd);
    }
    k->cluster_aba(tree, &model->closure.clusters, &model->closure.velocity, s, qd,
                   model->closure.loops.solved ? s->g : NULL, loaded, passive, tau, ydd);
    td_eval_doubt(eval, q, NULL, passive);
}

static void accelerations(const td_eval *eval, const hybrid *h, const void *y, const void *yd,
                          void *tau, void *ydd)
{
    const void *q = td_eval_position(eval, y), *qd = td_eval_velocity(eval, yd);
    const td_plan_info *plan = &eval->model->plan;
    const bool in_lanes = eval->kernels->lanes > 1;
    if (td_eval_is_tree(eval))
        tree_accelerations(eval, h, q, qd, tau, ydd);
    else if ((in_lanes ? plan->batch_plan : plan->plan) == TD_PLAN_CLUSTER && !h->given)
        cluster_accelerations(eval, h, q, qd, tau, ydd);
    else
        reduced_accelerations(eval, h, q, qd, tau, ydd);
}

static void op_forward(const td_eval *eval, const void *const *in, void *const *out,
                       const void *context)
{
    size_t n = td_space_velocities(eval->model, eval->space);
    eval->kernels->copy(eval->scratch->tau_y, in[2] ? in[2] : eval->scratch->zeros, n);
    accelerations(eval, context, in[0], in[1], eval->scratch->tau_y, out[0]);
}

/* Where one state's accelerations are computed: of fine trees as a batch of one, whose articulated
   inertias are in the bodies' axes. */
static td_site acceleration_site(const td_site *site)
{
    td_site chosen = *site;
    const td_model *model = site->model;
    if (model && model->tree.fine && (site->space == TD_SPACE_TREE || model->closure.identity))
        chosen.batch = true;
    return chosen;
}

static td_status forward_dynamics(const td_site *site, const double *y, const double *yd,
                                  const double *tau_y, const td_forces *forces, double *ydd)
{
    td_forces known;
    const bool valid = td_forces_read(&forces, &known);
    size_t n = td_site_velocities(site);
    hybrid context = {forces, NULL};
    td_call call;
    td_call_begin(&call, op_forward, &context);
    call.solves = true;
    td_call_positions(&call, site, y, true);
    td_call_input(&call, yd, n, false);
    td_call_input(&call, tau_y, n, false);
    td_call_forces(&call, site, forces, valid);
    td_call_output(&call, ydd, n, true);
    const td_site where = acceleration_site(site);
    return td_call_run(&where, &call);
}

td_status td_forward_dynamics(const td_model *model, td_workspace *workspace, const double *y,
                              const double *yd, const double *tau_y, const td_forces *forces,
                              double *ydd)
{
    return forward_dynamics(TD_SINGLE(model, workspace, TD_SPACE_INDEPENDENT), y, yd, tau_y, forces,
                            ydd);
}

td_status td_tree_forward_dynamics(const td_model *model, td_workspace *workspace, const double *q,
                                   const double *qd, const double *tau, const td_forces *forces,
                                   double *qdd)
{
    return forward_dynamics(TD_SINGLE(model, workspace, TD_SPACE_TREE), q, qd, tau, forces, qdd);
}

td_status td_batch_forward_dynamics(const td_model *model, td_workspace *workspace, size_t n,
                                    const double *y, const double *yd, const double *tau_y,
                                    const td_forces *forces, double *ydd, td_status *statuses)
{
    return forward_dynamics(TD_BATCH(model, workspace, TD_SPACE_INDEPENDENT, n, statuses), y, yd,
                            tau_y, forces, ydd);
}

td_status td_batch_tree_forward_dynamics(const td_model *model, td_workspace *workspace, size_t n,
                                         const double *q, const double *qd, const double *tau,
                                         const td_forces *forces, double *qdd, td_status *statuses)
{
    return forward_dynamics(TD_BATCH(model, workspace, TD_SPACE_TREE, n, statuses), q, qd, tau,
                            forces, qdd);
}

static void op_hybrid(const td_eval *eval, const void *const *in, void *const *out,
                      const void *context)
{
    const hybrid *h = context;
    size_t n = td_space_velocities(eval->model, eval->space);
    const void *zeros = eval->scratch->zeros;
    eval->kernels->choose(h->given, in[2], zeros, out[0], n);
    eval->kernels->choose(h->given, zeros, in[3], out[1], n);
    accelerations(eval, h, in[0], in[1], out[1], out[0]);
}

/* whether the coordinates of every joint agree in being given or not */
static bool joints_agree(const td_site *site, const unsigned char *given)
{
    const td_model *model = site->model;
    for (size_t j = 0; model && given && j < model->movable_count; j++) {
        const td_joint_place *place = &model->place[model->movable[j]];
        int first = site->space == TD_SPACE_TREE ? place->qd : place->yd;
        int count = site->space == TD_SPACE_TREE ? place->nv : place->nyd;
        for (int k = 1; first >= 0 && k < count; k++)
            if (!given[first] != !given[first + k])
                return false;
    }
    return true;
}

static td_status hybrid_dynamics(const td_site *site, const double *y, const double *yd,
                                 const unsigned char *given, const td_forces *forces, double *ydd,
                                 double *tau_y)
{
    td_forces known;
    const bool valid = td_forces_read(&forces, &known);
    size_t n = td_site_velocities(site);
    hybrid context = {forces, given};
    td_call call;
    td_call_begin(&call, op_hybrid, &context);
    call.solves = true;
    td_call_choose(&call, given);
    td_call_positions(&call, site, y, true);
    td_call_input(&call, yd, n, false);
    td_call_require(&call, (given || !n) && joints_agree(site, given), "given");
    td_call_forces(&call, site, forces, valid);
    td_call_input(&call, ydd, n, true);
    td_call_input(&call, tau_y, n, true);
    td_call_output(&call, ydd, n, true);
    td_call_output(&call, tau_y, n, true);
    const td_site where = acceleration_site(site);
    return td_call_run(&where, &call);
}

td_status td_hybrid_dynamics(const td_model *model, td_workspace *workspace, const double *y,
                             const double *yd, const unsigned char *given, const td_forces *forces,
                             double *ydd, double *tau_y)
{
    return hybrid_dynamics(TD_SINGLE(model, workspace, TD_SPACE_INDEPENDENT), y, yd, given, forces,
                           ydd, tau_y);
}

td_status td_tree_hybrid_dynamics(const td_model *model, td_workspace *workspace, const double *q,
                                  const double *qd, const unsigned char *given,
                                  const td_forces *forces, double *qdd, double *tau)
{
    return hybrid_dynamics(TD_SINGLE(model, workspace, TD_SPACE_TREE), q, qd, given, forces, qdd,
                           tau);
}

td_status td_batch_hybrid_dynamics(const td_model *model, td_workspace *workspace, size_t n,
                                   const double *y, const double *yd, const unsigned char *given,
                                   const td_forces *forces, double *ydd, double *tau_y,
                                   td_status *statuses)
{
    return hybrid_dynamics(TD_BATCH(model, workspace, TD_SPACE_INDEPENDENT, n, statuses), y, yd,
                           given, forces, ydd, tau_y);
}

td_status td_batch_tree_hybrid_dynamics(const td_model *model, td_workspace *workspace, size_t n,
                                        const double *q, const double *qd,
                                        const unsigned char *given, const td_forces *forces,
                                        double *qdd, double *tau, td_status *statuses)
{
    return hybrid_dynamics(TD_BATCH(model, workspace, TD_SPACE_TREE, n, statuses), q, qd, given,
                           forces, qdd, tau);
}

int td_singular_joint(const td_workspace *workspace)
{
    if (!workspace)
        return -1;
    const td_model *model = workspace->model;
    int velocity = workspace->failure.singular_velocity;
    for (size_t j = 0; velocity >= 0 && j < model->movable_count; j++) {
        const td_joint_place *place = &model->place[model->movable[j]];
        int first = workspace->singular_space == TD_SPACE_TREE ? place->qd : place->yd;
        int count = workspace->singular_space == TD_SPACE_TREE ? place->nv : place->nyd;
        if (first >= 0 && velocity >= first && velocity < first + count)
            return model->movable[j];
    }
    return -1;
}
