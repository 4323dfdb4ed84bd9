/* SPDX-License-Identifier: MIT */
/*
 * Reports joints that are declared dependent but depend on nothing after mimic joints, couplings
 * and loops have been resolved. The model would have more degrees of freedom than the robot that
 * the file describes. A declaration on a joint causes a warning. A submechanism list names the
 * coordinates of the robot, so it causes an error.
 */
#include <stdio.h>
#include <string.h>

#include "load/build.h"

/* Returns the link above a link, or −1 above the root. */
static int link_above(const td_model *model, int link)
{
    int joint = model->link_joint[link];
    return joint < 0 ? -1 : model->place[joint].parent_link;
}

/* Marks the joints that support the loop's ends, up to the nearest common link, and the joints that
   these follow. above: per link, zero before and after. */
static void mark_path(const td_model *model, const td_loop *loop, char *above, char *marked)
{
    const int end[2] = {td_names_find(&model->link_names, loop->predecessor),
                        td_names_find(&model->link_names, loop->successor)};
    int at[2] = {end[0], end[1]}, seen = 0; /* alternate between the sides, so that neither goes far
                                               beyond the common link */
    while (seen != 3 && (at[0] >= 0 || at[1] >= 0))
        for (int side = 0; side < 2 && seen != 3; side++) {
            if (at[side] < 0)
                continue;
            above[at[side]] |= (char)(1 << side); /* 1 or 2: above one end; 3: above both */
            seen = (unsigned char)above[at[side]];
            at[side] = link_above(model, at[side]);
        }
    for (int side = 0; side < 2; side++)
        for (int k = end[side]; above[k] != 3; k = link_above(model, k)) {
            const td_combination *c = &model->closure.combination[model->link_joint[k]];
            marked[model->link_joint[k]] = 1;
            for (int n = 0; n < c->count; n++)
                marked[c->joint[n]] = 1;
        }
    for (int side = 0; side < 2; side++)
        for (int k = end[side]; k != at[side]; k = link_above(model, k))
            above[k] = 0;
}

/* Marks the joints on loops. A wrong declaration of such a joint is reported with its loop. */
static bool mark_loops(td_build *build, char *marked)
{
    const td_model *model = build->model;
    char *above = TD_ARENA_NEW(&build->temporary, char, model->records.link.count);
    if (!above)
        return false;
    for (size_t l = 0; l < model->records.loop.count; l++)
        if (model->closure.loop_place[l].form != TD_LOOP_FORM_IMPLIED)
            mark_path(model, &model->records.loop.at[l], above, marked);
    return true;
}

static bool same_place(const td_source *a, const td_source *b)
{
    return a->line == b->line && a->column == b->column && a->file && b->file &&
           strcmp(a->file, b->file) == 0;
}

/* Reports one error for all joints that one element declares dependent, and removes them from
   idle. */
static void report_listed(td_build *build, size_t first, char *idle)
{
    const td_records *records = &build->model->records;
    const td_joint *joint = &records->joint.at[first];
    char names[256] = "";
    size_t count = 0;
    for (size_t i = first; i < records->joint.count; i++) {
        const td_joint *other = &records->joint.at[i];
        if (!idle[i] || !other->must_depend ||
            (i != first && !same_place(&joint->independent_source, &other->independent_source)))
            continue;
        idle[i] = 0;
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s'%s'", count++ ? ", " : "", other->name);
    }
    td_report(build->diagnostics, TD_CODE_SUBMECHANISM_FREE,
              td_source_or(joint->independent_source, joint->source),
              "write the loops that close the mechanism, with all axes that they constrain",
              "%s %s declared dependent, but nothing in the file or the list determines the "
              "motion; %s independent",
              names, count == 1 ? "is" : "are", count == 1 ? "it stays" : "they stay");
}

bool td_check_declared(td_build *build)
{
    td_model *model = build->model;
    td_records *records = &model->records;
    if (build->incomplete || build->options->open_loops)
        return true;
    td_arena_scope(&build->temporary);
    char *marked = TD_ARENA_NEW(&build->temporary, char, records->joint.count);
    char *idle = TD_ARENA_NEW(&build->temporary, char, records->joint.count);
    if (!marked || !idle || !mark_loops(build, marked))
        return false;
    for (size_t i = 0; i < records->joint.count; i++)
        idle[i] = model->place[i].nq > 0 && !model->place[i].dependent &&
                  records->joint.at[i].independent == 0;
    for (size_t i = 0; i < records->joint.count; i++) {
        const td_joint *joint = &records->joint.at[i];
        if (idle[i] && joint->must_depend)
            report_listed(build, i, idle);
        else if (idle[i] && !marked[i])
            td_report(
                build->diagnostics, TD_CODE_DECLARED_IDLE, joint->source,
                "add the missing <loop>, <coupling> or <mimic>, or remove independent=\"false\"",
                "joint '%s' is declared dependent, but nothing determines its motion; it stays "
                "independent",
                joint->name);
    }
    return true;
}
