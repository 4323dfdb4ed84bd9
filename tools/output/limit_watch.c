/* SPDX-License-Identifier: MIT */
/*
 * Detects positions beyond limits; see limit_watch.h.
 */
#include "output/limit_watch.h"

#include <math.h>
#include <stdlib.h>

#include "base/limit.h"
#include "input/coordinate_name.h"
#include "input/loops.h"
#include "text.h"

limit_watch limit_watch_new(const td_model *model, td_workspace *workspace, bool tree)
{
    limit_watch w = {.model = model, .workspace = workspace, .tree = tree, .slack = 1};
    for (size_t i = 0; i < td_joint_count(model); i++) {
        const td_limit limit = td_joint_at(model, i)->limit;
        w.any = w.any || isfinite(limit.lower) || isfinite(limit.upper);
    }
    return w;
}

void limit_watch_free(limit_watch *w)
{
    free(w->q);
    free(w->each);
    free(w->passed);
}

/* ---- one position ---------------------------------------------------------------------------- */

double limit_nearest_turn(double angle, const td_limit *limit)
{
    const double turn = 2 * acos(-1), middle = 0.5 * (limit->lower + limit->upper);
    return angle - turn * round((angle - middle) / turn);
}

/* Returns whether the joint is beyond a limit. A continuous joint whose lower limit is not below
   its upper one has no limits; some exporters write such pairs. */
static bool is_passed(const limit_watch *w, size_t joint, const double *q, limit_passed *p)
{
    const td_joint *record = td_joint_at(w->model, joint);
    const td_joint_place place = td_joint_place_at(w->model, joint);
    const td_joint_kind *kind = td_joint_kind_of(record->type);
    const double lower = record->limit.lower, upper = record->limit.upper;
    double most = 0;
    if ((place.nv != 1 && !kind->bounded) || lower > upper ||
        (!kind->bounded && !(lower < upper))) {
        return false;
    }
    for (size_t k = 0; k < place.nq; k++) {
        const double given = q[place.q + k];
        const double at = kind->bounded ? given : limit_nearest_turn(given, &record->limit);
        const bool below = at < lower - w->slack * td_limit_tolerance(lower);
        const bool above = at > upper + w->slack * td_limit_tolerance(upper);
        const double limit = below ? lower : upper;
        if ((below || above) && fabs(at - limit) > most) {
            *p = (limit_passed){.joint = joint, .below = below, .at = at, .limit = limit};
            most = fabs(at - limit);
        }
    }
    return most > 0;
}

