/* SPDX-License-Identifier: MIT */
/*
 * JSON through cJSON, with numbers that read back to the same double (null where not finite).
 */
#ifndef TOOL_JSON_H
#define TOOL_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "tandem/tandem.h"

/* An object that starts with "schema_version", and "name" where it is given. */
cJSON *json_root(const char *name);
cJSON *json_number(double x);
cJSON *json_count(size_t n);
cJSON *json_numbers(const double *x, size_t n);
/* x, y and z of a point; null where it does not exist: not a number */
cJSON *json_point(const double x[3]);
/* rows × columns, row-major, as a list of rows. */
cJSON *json_matrix(const double *x, size_t rows, size_t columns);
/* null for NULL. */
cJSON *json_text(const char *text);
cJSON *json_texts(const char *const *text, size_t n);
/* {"name": number, ...} */
cJSON *json_named(const char *const *names, const double *x, size_t n);
cJSON *json_diagnostics(const td_diagnostics *list, const char *file);

/* The text of an item, which it deletes, in a new string; compact: on one line. What drives a
   terminal or hides from it (character_is_control) is escaped. */
char *json_string(cJSON *item, bool compact);

/* Prints to standard output with a newline, and deletes; compact: on one line. Between
   json_files_begin and json_files_end it is an item, on one line, of the list "files" of one
   object, and gets the name that json_files_next has given as its "file". */
void json_print(cJSON *item, bool compact);
void json_files_begin(void);
void json_files_next(const char *file);
void json_files_end(void);

/* An object on standard output whose last entry is a list that comes item by item, a line each:
   root (deleted) without its end, then the items (deleted), then what ends both. */
void json_list_begin(cJSON *root, const char *key);
void json_list_item(cJSON *item, bool first);
void json_list_end(void);

#endif
