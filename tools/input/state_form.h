/* SPDX-License-Identifier: MIT */
/*
 * What of a table of states is read.
 */
#ifndef TOOL_STATE_FORM_H
#define TOOL_STATE_FORM_H

#include <stdbool.h>
#include <stddef.h>

#include "options.h"

typedef struct state_form {
    enum quantity read[3];
    size_t count;              /* of them */
    bool gaps;                 /* a value that is missing or not finite is NaN, not an error */
    bool wrenches;             /* columns wrench:LINK.fx and so on to .mz are read too */
    bool framed;               /* but refused, since --wrench has another frame than columns */
    bool reached;              /* a row of ik that is not reached is an error */
    bool no_tree;              /* the command has no --tree, so messages do not mention it */
    bool followers;            /* and positions of dependent joints of one coordinate */
    size_t batch;              /* rows that are handed over at once at most; 0: BATCH_ROWS */
    const column_words *words; /* of options; NULL: none */
    bool keep;                 /* the text of columns is kept, except columns of the result */
    const char *const *result;
    size_t results;
    unsigned told; /* a bit, 1 << QUANTITY, for each quantity whose missing columns are reported */
} state_form;

#endif
