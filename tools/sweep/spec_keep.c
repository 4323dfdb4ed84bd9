/* SPDX-License-Identifier: MIT */
/*
 * Reads "keep" of a specification: the list of reductions over all states.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/spec_parts.h"

#include "text.h"

/* Largest number of cells of a histogram or grid, since files contain them as text. */
enum { MOST_CELLS = 1 << 26 };

/* ---- columns --------------------------------------------------------------------------------- */

/* Finds the source of a column. Returns false for an unknown name. */
static bool find_source(const sweep_spec *spec, const char *name, sweep_source *source)
{
    for (size_t array = 0; array < SWEEP_ARRAYS; array++) {
        for (size_t i = 0; i < spec->width[array]; i++) {
            if (strcmp(spec->name[array][i], name) == 0) {
                *source = (sweep_source){(enum sweep_array)array, i};
                return true;
            }
        }
    }
    return false;
}

static bool explain_column(const sweep_spec *spec, const td_yaml_node *node, const char *name)
{
    scoped const char **all = NULL;
    size_t count = 0;
    for (size_t array = 0; array < SWEEP_ARRAYS; array++) {
        for (size_t i = 0; i < spec->width[array]; i++) {
            all = reallocate(all, count + 1, sizeof *all);
            all[count++] = spec->name[array][i];
        }
    }
    const char *near = nearest_name(name, all, count);
    if (near == NULL && count > 0) {
        node_fault(spec->file, node,
                   "no varied or evaluated quantity is named '%s' ('%s' is one, for example)", name,
                   all[count - 1]);
    } else {
        node_fault(spec->file, node, "no varied or evaluated quantity is named '%s'%s%s%s", name,
                   near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                   near != NULL ? "'?" : "");
    }
    return false;
}

/* Finds the column with this name and adds it to the form. */
static bool take_column(sweep_spec *spec, const td_yaml_node *node, const char *name,
                        size_t *column)
{
    sweep_source source;
    if (!find_source(spec, name, &source)) {
        return explain_column(spec, node, name);
    }
    const size_t before = spec->form.columns;
    *column = sweep_form_column(&spec->form, name);
    if (spec->form.columns > before) {
        spec->source = reallocate(spec->source, spec->form.columns, sizeof *spec->source);
        spec->source[*column] = source;
    }
    return true;
}

static bool column_of(sweep_spec *spec, const td_yaml_node *node, size_t *column)
{
    if (node->kind != TD_YAML_SCALAR) {
        return node_fault(spec->file, node, "expected the name of a column, as 'tau:JOINT'");
    }
    return take_column(spec, node, node->text, column);
}

/* Finds the columns of several names. A name without a colon means all columns with that prefix. */
static bool columns_of(sweep_spec *spec, const td_yaml_node *node, size_t **column, size_t *count)
{
    const char **word;
    size_t words;
    *column = NULL;
    *count = 0;
    if (!node_words(spec->file, node, &word, &words)) {
        return false;
    }
    bool good = true;
    for (size_t w = 0; w < words && good; w++) {
        const size_t length = strlen(word[w]);
        bool any = strchr(word[w], ':') != NULL;
        if (any) {
            *column = reallocate(*column, *count + 1, sizeof **column);
            good = take_column(spec, node, word[w], &(*column)[(*count)++]);
        }
        for (size_t array = 0; array < SWEEP_ARRAYS && strchr(word[w], ':') == NULL; array++) {
            for (size_t i = 0; i < spec->width[array]; i++) {
                const char *name = spec->name[array][i];
                if (strncmp(name, word[w], length) == 0 && name[length] == ':') {
                    any = true;
                    *column = reallocate(*column, *count + 1, sizeof **column);
                    good = take_column(spec, node, name, &(*column)[(*count)++]) && good;
                }
            }
        }
        good = good && (any || explain_column(spec, node, word[w]));
    }
    free(word);
    for (size_t i = 0; i < *count && good; i++) {
        for (size_t k = 0; k < i && good; k++) {
            good =
                (*column)[i] != (*column)[k] || node_fault(spec->file, node, "'%s' is given twice",
                                                           spec->form.column[(*column)[i]]);
        }
    }
    if (!good) {
        free(*column);
        *column = NULL;
    }
    return good;
}

/* ---- parts of an item ------------------------------------------------------------------------ */

