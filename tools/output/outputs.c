/* SPDX-License-Identifier: MIT */
/*
 * Writes declared results as columns of tables and as JSON; see outputs.h.
 */
#include "output/outputs.h"

#include <math.h>
#include <stdlib.h>

#include "output/json.h"
#include "text.h"

static const char *const pose_part[POSE_NUMBERS] = {"x", "y", "z", "qx", "qy", "qz", "qw"};

output *outputs_add(outputs *o, output declared)
{
    o->each = reallocate(o->each, o->count + 1, sizeof *o->each);
    o->each[o->count] = declared;
    return &o->each[o->count++];
}

void *outputs_keep(outputs *o, void *pointer)
{
    o->kept = reallocate(o->kept, o->kept_count + 1, sizeof *o->kept);
    return o->kept[o->kept_count++] = pointer;
}

void outputs_free(outputs *o)
{
    for (size_t i = 0; i < o->kept_count; i++) {
        free(o->kept[i]);
    }
    free(o->kept);
    free(o->each);
}

size_t output_size(const output *declared)
{
    switch (declared->kind) {
    case OUTPUT_NUMBER:
    case OUTPUT_POINT:
    case OUTPUT_NAMED:
        return declared->columns;
    case OUTPUT_MATRIX:
    case OUTPUT_SYMMETRIC:
        return declared->rows * declared->columns;
    case OUTPUT_POSES:
        return declared->rows * POSE_NUMBERS;
    case OUTPUT_WRENCHES:
        return declared->rows * WRENCH_NUMBERS;
    }
    return 0;
}

/* ---- columns --------------------------------------------------------------------------------- */

/* Adds a column: the number at the index, in row i and column j of the output. */
static void add_column(outputs_table *t, const output *declared, size_t index, size_t i, size_t j)
{
    const char *prefix = declared->prefix;
    char *name = NULL;
    if (declared->kind == OUTPUT_POSES) {
        name = text_format("%s:%s", pose_part[j], declared->row[i]);
    } else if (declared->kind == OUTPUT_WRENCHES) {
        name = text_format("%s:%s.%s", prefix, declared->row[i], wrench_part[j]);
    } else if (declared->kind < OUTPUT_MATRIX) {
        name = text_format("%s:%s", prefix, declared->column[j]);
    } else if (prefix == NULL) {
        name = text_format("%s:%s", declared->row[i], declared->column[j]);
    } else {
        name = text_format("%s:%s,%s", prefix, declared->row[i], declared->column[j]);
    }
    t->name = reallocate(t->name, t->count + 1, sizeof *t->name);
    t->place = reallocate(t->place, t->count + 1, sizeof *t->place);
    t->place[t->count] = (output_place){t->current, index};
    t->straight = t->straight && t->current == 0 && index == t->count;
    t->name[t->count++] = name;
}

/* Adds the columns of an output in their order. */
static void add_columns(outputs_table *t, const output *declared)
{
    static const size_t per_row[] = {
        [OUTPUT_POSES] = POSE_NUMBERS, [OUTPUT_WRENCHES] = WRENCH_PARTS};
    const output_kind kind = declared->kind;
    const bool rows = kind >= OUTPUT_MATRIX, listed = kind >= OUTPUT_POSES;
    const size_t stride = kind == OUTPUT_WRENCHES ? WRENCH_NUMBERS
                          : listed                ? per_row[kind]
                                                  : declared->columns;
    for (size_t i = 0; i < (rows ? declared->rows : 1); i++) {
        const size_t columns = kind == OUTPUT_SYMMETRIC ? i + 1
                               : listed                 ? per_row[kind]
                                                        : declared->columns;
        for (size_t j = 0; j < columns; j++) {
            add_column(t, declared, i * stride + j, i, j);
        }
    }
}

outputs_table outputs_columns(const outputs *o, bool array)
{
    outputs_table t = {.straight = true};
    const size_t count = array && o->plain ? 1 : o->count;
    for (t.current = 0; t.current < count; t.current++) {
        if (!o->each[t.current].no_columns) {
            add_columns(&t, &o->each[t.current]);
        }
    }
    return t;
}

const double *outputs_row(const outputs_table *t, double *const *value, double *row)
{
    if (t->straight && t->count > 0) {
        return value[0];
    }
    for (size_t i = 0; i < t->count; i++) {
        row[i] = value[t->place[i].output][t->place[i].index];
    }
    return row;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static cJSON *json_poses(const output *declared, const double *x)
{
    cJSON *list = cJSON_CreateObject();
    for (size_t i = 0; i < declared->rows; i++, x += POSE_NUMBERS) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToObject(item, "position", json_numbers(x, 3));
        cJSON_AddItemToObject(item, "quaternion", json_numbers(x + 3, 4));
        cJSON_AddItemToObject(list, declared->row[i], item);
    }
    return list;
}

static cJSON *json_wrenches(const output *declared, const double *x)
{
    cJSON *list = cJSON_CreateObject();
    for (size_t i = 0; i < declared->rows; i++, x += WRENCH_NUMBERS) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToObject(item, "moment", json_numbers(x, 3));
        cJSON_AddItemToObject(item, "force", json_numbers(x + 3, 3));
        cJSON_AddItemToObject(item, "ambiguity", json_numbers(x + WRENCH_PARTS, WRENCH_PARTS));
        cJSON_AddItemToObject(list, declared->row[i], item);
    }
    return list;
}

static cJSON *json_value(const output *declared, const double *x)
{
    switch (declared->kind) {
    case OUTPUT_NUMBER:
        return json_number(*x);
    case OUTPUT_POINT:
        return json_point(x);
    case OUTPUT_NAMED:
        return json_named(declared->column, x, declared->columns);
    case OUTPUT_MATRIX:
    case OUTPUT_SYMMETRIC:
        return output_size(declared) > 0 && isnan(*x)
                   ? cJSON_CreateNull()
                   : json_matrix(x, declared->rows, declared->columns);
    case OUTPUT_POSES:
        return json_poses(declared, x);
    case OUTPUT_WRENCHES:
        return json_wrenches(declared, x);
    }
    return NULL;
}

void outputs_add_json(const outputs *o, const double *const *value, cJSON *object)
{
    for (size_t i = 0; i < o->count; i++) {
        cJSON_AddItemToObject(object, o->each[i].key, json_value(&o->each[i], value[i]));
    }
}

/* Adds names under the key. If the key has different names already, prefixes it with the output's
   own key and "_". */
static void add_names(cJSON *object, const char *key, const output *declared,
                      const char *const *name, size_t count)
{
    cJSON *names = json_texts(name, count);
    const cJSON *other = cJSON_GetObjectItemCaseSensitive(object, key);
    if (other == NULL) {
        cJSON_AddItemToObject(object, key, names);
    } else if (cJSON_Compare(other, names, true)) {
        cJSON_Delete(names);
    } else {
        scoped char *longer = text_format("%s_%s", declared->key, key);
        cJSON_AddItemToObject(object, longer, names);
    }
}

void outputs_add_names(const outputs *o, cJSON *object)
{
    const char *const *coordinate = o->c->name[QUANTITY_QD];
    for (size_t i = 0; i < o->count; i++) {
        const output *d = &o->each[i];
        if (d->kind != OUTPUT_MATRIX && d->kind != OUTPUT_SYMMETRIC) {
            continue;
        }
        add_names(object, d->row == coordinate ? "names" : "rows", d, d->row, d->rows);
        if (d->column != d->row) {
            add_names(object, d->column == coordinate ? "names" : "columns", d, d->column,
                      d->columns);
        }
    }
}
