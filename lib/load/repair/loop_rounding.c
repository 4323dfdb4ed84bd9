/* SPDX-License-Identifier: MIT */
/*
 * Corrects over-constrained loops that rounding keeps from closing. Planar loops in space,
 * spherical loops, Bennett's linkage and similar ones move because their axes are exactly parallel,
 * intersect, or satisfy some other relation. Angles written with few digits leave such loops
 * slightly open, or closed in a position that they cannot leave. The intended mechanism is the
 * nearest one that closes and moves. First, angles that are rounded multiples of 15° are made exact
 * (rounded_angles.c). Then the smallest possible correction is spread over all frames of the loops
 * (nearest_mechanism.c).
 *
 * A group qualifies under two conditions. It closes to TD_ROUNDED_RESIDUAL all along a motion, with
 * columns shorter than TD_ROUNDED_RANK counted as zero. With frames rotated and moved by at most
 * TD_ROUNDED_FRAMES it closes to TD_ASSEMBLED all along that motion, and at positions of another
 * one. Loops whose links are slightly too short fail the second condition, whatever the rank in
 * their stretched position.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "load/repair/loop_motion.h"
#include "load/repair/repair.h"

/* ---- frames before and after ----------------------------------------------------------------- */

/* Copies of the records, the tree and w, kept while corrections are tried on a separate tree. */
typedef struct frames {
    td_joint *joint;
    td_loop *loop;
    double *w;
    td_tree tree;
    td_arena arena; /* memory of the separate tree */
} frames;

static bool save_frames(const td_loop_analysis *analysis, frames *saved)
{
    const td_records *records = &analysis->model->records;
    td_arena *temporary = &analysis->build->temporary;
    saved->joint =
        td_arena_copy(temporary, records->joint.at, records->joint.count, sizeof *saved->joint);
    saved->loop =
        td_arena_copy(temporary, records->loop.at, records->loop.count, sizeof *saved->loop);
    saved->w = td_arena_copy(temporary, analysis->w, analysis->nw, sizeof *saved->w);
    saved->tree = analysis->model->tree;
    return saved->joint && saved->loop && saved->w;
}

/* Builds the tree from the current records in the separate arena. Returns false if out of
   memory. */
static bool make_tree(td_loop_analysis *analysis, frames *saved)
{
    td_records *records = &analysis->model->records;
    td_arena kept = records->arena;
    records->arena = saved->arena;
    bool ok = td_rebuild_tree(analysis->build);
    saved->arena = records->arena;
    records->arena = kept;
    if (ok)
        td_fill_loop_group(analysis);
    return ok;
}

/* Restores the tree and w. Restores the records too unless keep_records is set. */
static void restore_frames(td_loop_analysis *analysis, frames *saved, bool keep_records)
{
    td_records *records = &analysis->model->records;
    if (saved->w)
        memcpy(analysis->w, saved->w, analysis->nw * sizeof *saved->w);
    if (!keep_records && saved->joint && saved->loop && saved->w) {
        memcpy(records->joint.at, saved->joint, records->joint.count * sizeof *saved->joint);
        memcpy(records->loop.at, saved->loop, records->loop.count * sizeof *saved->loop);
    }
    analysis->model->tree = saved->tree;
    td_fill_loop_group(analysis);
    td_arena_free(&saved->arena);
}

/* ---- corrections ----------------------------------------------------------------------------- */

/* angle and distance by which a frame was corrected */
typedef struct change {
    double turned, moved;
} change;

static change change_of(const td_pose *from, const td_pose *to)
{
    double turn = 0, move = 0;
    for (int k = 0; k < 9; k++)
        turn += (to->rotation[k] - from->rotation[k]) * (to->rotation[k] - from->rotation[k]);
    for (int k = 0; k < 3; k++)
        move += (to->position[k] - from->position[k]) * (to->position[k] - from->position[k]);
    return (change){sqrt(turn / 2), sqrt(move)}; /* |R' − R|² = 2 angle² */
}

