/* SPDX-License-Identifier: MIT */
/*
 * Reads nodes of a specification; see node.h.
 */
#include "sweep/node.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "input/value.h"
#include "text.h"

bool node_fault(const char *file, const td_yaml_node *node, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    scoped char *text = text_format_list(format, arguments);
    va_end(arguments);
    complain("%s:%d:%d: %s", file, node->position.line, node->position.column, text);
    return false;
}

bool node_unknown(const char *file, const td_yaml_node *node, char *text)
{
    node_fault(file, node, "%s", text);
    free(text);
    return false;
}

bool node_words(const char *file, const td_yaml_node *node, const char ***word, size_t *count)
{
    *word = NULL;
    *count = 0;
    if (node->kind == TD_YAML_MAP || (node->kind == TD_YAML_LIST && node->count == 0)) {
        return node_fault(file, node, "expected a name or a list of names");
    }
    const td_yaml_node *one = node->kind == TD_YAML_LIST ? node->first : node;
    while (one != NULL) {
        if (one->kind != TD_YAML_SCALAR) {
            free(*word);
            *word = NULL;
            return node_fault(file, one, "expected a name");
        }
        *word = reallocate(*word, *count + 1, sizeof **word);
        (*word)[(*count)++] = one->text;
        one = node->kind == TD_YAML_LIST ? one->next : NULL;
    }
    return true;
}

bool node_number(const char *file, const td_yaml_node *node, unit_domain domain, int order,
                 double *value)
{
    const value_unit *unit = NULL;
    if (node->kind != TD_YAML_SCALAR || !value_parse(node->text, value, &unit)) {
        return node_fault(file, node, "expected a number");
    }
    if (unit != NULL && (unit->domain != domain || unit->order != order)) {
        return node_fault(file, node, "'%s' is not a unit of this quantity", unit->word);
    }
    return true;
}

bool node_numbers(const char *file, const td_yaml_node *node, unit_domain domain, int order,
                  double *value, size_t count)
{
    if (node->kind != TD_YAML_LIST || node->count != count) {
        return node_fault(file, node, "expected a list of %zu numbers", count);
    }
    size_t i = 0;
    for (const td_yaml_node *one = node->first; one != NULL; one = one->next) {
        if (!node_number(file, one, domain, order, &value[i++])) {
            return false;
        }
    }
    return true;
}

bool node_count(const char *file, const td_yaml_node *node, uint64_t least, uint64_t most,
                uint64_t *value)
{
    double x;
    if (node->kind != TD_YAML_SCALAR || !parse_number(node->text, &x) || x != floor(x) ||
        x < (double)least || x > (double)most) {
        return node_fault(file, node, "expected a whole number from %llu to %.15g",
                          (unsigned long long)least, (double)most);
    }
    *value = (uint64_t)x;
    return true;
}

const td_yaml_node *node_of(const td_yaml_node *map, const char *key)
{
    const td_yaml_node *one = map->kind == TD_YAML_MAP ? map->first : NULL;
    while (one != NULL && strcmp(one->key, key) != 0) {
        one = one->next;
    }
    return one;
}

/* Returns whether a word is in a list of words separated by blanks. */
static bool is_among(const char *word, const char *words)
{
    const size_t length = strlen(word);
    for (const char *at = words; *at != '\0';) {
        const size_t next = strcspn(at, " ");
        if (next == length && memcmp(at, word, length) == 0) {
            return true;
        }
        at += next + (at[next] == ' ');
    }
    return false;
}

bool node_keys(const char *file, const td_yaml_node *map, const char *words)
{
    if (map->kind != TD_YAML_MAP) {
        return node_fault(file, map, "expected a map with keys among: %s", words);
    }
    for (const td_yaml_node *one = map->first; one != NULL; one = one->next) {
        if (!is_among(one->key, words)) {
            return node_fault(file, one, "unknown key '%s'; known keys: %s", one->key, words);
        }
    }
    return node_once(file, map);
}

bool node_once(const char *file, const td_yaml_node *map)
{
    for (const td_yaml_node *one = map->first; one != NULL; one = one->next) {
        if (node_of(map, one->key) != one) {
            return node_fault(file, one, "'%s' is given twice", one->key);
        }
    }
    return true;
}
