/* SPDX-License-Identifier: MIT */
/*
 * A small dense quadratic program with its memory. It minimizes ½ (x − c)ᵀ H (x − c) subject to
 *
 *   E x + s = e,   lower ≤ x ≤ upper,   row_lower ≤ B x − t ≤ row_upper
 *
 * H is positive definite. s and t are zero, or they are slack unknowns that follow x and have
 * weights in H, for rows that may be infeasible.
 */
#ifndef TD_IK_PROGRAM_H
#define TD_IK_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/stack.h"

typedef struct td_program {
    size_t columns;              /* number of entries of x */
    size_t equalities, rows;     /* rows of E and of B */
    bool soft_equalities;        /* s exists */
    bool soft_rows;              /* t exists */
    const double *E, *e;         /* equalities × columns */
    const double *lower, *upper; /* may be infinite; lower ≤ upper */
    const double *B, *row_lower, *row_upper;
    const signed char *first; /* columns + rows: nonzero if the bound is tried before others, such
                                 as bounds that were active before; NULL: none */
    double *J; /* n × n with H = J⁻ᵀ J⁻¹, where n is the number of unknowns; overwritten */
    double *x; /* n: c on entry; the solution on return */
    double *multipliers; /* equalities + columns + rows: multipliers of active bounds; > 0 at an
                            upper bound, < 0 at a lower one */
    size_t steps;        /* bounds that were activated or deactivated */
    /* scratch */
    double *R, *d, *z, *r, *u;
    size_t *held; /* active bounds, and the side of each */
    signed char *side, *state;
} td_program;

typedef enum td_program_status {
    TD_PROGRAM_SOLVED,
    TD_PROGRAM_EMPTY,   /* infeasible; x is undefined */
    TD_PROGRAM_ENDLESS, /* rounding prevented termination; x is undefined */
} td_program_status;

/* Allocates J, x, multipliers and scratch for the given numbers of unknowns, equalities, columns,
 * rows. */
void td_program_take(td_stack *stack, size_t n, size_t equalities, size_t columns, size_t rows,
                     td_program *program);
/* Returns the number of unknowns. */
size_t td_program_unknowns(const td_program *program);
td_program_status td_program_solve(td_program *program);

#endif
