/* SPDX-License-Identifier: MIT */
/*
 * Writes joints that follow others by curves as formulas; see follower.h.
 */
#include "input/follower.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "text.h"

static bool any_term(FILE *stream, bool first, double factor, const char *leader, size_t power)
{
    if (factor == 0) {
        return first;
    }
    put_term(stream, first, factor, power > 0 ? leader : NULL);
    if (power > 1) {
        fprintf(stream, "^%zu", power);
    }
    return false;
}

static bool put_sine(FILE *stream, bool first, const td_curve *curve)
{
    put_term(stream, first, curve->amplitude, "sin(");
    put_term(stream, true, curve->frequency, curve->leader);
    if (curve->phase != 0) {
        put_term(stream, false, curve->phase, NULL);
    }
    fputc(')', stream);
    return false;
}

static bool put_spline(FILE *stream, bool first, const td_curve *curve)
{
    static const char *const ends_text[] = {"natural", "clamped", "periodic", "Hermite"};
    const char *ends = ends_text[curve->ends];
    fprintf(stream, "%sspline(", first ? "" : " + ");
    put_clean(stream, curve->leader);
    fprintf(stream, "; %zu points, degree %d, %s)", curve->points, curve->degree, ends);
    return false;
}

bool follows_curves(const td_model *model, size_t joint)
{
    td_joint_place place = td_joint_place_at(model, joint);
    return td_follower_of(model, joint) != TD_NONE && place.dependent && place.cluster != TD_NONE;
}

char *follower_text(const td_model *model, size_t joint)
{
    const td_follower *follower = td_follower_at(model, td_follower_of(model, joint));
    text_stream text;
    text_open(&text);
    FILE *stream = text.stream;
    bool first = any_term(stream, true, follower->offset, NULL, 0);
    for (size_t i = 0; i < follower->curves; i++) {
        const td_curve *curve = td_curve_at(follower, i);
        for (size_t k = 0; k < curve->coefficients; k++) {
            first = any_term(stream, first, curve->coefficient[k], curve->leader, k);
        }
        if (curve->type == TD_CURVE_SINE) {
            first = put_sine(stream, first, curve);
        } else if (curve->type == TD_CURVE_SPLINE) {
            first = put_spline(stream, first, curve);
        }
    }
    if (first) {
        fputc('0', stream);
    }
    return text_close(&text);
}

bool is_curve_cluster(const td_model *model, size_t cluster)
{
    for (size_t i = 0; i < td_joint_count(model); i++) {
        if (follows_curves(model, i) && td_joint_place_at(model, i).cluster == cluster) {
            return true;
        }
    }
    return false;
}
