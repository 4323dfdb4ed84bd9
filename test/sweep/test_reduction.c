/* SPDX-License-Identifier: MIT */
/*
 * Tests reductions of rows against plain loops over all rows in higher precision. The text, which
 * contains every bit, is the same for every split of the rows and every order of parts and merges,
 * through text or not. Refused calls and calls without memory add nothing.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failing.h"
#include "owned_inside.h"
#include "sweep/sample.h"
#include "td_test.h"

enum { LEAF = TD_REDUCTION_LEAF, LEAVES = 23, TOTAL = (LEAVES - 1) * LEAF + 77, COLUMNS = 4 };

/* ---- rows -------------------------------------------------------------------------------------
 */

static double rows[TOTAL * COLUMNS];
static td_status statuses[TOTAL];
/* for reductions; some tests use fewer rows */
static size_t row_count = TOTAL, leaf_count = LEAVES;

/* Column 0 is spread around 1000. Column 1 has few different numbers, including 0 and −0. Column 2
   has all magnitudes, and column 3 infinities. Some numbers are NaN, and some rows failed. */
static void make_rows(uint64_t seed)
{
    td_random random = {seed};
    for (size_t i = 0; i < TOTAL; i++) {
        double *row = rows + i * COLUMNS;
        row[0] = 1000 + td_random_number(&random);
        row[1] = (double)td_random_below(&random, 7) - 3;
        if (row[1] == 0 && td_random_below(&random, 2) == 0)
            row[1] = -0.0;
        row[2] = ldexp(td_random_number(&random), (int)td_random_below(&random, 40) - 20);
        row[3] = td_random_number(&random);
        const size_t one = td_random_below(&random, 400);
        if (one < COLUMNS)
            row[one] = NAN;
        else if (one < 6)
            row[3] = one == 4 ? INFINITY : -INFINITY;
        statuses[i] = td_random_below(&random, 90) > 0  ? TD_OK
                      : td_random_below(&random, 3) > 0 ? TD_ERROR_SINGULAR
                                                        : TD_ERROR_ASSEMBLY;
    }
    /* leaves without any number, and without any valid row */
    for (size_t i = 3 * LEAF; i < 4 * LEAF; i++)
        rows[i * COLUMNS + 2] = NAN;
    for (size_t i = 5 * LEAF; i < 6 * LEAF; i++)
        statuses[i] = TD_ERROR_BRANCH;
}

static const td_condition high[] = {{0, 1000.25, INFINITY}, {1, -2, 2}};
static const td_condition never[] = {{0, -1, 1}};

static td_keep keep_of(td_keep_kind kind, size_t column)
{
    td_keep keep = td_keep_default();
    keep.kind = kind, keep.column = column;
    return keep;
}

static td_keep histogram(double from, double to, size_t bins)
{
    td_keep keep = keep_of(TD_KEEP_HISTOGRAM, 1);
    keep.axis_count = 1, keep.axes[0] = (td_axis){1, from, to, bins};
    return keep;
}

enum {
    MOMENTS_0,
    MOMENTS_1,
    MOMENTS_2,
    MOMENTS_3,
    LARGEST,
    SMALLEST,
    ALIKE,
    HISTOGRAM,
    OTHER_HISTOGRAM,
    PLANE,
    SPACE,
    LINE,
    SOME_MOMENTS,
    NO_MOMENTS,
    SOME_ROWS,
    KEEPS
};

static void make_keeps(td_keep keeps[KEEPS])
{
    for (size_t i = 0; i < COLUMNS; i++)
        keeps[MOMENTS_0 + i] = keep_of(TD_KEEP_MOMENTS, i);
    keeps[LARGEST] = keep_of(TD_KEEP_LARGEST, 2);
    keeps[LARGEST].count = 3000; /* more than the rows of a leaf */
    keeps[SMALLEST] = keep_of(TD_KEEP_SMALLEST, 3);
    keeps[SMALLEST].count = 17;
    keeps[ALIKE] = keep_of(TD_KEEP_SMALLEST, 1);
    keeps[ALIKE].count = 700;
    keeps[HISTOGRAM] = keep_of(TD_KEEP_HISTOGRAM, 0);
    keeps[HISTOGRAM].axis_count = 1;
    keeps[HISTOGRAM].axes[0] = (td_axis){0, 999.1, 1000.7, 61};
    keeps[OTHER_HISTOGRAM] = keep_of(TD_KEEP_HISTOGRAM, 1);
    keeps[OTHER_HISTOGRAM].axis_count = 1;
    keeps[OTHER_HISTOGRAM].axes[0] = (td_axis){1, -2, 3, 5};
    keeps[PLANE] = keep_of(TD_KEEP_CELLS, 2);
    keeps[PLANE].axis_count = 2;
    keeps[PLANE].axes[0] = (td_axis){0, 999, 1000.5, 9};
    keeps[PLANE].axes[1] = (td_axis){1, -3, 3, 4};
    keeps[SPACE] = keep_of(TD_KEEP_CELLS, 1);
    keeps[SPACE].axis_count = 3;
    keeps[SPACE].axes[0] = (td_axis){0, 999, 1001, 7};
    keeps[SPACE].axes[1] = (td_axis){3, -0.9, 0.9, 5};
    keeps[SPACE].axes[2] = (td_axis){2, -1, 1, 3};
    keeps[SPACE].conditions = high, keeps[SPACE].condition_count = 1;
    keeps[LINE] = keep_of(TD_KEEP_CELLS, 3);
    keeps[LINE].axis_count = 1;
    keeps[LINE].axes[0] = (td_axis){1, -4, 4, 8};
    keeps[SOME_MOMENTS] = keep_of(TD_KEEP_MOMENTS, 3);
    keeps[SOME_MOMENTS].conditions = high, keeps[SOME_MOMENTS].condition_count = 2;
    keeps[NO_MOMENTS] = keep_of(TD_KEEP_MOMENTS, 3);
    keeps[NO_MOMENTS].conditions = never, keeps[NO_MOMENTS].condition_count = 1;
    keeps[SOME_ROWS] = keep_of(TD_KEEP_LARGEST, 1);
    keeps[SOME_ROWS].conditions = high, keeps[SOME_ROWS].condition_count = 2;
    keeps[SOME_ROWS].count = 40;
}

enum { EXAMPLES = 5 };

static td_reduction *fresh(void)
{
    td_keep keeps[KEEPS];
    td_reduction *r;
    make_keeps(keeps);
    assert_ok(test_reduction_new(row_count, COLUMNS, keeps, KEEPS, EXAMPLES, &r));
    return r;
}

static size_t end_of(size_t leaf)
{
    return leaf * LEAF < row_count ? leaf * LEAF : row_count;
}

/* Adds leaves from … to − 1. */
static td_status add(td_reduction *r, size_t from, size_t to)
{
    const size_t first = from * LEAF;
    return td_reduction_add(r, first, end_of(to) - first, rows + first * COLUMNS, statuses + first);
}

static td_reduction *whole(void)
{
    td_reduction *r = fresh();
    assert_ok(add(r, 0, leaf_count));
    return r;
}

static char *text_of(const td_reduction *r, size_t *size)
{
    assert_ok(td_reduction_write(r, NULL, 0, size));
    char *text = test_malloc(*size + 1);
    const size_t told = *size;
    assert_ok(td_reduction_write(r, text, told, size));
    ck_assert_uint_eq(told, *size);
    text[*size] = '\0';
    return text;
}

/* Computes FNV-1a. */
static uint64_t digest_of(const char *text, size_t size)
{
    uint64_t digest = 0xcbf29ce484222325;
    for (size_t i = 0; i < size; i++)
        digest = (digest ^ (unsigned char)text[i]) * 0x100000001b3;
    return digest;
}

