/* SPDX-License-Identifier: MIT */
/*
 * Submechanism lists: from the tree of a YAML document to records in a builder. As in the reader of
 * URDF, reading goes on after an error so that all of them are reported, and a record with an error
 * in it gets a stand-in for the value.
 */
#include "submechanisms.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame.h"
#include "names.h"
#include "nearest.h"
#include "reader.h"
#include "records.h"
#include "yaml_tree.h"

typedef td_yaml_node node;

/* A key that is not known, reported once with a count. */
typedef struct unknown {
    const node *first;
    size_t count;
} unknown;

enum { most_unknown_keys = 100, most_known_keys = 24, longest_key = 40, longest_path = 512 };

/* joints passed on the way to the root, over all loops: a fraction of a second */
static const size_t most_steps = 10000000;
/* comparisons of characters, likewise */
static const size_t search_budget = 100000000;

typedef struct lists {
    td_yaml yaml;
    td_builder *builder;
    td_diagnostics *diagnostics;
    const char *file;
    locale_t c_locale;
    td_status status; /* the first failure that is not the file's fault */
    size_t errors;
    td_names joints, children; /* of the builder's joints: by name, by child link */
    const node **said;         /* per joint: where its independence is said */
    char *driven;              /* per joint: a transmission names it */
    size_t search_budget, steps;
    unknown unknown[most_unknown_keys];
    size_t unknown_count, unknown_rest;
} lists;

/* ---- reporting ------------------------------------------------------------------------------- */

/* /submechanisms[2]/loop_constraints[1]/axis; cut where it is longer than anyone reads */
static size_t write_path(const node *n, char *path, size_t at)
{
    if (!n->parent)
        return at;
    at = write_path(n->parent, path, at);
    size_t room = longest_path - at;
    int length = n->key ? snprintf(path + at, room, "/%.*s", td_reader_shown(n->key), n->key)
                        : snprintf(path + at, room, "[%zu]", n->index);
    return length < 0 || (size_t)length >= room ? longest_path - 1 : at + (size_t)length;
}

static void keep_status(lists *l, td_status status)
{
    if (l->status == TD_OK)
        l->status = status;
}

/* The place of a node; its path is in the arena. */
static td_source source_of(lists *l, const node *n)
{
    char path[longest_path] = "";
    write_path(n, path, 0);
    const char *copy = td_arena_string(&l->yaml.arena, path);
    if (!copy)
        keep_status(l, TD_ERROR_MEMORY);
    return (td_source){l->file, n->position.line, n->position.column, copy};
}

#define REPORT(l, code, n, remedy, ...)                                                            \
    ((l)->errors += td_code_severity(code) == TD_SEVERITY_ERROR,                                   \
     td_report((l)->diagnostics, code, source_of(l, n), remedy, __VA_ARGS__))

/* "'axis'", or of a node in a list the key above it: "an item of 'axis'" */
#define TITLE(n) title_start(n), td_reader_shown(title_key(n)), title_key(n)
#define TITLE_FORMAT "%s'%.*s'"

static const char *title_start(const node *n)
{
    return n->key || !n->parent ? "" : "an item of ";
}

static const char *title_key(const node *n)
{
    while (n && !n->key)
        n = n->parent;
    return n ? n->key : "the file";
}

/* ---- keys ------------------------------------------------------------------------------------ */

