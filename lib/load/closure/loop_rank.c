/* SPDX-License-Identifier: MIT */
/*
 * The rank of a closed group of loops and its dependent joints, by rank-revealing QR of columns
 * sorted by kind. Also detects singular positions and a linear γ.
 */
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/linalg.h"
#include "load/closure/loop_analysis.h"

/* Return whether a slot's joint follows others by curves, and whether others follow it by
   curves. */
static bool follows(const td_loop_analysis *analysis, int slot)
{
    return analysis->model->follower[analysis->joint[slot]] >= 0;
}

static bool leads(const td_loop_analysis *analysis, int slot)
{
    return analysis->build->leads[analysis->joint[slot]];
}

void td_sort_columns(td_loop_analysis *analysis)
{
    for (int s = 0; s < analysis->slots; s++) {
        const td_joint *joint = &analysis->model->records.joint.at[analysis->joint[s]];
        analysis->kind[s] = follows(analysis, s)                      ? TD_KIND_FOLLOWER
                            : joint->independent > 0                  ? TD_KIND_INDEPENDENT
                            : td_analysis_has_quaternion(analysis, s) ? TD_KIND_WHOLE
                            : joint->independent == 0                 ? TD_KIND_DEPENDENT
                            : joint->flexible                         ? TD_KIND_ELASTIC
                            : leads(analysis, s)                      ? TD_KIND_LEADER
                                                                      : TD_KIND_FREE;
    }
}

/* Returns the first slot of a joint with a quaternion that is only partly picked, although it may
   not be decided in part. Returns −1 if there is no such joint. */
static int split_joint(const td_loop_analysis *analysis)
{
    for (int s = 0; s < analysis->slots; s++) {
        if (!td_analysis_has_quaternion(analysis, s))
            continue;
        const int nv = td_analysis_row(analysis, s)->kind.nv;
        if (analysis->class_of[s] == TD_KIND_PART) {
            s += nv - 1;
            continue;
        }
        int picked = 0;
        for (int k = 0; k < analysis->rank; k++)
            picked += analysis->pick[k] >= s && analysis->pick[k] < s + nv;
        if (picked > 0 && picked < nv)
            return s;
        s += nv - 1;
    }
    return -1;
}

static double longest_column(const td_loop_analysis *analysis)
{
    const size_t m = (size_t)analysis->group->rows;
    double longest = 0;
    for (size_t s = 0; s < (size_t)analysis->slots; s++)
        longest = fmax(longest, td_dense_norm(m, analysis->J + s * m));
    return longest;
}

static int factor_by_class(td_loop_analysis *analysis)
{
    const double longest = longest_column(analysis), usual = fmax(analysis->longest, longest);
    const double relative = longest > 0 ? analysis->tolerance * usual / longest : 1;
    memcpy(analysis->copy, analysis->J,
           (size_t)analysis->group->rows * (size_t)analysis->slots * sizeof(double));
    return td_pivoted_qr(analysis->group->rows, analysis->slots, analysis->copy, analysis->class_of,
                         relative, analysis->R, analysis->pick);
}

/* Sets the class of all coordinates of a joint with a quaternion. */
static void set_class(td_loop_analysis *analysis, int slot, int class)
{
    for (int k = 0; k < td_analysis_row(analysis, slot)->kind.nv; k++)
        analysis->class_of[slot + k] = class;
}

/* Computes the rank at w and the dependent columns. A joint with a quaternion that would be partly
   dependent becomes independent, provided the rank stays the same. */
int td_analysis_rank(td_loop_analysis *analysis, const double *w)
{
    size_t bytes = (size_t)analysis->slots * sizeof *analysis->class_of;
    td_analysis_examine(analysis, w);
    memcpy(analysis->class_of, analysis->kind, bytes);
    int rank = analysis->rank = factor_by_class(analysis);
    for (int s = split_joint(analysis); s >= 0; s = split_joint(analysis)) {
        set_class(analysis, s, -1);
        analysis->rank = factor_by_class(analysis);
        if (analysis->rank == rank)
            continue;
        set_class(analysis, s, TD_KIND_PART);
        analysis->rank = factor_by_class(analysis);
    }
    return analysis->rank;
}

/* Computes W = ∂x/∂y from R, in rad and m. x: picked columns; y: the others, in their order. */
void td_analysis_find_influence(td_loop_analysis *analysis)
{
    int n = analysis->slots, r = analysis->rank, p = n - r;
    for (int y = 0; y < p; y++)
        for (int i = r; i-- > 0;) {
            double sum = -analysis->R[i * n + r + y];
            for (int k = i + 1; k < r; k++)
                sum -= analysis->R[i * n + k] * analysis->W[k * p + y];
            analysis->W[i * p + y] = sum / analysis->R[i * n + i];
        }
    for (int x = 0; x < r; x++)
        for (int y = 0; y < p; y++)
            analysis->W[x * p + y] *=
                analysis->unit[analysis->pick[x]] / analysis->unit[analysis->pick[r + y]];
}