/* Returns whether all bits are equal. */
static bool same(const td_reduction *a, const td_reduction *b)
{
    size_t n, m;
    char *text = text_of(a, &n), *other = text_of(b, &m);
    const bool equal = n == m && memcmp(text, other, n) == 0;
    return equal;
}

/* ---- reference: a plain loop ----------------------------------------------------------------- */

static bool counts(const td_keep *keep, size_t i)
{
    bool met = statuses[i] == TD_OK;
    for (size_t c = 0; c < keep->condition_count; c++) {
        const double x = rows[i * COLUMNS + keep->conditions[c].column];
        met = met && x >= keep->conditions[c].from && x <= keep->conditions[c].to;
    }
    return met;
}

static double at(size_t i, size_t column)
{
    return rows[i * COLUMNS + column];
}

static void check_moments(const td_reduction *r, size_t k, const td_keep *keep)
{
    long double sum = 0, squares = 0;
    uint64_t finite = 0, counted = 0;
    td_moments m;
    double least = NAN, most = NAN;
    uint64_t least_row = 0, most_row = 0;
    for (size_t i = 0; i < TOTAL; i++) {
        const double x = at(i, keep->column);
        if (!counts(keep, i) || isnan(x))
            continue;
        counted++;
        if (!(least <= x))
            least = x, least_row = i;
        if (!(most >= x))
            most = x, most_row = i;
        if (isfinite(x))
            sum += (long double)x, finite++;
    }
    const long double mean = sum / (long double)finite;
    for (size_t i = 0; i < TOTAL; i++)
        if (counts(keep, i) && isfinite(at(i, keep->column)))
            squares += ((long double)at(i, keep->column) - mean) *
                       ((long double)at(i, keep->column) - mean);
    assert_ok(td_reduction_moments(r, k, &m));
    ck_assert_uint_eq(m.count, finite);
    if (counted > 0) {
        ck_assert_double_eq(m.smallest, least);
        ck_assert_double_eq(m.largest, most);
    } else {
        ck_assert(isnan(m.smallest) && isnan(m.largest));
    }
    ck_assert_uint_eq(m.smallest_row, least_row);
    ck_assert_uint_eq(m.largest_row, most_row);
    if (finite == 0) {
        ck_assert(isnan(m.mean) && isnan(m.deviation));
        return;
    }
    const double deviation = (double)sqrtl(squares / (long double)finite);
    td_assert_close(1, &m.deviation, &deviation, 1e-14, 0);
    ck_assert_double_le(fabs(m.mean - (double)mean),
                        4e-16 * fabs((double)mean) + 1e-15 * deviation);
}

static void check_rows(const td_reduction *r, size_t k, const td_keep *keep)
{
    const bool largest = keep->kind == TD_KEEP_LARGEST;
    const uint64_t *row;
    const double *value;
    const size_t count = td_reduction_rows(r, k, &row, &value);
    static bool taken[TOTAL];
    memset(taken, 0, sizeof taken);
    size_t all = 0;
    for (size_t i = 0; i < TOTAL; i++)
        all += counts(keep, i) && !isnan(at(i, keep->column));
    ck_assert_uint_eq(count, all < keep->count ? all : keep->count);
    for (size_t i = 0; i < count; i++) {
        ck_assert_double_eq(value[i], at(row[i], keep->column));
        ck_assert(counts(keep, row[i]) && !taken[row[i]]);
        taken[row[i]] = true;
        if (i > 0)
            ck_assert(value[i - 1] == value[i] ? row[i - 1] < row[i]
                                               : (value[i - 1] > value[i]) == largest);
    }
    /* all other rows come after the last one */
    for (size_t i = 0; i < TOTAL && count == keep->count; i++) {
        const double x = at(i, keep->column), last = value[count - 1];
        if (!taken[i] && counts(keep, i) && !isnan(x))
            ck_assert(x == last ? i > row[count - 1] : (x < last) == largest);
    }
}

/* Searches the edges one after another. */
static size_t bin_of(const td_axis *axis, double x, bool *below, bool *above)
{
    const double width = (axis->to - axis->from) / (double)axis->bins;
    *below = x<axis->from, *above = x> axis->to;
    size_t k = 0;
    while (k + 1 < axis->bins && x >= axis->from + width * (double)(k + 1))
        k++;
    return k;
}

static void check_bins(const td_reduction *r, size_t k, const td_keep *keep)
{
    uint64_t below = 0, above = 0, told_below, told_above;
    size_t cells = 1;
    for (size_t a = 0; a < keep->axis_count; a++)
        cells *= keep->axes[a].bins;
    uint64_t *count = test_calloc(cells, sizeof *count);
    double *least = doubles(cells), *most = doubles(cells);
    for (size_t c = 0; c < cells; c++)
        least[c] = most[c] = NAN;
    for (size_t i = 0; i < TOTAL; i++) {
        bool missing = isnan(at(i, keep->column)), low = false, high_ = false;
        size_t cell = 0;
        for (size_t a = 0; a < keep->axis_count; a++) {
            bool lower, upper;
            const double x = at(i, keep->axes[a].column);
            missing |= isnan(x);
            cell = cell * keep->axes[a].bins + bin_of(&keep->axes[a], x, &lower, &upper);
            low |= lower, high_ |= upper;
        }
        if (!counts(keep, i) || missing)
            continue;
        if (keep->kind == TD_KEEP_HISTOGRAM) {
            below += low, above += high_;
        } else {
            above += low || high_;
        }
        if (low || high_)
            continue;
        const double x = at(i, keep->column) == 0 ? 0.0 : at(i, keep->column);
        count[cell]++;
        least[cell] = !(least[cell] <= x) ? x : least[cell];
        most[cell] = !(most[cell] >= x) ? x : most[cell];
    }
    ck_assert_mem_eq(td_reduction_counts(r, k, &told_below, &told_above), count,
                     cells * sizeof *count);
    ck_assert_uint_eq(told_below, below);
    ck_assert_uint_eq(told_above, above);
    const double *told_least, *told_most;
    ck_assert_int_eq(td_reduction_cells(r, k, &told_least, &told_most),
                     keep->kind == TD_KEEP_CELLS);
    for (size_t c = 0; c < cells && keep->kind == TD_KEEP_CELLS; c++) {
        ck_assert_int_eq(isnan(told_least[c]), count[c] == 0);
        if (count[c] > 0) {
            ck_assert_mem_eq(&told_least[c], &least[c], sizeof *least);
            ck_assert_mem_eq(&told_most[c], &most[c], sizeof *most);
        }
    }
}

static void check_failed(const td_reduction *r)
{
    for (int s = -1; s < 40; s++) {
        const uint64_t *row;
        uint64_t count = 0, first[EXAMPLES] = {0};
        size_t known;
        for (size_t i = 0; s > 0 && i < TOTAL; i++)
            if ((int)statuses[i] == s) {
                if (count < EXAMPLES)
                    first[count] = i;
                count++;
            }
        ck_assert_uint_eq(td_reduction_failed(r, (td_status)s, &row, &known), count);
        ck_assert_uint_eq(known, count < EXAMPLES ? count : EXAMPLES);
        if (known > 0)
            ck_assert_mem_eq(row, first, known * sizeof *first);
    }
}

TD_LOOP_TEST(all_is_that_of_a_plain_loop, 0, 4)
{
    make_rows((uint64_t)_i + 1);
    td_keep keeps[KEEPS];
    make_keeps(keeps);
    td_reduction *r = whole();
    for (size_t k = 0; k < KEEPS; k++) {
        uint64_t counted = 0, missing = 0, told, told_missing;
        for (size_t i = 0; i < TOTAL; i++) {
            bool none = isnan(at(i, keeps[k].column));
            for (size_t a = 0; a < keeps[k].axis_count; a++)
                none |= isnan(at(i, keeps[k].axes[a].column));
            counted += counts(&keeps[k], i) && !none;
            missing += counts(&keeps[k], i) && none;
        }
        td_reduction_counted(r, k, &told, &told_missing);
        ck_assert_uint_eq(told, counted);
        ck_assert_uint_eq(told_missing, missing);
        if (keeps[k].kind == TD_KEEP_MOMENTS)
            check_moments(r, k, &keeps[k]);
        else if (keeps[k].kind == TD_KEEP_LARGEST || keeps[k].kind == TD_KEEP_SMALLEST)
            check_rows(r, k, &keeps[k]);
        else
            check_bins(r, k, &keeps[k]);
    }
    check_failed(r);
}

