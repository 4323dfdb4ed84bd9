/* SPDX-License-Identifier: MIT */
/*
 * Reads robot.yaml of Extended URDF, the format of Gepetto's parallel robots, which stands beside a
 * URDF in place of a submechanism list:
 *
 *   closed_loop  pairs of frames, which are links or joints; a joint's frame is its child's
 *   type         per pair: 6d makes the frames coincide, 3d their origins
 *   name_mot     joints with motors
 *   joint_name   joints of another type than in the URDF,
 *   joint_type   and their types: SPHERICAL; FIXED; UJOINT_XY, which turns about x, then about y
 */
#include <stdio.h>
#include <string.h>

#include "lists.h"
#include "vocabulary.h"

static const char pair_remedy[] = "write [[FRAME, FRAME], ...]";

/* ---- joint_name, joint_type ------------------------------------------------------------------ */

/* Returns a text in the builder's arena. */
static const char *joined(td_lists *l, const char *name, char axis)
{
    const size_t length = strlen(name) + 3;
    char *text = td_arena_array(&l->builder->records.arena, length, 1);
    if (text)
        snprintf(text, length, "%s_%c", name, axis);
    else
        td_lists_fail(l, TD_ERROR_MEMORY);
    return text;
}

static void set_axis(td_joint *joint, char letter)
{
    for (int i = 0; i < 3; i++)
        joint->axis[i] = letter == "XYZ"[i];
}

/* Splits a joint into two revolute ones, NAME_A and NAME_B, with a link NAME_A between them. */
static void split_joint(td_lists *l, int index, char first, char second)
{
    td_records *records = &l->builder->records;
    const td_joint given = records->joint.at[index];
    const char *upper = joined(l, given.name, first), *lower = joined(l, given.name, second);
    if (!upper || !lower)
        return;
    td_link link = td_link_default(upper);
    td_joint_type turning = given.type;
    td_joint_type_of_word("continuous", &turning);
    td_joint above = td_joint_default(upper, turning, given.parent, upper);
    td_joint below = td_joint_default(lower, turning, upper, given.child);
    link.source = above.source = below.source = given.source;
    above.origin = given.origin;
    set_axis(&above, first);
    set_axis(&below, second);
    records->joint.at[index] = below;
    td_lists_fail(l, td_builder_add_link(l->builder, &link));
    td_lists_fail(l, td_builder_add_joint(l->builder, &above));
}

/* Changes the type of a joint. Returns false for an unknown word. */
static bool change_type(td_lists *l, int index, const char *word)
{
    td_joint *joint = td_lists_record(l, index);
    td_joint other = td_joint_default(joint->name, joint->type, joint->parent, joint->child);
    const char *a = strncmp(word, "UJOINT_", 7) == 0 ? word + 7 : "";
    if (strlen(a) == 2 && strspn(a, "XYZ") == 2 && a[0] != a[1]) {
        split_joint(l, index, a[0], a[1]);
        return true;
    }
    const bool ball = strcmp(word, "SPHERICAL") == 0;
    if (!ball && strcmp(word, "FIXED") != 0)
        return false;
    td_joint_type_of_word(ball ? "spherical" : "fixed", &other.type);
    other.origin = joint->origin;
    other.source = joint->source;
    *joint = other;
    return true;
}

/* Returns whether a joint of another type would lose something that the URDF gives it. */
static bool has_more(const td_joint *joint)
{
    return joint->mimic || joint->command || joint->damping != 0 || joint->friction != 0 ||
           joint->spring_stiffness != 0;
}

static void change_joint(td_lists *l, const td_yaml_node *item, const td_yaml_node *type)
{
    const int index = td_lists_joint(l, item);
    const char *word = td_lists_text(l, type);
    if (index < 0 || !word)
        return;
    const td_joint *joint = td_lists_record(l, index);
    if (l->said[index]) {
        TD_LISTS_REPORT(l, TD_CODE_NUMBER_CONFLICT, item, "keep one of the two",
                        "joint '%.*s' has two types", td_shown(joint->name), joint->name);
        return;
    }
    l->said[index] = item;
    if (has_more(joint))
        TD_LISTS_REPORT(
            l, TD_CODE_NUMBER_CONFLICT, item,
            "remove <mimic>, <dynamics> and <command_interface> of the joint in the URDF",
            "joint '%.*s' has <mimic>, <dynamics> or a command, and another type here",
            td_shown(joint->name), joint->name);
    else if (change_type(l, index, word))
        TD_LISTS_REPORT(l, TD_CODE_LOOP_CONVENTION, item, NULL, "joint '%.*s' is read as %s",
                        td_shown(item->text), item->text, word);
    else
        TD_LISTS_REPORT(l, TD_CODE_JOINT_TYPE, type,
                        "use SPHERICAL, FIXED, or UJOINT_ and two axes, such as UJOINT_XY",
                        "joint '%.*s' has the unknown type '%.*s'", td_shown(joint->name),
                        joint->name, td_shown(word), word);
}

