/* SPDX-License-Identifier: MIT */
/*
 * Lists the options of a parser and its children in the order of pages, for --help, manual pages
 * and completion.
 */
#ifndef TOOL_OPTION_ROWS_H
#define TOOL_OPTION_ROWS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct option_row {
    const struct argp_option *option;
    const char *header; /* a header instead of an option */
    int group;
    size_t order;
    /* Pages print a blank line above this row. Groups without a header are not separated, and -h
       follows the last group directly. */
    bool parted;
} option_row;

typedef struct option_rows {
    option_row *at;
    size_t count;
} option_rows;

/* Returns the rows in argp's order: groups 0, 1, 2, …, then negative groups, each header before its
   options. hidden: includes hidden options, and omits headers. */
option_rows option_rows_of(const struct argp *argp, bool hidden);
void option_rows_free(option_rows *rows);

/* Returns whether an option has a short form, such as -o. */
bool option_has_letter(const struct argp_option *option);

#endif
