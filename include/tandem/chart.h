/* SPDX-License-Identifier: MIT */
/*
 * Charts: other independent coordinates than y, for motions through dead points. Where a crank is
 * stretched out, the slider that moves it has a rate of zero: with the slider's y, q̇ = G ẏ has
 * entries without bound, though the mechanism moves on. There the crank's angle is the better
 * coordinate, and no position of a loop that keeps its rank is without good ones (coordinate
 * partitioning, Wehage and Haug 1982).
 *
 * At first the independent coordinates of a workspace are y. td_chart_choose gives it a chart:
 * coordinates u with the sizes and the order of y, in which joints of a loop have taken the places
 * of others. From then on calls use u: where a function takes or returns y, ẏ, ÿ or forces along
 * them, these are along u, for one state and in batches, with the same errors and costs. Functions
 * of the model alone (td_joint_place_at, td_outside_limits, td_effective_limit_at, td_reference, …)
 * always use y; td_integrate, td_normalize and td_difference accept u as well. M_u, the forces that
 * motors lack, and the loops' reactions are those of u's joints. With TD_COORDINATES_TREE
 * (td_use_coordinates) a chart has no effect on dynamics and kinematics; it stays selected, and
 * counts again with TD_COORDINATES_INDEPENDENT.
 *
 *   td_chart_choose                 u at a configuration
 *   td_chart_entries                which coordinates of the tree u and u̇ are
 *   td_closure, td_independent_coordinates    q from u, and u from q
 *   td_chart_speeds                 whether u, or y, is near a dead point
 *   td_chart_leave                  y again, with the branch of the configuration
 *   td_chart_use                    y in between, for some calls
 *
 * Coordinates that may be swapped are those of joints in loops which are iterated, mimic joints'
 * leaders, and parts of planar and universal joints among them. Those of elastic joints that are
 * independent and moved by no motor stay as they are in y; so do the coordinates that a
 * td_closure_function decides, and those of the loops that it closes, whose dead points are the
 * function's affair. A loop in closed form is solved by Newton's method in a chart that has swapped
 * its coordinates. Loops that are linear have no dead points.
 *
 * Of joints with a quaternion (floating, ball) velocities are swapped, not positions. u has all
 * positions of their loops then, after those of y, and is as long as td_chart_positions says.
 * td_independent_coordinates gives it. γ moves the poses in u along velocities that depend
 * (closure.h), and finds other coordinates that depend anew. td_integrate, td_normalize and
 * td_difference serve y alone then, and td_motion_from_actuators is TD_ERROR_ARGUMENT in a chart.
 * So is td_forces_to_actuators where such a joint has independent velocities, which no motor moves.
 *
 * No call here allocates: the workspace has room for a chart from the beginning.
 */
#ifndef TANDEM_CHART_H
#define TANDEM_CHART_H

#include <stdbool.h>

#include "tandem/closure.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Chooses u at a configuration q (nq) where loops are closed, from the present choice on: by swaps,
   each of which makes the volume of the dependent coordinates' columns of K larger by more than
   two, the largest first, until none does (maximum volume, Knuth 1985). Then no dependent joint
   that may be swapped moves faster than twice one of u alone makes it. Lengths count in the size of
   their mechanism, angles in rad. keep: NULL, or bytes per entry of ẏ, ≠ 0 where the coordinate
   that is there stays. *changed: whether there was a swap; if that leads back to y, the workspace
   uses y again. γ of u starts at q from then on; γ of y starts where it did.

   TD_ERROR_ASSEMBLY: q is not closed. TD_ERROR_CLOSURE_SINGULAR: K has lost rank there, or nearly
   so; td_failed_loop says of which loop. On errors nothing has changed and *changed is false.
   O(rows · coordinates · dependents) of each group of loops. */
TD_API td_status td_chart_choose(const td_model *model, td_workspace *workspace, const double *q,
                                 const unsigned char *keep, bool *changed);

/* How fast the fastest dependent joint that could be swapped moves at q, where loops are closed, by
   a rate of 1 of one of the present coordinates, and of those of y: infinite at a dead point, 0
   where nothing could be swapped. Either may be NULL; keep as above. TD_ERROR_ASSEMBLY: q is not
   closed; they are NaN. Cost as above. */
TD_API td_status td_chart_speeds(const td_model *model, td_workspace *workspace, const double *q,
                                 const unsigned char *keep, double *of_u, double *of_y);

/* Makes the workspace use y again, whose γ starts at q from now on. TD_ERROR_ASSEMBLY: q is not
   closed; TD_ERROR_CLOSURE_SINGULAR: y is at a dead point, or as near as td_closure_start says. On
   errors nothing has changed. */
TD_API td_status td_chart_leave(const td_model *model, td_workspace *workspace, const double *q);

/* Selects whether calls use u of the chart that was chosen last, or y. Returns whether they used u
   before. Each has its own start of γ and its own last state, so that u continues where it was
   after calls with y. Without a chart it is y. O(threads). */
TD_API bool td_chart_use(td_workspace *workspace, bool used);
TD_API bool td_chart_is_used(const td_workspace *workspace); /* false for NULL */

/* How many entries u has, in every chart of the model: td_ny, or more where joints with a
   quaternion are in loops that are iterated. O(1); 0 for NULL. */
TD_API size_t td_chart_positions(const td_model *model);

/* Writes which coordinates of the tree u consists of, or y if calls use that: the index in q of
   each entry of u (td_chart_positions, or ny), and in q̇ of each entry of u̇ (nyd). Either may be
   NULL. O(ny). */
TD_API td_status td_chart_entries(const td_model *model, td_workspace *workspace, size_t *positions,
                                  size_t *velocities);

#ifdef __cplusplus
}
#endif
#endif
