/* SPDX-License-Identifier: MIT */
/*
 * A table of states in CSV, see state_table.h.
 */
#include "robot/state_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "progress.h"
#include "robot/quaternions.h"
#include "table/csv_output.h"
#include "table/csv_stream.h"
#include "table/npy.h"
#include "table/unused.h"
#include "text.h"
#include "units.h"

/* What a column of the file is for. */
typedef enum column_kind {
    COLUMN_VALUE,
    COLUMN_TIME,
    COLUMN_WRENCH, /* index: of its number in links × 6 */
    COLUMN_UNUSED
} column_kind;

struct column {
    column_kind kind;
    enum quantity quantity;
    size_t index;
    bool known;    /* some command writes it */
    double factor; /* from its unit */
    char *name;    /* as written */
};

typedef struct reader {
    const coordinates *c;
    const char *name; /* of the file, for messages */
    state_sink sink;
    void *context;
    size_t columns; /* 0 before the heading */
    struct column *column;
    const state_form *form;
    bool *given[QUANTITY_COUNT]; /* for each coordinate, whether it has a column */
    double *neutral;             /* positions of a row before its columns are read */
    size_t row;                  /* number of the row being read, from 1 */
    bool *kept;                  /* for each column, whether it is */
    char *kept_heading;
    size_t *kept_size; /* bytes of each of batch.kept */
    state_batch batch;
} reader;

/* ---- heading --------------------------------------------------------------------------------- */

/* u: the unit of the heading; NULL: none. */
static bool read_value_column(reader *r, struct column *column, enum quantity quantity,
                              const char *joint, const value_unit *u)
{
    int index = coordinates_find(r->c, quantity, joint);
    if (index < 0) {
        char *reason = coordinates_explain(r->c, quantity, joint, r->form->told != 0);
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
    r->batch.given[quantity] = true;
    column->kind = COLUMN_VALUE;
    column->quantity = quantity;
    column->index = (size_t)index;
    return true;
}

/* "wrench:LINK.fx" and the like. */
static bool read_wrench_column(reader *r, struct column *column, const char *text)
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
    column->kind = COLUMN_WRENCH;
    column->index = 6 * (size_t)link + k;
    for (const struct column *other = r->column; other < column; other++) {
        if (other->kind == COLUMN_WRENCH && other->index == column->index) {
            complain("%s: column '%s' occurs twice", r->name, column->name);
            return false;
        }
    }
    if (r->batch.wrench == NULL) {
        r->batch.wrench = allocate(BATCH_ROWS * 6 * td_link_count(r->c->model), sizeof(double));
    }
    return true;
}