/* ---- any order of parts ---------------------------------------------------------------------- */

/* Returns a reduction read from the text of another one, which is freed. */
static td_reduction *through_text(td_reduction *r)
{
    size_t size;
    char *text = text_of(r, &size);
    td_reduction *other = fresh();
    assert_ok(add(other, leaf_count / 2, leaf_count)); /* reading replaces existing contents */
    assert_ok(td_reduction_read(other, text, size));
    ck_assert(same(r, other));
    return other;
}

/* Adds parts of the rows, without leaf k if left_out[k], in random order to random reductions, and
   merges these in random order. */
static td_reduction *in_parts(td_random *random, const bool left_out[LEAVES])
{
    enum { MOST = 5 };
    td_reduction *r[MOST];
    size_t order[LEAVES], from[LEAVES], parts = 0, count = 1 + td_random_below(random, MOST);
    for (size_t leaf = 0; leaf < leaf_count;) {
        size_t end = leaf + 1;
        while (end < leaf_count && !left_out[leaf] && !left_out[end] &&
               td_random_below(random, 2) > 0)
            end++;
        if (!left_out[leaf])
            from[parts] = leaf, order[parts++] = end;
        leaf = end;
    }
    for (size_t i = 0; i < count; i++)
        r[i] = fresh();
    for (size_t left = parts; left > 0; left--) {
        const size_t i = td_random_below(random, left);
        assert_ok(add(r[td_random_below(random, count)], from[i], order[i]));
        from[i] = from[left - 1], order[i] = order[left - 1];
    }
    while (count > 1) {
        const size_t i = td_random_below(random, count), last = count - 1;
        td_reduction *swapped = r[i];
        r[i] = r[last], r[last] = swapped;
        if (td_random_below(random, 2) == 0)
            r[last] = through_text(r[last]);
        assert_ok(td_reduction_merge(r[td_random_below(random, last)], r[last]));
        count--;
    }
    return r[0];
}

/* One row, whole leaves and one row more, a full tree of leaves and one row more, and all. */
static const size_t totals[] = {1, LEAF, LEAF + 1, 8 * LEAF, 8 * LEAF + 1, TOTAL};
enum { TOTALS = sizeof totals / sizeof *totals };

TD_LOOP_TEST(any_split_has_the_same_bits, 0, 7 * TOTALS)
{
    static const bool none[LEAVES] = {false};
    row_count = totals[_i % TOTALS], leaf_count = (row_count + LEAF - 1) / LEAF;
    make_rows(77);
    td_random random = {(uint64_t)_i * 31 + 5};
    td_reduction *r = whole(), *other = in_parts(&random, none);
    ck_assert(same(r, other));
    ck_assert_uint_eq(td_reduction_range_count(other), 1);
}

/* Partial sums have the same bits too, and report which rows they contain. */
TD_LOOP_TEST(some_rows_have_the_same_bits, 0, 25)
{
    make_rows(78);
    td_random random = {(uint64_t)_i * 37 + 6};
    bool left_out[LEAVES];
    for (size_t i = 0; i < LEAVES; i++)
        left_out[i] = td_random_below(&random, 3) == 0;
    td_reduction *r = in_parts(&random, left_out), *other = in_parts(&random, left_out);
    ck_assert(same(r, other));
    size_t range = 0;
    for (size_t i = 0; i < LEAVES;) {
        size_t end = i + 1;
        while (end < LEAVES && left_out[end] == left_out[i])
            end++;
        if (!left_out[i]) {
            uint64_t first, last;
            td_reduction_range(r, range++, &first, &last);
            ck_assert_uint_eq(first, i * LEAF);
            ck_assert_uint_eq(last, end_of(end));
        }
        i = end;
    }
    ck_assert_uint_eq(td_reduction_range_count(r), range);
    /* adding the rest gives the whole; clearing and repeating gives the same */
    for (size_t i = 0; i < LEAVES; i++)
        if (left_out[i])
            assert_ok(add(r, i, i + 1));
    td_reduction *all = whole();
    ck_assert(same(r, all));
    td_reduction_clear(r);
    ck_assert_uint_eq(td_reduction_range_count(r), 0);
    td_reduction *empty = fresh();
    ck_assert(same(r, empty));
    assert_ok(add(r, 0, LEAVES));
    ck_assert(same(r, all));
    /* cells contain nothing of previous rows */
    td_reduction_clear(r);
    assert_ok(add(r, 1, 2));
    assert_ok(add(empty, 1, 2));
    ck_assert(same(r, empty));
}

/* The text is the same on all machines, as FNV-1a: no compiler contracts or reorders sums. */
TD_TEST(the_bits_are_those_of_all_machines)
{
    enum { N = 5 * LEAF + 77, WIDTH = 3 };
    static double x[N * WIDTH];
    td_keep keeps[WIDTH + 1];
    td_random_points(7, 0, N, WIDTH, x);
    for (size_t i = 0; i < WIDTH; i++)
        keeps[i] = keep_of(TD_KEEP_MOMENTS, i);
    keeps[WIDTH] = histogram(0.1, 0.7, 61);
    td_reduction *r;
    assert_ok(test_reduction_new(N, WIDTH, keeps, WIDTH + 1, 0, &r));
    assert_ok(td_reduction_add(r, 0, N, x, NULL));
    size_t size;
    char *text = text_of(r, &size);
    ck_assert_msg(digest_of(text, size) == 0xd7dffad83912627b, "%llx",
                  (unsigned long long)digest_of(text, size));
}

/* Merges parts whose leaves alternate, with gaps of any length, in both directions. One pass over
   both equals adding leaf by leaf. */
TD_LOOP_TEST(parts_that_alternate_are_merged, 0, 6)
{
    enum { N = 200 };
    static double x[LEAF];
    td_random random = {(uint64_t)_i + 3};
    td_keep keep = td_keep_default();
    td_reduction *r[3];
    for (size_t i = 0; i < 3; i++)
        assert_ok(test_reduction_new(N * LEAF, 1, &keep, 1, 0, &r[i]));
    for (size_t leaf = 0; leaf < N; leaf++) {
        const size_t part = _i == 0 ? leaf % 2 : td_random_below(&random, 5);
        td_random_points(1, leaf * LEAF, LEAF, 1, x);
        for (size_t i = 0; i < 3 && part < 2; i++)
            if (i == part || i == 2)
                assert_ok(td_reduction_add(r[i], leaf * LEAF, LEAF, x, NULL));
    }
    assert_ok(td_reduction_merge(r[_i % 2], r[1 - _i % 2]));
    ck_assert(same(r[_i % 2], r[2]));
}

/* ---- numerical accuracy ---------------------------------------------------------------------- */

static td_moments moments_of(size_t n, const double *x)
{
    td_keep keep = td_keep_default();
    td_reduction *r;
    td_moments m;
    assert_ok(test_reduction_new(n, 1, &keep, 1, 0, &r));
    assert_ok(td_reduction_add(r, 0, n, x, NULL));
    assert_ok(td_reduction_moments(r, 0, &m));
    return m;
}

