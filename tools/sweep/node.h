/* SPDX-License-Identifier: MIT */
/*
 * Reads nodes of a specification. On failure all functions print a message with the position and
 * return false.
 */
#ifndef TOOL_SWEEP_NODE_H
#define TOOL_SWEEP_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../urdf/yaml_tree.h"
#include "input/units.h"

/* Prints a message about a node, "FILE:LINE:COLUMN: ...", and returns false. */
bool node_fault(const char *file, const td_yaml_node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Does the same with a text, which it frees. */
bool node_unknown(const char *file, const td_yaml_node *node, char *text);

/* Reads a list of words, or one word, into a new array. */
bool node_words(const char *file, const td_yaml_node *node, const char ***word, size_t *count);

/* Read a finite number, or count numbers. A unit of this domain and order may follow, unless domain
   is UNIT_NONE. */
bool node_number(const char *file, const td_yaml_node *node, unit_domain domain, int order,
                 double *value);
bool node_numbers(const char *file, const td_yaml_node *node, unit_domain domain, int order,
                  double *value, size_t count);
/* Reads an integer from least to most; it may be written as 1e9. */
bool node_count(const char *file, const td_yaml_node *node, uint64_t least, uint64_t most,
                uint64_t *value);

/* Returns the node of a map with the given key, or NULL. */
const td_yaml_node *node_of(const td_yaml_node *map, const char *key);
/* Checks that a node is a map with only these keys, each at most once. words: the keys, separated
   by blanks. */
bool node_keys(const char *file, const td_yaml_node *map, const char *words);
/* Checks that no key of a map occurs twice. */
bool node_once(const char *file, const td_yaml_node *map);

#endif
