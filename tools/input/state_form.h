/* SPDX-License-Identifier: MIT */
/*
 * Which columns of a table of states a command reads.
 */
#ifndef TOOL_STATE_FORM_H
#define TOOL_STATE_FORM_H

#include <stdbool.h>
#include <stddef.h>

#include "options.h"

/* Columns of a foot: its plate's wrench and its contact. */
enum { FOOT_CONTACT = 6, FOOT_COLUMNS };

typedef struct state_form {
    enum quantity read[3];
    size_t count;            /* of quantities in read */
    bool gaps;               /* missing and nonfinite values become NaN instead of an error */
    bool wrenches;           /* also read columns wrench:LINK.mx to wrench:LINK.fz */
    const char *const *feet; /* links with columns plate:LINK.mx to .fz, and contact:LINK */
    size_t foot_count;
    bool framed;               /* refuse these columns, because --wrench uses another frame */
    bool reached;              /* rows that ik did not reach are errors */
    bool no_tree;              /* the command has no --tree, so messages do not mention it */
    bool followers;            /* also read positions of dependent joints with one coordinate */
    size_t batch;              /* largest number of rows per batch; 0: default, BATCH_ROWS */
    const column_words *words; /* --map and --unit; NULL if not given */
    bool keep;                 /* keep the text of columns, except columns of the result */
    const char *const *result;
    size_t results;
    unsigned told; /* a bit, 1 << QUANTITY, for each quantity whose missing columns are reported */
} state_form;

#endif
