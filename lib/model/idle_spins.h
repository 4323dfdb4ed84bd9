/* SPDX-License-Identifier: MIT */
/*
 * Idle spins: directions of ẏ along which gravity and inertia cause no force at any configuration.
 * Rods in loops turn about the lines of their ends.
 */
#ifndef TD_IDLE_SPINS_H
#define TD_IDLE_SPINS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct td_spin {
    int velocity;  /* the entry of ẏ whose acceleration or force is left out */
    int link;      /* the heaviest link that turns */
    bool alone;    /* the direction has no other entries in ẏ */
    bool massless; /* it moves no inertia */
    double *part;  /* per entry of ẏ: the smallest part that it has, relative to the largest */
    char *bodies;  /* per body: whether it turns */
    char *rates;   /* per velocity of the tree: whether it takes part */
    int samples;   /* number of configurations at which it was found */
} td_spin;

typedef struct td_spins {
    size_t count;
    td_spin *at;
} td_spins;

#endif
