/* SPDX-License-Identifier: MIT */
/*
 * Writes results of sweeps as JSON; see result.h. Reductions are written as names and numbers.
 * Files also contain the exact text of the reduction, so that merged parts are bitwise equal to a
 * single run.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/json.h"
#include "sweep/result.h"
#include "text.h"

/* ---- writing --------------------------------------------------------------------------------- */

/* Returns a list of many numbers, x or n, as raw text, since a JSON object for each number would
   take a hundred bytes. */
static cJSON *raw_list(const double *x, const uint64_t *n, size_t count)
{
    text_stream out;
    text_open(&out);
    fputc('[', out.stream);
    for (size_t i = 0; i < count; i++) {
        fputs(i > 0 ? ", " : "", out.stream);
        if (n != NULL) {
            fprintf(out.stream, "%" PRIu64, n[i]);
        } else {
            /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): either x or n is given */
            fputs(isfinite(x[i]) ? number_exact(x[i]).text : "null", out.stream);
        }
    }
    fputc(']', out.stream);
    scoped char *text = text_close(&out);
    return cJSON_CreateRaw(text);
}

static cJSON *hexadecimal(uint64_t x)
{
    char text[20];
    snprintf(text, sizeof text, "%016" PRIx64, x);
    return cJSON_CreateString(text);
}

static cJSON *json_index(uint64_t index)
{
    return json_number((double)index); /* below 2^52 */
}

static cJSON *json_axis(const sweep_form *form, const td_axis *axis)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToObject(item, "column", json_text(form->column[axis->column]));
    cJSON_AddItemToObject(item, "from", json_number(axis->from));
    cJSON_AddItemToObject(item, "to", json_number(axis->to));
    cJSON_AddItemToObject(item, "bins", json_count(axis->bins));
    return item;
}

static void add_form(cJSON *item, const sweep_form *form, const sweep_keep *keep)
{
    cJSON_AddItemToObject(item, "kind", json_text(sweep_keep_text(keep->keep.kind)));
    cJSON_AddItemToObject(item, "column", json_text(form->column[keep->keep.column]));
    if (keep->keep.condition_count > 0) {
        cJSON *where = cJSON_AddArrayToObject(item, "where");
        for (size_t i = 0; i < keep->keep.condition_count; i++) {
            const td_condition *c = &keep->condition[i];
            cJSON *one = cJSON_CreateObject();
            cJSON_AddItemToObject(one, "column", json_text(form->column[c->column]));
            cJSON_AddItemToObject(one, "from", json_number(c->from));
            cJSON_AddItemToObject(one, "to", json_number(c->to));
            cJSON_AddItemToArray(where, one);
        }
    }
    if (keep->keep.axis_count > 0) {
        cJSON *axes = cJSON_AddArrayToObject(item, "axes");
        for (size_t i = 0; i < keep->keep.axis_count; i++) {
            cJSON_AddItemToArray(axes, json_axis(form, &keep->keep.axes[i]));
        }
    }
}

static void add_moments(cJSON *item, const sweep_result *r, size_t keep)
{
    td_moments m;
    td_reduction_moments(r->reduction, keep, &m);
    cJSON_AddItemToObject(item, "mean", json_number(m.mean));
    cJSON_AddItemToObject(item, "deviation", json_number(m.deviation));
    cJSON_AddItemToObject(item, "smallest", json_number(m.smallest));
    cJSON_AddItemToObject(item, "largest", json_number(m.largest));
    if (m.smallest <= m.largest) {
        cJSON_AddItemToObject(item, "smallest_state", json_index(m.smallest_row));
        cJSON_AddItemToObject(item, "largest_state", json_index(m.largest_row));
    }
}

static void add_rows(cJSON *item, const sweep_result *r, size_t keep)
{
    const uint64_t *rows;
    const double *values;
    const size_t count = td_reduction_rows(r->reduction, keep, &rows, &values);
    cJSON_AddItemToObject(item, "count", json_count(r->form.keep[keep].keep.count));
    cJSON_AddItemToObject(item, "states", raw_list(NULL, rows, count));
    cJSON_AddItemToObject(item, "values", raw_list(values, NULL, count));
}

