/* SPDX-License-Identifier: MIT */
/*
 * Properties of a robot that may change while it runs: gravity, and payloads of its links. The
 * model stays the same. A change belongs to one workspace: it affects every call with it, for one
 * state or a batch, and no call with other workspaces.
 *
 * Changes do not slow down calls, with one exception: payloads that remove more than 99.9 % of a
 * link's mass, or of a moment about its center of mass. Functions that solve for accelerations then
 * check for motions without inertia. This costs up to one more mass matrix and its factorization.
 *
 * Queries of the model (td_total_mass, td_link_at) ignore the changes. Functions with a workspace,
 * such as td_energy and td_center_of_mass, use them. Closed loops, coordinates and limits do not
 * depend on them.
 */
#ifndef TANDEM_PAYLOAD_H
#define TANDEM_PAYLOAD_H

#include "tandem/model.h"
#include "tandem/workspace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets gravity (3, world axes, m/s²) for a workspace; NULL restores the gravity of the model.
   TD_ERROR_ARGUMENT: workspace is NULL, or a number is not finite; then nothing changes. Does not
   allocate or lock. Cost: O(1). */
TD_API td_status td_set_gravity(td_workspace *workspace, const double gravity[3]);

/* Returns the gravity (3, world axes, m/s²) that calls with this workspace use. If workspace is
   NULL, returns the gravity of the model; if both are NULL, NULL. The pointer is valid as long as
   the workspace, or the model. */
TD_API const double *td_gravity(const td_model *model, const td_workspace *workspace);

/* Allocates memory for payloads, so that later calls of td_set_payload do not allocate.
   TD_ERROR_MEMORY; TD_ERROR_ARGUMENT: workspace is NULL. Cost: O(joints + links). */
TD_API td_status td_allow_payloads(td_workspace *workspace);

/* Attaches a payload to a link. It replaces the previous payload of this link. mass 0 without
   inertia removes it.

     link     index of the link
     mass     kg; negative to reduce the mass of the link, at most to zero
     com      3: center of mass in the frame of the link, m; NULL: the link's origin
     inertia  6: ixx, ixy, ixz, iyy, iyz, izz about the center of mass, in the axes of the link, kg
              m²; NULL: a point mass

   To give a link arbitrary mass properties, pass the difference from its properties in the model.
   Segments of a flexible link are separate links (td_flexible in tandem/records.h). The first
   segment has the name and the frame of the flexible link. A payload moves with the segment it is
   attached to, wherever com is.

   No dynamics call may use the workspace at the same time. The first call allocates, unless
   td_allow_payloads was called; the function does not lock. Nothing changes on errors.
   TD_ERROR_ARGUMENT: workspace is NULL, there is no such link, a number is not finite, or the
   link's mass would be negative. TD_ERROR_MEMORY. Cost: O(joints + links). */
TD_API td_status td_set_payload(td_workspace *workspace, size_t link, double mass,
                                const double com[3], const double inertia[6]);

/* Sets payloads that differ between the states of a batch. Later batches on this workspace use
   payloads[i] for state i, in place of the payloads of td_set_payload for these links. Other links
   keep their payloads. Calls for one state ignore them.

     n         number of rows; a longer batch returns TD_ERROR_ARGUMENT. 0 ends the use of such
               payloads
     count     number of links
     links     count indices of different links
     payloads  n × count × 10: mass, com (3) and inertia (6) as in td_set_payload, none omitted

   Both arrays belong to the caller and must not change until the next call of this function or of
   td_clear_payloads.

   Such a batch is computed state by state, by one thread and without SIMD lanes. Each state costs a
   single call plus O(joints + links). The first call allocates, unless td_allow_payloads was
   called. Nothing changes on errors: TD_ERROR_ARGUMENT as in td_set_payload, TD_ERROR_MEMORY. Cost:
   O(n · count). */
TD_API td_status td_set_payload_rows(td_workspace *workspace, size_t n, size_t count,
                                     const size_t *links, const double *payloads);

/* Removes all payloads of td_set_payload and td_set_payload_rows. This restores the inertias of the
   model to the bit. TD_ERROR_ARGUMENT: workspace is NULL. */
TD_API td_status td_clear_payloads(td_workspace *workspace);

#ifdef __cplusplus
}
#endif
#endif
