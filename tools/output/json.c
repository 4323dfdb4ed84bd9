/* SPDX-License-Identifier: MIT */
/*
 * Builds and prints JSON with cJSON; see json.h. cJSON gets an allocator that never fails, so that
 * calls here need no checks.
 */
#include "output/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

enum { SCHEMA_VERSION = 2 };

static void *allocate_bytes(size_t size)
{
    return allocate(size, 1);
}

/* Runs before main, since many sources use cJSON first. */
__attribute__((constructor)) static void use_allocator(void)
{
    cJSON_Hooks hooks = {allocate_bytes, free};
    cJSON_InitHooks(&hooks);
}

cJSON *json_root(const char *name)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddItemToObject(root, "schema_version", json_count(SCHEMA_VERSION));
    if (name != NULL) {
        cJSON_AddItemToObject(root, "name", json_text(name));
    }
    return root;
}

cJSON *json_number(double x)
{
    return isfinite(x) ? cJSON_CreateRaw(number_exact(x).text) : cJSON_CreateNull();
}

cJSON *json_count(size_t n)
{
    char text[24];
    snprintf(text, sizeof text, "%zu", n);
    return cJSON_CreateRaw(text);
}

cJSON *json_numbers(const double *x, size_t n)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < n; i++) {
        cJSON_AddItemToArray(list, json_number(x[i]));
    }
    return list;
}

cJSON *json_point(const double x[3])
{
    return isfinite(x[0]) ? json_numbers(x, 3) : cJSON_CreateNull();
}

cJSON *json_matrix(const double *x, size_t rows, size_t columns)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < rows; i++) {
        cJSON_AddItemToArray(list, json_numbers(x + i * columns, columns));
    }
    return list;
}

cJSON *json_text(const char *text)
{
    if (text == NULL) {
        return cJSON_CreateNull();
    }
    /* file names may be any bytes, but JSON must be UTF-8: invalid bytes become U+FFFD */
    char *valid = allocate(3 * strlen(text) + 1, 1);
    char *end = valid;
    while (*text != '\0') {
        unsigned code;
        const size_t length = character_read(text, &code);
        end += character_write(length > 0 ? code : 0xfffd, end);
        text += length > 0 ? length : 1;
    }
    *end = '\0';
    cJSON *item = cJSON_CreateString(valid);
    free(valid);
    return item;
}

cJSON *json_texts(const char *const *text, size_t n)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < n; i++) {
        cJSON_AddItemToArray(list, json_text(text[i]));
    }
    return list;
}

cJSON *json_named(const char *const *names, const double *x, size_t n)
{
    cJSON *object = cJSON_CreateObject();
    for (size_t i = 0; i < n; i++) {
        cJSON_AddItemToObject(object, names[i], json_number(x[i]));
    }
    return object;
}

cJSON *json_diagnostics(const td_diagnostics *list, const char *file)
{
    cJSON *items = cJSON_CreateArray();
    for (size_t i = 0; i < td_diagnostics_size(list); i++) {
        const td_diagnostic *d = td_diagnostics_at(list, i);
        const char *place = d->source.file;
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToObject(item, "severity", json_text(td_severity_text(d->severity)));
        cJSON_AddItemToObject(item, "code", json_text(d->code));
        cJSON_AddItemToObject(item, "file",
                              json_text(place != NULL && *place != '\0' ? place : file));
        cJSON_AddItemToObject(item, "line", json_number(d->source.line));
        cJSON_AddItemToObject(item, "column", json_number(d->source.column));
        cJSON_AddItemToObject(item, "element",
                              json_text(d->source.element != NULL ? d->source.element : ""));
        cJSON_AddItemToObject(item, "message", json_text(d->message));
        cJSON_AddItemToObject(item, "remedy", json_text(d->remedy));
        cJSON_AddItemToArray(items, item);
    }
    return items;
}

/* ---- printing -------------------------------------------------------------------------------- */

/* Counts the bytes up to the first character to escape. cJSON has escaped control characters, and
   the others occur only in strings. */
static size_t plain_length(const char *text)
{
    size_t at = 0;
    while (text[at] != '\0') {
        unsigned code;
        const size_t length = character_read(text + at, &code);
        if (code >= 0x7f && length > 0 && character_is_control(code)) {
            break;
        }
        at += length > 0 ? length : 1;
    }
    return at;
}

char *json_string(cJSON *item, bool compact)
{
    char *text = compact ? cJSON_PrintUnformatted(item) : cJSON_Print(item);
    cJSON_Delete(item);
    size_t plain = plain_length(text);
    if (text[plain] == '\0') {
        return text;
    }
    text_stream escaped;
    text_open(&escaped);
    const char *at = text;
    for (; fwrite(at, 1, plain, escaped.stream), at[plain] != '\0'; plain = plain_length(at)) {
        unsigned code;
        at += plain + character_read(at + plain, &code);
        if (code > 0xffff) {
            fprintf(escaped.stream, "\\u%04x", 0xd7c0 + (code >> 10));
            code = 0xdc00 + (code & 0x3ff);
        }
        fprintf(escaped.stream, "\\u%04x", code);
    }
    free(text);
    return text_close(&escaped);
}

/* the list of json_files_begin */
static struct {
    bool open;
    const char *file;
    size_t items;
} files;

void json_files_begin(void)
{
    json_list_begin(json_root(NULL), "files");
    files.open = true;
}

void json_files_next(const char *file)
{
    files.file = file;
}

void json_files_end(void)
{
    json_list_end();
    files.open = false;
}

void json_print(cJSON *item, bool compact)
{
    if (files.open) {
        if (cJSON_GetObjectItemCaseSensitive(item, "file") == NULL) {
            cJSON_AddItemToObject(item, "file", json_text(files.file));
        }
        json_list_item(item, files.items++ == 0);
        return;
    }
    scoped char *text = json_string(item, compact);
    puts(text);
}

void json_list_begin(cJSON *root, const char *key)
{
    scoped char *text = json_string(root, true);
    text[strlen(text) - 1] = '\0'; /* the brace that ends the object */
    printf("%s,\"%s\":[", text, key);
}

void json_list_item(cJSON *item, bool first)
{
    scoped char *text = json_string(item, true);
    printf("%s\n%s", first ? "" : ",", text);
}

void json_list_end(void)
{
    fputs("\n]}\n", stdout);
}
