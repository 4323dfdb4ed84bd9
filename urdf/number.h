/* SPDX-License-Identifier: MIT */
/*
 * Numbers as they may stand in a URDF: a decimal with an optional exponent, and nothing else. The
 * whole token counts, and the result is correctly rounded. The thread is in the C locale
 * (base/c_locale.h).
 */
#ifndef TD_NUMBER_H
#define TD_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

typedef enum td_number_status {
    TD_NUMBER_OK,
    TD_NUMBER_BAD,       /* a token that is no number */
    TD_NUMBER_INFINITE,  /* NaN or infinity, spelt out */
    TD_NUMBER_TOO_LARGE, /* beyond the range of a double */
    TD_NUMBER_COUNT,     /* numbers, but not as many as wanted */
} td_number_status;

/* Reads exactly count numbers set apart by XML white space. values is written only on TD_NUMBER_OK.
 * *found receives the number of tokens. */
td_number_status td_number_read(const char *text, double *values, size_t count, size_t *found);

/* True for inf, +Infinity and their like; *negative tells the sign. */
bool td_number_is_infinity(const char *text, bool *negative);

#endif
