/* SPDX-License-Identifier: MIT */
/*
 * Examines M_u at a state: rank and conditioning. This is a separate file because it needs
 * LAPACK, which static programs may leave out.
 */
#include <math.h>
#include <string.h>

#include "base/jacobi.h"
#include "base/linalg.h"
#include "base/sized.h"
#include "dynamics/arguments.h"
#include "dynamics/workspace.h"
#include "tandem/closure.h"

typedef struct examination {
    size_t nv, nyd, nu, drivable;
    double *G, *M_u; /* row-major */
    /* M_u without the columns of undriven coordinates, column-major; later reused */
    double *reduced;
    double *value, *Vt; /* singular values; right singular vectors, rows */
} examination;

static void examination_take(examination *e, td_stack *stack)
{
    const size_t most = e->nv > e->nu ? e->nv : e->nu;
    e->G = td_take(stack, double, e->nv * e->nyd);
    e->M_u = td_take(stack, double, e->nu * e->nyd);
    e->reduced = td_take(stack, double, most * e->nyd);
    e->value = td_take(stack, double, e->drivable);
    e->Vt = td_take(stack, double, e->drivable * e->drivable);
}

/* Returns the condition number of G M_u⁺. G M_u⁺ = G V S⁻¹ Uᵀ has the singular values of G V
   S⁻¹. */
static double map_condition(const td_actuation_map *actuation, examination *e)
{
    const int *coordinate = actuation->drives.coordinate;
    double *product = e->reduced;
    for (size_t k = 0; k < e->drivable; k++)
        for (size_t i = 0; i < e->nv; i++) {
            double sum = 0;
            for (size_t j = 0; j < e->drivable; j++)
                sum += e->G[i * e->nyd + (size_t)coordinate[j]] * e->Vt[k + j * e->drivable];
            product[k * e->nv + i] = sum / e->value[k];
        }
    double smallest, largest;
    td_singular_values((int)e->nv, (int)e->drivable, product, &smallest, &largest);
    return smallest > 0 ? largest / smallest : INFINITY;
}

static double closure_condition(examination *e)
{
    double smallest, largest;
    for (size_t i = 0; i < e->nv; i++)
        for (size_t j = 0; j < e->nyd; j++)
            e->reduced[j * e->nv + i] = e->G[i * e->nyd + j];
    td_singular_values((int)e->nv, (int)e->nyd, e->reduced, &smallest, &largest);
    return smallest > 0 ? largest / smallest : e->nyd ? INFINITY : 1;
}

static td_status examine(const td_actuation_map *actuation, examination *e,
                         td_actuation_report *report, double *directions)
{
    const int *coordinate = actuation->drives.coordinate;
    size_t n = e->drivable, most = e->nu > n ? e->nu : n;
    /* at least as many rows as columns, so that there is one right singular vector per
       coordinate */
    memset(e->reduced, 0, most * n * sizeof *e->reduced);
    for (size_t i = 0; i < e->nu; i++)
        for (size_t j = 0; j < n; j++)
            e->reduced[j * most + i] = e->M_u[i * e->nyd + (size_t)coordinate[j]];
    if (!td_right_vectors((int)most, (int)n, e->reduced, e->value, e->Vt))
        return TD_ERROR_MEMORY;
    report->largest = n ? e->value[0] : 0;
    while (report->rank < n && e->value[report->rank] > 1e-10 * report->largest)
        report->rank++;
    report->smallest = n && report->rank == n ? e->value[n - 1] : 0;
    for (size_t k = report->rank; directions && k < n; k++) {
        double *row = directions + (k - report->rank) * e->nyd;
        memset(row, 0, e->nyd * sizeof *row);
        for (size_t j = 0; j < n; j++)
            row[coordinate[j]] = e->Vt[k + j * n];
    }
    report->map_condition = report->rank == n ? map_condition(actuation, e) : INFINITY;
    report->closure_condition = closure_condition(e);
    if (report->rank == n)
        return TD_OK;
    return e->nu < n ? TD_ERROR_UNDERACTUATED : TD_ERROR_ACTUATION_SINGULAR;
}

static td_status examine_at(const td_model *model, td_workspace *workspace, const double *y,
                            td_actuation_report *report, double *directions)
{
    examination e = {model->tree.nv,
                     model->closure.nyd,
                     model->actuation.nu,
                     workspace->eval.actuation->drivable,
                     NULL,
                     NULL,
                     NULL,
                     NULL,
                     NULL};
    report->drivable = e.drivable;
    td_stack stack = {0};
    if (!td_take_twice(&stack, examination_take(&e, &stack)))
        return report->status = TD_ERROR_MEMORY;
    report->status = td_closure_jacobian(model, workspace, y, e.G);
    if (report->status == TD_OK)
        report->status = td_actuation_matrix(model, workspace, y, e.M_u);
    if (report->status == TD_OK)
        report->status = examine(workspace->eval.actuation, &e, report, directions);
    td_stack_end(&stack);
    return report->status;
}

td_status td_actuation_examine(const td_model *model, td_workspace *workspace, const double *y,
                               td_actuation_report *report, double *directions)
{
    td_status pair = td_check_pair(model, workspace);
    if (pair != TD_OK)
        return pair;
    if (!report || !td_size_is_valid(report->size_of))
        return td_refuse(workspace, "report");
    if (!y && td_motors_change(model))
        return td_refuse(workspace, "y");
    td_actuation_report ours = {.status = TD_OK};
    examine_at(model, workspace, y, &ours, directions);
    td_sized_write(report, report->size_of, &ours, sizeof ours);
    return ours.status;
}
