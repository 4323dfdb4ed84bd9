/* SPDX-License-Identifier: MIT */
/*
 * Reports diagnostics at nodes of submechanism lists, and reads keys and values.
 */
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "base/nearest.h"
#include "lists.h"
#include "number.h"
#include "vocabulary.h"

enum { most_known_keys = 24, longest_key = 40, longest_path = 512 };

/* ---- reporting ------------------------------------------------------------------------------- */

/* Writes the path of a node, such as /submechanisms[2]/loop_constraints[1]/axis, truncated to
   longest_path. */
static size_t write_path(const td_yaml_node *n, char *path, size_t at)
{
    if (!n->parent)
        return at;
    at = write_path(n->parent, path, at);
    size_t left = longest_path - at;
    int length = n->key ? snprintf(path + at, left, "/%.*s", td_shown(n->key), n->key)
                        : snprintf(path + at, left, "[%zu]", n->index);
    return length < 0 || (size_t)length >= left ? longest_path - 1 : at + (size_t)length;
}

void td_lists_fail(td_lists *l, td_status status)
{
    if (l->status == TD_OK)
        l->status = status;
}

td_source td_lists_source(td_lists *l, const td_yaml_node *n)
{
    char path[longest_path] = "";
    write_path(n, path, 0);
    const char *copy = td_arena_string(&l->yaml.arena, path);
    if (!copy)
        td_lists_fail(l, TD_ERROR_MEMORY);
    return (td_source){l->file, n->position.line, n->position.column, copy};
}

const char *td_lists_title_start(const td_yaml_node *n)
{
    return n->key || !n->parent ? "" : "an item of ";
}

const char *td_lists_title_key(const td_yaml_node *n)
{
    while (n && !n->key)
        n = n->parent;
    return n ? n->key : "the file";
}

/* ---- keys ------------------------------------------------------------------------------------ */

/* A list of keys, split at blanks, and the nodes that have them in a map. */
typedef struct keys {
    char words[most_known_keys][longest_key];
    const td_yaml_node *first[most_known_keys];
    size_t count;
} keys;

static keys keys_of(const char *known)
{
    keys k = {.count = 0};
    for (const char *p = known; *p && k.count < most_known_keys;
         p += strcspn(p, " "), p += *p == ' ')
        snprintf(k.words[k.count++], longest_key, "%.*s", (int)strcspn(p, " "), p);
    return k;
}

/* Returns the i-th key that the map lacks, for td_nearest_spelling. */
static const char *next_absent(const void *context, size_t i)
{
    const keys *k = context;
    for (size_t at = 0; at < k->count; at++)
        if (!k->first[at] && i-- == 0)
            return k->words[at];
    return NULL;
}

static void note_unknown(td_lists *l, const td_yaml_node *n)
{
    for (size_t i = 0; i < l->unknown_count; i++)
        if (strcmp(l->unknown[i].first->key, n->key) == 0) {
            l->unknown[i].count++;
            return;
        }
    if (l->unknown_count < td_most_unknown_keys)
        l->unknown[l->unknown_count++] = (td_unknown_key){n, 1};
    else
        l->unknown_rest++;
}

void td_lists_report_unknown(td_lists *l)
{
    for (size_t i = 0; i < l->unknown_count; i++) {
        const td_unknown_key *u = &l->unknown[i];
        char times[64] = "";
        if (u->count > 1)
            snprintf(times, sizeof times, " (%zu times, first here)", u->count);
        TD_LISTS_REPORT(l, TD_CODE_YAML_UNKNOWN_KEY, u->first, NULL,
                        "unknown key '%.*s' is ignored%s", td_shown(u->first->key), u->first->key,
                        times);
    }
    if (l->unknown_rest > 0)
        TD_LISTS_REPORT(l, TD_CODE_YAML_UNKNOWN_KEY, l->yaml.root, NULL,
                        "%zu more unknown keys are ignored", l->unknown_rest);
}

static void report_misspelt(td_lists *l, const td_yaml_node *item, const keys *k)
{
    const char *meant = td_nearest_spelling(item->key, next_absent, k, &l->search_budget);
    if (!meant) {
        note_unknown(l, item);
        return;
    }
    char remedy[64];
    snprintf(remedy, sizeof remedy, "did you mean '%s'?", meant);
    TD_LISTS_REPORT(l, TD_CODE_YAML_MISSPELT_KEY, item, remedy, "unknown key '%.*s' is ignored",
                    td_shown(item->key), item->key);
}

/* Returns the index of a key in k, or k->count if it is unknown. */
static size_t place_of(const keys *k, const char *key)
{
    size_t at = 0;
    while (at < k->count && strcmp(k->words[at], key) != 0)
        at++;
    return at;
}

