/* SPDX-License-Identifier: MIT */
/*
 * Linear linkages inside groups of loops, such as a parallelogram next to loops that are solved by
 * iteration. γ of the linkage is linear by itself (loop_rank.c), and thus also in the group, since
 * its loop is closed there too. Its joints become linear followers, and the other loops are closed
 * again without it. So the linkage stays on its branch when it is flat, which iteration cannot do,
 * and takes no additional time.
 *
 * Loops that share joints are examined in turn, each without the joints that earlier ones decide.
 * If no single loop is linear, some joints of the group may be. An example is a parallelogram whose
 * coupler is attached to a joint with three coordinates. These joints become followers, and the
 * loops are solved for the others.
 */
#include <math.h>
#include <string.h>

#include "load/closure/loop_analysis.h"

/* ---- loops that are linear by themselves ----------------------------------------------------- */

/* Returns whether a loop may be linear: all its joints have one coordinate, are not elastic, and
   belong to no linkage found in this round. */
static bool is_candidate(const td_loop_analysis *analysis, const char *touched)
{
    bool good = analysis->slots > 1;
    for (int s = 0; good && s < analysis->slots; s++) {
        const td_joint *joint = &analysis->model->records.joint.at[analysis->joint[s]];
        good = td_joint_is_scalar(joint->type) && !joint->flexible && !touched[analysis->joint[s]];
    }
    return good;
}

/* Moves the loop to where the group was assembled. Joints with a given start become independent. */
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

/* Returns how far a joint is from its combination where the group was assembled. */
static double distance_from(const td_build *build, int joint, const td_combination *c)
{
    double off = build->assembled[TD_MOST_POSITIONS * joint] - c->constant;
    for (int k = 0; k < c->count; k++)
        off -= c->factor[k] * build->assembled[TD_MOST_POSITIONS * c->joint[k]];
    return fabs(off);
}

/* Adds pick x as a combination at index at. *holds: whether it is also satisfied where the group
   was assembled. Returns false if out of memory. */
static bool add_combination(td_loop_analysis *analysis, int x, size_t at, bool *holds)
{
    td_build *build = analysis->build;
    const int slot = analysis->pick[x];
    build->found_joint[at] = analysis->joint[slot];
    build->found_loop[at] = analysis->group->loop[0].index;
    if (!td_make_combination(analysis, x, &build->found[at]))
        return false;
    *holds = distance_from(build, analysis->joint[slot], &build->found[at]) <
             1e-6 * analysis->unit[slot];
    return true;
}

/* Moves along the linear branch, away from points where branches may meet and rounding moves joints
   more. */
static void go_along(td_loop_analysis *analysis)
{
    for (int s = 0; s < analysis->slots; s++) {
        analysis->step[analysis->pick[s]] = 0.5;
        analysis->kind[analysis->pick[s]] = s < analysis->rank ? TD_KIND_FREE : TD_KIND_INDEPENDENT;
    }
    td_analysis_predict(analysis);
    td_analysis_move(analysis, analysis->w, analysis->step);
    td_analysis_descend(analysis, analysis->w, TD_KIND_INDEPENDENT);
}

/* Finds out whether γ is linear on a branch of the loop at w, or nearby if w is singular. Appends
   the combinations to those found before. Returns false if out of memory. */
static bool find_combinations(td_loop_analysis *analysis, bool *linear)
{
    td_build *build = analysis->build;
    const size_t first = build->found_count;
    *linear = false;
    if (td_analysis_openness(analysis, analysis->w) > 1e-10)
        return true;
    td_diagnostics_mark mark = td_diagnostics_here(build->diagnostics);
    const bool ok = td_analysis_leave_singularity(analysis);
    td_diagnostics_return(build->diagnostics, &mark);
    *linear = ok && analysis->rank > 0 && td_analysis_is_linear(analysis, analysis->w);
    if (*linear)
        go_along(analysis);
    for (int x = 0; *linear && x < analysis->rank; x++)
        if (!add_combination(analysis, x, first + (size_t)x, linear))
            return false;
    return ok;
}

/* Examines one loop of the group. Returns false if out of memory. */
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

/* ---- linear joints of a group ---------------------------------------------------------------- */

/* Returns whether the group stays closed when its independent joints move by up to size from base.
   The marked picks move as W predicts; the others are solved for. */
static bool stays_closed(td_loop_analysis *analysis, const double *base, const char *marked,
                         double size, unsigned *seed)
{
    const int r = analysis->rank, p = analysis->slots - r;
    double *w = analysis->w;
    int *kind = analysis->kind;
    memcpy(w, base, analysis->nw * sizeof *w);
    memcpy(analysis->class_of, kind, (size_t)analysis->slots * sizeof *kind);
    for (int y = 0; y < p; y++) {
        analysis->step[analysis->pick[r + y]] = size * td_analysis_random(seed);
        kind[analysis->pick[r + y]] = TD_KINDS;
    }
    for (int x = 0; x < r; x++)
        if (marked[x])
            kind[analysis->pick[x]] = TD_KINDS;
    td_analysis_predict(analysis);
    td_analysis_move(analysis, w, analysis->step);
    const bool closed = td_analysis_descend(analysis, w, TD_KINDS) <= TD_ASSEMBLED;
    memcpy(kind, analysis->class_of, (size_t)analysis->slots * sizeof *kind);
    return closed;
}

