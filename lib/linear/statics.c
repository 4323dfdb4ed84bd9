/* SPDX-License-Identifier: MIT */
/*
 * Computes the compliance of a link at rest, J K⁻¹ Jᵀ; see linearize.h.
 */
#include <math.h>
#include <string.h>

#include "base/coordinates.h"
#include "base/dense.h"
#include "base/lu.h"
#include "base/stack.h"
#include "tandem/closure.h"
#include "tandem/derivatives.h"
#include "tandem/kinematics.h"
#include "tandem/linearize.h"

typedef struct statics {
    size_t n, free;  /* number of coordinates; number of free ones, which are not held */
    size_t *index;   /* indices of the free coordinates */
    double *K, *J;   /* n × n, 6 × n */
    double *inner;   /* K of the free coordinates, then its factors */
    double *columns; /* Jᵀ of the free coordinates, free × 6, then K⁻¹ Jᵀ */
    double *rows;    /* J of the free coordinates, 6 × free */
    double *column;  /* max(n, 6): scratch */
    size_t *pivot;
} statics;

static void take(td_stack *stack, statics *s)
{
    s->index = td_take(stack, size_t, s->n);
    s->K = td_take(stack, double, s->n * s->n);
    s->J = td_take(stack, double, 6 * s->n);
    s->inner = td_take(stack, double, s->n * s->n);
    s->columns = td_take(stack, double, 6 * s->n);
    s->rows = td_take(stack, double, 6 * s->n);
    s->column = td_take(stack, double, s->n > 6 ? s->n : 6);
    s->pivot = td_take(stack, size_t, s->n > 6 ? s->n : 6);
}

/* Returns whether an entry of ẏ represents an idle direction, along which nothing resists: the
   rod stays where it is. */
static bool is_idle(const td_model *model, size_t i)
{
    for (size_t k = 0; k < td_idle_count(model); k++)
        if (td_idle_direction_at(model, k).yd == i)
            return true;
    return false;
}

/* Returns the scale of row and column i, 1/√(largest entry of the row). It makes the test for
   singularity independent of units and joint stiffness. */
static double unit_of(const statics *s, size_t i)
{
    double most = 0;
    for (size_t k = 0; k < s->free; k++)
        most = fmax(most, fabs(s->K[s->index[i] * s->n + s->index[k]]));
    return most > 0 ? 1 / sqrt(most) : 0;
}

/* Computes compliance = J K⁻¹ Jᵀ of the free coordinates. Returns false if K is singular. */
static bool comply(statics *s, double *compliance)
{
    const size_t n = s->n, f = s->free;
    for (size_t i = 0; i < f; i++) {
        const double unit = unit_of(s, i);
        for (size_t k = 0; k < f; k++)
            s->inner[i * f + k] = unit * s->K[s->index[i] * n + s->index[k]] * unit_of(s, k);
        for (size_t r = 0; r < 6; r++) {
            s->rows[r * f + i] = s->J[r * n + s->index[i]] * unit;
            s->columns[i * 6 + r] = s->rows[r * f + i];
        }
    }
    if (!td_lu_factor(f, s->inner, s->pivot))
        return false;
    for (size_t i = 0; i < f; i++) /* scaled entries are near 1, so a small pivot is rounding */
        if (fabs(s->inner[i * f + i]) < 1e-13)
            return false;
    td_dense_solve(f, 6, s->inner, s->pivot, s->columns, s->column);
    td_dense_product(6, f, 6, s->rows, s->columns, compliance);
    return true;
}

/* Inverts the compliance; NaN if it is singular to rounding. */
static void invert(const statics *s, const double *compliance, double *stiffness)
{
    double LU[36], unit[6];
    for (size_t i = 0; i < 6; i++)
        unit[i] = compliance[7 * i] != 0 ? 1 / sqrt(fabs(compliance[7 * i])) : 0;
    for (size_t i = 0; i < 36; i++) {
        LU[i] = unit[i / 6] * compliance[i] * unit[i % 6];
        stiffness[i] = i % 7 == 0 ? 1 : 0;
    }
    bool regular = td_lu_factor(6, LU, s->pivot);
    for (size_t i = 0; i < 6 && regular; i++)
        regular = fabs(LU[7 * i]) > 1e-12;
    if (!regular) {
        td_dense_spoil(36, stiffness);
        return;
    }
    td_dense_solve(6, 6, LU, s->pivot, stiffness, s->column);
    for (size_t i = 0; i < 36; i++)
        stiffness[i] *= unit[i / 6] * unit[i % 6];
}

static td_status find(const td_model *model, td_workspace *workspace, size_t link,
                      const double *point, const double *y, const td_forces *forces, statics *s)
{
    td_status status = td_inverse_dynamics_derivatives(model, workspace, y, NULL, NULL, forces,
                                                       s->column, s->K, NULL, NULL);
    if (status == TD_OK)
        status = td_link_jacobian(model, workspace, link, point, y, TD_FRAME_ALIGNED, s->J);
    return status != TD_OK || td_dense_finite(s->n * s->n, s->K) ? status : TD_ERROR_NOT_FINITE;
}

td_status td_link_compliance(const td_model *model, td_workspace *workspace, size_t link,
                             const double *point, const double *y, const td_forces *forces,
                             const unsigned char *held, double *K_y, double *compliance,
                             double *stiffness)
{
    if (!model)
        return TD_ERROR_ARGUMENT;
    statics s = {.n = td_nyd(model)};
    td_stack stack = {0};
    if (!td_take_twice(&stack, take(&stack, &s)))
        return TD_ERROR_MEMORY;
    for (size_t i = 0; i < s.n; i++)
        if ((!held || !held[i]) && !is_idle(model, i))
            s.index[s.free++] = i;
    double own[36];
    td_status status =
        TD_IN_INDEPENDENT(workspace, find(model, workspace, link, point, y, forces, &s));
    if (status == TD_OK && !comply(&s, own))
        status = TD_ERROR_STIFFNESS;
    const bool known = status == TD_OK || status == TD_ERROR_STIFFNESS;
    if (K_y && known)
        memcpy(K_y, s.K, s.n * s.n * sizeof *K_y);
    if (status != TD_OK) {
        td_dense_spoil(s.n * s.n, known ? NULL : K_y);
        td_dense_spoil(36, compliance);
        td_dense_spoil(36, stiffness);
    } else {
        if (compliance)
            memcpy(compliance, own, sizeof own);
        if (stiffness)
            invert(&s, own, stiffness);
    }
    td_stack_end(&stack);
    return status;
}
