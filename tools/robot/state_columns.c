/* SPDX-License-Identifier: MIT */
/*
 * The heading of a table of states, see state_columns.h.
 */
#include "robot/state_columns.h"

#include <stdlib.h>
#include <string.h>

#include "robot/quaternions.h"
#include "table/unused.h"
#include "text.h"
#include "units.h"

state_columns state_columns_new(const coordinates *c, const char *name, const state_form *form)
{
    state_columns columns = {.c = c, .name = name, .form = form};
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        columns.given[quantity] = allocate(c->size[quantity], sizeof(bool));
    }
    for (size_t i = 0; i < form->count; i++) {
        columns.read[form->read[i]] = true;
    }
    return columns;
}

void state_columns_free(state_columns *columns)
{
    for (size_t i = 0; i < columns->count; i++) {
        free(columns->column[i].name);
    }
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        free(columns->given[quantity]);
    }
    free(columns->column);
    free(columns->kept);
}

/* ---- one column ------------------------------------------------------------------------------ */

/* Why a name is none of a coordinate, in a new string: what stands in brackets behind it is no
   unit, or what coordinates_explain says. */
static char *explain_name(const state_columns *r, enum quantity quantity, const char *name)
{
    size_t length;
    char *word = unit_word_of_heading(name, &length);
    char *base = text_format("%.*s", (int)length, name);
    const int index = word != NULL ? coordinates_find(r->c, quantity, base) : -1;
    char *known =
        index >= 0 ? unit_words_of(coordinates_domain(r->c, quantity, (size_t)index), (int)quantity)
                   : NULL;
    char *text =
        index >= 0 && *known != '\0'
            ? text_format("there is no unit '%s' (here: %s)", word, known)
            : coordinates_explain(r->c, quantity, name, r->form->told != 0 && !r->form->no_tree);
    free(word);
    free(base);
    free(known);
    return text;
}

/* u: the unit of the heading; NULL: none. */
static bool read_value_column(state_columns *r, state_column *column, enum quantity quantity,
                              const char *joint, const value_unit *u)
{
    int index = coordinates_find(r->c, quantity, joint);
    if (index < 0) {
        char *reason = explain_name(r, quantity, joint);
        complain("%s: column '%s': %s", r->name, column->name, reason);
        free(reason);
        return false;
    }
    char *fault = coordinates_unit_fault(r->c, quantity, (size_t)index, u);
    if (fault != NULL) {
        complain("%s: column '%s': %s", r->name, column->name, fault);
        free(fault);
        return false;
    }
    column->factor = u != NULL ? u->size : 1;
    bool *given = &r->given[quantity][index];
    if (*given) {
        complain("%s: column '%s' occurs twice", r->name, column->name);
        return false;
    }
    *given = true;
    r->any[quantity] = true;
    column->kind = COLUMN_VALUE;
    column->quantity = quantity;
    column->index = (size_t)index;
    return true;
}

/* "wrench:LINK.fx" and the like. */
static bool read_wrench_column(state_columns *r, state_column *column, const char *text,
                               const value_unit *u)
{
    static const char *const part[] = {"mx", "my", "mz", "fx", "fy", "fz"};
    const char *dot = strrchr(text, '.');
    size_t k = 0;
    while (dot != NULL && k < 6 && strcmp(dot + 1, part[k]) != 0) {
        k++;
    }
    if (dot == NULL || k == 6) {
        complain("%s: column 'wrench:%s' is not wrench:LINK with .fx .fy .fz .mx .my or .mz",
                 r->name, text);
        return false;
    }
    char *name = text_format("%.*s", (int)(dot - text), text);
    const int link = find_link(r->c->model, name);
    free(name);
    if (link < 0) {
        return false;
    }
    const unit_domain domain = k < 3 ? UNIT_TURN : UNIT_SLIDE;
    if (u != NULL && (u->domain != domain || u->order != UNIT_FORCE)) {
        char *known = unit_words_of(domain, UNIT_FORCE);
        complain("%s: column '%s': a %s is in %s, not %s", r->name, column->name,
                 k < 3 ? "moment" : "force", known, u->word);
        free(known);
        return false;
    }
    column->factor = u != NULL ? u->size : 1;
    column->kind = COLUMN_WRENCH;
    column->index = 6 * (size_t)link + k;
    for (const state_column *other = r->column; other < column; other++) {
        if (other->kind == COLUMN_WRENCH && other->index == column->index) {
            complain("%s: column '%s' occurs twice", r->name, column->name);
            return false;
        }
    }
    r->has_wrench = true;
    return true;
}

