/* SPDX-License-Identifier: MIT */
/*
 * The parts of tandem tree: the graph of --dot.
 */
#ifndef TOOL_TREE_H
#define TOOL_TREE_H

#include "tandem/tandem.h"

/* Prints the tree as a graph for Graphviz. */
void tree_print_dot(const td_model *model);

#endif
