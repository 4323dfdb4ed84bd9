/* SPDX-License-Identifier: MIT */
/*
 * Reads points on links, see ik_markers.h.
 */
#include "commands/ik_markers.h"

#include <stdlib.h>
#include <string.h>

#include "input/link_name.h"
#include "input/number_table.h"
#include "text.h"

/* ---- table of points ------------------------------------------------------------------------ */

static bool read_points_heading(void *context, const number_heading *heading)
{
    static const char *const wanted[] = {"point", "link", "x", "y", "z"};
    marker_list *r = context;
    for (size_t k = 0; k < 5; k++) {
        const int column = heading->array ? -1 : number_column(heading, wanted[k]);
        if (column < 0) {
            complain("%s: column '%s' is missing; the columns are point, link, x, y and z", r->name,
                     wanted[k]);
            return false;
        }
        r->place[k] = (size_t)column;
        if ((k >= 2 || heading->unit[column] != NULL) && /* names are not numbers */
            !number_use(heading, (size_t)column, k < 2 ? UNIT_NONE : UNIT_SLIDE)) {
            return false;
        }
    }
    return true;
}

static bool take_point(void *context, const number_row *row)
{
    marker_list *r = context;
    if (row == NULL) {
        return true;
    }
    marker next = {.column = {-1, -1, -1}};
    const char *name = row->fields->field[r->place[0]];
    for (size_t i = 0; i < r->count; i++) {
        if (strcmp(r->marker[i].name, name) == 0) {
            complain("%s:%zu: point '%s' occurs twice", r->name, row->line, name);
            return false;
        }
    }
    for (size_t k = 0; k < 3; k++) {
        next.point[k] = row->value[r->place[2 + k]];
    }
    const int link =
        find_link_point(r->model, row->fields->field[r->place[1]], true, next.point, next.point);
    if (link < 0) {
        return false;
    }
    next.link = (size_t)link;
    next.name = text_format("%s", name);
    r->marker = reallocate(r->marker, r->count + 1, sizeof *r->marker);
    r->marker[r->count++] = next;
    return true;
}

bool markers_read(marker_list *r, const td_model *model, const char *path)
{
    *r = (marker_list){.model = model};
    r->name = table_input_name(path);
    const number_form form = {
        .complete = true, .heading = read_points_heading, .row = take_point, .context = r};
    if (!number_table_read(path, &form)) {
        return false;
    }
    if (r->count == 0) {
        complain("%s: the table has no points", r->name);
    }
    return r->count > 0;
}

/* ---- columns of the recording ---------------------------------------------------------------- */

/* Finds the columns of one point: all three, or none. */
static bool find_marker(const number_heading *heading, marker *m)
{
    static const char *const axis[] = {"x", "y", "z"};
    size_t there = 0;
    for (size_t k = 0; k < 3; k++) {
        scoped char *name = text_format("%s.%s", m->name, axis[k]);
        m->column[k] = number_column(heading, name);
        there += m->column[k] >= 0;
    }
    m->recorded = there == 3;
    if (there != 0 && there != 3) {
        complain("%s: point '%s' has only %zu of the columns %s.x, %s.y and %s.z", heading->name,
                 m->name, there, m->name, m->name, m->name);
        return false;
    }
    for (size_t k = 0; k < 3 && m->recorded; k++) {
        if (!number_use(heading, (size_t)m->column[k], UNIT_SLIDE)) {
            return false;
        }
    }
    return true;
}

bool markers_find(marker_list *r, const number_heading *heading)
{
    size_t found = 0;
    const marker *absent = NULL;
    for (size_t i = 0; i < r->count; i++) {
        marker *m = &r->marker[i];
        if (!find_marker(heading, m)) {
            return false;
        }
        found += m->recorded;
        absent = m->recorded || absent != NULL ? absent : m;
    }
    if (found == 0) {
        complain("%s: no columns for the points of %s; expected %s.x, %s.y, %s.z, ...",
                 heading->name, r->name, r->marker[0].name, r->marker[0].name, r->marker[0].name);
        return false;
    }
    if (found < r->count) {
        tell_note("%s: %zu of the %zu points of %s are missing: '%s'%s", heading->name,
                  r->count - found, r->count, r->name, absent->name,
                  found + 1 < r->count ? " and more" : "");
    }
    return true;
}

void markers_free(marker_list *r)
{
    for (size_t i = 0; i < r->count; i++) {
        free(r->marker[i].name);
    }
    free(r->marker);
}
