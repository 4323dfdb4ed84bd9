/* SPDX-License-Identifier: MIT */
/*
 * Coordinate partitioning: positions by Newton's method, and the motion in the coordinates that
 * were chosen.
 */
#include <math.h>
#include <string.h>

#include "bounded.h"
#include "partition.h"
#include "tandem/configuration.h"

/* ---- positions and velocities ---------------------------------------------------------------- */

/* The Newton step to closed loops from p->trial in p->step, and its length; K is eliminated. */
static td_status newton_step(td_partition *p, double *length)
{
    td_status status = td_constraint_residual(p->model, p->w, p->trial, p->phi);
    if (status == TD_OK)
        status = td_constraint_jacobian(p->model, p->w, p->trial, p->K);
    if (status != TD_OK)
        return status;
    if (!td_partition_eliminate(p))
        return TD_ERROR_CLOSURE_SINGULAR;
    td_partition_apply(p, p->phi);
    memset(p->step, 0, p->nv * sizeof *p->step);
    *length = 0;
    for (size_t n = 0; n < p->count; n++) {
        p->step[p->column[n]] = -p->phi[p->row[n]];
        *length = fmax(*length, fabs(p->phi[p->row[n]]) / p->scale[p->column[n]]);
    }
    return TD_OK;
}

/* From the state before, with u in place, to φ = 0: quadratically, so that a step below CLOSE is
   the last one but for rounding. It starts no further away than a step of the integrator; what
   leads FAR leads to another branch. */
static td_status close_loops(td_partition *p, const double *u)
{
    enum { MOST = 30 };
    static const double FAR = 1, CLOSE = 1e-13, ROUNDING = 1e-9;
    memcpy(p->trial, p->q, p->nq * sizeof *p->q);
    for (size_t i = 0; i < p->ny; i++)
        p->trial[p->u_q[i]] = u[i];
    double before = INFINITY, way = 0;
    for (int k = 0; k < MOST; k++) {
        double length;
        td_status status = newton_step(p, &length);
        if (status != TD_OK)
            return status;
        way += length;
        if (!(way < FAR)) {
            td_partition_blame(p, p->row[p->count - 1]); /* the smallest pivot */
            return TD_ERROR_BRANCH;
        }
        td_tree_integrate(p->model, p->trial, p->step, 1, p->next);
        for (size_t i = 0; i < p->ny; i++) /* signs of quaternions go on as they are */
            p->next[p->u_q[i]] = u[i];
        memcpy(p->trial, p->next, p->nq * sizeof *p->trial);
        if (length < CLOSE || (length < ROUNDING && length > 0.5 * before))
            return TD_OK;
        before = length;
    }
    td_partition_blame(p, p->row[p->count - 1]);
    return TD_ERROR_ASSEMBLY;
}

/* G from the eliminated K: unit rows of u, −K_d⁻¹ K_u of the others. */
static void fill_G(td_partition *p)
{
    const size_t n = p->nyd;
    memset(p->G, 0, p->nv * n * sizeof *p->G);
    for (size_t i = 0; i < n; i++)
        p->G[p->u_qd[i] * n + i] = 1;
    for (size_t k = 0; k < p->count; k++)
        for (size_t i = 0; i < n; i++)
            p->G[p->column[k] * n + i] = -p->K[p->row[k] * p->nv + p->u_qd[i]];
}

td_status td_partition_joints(td_partition *p, const double *u, const double *ud, double *q,
                              double *qd)
{
    td_status status = close_loops(p, u);
    if (status != TD_OK)
        return status;
    memcpy(p->q, p->trial, p->nq * sizeof *q);
    memcpy(q, p->q, p->nq * sizeof *q);
    fill_G(p);
    for (size_t i = 0; i < p->nv; i++) {
        qd[i] = 0;
        for (size_t j = 0; j < p->nyd; j++)
            qd[i] += p->G[i * p->nyd + j] * ud[j];
    }
    return TD_OK;
}

/* ---- motion ---------------------------------------------------------------------------------- */

