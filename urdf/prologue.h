/* SPDX-License-Identifier: MIT */
/*
 * Prologue: what real files have before the first tag and after the last one that XML forbids, and
 * that is forgiven with a warning.
 */
#ifndef TD_PROLOGUE_H
#define TD_PROLOGUE_H

#include <stddef.h>

#include "base/diagnostic.h"
#include "cursor.h"

/* The part of a text from begin to end (byte offsets) that a strict parser can be given. */
typedef struct td_extent {
    size_t begin, end;
} td_extent;

td_extent td_prologue_trim(const char *text, size_t size, const char *file, td_cursor *cursor,
                           td_diagnostics *diagnostics);

/* A remedy where the text is known to be something else than XML; else NULL. */
const char *td_prologue_mistaken(const char *text, size_t size);

#endif
