/* SPDX-License-Identifier: MIT */
/*
 * The options of a parser and of its children as their pages list them: what --help, manual pages
 * and completion are made of.
 */
#ifndef TOOL_OPTION_ROWS_H
#define TOOL_OPTION_ROWS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct option_row {
    const struct argp_option *option;
    const char *header; /* in place of an option */
    int group;
    size_t order;
    /* A blank line is above: groups without a header stand together, and -h with the last one. */
    bool parted;
} option_row;

typedef struct option_rows {
    option_row *at;
    size_t count;
} option_rows;

/* In the order of pages: groups 0, 1, 2, …, then those below zero, as argp has them; a header
   before its options. hidden: with those that pages do not show, and then without headers. */
option_rows option_rows_of(const struct argp *argp, bool hidden);
void option_rows_free(option_rows *rows);

/* Whether an option has a letter, -o. */
bool option_has_letter(const struct argp_option *option);

#endif
