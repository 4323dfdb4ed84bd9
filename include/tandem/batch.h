/* SPDX-License-Identifier: MIT */
/*
 * Batches: many states of one robot in one call, worked on side by side in the lanes of the
 * processor's vectors (td_lanes). Arrays are row-major with one state a row: y is n × ny, tau_y is
 * n × nyd, poses n × links × 12, as NumPy lays them out. NULL yd or ydd means zero for all.
 *
 * each (n entries, may be NULL) receives a status for every state: TD_OK, or TD_ERROR_NOT_FINITE
 * where the result of that state is not finite; its row is NaN then, and the other rows are valid.
 * The call returns TD_OK if all states are, else the first state's status that is not.
 */
#ifndef TANDEM_BATCH_H
#define TANDEM_BATCH_H

#include "tandem/dynamics.h"
#include "tandem/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* forces->wrenches, where given, are the same for all states (links × 6). */
TD_API td_status td_batch_inverse_dynamics(const td_model *model, td_workspace *workspace, size_t n,
                                           const double *y, const double *yd, const double *ydd,
                                           const td_forces *forces, double *tau_y, td_status *each);
TD_API td_status td_batch_tree_inverse_dynamics(const td_model *model, td_workspace *workspace,
                                                size_t n, const double *q, const double *qd,
                                                const double *qdd, const td_forces *forces,
                                                double *tau, td_status *each);

TD_API td_status td_batch_link_poses(const td_model *model, td_workspace *workspace, size_t n,
                                     const double *y, double *poses, td_status *each);
TD_API td_status td_batch_tree_link_poses(const td_model *model, td_workspace *workspace, size_t n,
                                          const double *q, double *poses, td_status *each);

#ifdef __cplusplus
}
#endif
#endif