/* Reads {COLUMN: NUMBER, COLUMN: [FROM, TO]}. The bound ~ is infinite. */
static bool read_conditions(sweep_spec *spec, const td_yaml_node *map, sweep_keep *keep)
{
    if (map == NULL) {
        return true;
    }
    if (map->kind != TD_YAML_MAP) {
        return node_fault(spec->file, map, "expected {COLUMN: [FROM, TO]} or {COLUMN: NUMBER}");
    }
    if (!node_once(spec->file, map)) {
        return false;
    }
    for (const td_yaml_node *one = map->first; one != NULL; one = one->next) {
        size_t column = 0;
        double range[2];
        if (!take_column(spec, one, one->key, &column)) {
            return false;
        }
        if (one->kind == TD_YAML_SCALAR) {
            if (!node_number(spec->file, one, UNIT_NONE, 0, &range[0])) {
                return false;
            }
            range[1] = range[0];
        } else if (one->kind != TD_YAML_LIST || one->count != 2) {
            return node_fault(spec->file, one, "expected a number or [FROM, TO]");
        } else {
            const td_yaml_node *end[] = {one->first, one->last};
            for (size_t i = 0; i < 2; i++) {
                range[i] = i == 0 ? -INFINITY : INFINITY;
                if (!end[i]->null && !node_number(spec->file, end[i], UNIT_NONE, 0, &range[i])) {
                    return false;
                }
            }
        }
        if (range[0] > range[1]) {
            return node_fault(spec->file, one, "a range must increase");
        }
        sweep_keep_condition(keep, column, range[0], range[1]);
    }
    return true;
}

/* Reads [FROM, TO, BINS]. */
static bool read_axis(sweep_spec *spec, const td_yaml_node *list, size_t column, td_axis *axis)
{
    uint64_t bins;
    if (list == NULL || list->kind != TD_YAML_LIST || list->count != 3) {
        return false;
    }
    const td_yaml_node *to = list->first->next;
    if (!node_number(spec->file, list->first, UNIT_NONE, 0, &axis->from) ||
        !node_number(spec->file, to, UNIT_NONE, 0, &axis->to) ||
        !node_count(spec->file, to->next, 1, MOST_CELLS, &bins)) {
        return false;
    }
    axis->column = column;
    axis->bins = (size_t)bins;
    return axis->from < axis->to || node_fault(spec->file, list, "a range must increase");
}

/* ---- items ----------------------------------------------------------------------------------- */

static bool keep_simple(sweep_spec *spec, const td_yaml_node *item, td_keep_kind kind)
{
    uint64_t count = 1;
    size_t *column, columns;
    const td_yaml_node *most = node_of(item, "count");
    if (!columns_of(spec, node_of(item, sweep_keep_text(kind)), &column, &columns)) {
        return false;
    }
    bool good = most == NULL || node_count(spec->file, most, 1, 1000000, &count);
    for (size_t i = 0; i < columns && good; i++) {
        sweep_keep *keep = sweep_form_add(&spec->form, kind);
        keep->keep.column = column[i];
        keep->keep.count = (size_t)count;
        good = read_conditions(spec, node_of(item, "where"), keep);
    }
    free(column);
    return good;
}

static bool keep_histogram(sweep_spec *spec, const td_yaml_node *item)
{
    size_t *column, columns;
    if (!columns_of(spec, node_of(item, "histogram"), &column, &columns)) {
        return false;
    }
    const td_yaml_node *bins = node_of(item, "bins"), *percentiles = node_of(item, "percentiles");
    bool good = true;
    for (size_t i = 0; i < columns && good; i++) {
        sweep_keep *keep = sweep_form_add(&spec->form, TD_KEEP_HISTOGRAM);
        keep->keep.column = column[i];
        keep->keep.axis_count = 1;
        good = bins != NULL && read_axis(spec, bins, column[i], &keep->keep.axes[0]);
        if (bins == NULL || bins->kind != TD_YAML_LIST || bins->count != 3) {
            node_fault(spec->file, item, "a histogram needs bins: [FROM, TO, BINS]");
        }
        const td_yaml_node *one = percentiles != NULL ? percentiles->first : NULL;
        if (percentiles != NULL && percentiles->kind != TD_YAML_LIST) {
            good = node_fault(spec->file, percentiles, "expected a list of numbers");
        }
        for (; one != NULL && good; one = one->next) {
            double percent;
            good = node_number(spec->file, one, UNIT_NONE, 0, &percent) &&
                   ((percent >= 0 && percent <= 100) ||
                    node_fault(spec->file, one, "a percentile must be from 0 to 100"));
            sweep_keep_percentile(keep, good ? percent : 0);
        }
        good = good && read_conditions(spec, node_of(item, "where"), keep);
    }
    free(column);
    return good;
}

