/* SPDX-License-Identifier: MIT */
/*
 * Closes loops at load. Closures of the options close the loops that they cover (covered_loops.c).
 * Other loops that share coordinates (closure/loop_sets.c) form a group (loop_group.c), and
 * loop_decision.c decides how to solve it. If this corrects frames, all loops are closed again.
 * Finally w is renumbered without the joints that linear loops determine.
 */
#include <limits.h>
#include <string.h>

#include "base/sets.h"
#include "load/closure/follower_order.h"
#include "load/loop_decision.h"
#include "load/repair/repair.h"

/* Loops that are solved together, and the followers by curves among their coordinates. */
typedef struct members {
    int loops, followers;
    int *loop, *follower;
} members;

/* Returns whether the size of the group is within max_cluster, which bounds memory and time. */
static bool is_affordable(const td_loop_analysis *analysis)
{
    const size_t given = analysis->build->options->max_cluster;
    const size_t most = given ? given : TD_CLUSTER_CAP;
    const td_loop *loop = &analysis->model->records.loop.at[analysis->group->loop[0].index];
    if ((size_t)analysis->slots <= most)
        return true;
    td_report(analysis->build->diagnostics, TD_CODE_LOOP_MANY, loop->source,
              "split the mechanism where loops need not share joints, or raise max_cluster of "
              "td_load_options",
              "loop '%s' and the loops that share joints with it have %d velocity coordinates, "
              "more than %zu (max_cluster)",
              td_loop_name(analysis->model, analysis->group->loop[0].index), analysis->slots, most);
    return false;
}

/* Closes one group and appends it to the solved or the settled groups. */
static bool close_group(td_build *build, const members *of, double *of_joint,
                        td_loop_group *settled, size_t *settled_count)
{
    td_model *model = build->model;
    td_loop_group group = {0};
    td_loop_analysis analysis = {.build = build, .model = model, .group = &group};
    bool solved = false;
    td_arena_scope(&build->temporary);
    bool ok = td_make_loop_group(&analysis, of->loop, of->loops) &&
              td_add_followers(&analysis, of->follower, of->followers) &&
              td_analysis_slots(&analysis);
    const bool affordable = ok && is_affordable(&analysis);
    ok =
        ok && (!affordable || (td_analysis_open(&analysis) && td_decide_group(&analysis, &solved)));
    if (ok && analysis.w && analysis.kind && group.rows)
        td_keep_positions(&analysis, of_joint);
    td_analysis_close(&analysis);
    if (ok && solved && of->loops > 1 && !group.curves)
        ok = td_find_sub_linkages(build, of->loop, of->loops);
    td_loops *all = &model->closure.loops;
    if (solved) {
        all->group[all->solved++] = group;
    } else if (model->closure.loop_place[of->loop[0]].form != TD_LOOP_FORM_OPEN) {
        group.form = TD_FORM_LINEAR;
        settled[(*settled_count)++] = group;
    }
    return ok;
}

/* Returns the value of td_loop_group.coordinate for a component of a joint. */
static int coordinate_of(const td_model *model, const td_loop_group *g, int joint, int component)
{
    if (!td_joint_has_quaternion(model->records.joint.at[joint].type))
        return model->closure.w[joint] + component;
    int k = 0;
    while (g->quaternion[k].w != joint)
        k++;
    return g->quaternion[k].part < 0 ? TD_COORDINATE_WHOLE
                                     : td_coordinate_of_part(g->quaternion[k].part + component);
}

/* Renumbers w without the joints that linear loops determine, and converts slots from joints to
   coordinates. */
