/* SPDX-License-Identifier: MIT */
/*
 * Parses names of columns that are paths; see column_path.h.
 */
#include "input/column_path.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "text.h"

static bool is_separator(char x)
{
    return x == '/' || x == '.';
}

/* Returns the quantity that a word names, or QUANTITY_COUNT if it names none. */
static enum quantity quantity_of(const char *word, size_t length)
{
    static const struct {
        const char *word;
        enum quantity quantity;
    } known[] = {{"position", QUANTITY_Q},       {"pos", QUANTITY_Q},      {"q", QUANTITY_Q},
                 {"velocity", QUANTITY_QD},      {"vel", QUANTITY_QD},     {"qd", QUANTITY_QD},
                 {"acceleration", QUANTITY_QDD}, {"acc", QUANTITY_QDD},    {"qdd", QUANTITY_QDD},
                 {"effort", QUANTITY_TAU},       {"torque", QUANTITY_TAU}, {"tau", QUANTITY_TAU}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strlen(known[i].word) == length && strncasecmp(known[i].word, word, length) == 0) {
            return known[i].quantity;
        }
    }
    return QUANTITY_COUNT;
}

/* Returns the quantity that the word before text[end] names. */
static enum quantity quantity_before(const char *text, size_t end)
{
    size_t begin = end;
    while (begin > 0 && !is_separator(text[begin - 1])) {
        begin--;
    }
    return quantity_of(text + begin, end - begin);
}

bool column_path_find(const char *path,
                      bool (*try)(void *context, enum quantity quantity, const char *name),
                      void *context)
{
    scoped char *text = text_format("%s", path);
    size_t length = strlen(text);
    const enum quantity last = quantity_before(text, length);
    if (last != QUANTITY_COUNT) { /* the part before it */
        while (length > 0 && !is_separator(text[length - 1])) {
            length--;
        }
        length -= length > 0;
        text[length] = '\0';
    }
    enum { MOST_WORDS = 64 }; /* of a name that are tried */
    size_t first = length;
    for (size_t words = 0; first > 0 && words < MOST_WORDS; first--) {
        words += is_separator(text[first - 1]);
    }
    bool found = false;
    for (size_t begin = first; begin < length && !found; begin++) {
        if (begin == 0 ? is_separator(*text) : !is_separator(text[begin - 1])) {
            continue;
        }
        const enum quantity quantity =
            last != QUANTITY_COUNT || begin == 0 ? last : quantity_before(text, begin - 1);
        found = quantity != QUANTITY_COUNT && try(context, quantity, text + begin);
    }
    return found;
}

bool column_path_is_numbered(const char *path)
{
    size_t length = strlen(path);
    const bool bracket = length > 0 && path[length - 1] == ']';
    const size_t end = length -= bracket;
    while (length > 0 && path[length - 1] >= '0' && path[length - 1] <= '9') {
        length--;
    }
    if (length == end || (bracket && (length == 0 || path[length - 1] != '['))) {
        return false;
    }
    return quantity_before(path, length - bracket) != QUANTITY_COUNT;
}
