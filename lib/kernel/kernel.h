/* SPDX-License-Identifier: MIT */
/*
 * The door between the library and its kernels. A table of kernels exists for every pair of
 * instruction set and `real`. `real` passes this door by pointer only: td_reals is an array of one
 * real per entry (lanes side by side), in memory that is aligned for it.
 *
 * Two sets of coordinates are in use: body coordinates (placements, rnea), and world axes with the
 * reference point at each body's origin (all others), in which inertias are added without being
 * turned.
 */
#ifndef TD_KERNEL_H
#define TD_KERNEL_H

#include <stddef.h>

#include "kernel/scratch.h"
#include "model/closure.h"

/* where a link is asked for */
enum { TD_EVERY_LINK = -1 };

/* How wrenches and motions of links are expressed; the values of td_frame. */
enum { TD_AT_WORLD, TD_AT_BODY, TD_AT_WORLD_ALIGNED };

/* A motion of the tree, and what acts on it or is known of it: what one kernel does not name is not
   read by it. */
typedef struct td_motion_inputs {
    const td_reals *q, *qd, *qdd;
    const td_reals *wrenches; /* links × 6 in that frame, of which wrench was made; NULL: none */
    int frame;
    double friction_velocity; /* of passive forces */
    bool posed;               /* the poses of all bodies at q are there */
    bool loaded;              /* wrench is */
    bool passive;             /* passive forces of joints act */
    bool rotors;              /* rotor inertias count */
} td_motion_inputs;

/* How the closure changes along y: G by its pattern, NULL in the tree's coordinates, and by that
   pattern ∂(Gẏ)/∂y, ∂(Gÿ + g)/∂y, NULL too where nothing is wanted along y, and ∂g/∂ẏ; NULL where
   they vanish. */
typedef struct td_closure_changes {
    const td_csr *G;
    const td_reals *velocity_y, *acceleration_y, *acceleration_yd;
} td_closure_changes;

/* ∂τ/∂y and ∂τ/∂ẏ, n × n each, and H by its pattern (NULL: not wanted) */
typedef struct td_force_derivatives {
    td_reals *by_position, *by_rate, *mass;
    const td_pattern *pattern;
} td_force_derivatives;

/* What constrained motion K q̈ = k changes along, a velocity of q̇ or a position; with Baumgarte's α
   and β. */
typedef struct td_held_direction {
    const td_reals *qd, *qdd;
    double alpha, beta;
    int velocity;
    bool position;
} td_held_direction;

/* What forces u of motors change by along y: force, u by velocities of the tree; X += uᵀ ∂J/∂y G of
   motors in loops; and onto Z (nu × n, NULL: not wanted) their rows of ∂(M_u ẏ)/∂y. curved: whether
   the scratch has ∂(Gẏ)/∂y, which vanishes else. */
typedef struct td_motor_changes {
    bool curved;
    td_reals *force, *X, *Z;
} td_motor_changes;

/* Velocities whose inertia may be near to rounding, in two lists; a pivot must exceed a part,
   digits, of what it is left of. */
typedef struct td_suspects {
    struct td_suspect_list {
        const int *velocity;
        size_t count;
    } list[2];
    double digits;
} td_suspects;

/* a point of a link, as if its frame were there, and the frame that motions are expressed in */
typedef struct td_link_point {
    int link;
    const double *point;
    int frame;
} td_link_point;

/* J of a link at a point by the tree's velocities (columns, 6 × nv) and by those of H (J, 6 × n),
   and of it Λ⁻¹ and Λ (6 × 6) and J̄ (n × 6); each may be NULL. Of Λ and J̄ the wanted rows of J
   count (NULL: all). */
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
