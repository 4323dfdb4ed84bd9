/* SPDX-License-Identifier: MIT */
/*
 * Derivatives of constrained motion of the tree, H q̈ + C = τ + Kᵀ λ and K q̈ = k. For a
 * direction of q, q̇ or τ, let e be the change of k − K q̈ and f the change of Kᵀ μ, both at
 * fixed q̈ and μ. Then
 *
 *   q̈' = G y + g,   K g = e,   (Gᵀ H G) y = Gᵀ (τ' − ∂τ_id + f − H g),
 *
 * where τ_id are the forces of inverse dynamics and μ the multipliers of the dependent
 * coordinates of solved loops. Then τ_c' = H q̈' + ∂τ_id − τ' gives λ'
 * (kernel/loops/held_change.c). Directions are processed one after the other.
 */
#include "base/sized.h"
#include "dynamics/constrained.h"
#include "dynamics/operation_room.h"
#include "dynamics/operations.h"

typedef enum direction_kind { ALONG_POSITION, ALONG_RATE, ALONG_FORCE, KINDS } direction_kind;

/* Derivatives along each kind of direction; NULL if not wanted. */
typedef struct derivative_arguments {
    td_constrained_arguments motion;
    td_reals *qdd_by[KINDS], *lambda_by[KINDS];
} derivative_arguments;

typedef struct motion {
    const td_eval *eval, *reduced; /* the call in tree and in independent coordinates */
    td_constrained_arguments a;    /* the same arguments, with no output NULL */
    td_constrained_room room;
} motion;

/* Prepares derivatives after the motion was computed: factors of Gᵀ H G, H of the tree, and μ. */
static void prepare(const motion *m)
{
    const td_eval *eval = m->eval;
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    const td_closure_map *closure = eval->closure;
    const td_forces *forces = m->a.forces;
    const bool rotors = td_with_passive(forces);
    k->poses(eval->tree, s, m->a.q, TD_EVERY_LINK, true);
    td_eval_mass(m->reduced, m->a.q, TD_FROM_POSES, rotors, NULL);
    td_eval_factor(m->reduced, NULL, rotors);
    if (closure->identity)
        return;
    td_eval_tree_force(eval, m->a.q, m->a.qd, m->a.qdd, forces, true, s->tau);
    k->subtract_from(s->tau, m->a.tau, eval->tree->nv);
    k->held_forces(closure, s, s->tau, m->room.mu);
    k->multiplier_factors(eval->tree, closure, s, m->room.factors);
}

/* Computes room.by_tau, room.force and room.e for a direction. */
static void change_terms(const motion *m, direction_kind kind, const td_reals *matrix, size_t j)
{
    const td_eval *eval = m->eval;
    const td_kernels *k = eval->kernels;
    const td_closure_map *closure = eval->closure;
    const td_constrained_room *r = &m->room;
    const td_constraint_options *o = &m->a.options;
    const size_t nv = eval->tree->nv;
    const double minus_one = -1;
    k->clear(r->force, nv);
    k->clear(r->e, closure->rows);
    k->clear(r->by_tau, nv);
    if (kind == ALONG_FORCE) {
        k->spread((char *)r->by_tau + j * k->real_size, &minus_one, 1);
        return;
    }
    k->take_column(matrix, nv, nv, j, r->by_tau);
    if (closure->identity)
        return;
    const td_held_direction along = {m->a.qd, m->a.qdd, o->alpha,
                                     o->beta, (int)j,   kind == ALONG_POSITION};
    k->held_change(eval->tree, closure, eval->scratch, &along, r->mu, r->e, r->force);
}

/* Computes room.out, which is q̈' for a direction. */
static void change_acceleration(const motion *m, direction_kind kind, size_t j)
{
    const td_eval *eval = m->eval;
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    const td_closure_map *closure = eval->closure;
    const td_constrained_room *r = &m->room;
    const td_constraint_options *o = &m->a.options;
    const size_t nv = eval->tree->nv;
    const td_pattern *pattern = td_eval_pattern(m->reduced);
    k->copy(r->rest, r->force, nv);
    k->subtract_from(r->rest, r->by_tau, nv);
    if (closure->identity) {
        k->copy(r->out, r->rest, nv);
        k->solve(pattern, td_eval_matrix(m->reduced), r->out);
        return;
    }
    k->clear(r->particular, nv);
    if (kind != ALONG_FORCE) {
        k->held_particular(eval->tree, closure, s, (int)j, o->alpha != 0 || o->beta != 0, r->e,
                           r->particular);
        k->multiply(&eval->tree->pattern, s->mass, r->particular, r->out);
        k->subtract_from(r->rest, r->out, nv);
    }
    k->transposed(&closure->velocity, s->G, r->rest, r->y);
    k->solve(pattern, td_eval_matrix(m->reduced), r->y);
    k->rates(&closure->velocity, s->G, r->y, r->out);
    k->add_to(r->out, r->particular, nv);
}

