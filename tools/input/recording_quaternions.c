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

bool recording_quaternion(const recording *r, const channel *c, channel *part[4])
{
    const td_model *model = r->c->model;
    if (c->quantity != QUANTITY_Q || c >= r->channel + r->channels) {
        return false;
    }
    const size_t joint = recording_joint(r, c);
    if (!has_quaternion(model, joint)) {
        return false;
    }
    const size_t first =
        (c->follower ? td_joint_place_at(model, joint).q : coordinates_position(r->c, joint)) +
        quaternion_of(model, joint);
    for (size_t k = 0; k < 4; k++) {
        part[k] = NULL;
    }
    for (size_t k = 0; k < r->channels; k++) {
        channel *other = &r->channel[k];
        if (other->quantity == QUANTITY_Q && other->follower == c->follower &&
            other->index >= first && other->index < first + 4) {
            part[other->index - first] = other;
        }
    }
    return c->index >= first;
}

static channel *first_of(channel *const part[4])
{
    size_t k = 0;
    while (part[k] == NULL) {
        k++;
    }
    return part[k];
}

bool recording_continues_quaternion(const recording *r, const channel *c)
{
    channel *part[4];
    return recording_quaternion(r, c, part) && first_of(part) != c;
}

static double part_at(channel *const part[4], size_t k, size_t row)
{
    return part[k] != NULL ? part[k]->x[row] : 0;
}

double recording_sign(const recording *r, const channel *c, size_t row, const double *q)
{
    channel *part[4];
    double product = 0;
    if (!recording_quaternion(r, c, part)) {
        return 1;
    }
    for (size_t k = 0; k < 4; k++) {
        product += part[k] != NULL ? part[k]->x[row] * q[part[k]->index] : 0;
    }
    return product < 0 ? -1 : 1;
}

/* ---- length ---------------------------------------------------------------------------------- */

/* Divides a row by its length, or sets it to NaN. */
static void scale_row(channel *const part[4], size_t row, double length)
{
    for (size_t k = 0; k < 4; k++) {
        if (part[k] != NULL) {
            part[k]->x[row] /= length;
        }
    }
}

/* Checks one quaternion. Rounded numbers of a file may make its length differ a little from 1. */
static size_t check_length(const recording *r, channel *const part[4], bool repair)
{
    static const double allowed = 0.01;
    const char *joint = td_joint_at(r->c->model, recording_joint(r, first_of(part)))->name;
    size_t bad = 0;
    for (size_t i = 0; i < r->rows; i++) {
        double square = 0;
        for (size_t k = 0; k < 4; k++) {
            square += part_at(part, k, i) * part_at(part, k, i);
        }
        const double length = sqrt(square);
        if (fabs(length - 1) > allowed) {
            if (bad++ < TOLD) {
                (repair ? tell_note
                        : complain)("%s:%zu: the quaternion of '%s' has length %s, not 1", r->name,
                                    r->line[i], joint, number_brief(length).text);
            }
            scale_row(part, i, NAN);
        } else {
            scale_row(part, i, length); /* NaN if a part is missing */
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
        if (recording_quaternion(r, &r->channel[k], part) && first_of(part) == &r->channel[k]) {
            good = (check_length(r, part, repair) == 0 || repair) && good;
        }
    }
    return good;
}

/* ---- signs ----------------------------------------------------------------------------------- */

void recording_align(const recording *r, channel *const part[4], bool last)
{
    double *column[4];
    td_turns found;
    for (size_t k = 0; k < 4; k++) {
        column[k] = part[k] != NULL ? part[k]->x : NULL;
    }
    td_align_signs(r->rows, column, &found);
    if (found.doubtful > 0 && last) {
        tell_note("%s:%zu: rows are too far apart to tell how '%s' turns here%s", r->name,
                  r->line[found.first_doubtful],
                  td_joint_at(r->c->model, recording_joint(r, first_of(part)))->name,
                  found.doubtful > 1 ? ", and later" : "");
    }
}
