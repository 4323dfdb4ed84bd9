/* SPDX-License-Identifier: MIT */
/*
 * Tests sampling: published test vectors of Philox, points computed from its definition, Sobol
 * points of another implementation and their uniformity, and normal quantiles in higher precision.
 * Any part of a sequence equals the same part of the whole sequence.
 */
#include <math.h>
#include <string.h>

#include "sweep/sample.h"
#include "sweep/sobol_table.h"
#include "td_test.h"

/* compiles the generator again, as for compilers without 128-bit integers */
#undef __SIZEOF_INT128__
#define td_philox narrow_philox
#define td_random_points narrow_points
void narrow_philox(const uint64_t counter[4], const uint64_t key[2], uint64_t bits[4]);
void narrow_points(uint64_t seed, uint64_t first, size_t n, size_t dimensions, double *points);
#include "sweep/philox.c"
#undef td_philox
#undef td_random_points

enum { BITS = 52 };

/* ---- Philox -----------------------------------------------------------------------------------
 */

/* philox4x64 10 of kat_vectors in the authors' Random123 */
static const struct {
    uint64_t counter[4], key[2], bits[4];
} vectors[] = {
    {{0, 0, 0, 0},
     {0, 0},
     {0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b}},
    {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX},
     {UINT64_MAX, UINT64_MAX},
     {0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0}},
    {{0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89},
     {0x452821e638d01377, 0xbe5466cf34e90c6c},
     {0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6}},
};

TD_TEST(philox_has_published_bits)
{
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        uint64_t bits[4];
        td_philox(vectors[i].counter, vectors[i].key, bits);
        ck_assert_mem_eq(bits, vectors[i].bits, sizeof bits);
        memcpy(bits, vectors[i].counter, sizeof bits); /* in place */
        td_philox(bits, vectors[i].key, bits);
        ck_assert_mem_eq(bits, vectors[i].bits, sizeof bits);
    }
}

/* Returns (b + 1/2) / 2⁵² of the upper bits of a word, in a wider type. */
static double unit_number(uint64_t word)
{
    return (double)(((long double)(word >> (64 - BITS)) + 0.5L) / (long double)(1ull << BITS));
}

TD_TEST(random_points_are_bits_of_philox)
{
    td_random random = {71};
    static const size_t dimensions[] = {1, 2, 3, 4, 5, 7, 8, 21, 64};
    static const uint64_t firsts[] = {0, 1, 100000000000, UINT64_MAX - 40};
    static const uint64_t seeds[] = {0, 1, 12345678901234567890u, UINT64_MAX};
    enum { N = 37, MOST = 64 };
    double whole[N * MOST], part[N * MOST];
    for (size_t c = 0; c < 9 * 4 * 4; c++) {
        const size_t d = dimensions[c % 9];
        const uint64_t first = firsts[c / 9 % 4], seed = seeds[c / 36];
        td_random_points(seed, first, N, d, whole);
        for (size_t i = 0; i < N; i++)
            for (size_t k = 0; k < d; k++) {
                uint64_t bits[4];
                td_philox((uint64_t[4]){first + i, k / 4, 0, 0}, (uint64_t[2]){seed, 0}, bits);
                ck_assert_double_eq(whole[i * d + k], unit_number(bits[k % 4]));
            }
        const size_t at = td_random_below(&random, N);
        td_random_points(seed, first, at, d, part);
        td_random_points(seed, first + at, N - at, d, part + at * d);
        ck_assert_mem_eq(whole, part, N * d * sizeof *whole);
    }
    td_random_points(1, 2, 3, 4, NULL);
    whole[0] = 5;
    td_random_points(1, 2, 0, 4, whole);
    td_random_points(1, 2, 4, 0, whole);
    ck_assert_double_eq(whole[0], 5);
}

/* Mean, variance and correlation of neighbors of a hundred thousand numbers are within five
   standard deviations. */
TD_TEST(random_points_are_spread)
{
    enum { N = 100000, D = 3 };
    double *x = test_malloc(N * D * sizeof *x);
    td_random_points(9, 0, N, D, x);
    double sum[D] = {0}, squares[D] = {0}, products[D] = {0}, next[D] = {0};
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < D; k++) {
            const double a = x[i * D + k] - 0.5;
            ck_assert(x[i * D + k] > 0 && x[i * D + k] < 1);
            sum[k] += a;
            squares[k] += a * a;
            products[k] += a * (x[i * D + (k + 1) % D] - 0.5);
            next[k] += i + 1 < N ? a * (x[(i + 1) * D + k] - 0.5) : 0;
        }
    for (size_t k = 0; k < D; k++) {
        ck_assert_double_le(fabs(sum[k] / N), 5 * sqrt(1.0 / 12 / N));
        ck_assert_double_le(fabs(squares[k] / N - 1.0 / 12), 5 * sqrt(1.0 / 180 / N));
        ck_assert_double_le(fabs(products[k] / N), 5 / 12.0 / sqrt(N));
        ck_assert_double_le(fabs(next[k] / N), 5 / 12.0 / sqrt(N));
    }
}

