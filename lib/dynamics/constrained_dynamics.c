/* SPDX-License-Identifier: MIT */
/*
 * Motion of the tree under the implicit constraints. It uses the closure at q
 * (kernel/loops/held.c), or multipliers with H⁻¹ if the closure is ill-conditioned there. Also
 * projects positions and velocities.
 */
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/sized.h"
#include "dynamics/changes.h"
#include "dynamics/configuration.h"
#include "dynamics/constrained.h"
#include "dynamics/operations.h"
#include "tandem/constraint.h"

/* Factors H of the tree at q, from its poses. `rotors`: includes rotor inertias. */
static void factor_mass(const td_eval *eval, const void *q, bool rotors)
{
    td_eval_mass(eval, q, TD_FROM_POSES, rotors, NULL);
    td_eval_factor(eval, NULL, rotors);
}

void td_free_acceleration(const td_eval *eval, const void *q, const void *qd, const void *qdd,
                          const td_forces *forces, const void *tau, void *out)
{
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    const td_tree *tree = eval->tree;
    k->poses(tree, s, q, TD_EVERY_LINK, true);
    td_eval_tree_force(eval, q, qd, qdd, forces, true, s->tau);
    factor_mass(eval, q, td_with_passive(forces));
    k->copy(out, tau ? tau : s->zeros, tree->nv);
    k->subtract_from(out, s->tau, tree->nv);
    k->solve(&tree->pattern, s->mass, out);
}

void td_constrain(const td_eval *eval, const void *wanted, void *qdd, void *lambda)
{
    const td_scratch *s = eval->scratch;
    const td_closure_map *closure = eval->closure;
    eval->kernels->constrain(&eval->tree->pattern, s, closure->rows, closure->row_rounding, wanted,
                             qdd, lambda);
}

/* Uses the closure at q: q̈ = G ÿ + g, with ÿ from Gᵀ τ. λ follows from τ_c = H q̈ + C − τ. The
   outcome reports an ill-conditioned G. */
void td_op_held(const td_eval *eval, const void *arguments)
{
    const td_constrained_arguments *a = arguments;
    const td_closure_map *closure = eval->closure;
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    const td_tree *tree = eval->tree;
    const size_t nv = tree->nv;
    const void *q = a->q, *qd = a->qd ? a->qd : s->zeros, *tau = a->tau ? a->tau : s->zeros;
    const td_constraint_options *o = &a->options;
    td_motion_inputs at = {.q = q, .qd = qd};
    td_eval reduced = *eval;
    reduced.space = TD_COORDINATES_INDEPENDENT;
    if (closure->identity) {
        k->copy(s->tau_y, tau, nv);
        td_eval_accelerations(&reduced, a->forces, NULL, &at, s->tau_y, a->qdd);
        if (a->lambda) /* every loop is implied */
            k->clear(a->lambda, closure->rows);
        return;
    }
    k->held_tangent(tree, closure, s, q, qd, o->alpha, o->beta);
    k->transposed(&closure->velocity, s->G, tau, s->tau_y);
    at.qdd = s->g;
    td_eval_accelerations(&reduced, a->forces, NULL, &at, s->tau_y, s->rest);
    k->rates(&closure->velocity, s->G, s->rest, a->qdd);
    k->add_to(a->qdd, s->g, nv);
    k->held_judge(tree, &closure->loops, s, a->qdd);
    if (!a->lambda)
        return;
    td_eval_tree_force(eval, q, qd, a->qdd, a->forces, false, s->tau);
    k->subtract_from(s->tau, tau, nv);
    k->multipliers(tree, closure, s, s->tau, a->lambda);
}

