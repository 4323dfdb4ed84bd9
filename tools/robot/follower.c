/* SPDX-License-Identifier: MIT */
/*
 * Joints that follow others by curves as formulas and JSON, see follower.h.
 */
#include "robot/follower.h"

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

static const char *const ends_text[] = {"natural", "clamped", "periodic", "hermite"};

static bool put_spline(FILE *stream, bool first, const td_curve *curve)
{
    const char *ends = curve->ends == TD_ENDS_HERMITE ? "Hermite" : ends_text[curve->ends];
    fprintf(stream, "%sspline(", first ? "" : " + ");
    put_clean(stream, curve->leader);
    fprintf(stream, "; %zu points, degree %d, %s)", curve->points, curve->degree, ends);
    return false;
}

bool follows_curves(const td_model *model, size_t joint)
{
    td_joint_place place = td_joint_place_at(model, joint);
    return td_follower_of(model, joint) >= 0 && place.dependent && place.cluster >= 0;
}

char *follower_text(const td_model *model, size_t joint)
{
    const td_follower *follower = td_follower_at(model, (size_t)td_follower_of(model, joint));
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) {
        return text_format("%s", "curves");
    }
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
    fclose(stream);
    return text;
}

bool is_curve_cluster(const td_model *model, int cluster)
{
    for (size_t i = 0; i < td_joint_count(model); i++) {
        if (follows_curves(model, i) && td_joint_place_at(model, i).cluster == cluster) {
            return true;
        }
    }
    return false;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void add_numbers(cJSON *item, const char *key, const double *x, size_t n)
{
    if (x != NULL) {
        cJSON_AddItemToObject(item, key, json_numbers(x, n));
    }
}

static void add_spline(cJSON *item, const td_curve *curve)
{
    const bool clamped = curve->ends == TD_ENDS_CLAMPED;
    cJSON_AddItemToObject(item, "degree", json_count((size_t)curve->degree));
    cJSON_AddItemToObject(item, "ends", json_text(ends_text[curve->ends]));
    add_numbers(item, "at", curve->at, curve->points);
    add_numbers(item, "value", curve->value, curve->points);
    add_numbers(item, "slope", curve->slope, curve->points);
    add_numbers(item, "curvature", curve->curvature, curve->points);
    add_numbers(item, "end_slope", clamped ? curve->end_slope : NULL, 2);
    add_numbers(item, "end_curvature", clamped && curve->degree == 5 ? curve->end_curvature : NULL,
                2);
}

static cJSON *json_curve(const td_curve *curve)
{
    static const char *const types[] = {"polynomial", "sine", "spline"};
    const bool table = curve->type == TD_CURVE_SPLINE;
    const double range[2] = {table ? curve->at[0] : curve->lower,
                             table ? curve->at[curve->points - 1] : curve->upper};
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToObject(item, "leader", json_text(curve->leader));
    cJSON_AddItemToObject(item, "type", json_text(types[curve->type]));
    cJSON_AddItemToObject(item, "range", json_numbers(range, 2));
    if (table) {
        add_spline(item, curve);
    } else if (curve->type == TD_CURVE_SINE) {
        cJSON_AddItemToObject(item, "amplitude", json_number(curve->amplitude));
        cJSON_AddItemToObject(item, "frequency", json_number(curve->frequency));
        cJSON_AddItemToObject(item, "phase", json_number(curve->phase));
    } else {
        add_numbers(item, "coefficients", curve->coefficient, curve->coefficients);
    }
    return item;
}

cJSON *json_followers(const td_model *model)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t joint = 0; joint < td_joint_count(model); joint++) {
        const int index = td_follower_of(model, joint);
        if (index < 0) {
            continue;
        }
        const td_follower *follower = td_follower_at(model, (size_t)index);
        char *formula = follower_text(model, joint);
        cJSON *item = cJSON_CreateObject(), *curves = cJSON_CreateArray();
        for (size_t k = 0; k < follower->curves; k++) {
            cJSON_AddItemToArray(curves, json_curve(td_curve_at(follower, k)));
        }
        cJSON_AddItemToObject(item, "joint", json_text(follower->joint));
        cJSON_AddItemToObject(item, "formula", json_text(formula));
        cJSON_AddItemToObject(item, "offset", json_number(follower->offset));
        cJSON_AddItemToObject(item, "curves", curves);
        cJSON_AddItemToArray(list, item);
        free(formula);
    }
    return list;
}
