/* SPDX-License-Identifier: MIT */
/*
 * The parser of model files. The text is not trusted: every byte is checked. Values are identified
 * by their keys, and the first error ends parsing.
 */
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/c_locale.h"
#include "base/environment.h"
#include "load/build.h"
#include "load/text/model_text.h"
#include "tandem/model_file.h"

#define LIST(type)                                                                                 \
    struct {                                                                                       \
        type *at;                                                                                  \
        size_t count, capacity;                                                                    \
    }

typedef struct reader {
    td_model_text text;
    td_builder *builder;
    td_load_options options;
    bool has_options;
    td_link link; /* the last link, until its geometry is complete */
    bool has_link;
    td_follower follower; /* the last follower, until its curves are complete */
    bool has_follower;
    int version;
    LIST(td_geometry) geometry;
    LIST(td_curve) curve;
    LIST(td_joint_position) locked;
    LIST(td_joint_position) start;
    LIST(const char *) actuated;
} reader;

/* ---- lines ----------------------------------------------------------------------------------- */

static const td_field *find_field(const td_record_form *form, const char *key, size_t length)
{
    for (size_t i = 0; i < form->fields; i++)
        if (strlen(form->field[i].key) == length && strncmp(form->field[i].key, key, length) == 0)
            return &form->field[i];
    return NULL;
}

/* Reads ` key=value` fields up to the end of the line, and moves past it. */
static bool read_fields(reader *r, const td_record_form *form, td_any_record *record)
{
    uint64_t seen = 0;
    while (*r->text.at == ' ') {
        char *key = ++r->text.at;
        size_t length = strcspn(key, "= \n");
        if (key[length] != '=')
            return td_model_text_refuse(&r->text, "a field without a value", NULL);
        const td_field *f = find_field(form, key, length);
        key[length] = '\0';
        if (!f)
            return td_model_text_refuse(&r->text, "an unknown field", key);
        uint64_t bit = (uint64_t)1 << (f - form->field);
        if (seen & bit)
            return td_model_text_refuse(&r->text, "a repeated field", key);
        seen |= bit;
        r->text.at = key + length + 1;
        if (!td_model_text_value(&r->text, f, record))
            return false;
    }
    if (*r->text.at != '\n')
        return td_model_text_refuse(&r->text, "no field or end of line where one is required",
                                    NULL);
    r->text.at++;
    return true;
}

/* Makes space for one more element of a list. Without memory, stores the failure and returns
   NULL. */
static void *append(reader *r, void *list_at, size_t *count, size_t *capacity, size_t size)
{
    void **at = list_at;
    if (*count == *capacity) {
        size_t larger = *capacity ? 2 * *capacity : 8;
        void *moved = realloc(*at, larger * size);
        if (!moved) {
            td_model_text_fail(&r->text, TD_ERROR_MEMORY);
            return NULL;
        }
        *at = moved;
        *capacity = larger;
    }
    return (char *)*at + (*count)++ * size;
}

/* Appends value to a list of the parser. */
#define KEEP(r, list, value)                                                                       \
    do {                                                                                           \
        if (append(r, &(r)->list.at, &(r)->list.count, &(r)->list.capacity, sizeof *(r)->list.at)) \
            (r)->list.at[(r)->list.count - 1] = (value);                                           \
    } while (0)

/* Adds the pending link, whose geometry is complete. */
static void end_link(reader *r)
{
    if (r->has_link) {
        r->link.geometry = r->geometry.at;
        r->link.geometry_count = r->geometry.count;
        td_model_text_fail(&r->text, td_builder_add_link(r->builder, &r->link));
    }
    r->has_link = false;
    r->geometry.count = 0;
}

static void end_follower(reader *r)
{
    if (r->has_follower) {
        r->follower.curve = r->curve.at;
        r->follower.curves = r->curve.count;
        const td_status status = td_builder_add_follower(r->builder, &r->follower);
        if (status == TD_ERROR_ARGUMENT)
            td_model_text_refuse(&r->text, "a curve lacks numbers that it needs", NULL);
        else
            td_model_text_fail(&r->text, status);
    }
    r->has_follower = false;
    r->curve.count = 0;
}

static bool begin_robot(reader *r, const td_robot_line *robot)
{
    if (r->builder)
        return td_model_text_refuse(&r->text, "a second robot", NULL);
    td_builder_new(robot->name, &r->builder);
    if (!r->builder)
        return td_model_text_fail(&r->text, TD_ERROR_MEMORY);
    return td_model_text_fail(&r->text, td_builder_set_source(r->builder, &robot->source));
}

