/* SPDX-License-Identifier: MIT */
/*
 * Reads reductions from text; reduction_write.c describes the format.
 *
 * The input is not trusted, even if its checksum is right. An accepted text gives a reduction that
 * writes the same text, and that accepts rows, merges and queries like any other. To ensure this,
 * these checks are made. Rows exist, are sorted, and occur once in a list. Counts add up to the
 * rows that counted; without conditions, they add up to all rows that did not fail. Means and
 * squares of nodes are possible for numbers between the extremes. Different keeps, or different
 * nodes, are not compared with each other, so carefully forged numbers pass.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/reduction.h"

typedef struct reader {
    const char *text;
    size_t size, at;
    bool sound;
    bool no_memory; /* implies !sound */
} reader;

static void expect(reader *in, const char *word)
{
    const size_t length = strlen(word);
    in->sound =
        in->sound && length <= in->size - in->at && memcmp(in->text + in->at, word, length) == 0;
    if (in->sound)
        in->at += length;
}

/* Reads up to 16 digits without leading zeros, and a space. */
static uint64_t get_number(reader *in)
{
    uint64_t number = 0;
    size_t i = in->at;
    for (; in->sound && i < in->size && i - in->at < 16; i++) {
        const char c = in->text[i];
        if (c >= '0' && c <= '9')
            number = number << 4 | (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            number = number << 4 | (uint64_t)(c - 'a' + 10);
        else
            break;
    }
    const size_t digits = i - in->at;
    in->sound = in->sound && digits > 0 && i < in->size && in->text[i] == ' ' &&
                (digits == 1 || in->text[in->at] != '0');
    if (in->sound)
        in->at = i + 1;
    return in->sound ? number : 0;
}

static double get_double(reader *in)
{
    const uint64_t bits = get_number(in);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Reads a count of elements that have this many numbers each. A number takes at least two
   characters, so the rest of the text limits the count. */
static size_t get_count(reader *in, size_t numbers)
{
    const uint64_t count = get_number(in);
    in->sound = in->sound && count <= (in->size - in->at) / 2 / numbers;
    return in->sound ? (size_t)count : 0;
}

static void get_counts(reader *in, uint64_t *counts, size_t n)
{
    bool after_empty = false;
    for (size_t i = 0; in->sound && i < n;) {
        const bool is_empty = in->at < in->size && in->text[in->at] == '*';
        in->sound = !(is_empty && after_empty); /* these would have been written as one number */
        after_empty = is_empty;
        if (is_empty) {
            in->at++;
            const uint64_t empty = get_number(in);
            in->sound = in->sound && empty > 0 && empty <= n - i;
            i += in->sound ? (size_t)empty : 0; /* they are 0 already */
        } else {
            counts[i] = get_number(in);
            in->sound = in->sound && counts[i] > 0;
            i++;
        }
    }
}

static bool has_row(const td_reduction *r, uint64_t row)
{
    return row < r->total && td_ranges_meet(&r->ranges, row, row + 1);
}

static td_status get_ranges(reader *in, td_reduction *r)
{
    expect(in, "\nranges ");
    const size_t count = get_count(in, 2);
    if (!in->sound)
        return TD_ERROR_ARGUMENT;
    if (!td_ranges_reserve(&r->ranges, count))
        return TD_ERROR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const uint64_t first = get_number(in), end = get_number(in);
        /* a range that begins at the end of the previous one would have been joined to it */
        in->sound = in->sound && first < end && end <= r->total && first % TD_REDUCTION_LEAF == 0 &&
                    (end % TD_REDUCTION_LEAF == 0 || end == r->total) &&
                    (i == 0 || first > r->ranges.range[i - 1].end);
        if (!in->sound)
            return TD_ERROR_ARGUMENT;
        r->ranges.range[r->ranges.count++] = (td_row_range){first, end};
    }
    return TD_OK;
}

/* Reads the failed rows. Returns their number. */
static uint64_t get_failed(reader *in, td_reduction *r, uint64_t rows)
{
    uint64_t all = 0, least = 1; /* least: the smallest status that may follow */
    expect(in, "\nfailed ");
    const size_t count = get_count(in, 3);
    for (size_t i = 0; in->sound && i < count; i++) {
        const uint64_t status = get_number(in);
        in->sound = in->sound && status >= least && status < TD_STATUSES;
        if (!in->sound)
            break;
        least = status + 1;
        td_failed *kind = &r->failed[status];
        kind->count = get_number(in);
        const size_t known = get_count(in, 1);
        const uint64_t limit = kind->first.limit;
        in->sound = in->sound && kind->count > 0 && kind->count <= rows - all &&
                    known == (kind->count < limit ? kind->count : limit);
        for (size_t k = 0; in->sound && k < known; k++) {
            const uint64_t row = get_number(in);
            in->sound = in->sound && has_row(r, row) && (k == 0 || row > kind->first.row[k - 1]);
            kind->first.row[k] = row;
            kind->first.value[k] = 0;
            kind->first.count = k + 1;
        }
        all += in->sound ? kind->count : 0;
    }
    return all;
}

static int by_number(const void *x, const void *y)
{
    const uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

/* Checks that no row occurs twice. Sorting is necessary, as a repeated row may have different
   numbers. */
static void check_once(reader *in, const td_best *best)
{
    if (!in->sound || best->count < 2)
        return;
    uint64_t *row = malloc(best->count * sizeof *row);
    in->no_memory = !row;
    in->sound = row != NULL;
    if (!row)
        return;
    memcpy(row, best->row, best->count * sizeof *row);
    qsort(row, best->count, sizeof *row, by_number);
    for (size_t i = 1; i < best->count; i++)
        in->sound = in->sound && row[i - 1] < row[i];
    free(row);
}

static void get_rows(reader *in, const td_reduction *r, td_best *best, uint64_t count,
                     uint64_t counted)
{
    in->sound = in->sound && count == (counted < best->limit ? counted : best->limit);
    for (size_t i = 0; in->sound && i < count; i++) {
        const double value = get_double(in);
        const uint64_t row = get_number(in);
        in->sound =
            in->sound && !isnan(value) && has_row(r, row) &&
            (i == 0 || td_best_precedes(best, best->value[i - 1], best->row[i - 1], value, row));
        best->value[i] = value;
        best->row[i] = row;
        best->count = i + 1;
    }
    check_once(in, best);
}

/* Checks the smallest and the largest number: if one row has both, they must be equal. */
static void check_pair(reader *in, const td_kept *kept)
{
    if (!in->sound || kept->counted == 0)
        return;
    const double *least = kept->smallest.value, *most = kept->largest.value;
    const bool one = kept->smallest.row[0] == kept->largest.row[0];
    in->sound = one ? memcmp(least, most, sizeof *least) == 0 : *least < *most && kept->counted > 1;
}

/* Checks that counts add up to the rows that counted. */
static void check_counts(reader *in, const td_kept *kept)
{
    uint64_t left = kept->counted;
    in->sound = in->sound && kept->below <= left && kept->above <= left - kept->below;
    left -= in->sound ? kept->below + kept->above : 0;
    for (size_t i = 0; in->sound && i < kept->cells; i++) {
        in->sound = kept->cell[i] <= left;
        left -= in->sound ? kept->cell[i] : 0;
    }
    in->sound = in->sound && left == 0;
}

static void get_extremes(reader *in, td_kept *kept)
{
    for (size_t i = 0; in->sound && i < kept->cells; i++) {
        if (kept->cell[i] == 0)
            continue;
        kept->least[i] = get_double(in);
        kept->most[i] = get_double(in);
        /* −0 was replaced by 0 (reduction_rows.c) */
        in->sound = in->sound && kept->least[i] <= kept->most[i] &&
                    !(kept->least[i] == 0 && signbit(kept->least[i])) &&
                    !(kept->most[i] == 0 && signbit(kept->most[i])) &&
                    (kept->cell[i] > 1 || kept->least[i] == kept->most[i]);
    }
}

/* Reads a keep. rows: the number of rows that did not fail. */
static void get_kept(reader *in, const td_reduction *r, td_kept *kept, uint64_t rows)
{
    expect(in, "\nkeep ");
    kept->counted = get_number(in);
    kept->missing = get_number(in);
    in->sound = in->sound && kept->counted <= rows && kept->missing <= rows - kept->counted &&
                (kept->keep.condition_count > 0 || kept->missing == rows - kept->counted);
    if (!in->sound)
        return;
    switch (kept->keep.kind) {
    case TD_KEEP_MOMENTS: {
        const uint64_t count = get_number(in);
        get_rows(in, r, &kept->smallest, count, kept->counted);
        get_rows(in, r, &kept->largest, count, kept->counted);
        check_pair(in, kept);
        break;
    }
    case TD_KEEP_LARGEST:
        get_rows(in, r, &kept->largest, get_number(in), kept->counted);
        break;
    case TD_KEEP_SMALLEST:
        get_rows(in, r, &kept->smallest, get_number(in), kept->counted);
        break;
    case TD_KEEP_HISTOGRAM:
        kept->below = get_number(in);
        kept->above = get_number(in);
        get_counts(in, kept->cell, kept->cells);
        check_counts(in, kept);
        break;
    case TD_KEEP_CELLS:
        kept->above = get_number(in);
        get_counts(in, kept->cell, kept->cells);
        check_counts(in, kept);
        get_extremes(in, kept);
        break;
    }
}

static uint64_t leaf_at(uint64_t row)
{
    return row / TD_REDUCTION_LEAF + (row % TD_REDUCTION_LEAF > 0);
}

/* Reads the moments of a node, each with a count of at most rows. */
static void get_moments(reader *in, td_reduction *r, uint64_t rows)
{
    for (size_t k = 0; k < r->forest.width; k++) {
        td_moment *m = &r->moment[k];
        m->count = get_number(in);
        m->mean = get_double(in);
        m->squares = get_double(in);
        in->sound = in->sound && m->count <= rows && isfinite(m->mean) && m->squares >= 0 &&
                    (m->count > 0 || (m->mean == 0 && m->squares == 0));
    }
}

static td_status get_nodes(reader *in, td_reduction *r)
{
    expect(in, "\nnodes ");
    const size_t width = r->forest.width, count = get_count(in, width > 0 ? 3 * width : 1);
    if (!in->sound)
        return TD_ERROR_ARGUMENT;
    if (!td_forest_reserve(&r->forest, count))
        return TD_ERROR_MEMORY;
    size_t left = count;
    for (size_t i = 0; width > 0 && i < r->ranges.count; i++) {
        const uint64_t end = leaf_at(r->ranges.range[i].end);
        for (uint64_t leaf = leaf_at(r->ranges.range[i].first); leaf < end;) {
            const td_node node = td_node_at(leaf, end);
            const uint64_t leaves = (uint64_t)1 << node.level;
            if (!in->sound || left == 0)
                return TD_ERROR_ARGUMENT;
            const uint64_t rows = r->total - leaf * TD_REDUCTION_LEAF; /* from this leaf on */
            get_moments(in, r,
                        leaves > rows / TD_REDUCTION_LEAF ? rows : leaves * TD_REDUCTION_LEAF);
            td_forest_insert(&r->forest, node, r->moment);
            left--;
            leaf += leaves;
        }
    }
    in->sound = in->sound && left == 0;
    return in->sound ? TD_OK : TD_ERROR_ARGUMENT;
}

/* Returns whether numbers from least to most can have this moment. Exactly, squares ≤ count · (most
   − least)² / 4. The omitted factor 1/4 and DBL_MIN allow for rounding and underflow. */
static bool may_be(const td_moment *m, double least, double most)
{
    const double range = most - least;
    return m->count == 0 ||
           (least <= m->mean && m->mean <= most &&
            (m->count > 1 ? m->squares <= (double)m->count * (range * range + DBL_MIN)
                          : m->squares == 0));
}

/* Checks that the finite numbers are all rows that counted, except for infinite extremes and the
   rows that may equal them. */
static void check_moments(reader *in, const td_reduction *r)
{
    for (size_t i = 0; i < r->keeps; i++) {
        const td_kept *kept = &r->kept[i];
        if (kept->keep.kind != TD_KEEP_MOMENTS)
            continue;
        const bool any = kept->smallest.count > 0;
        const double least = any ? kept->smallest.value[0] : 0;
        const double most = any ? kept->largest.value[0] : 0;
        uint64_t left = kept->counted;
        for (size_t k = 0; in->sound && k < r->forest.count; k++) {
            const td_moment *m = &r->forest.moment[k * r->forest.width + kept->moment];
            in->sound = m->count <= left && may_be(m, least, most);
            left -= in->sound ? m->count : 0;
        }
        const uint64_t infinite = (uint64_t)(isinf(least) != 0) + (isinf(most) && least < most);
        in->sound = in->sound && (infinite > 0 ? left >= infinite : left == 0);
    }
}

static td_status get_all(reader *in, td_reduction *r)
{
    expect(in, "tandem-reduction 1\n");
    const uint64_t told[] = {r->total, r->columns, r->keeps, r->digest};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        in->sound = in->sound && get_number(in) == told[i];
    td_status status = get_ranges(in, r);
    if (status != TD_OK)
        return status;
    uint64_t rows = td_ranges_rows(&r->ranges);
    rows -= get_failed(in, r, rows);
    for (size_t i = 0; in->sound && i < r->keeps; i++)
        get_kept(in, r, &r->kept[i], rows);
    if (in->no_memory)
        return TD_ERROR_MEMORY;
    status = get_nodes(in, r);
    if (status != TD_OK)
        return status;
    check_moments(in, r);
    const size_t checked = in->at + strlen("\nend ");
    expect(in, "\nend ");
    if (!in->sound)
        return TD_ERROR_ARGUMENT;
    const uint64_t digest = td_digest_bytes(TD_DIGEST_START, in->text, checked);
    in->sound = get_number(in) == digest && in->sound;
    expect(in, "\n");
    return in->sound && in->at == in->size ? TD_OK : TD_ERROR_ARGUMENT;
}

td_status td_reduction_read(td_reduction *r, const char *text, size_t size)
{
    if (!r)
        return TD_ERROR_ARGUMENT;
    td_reduction_clear(r);
    if (!text)
        return TD_ERROR_ARGUMENT;
    reader in = {.text = text, .size = size, .sound = true};
    const td_status status = get_all(&in, r);
    if (status != TD_OK)
        td_reduction_clear(r);
    return status;
}
