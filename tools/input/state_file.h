/* SPDX-License-Identifier: MIT */
/*
 * One state of a robot from a file.
 */
#ifndef TOOL_STATE_FILE_H
#define TOOL_STATE_FILE_H

#include "input/coordinates.h"

/* Fills values (positions, velocities, accelerations and forces) from a file: JSON where its name
   ends with .json, an object with q, qd, qdd and tau as the command prints it, each an object of
   names and numbers, in SI units and radians; else a CSV table of one row, whose columns words are
   about. What the file does not have stays. False, with a message, where something is wrong. */
bool state_file_read(const coordinates *c, const char *path, const column_words *words,
                     double *const value[QUANTITY_COUNT]);

#endif