/* A joint without its quantity where positions are not read: it is a mistake. */
static bool refuse_joint(const reader *r, const char *text)
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
static bool any_column(const reader *r)
{
    bool any = r->batch.has_time || r->batch.wrench != NULL;
    char *known = text_format("t");
    for (size_t i = 0; i < r->form->count; i++) {
        any = any || r->batch.given[r->form->read[i]];
        char *longer = text_format("%s, %s:JOINT", known, quantity_text(r->form->read[i]));
        free(known);
        known = longer;
    }
    for (size_t i = 0; i < r->columns && !any; i++) { /* of another command */
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

static bool is_own_result(const reader *r, const char *text)
{
    for (size_t i = 0; i < r->form->results; i++) {
        if (strcmp(r->form->result[i], text) == 0) {
            return true;
        }
    }
    return false;
}

static bool read_time_column(reader *r, struct column *column, const value_unit *u)
{
    if (r->batch.has_time) {
        complain("%s: column '%s' is a second one of times", r->name, column->name);
        return false;
    }
    if (u != NULL && u->domain != UNIT_TIME) {
        complain("%s: column '%s': %s is no unit of time", r->name, column->name, u->word);
        return false;
    }
    r->batch.has_time = true;
    column->kind = COLUMN_TIME;
    column->factor = u != NULL ? u->size : 1;
    return true;
}

/* A joint's name alone: its position, or by the unit its velocity or acceleration. */
static bool read_bare_column(reader *r, struct column *column, const char *joint,
                             const value_unit *u)
{
    const enum quantity quantity =
        u != NULL && u->domain != UNIT_TIME ? (enum quantity)u->order : QUANTITY_Q;
    return r->batch.value[quantity] == NULL || read_value_column(r, column, quantity, joint, u);
}

/* text: the heading without its unit u. */
static bool read_named_column(reader *r, struct column *column, const char *text,
                              const value_unit *u)
{
    column->kind = COLUMN_UNUSED;
    column->known = true;
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        size_t length = strlen(quantity_text(quantity));
        if (strncmp(text, quantity_text(quantity), length) == 0 && text[length] == ':') {
            return r->batch.value[quantity] == NULL ||
                   read_value_column(r, column, quantity, text + length + 1, u);
        }
    }
    if (r->form->wrenches && strncmp(text, "wrench:", 7) == 0) {
        return read_wrench_column(r, column, text + 7);
    }
    if (strcmp(text, "t") == 0 || strcmp(text, "time") == 0) {
        return read_time_column(r, column, u);
    }
    if (is_result(text)) {
        return true;
    }
    if (r->form->read[0] == QUANTITY_Q && coordinates_find(r->c, QUANTITY_Q, text) >= 0) {
        return read_bare_column(r, column, text, u);
    }
    column->known = r->form->keep; /* what is kept may be anything */
    return !refuse_joint(r, text);
}

static bool read_column(reader *r, struct column *column, const char *text)
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

/* Columns that no command knows. */
static void report_unknown(const reader *r)
{
    char **names = allocate(r->columns, sizeof *names);
    size_t count = 0;
    for (size_t i = 0; i < r->columns; i++) {
        if (!r->column[i].known) {
            names[count++] = r->column[i].name;
        }
    }
    tell_unused(r->name, names, count);
    free(names);
}

/* "q:a, q:b and 3 more" of one quantity, or "all q", appended to text. */
static char *append_missing(const reader *r, enum quantity quantity, char *text)
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
static void report_missing(const reader *r)
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
        quaternions = quaternions || (has_quaternion(r->c->model, joint) && r->neutral[w] == 1 &&
                                      !r->given[QUANTITY_Q][w]);
    }
    if (*text != '\0') {
        complain("%s: no column for %s: taken as zero%s", r->name, text,
                 quaternions ? " (quaternions: identity)" : "");
    }
    free(text);
}

static bool read_heading(reader *r, const csv_row *row)
{
    bool good = true;
    r->columns = row->count;
    r->column = allocate(row->count, sizeof *r->column);
    r->kept = allocate(row->count, sizeof *r->kept);
    for (size_t i = 0; i < row->count; i++) {
        good = read_column(r, &r->column[i], row->field[i]) && good;
    }
    if (!good || !any_column(r)) {
        return false;
    }
    report_unknown(r);
    if (r->form->keep) {
        size_t size = 0;
        csv_keep(row->count, row->field, r->kept, &r->kept_heading, &size);
        r->batch.kept_heading = r->kept_heading;
    }
    complete_quaternions(r->c, r->given[QUANTITY_Q], r->neutral);
    if (r->form->told != 0) {
        report_missing(r);
        coordinates_report_default(r->c, r->given[QUANTITY_Q]);
    }
    return r->sink(r->context, &r->batch);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool flush(reader *r)
{
    bool good = r->batch.rows == 0 || r->sink(r->context, &r->batch);
    r->batch.first_row += r->batch.rows;
    reading_rows(r->batch.first_row - 1);
    r->batch.rows = 0;
    return good;
}

/* Whether a field is what is written where there is no number. */
static bool is_gap(const char *text, double *value)
{
    static const char *const words[] = {"", "nan", "-nan", "inf", "-inf"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcasecmp(text, words[i]) == 0) {
            *value = (double)NAN;
            return true;
        }
    }
    return false;
}

