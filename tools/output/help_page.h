/* SPDX-License-Identifier: MIT */
/*
 * Prints the page of --help: usage, description, options in groups, and further text. Lines fit the
 * width of the terminal or COLUMNS, but are never narrower than 40. (argp's own pages ignore the
 * width and break lines of examples.)
 */
#ifndef TOOL_HELP_PAGE_H
#define TOOL_HELP_PAGE_H

#include <argp.h>

/* Prints the page. name: the command, such as "tandem fk". */
void help_page(const struct argp *argp, const char *name);

/* Prints words in lines of the page's width. The first line already contains used columns; the
   others are indented. */
void help_text(const char *text, size_t used, size_t indentation);

/* The options -v, --quiet, -h, --usage and --version of every parser. They replace argp's own
   options (ARGP_NO_HELP). */
extern const struct argp help_option_argp;

#endif
