/* SPDX-License-Identifier: MIT */
/*
 * Returns the records of a model by kind and as JSON; see records.h. JSON contains every field of
 * the table in lib/model/fields.c.
 */
#include "output/records.h"

#include <stdlib.h>
#include <string.h>

#include "output/json.h"
#include "text.h"

/* ---- access ---------------------------------------------------------------------------------- */

#define LISTS(X)                                                                                   \
    X(TD_RECORD_LINK, link)                                                                        \
    X(TD_RECORD_JOINT, joint)                                                                      \
    X(TD_RECORD_LOOP, loop)                                                                        \
    X(TD_RECORD_COUPLING, coupling)                                                                \
    X(TD_RECORD_FOLLOWER, follower)                                                                \
    X(TD_RECORD_SPRING, spring)                                                                    \
    X(TD_RECORD_TRANSMISSION, transmission)                                                        \
    X(TD_RECORD_FLEXIBLE, flexible)

size_t record_count(const td_model *model, td_record_kind kind)
{
    switch (kind) {
#define COUNT(KIND, word)                                                                          \
    case KIND:                                                                                     \
        return td_##word##_count(model);
        LISTS(COUNT)
    default:
        return 0;
    }
}

const void *record_at(const td_model *model, td_record_kind kind, size_t i)
{
    switch (kind) {
#define AT(KIND, word)                                                                             \
    case KIND:                                                                                     \
        return td_##word##_at(model, i);
        LISTS(AT)
    default:
        return NULL;
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Returns a field of a record as JSON. */
static cJSON *json_field(const td_field *f, const void *record)
{
    const void *at = (const char *)record + f->offset;
    switch (f->kind) {
    case TD_FIELD_STRING:
        return json_text(*(const char *const *)at);
    case TD_FIELD_DOUBLES:
        return f->count == 1 ? json_number(*(const double *)at) : json_numbers(at, f->count);
    case TD_FIELD_ARRAY: {
        const double *const *array = at;
        const size_t count = *(const size_t *)(const void *)((const char *)record + f->count);
        return json_numbers(*array, *array != NULL ? count : 0);
    }
    case TD_FIELD_INT:
        return json_number(*(const int *)at);
    case TD_FIELD_UNSIGNED:
        return json_count(*(const unsigned *)at);
    case TD_FIELD_SIZE:
        return json_count(*(const size_t *)at);
    case TD_FIELD_BOOL:
        return cJSON_CreateBool(*(const bool *)at);
    case TD_FIELD_WORD:
        return json_text(f->word(*(const unsigned *)at));
    }
    return NULL;
}

/* Adds a field. "limit.lower" becomes the member "lower" of the object "limit". */
static void add_field(cJSON *object, const td_field *f, const void *record)
{
    const char *dot = strchr(f->key, '.');
    if (dot == NULL) {
        cJSON_AddItemToObject(object, f->key, json_field(f, record));
        return;
    }
    scoped char *outer = text_format("%.*s", (int)(dot - f->key), f->key);
    cJSON *inner = cJSON_GetObjectItemCaseSensitive(object, outer);
    if (inner == NULL) {
        inner = cJSON_AddObjectToObject(object, outer);
    }
    cJSON_AddItemToObject(inner, dot + 1, json_field(f, record));
}

static cJSON *json_record(td_record_kind kind, const void *record)
{
    const td_record_form *form = &td_record_forms[kind];
    cJSON *object = cJSON_CreateObject();
    for (size_t i = 0; i < form->fields; i++) {
        if (form->field[i].use != TD_USE_PLACE) {
            add_field(object, &form->field[i], record);
        }
    }
    if (kind == TD_RECORD_LINK) {
        const td_link *link = record;
        cJSON *list = cJSON_AddArrayToObject(object, td_record_forms[TD_RECORD_GEOMETRY].word);
        for (size_t i = 0; i < link->geometry_count; i++) {
            cJSON_AddItemToArray(list, json_record(TD_RECORD_GEOMETRY, td_geometry_at(link, i)));
        }
    } else if (kind == TD_RECORD_FOLLOWER) {
        const td_follower *follower = record;
        cJSON *list = cJSON_AddArrayToObject(object, td_record_forms[TD_RECORD_CURVE].word);
        for (size_t i = 0; i < follower->curves; i++) {
            cJSON_AddItemToArray(list, json_record(TD_RECORD_CURVE, td_curve_at(follower, i)));
        }
    }
    return object;
}

cJSON *json_records(const td_model *model)
{
    static const td_record_kind kinds[] = {
#define KIND(KIND, word) KIND,
        LISTS(KIND)};
    cJSON *records = cJSON_CreateObject();
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        cJSON *list = cJSON_AddArrayToObject(records, td_record_forms[kinds[k]].word);
        for (size_t i = 0; i < record_count(model, kinds[k]); i++) {
            cJSON_AddItemToArray(list, json_record(kinds[k], record_at(model, kinds[k], i)));
        }
    }
    return records;
}