/* One row into the batch; false, with a message, where it is wrong. */
static bool read_fields(reader *r, const csv_row *row)
{
    size_t n = r->batch.rows;
    const size_t numbers = 6 * td_link_count(r->c->model);
    double *position = r->batch.value[QUANTITY_Q];
    position = position != NULL ? position + n * r->c->size[QUANTITY_Q] : NULL;
    if (row->count != r->columns) {
        complain("%s:%zu: row %zu has %s, the heading %zu", r->name, row->line, r->row,
                 counted(row->count, "field").text, r->columns);
        return false;
    }
    r->batch.line[n] = row->line;
    if (position != NULL) {
        memcpy(position, r->neutral, r->c->size[QUANTITY_Q] * sizeof *position);
    }
    for (size_t i = 0; i < row->count; i++) {
        const struct column *column = &r->column[i];
        size_t width = r->c->size[column->quantity];
        if (column->kind == COLUMN_UNUSED) {
            continue;
        }
        double *target = column->kind == COLUMN_TIME ? &r->batch.time[n]
                         : column->kind == COLUMN_WRENCH
                             ? &r->batch.wrench[n * numbers + column->index]
                             : &r->batch.value[column->quantity][n * width + column->index];
        if (!parse_number(row->field[i], target) &&
            !(r->form->gaps && is_gap(row->field[i], target))) {
            complain("%s:%zu: row %zu, column '%s': '%s' is not a finite number", r->name,
                     row->line, r->row, column->name, row->field[i]);
            return false;
        }
        *target *= column->factor;
    }
    double norm;
    int joint = position != NULL ? normalize_quaternions(r->c, position, &norm) : -1;
    if (r->form->keep) {
        csv_keep(row->count, row->field, r->kept, &r->batch.kept[n], &r->kept_size[n]);
    }
    if (joint >= 0 && !isnan(norm)) {
        complain("%s:%zu: row %zu: the quaternion of joint '%s' has norm %s, not 1", r->name,
                 row->line, r->row, td_joint_at(r->c->model, (size_t)joint)->name,
                 number_clear(norm).text);
        return false;
    }
    return true;
}

static bool take_row(void *context, const csv_row *row)
{
    reader *r = context;
    if (row == NULL) {
        return flush(r);
    }
    if (r->columns == 0) {
        return read_heading(r, row);
    }
    r->row++;
    if (!read_fields(r, row)) {
        flush(r);
        return false;
    }
    r->batch.rows++;
    return r->batch.rows < BATCH_ROWS || flush(r);
}

static void reader_free(reader *r)
{
    for (size_t i = 0; i < r->columns; i++) {
        free(r->column[i].name);
    }
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        free(r->given[quantity]);
        free(r->batch.value[quantity]);
    }
    for (size_t i = 0; i < BATCH_ROWS; i++) {
        free(r->batch.kept[i]);
    }
    free(r->batch.kept);
    free(r->kept_size);
    free(r->kept);
    free(r->kept_heading);
    free(r->batch.wrench);
    free(r->batch.time);
    free(r->batch.line);
    free(r->neutral);
    free(r->column);
}

const char *state_table_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

bool state_table_read(const coordinates *c, const state_form *form, const char *path,
                      state_sink sink, void *context)
{
    if (npy_is_path(path)) {
        return state_array_read(c, form, path, sink, context);
    }
    reader r = {
        .c = c,
        .kept_size = allocate(BATCH_ROWS, sizeof(size_t)),
        .form = form,
        .name = state_table_name(path),
        .sink = sink,
        .context = context,
        .neutral = allocate(c->size[QUANTITY_Q], sizeof(double)),
        .batch = {.first_row = 1,
                  .time = allocate(BATCH_ROWS, sizeof(double)),
                  .line = allocate(BATCH_ROWS, sizeof(size_t)),
                  .kept = allocate(BATCH_ROWS, sizeof(char *))},
    };
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        r.given[quantity] = allocate(c->size[quantity], sizeof(bool));
    }
    for (size_t i = 0; i < form->count; i++) {
        enum quantity quantity = form->read[i];
        r.batch.has[quantity] = r.given[quantity];
        r.batch.value[quantity] = allocate(BATCH_ROWS * c->size[quantity], sizeof(double));
    }
    coordinates_default(c, r.neutral);
    bool good = csv_stream(path, take_row, &r);
    if (good && r.columns == 0) {
        complain("%s: the table has no heading", r.name);
        good = false;
    }
    reader_free(&r);
    return good;
}
