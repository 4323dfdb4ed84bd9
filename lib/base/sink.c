/* SPDX-License-Identifier: MIT */
/*
 * Writes texts piece by piece.
 */
#include "base/sink.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void td_put(td_sink *s, const char *text, size_t length)
{
    if (s->text && s->size <= s->capacity && length <= s->capacity - s->size)
        memcpy(s->text + s->size, text, length);
    s->size += length;
    for (size_t i = 0; i < length; i++)
        s->hash = (s->hash ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
}

void td_put_text(td_sink *s, const char *text)
{
    td_put(s, text, strlen(text));
}

void td_put_format(td_sink *s, const char *format, ...)
{
    char piece[64];
    va_list list;
    va_start(list, format);
    vsnprintf(piece, sizeof piece, format, list);
    va_end(list);
    td_put_text(s, piece);
}

void td_put_double(td_sink *s, double x)
{
    if (isnan(x)) {
        td_put_text(s, "nan");
        return;
    }
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    td_put_text(s, text);
}
