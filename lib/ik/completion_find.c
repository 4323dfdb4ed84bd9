/* SPDX-License-Identifier: MIT */
/*
 * Computes all joints from measured ones. The residual is r(y) = (γ(y) − measured) at the
 * measured coordinates. It is minimized by the Gauss-Newton method in y, whose Jacobian has the
 * measured rows of G. Differences are taken on the manifold (td_difference), so quaternions
 * contribute three rows.
 *
 * Steps along loops are short. Two postures on either side of a dead point have the same
 * measured position, and a long step could land on the wrong side. At a dead point itself the
 * derivative is zero in some direction; a small displacement leaves it.
 */
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/linalg.h"
#include "ik/completion.h"
#include "tandem/closure.h"
#include "tandem/configuration.h"

enum { MOST_STEPS = 1000, MOST_CUTS = 10, NUDGES = 4 };

static const double nudge_size = 0.05; /* rad or m */
static const double whole_turn = 6.283185307179586;
/* Tolerances relative to q: rounding level, and sufficient accuracy. */
static const double precise = 1e-13, fine = 1e-9;

/* Computes q = γ(y) and the residual r. Closes partly dependent poses in y. */
td_status td_completion_look(td_completion *c, double *y, double *r)
{
    td_status status = td_closure(c->model, c->workspace, y, NULL, NULL, c->q, NULL, NULL);
    if (status == TD_OK && c->ny != c->n && td_loop_cluster_count(c->model) > 0)
        status = td_independent_coordinates(c->model, c->workspace, c->q, y, NULL);
    if (status != TD_OK)
        return status;
    for (size_t i = 0; i < c->nq; i++)
        c->aim[i] = c->given[i] ? c->measured[i] : c->q[i];
    td_difference(c->model, TD_COORDINATES_TREE, c->q, c->aim, c->way);
    for (size_t i = 0; i < c->rows; i++) {
        const double way = c->way[c->equation[i].qd];
        r[i] = c->equation[i].turning ? remainder(way, whole_turn) : way;
    }
    return TD_OK;
}

/* Factors A, the measured rows of G at y. Columns are scaled by the norms of G's columns, the
   motion of all joints along a coordinate. */
td_status td_completion_factor(td_completion *c, const double *y, double tolerance)
{
    const td_status status = td_closure_jacobian(c->model, c->workspace, y, c->G);
    if (status != TD_OK)
        return status;
    double longest = 0;
    for (size_t k = 0; k < c->n; k++) {
        double *a = c->A + k * c->rows, whole = 0;
        for (size_t i = 0; i < c->nv; i++)
            whole += c->G[i * c->n + k] * c->G[i * c->n + k];
        c->length[k] = whole > 0 ? sqrt(whole) : 1;
        for (size_t i = 0; i < c->rows; i++)
            a[i] = c->G[c->equation[i].qd * c->n + k] / c->length[k];
        longest = fmax(longest, td_dense_dot(c->rows, a, a));
    }
    c->rank = 0;
    if (longest > tolerance * tolerance)
        c->rank = (size_t)td_pivoted_qr((int)c->rows, (int)c->n, c->A, c->class_of,
                                        tolerance / sqrt(longest), c->R, c->column);
    for (size_t k = 0; k < c->n && c->rank == 0; k++)
        c->column[k] = (int)k;
    return TD_OK;
}

/* Minimizes |A x − b| with the factors; columns beyond the rank stay at 0. Overwrites b. */
void td_completion_solve(const td_completion *c, double *b, double *x)
{
    memset(x, 0, c->n * sizeof *x);
    for (size_t k = 0; k < c->rank; k++) { /* R x = Qᵀ b; removes each component along Q from b */
        const double *q = c->A + k * c->rows;
        const double sum = td_dense_dot(c->rows, q, b);
        for (size_t i = 0; i < c->rows; i++)
            b[i] -= sum * q[i];
        x[c->column[k]] = sum;
    }
    for (size_t k = c->rank; k-- > 0;) {
        const double *row = c->R + k * c->n;
        for (size_t l = k + 1; l < c->rank; l++)
            x[c->column[k]] -= row[l] * x[c->column[l]];
        x[c->column[k]] /= row[k];
    }
    for (size_t k = 0; k < c->n; k++)
        x[k] /= c->length[k];
}