/* The names of changed frames. */
typedef struct list {
    char text[200];
    int left_out;
} list;

static void add_name(list *names, const char *kind, const char *name)
{
    size_t used = strlen(names->text);
    char item[120];
    snprintf(item, sizeof item, "%s%s '%.80s'", used ? ", " : "", kind, name);
    if (used + strlen(item) + 16 > sizeof names->text)
        names->left_out++;
    else
        memcpy(names->text + used, item, strlen(item) + 1);
}

/* Returns the largest change of all frames. Lists the frames that changed by more than a thousandth
   of it. */
static td_loop_rounding compare(td_loop_analysis *analysis, const frames *saved, list *names)
{
    const td_records *records = &analysis->model->records;
    td_loop_rounding all = {.tried = true};
    for (int pass = 0; pass < 2; pass++) {
        double least = fmax(1e-3 * fmax(all.turned, all.moved / analysis->size), 1e-15);
        for (size_t i = 0; i < records->joint.count + 2 * records->loop.count; i++) {
            bool joint = i < records->joint.count;
            size_t n = joint ? i : (i - records->joint.count) / 2;
            bool successor = (i - records->joint.count) % 2;
            change c = joint ? change_of(&saved->joint[n].origin, &records->joint.at[n].origin)
                       : successor ? change_of(&saved->loop[n].successor_origin,
                                               &records->loop.at[n].successor_origin)
                                   : change_of(&saved->loop[n].predecessor_origin,
                                               &records->loop.at[n].predecessor_origin);
            all.turned = fmax(all.turned, c.turned);
            all.moved = fmax(all.moved, c.moved);
            if (pass && fmax(c.turned, c.moved / analysis->size) > least)
                add_name(names,
                         joint       ? "joint"
                         : successor ? "successor of"
                                     : "predecessor of",
                         joint ? records->joint.at[n].name : td_loop_name(analysis->model, (int)n));
        }
    }
    return all;
}

/* Checks whether the corrections are small, and stores them for the report. Returns false if out of
   memory. */
static bool keep(td_loop_analysis *analysis, const frames *saved, double residual, bool *small)
{
    list names = {0};
    td_loop_rounding made = compare(analysis, saved, &names);
    *small = made.turned <= TD_ROUNDED_FRAMES && made.moved <= TD_ROUNDED_FRAMES * analysis->size;
    if (!*small)
        return true;
    if (names.left_out) {
        size_t used = strlen(names.text);
        snprintf(names.text + used, sizeof names.text - used, ", %d more", names.left_out);
    }
    made.residual = residual;
    made.size = analysis->size;
    made.frames = td_arena_string(&analysis->model->records.arena, names.text);
    analysis->build->rounding[analysis->group->loop[0].index] = made;
    return made.frames != NULL;
}

/* ---- search for a mechanism ------------------------------------------------------------------ */

/* Returns the largest residual of all positions. */
static double settle_all(td_loop_analysis *analysis, td_loop_motion *motion)
{
    double largest = 0;
    for (int n = 0; n < motion->count; n++)
        largest = fmax(largest, td_motion_settle(analysis, motion, n));
    return largest;
}

/* Corrects angles first, and then the remaining error unless only_angles is set. *closed: whether
   the group then closes all along the motion. Returns false if out of memory. */
static bool correct(td_loop_analysis *analysis, td_loop_motion *motion, frames *saved,
                    bool only_angles, bool *closed)
{
    bool rounded = false;
    *closed = false;
    if (!td_round_angles(analysis, &rounded) || !make_tree(analysis, saved))
        return false;
    if (rounded)
        *closed = settle_all(analysis, motion) <= TD_ASSEMBLED;
    return *closed || only_angles || td_nearest_mechanism(analysis, motion, closed);
}

