/* SPDX-License-Identifier: MIT */
/*
 * Loops at load. Loops that share coordinates become a group (loop_group.c), which is assembled and
 * ranked (loop_assembly.c). Where φ vanishes for a linear map with small whole factors everywhere
 * (parallelograms) its dependent joints are linear combinations like mimic joints; the others are
 * left to Newton's method (kernel/loops/follow.h), or have a formula (load/slider.c) or a
 * function of the user's (load/registered_closure.c).
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/jacobi.h"
#include "base/sets.h"
#include "kernel/loops/layout.h"
#include "load/loop_analysis.h"

/* ---- what becomes of a group ----------------------------------------------------------------- */

/* puts what joint d is into all combinations that mention it, itself included */
static bool substitute(td_model *model, int d, const td_combination *is)
{
    for (size_t i = 0; i < model->records.joint.count; i++) {
        td_combination *c = &model->closure.combination[i];
        if (!model->place[i].dependent || (int)i == d)
            continue;
        double factor = 0;
        for (int k = 0; k < c->count; k++)
            factor += c->joint[k] == d ? c->factor[k] : 0;
        if (factor == 0)
            continue;
        size_t room = (size_t)(c->count + is->count);
        td_combination made = {0, TD_ARENA_NEW(&model->records.arena, int, room),
                               TD_ARENA_NEW(&model->records.arena, double, room),
                               c->constant + factor * is->constant};
        if (!made.joint || !made.factor)
            return false;
        for (int k = 0; k < c->count; k++)
            if (c->joint[k] != d) {
                made.joint[made.count] = c->joint[k];
                made.factor[made.count++] = c->factor[k];
            }
        for (int k = 0; k < is->count; k++) {
            int at = 0;
            while (at < made.count && made.joint[at] != is->joint[k])
                at++;
            if (at == made.count) {
                made.joint[made.count] = is->joint[k];
                made.factor[made.count++] = 0;
            }
            made.factor[at] += factor * is->factor[k];
        }
        *c = made;
        td_place_combination(model, (int)i);
    }
    return true;
}

/* the picked joints become combinations of the others */
static bool keep_linear(td_loop_analysis *analysis)
{
    td_model *model = analysis->model;
    td_arena *arena = &model->records.arena;
    int r = analysis->rank, p = analysis->slots - r;
    for (int x = 0; x < r; x++) {
        int d = analysis->joint[analysis->pick[x]];
        td_combination *c = &model->closure.combination[d];
        *c = (td_combination){0, TD_ARENA_NEW(arena, int, (size_t)p),
                              TD_ARENA_NEW(arena, double, (size_t)p),
                              *td_analysis_coordinate(analysis, analysis->w, analysis->pick[x])};
        if (!c->joint || !c->factor)
            return false;
        for (int y = 0; y < p; y++) {
            double factor = analysis->W[x * p + y];
            if (factor == 0)
                continue;
            c->joint[c->count] = analysis->joint[analysis->pick[r + y]];
            c->factor[c->count++] = factor;
            c->constant -=
                factor * *td_analysis_coordinate(analysis, analysis->w, analysis->pick[r + y]);
        }
        if (fabs(c->constant) < 1e-12 * analysis->unit[analysis->pick[x]])
            c->constant = 0;
        model->place[d].dependent = true;
        td_place_combination(model, d);
        if (!substitute(model, d, c))
            return false;
    }
    return true;
}

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* the floating joints among the slots, whose order is that of the picks */
static bool keep_floatings(td_loop_analysis *analysis)
{
    td_loop_group *g = analysis->group;
    size_t count = (size_t)(analysis->slots / TD_FLOATING_VELOCITIES);
    g->floating = TD_ARENA_NEW(&analysis->model->records.arena, td_loop_floating, count);
    for (int k = 0; g->floating && k < analysis->slots; k++) {
        if (!td_analysis_is_floating(analysis, analysis->pick[k]))
            continue;
        g->floating[g->floatings++] = (td_loop_floating){.slot = k, .w = g->coordinate[k], .y = -1};
        k += TD_FLOATING_VELOCITIES - 1;
    }
    return g->floating;
}

/* The squared lengths of the picked columns, the longest of some positions about w, whether or not
   the loops close there. */
