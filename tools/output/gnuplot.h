/* SPDX-License-Identifier: MIT */
/*
 * Runs gnuplot on a script and writes the picture to a file.
 */
#ifndef TOOL_GNUPLOT_H
#define TOOL_GNUPLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Runs gnuplot on the script that write produces. output: a name that ends in .svg, .png or .pdf,
   written under a temporary name and then renamed, or "-" for standard output. Returns false, with
   a message, if this fails, for example because gnuplot is missing. */
bool gnuplot_draw(const char *output, void (*write)(FILE *script, const void *context),
                  const void *context);

/* Writes the first lines of a script: the kind of picture, its size in pixels, and the font. */
void gnuplot_terminal(FILE *script, const char *output, size_t width, size_t height);

/* Writes any text as a quoted string of gnuplot. */
void gnuplot_string(FILE *script, const char *text);

#endif
