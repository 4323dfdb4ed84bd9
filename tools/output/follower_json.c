/* SPDX-License-Identifier: MIT */
/*
 * Writes joints that follow others by curves as JSON; see follower.h.
 */
#include <stdlib.h>

#include "input/follower.h"
#include "text.h"

static void add_numbers(cJSON *item, const char *key, const double *x, size_t n)
{
    if (x != NULL) {
        cJSON_AddItemToObject(item, key, json_numbers(x, n));
    }
}

static void add_spline(cJSON *item, const td_curve *curve)
{
    static const char *const ends_text[] = {"natural", "clamped", "periodic", "hermite"};
    const bool clamped = curve->ends == TD_CURVE_ENDS_CLAMPED;
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
        const size_t index = td_follower_of(model, joint);
        if (index == TD_NONE) {
            continue;
        }
        const td_follower *follower = td_follower_at(model, index);
        scoped char *formula = follower_text(model, joint);
        cJSON *item = cJSON_CreateObject(), *curves = cJSON_CreateArray();
        for (size_t k = 0; k < follower->curves; k++) {
            cJSON_AddItemToArray(curves, json_curve(td_curve_at(follower, k)));
        }
        cJSON_AddItemToObject(item, "joint", json_text(follower->joint));
        cJSON_AddItemToObject(item, "formula", json_text(formula));
        cJSON_AddItemToObject(item, "offset", json_number(follower->offset));
        cJSON_AddItemToObject(item, "curves", curves);
        cJSON_AddItemToArray(list, item);
    }
    return list;
}