static void add_histogram(cJSON *item, const sweep_result *r, size_t keep)
{
    const sweep_keep *k = &r->form.keep[keep];
    uint64_t below, above;
    const uint64_t *counts = td_reduction_counts(r->reduction, keep, &below, &above);
    cJSON_AddItemToObject(item, "below", json_index(below));
    cJSON_AddItemToObject(item, "above", json_index(above));
    cJSON_AddItemToObject(item, "counts", raw_list(NULL, counts, k->keep.axes[0].bins));
    cJSON *list = cJSON_AddArrayToObject(item, "percentiles");
    for (size_t i = 0; i < k->percentiles; i++) {
        cJSON *one = cJSON_CreateObject();
        const double x = td_reduction_percentile(r->reduction, keep, k->percentile[i] / 100);
        cJSON_AddItemToObject(one, "percent", json_number(k->percentile[i]));
        cJSON_AddItemToObject(one, "value", json_number(x));
        cJSON_AddItemToArray(list, one);
    }
}

/* Adds the cells of an item. brief: omit the lists of all cells. */
static void add_cells(cJSON *item, const sweep_result *r, size_t keep, bool brief)
{
    const td_keep *k = &r->form.keep[keep].keep;
    uint64_t outside;
    const double *smallest, *largest;
    const uint64_t *counts = td_reduction_counts(r->reduction, keep, NULL, &outside);
    size_t cells = 1;
    for (size_t i = 0; i < k->axis_count; i++) {
        cells *= k->axes[i].bins;
    }
    td_reduction_cells(r->reduction, keep, &smallest, &largest);
    cJSON_AddItemToObject(item, "show", json_text(sweep_shown_text(r->form.keep[keep].shown)));
    cJSON_AddItemToObject(item, "outside", json_index(outside));
    if (brief) {
        return;
    }
    cJSON_AddItemToObject(item, "counts", raw_list(NULL, counts, cells));
    cJSON_AddItemToObject(item, "smallest", raw_list(smallest, NULL, cells));
    cJSON_AddItemToObject(item, "largest", raw_list(largest, NULL, cells));
}

static cJSON *json_kept(const sweep_result *r, size_t keep, bool brief)
{
    cJSON *item = cJSON_CreateObject();
    uint64_t counted, missing;
    add_form(item, &r->form, &r->form.keep[keep]);
    td_reduction_counted(r->reduction, keep, &counted, &missing);
    cJSON_AddItemToObject(item, "counted", json_index(counted));
    cJSON_AddItemToObject(item, "missing", json_index(missing));
    switch (r->form.keep[keep].keep.kind) {
    case TD_KEEP_MOMENTS:
        add_moments(item, r, keep);
        break;
    case TD_KEEP_LARGEST:
    case TD_KEEP_SMALLEST:
        add_rows(item, r, keep);
        break;
    case TD_KEEP_HISTOGRAM:
        add_histogram(item, r, keep);
        break;
    case TD_KEEP_CELLS:
        add_cells(item, r, keep, brief);
        break;
    }
    return item;
}

static void add_failed(cJSON *list, const sweep_result *r, td_status status)
{
    const uint64_t *rows;
    size_t known;
    const uint64_t count = td_reduction_failed(r->reduction, status, &rows, &known);
    if (count > 0) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToObject(item, "why", json_text(sweep_failure_text(status)));
        cJSON_AddItemToObject(item, "count", json_index(count));
        cJSON_AddItemToObject(item, "states", raw_list(NULL, rows, known));
        cJSON_AddItemToArray(list, item);
    }
}

