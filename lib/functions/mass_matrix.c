/* SPDX-License-Identifier: MIT */
/*
 * The mass matrix in its forms, its inverse, its factors, and equations solved by these.
 */
#include "call/workspace.h"
#include "functions/arguments.h"
#include "functions/operations.h"

void td_op_mass_matrix(const td_eval *eval, const void *const *in, void *const *out,
                       const void *context)
{
    const td_arguments *with = context;
    (void)out;
    td_eval_mass(eval, td_eval_position(eval, in[0]), TD_FROM_POSITIONS,
                 td_with_passive(with->forces), 0);
}

void td_op_mass_matrix_update(const td_eval *eval, const void *const *in, void *const *out,
                              const void *context)
{
    td_op_mass_matrix(eval, in, out, context);
}

void td_op_mass_matrix_packed(const td_eval *eval, const void *const *in, void *const *out,
                              const void *context)
{
    const td_arguments *with = context;
    (void)out;
    td_eval_mass(eval, td_eval_position(eval, in[0]), TD_FROM_POSITIONS,
                 td_with_passive(with->forces), TD_NO_OUTPUT);
}

/* returns q of the tree */
static const void *factor_mass(const td_eval *eval, const void *y, const td_arguments *with)
{
    const bool rotors = td_with_passive(with->forces);
    const void *q = td_eval_position(eval, y);
    td_eval_mass(eval, q, TD_FROM_POSITIONS, rotors, TD_NO_OUTPUT);
    td_eval_factor(eval, NULL, rotors);
    return q;
}

void td_op_mass_matrix_factors(const td_eval *eval, const void *const *in, void *const *out,
                               const void *context)
{
    (void)out;
    factor_mass(eval, in[0], context);
}

void td_op_mass_matrix_inverse(const td_eval *eval, const void *const *in, void *const *out,
                               const void *context)
{
    factor_mass(eval, in[0], context);
    eval->kernels->invert(td_eval_pattern(eval), eval->scratch, td_eval_matrix(eval), out[0]);
}

/* J of a link, and H⁻¹ of its rows, where they are no outputs */
td_reals *td_operational_take(td_stack *stack, const td_model *model, const td_kernels *k)
{
    return td_take_reals(stack, k, 12 * model->tree.nv);
}

void td_op_operational_inertia(const td_eval *eval, const void *const *in, void *const *out,
                               const void *context)
{
    const td_arguments *with = context;
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    const size_t n = td_eval_pattern(eval)->size;
    const int link = (int)with->link;
    td_scope(s->stack, operational);
    char *J = td_operational_take(s->stack, eval->model, k);
    k->poses(eval->tree, s, factor_mass(eval, in[0], with), link, false);
    k->jacobian(eval->tree, s, link, with->point, (int)with->frame,
                td_eval_columns_storage(eval, J));
    td_eval_times_G(eval, 6, J);
    k->operational_inertia(eval->tree, td_eval_pattern(eval), s, td_eval_matrix(eval), link,
                           with->point, with->axes, J, J + 6 * n * k->real_size, out[0], out[1],
                           out[2]);
}

/* where td_factored_solve finds the factors of one state */
static const void *factors_of(const td_site *site)
{
    const td_workspace *w = site->workspace;
    td_eval eval = {site->model, w->tree,     w->closure, w->actuation, NULL,
                    &w->single,  site->space, NULL,       NULL};
    return td_eval_matrix(&eval);
}

static void op_solve(const td_eval *eval, const void *const *in, void *const *out,
                     const void *context)
{
    factor_mass(eval, in[0], context);
    eval->kernels->copy(out[0], in[1], td_eval_pattern(eval)->size);
    eval->kernels->solve(td_eval_pattern(eval), td_eval_matrix(eval), out[0]);
}

td_status td_run_mass_matrix_solve(const td_site *site, const double *y, const double *b,
                                   const td_forces *forces, double *x)
{
    const size_t n = td_site_velocities(site);
    td_arguments with;
    td_call call;
    td_call_begin(&call, op_solve, &with);
    td_call_solve(&call, TD_ERROR_SINGULAR);
    td_call_matrices(&call, true);
    td_call_positions(&call, site, y, true);
    td_call_input(&call, b, n, true);
    td_call_passive(&call, &with, forces);
    td_call_output(&call, x, n, true);
    td_status status = td_call_run(site, &call);
    if (status == TD_OK && !site->batch)
        site->workspace->factors = factors_of(site);
    return status;
}

