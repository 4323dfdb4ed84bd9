/* SPDX-License-Identifier: MIT */
/*
 * The scratch of a cluster of m bodies and n coordinates, in reals: see kernel/tree/cluster.c.
 */
#ifndef TD_CLUSTER_LAYOUT_H
#define TD_CLUSTER_LAYOUT_H

#include "kernel/layout.h"
#include "model/clusters.h"

enum { TD_SPATIAL_REALS = 6 };

typedef struct td_cluster_layout {
    size_t columns; /* m × n spatial vectors */
    size_t U;       /* n spatial vectors */
    size_t D;       /* n × n */
    size_t u, x;    /* n */
    size_t reals;
} td_cluster_layout;

static inline td_cluster_layout td_cluster_layout_of(const td_cluster *c)
{
    const size_t m = (size_t)c->bodies, n = (size_t)c->coordinates;
    td_cluster_layout l = {0};
    l.columns = td_layout_piece(&l.reals, TD_SPATIAL_REALS * m * n);
    l.U = td_layout_piece(&l.reals, TD_SPATIAL_REALS * n);
    l.D = td_layout_piece(&l.reals, n * n);
    l.u = td_layout_piece(&l.reals, n);
    l.x = td_layout_piece(&l.reals, n);
    return l;
}

#endif
