/* SPDX-License-Identifier: MIT */
/*
 * The text of a model file during parsing, in the C locale: the current position, and parsing of
 * values.
 */
#ifndef TD_MODEL_TEXT_H
#define TD_MODEL_TEXT_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "model/fields.h"

typedef struct td_model_text {
    char *at; /* NUL-terminated; strings are unescaped in place */
    const char *name;
    int line;
    td_diagnostics *diagnostics;
    td_status status; /* status of the first failure */
    td_arena arrays;  /* owns the values of array fields */
} td_model_text;

/* Stores the status, which may be TD_OK, unless an earlier failure is stored. Always returns
   false. */
bool td_model_text_fail(td_model_text *text, td_status status);

/* Reports an error in the current line, with a quoted detail (NULL for none). Always returns
   false. */
bool td_model_text_refuse(td_model_text *text, const char *what, const char *detail);

/* Parse a value at text->at and move text->at past it: an integer from least to most, or the value
   of a field, which is stored in the record. For an array, its count is stored, too. Report errors
   and return false. */
bool td_model_text_integer(td_model_text *text, long long least, unsigned long long most,
                           long long *value);
bool td_model_text_value(td_model_text *text, const td_field *field, void *record);

#endif
