/* SPDX-License-Identifier: MIT */
/*
 * Near configurations at which loops open, joints move fastest along some direction n. It is the
 * singular vector of G for the largest singular value, computed by iteration. Steps are bounded
 * along n only. So a descent can move along the boundary at which loops still close.
 */
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "ik/ik.h"
#include "tandem/closure.h"

void td_ik_turn_opening(td_ik *ik)
{
    double *x = ik->F + ik->followers * ik->columns;
    enum { ROUNDS = 8 };
    const size_t n = ik->columns;
    memcpy(ik->right, x, n * sizeof *x);
    for (int round = 0; round < ROUNDS; round++) {
        memset(ik->delta, 0, n * sizeof *x);
        for (size_t i = 0; i < ik->nv; i++) {
            const double *row = ik->G + i * ik->n;
            double rate = 0;
            for (size_t k = 0; k < n; k++)
                rate += row[ik->column[k]] * x[k];
            for (size_t k = 0; k < n; k++)
                ik->delta[k] += row[ik->column[k]] * rate;
        }
        const double length = td_dense_largest(n, ik->delta);
        for (size_t k = 0; k < n && length > 0; k++)
            x[k] = ik->delta[k] / length;
    }
    const double along = td_dense_dot(n, x, ik->right);
    for (size_t k = 0; k < n && along < 0; k++)
        x[k] = -x[k];
}

td_status td_ik_find_opening(td_ik *ik, td_workspace *workspace, double part)
{
    double *x = ik->F + ik->followers * ik->columns;
    const td_status status = td_closure_jacobian(ik->model, workspace, ik->now.y, ik->G);
    if (status != TD_OK)
        return status;
    for (size_t k = 0; k < ik->columns; k++)
        x[k] = ik->step[ik->column[k]];
    td_ik_turn_opening(ik);
    ik->opens = true;
    ik->room = 0;
    for (size_t k = 0; k < ik->columns; k++)
        ik->room += 0.7 * part * x[k] * ik->step[ik->column[k]];
    return TD_OK;
}
