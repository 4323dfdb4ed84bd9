/* SPDX-License-Identifier: MIT */
/*
 * The fault that a program has: in every source of a copy of the project that has all faults
 * (schemata.py). All programs are linked with runtime.c (copy.py). A pointer to something else is a
 * fault that a compiler finds.
 */
#ifndef TD_MUTATION_RUNTIME_H
#define TD_MUTATION_RUNTIME_H

extern int td_mutant;                     /* the fault that is chosen; -1: none */
extern unsigned char *td_mutants_reached; /* one byte each: whether its place was come to */

/* whether this test of a program of Check is to run: TD_MUTATION_TEST names one */
int td_mutation_runs(const char *name);

#pragma GCC diagnostic error "-Wincompatible-pointer-types"
#pragma GCC diagnostic error "-Wint-conversion"

#define TD_MUTANT(n) (td_mutants_reached[n] = 1, td_mutant == (n))

#endif
