/* SPDX-License-Identifier: MIT */
/*
 * What generated code and python/call.c share: the arguments of a function of the library, in its
 * own order, and the functions behind one signature.
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

/* One state, or n of them for functions of batches; a has what stands behind model and workspace.
 */
typedef td_status (*td_thunk)(const td_model *model, td_workspace *workspace, size_t n,
                              const td_slot *a, td_status *each);

extern const td_thunk td_thunks[]; /* generated; its indexes are those of the table in Python */
extern const size_t td_thunk_count;

#endif