/* Uses multipliers, with K H⁻¹ Kᵀ. This works for every K, also near dead points of y. */
static void op_schur(const td_eval *eval, const void *arguments)
{
    const td_constrained_arguments *a = arguments;
    const td_model *model = eval->model;
    const td_scratch *s = eval->scratch;
    const void *qd = a->qd ? a->qd : s->zeros;
    td_free_acceleration(eval, a->q, qd, s->zeros, a->forces, a->tau, a->qdd);
    if (!model->closure.rows)
        return;
    td_eval_constraints(eval, a->q, qd);
    eval->kernels->stabilize(model->closure.rows, model->tree.nv, s, qd, a->options.alpha,
                             a->options.beta);
    td_constrain(eval, s->drift, a->qdd, a->lambda);
}

/* Inputs and outputs of constrained forward dynamics, beginning at a row of a batch. */
typedef struct constrained_motion {
    size_t row;
    const double *q, *qd, *tau;
    const td_forces *forces; /* for all rows */
    const td_constraint_options *options;
    double *qdd, *lambda;
} constrained_motion;

static td_status run_constrained(const td_site *site, td_operation operation,
                                 const constrained_motion *m)
{
    const td_site in_y = {site->model, site->workspace, TD_COORDINATES_INDEPENDENT,
                          site->batch, site->n,         site->statuses};
    const size_t n = td_site_velocities(site);
    td_constrained_arguments a = {
        m->q, m->qd, m->tau, m->forces, td_constraint_options_default(), m->qdd, m->lambda};
    td_call call;
    td_call_begin(&call, operation, &a);
    td_call_matrices(&call, operation == op_schur || td_site_forward_matrices(&in_y));
    td_call_solve(&call, TD_ERROR_SINGULAR);
    call.balances = operation == td_op_held;
    td_call_positions(&call, site, &a, q, true);
    td_call_input(&call, &a, qd, n, false);
    td_call_input(&call, &a, tau, n, false);
    td_call_forces(&call, site, &a.forces);
    if (call.wrenches)
        call.wrenches += m->row * call.wrench_stride;
    td_call_require(&call, !m->options || td_sized_read(&a.options, sizeof a.options, m->options),
                    "options");
    td_call_output(&call, &a, qdd, n, true);
    td_call_output(&call, &a, lambda, td_site_constraints(site), false);
    return td_call_run(site, &call);
}

bool td_is_held(const td_model *model)
{
    bool all = true;
    for (size_t n = 0; n < model->closure.loops.count; n++)
        all = all && !td_group_is_explicit(&model->closure.loops.group[n]) &&
              model->closure.loops.group[n].form != TD_FORM_COVERED;
    return all;
}

/* Runs one row, or a single state. */
static td_status run_one(const td_site *site, const constrained_motion *m)
{
    if (!td_is_held(site->model))
        return run_constrained(site, op_schur, m);
    const td_status status = run_constrained(site, td_op_held, m);
    return status == TD_ERROR_CLOSURE_SINGULAR ? run_constrained(site, op_schur, m) : status;
}

td_status td_constrained_forward_dynamics(const td_model *model, td_workspace *workspace,
                                          const double *q, const double *qd, const double *tau,
                                          const td_forces *forces,
                                          const td_constraint_options *options, double *qdd,
                                          double *lambda)
{
    const td_site *site = TD_SINGLE(model, workspace, TD_COORDINATES_TREE);
    const constrained_motion m = {0, q, qd, tau, forces, options, qdd, lambda};
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    return run_one(site, &m);
}

/* Returns the rows from i on. */
static constrained_motion rows_from(const td_model *model, const constrained_motion *m, size_t i)
{
    const size_t nq = model->tree.nq, nv = model->tree.nv, rows = model->closure.rows;
    constrained_motion rest = *m;
    rest.row = m->row + i;
    rest.q = m->q + i * nq;
    rest.qd = m->qd ? m->qd + i * nv : NULL;
    rest.tau = m->tau ? m->tau + i * nv : NULL;
    rest.qdd = m->qdd + i * nv;
    rest.lambda = m->lambda ? m->lambda + i * rows : NULL;
    return rest;
}

/* Runs rows of a batch with multipliers, one after the other: those whose G is ill-conditioned,
   or all of them (statuses may be NULL then). Returns the first status that is not TD_OK. */