/* Returns whether the group also closes at other positions of the motion. */
static bool closes_elsewhere(td_loop_analysis *analysis, td_loop_motion *motion)
{
    memcpy(analysis->w, motion->w, analysis->nw * sizeof *motion->w);
    return td_motion_walk(analysis, motion, 29) <= TD_ASSEMBLED;
}

/* Returns whether the rank at analysis->w drops when columns of the size of rounding are
   ignored. */
static bool nearly_dependent(td_loop_analysis *analysis)
{
    return td_motion_rank(analysis, analysis->w, TD_ROUNDED_RANK) <
           td_motion_rank(analysis, analysis->w, TD_RANK_TOLERANCE);
}

/* Returns whether rows are redundant and the group stays nearly closed along a motion. At least a
   quarter of the positions must be open. A few positions that do not converge to the last digit do
   not count. */
static bool is_rounded(td_loop_analysis *analysis, td_loop_motion *motion, bool open,
                       double *residual)
{
    if (motion->rank >= analysis->group->rows || !(open || nearly_dependent(analysis)))
        return false;
    *residual = td_motion_walk(analysis, motion, 17);
    return *residual <= TD_ROUNDED_RESIDUAL && 4 * motion->open >= motion->count;
}

/* Tries to correct the group from analysis->w, where it closes to the residual. Sets *corrected if
   the records changed. Otherwise restores everything. */
static bool attempt(td_loop_analysis *analysis, double residual, bool *corrected)
{
    td_arena_scope(&analysis->build->temporary);
    frames saved = {0};
    td_loop_motion motion = {0};
    bool open = residual > TD_ASSEMBLED, closed = false;
    bool moves = td_motion_rank(analysis, analysis->w, TD_RANK_TOLERANCE) < analysis->slots;
    bool ok = save_frames(analysis, &saved) && td_motion_open(analysis, &motion);
    if (ok && is_rounded(analysis, &motion, open, &residual)) {
        ok = correct(analysis, &motion, &saved, !open && moves, &closed);
        if (ok && closed && closes_elsewhere(analysis, &motion))
            ok = keep(analysis, &saved, residual, corrected);
    }
    restore_frames(analysis, &saved, *corrected);
    return ok;
}

/* Corrects a group from the first position at which it closes except for rounding. */
static bool attempt_near(td_loop_analysis *analysis, bool *corrected)
{
    double *w = analysis->w;
    analysis->w = analysis->near;
    bool ok = attempt(analysis, analysis->openness, corrected);
    analysis->w = w;
    return ok;
}

bool td_correct_rounding(td_loop_analysis *analysis, double residual, bool *corrected)
{
    td_loop_rounding *rounding = &analysis->build->rounding[analysis->group->loop[0].index];
    bool ok = true;
    *corrected = false;
    if (rounding->tried)
        return true;
    if (analysis->openness < INFINITY)
        ok = attempt_near(analysis, corrected);
    if (ok && !*corrected && residual <= TD_ASSEMBLED && nearly_dependent(analysis))
        ok = attempt(analysis, residual, corrected);
    rounding->tried = true;
    return ok;
}

void td_report_rounding(td_build *build, int loop)
{
    const td_loop_rounding *r = &build->rounding[loop];
    if (!r->frames)
        return;
    char moved[60] = "";
    if (r->moved > 1e-3 * r->turned * r->size)
        snprintf(moved, sizeof moved, " and moved by up to %.2g m", r->moved);
    td_report(build->diagnostics, TD_CODE_LOOP_ROUNDED, build->model->records.loop.at[loop].source,
              "write angles and lengths with all their digits, for example a quarter turn as "
              "1.5707963267948966",
              "loop '%s' is over-constrained, and rounded numbers leave it open by up to %.2g of "
              "its size; to close it, frames were rotated by up to %.2g rad%s: %s",
              td_loop_name(build->model, loop), r->residual, r->turned, moved, r->frames);
}
