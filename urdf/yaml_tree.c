/* SPDX-License-Identifier: MIT */
/*
 * Parses YAML by the events of libyaml; see yaml_tree.h.
 */
#include "yaml_tree.h"

#include <string.h>
#include <yaml.h>

enum { most_depth = 256, most_anchors = 1000 };

typedef struct anchor {
    const char *name;
    td_yaml_node *node;
} anchor;

typedef struct parser {
    td_yaml *yaml;
    const td_load_options *options;
    td_diagnostics *diagnostics;
    const char *file;
    td_status status;
    td_yaml_node *open; /* the innermost list or map */
    const char *key;    /* the key of a map whose value comes next */
    size_t depth, nodes, documents;
    anchor *anchors;
    size_t anchor_count;
} parser;

/* ---- failures -------------------------------------------------------------------------------- */

static td_position position_of(yaml_mark_t mark)
{
    return (td_position){(int)mark.line + 1, (int)mark.column + 1};
}

static void refuse(parser *p, td_code code, yaml_mark_t mark, const char *remedy,
                   const char *message)
{
    td_position at = position_of(mark);
    td_report(p->diagnostics, code, (td_source){p->file, at.line, at.column, NULL}, remedy, "%s",
              message);
    p->status = TD_ERROR_MODEL;
}

static void too_large(parser *p, yaml_mark_t mark, const char *what, size_t cap)
{
    td_position at = position_of(mark);
    td_report(p->diagnostics, TD_CODE_YAML_TOO_LARGE,
              (td_source){p->file, at.line, at.column, NULL},
              "raise the cap in the load options if you trust the file",
              "the file has more than %zu %s", cap, what);
    p->status = TD_ERROR_MODEL;
}

static void *keep(parser *p, void *memory)
{
    if (!memory)
        p->status = TD_ERROR_MEMORY;
    return memory;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static void count_nodes(parser *p, size_t nodes, yaml_mark_t mark)
{
    if (nodes > p->options->max_elements - p->nodes)
        too_large(p, mark, "nodes, counting every use of an alias", p->options->max_elements);
    else
        p->nodes += nodes;
}

/* Copies a text. Reports a NUL byte in it and returns NULL. */
static const char *copy_text(parser *p, const yaml_char_t *value, size_t length, yaml_mark_t mark)
{
    if (strlen((const char *)value) == length)
        return keep(p, td_arena_string(&p->yaml->arena, (const char *)value));
    refuse(p, TD_CODE_YAML_KIND, mark, "remove the \\0", "a text contains a NUL byte");
    return NULL;
}

/* Adds a node to the open list or map, or as the root. */
static td_yaml_node *add(parser *p, td_yaml_kind kind, yaml_mark_t mark)
{
    if (p->open && p->open->kind == TD_YAML_MAP && !p->key) {
        refuse(p, TD_CODE_YAML_KIND, mark, "write key: value", "a key is not a word");
        return NULL;
    }
    count_nodes(p, 1, mark);
    td_yaml_node *node =
        p->status == TD_OK ? keep(p, TD_ARENA_NEW(&p->yaml->arena, td_yaml_node, 1)) : NULL;
    if (!node)
        return NULL;
    *node = (td_yaml_node){
        .kind = kind, .position = position_of(mark), .key = p->key, .weight = 1, .parent = p->open};
    p->key = NULL;
    if (!p->open) {
        p->yaml->root = node;
        return node;
    }
    node->index = ++p->open->count;
    if (p->open->last)
        p->open->last->next = node;
    else
        p->open->first = node;
    p->open->last = node;
    return node;
}

static void remember(parser *p, const yaml_char_t *name, td_yaml_node *node, yaml_mark_t mark)
{
    if (!name || !node)
        return;
    if (!p->anchors)
        p->anchors = keep(p, TD_ARENA_NEW(&p->yaml->arena, anchor, most_anchors));
    const char *copy = keep(p, td_arena_string(&p->yaml->arena, (const char *)name));
    if (p->status != TD_OK)
        return;
    if (p->anchor_count == most_anchors)
        too_large(p, mark, "anchors", most_anchors);
    else
        p->anchors[p->anchor_count++] = (anchor){copy, node};
}

/* ---- events ---------------------------------------------------------------------------------- */

static void on_scalar(parser *p, const yaml_event_t *event)
{
    const yaml_char_t *value = event->data.scalar.value;
    const char *text = copy_text(p, value, event->data.scalar.length, event->start_mark);
    if (!text)
        return;
    if (p->open && p->open->kind == TD_YAML_MAP && !p->key) {
        p->key = text;
        return;
    }
    td_yaml_node *node = add(p, TD_YAML_SCALAR, event->start_mark);
    if (!node)
        return;
    node->text = text;
    node->null = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
                 (!*text || strcmp(text, "~") == 0 || strcmp(text, "null") == 0);
    remember(p, event->data.scalar.anchor, node, event->start_mark);
}

static void on_start(parser *p, td_yaml_kind kind, const yaml_char_t *name, yaml_mark_t mark)
{
    size_t depth = p->options->max_depth < most_depth ? p->options->max_depth : most_depth;
    if (++p->depth > depth) {
        too_large(p, mark, "levels", depth);
        return;
    }
    td_yaml_node *node = add(p, kind, mark);
    if (!node)
        return;
    node->weight = p->nodes; /* node count at its beginning, until its end */
    remember(p, name, node, mark);
    p->open = node;
}

static void on_end(parser *p)
{
    td_yaml_node *node = p->open;
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): each end event has an open node */
    node->weight = p->nodes - node->weight + 1;
    p->open = (td_yaml_node *)node->parent;
    p->depth--;
}

