/* SPDX-License-Identifier: MIT */
/*
 * Springs and dampers between two links: checks of their records, and their frames in the tree.
 */
#include <math.h>

#include "base/frame.h"
#include "load/build.h"

static const char *name_of(const td_spring *spring)
{
    return spring->name ? spring->name : "";
}

/* Checks numbers of a spring. what: for example "stiffness". */
static void check_values(td_build *build, const td_spring *spring, const char *what,
                         const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        td_check_passive(build, spring->source, what, "spring", name_of(spring), values[i]);
}

static void check_numbers(td_build *build, const td_spring *spring)
{
    if (spring->type == TD_SPRING_BUSHING) {
        check_values(build, spring, "angular stiffness", spring->angular_stiffness, 3);
        check_values(build, spring, "angular damping", spring->angular_damping, 3);
        check_values(build, spring, "linear stiffness", spring->linear_stiffness, 3);
        check_values(build, spring, "linear damping", spring->linear_damping, 3);
        return;
    }
    check_values(build, spring, "stiffness", &spring->stiffness, 1);
    check_values(build, spring, "damping", &spring->damping, 1);
    if (!(spring->length >= 0 && isfinite(spring->length)))
        td_report(build->diagnostics, TD_CODE_SPRING_LENGTH, spring->source,
                  "give the length in m at which the spring exerts no force",
                  "the free length of spring '%s' is %.9g, but must be 0 or more", name_of(spring),
                  spring->length);
}

bool td_check_springs(td_build *build)
{
    const td_records *records = &build->model->records;
    for (size_t i = 0; i < records->spring.count; i++) {
        const td_spring *spring = &records->spring.at[i];
        td_check_pose(build, &spring->predecessor_origin, spring->source,
                      "the predecessor of spring", name_of(spring));
        td_check_pose(build, &spring->successor_origin, spring->source, "the successor of spring",
                      name_of(spring));
        td_check_ends(build, spring->source, "spring", spring->name, spring->predecessor,
                      spring->successor);
        check_numbers(build, spring);
    }
    return true;
}

static td_spring_end end_of(const td_model *model, const char *link, const td_pose *origin)
{
    const td_frame3 frame = td_frame3_from(origin);
    return (td_spring_end){td_names_find(&model->link_names, link), frame.rotation, frame.position};
}

bool td_place_springs(td_build *build)
{
    td_model *model = build->model;
    td_tree *tree = &model->tree;
    const td_records *records = &model->records;
    tree->spring = TD_ARENA_NEW(&model->records.arena, td_spring_element, records->spring.count);
    if (!tree->spring)
        return false;
    tree->springs = records->spring.count;
    for (size_t i = 0; i < tree->springs; i++) {
        const td_spring *record = &records->spring.at[i];
        td_spring_element *spring = &tree->spring[i];
        *spring = (td_spring_element){
            .bushing = record->type == TD_SPRING_BUSHING,
            .predecessor = end_of(model, record->predecessor, &record->predecessor_origin),
            .successor = end_of(model, record->successor, &record->successor_origin),
            .length = record->length,
            .stiffness = record->stiffness,
            .damping = record->damping,
            .angular_stiffness = td_vec3_from(record->angular_stiffness),
            .angular_damping = td_vec3_from(record->angular_damping),
            .linear_stiffness = td_vec3_from(record->linear_stiffness),
            .linear_damping = td_vec3_from(record->linear_damping),
        };
        if (tree->link[spring->predecessor.link].body == tree->link[spring->successor.link].body)
            td_report(build->diagnostics, TD_CODE_SPRING_IDLE, record->source,
                      "name links that move relative to each other",
                      "spring '%s' connects links of the same body and has no effect",
                      name_of(record));
    }
    return true;
}