/* ---- closed_loop, type ----------------------------------------------------------------------- */

/* Returns the link of a frame. Reports an unknown frame and returns NULL. */
static const char *link_of(td_lists *l, const td_names *links, const td_yaml_node *item)
{
    const char *name = td_lists_text(l, item);
    if (!name || td_names_find(links, name) >= 0)
        return name;
    const int joint = td_names_find(&l->joints, name);
    if (joint >= 0)
        return td_lists_record(l, joint)->child;
    TD_LISTS_REPORT(l, TD_CODE_LOOP_LINK_UNDEFINED, item, "name a link or a joint of the robot",
                    "frame '%.*s' does not exist", td_shown(name), name);
    return NULL;
}

/* Reads 3d or 6d. Reports another word and returns false. */
static bool read_kind(td_lists *l, const td_yaml_node *item, td_loop_type *type)
{
    const char *word = td_lists_text(l, item);
    const bool point = word && (strcmp(word, "3d") == 0 || strcmp(word, "3D") == 0);
    const bool whole = word && (strcmp(word, "6d") == 0 || strcmp(word, "6D") == 0);
    *type = point ? TD_LOOP_SPHERICAL : TD_LOOP_FIXED;
    if (word && !point && !whole)
        TD_LISTS_REPORT(l, TD_CODE_JOINT_TYPE, item, "use 3d or 6d",
                        "a closed loop has the unknown type '%.*s'", td_shown(word), word);
    return point || whole;
}

static void close_pair(td_lists *l, const td_names *links, const td_yaml_node *pair,
                       const td_yaml_node *type)
{
    if (pair->kind != TD_YAML_LIST || pair->count != 2) {
        TD_LISTS_REPORT(l, TD_CODE_YAML_KIND, pair, pair_remedy,
                        TD_LISTS_TITLE_FORMAT " is not a pair of frames", TD_LISTS_TITLE(pair));
        return;
    }
    const td_yaml_node *first = pair->first, *second = pair->last;
    td_loop loop = td_loop_default(NULL, link_of(l, links, first), link_of(l, links, second));
    const bool typed = read_kind(l, type, &loop.type);
    if (!loop.predecessor || !loop.successor || !typed)
        return;
    char name[256];
    snprintf(name, sizeof name, "%.*s-%.*s", td_shown(first->text), first->text,
             td_shown(second->text), second->text);
    loop.name = name;
    loop.source = td_lists_source(l, pair);
    TD_LISTS_REPORT(l, TD_CODE_LOOP_CONVENTION, pair, NULL,
                    "'%.*s' and '%.*s' close a loop: read as %s loop '%s'", td_shown(first->text),
                    first->text, td_shown(second->text), second->text, td_loop_type_text(loop.type),
                    name);
    td_lists_fail(l, td_builder_add_loop(l->builder, &loop));
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Items in the same place of two lists. */
typedef struct pairs {
    const td_yaml_node *first, *second;
} pairs;

/* Returns the first items of the lists with two keys. Reports lists of different lengths. */
static pairs lists_of(td_lists *l, const td_yaml_node *root, const char *key, const char *types)
{
    const td_yaml_node *list = td_lists_list(l, root, key), *type = td_lists_list(l, root, types);
    const size_t count = list ? list->count : 0, others = type ? type->count : 0;
    if (count == others)
        return (pairs){list ? list->first : NULL, type ? type->first : NULL};
    TD_LISTS_REPORT(l, TD_CODE_YAML_MISSING, list ? list : root, "write one type for each item",
                    "'%s' has %zu items, but '%s' has %zu", key, count, types, others);
    return (pairs){NULL, NULL};
}

void td_lists_robot(td_lists *l, const td_yaml_node *root)
{
    td_records *records = &l->builder->records;
    td_names links;
    for (pairs p = lists_of(l, root, "joint_name", "joint_type"); p.first;
         p = (pairs){p.first->next, p.second->next})
        change_joint(l, p.first, p.second);
    if (!td_lists_prepare(l) ||
        !td_names_build(&links, &l->yaml.arena, records->link.at, records->link.count,
                        sizeof(td_link), offsetof(td_link, name))) {
        td_lists_fail(l, TD_ERROR_MEMORY);
        return;
    }
    for (pairs p = lists_of(l, root, "closed_loop", "type"); p.first;
         p = (pairs){p.first->next, p.second->next})
        close_pair(l, &links, p.first, p.second);
    td_lists_drive(l, td_lists_list(l, root, "name_mot"), "robot.yaml", "motor");
}
