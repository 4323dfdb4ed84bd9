/* SPDX-License-Identifier: MIT */
/*
 * What a workspace changes of its model: its own tree, with gravity and payloads of its own, and
 * the payloads of each state of a batch (tandem/payload.h).
 */
#ifndef TD_CHANGES_H
#define TD_CHANGES_H

#include "dynamics/workspace.h"

/* Returns the workspace's own tree, in use from now on; factors of the tree before are forgotten.
 */
td_tree *td_changes_tree(td_workspace *workspace);

/* Sums the inertias of the model and of all payloads into the workspace's tree; without payloads
   they are the model's. */
void td_changes_apply(td_workspace *workspace);

/* Whether the states of batches have payloads of their own. */
static inline bool td_changes_have_rows(const td_workspace *workspace)
{
    return workspace->changes.row != NULL;
}

/* Around work on rows that have payloads: keeps those of the workspace; applies those of a row in
   their place; restores them. */
void td_changes_begin_rows(td_workspace *workspace);
void td_changes_use_row(td_workspace *workspace, size_t row);
void td_changes_end_rows(td_workspace *workspace);

#endif
