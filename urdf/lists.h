/* SPDX-License-Identifier: MIT */
/*
 * The parts of the reader of submechanism lists (submechanisms.h).
 *
 *   submechanisms.c   the file, its submechanisms, their joints
 *   lists_value.c     reporting, keys, values
 *   lists_loop.c      loop_constraints
 *   lists_type.c      the loops of mechanisms that HyRoDyn has built in
 */
#ifndef TD_LISTS_H
#define TD_LISTS_H

#include "base/names.h"
#include "model/records.h"
#include "yaml_tree.h"
#include "zero_frame.h"

enum { td_most_unknown_keys = 100 };

/* A key that is not known, reported once with a count. */
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
    td_names followers; /* of these, by curves */
    td_zero zero;
    const td_yaml_node **said; /* per joint: the node that makes it independent */
    char *driven;              /* per joint: a transmission names it */
    size_t search_budget;
    td_unknown_key unknown[td_most_unknown_keys];
    size_t unknown_count, unknown_rest;
} td_lists;

/* ---- submechanisms.c ------------------------------------------------------------------------- */

/* a joint's record in the builder */
td_joint *td_lists_record(td_lists *l, int joint);

/* ---- lists_value.c --------------------------------------------------------------------------- */

/* Keeps the first failure that is not the file's fault. */
void td_lists_fail(td_lists *l, td_status status);

/* The place of a node; its path is in the arena. */
td_source td_lists_source(td_lists *l, const td_yaml_node *n);

/* Reports at a node; counts errors. */
#define TD_LISTS_REPORT(l, code, n, remedy, ...)                                                   \
    ((l)->errors += td_code_severity(code) == TD_SEVERITY_ERROR,                                   \
     td_report((l)->diagnostics, code, td_lists_source(l, n), remedy, __VA_ARGS__))

/* "'axis'", or of a node in a list the key above it: "an item of 'axis'" */
#define TD_LISTS_TITLE(n)                                                                          \
    td_lists_title_start(n), td_shown(td_lists_title_key(n)), td_lists_title_key(n)
#define TD_LISTS_TITLE_FORMAT "%s'%.*s'"
const char *td_lists_title_start(const td_yaml_node *n);
const char *td_lists_title_key(const td_yaml_node *n);

void td_lists_report_unknown(td_lists *l);

/* Returns whether a node is a map; reports keys in it that are none of the known ones or occur
   again. */
bool td_lists_is_map(td_lists *l, const td_yaml_node *n, const char *known);

/* The value of a key, NULL where it is absent or null. */
const td_yaml_node *td_lists_value(const td_yaml_node *map, const char *key);

/* The text of a scalar; NULL and a report for anything else, and for an empty one. */
const char *td_lists_text(td_lists *l, const td_yaml_node *n);

/* Returns the text under a key, or NULL if it is missing. The second function reports that. */
const char *td_lists_word(td_lists *l, const td_yaml_node *map, const char *key);
const char *td_lists_required_word(td_lists *l, const td_yaml_node *map, const char *key);

/* Returns the list under a key, or NULL. Reports a value that is not a list. */
const td_yaml_node *td_lists_list(td_lists *l, const td_yaml_node *map, const char *key);

/* Numbers in a list, or in one text as in URDF; values stay as they are unless all can be read. */
bool td_lists_read_numbers(td_lists *l, const td_yaml_node *n, double *values, size_t count);
bool td_lists_numbers(td_lists *l, const td_yaml_node *map, const char *key, double *values,
                      size_t count);

/* ---- lists_loop.c ---------------------------------------------------------------------------- */

/* An item of loop_constraints becomes a loop of the builder. */
void td_lists_loop(td_lists *l, const td_yaml_node *map);

/* ---- lists_type.c ---------------------------------------------------------------------------- */

/* The loops of a submechanism without loop_constraints, where its type is one that HyRoDyn has
   built in: they are added to the builder, or it is reported why that cannot be done. */
void td_lists_type(td_lists *l, const td_yaml_node *map);

#endif
