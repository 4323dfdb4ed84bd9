/* SPDX-License-Identifier: MIT */
/*
 * The structure of a model, its links and joints, as JSON.
 */
#ifndef TOOL_STRUCTURE_H
#define TOOL_STRUCTURE_H

#include "tandem/tandem.h"

/* Prints links, joints, loops and couplings. */
void structure_print_json(const td_model *model);

#endif