void td_partition_project(const td_partition *p, const double *tau, double *tau_u)
{
    memset(tau_u, 0, p->nyd * sizeof *tau_u);
    for (size_t i = 0; i < p->nv; i++)
        for (size_t j = 0; j < p->nyd && tau[i] != 0; j++)
            tau_u[j] += p->G[i * p->nyd + j] * tau[i];
}

td_status td_partition_mass(td_partition *p, const double *q, const td_forces *forces)
{
    const size_t n = p->nyd, nv = p->nv;
    td_status status = td_tree_mass_matrix(p->model, p->w, q, forces, p->H);
    if (status != TD_OK)
        return status;
    memset(p->HG, 0, nv * n * sizeof *p->HG);
    memset(p->M, 0, n * n * sizeof *p->M);
    for (size_t i = 0; i < nv; i++)
        for (size_t k = 0; k < nv; k++)
            for (size_t j = 0; j < n && p->H[i * nv + k] != 0; j++)
                p->HG[i * n + j] += p->H[i * nv + k] * p->G[k * n + j];
    for (size_t i = 0; i < nv; i++)
        for (size_t k = 0; k < n; k++)
            for (size_t j = 0; j < n && p->G[i * n + k] != 0; j++)
                p->M[k * n + j] += p->G[i * n + k] * p->HG[i * n + j];
    return TD_OK;
}

/* M ü = right in the coordinates that are free, those of the others being known. */
static bool solve(td_partition *p, const unsigned char *given, double *udd)
{
    const size_t n = p->nyd;
    size_t m = 0, entries = 0;
    for (size_t i = 0; i < n; i++) {
        if (given && given[i])
            continue;
        double sum = p->right[i];
        for (size_t j = 0; j < n; j++) {
            if (given && given[j])
                sum -= p->M[i * n + j] * udd[j];
            else
                p->L[entries++] = p->M[i * n + j];
        }
        p->bias[m++] = sum;
    }
    if (!td_cholesky(m, p->L))
        return false;
    td_cholesky_solve(m, p->L, p->bias);
    m = 0;
    for (size_t i = 0; i < n; i++)
        if (!given || !given[i])
            udd[i] = p->bias[m++];
    return true;
}

/* g with K g = k, and u's entries zero */
static td_status find_drift(td_partition *p, const double *q, const double *qd)
{
    td_status status = td_constraint_drift(p->model, p->w, q, qd, p->phi);
    if (status != TD_OK)
        return status;
    td_partition_apply(p, p->phi);
    memset(p->drift, 0, p->nv * sizeof *p->drift);
    for (size_t n = 0; n < p->count; n++)
        p->drift[p->column[n]] = p->phi[p->row[n]];
    return TD_OK;
}

td_status td_partition_accelerate(td_partition *p, const double *q, const double *qd,
                                  const double *tau, const td_forces *forces,
                                  const unsigned char *given, double *udd, double *tau_u)
{
    td_status status = find_drift(p, q, qd);
    if (status == TD_OK)
        status = td_tree_inverse_dynamics(p->model, p->w, q, qd, p->drift, forces, p->bias);
    if (status == TD_OK)
        status = td_partition_mass(p, q, forces);
    if (status != TD_OK)
        return status;
    for (size_t i = 0; i < p->nv; i++)
        p->bias[i] = tau[i] - p->bias[i];
    td_partition_project(p, p->bias, p->right);
    if (!solve(p, given, udd))
        return TD_ERROR_SINGULAR;
    for (size_t i = 0; i < p->nyd && given; i++) {
        if (!given[i])
            continue;
        tau_u[i] = -p->right[i]; /* what is missing */
        for (size_t j = 0; j < p->nyd; j++)
            tau_u[i] += p->M[i * p->nyd + j] * udd[j];
    }
    return TD_OK;
}

void td_partition_accelerations(const td_partition *p, const double *udd, double *qdd)
{
    for (size_t i = 0; i < p->nv; i++) {
        qdd[i] = p->drift[i];
        for (size_t j = 0; j < p->nyd; j++)
            qdd[i] += p->G[i * p->nyd + j] * udd[j];
    }
}
