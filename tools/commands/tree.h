/* SPDX-License-Identifier: MIT */
/*
 * The graph of tandem tree --dot.
 */
#ifndef TOOL_TREE_H
#define TOOL_TREE_H

#include "tandem/tandem.h"

/* Prints the tree as a graph for Graphviz. */
void tree_print_dot(const td_model *model);

#endif