static void measure_columns(td_loop_analysis *analysis, double *usual)
{
    enum { SAMPLES = 8 };
    const size_t m = (size_t)analysis->group->rows;
    unsigned seed = 5;
    for (int n = 0; n < SAMPLES; n++) {
        memcpy(analysis->trial, analysis->w, analysis->model->closure.nw * sizeof(double));
        td_analysis_move_at_random(analysis, analysis->trial, n > 0, &seed);
        td_analysis_examine(analysis, analysis->trial);
        for (int k = 0; k < analysis->rank; k++) {
            const int slot = analysis->pick[k];
            double square = 0;
            for (size_t i = 0; i < m; i++)
                square += analysis->J[(size_t)slot * m + i] * analysis->J[(size_t)slot * m + i];
            usual[k] = fmax(usual[k], square / (analysis->unit[slot] * analysis->unit[slot]));
        }
    }
    td_analysis_examine(analysis, analysis->w);
}

/* The picked coordinates are left to Newton's method. Until w is numbered anew, coordinate has the
   joints, and velocity their components. */
static bool keep_iterated(td_loop_analysis *analysis, int number)
{
    td_model *model = analysis->model;
    td_loop_group *g = analysis->group;
    td_arena *arena = &model->records.arena;
    size_t n = (size_t)analysis->slots;
    g->dependents = analysis->rank;
    g->independents = analysis->slots - analysis->rank;
    g->coordinate = TD_ARENA_NEW(arena, int, n);
    g->velocity = TD_ARENA_NEW(arena, int, n);
    g->y = TD_ARENA_NEW(arena, int, n);
    g->yd = TD_ARENA_NEW(arena, int, n);
    g->unit = TD_ARENA_NEW(arena, double, n);
    g->usual = TD_ARENA_NEW(arena, double, n);
    if (!g->coordinate || !g->velocity || !g->y || !g->yd || !g->unit || !g->usual)
        return false;
    qsort(analysis->pick, (size_t)g->dependents, sizeof(int), by_value);
    qsort(analysis->pick + g->dependents, (size_t)g->independents, sizeof(int), by_value);
    measure_columns(analysis, g->usual);
    for (int k = 0; k < analysis->slots; k++) {
        int slot = analysis->pick[k];
        g->coordinate[k] = analysis->joint[slot];
        g->velocity[k] = analysis->component[slot];
        g->unit[k] = analysis->unit[slot];
        if (k < g->dependents) {
            td_joint_place *place = &model->place[analysis->joint[slot]];
            place->dependents |= 1U << analysis->component[slot];
            place->dependent = place->dependents == (1U << place->nv) - 1;
            place->cluster = number;
        }
    }
    return keep_floatings(analysis);
}

static void sort_columns(td_loop_analysis *analysis)
{
    for (int s = 0; s < analysis->slots; s++) {
        const td_joint *joint = &analysis->model->records.joint.at[analysis->joint[s]];
        analysis->kind[s] = joint->independent > 0             ? TD_KIND_INDEPENDENT
                            : joint->type == TD_JOINT_FLOATING ? TD_KIND_FLOATING
                            : joint->independent == 0          ? TD_KIND_DEPENDENT
                            : joint->flexible                  ? TD_KIND_ELASTIC
                                                               : TD_KIND_FREE;
    }
}

/* "joint" or "joint.x": a joint as a whole where all its coordinates are on one side */
static void name_slot(const td_loop_analysis *analysis, int slot, char *text, size_t size)
{
    static const char *const component[] = {".x", ".y", ".theta"};
    int joint = analysis->joint[slot];
    const td_joint_place *place = &analysis->model->place[joint];
    bool part = !place->dependent && place->dependents;
    snprintf(text, size, "%s%s", analysis->model->records.joint.at[joint].name,
             part ? component[analysis->component[slot]] : "");
}

