/* SPDX-License-Identifier: MIT */
/*
 * Removes text before the first tag and after the last one that XML forbids but real files contain,
 * with a warning or a note.
 */
#ifndef TD_PROLOGUE_H
#define TD_PROLOGUE_H

#include <stddef.h>

#include "base/diagnostic.h"
#include "cursor.h"

/* The part of a text that a strict parser accepts, from begin to end (byte offsets). */
typedef struct td_extent {
    size_t begin, end;
} td_extent;

td_extent td_prologue_trim(const char *text, size_t size, const char *file, td_cursor *cursor,
                           td_diagnostics *diagnostics);

/* Returns whether the XML is a quoted text of YAML or JSON, as "ros2 topic echo" prints it. */
bool td_prologue_is_quoted(const char *text, size_t size);

/* Returns where a text ends without its last lines '---', which end documents of YAML. */
size_t td_prologue_document_end(const char *text, size_t size);

/* Returns a remedy if the text is recognized as another format than XML, otherwise NULL. */
const char *td_prologue_mistaken(const char *text, size_t size);

#endif
