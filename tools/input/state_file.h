/* SPDX-License-Identifier: MIT */
/*
 * Reads one state of a robot from a file.
 */
#ifndef TOOL_STATE_FILE_H
#define TOOL_STATE_FILE_H

#include "input/coordinates.h"

/* Reads positions, velocities, accelerations and forces from a file. A name that ends with .json is
   an object with q, qd, qdd and tau as commands print it: objects of names and numbers, in SI units
   and radians. Other files are CSV tables with one row; words are the options about its columns.
   Values that the file lacks stay unchanged. Prints a message and returns false on failure. */
bool state_file_read(const coordinates *c, const char *path, const column_words *words,
                     double *const value[QUANTITY_COUNT]);

#endif
