/* SPDX-License-Identifier: MIT */
/*
 * Moments in a binary tree over the leaves of all rows, which is the same whoever adds them up.
 * Node (level, position) stands for leaves position · 2ˡᵉᵛᵉˡ … (position + 1) · 2ˡᵉᵛᵉˡ − 1. Two
 * siblings become their parent as soon as both are there; what has no sibling yet is the forest.
 * Which nodes it has, and the bits in them, thus follow from the set of its leaves alone.
 */
#ifndef TD_FOREST_H
#define TD_FOREST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of n numbers: n, their mean, Σ (x − mean)². All 0 of none. */
typedef struct td_moment {
    uint64_t count;
    double mean, squares;
} td_moment;

typedef struct td_node {
    uint64_t position;
    unsigned level;
} td_node;

/* a node has leaves up to this power of two */
enum { TD_FOREST_LEVELS = 64 };

typedef struct td_forest {
    size_t width; /* moments of a node: columns that are summed up */
    size_t count, room;
    td_node *node;     /* in the order of their leaves */
    td_moment *moment; /* count × width */
    td_moment *joined; /* width: the node that is being inserted */
} td_forest;

/* Of n finite numbers, the smallest and the largest of which are least and most. Sums go by a fixed
   order; what overflows has infinite squares. The mean is within least … most, whatever it is
   rounded to, and squares are n (most − least)² at most. */
td_moment td_moment_of(const double *x, size_t n, double least, double most);
/* Of the numbers of both. The mean is between theirs. */
td_moment td_moment_join(td_moment a, td_moment b);

/* Zeroed before; without any node. False without memory, and it is to be freed all the same. */
bool td_forest_make(td_forest *forest, size_t width);
void td_forest_free(td_forest *forest);
/* Room for so many more nodes; false without memory. */
bool td_forest_reserve(td_forest *forest, size_t more);
/* A node (width moments), of whose leaves the forest has none. Takes room of one more at most. */
void td_forest_insert(td_forest *forest, td_node node, const td_moment *moment);
/* All nodes of another one, which has no leaf that this one has. Takes room of as many more.
   O(nodes of both): parts whose leaves alternate would be moved for each node that is inserted. */
void td_forest_merge(td_forest *forest, const td_forest *other);
/* Moment k of all leaves. */
td_moment td_forest_fold(const td_forest *forest, size_t k);

/* The largest node that begins at a leaf and does not go beyond end − 1. */
td_node td_node_at(uint64_t leaf, uint64_t end);

#endif
