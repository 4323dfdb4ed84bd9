/* SPDX-License-Identifier: MIT */
/*
 * Reads numbers of URDF files: a decimal with an optional exponent, and nothing else. The whole
 * token must match, and the result is correctly rounded. The thread must be in the C locale
 * (base/c_locale.h).
 */
#ifndef TD_NUMBER_H
#define TD_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

typedef enum td_number_status {
    TD_NUMBER_OK,
    TD_NUMBER_BAD,       /* a token is not a number */
    TD_NUMBER_INFINITE,  /* a token is a word for NaN or infinity */
    TD_NUMBER_TOO_LARGE, /* a number is beyond the range of a double */
    TD_NUMBER_COUNT,     /* the count of numbers is wrong */
} td_number_status;

/* Reads exactly count numbers, separated by XML white space. Writes values only for TD_NUMBER_OK.
   Stores the number of tokens in *found. */
td_number_status td_number_read(const char *text, double *values, size_t count, size_t *found);

/* Returns whether a text is inf, +Infinity or similar. Sets *negative to its sign. */
bool td_number_is_infinity(const char *text, bool *negative);

#endif
