/* SPDX-License-Identifier: MIT */
/* Growing strings and the elements of JSON; see page.h. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"

static bool make_room(page_text *t, size_t more)
{
    if (t->failed)
        return false;
    if (t->size + more + 1 <= t->room)
        return true;
    const size_t room = 2 * (t->size + more + 1);
    char *longer = realloc(t->text, room);
    t->failed = !longer;
    if (longer) {
        t->text = longer;
        t->room = room;
    }
    return !t->failed;
}

void text_put(page_text *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (length < 0 || !make_room(t, (size_t)length))
        return;
    va_start(list, format);
    vsnprintf(t->text + t->size, (size_t)length + 1, format, list);
    va_end(list);
    t->size += (size_t)length;
}

void text_string(page_text *t, const char *string)
{
    if (!string) {
        text_put(t, "null");
        return;
    }
    text_put(t, "\"");
    for (; *string; string++) {
        const unsigned char c = (unsigned char)*string;
        if (c == '"' || c == '\\')
            text_put(t, "\\%c", c);
        else if (c < 0x20)
            text_put(t, "\\u%04x", c);
        else
            text_put(t, "%c", c);
    }
    text_put(t, "\"");
}

void text_number(page_text *t, double x)
{
    if (isfinite(x))
        text_put(t, "%.17g", x);
    else
        text_put(t, "null");
}

void text_numbers(page_text *t, const double *x, size_t n)
{
    text_put(t, "[");
    for (size_t i = 0; i < n; i++) {
        text_put(t, i ? "," : "");
        text_number(t, x[i]);
    }
    text_put(t, "]");
}

char *text_end(page_text *t)
{
    if (t->failed) {
        free(t->text);
        return NULL;
    }
    return t->text;
}
