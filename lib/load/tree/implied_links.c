/* SPDX-License-Identifier: MIT */
/*
 * Links that joints name as their parents and that are not declared. "world" is one that Drake and
 * MuJoCo have of their own. Others make the robot a part that is meant to be attached to another
 * one: an error later, unless the options ask for what there is.
 */
#include <stdio.h>
#include <string.h>

#include "load/build.h"

/* Makes the parent of a joint, and says so. */
static bool make_parent(td_build *build, const td_joint *joint)
{
    td_link link = td_link_default(joint->parent);
    link.source = joint->source;
    if (strcmp(joint->parent, "world") == 0)
        td_report(build->diagnostics, TD_CODE_WORLD_IMPLIED, joint->source, NULL,
                  "link 'world', the parent of joint '%s', is not declared: it is made",
                  joint->name);
    else
        td_report(
            build->diagnostics, TD_CODE_PARENT_PARTIAL, joint->source,
            "leave the option out once the part is attached",
            "the parent link '%s' of joint '%s' does not exist: it is made, fixed to the root "
            "or as the root",
            joint->parent, joint->name);
    return td_records_add_link(&build->model->records, &link) == TD_OK;
}

/* Whether the parent of a joint is not declared, and one of those that are made. */
static bool is_wanted(const td_build *build, const td_joint *joint)
{
    if (!joint->parent || !joint->name)
        return false;
    bool wanted = build->options->partial || strcmp(joint->parent, "world") == 0;
    return wanted && td_names_find(&build->model->link_names, joint->parent) < 0;
}

/* Makes all such parents, in the order of the joints. */
static bool make_parents(td_build *build)
{
    td_model *model = build->model;
    td_records *records = &model->records;
    td_names parents;
    if (!td_names_build(&parents, &records->arena, records->joint.at, records->joint.count,
                        sizeof(td_joint), offsetof(td_joint, parent)))
        return false;
    for (size_t i = 0; i < records->joint.count; i++) {
        const td_joint *joint = &records->joint.at[i];
        bool first = td_names_find(&parents, joint->parent) == (int)i;
        if (is_wanted(build, joint) && first && !make_parent(build, joint))
            return false;
    }
    return td_names_build(&model->link_names, &records->arena, records->link.at,
                          records->link.count, sizeof(td_link), offsetof(td_link, name));
}

/* ---- one root -------------------------------------------------------------------------------- */

/* "$fixed:" before the name, in the arena */
static const char *name_of_mount(td_arena *arena, const char *link)
{
    size_t bytes = strlen(link) + sizeof "$fixed:";
    char *name = td_arena_array(arena, bytes, 1);
    if (name)
        snprintf(name, bytes, "$fixed:%s", link);
    return name;
}

/* Fixes the links that were made, from the first-th on, to the one root that the robot has of its
   own, or to the first of them where it has none. Several of its own are an error later. */
static bool mount(td_build *build, size_t first)
{
    td_model *model = build->model;
    td_records *records = &model->records;
    td_arena_scope(&build->temporary);
    char *carried = TD_ARENA_NEW(&build->temporary, char, records->link.count);
    if (!carried)
        return false;
    for (size_t i = 0; i < records->joint.count; i++) {
        int child = td_names_find(&model->link_names, records->joint.at[i].child);
        if (child >= 0)
            carried[child] = 1;
    }
    size_t root = 0;
    while (root < first && carried[root])
        root++;
    for (size_t k = first; k < records->link.count; k++) {
        if (k == root)
            continue;
        const td_link *link = &records->link.at[k];
        const char *name = name_of_mount(&records->arena, link->name);
        if (!name)
            return false;
        td_joint joint =
            td_joint_default(name, TD_JOINT_FIXED, records->link.at[root].name, link->name);
        joint.source = link->source;
        if (td_records_add_joint(records, &joint) != TD_OK)
            return false;
    }
    return td_names_build(&model->joint_names, &records->arena, records->joint.at,
                          records->joint.count, sizeof(td_joint), offsetof(td_joint, name));
}

bool td_imply_links(td_build *build)
{
    const td_records *records = &build->model->records;
    size_t declared = records->link.count, i = 0;
    while (i < records->joint.count && !is_wanted(build, &records->joint.at[i]))
        i++;
    if (i == records->joint.count)
        return true;
    return make_parents(build) && (!build->options->partial || mount(build, declared));
}