/* says which joints were chosen, where the file does not, or not soundly */
static void report_choice(const td_loop_analysis *analysis)
{
    const td_model *model = analysis->model;
    const td_loop *loop = &model->records.loop.at[analysis->group->loop[0].index];
    bool declared = true;
    for (int k = 0; k < analysis->slots; k++) {
        const td_joint *joint = &model->records.joint.at[analysis->joint[analysis->pick[k]]];
        declared = declared && joint->independent >= 0;
        if (joint->independent < 0 || joint->independent == (k >= analysis->rank))
            continue;
        td_report(analysis->build->diagnostics, TD_CODE_LOOP_DECLARED, joint->source,
                  "correct independent= of the joints of the loop",
                  "joint '%s' is declared %s, but loop '%s' makes it %s", joint->name,
                  joint->independent ? "independent" : "dependent", loop->name ? loop->name : "",
                  joint->independent ? "dependent" : "independent");
    }
    if (declared)
        return;
    char list[200] = "", name[100], last[100] = "";
    int listed = 0;
    for (int k = analysis->rank; k < analysis->slots; k++) {
        size_t used = strlen(list);
        name_slot(analysis, analysis->pick[k], name, sizeof name);
        if (strcmp(name, last) == 0)
            continue;
        snprintf(list + used, sizeof list - used, "%s'%s'", used ? ", " : "", name);
        memcpy(last, name, sizeof last);
        listed++;
    }
    td_report(analysis->build->diagnostics, TD_CODE_LOOP_CHOICE, loop->source,
              "write independent=\"true\" or \"false\" on the joints to choose others",
              "of the joints of loop '%s', %s %s taken as independent",
              loop->name ? loop->name : "", *list ? list : "none", listed == 1 ? "is" : "are");
}

static void set_form(td_loop_analysis *analysis, td_loop_form form)
{
    for (int l = 0; l < analysis->group->loops; l++)
        analysis->model->closure.loop_place[analysis->group->loop[l].index].form = form;
}

/* loops that cannot be closed: an error, or where mimic joints hold them open a warning */
static void report_open(td_loop_analysis *analysis, double residual)
{
    td_model *model = analysis->model;
    const td_loop *loop = &model->records.loop.at[analysis->group->loop[0].index];
    for (int n = 0; n < analysis->group->columns; n++) {
        const td_csr *rate = &model->closure.rate;
        int row = analysis->group->column[n].velocity;
        if (rate->row[row + 1] == rate->row[row] + 1 && rate->value[rate->row[row]] == 1 &&
            rate->column[rate->row[row]] >= 0)
            continue;
        for (size_t j = 0; j < model->movable_count; j++) {
            int i = model->movable[j];
            if (model->place[i].qd != row || !model->place[i].dependent)
                continue;
            td_report(analysis->build->diagnostics, TD_CODE_LOOP_CONTRADICTS, loop->source,
                      "correct the loop's frames, or the multiplier and offset of the joint",
                      "loop '%s' and joint '%s', which follows another one, contradict each other: "
                      "the loop stays open by %.3g",
                      loop->name ? loop->name : "", model->records.joint.at[i].name, residual);
            set_form(analysis, TD_LOOP_OPEN);
            return;
        }
    }
    td_report(analysis->build->diagnostics, TD_CODE_LOOP_ASSEMBLY, loop->source,
              "check the frames of the loop and the lengths of its links",
              "loop '%s' cannot be closed: %.3g of its size remain at best",
              loop->name ? loop->name : "", residual);
}

/* the singular values of the dependent columns */
static void rate_columns(td_loop_analysis *analysis, td_loop_cluster *c)
{
    size_t m = (size_t)analysis->group->rows;
    td_analysis_examine(analysis, analysis->w);
    for (int k = 0; k < analysis->rank; k++)
        memcpy(analysis->copy + (size_t)k * m, analysis->J + (size_t)analysis->pick[k] * m,
               m * sizeof(double));
    *c = (td_loop_cluster){.loops = (size_t)analysis->group->loops,
                           .rows = m,
                           .rank = (size_t)analysis->rank,
                           .independent = (size_t)(analysis->slots - analysis->rank)};
    td_singular_values((int)m, analysis->rank, analysis->copy, &c->smallest, &c->largest);
}

/* φ = 0 with nothing left to solve */
static void settle(td_loop_analysis *analysis, td_loop_form form)
{
    set_form(analysis, form);
    td_model *model = analysis->model;
    const td_loop *loop = &model->records.loop.at[analysis->group->loop[0].index];
    if (form == TD_LOOP_IMPLIED)
        td_report(analysis->build->diagnostics, TD_CODE_LOOP_IMPLIED, loop->source,
                  "nothing need be done; the loop is kept for its forces",
                  "loop '%s' is closed already by joints that follow others",
                  loop->name ? loop->name : "");
}

