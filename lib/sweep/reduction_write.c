/* SPDX-License-Identifier: MIT */
/*
 * Writes reductions as text, see sweep/reduction_api.h. Words are separated by a space or a new
 * line:
 *
 *   tandem-reduction 1
 *   total columns keeps digest           arguments of td_reduction_new
 *   ranges n first end …
 *   failed n, and n times: status count examples row …
 *   for each keep: keep counted missing, and by its kind
 *     moments     n value row value row  smallest and largest; n is 0 without rows
 *     rows        n value row …
 *     histogram   below above, counts
 *     cells       outside, counts, smallest and largest of each cell that is not empty
 *   nodes n, and for each node and moment: count mean squares
 *   end check
 *
 * Numbers are hexadecimal; a floating-point number is written as its bits. So neither locale nor
 * rounding matters. In counts of bins, "*n" means n empty bins. Nodes are sorted by leaf; the
 * ranges determine which ones exist. check is the digest of all preceding text.
 */
#include <string.h>

#include "sweep/reduction.h"

typedef struct writer {
    char *text; /* NULL: only computes the size */
    size_t size;
    uint64_t digest;
} writer;

static void put(writer *w, const char *bytes, size_t count)
{
    if (w->text)
        memcpy(w->text + w->size, bytes, count);
    w->size += count;
    w->digest = td_digest_bytes(w->digest, bytes, count);
}

static void put_word(writer *w, const char *word)
{
    put(w, word, strlen(word));
}

/* Writes a mark, a number and a space. */
static void put_marked(writer *w, const char *mark, uint64_t number)
{
    char digits[17];
    size_t at = sizeof digits;
    digits[--at] = ' ';
    do
        digits[--at] = "0123456789abcdef"[number % 16];
    while ((number /= 16) > 0);
    put_word(w, mark);
    put(w, digits + at, sizeof digits - at);
}

static void put_number(writer *w, uint64_t number)
{
    put_marked(w, "", number);
}

static void put_double(writer *w, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    put_number(w, bits);
}

static void put_counts(writer *w, const uint64_t *counts, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t empty = 0;
        while (i + empty < n && counts[i + empty] == 0)
            empty++;
        if (empty > 0)
            put_marked(w, "*", empty);
        else
            put_number(w, counts[i]);
        i += empty > 0 ? empty : 1;
    }
}

static void put_rows(writer *w, const td_best *best)
{
    for (size_t i = 0; i < best->count; i++) {
        put_double(w, best->value[i]);
        put_number(w, best->row[i]);
    }
}

static void put_kept(writer *w, const td_kept *kept)
{
    put_word(w, "\nkeep ");
    put_number(w, kept->counted);
    put_number(w, kept->missing);
    switch (kept->keep.kind) {
    case TD_KEEP_MOMENTS:
        put_number(w, kept->smallest.count);
        put_rows(w, &kept->smallest);
        put_rows(w, &kept->largest);
        break;
    case TD_KEEP_LARGEST:
    case TD_KEEP_SMALLEST: {
        const td_best *best = kept->keep.kind == TD_KEEP_LARGEST ? &kept->largest : &kept->smallest;
        put_number(w, best->count);
        put_rows(w, best);
        break;
    }
    case TD_KEEP_HISTOGRAM:
        put_number(w, kept->below);
        put_number(w, kept->above);
        put_counts(w, kept->cell, kept->cells);
        break;
    case TD_KEEP_CELLS:
        put_number(w, kept->above);
        put_counts(w, kept->cell, kept->cells);
        for (size_t i = 0; i < kept->cells; i++)
            if (kept->cell[i] > 0) {
                put_double(w, kept->least[i]);
                put_double(w, kept->most[i]);
            }
        break;
    }
}

static void put_all(writer *w, const td_reduction *r)
{
    size_t failed = 0;
    put_word(w, "tandem-reduction 1\n");
    put_number(w, r->total);
    put_number(w, r->columns);
    put_number(w, r->keeps);
    put_number(w, r->digest);
    put_word(w, "\nranges ");
    put_number(w, r->ranges.count);
    for (size_t i = 0; i < r->ranges.count; i++) {
        put_number(w, r->ranges.range[i].first);
        put_number(w, r->ranges.range[i].end);
    }
    for (size_t i = 0; i < TD_STATUSES; i++)
        failed += r->failed[i].count > 0;
    put_word(w, "\nfailed ");
    put_number(w, failed);
    for (size_t i = 0; i < TD_STATUSES; i++) {
        const td_failed *kind = &r->failed[i];
        if (kind->count == 0)
            continue;
        put_number(w, i);
        put_number(w, kind->count);
        put_number(w, kind->first.count);
        for (size_t k = 0; k < kind->first.count; k++)
            put_number(w, kind->first.row[k]);
    }
    for (size_t i = 0; i < r->keeps; i++)
        put_kept(w, &r->kept[i]);
    put_word(w, "\nnodes ");
    put_number(w, r->forest.count);
    for (size_t i = 0; i < r->forest.count * r->forest.width; i++) {
        put_number(w, r->forest.moment[i].count);
        put_double(w, r->forest.moment[i].mean);
        put_double(w, r->forest.moment[i].squares);
    }
    put_word(w, "\nend ");
    put_number(w, w->digest);
    put_word(w, "\n");
}

td_status td_reduction_write(const td_reduction *r, char *text, size_t capacity, size_t *size)
{
    if (size)
        *size = 0;
    if (!r || !size)
        return TD_ERROR_ARGUMENT;
    writer w = {.digest = TD_DIGEST_START};
    put_all(&w, r);
    *size = w.size;
    if (!text)
        return TD_OK;
    if (capacity < w.size)
        return TD_ERROR_ARGUMENT;
    w = (writer){.text = text, .digest = TD_DIGEST_START};
    put_all(&w, r);
    return TD_OK;
}
