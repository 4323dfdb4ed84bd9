/* SPDX-License-Identifier: MIT */
/*
 * The writer of model files: one line per record, with the fields that differ from their defaults.
 */
#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/sink.h"
#include "load/text/model_write.h"
#include "model/fields.h"
#include "model/model.h"
#include "tandem/model_file.h"

static void put_string(td_sink *s, const char *text)
{
    td_put_text(s, "\"");
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            td_put_format(s, "\\%c", c);
        else if (c < ' ' || c == 0x7f)
            td_put_format(s, "\\x%02x", c);
        else
            td_put(s, text, 1);
    }
    td_put_text(s, "\"");
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
    case TD_FIELD_STRING: /* all defaults are NULL */
        return *(const char *const *)a == *(const char *const *)b;
    case TD_FIELD_DOUBLES:
        return same_doubles(a, b, f->count);
    case TD_FIELD_SIZE:
        return *(const size_t *)a == *(const size_t *)b;
    case TD_FIELD_BOOL:
        return *(const bool *)a == *(const bool *)b;
    default: /* int, unsigned and enums, which have equal size */
        return memcmp(a, b, sizeof(int)) == 0;
    }
}

static void put_doubles(td_sink *s, const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        td_put_text(s, i ? "," : "");
        td_put_double(s, x[i]);
    }
}

/* Writes the value of a field. record: the record of the field; at: the field's address. */
static void put_value(td_sink *s, const td_field *f, const void *record, const void *at)
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
        td_put_format(s, "%d", *(const int *)at);
        break;
    case TD_FIELD_UNSIGNED:
        td_put_format(s, "%u", *(const unsigned *)at);
        break;
    case TD_FIELD_SIZE:
        td_put_format(s, "%zu", *(const size_t *)at);
        break;
    case TD_FIELD_BOOL:
        td_put_text(s, *(const bool *)at ? "true" : "false");
        break;
    case TD_FIELD_WORD:
        td_put_text(s, f->word(*(const unsigned *)at));
        break;
    }
}

/* The records and fields to write. */
typedef enum td_content {
    TD_CONTENT_ALL,
    TD_CONTENT_COMPUTED, /* fields that can affect a call */
} td_content;

/* Returns whether a field belongs to a td_source, the location of a record in its file. */
static bool is_of_source(const td_field *f)
{
    return strstr(f->key, "source.") != NULL;
}

/* Writes a record. record: a record of this kind, or a td_any_record. */
static void put_record(td_sink *s, td_content content, td_record_kind kind, const void *record)
{
    const td_record_form *form = &td_record_forms[kind];
    const td_any_record ours = td_record_default(kind);
    td_put_text(s, form->word);
    for (size_t i = 0; i < form->fields; i++) {
        const td_field *f = &form->field[i];
        const void *at = (const char *)record + f->offset;
        if (same(f, at, (const char *)&ours + f->offset) ||
            (content == TD_CONTENT_COMPUTED && is_of_source(f)))
            continue;
        td_put_text(s, " ");
        td_put_text(s, f->key);
        td_put_text(s, "=");
        put_value(s, f, record, at);
    }
    td_put_text(s, "\n");
}

static void put_options(td_sink *s, td_content content, const td_load_options *options)
{
    put_record(s, content, TD_RECORD_OPTIONS, options);
    for (size_t i = 0; i < options->locked_count; i++)
        put_record(s, content, TD_RECORD_LOCK, &options->locked[i]);
    for (size_t i = 0; i < options->start_count; i++)
        put_record(s, content, TD_RECORD_START, &options->start[i]);
    for (size_t i = 0; i < options->actuated_count; i++) {
        const td_actuated_line line = {options->actuated[i]};
        put_record(s, content, TD_RECORD_ACTUATED, &line);
    }
}

static void put_records(td_sink *s, td_content content, const td_records *records)
{
    for (size_t i = 0; i < records->link.count; i++) {
        const td_link *link = &records->link.at[i];
        put_record(s, content, TD_RECORD_LINK, link);
        for (size_t k = 0; content == TD_CONTENT_ALL && k < link->geometry_count; k++)
            put_record(s, content, TD_RECORD_GEOMETRY, td_geometry_at(link, k));
    }
    for (size_t i = 0; i < records->joint.count; i++)
        put_record(s, content, TD_RECORD_JOINT, &records->joint.at[i]);
    for (size_t i = 0; i < records->loop.count; i++)
        put_record(s, content, TD_RECORD_LOOP, &records->loop.at[i]);
    for (size_t i = 0; i < records->coupling.count; i++)
        put_record(s, content, TD_RECORD_COUPLING, &records->coupling.at[i]);
    for (size_t i = 0; i < records->follower.count; i++) {
        const td_follower *follower = &records->follower.at[i];
        put_record(s, content, TD_RECORD_FOLLOWER, follower);
        for (size_t k = 0; k < follower->curves; k++)
            put_record(s, content, TD_RECORD_CURVE, td_curve_at(follower, k));
    }
    for (size_t i = 0; i < records->spring.count; i++)
        put_record(s, content, TD_RECORD_SPRING, &records->spring.at[i]);
    for (size_t i = 0; i < records->transmission.count; i++)
        put_record(s, content, TD_RECORD_TRANSMISSION, &records->transmission.at[i]);
    for (size_t i = 0; i < records->flexible.count; i++)
        put_record(s, content, TD_RECORD_FLEXIBLE, &records->flexible.at[i]);
}

td_status td_model_write(const td_model *model, char *text, size_t capacity, size_t *size)
{
    if (size)
        *size = 0;
    if (!model || !size || (!text && capacity))
        return TD_ERROR_ARGUMENT;
    if (model->given_options.closure_count)
        return TD_ERROR_FUNCTION;
    td_c_locale locale;
    if (!td_c_locale_begin(&locale))
        return TD_ERROR_MEMORY;
    td_sink s = {text, capacity, 0, TD_HASH_START};
    const td_robot_line robot = {model->given.name, model->given.source};
    td_put_format(&s, "%s %d\n", TD_MODEL_FILE_WORD, TD_MODEL_FILE_VERSION);
    put_record(&s, TD_CONTENT_ALL, TD_RECORD_ROBOT, &robot);
    put_options(&s, TD_CONTENT_ALL, &model->given_options);
    put_records(&s, TD_CONTENT_ALL, &model->given);
    td_put_text(&s, TD_MODEL_FILE_END "\n");
    td_c_locale_end(&locale);
    *size = s.size;
    return text && s.size > capacity ? TD_ERROR_ARGUMENT : TD_OK;
}

td_status td_put_computed(td_sink *sink, const td_model *model)
{
    td_load_options options = model->given_options;
    options.strict = false; /* no effect once the model is made */
    options.max_cluster = options.max_elastic = 0;
    td_c_locale locale;
    if (options.closure_count)
        return TD_ERROR_FUNCTION;
    if (!td_c_locale_begin(&locale))
        return TD_ERROR_MEMORY;
    put_options(sink, TD_CONTENT_COMPUTED, &options);
    put_records(sink, TD_CONTENT_COMPUTED, &model->given);
    td_c_locale_end(&locale);
    return TD_OK;
}
