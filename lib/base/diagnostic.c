/* SPDX-License-Identifier: MIT */
/*
 * The list of diagnostics.
 */
#include "base/diagnostic.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { DEFAULT_CAP = 1000, LONGEST_MESSAGE = 4096 };

struct td_diagnostics {
    td_arena arena;
    td_diagnostic *list;
    size_t size, capacity, cap;
    size_t count[TD_SEVERITY_ERROR + 1];
    bool failed;
};

static const struct {
    const char *code;
    td_severity severity;
} table[] = {
#define TD_CODE_ROW(name, code, severity, text) {code, TD_SEVERITY_##severity},
    TD_DIAGNOSTIC_TABLE(TD_CODE_ROW)
#undef TD_CODE_ROW
};

static bool is_omission(td_code code)
{
    static const td_code omissions[] = {
#define TD_CODE_ITEM(name) TD_CODE_##name,
        TD_DIAGNOSTIC_OMISSIONS(TD_CODE_ITEM)
#undef TD_CODE_ITEM
    };
    for (size_t i = 0; i < sizeof omissions / sizeof *omissions; i++)
        if (omissions[i] == code)
            return true;
    return false;
}

td_severity td_code_severity(td_code code)
{
    return table[code].severity;
}

td_status td_diagnostics_new(size_t cap, td_diagnostics **diagnostics)
{
    if (!diagnostics)
        return TD_ERROR_ARGUMENT;
    *diagnostics = calloc(1, sizeof **diagnostics);
    if (!*diagnostics)
        return TD_ERROR_MEMORY;
    (*diagnostics)->cap = cap ? cap : DEFAULT_CAP;
    return TD_OK;
}

void td_diagnostics_free(td_diagnostics *list)
{
    if (!list)
        return;
    td_arena_free(&list->arena);
    free(list->list);
    free(list);
}

size_t td_diagnostics_size(const td_diagnostics *list)
{
    return list ? list->size : 0;
}

const td_diagnostic *td_diagnostics_at(const td_diagnostics *list, size_t i)
{
    return list && i < list->size ? &list->list[i] : NULL;
}

size_t td_diagnostics_count(const td_diagnostics *list, td_severity severity)
{
    return list && (unsigned)severity <= TD_SEVERITY_ERROR ? list->count[severity] : 0;
}

const char *td_severity_text(td_severity severity)
{
    switch (severity) {
    case TD_SEVERITY_NOTE:
        return "note";
    case TD_SEVERITY_WARNING:
        return "warning";
    case TD_SEVERITY_ERROR:
        return "error";
    }
    return "unknown severity";
}

bool td_diagnostics_failed(const td_diagnostics *list)
{
    return list && list->failed;
}

td_diagnostics_mark td_diagnostics_here(const td_diagnostics *list)
{
    td_diagnostics_mark mark = {.size = td_diagnostics_size(list)};
    if (list)
        memcpy(mark.count, list->count, sizeof mark.count);
    return mark;
}

void td_diagnostics_return(td_diagnostics *list, const td_diagnostics_mark *mark)
{
    if (!list)
        return;
    list->size = mark->size;
    memcpy(list->count, mark->count, sizeof mark->count);
}

/* Makes space for one more entry. */
static bool reserve(td_diagnostics *list)
{
    if (list->size < list->capacity)
        return true;
    size_t capacity = list->capacity ? 2 * list->capacity : 16;
    td_diagnostic *larger = realloc(list->list, capacity * sizeof *larger);
    if (!larger)
        return false;
    list->list = larger;
    list->capacity = capacity;
    return true;
}

static const char *keep(td_diagnostics *list, const char *text)
{
    const char *copy = td_arena_string(&list->arena, text ? text : "");
    if (!copy) {
        list->failed = true;
        return "";
    }
    return copy;
}

td_source td_source_or(td_source part, td_source whole)
{
    return part.file || part.line ? part : whole;
}

/* Appends an entry with copies of its strings. Entries beyond the cap are only counted. */
static void add(td_diagnostics *list, const td_diagnostic *entry)
{
    list->count[entry->severity]++;
    if (list->size == list->cap)
        return;
    if (!reserve(list)) {
        list->failed = true;
        return;
    }
    td_diagnostic *mine = &list->list[list->size++];
    *mine = *entry;
    mine->source.file = keep(list, entry->source.file);
    mine->source.element = keep(list, entry->source.element);
    mine->message = keep(list, entry->message);
    mine->remedy = keep(list, entry->remedy);
}

td_status td_diagnostics_add(td_diagnostics *list, const td_diagnostic *entry)
{
    if (!list || !entry || !entry->code || !entry->message ||
        (unsigned)entry->severity > TD_SEVERITY_ERROR)
        return TD_ERROR_ARGUMENT;
    bool failed = list->failed;
    list->failed = false;
    td_diagnostic mine = *entry;
    mine.code = keep(list, entry->code);
    add(list, &mine);
    bool good = !list->failed;
    list->failed = failed || !good;
    return good ? TD_OK : TD_ERROR_MEMORY;
}

void td_report(td_diagnostics *list, td_code code, td_source source, const char *remedy,
               const char *message, ...)
{
    if (!list)
        return;
    if (list->size == list->cap) {
        list->count[table[code].severity]++;
        return;
    }
    char text[LONGEST_MESSAGE];
    va_list arguments;
    va_start(arguments, message);
    vsnprintf(text, sizeof text, message, arguments);
    va_end(arguments);
    const td_diagnostic entry = {
        .severity = table[code].severity,
        .code = table[code].code,
        .source = source,
        .message = text,
        .remedy = remedy,
        .omission = is_omission(code),
    };
    add(list, &entry);
}
