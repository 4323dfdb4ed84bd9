/* SPDX-License-Identifier: MIT */
/*
 * Computes powers of ten for decimal_read and decimal_write, at the first use. Powers of five
 * suffice, since a power of two only shifts the bits. For n > 0, 5ⁿ is computed exactly. For n < 0,
 * ⌊2ᴺ/5ⁿ⌋ is ⌊2ᴺ/5ⁿ⁻¹⌋ divided by five, since ⌊⌊a/b⌋/c⌋ = ⌊a/(b c)⌋.
 */
#include <stdbool.h>
#include <stddef.h>
#include <threads.h>

#include "input/decimal.h"

/* 5³²⁴ has 753 bits; 2⁹⁶⁰/5³⁴² has 165, more than the 128 that are kept. */
enum { WORDS = 31, POWERS = DECIMAL_LARGEST_POWER - DECIMAL_LEAST_POWER + 1 };

/* A large integer in words of 32 bits, the least significant first. */
typedef struct large {
    uint32_t word[WORDS];
} large;

static decimal_power powers[POWERS];
static once_flag made = ONCE_FLAG_INIT;

static void multiply_by_five(large *x)
{
    uint64_t carry = 0;
    for (size_t i = 0; i < WORDS; i++) {
        carry += (uint64_t)x->word[i] * 5;
        x->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static void divide_by_five(large *x)
{
    uint64_t rest = 0;
    for (size_t i = WORDS; i-- > 0;) {
        rest = rest << 32 | x->word[i];
        x->word[i] = (uint32_t)(rest / 5);
        rest %= 5;
    }
}

/* Returns the 64 bits from bit number first upwards. Bits with negative numbers are zero. */
static uint64_t bits_at(const large *x, int first)
{
    uint64_t bits = 0;
    for (int i = 63; i >= 0; i--) {
        const int bit = first + i;
        const bool set = bit >= 0 && (x->word[bit / 32] >> bit % 32 & 1) != 0;
        bits = bits << 1 | set;
    }
    return bits;
}

static decimal_power leading_bits(const large *x)
{
    int top = 32 * WORDS - 1;
    while ((x->word[top / 32] >> top % 32 & 1) == 0) {
        top--;
    }
    return (decimal_power){bits_at(x, top - 63), bits_at(x, top - 127)};
}

static void make_powers(void)
{
    large x = {{1}};
    for (int n = 0; n <= DECIMAL_LARGEST_POWER; n++, multiply_by_five(&x)) {
        powers[n - DECIMAL_LEAST_POWER] = leading_bits(&x);
    }
    large inverse = {{0}};
    inverse.word[WORDS - 1] = 1; /* 2⁹⁶⁰ */
    for (int n = -1; n >= DECIMAL_LEAST_POWER; n--) {
        divide_by_five(&inverse);
        powers[n - DECIMAL_LEAST_POWER] = leading_bits(&inverse);
    }
}

decimal_power decimal_power_of(int n)
{
    call_once(&made, make_powers);
    return powers[n - DECIMAL_LEAST_POWER];
}
