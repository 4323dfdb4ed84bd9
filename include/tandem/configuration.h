/* SPDX-License-Identifier: MIT */
/*
 * Configurations: neutral and random configurations; integration and difference on the
 * configuration manifold. The positions of a floating joint contain a quaternion, so they are not a
 * vector space. The velocity of a floating joint is a twist in body axes: y ⊕ v moves along the
 * constant twist v for one second. For joints without a quaternion, ⊕ is addition.
 *
 * These functions have no workspace; their second argument selects the coordinates. The comments
 * assume TD_COORDINATES_INDEPENDENT: configurations are y (ny) and velocities are ẏ (nyd). With
 * TD_COORDINATES_TREE they are q (nq) and q̇ (nv). No function here fails or allocates. All cost
 * O(joints).
 *
 * If loops determine part of the pose of a joint with a quaternion, y has its whole pose and ẏ only
 * some of its velocities (closure.h). The comments below call this a partly dependent pose.
 */
#ifndef TANDEM_CONFIGURATION_H
#define TANDEM_CONFIGURATION_H

#include <stdint.h>

#include "tandem/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the neutral configuration y (ny): all positions are zero and quaternions are the identity.
 */
TD_API void td_neutral(const td_model *model, td_coordinates coordinates, double *y);

/* Computes result (ny) = y ⊕ yd dt.

     model        the model
     coordinates  of y, yd and result
     y            configuration, ny
     yd           velocity, nyd
     dt           time, s
     result       output, ny; may be y. Its quaternions have w ≥ 0, whatever the sign in y

   A partly dependent pose moves along the velocities that ẏ has. γ adds the rest, to first order in
   dt (closure.h). */
TD_API void td_integrate(const td_model *model, td_coordinates coordinates, const double *y,
                         const double *yd, double dt, double *result);

/* Computes the velocity v (nyd) with start ⊕ v = end. The rotation of floating joints is at most π.
   Angles of continuous joints are not wrapped. For a partly dependent pose, v has only the
   velocities that ẏ has. */
TD_API void td_difference(const td_model *model, td_coordinates coordinates, const double *start,
                          const double *end, double *v);

/* Scales every quaternion of y to unit length, as all other headers require. A zero quaternion
   becomes the identity. Signs do not change, even if w < 0. An integrator that adds to quaternions
   must call this between its stages. */
TD_API void td_normalize(const td_model *model, td_coordinates coordinates, double *y);

/* Compute velocities from rates, and rates from velocities. Rates are the time derivatives of the
   numbers in y. For joints without a quaternion they equal the velocities.

     model        the model
     coordinates  of all arguments
     y            configuration, ny. A quaternion may have any length but 0: a curve y(t) of its
                  numbers, such as a spline, stands for the rotation with the quaternion scaled to
                  unit length
     rate         dy/dt, ny
     second       d²y/dt², ny
     yd, ydd      velocities and accelerations, nyd

   second and ydd may both be NULL. With unit quaternions ξ, in body axes:

     floating    ẋ = R v,   ẍ = R (v̇ + ω × v)
     both        ξ̇ = ½ ξ ⊗ (ω, 0),   ξ̈ = ½ ξ ⊗ (ω̇, −½ |ω|²)

   td_velocities_to_rates returns rates that keep the length of quaternions. For a partly dependent
   pose yd has only some velocities; the other ones count as 0. Outputs must not alias inputs. */
TD_API void td_rates_to_velocities(const td_model *model, td_coordinates coordinates,
                                   const double *y, const double *rate, const double *second,
                                   double *yd, double *ydd);
TD_API void td_velocities_to_rates(const td_model *model, td_coordinates coordinates,
                                   const double *y, const double *yd, const double *ydd,
                                   double *rate, double *second);

/* Changes the signs of quaternions of y (ny) so that each is the nearer one of ±ξ to the one in
   reference (ny). The numbers of a motion are continuous if each row is aligned with the row before
   it. */
TD_API void td_align_quaternions(const td_model *model, td_coordinates coordinates,
                                 const double *reference, double *y);

/* Draws a random configuration y (ny) within the limits.

     model        the model
     coordinates  TD_COORDINATES_INDEPENDENT: uniform within effective limits (closure.h);
                  TD_COORDINATES_TREE: within the limits of each joint
     seed         state of the generator, advanced by the call. Equal seeds give equal sequences on
                  all machines
     y            output, ny

   A coordinate without limits is in [-π, π] rad or [-1, 1] m. If it has one limit, it is within 2π
   rad or 2 m of this limit. Orientations are uniform, with w ≥ 0. A partly dependent pose is the
   reference pose, moved by up to 1 m and π along each velocity in ẏ. Loops are not closed. */
TD_API void td_random_configuration(const td_model *model, td_coordinates coordinates,
                                    uint64_t *seed, double *y);

#ifdef __cplusplus
}
#endif
#endif
