/* SPDX-License-Identifier: MIT */
/*
 * Configurations: neutral and random ones, integration and difference on the configuration
 * manifold. The positions of a floating joint contain a quaternion and form no vector space, and
 * its velocity is a twist in body axes: y ⊕ v moves along the constant twist v for one second.
 * Positions of other joints are simply added.
 *
 * These functions have no workspace; their second argument names the coordinates. With
 * TD_COORDINATES_INDEPENDENT configurations are y (ny) and velocities ẏ (nyd), as the comments say;
 * with TD_COORDINATES_TREE they are q (nq) and q̇ (nv). Nothing here fails or allocates.
 */
#ifndef TANDEM_CONFIGURATION_H
#define TANDEM_CONFIGURATION_H

#include <stdint.h>

#include "tandem/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes y (ny) with all positions zero and quaternions the identity. */
TD_API void td_neutral(const td_model *model, td_coordinates coordinates, double *y);

/* Computes result (ny) = y ⊕ yd dt. Its quaternions have w ≥ 0, whatever the sign in y. result may
   be y. If loops decide a part of a pose, it moves along those of its velocities that ẏ has; γ adds
   the rest, to first order in dt (closure.h). */
TD_API void td_integrate(const td_model *model, td_coordinates coordinates, const double *y,
                         const double *yd, double dt, double *result);

/* Computes v (nyd) with start ⊕ v = end. Floating joints turn by at most π. Continuous joints are
   plain angles that are not wrapped. If loops decide a part of a pose, v has those of its
   velocities that ẏ has. */
TD_API void td_difference(const td_model *model, td_coordinates coordinates, const double *start,
                          const double *end, double *v);

/* Scales every quaternion of y to unit length, which all other headers require; one without a
   direction becomes the identity. Signs stay, also where w < 0. A user's integrator that adds to
   quaternions needs this between its stages. */
TD_API void td_normalize(const td_model *model, td_coordinates coordinates, double *y);

/* Draws a random configuration within the limits: uniform within the effective limits of
   independent joints, or within the joints' own limits with TD_COORDINATES_TREE; in [-π, π] for
   angles and [-1, 1] m for lengths without limits. Orientations are uniform, with w ≥ 0. If loops
   decide a part of a pose, the pose is that of the reference, moved by up to 1 m and π along each
   velocity of ẏ, and loops are not closed. *seed is advanced; equal seeds give equal sequences on
   all machines. */
TD_API void td_random_configuration(const td_model *model, td_coordinates coordinates,
                                    uint64_t *seed, double *y);

#ifdef __cplusplus
}
#endif
#endif
