/* SPDX-License-Identifier: MIT */
/*
 * Clusters of bodies with coupled coordinates.
 */
#ifndef TD_CLUSTERS_H
#define TD_CLUSTERS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A partition of the bodies for the articulated-body algorithm in independent coordinates. Each
 * cluster contains everything that depends on its coordinates. All bodies of a cluster whose
 * parents are outside it share one parent, so the clusters form a tree. An uncoupled body is a
 * cluster by itself.
 */
typedef struct td_cluster {
    int outer;         /* the body that carries the cluster, −1 for the world */
    int first, bodies; /* range in td_clusters.body; parents before children */
    int coordinate;    /* first entry in td_clusters.coordinate */
    int coordinates;   /* number of independent velocities that move it */
    bool plain;        /* one body with an uncoupled joint */
} td_cluster;

/*
 * The path from a cluster to the world passes its carrier: the body that carries it. Then come the
 * carrier of that body's cluster, and so on. Each carrier has a column per coordinate of its
 * cluster. A run (td_stretch) is a sequence of such columns that are passed one after the other and
 * belong to consecutive coordinates. They are adjacent in memory and refer to the origin of their
 * outermost body. Bodies of plain clusters have columns even if they carry nothing, so that columns
 * of consecutive bodies are adjacent.
 */
typedef struct td_stretch {
    int column, columns; /* first column, and number of columns */
    int coordinate;      /* the velocity of the first column; the others are consecutive */
    int next;            /* the next run towards the world, −1 at the world */
} td_stretch;

typedef struct td_clusters {
    size_t count;
    td_cluster *cluster; /* each cluster comes after the one that carries it */
    int *body;
    int *place;      /* per body: index in its cluster; NULL for the tree's clusters */
    int *coordinate; /* independent velocities, cluster by cluster */
    int *local;      /* per independent velocity: index within its cluster */
    int *column;     /* per body: its first column, −1 for none */
    int *outwards;   /* per body with columns: the first run on its path to the world */
    int *point;      /* per column: the body whose origin it refers to */
    td_stretch *stretch;
    size_t stretches, columns;
    int most_bodies, most_coordinates; /* maxima over the clusters that are not plain */
} td_clusters;

#endif