/* how far the loops were from closed where all coordinates are zero, in units */
static double distance_from_zero(const td_loop_analysis *analysis)
{
    double largest = 0;
    for (int s = 0; s < analysis->slots; s++) {
        const double *x = td_analysis_coordinate(analysis, analysis->w, s);
        int count = 1;
        if (td_analysis_is_floating(analysis, s)) { /* x, y, z and the vector of the quaternion */
            count = TD_FLOATING_VELOCITIES;
            s += TD_FLOATING_VELOCITIES - 1;
        }
        for (int k = 0; k < count; k++)
            largest = fmax(largest,
                           fabs(x[k]) / (count > 1 && k < 3 ? analysis->size : analysis->unit[s]));
    }
    return largest;
}

/* Reports loops whose dependent coordinates cannot be told: they bind a part of a floating joint,
   or their constraints only touch where they were assembled. Whether there are such. */
static bool report_undecided(const td_loop_analysis *analysis)
{
    const td_model *model = analysis->model;
    int loop = analysis->group->loop[0].index;
    if (analysis->undecided >= 0)
        td_report(
            analysis->build->diagnostics, TD_CODE_LOOP_JOINT_TYPE,
            model->records.joint.at[analysis->joint[analysis->undecided]].source,
            "replace it by prismatic and revolute joints",
            "loop '%s' decides a part of the floating joint '%s', which can only be dependent "
            "as a whole",
            td_loop_name(model, loop),
            model->records.joint.at[analysis->joint[analysis->undecided]].name);
    else if (analysis->rank == 0 && analysis->slots > 0)
        td_report(analysis->build->diagnostics, TD_CODE_LOOP_RANK,
                  model->records.loop.at[loop].source,
                  "draw the robot in a configuration where its loops can move",
                  "loop '%s' is closed, but no joint can be told to depend on the others: its "
                  "constraints have no gradient there",
                  td_loop_name(model, loop));
    return analysis->undecided >= 0 || (analysis->rank == 0 && analysis->slots > 0);
}

