/* SPDX-License-Identifier: MIT */
/*
 * Reads results of sweeps from files; see result.h.
 */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sink.h"
#include "input/file_text.h"
#include "sweep/result.h"
#include "text.h"

static char *text_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) ? text_format("%s", item->valuestring) : NULL;
}

/* Reads a number of an object. otherwise: the value of null. */
static bool number_of(const cJSON *object, const char *key, double otherwise, double *x)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    *x = cJSON_IsNumber(item) ? item->valuedouble : otherwise;
    return cJSON_IsNumber(item) || (cJSON_IsNull(item) && !isnan(otherwise));
}

static bool count_of(const cJSON *object, const char *key, uint64_t *n)
{
    double x;
    *n = 0;
    if (!number_of(object, key, NAN, &x) || !(x >= 0 && x <= 0x1p53) || x != floor(x)) {
        return false;
    }
    *n = (uint64_t)x;
    return true;
}

static bool digest_of(const cJSON *object, const char *key, uint64_t *digest)
{
    char *text = text_of(object, key);
    char *end = text;
    *digest = text != NULL ? strtoull(text, &end, 16) : 0;
    const bool good = text != NULL && strlen(text) == 16 && *end == '\0';
    free(text);
    return good;
}

/* Reads a list of texts. */
static bool texts_of(const cJSON *object, const char *key, char ***text, size_t *count)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, key), *item;
    if (!cJSON_IsArray(list)) {
        return false;
    }
    *text = allocate((size_t)cJSON_GetArraySize(list) + 1, sizeof **text);
    cJSON_ArrayForEach(item, list)
    {
        if (!cJSON_IsString(item)) {
            return false;
        }
        (*text)[(*count)++] = text_format("%s", item->valuestring);
    }
    return true;
}

/* Reads the column that an object names. */
static bool column_of(const sweep_form *form, const cJSON *object, size_t *column)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, "column");
    for (*column = 0; cJSON_IsString(item) && *column < form->columns; ++*column) {
        if (strcmp(form->column[*column], item->valuestring) == 0) {
            return true;
        }
    }
    return false;
}

static bool read_axes(const sweep_form *form, const cJSON *item, sweep_keep *keep)
{
    const cJSON *axes = cJSON_GetObjectItemCaseSensitive(item, "axes"), *axis;
    cJSON_ArrayForEach(axis, axes)
    {
        uint64_t bins;
        td_axis *a = &keep->keep.axes[keep->keep.axis_count];
        if (keep->keep.axis_count == 3 || !column_of(form, axis, &a->column) ||
            !number_of(axis, "from", NAN, &a->from) || !number_of(axis, "to", NAN, &a->to) ||
            !count_of(axis, "bins", &bins)) {
            return false;
        }
        a->bins = (size_t)bins;
        keep->keep.axis_count++;
    }
    return true;
}

static bool read_keep(sweep_form *form, const cJSON *item)
{
    const cJSON *kind = cJSON_GetObjectItemCaseSensitive(item, "kind");
    const cJSON *where = cJSON_GetObjectItemCaseSensitive(item, "where"), *one;
    const cJSON *percentiles = cJSON_GetObjectItemCaseSensitive(item, "percentiles");
    sweep_keep *keep = sweep_form_add(form, TD_KEEP_MOMENTS);
    while (keep->keep.kind <= TD_KEEP_CELLS &&
           (!cJSON_IsString(kind) ||
            strcmp(kind->valuestring, sweep_keep_text(keep->keep.kind)) != 0)) {
        keep->keep.kind++;
    }
    uint64_t count = 1;
    const bool rows = keep->keep.kind == TD_KEEP_LARGEST || keep->keep.kind == TD_KEEP_SMALLEST;
    if (keep->keep.kind > TD_KEEP_CELLS || !column_of(form, item, &keep->keep.column) ||
        (rows && !count_of(item, "count", &count)) || !read_axes(form, item, keep)) {
        keep->keep.kind = TD_KEEP_MOMENTS;
        return false;
    }
    keep->keep.count = (size_t)count;
    const cJSON *show = cJSON_GetObjectItemCaseSensitive(item, "show");
    for (sweep_shown shown = SHOW_LARGEST; cJSON_IsString(show) && shown <= SHOW_COUNT; shown++) {
        if (strcmp(show->valuestring, sweep_shown_text(shown)) == 0) {
            keep->shown = shown;
        }
    }
    cJSON_ArrayForEach(one, where)
    {
        size_t column;
        double from, to;
        if (!column_of(form, one, &column) || !number_of(one, "from", -INFINITY, &from) ||
            !number_of(one, "to", INFINITY, &to)) {
            return false;
        }
        sweep_keep_condition(keep, column, from, to);
    }
    cJSON_ArrayForEach(one, percentiles)
    {
        double percent;
        if (!number_of(one, "percent", NAN, &percent)) {
            return false;
        }
        sweep_keep_percentile(keep, percent);
    }
    return true;
}

