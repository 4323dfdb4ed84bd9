/* SPDX-License-Identifier: MIT */
/*
 * Single coordinates of a joint: their indices, names and units.
 */
#ifndef TOOL_COORDINATE_NAME_H
#define TOOL_COORDINATE_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "input/units.h"
#include "options.h"
#include "tandem/tandem.h"

/* Returns the name of the k-th coordinate of a joint in a new string. */
char *coordinate_text(const td_model *model, size_t joint, enum quantity quantity, size_t k);

/* Returns the index within a joint of its n-th coordinate of a quantity, counted in q or in y.
   Loops may make some coordinates of a joint dependent, and y lacks these. Positions that include a
   quaternion are all independent or all dependent. */
size_t joint_component(td_joint_place place, enum quantity quantity, bool tree, size_t n);

/* The names of the components of a wrench: "mx", ..., "fz". */
extern const char *const wrench_part[6];

/* The names of the positive components, separated by blanks: "mx fy". */
typedef struct wrench_parts {
    char text[24];
} wrench_parts;
wrench_parts positive_parts(const double x[6]);

/* Returns the name of the joint's type, such as "revolute". */
const char *joint_type_text(const td_joint *joint);

/* Returns the index within the joint's positions at which its quaternion begins, or TD_NONE.
   has_quaternion returns whether it has one; its velocities are then not the derivatives of its
   positions. */
size_t quaternion_of(const td_model *model, size_t joint);
bool has_quaternion(const td_model *model, size_t joint);

/* Returns whether the k-th coordinate of a joint is an angle, a length or neither. */
unit_domain coordinate_domain(const td_model *model, size_t joint, enum quantity quantity,
                              size_t k);
/* Returns whether a joint with one coordinate is revolute and not prismatic. */
bool joint_turns(const td_model *model, size_t joint);
/* Returns whether a joint is revolute and has no position limits, so that angles a turn apart are
   the same configuration. */
bool joint_goes_round(const td_joint *joint);

#endif