/* ---- with given matrices, of one state ---------------------------------------------------------
 */

typedef struct td_given_matrix {
    const double *entries;
    size_t columns;
} td_given_matrix;

/* the first pivot, of those from the last coordinate on, that is not positive; −1: all are */
static double vanishing_pivot(const td_pattern *pattern, const double *factors)
{
    for (size_t k = pattern->size; k-- > 0;)
        if (!(factors[pattern->row[k] + (size_t)pattern->depth[k]] > 0))
            return (double)k;
    return -1;
}

/* X = H⁻¹ B */
static void solve_with(const td_eval *eval, const void *factors, size_t columns, const void *B,
                       void *X)
{
    const td_kernels *k = eval->kernels;
    const td_pattern *pattern = td_eval_pattern(eval);
    k->copy(X, B, pattern->size * columns);
    if (columns == 1)
        k->solve(pattern, factors, X);
    else
        k->solve_many(pattern, eval->scratch, factors, columns, X);
}

static void op_factors_solve(const td_eval *eval, const void *const *in, void *const *out,
                             const void *context)
{
    const td_given_matrix *with = context;
    const td_pattern *pattern = td_eval_pattern(eval);
    const double singular = vanishing_pivot(pattern, with->entries);
    eval->kernels->spread(eval->scratch->singular, &singular, 1);
    solve_with(eval, with->entries, with->columns, in[0], out[0]);
}

td_status td_run_factors_solve(const td_site *site, const double *factors, size_t columns,
                               const double *B, double *X)
{
    const size_t n = td_site_velocities(site);
    const td_given_matrix with = {factors, columns};
    td_call call;
    td_call_begin(&call, op_factors_solve, &with);
    td_call_solve(&call, TD_ERROR_SINGULAR);
    td_call_matrices(&call, true);
    td_call_require(&call, factors || !n, "factors");
    td_call_share(&call, factors, td_site_entries(site));
    td_call_input(&call, B, n * columns, true);
    td_call_output(&call, X, n * columns, true);
    return td_call_run(site, &call);
}

static void op_packed_multiply(const td_eval *eval, const void *const *in, void *const *out,
                               const void *context)
{
    const td_given_matrix *with = context;
    eval->kernels->multiply_many(td_eval_pattern(eval), eval->scratch, with->entries, with->columns,
                                 in[0], out[0]);
}

td_status td_run_packed_multiply(const td_site *site, const double *packed, size_t columns,
                                 const double *B, double *X)
{
    const size_t n = td_site_velocities(site);
    const td_given_matrix with = {packed, columns};
    td_call call;
    td_call_begin(&call, op_packed_multiply, &with);
    td_call_matrices(&call, true);
    td_call_require(&call, packed || !n, "packed");
    td_call_share(&call, packed, td_site_entries(site));
    td_call_input(&call, B, n * columns, true);
    td_call_output(&call, X, n * columns, true);
    return td_call_run(site, &call);
}

/* ---- with those of the call before -------------------------------------------------------------
 */

static void op_factored_solve(const td_eval *eval, const void *const *in, void *const *out,
                              const void *context)
{
    (void)context;
    solve_with(eval, td_eval_matrix(eval), 1, in[0], out[0]);
}

td_status td_run_factored_solve(const td_site *site, const double *b, double *x)
{
    size_t n = td_site_velocities(site);
    td_call call;
    td_status status = td_check_pair(site->model, site->workspace);
    if (status != TD_OK)
        return status;
    const void *factors = site->workspace->factors;
    td_call_begin(&call, op_factored_solve, NULL);
    td_call_matrices(&call, true);
    td_call_require(&call, factors == factors_of(site), "workspace");
    td_call_input(&call, b, n, true);
    td_call_output(&call, x, n, true);
    status = td_call_run(site, &call);
    site->workspace->factors = factors; /* they stay */
    return status;
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
