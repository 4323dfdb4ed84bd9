/* SPDX-License-Identifier: MIT */
/*
 * The struct of a completion (tandem/completion.h).
 */
#ifndef TD_IK_COMPLETION_H
#define TD_IK_COMPLETION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/stack.h"
#include "tandem/completion.h"
#include "tandem/workspace.h"

/* A row of r: a velocity of the tree. */
typedef struct equation {
    size_t qd;
    size_t name;  /* the joint coordinate whose velocity is measured */
    bool turning; /* the position is an angle, modulo whole turns */
} equation;

struct td_completion {
    const td_model *model;
    td_workspace *workspace;
    double tolerance;
    size_t nq, nv, ny, n;
    size_t count, rows;
    size_t *position;   /* count: entries of q */
    bool *given;        /* nq: the coordinate is measured */
    equation *equation; /* rows */
    bool covered;       /* all independent joints are measured, as scalars */
    size_t *y_name;     /* n, if covered: the measured coordinate of each entry of y */
    bool *follows;      /* n: the solution follows loops along this coordinate */
    size_t *missing;    /* n: joints */
    size_t missing_count;
    bool found;            /* memory comes from a call, not from the start */
    double *memory;        /* nq: td_closure_remember of that call */
    double *last;          /* ny: y of that call */
    double *pace;          /* n: change from the y before; 0 after a start */
    double *y, *q, *r;     /* the current values */
    double *yd;            /* n */
    double *moved, *there; /* trial y and r */
    double *stuck, *best;  /* ny: where the iteration stopped, and the best y so far */
    double *aim;           /* nq: q with the measured positions inserted */
    double *way;           /* nv */
    double *measured;      /* nq: measured positions, indexed like q */
    double *G;             /* nv × n */
    double *A, *R, *b;     /* rows × n column-major, n × n, rows */
    double *step;          /* n */
    int *class_of, *column;
    double *length; /* n: lengths of the columns of G */
    size_t rank;    /* of the last A */
    td_stack stack;
};

static const double td_completion_step = 0.2; /* the longest step, rad or m */

/* Computes c->q = γ(y) and the residual r. Closes partly dependent poses in y. */
td_status td_completion_look(td_completion *c, double *y, double *r);
/* Factors the measured rows of G at y and finds their rank. A column is independent if its pivot
   exceeds tolerance times its motion of all joints. Steps use a small tolerance; velocities need a
   larger one, because near dead points they would be rounding (positions are accurate to about
   1e-13). */
td_status td_completion_factor(td_completion *c, const double *y, double tolerance);
static const double td_completion_flat = 1e-9, td_completion_blind = 1e-5;
/* Minimizes |A x − b| with the factors; columns beyond the rank stay at 0. Overwrites b. */
void td_completion_solve(const td_completion *c, double *b, double *x);
/* Finds y, q and r for the measured values, starting from c->y. */
td_status td_completion_find(td_completion *c);
/* Does the same, starting from the last y. */
td_status td_completion_find_onwards(td_completion *c);

#endif
