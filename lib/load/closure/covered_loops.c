/* SPDX-License-Identifier: MIT */
/*
 * Loops that a closure of the options closes. They are identified by their joints and checked at
 * some states.
 */
#include <math.h>

#include "load/closure/loop_analysis.h"

/* Returns the closure that decides one of the loop's joints, or −1. */
static int deciding(const td_loop_analysis *analysis, const int *owner)
{
    int by = -1;
    for (int s = 0; s < analysis->slots; s++)
        by = owner[analysis->joint[s]] >= 0 ? owner[analysis->joint[s]] : by;
    return by;
}

/* Returns the group of a closure. */
static const td_loop_group *group_of(const td_loops *loops, const int *owner, int function)
{
    size_t n = 0;
    while (loops->group[n].form != TD_FORM_FUNCTION ||
           owner[loops->group[n].coordinate[0]] != function)
        n++;
    return &loops->group[n];
}

/* Returns whether the closure names all joints of the loop. Reports one that is missing. */
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
                  "name all joints of the loop in the closure, or remove the loop",
                  "closure '%s' of the options names some joints of loop '%s', but not joint '%s'",
                  td_function_name(f), td_loop_name(model, loop),
                  model->records.joint.at[analysis->joint[s]].name);
        return false;
    }
    return true;
}

/* Reports a loop that the closure leaves open at states near zero. Returns false if out of
   memory. */
static bool check_closed(td_loop_analysis *analysis, const td_closure_function *f,
                         const td_loop_group *own)
{
    const td_model *model = analysis->model;
    int loop = analysis->group->loop[0].index;
    size_t x = f->dependents, y = f->independents;
    const int *at = analysis->build->desk->at;
    td_arena *temporary = &analysis->build->temporary;
    double *of_y = TD_ARENA_NEW(temporary, double, y), *of_x = TD_ARENA_NEW(temporary, double, x);
    double *rates = TD_ARENA_NEW(temporary, double, x *y), worst = 0;
    unsigned seed = 3;
    bool ok = of_y && of_x && rates && td_analysis_open(analysis);
    for (int n = 0; ok && n < 8; n++) {
        for (size_t k = 0; k < y; k++)
            of_y[k] = n ? 0.1 * td_analysis_random(&seed) : 0;
        if (f->solve(f->context, of_y, NULL, of_x, rates, NULL))
            continue;
        for (size_t k = 0; k < x + y; k++)
            if (at[own->coordinate[k]] >= 0) /* other joints do not move the loop */
                analysis->w[at[own->coordinate[k]]] = k < x ? of_x[k] : of_y[k - x];
        worst = fmax(worst, td_analysis_openness(analysis, analysis->w));
    }
    if (worst > 1e-9)
        td_report(analysis->build->diagnostics, TD_CODE_CLOSURE_VALUE,
                  model->records.loop.at[loop].source,
                  "correct the closure, or the frames of the loop",
                  "closure '%s' of the options leaves loop '%s' open by %.3g of its size",
                  td_function_name(f), td_loop_name(model, loop), worst);
    return ok;
}

bool td_close_covered(td_build *build, int loop, const int *owner, td_loop_group *group,
                      int *covered)
{
    td_model *model = build->model;
    td_loop_analysis analysis = {.build = build, .model = model, .group = group};
    td_arena_scope(&build->temporary);
    bool ok = td_make_loop_group(&analysis, &loop, 1) && td_analysis_slots(&analysis);
    *covered = ok ? deciding(&analysis, owner) : -1;
    if (*covered >= 0) {
        const td_closure_function *f = &build->options->closures[*covered];
        const td_loop_group *own = group_of(&model->closure.loops, owner, *covered);
        if (names_all(&analysis, f, own))
            ok = check_closed(&analysis, f, own);
        td_set_loop_form(&analysis, TD_LOOP_FORM_REGISTERED);
    }
    td_analysis_close(&analysis);
    return ok;
}
