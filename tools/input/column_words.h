/* SPDX-License-Identifier: MIT */
/*
 * What options say of the columns of a table: --map COLUMN=JOINT, what one is, and --unit
 * COLUMN=UNIT, or UNIT for all columns that say nothing else. The heading may be written with its
 * unit or without.
 */
#ifndef TOOL_COLUMN_WORDS_H
#define TOOL_COLUMN_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "input/units.h"

typedef struct word_list {
    const char **word;
    size_t count;
} word_list;

void word_list_add(word_list *list, const char *word);

typedef struct column_words {
    word_list map, unit;
} column_words;

/* The words as they are looked up for the columns of one table. */
typedef struct column_lookup {
    const column_words *words;
    const char *table;                                       /* for messages */
    const value_unit *general[UNIT_DOMAINS][UNIT_FORCE + 1]; /* of --unit without a column */
    bool *map_used, *unit_used;
} column_lookup;

/* words NULL: none. Ends the program (refuse_usage) if a unit is unknown. */
void column_lookup_new(column_lookup *l, const column_words *words, const char *table);
void column_lookup_free(column_lookup *l);

/* What --map says of a column with that heading and the same without its unit: "" for nothing to
   be read, NULL where it says nothing. */
const char *column_target(column_lookup *l, const char *heading, const char *base);

/* Replaces *u, the heading's unit or NULL, by the unit of --unit for the column. Returns whether
   there is one. Ends the program if it is unknown. */
bool column_unit(column_lookup *l, const char *heading, const char *base, const value_unit **u);

/* The size of a unit, or where u is NULL of that for all of the kind. */
double column_factor(const column_lookup *l, const value_unit *u, unit_domain domain, int order);

/* Ends the program where words are about columns that did not occur. */
void column_lookup_used(const column_lookup *l, char *const *heading, size_t count);

#endif
