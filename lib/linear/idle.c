/* SPDX-License-Identifier: MIT */
/*
 * Idle directions in linear models of a robot, see linear.h. With y = z + D s, where z has zeros in
 * the entries that represent the directions D, neither forces nor inputs depend on s. So the
 * other states x_r = T x have a model of their own, A_r = T A S and B_r = T B, where S inserts
 * zeros. A gain K_r for it gives K = K_r T.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dense.h"
#include "linear/linear.h"
#include "tandem/actuation.h"
#include "tandem/closure.h"

td_status td_linear_idle(const td_model *model, td_workspace *workspace, const double *y,
                         bool motors, td_linear_directions *idle)
{
    const size_t n = td_nyd(model), all = td_idle_count(model), nu = td_nu(model);
    double *M_u = calloc(nu * n + 1, sizeof *M_u), *D = calloc(n * all + 1, sizeof *D);
    td_status status = M_u && D ? td_idle_directions(model, workspace, y, D) : TD_ERROR_MEMORY;
    if (status == TD_OK && motors)
        status = td_actuation_matrix(model, workspace, y, M_u);
    idle->count = 0;
    for (size_t k = 0; k < all && status == TD_OK; k++) {
        const td_idle_direction direction = td_idle_direction_at(model, k);
        bool moved = !motors && !direction.massless;
        for (size_t i = 0; motors && i < nu; i++) {
            double rate = 0, most = 0;
            for (size_t j = 0; j < n; j++) {
                rate += M_u[i * n + j] * D[j * all + k];
                most = fmax(most, fabs(M_u[i * n + j]));
            }
            moved = moved || fabs(rate) > 1e-9 * most;
        }
        if (moved)
            continue;
        for (size_t j = 0; j < n; j++)
            idle->direction[idle->count * n + j] = D[j * all + k];
        idle->entry[idle->count++] = direction.yd;
    }
    free(M_u);
    free(D);
    return status;
}

/* The states that remain: kept of n, in order, and T (kept × n). */
typedef struct rest {
    size_t n, kept;
    size_t *state;
    double *T;
} rest;

/* Fills the remaining states and T for 2 half states: positions, then velocities. */
static void fill_rest(const td_linear_directions *idle, size_t half, rest *r)
{
    for (size_t i = 0; i < r->n; i++) {
        bool left = false;
        for (size_t k = 0; k < idle->count; k++)
            left = left || idle->entry[k] == i % half;
        if (left)
            continue;
        double *row = r->T + r->kept * r->n;
        row[i] = 1;
        for (size_t k = 0; k < idle->count; k++)
            row[i / half * half + idle->entry[k]] -= idle->direction[k * half + i % half];
        r->state[r->kept++] = i;
    }
}

/* Copies the remaining columns of X (kept × n) to out. */
static void keep_columns(const rest *r, const double *X, double *out)
{
    for (size_t i = 0; i < r->kept; i++)
        for (size_t j = 0; j < r->kept; j++)
            out[i * r->kept + j] = X[i * r->n + r->state[j]];
}

/* Computes K and S (may be NULL) of all states from K and S of the others. product: n × n. */
static void restore(const rest *r, size_t m, const double *gain, const double *cost,
                    double *product, double *K, double *S)
{
    td_dense_product(m, r->kept, r->n, gain, r->T, K);
    if (!S)
        return;
    td_dense_product(r->kept, r->kept, r->n, cost, r->T, product);
    td_dense_transposed_product(r->n, r->kept, r->n, r->T, product, S);
}

td_status td_linear_regulator_beside(const td_linear_directions *idle, const td_linear_problem *p,
                                     double *K, double *S)
{
    const size_t n = p->n, m = p->m;
    if (!idle->count)
        return td_linear_regulator(n, m, p->A, p->B, p->Q, p->R, p->discrete, K, S);
    double *room = calloc(5 * n * n + 2 * n * m, sizeof *room);
    size_t *state = calloc(n, sizeof *state);
    td_status status = room && state ? TD_OK : TD_ERROR_MEMORY;
    if (status == TD_OK) {
        double *A = room + n * n, *Q = A + n * n, *cost = Q + n * n, *product = cost + n * n;
        double *B = product + n * n, *gain = B + n * m;
        rest r = {.n = n, .state = state, .T = room};
        fill_rest(idle, n / 2, &r);
        td_dense_product(r.kept, n, n, r.T, p->A, product);
        keep_columns(&r, product, A);
        td_dense_product(r.kept, n, m, r.T, p->B, B);
        for (size_t i = 0; i < r.kept; i++)
            for (size_t j = 0; j < r.kept; j++)
                Q[i * r.kept + j] = p->Q[state[i] * n + state[j]];
        status = td_linear_regulator(r.kept, m, A, B, Q, p->R, p->discrete, gain, cost);
        restore(&r, m, gain, cost, product, K, S);
    }
    free(room);
    free(state);
    return status;
}
