/* SPDX-License-Identifier: MIT */
/*
 * Options about the columns of a table: --map COLUMN=JOINT assigns a column to a joint; --unit
 * COLUMN=UNIT sets its unit, and --unit UNIT the unit of all other columns. COLUMN is the heading
 * with or without its unit.
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

/* The words and the units of --unit, for looking up the columns of one table. */
typedef struct column_lookup {
    const column_words *words;
    const char *table;                                       /* for messages */
    const value_unit *general[UNIT_DOMAINS][UNIT_FORCE + 1]; /* of --unit without a column */
    bool *map_used, *unit_used;
} column_lookup;

/* Prepares the look-up. words may be NULL. Ends the program (refuse_usage) if a unit is unknown. */
void column_lookup_new(column_lookup *l, const column_words *words, const char *table);
void column_lookup_free(column_lookup *l);

/* Returns the target of --map for a column; base is the heading without its unit. Returns "" for a
   column to be ignored, and NULL if --map does not mention the column. */
const char *column_target(column_lookup *l, const char *heading, const char *base);

/* Replaces *u, the unit of the heading or NULL, by the unit that --unit sets for the column.
   Returns whether it sets one. Ends the program if the unit is unknown. */
bool column_unit(column_lookup *l, const char *heading, const char *base, const value_unit **u);

/* Returns the factor of a unit. If u is NULL, returns the factor of the unit that --unit sets for
   all columns of this domain and order. */
double column_factor(const column_lookup *l, const value_unit *u, unit_domain domain, int order);

/* Ends the program if a word is about a column that the table does not have. */
void column_lookup_used(const column_lookup *l, char *const *heading, size_t count);

#endif
