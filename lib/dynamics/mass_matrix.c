/* SPDX-License-Identifier: MIT */
/*
 * The mass matrix, its inverse, its factors, and linear systems solved with them.
 */
#include "dynamics/arguments.h"
#include "dynamics/operation_room.h"
#include "dynamics/operations.h"
#include "dynamics/workspace.h"

void td_op_mass_matrix(const td_eval *eval, const td_mass_matrix_arguments *a)
{
    td_eval_mass(eval, td_eval_position(eval, a->y), TD_FROM_POSITIONS, td_with_passive(a->forces),
                 &a->H);
}

/* Factors the mass matrix at y. Returns q of the tree. */
static const void *factor_mass(const td_eval *eval, const void *y, const td_forces *forces)
{
    const bool rotors = td_with_passive(forces);
    const void *q = td_eval_position(eval, y);
    td_eval_mass(eval, q, TD_FROM_POSITIONS, rotors, NULL);
    td_eval_factor(eval, NULL, rotors);
    return q;
}

void td_op_mass_matrix_factors(const td_eval *eval, const td_mass_matrix_factors_arguments *a)
{
    factor_mass(eval, a->y, a->forces);
}

void td_op_mass_matrix_inverse(const td_eval *eval, const td_mass_matrix_inverse_arguments *a)
{
    factor_mass(eval, a->y, a->forces);
    td_eval_invert(eval, &a->inverse);
}

void td_op_operational_inertia(const td_eval *eval, const td_operational_inertia_arguments *a)
{
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    const size_t n = td_eval_pattern(eval)->size;
    const td_link_point of = {(int)a->link, a->point, (int)a->frame};
    td_scope(s->stack, operational);
    char *J = td_operational_take(s->stack, eval->model, k);
    k->poses(eval->tree, s, factor_mass(eval, a->y, a->forces), of.link, false);
    td_reals *columns = td_eval_columns_storage(eval, J);
    k->jacobian(eval->tree, s, of.link, of.point, of.frame, columns);
    td_eval_times_G(eval, 6, J);
    const td_operational_terms terms = {columns, J, a->axes, a->mobility, a->inertia, a->J_inverse};
    k->operational_inertia(eval->tree, td_eval_pattern(eval), s, td_eval_matrix(eval), &of,
                           J + 6 * n * k->real_size, &terms);
}

/* ---- solving with given factors, for one state ----------------------------------------------- */

typedef struct solve_arguments {
    const double *factors;
    size_t columns;
    const td_reals *B;
    td_reals *X;
} solve_arguments;

/* Returns the first pivot, starting from the last coordinate, that is not positive, or −1. */
static double vanishing_pivot(const td_pattern *pattern, const double *factors)
{
    for (size_t k = pattern->size; k-- > 0;)
        if (!(factors[pattern->row[k] + (size_t)pattern->depth[k]] > 0))
            return (double)k;
    return -1;
}

static void op_factors_solve(const td_eval *eval, const void *arguments)
{
    const solve_arguments *a = arguments;
    const td_pattern *pattern = td_eval_pattern(eval);
    const double singular = vanishing_pivot(pattern, a->factors);
    const td_kernels *k = eval->kernels;
    k->spread(eval->scratch->singular, &singular, 1);
    k->copy(a->X, a->B, pattern->size * a->columns);
    if (a->columns == 1)
        k->solve(pattern, a->factors, a->X);
    else
        k->solve_many(pattern, eval->scratch, a->factors, a->columns, a->X);
}

td_status td_run_factors_solve(const td_site *site, const double *factors, size_t columns,
                               const double *B, double *X)
{
    solve_arguments a = {factors, columns, B, X};
    td_call call;
    if (!td_call_enter(&call, site, op_factors_solve, &a))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call_solve(&call, TD_ERROR_SINGULAR);
    td_call_matrices(&call, true);
    td_call_require(&call, factors || !n, "factors");
    td_call_share(&call, factors, td_site_entries(site));
    td_call_input(&call, &a, B, n * columns, true);
    td_call_output(&call, &a, X, n * columns, true);
    return td_call_run(site, &call);
}

/* ---- the pattern -------------------------------------------------------------------------------
 */

size_t td_packed_entries(const td_model *model, td_coordinates coordinates)
{
    if (!model)
        return 0;
    return coordinates == TD_COORDINATES_TREE ? model->tree.pattern.entries
                                              : model->closure.pattern.entries;
}

td_status td_packed_pattern(const td_model *model, td_workspace *workspace, size_t *rows,
                            size_t *columns)
{
    const td_status status = td_check_pair(model, workspace);
    if (status != TD_OK)
        return status;
    const td_pattern *pattern =
        td_site_pattern(TD_SINGLE(model, workspace, workspace->coordinates));
    const size_t n = pattern->size;
    for (size_t i = 0; rows && i < n; i++)
        rows[i] = pattern->row[i];
    if (rows)
        rows[n] = pattern->entries;
    for (size_t i = 0; columns && i < n; i++)
        for (int j = (int)i; j >= 0; j = pattern->parent[j])
            columns[pattern->row[i] + (size_t)pattern->depth[j]] = (size_t)j;
    return TD_OK;
}