/* Takes a descent step of |r|² from y. Returns false if no step reduces it. */
static bool descend(td_completion *c)
{
    memcpy(c->b, c->r, c->rows * sizeof *c->b);
    td_completion_solve(c, c->b, c->step);
    const double before = td_dense_dot(c->rows, c->r, c->r),
                 length = td_dense_largest(c->n, c->step);
    double along = 0; /* largest step of a coordinate along loops */
    for (size_t k = 0; k < c->n; k++)
        along = fmax(along, c->follows[k] ? fabs(c->step[k]) : 0);
    double part = along > td_completion_step ? td_completion_step / along : 1;
    for (int cut = 0; cut < MOST_CUTS && part * length > precise; cut++, part /= 4) {
        td_integrate(c->model, TD_COORDINATES_INDEPENDENT, c->y, c->step, part, c->moved);
        if (td_completion_look(c, c->moved, c->there) == TD_OK &&
            td_dense_dot(c->rows, c->there, c->there) < before) {
            memcpy(c->y, c->moved, c->ny * sizeof *c->y);
            memcpy(c->r, c->there, c->rows * sizeof *c->r);
            return true;
        }
        if (length < 1e-9) /* at rounding level */
            return false;
    }
    return false;
}

/* Descends from y to a minimum of |r|² and leaves q there. c->rank shows how singular it is. */
static td_status settle(td_completion *c)
{
    td_status status = td_completion_look(c, c->y, c->r);
    for (int i = 0; i < MOST_STEPS && status == TD_OK; i++) {
        if (td_dense_largest(c->rows, c->r) <= precise * (1 + td_dense_largest(c->nq, c->measured)))
            return TD_OK;
        status = td_completion_factor(c, c->y, td_completion_flat);
        if (status == TD_OK && !descend(c)) /* q belongs to a rejected step */
            return td_completion_look(c, c->y, c->r);
    }
    return status;
}

/* Moves y away from a dead point, alternating between both sides, in a direction that is not a
   coordinate axis. */
static void nudge(const td_completion *c, int k, const double *from, double *y)
{
    for (size_t i = 0; i < c->n; i++)
        c->step[i] = (k % 2 ? -nudge_size : nudge_size) * (k < 2 ? 1 : cos(3.0 * (double)i + 1));
    td_integrate(c->model, TD_COORDINATES_INDEPENDENT, from, c->step, 1, y);
}

/* Finds y and r for the measured values from c->y. A small random displacement may lead away from a
   dead point or a local minimum. */
td_status td_completion_find(td_completion *c)
{
    td_status status = settle(c);
    const double stuck = status == TD_OK ? td_dense_largest(c->rows, c->r) : 0;
    if (stuck <= fine || (c->rank == c->n && stuck <= c->tolerance))
        return status;
    double best = stuck;
    memcpy(c->stuck, c->y, c->ny * sizeof *c->y);
    memcpy(c->best, c->y, c->ny * sizeof *c->y);
    for (int k = 0; k < NUDGES && best > fine && best > 0.01 * stuck; k++) {
        nudge(c, k, c->stuck, c->y);
        if (settle(c) == TD_OK && td_dense_largest(c->rows, c->r) < best) {
            best = td_dense_largest(c->rows, c->r);
            memcpy(c->best, c->y, c->ny * sizeof *c->y);
        }
    }
    memcpy(c->y, c->best, c->ny * sizeof *c->y);
    return td_completion_look(c, c->y, c->r);
}

/* Does the same, starting from the last y. First tries the extrapolated y, which passes dead points
   at which the motion has stopped. */
td_status td_completion_find_onwards(td_completion *c)
{
    if (td_dense_largest(c->n, c->pace) > 0) {
        td_integrate(c->model, TD_COORDINATES_INDEPENDENT, c->last, c->pace, 1, c->y);
        if (settle(c) == TD_OK && td_dense_largest(c->rows, c->r) <= fine)
            return TD_OK;
        td_closure_recall(c->model, c->workspace, c->found ? c->memory : NULL);
    }
    memcpy(c->y, c->last, c->ny * sizeof *c->y);
    return td_completion_find(c);
}