static bool read_shown(sweep_spec *spec, const td_yaml_node *node, sweep_keep *keep)
{
    for (sweep_shown shown = SHOW_LARGEST; node != NULL && shown <= SHOW_COUNT; shown++) {
        if (node->kind == TD_YAML_SCALAR && strcmp(node->text, sweep_shown_text(shown)) == 0) {
            keep->shown = shown;
            return true;
        }
    }
    return node == NULL ||
           node_fault(spec->file, node, "expected 'largest', 'smallest' or 'count'");
}

static bool keep_cells(sweep_spec *spec, const td_yaml_node *item)
{
    const td_yaml_node *over = node_of(item, "over");
    sweep_keep *keep = sweep_form_add(&spec->form, TD_KEEP_CELLS);
    if (over == NULL || over->kind != TD_YAML_MAP || over->count < 1 || over->count > 3) {
        return node_fault(spec->file, item,
                          "cells need one to three columns: {COLUMN: [FROM, TO, BINS], ...}");
    }
    if (!node_once(spec->file, over) ||
        !column_of(spec, node_of(item, "cells"), &keep->keep.column)) {
        return false;
    }
    double cells = 1;
    for (const td_yaml_node *one = over->first; one != NULL; one = one->next) {
        size_t column = 0;
        if (!take_column(spec, one, one->key, &column)) {
            return false;
        }
        if (one->kind != TD_YAML_LIST || one->count != 3) {
            return node_fault(spec->file, one, "expected [FROM, TO, BINS]");
        }
        if (!read_axis(spec, one, column, &keep->keep.axes[keep->keep.axis_count])) {
            return false;
        }
        cells *= (double)keep->keep.axes[keep->keep.axis_count++].bins;
    }
    if (cells > MOST_CELLS) {
        return node_fault(spec->file, over, "%g cells are too many; at most %d are allowed", cells,
                          (int)MOST_CELLS);
    }
    return read_shown(spec, node_of(item, "show"), keep) &&
           read_conditions(spec, node_of(item, "where"), keep);
}

static bool keep_rows(sweep_spec *spec, const td_yaml_node *item)
{
    const td_yaml_node *most = node_of(item, "most");
    if (spec->rows) {
        return node_fault(spec->file, item, "rows can be kept only once; 'where' selects them");
    }
    spec->rows = true;
    spec->most_rows = UINT64_C(1) << 52;
    size_t columns;
    if (!columns_of(spec, node_of(item, "rows"), &spec->row_column, &columns) ||
        (most != NULL && !node_count(spec->file, most, 1, spec->most_rows, &spec->most_rows)) ||
        !read_conditions(spec, node_of(item, "where"), &spec->chosen)) {
        return false;
    }
    spec->form.chosen = allocate(columns + 1, sizeof *spec->form.chosen);
    spec->form.chosens = columns;
    for (size_t i = 0; i < spec->form.chosens; i++) {
        spec->form.chosen[i] = text_format("%s", spec->form.column[spec->row_column[i]]);
    }
    return true;
}

/* The keys of each kind of item. */
static const struct item_form {
    const char *key, *others;
} items[] = {
    {"moments", "moments where"},         {"largest", "largest count where"},
    {"smallest", "smallest count where"}, {"histogram", "histogram bins percentiles where"},
    {"cells", "cells over show where"},   {"rows", "rows most where"}};
enum { ITEMS = sizeof items / sizeof *items };

static bool keep_item(sweep_spec *spec, const td_yaml_node *item)
{
    size_t kind = 0;
    while (kind < ITEMS && node_of(item, items[kind].key) == NULL) {
        kind++;
    }
    if (kind == ITEMS) {
        return node_fault(spec->file, item,
                          "expected one of moments, largest, smallest, histogram, cells and rows");
    }
    if (!node_keys(spec->file, item, items[kind].others)) {
        return false;
    }
    switch (kind) {
    case 0:
        return keep_simple(spec, item, TD_KEEP_MOMENTS);
    case 1:
        return keep_simple(spec, item, TD_KEEP_LARGEST);
    case 2:
        return keep_simple(spec, item, TD_KEEP_SMALLEST);
    case 3:
        return keep_histogram(spec, item);
    case 4:
        return keep_cells(spec, item);
    default:
        return keep_rows(spec, item);
    }
}

bool spec_keep(sweep_spec *spec, const td_yaml_node *list)
{
    if (list->kind != TD_YAML_LIST || list->count == 0) {
        return node_fault(spec->file, list, "expected a list of results to keep: [{moments: tau}]");
    }
    for (const td_yaml_node *one = list->first; one != NULL; one = one->next) {
        if (!keep_item(spec, one)) {
            return false;
        }
    }
    return true;
}