/* Marks the picks that are linear at w: their rows of W are integer, and the loops close with them
   nearby. A map that is linear near a position is linear on the whole branch. */
static bool mark_linear(td_loop_analysis *analysis, const double *w, char *marked)
{
    enum { SIZES = 3, SAMPLES = 4 };
    static const double sizes[SIZES] = {0.3, 0.1, 0.03};
    bool any = false;
    unsigned seed = 23;
    td_analysis_find_influence(analysis);
    for (int x = 0; x < analysis->rank; x++) {
        const td_joint *joint =
            &analysis->model->records.joint.at[analysis->joint[analysis->pick[x]]];
        marked[x] = !joint->flexible && td_analysis_round_row(analysis, x);
        any = any || marked[x];
    }
    for (int n = 0; any && n < SIZES; n++) {
        int closed = 0;
        while (closed < SAMPLES && stays_closed(analysis, w, marked, sizes[n], &seed))
            closed++;
        if (closed == SAMPLES) {
            memcpy(analysis->w, w, analysis->nw * sizeof *w);
            return true;
        }
    }
    return false;
}

/* Searches at the assembled position, or nearby if it is singular. Returns false if out of
   memory. */
static bool find_joints(td_loop_analysis *analysis)
{
    enum { TRIES = 16 };
    td_build *build = analysis->build;
    const size_t nw = analysis->nw, bytes = nw * sizeof(double);
    td_arena_scope(&build->temporary);
    double *at = TD_ARENA_NEW(&build->temporary, double, nw);
    double *w = TD_ARENA_NEW(&build->temporary, double, nw);
    char *marked = TD_ARENA_NEW(&build->temporary, char, (size_t)analysis->slots);
    unsigned seed = 29;
    if (!at || !w || !marked || !td_analysis_prepare_ranks(analysis))
        return false;
    memcpy(at, analysis->w, bytes);
    const int rank = td_analysis_rank(analysis, at);
    for (int n = 0; n < TRIES; n++) {
        memcpy(w, at, bytes);
        if (n > 0) {
            td_analysis_move_at_random(analysis, w, TD_TRY_ALL, 0.05, &seed);
            if (td_analysis_descend(analysis, w, TD_KINDS) > TD_ASSEMBLED)
                continue;
        }
        if (td_analysis_rank(analysis, w) <= rank && n > 0)
            break; /* the position is not singular */
        if (!mark_linear(analysis, w, marked))
            continue;
        for (int x = 0; x < analysis->rank; x++) {
            bool holds = false;
            if (marked[x] && !add_combination(analysis, x, build->found_count, &holds))
                return false;
            build->found_count += holds;
            build->corrected = build->corrected || holds;
        }
        break;
    }
    return true;
}

/* Examines the group as a whole. Skips groups with many slots, which would take too long. */
static bool examine_group(td_build *build, const int *loops, int count)
{
    enum { MOST_SLOTS = 60 };
    td_loop_group group = {0};
    td_loop_analysis analysis = {.build = build, .model = build->model, .group = &group};
    td_arena_scope(&build->temporary);
    bool ok = td_make_loop_group(&analysis, loops, count) && td_analysis_slots(&analysis);
    if (ok && analysis.slots <= MOST_SLOTS) {
        ok = td_analysis_open(&analysis);
        if (ok)
            place(&analysis);
        if (ok && td_analysis_openness(&analysis, analysis.w) < 1e-10)
            ok = find_joints(&analysis);
    }
    td_analysis_close(&analysis);
    return ok;
}

/* ---- all ------------------------------------------------------------------------------------- */

bool td_find_sub_linkages(td_build *build, const int *loops, int count)
{
    td_arena_scope(&build->temporary);
    char *touched = TD_ARENA_NEW(&build->temporary, char, build->model->records.joint.count);
    const size_t before = build->found_count;
    bool ok = touched != NULL;
    for (int l = 0; ok && l < count; l++)
        ok = examine_loop(build, loops[l], touched);
    return ok && (build->found_count > before || examine_group(build, loops, count));
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
    td_set_loop_form(&analysis, TD_LOOP_FORM_LINEAR);
    group->form = TD_FORM_LINEAR;
    for (size_t k = 0; k < build->found_count; k++)
        if (build->found_loop[k] == loop)
            td_report_declared(&analysis, build->found_joint[k], false);
    return true;
}
