/* SPDX-License-Identifier: MIT */
/*
 * Converts decimal text to doubles and back, fast, exactly and in any locale. Reading rounds to the
 * nearest double, ties to even, as strtod does in the C locale. Writing yields the shortest text
 * that reads back to the same double; among several, the nearest one.
 */
#ifndef TOOL_DECIMAL_H
#define TOOL_DECIMAL_H

#include <stdint.h>

/* Reads the number at the start of text: [+|-] digits [. digits] [e [+|-] digits], with at least
   one digit before the e. Returns a pointer to the text after it, or NULL if there is no number.
   Sets *value to infinity for numbers that are too large. */
const char *decimal_read(const char *text, double *value);

enum { DECIMAL_SIZE = 32 };

/* Writes a number (also "nan", "inf", "-inf", "-0") and a NUL, at most DECIMAL_SIZE bytes. Returns
   a pointer to the NUL. Uses an exponent only below 1e-4 and from 1e15 on, if not all digits before
   the point are significant: 0.0001, 123456.5, 1e-5, 1e15. */
char *decimal_write(double x, char *text);

/* The first 128 bits of a power of ten, rounded down: 10ⁿ = (high 2⁶⁴ + low + rest) 2ᵉ with the
   first bit of high set and 0 ≤ rest < 1. */
typedef struct decimal_power {
    uint64_t high, low;
} decimal_power;

enum { DECIMAL_LEAST_POWER = -342, DECIMAL_LARGEST_POWER = 324 };

/* Returns the power 10ⁿ, for n from DECIMAL_LEAST_POWER to DECIMAL_LARGEST_POWER. */
decimal_power decimal_power_of(int n);

#endif
