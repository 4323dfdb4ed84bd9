/* SPDX-License-Identifier: MIT */
/*
 * Ground reactions: where a wrench passes through a plane, and how it splits among several
 * contacts. td_residual_wrench (dynamics.h) computes the wrench that a motion needs from the
 * ground.
 *
 * A wrench is moment (N m) and force (N) about the world's origin, in world axes (TD_FRAME_WORLD).
 * A plane is a point on it (m) and its normal, in world axes. The normal points from the ground to
 * the robot and may have any length except zero. No function here allocates. td_split_wrench costs
 * O(contacts), the others O(1).
 */
#ifndef TANDEM_GROUND_H
#define TANDEM_GROUND_H

#include <stdbool.h>
#include <stddef.h>

#include "tandem/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Computes the center of pressure: the point of the plane at which the moment of the ground's
   wrench is parallel to the normal. This free moment is what friction transmits about the normal.

     wrench  6: moment and force that the ground exerts
     point   3: a point of the plane, m
     normal  3: normal of the plane
     least   normal force (N) up to which there is no contact; 0 or more
     center  output, 3: center of pressure, m
     moment  output, 1: free moment about the normal, N m; NULL: not written

   Returns false and writes NaN if the normal force is not above least. For feet that push on this
   plane alone, the center lies in the convex hull of their contacts. */
TD_API bool td_center_of_pressure(const double wrench[6], const double point[3],
                                  const double normal[3], double least, double center[3],
                                  double *moment);

/* Computes the zero-moment point: the point of the plane at which the moment of the inertial and
   gravity forces has no horizontal component. On a horizontal plane, if only the ground acts on the
   robot, it equals the center of pressure. On an inclined plane they differ: there the free moment
   is about the normal, and here it is about the vertical.

     wrench  6: the wrench that balances inertial and gravity forces, td_residual_wrench without
             other wrenches
     point   3: a point of the plane, m
     normal  3: normal of the plane
     up      3: the vertical, opposite to gravity; any length except zero
     least   force (N) along up and along the normal up to which there is no such point; 0 or more
     zmp     output, 3: zero-moment point, m

   Returns false and writes NaN if one of these forces is not above least. Source: Vukobratović and
   Borovac, "Zero-moment point: thirty five years of its life" (2004). */
TD_API bool td_zero_moment_point(const double wrench[6], const double point[3],
                                 const double normal[3], const double up[3], double least,
                                 double zmp[3]);

/* Splits a wrench among contacts: finds wrenches that sum to it and differ least from given ones.
   They minimize Σ (|force − near|² + |moment − near|²/length²) / weight, with the moment of each
   contact about its own point.

     wrench    6: the sum, about the world's origin
     count     number of contacts
     points    count × 3: contact points, m
     weights   count: how far each contact may differ, 0 or more. A contact with weight 0 keeps
               its near
     near      count × 6: the wrenches to approach, such as measurements of force plates, each
               about its own point; NULL: zeros
     length    m, above 0: ratio of moments to forces that count as equal. INFINITY: moments are
               free, so forces are near + weight · remainder, for weights that sum to 1
     wrenches  output, count × 6: wrench of each contact about its own point, in world axes; may
               be near

   Without near and with infinite length this is the rule by shares: each contact carries its weight
   of the force, and its weight of the moment that these forces leave. Returns false and writes NaN
   if all weights are zero, if a weight or length is negative, or if a result is not finite. */
TD_API bool td_split_wrench(const double wrench[6], size_t count, const double *points,
                            const double *weights, const double *near, double length,
                            double *wrenches);

#ifdef __cplusplus
}
#endif
#endif
