/* SPDX-License-Identifier: MIT */
/*
 * The writer of model files: a line for each record, of the fields that differ from their defaults.
 */
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/text/model_fields.h"
#include "model/model.h"
#include "tandem/model_file.h"

/* where text goes: what does not fit is counted only */
typedef struct sink {
    char *text;
    size_t capacity, size;
} sink;

static void put(sink *s, const char *text, size_t length)
{
    if (s->text && s->size <= s->capacity && length <= s->capacity - s->size)
        memcpy(s->text + s->size, text, length);
    s->size += length;
}

static void put_text(sink *s, const char *text)
{
    put(s, text, strlen(text));
}

static void put_format(sink *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put_format(sink *s, const char *format, ...)
{
    char piece[64];
    va_list list;
    va_start(list, format);
    vsnprintf(piece, sizeof piece, format, list);
    va_end(list);
    put_text(s, piece);
}

static void put_string(sink *s, const char *text)
{
    put_text(s, "\"");
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            put_format(s, "\\%c", c);
        else if (c < ' ' || c == 0x7f)
            put_format(s, "\\x%02x", c);
        else
            put(s, text, 1);
    }
    put_text(s, "\"");
}

/* the shortest text that reads back to the same double; in the C locale */
static void put_double(sink *s, double x)
{
    if (isnan(x)) {
        put_text(s, "nan");
        return;
    }
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    put_text(s, text);
}

static bool same_doubles(const double *a, const double *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(isnan(a[i]) && isnan(b[i])) && (a[i] != b[i] || signbit(a[i]) != signbit(b[i])))
            return false;
    return true;
}

static bool same(const td_field *f, const void *a, const void *b)
{
    switch (f->kind) {
    case TD_FIELD_ARRAY:
    case TD_FIELD_STRING: /* the defaults have none */
        return *(const char *const *)a == *(const char *const *)b;
    case TD_FIELD_DOUBLES:
        return same_doubles(a, b, f->count);
    case TD_FIELD_SIZE:
        return *(const size_t *)a == *(const size_t *)b;
    case TD_FIELD_BOOL:
        return *(const bool *)a == *(const bool *)b;
    default: /* int, unsigned and enums, which are as long */
        return memcmp(a, b, sizeof(int)) == 0;
    }
}

static void put_doubles(sink *s, const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        put_text(s, i ? "," : "");
        put_double(s, x[i]);
    }
}

/* record: that of the field, which stands at at */
static void put_value(sink *s, const td_field *f, const void *record, const void *at)
{
    switch (f->kind) {
    case TD_FIELD_STRING:
        put_string(s, *(const char *const *)at);
        break;
    case TD_FIELD_DOUBLES:
        put_doubles(s, at, f->count);
        break;
    case TD_FIELD_ARRAY:
        put_doubles(s, *(const double *const *)at,
                    *(const size_t *)(const void *)((const char *)record + f->count));
        break;
    case TD_FIELD_INT:
        put_format(s, "%d", *(const int *)at);
        break;
    case TD_FIELD_UNSIGNED:
        put_format(s, "%u", *(const unsigned *)at);
        break;
    case TD_FIELD_SIZE:
        put_format(s, "%zu", *(const size_t *)at);
        break;
    case TD_FIELD_BOOL:
        put_text(s, *(const bool *)at ? "true" : "false");
        break;
    case TD_FIELD_WORD:
        put_text(s, f->word(*(const unsigned *)at));
        break;
    }
}

/* record is one of that kind, or the first member of a td_any_record */
static void put_record(sink *s, td_record_kind kind, const void *record)
{
    const td_record_form *form = &td_record_forms[kind];
    const td_any_record ours = td_record_default(kind);
    put_text(s, form->word);
    for (size_t i = 0; i < form->fields; i++) {
        const td_field *f = &form->field[i];
        const void *at = (const char *)record + f->offset;
        if (same(f, at, (const char *)&ours + f->offset))
            continue;
        put_text(s, " ");
        put_text(s, f->key);
        put_text(s, "=");
        put_value(s, f, record, at);
    }
    put_text(s, "\n");
}

static void put_options(sink *s, const td_load_options *options)
{
    put_record(s, TD_RECORD_OPTIONS, options);
    for (size_t i = 0; i < options->locked_count; i++)
        put_record(s, TD_RECORD_LOCK, &options->locked[i]);
    for (size_t i = 0; i < options->start_count; i++)
        put_record(s, TD_RECORD_START, &options->start[i]);
    for (size_t i = 0; i < options->actuated_count; i++) {
        const td_actuated_line line = {options->actuated[i]};
        put_record(s, TD_RECORD_ACTUATED, &line);
    }
}

static void put_records(sink *s, const td_records *records)
{
    for (size_t i = 0; i < records->link.count; i++) {
        const td_link *link = &records->link.at[i];
        put_record(s, TD_RECORD_LINK, link);
        for (size_t k = 0; k < link->geometry_count; k++)
            put_record(s, TD_RECORD_GEOMETRY, td_geometry_at(link, k));
    }
    for (size_t i = 0; i < records->joint.count; i++)
        put_record(s, TD_RECORD_JOINT, &records->joint.at[i]);
    for (size_t i = 0; i < records->loop.count; i++)
        put_record(s, TD_RECORD_LOOP, &records->loop.at[i]);
    for (size_t i = 0; i < records->coupling.count; i++)
        put_record(s, TD_RECORD_COUPLING, &records->coupling.at[i]);
    for (size_t i = 0; i < records->follower.count; i++) {
        const td_follower *follower = &records->follower.at[i];
        put_record(s, TD_RECORD_FOLLOWER, follower);
        for (size_t k = 0; k < follower->curves; k++)
            put_record(s, TD_RECORD_CURVE, td_curve_at(follower, k));
    }
    for (size_t i = 0; i < records->spring.count; i++)
        put_record(s, TD_RECORD_SPRING, &records->spring.at[i]);
    for (size_t i = 0; i < records->transmission.count; i++)
        put_record(s, TD_RECORD_TRANSMISSION, &records->transmission.at[i]);
    for (size_t i = 0; i < records->flexible.count; i++)
        put_record(s, TD_RECORD_FLEXIBLE, &records->flexible.at[i]);
}

td_status td_model_write(const td_model *model, char *text, size_t capacity, size_t *size)
{
    if (size)
        *size = 0;
    if (!model || !size || (!text && capacity))
        return TD_ERROR_ARGUMENT;
    if (model->given_options.closure_count)
        return TD_ERROR_FUNCTION;
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c_locale == (locale_t)0)
        return TD_ERROR_MEMORY;
    locale_t before = uselocale(c_locale); /* of this thread */
    sink s = {text, capacity, 0};
    const td_robot_line robot = {model->given.name, model->given.source};
    put_format(&s, "%s %d\n", TD_MODEL_FILE_WORD, TD_MODEL_FILE_VERSION);
    put_record(&s, TD_RECORD_ROBOT, &robot);
    put_options(&s, &model->given_options);
    put_records(&s, &model->given);
    put_text(&s, TD_MODEL_FILE_END "\n");
    uselocale(before);
    freelocale(c_locale);
    *size = s.size;
    return text && s.size > capacity ? TD_ERROR_ARGUMENT : TD_OK;
}
