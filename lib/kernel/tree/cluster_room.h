/* SPDX-License-Identifier: MIT */
/*
 * Scratch of the algorithms over clusters, from the inward pass to the outward pass, for a cluster
 * with m bodies and n coordinates. Notation as in cluster.c.
 */
#ifndef TD_CLUSTER_ROOM_H
#define TD_CLUSTER_ROOM_H

#include "kernel/real/spatial.h"

/* m × n columns Ψ, n columns U, n × n factors of D, and two vectors of n */
typedef struct cluster_room {
    spatial *columns, *U;
    real *D, *u, *x;
} cluster_room;

#endif
