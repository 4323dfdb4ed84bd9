/* SPDX-License-Identifier: MIT */
/*
 * gnuplot: it is run on a script, and draws into a file.
 */
#ifndef TOOL_GNUPLOT_H
#define TOOL_GNUPLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Draws what write puts into a script. output: .svg, .png or .pdf, written under a temporary name
   and renamed, or "-". False, with a message, where something is wrong: gnuplot is missing. */
bool gnuplot_draw(const char *output, void (*write)(FILE *script, const void *context),
                  const void *context);

/* What the script begins with: the kind of picture, its size in dots, and the letters. */
void gnuplot_terminal(FILE *script, const char *output, size_t width, size_t height);

/* A name, which may be anything, in quotes. */
void gnuplot_string(FILE *script, const char *text);

#endif
