/* SPDX-License-Identifier: MIT */
/*
 * Pictures of what a sweep has kept: histograms, and cells over one or two columns.
 */
#ifndef TOOL_SWEEP_PICTURE_H
#define TOOL_SWEEP_PICTURE_H

#include "sweep/result.h"

/* Whether something of the form is drawn, and there is gnuplot. False with a message. */
bool sweep_picture_possible(const sweep_form *form);

/* Draws them, one below the other, into .svg, .png or .pdf. False, with a message, where there are
   none, or gnuplot is missing. */
bool sweep_picture(const sweep_result *r, const char *path);

#endif
