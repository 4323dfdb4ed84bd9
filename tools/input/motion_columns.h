/* SPDX-License-Identifier: MIT */
/*
 * A table of states as columns of numbers under headings of one form: what a page of tandem view
 * plays and draws. The command reads it with these functions, and the page itself, in WebAssembly.
 */
#ifndef TOOL_MOTION_COLUMNS_H
#define TOOL_MOTION_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "tandem/tandem.h"

typedef struct motion_columns {
    size_t count, rows;
    char **heading; /* count: t (s), q:JOINT, qd:JOINT, qdd:JOINT (SI units and radians), then all
                       others as they are headed */
    double **value; /* count × rows; NaN: no number */
} motion_columns;

/* Reads a table of states in any form that commands read, "-" is standard input. Times ascend, and
   some column is a position. An array without names has the independent coordinates. False, with a
   message, where something is wrong; there is nothing to be freed then. */
bool motion_columns_read(motion_columns *columns, const td_model *model, const char *path);
void motion_columns_free(motion_columns *columns);

/* All of it as CSV, in a new string. */
char *motion_columns_text(const motion_columns *columns);

#endif
