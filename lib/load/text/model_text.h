/* SPDX-License-Identifier: MIT */
/*
 * A text of a model file as it is read, in the C locale: where the reading stands, and the values
 * there.
 */
#ifndef TD_MODEL_TEXT_H
#define TD_MODEL_TEXT_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "model/fields.h"

typedef struct td_model_text {
    char *at; /* ends in NUL; strings are unescaped where they stand */
    const char *name;
    int line;
    td_diagnostics *diagnostics;
    td_status status; /* of the first failure */
    td_arena arrays;  /* what fields that are arrays point to */
} td_model_text;

/* Always false: keeps the status, which may be TD_OK, unless there is another one already. */
bool td_model_text_fail(td_model_text *text, td_status status);

/* Always false: reports what is wrong in the line, with a detail (NULL for none) in quotation
   marks. */
bool td_model_text_refuse(td_model_text *text, const char *what, const char *detail);

/* An integer from least to most, and the value of a field into its place in a record, that of an
   array with its count. text->at stands before it, and behind it on success; false with a report
   otherwise. */
bool td_model_text_integer(td_model_text *text, long long least, unsigned long long most,
                           long long *value);
bool td_model_text_value(td_model_text *text, const td_field *field, void *record);

#endif
