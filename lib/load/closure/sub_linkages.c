/* SPDX-License-Identifier: MIT */
/*
 * Linear linkages inside groups of loops: a parallelogram beside loops that are solved by
 * iteration. Alone its γ is linear (loop_rank.c), and in the group as well, since its loop holds
 * there too. Its joints become linear followers, like those of parallelograms alone, and the other
 * loops are closed anew without it: so it keeps its branch where it is flat, which iteration cannot
 * pass, and costs nothing. Loops that share joints are looked at one after the other, each without
 * the joints that those before it have decided.
 */
#include <math.h>
#include <string.h>

#include "load/closure/loop_analysis.h"

/* whether it can be one: plain joints that move links by themselves, and none of another one that
   was found in this round */
static bool is_candidate(const td_loop_analysis *analysis, const char *touched)
{
    bool good = analysis->slots > 1;
    for (int s = 0; good && s < analysis->slots; s++) {
        const td_joint *joint = &analysis->model->records.joint.at[analysis->joint[s]];
        good = td_joint_is_scalar(joint->type) && !joint->flexible && !touched[analysis->joint[s]];
    }
    return good;
}

/* The loop where the group was assembled. Joints that are given a start lead. */
static void place(td_loop_analysis *analysis)
{
    const td_build *build = analysis->build;
    td_sort_columns(analysis);
    for (int s = 0; s < analysis->slots; s++) {
        const int joint = analysis->joint[s];
        *td_analysis_coordinate(analysis, analysis->w, s) =
            build->assembled[TD_MOST_POSITIONS * joint + analysis->component[s]];
        if (td_is_given_start(build, joint))
            analysis->kind[s] = TD_KIND_INDEPENDENT;
    }
}

/* Whether γ is linear on a branch of the loop at w, or nearby where w is singular; the combinations
   go behind those that were found before. False without memory. */
static bool find_combinations(td_loop_analysis *analysis, bool *linear)
{
    td_build *build = analysis->build;
    const size_t nw = analysis->nw, first = build->found_count;
    double *w = TD_ARENA_NEW(&build->temporary, double, nw);
    *linear = false;
    if (!w)
        return false;
    memcpy(w, analysis->w, nw * sizeof *w);
    if (td_analysis_openness(analysis, w) > 1e-10)
        return true;
    td_diagnostics_mark mark = td_diagnostics_here(build->diagnostics);
    const bool ok = td_analysis_leave_singularity(analysis);
    td_diagnostics_return(build->diagnostics, &mark);
    *linear = ok && analysis->rank > 0 && td_analysis_is_linear(analysis, analysis->w);
    for (int x = 0; *linear && x < analysis->rank; x++) {
        td_combination *c = &build->found[first + (size_t)x];
        if (!td_make_combination(analysis, x, c))
            return false;
        double off = *td_analysis_coordinate(analysis, w, analysis->pick[x]) - c->constant;
        for (int k = 0; k < c->count; k++)
            off -= c->factor[k] * build->assembled[TD_MOST_POSITIONS * c->joint[k]];
        *linear = fabs(off) < 1e-6 * analysis->unit[analysis->pick[x]];
        build->found_joint[first + (size_t)x] = analysis->joint[analysis->pick[x]];
        build->found_loop[first + (size_t)x] = analysis->group->loop[0].index;
    }
    return ok;
}

/* one loop of the group; false without memory */
static bool examine_loop(td_build *build, int loop, char *touched)
{
    td_loop_group group = {0};
    td_loop_analysis analysis = {.build = build, .model = build->model, .group = &group};
    bool linear = false;
    td_arena_scope(&build->temporary);
    bool ok = td_make_loop_group(&analysis, &loop, 1) && td_analysis_slots(&analysis);
    if (ok && is_candidate(&analysis, touched)) {
        ok = td_analysis_open(&analysis);
        if (ok)
            place(&analysis);
        ok = ok && find_combinations(&analysis, &linear);
    }
    for (int s = 0; ok && linear && s < analysis.slots; s++)
        touched[analysis.joint[s]] = 1;
    td_analysis_close(&analysis);
    if (!ok || !linear)
        return ok;
    build->found_count += (size_t)analysis.rank;
    build->linear[loop] = 1;
    build->corrected = true;
    return true;
}

bool td_find_sub_linkages(td_build *build, const int *loops, int count)
{
    td_arena_scope(&build->temporary);
    char *touched = TD_ARENA_NEW(&build->temporary, char, build->model->records.joint.count);
    bool ok = touched != NULL;
    for (int l = 0; ok && l < count; l++)
        ok = examine_loop(build, loops[l], touched);
    return ok;
}

bool td_take_sub_linkages(td_build *build)
{
    for (size_t k = 0; k < build->found_count; k++)
        if (!td_take_combination(build->model, build->found_joint[k], &build->found[k]))
            return false;
    return true;
}

bool td_make_sub_linkage(td_build *build, int loop, td_loop_group *group)
{
    td_loop_analysis analysis = {.build = build, .model = build->model, .group = group};
    if (!td_make_loop_group(&analysis, &loop, 1))
        return false;
    td_set_loop_form(&analysis, TD_LOOP_LINEAR);
    group->form = TD_FORM_LINEAR;
    td_report_rounding(&analysis);
    for (size_t k = 0; k < build->found_count; k++)
        if (build->found_loop[k] == loop)
            td_report_declared(&analysis, build->found_joint[k], false);
    return true;
}
