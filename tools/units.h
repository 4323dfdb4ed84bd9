/* SPDX-License-Identifier: MIT */
/*
 * Units of recorded motion: their words, what they measure, and their size in rad, m and s.
 */
#ifndef TOOL_UNITS_H
#define TOOL_UNITS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum unit_domain { UNIT_TIME, UNIT_TURN, UNIT_SLIDE, UNIT_DOMAINS } unit_domain;

typedef struct unit {
    const char *word;
    unit_domain domain;
    int order; /* derivatives: 0 position, 1 velocity, 2 acceleration */
    double size;
} unit;

enum { UNIT_ORDERS = 3 };

/* NULL where there is none of that name. */
const unit *unit_find(const char *word);
/* All words, "deg, rad, ...", in a new string. */
char *unit_words(void);

/* The unit at the end of a heading, as in "elbow [deg]" or "time (ms)"; *length is that of what
   stands before it. NULL, and the whole length, where there is none. */
const unit *unit_of_heading(const char *heading, size_t *length);

#endif
