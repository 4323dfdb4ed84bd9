/* SPDX-License-Identifier: MIT */
/*
 * Forward and hybrid dynamics. In tree coordinates the articulated-body algorithm computes
 * accelerations. In independent coordinates with couplings there are two plans: articulated
 * bodies over clusters (kernel/tree/cluster.c), or the factors of Gᵀ H G with the pattern found
 * at load (load/tree/reduced_pattern.c). load/tree/clusters.c selects the plan, separately for
 * single states and batches.
 */
#include "dynamics/arguments.h"
#include "dynamics/operation_room.h"
#include "dynamics/operations.h"
#include "dynamics/workspace.h"

/* Computes qdd of the tree, and tau where qdd is given. tau are the joint forces without passive
   forces. */
static void tree_accelerations(const td_eval *eval, const td_forces *forces,
                               const unsigned char *given, const td_motion_inputs *at, void *tau,
                               void *qdd)
{
    const td_kernels *k = eval->kernels;
    const td_tree *tree = eval->tree;
    const td_scratch *s = eval->scratch;
    const bool passive = td_with_passive(forces);
    td_motion_inputs in = {at->q, at->qd, .rotors = passive};
    in.posed = td_eval_needs_poses(eval, forces);
    if (in.posed)
        k->poses(tree, s, in.q, TD_EVERY_LINK, true);
    in.loaded = td_eval_load(eval, in.qd, forces);
    /* Passive forces add to the joint forces: subtract them before, and add them to computed
       forces after. Given forces stay unchanged. */
    if (passive) {
        k->copy(s->rest, tau, tree->nv);
        k->clear(s->tau, tree->nv);
        td_eval_passive(eval, in.q, in.qd, forces, s->tau);
        k->subtract_from(tau, s->tau, tree->nv);
    }
    (td_eval_by_body_axes(eval) ? k->body_axes_aba : k->world_axes_aba)(tree, s, &in, given, tau,
                                                                        qdd);
    td_eval_doubt(eval, in.q, given, passive);
    if (passive && given) {
        k->add_to(tau, s->tau, tree->nv);
        k->choose(given, tau, s->rest, tau, tree->nv);
    }
}

/* Computes accelerations with factors of Gᵀ H G in the scratch. Held accelerations are zero. */
static void held_accelerations(const td_eval *eval, const unsigned char *held, bool rotors,
                               const void *tau, void *ydd)
{
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    const td_pattern *pattern = &eval->closure->pattern;
    const size_t n = pattern->size;
    k->copy(s->held_mass, s->reduced, pattern->entries);
    k->copy(ydd, tau, n);
    k->subtract_from(ydd, s->bias, n);
    k->choose(held, s->zeros, ydd, ydd, n);
    k->exclude(pattern, held, s->reduced);
    td_eval_factor(eval, held, rotors);
    k->solve(pattern, s->reduced, ydd);
    k->multiply(pattern, s->held_mass, ydd, s->force_y);
    k->add_to(s->force_y, s->bias, n);
    td_eval_judge_held(eval, held, s->force_y, tau, s->bias);
}

/* Computes accelerations with factors of Gᵀ H G. Given accelerations move to the right-hand
   side, and the equations of their coordinates become ÿ = given. */
