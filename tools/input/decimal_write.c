/* SPDX-License-Identifier: MIT */
/*
 * Converts doubles to the shortest decimal text; see decimal.h. The method is from Giulietti, "The
 * Schubfach way to render doubles", 2020.
 *
 * All numbers that read back to v = c 2^q lie between the midpoints to its neighbors. Take the
 * largest k for which 10ᵏ is at most the length of this interval. Then the interval contains at
 * least one multiple of 10ᵏ and at most one multiple of 10ᵏ⁺¹, which is shorter. Multiples of 10ᵏ
 * are compared with v and the midpoints after multiplication by a power of ten of 126 bits. A
 * sticky last bit records the rounding, so that comparisons of the integers agree with comparisons
 * of the exact numbers.
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "input/decimal.h"

__extension__ typedef unsigned __int128 uint128;

enum { MANTISSA_BITS = 52, LEAST_EXPONENT = -1074 };

/* digits 10^exponent */
typedef struct shortest {
    uint64_t digits;
    int exponent;
} shortest;

/* Return ⌊e log₁₀ 2⌋, ⌊e log₁₀ 2 + log₁₀ 3/4⌋ and ⌊e log₂ 10⌋ for the exponents of doubles. */
static int log10_of_power_of_2(int e)
{
    return (e * 315653) >> 20;
}

static int log10_of_power_of_2_three_quarters(int e)
{
    return (e * 1262611 - 524031) >> 22;
}

static int log2_of_power_of_10(int e)
{
    return (e * 1741647) >> 19;
}

/* Returns g x 2⁻¹²⁶ rounded to odd, for g of 126 bits in halves of 63. */
static uint64_t multiply(uint64_t g1, uint64_t g0, uint64_t x)
{
    const uint64_t half = ((uint64_t)1 << 63) - 1;
    const uint64_t x1 = (uint64_t)((uint128)g0 * x >> 64);
    const uint128 y = (uint128)g1 * x;
    const uint64_t z = ((uint64_t)y >> 1) + x1;
    const uint64_t w = (uint64_t)(y >> 64) + (z >> 63);
    return w | ((z & half) + half) >> 63;
}

/* Finds the shortest decimal for c 2^q, which is finite and positive. uneven: c is the smallest
   mantissa of its exponent, so that the neighbor below is at half the distance. */
static shortest find(uint64_t c, int q, bool uneven)
{
    const uint64_t out = c & 1; /* a midpoint reads as the even neighbor */
    const int k = uneven ? log10_of_power_of_2_three_quarters(q) : log10_of_power_of_2(q);
    const int h = q + log2_of_power_of_10(-k) + 2;
    const decimal_power power = decimal_power_of(-k);
    uint128 g = ((uint128)power.high << 64 | power.low) >> 2;
    g++;
    const uint64_t g1 = (uint64_t)(g >> 63), g0 = (uint64_t)g & (((uint64_t)1 << 63) - 1);
    /* four times v and the midpoints, divided by 10ᵏ */
    const uint64_t v = multiply(g1, g0, (4 * c) << h);
    const uint64_t below = multiply(g1, g0, (4 * c - (uneven ? 1 : 2)) << h);
    const uint64_t above = multiply(g1, g0, (4 * c + 2) << h);
    const uint64_t s = v >> 2;
    if (s >= 10) {
        const uint64_t lower = s / 10 * 10, upper = lower + 10;
        const bool lower_in = below + out <= 4 * lower, upper_in = 4 * upper + out <= above;
        if (lower_in != upper_in) {
            return (shortest){(lower_in ? lower : upper) / 10, k + 1};
        }
    }
    const bool s_in = below + out <= 4 * s, next_in = 4 * (s + 1) + out <= above;
    if (s_in != next_in) {
        return (shortest){s_in ? s : s + 1, k};
    }
    const uint64_t twice = 4 * s + 2; /* four times the midpoint of s and s + 1 */
    const bool down = v < twice || (v == twice && (s & 1) == 0);
    return (shortest){down ? s : s + 1, k};
}

