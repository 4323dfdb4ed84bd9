/* SPDX-License-Identifier: MIT */
/*
 * Single coordinates of a joint: which they are, their names, and what they measure.
 */
#ifndef TOOL_COORDINATE_NAME_H
#define TOOL_COORDINATE_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "input/units.h"
#include "options.h"
#include "tandem/tandem.h"

/* Name of the k-th coordinate of a joint, in a new string. */
char *coordinate_text(const td_model *model, size_t joint, enum quantity quantity, size_t k);

/* Which coordinate of a joint its n-th one of a quantity is, in the tree's or the independent
   coordinates, where loops may have made some of the joint dependent. Positions with a quaternion
   are there all or none. */
size_t joint_component(td_joint_place place, enum quantity quantity, bool tree, size_t n);

/* Components of a wrench: "mx", ..., "fz". */
extern const char *const wrench_part[6];

/* Names of the components that are above zero, with blanks between: "mx fy". */
typedef struct wrench_parts {
    char text[24];
} wrench_parts;
wrench_parts positive_parts(const double x[6]);

/* "revolute" and so on. */
const char *joint_type_text(const td_joint *joint);

/* Which of the positions of a joint a quaternion begins with, TD_NONE where it has none; and
   whether it has one: its velocities are not the rates of its positions then. */
size_t quaternion_of(const td_model *model, size_t joint);
bool has_quaternion(const td_model *model, size_t joint);

/* What the k-th coordinate of a joint measures. */
unit_domain coordinate_domain(const td_model *model, size_t joint, enum quantity quantity,
                              size_t k);
/* Whether a joint of one coordinate turns; else it slides. */
bool joint_turns(const td_model *model, size_t joint);
/* Whether the angles of a joint that turns are the same configuration a turn later, and no limit
   says which of them are meant. */
bool joint_goes_round(const td_joint *joint);

#endif
