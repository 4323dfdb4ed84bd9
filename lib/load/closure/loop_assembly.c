/* SPDX-License-Identifier: MIT */
/*
 * Assembly: searches for a closed position of a group of loops, first from the start positions and
 * then from elsewhere (loop_descent.c).
 */
#include <math.h>
#include <string.h>

#include "load/closure/loop_analysis.h"

/* Tries to assemble in several ways: from the start positions, and from random positions. Writes
   the position nearest to closed to kept and its residual to *best, if the residual decreases.
   Returns the successful way. */
static td_assembly_try assemble(td_loop_analysis *analysis, double *kept, double *best)
{
    enum { GIVEN = 12, INDEPENDENT = GIVEN, ALL, ELSEWHERE, NEAR = ELSEWHERE + 8, TRIES = 52 };
    double *w = analysis->w;
    size_t bytes = analysis->nw * sizeof *w;
    unsigned seed = 1;
    td_assembly_try used = TD_TRY_ELSEWHERE;
    for (int n = analysis->build->start ? 0 : GIVEN; n<TRIES && * best> TD_ASSEMBLED; n++) {
        const td_assembly_try by = n < GIVEN          ? TD_TRY_GIVEN
                                   : n == INDEPENDENT ? TD_TRY_INDEPENDENT
                                   : n == ALL         ? TD_TRY_ALL
                                                      : TD_TRY_ELSEWHERE;
        td_analysis_start(analysis, w);
        if (n == GIVEN)
            seed = 1;
        if (n >= ELSEWHERE || (n > 0 && n < GIVEN))
            td_analysis_move_at_random(analysis, w, by, n < NEAR ? 1 : M_PI, &seed);
        const double residual = td_analysis_try(analysis, w, by);
        if (residual > TD_ASSEMBLED && residual <= TD_ROUNDED_RESIDUAL &&
            analysis->openness == INFINITY) {
            analysis->openness = residual;
            memcpy(analysis->near, w, bytes);
        }
        if (residual < *best) {
            *best = residual;
            memcpy(kept, w, bytes);
            used = by;
        }
    }
    return used;
}

bool td_analysis_closes_turned(td_loop_analysis *analysis, int free)
{
    const size_t nw = analysis->nw;
    td_arena_scope(&analysis->build->temporary);
    double best = INFINITY, *kept = TD_ARENA_NEW(&analysis->build->temporary, double, nw);
    td_fill_closing(analysis, free);
    if (kept) {
        assemble(analysis, kept, &best);
        memcpy(analysis->w, kept, nw * sizeof *kept);
    }
    td_fill_closing(analysis, TD_NO_LOOP);
    return best <= TD_ASSEMBLED;
}

/* Keeps flexible links straight if the loops close that way. */
double td_analysis_assemble(td_loop_analysis *analysis, td_assembly_try *used)
{
    const size_t nw = analysis->nw;
    td_arena_scope(&analysis->build->temporary);
    double best = INFINITY, *kept = TD_ARENA_NEW(&analysis->build->temporary, double, nw);
    if (!kept)
        return -1;
    analysis->openness = INFINITY;
    for (int s = 0; s < analysis->slots; s++)
        analysis->straight = analysis->straight || analysis->kind[s] == TD_KIND_ELASTIC;
    *used = TD_TRY_ELSEWHERE;
    if (analysis->straight)
        *used = assemble(analysis, kept, &best);
    analysis->straight = analysis->straight && best <= TD_ASSEMBLED;
    if (!analysis->straight)
        *used = assemble(analysis, kept, &best);
    memcpy(analysis->w, kept, nw * sizeof *kept);
    return best;
}
