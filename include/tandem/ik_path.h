/* SPDX-License-Identifier: MIT */
/*
 * Inverse kinematics along a path: rows of targets, each solved from the row before, so that the
 * robot moves without jumps. Where that cannot be, rows say by how much it jumps, and which rows
 * are next to singular postures.
 *
 * A row is solved downhill from the posture before, at once or by way of targets between the two,
 * in steps that are short enough for each to begin where the one before it ended. Where this comes
 * to an end, at limits or where the robot would have to change its branch, the row is a jump, to
 * the nearest of all its solutions. The whole path is followed from several solutions of the first
 * row, until one has neither a jump nor a row that is not reached: the best of them is the result.
 */
#ifndef TANDEM_IK_PATH_H
#define TANDEM_IK_PATH_H

#include "tandem/ik.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct td_ik_path_options {
    size_t size_of;  /* set by the initialiser */
    double jump;     /* rad or m: the longest step of a coordinate between postures of which one
                        goes on from the other, however short the way between them is made; 0.1 */
    double singular; /* a row is next to a singular posture where the smallest singular value is
                        below this part of the largest; 0.01 */
    size_t starts;   /* solutions of the first row that the path is followed from, at most, and at
                        most 64; 8 */
} td_ik_path_options;

static inline td_ik_path_options td_ik_path_options_default(void)
{
    TD_SIZED(td_ik_path_options, options);
    options.jump = 0.1;
    options.singular = 0.01;
    options.starts = 8;
    return options;
}

/* What became of a row. */
typedef struct td_ik_path_row {
    size_t size_of;      /* set by the caller in the first row (docs/abi.md) */
    td_ik_status status; /* of the row; td_status of what went wrong with its targets in error */
    td_status error;     /* TD_OK; else y is NaN, and the next row goes on from the last good one */
    bool jump;     /* reached, but the way from the last row that has y cannot be followed, and
                      it is more than a step */
    bool singular; /* by the option */
    double change; /* the largest of a coordinate, rad or m; 0 in the first row */
    double
        smallest;   /* singular values of the Jacobian of required goals, with their weights: the */
    double largest; /* smallest that is not zero everywhere, and the largest; NaN without y */
} td_ik_path_row;

typedef struct td_ik_path_result {
    size_t size_of;     /* set by the caller: sizeof the struct */
    size_t missed;      /* rows that were not reached */
    size_t jumps;       /* rows that jump */
    size_t first;       /* which of these or of the missed ones is the first; n: none */
    size_t starts;      /* solutions of the first row that were followed */
    size_t evaluations; /* postures that were looked at, as in td_ik_result */
} td_ik_path_result;

/* n rows of targets, as td_ik_solve_rows has them: y n × ny; q n × nq, residuals n × goals × 2 and
   rows n, each of which may be NULL. seed (ny; NULL: the reference): the first row begins at the
   solution that is nearest to it of those that are found first, and others are tried after it; a
   first row that is not reached has one start alone. options NULL: defaults.

   Wishes are granted in each row, from the row before. The status of the call is TD_OK, or the
   first error of a row, as td_ik_solve has them; others are solved all the same. TD_ERROR_ARGUMENT:
   NULL, a step or starts that are not positive, results that cannot be written, a workspace in a
   chart, with which nothing is written; TD_ERROR_MEMORY: this call takes memory, for starts. The
   work is bounded: by (1 + starts) times that of the rows, most of which take a few evaluations;
   one whose way cannot be followed is tried in up to 2000 parts, and by 300 starts. td_ik_q is
   spoiled; loops are followed as in td_ik_solve. Equal calls have equal results, to the bit. */
TD_API td_status td_ik_solve_path(td_ik *ik, td_workspace *workspace, size_t n,
                                  const double *targets, const double *seed,
                                  const td_ik_path_options *options, double *y, double *q,
                                  double *residuals, td_ik_path_row *rows,
                                  td_ik_path_result *result);

#ifdef __cplusplus
}
#endif
#endif
