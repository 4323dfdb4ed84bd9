/* SPDX-License-Identifier: MIT */
/*
 * Moments in a binary tree over the leaves of all rows. The result does not depend on who adds them
 * up. Node (level, position) covers leaves position · 2ˡᵉᵛᵉˡ … (position + 1) · 2ˡᵉᵛᵉˡ − 1. Two
 * siblings are joined into their parent as soon as both exist. The nodes without siblings form the
 * forest. So the set of leaves alone determines which nodes it has, to the bit.
 */
#ifndef TD_FOREST_H
#define TD_FOREST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Moments of n numbers: n, their mean, Σ (x − mean)². All are 0 if n is 0. */
typedef struct td_moment {
    uint64_t count;
    double mean, squares;
} td_moment;

typedef struct td_node {
    uint64_t position;
    unsigned level;
} td_node;

/* a node has at most 2 to this power leaves */
enum { TD_FOREST_LEVELS = 64 };

typedef struct td_forest {
    size_t width; /* moments per node, one per column that is summed */
    size_t count, room;
    td_node *node;     /* sorted by leaf */
    td_moment *moment; /* count × width */
    td_moment *joined; /* scratch, width: the node that is being inserted */
} td_forest;

/* Computes the moment of n finite numbers; least and most are their extremes. The order of
   summation is fixed. If squares overflow they are infinite. After rounding, least ≤ mean ≤ most
   and squares ≤ n (most − least)². */
td_moment td_moment_of(const double *x, size_t n, double least, double most);
/* Computes the moment of the numbers of both. Its mean is between their means. */
td_moment td_moment_join(td_moment a, td_moment b);

/* Creates an empty forest; forest is zeroed by the caller. Returns false if memory runs out. Free
   the forest in either case. */
bool td_forest_make(td_forest *forest, size_t width);
void td_forest_free(td_forest *forest);
/* Reserves capacity for this many more nodes. Returns false if memory runs out. */
bool td_forest_reserve(td_forest *forest, size_t more);
/* Adds a node (width moments) whose leaves are all new to the forest. Needs capacity for one more
   node. */
void td_forest_insert(td_forest *forest, td_node node, const td_moment *moment);
/* Adds all nodes of another forest, which must have no leaf in common. Needs capacity for
   other->count more nodes. O(nodes of both). Single insertions would take longer: if leaves
   alternate, each one moves many nodes. */
void td_forest_merge(td_forest *forest, const td_forest *other);
/* Computes moment k of all leaves. */
td_moment td_forest_fold(const td_forest *forest, size_t k);

/* Returns the largest node that begins at a leaf and ends before end. */
td_node td_node_at(uint64_t leaf, uint64_t end);

#endif