static bool number_slots(td_build *build, const double *of_joint)
{
    td_model *model = build->model;
    td_closure_map *closure = &model->closure;
    td_arena *arena = &model->records.arena;
    if (!td_build_linear(build))
        return false;
    closure->loops.slot = TD_ARENA_NEW(arena, int, closure->nwd);
    closure->reference = TD_ARENA_NEW(arena, double, closure->nw);
    if (!closure->loops.slot || !closure->reference)
        return false;
    for (size_t n = 0; n < closure->loops.solved; n++) {
        td_loop_group *g = &closure->loops.group[n];
        for (int k = 0; k < g->dependents + g->independents; k++) {
            const int joint = g->coordinate[k], component = g->velocity[k];
            g->coordinate[k] = coordinate_of(model, g, joint, component);
            g->velocity[k] = closure->wd[joint] + component;
            /* the leader of an explicit group may also be in a group of loops */
            if (k < g->dependents || !td_group_is_explicit(g))
                closure->loops.slot[g->velocity[k]] = k;
        }
        for (int k = 0; k < g->quaternions; k++) {
            g->quaternion[k].w = closure->w[g->quaternion[k].w];
            g->quaternion[k].velocity = closure->wd[g->quaternion[k].velocity];
        }
    }
    for (size_t i = 0; i < model->records.joint.count; i++) {
        int at = closure->w[i];
        const double *from = of_joint + TD_MOST_POSITIONS * i;
        for (int k = 0; at >= 0 && k < model->place[i].nq; k++)
            closure->reference[at + k] = from[k];
    }
    return true;
}

/* The state of close_all(). */
typedef struct closing {
    td_build *build;
    double *of_joint;
    size_t count;      /* number of loops */
    int *covered;      /* per loop: −1 if it is solved in a group, else it is closed already */
    int *owner;        /* per joint: the closure of the options that determines it, −1 for none */
    int *set;          /* disjoint sets: per loop, then per follower by curves */
    int *first, *next; /* members of each set in order, −1 at the end */
    members of;        /* the group to be closed */
    td_loop_group *settled; /* groups that need no solving */
    size_t settled_count;
    td_follower_order order;
} closing;

/* Allocates the arrays. Returns false if memory runs out. */
static bool open_closing(closing *c)
{
    td_build *build = c->build;
    td_closure_map *closure = &build->model->closure;
    const td_records *records = &build->model->records;
    td_arena *arena = &build->model->records.arena;
    const size_t joints = records->joint.count, all = c->count + joints;
    const size_t most = c->count + build->options->closure_count + records->follower.count;
    c->of.loop = TD_ARENA_NEW(arena, int, c->count);
    c->of.follower = TD_ARENA_NEW(arena, int, joints);
    c->covered = TD_ARENA_NEW(arena, int, c->count);
    c->set = TD_ARENA_NEW(arena, int, all);
    c->owner = TD_ARENA_NEW(arena, int, joints);
    c->first = TD_ARENA_NEW(&build->temporary, int, all);
    c->next = TD_ARENA_NEW(&build->temporary, int, all);
    c->settled = TD_ARENA_NEW(arena, td_loop_group, c->count);
    closure->loops.group = TD_ARENA_NEW(arena, td_loop_group, most);
    closure->loop_cluster = TD_ARENA_NEW(arena, td_loop_cluster, most);
    if (!c->of.loop || !c->of.follower || !c->covered || !c->set || !c->owner || !c->first ||
        !c->next || !c->settled || !closure->loops.group || !closure->loop_cluster)
        return false;
    for (size_t l = 0; l < all; l++)
        c->first[l] = -1;
    for (size_t i = 0; i < joints; i++)
        c->owner[i] = -1;
    return true;
}

/* Settles a loop that needs no solving: a linear linkage, or a loop that a closure of the options
   covers. Returns false if memory runs out. */
static bool settle_loop(closing *c, int l)
{
    td_build *build = c->build;
    td_loop_group group = {0};
    c->covered[l] = -1;
    if (build->linear[l]) {
        td_report_rounding(build, l);
        if (!td_make_sub_linkage(build, l, &group))
            return false;
        c->covered[l] = 0;
    } else if (build->options->closure_count) {
        if (!td_close_covered(build, l, c->owner, &group, &c->covered[l]))
            return false;
        group.form = TD_FORM_COVERED;
    }
    if (c->covered[l] >= 0)
        c->settled[c->settled_count++] = group;
    return true;
}