/* A list of keys with blanks between, taken apart, and where a map has them. */
typedef struct keys {
    char words[most_known_keys][longest_key];
    const node *first[most_known_keys];
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

/* The i-th key that the map does not have, for td_nearest_spelling. */
static const char *next_absent(const void *context, size_t i)
{
    const keys *k = context;
    for (size_t at = 0; at < k->count; at++)
        if (!k->first[at] && i-- == 0)
            return k->words[at];
    return NULL;
}

static void note_unknown(lists *l, const node *n)
{
    for (size_t i = 0; i < l->unknown_count; i++)
        if (strcmp(l->unknown[i].first->key, n->key) == 0) {
            l->unknown[i].count++;
            return;
        }
    if (l->unknown_count < most_unknown_keys)
        l->unknown[l->unknown_count++] = (unknown){n, 1};
    else
        l->unknown_rest++;
}

static void report_unknown(lists *l)
{
    for (size_t i = 0; i < l->unknown_count; i++) {
        const unknown *u = &l->unknown[i];
        char times[64] = "";
        if (u->count > 1)
            snprintf(times, sizeof times, " (%zu times, first here)", u->count);
        REPORT(l, TD_CODE_YAML_UNKNOWN_KEY, u->first, NULL, "unknown key '%.*s' is ignored%s",
               td_reader_shown(u->first->key), u->first->key, times);
    }
    if (l->unknown_rest > 0)
        REPORT(l, TD_CODE_YAML_UNKNOWN_KEY, l->yaml.root, NULL, "%zu more unknown keys are ignored",
               l->unknown_rest);
}

static void report_misspelt(lists *l, const node *item, const keys *k)
{
    const char *meant = td_nearest_spelling(item->key, next_absent, k, &l->search_budget);
    if (!meant) {
        note_unknown(l, item);
        return;
    }
    char remedy[64];
    snprintf(remedy, sizeof remedy, "did you mean '%s'?", meant);
    REPORT(l, TD_CODE_YAML_MISSPELT_KEY, item, remedy, "unknown key '%.*s' is ignored",
           td_reader_shown(item->key), item->key);
}

/* Where k keeps a key; k->count if it is none of the known ones. */
static size_t place_of(const keys *k, const char *key)
{
    size_t at = 0;
    while (at < k->count && strcmp(k->words[at], key) != 0)
        at++;
    return at;
}

/* Whether a node is a map; reports keys in it that are none of the known ones or occur again. */
static bool is_map(lists *l, const node *n, const char *known)
{
    if (n->kind != TD_YAML_MAP) {
        REPORT(l, TD_CODE_YAML_KIND, n, "write key: value, one on a line",
               TITLE_FORMAT " is no map of keys and values", TITLE(n));
        return false;
    }
    keys k = keys_of(known);
    for (const node *item = n->first; item; item = item->next) {
        size_t at = place_of(&k, item->key);
        if (at < k.count && k.first[at])
            REPORT(l, TD_CODE_YAML_REPEATED_KEY, item, "keep the one that is meant",
                   "'%s' occurs again; the first stands on line %d", item->key,
                   k.first[at]->position.line);
        else if (at < k.count)
            k.first[at] = item;
    }
    for (const node *item = n->first; item; item = item->next)
        if (place_of(&k, item->key) == k.count)
            report_misspelt(l, item, &k);
    return true;
}

/* The value of a key, NULL where it is absent or null. */
static const node *value_of(const node *map, const char *key)
{
    for (const node *n = map->first; n; n = n->next)
        if (strcmp(n->key, key) == 0)
            return n->null ? NULL : n;
    return NULL;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* The text of a scalar; NULL and a report for anything else, and for an empty one. */
static const char *text_of(lists *l, const node *n)
{
    if (n->kind == TD_YAML_SCALAR && *n->text)
        return n->text;
    REPORT(l, TD_CODE_YAML_KIND, n, "write one word", TITLE_FORMAT " is not a word", TITLE(n));
    return NULL;
}

static const char *word(lists *l, const node *map, const char *key)
{
    const node *n = value_of(map, key);
    return n ? text_of(l, n) : NULL;
}

static const char *required_word(lists *l, const node *map, const char *key)
{
    if (value_of(map, key))
        return word(l, map, key);
    char remedy[64];
    snprintf(remedy, sizeof remedy, "add %s: ... to it", key);
    REPORT(l, TD_CODE_YAML_MISSING, map, remedy, TITLE_FORMAT " has no '%s'", TITLE(map), key);
    return NULL;
}

/* A list under a key; NULL, and a report for what is there instead. */
static const node *list_of(lists *l, const node *map, const char *key)
{
    const node *n = value_of(map, key);
    if (n && n->kind != TD_YAML_LIST) {
        REPORT(l, TD_CODE_YAML_KIND, n, "write [a, b], or one item on a line with '- ' before it",
               "'%s' is not a list", key);
        return NULL;
    }
    return n;
}

static void report_number(lists *l, const node *n, td_number_status status)
{
    REPORT(l, TD_CODE_NUMBER, n, "write a plain decimal number such as 0.5 or 1e-3, without a unit",
           TITLE_FORMAT ": '%.*s' is %s", TITLE(n), td_reader_shown(n->text), n->text,
           status == TD_NUMBER_INFINITE ? "not finite" : "not a number");
}

static void report_count(lists *l, const node *n, size_t found, size_t wanted)
{
    char remedy[32];
    snprintf(remedy, sizeof remedy, "give %zu", wanted);
    REPORT(l, TD_CODE_NUMBER_COUNT, n, remedy, TITLE_FORMAT " has %zu number%s where %zu %s wanted",
           TITLE(n), found, found == 1 ? "" : "s", wanted, wanted == 1 ? "is" : "are");
}

/* Numbers in a list, or in one text as in URDF; values stay as they are unless all can be read. */
static bool read_numbers(lists *l, const node *n, double *values, size_t count)
{
    double read[6];
    size_t found;
    if (n->kind == TD_YAML_SCALAR) {
        td_number_status status = td_number_read(n->text, l->c_locale, values, count, &found);
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
    for (const node *item = n->first; item; item = item->next, i++) {
        if (!text_of(l, item))
            return false;
        td_number_status status = td_number_read(item->text, l->c_locale, &read[i], 1, &found);
        if (status != TD_NUMBER_OK) {
            report_number(l, item, status);
            return false;
        }
    }
    memcpy(values, read, count * sizeof *values);
    return true;
}

static bool numbers(lists *l, const node *map, const char *key, double *values, size_t count)
{
    const node *n = value_of(map, key);
    return n && read_numbers(l, n, values, count);
}

/* ---- joints ---------------------------------------------------------------------------------- */

/* The joint that an item of a list names; −1, and a report, where there is none. */
static int joint_of(lists *l, const node *item)
{
    const char *name = text_of(l, item);
    int joint = name ? td_names_find(&l->joints, name) : -1;
    if (!name || joint >= 0)
        return joint;
    if (strncmp(name, "floating_base", 13) == 0) {
        REPORT(l, TD_CODE_SUBMECHANISM_BASE, item, "load the robot with a floating base",
               "joint '%.*s' is that of a floating base, which is an option at load: ignored",
               td_reader_shown(name), name);
        return -1;
    }
    const char *near = td_names_nearest(&l->joints, name, NULL, &l->search_budget);
    char remedy[160] = "name a joint of the robot";
    if (near)
        snprintf(remedy, sizeof remedy, "did you mean '%.*s'?", td_reader_shown(near), near);
    REPORT(l, TD_CODE_SUBMECHANISM_JOINT, item, remedy, TITLE_FORMAT ": no joint '%.*s'",
           TITLE(item), td_reader_shown(name), name);
    return -1;
}

static td_joint *record_of(lists *l, int joint)
{
    return &l->builder->records.joint.at[joint];
}

static void say(lists *l, int joint, const node *item, bool independent)
{
    td_joint *record = record_of(l, joint);
    if (l->said[joint] && record->independent != independent)
        REPORT(l, TD_CODE_SUBMECHANISM_CONFLICT, item, "keep one of the two",
               "joint '%.*s' is said to be %s here, and %s on line %d",
               td_reader_shown(record->name), record->name,
               independent ? "independent" : "dependent", independent ? "dependent" : "independent",
               l->said[joint]->position.line);
    else
        record->independent = independent;
    if (!l->said[joint])
        l->said[joint] = item;
}

static void say_all(lists *l, const node *map, const char *key, bool independent)
{
    const node *list = list_of(l, map, key);
    for (const node *item = list ? list->first : NULL; item; item = item->next) {
        int joint = joint_of(l, item);
        if (joint >= 0)
            say(l, joint, item, independent);
    }
}

/* The joints of a submechanism that are not listed as independent are dependent. Returns one that
   no <mimic> says what it depends on, −1 if there is none. */
static int say_rest(lists *l, const node *map)
{
    const node *list = list_of(l, map, "jointnames_spanningtree");
    bool stated = value_of(map, "jointnames_independent") != NULL;
    int alone = -1;
    for (const node *item = list ? list->first : NULL; item; item = item->next) {
        int joint = joint_of(l, item);
        if (joint < 0 || record_of(l, joint)->type == TD_JOINT_FIXED)
            continue;
        if (stated && !l->said[joint])
            say(l, joint, item, false);
        if (record_of(l, joint)->independent == 0 && !record_of(l, joint)->mimic)
            alone = joint;
    }
    return alone;
}

/* A driven joint is one that a transmission names: there is one of it already, or it is added. */
static void drive_all(lists *l, const node *map)
{
    const node *list = list_of(l, map, "jointnames_active");
    const char *name = word(l, map, "contextual_name");
    char line[32];
    if (!name)
        name = word(l, map, "name");
    snprintf(line, sizeof line, "(line %d)", map->position.line);
    for (const node *item = list ? list->first : NULL; item; item = item->next) {
        int joint = joint_of(l, item);
        if (joint < 0 || l->driven[joint])
            continue;
        td_transmission record =
            td_transmission_default(name ? name : line, record_of(l, joint)->name);
        record.type = "submechanism";
        record.source = source_of(l, item);
        keep_status(l, td_builder_add_transmission(l->builder, &record));
        l->driven[joint] = 1;
    }
}

/* ---- loops ----------------------------------------------------------------------------------- */

static void read_origin(lists *l, const node *map, const char *key, td_pose *pose)
{
    const node *origin = value_of(map, key);
    double rpy[3];
    if (!origin || !is_map(l, origin, "xyz rpy"))
        return;
    numbers(l, origin, "xyz", pose->position, 3);
    if (numbers(l, origin, "rpy", rpy, 3))
        td_rotation_from_rpy(rpy[0], rpy[1], rpy[2], pose->rotation);
}

/* The frame of a link in its root with all joints at zero; the root's name, NULL for links in a
   circle and where the search has taken too long. */
static const char *zero_frame(lists *l, const char *link, td_frame3 *frame)
{
    *frame = (td_frame3)TD_FRAME3_IDENTITY;
    int joint;
    while ((joint = td_names_find(&l->children, link)) >= 0) {
        const td_joint *record = record_of(l, joint);
        if (l->steps == 0 || !record->parent)
            return NULL;
        l->steps--;
        *frame = td_frame3_compose(td_frame3_from(&record->origin), *frame);
        link = record->parent;
    }
    return link;
}

/* HyRoDyn gives no frames: those of the loop coincide where all joints are at zero. */
static void close_at_zero(lists *l, const node *map, td_loop *loop)
{
    td_frame3 from, to;
    const char *root = zero_frame(l, loop->predecessor, &from);
    const char *other = root ? zero_frame(l, loop->successor, &to) : NULL;
    if (!other && l->steps == 0)
        REPORT(l, TD_CODE_YAML_TOO_LARGE, map, "write successor_origin: {xyz: ..., rpy: ...}",
               "there are too many loops to look up where their links are");
    if (!other || strcmp(root, other) != 0)
        return; /* not one tree, which the builder reports */
    from = td_frame3_compose(from, td_frame3_from(&loop->predecessor_origin));
    td_mat3 turn = td_mat3_transpose(to.rotation);
    td_mat3 rotation = td_mat3_mul(turn, from.rotation);
    td_vec3 p = td_mat3_apply(turn, from.position), q = td_mat3_apply(turn, to.position);
    const double position[3] = {p.x - q.x, p.y - q.y, p.z - q.z};
    memcpy(loop->successor_origin.position, position, sizeof position);
    memcpy(loop->successor_origin.rotation, &rotation, sizeof loop->successor_origin.rotation);
}

/* The bit of a constrained direction: wx, wy, wz, vx, vy, vz of which one is not zero. 0, and a
   report, for others. */
static unsigned axis_bit(lists *l, const node *item)
{
    double axis[6];
    if (!is_map(l, item, "name axis baumgarte_stabilization_parameter"))
        return 0;
    const node *n = value_of(item, "axis");
    if (!n)
        required_word(l, item, "axis");
    if (!n || !read_numbers(l, n, axis, 6))
        return 0;
    int largest = 0, others = 0;
    for (int i = 1; i < 6; i++)
        largest = fabs(axis[i]) > fabs(axis[largest]) ? i : largest;
    for (int i = 0; i < 6; i++)
        others += i != largest && fabs(axis[i]) > 1e-9 * fabs(axis[largest]);
    if (axis[largest] != 0 && others == 0)
        return 1U << largest;
    REPORT(l, TD_CODE_LOOP_MASK, n,
           "write one 1 and five 0, rotations first; predecessor_origin can turn the loop's frame",
           "a constrained axis is not one of the loop's frame");
    return 0;
}

/* the type, or the mask of constrained axes that stands for one */
static void read_loop_type(lists *l, const node *map, td_loop *loop)
{
    const node *axes = list_of(l, map, "constraint_axes");
    const char *type = word(l, map, "type");
    if (type && !td_reader_loop_type(type, &loop->type)) {
        char remedy[160];
        snprintf(remedy, sizeof remedy, "one of %s", td_reader_loop_types());
        REPORT(l, TD_CODE_JOINT_TYPE, value_of(map, "type"), remedy,
               "unknown type '%.*s' of a loop", td_reader_shown(type), type);
    } else if (type && axes && loop->type != TD_LOOP_MASK) {
        REPORT(l, TD_CODE_NUMBER_CONFLICT, axes, "keep one of the two",
               "the loop has both a type and constrained axes");
    } else if (!type && !axes) {
        REPORT(l, TD_CODE_JOINT_TYPE_MISSING, map, "add type: ... or constraint_axes: [...]",
               "a loop without a type");
    }
    if (!axes)
        return;
    size_t errors = l->errors;
    loop->type = TD_LOOP_MASK;
    for (const node *item = axes->first; item; item = item->next)
        loop->mask |= axis_bit(l, item);
    if (l->errors > errors)
        loop->mask |= 1; /* so that it is not reported as empty too */
}

/* Numbers that loops of one type alone have, and need. */
static void read_of_type(lists *l, const node *map, const char *key, const td_loop *loop,
                         td_loop_type type, double *values, size_t count)
{
    const node *n = value_of(map, key);
    const char *text = td_loop_type_text(type);
    if (n && loop->type == type)
        read_numbers(l, n, values, count);
    else if (n)
        REPORT(l, TD_CODE_LOOP_ITEM, n, "remove it, or correct the type",
               "'%s' is for %s loops, and ignored", key, text);
    else if (loop->type == type)
        REPORT(l, TD_CODE_NUMBER_MISSING, map, "add it", "a %s loop without '%s'", text, key);
}

static void read_loop(lists *l, const node *map)
{
    if (!is_map(l, map,
                "cut_joint type predecessor_body predecessor_origin successor_body "
                "successor_origin axis axis2 distance constraint_axes damping friction "
                "spring_stiffness spring_reference"))
        return;
    td_loop loop = td_loop_default(required_word(l, map, "cut_joint"),
                                   required_word(l, map, "predecessor_body"),
                                   required_word(l, map, "successor_body"));
    loop.source = source_of(l, map);
    loop.distance = 1;
    read_loop_type(l, map, &loop);
    numbers(l, map, "axis", loop.axis, 3);
    read_of_type(l, map, "axis2", &loop, TD_LOOP_UNIVERSAL, loop.second_axis, 3);
    read_of_type(l, map, "distance", &loop, TD_LOOP_DISTANCE, &loop.distance, 1);
    numbers(l, map, "damping", &loop.damping, 1);
    numbers(l, map, "friction", &loop.friction, 1);
    numbers(l, map, "spring_stiffness", &loop.spring_stiffness, 1);
    numbers(l, map, "spring_reference", &loop.spring_reference, 1);
    read_origin(l, map, "predecessor_origin", &loop.predecessor_origin);
    read_origin(l, map, "successor_origin", &loop.successor_origin);
    if (!loop.predecessor || !loop.successor)
        return;
    if (!value_of(map, "successor_origin") && loop.type != TD_LOOP_DISTANCE)
        close_at_zero(l, map, &loop);
    keep_status(l, td_builder_add_loop(l->builder, &loop));
}

/* ---- the file -------------------------------------------------------------------------------- */

static void read_submechanism(lists *l, const node *map)
{
    if (!is_map(l, map,
                "name type contextual_name file_path jointnames jointnames_spanningtree "
                "jointnames_independent jointnames_dependent jointnames_active loop_constraints "
                "around"))
        return;
    const td_records *records = &l->builder->records;
    say_all(l, map, "jointnames_independent", true);
    say_all(l, map, "jointnames_dependent", false);
    int alone = say_rest(l, map);
    drive_all(l, map);
    const node *loops = list_of(l, map, "loop_constraints");
    for (const node *item = loops ? loops->first : NULL; item; item = item->next)
        read_loop(l, item);
    if (alone >= 0 && !loops && !records->loop.count && !records->coupling.count)
        REPORT(l, TD_CODE_SUBMECHANISM_OPEN, map,
               "add loop_constraints: with the joints that close its loops",
               "joint '%.*s' is dependent, but nothing says how",
               td_reader_shown(record_of(l, alone)->name), record_of(l, alone)->name);
}

static void read_all(lists *l)
{
    const node *root = l->yaml.root;
    if (!is_map(l, root, "submechanisms exoskeletons"))
        return;
    const node *list = list_of(l, root, "submechanisms");
    if (!list && !value_of(root, "submechanisms"))
        REPORT(l, TD_CODE_YAML_MISSING, root, "a list of submechanisms starts with that key",
               "the file has no 'submechanisms'");
    for (const node *item = list ? list->first : NULL; item; item = item->next)
        read_submechanism(l, item);
    list = list_of(l, root, "exoskeletons");
    for (const node *item = list ? list->first : NULL; item; item = item->next)
        read_submechanism(l, item);
    report_unknown(l);
}

/* The indexes over the builder's joints. */
static bool prepare(lists *l)
{
    const td_records *records = &l->builder->records;
    td_arena *arena = &l->yaml.arena;
    size_t count = records->joint.count;
    l->said = TD_ARENA_NEW(arena, const node *, count);
    l->driven = TD_ARENA_NEW(arena, char, count);
    l->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!l->said || !l->driven || l->c_locale == (locale_t)0 ||
        !td_names_build(&l->joints, arena, records->joint.at, count, sizeof(td_joint),
                        offsetof(td_joint, name)) ||
        !td_names_build(&l->children, arena, records->joint.at, count, sizeof(td_joint),
                        offsetof(td_joint, child)))
        return false;
    for (size_t i = 0; i < records->transmission.count; i++) {
        int joint = td_names_find(&l->joints, records->transmission.at[i].joint);
        if (joint >= 0)
            l->driven[joint] = 1;
    }
    return true;
}

td_status td_submechanisms_read(td_builder *builder, const char *text, size_t size,
                                const char *name, const td_load_options *options,
                                td_diagnostics *list)
{
    lists l = {.builder = builder,
               .diagnostics = list,
               .file = name,
               .search_budget = search_budget,
               .steps = most_steps};
    size_t warnings = td_diagnostics_count(list, TD_SEVERITY_WARNING);
    td_status status = td_yaml_parse(text, size, name, options, list, &l.yaml);
    bool parsed = status == TD_OK;
    if (parsed) {
        if (prepare(&l))
            read_all(&l);
        else
            l.status = TD_ERROR_MEMORY;
        bool strict = options->strict && td_diagnostics_count(list, TD_SEVERITY_WARNING) > warnings;
        status = l.status != TD_OK ? l.status : l.errors > 0 || strict ? TD_ERROR_MODEL : TD_OK;
    }
    builder->incomplete = builder->incomplete || !parsed || l.errors > 0;
    if (l.c_locale != (locale_t)0)
        freelocale(l.c_locale);
    td_yaml_free(&l.yaml);
    return td_diagnostics_failed(list) ? TD_ERROR_MEMORY : status;
}
