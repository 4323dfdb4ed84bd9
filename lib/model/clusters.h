/* SPDX-License-Identifier: MIT */
/*
 * Clusters of bodies whose coordinates are coupled.
 */
#ifndef TD_CLUSTERS_H
#define TD_CLUSTERS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A partition of the bodies for the articulated-body algorithm in independent coordinates. All that
 * depends on one coordinate is in one cluster, and all bodies of a cluster whose parents are not in
 * it have one parent, so that clusters form a tree. A body that nothing is coupled to is a cluster
 * of its own.
 */
typedef struct td_cluster {
    int outer;         /* the body that carries the cluster, −1 for the world */
    int first, bodies; /* in td_clusters.body: parents before children */
    int coordinate;    /* first entry in td_clusters.coordinate */
    int coordinates;   /* number of independent velocities that move it */
    bool plain;        /* one body with a joint that nothing follows */
} td_cluster;

typedef struct td_clusters {
    size_t count;
    td_cluster *cluster; /* a cluster comes after the one that carries it */
    int *body;
    int *coordinate; /* independent velocities, cluster by cluster */
    int *local;      /* per independent velocity: its place within its cluster */
} td_clusters;

#endif
