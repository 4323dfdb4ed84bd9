/* SPDX-License-Identifier: MIT */
/*
 * Draws results of a sweep: histograms, and cells over one or two columns.
 */
#ifndef TOOL_SWEEP_PICTURE_H
#define TOOL_SWEEP_PICTURE_H

#include "sweep/result.h"

/* Returns whether the form has something to draw and gnuplot is installed. If not, prints a
   message. */
bool sweep_picture_possible(const sweep_form *form);

/* Draws all pictures, one below the other, to a .svg, .png or .pdf file. Returns false, with a
   message, if there is nothing to draw or gnuplot fails. */
bool sweep_picture(const sweep_result *r, const char *path);

#endif
