/* SPDX-License-Identifier: MIT */
/*
 * Manual pages, from what --help pages are made of: the same words, for man.
 */
#ifndef TOOL_MAN_PAGE_H
#define TOOL_MAN_PAGE_H

#include <argp.h>
#include <stddef.h>

/* A row of the page of tandem itself. */
typedef struct man_command {
    const char *name;
    const char *summary;
} man_command;

typedef struct man_page {
    const char *name;    /* "fk"; NULL: tandem itself */
    const char *summary; /* behind the name */
    const char *section; /* "1", a command; "7", what many commands share */
    const struct argp *argp;
    const man_command
        *commands; /* of tandem itself, whose text stands in place of that of the parser */
    size_t command_count;
    const char *text;
} man_page;

/* The page as a source for man, on standard output. The date is that of SOURCE_DATE_EPOCH;
   without it there is none, so that a build gives the same page on any day. */
void man_page_print(const man_page *page);

#endif
