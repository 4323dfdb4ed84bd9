/* SPDX-License-Identifier: MIT */
/*
 * A small dense quadratic program and the memory to solve it: minimizes ½ (x − c)ᵀ H (x − c)
 * subject to
 *
 *   E x + s = e,   lower ≤ x ≤ upper,   row_lower ≤ B x − t ≤ row_upper
 *
 * H is positive definite. s and t are zero, or slack unknowns after x with weights in H, for rows
 * that cannot be satisfied.
 */
#ifndef TD_IK_PROGRAM_H
#define TD_IK_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/stack.h"

typedef struct td_program {
    size_t columns;              /* of x */
    size_t equalities, rows;     /* of E and of B */
    bool soft_equalities;        /* there is s */
    bool soft_rows;              /* there is t */
    const double *E, *e;         /* equalities × columns */
    const double *lower, *upper; /* may be infinite; lower ≤ upper */
    const double *B, *row_lower, *row_upper;
    const signed char *first; /* columns + rows: ≠ 0 where the bound is looked at before others, as
                                 those that held before; NULL: none */
    double *J; /* n × n with H = J⁻ᵀ J⁻¹, n being the number of unknowns; used up */
    double *x; /* n: c; then the solution */
    double *multipliers; /* equalities + columns + rows: of what holds x; > 0 at an upper
                            bound, < 0 at a lower one */
    size_t steps;        /* bounds that were taken up or left */
    /* memory */
    double *R, *d, *z, *r, *u;
    size_t *held; /* what holds x, and the side of each */
    signed char *side, *state;
} td_program;

typedef enum td_program_status {
    TD_PROGRAM_SOLVED,
    TD_PROGRAM_EMPTY,   /* nothing fulfils it all; x is nothing */
    TD_PROGRAM_ENDLESS, /* rounding does not let it end; x is nothing */
} td_program_status;

/* Allocates J, x, multipliers and scratch for the given numbers of unknowns, equalities, columns,
 * rows. */
void td_program_take(td_stack *stack, size_t n, size_t equalities, size_t columns, size_t rows,
                     td_program *program);
/* The number of unknowns. */
size_t td_program_unknowns(const td_program *program);
td_program_status td_program_solve(td_program *program);

#endif
