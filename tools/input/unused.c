/* SPDX-License-Identifier: MIT */
/*
 * Reports columns that a command does not use; see unused.h.
 */
#include "input/unused.h"

#include <stdlib.h>

#include "text.h"

void tell_unused(const char *table, const char *what, char *const *names, size_t count)
{
    enum { LISTED = 6 };
    char *text = text_format("%s", "");
    for (size_t i = 0; i < count && i < LISTED; i++) {
        char *longer = text_format("%s%s'%s'", text, i > 0 ? ", " : "", names[i]);
        free(text);
        text = longer;
    }
    if (count > 0) {
        tell_note("%s: %s: %s %s%s", table, what, count == 1 ? "column" : "columns", text,
                  count > LISTED ? " and more" : "");
    }
    free(text);
}
