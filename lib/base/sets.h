/* SPDX-License-Identifier: MIT */
/*
 * Disjoint sets: each element leads, link by link, to the root of its set. set[i] = i to begin
 * with; set[root of a] = root of b unites two.
 */
#ifndef TD_SETS_H
#define TD_SETS_H

/* the root of i's set; the way there gets shorter */
static inline int td_set_of(int *set, int i)
{
    while (set[i] != i)
        i = set[i] = set[set[i]];
    return i;
}

#endif
