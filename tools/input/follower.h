/* SPDX-License-Identifier: MIT */
/*
 * Writes joints that follow others by curves as formulas and as JSON.
 */
#ifndef FOLLOWER_H
#define FOLLOWER_H

#include <stdbool.h>

#include "output/json.h"
#include "tandem/tandem.h"

/* Returns whether the joint follows others by curves, and moves. */
bool follows_curves(const td_model *model, size_t joint);

/* Returns its formula in a new string: "0.1 + 0.5·a + 0.2·a^2 + 0.3·sin(2·b + 0.1) + spline(c; 29
   points, degree 5, natural)". */
char *follower_text(const td_model *model, size_t joint);

/* Returns all joints that follow curves: joint, formula, offset, and the coefficients of each curve
   with its leader and its range of validity (docs/conventions.md). */
cJSON *json_followers(const td_model *model);

/* Returns whether a cluster consists of curves and contains no loops. */
bool is_curve_cluster(const td_model *model, size_t cluster);

#endif
