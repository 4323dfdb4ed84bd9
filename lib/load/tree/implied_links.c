/* SPDX-License-Identifier: MIT */
/*
 * Makes links that joints name as parents but that are not declared. Drake and MuJoCo have a
 * built-in link "world". Other undeclared parents mean that the robot is a part to be attached to
 * another robot. This is an error later, unless the options allow partial robots.
 */
#include <stdio.h>
#include <string.h>

#include "load/build.h"

/* Makes the parent link of a joint and reports it. */
static bool make_parent(td_build *build, const td_joint *joint)
{
    td_link link = td_link_default(joint->parent);
    link.source = joint->source;
    if (strcmp(joint->parent, "world") == 0)
        td_report(build->diagnostics, TD_CODE_WORLD_IMPLIED, joint->source, NULL,
                  "link 'world', the parent of joint '%s', is not declared; it was added",
                  joint->name);
    else
        td_report(build->diagnostics, TD_CODE_PARENT_PARTIAL, joint->source,
                  "remove the option `partial` once the part is attached",
                  "the parent link '%s' of joint '%s' does not exist; it was added as the root or "
                  "fixed to the root",
                  joint->parent, joint->name);
    return td_records_add_link(&build->model->records, &link) == TD_OK;
}

/* Returns whether the parent of a joint is undeclared and may be made. */
static bool is_wanted(const td_build *build, const td_joint *joint)
{
    if (!joint->parent || !joint->name)
        return false;
    bool wanted = build->options->partial || strcmp(joint->parent, "world") == 0;
    return wanted && td_names_find(&build->model->link_names, joint->parent) < 0;
}

/* Makes all these parents in the order of the joints. */
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

/* Returns "$fixed:" followed by the name, allocated in the arena. */
static const char *name_of_mount(td_arena *arena, const char *link)
{
    size_t bytes = strlen(link) + sizeof "$fixed:";
    char *name = td_arena_array(arena, bytes, 1);
    if (name)
        snprintf(name, bytes, "$fixed:%s", link);
    return name;
}

/* Attaches the links made here, from index `first` on, by fixed joints to the declared root.
   Without a declared root, attaches them to the first link made. Several declared roots are an
   error later. */
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