/* Computes room.lambda_change for a direction, from q̈' in room.out. */
static void change_multipliers(const motion *m, direction_kind kind, size_t j)
{
    const td_eval *eval = m->eval;
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    const td_constrained_room *r = &m->room;
    k->multiply(&eval->tree->pattern, s->mass, r->out, s->tau);
    k->add_to(s->tau, r->by_tau, eval->tree->nv);
    k->multiplier_change(eval->tree, eval->closure, s, r->factors,
                         kind == ALONG_POSITION ? (int)j : -1, m->a.lambda, r->lambda_change);
}

static void op_held_derivatives(const td_eval *eval, const void *arguments)
{
    const derivative_arguments *a = arguments;
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    const size_t nv = eval->tree->nv, rows = eval->closure->rows;
    td_eval reduced = *eval;
    reduced.space = TD_COORDINATES_INDEPENDENT;
    td_scope(s->stack, constrained);
    motion m = {eval, &reduced, a->motion, td_constrained_take(s->stack, eval->model, k)};
    m.a.qd = m.a.qd ? m.a.qd : s->zeros;
    m.a.tau = m.a.tau ? m.a.tau : s->zeros;
    m.a.qdd = m.a.qdd ? m.a.qdd : m.room.qdd;
    m.a.lambda = m.a.lambda ? m.a.lambda : m.room.lambda;
    if (!td_is_held(eval->model)) { /* this motion needs multipliers; see constraint.h */
        const double singular = 2;
        k->spread((char *)s->outcome + TD_OUTCOME_CODE * k->real_size, &singular, 1);
        return;
    }
    td_op_held(eval, &m.a);
    prepare(&m);
    const td_motion_inputs at = {.q = m.a.q, .qd = m.a.qd, .qdd = m.a.qdd};
    for (direction_kind kind = ALONG_POSITION; kind < KINDS; kind++) {
        void *of_qdd = a->qdd_by[kind], *of_lambda = rows ? a->lambda_by[kind] : NULL;
        /* each column is read before its result replaces it */
        void *matrix = of_qdd ? of_qdd : m.room.matrix;
        if (!of_qdd && !of_lambda)
            continue;
        if (kind != ALONG_FORCE)
            td_eval_force_derivatives(eval, &at, m.a.forces, NULL,
                                      kind == ALONG_POSITION ? matrix : NULL,
                                      kind == ALONG_RATE ? matrix : NULL, false);
        for (size_t j = 0; j < nv; j++) {
            change_terms(&m, kind, matrix, j);
            change_acceleration(&m, kind, j);
            if (of_lambda) {
                change_multipliers(&m, kind, j);
                k->put_column(m.room.lambda_change, rows, nv, j, of_lambda);
            }
            if (of_qdd)
                k->put_column(m.room.out, nv, nv, j, of_qdd);
        }
    }
}

td_status td_constrained_forward_dynamics_derivatives(
    const td_model *model, td_workspace *workspace, const double *q, const double *qd,
    const double *tau, const td_forces *forces, const td_constraint_options *options, double *qdd,
    double *lambda, double *dqdd_dq, double *dqdd_dqd, double *dqdd_dtau, double *dlambda_dq,
    double *dlambda_dqd, double *dlambda_dtau)
{
    const td_site *site = TD_SINGLE(model, workspace, TD_COORDINATES_TREE);
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site), rows = td_site_constraints(site);
    derivative_arguments a = {{q, qd, tau, forces, td_constraint_options_default(), qdd, lambda},
                              {dqdd_dq, dqdd_dqd, dqdd_dtau},
                              {dlambda_dq, dlambda_dqd, dlambda_dtau}};
    td_constraint_options *known_options = &a.motion.options;
    td_call call;
    td_call_begin(&call, op_held_derivatives, &a);
    td_call_matrices(&call, true);
    td_call_solve(&call, TD_ERROR_SINGULAR);
    call.balances = true;
    td_call_positions(&call, site, &a.motion, q, true);
    td_call_input(&call, &a.motion, qd, n, false);
    td_call_input(&call, &a.motion, tau, n, false);
    td_call_forces(&call, site, &a.motion.forces);
    td_call_require(&call, !options || td_sized_read(known_options, sizeof *known_options, options),
                    "options");
    td_call_output(&call, &a.motion, qdd, n, false);
    td_call_output(&call, &a.motion, lambda, rows, false);
    for (size_t k = 0; k < KINDS; k++)
        td_call_output(&call, &a, qdd_by[k], n * n, false);
    for (size_t k = 0; k < KINDS; k++)
        td_call_output(&call, &a, lambda_by[k], rows * n, false);
    return td_call_run(site, &call);
}