TD_TEST(moments_of_hard_numbers)
{
    enum { N = 3 * LEAF + 5 };
    static double x[N];
    /* equal numbers: the deviation is exactly zero */
    for (size_t n = 1; n <= N; n += 257) {
        for (size_t i = 0; i < n; i++)
            x[i] = 0.1;
        const td_moments m = moments_of(n, x);
        ck_assert_double_eq(m.mean, 0.1);
        ck_assert_double_eq(m.deviation, 0);
        ck_assert_uint_eq(m.smallest_row + m.largest_row, 0);
    }
    /* the deviation is 10⁻⁹ of the mean */
    for (size_t i = 0; i < 2 * LEAF; i++)
        x[i] = 1e6 + (i % 2 ? 0x1p-10 : -0x1p-10);
    td_moments m = moments_of(2 * LEAF, x);
    ck_assert_double_eq(m.mean, 1e6);
    ck_assert_double_eq(m.deviation, 0x1p-10);
    /* the largest finite numbers */
    for (size_t i = 0; i < N; i++)
        x[i] = i < 2 * LEAF ? 1.5e308 : -1.5e308;
    m = moments_of(N, x);
    const double mean = 1.5e308 * ((2.0 * LEAF - (LEAF + 5)) / N);
    td_assert_close(1, &m.mean, &mean, 1e-15, 1.5e308);
    ck_assert_double_eq(m.deviation, INFINITY);
    m = moments_of(LEAF, x);
    td_assert_close(1, &m.mean, x, 1e-15, 0);
    /* the first row that has the extreme value, in the middle and at the end of a leaf */
    for (size_t i = 0; i < N; i++)
        x[i] = i % 100 == 37 ? -1 : i == N - 1 ? 2 : 0;
    m = moments_of(N, x);
    ck_assert_uint_eq(m.smallest_row, 37);
    ck_assert_uint_eq(m.largest_row, N - 1);
}

/* Rounded means lie between the smallest and largest number, for any magnitude, so that the text
   can be read back. */
TD_TEST(means_are_within_the_numbers)
{
    enum { N = 5 * LEAF + 7 };
    static const double some[][3] = {{DBL_MAX, DBL_MAX, DBL_MAX},
                                     {-DBL_MAX, -DBL_MAX, -DBL_MAX},
                                     {DBL_MAX, 0x1.ffffffffffffep1023, DBL_MAX},
                                     {DBL_MAX, -DBL_MAX, 1},
                                     {-DBL_MAX, INFINITY, -DBL_MAX},
                                     {INFINITY, -INFINITY, DBL_MAX},
                                     {0.1, 0.1, 0.1},
                                     {1.5e300, 1.5e300, 1.5e300},
                                     {0x1.fffffffffffffp-3, 0x1.ffffffffffffep-3, 0x1p-2},
                                     {5e-324, 0, 1e-200},
                                     {INFINITY, INFINITY, INFINITY}};
    static double x[N];
    td_keep keep = td_keep_default();
    for (size_t k = 0; k < sizeof some / sizeof *some; k++)
        for (size_t n = 1; n <= N; n += n < 40 ? 1 : 397) {
            double least = INFINITY, most = -INFINITY;
            for (size_t i = 0; i < n; i++) {
                x[i] = some[k][i * i % 7 % 3];
                if (isfinite(x[i]))
                    least = fmin(least, x[i]), most = fmax(most, x[i]);
            }
            td_reduction *r, *read;
            td_moments m;
            assert_ok(test_reduction_new(n, 1, &keep, 1, 0, &r));
            assert_ok(test_reduction_new(n, 1, &keep, 1, 0, &read));
            assert_ok(td_reduction_add(r, 0, n, x, NULL));
            assert_ok(td_reduction_moments(r, 0, &m));
            ck_assert(m.count == 0 || (least <= m.mean && m.mean <= most));
            ck_assert(least < most || m.count == 0 || m.deviation == 0);
            size_t size;
            char *text = text_of(r, &size);
            ck_assert_msg(td_reduction_read(read, text, size) == TD_OK, "%zu of numbers %zu", n, k);
            ck_assert(same(r, read));
        }
}

/* Tests numbers at each edge of an axis, and the adjacent ones below and above. */
TD_TEST(edges_are_the_lower_ends_of_bins)
{
    static const td_axis axes[] = {{0, 0.1, 0.7, 6},         {0, -1e-3, 1e5, 997},
                                   {0, 1, 1.1, 123},         {0, -1e308, 7e307, 10},
                                   {0, 1e15, 1e15 + 64, 32}, {0, 3, 4, 1}};
    for (size_t a = 0; a < sizeof axes / sizeof *axes; a++) {
        const td_axis *axis = &axes[a];
        td_keep keep = keep_of(TD_KEEP_HISTOGRAM, 0);
        keep.axis_count = 1, keep.axes[0] = *axis;
        td_reduction *r;
        assert_ok(test_reduction_new(3, 1, &keep, 1, 0, &r));
        const double width = (axis->to - axis->from) / (double)axis->bins;
        for (size_t k = 0; k <= axis->bins; k++) {
            const double edge = k < axis->bins ? axis->from + width * (double)k : axis->to;
            const double x[3] = {nextafter(edge, -INFINITY), edge, nextafter(edge, INFINITY)};
            uint64_t below, above;
            td_reduction_clear(r);
            assert_ok(td_reduction_add(r, 0, 3, x, NULL));
            const uint64_t *count = td_reduction_counts(r, 0, &below, &above);
            ck_assert_uint_eq(below, k == 0);
            ck_assert_uint_eq(above, k == axis->bins);
            if (k > 0)
                ck_assert_uint_eq(count[k - 1], k == axis->bins ? 2 : 1);
            if (k < axis->bins)
                ck_assert_uint_eq(count[k], 2);
        }
    }
}

TD_TEST(percentiles)
{
    td_keep keeps[2] = {keep_of(TD_KEEP_HISTOGRAM, 0), td_keep_default()};
    keeps[0].axis_count = 1, keeps[0].axes[0] = (td_axis){0, 0, 10, 10};
    td_reduction *r;
    assert_ok(test_reduction_new(8, 1, keeps, 2, 0, &r));
    ck_assert_double_nan(td_reduction_percentile(r, 0, 0.5));
    const double inside[8] = {1, 1.1, 1.2, 1.3, 4, 4.1, 4.2, 10};
    assert_ok(td_reduction_add(r, 0, 8, inside, NULL));
    static const double told[][2] = {{0, 1},     {0.25, 1.5},   {0.5, 2}, {0.625, 4 + 1.0 / 3},
                                     {0.875, 5}, {0.9375, 9.5}, {1, 10}};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        ck_assert_double_eq_tol(td_reduction_percentile(r, 0, told[i][0]), told[i][1], 1e-15);
    const double beyond[8] = {-1, -INFINITY, 3, 3.5, 11, 12, NAN, NAN};
    td_reduction_clear(r);
    assert_ok(td_reduction_add(r, 0, 8, beyond, NULL));
    ck_assert_double_eq(td_reduction_percentile(r, 0, 0), -INFINITY);
    ck_assert_double_eq(td_reduction_percentile(r, 0, 0.3), -INFINITY);
    ck_assert_double_eq(td_reduction_percentile(r, 0, 1.0 / 3), -INFINITY);
    ck_assert_double_eq(td_reduction_percentile(r, 0, 0.5), 3.5);
    ck_assert_double_eq(td_reduction_percentile(r, 0, 0.7), INFINITY);
    ck_assert_double_nan(td_reduction_percentile(r, 0, -0.1));
    ck_assert_double_nan(td_reduction_percentile(r, 0, 1.1));
    ck_assert_double_nan(td_reduction_percentile(r, 0, NAN));
    ck_assert_double_nan(td_reduction_percentile(r, 1, 0.5));
    ck_assert_double_nan(td_reduction_percentile(r, 2, 0.5));
    ck_assert_double_nan(td_reduction_percentile(NULL, 0, 0.5));
}

/* Tests each edge to the bit with a percentile that ends there. The last edge is exactly `to`,
   which sums of rounded widths may miss, and no percentile exceeds it. */