/* Results are the same without 128-bit integers. */
TD_TEST(narrow_products_have_the_same_bits)
{
    td_random random = {19};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        uint64_t bits[4];
        narrow_philox(vectors[i].counter, vectors[i].key, bits);
        ck_assert_mem_eq(bits, vectors[i].bits, sizeof bits);
    }
    for (int i = 0; i < 1000; i++) {
        enum { N = 3, D = 7 };
        const uint64_t seed = ((uint64_t)td_random_below(&random, 1u << 31) << 33) + (uint64_t)i;
        double x[N * D], narrow[N * D];
        td_random_points(seed, seed ^ UINT64_MAX, N, D, x);
        narrow_points(seed, seed ^ UINT64_MAX, N, D, narrow);
        ck_assert_mem_eq(x, narrow, sizeof x);
    }
}

/* ---- Sobol ------------------------------------------------------------------------------------
 */

/* Computes a coordinate of a point by definition: m_j by their recurrence, bit by bit of the Gray
   code. */
static uint64_t coordinate(uint64_t index, size_t dimension)
{
    uint64_t m[BITS + 1], x = 0;
    const uint64_t gray = index ^ index >> 1;
    for (int j = 1; j <= BITS; j++) {
        if (dimension == 0) {
            m[j] = 1;
            continue;
        }
        const td_sobol_row *row = &td_sobol_rows[dimension - 1];
        const int s = row->degree;
        if (j <= s) {
            m[j] = row->m[j - 1];
            continue;
        }
        m[j] = m[j - s] ^ m[j - s] << s;
        for (int k = 1; k < s; k++)
            m[j] ^= (uint64_t)(row->coefficient >> (s - 1 - k) & 1) * (m[j - k] << k);
    }
    for (int j = 1; j <= BITS; j++)
        if (gray >> (j - 1) & 1)
            x ^= m[j] << (BITS - j);
    return x;
}

/* from scipy.stats.qmc.Sobol(128, scramble=False, bits=52), in units of 2⁻⁵² */
static const size_t some[] = {0, 1, 2, 3, 20, 64, 127};
enum { SOME = sizeof some / sizeof *some };
static const struct {
    uint64_t index;
    double point[SOME];
} scipys[] = {
    {0, {0, 0, 0, 0, 0, 0, 0}},
    {1, {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}},
    {2, {0.75, 0.25, 0.25, 0.25, 0.25, 0.75, 0.25}},
    {3, {0.25, 0.75, 0.75, 0.75, 0.75, 0.25, 0.75}},
    {5, {0.875, 0.875, 0.125, 0.375, 0.625, 0.875, 0.125}},
    {7, {0.125, 0.625, 0.375, 0.125, 0.875, 0.125, 0.375}},
    {87381, /* all lower 17 bits of the Gray code are set */
     {0x1.ffffp-1, 0x1.0003p-1, 0x1.61fep-2, 0x1.89f2p-2, 0x1.f13dp-1, 0x1.5513p-1, 0x1.a94ap-2}},
};

TD_TEST(sobol_points_are_those_of_others)
{
    double point[TD_SOBOL_DIMENSIONS];
    for (size_t i = 0; i < sizeof scipys / sizeof *scipys; i++) {
        assert_ok(td_sobol_points(0, scipys[i].index, 1, TD_SOBOL_DIMENSIONS, point));
        for (size_t k = 0; k < SOME; k++)
            ck_assert_double_eq(point[some[k]], scipys[i].point[k] + 0x1p-53);
    }
    /* all coordinates of the last point, in units of 2⁻⁵², as digits of a number to base 31 */
    uint64_t digest = 0;
    for (size_t k = 0; k < TD_SOBOL_DIMENSIONS; k++)
        digest = digest * 31 + (uint64_t)ldexp(point[k], BITS);
    ck_assert_uint_eq(digest, 0xe7b8aa6000000000);
}

