/* SPDX-License-Identifier: MIT */
/*
 * YAML: text in, a light tree of nodes out. yaml_tree.c makes the tree and is the only file that
 * knows libyaml. The text is taken as hostile: caps on bytes, nodes and depth, and an alias counts
 * as all the nodes it stands for, so that no walk over the tree is longer than the cap on nodes.
 */
#ifndef TD_YAML_TREE_H
#define TD_YAML_TREE_H

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/private.h"
#include "cursor.h"
#include "tandem/builder.h"

typedef enum td_yaml_kind { TD_YAML_SCALAR, TD_YAML_LIST, TD_YAML_MAP } td_yaml_kind;

typedef struct td_yaml_node {
    td_yaml_kind kind;
    td_position position; /* from 1, the column in characters */
    const char *key;      /* of a node in a map */
    const char *text;     /* of a scalar */
    bool null;            /* a scalar without quotes that is empty, ~ or null */
    size_t index;         /* in the list or map above, from 1 */
    size_t count;         /* of nodes in a list or map */
    size_t weight;        /* nodes in it, itself included; nodes of aliases count each time */
    const struct td_yaml_node *parent;
    struct td_yaml_node *first, *last, *next;
} td_yaml_node;

typedef struct td_yaml {
    td_arena arena; /* holds the tree; more may be put into it */
    td_yaml_node *root;
} td_yaml;

/* Parses size bytes; file is the name for diagnostics. TD_ERROR_IO: larger than max_bytes;
   TD_ERROR_MODEL: refused, a diagnostic says why; TD_ERROR_MEMORY. *yaml needs td_yaml_free in all
   cases. */
TD_PRIVATE td_status td_yaml_parse(const char *text, size_t size, const char *file,
                                   const td_load_options *options, td_diagnostics *diagnostics,
                                   td_yaml *yaml);
TD_PRIVATE void td_yaml_free(td_yaml *yaml);

#endif
