/* SPDX-License-Identifier: MIT */
/*
 * Philox4x64-10, and the conversion of its bits to numbers in (0, 1).
 */
#ifndef TD_PHILOX_H
#define TD_PHILOX_H

#include <stdint.h>
#include <string.h>

/* Returns (b + 1/2) / 2⁵² for the upper 52 bits b of a word. This is exact: b becomes the fraction
   of the number 1 + b/2⁵², from which 1 − 2⁻⁵³ is subtracted. */
static inline double td_unit_number(uint64_t word)
{
    const uint64_t bits = word >> 12 | 0x3ff0000000000000;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x - (1 - 0x1p-53);
}

#endif
