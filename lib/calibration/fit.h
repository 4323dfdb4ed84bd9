/* SPDX-License-Identifier: MIT */
/*
 * The state of a calibration, and one step of the Levenberg-Marquardt method. A step solves the
 * linearized problem, which has the form of an arrow (arrow.h).
 */
#ifndef TD_CALIBRATION_FIT_H
#define TD_CALIBRATION_FIT_H

#include "problem.h"

typedef struct td_fit {
    const td_calibration *problem;
    td_calibration_result *result;
    size_t n, ny, own; /* parameters, entries of y and of ẏ */
    double noise;      /* now in use */
    double *A;         /* equations of a row and damping of its configuration */
    double *kept;      /* rows × own × width: triangular systems of the configurations */
    double *R, *T;     /* (n + 1)²: shared system, without and with priors */
    double *line;      /* n + 1 */
    double *step;      /* n: of the parameters */
    double *rate;      /* own: step of a configuration */
    double *change, *y, *residual; /* trial */
    bool *fixed;                   /* per parameter: it is at its bound */
    double *block;                 /* memory of all arrays of numbers */
    double unknowns;               /* number of determined unknowns of the configurations */
} td_fit;

/* Returns the number of columns of a row's equations. */
static inline size_t td_fit_width(const td_fit *f)
{
    return f->own + f->n + 1;
}

/* Linearizes all rows, and eliminates their configurations into the shared system R. factor:
   damping of the configurations, in squares of the longest column. Even without damping, columns
   shorter than 1e-8 of it count as zero, because points do not determine every coordinate. */
td_status td_fit_linearize(td_fit *f, double factor);

/* Computes the step of the parameters within their bounds, and their trial values. damping is
   relative to the squares of the columns. */
void td_fit_find_step(td_fit *f, double damping);

/* Computes the trial values of the configurations that belong to this step. */
void td_fit_move(td_fit *f, const td_model *model);

#endif