static bool take_options(reader *r, const td_load_options *options)
{
    if (r->has_options)
        return td_model_text_refuse(&r->text, "repeated options", NULL);
    r->has_options = true;
    r->options = *options;
    return true;
}

/* Adds a record that needs no conversion. */
static td_status add_record(td_builder *builder, td_record_kind kind, const td_any_record *record)
{
    switch (kind) {
    case TD_RECORD_JOINT:
        return td_builder_add_joint(builder, &record->joint);
    case TD_RECORD_LOOP:
        return td_builder_add_loop(builder, &record->loop);
    case TD_RECORD_COUPLING:
        return td_builder_add_coupling(builder, &record->coupling);
    case TD_RECORD_SPRING:
        return td_builder_add_spring(builder, &record->spring);
    case TD_RECORD_TRANSMISSION:
        return td_builder_add_transmission(builder, &record->transmission);
    case TD_RECORD_FLEXIBLE:
        return td_builder_add_flexible(builder, &record->flexible);
    default:
        return TD_OK;
    }
}

static void take(reader *r, td_record_kind kind, const td_any_record *record)
{
    if (kind != TD_RECORD_GEOMETRY)
        end_link(r);
    if (kind != TD_RECORD_CURVE)
        end_follower(r);
    switch (kind) {
    case TD_RECORD_ROBOT:
        begin_robot(r, &record->robot);
        break;
    case TD_RECORD_OPTIONS:
        take_options(r, &record->options);
        break;
    case TD_RECORD_LOCK:
        KEEP(r, locked, record->position);
        break;
    case TD_RECORD_START:
        KEEP(r, start, record->position);
        break;
    case TD_RECORD_ACTUATED:
        KEEP(r, actuated, record->actuated.joint);
        break;
    case TD_RECORD_LINK:
        r->link = record->link;
        r->has_link = true;
        break;
    case TD_RECORD_GEOMETRY:
        if (r->has_link)
            KEEP(r, geometry, record->geometry);
        else
            td_model_text_refuse(&r->text, "geometry without a preceding link", NULL);
        break;
    case TD_RECORD_FOLLOWER:
        r->follower = record->follower;
        r->has_follower = true;
        break;
    case TD_RECORD_CURVE:
        if (r->has_follower)
            KEEP(r, curve, record->curve);
        else
            td_model_text_refuse(&r->text, "a curve without a preceding follower", NULL);
        break;
    case TD_RECORD_JOINT:
    case TD_RECORD_LOOP:
    case TD_RECORD_COUPLING:
    case TD_RECORD_SPRING:
    case TD_RECORD_TRANSMISSION:
    case TD_RECORD_FLEXIBLE:
        td_model_text_fail(&r->text, add_record(r->builder, kind, record));
        break;
    case TD_RECORD_KINDS:
        break;
    }
}

/* Returns whether mandatory names are given. */
static bool is_complete(reader *r, td_record_kind kind, const td_any_record *record)
{
    const bool named = kind == TD_RECORD_LOCK || kind == TD_RECORD_START;
    if ((named && !record->position.joint) ||
        (kind == TD_RECORD_ACTUATED && !record->actuated.joint))
        return td_model_text_refuse(&r->text, "a joint without a name", NULL);
    return true;
}

/* Returns whether files of this version can have such a record. */
static bool is_known(const reader *r, td_record_kind kind)
{
    return r->version > 1 || (kind != TD_RECORD_FOLLOWER && kind != TD_RECORD_CURVE);
}

/* Reads one line. Returns false after the last line or a failure. */
static bool read_line(reader *r)
{
    size_t length = strcspn(r->text.at, " \n");
    r->text.line++;
    if (!r->text.at[length])
        return td_model_text_refuse(&r->text, "the text ends too early", NULL);
    for (td_record_kind kind = 0; kind < TD_RECORD_KINDS; kind++) {
        const td_record_form *form = &td_record_forms[kind];
        if (strlen(form->word) != length || strncmp(form->word, r->text.at, length) != 0 ||
            !is_known(r, kind))
            continue;
        if (kind != TD_RECORD_ROBOT && !r->builder)
            return td_model_text_refuse(&r->text, "a record before the robot", NULL);
        td_any_record record = td_record_default(kind);
        r->text.at += length;
        if (!read_fields(r, form, &record) || !is_complete(r, kind, &record))
            return false;
        take(r, kind, &record);
        return r->text.status == TD_OK;
    }
    bool end = length == strlen(TD_MODEL_FILE_END) && r->text.at[length] == '\n' &&
               strncmp(r->text.at, TD_MODEL_FILE_END, length) == 0;
    r->text.at[length] = '\0';
    if (!end)
        return td_model_text_refuse(&r->text, "an unknown record", r->text.at);
    r->text.at += length + 1;
    if (r->builder) {
        end_link(r);
        end_follower(r);
    } else
        td_model_text_refuse(&r->text, "there is no robot", NULL);
    return false;
}

