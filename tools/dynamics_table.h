/* SPDX-License-Identifier: MIT */
/*
 * Dynamics of a table of states: what tandem id and tandem fd do with STATES.
 */
#ifndef TOOL_DYNAMICS_TABLE_H
#define TOOL_DYNAMICS_TABLE_H

#include "coordinates.h"
#include "dynamics.h"
#include "session.h"

/* Reads the table of options->states ("-" is standard input) and writes one of forces or
   accelerations, in CSV or JSON. Returns the exit code. */
int dynamics_table(const session *s, const coordinates *c, const dynamics_options *options);

/* Names of the entries of u in a new array; NULL where u does not follow from these coordinates.
 */
char **actuator_names(const coordinates *c);
void actuator_names_free(const coordinates *c, char **names);

#endif
