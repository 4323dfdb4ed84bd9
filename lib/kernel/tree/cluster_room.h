/* SPDX-License-Identifier: MIT */
/*
 * What the algorithms over clusters of bodies keep of a cluster with m bodies and n coordinates on
 * the way inwards; cluster.c has the notation.
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