static void reduced_accelerations(const td_eval *eval, const td_forces *forces,
                                  const unsigned char *given, const td_motion_inputs *at, void *tau,
                                  void *ydd)
{
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    const td_pattern *pattern = &eval->closure->pattern;
    size_t n = pattern->size;
    const bool posed = td_eval_mass_takes_poses(eval); /* both calls below use the poses */
    if (posed)
        k->poses(eval->tree, s, at->q, TD_EVERY_LINK, true);
    td_eval_tree_force(eval, at->q, at->qd, at->qdd ? at->qdd : s->zeros, forces, posed, s->tau);
    td_eval_mass(eval, at->q, posed ? TD_FROM_POSES : TD_FROM_PLACEMENTS, td_with_passive(forces),
                 NULL);
    k->transposed(&eval->closure->velocity, s->G, s->tau, s->bias);
    const unsigned char *held = td_eval_hold(eval, given);
    if (!given && held) {
        held_accelerations(eval, held, td_with_passive(forces), tau, ydd);
        return;
    }
    if (!given) {
        k->copy(ydd, tau, n);
        k->subtract_from(ydd, s->bias, n);
        td_eval_factor(eval, NULL, td_with_passive(forces));
        k->solve(pattern, s->reduced, ydd);
        return;
    }
    td_scope(s->stack, hybrid);
    td_reals *kept = td_hybrid_take(s->stack, eval->model, k);
    k->copy(kept, s->reduced, pattern->entries);
    k->choose(given, ydd, s->zeros, s->rest, n); /* the given accelerations, zero elsewhere */
    k->multiply(pattern, s->reduced, s->rest, s->force_y);
    k->add_to(s->force_y, s->bias, n);
    k->copy(s->rest, tau, n);
    k->subtract_from(s->rest, s->force_y, n); /* tau − C − H ÿ for the given ÿ */
    if (held != given)
        k->choose(held, s->zeros, s->rest, s->rest, n);
    k->choose(given, ydd, s->rest, ydd, n);
    k->exclude(pattern, held, s->reduced);
    td_eval_factor(eval, held, td_with_passive(forces));
    k->solve(pattern, s->reduced, ydd);
    k->multiply(pattern, kept, ydd, s->force_y);
    k->add_to(s->force_y, s->bias, n);
    k->choose(given, s->force_y, tau, tau, n);
    if (held != given)
        td_eval_judge_held(eval, held, s->force_y, tau, s->bias);
}

/* Computes accelerations by articulated bodies over clusters; no acceleration may be given. */
static void cluster_accelerations(const td_eval *eval, const td_forces *forces,
                                  const td_motion_inputs *at, void *tau, void *ydd)
{
    const td_kernels *k = eval->kernels;
    const td_tree *tree = eval->tree;
    const td_scratch *s = eval->scratch;
    const bool passive = td_with_passive(forces);
    td_motion_inputs in = {at->q, at->qd, at->qdd, .rotors = passive};
    k->poses(tree, s, in.q, TD_EVERY_LINK, true);
    k->inertias(tree, s);
    in.loaded = td_eval_load(eval, in.qd, forces);
    if (passive) {
        k->clear(s->tau, tree->nv);
        td_eval_passive(eval, in.q, in.qd, forces, s->tau);
        k->transposed(&eval->closure->velocity, s->G, s->tau, s->bias);
        k->subtract_from(tau, s->bias, eval->closure->nyd);
    }
    k->cluster_aba(tree, eval->closure, s, &in, tau, ydd);
    td_eval_doubt(eval, in.q, NULL, passive);
}

/* Returns whether accelerations are computed by articulated bodies over clusters. */
static bool by_clusters(const td_eval *eval)
{
    const td_plan_info *plan = &eval->model->plan;
    return (eval->kernels->lanes > 1 ? plan->batch_plan : plan->plan) == TD_PLAN_CLUSTER;
}

void td_eval_accelerations(const td_eval *eval, const td_forces *forces, const unsigned char *given,
                           const td_motion_inputs *at, void *tau, void *ydd)
{
    if (td_eval_is_tree(eval))
        tree_accelerations(eval, forces, given, at, tau, ydd);
    else if (by_clusters(eval) && !given)
        cluster_accelerations(eval, forces, at, tau, ydd);
    else
        reduced_accelerations(eval, forces, given, at, tau, ydd);
}

/* Solves H x = b. Without factors, x is the acceleration that b causes at rest without gravity.
   Keeps a singularity that was found before. */
