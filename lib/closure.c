/* SPDX-License-Identifier: MIT */
/*
 * The public face of the closure: q, q̇, q̈ from y, ẏ, ÿ, the way back, and the matrices.
 */
#include "tandem/closure.h"

#include <math.h>
#include <string.h>

#include "model.h"
#include "workspace.h"

/* out = A x, or zero for a NULL x; nothing for a NULL out */
static void apply(const td_model *model, const td_csr *A, const double *x, double *out)
{
    if (!out)
        return;
    if (x)
        model->single->affine(A, NULL, x, out);
    else
        memset(out, 0, (size_t)A->rows * sizeof *out);
}

td_status td_closure(const td_model *model, td_workspace *workspace, const double *y,
                     const double *yd, const double *ydd, double *q, double *qd, double *qdd)
{
    if (!model || !workspace || (!y && model->closure.ny))
        return TD_ERROR_ARGUMENT;
    const td_linear_closure *closure = &model->closure;
    if (q)
        model->single->affine(&closure->position, closure->offset, y, q);
    apply(model, &closure->velocity, yd, qd);
    apply(model, &closure->velocity, ydd, qdd);
    return TD_OK;
}

td_status td_reduce_force(const td_model *model, td_workspace *workspace, const double *y,
                          const double *tau, double *tau_y)
{
    (void)y; /* G is constant as long as all couplings are linear */
    if (!model || !workspace || !tau || !tau_y)
        return TD_ERROR_ARGUMENT;
    model->single->transposed(&model->closure.velocity, tau, tau_y);
    return TD_OK;
}

td_status td_independent(const td_model *model, td_workspace *workspace, const double *q, double *y,
                         double *residual)
{
    if (!model || !workspace || ((!q || !y) && model->tree.nq))
        return TD_ERROR_ARGUMENT;
    for (size_t j = 0; j < model->independent_count; j++) {
        const td_joint_place *place = &model->place[model->independent[j]];
        memcpy(y + place->y, q + place->q, (size_t)place->nq * sizeof *y);
    }
    if (!residual)
        return TD_OK;
    double *closed = workspace->residual;
    model->single->affine(&model->closure.position, model->closure.offset, y, closed);
    *residual = 0;
    for (size_t i = 0; i < model->tree.nq; i++) {
        double error = fabs(q[i] - closed[i]);
        if (!(error <= *residual)) /* keeps a NaN */
            *residual = error;
    }
    return TD_OK;
}

void td_csr_dense(const td_csr *A, double *matrix)
{
    size_t columns = (size_t)A->columns;
    memset(matrix, 0, (size_t)A->rows * columns * sizeof *matrix);
    for (int i = 0; i < A->rows; i++)
        for (int k = A->row[i]; k < A->row[i + 1]; k++)
            matrix[(size_t)i * columns + (size_t)A->column[k]] = A->value[k];
}

td_status td_closure_jacobian(const td_model *model, td_workspace *workspace, const double *y,
                              double *G)
{
    (void)y;
    if (!model || !workspace || !G)
        return TD_ERROR_ARGUMENT;
    td_csr_dense(&model->closure.velocity, G);
    return TD_OK;
}

static td_sparse sparse(const td_csr *A)
{
    return (td_sparse){(size_t)A->rows, (size_t)A->columns, A->row, A->column, A->value};
}

td_sparse td_closure_matrix(const td_model *model)
{
    return sparse(&model->closure.position);
}

td_sparse td_closure_velocity_matrix(const td_model *model)
{
    return sparse(&model->closure.velocity);
}

const double *td_closure_offset(const td_model *model)
{
    return model->closure.offset;
}

td_effective_limit td_effective_limit_at(const td_model *model, size_t joint)
{
    if (joint < model->records.joint.count)
        return model->limit[joint];
    return (td_effective_limit){-INFINITY, INFINITY, INFINITY, INFINITY, -1, -1, -1, -1};
}