/* Largest error of W due to rounding near points where branches meet. Other positions then decide
   whether γ is linear. */
static const double nearly_whole = 1e-6;

bool td_analysis_round_row(td_loop_analysis *analysis, int pick)
{
    const int r = analysis->rank, p = analysis->slots - r;
    bool moves = false;
    if (!td_analysis_is_scalar(analysis, analysis->pick[pick]))
        return false;
    for (int y = 0; y < p; y++) {
        double *entry = &analysis->W[pick * p + y], whole = round(*entry);
        if (fabs(*entry - whole) > nearly_whole || fabs(whole) > 2.5 ||
            (whole != 0 && !td_analysis_is_scalar(analysis, analysis->pick[r + y])))
            return false;
        *entry = whole;
        moves = moves || whole != 0;
    }
    return moves;
}

/* Rounds W to integers. Returns false if W is not nearly integer, a factor is large, or a joint has
   several coordinates. */
static bool round_influence(td_loop_analysis *analysis)
{
    int r = analysis->rank, p = analysis->slots - r;
    for (int s = 0; s < analysis->slots; s++)
        if (!td_analysis_is_scalar(analysis, s))
            return false;
    td_analysis_find_influence(analysis);
    for (int k = 0; k < r * p; k++) {
        double whole = round(analysis->W[k]);
        if (fabs(analysis->W[k] - whole) > nearly_whole || fabs(whole) > 2.5)
            return false;
        analysis->W[k] = whole;
    }
    return true;
}

void td_analysis_predict(td_loop_analysis *analysis)
{
    const int r = analysis->rank, p = analysis->slots - r, *pick = analysis->pick;
    const double *unit = analysis->unit;
    for (int x = 0; x < r; x++) {
        double *step = &analysis->step[pick[x]];
        *step = 0;
        for (int y = 0; y < p; y++)
            *step += analysis->W[x * p + y] * unit[pick[r + y]] / unit[pick[x]] *
                     analysis->step[pick[r + y]];
    }
}

bool td_analysis_is_linear(td_loop_analysis *analysis, const double *base)
{
    enum { SAMPLES = 8 };
    int r = analysis->rank, p = analysis->slots - r;
    if (analysis->group->curves || (r > 0 && !round_influence(analysis)))
        return false;
    unsigned seed = 3;
    for (int n = 0; n < SAMPLES; n++) {
        double *w = analysis->trial;
        memcpy(w, base, analysis->nw * sizeof *w);
        for (int y = 0; y < p; y++)
            analysis->step[analysis->pick[r + y]] = 3 * td_analysis_random(&seed);
        td_analysis_predict(analysis);
        td_analysis_move(analysis, w, analysis->step);
        if (td_analysis_examine(analysis, w) > 1e-11)
            return false;
    }
    return true;
}

/* Sets the length below which a column counts as zero. It derives from the last pivot of the rank
   at positions near w, whether or not the loops close there. Iterations toward a double root of φ
   end 1e-8 to 1e-5 away from it. There a column that vanishes at the root is about that long, and
   not zero. Returns false if out of memory. */
bool td_analysis_prepare_ranks(td_loop_analysis *analysis)
{
    enum { SAMPLES = 4 };
    static const double away = 0.05, near_zero = 1e-3;
    const size_t nw = analysis->nw, bytes = nw * sizeof(double);
    td_arena_scope(&analysis->build->temporary);
    double *other = TD_ARENA_NEW(&analysis->build->temporary, double, nw), usual = 0, longest = 0;
    unsigned seed = 13;
    int most = 0;
    analysis->tolerance = TD_RANK_TOLERANCE;
    analysis->longest = 0;
    for (int sample = 0; other && sample < SAMPLES; sample++) {
        memcpy(other, analysis->w, bytes);
        td_analysis_move_at_random(analysis, other, TD_TRY_ALL, away, &seed);
        const int rank = td_analysis_rank(analysis, other);
        const double here = longest_column(analysis);
        double last = 1;
        for (int k = 0; k < rank; k++)
            last = fmin(last, analysis->R[k * analysis->slots + k] / here);
        longest = fmax(longest, here);
        if (rank > most || (rank == most && rank > 0 && last > usual))
            usual = last;
        most = rank > most ? rank : most;
    }
    analysis->tolerance = fmax(TD_RANK_TOLERANCE, near_zero * usual);
    analysis->longest = longest;
    return other;
}