/* One group; false only without memory. */
static bool work_out(td_loop_analysis *analysis, bool *solved)
{
    td_model *model = analysis->model;
    td_closure_map *closure = &model->closure;
    *solved = false;
    sort_columns(analysis);
    double residual = td_analysis_assemble(analysis);
    if (residual < 0)
        return false;
    bool corrected;
    if (!td_correct_rounding(analysis, residual, &corrected))
        return false;
    if (corrected) {
        analysis->build->corrected = true;
        return true;
    }
    td_report_rounding(analysis);
    if (!(residual <= TD_ASSEMBLED)) {
        report_open(analysis, residual);
        return true;
    }
    if (!td_analysis_leave_singularity(analysis))
        return false;
    if (td_analysis_is_linear(analysis, analysis->w)) {
        settle(analysis, analysis->rank ? TD_LOOP_LINEAR : TD_LOOP_IMPLIED);
        if (analysis->rank)
            report_choice(analysis);
        return keep_linear(analysis);
    }
    if (report_undecided(analysis))
        return true;
    const td_loop *loop = &model->records.loop.at[analysis->group->loop[0].index];
    if (distance_from_zero(analysis) > 1e-9)
        td_report(analysis->build->diagnostics, TD_CODE_LOOP_START, loop->source,
                  "draw the robot with its loops closed if another branch is meant",
                  "loop '%s' is not closed where all joints are zero; it starts from where it "
                  "closes",
                  loop->name ? loop->name : "");
    rate_columns(analysis, &closure->loop_cluster[closure->loops.solved]);
    set_form(analysis, TD_LOOP_ITERATED);
    *solved = true;
    if (!keep_iterated(analysis, (int)closure->loops.solved))
        return false;
    report_choice(analysis);
    if (td_find_slider(model, analysis->group, analysis->w))
        set_form(analysis, TD_LOOP_CLOSED_FORM);
    return true;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* unites a loop with all that share a coordinate with the joints from body up to above */
static void unite_path(const td_model *model, int *set, int *first, int loop, int body, int above)
{
    const td_csr *rate = &model->closure.rate;
    for (; body != above; body = model->tree.body[body].parent) {
        const td_body *b = &model->tree.body[body];
        for (int e = rate->row[b->qd]; e < rate->row[b->qd + b->nv]; e++) {
            int *owner = &first[rate->column[e]];
            if (*owner < 0)
                *owner = loop;
            else
                set[td_set_of(set, loop)] = td_set_of(set, *owner);
        }
    }
}

/* set[l]: the loops that l is solved with */
static bool unite_loops(td_model *model, const int *covered, int *set)
{
    int *first = TD_ARENA_NEW(&model->records.arena, int, model->closure.nwd);
    if (!first)
        return false;
    for (size_t k = 0; k < model->closure.nwd; k++)
        first[k] = -1;
    for (size_t l = 0; l < model->records.loop.count; l++) {
        const td_loop *record = &model->records.loop.at[l];
        int p = td_loop_body(model, record->predecessor),
            s = td_loop_body(model, record->successor);
        int above = td_loop_ancestor(&model->tree, p, s);
        set[l] = (int)l;
        if (covered[l] >= 0)
            continue;
        unite_path(model, set, first, (int)l, p, above);
        unite_path(model, set, first, (int)l, s, above);
    }
    return true;
}

/* remembers where the loops of a group closed, by joint */
static void keep_reference(const td_loop_analysis *analysis, double *of_joint)
{
    for (int s = 0; s < analysis->slots; s++) {
        double *to = of_joint + TD_JOINT_POSITIONS * analysis->joint[s];
        const double *from = td_analysis_coordinate(analysis, analysis->w, s);
        if (td_analysis_is_floating(analysis, s))
            memcpy(to, from - analysis->component[s], TD_FLOATING_POSITIONS * sizeof *to);
        else
            to[analysis->component[s]] = *from;
    }
}

/* the solved groups first */
static bool close_group(td_build *build, const int *loops, int count, double *of_joint,
                        td_loop_group *settled, size_t *settled_count)
{
    td_model *model = build->model;
    td_loop_group group = {0};
    td_loop_analysis analysis = {.build = build, .model = model, .group = &group};
    bool solved = false;
    bool ok = td_make_loop_group(&analysis, loops, count) && td_analysis_slots(&analysis) &&
              td_analysis_open(&analysis) && work_out(&analysis, &solved);
    if (ok && analysis.w && analysis.kind && group.rows)
        keep_reference(&analysis, of_joint);
    td_analysis_close(&analysis);
    td_loops *all = &model->closure.loops;
    if (solved)
        all->group[all->solved++] = group;
    else if (model->closure.loop_place[loops[0]].form != TD_LOOP_OPEN)
        settled[(*settled_count)++] = group;
    return ok;
}

/* w anew, the joints that linear loops decide being out of it; slots from joints to coordinates */
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
        for (int k = 0; k < g->floatings; k++)
            g->floating[k].w = closure->w[g->floating[k].w];
        for (int k = 0; k < g->dependents + g->independents; k++) {
            int joint = g->coordinate[k], component = g->velocity[k];
            bool floating = model->place[joint].nq != model->place[joint].nv;
            g->coordinate[k] = floating ? -1 : closure->w[joint] + component;
            g->velocity[k] = closure->wd[joint] + component;
            closure->loops.slot[g->velocity[k]] = k;
        }
    }
    for (size_t i = 0; i < model->records.joint.count; i++) {
        int at = closure->w[i];
        const double *from = of_joint + TD_JOINT_POSITIONS * i;
        for (int k = 0; at >= 0 && k < model->place[i].nq; k++)
            closure->reference[at + k] = from[k];
    }
    return true;
}

/* ---- loops that closures of the options close ------------------------------------------------ */

/* the closure that decides one of the loop's joints, −1 for none */
static int deciding(const td_loop_analysis *analysis, const int *owner)
{
    int by = -1;
    for (int s = 0; s < analysis->slots; s++)
        by = owner[analysis->joint[s]] >= 0 ? owner[analysis->joint[s]] : by;
    return by;
}

