/* SPDX-License-Identifier: MIT */
/*
 * Robots with mimic joints and loops fall. Gravity is oblique and joints start beside their zeros
 * with some velocity, so that nothing is in equilibrium. All passive forces act, their friction
 * smoothed over 0.1 rad/s: over the default of 1e-3 the equations are stiff, which is no matter
 * here.
 */
#ifndef TD_FALLING_H
#define TD_FALLING_H

#include "tandem/simulation.h"
#include "td_test.h"

enum { FALL_MOST = 128 }; /* numbers in y, q and their rates */

/* How long; sanitizers take some twenty times the time. */
#if defined(__SANITIZE_ADDRESS__)
#define FALL_TIME 0.5
#else
#define FALL_TIME 10.0
#endif

td_load_options fall_load_options(void); /* with the oblique gravity */

/* Up to 0.5 beside the zeros of joints, or where loops are assembled; half of that as often as it
   takes until they close. Up to 0.5 rad/s or m/s. */
void fall_start(const td_model *model, uint64_t seed, double *y, double *yd);

td_simulation *fall_simulation(const td_model *model);

/* Falls until end: mimic joints are as their records say and loops closed at every step, to
   rounding, and energy less work stays to 1e-9 of the largest kinetic energy. meets NULL: all the
   time. Else the motion ends before, at a position where the loop of that name is singular. */
void fall_check(const td_model *model, uint64_t seed, double end, const char *meets);

#endif
