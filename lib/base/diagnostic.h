/* SPDX-License-Identifier: MIT */
/*
 * Appends diagnostics to a list, for the library's checks and the importer.
 */
#ifndef TD_DIAGNOSTIC_H
#define TD_DIAGNOSTIC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diagnostic_codes.h"
#include "base/printf_like.h"
#include "tandem/diagnostic.h"

typedef enum td_code {
#define TD_CODE_ENUM(name, code, severity, text) TD_CODE_##name,
    TD_DIAGNOSTIC_TABLE(TD_CODE_ENUM)
#undef TD_CODE_ENUM
        TD_CODE_COUNT,
} td_code;

td_severity td_code_severity(td_code code);

/* An unknown place. */
#define TD_NOWHERE ((td_source){NULL, 0, 0, NULL})

/* Returns the place of a part, or of the whole if the part's place is unknown. */
td_source td_source_or(td_source part, td_source whole);

/* Appends a diagnostic. remedy may be NULL; message is a printf format. Copies all strings. Does
   nothing if the list is NULL. */
void td_report(td_diagnostics *list, td_code code, td_source source, const char *remedy,
               const char *message, ...) TD_PRINTF_LIKE(5, 6);

/* The length of a list. td_diagnostics_here returns it; td_diagnostics_return removes all later
   diagnostics, for steps that are repeated. A NULL list is allowed. */
typedef struct td_diagnostics_mark {
    size_t size, count[TD_SEVERITY_ERROR + 1];
} td_diagnostics_mark;

td_diagnostics_mark td_diagnostics_here(const td_diagnostics *list);
void td_diagnostics_return(td_diagnostics *list, const td_diagnostics_mark *mark);

/* Returns whether memory was exhausted while reporting. */
bool td_diagnostics_failed(const td_diagnostics *list);

#endif
