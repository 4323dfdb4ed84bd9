/* SPDX-License-Identifier: MIT */
/*
 * Quaternions in recordings. Their four columns are repaired and filtered together. A quaternion
 * and its negative are the same orientation, and recordings contain both.
 */
#include <math.h>
#include <stdlib.h>

#include "../lib/recording/turns.h"
#include "input/recording.h"
#include "text.h"

enum { TOLD = 5 };

size_t recording_quaternion(const recording *r, const channel *c, channel *part[4])
{
    const td_model *model = r->c->model;
    if (c->quantity != QUANTITY_Q || c >= r->channel + r->channels) {
        return 0;
    }
    const size_t joint = recording_joint(r, c);
    if (!has_quaternion(model, joint)) {
        return 0;
    }
    const size_t first =
        (c->follower ? td_joint_place_at(model, joint).q : coordinates_position(r->c, joint)) +
        quaternion_of(model, joint);
    size_t parts = 0;
    for (size_t k = 0; k < r->channels; k++) {
        channel *other = &r->channel[k];
        if (other->quantity == QUANTITY_Q && other->follower == c->follower &&
            other->index >= first && other->index < first + 4) {
            part[parts++] = other;
        }
    }
    return c->index >= first ? parts : 0;
}

double recording_sign(const recording *r, const channel *c, size_t row, const double *q)
{
    channel *part[4];
    double product = 0;
    const size_t parts = recording_quaternion(r, c, part);
    for (size_t k = 0; k < parts; k++) {
        product += part[k]->x[row] * q[part[k]->index];
    }
    return product < 0 ? -1 : 1;
}

/* ---- length ---------------------------------------------------------------------------------- */

/* Checks one quaternion. Rounded numbers of a file may make its length differ a little from 1. */
static size_t check_length(const recording *r, channel *const *part, size_t parts, bool repair)
{
    static const double allowed = 0.01;
    const char *joint = td_joint_at(r->c->model, recording_joint(r, part[0]))->name;
    size_t bad = 0;
    for (size_t i = 0; i < r->rows; i++) {
        double square = 0;
        for (size_t k = 0; k < parts; k++) {
            square += part[k]->x[i] * part[k]->x[i];
        }
        double length = sqrt(square); /* NaN if a part is missing */
        if (fabs(length - 1) > allowed) {
            if (bad++ < TOLD) {
                (repair ? tell_note
                        : complain)("%s:%zu: the quaternion of '%s' has length %s, not 1", r->name,
                                    r->line[i], joint, number_brief(length).text);
            }
            length = (double)NAN;
        }
        for (size_t k = 0; k < parts; k++) {
            part[k]->x[i] /= length;
        }
    }
    if (bad > 0) {
        (repair ? tell_note : complain)(
            "%s: '%s': %s of a wrong length%s", r->name, joint, counted(bad, "quaternion").text,
            repair ? ", replaced by what their neighbors suggest" : " (--repair replaces them)");
    }
    return bad;
}

bool recording_check_quaternions(recording *r, bool repair)
{
    bool good = true;
    for (size_t k = 0; k < r->channels; k++) {
        channel *part[4];
        const size_t parts = recording_quaternion(r, &r->channel[k], part);
        if (parts > 0 && part[0] == &r->channel[k]) {
            good = (check_length(r, part, parts, repair) == 0 || repair) && good;
        }
    }
    return good;
}

/* ---- signs ----------------------------------------------------------------------------------- */

void recording_align(const recording *r, channel *const *part, size_t parts, bool last)
{
    double *column[4] = {NULL};
    td_turns found;
    for (size_t k = 0; k < parts; k++) {
        column[k] = part[k]->x;
    }
    td_align_signs(r->rows, column, &found);
    if (found.doubtful > 0 && last) {
        tell_note("%s:%zu: rows are too far apart to tell how '%s' turns here%s", r->name,
                  r->line[found.first_doubtful],
                  td_joint_at(r->c->model, recording_joint(r, part[0]))->name,
                  found.doubtful > 1 ? ", and later" : "");
    }
}