bool td_lists_is_map(td_lists *l, const td_yaml_node *n, const char *known)
{
    if (n->kind != TD_YAML_MAP) {
        TD_LISTS_REPORT(l, TD_CODE_YAML_KIND, n, "write key: value pairs, one per line",
                        TD_LISTS_TITLE_FORMAT " is not a map of keys and values",
                        TD_LISTS_TITLE(n));
        return false;
    }
    keys k = keys_of(known);
    for (const td_yaml_node *item = n->first; item; item = item->next) {
        size_t at = place_of(&k, item->key);
        if (at < k.count && k.first[at])
            TD_LISTS_REPORT(l, TD_CODE_YAML_REPEATED_KEY, item, "keep the intended one",
                            "'%s' is repeated; the first one is on line %d", item->key,
                            k.first[at]->position.line);
        else if (at < k.count)
            k.first[at] = item;
    }
    for (const td_yaml_node *item = n->first; item; item = item->next)
        if (place_of(&k, item->key) == k.count)
            report_misspelt(l, item, &k);
    return true;
}

const td_yaml_node *td_lists_value(const td_yaml_node *map, const char *key)
{
    for (const td_yaml_node *n = map->first; n; n = n->next)
        if (strcmp(n->key, key) == 0)
            return n->null ? NULL : n;
    return NULL;
}

/* ---- values ---------------------------------------------------------------------------------- */

const char *td_lists_text(td_lists *l, const td_yaml_node *n)
{
    if (n->kind == TD_YAML_SCALAR && *n->text)
        return n->text;
    TD_LISTS_REPORT(l, TD_CODE_YAML_KIND, n, "write one word",
                    TD_LISTS_TITLE_FORMAT " is not a word", TD_LISTS_TITLE(n));
    return NULL;
}

const char *td_lists_word(td_lists *l, const td_yaml_node *map, const char *key)
{
    const td_yaml_node *n = td_lists_value(map, key);
    return n ? td_lists_text(l, n) : NULL;
}

const char *td_lists_required_word(td_lists *l, const td_yaml_node *map, const char *key)
{
    if (td_lists_value(map, key))
        return td_lists_word(l, map, key);
    char remedy[64];
    snprintf(remedy, sizeof remedy, "add %s: ... to it", key);
    TD_LISTS_REPORT(l, TD_CODE_YAML_MISSING, map, remedy, TD_LISTS_TITLE_FORMAT " has no '%s'",
                    TD_LISTS_TITLE(map), key);
    return NULL;
}

const td_yaml_node *td_lists_list(td_lists *l, const td_yaml_node *map, const char *key)
{
    const td_yaml_node *n = td_lists_value(map, key);
    if (n && n->kind != TD_YAML_LIST) {
        TD_LISTS_REPORT(l, TD_CODE_YAML_KIND, n, "write [a, b], or one item per line after '- '",
                        "'%s' is not a list", key);
        return NULL;
    }
    return n;
}

static void report_number(td_lists *l, const td_yaml_node *n, td_number_status status)
{
    TD_LISTS_REPORT(l, TD_CODE_NUMBER, n,
                    "write a plain decimal number such as 0.5 or 1e-3, without a unit",
                    TD_LISTS_TITLE_FORMAT ": '%.*s' is %s", TD_LISTS_TITLE(n), td_shown(n->text),
                    n->text, status == TD_NUMBER_INFINITE ? "not finite" : "not a number");
}

static void report_count(td_lists *l, const td_yaml_node *n, size_t found, size_t wanted)
{
    char remedy[32];
    snprintf(remedy, sizeof remedy, "give %zu", wanted);
    TD_LISTS_REPORT(l, TD_CODE_NUMBER_COUNT, n, remedy,
                    TD_LISTS_TITLE_FORMAT " has %zu number%s where %zu %s expected",
                    TD_LISTS_TITLE(n), found, found == 1 ? "" : "s", wanted,
                    wanted == 1 ? "is" : "are");
}

bool td_lists_read_numbers(td_lists *l, const td_yaml_node *n, double *values, size_t count)
{
    double read[6];
    size_t found;
    if (n->kind == TD_YAML_SCALAR) {
        td_number_status status = td_number_read(n->text, values, count, &found);
        if (status == TD_NUMBER_COUNT && found > 0)
            report_count(l, n, found, count);
        else if (status != TD_NUMBER_OK)
            report_number(l, n, status);
        return status == TD_NUMBER_OK;
    }
    if (n->kind != TD_YAML_LIST || n->count != count) {
        report_count(l, n, n->kind == TD_YAML_LIST ? n->count : 0, count);
        return false;
    }
    size_t i = 0;
    for (const td_yaml_node *item = n->first; item; item = item->next, i++) {
        if (!td_lists_text(l, item))
            return false;
        td_number_status status = td_number_read(item->text, &read[i], 1, &found);
        if (status != TD_NUMBER_OK) {
            report_number(l, item, status);
            return false;
        }
    }
    memcpy(values, read, count * sizeof *values);
    return true;
}

bool td_lists_numbers(td_lists *l, const td_yaml_node *map, const char *key, double *values,
                      size_t count)
{
    const td_yaml_node *n = td_lists_value(map, key);
    return n && td_lists_read_numbers(l, n, values, count);
}