/* A joint without its quantity where positions are not read: it is a mistake. */
static bool refuse_joint(const state_columns *r, const char *text)
{
    const enum quantity first = r->form->read[0];
    if (first == QUANTITY_Q || coordinates_find(r->c, QUANTITY_Q, text) < 0) {
        return false;
    }
    complain("%s: column '%s' is a joint; its force is '%s:' and its name", r->name, text,
             quantity_text(first));
    return true;
}

/* Whether some column is read; false with a message. */
static bool any_column(const state_columns *r)
{
    bool any = r->has_time || r->has_wrench;
    char *known = text_format("t");
    for (size_t i = 0; i < r->form->count; i++) {
        any = any || r->any[r->form->read[i]];
        char *longer = text_format("%s, %s:JOINT", known, quantity_text(r->form->read[i]));
        free(known);
        known = longer;
    }
    for (size_t i = 0; i < r->count && !any; i++) { /* of another command */
        any = r->column[i].known;
    }
    if (!any) {
        complain("%s: no column is one of %s", r->name, known);
    }
    free(known);
    return any;
}

/* Whether a column is one that some command writes. */
static bool is_result(const char *text)
{
    static const char *const names[] = {"energy", "work", "event", "residual", "status", "reached"};
    static const char *const prefixes[] = {
        "u:",  "energy:", "com:", "linear:", "angular:", "H:",        "x:",
        "y:",  "z:",      "qx:",  "qy:",     "qz:",      "qw:",       "wx:",
        "wy:", "wz:",     "vx:",  "vy:",     "vz:",      "reaction:", "constraint:"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        found = found || strcmp(text, names[i]) == 0;
    }
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        found = found || strncmp(text, prefixes[i], strlen(prefixes[i])) == 0;
    }
    return found;
}

static bool is_own_result(const state_columns *r, const char *text)
{
    for (size_t i = 0; i < r->form->results; i++) {
        if (strcmp(r->form->result[i], text) == 0) {
            return true;
        }
    }
    return false;
}

static bool read_time_column(state_columns *r, state_column *column, const value_unit *u)
{
    if (r->has_time) {
        complain("%s: column '%s' is a second one of times", r->name, column->name);
        return false;
    }
    if (u != NULL && u->domain != UNIT_TIME) {
        complain("%s: column '%s': %s is no unit of time", r->name, column->name, u->word);
        return false;
    }
    r->has_time = true;
    column->kind = COLUMN_TIME;
    column->factor = u != NULL ? u->size : 1;
    return true;
}

/* A joint's name alone: its position, or by the unit its velocity or acceleration. */
static bool read_bare_column(state_columns *r, state_column *column, const char *joint,
                             const value_unit *u)
{
    const enum quantity quantity =
        u != NULL && u->domain != UNIT_TIME ? (enum quantity)u->order : QUANTITY_Q;
    return !r->read[quantity] || read_value_column(r, column, quantity, joint, u);
}

/* text: the heading without its unit u. */
static bool read_named_column(state_columns *r, state_column *column, const char *text,
                              const value_unit *u)
{
    column->kind = COLUMN_UNUSED;
    column->known = true;
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        size_t length = strlen(quantity_text(quantity));
        if (strncmp(text, quantity_text(quantity), length) == 0 && text[length] == ':') {
            return !r->read[quantity] ||
                   read_value_column(r, column, quantity, text + length + 1, u);
        }
    }
    if (r->form->wrenches && strncmp(text, "wrench:", 7) == 0) {
        return read_wrench_column(r, column, text + 7, u);
    }
    if (is_time_heading(text)) {
        return read_time_column(r, column, u);
    }
    /* a joint may be called work: in tables with q:JOINT that is none */
    const bool joint =
        r->form->read[0] == QUANTITY_Q && coordinates_find(r->c, QUANTITY_Q, text) >= 0;
    if (is_result(text) && !(joint && r->bare)) {
        return true;
    }
    if (joint) {
        return read_bare_column(r, column, text, u);
    }
    column->known = r->form->keep; /* what is kept may be anything */
    return !refuse_joint(r, text);
}

