/* SPDX-License-Identifier: MIT */
/*
 * Changes that a workspace can make to its model: gravity, payloads, and the payloads of each state
 * of a batch (tandem/payload.h). The workspace then has its own tree.
 */
#ifndef TD_CHANGES_H
#define TD_CHANGES_H

#include "dynamics/workspace.h"

/* Returns the workspace's own tree and makes the workspace use it. Factors of the previous tree
   become invalid. */
td_tree *td_changes_tree(td_workspace *workspace);

/* Sums the inertias of the model and of all payloads into the workspace's tree. Without
   payloads, the tree uses the model's inertias. */
void td_changes_apply(td_workspace *workspace);

/* Returns whether a payload adds neither mass nor inertia. */
bool td_payload_is_empty(const td_payload *payload);

/* Returns whether each state of a batch has its own payloads. */
static inline bool td_changes_have_rows(const td_workspace *workspace)
{
    return workspace->changes.row != NULL;
}

/* For batches with payloads per row: save the payloads of the workspace, apply a row's payloads,
   and restore. */
void td_changes_begin_rows(td_workspace *workspace);
void td_changes_use_row(td_workspace *workspace, size_t row);
void td_changes_end_rows(td_workspace *workspace);

#endif
