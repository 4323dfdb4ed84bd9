/* SPDX-License-Identifier: MIT */
/*
 * Robots with mimic joints for the tests of forward dynamics: every link has mass and an inertia
 * that a body can have, so that each is regular everywhere. All functions return a builder that the
 * caller finishes.
 */
#ifndef TD_COUPLED_ROBOTS_H
#define TD_COUPLED_ROBOTS_H

#include "td_test.h"

/* A chain of that many parallelograms, three joints each: the crank is independent, the coupler on
   it follows with −1, the rocker beside it with 1; the next module stands on the coupler. Cranks
   are crank0, crank1, ... */
td_builder *coupled_parallelograms(size_t modules);

/* An arm of seven joints with a hand of four fingers; in each the second joint follows the first
   and the third the second: 19 joints, 11 independent. */
td_builder *coupled_hand_on_arm(void);

/* A random tree with that many movable joints (64 at most) of all types, fixed ones in between,
   damping, friction, springs and rotors. About every second scalar joint follows any other: an
   ancestor, a descendant, one on another branch, an earlier or a later one of the file, one that
   follows itself another. */
td_builder *coupled_random(td_random *random, size_t joints);

/* Small trees for the cases that are hard for a recursion; their names, NULL at the end. */
extern const char *const coupled_case_names[];
td_builder *coupled_case(size_t i, td_random *random);

#endif
