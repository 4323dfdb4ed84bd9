/* SPDX-License-Identifier: MIT */
/*
 * All groups of loops of a state: γ, G and what became of them; Ġ, where W follows from the
 * implicit-function theorem, Ẇ = −J_x⁺ (J̇_x W + J̇_y); and φ, K and K̇ q̇ in the coordinates of the
 * tree.
 */
#include "kernel/algebra/least_squares.h"
#include "kernel/loops/closed_form.h"
#include "kernel/loops/follow.h"
#include "kernel/loops/function.h"
#include "kernel/loops/outcome.h"
#include "kernel/loops/relax.h"

/* ---- γ and G --------------------------------------------------------------------------------- */

/* outcomes of nothing yet, and what of G does not change */
static void loop_begin(const td_loops *loops, const td_csr *G, const td_scratch *s)
{
    real *outcome = s->outcome;
    for (int k = 0; k < TD_OUTCOMES; k++)
        outcome[k] = splat(k == TD_OUTCOME_LOOP ? -1 : 0);
    spread(s->G, loops->constant, (size_t)G->row[G->rows]);
}

/* whether the functions of the user's close the loops that they stand for */
static void judge_functions(loop_problem *p)
{
    for (size_t n = p->loops->solved; n < p->loops->count; n++) {
        p->g = &p->loops->group[n];
        if (!p->g->registered)
            continue;
        p->r = loop_scratch_of(p->g, p->s);
        p->evaluations = 1;
        loop_measure(p);
        loop_judge(p, splat(0), splat(0));
    }
}

static void tangent(const td_tree *tree, const td_loops *loops, const td_csr *M,
                    const double *offset, const td_csr *rate, const td_csr *G, const td_scratch *s)
{
    loop_problem p = {.tree = tree, .loops = loops, .M = M, .offset = offset, .rate = rate, .s = s};
    loop_begin(loops, G, s);
    for (size_t n = 0; n < loops->solved; n++) {
        p.g = &loops->group[n];
        if (p.g->function) {
            function_close(p.g, s, NULL);
            continue;
        }
        p.r = loop_scratch_of(p.g, s);
        p.evaluations = 0;
        loop_evaluate(&p);
        loop_judge(&p, splat(0), splat(1));
        loop_fill(p.g, p.r.W, s->G);
    }
    judge_functions(&p);
}

static void close_loops(const td_tree *tree, const td_loops *loops, const td_csr *M,
                        const double *offset, const td_csr *rate, const td_csr *G,
                        const td_scratch *s, const td_reals *y)
{
    loop_problem p = {.tree = tree,
                      .loops = loops,
                      .M = M,
                      .offset = offset,
                      .rate = rate,
                      .s = s,
                      .y = y,
                      .start = s->start};
    loop_begin(loops, G, s);
    for (size_t n = 0; n < loops->solved; n++) {
        p.g = &loops->group[n];
        if (p.g->function) {
            function_close(p.g, s, y);
            continue;
        }
        p.r = loop_scratch_of(p.g, s);
        p.evaluations = 0;
        closed_form form = closed_form_of(p.g);
        real reached;
        real failed = form ? loop_compute(&p, form, &reached) : loop_follow(&p, &reached);
        for (int k = 0; k < TD_POLISH; k++) {
            move_on(&p, splat(1), p.r.step);
            loop_evaluate(&p);
        }
        if (any_lane_below(-failed, -0.5))
            loop_relax(&p, failed);
        loop_judge(&p, failed, reached);
        loop_fill(p.g, p.r.W, s->G);
    }
    judge_functions(&p);
}

/* ---- rates ----------------------------------------------------------------------------------- */

