/* SPDX-License-Identifier: MIT */
/*
 * Charts: alternative independent coordinates u in place of y, for motions through dead points.
 *
 * Example: in a slider-crank with the slider as y, the slider stops when crank and rod are aligned.
 * The entries of G in q̇ = G ẏ are then unbounded although the mechanism keeps moving. The angle of
 * the crank is a good coordinate there. As long as the loops keep their rank, every position has
 * good coordinates (coordinate partitioning, Wehage and Haug 1982).
 *
 *   td_chart_choose    selects u at a configuration
 *   td_chart_entries   returns the coordinates of the tree that form u and u̇
 *   td_closure, td_independent_coordinates    compute q from u, and u from q
 *   td_chart_speeds    measures how close u and y are to a dead point
 *   td_chart_leave     returns to y, on the branch of a configuration
 *   td_chart_use       switches between y and u for some calls
 *
 * A workspace begins with y. td_chart_choose gives it a chart: coordinates u of the same number and
 * order as y, in which some joints of loops replace others. Calls on the workspace then use u.
 * Wherever a function takes or returns y, ẏ, ÿ or forces along them, the numbers then belong to u.
 * This applies to single states and batches, with the same errors and costs. M_u, the unbalanced
 * forces of td_forces_to_actuators, and reactions of loops refer to the joints of u.
 *
 * Functions of the model alone always use y: td_joint_place_at, td_outside_limits,
 * td_effective_limit_at, td_reference and others. td_integrate, td_normalize and td_difference
 * accept u as well. With TD_COORDINATES_TREE (td_use_coordinates) a chart does not affect dynamics
 * and kinematics; it stays selected for TD_COORDINATES_INDEPENDENT.
 *
 * Joints in iterated loops have swappable coordinates, including leaders of mimic joints and parts
 * of planar and universal joints. The following are never swapped: independent elastic joints
 * without a motor, coordinates that a td_closure_function computes, and joints of the loops that it
 * closes. A td_closure_function must handle its own dead points. A loop in closed form is solved by
 * Newton's method in a chart that swaps its coordinates. Linear loops have no dead points.
 *
 * For joints with a quaternion (floating, ball), velocities are swapped and positions are not. u
 * has the entries of y first and then all other positions of their loops, td_chart_positions in
 * total. td_independent_coordinates returns them. γ moves the poses in u along the dependent
 * velocities (closure.h) and recomputes the other dependent coordinates. In such a chart
 * td_integrate, td_normalize and td_difference accept y only. td_motion_from_actuators returns
 * TD_ERROR_ARGUMENT. So does td_forces_to_actuators if such a joint has independent velocities
 * without a motor.
 *
 * No function here allocates: a workspace includes the memory for a chart.
 */
#ifndef TANDEM_CHART_H
#define TANDEM_CHART_H

#include <stdbool.h>

#include "tandem/closure.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Selects u at a configuration, starting from the current selection.

     model      the robot
     workspace  of the model
     q          nq, with closed loops
     keep       one byte per entry of ẏ: nonzero keeps the coordinate at this entry; NULL: all may
                be swapped
     changed    receives whether a coordinate was swapped

   Each swap increases the volume of the dependent columns of K by more than a factor of 2, the
   largest increase first, until no such swap is left (maximum volume, Knuth 1985). A unit rate of
   one entry of u̇ then moves no swappable dependent joint faster than 2. Lengths are relative to the
   size of their mechanism, angles in rad.

   γ(u) starts at q; the start of γ(y) is unchanged. If the swaps lead back to y, the workspace uses
   y again.

   TD_ERROR_ASSEMBLY: loops are not closed at q. TD_ERROR_CLOSURE_SINGULAR: K is rank-deficient
   there or nearly so; td_failed_loop returns the loop. After an error nothing has changed and
   *changed is false. Cost: O(rows · coordinates · dependents) per group of loops. */
TD_API td_status td_chart_choose(const td_model *model, td_workspace *workspace, const double *q,
                                 const unsigned char *keep, bool *changed);

/* Computes how close coordinates are to a dead point: the rate of the fastest swappable dependent
   joint for a unit rate of one coordinate. It is infinite at a dead point, and 0 if nothing can be
   swapped.

     model      the robot
     workspace  of the model
     q          nq, with closed loops
     keep       as in td_chart_choose
     of_u       receives the rate for the current coordinates; may be NULL
     of_y       receives the rate for y; may be NULL

   TD_ERROR_ASSEMBLY: loops are not closed at q. After any error except TD_ERROR_ARGUMENT both rates
   are NaN. Cost as in td_chart_choose. */
TD_API td_status td_chart_speeds(const td_model *model, td_workspace *workspace, const double *q,
                                 const unsigned char *keep, double *of_u, double *of_y);

/* Returns the workspace to y, with γ starting at q (nq). TD_ERROR_ASSEMBLY: loops are not closed at
   q. TD_ERROR_CLOSURE_SINGULAR: y is at a dead point, or closer to one than td_closure_start
   allows. After an error nothing has changed. */
TD_API td_status td_chart_leave(const td_model *model, td_workspace *workspace, const double *q);

/* Selects whether calls use u of the last chart (true) or y (false). Returns the previous
   selection. u and y have separate starts of γ and separate last states, so calls with y do not
   disturb u. Without a chart the selection is always y. Cost: O(threads). */
TD_API bool td_chart_use(td_workspace *workspace, bool used);
/* Returns whether calls use a chart; false for NULL. */
TD_API bool td_chart_is_used(const td_workspace *workspace);

/* Returns the number of entries of u, equal for all charts of the model: td_ny, or more if joints
   with a quaternion are in iterated loops. 0 for NULL. Cost: O(1). */
TD_API size_t td_chart_positions(const td_model *model);

/* Returns the coordinates of the tree that form the current coordinates (u or y). positions
   (td_chart_positions for u, ny for y) receives the index in q of each entry. velocities (nyd)
   receives the index in q̇ of each velocity. Either may be NULL. Cost: O(ny). */
TD_API td_status td_chart_entries(const td_model *model, td_workspace *workspace, size_t *positions,
                                  size_t *velocities);

#ifdef __cplusplus
}
#endif
#endif
