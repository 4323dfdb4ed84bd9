/* SPDX-License-Identifier: MIT */
/*
 * Kernels of an instruction set, and random forests of all shapes to test them with.
 */
#ifndef TD_TEST_KERNELS_HERE_H
#define TD_TEST_KERNELS_HERE_H

#include <stdio.h>

#include "kernel/isa.h"
#include "td_test.h"

/* Returns the kernels of an instruction set. Prints a remark and returns NULL if the machine lacks
   it. */
static inline const td_isa_kernels *kernels_here(const char *isa)
{
    const td_isa_kernels *kernels = td_isa_choose(isa);
    if (!kernels)
        printf("# %s: not on this machine\n", isa);
    return kernels;
}

/* Returns the parent of node i in a forest; shape 0 gives few trees that are chains. */
static inline int random_parent(td_random *random, int i, size_t shape)
{
    if (i == 0 || td_random_below(random, 20) == 0)
        return -1;
    bool next = shape == 0 || td_random_below(random, shape) == 0;
    return next ? i - 1 : (int)td_random_below(random, (size_t)i);
}

#endif