/* the group that the closure became */
static const td_loop_group *group_of(const td_loops *loops, const int *owner, int function)
{
    size_t n = 0;
    while (!loops->group[n].function || owner[loops->group[n].coordinate[0]] != function)
        n++;
    return &loops->group[n];
}

/* whether all joints of the loop are the closure's; reports one that is not */
static bool names_all(const td_loop_analysis *analysis, const td_closure_function *f,
                      const td_loop_group *own)
{
    const td_model *model = analysis->model;
    int loop = analysis->group->loop[0].index;
    for (int s = 0; s < analysis->slots; s++) {
        bool known = false;
        for (int k = 0; k < own->dependents + own->independents; k++)
            known = known || own->coordinate[k] == analysis->joint[s];
        if (known)
            continue;
        td_report(analysis->build->diagnostics, TD_CODE_CLOSURE_FUNCTION,
                  model->records.loop.at[loop].source,
                  "name all joints of the loop in the closure, or leave the loop out",
                  "closure '%s' of the options decides joints of loop '%s', but not joint '%s'",
                  td_function_name(f), td_loop_name(model, loop),
                  model->records.joint.at[analysis->joint[s]].name);
        return false;
    }
    return true;
}

/* reports a loop that the closure leaves open at states about zero; false without memory */
static bool check_closed(td_loop_analysis *analysis, const td_closure_function *f,
                         const td_loop_group *own)
{
    const td_model *model = analysis->model;
    int loop = analysis->group->loop[0].index;
    size_t x = f->dependents, y = f->independents;
    double *room = calloc(y + x + x * y + 1, sizeof *room), worst = 0;
    unsigned seed = 3;
    bool ok = room && td_analysis_open(analysis);
    for (int n = 0; ok && n < 8; n++) {
        for (size_t k = 0; k < y; k++)
            room[k] = n ? 0.1 * td_analysis_random(&seed) : 0;
        if (f->solve(f->context, room, NULL, room + y, room + y + x, NULL))
            continue;
        for (size_t k = 0; k < x + y; k++)
            analysis->w[model->closure.w[own->coordinate[k]]] = k < x ? room[y + k] : room[k - x];
        worst = fmax(worst, td_analysis_examine(analysis, analysis->w));
    }
    if (worst > 1e-9)
        td_report(analysis->build->diagnostics, TD_CODE_CLOSURE_VALUE,
                  model->records.loop.at[loop].source,
                  "correct the closure, or the frames of the loop",
                  "closure '%s' of the options leaves loop '%s' open: %.3g of its size remain",
                  td_function_name(f), td_loop_name(model, loop), worst);
    free(room);
    return ok;
}

/* Whether a closure decides the loop (covered is its index then, else −1), and checks that it
   closes it. False without memory. */
static bool close_covered(td_build *build, int loop, const int *owner, td_loop_group *group,
                          int *covered)
{
    td_model *model = build->model;
    td_loop_analysis analysis = {.build = build, .model = model, .group = group};
    bool ok = td_make_loop_group(&analysis, &loop, 1) && td_analysis_slots(&analysis);
    *covered = ok ? deciding(&analysis, owner) : -1;
    if (*covered >= 0) {
        const td_closure_function *f = &build->options->closures[*covered];
        const td_loop_group *own = group_of(&model->closure.loops, owner, *covered);
        if (names_all(&analysis, f, own))
            ok = check_closed(&analysis, f, own);
        set_form(&analysis, TD_LOOP_REGISTERED);
    }
    td_analysis_close(&analysis);
    return ok;
}

