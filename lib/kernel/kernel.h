/* SPDX-License-Identifier: MIT */
/*
 * The interface between the library and its kernels. There is one table of kernels per instruction
 * set and `real`. Outside the kernels a `real` is only accessible through a pointer: td_reals is an
 * array with one real per entry, aligned for its type. A real contains one number per lane.
 *
 * Kernels use two kinds of axes. Placements and rnea use body coordinates. All other kernels use
 * world axes with the reference point at each body's origin, so that inertias add without rotation.
 */
#ifndef TD_KERNEL_H
#define TD_KERNEL_H

#include <stddef.h>

#include "kernel/scratch.h"
#include "model/closure.h"

/* Stands for all links where a kernel takes the index of a link. */
enum { TD_EVERY_LINK = -1 };

/* Frames in which wrenches and motions of links are expressed. The values equal those in
   td_frame. */
enum { TD_AT_WORLD, TD_AT_BODY, TD_AT_WORLD_ALIGNED };

/* A motion of the tree, with the forces that act on it and flags for results already available. A
   kernel reads only the members that its comment names. */
typedef struct td_motion_inputs {
    const td_reals *q, *qd, *qdd;
    const td_reals *wrenches; /* links × 6 in `frame`; input of the scratch's wrench; may be NULL */
    int frame;
    double friction_velocity; /* smoothing velocity of friction */
    bool posed;               /* the scratch contains the poses of all bodies at q */
    bool loaded;              /* the scratch contains the external wrenches */
    bool passive;             /* passive forces of joints act */
    bool rotors;              /* rotor inertias are included */
} td_motion_inputs;

/* Derivatives of the closure along y. G is NULL in coordinates of the tree. The other members have
   the pattern of G: velocity_y = ∂(Gẏ)/∂y, acceleration_y = ∂(Gÿ + g)/∂y, acceleration_yd = ∂g/∂ẏ.
   They are NULL if they vanish; acceleration_y is also NULL if derivatives along y are not
   wanted. */
typedef struct td_closure_changes {
    const td_csr *G;
    const td_reals *velocity_y, *acceleration_y, *acceleration_yd;
} td_closure_changes;

/* ∂τ/∂y and ∂τ/∂ẏ (n × n each), and H with its pattern; NULL members are skipped */
typedef struct td_force_derivatives {
    td_reals *by_position, *by_rate, *mass;
    const td_pattern *pattern;
} td_force_derivatives;

/* A direction along which the constrained motion K q̈ = k is differentiated: an index of q̇, taken as
   a velocity or as a displacement (position). alpha and beta are Baumgarte's parameters. */
typedef struct td_held_direction {
    const td_reals *qd, *qdd;
    double alpha, beta;
    int velocity;
    bool position;
} td_held_direction;

/* Derivatives of the forces u of motors along y. force is u mapped to velocities of the tree. X +=
   uᵀ ∂J/∂y G for motors in loops. Z (nu × n, NULL if not wanted) += their rows of ∂(M_u ẏ)/∂y.
   curved: whether the scratch contains ∂(Gẏ)/∂y; otherwise it vanishes. */
typedef struct td_motor_changes {
    bool curved;
    td_reals *force, *X, *Z;
} td_motor_changes;

/* Two lists of velocities whose apparent inertia may be only rounding error. A pivot is accepted if
   it exceeds `digits` times the sum of the terms from which it results. */
typedef struct td_suspects {
    struct td_suspect_list {
        const int *velocity;
        size_t count;
    } list[2];
    double digits;
} td_suspects;

/* A point in a link's frame, and the frame that expresses motions of the link at this point. */
typedef struct td_link_point {
    int link;
    const double *point;
    int frame;
} td_link_point;

/* The operational-space terms of a link at a point. columns (6 × nv) is the Jacobian in velocities
   of the tree, J (6 × n) the Jacobian in the velocities of H. mobility and inertia are Λ⁻¹ and Λ (6
   × 6), generalized is J̄ (n × 6). Members may be NULL. Λ and J̄ use the rows of J marked in wanted
   (NULL: all). */
typedef struct td_operational_terms {
    const td_reals *columns, *J;
    const unsigned char *wanted;
    td_reals *mobility, *inertia, *generalized;
} td_operational_terms;

typedef struct td_kernels {
    const char *isa;
    size_t lanes;
    size_t real_size; /* bytes of one real */
#define KERNEL(result, name, parameters) result(*name) parameters;
#include "kernel/table.h"
} td_kernels;

#endif
