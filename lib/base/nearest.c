/* SPDX-License-Identifier: MIT */
/*
 * Finds the name that was most likely meant: first by its words, then by the fewest edits.
 */
#include "nearest.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { LONGEST_NAME = 64 }; /* longer names match nothing */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Converts a letter to lower case, independently of the locale. */
static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_separator(char c)
{
    char small = lower(c);
    return (unsigned char)c < 0x80 && !is_digit(c) && !(small >= 'a' && small <= 'z');
}

/* ---- words ----------------------------------------------------------------------------------- */

/* The letters and digits of a name, without separators. */
typedef struct letters {
    char at[LONGEST_NAME];
    bool starts[LONGEST_NAME + 1]; /* a word starts here, or the name ends */
    size_t count;
} letters;

static letters letters_of(const char *name)
{
    letters l = {.count = 0};
    if (strnlen(name, LONGEST_NAME + 1) > LONGEST_NAME)
        return l;
    bool starts = true;
    for (const char *c = name; *c; c++) {
        if (is_separator(*c)) {
            starts = true;
            continue;
        }
        l.starts[l.count] = starts;
        l.at[l.count++] = lower(*c);
        starts = false;
    }
    l.starts[l.count] = true;
    return l;
}

/* Returns whether the shorter name is a sequence of whole words of the longer one. Sets *last if
   these are its last words. */
static bool has_words(const letters *longer, const letters *shorter, bool *last)
{
    size_t rest = longer->count - shorter->count;
    for (size_t i = rest + 1; i-- > 0;)
        if (longer->starts[i] && longer->starts[i + shorter->count] &&
            memcmp(longer->at + i, shorter->at, shorter->count) == 0) {
            *last = i == rest;
            return true;
        }
    return false;
}

/* Returns the distance of two names that agree in whole words, or SIZE_MAX if they do not. */
static size_t words_apart(const letters *a, const char *candidate)
{
    letters b = letters_of(candidate);
    const letters *longer = a->count > b.count ? a : &b, *shorter = a->count > b.count ? &b : a;
    bool last = false;
    if (3 * shorter->count < longer->count || shorter->count == 0 ||
        !has_words(longer, shorter, &last))
        return SIZE_MAX;
    return 2 * (longer->count - shorter->count) + !last;
}

/* ---- edits ----------------------------------------------------------------------------------- */

/* Returns the edit distance with transpositions of neighbors (optimal string alignment). */
static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
    size_t rows[3][LONGEST_NAME + 1];
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= m; j++)
        last[j] = j;
    for (size_t i = 1; i <= n; i++) {
        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            char x = lower(a[i - 1]), y = lower(b[j - 1]);
            size_t best = last[j - 1] + (x != y);
            if (last[j] + 1 < best)
                best = last[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && x == lower(b[j - 2]) && lower(a[i - 2]) == y &&
                before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
        size_t *free_row = before;
        before = last;
        last = now;
        now = free_row;
    }
    return last[m];
}

static const char *next_digit(const char *c)
{
    while (*c && !is_digit(*c))
        c++;
    return c;
}

/* Returns whether both names have digits and their digits differ. */
static bool numbers_differ(const char *a, const char *b)
{
    a = next_digit(a);
    b = next_digit(b);
    if (!*a || !*b)
        return false;
    while (*a && *a == *b) {
        a = next_digit(a + 1);
        b = next_digit(b + 1);
    }
    return *a != *b;
}

/* ---- the search ------------------------------------------------------------------------------ */

/* Subtracts cost from the budget. Returns false if too little is left. */
static bool spend(size_t *budget, size_t cost)
{
    if (!budget)
        return true;
    bool enough = cost <= *budget;
    *budget = enough ? *budget - cost : 0;
    return enough;
}

/* Returns the edits from name to a candidate. Returns SIZE_MAX if there are at least `fewer`, if
   there are too many for names of this length, or if the budget is exhausted. */
static size_t edits_apart(const char *name, const char *candidate, size_t fewer, size_t *budget)
{
    size_t n = strlen(name), m = strlen(candidate), longer = n > m ? n : m;
    if (longer > LONGEST_NAME || (n > m ? n - m : m - n) >= fewer ||
        numbers_differ(name, candidate) || !spend(budget, n * m))
        return SIZE_MAX;
    size_t edits = distance(name, n, candidate, m);
    return edits < fewer && 3 * edits <= longer ? edits : SIZE_MAX;
}

static const char *nearest(const char *name, const char *(*next)(const void *context, size_t i),
                           const void *context, const char *except, size_t *budget, bool by_words)
{
    const char *by_edits = NULL, *same_words = NULL, *candidate;
    size_t fewest = SIZE_MAX, closest = SIZE_MAX;
    letters words = letters_of(name);
    for (size_t i = 0; (candidate = next(context, i)); i++) {
        if (!spend(budget, strlen(candidate) + 1))
            return NULL;
        if (except && strcmp(candidate, except) == 0)
            continue;
        size_t apart = by_words ? words_apart(&words, candidate) : SIZE_MAX;
        if (apart < closest) {
            closest = apart;
            same_words = candidate;
        }
        size_t edits = same_words ? SIZE_MAX : edits_apart(name, candidate, fewest, budget);
        if (edits < fewest) {
            fewest = edits;
            by_edits = candidate;
        }
    }
    return same_words ? same_words : by_edits;
}

const char *td_nearest_name(const char *name, const char *(*next)(const void *context, size_t i),
                            const void *context, const char *except, size_t *budget)
{
    return nearest(name, next, context, except, budget, true);
}

const char *td_nearest_spelling(const char *name,
                                const char *(*next)(const void *context, size_t i),
                                const void *context, size_t *budget)
{
    return nearest(name, next, context, NULL, budget, false);
}
