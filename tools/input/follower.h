/* SPDX-License-Identifier: MIT */
/*
 * Joints that follow others by curves, as formulas and as JSON.
 */
#ifndef FOLLOWER_H
#define FOLLOWER_H

#include <stdbool.h>

#include "output/json.h"
#include "tandem/tandem.h"

/* Whether the joint follows others by curves, and moves. */
bool follows_curves(const td_model *model, size_t joint);

/* Its formula in a new string: "0.1 + 0.5·a + 0.2·a^2 + 0.3·sin(2·b + 0.1) + spline(c; 29 points,
   degree 5, natural)". */
char *follower_text(const td_model *model, size_t joint);

/* All followers by curves: joint, formula, offset, and the numbers of each curve with its leader
   and the range that it is good for (docs/conventions.md). */
cJSON *json_followers(const td_model *model);

/* Whether a cluster is one of curves, in which there are no loops. */
bool is_curve_cluster(const td_model *model, size_t cluster);

#endif