static bool close_all(td_build *build, int *set, double *of_joint)
{
    td_model *model = build->model;
    td_closure_map *closure = &model->closure;
    td_arena *arena = &model->records.arena;
    size_t count = model->records.loop.count, settled_count = 0;
    size_t most = count + build->options->closure_count;
    int *members = TD_ARENA_NEW(arena, int, count), *covered = TD_ARENA_NEW(arena, int, count);
    int *owner = TD_ARENA_NEW(arena, int, model->records.joint.count);
    td_loop_group *settled = TD_ARENA_NEW(arena, td_loop_group, count);
    closure->loops.group = TD_ARENA_NEW(arena, td_loop_group, most);
    closure->loop_cluster = TD_ARENA_NEW(arena, td_loop_cluster, most);
    if (!members || !covered || !owner || !settled || !closure->loops.group ||
        !closure->loop_cluster)
        return false;
    for (size_t i = 0; i < model->records.joint.count; i++)
        owner[i] = -1;
    if (!td_make_functions(build, owner, of_joint))
        return false;
    for (size_t l = 0; l < count; l++) {
        covered[l] = -1;
        td_loop_group group = {0};
        if (build->options->closure_count &&
            !close_covered(build, (int)l, owner, &group, &covered[l]))
            return false;
        if (covered[l] < 0)
            continue;
        group.registered = true;
        settled[settled_count++] = group;
    }
    if (!unite_loops(model, covered, set))
        return false;
    for (size_t root = 0; root < count; root++) {
        int n = 0;
        for (size_t l = root; l < count; l++)
            if (td_set_of(set, (int)l) == td_set_of(set, (int)root))
                members[n++] = (int)l;
        bool first = covered[root] < 0;
        for (size_t l = 0; l < root; l++)
            first = first && td_set_of(set, (int)l) != td_set_of(set, (int)root);
        if (first && !close_group(build, members, n, of_joint, settled, &settled_count))
            return false;
    }
    closure->loops.count = closure->loops.solved + settled_count;
    memcpy(closure->loops.group + closure->loops.solved, settled, settled_count * sizeof *settled);
    return true;
}

bool td_close_loops_once(td_build *build)
{
    td_model *model = build->model;
    td_closure_map *closure = &model->closure;
    td_arena *arena = &model->records.arena;
    size_t count = model->records.loop.count;
    int *set = TD_ARENA_NEW(arena, int, count);
    double *of_joint = TD_ARENA_NEW(arena, double, TD_JOINT_POSITIONS * model->records.joint.count);
    closure->loop_place = TD_ARENA_NEW(arena, td_loop_place, count);
    closure->loop_group = TD_ARENA_NEW(arena, int, count);
    if (!set || !of_joint || !closure->loop_place || !closure->loop_group)
        return false;
    for (size_t i = 0; i < model->records.joint.count; i++)
        if (model->records.joint.at[i].type == TD_JOINT_FLOATING)
            of_joint[TD_JOINT_POSITIONS * i + 6] = 1;
    for (size_t l = 0; l < count; l++)
        closure->loop_group[l] = -1;
    for (size_t l = 0; l < count; l++)
        closure->loop_place[l] = (td_loop_place){.cluster = -1, .constraint = -1};
    if (build->options->open_loops) {
        for (size_t l = 0; l < count; l++)
            td_report(build->diagnostics, TD_CODE_LOOP_OPEN, model->records.loop.at[l].source,
                      "leave the option out to close it",
                      "loop '%s' is left open as the options say: the model is its spanning tree",
                      td_loop_name(model, (int)l));
    } else if ((count || build->options->closure_count) && !close_all(build, set, of_joint)) {
        return false;
    }
    if (build->corrected)
        return true;
    size_t most = build->options->loop_evaluations;
    closure->loops.most_evaluations = most < INT_MAX ? (int)most : INT_MAX;
    td_check_functions(build);
    return number_slots(build, of_joint);
}

/* after y and G: rooms, slots of y, places of loops, and the reference in q */
bool td_finish_loops(td_build *build)
{
    td_model *model = build->model;
    td_closure_map *closure = &model->closure;
    td_loops *loops = &closure->loops;
    closure->reference_q = TD_ARENA_NEW(&model->records.arena, double, model->tree.nq);
    if (!closure->reference_q)
        return false;
    for (size_t n = 0; n < loops->count; n++) {
        td_loop_group *g = &loops->group[n];
        g->scratch_start = loops->scratch_size;
        loops->scratch_size += (td_loop_reals(g) + 7) / 8 * 8;
        for (int l = 0; l < g->loops; l++) {
            td_loop_place *place = &closure->loop_place[g->loop[l].index];
            place->cluster = n < loops->solved ? (int)n : -1;
            closure->loop_group[g->loop[l].index] = (int)n;
            place->constraint = g->constraint + g->loop[l].first;
            place->constraint_count = g->loop[l].rows;
        }
    }
    if (model->single)
        model->single->affine(&closure->position, closure->offset, closure->reference,
                              closure->reference_q);
    return true;
}
