/* SPDX-License-Identifier: MIT */
/*
 * The page of --help: usage, what a command does, its options in groups, and more text. It follows
 * the width of the terminal or of COLUMNS, down to 40.
 */
#ifndef TOOL_HELP_PAGE_H
#define TOOL_HELP_PAGE_H

#include "option.h"

/* name: "tandem fk" */
void help_page(const option_set *set, const char *name);

/* Prints words in lines of the page's width. The first line already contains used columns; the
   others are indented. */
void help_text(const char *text, size_t used, size_t indentation);

/* -v, --quiet, -h, --usage and --version, of every command. */
extern const option_set common_set;
/* Prints the version, and exits. */
option_reader option_version;

#endif
