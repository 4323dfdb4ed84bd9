/* SPDX-License-Identifier: MIT */
/*
 * Checks whether a mass matrix is singular. Motions that move no inertia at any configuration are
 * known at load. Otherwise a pivot can be a rounding error relative to the terms from which it
 * results.
 */
#include <string.h>

#include "dynamics/eval.h"

/* ---- massless motions ------------------------------------------------------------------------ */

bool td_motion_is_given(const td_idle_motion *motion, const unsigned char *given)
{
    for (size_t i = 0; given && i < motion->count; i++)
        if (given[motion->velocity[i]])
            return true;
    return false;
}

bool td_motion_is_loaded(const td_eval *eval, const td_idle_motion *motion)
{
    if (eval->tree->body == eval->model->tree.body)
        return false;
    for (size_t i = 0; i < motion->bodies; i++) {
        const td_body *now = &eval->tree->body[motion->body[i]];
        const td_body *own = &eval->model->tree.body[motion->body[i]];
        if (now->mass != own->mass || memcmp(&now->moment, &own->moment, sizeof now->moment) ||
            memcmp(&now->inertia, &own->inertia, sizeof now->inertia))
            return true;
    }
    return false;
}

static const td_idle *idle_of(const td_eval *eval)
{
    return td_eval_is_tree(eval) ? &eval->model->idle_tree : &eval->closure->idle;
}

/* Returns whether a massless motion without resistance makes the mass matrix singular. */
static bool refuse_idle(const td_eval *eval, const unsigned char *given, bool rotors)
{
    const td_idle *idle = idle_of(eval);
    double last = -1; /* the largest of their first velocities: this pivot vanishes first */
    for (size_t m = 0; m < idle->count; m++) {
        const td_idle_motion *motion = &idle->motion[m];
        const bool resisted = (rotors && motion->rotors) || td_motion_is_given(motion, given);
        if (!resisted && !td_motion_is_loaded(eval, motion) && motion->velocity[0] > last)
            last = motion->velocity[0];
    }
    if (last >= 0)
        eval->kernels->spread(eval->scratch->singular, &last, 1);
    return last >= 0;
}

/* ---- pivots ---------------------------------------------------------------------------------- */

/* A pivot must exceed this fraction of the terms that it is computed from. With mimic joints and
   couplings alone, six of sixteen digits remain. Loops allow more loss, since a large G has
   itself lost digits. */
static const double tree_digits = 1e-10, loop_digits = 1e-8;

/* Returns the velocities in the call's coordinates whose pivots need a check. */
static td_suspects find_suspects(const td_eval *eval)
{
    const td_closure_map *closure = eval->closure;
    const td_idle *idle = idle_of(eval);
    const td_tree *tree = eval->tree;
    const bool is_tree = td_eval_is_tree(eval);
    td_suspects found = {{{tree->suspect, tree->suspects}, {idle->suspect, idle->suspects}},
                         is_tree || !closure->loops.solved ? tree_digits : loop_digits};
    if (!is_tree && tree->emptied)
        found.list[0].velocity += tree->nv - closure->nyd, found.list[0].count = closure->nyd;
    else if (!is_tree)
        found.list[0].velocity = closure->suspect, found.list[0].count = closure->suspects;
    return found;
}

void td_eval_factor(const td_eval *eval, const unsigned char *given, bool rotors)
{
    const td_pattern *pattern = td_eval_pattern(eval);
    void *H = td_eval_matrix(eval);
    eval->kernels->factor(pattern, H, eval->scratch->singular);
    if (refuse_idle(eval, given, rotors))
        return;
    const td_suspects suspects = find_suspects(eval);
    for (int k = 0; k < 2; k++)
        if (suspects.list[k].count)
            eval->kernels->examine(pattern, eval->scratch, H, suspects.list[k].velocity,
                                   suspects.list[k].count, suspects.digits);
}

/* Returns whether the articulated inertias of forward dynamics prove, for all states, that no
   pivot is a rounding error. */
static bool is_sound(const td_eval *eval, const unsigned char *given, bool rotors)
{
    const td_tree *tree = eval->tree;
    const double most = 1 / tree_digits;
    double sum[TD_MOST_LANES];
    if (given || !td_eval_is_tree(eval) || !tree->largest || idle_of(eval)->suspects ||
        tree->body != eval->model->tree.body)
        return false;
    eval->kernels->amplification(tree, eval->scratch, rotors, eval->scratch->doubt);
    eval->kernels->store(sum, eval->scratch->doubt, 1, eval->kernels->lanes);
    bool sound = true;
    for (size_t i = 0; i < eval->kernels->lanes; i++)
        sound = sound && sum[i] < most;
    return sound;
}

void td_eval_doubt(const td_eval *eval, const void *q, const unsigned char *given, bool rotors)
{
    const td_closure_map *closure = eval->closure;
    const td_tree *tree = eval->tree;
    const bool is_tree = td_eval_is_tree(eval);
    if (refuse_idle(eval, given, rotors))
        return;
    if (!(is_tree ? tree->suspects > 0 : tree->emptied) && !idle_of(eval)->suspects)
        return; /* the cluster kernel has already checked pivots that loops make ill-conditioned */
    if (is_sound(eval, given, rotors))
        return;
    const td_suspects suspects = find_suspects(eval);
    const td_motion_inputs in = {is_tree && td_eval_by_body_axes(eval) ? q : NULL,
                                 .rotors = rotors};
    eval->kernels->examine_joints(tree, is_tree ? &eval->model->tree_clusters : &closure->clusters,
                                  is_tree ? NULL : &closure->velocity, eval->scratch, &in, given,
                                  &suspects);
}
