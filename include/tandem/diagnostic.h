/* SPDX-License-Identifier: MIT */
/*
 * Diagnostics: what a loader has to say about a file. A list collects notes, warnings and errors,
 * each with a stable code, the place in the file, the element's path and a remedy. All of them are
 * collected, not just the first, up to a cap; the counts go on past it. docs/diagnostics.md
 * explains every code.
 */
#ifndef TANDEM_DIAGNOSTIC_H
#define TANDEM_DIAGNOSTIC_H

#include <stdbool.h>
#include <stddef.h>

#include "tandem/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum td_severity {
    TD_SEVERITY_NOTE,    /* what was understood, where that is not obvious */
    TD_SEVERITY_WARNING, /* it may not be what was meant */
    TD_SEVERITY_ERROR,   /* no model is made */
} td_severity;

/* Where an element stands. file may be NULL, line and column (both from 1, the column in bytes, in
   UTF-16 in units of it, of the element's '<') are 0 where unknown; element is a path such as
   /robot/joint[@name='elbow']/mimic, or NULL. */
typedef struct td_source {
    const char *file;
    int line;
    int column;
    const char *element;
} td_source;

/* Strings are owned by the list and live as long as it does; remedy and the strings of source may
   be "" but are never NULL. */
typedef struct td_diagnostic {
    td_severity severity; /* how bad it is */
    const char *code;     /* stable, such as "URDF-M003" */
    td_source source;
    const char *message; /* what is wrong, in English */
    const char *remedy;  /* what to do; "" without one */
    bool omission; /* a warning that something of the file that bears on the robot's motion is not
                      in the model, or not as the file has it (loops that rounding keeps open): what
                      is computed is not of the robot that the file describes */
} td_diagnostic;

typedef struct td_diagnostics td_diagnostics;

/* An empty list that keeps at most cap diagnostics (0: the default of 1000). NULL without memory.
 */
TD_API td_status td_diagnostics_new(size_t cap, td_diagnostics **diagnostics);

/* Frees the list and its strings; NULL is allowed. */
TD_API void td_diagnostics_free(td_diagnostics *list);

/* Adds a finding of the caller's own, whose strings are copied (NULL ones are ""): a program that
   checks more of a robot than the library does, the files it names say, puts what it finds among
   the rest. Past the cap it is counted alone. TD_ERROR_ARGUMENT: list, entry, its code or message
   is NULL, or its severity is none; TD_ERROR_MEMORY: it is counted, and not kept. */
TD_API td_status td_diagnostics_add(td_diagnostics *list, const td_diagnostic *entry);

/* Number of diagnostics kept; the i-th of them (0 ≤ i < size) in the order of their reporting, NULL
   out of range. */
TD_API size_t td_diagnostics_size(const td_diagnostics *list);
TD_API const td_diagnostic *td_diagnostics_at(const td_diagnostics *list, size_t i);

/* Number reported with that severity, those past the cap included. */
TD_API size_t td_diagnostics_count(const td_diagnostics *list, td_severity severity);

/* "error", "warning" or "note". */
TD_API const char *td_severity_text(td_severity severity);

#ifdef __cplusplus
}
#endif
#endif
