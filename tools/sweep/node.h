/* SPDX-License-Identifier: MIT */
/*
 * Reading of a specification's nodes, each with a message that says where the file is wrong.
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

/* The same with a text that it frees. */
bool node_unknown(const char *file, const td_yaml_node *node, char *text);

/* The texts of a list of words, or of one word. False, with a message, where it is something else.
 */
bool node_words(const char *file, const td_yaml_node *node, const char ***word, size_t *count);

/* A number, finite; with a unit of that kind, or none, where domain is not UNIT_NONE. */
bool node_number(const char *file, const td_yaml_node *node, unit_domain domain, int order,
                 double *value);
bool node_numbers(const char *file, const td_yaml_node *node, unit_domain domain, int order,
                  double *value, size_t count);
/* A whole number from least to most, which may be written as 1e9. */
bool node_count(const char *file, const td_yaml_node *node, uint64_t least, uint64_t most,
                uint64_t *value);

/* Returns the node of a map with the given key, or NULL. */
const td_yaml_node *node_of(const td_yaml_node *map, const char *key);
/* Returns whether a map has these keys alone, each once; words: with blanks between. False with a
   message for another key, or where it is no map. */
bool node_keys(const char *file, const td_yaml_node *map, const char *words);
/* Returns whether no key of a map comes twice. False with a message. */
bool node_once(const char *file, const td_yaml_node *map);

#endif