/* Closes the groups of loops in the order of their first loops. Returns false if memory runs
   out. */
static bool close_groups(closing *c)
{
    const size_t count = c->count;
    members *of = &c->of;
    for (size_t l = count + (size_t)c->order.count; l-- > 0;) {
        const int root = td_set_of(c->set, (int)l);
        c->next[l] = c->first[root];
        c->first[root] = (int)l;
    }
    for (size_t l = 0; l < count; l++) {
        if (c->covered[l] >= 0 || c->first[td_set_of(c->set, (int)l)] != (int)l)
            continue;
        of->loops = of->followers = 0;
        for (int k = (int)l; k >= 0; k = c->next[k])
            if (k < (int)count)
                of->loop[of->loops++] = k;
            else
                of->follower[of->followers++] = c->order.joint[k - (int)count];
        if (!close_group(c->build, of, c->of_joint, c->settled, &c->settled_count))
            return false;
    }
    return true;
}

static bool close_all(td_build *build, double *of_joint)
{
    td_loops *loops = &build->model->closure.loops;
    const bool open = build->options->open_loops;
    closing c = {
        .build = build, .of_joint = of_joint, .count = open ? 0 : build->model->records.loop.count};
    if (!open_closing(&c) || !td_loop_desk_open(build) || !td_list_limits(build) ||
        !td_order_followers(build, &c.order))
        return false;
    td_mark_leaders(build, &c.order);
    if (!open && !td_make_functions(build, c.owner, of_joint))
        return false;
    for (size_t l = 0; l < c.count; l++)
        if (!settle_loop(&c, (int)l))
            return false;
    if (!td_unite_loops(build, c.count, c.covered, &c.order, c.set) || !close_groups(&c))
        return false;
    if (!build->corrected && !td_make_curve_groups(build, of_joint))
        return false;
    loops->count = loops->solved + c.settled_count;
    memcpy(loops->group + loops->solved, c.settled, c.settled_count * sizeof *c.settled);
    return true;
}

/* Closes all loops, or sets build->corrected to request another pass. */
static bool close_once(td_build *build)
{
    td_model *model = build->model;
    td_closure_map *closure = &model->closure;
    td_arena *arena = &model->records.arena;
    size_t count = model->records.loop.count;
    double *of_joint = TD_ARENA_NEW(arena, double, TD_MOST_POSITIONS * model->records.joint.count);
    closure->loop_place = TD_ARENA_NEW(arena, td_loop_place, count);
    closure->loop_group = TD_ARENA_NEW(arena, int, count);
    if (!of_joint || !closure->loop_place || !closure->loop_group)
        return false;
    for (size_t i = 0; i < model->records.joint.count; i++) {
        double *at = of_joint + TD_MOST_POSITIONS * i;
        if (td_is_given_start(build, (int)i))
            memcpy(at, td_joint_start(build, (int)i), TD_MOST_POSITIONS * sizeof *at);
        else
            td_joint_neutral(td_joint_row_of(model->records.joint.at[i].type), at);
    }
    for (size_t l = 0; l < count; l++)
        closure->loop_group[l] = -1;
    for (size_t l = 0; l < count; l++)
        closure->loop_place[l] = (td_loop_place){.cluster = TD_NONE, .constraint = TD_NONE};
    if (build->options->open_loops) {
        for (size_t l = 0; l < count; l++)
            td_report(build->diagnostics, TD_CODE_LOOP_OPEN, model->records.loop.at[l].source,
                      "remove the option to close it",
                      "loop '%s' stays open as the options require; the model is its spanning tree",
                      td_loop_name(model, (int)l));
    }
    const bool closed = !build->options->open_loops && (count || build->options->closure_count);
    if ((closed || model->records.follower.count) && !close_all(build, of_joint))
        return false;
    if (build->corrected)
        return true;
    size_t most = build->options->loop_evaluations;
    closure->loops.most_evaluations = most < INT_MAX ? (int)most : INT_MAX;
    td_check_functions(build);
    return number_slots(build, of_joint);
}

