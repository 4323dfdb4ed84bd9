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

/*
 * From a cluster to the world one passes the bodies that carry: the body that carries it, the one
 * that carries the cluster of that, and so on. Each has a column for every coordinate of its
 * cluster. Columns that are passed one after the other, and whose coordinates are consecutive, lie
 * side by side, about the origin of the outermost of their bodies: a stretch. Bodies of plain
 * clusters have columns even where they carry nothing, so that those of consecutive bodies lie side
 * by side.
 */
typedef struct td_stretch {
    int column, columns; /* the first one, and how many */
    int coordinate;      /* the velocity that the first one belongs to; the others' follow */
    int next;            /* stretch, −1 at the world */
} td_stretch;

typedef struct td_clusters {
    size_t count;
    td_cluster *cluster; /* a cluster comes after the one that carries it */
    int *body;
    int *place;      /* per body: which of its cluster it is; not of the tree's clusters */
    int *coordinate; /* independent velocities, cluster by cluster */
    int *local;      /* per independent velocity: its place within its cluster */
    int *column;     /* per body: its first column, −1 for none */
    int *outwards;   /* per body with columns: the stretch that is passed first from there */
    int *point;      /* per column: about the origin of that body */
    td_stretch *stretch;
    size_t stretches, columns;
    int most_bodies, most_coordinates; /* of a cluster that is not plain */
} td_clusters;

#endif
