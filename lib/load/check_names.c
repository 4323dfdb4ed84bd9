/* SPDX-License-Identifier: MIT */
/*
 * Checks of link and joint names: missing, duplicate and reserved names.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "load/build.h"

/* Reports all records of a duplicate name except the first, and names the place of the first
   one. */
static void report_duplicates(td_build *build, const td_names *names, td_code code,
                              const char *kind, td_source (*source)(const td_model *, int))
{
    size_t first = 0; /* of the run of equal names */
    for (size_t i = 1; i < names->count; i++) {
        if (strcmp(names->sorted[i].text, names->sorted[first].text) != 0) {
            first = i;
            continue;
        }
        td_source earlier = source(build->model, names->sorted[first].index);
        char remedy[96] = "rename one of them";
        if (earlier.line)
            snprintf(remedy, sizeof remedy, "rename one of them; the first is on line %d",
                     earlier.line);
        td_report(build->diagnostics, code, source(build->model, names->sorted[i].index), remedy,
                  "there is already a %s '%s'", kind, names->sorted[i].text);
    }
}

static td_source link_source(const td_model *model, int link)
{
    return model->records.link.at[link].source;
}

static td_source joint_source(const td_model *model, int joint)
{
    return model->records.joint.at[joint].source;
}

bool td_check_names(td_build *build)
{
    td_model *model = build->model;
    td_records *records = &model->records;
    td_diagnostics *list = build->diagnostics;

    if (!records->name[0])
        td_report(list, TD_CODE_ROBOT_NO_NAME, records->source, "add name=\"...\" to <robot>",
                  "the robot has no name");
    if (!records->link.count)
        td_report(list, TD_CODE_NO_LINKS, records->source,
                  "add a <link>; xacro files that only define macros have none: load the file that "
                  "uses them",
                  "the robot has no links");
    for (size_t i = 0; i < records->link.count; i++)
        if (!records->link.at[i].name || !records->link.at[i].name[0])
            td_report(list, TD_CODE_NAME_MISSING, records->link.at[i].source, "add name=\"...\"",
                      "a link has no name");
    for (size_t i = 0; i < records->joint.count; i++) {
        const td_joint *joint = &records->joint.at[i];
        if (!joint->name || !joint->name[0])
            td_report(list, TD_CODE_NAME_MISSING, joint->source, "add name=\"...\"",
                      "a joint has no name");
        else if (strcmp(joint->name, TD_BASE_NAME) == 0)
            td_report(list, TD_CODE_NAME_RESERVED, joint->source, "rename the joint",
                      "'" TD_BASE_NAME "' is reserved for the floating base that an option adds");
    }
    if (!td_names_build(&model->link_names, &records->arena, records->link.at, records->link.count,
                        sizeof(td_link), offsetof(td_link, name)) ||
        !td_names_build(&model->joint_names, &records->arena, records->joint.at,
                        records->joint.count, sizeof(td_joint), offsetof(td_joint, name)))
        return false;
    report_duplicates(build, &model->link_names, TD_CODE_LINK_DUPLICATE, "link", link_source);
    report_duplicates(build, &model->joint_names, TD_CODE_JOINT_DUPLICATE, "joint", joint_source);
    return true;
}
