/* SPDX-License-Identifier: MIT */
/*
 * Builds and prints JSON with cJSON. Numbers read back to the same double; numbers that are not
 * finite become null.
 */
#ifndef TOOL_JSON_H
#define TOOL_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "tandem/tandem.h"

/* Returns an object with "schema_version", and with "name" unless name is NULL. */
cJSON *json_root(const char *name);
cJSON *json_number(double x);
cJSON *json_count(size_t n);
cJSON *json_numbers(const double *x, size_t n);
/* Returns x, y and z of a point, or null if one is NaN. */
cJSON *json_point(const double x[3]);
/* Returns a matrix (rows × columns, row-major) as a list of rows. */
cJSON *json_matrix(const double *x, size_t rows, size_t columns);
/* Return texts; null for NULL. */
cJSON *json_text(const char *text);
cJSON *json_texts(const char *const *text, size_t n);
/* Returns {"name": number, ...}. */
cJSON *json_named(const char *const *names, const double *x, size_t n);
cJSON *json_diagnostics(const td_diagnostics *list, const char *file);

/* Returns the text of an item in a new string and deletes the item. compact: on one line. Escapes
   control and invisible characters (character_is_control). */
char *json_string(cJSON *item, bool compact);

/* json_print prints an item and a newline to standard output and deletes the item. compact: on one
   line. Between json_files_begin and json_files_end, items are one-line elements of the list
   "files" of one object. Each gets "file" with the name from json_files_next. */
void json_print(cJSON *item, bool compact);
void json_files_begin(void);
void json_files_next(const char *file);
void json_files_end(void);

/* Print an object whose last member is a list, with one line for each item: first root without its
   closing brace, then the items, then the closing brackets. Delete root and the items. */
void json_list_begin(cJSON *root, const char *key);
void json_list_item(cJSON *item, bool first);
void json_list_end(void);

#endif