static shortest shorten(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint64_t mantissa = bits & (((uint64_t)1 << MANTISSA_BITS) - 1);
    const int exponent = (int)(bits >> MANTISSA_BITS & 0x7ff);
    shortest d;
    if (exponent == 0) {
        d = find(mantissa, LEAST_EXPONENT, false);
    } else {
        const uint64_t c = mantissa | (uint64_t)1 << MANTISSA_BITS;
        const int q = exponent - 1 + LEAST_EXPONENT;
        const int whole = -q; /* number of fraction bits */
        if (whole >= 0 && whole <= MANTISSA_BITS && c << (63 - whole) << 1 == 0) {
            d = (shortest){c >> whole, 0}; /* an integer with all of its digits */
        } else {
            d = find(c, q, mantissa == 0 && exponent > 1);
        }
    }
    while (d.digits % 100000000 == 0) {
        d.digits /= 100000000;
        d.exponent += 8;
    }
    while (d.digits % 10 == 0) {
        d.digits /= 10;
        d.exponent++;
    }
    return d;
}

static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                            "25262728293031323334353637383940414243444546474849"
                            "50515253545556575859606162636465666768697071727374"
                            "75767778798081828384858687888990919293949596979899";

/* Writes the digits of a positive number and returns their count. */
static int put_digits(uint64_t x, char *text)
{
    char reversed[24];
    char *start = reversed + sizeof reversed;
    while (x >= 100) {
        start -= 2;
        memcpy(start, pairs + 2 * (x % 100), 2);
        x /= 100;
    }
    if (x >= 10) {
        start -= 2;
        memcpy(start, pairs + 2 * x, 2);
    } else {
        *--start = (char)('0' + x);
    }
    const int count = (int)(reversed + sizeof reversed - start);
    memcpy(text, start, (size_t)count);
    return count;
}

/* Formats the digits at text as d.ddde−x. */
static char *put_exponent(char *text, int count, int exponent)
{
    if (count > 1) {
        memmove(text + 2, text + 1, (size_t)count - 1);
        text[1] = '.';
        text += count + 1;
    } else {
        text++;
    }
    *text++ = 'e';
    if (exponent < 0) {
        *text++ = '-';
        exponent = -exponent;
    }
    return text + put_digits((uint64_t)exponent, text);
}

/* Formats the digits at text as 0.00ddd, dd.dd or dd000. point: the number of digits before the
   point, which may be zero or negative. */
static char *put_plain(char *text, int count, int point)
{
    const size_t digits = (size_t)count;
    if (point <= 0) {
        const size_t zeros = (size_t)-point;
        memmove(text + 2 + zeros, text, digits);
        memset(text, '0', 2 + zeros);
        text[1] = '.';
        return text + 2 + zeros + digits;
    }
    const size_t before = (size_t)point;
    if (before >= digits) {
        memset(text + digits, '0', before - digits);
        return text + before;
    }
    memmove(text + before + 1, text + before, digits - before);
    text[before] = '.';
    return text + digits + 1;
}

char *decimal_write(double x, char *text)
{
    enum { SURE_DIGITS = 15, LEAST_PLAIN = -4 };
    if (isnan(x)) {
        memcpy(text, "nan", 4);
        return text + 3;
    }
    if (signbit(x)) {
        *text++ = '-';
        x = -x;
    }
    if (isinf(x)) {
        memcpy(text, "inf", 4);
        return text + 3;
    }
    if (x == 0) {
        memcpy(text, "0", 2);
        return text + 1;
    }
    const shortest d = shorten(x);
    const int count = put_digits(d.digits, text);
    const int exponent = count - 1 + d.exponent; /* of the first digit */
    const bool plain =
        exponent >= LEAST_PLAIN && exponent < (count > SURE_DIGITS ? count : SURE_DIGITS);
    text = plain ? put_plain(text, count, exponent + 1) : put_exponent(text, count, exponent);
    *text = '\0';
    return text;
}
