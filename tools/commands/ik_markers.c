/* SPDX-License-Identifier: MIT */
/*
 * Points on links, see ik_markers.h.
 */
#include "commands/ik_markers.h"

#include <stdlib.h>
#include <string.h>

#include "robot/link_name.h"
#include "table/csv_stream.h"
#include "text.h"

/* ---- which point is where -------------------------------------------------------------------- */

static bool read_points_heading(marker_list *r, const csv_row *row)
{
    static const char *const wanted[] = {"point", "link", "x", "y", "z"};
    r->columns = row->count;
    for (size_t k = 0; k < 5; k++) {
        bool found = false;
        for (size_t i = 0; i < row->count && !found; i++) {
            size_t length;
            const value_unit *u = unit_of_heading(row->field[i], &length);
            found = length == strlen(wanted[k]) && strncmp(row->field[i], wanted[k], length) == 0;
            if (found && u != NULL && (k < 2 || u->domain != UNIT_SLIDE || u->order != 0)) {
                complain("%s: column '%s': %s is no unit of it", r->name, row->field[i], u->word);
                return false;
            }
            if (found) {
                r->place[k] = i;
            }
            if (found && k >= 2) {
                r->factor[k - 2] = u != NULL ? u->size : 1;
            }
        }
        if (!found) {
            complain("%s: there is no column '%s'; it has point, link, x, y and z", r->name,
                     wanted[k]);
            return false;
        }
    }
    return true;
}

static bool take_point(void *context, const csv_row *row)
{
    marker_list *r = context;
    if (row == NULL) {
        return true;
    }
    if (r->columns == 0) {
        return read_points_heading(r, row);
    }
    if (row->count != r->columns) {
        complain("%s:%zu: %s, the heading has %zu", r->name, row->line,
                 counted(row->count, "field").text, r->columns);
        return false;
    }
    marker next = {.column = {-1, -1, -1}};
    const char *name = row->field[r->place[0]];
    for (size_t i = 0; i < r->count; i++) {
        if (strcmp(r->marker[i].name, name) == 0) {
            complain("%s:%zu: point '%s' occurs twice", r->name, row->line, name);
            return false;
        }
    }
    const int link = find_link(r->model, row->field[r->place[1]]);
    if (link < 0) {
        return false;
    }
    for (size_t k = 0; k < 3; k++) {
        if (!parse_number(row->field[r->place[2 + k]], &next.point[k])) {
            complain("%s:%zu: '%s' is not a finite number", r->name, row->line,
                     row->field[r->place[2 + k]]);
            return false;
        }
        next.point[k] *= r->factor[k];
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
    r->name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    if (!csv_stream(path, take_point, r)) {
        return false;
    }
    if (r->count == 0) {
        complain("%s: the table has no points", r->name);
    }
    return r->count > 0;
}

/* ---- columns of the recording ---------------------------------------------------------------- */

/* The columns of one point: all three, or none. */
static bool find_marker(const number_heading *heading, marker *m)
{
    static const char *const axis[] = {"x", "y", "z"};
    size_t there = 0;
    for (size_t k = 0; k < 3; k++) {
        char *name = text_format("%s.%s", m->name, axis[k]);
        m->column[k] = number_column(heading, name);
        free(name);
        there += m->column[k] >= 0;
    }
    m->recorded = there == 3;
    if (there != 0 && there != 3) {
        complain("%s: point '%s' has %zu of the columns %s.x, %s.y and %s.z", heading->name,
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
        complain("%s: has none of the points of %s: columns %s.x, %s.y, %s.z, ...", heading->name,
                 r->name, r->marker[0].name, r->marker[0].name, r->marker[0].name);
        return false;
    }
    if (found < r->count) {
        complain("%s: %zu of the %zu points of %s are not there: '%s'%s", heading->name,
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
