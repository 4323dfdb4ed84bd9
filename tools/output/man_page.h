/* SPDX-License-Identifier: MIT */
/*
 * Prints manual pages with the texts of the --help pages.
 */
#ifndef TOOL_MAN_PAGE_H
#define TOOL_MAN_PAGE_H

#include "option.h"

/* A command in the page of tandem. */
typedef struct man_command {
    const char *name;
    const char *summary;
} man_command;

typedef struct man_page {
    const char *name;    /* "fk"; NULL: tandem itself */
    const char *summary; /* behind the name */
    const char *section; /* "1", a command; "7", what many commands share */
    const option_set *set;
    const man_command *commands; /* for tandem itself, replaces the parser's text */
    size_t command_count;
    const char *text;
} man_page;

/* Prints the page as source for man. The date comes from SOURCE_DATE_EPOCH. By default the page has
   no date, so that builds are reproducible. */
void man_page_print(const man_page *page);

#endif