TD_TEST(percentiles_at_edges)
{
    static const td_axis axes[] = {{0, 0.1, 0.7, 6},  {0, -9.7, -0.2, 2},  {0, -9.1, 7.3, 1},
                                   {0, -0.1, 0.7, 1}, {0, -1e-3, 1e5, 97}, {0, 1, 1.1, 53}};
    for (size_t a = 0; a < sizeof axes / sizeof *axes; a++) {
        const td_axis *axis = &axes[a];
        td_keep keep = keep_of(TD_KEEP_HISTOGRAM, 0);
        double middle[100];
        const double width = (axis->to - axis->from) / (double)axis->bins;
        keep.axis_count = 1, keep.axes[0] = *axis;
        for (size_t k = 0; k < axis->bins; k++)
            middle[k] = axis->from + width * ((double)k + 0.5);
        td_reduction *r;
        assert_ok(test_reduction_new(axis->bins, 1, &keep, 1, 0, &r));
        assert_ok(td_reduction_add(r, 0, axis->bins, middle, NULL));
        ck_assert_double_eq(td_reduction_percentile(r, 0, 1), axis->to);
        ck_assert_double_eq(td_reduction_percentile(r, 0, 0), axis->from);
        for (size_t k = 1; k < axis->bins; k++) {
            const double part = (double)k / (double)axis->bins;
            if (part * (double)axis->bins == (double)k)
                ck_assert_double_eq(td_reduction_percentile(r, 0, part),
                                    axis->from + width * (double)k);
        }
        ck_assert_double_le(td_reduction_percentile(r, 0, 1 - 0x1p-53), axis->to);
    }
}

/* ---- refusals -------------------------------------------------------------------------------- */

static td_status made_with(uint64_t total, size_t columns, const td_keep *keeps, size_t count)
{
    td_reduction *r = (void *)&total;
    const td_status status = test_reduction_new(total, columns, keeps, count, 1, &r);
    ck_assert_int_eq(r != NULL, status == TD_OK);
    return status;
}

