/* SPDX-License-Identifier: MIT */
/*
 * Mechanisms with loops whose motion is computed independently in quadruple precision: Bricard's
 * linkage in its single coordinate, and Andrews' squeezer with multipliers.
 */
#ifndef TD_MOVING_LOOPS_H
#define TD_MOVING_LOOPS_H

#include "moving_robots.h"

/* Returns Bricard's linkage along the edges of a cube (Bricard 1897; problem A04 of the IFToMM
   benchmarks in multibody dynamics): the ground and five rods of 1 m and 1 kg. Joints are at the
   six corners, each axis at right angles to both of its links. At q = 0 it lies on the cube's
   edges, (0, 0, 0) to (1, 0, 0), (1, 1, 0), (1, 1, 1), (0, 1, 1), (0, 0, 1). Joints are "j0" to
   "j4"; j0 is independent. */
td_model *bricard(const double gravity[3]);
extern const char *const bricard_joints[5];

/* Computes all angles at time t if q = 0 at t = 0, with the given rate of j0. */
void bricard_quad(double t, const double gravity[3], double rate, double angles[5]);

/* Computes angles and rates of the squeezer (moving_robots.h), in the order of squeezer_joints,
   driven from rest for a time t. Uses the equations of motion with multipliers of Hairer and
   Wanner, Solving ODEs II, VII.7, (7.7) to (7.11). */
void squeezer_quad(double t, double angles[7], double rates[7]);

#endif
