/* SPDX-License-Identifier: MIT */
/*
 * The parts of the parser of submechanism lists (submechanisms.h).
 *
 *   submechanisms.c   the file, its submechanisms, their joints
 *   lists_value.c     reports, keys, values
 *   lists_loop.c      loop_constraints
 *   lists_type.c      loops of the mechanism types that HyRoDyn predefines
 *   lists_robot.c     robot.yaml of Extended URDF
 */
#ifndef TD_LISTS_H
#define TD_LISTS_H

#include "base/names.h"
#include "model/records.h"
#include "yaml_tree.h"
#include "zero_frame.h"

enum { td_most_unknown_keys = 100 };

/* An unknown key, which is reported once with a count. */
typedef struct td_unknown_key {
    const td_yaml_node *first;
    size_t count;
} td_unknown_key;

typedef struct td_lists {
    td_yaml yaml;
    td_builder *builder;
    td_diagnostics *diagnostics;
    const char *file;
    td_status status; /* the first failure that is not the file's fault */
    size_t errors;
    td_names joints;    /* of the builder */
    td_names followers; /* joints that follow others by curves */
    td_zero zero;
    const td_yaml_node **said; /* per joint: the node that first declared it */
    char *driven;              /* per joint: whether a transmission names it */
    size_t search_budget;
    td_unknown_key unknown[td_most_unknown_keys];
    size_t unknown_count, unknown_rest;
} td_lists;

/* ---- submechanisms.c ------------------------------------------------------------------------- */

/* Returns the record of a joint in the builder. */
td_joint *td_lists_record(td_lists *l, int joint);

/* Builds the indexes of the builder's joints. Returns false if memory is short. */
bool td_lists_prepare(td_lists *l);

/* Returns the joint that an item of a list names. Reports an unknown joint and returns −1. */
int td_lists_joint(td_lists *l, const td_yaml_node *item);

/* Adds a transmission for each joint of a list, which may be NULL, that has none. name, type: of
   the transmissions. */
void td_lists_drive(td_lists *l, const td_yaml_node *list, const char *name, const char *type);

/* ---- lists_value.c --------------------------------------------------------------------------- */

/* Keeps the first failure that is not the file's fault. */
void td_lists_fail(td_lists *l, td_status status);

/* Returns the source of a node. Allocates its path in the arena. */
td_source td_lists_source(td_lists *l, const td_yaml_node *n);

/* Reports at a node; counts errors. */
#define TD_LISTS_REPORT(l, code, n, remedy, ...)                                                   \
    ((l)->errors += td_code_severity(code) == TD_SEVERITY_ERROR,                                   \
     td_report((l)->diagnostics, code, td_lists_source(l, n), remedy, __VA_ARGS__))

/* The title of a node in messages: "'axis'", or for an item of a list "an item of 'axis'". */
#define TD_LISTS_TITLE(n)                                                                          \
    td_lists_title_start(n), td_shown(td_lists_title_key(n)), td_lists_title_key(n)
#define TD_LISTS_TITLE_FORMAT "%s'%.*s'"
const char *td_lists_title_start(const td_yaml_node *n);
const char *td_lists_title_key(const td_yaml_node *n);

void td_lists_report_unknown(td_lists *l);

/* Returns whether a node is a map. Reports unknown and repeated keys in it. */
bool td_lists_is_map(td_lists *l, const td_yaml_node *n, const char *known);

/* Returns the value of a key, or NULL if it is missing or null. */
const td_yaml_node *td_lists_value(const td_yaml_node *map, const char *key);

/* Returns the text of a scalar. Reports an empty scalar or another kind of node and returns
   NULL. */
const char *td_lists_text(td_lists *l, const td_yaml_node *n);

/* Return the text under a key, or NULL if it is missing. The second function reports a missing
   key. */
const char *td_lists_word(td_lists *l, const td_yaml_node *map, const char *key);
const char *td_lists_required_word(td_lists *l, const td_yaml_node *map, const char *key);

/* Returns the list under a key, or NULL. Reports a value that is not a list. */
const td_yaml_node *td_lists_list(td_lists *l, const td_yaml_node *map, const char *key);

/* Read numbers from a list, or from one text as in URDF. Values stay unchanged unless all can be
   read. */
bool td_lists_read_numbers(td_lists *l, const td_yaml_node *n, double *values, size_t count);
bool td_lists_numbers(td_lists *l, const td_yaml_node *map, const char *key, double *values,
                      size_t count);

/* ---- lists_loop.c ---------------------------------------------------------------------------- */

/* Adds an item of loop_constraints to the builder as a loop. */
void td_lists_loop(td_lists *l, const td_yaml_node *map);

/* ---- lists_type.c ---------------------------------------------------------------------------- */

/* Adds the loops of a submechanism without loop_constraints to the builder if HyRoDyn predefines
   its type, or reports why that is impossible. */
void td_lists_type(td_lists *l, const td_yaml_node *map);

/* ---- lists_robot.c --------------------------------------------------------------------------- */

/* Reads robot.yaml of Extended URDF. root: its map. */
void td_lists_robot(td_lists *l, const td_yaml_node *root);

#endif
