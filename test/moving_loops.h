/* SPDX-License-Identifier: MIT */
/*
 * Mechanisms with loops whose motion is known from equations of their own in quadruple precision:
 * Bricard's linkage by its one degree of freedom, Andrews' squeezer by multipliers.
 */
#ifndef TD_MOVING_LOOPS_H
#define TD_MOVING_LOOPS_H

#include "moving_robots.h"

/* Bricard's linkage of edges of a cube (Bricard 1897; problem A04 of the IFToMM benchmarks in
   multibody dynamics): five rods of 1 m and 1 kg and the ground, joints at the six corners, each
   axis at a right angle to both of its links. At q = 0 it is on the cube's edges, (0, 0, 0) to
   (1, 0, 0), (1, 1, 0), (1, 1, 1), (0, 1, 1), (0, 0, 1). Joints "j0" to "j4", j0 independent. */
td_model *bricard(const double gravity[3]);
extern const char *const bricard_joints[5];

/* All angles at t, when q = 0 and the rate of j0 is that at t = 0. */
void bricard_quad(double t, const double gravity[3], double rate, double angles[5]);

/* Angles and rates of the squeezer (moving_robots.h) in the order of squeezer_joints, driven from
   rest for a time t: equations of motion with multipliers, from Hairer and Wanner, Solving ODEs II,
   VII.7, (7.7) to (7.11). */
void squeezer_quad(double t, double angles[7], double rates[7]);

#endif
