/* SPDX-License-Identifier: MIT */
/*
 * Prints the structure of a model as JSON.
 */
#ifndef TOOL_STRUCTURE_H
#define TOOL_STRUCTURE_H

#include "tandem/tandem.h"

/* Prints links, joints, loops and couplings. */
void structure_print_json(const td_model *model);

#endif
