/* SPDX-License-Identifier: MIT */
/*
 * Completes the spins that all configurations have: selects the entry of ẏ that represents each,
 * and the link to name, and finds out whether they move inertia.
 */
#include <math.h>

#include "load/tree/spins.h"

/* Keeps the spins that all configurations have. Parts that are rounding errors become zero. */
static void keep_lasting(const td_model *model, int samples, td_spins *spins)
{
    size_t kept = 0;
    for (size_t n = 0; n < spins->count; n++) {
        if (spins->at[n].samples < samples)
            continue;
        double *part = spins->at[n].part;
        for (size_t i = 0; i < model->closure.nyd; i++)
            part[i] = isfinite(part[i]) && part[i] > TD_SPIN_ROUNDED ? part[i] : 0;
        spins->at[kept++] = spins->at[n];
    }
    spins->count = kept;
}

/* Selects the entry of ẏ that represents a spin: the largest at all configurations that takes part
   in no other spin. Returns false if no entry qualifies. */
static bool choose_velocity(const td_model *model, const td_spins *spins, td_spin *spin)
{
    double most = 0.05;
    size_t count = 0;
    for (size_t i = 0; i < model->closure.nyd; i++) {
        size_t others = 0;
        count += spin->part[i] > 0;
        for (size_t m = 0; m < spins->count; m++)
            others += &spins->at[m] != spin && spins->at[m].part[i] > 0;
        if (others || !(spin->part[i] > most))
            continue;
        most = spin->part[i];
        spin->velocity = (int)i;
    }
    spin->alone = count == 1;
    return most > 0.05;
}

/* Returns the link to name: the heaviest one that moves, the last of several. */
static int link_of(const td_model *model, const td_spin *spin)
{
    int link = -1;
    double most = -1;
    for (size_t k = 0; k < model->tree.links; k++) {
        const td_link *record = &model->records.link.at[k];
        const double mass = record->has_inertial ? record->mass : 0;
        const int body = model->tree.link[k].body;
        if (body < 0 || !spin->bodies[body] || mass < most)
            continue;
        most = mass;
        link = (int)k;
    }
    return link;
}

/* Returns the massless motion that moves exactly the bodies of the spin; NULL if none does. */
static td_idle_motion *massless_of(td_model *model, const td_spin *spin)
{
    td_idle *idle = &model->closure.idle;
    size_t bodies = 0;
    for (size_t b = 0; b < model->tree.bodies; b++)
        bodies += spin->bodies[b] != 0;
    for (size_t m = 0; m < idle->count; m++) {
        td_idle_motion *motion = &idle->motion[m];
        bool same = motion->bodies == bodies;
        for (size_t i = 0; same && i < motion->bodies; i++)
            same = spin->bodies[motion->body[i]];
        if (same)
            return motion;
    }
    return NULL;
}

/* Forward dynamics needs matrices if a spin has no inertia. */
void td_spins_finish(td_model *model, int samples)
{
    td_spins *spins = &model->spins;
    bool chosen = true;
    keep_lasting(model, samples, spins);
    for (size_t n = 0; n < spins->count; n++)
        chosen = chosen && choose_velocity(model, spins, &spins->at[n]);
    spins->count = chosen ? spins->count : 0;
    for (size_t n = 0; n < spins->count; n++) {
        td_spin *spin = &spins->at[n];
        spin->link = link_of(model, spin);
        td_idle_motion *motion = massless_of(model, spin);
        spin->massless = motion != NULL;
        if (!motion)
            continue;
        motion->spin = model->closure.idle.spins = true;
        motion->held = model->closure.qd_of_yd[spin->velocity];
        model->plan.plan = model->plan.batch_plan = TD_PLAN_REDUCED;
    }
}
