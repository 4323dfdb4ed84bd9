/* SPDX-License-Identifier: MIT */
/*
 * Converts decimal text to doubles; see decimal.h. A number is w 10ᵉ with an integer w below 10¹⁹.
 *
 * If w < 2⁵³ and |e| ≤ 22, both factors are doubles, and their product or quotient is rounded once
 * (Clinger, "How to read floating point numbers accurately", 1990). Otherwise the product of w and
 * the first 128 bits of 10ᵉ determines the 53 bits of the result and their rounding, except for a
 * few numbers (Lemire, "Number parsing at a gigabyte per second", 2021, after Eisel). strtod
 * converts these numbers, and numbers whose result is subnormal or infinite.
 */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "input/decimal.h"

__extension__ typedef unsigned __int128 uint128;

/* MOST_DIGITS: w with this many digits fits into 64 bits. */
enum { MOST_DIGITS = 19, MOST_EXPONENT = 10000 };

typedef struct decimal {
    uint64_t w;
    int64_t exponent;
    bool negative;
    bool more; /* nonzero digits follow the digits of w */
} decimal;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Appends the digits at text to w, at most MOST_DIGITS in total (*taken), and counts the others in
 *dropped. */
static const char *read_digits(const char *text, decimal *d, int *taken, int64_t *dropped)
{
    for (; is_digit(*text); text++) {
        if (*taken < MOST_DIGITS) {
            d->w = 10 * d->w + (uint64_t)(*text - '0');
            *taken += d->w != 0;
        } else {
            d->more = d->more || *text != '0';
            ++*dropped;
        }
    }
    return text;
}

/* Splits a number into its parts. Returns the text after it, or NULL if there is no number. */
static const char *scan(const char *text, decimal *d)
{
    int taken = 0;
    int64_t dropped = 0;
    *d = (decimal){.negative = *text == '-'};
    text += *text == '-' || *text == '+' ? 1 : 0;
    const char *whole = text;
    text = read_digits(text, d, &taken, &dropped);
    ptrdiff_t digits = text - whole;
    d->exponent = dropped;
    if (*text == '.') {
        const char *fraction = ++text;
        dropped = 0;
        text = read_digits(text, d, &taken, &dropped);
        digits += text - fraction;
        d->exponent -= text - fraction - dropped;
    }
    if (digits == 0) {
        return NULL;
    }
    if (*text == 'e' || *text == 'E') {
        const char *end = text + 1;
        const bool minus = *end == '-';
        end += *end == '-' || *end == '+' ? 1 : 0;
        if (is_digit(*end)) {
            int64_t exponent = 0;
            for (; is_digit(*end); end++) {
                exponent = exponent < MOST_EXPONENT ? 10 * exponent + (*end - '0') : exponent;
            }
            d->exponent += minus ? -exponent : exponent;
            text = end;
        }
    }
    return text;
}

/* Computes the bits of the double w 10ᵉ without its sign, for w > 0. Returns false if this method
   cannot decide the rounding, or if the result is not a normal number. */
static bool round_product(uint64_t w, int64_t e, uint64_t *bits)
{
    if (e < DECIMAL_LEAST_POWER || e > DBL_MAX_10_EXP) {
        return false;
    }
    decimal_power power = decimal_power_of((int)e);
    if (e < 0 && e >= -27) { /* round up, so that an exact tie is recognized below */
        power.low++;
        power.high += power.low == 0;
    }
    const int zeros = __builtin_clzll(w);
    w <<= zeros;
    uint128 product = (uint128)w * power.high;
    if ((uint64_t)(product >> 64 & 0x1ff) == 0x1ff) { /* the lower part may carry into the result */
        product += (uint128)w * power.low >> 64;
    }
    const uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product;
    if (low == UINT64_MAX && (e < -27 || e > 55)) {
        return false;
    }
    const int upper = (int)(high >> 63);
    uint64_t mantissa = high >> (upper + 9); /* 54 bits, one more than the result */
    /* ⌊e log₂ 10⌋; the fraction is accurate enough for all these e */
    const int64_t exponent = ((217706 * e) >> 16) + 63 + upper - zeros + 1023;
    if (exponent <= 0) {
        return false;
    }
    if (low <= 1 && e >= -4 && e <= 23 && (mantissa & 3) == 1 && mantissa << (upper + 9) == high) {
        mantissa &= ~(uint64_t)1; /* a tie rounds down to even */
    }
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    /* a mantissa of 2⁵³ raises the exponent by its own bit */
    *bits = ((uint64_t)exponent << 52) + (mantissa - ((uint64_t)1 << 52));
    return *bits < (uint64_t)0x7ff << 52;
}

static bool convert(const decimal *d, double *value)
{
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const int64_t e = d->exponent;
    if (d->w == 0) {
        *value = 0;
        return true;
    }
    if (FLT_EVAL_METHOD == 0 && !d->more && d->w <= (uint64_t)1 << 53 && e >= -22 && e <= 22) {
        *value = e < 0 ? (double)d->w / power[-e] : (double)d->w * power[e];
        return true;
    }
    uint64_t bits, next;
    if (!round_product(d->w, e, &bits)) {
        return false;
    }
    /* if digits were dropped, the number is between w and w + 1 */
    if (d->more && !(round_product(d->w + 1, e, &next) && next == bits)) {
        return false;
    }
    memcpy(value, &bits, sizeof bits);
    return true;
}

const char *decimal_read(const char *text, double *value)
{
    decimal d;
    const char *end = scan(text, &d);
    if (end == NULL) {
        return NULL;
    }
    if (!convert(&d, value)) {
        *value = strtod(text, NULL); /* includes the sign */
    } else if (d.negative) {
        *value = -*value;
    }
    return end;
}