/* Reads `tandem-model VERSION`. */
static bool read_first_line(reader *r)
{
    size_t word = strlen(TD_MODEL_FILE_WORD);
    long long version = 0;
    r->text.line = 1;
    if (strncmp(r->text.at, TD_MODEL_FILE_WORD " ", word + 1) != 0)
        return td_model_text_refuse(&r->text, "this is not a model file: it does not begin with",
                                    TD_MODEL_FILE_WORD);
    r->text.at += word + 1;
    if (!td_model_text_integer(&r->text, 0, INT_MAX, &version))
        return false;
    if (version < TD_MODEL_FILE_OLDEST || version > TD_MODEL_FILE_VERSION) {
        td_report(r->text.diagnostics, TD_CODE_MODEL_FILE_VERSION,
                  (td_source){r->text.name, 1, 0, NULL},
                  "write it with this version of tandem, or read it with that one",
                  "a model file of version %lld; this library reads versions %d to %d", version,
                  TD_MODEL_FILE_OLDEST, TD_MODEL_FILE_VERSION);
        return td_model_text_fail(&r->text, TD_ERROR_MODEL);
    }
    if (*r->text.at++ != '\n')
        return td_model_text_refuse(&r->text, "extra text after the version", NULL);
    r->version = (int)version;
    return true;
}

/* ---- entry point ----------------------------------------------------------------------------- */

static void read_text(reader *r, char *copy, size_t size)
{
    r->text.at = copy;
    td_c_locale locale;
    if (!td_c_locale_begin(&locale)) {
        td_model_text_fail(&r->text, TD_ERROR_MEMORY);
        return;
    }
    if (memchr(copy, '\0', size)) {
        r->text.line = 1;
        td_model_text_refuse(&r->text, "the text has NUL bytes", NULL);
    } else if (read_first_line(r)) {
        while (read_line(r))
            continue;
        if (r->text.status == TD_OK && *r->text.at)
            td_model_text_refuse(&r->text, "extra text after the end", NULL);
    }
    td_c_locale_end(&locale);
}

static td_status finish(reader *r, const td_load_options *given, td_model **model)
{
    r->options.locked = r->locked.at;
    r->options.locked_count = r->locked.count;
    r->options.start = r->start.at;
    r->options.start_count = r->start.count;
    r->options.actuated = r->actuated.at;
    r->options.actuated_count = r->actuated.count;
    td_status status =
        td_builder_finish(r->builder, given ? given : &r->options, r->text.diagnostics, model);
    if (status != TD_ERROR_ARGUMENT || given)
        return status;
    r->text.line = 0;
    td_model_text_refuse(&r->text, "an option is out of range",
                         NULL); /* found by td_builder_finish */
    return TD_ERROR_MODEL;
}

td_status td_load_model_memory(const char *text, size_t size, const char *name,
                               const td_load_options *options, td_diagnostics *diagnostics,
                               td_model **model)
{
    if (model)
        *model = NULL;
    td_load_options ours;
    if (!model || (!text && size) || !td_options_read(options, &ours))
        return TD_ERROR_ARGUMENT;
    if (size > ours.max_bytes)
        return TD_ERROR_IO;
    reader r = {.text = {.name = name, .diagnostics = diagnostics},
                .options = td_load_options_default()};
    char *copy = malloc(size + 1);
    if (!copy)
        return TD_ERROR_MEMORY;
    if (size)
        memcpy(copy, text, size);
    copy[size] = '\0';
    const fenv_t caller = td_environment_begin();
    read_text(&r, copy, size);
    td_environment_end(&caller);
    td_status status = r.text.status == TD_OK ? finish(&r, options, model) : r.text.status;
    td_builder_free(r.builder);
    td_arena_free(&r.text.arrays);
    free(r.geometry.at);
    free(r.curve.at);
    free(r.locked.at);
    free(r.start.at);
    free(r.actuated.at);
    free(copy);
    return status;
}
