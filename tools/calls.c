/* SPDX-License-Identifier: MIT */
/*
 * The two sets of functions, see calls.h.
 */
#include "calls.h"

static const calls independent_calls = {
#define CALL_INDEPENDENT(batch, name) .batch##name = td_##batch##name,
    CALL_TABLE(CALL_INDEPENDENT)
#undef CALL_INDEPENDENT
};

static const calls tree_calls = {
#define CALL_TREE(batch, name) .batch##name = td_##batch##tree_##name,
    CALL_TABLE(CALL_TREE)
#undef CALL_TREE
};

const calls *calls_of(bool tree)
{
    return tree ? &tree_calls : &independent_calls;
}
