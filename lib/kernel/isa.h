/* SPDX-License-Identifier: MIT */
/*
 * The kernel tables there are, and the choice between them.
 */
#ifndef TD_ISA_H
#define TD_ISA_H

#include "kernel/kernel.h"

/* The kernels of an instruction set, for one state and for several. */
typedef struct td_isa_kernels {
    const td_kernels *single, *batch;
} td_isa_kernels;

/* The best instruction set of this processor (name NULL or ""), or the one of that name,
   of which "baseline" is what all processors of the architecture have; NULL where this build or
   this processor does not have it. */
const td_isa_kernels *td_isa_choose(const char *name);

/* The names of those that would be found, separated by ", ". */
const char *td_isa_available(char *text, size_t size);

#endif