static td_status run_rows(const td_site *site, const constrained_motion *m, bool all)
{
    td_status first = TD_OK;
    for (size_t i = 0; i < site->n && first != TD_ERROR_ARGUMENT; i++) {
        const constrained_motion row = rows_from(site->model, m, i);
        td_status status = all ? TD_OK : site->statuses[i];
        if (all || status == TD_ERROR_CLOSURE_SINGULAR)
            status = run_constrained(TD_SINGLE(site->model, site->workspace, TD_COORDINATES_TREE),
                                     op_schur, &row);
        if (site->statuses)
            site->statuses[i] = status;
        if (first == TD_OK)
            first = status;
    }
    return first;
}

/* Runs rows one after the other, each with its payloads. */
static td_status run_payloads(const td_site *site, const constrained_motion *m)
{
    td_workspace *w = site->workspace;
    td_status first = TD_OK;
    td_failure failure = TD_NO_FAILURE;
    if (site->n > w->changes.rows)
        return td_refuse(w, "n");
    td_changes_begin_rows(w);
    for (size_t i = 0; i < site->n && first != TD_ERROR_ARGUMENT; i++) {
        const constrained_motion row = rows_from(site->model, m, i);
        td_changes_use_row(w, i);
        const td_status status = run_one(TD_SINGLE(site->model, w, TD_COORDINATES_TREE), &row);
        if (site->statuses && status != TD_ERROR_ARGUMENT)
            site->statuses[i] = status;
        if (first == TD_OK && status != TD_OK) {
            first = status;
            failure = w->failure;
        }
    }
    td_changes_end_rows(w);
    w->failure = failure;
    return first;
}

/* Runs a batch in parts, if the caller does not request statuses. */
static td_status run_parts(const td_site *site, const constrained_motion *m)
{
    enum { PART = 64 };
    td_status first = TD_OK, each[PART];
    for (size_t i = 0; i < site->n; i += PART) {
        const constrained_motion part = rows_from(site->model, m, i);
        const size_t n = site->n - i < PART ? site->n - i : PART;
        const td_site *of_part =
            TD_BATCH(site->model, site->workspace, TD_COORDINATES_TREE, n, each);
        td_status status = run_constrained(of_part, td_op_held, &part);
        if (status != TD_OK)
            status = run_rows(of_part, &part, false);
        if (first == TD_OK)
            first = status;
    }
    return first;
}

td_status td_batch_constrained_forward_dynamics(const td_model *model, td_workspace *workspace,
                                                size_t n, const double *q, const double *qd,
                                                const double *tau, const td_forces *forces,
                                                const td_constraint_options *options, double *qdd,
                                                double *lambda, td_status *statuses)
{
    const td_site *site = TD_BATCH(model, workspace, TD_COORDINATES_TREE, n, statuses);
    const constrained_motion m = {0, q, qd, tau, forces, options, qdd, lambda};
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    if (n > 0 && td_changes_have_rows(workspace))
        return run_payloads(site, &m);
    if (n > 0 && !td_is_held(model))
        return run_rows(site, &m, true);
    const td_status first = run_constrained(site, td_op_held, &m);
    if (first == TD_OK || first == TD_ERROR_ARGUMENT || first == TD_ERROR_MATRICES)
        return first;
    return statuses ? run_rows(site, &m, false) : run_parts(site, &m);
}

void td_op_project_velocity(const td_eval *eval, const td_project_velocity_arguments *a)
{
    td_eval_poses(eval, a->q, TD_EVERY_LINK, true);
    factor_mass(eval, a->q, false);
    eval->kernels->copy(a->projected, a->qd, eval->tree->nv);
    if (!eval->closure->rows)
        return;
    td_eval_constraints(eval, a->q, NULL);
    td_constrain(eval, NULL, a->projected, a->impulse);
}

/* ---- projection of positions ----------------------------------------------------------------- */

typedef struct correction_arguments {
    const td_reals *q;
    td_reals *step;
} correction_arguments;

