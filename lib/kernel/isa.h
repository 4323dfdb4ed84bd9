/* SPDX-License-Identifier: MIT */
/*
 * Lists the kernel tables of this build and selects one of them.
 */
#ifndef TD_ISA_H
#define TD_ISA_H

#include "kernel/kernel.h"

/* The kernels of one instruction set: for a single state, and for several states at once. */
typedef struct td_isa_kernels {
    const td_kernels *single, *batch;
} td_isa_kernels;

/* Returns the kernels of the instruction set called name, or of the best one that this processor
   supports if name is NULL or "". The name "baseline" selects the set that every processor of the
   architecture supports. Returns NULL if the build or the processor lacks the instruction set. */
const td_isa_kernels *td_isa_choose(const char *name);

/* Writes the names that td_isa_choose accepts on this processor into text, separated by ", ".
   Returns text, which has size bytes. */
const char *td_isa_available(char *text, size_t size);

#endif
