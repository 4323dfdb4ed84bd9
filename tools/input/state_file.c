/* SPDX-License-Identifier: MIT */
/*
 * Reads one state from a file; see state_file.h.
 */
#include "input/state_file.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/file_text.h"
#include "input/quaternions.h"
#include "input/state_table.h"
#include "text.h"

/* ---- JSON ------------------------------------------------------------------------------------ */

enum { LARGEST_FILE = 16 }; /* MiB */

/* Reads the members of an object by name. */
static bool read_quantity(const coordinates *c, const char *path, enum quantity quantity,
                          const cJSON *object, double *value)
{
    bool good = true;
    scoped bool *given = allocate(c->size[quantity], sizeof *given);
    for (const cJSON *item = object->child; item != NULL; item = item->next) {
        int index = coordinates_find(c, quantity, item->string);
        if (index < 0) {
            scoped char *reason = coordinates_explain(c, quantity, item->string, true);
            complain("%s: %s: %s", path, quantity_text(quantity), reason);
            good = false;
        } else if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble)) {
            complain("%s: %s of '%s' is not a finite number", path, quantity_text(quantity),
                     item->string);
            good = false;
        } else {
            value[index] = item->valuedouble;
            given[index] = true;
        }
    }
    if (quantity == QUANTITY_Q) {
        complete_quaternions(c, given, value);
    }
    return good;
}

static bool read_json(const coordinates *c, const char *path, double *const value[QUANTITY_COUNT])
{
    char *text = file_text(path, LARGEST_FILE, NULL);
    if (text == NULL) {
        return false;
    }
    cJSON *root = cJSON_Parse(text);
    const char *fault = root == NULL ? cJSON_GetErrorPtr() : NULL;
    bool good = cJSON_IsObject(root), found = false;
    if (!good) {
        size_t line = 1;
        for (const char *at = text; fault != NULL && at < fault && *at != '\0'; at++) {
            line += *at == '\n';
        }
        complain("%s:%zu: not a JSON object", path, line);
    }
    for (enum quantity quantity = QUANTITY_Q; good && quantity < QUANTITY_COUNT; quantity++) {
        const cJSON *object = cJSON_GetObjectItemCaseSensitive(root, quantity_text(quantity));
        if (cJSON_IsObject(object)) {
            found = true;
            good = read_quantity(c, path, quantity, object, value[quantity]);
        }
    }
    if (good && !found) {
        complain("%s: no q, qd, qdd or tau; give at least one, as an object of names and numbers",
                 path);
        good = false;
    }
    for (size_t i = 0; i < 2 && good; i++) {
        static const char *const option[] = {"payload", "wrench"};
        static const char *const member[] = {"payloads", "wrenches"};
        if (cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(root, member[i])) > 0) {
            tell_note("%s: its %s are not part of a state; give them with --%s", path, member[i],
                      option[i]);
        }
    }
    cJSON_Delete(root);
    free(text);
    return good;
}

/* ---- CSV ------------------------------------------------------------------------------------- */

typedef struct one_row {
    const coordinates *c;
    const char *path;
    double *const *value;
    size_t rows;
} one_row;

static bool take(void *context, const state_batch *batch)
{
    one_row *row = context;
    row->rows += batch->rows;
    if (row->rows > 1) {
        complain("%s: a state must have one row; give a table with many rows as STATES, after FILE",
                 row->path);
        return false;
    }
    for (enum quantity quantity = QUANTITY_Q; batch->rows == 1 && quantity < QUANTITY_COUNT;
         quantity++) {
        if (batch->given[quantity]) {
            memcpy(row->value[quantity], batch->value[quantity],
                   row->c->size[quantity] * sizeof(double));
        }
    }
    return true;
}

static bool read_csv(const coordinates *c, const char *path, const column_words *words,
                     double *const value[QUANTITY_COUNT])
{
    one_row row = {c, path, value, 0};
    state_form form = {.read = {QUANTITY_Q, QUANTITY_QD, QUANTITY_QDD},
                       .count = 3,
                       .told = 1U << QUANTITY_Q,
                       .words = words};
    if (!state_table_read(c, &form, path, take, &row)) {
        return false;
    }
    if (row.rows == 0) {
        complain("%s: the table has no row", path);
    }
    return row.rows == 1;
}

bool state_file_read(const coordinates *c, const char *path, const column_words *words,
                     double *const value[QUANTITY_COUNT])
{
    size_t length = strlen(path);
    bool json = length > 5 && strcmp(path + length - 5, ".json") == 0;
    return json ? read_json(c, path, value) : read_csv(c, path, words, value);
}
