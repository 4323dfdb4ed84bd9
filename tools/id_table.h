/* SPDX-License-Identifier: MIT */
/*
 * Inverse dynamics of a table of states: what tandem id does with STATES.
 */
#ifndef TOOL_ID_TABLE_H
#define TOOL_ID_TABLE_H

#include <stdbool.h>

#include "coordinates.h"
#include "session.h"

/* Reads the table ("-" is standard input) and writes one of forces, in CSV or JSON. Returns the
   exit code. */
int id_table(const session *s, const coordinates *c, const char *states, bool json);

/* Names of the entries of u in a new array; NULL where u does not follow from these coordinates.
 */
char **actuator_names(const coordinates *c);
void actuator_names_free(const coordinates *c, char **names);

#endif
