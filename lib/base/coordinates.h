/* SPDX-License-Identifier: MIT */
/*
 * Selects coordinates for calls, also for one call in other coordinates than the workspace's.
 * For sources that only use the public functions.
 */
#ifndef TD_BASE_COORDINATES_H
#define TD_BASE_COORDINATES_H

#include "tandem/workspace.h"

static inline td_coordinates coordinates_for(bool tree)
{
    return tree ? TD_COORDINATES_TREE : TD_COORDINATES_INDEPENDENT;
}

/* Calls a function with the workspace in these coordinates, restores its coordinates, and
   returns the status. */
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
