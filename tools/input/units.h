/* SPDX-License-Identifier: MIT */
/*
 * Units of values and of recorded motion: their names, domains, and sizes in rad, m, s and N.
 */
#ifndef TOOL_UNITS_H
#define TOOL_UNITS_H

#include <stdbool.h>
#include <stddef.h>

/* The domain of a coordinate is UNIT_TURN or UNIT_SLIDE, or UNIT_NONE for entries of a
   quaternion. */
typedef enum unit_domain {
    UNIT_TIME,
    UNIT_TURN,
    UNIT_SLIDE,
    UNIT_DOMAINS,
    UNIT_NONE = UNIT_DOMAINS
} unit_domain;

typedef struct value_unit {
    const char *word;
    unit_domain domain;
    int order; /* 0 position, 1 velocity, 2 acceleration, UNIT_FORCE, UNIT_JERK */
    double size;
} value_unit;

/* Orders of forces and of jerk. They follow the orders of motion, which equal the quantities. */
enum { UNIT_FORCE = 3, UNIT_JERK };

/* Returns the unit of coordinates or of time with the given name, or NULL. */
const value_unit *unit_find(const char *word);
/* Does the same for all units, including units of jerk. */
const value_unit *unit_find_any(const char *word);
/* Return the words that unit_find accepts, "deg, rad, ...", in a new string, and the words of one
   domain and order, "rad, mrad, deg or rev". */
char *unit_words(void);
char *unit_words_of(unit_domain domain, int order);

/* Returns the unit at the end of a heading, as in "elbow [deg]" or "time (ms)", and sets *length to
   the length of the text before it. Without a unit returns NULL and sets *length to the whole
   length. */
const value_unit *unit_of_heading(const char *heading, size_t *length);

/* Returns the text in these brackets, a unit or not, in a new string, and sets *length likewise.
   Returns NULL without brackets. */
char *unit_word_of_heading(const char *heading, size_t *length);

#endif