static cJSON *json_of(const sweep_result *r, bool brief)
{
    const sweep_form *form = &r->form;
    cJSON *root = json_root(form->robot);
    cJSON *sweep = cJSON_AddObjectToObject(root, "sweep");
    cJSON_AddItemToObject(sweep, "states", json_index(form->states));
    cJSON_AddItemToObject(sweep, "examples", json_count(form->examples));
    cJSON_AddItemToObject(sweep, "instruction_set", json_text(form->isa));
    cJSON_AddItemToObject(sweep, "tandem", json_text(form->version));
    cJSON_AddItemToObject(sweep, "model", hexadecimal(form->model));
    cJSON_AddItemToObject(sweep, "specification", hexadecimal(form->spec));
    cJSON_AddItemToObject(root, "complete", cJSON_CreateBool(sweep_result_complete(r)));
    cJSON *ranges = cJSON_AddArrayToObject(root, "ranges");
    for (size_t i = 0; i < td_reduction_range_count(r->reduction); i++) {
        uint64_t range[2];
        td_reduction_range(r->reduction, i, &range[0], &range[1]);
        cJSON_AddItemToArray(ranges, raw_list(NULL, range, 2));
    }
    cJSON_AddItemToObject(root, "columns",
                          json_texts((const char *const *)form->column, form->columns));
    cJSON *failed = cJSON_AddArrayToObject(root, "failed");
#define ADD_FAILED(code, text) add_failed(failed, r, code);
    TD_STATUS_TABLE(ADD_FAILED)
#undef ADD_FAILED
    cJSON *kept = cJSON_AddArrayToObject(root, "kept");
    for (size_t i = 0; i < form->keeps; i++) {
        cJSON_AddItemToArray(kept, json_kept(r, i, brief));
    }
    if (form->chosens > 0) {
        cJSON *rows = cJSON_AddObjectToObject(root, "rows");
        cJSON_AddItemToObject(rows, "columns",
                              json_texts((const char *const *)form->chosen, form->chosens));
        cJSON_AddItemToObject(rows, "chosen", json_index(r->chosen));
        if (brief) {
            cJSON_AddItemToObject(rows, "digest", hexadecimal(r->rows));
        }
    }
    cJSON_AddItemToObject(root, "inputs",
                          json_texts((const char *const *)form->input, form->inputs));
    cJSON *states = cJSON_AddArrayToObject(root, "states");
    for (size_t i = 0; i < r->states.count; i++) {
        cJSON *one = cJSON_CreateObject();
        cJSON_AddItemToObject(one, "state", json_index(r->states.index[i]));
        cJSON_AddItemToObject(one, "values",
                              raw_list(r->states.value + i * form->inputs, NULL, form->inputs));
        cJSON_AddItemToArray(states, one);
    }
    return root;
}

void sweep_result_print_json(const sweep_result *r)
{
    json_print(json_of(r, false), false);
}

/* Returns the text of the reduction in a new string. */
static char *reduction_text(const td_reduction *reduction)
{
    size_t size;
    if (td_reduction_write(reduction, NULL, 0, &size) != TD_OK) {
        return NULL;
    }
    char *text = allocate(size + 1, 1);
    if (td_reduction_write(reduction, text, size, &size) != TD_OK) {
        free(text);
        return NULL;
    }
    return text;
}

char *sweep_result_text(const sweep_result *r, bool brief)
{
    scoped char *state = reduction_text(r->reduction);
    if (state == NULL) {
        complain("%s", td_status_text(TD_ERROR_MEMORY));
        return NULL;
    }
    cJSON *root = json_of(r, brief);
    cJSON_AddItemToObject(root, "reduction", cJSON_CreateString(state));
    char *body = json_string(root, false);
    const size_t length = strlen(body) - strlen("\n}"); /* the checksum becomes the last member */
    scoped char *end = sweep_result_end(body, length);
    char *text = reallocate(body, length + strlen(end) + 1, 1);
    strcpy(text + length, end);
    return text;
}

bool sweep_result_write(const sweep_result *r, const char *path, bool brief)
{
    scoped char *text = sweep_result_text(r, brief);
    output_file file;
    bool good = text != NULL && output_open(&file, path);
    if (good) {
        fputs(text, file.stream);
        good = output_close(&file);
    }
    return good;
}
