/* SPDX-License-Identifier: MIT */
/*
 * Inertias of the tree, at load and after payloads change them.
 */
#ifndef TD_TREE_INERTIA_H
#define TD_TREE_INERTIA_H

#include "model/tree.h"
#include "tandem/records.h"

/* The sums of m, m x and m x xᵀ over some points x. */
typedef struct td_points {
    double mass;
    td_vec3 first;
    td_sym3 second;
} td_points;

/* Adds the inertia of a record to the link with this index, and to the link's body or to the
   world. */
void td_tree_add_inertia(td_tree *tree, const td_link *link, int index);

/* Computes everything that follows from mass, moment and inertia of the bodies: moments,
   body_inertia, regrouped and subtree masses. points: scratch, one td_points per body. Neither
   allocates nor locks. */
void td_tree_derive(td_tree *tree, td_points *points);

#endif
