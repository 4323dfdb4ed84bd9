/* SPDX-License-Identifier: MIT */
/*
 * Indices within the library are int, with -1 for none, so that arrays of them are short; those of
 * the interface are size_t, with TD_NONE. Nothing else takes one for the other.
 */
#ifndef TD_INDEX_H
#define TD_INDEX_H

#include <stddef.h>

#include "tandem/status.h"

/* Returns an index of the library as the interface has it. */
static inline size_t td_index_out(int index)
{
    return index < 0 ? TD_NONE : (size_t)index;
}

/* Returns an index of the interface, of something that the model has or none, as the library has
   it. */
static inline int td_index_in(size_t index)
{
    return index == TD_NONE ? -1 : (int)index;
}

#endif