TD_TEST(sobol_points_are_bits_of_direction_numbers)
{
    static const uint64_t firsts[] = {0, 1, 1023, 123456789012, ((uint64_t)1 << BITS) - 40};
    static const size_t dimensions[] = {1, 3, 8, 9, 21, TD_SOBOL_DIMENSIONS};
    static const uint64_t seeds[] = {0, 3};
    enum { N = 40 };
    td_random random = {5};
    double *whole = test_malloc(N * TD_SOBOL_DIMENSIONS * sizeof *whole);
    double *part = test_malloc(N * TD_SOBOL_DIMENSIONS * sizeof *part);
    for (size_t c = 0; c < 5 * 6 * 2; c++) {
        const uint64_t first = firsts[c % 5], seed = seeds[c / 30];
        const size_t d = dimensions[c / 5 % 6];
        assert_ok(td_sobol_points(seed, first, N, d, whole));
        for (size_t i = 0; i < N; i++)
            for (size_t k = 0; k < d; k++) {
                uint64_t shift[4] = {0};
                if (seed != 0)
                    td_philox((uint64_t[4]){0, k / 4, 1, 0}, (uint64_t[2]){seed, 0}, shift);
                const uint64_t x = coordinate(first + i, k) ^ shift[k % 4] >> (64 - BITS);
                ck_assert_double_eq(whole[i * d + k], unit_number(x << (64 - BITS)));
            }
        const size_t at = td_random_below(&random, N);
        assert_ok(td_sobol_points(seed, first, at, d, part));
        assert_ok(td_sobol_points(seed, first + at, N - at, d, part + at * d));
        ck_assert_mem_eq(whole, part, N * d * sizeof *whole);
    }
}

/* Returns x times a number over {0, 1}[x], modulo the polynomial of a row. */
static unsigned times_x(unsigned value, const td_sobol_row *row)
{
    const unsigned all = 1u << row->degree | (unsigned)row->coefficient << 1 | 1;
    value <<= 1;
    return value >> row->degree & 1 ? value ^ all : value;
}

/* Checks that the table defines a Sobol sequence: polynomials are primitive and distinct, m_i are
   odd and less than 2ⁱ. */
TD_TEST(the_table_is_sound)
{
    for (size_t d = 0; d + 1 < TD_SOBOL_DIMENSIONS; d++) {
        const td_sobol_row *row = &td_sobol_rows[d];
        const unsigned s = row->degree, whole = (1u << s) - 1;
        ck_assert_uint_le(s, TD_SOBOL_DEGREE);
        ck_assert_uint_lt(row->coefficient, 1u << (s - 1));
        unsigned order = 1, power = times_x(1, row);
        for (; power != 1 && order <= whole; order++)
            power = times_x(power, row);
        ck_assert_msg(order == whole, "row %zu: x has the order %u of %u", d, order, whole);
        for (unsigned i = 0; i < s; i++)
            ck_assert_msg(row->m[i] % 2 == 1 && row->m[i] < 2u << i, "row %zu", d);
        for (unsigned i = s; i < TD_SOBOL_DEGREE; i++)
            ck_assert_uint_eq(row->m[i], 0);
        for (size_t e = 0; e < d; e++)
            ck_assert(td_sobol_rows[e].degree != s ||
                      td_sobol_rows[e].coefficient != row->coefficient);
    }
}

/* 2ᵏ points from a multiple of 2ᵏ have one point in each interval of length 2⁻ᵏ, in every
   dimension. In the first two dimensions there is one point in each box of 2⁻ᵃ by 2ᵃ⁻ᵏ: a (0, k,
   2)-net. */
TD_TEST(sobol_points_are_even)
{
    enum { K = 9, N = 1 << K };
    static const uint64_t blocks[] = {0, 1, 1234567};
    static const uint64_t seeds[] = {0, 17};
    double *x = test_malloc(N * TD_SOBOL_DIMENSIONS * sizeof *x);
    for (size_t c = 0; c < 6; c++) {
        const uint64_t first = blocks[c % 3] << K;
        assert_ok(td_sobol_points(seeds[c / 3], first, N, TD_SOBOL_DIMENSIONS, x));
        for (size_t d = 0; d < TD_SOBOL_DIMENSIONS; d++) {
            bool met[N] = {false};
            for (size_t i = 0; i < N; i++) {
                const double at = x[i * TD_SOBOL_DIMENSIONS + d];
                ck_assert(at > 0 && at < 1);
                ck_assert_msg(!met[(size_t)(at * N)], "dimension %zu", d);
                met[(size_t)(at * N)] = true;
            }
        }
        for (int a = 0; a <= K; a++) {
            bool met[N] = {false};
            for (size_t i = 0; i < N; i++) {
                const double *p = x + i * TD_SOBOL_DIMENSIONS;
                const size_t column = (size_t)ldexp(p[0], a), row = (size_t)ldexp(p[1], K - a);
                const size_t box = column << (K - a) | row;
                ck_assert_msg(!met[box], "boxes of 2^-%d", a);
                met[box] = true;
            }
        }
    }
}

