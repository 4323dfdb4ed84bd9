/* SPDX-License-Identifier: MIT */
/*
 * Robots with mimic joints for the tests of forward dynamics. Every link has mass and a physically
 * possible inertia, so each robot is regular everywhere. All functions return a builder that the
 * caller finishes.
 */
#ifndef TD_COUPLED_ROBOTS_H
#define TD_COUPLED_ROBOTS_H

#include "td_test.h"

/* Builds a chain of parallelograms with three joints per module. The crank is independent; the
   coupler on it follows with multiplier −1, and the rocker next to it with 1. The next module is
   mounted on the coupler. Cranks are named crank0, crank1, ... */
td_builder *coupled_parallelograms(size_t modules);

/* Builds an arm of seven joints with a four-finger hand. In each finger the second joint follows
   the first, and the third follows the second: 19 joints, 11 of them independent. */
td_builder *coupled_hand_on_arm(void);

/* Builds a random tree with at most 64 movable joints of all types, fixed joints in between,
   damping, friction, springs and rotors. About every second scalar joint follows another: an
   ancestor, a descendant, a joint on another branch, earlier or later in the file, or a follower.
   */
td_builder *coupled_random(td_random *random, size_t joints);

/* Builds small trees that are difficult cases for a recursion. Their names end with NULL. */
extern const char *const coupled_case_names[];
td_builder *coupled_case(size_t i, td_random *random);

#endif
