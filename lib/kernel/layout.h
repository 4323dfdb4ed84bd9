/* SPDX-License-Identifier: MIT */
/*
 * Layouts: where each piece of some scratch starts, in reals. The loader takes sizes from the
 * layout and the kernels their pointers, so that the two cannot differ.
 */
#ifndef TD_KERNEL_LAYOUT_H
#define TD_KERNEL_LAYOUT_H

#include <stddef.h>

/* Where a piece of so many reals starts, behind those before it. */
static inline size_t td_layout_piece(size_t *reals, size_t count)
{
    const size_t start = *reals;
    *reals += count;
    return start;
}

#endif