void limit_watch_look(limit_watch *w, const double *q, double when)
{
    for (size_t i = 0; i < td_joint_count(w->model); i++) {
        limit_passed p = {.joint = i};
        limit_passed of_leader;
        const size_t leader = td_joint_place_at(w->model, i).leader;
        if (!is_passed(w, i, q, &p) || (leader != TD_NONE && is_passed(w, leader, q, &of_leader))) {
            continue; /* the line about the leader is enough */
        }
        size_t k = 0;
        while (k < w->count && (w->passed[k].joint != i || w->passed[k].below != p.below)) {
            k++;
        }
        if (k == w->count) {
            w->passed = reallocate(w->passed, ++w->count, sizeof *w->passed);
            p.first = when;
            p.most_by = -1;
            w->passed[k] = p;
        }
        limit_passed *known = &w->passed[k];
        const double by = fabs(p.at - p.limit);
        known->times++;
        if (by > known->most_by) {
            known->most = when;
            known->most_at = p.at;
            known->most_by = by;
        }
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Copies the independent positions of a state whose loops do not close into q, and sets the others
   to NaN. */
static void place_independents(const td_model *model, const double *y, double *q)
{
    for (size_t i = 0; i < td_nq(model); i++) {
        q[i] = NAN;
    }
    for (size_t i = 0; i < td_independent_count(model); i++) {
        const td_joint_place place = td_joint_place_at(model, td_independent_joint(model, i));
        for (size_t k = 0; place.ny == place.nq && k < place.nq; k++) {
            q[place.q + k] = y[place.y + k];
        }
    }
}

void limit_watch_rows(limit_watch *w, size_t rows, const double *positions, size_t first)
{
    const size_t nq = td_nq(w->model);
    if (!w->any || rows == 0) {
        return;
    }
    if (rows > w->rows && !w->tree) {
        w->q = reallocate(w->q, rows * nq + 1, sizeof *w->q);
        w->each = reallocate(w->each, rows, sizeof *w->each);
        w->rows = rows;
    }
    if (!w->tree) {
        td_batch_closure(w->model, w->workspace, rows, positions, NULL, NULL, w->q, NULL, NULL,
                         w->each);
    }
    for (size_t i = 0; i < rows; i++) {
        if (!w->tree && w->each[i] != TD_OK) {
            place_independents(w->model, positions + i * td_ny(w->model), w->q + i * nq);
        }
        limit_watch_look(w, (w->tree ? positions : w->q) + i * nq, (double)(first + i));
    }
}

/* ---- messages -------------------------------------------------------------------------------- */

static const char *side(const limit_passed *p)
{
    return p->below ? "below" : "above";
}

/* Returns ", which loops decide", ", which follows 'a'" or "" in a new string. */
static char *decider(const td_model *model, size_t joint)
{
    const td_joint_place place = td_joint_place_at(model, joint);
    if (solved_by_loops(model, joint)) {
        return text_format(", which depends on loops,");
    }
    return place.dependent && place.leader != TD_NONE
               ? text_format(", which follows '%s',", td_joint_at(model, place.leader)->name)
               : text_format("%s", "");
}

bool limit_tell_degrees(const td_model *model, size_t joint, double at)
{
    static const double degree = 3.14159265358979323846 / 180, slack = 1e-9;
    const td_joint *record = td_joint_at(model, joint);
    const double lower = record->limit.lower, upper = record->limit.upper;
    const bool turns = coordinate_domain(model, joint, QUANTITY_Q, 0) == UNIT_TURN;
    const double beyond = fmax(lower - at, at - upper);
    const bool fits = turns && td_joint_kind_of(record->type)->bounded && beyond > 720 * degree &&
                      at * degree >= lower - slack && at * degree <= upper + slack;
    if (fits) {
        tell_note("joint '%s' is within its limits if %s is in degrees: give --unit deg, or write "
                  "the unit after the number or in the heading (%s [deg])",
                  record->name, number_brief(at).text, record->name);
    }
    return fits;
}

/* Prints at most one line for all joints about angles in degrees. */
static void tell_degrees(const limit_watch *w)
{
    size_t k = 0;
    while (k < w->count &&
           !limit_tell_degrees(w->model, w->passed[k].joint, w->passed[k].most_at)) {
        k++;
    }
}

void limit_watch_tell_rest(const limit_watch *w)
{
    if (w->count > LIMIT_LINES) {
        tell_note("%s exceeded as well", counted(w->count - LIMIT_LINES, "limit").text);
    }
}

void limit_watch_tell_state(const limit_watch *w)
{
    for (size_t i = 0; i < w->count && i < LIMIT_LINES; i++) {
        const limit_passed *p = &w->passed[i];
        scoped char *by = decider(w->model, p->joint);
        tell_note("joint '%s'%s is at %s, %s its limit %s", td_joint_at(w->model, p->joint)->name,
                  by, number_clear(p->at).text, side(p), number_brief(p->limit).text);
    }
    limit_watch_tell_rest(w);
    tell_degrees(w);
}

void limit_watch_tell_rows(const limit_watch *w)
{
    for (size_t i = 0; i < w->count && i < LIMIT_LINES; i++) {
        const limit_passed *p = &w->passed[i];
        char *by = decider(w->model, p->joint);
        if (p->times == 1) {
            tell_note("row %.0f: joint '%s'%s is at %s, %s its limit %s", p->first,
                      td_joint_at(w->model, p->joint)->name, by, number_clear(p->at).text, side(p),
                      number_brief(p->limit).text);
            free(by);
            continue;
        }
        tell_note(
            "joint '%s'%s is %s its limit %s in %s, first in row %.0f; farthest at %s (row %.0f)",
            td_joint_at(w->model, p->joint)->name, by, side(p), number_brief(p->limit).text,
            counted(p->times, "row").text, p->first, number_brief(p->most_at).text, p->most);
        free(by);
    }
    limit_watch_tell_rest(w);
    tell_degrees(w);
}

void tell_limits(const td_model *model, td_workspace *workspace, bool tree, const double *position)
{
    limit_watch w = limit_watch_new(model, workspace, tree);
    limit_watch_rows(&w, 1, position, 1);
    limit_watch_tell_state(&w);
    limit_watch_free(&w);
}
