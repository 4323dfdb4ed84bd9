/* SPDX-License-Identifier: MIT */
/*
 * Four-bar linkages: loops of four parallel revolute joints, with γ in closed form. Any of the four
 * may close the loop, and any may be independent. The loop starts at R1, whose angle is given. In
 * the plane, links have the directions α (R1 R2), β (R2 R3) and κ (R4 R3) relative to R1 R4:
 *
 *   a e^iα + b e^iβ = d + c e^iκ
 *
 * α, ρ₂ = β − α, ρ₃ = κ − β and κ are linear in the coordinates of the four joints.
 * kernel/loops/four_bar.h solves this equation.
 */
#include <math.h>

#include "load/closure/loop_of_four.h"

/* relative tolerance for different lengths; smallest relative length */
static const double different = 1e-9, sound = 1e-6;

/* Rotates the list so that the independent joint comes first. Returns false unless the mechanism is
   planar with revolute joints. */
static bool sort_joints(td_hinge round[TD_HINGES], int independent)
{
    int first = 0;
    while (first < TD_HINGES && round[first].slot != independent)
        first++;
    for (int k = 0; k < TD_HINGES; k++)
        if (!round[k].turns || !td_are_parallel(&round[0], &round[k]) || first == TD_HINGES)
            return false;
    td_begin_at(round, first);
    return true;
}

/* Computes lengths and planar parts. The first axis of the plane points from R1 to R4. */
static td_four_bar measure(const td_hinge h[TD_HINGES])
{
    const td_vec3 z = h[0].axis;
    td_vec3 ground = td_way(&h[0], &h[3]);
    const double along = td_vec3_dot(ground, z);
    ground = (td_vec3){ground.x - along * z.x, ground.y - along * z.y, ground.z - along * z.z};
    td_four_bar bars = {.d = sqrt(td_vec3_dot(ground, ground))};
    const td_vec3 u = {ground.x / bars.d, ground.y / bars.d, ground.z / bars.d};
    const td_vec3 n = td_vec3_cross(z, u);
    const td_vec3 way[TD_HINGES - 1] = {td_way(&h[0], &h[1]), td_way(&h[1], &h[2]),
                                        td_way(&h[3], &h[2])};
    double length[TD_HINGES - 1], direction[TD_HINGES - 1], sense[TD_HINGES];
    for (int k = 0; k < TD_HINGES - 1; k++) {
        const double x = td_vec3_dot(way[k], u), y = td_vec3_dot(way[k], n);
        length[k] = hypot(x, y);
        direction[k] = atan2(y, x);
    }
    for (int k = 0; k < TD_HINGES; k++)
        sense[k] = td_sense_about(&h[k], z);
    bars.a = length[0], bars.b = length[1], bars.c = length[2];
    const double alpha = direction[0], beta = direction[1], kappa = direction[2];
    bars.part[TD_FOUR_BAR_GIVEN] = td_part_of(&h[0], alpha, sense[0]);
    bars.part[TD_FOUR_BAR_SECOND] = td_part_of(&h[1], beta - alpha, sense[1]);
    bars.part[TD_FOUR_BAR_THIRD] = td_part_of(&h[2], kappa - beta, sense[2]);
    bars.part[TD_FOUR_BAR_LAST] = td_part_of(&h[3], kappa, -sense[3]);
    return bars;
}

bool td_find_four_bar(td_loop_analysis *analysis)
{
    td_loop_group *group = analysis->group;
    td_hinge round[TD_HINGES];
    if (!td_go_round(analysis, round) || !sort_joints(round, group->dependents))
        return false;
    td_four_bar bars = measure(round);
    const double size = bars.a + bars.b + bars.c + bars.d;
    if (!(fmin(fmin(bars.a, bars.b), fmin(bars.c, bars.d)) > sound * size))
        return false;
    /* |R2 R4| must be between |b − c| and b + c; it ranges from |a − d| to a + d */
    bars.folded = !(fabs(bars.a - bars.d) > fabs(bars.b - bars.c) + different * size);
    bars.stretched = !(bars.a + bars.d < bars.b + bars.c - different * size);
    group->four_bar = bars;
    group->form = TD_FORM_FOUR_BAR;
    return true;
}