void td_eval_solve(const td_eval *eval, bool rotors, const void *q, void *b, void *x)
{
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    td_tree weightless = *eval->tree;
    weightless.gravity = (td_vec3){0, 0, 0};
    const td_motion_inputs rest = {q, s->zeros, .posed = true, .rotors = rotors};
    k->copy(s->doubt, s->singular, 1);
    if (td_eval_is_tree(eval)) {
        (td_eval_by_body_axes(eval) ? k->body_axes_aba : k->world_axes_aba)(&weightless, s, &rest,
                                                                            NULL, b, x);
    } else if (by_clusters(eval)) {
        k->cluster_aba(&weightless, eval->closure, s, &rest, b, x);
    } else {
        const unsigned char *held = td_eval_hold(eval, NULL);
        k->copy(x, b, eval->closure->pattern.size);
        if (held)
            k->choose(held, s->zeros, x, x, eval->closure->pattern.size);
        k->solve(&eval->closure->pattern, s->reduced, x);
    }
    k->copy(s->singular, s->doubt, 1);
}

/* Computes accelerations; given NULL means forward dynamics. */
static void accelerations(const td_eval *eval, const td_forces *forces, const unsigned char *given,
                          const void *y, const void *yd, void *tau, void *ydd)
{
    td_motion_inputs at = {.q = td_eval_position(eval, y)};
    at.qd = td_eval_velocity(eval, yd);
    at.qdd = eval->closure->loops.solved ? eval->scratch->g : NULL;
    td_eval_accelerations(eval, forces, given, &at, tau, ydd);
}

void td_op_forward_dynamics(const td_eval *eval, const td_forward_dynamics_arguments *a)
{
    size_t n = td_velocity_count(eval->model, eval->space);
    eval->kernels->copy(eval->scratch->tau_y, a->tau_y ? a->tau_y : eval->scratch->zeros, n);
    accelerations(eval, a->forces, NULL, a->y, a->yd, eval->scratch->tau_y, a->ydd);
}

void td_op_hybrid_dynamics(const td_eval *eval, const td_hybrid_dynamics_arguments *a)
{
    size_t n = td_velocity_count(eval->model, eval->space);
    const void *zeros = eval->scratch->zeros;
    eval->kernels->choose(a->given, a->given_ydd, zeros, a->ydd, n);
    eval->kernels->choose(a->given, zeros, a->given_tau_y, a->tau_y, n);
    accelerations(eval, a->forces, a->given, a->y, a->yd, a->tau_y, a->ydd);
}

bool td_forward_takes_matrices(const td_site *site, bool hybrid)
{
    const td_plan_info *plan = &site->model->plan;
    return site->space != TD_COORDINATES_TREE && !site->workspace->eval.closure->identity &&
           (hybrid || (site->batch ? plan->batch_plan : plan->plan) != TD_PLAN_CLUSTER);
}

/* Returns whether, for every joint, all of its coordinates are given or none. */
static bool joints_agree(const td_site *site, const unsigned char *given)
{
    const td_model *model = site->model;
    for (size_t j = 0; given && j < model->movable_count; j++) {
        const td_place *place = &model->place[model->movable[j]];
        int first = site->space == TD_COORDINATES_TREE ? place->qd : place->yd;
        int count = site->space == TD_COORDINATES_TREE ? place->nv : place->nyd;
        for (int k = 1; first >= 0 && k < count; k++)
            if (!given[first] != !given[first + k])
                return false;
    }
    return true;
}

void td_call_given(td_call *call, const td_site *site, const unsigned char *given)
{
    td_call_choose(call, given);
    td_call_require(call, (given || !td_site_velocities(site)) && joints_agree(site, given),
                    "given");
}

size_t td_singular_joint(const td_workspace *workspace)
{
    if (!workspace)
        return TD_NONE;
    const td_model *model = workspace->model;
    int velocity = workspace->failure.singular_velocity;
    if (velocity >= 0 && workspace->singular_space != TD_COORDINATES_TREE)
        velocity = workspace->eval.closure->qd_of_yd[velocity];
    for (size_t j = 0; velocity >= 0 && j < model->movable_count; j++) {
        const td_place *place = &model->place[model->movable[j]];
        if (velocity >= place->qd && velocity < place->qd + place->nv)
            return (size_t)model->movable[j];
    }
    return TD_NONE;
}
