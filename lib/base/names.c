/* SPDX-License-Identifier: MIT */
/*
 * A sorted index of names.
 */
#include "base/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"

static int compare(const void *a, const void *b)
{
    const td_name *x = a, *y = b;
    int order = strcmp(x->text, y->text);
    return order ? order : x->index - y->index;
}

bool td_names_build(td_names *names, td_arena *arena, const void *records, size_t count,
                    size_t record_size, size_t name_offset)
{
    names->count = 0;
    names->sorted = TD_ARENA_NEW(arena, td_name, count);
    if (!names->sorted)
        return false;
    for (size_t i = 0; i < count; i++) {
        const char *text;
        memcpy(&text, (const char *)records + i * record_size + name_offset, sizeof text);
        if (text)
            names->sorted[names->count++] = (td_name){text, (int)i};
    }
    qsort(names->sorted, names->count, sizeof *names->sorted, compare);
    return true;
}

/* Compares name with the first `length` characters of text, like strcmp. */
static int compare_part(const char *name, const char *text, size_t length)
{
    int order = strncmp(name, text, length);
    return order ? order : name[length] != '\0';
}

int td_names_find_part(const td_names *names, const char *text, size_t length)
{
    size_t low = 0, high = names->count; /* the first entry that is not before text */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_part(names->sorted[middle].text, text, length) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < names->count && compare_part(names->sorted[low].text, text, length) == 0)
        return names->sorted[low].index;
    return -1;
}

int td_names_find(const td_names *names, const char *text)
{
    return text ? td_names_find_part(names, text, strlen(text)) : -1;
}

static const char *name_at(const void *context, size_t i)
{
    const td_names *names = context;
    return i < names->count ? names->sorted[i].text : NULL;
}

const char *td_names_nearest(const td_names *names, const char *text, const char *except,
                             size_t *budget)
{
    return text ? td_nearest_name(text, name_at, names, except, budget) : NULL;
}
