/* SPDX-License-Identifier: MIT */
/*
 * Converts submechanism lists, and lists of Extended URDF in their place, from the tree of a YAML
 * document to records in a builder. As in the URDF parser, reading continues after an error so that
 * all errors are reported, and a default replaces an invalid value.
 */
#include "submechanisms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "lists.h"
#include "vocabulary.h"

/* Number of character comparisons, which take a fraction of a second. */
static const size_t search_budget = 100000000;

/* ---- joints ---------------------------------------------------------------------------------- */

int td_lists_joint(td_lists *l, const td_yaml_node *item)
{
    const char *name = td_lists_text(l, item);
    int joint = name ? td_names_find(&l->joints, name) : -1;
    if (!name || joint >= 0)
        return joint;
    if (strncmp(name, "floating_base", 13) == 0) {
        TD_LISTS_REPORT(l, TD_CODE_SUBMECHANISM_BASE, item, "load the robot with a floating base",
                        "joint '%.*s' is a floating base, which is an option at load; ignored",
                        td_shown(name), name);
        return -1;
    }
    const char *near = td_names_nearest(&l->joints, name, NULL, &l->search_budget);
    char remedy[160] = "name a joint of the robot";
    if (near)
        snprintf(remedy, sizeof remedy, "did you mean '%.*s'?", td_shown(near), near);
    TD_LISTS_REPORT(l, TD_CODE_SUBMECHANISM_JOINT, item, remedy,
                    TD_LISTS_TITLE_FORMAT ": joint '%.*s' does not exist", TD_LISTS_TITLE(item),
                    td_shown(name), name);
    return -1;
}

td_joint *td_lists_record(td_lists *l, int joint)
{
    return &l->builder->records.joint.at[joint];
}

/* Declares a joint dependent or independent. map: the submechanism. */
static void say(td_lists *l, const td_yaml_node *map, int joint, const td_yaml_node *item,
                bool independent)
{
    td_joint *record = td_lists_record(l, joint);
    td_source source = td_lists_source(l, map);
    if (l->said[joint] && record->independent != independent)
        TD_LISTS_REPORT(l, TD_CODE_SUBMECHANISM_CONFLICT, item, "keep one of the two",
                        "joint '%.*s' is declared %s here, but %s on line %d",
                        td_shown(record->name), record->name,
                        independent ? "independent" : "dependent",
                        independent ? "dependent" : "independent", l->said[joint]->position.line);
    else
        td_lists_fail(l, td_records_declare(&l->builder->records, joint, independent, &source));
    if (!l->said[joint])
        l->said[joint] = item;
}

static void say_all(td_lists *l, const td_yaml_node *map, const char *key, bool independent)
{
    const td_yaml_node *list = td_lists_list(l, map, key);
    for (const td_yaml_node *item = list ? list->first : NULL; item; item = item->next) {
        int joint = td_lists_joint(l, item);
        if (joint >= 0)
            say(l, map, joint, item, independent);
    }
}

/* Declares the joints of a submechanism dependent unless they are listed as independent. */
static void say_rest(td_lists *l, const td_yaml_node *map)
{
    const td_yaml_node *list = td_lists_list(l, map, "jointnames_spanningtree");
    bool stated = td_lists_value(map, "jointnames_independent") != NULL;
    for (const td_yaml_node *item = list ? list->first : NULL; item; item = item->next) {
        int joint = td_lists_joint(l, item);
        if (joint >= 0 && stated && !l->said[joint] &&
            td_joint_kind_of(td_lists_record(l, joint)->type)->nq > 0)
            say(l, map, joint, item, false);
    }
}

void td_lists_drive(td_lists *l, const td_yaml_node *list, const char *name, const char *type)
{
    for (const td_yaml_node *item = list ? list->first : NULL; item; item = item->next) {
        int joint = td_lists_joint(l, item);
        if (joint < 0 || l->driven[joint])
            continue;
        td_transmission record = td_transmission_default(name, td_lists_record(l, joint)->name);
        record.type = type;
        record.source = td_lists_source(l, item);
        td_lists_fail(l, td_builder_add_transmission(l->builder, &record));
        l->driven[joint] = 1;
    }
}

