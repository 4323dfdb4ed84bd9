/* SPDX-License-Identifier: MIT */
/*
 * Selects the fault of a program. In a copy of the project, every source contains all faults
 * (schemata.py), and all programs are linked with runtime.c (copy.py). Faults with incompatible
 * pointer types are compile errors.
 */
#ifndef TD_MUTATION_RUNTIME_H
#define TD_MUTATION_RUNTIME_H

extern int td_mutant; /* number of the selected fault; -1: none */
/* one byte per fault: whether its location was executed */
extern unsigned char *td_mutants_reached;

/* Returns whether this test of a Check program runs: TD_MUTATION_TEST may name another one. */
int td_mutation_runs(const char *name);

#pragma GCC diagnostic error "-Wincompatible-pointer-types"
#pragma GCC diagnostic error "-Wint-conversion"

#define TD_MUTANT(n) (td_mutants_reached[n] = 1, td_mutant == (n))

#endif