TD_TEST(keeps_that_are_refused)
{
    td_keep good[3] = {keep_of(TD_KEEP_MOMENTS, 1), histogram(0, 1, 10),
                       keep_of(TD_KEEP_LARGEST, 0)};
    static const td_condition conditions[][1] = {
        {{2, 0, 1}}, {{0, 1, 0}}, {{0, NAN, 1}}, {{0, 0, NAN}}};
    td_reduction *r;
    assert_ok(made_with(10, 2, good, 3));
    assert_ok(made_with(10, 2, NULL, 0));
    ck_assert_int_eq(td_reduction_new(1, 1, NULL, 0, 0, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_reduction_new(1, 1, NULL, 1, 0, &r), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(made_with(0, 2, good, 3), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(made_with(10, 0, good, 0), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(made_with(10, 1, good, 1), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(made_with(10, SIZE_MAX, good, 1), TD_ERROR_ARGUMENT);
    static const struct {
        double from, to;
        size_t bins;
    } axes[] = {{0, 1, 0},
                {1, 1, 5},
                {1, 0, 5},
                {NAN, 1, 5},
                {0, NAN, 5},
                {-INFINITY, 1, 5},
                {0, INFINITY, 5},
                {-1e308, 1e308, 5},
                {0, 1, (size_t)1 << 31},
                {1, 1 + 0x1p-40, 1 << 13},
                {0, 5e-324, 1}};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
        const td_keep keep = histogram(axes[i].from, axes[i].to, axes[i].bins);
        ck_assert_msg(made_with(10, 2, &keep, 1) == TD_ERROR_ARGUMENT, "axis %zu", i);
    }
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
        td_keep keep = good[0];
        keep.conditions = conditions[i], keep.condition_count = 1;
        ck_assert_int_eq(made_with(10, 2, &keep, 1), TD_ERROR_ARGUMENT);
    }
    td_keep keep = good[0];
    keep.condition_count = 1;
    ck_assert_int_eq(made_with(10, 2, &keep, 1), TD_ERROR_ARGUMENT);
    keep = good[0], keep.axis_count = 1, keep.axes[0] = good[1].axes[0];
    ck_assert_int_eq(made_with(10, 2, &keep, 1), TD_ERROR_ARGUMENT);
    keep = good[1], keep.axis_count = 0;
    ck_assert_int_eq(made_with(10, 2, &keep, 1), TD_ERROR_ARGUMENT);
    keep = good[1], keep.axis_count = 2, keep.axes[1] = keep.axes[0];
    ck_assert_int_eq(made_with(10, 2, &keep, 1), TD_ERROR_ARGUMENT);
    keep = good[1], keep.column = 0;
    ck_assert_int_eq(made_with(10, 2, &keep, 1), TD_ERROR_ARGUMENT);
    keep = good[1], keep.kind = TD_KEEP_CELLS, keep.axis_count = 4;
    ck_assert_int_eq(made_with(10, 2, &keep, 1), TD_ERROR_ARGUMENT);
    keep = good[1], keep.kind = TD_KEEP_CELLS, keep.axes[0].column = 2;
    ck_assert_int_eq(made_with(10, 2, &keep, 1), TD_ERROR_ARGUMENT);
    keep = good[2], keep.count = 0;
    ck_assert_int_eq(made_with(10, 2, &keep, 1), TD_ERROR_ARGUMENT);
    keep = good[2], keep.kind = (td_keep_kind)5;
    ck_assert_int_eq(made_with(10, 2, &keep, 1), TD_ERROR_ARGUMENT);
    keep = good[2], keep.count = SIZE_MAX; /* capped by the number of rows */
    assert_ok(made_with(10, 2, &keep, 1));
    /* too many cells: of three axes, and of all keeps together */
    keep = histogram(0, 1, 1 << 11);
    keep.kind = TD_KEEP_CELLS, keep.axis_count = 3, keep.axes[1] = keep.axes[2] = keep.axes[0];
    ck_assert_int_eq(made_with(10, 2, &keep, 1), TD_ERROR_ARGUMENT);
    td_keep both[2] = {histogram(0, 1, 1 << 30), good[1]};
    ck_assert_int_eq(made_with(10, 2, both, 2), TD_ERROR_ARGUMENT);
    /* detected before memory is allocated */
    failing_left = 0;
    const td_status too_many = td_reduction_new(10, 2, both, 2, 0, &r);
    both[0].axes[0].bins = 5, both[1].kind = (td_keep_kind)5;
    const td_status unknown = td_reduction_new(10, 2, both, 2, 0, &r);
    failing_left = -1;
    ck_assert_int_eq(too_many, TD_ERROR_ARGUMENT);
    ck_assert_int_eq(unknown, TD_ERROR_ARGUMENT);
}

TD_TEST(rows_that_are_refused)
{
    make_rows(4);
    td_reduction *r = fresh(), *before = fresh();
    assert_ok(add(r, 2, 4));
    assert_ok(add(before, 2, 4));
    td_status unknown[LEAF] = {TD_OK};
    unknown[7] = (td_status)99;
    ck_assert_int_eq(td_reduction_add(NULL, 0, LEAF, rows, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_reduction_add(r, 0, LEAF, NULL, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_reduction_add(r, 0, LEAF, rows, unknown), TD_ERROR_ARGUMENT);
    unknown[7] = (td_status)-1;
    ck_assert_int_eq(td_reduction_add(r, 0, LEAF, rows, unknown), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_reduction_add(r, 1, LEAF, rows, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_reduction_add(r, 0, LEAF - 1, rows, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_reduction_add(r, 0, TOTAL + 1, rows, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_reduction_add(r, LEAF, SIZE_MAX, rows, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_reduction_add(r, (uint64_t)1 << 40, LEAF, rows, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(add(r, 2, 3), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(add(r, 3, 4), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(add(r, 1, 3), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(add(r, 3, 6), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(add(r, 0, LEAVES), TD_ERROR_ARGUMENT);
    assert_ok(td_reduction_add(r, 0, 0, rows, NULL));
    assert_ok(td_reduction_add(r, LEAF, 0, NULL, NULL));
    assert_ok(td_reduction_add(r, TOTAL, 0, NULL, NULL));
    ck_assert_int_eq(td_reduction_add(r, TOTAL - 1, 0, NULL, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_reduction_add(r, TOTAL + 1, 0, NULL, NULL), TD_ERROR_ARGUMENT);
    ck_assert(same(r, before));

    td_reduction *meets = fresh(), *other = fresh();
    assert_ok(add(meets, 0, 1));
    assert_ok(add(meets, 3, 5));
    ck_assert_int_eq(td_reduction_merge(r, meets), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_reduction_merge(r, r), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_reduction_merge(NULL, r), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_reduction_merge(r, NULL), TD_ERROR_ARGUMENT);
    assert_ok(td_reduction_merge(r, other));
    assert_ok(td_reduction_merge(other, other));

    /* reductions that differ in one property cannot be merged, or read each other's text */
    for (size_t what = 0; what < 14; what++) {
        td_keep keeps[KEEPS];
        td_condition condition[2] = {high[0], high[1]};
        make_keeps(keeps);
        keeps[SOME_MOMENTS].conditions = condition;
        keeps[LARGEST].count += what == 0;
        keeps[LARGEST].kind = what == 1 ? TD_KEEP_SMALLEST : TD_KEEP_LARGEST;
        keeps[MOMENTS_0].column += what == 2;
        keeps[PLANE].axes[1].bins += what == 3;
        keeps[PLANE].axes[1].from -= what == 4;
        keeps[PLANE].axes[1].to += what == 5;
        keeps[PLANE].axes[1].column += what == 6;
        keeps[PLANE].axis_count -= what == 7;
        condition[1].from -= what == 8;
        condition[1].to += what == 9;
        condition[1].column += what == 10;
        keeps[SOME_MOMENTS].condition_count -= what == 11;
        size_t size;
        char *text = text_of(before, &size);
        assert_ok(test_reduction_new(TOTAL + (what == 12), COLUMNS, keeps, KEEPS,
                                     EXAMPLES + (what == 13), &other));
        ck_assert_msg(td_reduction_merge(r, other) == TD_ERROR_ARGUMENT, "%zu", what);
        ck_assert_msg(td_reduction_read(other, text, size) == TD_ERROR_ARGUMENT, "%zu", what);
    }
    ck_assert(same(r, before));

    /* −0 equals 0, in texts too */
    static const td_condition zeros[] = {{0, 0.0, 1}, {0, -0.0, 1}};
    td_reduction *zero[2];
    for (size_t i = 0; i < 2; i++) {
        td_keep keep = keep_of(TD_KEEP_HISTOGRAM, 0);
        keep.axis_count = 1, keep.axes[0] = (td_axis){0, zeros[i].from, 2, 3};
        keep.conditions = &zeros[i], keep.condition_count = 1;
        assert_ok(test_reduction_new(5, 1, &keep, 1, 0, &zero[i]));
    }
    ck_assert(same(zero[0], zero[1]));
    assert_ok(td_reduction_merge(zero[0], zero[1]));
}

TD_TEST(results_that_there_are_not)
{
    make_rows(3);
    td_reduction *r = whole();
    uint64_t a = 1, b = 1;
    const uint64_t *row = &a;
    const double *x = rows, *y = rows;
    size_t size = 1, known = 1;
    td_moments m;
    ck_assert_uint_eq(td_reduction_total(r), TOTAL);
    ck_assert_uint_eq(td_reduction_total(NULL), 0);
    ck_assert_uint_eq(td_reduction_range_count(NULL), 0);
    td_reduction_range(r, 1, &a, &b);
    ck_assert(a == 0 && b == 0);
    td_reduction_range(r, 0, NULL, NULL);
    ck_assert_uint_eq(td_reduction_failed(r, TD_OK, &row, &known), 0);
    ck_assert(!row && known == 0);
    ck_assert_uint_eq(td_reduction_failed(NULL, TD_ERROR_SINGULAR, NULL, NULL), 0);
    a = b = 1;
    td_reduction_counted(r, KEEPS, &a, &b);
    ck_assert(a == 0 && b == 0);
    ck_assert_int_eq(td_reduction_moments(r, LARGEST, &m), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_reduction_moments(r, KEEPS, &m), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_reduction_moments(r, 0, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_reduction_moments(NULL, 0, &m), TD_ERROR_ARGUMENT);
    ck_assert_uint_eq(td_reduction_rows(r, MOMENTS_0, &row, &x), 0);
    ck_assert(!row && !x);
    ck_assert_uint_eq(td_reduction_rows(r, KEEPS, NULL, NULL), 0);
    ck_assert_ptr_null(td_reduction_counts(r, LARGEST, &a, &b));
    ck_assert_ptr_null(td_reduction_counts(r, KEEPS, NULL, NULL));
    ck_assert(!td_reduction_cells(r, HISTOGRAM, &x, &y));
    ck_assert(!x && !y);
    ck_assert(!td_reduction_cells(NULL, 0, NULL, NULL));
    ck_assert_int_eq(td_reduction_write(NULL, NULL, 0, &size), TD_ERROR_ARGUMENT);
    ck_assert_uint_eq(size, 0);
    ck_assert_int_eq(td_reduction_write(r, NULL, 0, NULL), TD_ERROR_ARGUMENT);
    char little[10] = "unchanged";
    ck_assert_int_eq(td_reduction_write(r, little, 9, &size), TD_ERROR_ARGUMENT);
    ck_assert_str_eq(little, "unchanged");
    ck_assert_uint_gt(size, 9);
    ck_assert_int_eq(td_reduction_read(NULL, little, 9), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_reduction_read(r, NULL, 0), TD_ERROR_ARGUMENT);
    ck_assert_uint_eq(td_reduction_range_count(r), 0);
    td_reduction_free(NULL);
    td_reduction_clear(NULL);
}

/* ---- texts ------------------------------------------------------------------------------------
 */

/* Returns a small reduction with all kinds, so that a test can try every byte. */
static td_reduction *small(void)
{
    td_keep keeps[] = {keep_of(TD_KEEP_MOMENTS, 0), keep_of(TD_KEEP_LARGEST, 1),
                       keep_of(TD_KEEP_SMALLEST, 0), keep_of(TD_KEEP_HISTOGRAM, 1),
                       keep_of(TD_KEEP_CELLS, 0)};
    keeps[1].count = keeps[2].count = 3;
    keeps[3].axis_count = keeps[4].axis_count = 1;
    keeps[3].axes[0] = keeps[4].axes[0] = (td_axis){1, -3, 2, 8};
    td_reduction *r;
    assert_ok(test_reduction_new(6 * LEAF + 3, COLUMNS, keeps, 5, 2, &r));
    return r;
}

static td_reduction *small_and_full(void)
{
    td_reduction *r = small();
    make_rows(11);
    assert_ok(td_reduction_add(r, LEAF, 3 * LEAF, rows, statuses));
    assert_ok(td_reduction_add(r, 6 * LEAF, 3, rows, statuses));
    return r;
}

static void expect_empty(const td_reduction *r)
{
    td_reduction *empty = small();
    ck_assert(same(r, empty));
}

TD_TEST(damaged_texts_are_refused)
{
    td_reduction *r = small_and_full(), *read = small();
    size_t size;
    char *text = text_of(r, &size), *copy = test_malloc(size + 8);
    assert_ok(td_reduction_read(read, text, size));
    ck_assert(same(r, read));
    for (size_t i = 0; i < size; i++) {
        ck_assert((text[i] >= ' ' && text[i] < 127) || text[i] == '\n');
        /* a copy of exactly this length lets sanitizers detect reads beyond its end */
        char *part = test_malloc(i > 0 ? i : 1);
        memcpy(part, text, i);
        ck_assert_int_eq(td_reduction_read(read, part, i), TD_ERROR_ARGUMENT);
        for (int bit = 0; bit < 8; bit++) {
            memcpy(copy, text, size);
            copy[i] = (char)(copy[i] ^ 1 << bit);
            ck_assert_msg(td_reduction_read(read, copy, size) == TD_ERROR_ARGUMENT,
                          "bit %d of byte %zu", bit, i);
        }
    }
    expect_empty(read);
    memcpy(copy, text, size);
    copy[size] = '\n';
    ck_assert_int_eq(td_reduction_read(read, copy, size + 1), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_reduction_read(read, text, 0), TD_ERROR_ARGUMENT);
}

/* Writes the checksum at the end: FNV-1a of all preceding text. */
static size_t sign(char *text, size_t size)
{
    static const char end[] = "\nend ";
    size_t at = size;
    while (at > 0 && (at + sizeof end > size || memcmp(text + at, end, sizeof end - 1) != 0))
        at--;
    at += sizeof end - 1;
    return at + (size_t)sprintf(text + at, "%llx \n", (unsigned long long)digest_of(text, at));
}

/* Forged texts have a correct checksum. Each is refused, or gives a reduction with the same text to
   which rows can be added. */
TD_LOOP_TEST(forged_texts_are_looked_at, 0, 4)
{
    td_reduction *r = small_and_full(), *read = small();
    size_t size, accepted = 0, tried = 0;
    char *text = text_of(r, &size), *copy = test_malloc(2 * size + 64);
    td_random random = {(uint64_t)_i + 1};
    static const char put[] = "0123456789abcdef *\n";
    ck_assert_uint_eq(sign(text, size), size);
    for (size_t i = 0; i < 8000; i++) {
        size_t n = size;
        memcpy(copy, text, size);
        for (size_t k = 1 + td_random_below(&random, 2); k > 0; k--) {
            const size_t where = td_random_below(&random, n - 20);
            const char c = put[td_random_below(&random, sizeof put - 1)];
            switch (td_random_below(&random, 3)) {
            case 0:
                copy[where] = c;
                break;
            case 1:
                memmove(copy + where + 1, copy + where, n - where);
                copy[where] = c, n++;
                break;
            default:
                memmove(copy + where, copy + where + 1, n - where - 1);
                n--;
                break;
            }
        }
        n = sign(copy, n);
        char *exact = test_malloc(n);
        memcpy(exact, copy, n);
        const td_status status = td_reduction_read(read, exact, n);
        ck_assert(status == TD_OK || status == TD_ERROR_ARGUMENT);
        tried++;
        if (status == TD_OK) {
            size_t other_size;
            char *other = text_of(read, &other_size);
            ck_assert_uint_eq(other_size, n);
            ck_assert_mem_eq(other, exact, n);
            accepted++;
            for (size_t leaf = 0; leaf < 7; leaf++) {
                const size_t last = leaf == 6 ? 3 : LEAF;
                td_reduction_add(read, leaf * LEAF, last, rows, NULL);
            }
            ck_assert_uint_eq(td_reduction_range_count(read), 1);
            td_reduction_percentile(read, 3, 0.5);
        } else if (i % 100 == 0) {
            expect_empty(read);
        }
    }
    ck_assert_msg(accepted > 40 && accepted < tried / 2, "%zu of %zu", accepted, tried);
}

/* Replaces word number `word` of line `line` by one or more words, and corrects the checksum. */
static size_t forge(char *copy, const char *text, size_t line, size_t word, const char *put)
{
    const char *from = text;
    while (line-- > 0)
        from = strchr(from, '\n') + 1;
    while (word-- > 0)
        from = strchr(from, ' ') + 1;
    const size_t before = (size_t)(from - text);
    return sign(
        copy, (size_t)sprintf(copy, "%.*s%s%s", (int)before, text, put, from + strcspn(from, " ")));
}

enum { TITLE, TOLD, RANGES, FAILED, MOMENTS, ROWS, LEAST_ROWS, BINS, CELLS, NODES };

/* Returns a reduction with one leaf of rows 0 … 4 at 400. Its text is given below; forgeries refer
   to its lines and words. */
static td_reduction *few(void)
{
    td_keep keeps[] = {keep_of(TD_KEEP_MOMENTS, 0), keep_of(TD_KEEP_LARGEST, 0),
                       keep_of(TD_KEEP_SMALLEST, 0), keep_of(TD_KEEP_HISTOGRAM, 0),
                       keep_of(TD_KEEP_CELLS, 0)};
    keeps[1].count = 2;
    keeps[3].axis_count = keeps[4].axis_count = 1;
    keeps[3].axes[0] = keeps[4].axes[0] = (td_axis){0, 0, 8, 8};
    td_reduction *r;
    assert_ok(test_reduction_new(6 * LEAF, 1, keeps, 5, 2, &r));
    return r;
}

TD_TEST(no_rows_make_forged_numbers)
{
    static double x[3 * LEAF];
    static td_status failed[2 * LEAF];
    for (size_t i = 0; i < 2 * LEAF; i++)
        failed[i] = i % 2 ? TD_ERROR_SINGULAR : TD_ERROR_ASSEMBLY;
    for (size_t i = 4; i < 8; i++) {
        static const double some[] = {2, 0.5, 2.5, NAN};
        failed[i] = TD_OK, x[i] = some[i - 4];
    }
    td_reduction *r = few(), *read = few();
    assert_ok(td_reduction_add(r, LEAF, 2 * LEAF, x, failed));
    assert_ok(td_reduction_add(r, 4 * LEAF, LEAF, x + LEAF, failed + LEAF));
    size_t size;
    char *text = text_of(r, &size), *copy = test_malloc(size + 200);
    const char *line = text;
    for (int i = 0; i < RANGES; i++)
        line = strchr(line, '\n') + 1;
    snprintf(copy, size, "%.*s", (int)(strstr(line, "\nend ") - line), line);
    ck_assert_str_eq(copy,
                     "ranges 2 400 c00 1000 1400 \n"
                     "failed 2 a 5fe 2 401 403 b 5fe 2 400 402 \n"
                     "keep 3 1 1 3fe0000000000000 405 4004000000000000 406 \n"
                     "keep 3 1 2 4004000000000000 406 4000000000000000 404 \n"
                     "keep 3 1 1 3fe0000000000000 405 \n"
                     "keep 3 1 0 0 1 *1 2 *5 \n"
                     "keep 3 1 0 1 *1 2 *5 3fe0000000000000 3fe0000000000000 4000000000000000 "
                     "4004000000000000 \n"
                     "nodes 3 3 3ffaaaaaaaaaaaab 4001555555555556 0 0 0 0 0 0 ");
#define NOT_A_NUMBER "7ff8000000000000"
#define INFINITE "7ff0000000000000"
    static const struct {
        size_t line, word;
        const char *put;
        bool taken; /* rows could have produced it */
    } forgeries[] = {
        {RANGES, 1, "2", true},
        {RANGES, 2, "0400", false},       /* leading zero */
        {RANGES, 2, "401", false},        /* not a leaf */
        {RANGES, 2, "c00", false},        /* empty */
        {RANGES, 5, "1c00", false},       /* beyond the last row */
        {RANGES, 5, "1001", false},       /* not a leaf */
        {RANGES, 1, "ffffffffff", false}, /* more than the text contains */
        {RANGES, 4, "800", false},        /* nested ranges */
        {FAILED, 2, "0", false},          /* not an error status */
        {FAILED, 2, "b", false},          /* repeated */
        {FAILED, 2, "c", false},          /* not in order */
        {FAILED, 2, "9", true},
        {FAILED, 2, "ff", false},    /* not a status */
        {FAILED, 3, "fff", false},   /* more than the rows */
        {FAILED, 3, "0", false},     /* no rows */
        {FAILED, 3, "5fd", false},   /* one failed row less, but counts do not match */
        {FAILED, 4, "1", false},     /* fewer than listed */
        {FAILED, 4, "3 400", false}, /* more than are remembered */
        {FAILED, 5, "403", false},   /* repeated */
        {FAILED, 6, "c02", false},   /* a row that it does not contain */
        {FAILED, 6, "408", true},
        {MOMENTS, 1, "c00", false}, /* more than the rows */
        {MOMENTS, 2, "2", false},
        {MOMENTS, 3, "0", false}, /* none of three */
        {MOMENTS, 3, "2", false}, /* two of one */
        {MOMENTS, 4, NOT_A_NUMBER, false},
        {MOMENTS, 4, "4005000000000000", false}, /* greater than the largest */
        {MOMENTS, 5, "3ff", false},              /* a row that it does not contain */
        {MOMENTS, 5, "1400", false},
        {MOMENTS, 5, "406", false}, /* the row of the largest number, which is greater */
        {MOMENTS, 5, "404", true},
        {MOMENTS, 6, "3fe0000000000000", false}, /* same smallest number in another row */
        {ROWS, 4, "3ff0000000000000", false},    /* not in order */
        {ROWS, 5, "c00", false},
        {ROWS, 5, "404", false}, /* repeated */
        {ROWS, 6, NOT_A_NUMBER, false},
        {ROWS, 6, "4004000000000000", false}, /* equal, but rows are not in order */
        {LEAST_ROWS, 3, "0", false},
        {LEAST_ROWS, 4, NOT_A_NUMBER, false},
        {BINS, 3, "1", false}, /* counts do not add up */
        {BINS, 4, "ffffffffffffffff", false},
        {BINS, 5, "2", false},
        {BINS, 6, "*0 *1", false},
        {BINS, 6, "0", false},
        {BINS, 8, "*6", false}, /* more than the bins */
        {BINS, 8, "*4", false},
        {BINS, 8, "*2 *3", false}, /* must be written *5 */
        {CELLS, 3, "1", false},
        {CELLS, 8, "8000000000000000", false}, /* −0, and two numbers in a cell of one row */
        {CELLS, 8, NOT_A_NUMBER, false},
        {CELLS, 8, "3fd0000000000000", false},  /* two numbers in a cell of one row */
        {CELLS, 10, "4005000000000000", false}, /* greater than the largest */
        {CELLS, 10, "8000000000000000", false}, /* −0 */
        {CELLS, 10, "0", true},
        {NODES, 1, "2", false},
        {NODES, 1, "4", false},
        {NODES, 2, "4", false},                /* more than counted */
        {NODES, 2, "401", false},              /* more than fit in a node */
        {NODES, 2, "2", false},                /* fewer than counted */
        {NODES, 3, "3fd0000000000000", false}, /* a mean below the smallest number */
        {NODES, 3, "4008000000000000", false}, /* above the largest number */
        {NODES, 3, "3ff8000000000000", true},
        {NODES, 3, NOT_A_NUMBER, false},
        {NODES, 3, INFINITE, false},
        {NODES, 4, NOT_A_NUMBER, false},
        {NODES, 4, "8000000000000001", false}, /* negative */
        {NODES, 4, INFINITE, false},           /* overflow with small numbers */
        {NODES, 4, "4029000000000000", false}, /* 12.5, impossible for 3 numbers from 1/2 to 5/2 */
        {NODES, 4, "4025000000000000", true},
        {NODES, 6, "1", false}, /* a mean of no numbers */
    };
    for (size_t i = 0; i < sizeof forgeries / sizeof *forgeries; i++) {
        const size_t n = forge(copy, text, forgeries[i].line, forgeries[i].word, forgeries[i].put);
        ck_assert_msg(
            td_reduction_read(read, copy, n) == (forgeries[i].taken ? TD_OK : TD_ERROR_ARGUMENT),
            "line %zu, word %zu: %s", forgeries[i].line, forgeries[i].word, forgeries[i].put);
        ck_assert_uint_eq(td_reduction_range_count(read), forgeries[i].taken ? 2 : 0);
    }
    /* a short last leaf has short nodes; with a condition, only the nodes are checked */
    static const td_condition wide = {0, -1, 1};
    td_keep keep = td_keep_default();
    keep.conditions = &wide, keep.condition_count = 1;
    td_reduction *odd;
    assert_ok(test_reduction_new(2 * LEAF + 3, 1, &keep, 1, 0, &odd));
    assert_ok(td_reduction_add(odd, 0, 2 * LEAF + 3, x, NULL));
    size_t odd_size;
    char *odd_text = text_of(odd, &odd_size);
    const char *nodes = strstr(odd_text, "nodes 2 7fd "), *last = nodes ? strstr(nodes, " 3 ") : 0;
    ck_assert_msg(last != NULL, "%s", odd_text);
    static const char *const moved[] = {"7fd", "3", "7fc", "4"};
    for (size_t i = 0; i < 2; i++) {
        const size_t n =
            sign(copy, (size_t)sprintf(copy, "%.*snodes 2 %s%.*s %s%s", (int)(nodes - odd_text),
                                       odd_text, moved[2 * i], (int)(last - nodes - 11), nodes + 11,
                                       moved[2 * i + 1], last + 2));
        ck_assert_int_eq(td_reduction_read(odd, copy, n), i == 0 ? TD_OK : TD_ERROR_ARGUMENT);
    }
    /* one number that appears as two */
    td_reduction *one;
    keep = td_keep_default();
    assert_ok(test_reduction_new(2, 1, &keep, 1, 0, &one));
    assert_ok(td_reduction_add(one, 0, 2, (double[]){2, NAN}, NULL));
    odd_text = text_of(one, &odd_size);
    size_t n = forge(copy, odd_text, MOMENTS, 7, "1");
    ck_assert_int_eq(td_reduction_read(one, copy, n), TD_ERROR_ARGUMENT);
    char *pair = test_malloc(odd_size + 100);
    forge(pair, odd_text, MOMENTS, 7, "1");
    n = forge(copy, pair, MOMENTS, 6, "4008000000000000");
    ck_assert_int_eq(td_reduction_read(one, copy, n), TD_ERROR_ARGUMENT);
    /* two adjacent ranges with the same nodes */
    char *twice = test_malloc(size + 200);
    forge(twice, text, RANGES, 1, "3");
    size = forge(copy, twice, RANGES, 3, "800 800 c00");
    ck_assert_int_eq(td_reduction_read(read, copy, size), TD_ERROR_ARGUMENT);
}

/* ---- memory -----------------------------------------------------------------------------------
 */

/* Lets each allocation fail. The call must report it and leave existing data unchanged. */
TD_TEST(without_memory_nothing_changes)
{
    make_rows(9);
    for (int call = 0; call < 3 && failing_works; call++) {
        td_reduction *other = fresh();
        size_t size = 0, failures = 0;
        for (size_t leaf = 1; leaf < LEAVES; leaf += 2)
            assert_ok(add(other, leaf, leaf + 1));
        char *text = text_of(other, &size);
        for (long n = 0; n < 100; n++) {
            td_reduction *r = fresh(), *before = fresh();
            assert_ok(add(before, 0, 1));
            assert_ok(add(r, 0, 1));
            failing_left = n;
            const td_status status = call == 0   ? add(r, 2, 5)
                                     : call == 1 ? td_reduction_merge(r, other)
                                                 : td_reduction_read(r, text, size);
            const bool failed = failing_left <= 0;
            failing_left = -1;
            ck_assert(status == TD_OK || status == TD_ERROR_MEMORY);
            if (status == TD_ERROR_MEMORY) {
                failures++;
                if (call == 2)
                    td_reduction_clear(before);
                ck_assert(same(r, before));
            }
            if (!failed)
                break;
        }
        ck_assert_msg(failures > 0, "call %d", call);
    }
}
