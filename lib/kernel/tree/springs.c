/* SPDX-License-Identifier: MIT */
/*
 * Springs and dampers between two links, as wrenches on the bodies, and the energy of all springs,
 * including springs in joints.
 */
#include "kernel/tree/springs.h"
#include "kernel/kernel.h"

static void springs(const td_tree *tree, const td_scratch *s, int loaded)
{
    spatial *total = s->wrench;
    for (size_t i = 0; i < tree->bodies && !loaded; i++)
        total[i] = spatial_zero();
    for (size_t i = 0; i < tree->springs; i++) {
        const td_spring_element *spring = &tree->spring[i];
        const spring_state state = spring_state_of(tree, s, spring);
        const spatial reaction = spatial_sub(spatial_zero(), state.load);
        load_body(s, tree->link[spring->successor.link].body, state.load, state.between.point);
        load_body(s, tree->link[spring->predecessor.link].body, reaction, state.between.point);
    }
}

static void spring_motion(const td_tree *tree, const td_scratch *s, size_t spring, td_reals *out)
{
    real *values = out;
    const spring_state state = spring_state_of(tree, s, &tree->spring[spring]);
    const line_state line = line_of(&state.between);
    values[0] = line.length;
    values[1] = line.rate;
    values[2] = energy_of(&tree->spring[spring], &state);
    values[3] = dissipation_of(&tree->spring[spring], &state);
}

static void spring_energy(const td_tree *tree, const td_scratch *s, const td_reals *coordinates,
                          td_reals *out)
{
    const real *q = coordinates;
    real *energy = out;
    for (size_t i = 0; i < tree->nv; i++) {
        const td_passive *p = &tree->passive[i];
        if (p->stiffness != 0) {
            const real x = q[tree->velocity_q[i]] - p->reference;
            energy[0] += 0.5 * p->stiffness * x * x;
        }
    }
    for (size_t i = 0; i < tree->springs; i++) {
        const spring_state state = spring_state_of(tree, s, &tree->spring[i]);
        energy[0] += energy_of(&tree->spring[i], &state);
    }
}
