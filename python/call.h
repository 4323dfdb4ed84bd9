/* SPDX-License-Identifier: MIT */
/*
 * Shared by generated code and python/call.c: the arguments of a library function in C order, and
 * wrappers that give all functions the same signature.
 */
#ifndef TD_PYTHON_CALL_H
#define TD_PYTHON_CALL_H

#include "tandem/tandem.h"

typedef union td_slot {
    void *p;
    size_t size;
    int number;
    double real;
} td_slot;

/* Calls a function for one state, or a batch function for n states. a: the arguments after model
   and workspace. */
typedef td_status (*td_thunk)(const td_model *model, td_workspace *workspace, size_t n,
                              const td_slot *a, td_status *each);

extern const td_thunk td_thunks[]; /* generated; the table in Python has the same indices */
extern const size_t td_thunk_count;

#endif
