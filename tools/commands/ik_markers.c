/* SPDX-License-Identifier: MIT */
/*
 * Reads points on links, see ik_markers.h.
 */
#include "commands/ik_markers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "input/link_name.h"
#include "input/number_table.h"
#include "text.h"

/* Returns the point with this name, or NULL. */
static marker *find_point(const marker_list *r, const char *name)
{
    for (size_t i = 0; i < r->count; i++) {
        if (strcmp(r->marker[i].name, name) == 0) {
            return &r->marker[i];
        }
    }
    return NULL;
}

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
    if (find_point(r, name) != NULL) {
        complain("%s:%zu: point '%s' occurs twice", r->name, row->line, name);
        return false;
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

/* ---- names of another robot ------------------------------------------------------------------ */

/* Returns the point with this name; adds one at the origin of a link. */
static marker *point_or_link(marker_list *r, const char *name)
{
    const size_t link = td_link_index(r->model, name);
    marker *found = find_point(r, name);
    if (found == NULL && link != TD_NONE) {
        r->marker = reallocate(r->marker, r->count + 1, sizeof *r->marker);
        found = &r->marker[r->count++];
        *found = (marker){.name = text_format("%s", name), .link = link, .column = {-1, -1, -1}};
    }
    return found;
}

bool markers_map(marker_list *r, const word_list *map)
{
    for (size_t i = 0; i < map->count; i++) {
        const char *word = map->word[i], *equals = strrchr(word, '=');
        if (equals == NULL || equals == word) {
            refuse_usage("--map %s: expected NAME=POINT or NAME=LINK", word);
        }
        char *theirs = text_format("%.*s", (int)(equals - word), word);
        const bool ignored = equals[1] == '\0';
        marker *m = ignored ? find_point(r, theirs) : point_or_link(r, equals + 1);
        if (m == NULL) {
            refuse_usage("--map %s: '%s' is neither a point of %s nor a link of the robot", word,
                         ignored ? theirs : equals + 1, r->name);
        } else if (m->source != NULL) {
            refuse_usage("--map %s: point '%s' already has the columns of '%s'", word, m->name,
                         m->source);
        }
        m->source = theirs;
        m->ignored = ignored;
    }
    return true;
}

/* ---- columns of the recording ---------------------------------------------------------------- */

/* Finds the columns of one point: all three, or none. */
static bool find_marker(const number_heading *heading, const column_lookup *lookup, marker *m)
{
    static const char *const axis[] = {"x", "y", "z"};
    const char *source = m->source != NULL ? m->source : m->name;
    size_t there = 0;
    for (size_t k = 0; k < 3; k++) {
        scoped char *name = text_format("%s.%s", source, axis[k]);
        scoped char *other = text_format("%s:%s", axis[k], source); /* as tandem fk writes it */
        const int column = number_column(heading, name);
        m->column[k] = column >= 0 ? column : number_column(heading, other);
        there += m->column[k] >= 0;
    }
    m->recorded = there == 3 && !m->ignored;
    if (m->ignored) {
        return true;
    }
    if ((there != 0 || m->source != NULL) && there != 3) {
        complain("%s: point '%s' has only %zu of the columns %s.x, %s.y and %s.z", heading->name,
                 m->name, there, source, source, source);
        return false;
    }
    for (size_t k = 0; k < 3 && m->recorded; k++) {
        const size_t column = (size_t)m->column[k];
        if (!number_use(heading, column, UNIT_SLIDE)) {
            return false;
        }
        heading->factor[column] = column_factor(lookup, heading->unit[column], UNIT_SLIDE, 0);
    }
    return true;
}

/* Reports points that the recording does not have. Returns false if it has none. */
static bool tell_missing(const marker_list *r, const number_heading *heading)
{
    size_t found = 0;
    const marker *absent = NULL;
    for (size_t i = 0; i < r->count; i++) {
        const marker *m = &r->marker[i];
        found += m->recorded || m->ignored;
        absent = m->recorded || m->ignored || absent != NULL ? absent : m;
    }
    if (found == 0) {
        complain("%s: no columns for the points of %s; expected %s.x, %s.y, %s.z, ...",
                 heading->name, r->name, r->marker[0].name, r->marker[0].name, r->marker[0].name);
    } else if (found < r->count) {
        tell_note("%s: %zu of the %zu points of %s are missing: '%s'%s", heading->name,
                  r->count - found, r->count, r->name, absent->name,
                  found + 1 < r->count ? " and more" : "");
    }
    return found > 0;
}

bool markers_find(marker_list *r, const number_heading *heading, const column_words *words)
{
    const column_words units = {.unit = words->unit}; /* --map is about points here */
    column_lookup lookup;
    column_lookup_new(&lookup, &units, heading->name);
    for (size_t i = 0; i < heading->columns; i++) {
        column_unit(&lookup, heading->text[i], heading->column[i], &heading->unit[i]);
    }
    column_lookup_used(&lookup, heading->text, heading->columns);
    bool good = true;
    for (size_t i = 0; i < r->count && good; i++) {
        good = find_marker(heading, &lookup, &r->marker[i]);
    }
    column_lookup_free(&lookup);
    return good && tell_missing(r, heading);
}

void markers_free(marker_list *r)
{
    for (size_t i = 0; i < r->count; i++) {
        free(r->marker[i].name);
        free(r->marker[i].source);
    }
    free(r->marker);
}

void markers_spread(const marker_list *list, const double *seen, double *all)
{
    for (size_t i = 0; i < list->count; i++, all += 3) {
        const bool here = list->marker[i].seen;
        for (size_t k = 0; k < 3; k++) {
            all[k] = here ? *seen++ : (double)NAN;
        }
    }
}
