/* SPDX-License-Identifier: MIT */
/*
 * Configurations: neutral and random ones, integration and difference on the configuration
 * manifold. The position coordinates of floating joints are no vector space (the quaternion), and
 * their velocity is a twist in body axes: y ⊕ v moves along the constant twist for one second. All
 * others are added. Comments speak of y (ny) and ẏ (nyd); with TD_COORDINATES_TREE they are q (nq)
 * and q̇ (nv). Nothing here fails or allocates.
 */
#ifndef TANDEM_CONFIGURATION_H
#define TANDEM_CONFIGURATION_H

#include <stdint.h>

#include "tandem/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* y (ny) zero, quaternions identity. */
TD_API void td_neutral(const td_model *model, td_coordinates coordinates, double *y);

/* result (ny) = y ⊕ yd dt, quaternions with w ≥ 0, whatever that of y. result may be y. Poses of
   which loops decide a part move along what ẏ has of their velocities; γ does the rest, to first
   order in dt (closure.h). */
TD_API void td_integrate(const td_model *model, td_coordinates coordinates, const double *y,
                         const double *yd, double dt, double *result);

/* v (nyd) with start ⊕ v = end; turns of floating joints by at most π. Continuous joints are plain
   angles: nothing is wrapped. Of poses of which loops decide a part, what ẏ has of that. */
TD_API void td_difference(const td_model *model, td_coordinates coordinates, const double *start,
                          const double *end, double *v);

/* Makes every quaternion of y unit length, which all other functions but these ask of them; one
   without a direction becomes the identity. Their signs stay, also of those with w < 0: an
   integrator of one's own that adds to quaternions needs it between its stages. */
TD_API void td_normalize(const td_model *model, td_coordinates coordinates, double *y);

/* A random configuration within the limits: uniform in the effective limits of independent joints
   (in the tree: their own), in [-π, π] for angles without, in [-1, 1] m for lengths without;
   uniform orientations, w ≥ 0; poses of which loops decide a part are those where the robot begins,
   moved by up to 1 m and π along each velocity of ẏ, and not closed. *seed moves on; equal seeds
   give equal sequences everywhere. */
TD_API void td_random_configuration(const td_model *model, td_coordinates coordinates,
                                    uint64_t *seed, double *y);

#ifdef __cplusplus
}
#endif
#endif
