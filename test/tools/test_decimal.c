/* SPDX-License-Identifier: MIT */
/*
 * Compares conversions between doubles and decimal text (tools/input/decimal.h) with strtod and
 * printf of the C library: random bits, random decimals, ties, neighbors of powers of two and ten,
 * subnormals, limits. TANDEM_DECIMALS in the environment sets the number of random numbers of each
 * kind.
 */
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tools/input/decimal.h"
#include "run.h"

__extension__ typedef unsigned __int128 uint128;

static uint64_t state = 22;

/* splitmix64 (Steele, Lea and Flood 2014) */
static uint64_t random_bits(void)
{
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static size_t times(void)
{
    const char *wanted = getenv("TANDEM_DECIMALS");
    return wanted != NULL ? strtoul(wanted, NULL, 10) : 100000;
}

static double from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static void check_reading(const char *text)
{
    double ours = 0;
    char *end;
    const double theirs = strtod(text, &end);
    const char *after = decimal_read(text, &ours);
    ck_assert_msg(after == end, "'%s': ends at '%s'", text, after != NULL ? after : "(none)");
    ck_assert_msg(same(ours, theirs), "'%s': %a, not %a", text, ours, theirs);
}

/* Writes the fewest digits of printf that read back, without "+" and leading zeros in exponents. */
static void by_printf(double x, char *text)
{
    int digits = fabs(x) < DBL_MIN ? 1 : 15;
    do {
        snprintf(text, DECIMAL_SIZE, "%.*g", digits, x);
    } while (digits++ < 17 && strtod(text, NULL) != x);
    char *e = strchr(text, 'e');
    if (e != NULL) {
        const int exponent = atoi(e + 1);
        sprintf(e, "e%d", exponent);
    }
}

static size_t digits_of(const char *text)
{
    size_t count = 0;
    for (; *text != '\0' && *text != 'e'; text++) {
        count += (*text >= '1' && *text <= '9') || (*text == '0' && count > 0);
    }
    return count;
}

static void check_writing(double x)
{
    char ours[DECIMAL_SIZE + 1], theirs[DECIMAL_SIZE];
    memset(ours, '#', sizeof ours);
    char *end = decimal_write(x, ours);
    ck_assert_msg(*end == '\0' && end == ours + strlen(ours) && ours[DECIMAL_SIZE] == '#', "%a", x);
    ck_assert_msg(same(strtod(ours, NULL), x), "%a is written %s", x, ours);
    double back;
    ck_assert(decimal_read(ours, &back) == end && same(back, x));
    by_printf(x, theirs);
    /* next to a power of two, the shortest text may differ from the one that is nearest */
    if (strcmp(ours, theirs) != 0) {
        int exponent;
        const double mantissa = frexp(fabs(x), &exponent);
        ck_assert_msg(mantissa == 0.5 || fabs(x) < DBL_MIN, "%a: %s, not %s", x, ours, theirs);
        ck_assert_msg(digits_of(ours) <= digits_of(theirs), "%a: %s, not %s", x, ours, theirs);
    }
}

static void check_number(double x)
{
    char text[400];
    check_writing(x);
    for (int digits = 14; digits <= 20; digits++) {
        snprintf(text, sizeof text, "%.*e", digits, x);
        check_reading(text);
    }
}

TD_TEST(random_doubles)
{
    for (size_t i = 0; i < times(); i++) {
        const double x = from_bits(random_bits());
        if (isfinite(x)) {
            check_writing(x);
            char text[64];
            snprintf(text, sizeof text, "%.17g", x);
            check_reading(text);
        }
    }
}

/* Magnitudes are typical of a robot. */
TD_TEST(random_quantities)
{
    for (size_t i = 0; i < times(); i++) {
        const double x = ((double)(random_bits() >> 11) * 0x1p-53 - 0.5) *
                         exp2((double)(random_bits() % 40) - 20);
        check_writing(x);
        char text[64];
        snprintf(text, sizeof text, "%.*g", (int)(random_bits() % 20 + 1), x);
        check_reading(text);
    }
}

TD_TEST(random_subnormals)
{
    for (size_t i = 0; i < times() / 10; i++) {
        check_writing(from_bits(random_bits() >> (12 + random_bits() % 52)));
        check_number(from_bits(random_bits() >> 12));
    }
}

TD_TEST(random_decimals)
{
    for (size_t i = 0; i < times(); i++) {
        char text[80];
        const int exponent = (int)(random_bits() % 700) - 360;
        const uint64_t a = random_bits() >> random_bits() % 64, b = random_bits();
        switch (random_bits() % 4) {
        case 0:
            snprintf(text, sizeof text, "%llue%d", (unsigned long long)a, exponent);
            break;
        case 1:
            snprintf(text, sizeof text, "%llu.%llu", (unsigned long long)a, (unsigned long long)b);
            break;
        case 2:
            snprintf(text, sizeof text, "-0.%020llu%lluE%+d", (unsigned long long)a,
                     (unsigned long long)b, exponent);
            break;
        default:
            snprintf(text, sizeof text, "%llu%llue%d", (unsigned long long)a, (unsigned long long)b,
                     exponent / 20);
            break;
        }
        check_reading(text);
    }
}

/* Numbers are exact midpoints between neighbors, and the decimals next to them. */
TD_TEST(ties)
{
    for (size_t i = 0; i < times() / 100; i++) {
        char text[1200];
        const int exponent = (int)(random_bits() % 140) - 70;
        const double x = ldexp((double)(random_bits() >> 11), exponent);
        const double y = nextafter(x, (double)INFINITY);
        const long double middle = ((long double)x + y) / 2; /* exact: 64 bits suffice */
        snprintf(text, sizeof text, "%.400Lg", middle);
        check_reading(text);
        const size_t length = strlen(text);
        if (strchr(text, 'e') == NULL) {
            strcpy(text + length, strchr(text, '.') != NULL ? "01" : ".01");
            check_reading(text);
            strcpy(text + length, strchr(text, '.') != NULL ? "00" : ".00");
            check_reading(text);
        }
    }
}

TD_TEST(powers)
{
    for (int e = -1074; e < 1024; e++) {
        const double x = ldexp(1, e);
        check_number(x);
        check_number(nextafter(x, 0) > 0 ? nextafter(x, 0) : x);
        check_number(nextafter(x, (double)INFINITY));
    }
    for (int e = -345; e < 312; e++) {
        for (int digit = 1; digit < 10; digit++) {
            char text[64];
            snprintf(text, sizeof text, "%de%d", digit, e);
            check_reading(text);
            const double x = strtod(text, NULL);
            if (isfinite(x) && x > 0) {
                check_number(x);
                check_number(nextafter(x, 1));
            }
        }
    }
    for (int i = 0; i < 100000; i++) {
        check_writing(i);
        check_writing(-i / 100.0);
        check_writing(9007199254740992.0 - i);
        check_writing(9007199254740992.0 + 2.0 * i);
    }
}

TD_TEST(texts)
{
    static const char *const text[] = {
        "0",
        "-0",
        "+0",
        "0.0",
        "00000",
        "0e5",
        "0e-999999999999",
        ".5",
        "5.",
        "-.5e1",
        "+5.e+1",
        "1e400",
        "-1e400",
        "1e-400",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "1.5abc",
        "1e",
        "1e+",
        "1e-x",
        "1.2.3",
        "1,5",
        "1 ",
        "17976931348623157e292",
        "1.7976931348623159e308",
        "1.797693134862315807e308",
        "1.7976931348623158079372897140530341507993413271003782693617e308",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.2250738585072011e-308",
        "2.2250738585072012e-308",
        "2.2250738585072014e-308",
        "9007199254740993",
        "9007199254740992.99999999999999999999",
        "9007199254740993.0000000001",
        "18446744073709551615",
        "18446744073709551616",
        "9999999999999999999",
        "10000000000000000000",
        "0.000000000000000000000000000000000000000000000000000000000001",
        "1000000000000000000000000000000000000000000000000000000000000",
        "8.98846567431158e307",
        "6.631236846766476e-316",
        "3.2378839133029012895883524125015321748630094e-319"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        check_reading(text[i]);
    }
    static const char *const none[] = {"",    "-", "+",  ".",   "-.", "e5",
                                       ".e5", "x", " 1", "nan", "inf"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        double x;
        ck_assert_msg(decimal_read(none[i], &x) == NULL, "'%s'", none[i]);
    }
}

TD_TEST(written)
{
    static const struct {
        double x;
        const char *text;
    } rows[] = {{0.1, "0.1"},
                {1, "1"},
                {-1.5, "-1.5"},
                {0.0001, "0.0001"},
                {0.00001, "1e-5"},
                {1e14, "100000000000000"},
                {1e15, "1e15"},
                {1234567890123456, "1234567890123456"},
                {1234567890123450, "1.23456789012345e15"},
                {1e22, "1e22"},
                {1.0 / 3, "0.3333333333333333"},
                {2.0 / 3, "0.6666666666666666"},
                {0x1p-44, "5.684341886080802e-14"}, /* %.16g does not read back */
                {DBL_MAX, "1.7976931348623157e308"},
                {DBL_MIN, "2.2250738585072014e-308"},
                {0x1p-1074, "5e-324"},
                {-0.0, "-0"},
                {(double)INFINITY, "inf"},
                {-(double)INFINITY, "-inf"},
                {(double)NAN, "nan"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[DECIMAL_SIZE];
        decimal_write(rows[i].x, text);
        ck_assert_str_eq(text, rows[i].text);
    }
}

/* Checks the table of powers: 10ⁿ 10⁻ⁿ must be 1 in all bits that the table keeps. */
TD_TEST(powers_of_ten)
{
    for (int n = 0; n <= DECIMAL_LARGEST_POWER; n++) {
        const decimal_power up = decimal_power_of(n), down = decimal_power_of(-n);
        ck_assert(up.high >> 63 == 1 && down.high >> 63 == 1);
        const uint128 high = (uint128)up.high * down.high;
        const uint128 rest =
            high + ((uint128)up.high * down.low >> 64) + ((uint128)up.low * down.high >> 64);
        const uint64_t top = (uint64_t)(rest >> 64), low = (uint64_t)rest;
        const bool one = top == (uint64_t)1 << 62 && low == 0;
        const bool below = top == ((uint64_t)1 << 63) - 1 && low > UINT64_MAX - 8;
        const bool half = top == ((uint64_t)1 << 62) - 1 && low > UINT64_MAX - 8;
        ck_assert_msg(one || below || half, "10^%d: %llx %llx", n, (unsigned long long)top,
                      (unsigned long long)low);
    }
}

int main(void)
{
    return td_run_tests(0);
}
