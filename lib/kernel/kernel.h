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
#include "model/sparse.h"
#include "model/tree.h"

/* where a link is asked for */
enum { TD_EVERY_LINK = -1 };

/* How wrenches and motions of links are expressed; the values of td_frame. */
enum { TD_AT_WORLD, TD_AT_BODY, TD_AT_WORLD_ALIGNED };

/* velocities whose inertia may be near to rounding */
typedef struct td_suspects {
    const int *velocity;
    size_t count;
} td_suspects;

typedef struct td_kernels {
    const char *isa;
    size_t lanes;
    size_t real_size; /* bytes of one real */
#define KERNEL(result, name, parameters) result(*name) parameters;
#include "kernel/table.h"
} td_kernels;

#endif
