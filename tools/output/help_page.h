/* SPDX-License-Identifier: MIT */
/*
 * The page of --help: usage, what a command does, its options in groups, and more text. It follows
 * the width of the terminal or of COLUMNS, down to 40. (argp's own pages do not, and break examples
 * over lines.)
 */
#ifndef TOOL_HELP_PAGE_H
#define TOOL_HELP_PAGE_H

#include <argp.h>

/* name: "tandem fk" */
void help_page(const struct argp *argp, const char *name);

/* Prints words in lines of the page's width. The first line has used columns already; the others
   are indented. */
void help_text(const char *text, size_t used, size_t indentation);

/* -v, --quiet, -h, --usage and --version, of every parser; these are parsed without argp's own
   (ARGP_NO_HELP). */
extern const struct argp help_option_argp;

#endif