static void op_correction(const td_eval *eval, const void *arguments)
{
    const correction_arguments *a = arguments;
    const td_scratch *s = eval->scratch;
    td_eval_poses(eval, a->q, TD_EVERY_LINK, true);
    factor_mass(eval, a->q, false);
    td_eval_constraints(eval, a->q, NULL);
    eval->kernels->clear(a->step, eval->tree->nv);
    eval->kernels->clear(s->drift, eval->closure->rows);
    eval->kernels->subtract_from(s->drift, s->phi, eval->closure->rows);
    td_constrain(eval, s->drift, a->step, NULL);
}

/* Computes the Newton step (nv) at q and the largest |φ|. */
static td_status correction(const td_site *site, const double *q, double *step, double *largest)
{
    const td_model *model = site->model;
    const double *phi = site->workspace->single.phi;
    correction_arguments a = {q, step};
    td_call call;
    td_call_begin(&call, op_correction, &a);
    td_call_matrices(&call, true);
    td_call_solve(&call, TD_ERROR_SINGULAR);
    td_call_positions(&call, site, &a, q, true);
    td_call_output(&call, &a, step, model->tree.nv, true);
    td_status status = td_call_run(site, &call);
    *largest = 0;
    for (size_t i = 0; i < model->closure.rows; i++)
        *largest = fmax(*largest, fabs(phi[i]));
    return status;
}

/* Takes Newton steps in q, halved until φ decreases. Stops when a step reaches rounding errors,
   or when a small step no longer shrinks. */
static td_status project(const td_site *site, double *q, double *residual)
{
    enum { MOST_STEPS = 50, MOST_HALVES = 12 };
    td_workspace *w = site->workspace;
    double *step = w->correction, *trial = w->residual, before = INFINITY, least;
    td_status status = correction(site, q, step, &least);
    for (int n = 0; n < MOST_STEPS && status == TD_OK; n++) {
        double part = 1, reached = INFINITY;
        const double size = td_dense_largest(site->model->tree.nv, step);
        *residual = least;
        if (size < 1e-15 || (size < 1e-8 && size > before / 4)) {
            double turned;
            const td_model *model = site->model;
            model->single->loop_turns(&model->closure.loops, &w->single, &turned);
            *residual = fmax(least, turned);
            return *residual < 1e-9 ? TD_OK : TD_ERROR_ASSEMBLY;
        }
        before = size;
        memcpy(w->kept, step, site->model->tree.nv * sizeof *step);
        for (int k = 0; k < MOST_HALVES; k++, part /= 2) {
            td_move(site->model, TD_COORDINATES_TREE, q, w->kept, part, trial);
            status = correction(site, trial, step, &reached);
            if (status != TD_OK || reached < least || size < 1e-8)
                break;
        }
        if (status == TD_OK && !(reached < least) && size >= 1e-8)
            return TD_ERROR_ASSEMBLY;
        /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): a model with rows has joints */
        memcpy(q, trial, site->model->tree.nq * sizeof *q);
        least = reached;
    }
    return status == TD_OK ? TD_ERROR_ASSEMBLY : status;
}

td_status td_project_position(const td_model *model, td_workspace *workspace, const double *q,
                              double *projected, double *residual)
{
    td_status status = td_check_pair(model, workspace);
    if (status == TD_OK && !workspace->matrices)
        status = TD_ERROR_MATRICES;
    if (status != TD_OK)
        return status;
    if ((!q || !projected) && model->tree.nq)
        return td_refuse(workspace, q ? "projected" : "q");
    const td_site *site = TD_SINGLE(model, workspace, TD_COORDINATES_TREE);
    double least = (double)NAN;
    status = td_check_positions(model, TD_COORDINATES_TREE, q);
    if (status == TD_OK) {
        if (model->tree.nq)
            memmove(projected, q, model->tree.nq * sizeof *q);
        if (model->closure.rows)
            status = project(site, projected, &least);
        else
            least = 0;
    }
    if (status != TD_OK)
        td_dense_spoil(model->tree.nq, projected);
    if (residual)
        *residual = least;
    return status;
}
