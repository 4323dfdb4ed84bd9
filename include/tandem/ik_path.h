/* SPDX-License-Identifier: MIT */
/*
 * Inverse kinematics along a path: each row of targets is solved from the row before, so that the
 * robot moves without jumps. If this is impossible, the rows report where the robot jumps and how
 * far. Rows near singular postures are marked.
 *
 * Each row is solved from the previous posture, directly or through targets between the two rows.
 * The steps between these targets are small, so that each solution continues the previous one. If
 * limits or the end of a branch block the way, the row is a jump to the nearest of all its
 * solutions. The path is tried from several solutions of the first row, until one attempt has no
 * jump and reaches every row. The best attempt is the result.
 */
#ifndef TANDEM_IK_PATH_H
#define TANDEM_IK_PATH_H

#include "tandem/ik.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Options of td_ik_solve_path. Start from td_ik_path_options_default(). */
typedef struct td_ik_path_options {
    size_t size_of; /* set by the initializer */
    double jump; /* default 0.1 rad or m, positive: the largest change of a coordinate between two
                    postures that count as continuous, however short the step between their targets
                    is */
    double singular; /* default 0.01: a row is marked as singular if its smallest singular value is
                        below this fraction of the largest; not negative */
    size_t starts; /* default 8: maximum number of solutions of row 0 from which the path is tried;
                      at least 1, and values above 64 count as 64 */
} td_ik_path_options;

static inline td_ik_path_options td_ik_path_options_default(void)
{
    TD_SIZED(td_ik_path_options, options);
    options.jump = 0.1;
    options.singular = 0.01;
    options.starts = 8;
    return options;
}

/* The outcome of a row. */
typedef struct td_ik_path_row {
    size_t size_of;      /* set by the caller in the first row (docs/abi.md) */
    td_ik_status status; /* reached, nearest or open */
    td_status error;     /* TD_OK, or the error in the targets of this row: y is then NaN, and the
                            next row continues from the last good one */
    bool jump; /* reached, but by a jump: no continuous motion from the last row with a posture was
                  found */
    bool singular;   /* near a singular posture; see td_ik_path_options.singular */
    double change;   /* largest change of a coordinate since the last row with a posture, rad or
                        m; 0 in the first row */
    double smallest; /* smallest singular value of the weighted Jacobian of the required goals,
                        except values that are zero at every posture; NaN without a posture */
    double largest;  /* its largest singular value; NaN without a posture */
} td_ik_path_row;

/* The outcome of a path. */
typedef struct td_ik_path_result {
    size_t size_of;     /* set by the caller: sizeof the struct */
    size_t missed;      /* number of rows that were not reached */
    size_t jumps;       /* number of rows that are jumps */
    size_t first;       /* index of the first missed row or jump; n: none */
    size_t starts;      /* number of solutions of the first row that were tried */
    size_t evaluations; /* number of postures, counted as in td_ik_result */
} td_ik_path_result;

/* Solves n rows of targets as a path.

     ik         goals and options
     workspace  as in td_ik_solve
     n          number of rows
     targets    n × td_ik_target_count
     seed       ny: selects the first attempt, which begins at the nearest solution of row 0 that
                was found; NULL: the reference
     options    NULL: the defaults
     y          n × ny
     q          n × nq; may be NULL
     residuals  n × goals × 2, as in td_ik_solve; may be NULL
     rows       n elements, all with the size_of of the first one; may be NULL
     result     may be NULL

   If row 0 has no solution, the only attempt begins at its nearest posture. Preferred goals are
   solved in each row, from the row before.

   Returns TD_OK, or the first error of a row as in td_ik_solve; the other rows are still solved.
   TD_ERROR_ARGUMENT: a NULL argument, options out of range, an invalid size_of, or a workspace in a
   chart. Nothing is written in these cases. TD_ERROR_MEMORY: this function allocates. td_ik_q is
   NaN after the call. Equal calls have equal results to the bit.

   Cost: at most (1 + starts) times the cost of the rows. Most rows need a few evaluations. A row
   without a continuous path needs up to 2000 steps and 300 random starts. */
TD_API td_status td_ik_solve_path(td_ik *ik, td_workspace *workspace, size_t n,
                                  const double *targets, const double *seed,
                                  const td_ik_path_options *options, double *y, double *q,
                                  double *residuals, td_ik_path_row *rows,
                                  td_ik_path_result *result);

#ifdef __cplusplus
}
#endif
#endif