static void drive_all(td_lists *l, const td_yaml_node *map)
{
    const char *name = td_lists_word(l, map, "contextual_name");
    char line[32];
    if (!name)
        name = td_lists_word(l, map, "name");
    snprintf(line, sizeof line, "(line %d)", map->position.line);
    td_lists_drive(l, td_lists_list(l, map, "jointnames_active"), name ? name : line,
                   "submechanism");
}

/* ---- the file -------------------------------------------------------------------------------- */

static void read_submechanism(td_lists *l, const td_yaml_node *map)
{
    if (!td_lists_is_map(
            l, map,
            "name type contextual_name file_path jointnames jointnames_spanningtree "
            "jointnames_independent jointnames_dependent jointnames_active loop_constraints "
            "around"))
        return;
    say_all(l, map, "jointnames_independent", true);
    say_all(l, map, "jointnames_dependent", false);
    say_rest(l, map);
    drive_all(l, map);
    const td_yaml_node *loops = td_lists_list(l, map, "loop_constraints");
    for (const td_yaml_node *item = loops ? loops->first : NULL; item; item = item->next)
        td_lists_loop(l, item);
    if (!td_lists_value(map, "loop_constraints"))
        td_lists_type(l, map);
}

static void read_all(td_lists *l)
{
    const td_yaml_node *root = l->yaml.root;
    const bool robot = root->kind == TD_YAML_MAP && !td_lists_value(root, "submechanisms") &&
                       (td_lists_value(root, "closed_loop") || td_lists_value(root, "name_mot"));
    if (robot) {
        if (td_lists_is_map(l, root, "closed_loop type name_mot joint_name joint_type"))
            td_lists_robot(l, root);
        td_lists_report_unknown(l);
        return;
    }
    if (!td_lists_is_map(l, root, "submechanisms exoskeletons"))
        return;
    const td_yaml_node *list = td_lists_list(l, root, "submechanisms");
    if (!list && !td_lists_value(root, "submechanisms"))
        TD_LISTS_REPORT(l, TD_CODE_YAML_MISSING, root, "a submechanism list begins with this key",
                        "the file has no 'submechanisms'");
    for (const td_yaml_node *item = list ? list->first : NULL; item; item = item->next)
        read_submechanism(l, item);
    list = td_lists_list(l, root, "exoskeletons");
    for (const td_yaml_node *item = list ? list->first : NULL; item; item = item->next)
        read_submechanism(l, item);
    td_lists_report_unknown(l);
}

bool td_lists_prepare(td_lists *l)
{
    const td_records *records = &l->builder->records;
    td_arena *arena = &l->yaml.arena;
    size_t count = records->joint.count;
    l->said = TD_ARENA_NEW(arena, const td_yaml_node *, count);
    l->driven = TD_ARENA_NEW(arena, char, count);
    if (!l->said || !l->driven ||
        !td_names_build(&l->joints, arena, records->joint.at, count, sizeof(td_joint),
                        offsetof(td_joint, name)) ||
        !td_records_follower_names(records, arena, &l->followers) ||
        !td_zero_make(&l->zero, arena, records))
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
    td_lists l = {
        .builder = builder, .diagnostics = list, .file = name, .search_budget = search_budget};
    size_t warnings = td_diagnostics_count(list, TD_SEVERITY_WARNING);
    td_status status = td_yaml_parse(text, size, name, options, list, &l.yaml);
    bool parsed = status == TD_OK;
    if (parsed) {
        td_c_locale locale;
        if (!td_c_locale_begin(&locale)) {
            l.status = TD_ERROR_MEMORY;
        } else {
            if (td_lists_prepare(&l))
                read_all(&l);
            else
                l.status = TD_ERROR_MEMORY;
            td_c_locale_end(&locale);
        }
        bool strict = options->strict && td_diagnostics_count(list, TD_SEVERITY_WARNING) > warnings;
        status = l.status != TD_OK ? l.status : l.errors > 0 || strict ? TD_ERROR_MODEL : TD_OK;
    }
    builder->incomplete = builder->incomplete || !parsed || l.errors > 0;
    td_yaml_free(&l.yaml);
    return td_diagnostics_failed(list) ? TD_ERROR_MEMORY : status;
}
