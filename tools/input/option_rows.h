/* SPDX-License-Identifier: MIT */
/*
 * The options of a set and of its parts as their pages list them: what --help, manual pages
 * and completion are made of.
 */
#ifndef TOOL_OPTION_ROWS_H
#define TOOL_OPTION_ROWS_H

#include "option.h"

typedef struct option_row {
    const command_option *option;
    const char *header; /* in place of an option */
    int group;
    size_t order;
    /* Pages print a blank line above this row. Groups without a header are not separated, and -h
       follows the last group directly. */
    bool parted;
    bool hidden;            /* on the page of the command */
    const option_set *page; /* that describes the option for many commands; NULL: none */
} option_row;

typedef struct option_rows {
    option_row *at;
    size_t count;
} option_rows;

/* In the order of pages: groups 0, 1, 2, …, then those below zero; a header
   before its options. hidden: with those that pages do not show, and then without headers. */
option_rows option_rows_of(const option_set *set, bool hidden);
void option_rows_free(option_rows *rows);

#endif