static bool read_form(sweep_form *form, const cJSON *root)
{
    const cJSON *sweep = cJSON_GetObjectItemCaseSensitive(root, "sweep"), *item;
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(root, "rows");
    uint64_t examples;
    form->robot = text_of(root, "name");
    form->isa = text_of(sweep, "instruction_set");
    form->version = text_of(sweep, "tandem");
    if (form->robot == NULL || form->isa == NULL || form->version == NULL ||
        !count_of(sweep, "states", &form->states) || !count_of(sweep, "examples", &examples) ||
        !digest_of(sweep, "model", &form->model) ||
        !digest_of(sweep, "specification", &form->spec) ||
        !texts_of(root, "columns", &form->column, &form->columns) ||
        !texts_of(root, "inputs", &form->input, &form->inputs) ||
        (rows != NULL && !texts_of(rows, "columns", &form->chosen, &form->chosens))) {
        return false;
    }
    form->examples = (size_t)examples;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(root, "kept"))
    {
        if (!read_keep(form, item)) {
            return false;
        }
    }
    return true;
}

static bool read_states(sweep_result *r, const cJSON *root)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(root, "states"), *item, *one;
    const size_t count = (size_t)cJSON_GetArraySize(list), inputs = r->form.inputs;
    r->states.index = allocate(count + 1, sizeof *r->states.index);
    r->states.value = allocate(count * inputs + 1, sizeof *r->states.value);
    cJSON_ArrayForEach(item, list)
    {
        const cJSON *values = cJSON_GetObjectItemCaseSensitive(item, "values");
        double *value = r->states.value + r->states.count * inputs;
        uint64_t *index = r->states.index, now = 0;
        if (!count_of(item, "state", &now) || (size_t)cJSON_GetArraySize(values) != inputs ||
            (r->states.count > 0 && now <= index[r->states.count - 1])) {
            return false;
        }
        index[r->states.count] = now;
        cJSON_ArrayForEach(one, values)
        {
            *value++ = cJSON_IsNumber(one) ? one->valuedouble : NAN;
        }
        r->states.count++;
    }
    return true;
}

static bool read_rest(sweep_result *r, const cJSON *root)
{
    const cJSON *state = cJSON_GetObjectItemCaseSensitive(root, "reduction");
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(root, "rows");
    if (!cJSON_IsString(state) || !read_states(r, root) ||
        (rows != NULL && !count_of(rows, "chosen", &r->chosen))) {
        return false;
    }
    digest_of(rows, "digest", &r->rows); /* 0 without one */
    r->reduction = sweep_form_reduction(&r->form);
    return r->reduction != NULL &&
           td_reduction_read(r->reduction, state->valuestring, strlen(state->valuestring)) == TD_OK;
}

static const char checksum_member[] = ",\n\t\"checksum\":\t";

char *sweep_result_end(const char *text, size_t length)
{
    td_sink sum = {.hash = TD_HASH_START};
    td_put(&sum, text, length);
    return text_format("%s\"%016" PRIx64 "\"\n}\n", checksum_member, sum.hash);
}

/* Returns whether a text matches its checksum. Otherwise prints a message. */
static bool check_sum(const char *text, const char *name)
{
    const char *end = NULL;
    for (const char *at = text; (at = strstr(at, checksum_member)) != NULL; at++) {
        end = at;
    }
    if (end == NULL) {
        complain("%s: no checksum at its end: the file is not a result of a sweep, is damaged, or "
                 "comes from an older tandem; compute it again",
                 name);
        return false;
    }
    scoped char *wanted = sweep_result_end(text, (size_t)(end - text));
    const bool good = strcmp(end, wanted) == 0;
    if (!good) {
        complain("%s: its checksum does not match, so the file is damaged; compute it again", name);
    }
    return good;
}

bool sweep_result_parse(sweep_result *r, const char *text, const char *name)
{
    *r = (sweep_result){.reduction = NULL};
    if (!check_sum(text, name)) {
        return false;
    }
    cJSON *root = cJSON_Parse(text);
    const bool good = cJSON_IsObject(root) && read_form(&r->form, root) && read_rest(r, root);
    if (!good) {
        complain("%s: the file is not a result of a sweep, or is damaged", name);
        sweep_result_free(r);
    }
    cJSON_Delete(root);
    return good;
}

bool sweep_result_read(sweep_result *r, const char *path)
{
    scoped char *text = file_text(path, 0, NULL);
    return text != NULL && sweep_result_parse(r, text, path);
}
