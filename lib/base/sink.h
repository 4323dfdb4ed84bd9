/* SPDX-License-Identifier: MIT */
/*
 * The destination of a text that is written piece by piece: the caller's memory. Text that does
 * not fit is only counted. A hash covers all of the text. Numbers use the thread's locale, which
 * base/c_locale.h sets to the C locale.
 */
#ifndef TD_SINK_H
#define TD_SINK_H

#include <stddef.h>
#include <stdint.h>

#include "base/printf_like.h"
#include "base/private.h"

typedef struct td_sink {
    char *text; /* NULL: only count and hash */
    size_t capacity, size;
    uint64_t hash; /* FNV-1a hash of all bytes; initialize it with TD_HASH_START */
} td_sink;

#define TD_HASH_START UINT64_C(14695981039346656037)

TD_PRIVATE void td_put(td_sink *sink, const char *text, size_t length);
TD_PRIVATE void td_put_text(td_sink *sink, const char *text);
/* Writes up to 63 bytes like printf. */
TD_PRIVATE void td_put_format(td_sink *sink, const char *format, ...) TD_PRINTF_LIKE(2, 3);
/* Writes the shortest text of 15 to 17 digits that reads back to the same double; nan, inf or
   -inf. */
void td_put_double(td_sink *sink, double x);

#endif
