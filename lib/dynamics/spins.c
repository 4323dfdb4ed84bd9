/* SPDX-License-Identifier: MIT */
/*
 * Idle spins (model/idle_spins.h) in calls. A spin without inertia makes the mass matrix singular,
 * but no force acts along it: its acceleration is held at zero, and the equations of the other
 * velocities determine the rest. A spin that no motor moves is left out of the drives. In both
 * cases a force along the spin is an error.
 */
#include <math.h>

#include "dynamics/eval.h"

/* a smaller force along a spin is rounding, relative to the largest force in y, or, if all forces
   vanish, to the robot's mass */
static const double rounded_force = 1e-6, rounded_mass = 1e-13;

/* Returns the entry of the call's velocities whose acceleration is zero for a spin. */
static int held_by(const td_eval *eval, const td_idle_motion *motion)
{
    for (size_t i = 0; i < motion->count; i++)
        if (eval->closure->qd_of_yd[motion->velocity[i]] == motion->held)
            return motion->velocity[i];
    return motion->velocity[0];
}

const unsigned char *td_eval_find_held(const td_eval *eval, const unsigned char *given)
{
    const td_idle *idle = &eval->closure->idle;
    unsigned char *hold = eval->scratch->hold;
    bool any = false;
    if (td_eval_is_tree(eval))
        return given;
    for (size_t i = 0; i < eval->closure->nyd; i++)
        hold[i] = given && given[i];
    for (size_t m = 0; m < idle->count; m++) {
        const td_idle_motion *motion = &idle->motion[m];
        if (!motion->spin || !motion->count || td_motion_is_given(motion, given) ||
            td_motion_is_loaded(eval, motion))
            continue;
        hold[held_by(eval, motion)] = any = true;
    }
    return any ? hold : given;
}

static double mass_of(const td_tree *tree)
{
    double sum = 0;
    for (size_t b = 0; b < tree->bodies; b++)
        sum += fabs(tree->body[b].mass);
    return sum;
}

/* Returns the first marked entry of a row whose force is not zero, −1 for none. scale: row of
   forces. */
static double find_force(const td_eval *eval, const unsigned char *marked, const double *force,
                         const double *scale)
{
    const size_t n = eval->closure->nyd;
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(scale[i]));
    const double most = rounded_force * largest + rounded_mass * mass_of(eval->tree);
    for (size_t i = 0; i < n; i++)
        if (marked[i] && fabs(force[i]) > most)
            return (double)i;
    return -1;
}

void td_eval_judge_held(const td_eval *eval, const unsigned char *held, const void *needed,
                        const void *tau, const void *bias)
{
    const td_kernels *k = eval->kernels;
    const size_t n = eval->closure->nyd;
    double *force = eval->scratch->judged, *scale = force + n * k->lanes, found[TD_MOST_LANES];
    k->store(found, eval->scratch->singular, 1, k->lanes);
    k->store(force, needed, n, k->lanes);
    k->store(scale, tau, n, k->lanes);
    for (size_t i = 0; i < n * k->lanes; i++)
        force[i] -= scale[i];
    k->store(scale, bias, n, k->lanes);
    for (size_t l = 0; l < k->lanes; l++)
        if (found[l] < 0)
            found[l] = find_force(eval, held, force + l * n, scale + l * n);
    k->load(eval->scratch->singular, found, 1, k->lanes);
}

void td_eval_find_forced(const td_eval *eval, const void *tau_y, const void *rest)
{
    const td_kernels *k = eval->kernels;
    const td_spins *spins = &eval->model->spins;
    const td_drives *drives = &eval->actuation->drives;
    const size_t n = eval->closure->nyd;
    double *force = eval->scratch->judged, *scale = force + n * k->lanes, found[TD_MOST_LANES];
    for (size_t i = 0; i < n; i++)
        eval->scratch->hold[i] = 0;
    for (size_t i = 0; i < spins->count; i++)
        eval->scratch->hold[spins->at[i].velocity] = drives->local[spins->at[i].velocity] < 0;
    k->store(found, eval->scratch->singular, 1, k->lanes);
    k->store(force, rest, n, k->lanes);
    k->store(scale, tau_y, n, k->lanes);
    for (size_t l = 0; l < k->lanes; l++)
        if (found[l] < 0 &&
            find_force(eval, eval->scratch->hold, force + l * n, scale + l * n) >= 0)
            found[l] = TD_SPIN_FORCED;
    k->load(eval->scratch->singular, found, 1, k->lanes);
}
