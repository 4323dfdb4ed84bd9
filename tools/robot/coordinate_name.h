/* SPDX-License-Identifier: MIT */
/*
 * Single coordinates of a joint: which they are, their names, and what they measure.
 */
#ifndef TOOL_COORDINATE_NAME_H
#define TOOL_COORDINATE_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "options.h"
#include "tandem/tandem.h"
#include "units.h"

/* Name of the k-th coordinate of a joint, in a new string. */
char *coordinate_text(const td_model *model, size_t joint, enum quantity quantity, size_t k);

/* Which coordinate of a joint its n-th one is, in the tree's or the independent coordinates, where
   loops may have made some of a planar joint dependent. */
size_t joint_component(td_joint_place place, bool tree, size_t n);

/* "revolute" and so on. */
const char *joint_type_text(td_joint_type type);

/* What the k-th coordinate of a joint of that type measures. */
unit_domain coordinate_domain(td_joint_type type, enum quantity quantity, size_t k);

#endif
