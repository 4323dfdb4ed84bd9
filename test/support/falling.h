/* SPDX-License-Identifier: MIT */
/*
 * Lets robots with mimic joints and loops fall. Gravity is oblique, and joints start near zero with
 * some velocity, so nothing is in equilibrium. All passive forces act. Friction is smoothed over
 * 0.1 rad/s, because the default of 1e-3 would make the equations stiff, which these tests do not
 * examine.
 */
#ifndef TD_FALLING_H
#define TD_FALLING_H

#include "tandem/simulation.h"
#include "td_test.h"

enum { FALL_MOST = 128 }; /* capacity for y, q and their rates */

/* Simulated seconds; sanitizers slow the run down about twenty times. */
#if defined(__SANITIZE_ADDRESS__)
#define FALL_TIME 0.5
#else
#define FALL_TIME 10.0
#endif

td_load_options fall_load_options(void); /* selects the oblique gravity */

/* Draws y within 0.5 of the joints' zeros, or of the assembled configuration, and halves the
   distance until the loops close. Velocities are at most 0.5 rad/s or m/s. */
void fall_start(const td_model *model, uint64_t seed, double *y, double *yd);

td_simulation *fall_simulation(const td_model *model);

/* Simulates the fall until `end`. At every step, mimic joints must fulfill their records and loops
   must be closed, to rounding. Energy minus work must stay constant to 1e-9 of the largest kinetic
   energy. If `meets` is NULL, the motion must reach `end`. Otherwise it must stop earlier, at a
   position where the loop named `meets` is singular. */
void fall_check(const td_model *model, uint64_t seed, double end, const char *meets);

#endif
