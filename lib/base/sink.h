/* SPDX-License-Identifier: MIT */
/*
 * Where a text goes that is written piece by piece: the caller's memory, of which what does not fit
 * is counted only, and a number that stands for all of it. Numbers are written as the locale of the
 * thread has them, which base/c_locale.h makes the C locale.
 */
#ifndef TD_SINK_H
#define TD_SINK_H

#include <stddef.h>
#include <stdint.h>

#include "base/printf_like.h"

typedef struct td_sink {
    char *text; /* NULL: nothing is kept */
    size_t capacity, size;
    uint64_t hash; /* FNV-1a of all bytes, if it began as TD_HASH_START */
} td_sink;

#define TD_HASH_START UINT64_C(14695981039346656037)

void td_put(td_sink *sink, const char *text, size_t length);
void td_put_text(td_sink *sink, const char *text);
/* printf, of up to 63 bytes */
void td_put_format(td_sink *sink, const char *format, ...) TD_PRINTF_LIKE(2, 3);
/* The shortest text of 15 to 17 digits that reads back to the same double; nan, inf, -inf. */
void td_put_double(td_sink *sink, double x);

#endif
