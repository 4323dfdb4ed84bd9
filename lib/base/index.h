/* SPDX-License-Identifier: MIT */
/*
 * Indices inside the library are int, with −1 for none, which keeps arrays of them small. Public
 * indices are size_t, with TD_NONE. Convert between them only with these functions.
 */
#ifndef TD_INDEX_H
#define TD_INDEX_H

#include <stddef.h>

#include "tandem/status.h"

/* Converts an internal index to a public one. */
static inline size_t td_index_out(int index)
{
    return index < 0 ? TD_NONE : (size_t)index;
}

/* Converts a public index to an internal one. It must be valid or TD_NONE. */
static inline int td_index_in(size_t index)
{
    return index == TD_NONE ? -1 : (int)index;
}

#endif
