/* SPDX-License-Identifier: MIT */
/*
 * Sorts integers in ascending order.
 */
#ifndef TD_SORT_H
#define TD_SORT_H

#include <stdlib.h>

static inline int td_compare_ints(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static inline void td_sort_ints(int *list, size_t count)
{
    qsort(list, count, sizeof *list, td_compare_ints);
}

#endif