/* Reports a singular position. before: rank at the first closed position; rank: rank at the start
   now. */
static void report_singularity(const td_loop_analysis *analysis, int before, int rank)
{
    const td_model *model = analysis->model;
    const int loop = analysis->group->loop[0].index;
    const td_source source = model->records.loop.at[loop].source;
    static const char remedy[] = "choose a zero configuration in which the loops can move";
    if (rank == before)
        td_report(analysis->build->diagnostics, TD_CODE_LOOP_SINGULAR, source, remedy,
                  "loop '%s' is singular at its first closed configuration; the robot starts at a "
                  "nearby one",
                  td_loop_name(model, loop));
    else
        td_report(analysis->build->diagnostics, TD_CODE_LOOP_MOBILITY, source, remedy,
                  "loop '%s' has mobility %d at its first closed configuration, but %d nearby; the "
                  "robot starts at a nearby one",
                  td_loop_name(model, loop), analysis->slots - before, analysis->slots - rank);
}

/* Leaves a singular configuration for a nearby one. */
bool td_analysis_leave_singularity(td_loop_analysis *analysis)
{
    enum { TRIES = 24 }; /* each branch through this point is equally likely */
    const size_t nw = analysis->nw, bytes = nw * sizeof(double);
    td_arena *temporary = &analysis->build->temporary;
    td_arena_scope(temporary);
    double *other = TD_ARENA_NEW(temporary, double, nw),
           *best = TD_ARENA_NEW(temporary, double, nw);
    if (!other || !best || !td_analysis_prepare_ranks(analysis))
        return false;
    bool moved = false;
    int rank = td_analysis_rank(analysis, analysis->w);
    const int there = rank;
    unsigned seed = 7;
    for (int n = 0; n < TRIES; n++) {
        memcpy(other, analysis->w, bytes);
        td_analysis_move_at_random(analysis, other, TD_TRY_ALL, 0.05, &seed);
        if (td_analysis_descend(analysis, other, TD_KINDS) > TD_ASSEMBLED ||
            td_analysis_rank(analysis, other) < rank || (analysis->rank == rank && !moved))
            continue;
        bool linear = td_analysis_is_linear(analysis, other); /* prefer the simplest branch through
                                                                 this point */
        if (analysis->rank > rank || linear)
            memcpy(best, other, bytes);
        rank = analysis->rank;
        moved = true;
        if (linear)
            break;
    }
    if (moved) {
        memcpy(analysis->w, best, bytes);
        report_singularity(analysis, there, rank);
    }
    td_analysis_rank(analysis, analysis->w);
    return true;
}

bool td_analysis_only_touches(td_loop_analysis *analysis, bool *touches)
{
    enum { TRIES = 6 };
    static const double sizes[2] = {1e-2, 1e-3};
    static const double part = 1e-6; /* relative to the squared step, since these loops open
                                        quadratically */
    const size_t nw = analysis->nw, bytes = nw * sizeof(double);
    const int rank = analysis->rank, slots = analysis->slots;
    td_arena_scope(&analysis->build->temporary);
    double *other = TD_ARENA_NEW(&analysis->build->temporary, double, nw);
    *touches = false;
    if (!other)
        return false;
    unsigned seed = 11;
    memcpy(other, analysis->w, bytes);
    td_analysis_move_at_random(analysis, other, TD_TRY_ALL, 0.05, &seed);
    *touches = rank < slots && td_analysis_rank(analysis, other) > rank;
    td_analysis_rank(analysis, analysis->w);
    memcpy(analysis->class_of, analysis->kind, (size_t)slots * sizeof(int));
    for (int n = 0; *touches && n < TRIES; n++) {
        const double size = sizes[n % 2];
        memcpy(other, analysis->w, bytes);
        memset(analysis->step, 0, (size_t)slots * sizeof(double));
        for (int k = rank; k < slots; k++) {
            const double random = td_analysis_random(&seed);
            analysis->step[analysis->pick[k]] = size * (random + copysign(1, random)) / 2;
            analysis->kind[analysis->pick[k]] = TD_KINDS;
        }
        td_analysis_move(analysis, other, analysis->step);
        *touches = td_analysis_descend(analysis, other, TD_KINDS) > part * size * size;
    }
    memcpy(analysis->kind, analysis->class_of, (size_t)slots * sizeof(int));
    td_analysis_rank(analysis, analysis->w);
    return true;
}
