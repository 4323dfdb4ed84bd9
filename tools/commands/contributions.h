/* SPDX-License-Identifier: MIT */
/*
 * What the force of a coordinate is made of: by joints of the tree, and by links.
 */
#ifndef TOOL_CONTRIBUTIONS_H
#define TOOL_CONTRIBUTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "input/session.h"
#include "input/state.h"

/* Parts of the force that a joint takes beside what bodies take. */
enum passive_part {
    PASSIVE_DAMPING,
    PASSIVE_FRICTION,
    PASSIVE_SPRING,
    PASSIVE_ROTOR,
    PASSIVE_COUNT,
};

/* A joint of the tree: its force along q̇_i and factor = ∂q̇_i/∂ẏ of the coordinate. */
typedef struct joint_share {
    size_t joint;
    size_t qd; /* its entry of q̇ */
    double factor;
    double torque; /* all that the joint takes, passive forces included if asked for */
    double passive[PASSIVE_COUNT];
} joint_share;

/* What the motion of a link takes from the coordinate: Jᵀ f. */
enum link_part {
    LINK_GRAVITY,  /* its weight */
    LINK_INERTIA,  /* what accelerations cause */
    LINK_VELOCITY, /* Coriolis and centrifugal forces */
    LINK_PART_COUNT,
};

typedef struct link_share {
    size_t link;
    double part[LINK_PART_COUNT];
} link_share;

typedef struct contributions {
    double force;   /* tau_y */
    double passive; /* the part that passive forces of joints take */
    double other;   /* the part of springs between links and of wrenches */
    size_t joint_count, link_count;
    joint_share *joint; /* in the model's order */
    link_share *link;
    double *tau;   /* of the tree, nv */
    double *motor; /* what motors give in the tree, nv */
    double *tau_c; /* what the closure gives, nv */
    bool motors;   /* motor is of the actuated joints; false: of the independent ones */
} contributions;

/* The coordinate is an index of ẏ; -1: joint_count, link_count and force are 0. Contributions that
   are zero, or rounding, are left out. */
td_status find_contributions(const session *s, const robot_state *x, const td_forces *forces,
                             int coordinate, contributions *e);
void contributions_free(contributions *e);

/* factor · torque, and the sum of the parts. */
double joint_share_total(const joint_share *share);
double link_share_total(const link_share *share);

const char *passive_part_text(enum passive_part part);
const char *link_part_text(enum link_part part);

#endif