static void close_rates(const td_tree *tree, const td_loops *loops, const td_csr *rate,
                        const td_csr *G, const td_scratch *s, const td_reals *qd)
{
    clear(s->G_rate, (size_t)G->row[G->rows]);
    for (size_t n = 0; n < loops->solved; n++) {
        const td_loop_group *g = &loops->group[n];
        if (g->function) {
            function_rates(g, s, qd);
            continue;
        }
        loop_scratch r = loop_scratch_of(g, s);
        size_t m = (size_t)g->rows, x = (size_t)g->dependents, y = (size_t)g->independents;
        real *Q = r.dependent, *J_rate = r.independent;
        loop_motions(tree, g, s, &r, qd);
        loop_row_rates(g, &r);
        real *own = r.dependent_rate;
        loop_jacobian(tree, loops, g, rate, s, &r, true, own, J_rate);
        for (size_t k = 0; k < y; k++) {
            for (size_t i = 0; i < x; i++)
                for (size_t j = 0; j < m; j++)
                    J_rate[k * m + j] += own[i * m + j] * r.W[i * y + k];
            solve_columns(m, x, Q, r.R, J_rate + k * m, r.W_rate + k, y);
        }
        loop_fill(g, r.W_rate, s->G_rate);
    }
}

static void loop_columns(const td_tree *tree, const td_loops *loops, size_t group,
                         const td_csr *rate, const td_scratch *s, td_reals *columns)
{
    const td_loop_group *g = &loops->group[group];
    loop_scratch r = loop_scratch_of(g, s);
    real *column = columns;
    loop_jacobian(tree, loops, g, rate, s, &r, false, column, r.independent);
    for (size_t k = 0; k < (size_t)g->dependents; k++)
        for (size_t i = 0; i < (size_t)g->rows; i++)
            column[k * (size_t)g->rows + i] *= g->unit[k];
}

static void loop_turns(const td_loops *loops, const td_scratch *s, td_reals *out)
{
    real worst = splat(0), *turned = out;
    for (size_t n = 0; n < loops->count; n++) {
        const td_loop_group *g = &loops->group[n];
        if (g->function)
            continue;
        loop_scratch r = loop_scratch_of(g, s);
        for (int l = 0; l < g->loops; l++)
            worst = larger_of(worst, loop_turned(&g->loop[l], &r));
    }
    *turned = worst;
}

/* ---- constraints of the tree ----------------------------------------------------------------- */

static void constraints(const td_tree *tree, const td_loops *loops, const td_scratch *s,
                        const td_reals *q, const td_reals *qd, td_reals *phi, td_reals *K,
                        td_reals *drift)
{
    real *values = phi, *matrix = K, *rate = drift;
    for (size_t n = 0; n < loops->count; n++) {
        const td_loop_group *g = &loops->group[n];
        size_t first = (size_t)g->constraint;
        if (g->function) {
            function_constraints(g, s, tree->nv, q, qd, values + first, matrix + first * tree->nv,
                                 qd ? rate + first : NULL);
            continue;
        }
        loop_scratch r = loop_scratch_of(g, s);
        loop_poses(tree, g, s, &r, q);
        loop_rows(g, &r);
        copy(values + first, r.phi, (size_t)g->rows);
        clear(matrix + first * tree->nv, (size_t)g->rows * tree->nv);
        if (qd) {
            clear(rate + first, (size_t)g->rows);
            loop_motions(tree, g, s, &r, qd);
            loop_row_rates(g, &r);
        }
        for (int k = 0; k < g->columns; k++) {
            const td_loop_column *c = &g->column[k];
            const td_loop_joint *loop = &g->loop[c->loop];
            loop_ends e = ends_of(loop, &r);
            spatial S = loop_column(tree, g, s, &r, c, e.point), S_rate = S;
            if (qd)
                S_rate =
                    loop_column_rate(tree, g, s, &r, c, e.point, loop_point_velocity(loop, &r, &e));
            for (int i = loop->first; i < loop->first + loop->rows; i++) {
                size_t row = first + (size_t)i;
                matrix[row * tree->nv + (size_t)c->velocity] +=
                    c->sign * spatial_dot(r.wrench[i], S);
                if (qd)
                    rate[row] +=
                        (c->sign * ((const real *)qd)[c->velocity]) *
                        (spatial_dot(r.wrench_rate[i], S) + spatial_dot(r.wrench[i], S_rate));
            }
        }
    }
}