static bool read_column(state_columns *r, state_column *column, const char *text)
{
    size_t length;
    const value_unit *u = unit_of_heading(text, &length);
    char *base = text_format("%.*s", (int)length, text);
    column->name = text_format("%s", text);
    column->factor = 1;
    r->kept[column - r->column] = r->form->keep && !is_own_result(r, text);
    const bool good = read_named_column(r, column, base, u);
    free(base);
    return good;
}

/* ---- all of them ------------------------------------------------------------------------------
 */

/* Columns that no command knows. */
static void report_unknown(const state_columns *r)
{
    char **names = allocate(r->count, sizeof *names);
    size_t count = 0;
    for (size_t i = 0; i < r->count; i++) {
        if (!r->column[i].known) {
            names[count++] = r->column[i].name;
        }
    }
    tell_unused(r->name, names, count);
    free(names);
}

/* "q:a, q:b and 3 more" of one quantity, or "all q", appended to text. */
static char *append_missing(const state_columns *r, enum quantity quantity, char *text)
{
    enum { LISTED = 4 };
    size_t missing = 0;
    size_t size = r->c->size[quantity];
    for (size_t i = 0; i < size; i++) {
        missing += !r->given[quantity][i];
    }
    if (missing == 0) {
        return text;
    }
    const char *comma = *text != '\0' ? ", " : "";
    char *longer =
        missing == size ? text_format("%s%sall %s", text, comma, quantity_text(quantity)) : NULL;
    size_t listed = 0;
    for (size_t i = 0; i < size && missing < size && listed < LISTED; i++) {
        if (!r->given[quantity][i]) {
            char *next =
                text_format("%s%s%s:%s", longer != NULL ? longer : text, listed > 0 ? ", " : comma,
                            quantity_text(quantity), r->c->name[quantity][i]);
            free(longer);
            longer = next;
            listed++;
        }
    }
    if (missing < size && missing > LISTED) {
        char *next =
            text_format("%s and %zu more %s", longer, missing - LISTED, quantity_text(quantity));
        free(longer);
        longer = next;
    }
    free(text);
    return longer;
}

/* Says once which columns are not there. */
static void report_missing(const state_columns *r, const double *neutral)
{
    char *text = text_format("%s", "");
    for (size_t i = 0; i < r->form->count; i++) {
        enum quantity quantity = r->form->read[i];
        text = r->form->told >> quantity & 1 ? append_missing(r, quantity, text) : text;
    }
    bool quaternions = false;
    for (size_t i = 0; i < r->c->joints; i++) {
        size_t joint = (size_t)r->c->joint[i];
        size_t w =
            coordinates_position(r->c, joint) + (size_t)quaternion_of(r->c->model, joint) + 3;
        quaternions = quaternions || (has_quaternion(r->c->model, joint) && neutral[w] == 1 &&
                                      !r->given[QUANTITY_Q][w]);
    }
    if (*text != '\0') {
        complain("%s: no column for %s: taken as zero%s", r->name, text,
                 quaternions ? " (quaternions: identity)" : "");
    }
    free(text);
}

bool state_columns_read(state_columns *r, const csv_row *row, double *neutral)
{
    bool good = true;
    r->count = row->count;
    r->column = allocate(row->count, sizeof *r->column);
    r->kept = allocate(row->count, sizeof *r->kept);
    r->bare = true;
    for (size_t i = 0; i < row->count; i++) {
        r->bare = r->bare && strncmp(row->field[i], "q:", 2) != 0;
    }
    for (size_t i = 0; i < row->count; i++) {
        good = read_column(r, &r->column[i], row->field[i]) && good;
    }
    if (!good || !any_column(r)) {
        return false;
    }
    report_unknown(r);
    complete_quaternions(r->c, r->given[QUANTITY_Q], neutral);
    if (r->form->told != 0) {
        report_missing(r, neutral);
        coordinates_report_default(r->c, r->given[QUANTITY_Q]);
    }
    return true;
}