static bool is_open(const parser *p, const td_yaml_node *node)
{
    for (const td_yaml_node *n = p->open; n; n = n->parent)
        if (n == node)
            return true;
    return false;
}

/* Adds a node for an alias, with its own position and the content of the anchored node. */
static void on_alias(parser *p, const yaml_event_t *event)
{
    const td_yaml_node *meant = NULL;
    for (size_t i = p->anchor_count; i > 0 && !meant; i--)
        if (strcmp(p->anchors[i - 1].name, (const char *)event->data.alias.anchor) == 0)
            meant = p->anchors[i - 1].node;
    if (!meant || is_open(p, meant)) {
        refuse(p, TD_CODE_YAML_SYNTAX, event->start_mark, "write the value instead of the alias",
               meant ? "an alias is inside its own anchor" : "an alias has no anchor");
        return;
    }
    td_yaml_node *node = add(p, meant->kind, event->start_mark);
    if (!node)
        return;
    count_nodes(p, meant->weight - 1, event->start_mark);
    node->text = meant->text;
    node->null = meant->null;
    node->count = meant->count;
    node->weight = meant->weight;
    node->first = meant->first;
    node->last = meant->last;
}

static void on_event(parser *p, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (p->documents++ > 0)
            refuse(p, TD_CODE_YAML_SYNTAX, event->start_mark, "keep one document in the file",
                   "the file has a second document");
        break;
    case YAML_SCALAR_EVENT:
        on_scalar(p, event);
        break;
    case YAML_SEQUENCE_START_EVENT:
        on_start(p, TD_YAML_LIST, event->data.sequence_start.anchor, event->start_mark);
        break;
    case YAML_MAPPING_START_EVENT:
        on_start(p, TD_YAML_MAP, event->data.mapping_start.anchor, event->start_mark);
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        on_end(p);
        break;
    case YAML_ALIAS_EVENT:
        on_alias(p, event);
        break;
    default:
        break;
    }
}

/* ---- parsing --------------------------------------------------------------------------------- */

static void report_syntax(parser *p, const yaml_parser_t *source)
{
    if (source->error == YAML_MEMORY_ERROR) {
        p->status = TD_ERROR_MEMORY;
        return;
    }
    bool marked = source->error == YAML_SCANNER_ERROR || source->error == YAML_PARSER_ERROR;
    td_position at = position_of(marked ? source->problem_mark : source->mark);
    td_report(p->diagnostics, TD_CODE_YAML_SYNTAX, (td_source){p->file, at.line, at.column, NULL},
              NULL, "not well-formed YAML: %s", source->problem ? source->problem : "unknown");
    p->status = TD_ERROR_MODEL;
}

static void run(parser *p, yaml_parser_t *source)
{
    bool done = false;
    while (!done && p->status == TD_OK) {
        yaml_event_t event;
        if (!yaml_parser_parse(source, &event)) {
            report_syntax(p, source);
            return;
        }
        done = event.type == YAML_STREAM_END_EVENT || event.type == YAML_NO_EVENT;
        on_event(p, &event);
        yaml_event_delete(&event);
    }
    if (p->status == TD_OK && !p->yaml->root)
        refuse(p, TD_CODE_YAML_SYNTAX, (yaml_mark_t){0, 0, 0}, NULL, "the file is empty");
}

td_status td_yaml_parse(const char *text, size_t size, const char *file,
                        const td_load_options *options, td_diagnostics *diagnostics, td_yaml *yaml)
{
    *yaml = (td_yaml){{NULL}, NULL};
    parser p = {.yaml = yaml, .options = options, .diagnostics = diagnostics, .file = file};
    if (size > options->max_bytes) {
        too_large(&p, (yaml_mark_t){0, 0, 0}, "bytes", options->max_bytes);
        return TD_ERROR_IO;
    }
    yaml_parser_t source;
    if (!yaml_parser_initialize(&source))
        return TD_ERROR_MEMORY;
    yaml_parser_set_input_string(&source, (const unsigned char *)(text ? text : ""), size);
    run(&p, &source);
    yaml_parser_delete(&source);
    return p.status;
}

void td_yaml_free(td_yaml *yaml)
{
    td_arena_free(&yaml->arena);
}
