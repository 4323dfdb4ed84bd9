/* SPDX-License-Identifier: MIT */
/*
 * Coordinates for calls, and calls in others than those that a workspace is in, for sources that
 * use the public functions alone.
 */
#ifndef TD_BASE_COORDINATES_H
#define TD_BASE_COORDINATES_H

#include "tandem/workspace.h"

static inline td_coordinates coordinates_for(bool tree)
{
    return tree ? TD_COORDINATES_TREE : TD_COORDINATES_INDEPENDENT;
}

/* The status of a call on the workspace in these coordinates, after which it is in those from
 * before. */
#define TD_IN(workspace, coordinates, call)                                                        \
    __extension__({                                                                                \
        td_workspace *const workspace_ = (workspace);                                              \
        const td_coordinates before_ = td_use_coordinates(workspace_, coordinates);                \
        const td_status status_ = (call);                                                          \
        td_use_coordinates(workspace_, before_);                                                   \
        status_;                                                                                   \
    })
#define TD_IN_TREE(workspace, call) TD_IN(workspace, TD_COORDINATES_TREE, call)
#define TD_IN_INDEPENDENT(workspace, call) TD_IN(workspace, TD_COORDINATES_INDEPENDENT, call)

#endif
