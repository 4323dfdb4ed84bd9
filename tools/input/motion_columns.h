/* SPDX-License-Identifier: MIT */
/*
 * Reads a table of states as columns of numbers with normalized headings, for playback and plots in
 * the page of tandem view. The command and the page (in WebAssembly) both use these functions.
 */
#ifndef TOOL_MOTION_COLUMNS_H
#define TOOL_MOTION_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "tandem/tandem.h"

typedef struct motion_columns {
    size_t count, rows;
    char **heading; /* count: t (s), q:JOINT, qd:JOINT, qdd:JOINT (SI units and radians), then all
                       others with their own headings */
    double **value; /* count × rows; NaN if missing */
} motion_columns;

/* Reads a table of states in any form that commands accept; "-" is standard input. Times must
   ascend, and one column must be a position. An array without names has independent coordinates.
   Prints a message and returns false on failure; nothing needs to be freed then. */
bool motion_columns_read(motion_columns *columns, const td_model *model, const char *path);
void motion_columns_free(motion_columns *columns);

/* Returns the columns as CSV in a new string. */
char *motion_columns_text(const motion_columns *columns);

#endif
