/* SPDX-License-Identifier: MIT */
/*
 * Parses YAML into a simple tree of nodes. Only yaml_tree.c, which builds the tree, uses libyaml.
 * The text may be malicious: bytes, nodes and depth are limited. An alias counts as all the nodes
 * that it represents, so that no walk over the tree exceeds the limit of nodes.
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
    td_position position; /* from 1; columns count characters */
    const char *key;      /* of a value in a map */
    const char *text;     /* of a scalar */
    bool null;            /* a scalar without quotes that is empty, ~ or null */
    size_t index;         /* in the list or map above, from 1 */
    size_t count;         /* number of nodes in a list or map */
    size_t weight;        /* number of nodes in the subtree, including itself and the nodes of
                             aliases */
    const struct td_yaml_node *parent;
    struct td_yaml_node *first, *last, *next;
} td_yaml_node;

typedef struct td_yaml {
    td_arena arena; /* owns the tree; callers may allocate from it */
    td_yaml_node *root;
} td_yaml;

/* Parses size bytes; file is the name for diagnostics. Returns TD_ERROR_IO if the text is larger
   than max_bytes, TD_ERROR_MODEL after a diagnostic if it is refused, or TD_ERROR_MEMORY. Callers
   call td_yaml_free in all cases. */
TD_PRIVATE td_status td_yaml_parse(const char *text, size_t size, const char *file,
                                   const td_load_options *options, td_diagnostics *diagnostics,
                                   td_yaml *yaml);
TD_PRIVATE void td_yaml_free(td_yaml *yaml);

#endif
