/* SPDX-License-Identifier: MIT */
/*
 * Diagnostics: the notes, warnings and errors that loaders report about a file.
 *
 * A list collects diagnostics. Each has a stable code, a position in the file, the path of the
 * element, a message and a remedy. Loading continues after an error where it can, so that one run
 * reports all problems. The list stores diagnostics up to a cap and counts those past it.
 * docs/diagnostics.md explains every code.
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
    TD_SEVERITY_NOTE,    /* how the loader understood something that is not obvious */
    TD_SEVERITY_WARNING, /* the file may not mean what its author intended */
    TD_SEVERITY_ERROR,   /* no model is made */
} td_severity;

/* A position in a file. line and column count from 1 and are 0 if unknown. They locate the
   element's '<'. The column counts bytes, or 16-bit units in a UTF-16 file. */
typedef struct td_source {
    const char *file;    /* NULL if unknown */
    int line;            /* 0 if unknown */
    int column;          /* 0 if unknown */
    const char *element; /* a path such as /robot/joint[@name='elbow']/mimic, or NULL */
} td_source;

/* One diagnostic. The list owns the strings, which live as long as the list. remedy and the strings
   of source may be empty but are never NULL. */
typedef struct td_diagnostic {
    td_severity severity; /* note, warning or error */
    const char *code;     /* stable, such as "URDF-M003" */
    td_source source;
    const char *message; /* describes the problem, in English */
    const char *remedy;  /* how to fix it; "" if there is no advice */
    bool omission; /* true: a warning that the model omits or changes something that affects the
                      robot's motion, such as a loop that rounding keeps open. Results are then for
                      a different robot than the file describes */
} td_diagnostic;

/* Opaque: a list of diagnostics. */
typedef struct td_diagnostics td_diagnostics;

/* Allocates an empty list that stores at most cap diagnostics (0 means 1000). TD_ERROR_ARGUMENT:
   diagnostics is NULL. TD_ERROR_MEMORY: *diagnostics is NULL. */
TD_API td_status td_diagnostics_new(size_t cap, td_diagnostics **diagnostics);

/* Frees the list and its strings. NULL is allowed. */
TD_API void td_diagnostics_free(td_diagnostics *list);

/* Adds a diagnostic of the caller, and copies its strings (NULL becomes ""). Programs use it to
   report checks that the library does not make, such as whether mesh files exist. Past the cap the
   diagnostic is only counted.

   TD_ERROR_ARGUMENT: list, entry, its code or its message is NULL, or its severity is invalid.
   TD_ERROR_MEMORY: the diagnostic is counted, but it is not stored or its strings are empty. */
TD_API td_status td_diagnostics_add(td_diagnostics *list, const td_diagnostic *entry);

/* td_diagnostics_size returns the number of stored diagnostics, and 0 for NULL. td_diagnostics_at
   returns the i-th of them in the order in which they were reported, and NULL if i is out of range.
 */
TD_API size_t td_diagnostics_size(const td_diagnostics *list);
TD_API const td_diagnostic *td_diagnostics_at(const td_diagnostics *list, size_t i);

/* Returns the number of diagnostics of this severity, including those past the cap. 0 for NULL. */
TD_API size_t td_diagnostics_count(const td_diagnostics *list, td_severity severity);

/* Returns "error", "warning" or "note", and "unknown severity" for any other number. */
TD_API const char *td_severity_text(td_severity severity);

#ifdef __cplusplus
}
#endif
#endif
