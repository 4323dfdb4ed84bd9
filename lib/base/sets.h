/* SPDX-License-Identifier: MIT */
/*
 * Disjoint sets (union-find). Each element points to another or, at the root of its set, to
 * itself. Begin with set[i] = i; set[root of a] = root of b merges two sets.
 */
#ifndef TD_SETS_H
#define TD_SETS_H

/* Returns the root of i's set, and shortens the path to it. */
static inline int td_set_of(int *set, int i)
{
    while (set[i] != i)
        i = set[i] = set[set[i]];
    return i;
}

#endif