/* The data of joints that closing loops changes. */
typedef struct joints_before {
    td_place *place;
    td_combination *combination;
} joints_before;

static bool save_joints(td_build *build, joints_before *before)
{
    const td_model *model = build->model;
    const size_t count = model->records.joint.count;
    before->place = td_arena_copy(&build->temporary, model->place, count, sizeof *before->place);
    before->combination = td_arena_copy(&build->temporary, model->closure.combination, count,
                                        sizeof *before->combination);
    return before->place && before->combination;
}

/* Restores the tree and the linear closure with all loops open, after frames were corrected. */
static bool start_again(td_build *build, const joints_before *before)
{
    td_model *model = build->model;
    size_t count = model->records.joint.count;
    memcpy(model->place, before->place, count * sizeof *before->place);
    memcpy(model->closure.combination, before->combination, count * sizeof *before->combination);
    model->closure.loops = (td_loops){0};
    return td_take_sub_linkages(build) && td_rebuild_tree(build) && td_build_linear(build) &&
           td_choose_axes(build);
}

bool td_close_loops(td_build *build)
{
    td_model *model = build->model;
    joints_before before;
    td_arena_scope(&build->temporary);
    td_diagnostics_mark mark = td_diagnostics_here(build->diagnostics);
    build->rounding =
        TD_ARENA_NEW(&model->records.arena, td_loop_rounding, model->records.loop.count);
    build->tied = TD_ARENA_NEW(&build->temporary, char, model->records.joint.count);
    build->leads = TD_ARENA_NEW(&build->temporary, char, model->records.joint.count);
    build->assembled =
        TD_ARENA_NEW(&build->temporary, double, TD_MOST_POSITIONS * model->records.joint.count);
    build->linear = TD_ARENA_NEW(&build->temporary, char, model->records.loop.count);
    build->found = TD_ARENA_NEW(&build->temporary, td_combination, model->records.joint.count);
    build->found_joint = TD_ARENA_NEW(&build->temporary, int, model->records.joint.count);
    build->found_loop = TD_ARENA_NEW(&build->temporary, int, model->records.joint.count);
    bool ok = build->rounding && build->tied && build->leads && build->assembled && build->linear &&
              build->found && build->found_joint && build->found_loop &&
              save_joints(build, &before) && close_once(build);
    /* terminates: each group is corrected at most once, and each follower is tied to loops at most
       once */
    while (ok && build->corrected) {
        build->corrected = false;
        td_diagnostics_return(build->diagnostics, &mark);
        ok = start_again(build, &before) && close_once(build);
    }
    return ok;
}

/* Assigns scratch memory and indices of loops. Call it after y and G exist. */
bool td_finish_loops(td_build *build)
{
    td_model *model = build->model;
    td_closure_map *closure = &model->closure;
    td_loops *loops = &closure->loops;
    closure->reference_q = TD_ARENA_NEW(&model->records.arena, double, model->tree.nq);
    closure->reference_y = TD_ARENA_NEW(&model->records.arena, double, closure->ny);
    if (!closure->reference_q || !closure->reference_y)
        return false;
    for (size_t n = 0; n < loops->count; n++) {
        td_loop_group *g = &loops->group[n];
        g->room = (int)n;
        for (int l = 0; l < g->loops; l++) {
            td_loop_place *place = &closure->loop_place[g->loop[l].index];
            place->cluster = n < loops->solved ? n : TD_NONE;
            closure->loop_group[g->loop[l].index] = (int)n;
            place->constraint = (size_t)(g->constraint + g->loop[l].first);
            place->constraint_count = (size_t)g->loop[l].rows;
        }
    }
    td_arena *arena = &model->records.arena;
    return td_csr_publish(&closure->position, arena, &closure->position_out) &&
           td_csr_publish(&closure->velocity, arena, &closure->velocity_out) &&
           td_finish_curves(build);
}
