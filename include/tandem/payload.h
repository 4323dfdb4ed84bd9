/* SPDX-License-Identifier: MIT */
/*
 * What may change of a robot while it runs: gravity, and what its links carry. The model stays as
 * it is. A change belongs to a workspace: every call with it, of one state or of a batch, works
 * with the changed robot, and calls with other workspaces do not. Calls take as long as without
 * changes; only where a payload takes away all but a thousandth of a link's mass, or of a
 * moment about its centre of mass, those that solve for accelerations look for motions that nothing
 * resists any longer, which takes up to another mass matrix and its factors.
 *
 * Queries of the model (td_total_mass, td_link_at) do not see changes; td_energy,
 * td_center_of_mass and the like, which take a workspace, do. Closed loops, coordinates and limits
 * do not depend on any of this.
 */
#ifndef TANDEM_PAYLOAD_H
#define TANDEM_PAYLOAD_H

#include "tandem/model.h"
#include "tandem/workspace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Gravity in world axes, m/s²; NULL: that of the model again. Neither allocates nor locks. O(1).
   TD_ERROR_ARGUMENT, with nothing changed: workspace NULL, or a number that is not finite. */
TD_API td_status td_set_gravity(td_workspace *workspace, const double gravity[3]);

/* Returns the gravity (3, world axes, m/s²) that calls with this workspace use; workspace NULL:
   that of the model. NULL if both are NULL. The pointer is valid as long as the object. */
TD_API const double *td_gravity(const td_model *model, const td_workspace *workspace);

/* Room for payloads, so that td_set_payload does not allocate. TD_ERROR_MEMORY; TD_ERROR_ARGUMENT
   (NULL). O(joints + links). */
TD_API td_status td_allow_payloads(td_workspace *workspace);

/* Fixes a body to a link, in place of the one that this function has fixed to it before; mass 0 and
   no inertia take it away.
     mass     kg; below zero what the link loses, at most what it has
     com      3: centre of mass in the link's frame, m; NULL: the link's origin
     inertia  6: ixx, ixy, ixz, iyy, iyz, izz about the centre of mass, in the link's axes, kg m²;
              NULL: a point mass
   Pieces of a flexible link are links of their own (td_flexible in tandem/records.h): the first one
   has its name and its frame, and each carries what is fixed to it alone, wherever com is.
   So the difference to what the model has gives a link any mass properties. O(joints + links), and
   no dynamics call may use the workspace meanwhile. It allocates the first time unless
   td_allow_payloads has, and does not lock. With nothing changed: TD_ERROR_ARGUMENT (NULL, no such
   link, numbers that are not finite, a link of negative mass), TD_ERROR_MEMORY. */
TD_API td_status td_set_payload(td_workspace *workspace, size_t link, double mass,
                                const double com[3], const double inertia[6]);

/* Sets payloads that differ from state to state of a batch. From now on batches on this workspace
   work on state i with payloads[i] in place of what td_set_payload has fixed to these links; calls
   for one state do not see them. Other links keep their payloads.
     n         rows; a longer batch is TD_ERROR_ARGUMENT. 0: batches have no payloads of their own
     links     count different links
     payloads  n × count × 10: mass, com (3) and inertia (6) as in td_set_payload, all given
   Both arrays are the caller's: they must stay as they are until the next call of this function or
   of td_clear_payloads.
   Such a batch is worked on state by state, by one thread and without lanes, each a single call
   and O(joints + links). It allocates the first time unless td_allow_payloads has. With nothing
   changed: TD_ERROR_ARGUMENT (as td_set_payload), TD_ERROR_MEMORY. O(n · count). */
TD_API td_status td_set_payload_rows(td_workspace *workspace, size_t n, size_t count,
                                     const size_t *links, const double *payloads);

/* Removes all payloads, those of td_set_payload and of td_set_payload_rows: the inertias are the
   model's again, to the bit. TD_ERROR_ARGUMENT (NULL). */
TD_API td_status td_clear_payloads(td_workspace *workspace);

#ifdef __cplusplus
}
#endif
#endif