TD_TEST(sobol_points_have_ends)
{
    const uint64_t all = (uint64_t)1 << BITS;
    double x[2] = {7, 7};
    ck_assert_int_eq(td_sobol_points(0, 0, 1, 1, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_sobol_points(0, 0, 1, TD_SOBOL_DIMENSIONS + 1, x), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_sobol_points(0, all, 1, 1, x), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_sobol_points(0, all - 1, 2, 1, x), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_sobol_points(0, UINT64_MAX, 2, 1, x), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_sobol_points(0, 1, SIZE_MAX, 1, x), TD_ERROR_ARGUMENT);
    assert_ok(td_sobol_points(0, all, 0, 1, x));
    assert_ok(td_sobol_points(0, 0, 1, 0, x));
    ck_assert_double_eq(x[0], 7);
    assert_ok(td_sobol_points(0, all - 1, 1, 1, x));
    ck_assert_double_eq(x[0], 0x1p-52 + 0x1p-53);
    ck_assert_double_eq(x[1], 7);
}

/* ---- the normal distribution ------------------------------------------------------------------
 */

/* p as rounded to double, and x with Φ(x) = p by mpmath with 60 digits. */
static const double quantiles[][2] = {
    {5e-324, -38.467405617144346251},
    {2.2250738585072014e-308, -37.519379347144499821},
    {1e-100, -21.273453560965324294},
    {1e-20, -9.2623400897984075796},
    {1.1102230246251565e-16, -8.2095361516013868556},
    {1e-11, -6.7060231554951362961},
    {1.3887943864964021e-11, -6.6579046435011035837},
    {1.4e-11, -6.6567230915181836356},
    {1e-06, -4.7534243088228989573},
    {0.001, -3.0902323061678135354},
    {0.025, -1.9599639845400542118},
    {0.0749, -1.4402382675279636631},
    {0.075, -1.4395314709384559349},
    {0.0751, -1.4388253927525399824},
    {0.25, -0.6744897501960817432},
    {0.4999999, -2.5066282747031065135e-7},
    {0.5000000000009095, 2.2797651350911114627e-12},
    {0.6, 0.25334710313579974132},
    {0.925, 1.4395314709384562291},
    {0.9251, 1.4402382675279638594},
    {0.975, 1.9599639845400538556},
    {0.999999, 4.7534243088170877657},
    {0.9999999999999999, 8.2095361516013868556},
};

TD_TEST(quantiles_have_their_digits)
{
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++)
        td_assert_close(1, &(double){td_normal_quantile(quantiles[i][0])}, &quantiles[i][1], 1e-15,
                        0);
}

/* The bits are the same on all machines, as FNV-1a. They do not depend on the C library's logarithm
   or on contraction by the compiler. */
TD_TEST(quantiles_have_the_same_bits)
{
    enum { N = 4000 };
    double x[N];
    uint64_t digest = 0xcbf29ce484222325;
    td_random_points(3, 0, N, 1, x);
    for (int i = 0; i < N; i++) {
        const double p = i % 4 == 0 ? x[i] : i % 4 == 1 ? 0.15 * x[i] : ldexp(x[i], -i / 4);
        const double quantile = td_normal_quantile(p);
        uint64_t bits;
        memcpy(&bits, &quantile, sizeof bits);
        digest = (digest ^ bits) * 0x100000001b3;
    }
    ck_assert_msg(digest == 0xd7dac9e7f498a9e9, "%llx", (unsigned long long)digest);
}

/* Φ(x) = erfc(−x / √2) / 2 has the slope exp(−x² / 2) / √(2π). Rounding the argument of erfc causes
   a relative error of x² roundings. */
TD_TEST(quantiles_undo_the_distribution)
{
    double before = -INFINITY;
    for (int i = -3700; i <= 750; i++) {
        const double x = i / 100.0, p = erfc(-x * M_SQRT1_2) / 2;
        const double slope = exp(-x * x / 2) / sqrt(2 * M_PI), found = td_normal_quantile(p);
        const double rounding = (fmax(1, x * x) * p + 0x1p-1073) / slope;
        ck_assert_msg(fabs(found - x) <= 4e-16 * rounding + 1e-15 * fabs(x),
                      "%.17g is found as %.17g", x, found);
        ck_assert(found > before);
        before = found;
    }
}

TD_TEST(quantiles_have_ends)
{
    ck_assert_double_eq(td_normal_quantile(0), -INFINITY);
    ck_assert_double_eq(td_normal_quantile(1), INFINITY);
    ck_assert_double_eq(td_normal_quantile(0.5), 0);
    static const double beyond[] = {-5e-324, 1.0000000000000002, -INFINITY, INFINITY, NAN};
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++)
        ck_assert_double_nan(td_normal_quantile(beyond[i]));
    for (int i = 0; i < 1000; i++) /* 1 − p is exact */
        ck_assert_double_eq(td_normal_quantile(i / 2048.0), -td_normal_quantile(1 - i / 2048.0));
}
