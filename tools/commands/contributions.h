/* SPDX-License-Identifier: MIT */
/*
 * Splits the force of a coordinate into parts by joints of the tree and by links.
 */
#ifndef TOOL_CONTRIBUTIONS_H
#define TOOL_CONTRIBUTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "input/session.h"
#include "input/state.h"

/* Parts of a joint's force that do not come from bodies. */
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
    size_t qd; /* index into q̇ */
    double factor;
    double torque; /* total force of the joint, with passive forces if requested */
    double passive[PASSIVE_COUNT];
} joint_share;

/* Parts of the force Jᵀ f due to the motion of a link. */
enum link_part {
    LINK_GRAVITY,  /* weight */
    LINK_INERTIA,  /* forces due to accelerations */
    LINK_VELOCITY, /* Coriolis and centrifugal forces */
    LINK_PART_COUNT,
};

typedef struct link_share {
    size_t link;
    double part[LINK_PART_COUNT];
} link_share;

typedef struct contributions {
    double force;   /* tau_y */
    double passive; /* part due to passive forces of joints */
    double other;   /* part due to springs between links and wrenches */
    size_t joint_count, link_count;
    joint_share *joint; /* in the model's order */
    link_share *link;
    double *tau;   /* joint forces of the tree, nv */
    double *motor; /* motor forces in the tree, nv */
    double *tau_c; /* constraint forces, nv */
    bool motors;   /* motor acts on actuated joints; false: on the independent ones */
} contributions;

/* Splits the force of a coordinate, an index into ẏ. With −1, joint_count, link_count and force are
   0. Omits contributions that are zero or rounding errors. */
td_status find_contributions(const session *s, const robot_state *x, const td_forces *forces,
                             int coordinate, contributions *e);
void contributions_free(contributions *e);

/* Return factor · torque, and the sum of the parts. */
double joint_share_total(const joint_share *share);
double link_share_total(const link_share *share);

const char *passive_part_text(enum passive_part part);
const char *link_part_text(enum link_part part);

#endif
