/* SPDX-License-Identifier: MIT */
/*
 * Unwraps angles that are recorded modulo a turn, for joints without limits. For other joints
 * reports jumps by about a turn, since it is not clear which side is right.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/recording/turns.h"
#include "input/recording.h"
#include "text.h"

size_t recording_joint(const recording *r, const channel *c)
{
    size_t joint = 0;
    if (!c->follower) {
        return coordinates_owner(r->c, c->quantity, c->index);
    }
    for (size_t i = 0; i < td_joint_count(r->c->model); i++) {
        const td_joint_place place = td_joint_place_at(r->c->model, i);
        if (c->index >= place.q && c->index < place.q + place.nq) {
            joint = i;
        }
    }
    return joint;
}

static bool is_angle(const recording *r, const channel *c, size_t joint)
{
    if (c->quantity != QUANTITY_Q) {
        return false;
    }
    if (!c->follower) {
        return coordinates_domain(r->c, QUANTITY_Q, c->index) == UNIT_TURN;
    }
    const size_t first = td_joint_place_at(r->c->model, joint).q;
    return coordinate_domain(r->c->model, joint, QUANTITY_Q, c->index - first) == UNIT_TURN;
}

bool recording_goes_round(const recording *r, const channel *c)
{
    const size_t joint = recording_joint(r, c);
    return is_angle(r, c, joint) && joint_goes_round(td_joint_at(r->c->model, joint));
}

/* Unwraps the values that are not missing into x, with their rows. */
static td_status unwrap(const recording *r, const channel *c, double *x, size_t *row, size_t *n,
                        td_turns *found)
{
    scoped double *t = allocate(r->rows, sizeof *t);
    *n = 0;
    for (size_t i = 0; i < r->rows; i++) {
        if (!isnan(c->x[i])) {
            row[*n] = i;
            t[*n] = r->t[i];
            x[(*n)++] = c->x[i];
        }
    }
    return td_unwrap(*n, t, x, found);
}

static void tell(const recording *r, const channel *c, const size_t *row, const td_turns *found,
                 bool round)
{
    const td_joint *joint = td_joint_at(r->c->model, recording_joint(r, c));
    if (!round && found->sure > 0) {
        tell_note(
            "%s:%zu: column '%s' jumps by about a turn%s, but joint '%s' %s, so the jump is kept",
            r->name, r->line[row[found->first_sure]], c->name,
            found->sure > 1 ? " for the first time" : "", joint->name,
            td_joint_kind_of(joint->type)->pitched ? "is a screw" : "has limits");
    }
    if (round && found->jumps > 0) {
        tell_note("%s: column '%s': removed %s by whole turns, the first at line %zu", r->name,
                  c->name, counted(found->jumps, "jump").text, r->line[row[found->first]]);
    }
    if (round && found->doubtful > 0) {
        tell_note("%s:%zu: column '%s': rows are too far apart to tell how far '%s' turns here%s",
                  r->name, r->line[row[found->first_doubtful]], c->name, joint->name,
                  found->doubtful > 1 ? ", and later" : "");
    }
}

bool recording_unwrap(const recording *r, channel *c, bool last)
{
    const bool round = recording_goes_round(r, c);
    if (!round && !is_angle(r, c, recording_joint(r, c))) {
        return true;
    }
    td_turns found;
    scoped double *x = allocate(r->rows, sizeof *x);
    size_t *row = allocate(r->rows, sizeof *row), n;
    const td_status status = unwrap(r, c, x, row, &n, &found);
    for (size_t i = 0; i < n && round && status == TD_OK; i++) {
        c->x[row[i]] = x[i];
    }
    if (status != TD_OK) {
        complain("%s: %s", r->name, td_status_text(status));
    } else if (last) {
        c->jumps = round ? found.jumps : 0;
        c->doubtful = round ? found.doubtful : 0;
        tell(r, c, row, &found, round);
    }
    free(row);
    return status == TD_OK;
}
