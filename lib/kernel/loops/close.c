/* SPDX-License-Identifier: MIT */
/*
 * Kernels for all groups of loops of a state. Each group uses the functions of its form. They
 * compute γ, G and the outcome; Ġ; the derivatives along y; and φ, K and K̇ q̇ in coordinates of the
 * tree.
 */
#include <string.h>

#include "kernel/loops/forms.h"

/* ---- γ and G --------------------------------------------------------------------------------- */

static void tangent(const td_tree *tree, const td_closure_map *closure, const td_scratch *s)
{
    const td_loops *loops = &closure->loops;
    loop_problem p = {.tree = tree, .closure = closure, .s = s};
    loop_begin(closure, s);
    for (size_t n = 0; n < loops->count; n++) {
        p.g = &loops->group[n];
        functions_of(p.g)->tangent(&p);
    }
}

static void close_loops(const td_tree *tree, const td_closure_map *closure, const td_scratch *s,
                        const double *start, const td_reals *y)
{
    const td_loops *loops = &closure->loops;
    loop_problem p = {.tree = tree, .closure = closure, .s = s, .y = y, .start = start};
    loop_begin(closure, s);
    for (size_t n = 0; n < loops->count; n++) {
        p.g = &loops->group[n];
        functions_of(p.g)->solve(&p);
    }
}

static void close_rates(const td_tree *tree, const td_closure_map *closure, const td_scratch *s,
                        const td_reals *qd)
{
    const td_loops *loops = &closure->loops;
    const td_csr *G = &closure->velocity;
    loop_problem p = {.tree = tree, .closure = closure, .s = s};
    clear(s->G_rate, (size_t)G->row[G->rows]);
    for (size_t n = 0; n < loops->count; n++) {
        p.g = &loops->group[n];
        functions_of(p.g)->rate(&p, qd);
    }
}

static void follow_curves(const td_loops *loops, const td_scratch *s, const td_reals *y)
{
    const real *given = y;
    real *w = s->w;
    for (int i = 0; i < loops->runs; i++) {
        const td_run *run = &loops->run[i];
        memcpy(w + run->w, given + run->y, (size_t)run->count * sizeof *w);
    }
    for (size_t n = 0; n < loops->solved; n++)
        curves_follow(&loops->group[n], s);
}

static void drift_of_curves(const td_loops *loops, size_t nv, const td_scratch *s,
                            const td_reals *qd)
{
    clear(s->g, nv);
    for (size_t n = 0; n < loops->solved; n++)
        curves_drift(&loops->group[n], s, qd);
    for (size_t n = 0; n < loops->solved; n++)
        curves_accelerate(&loops->group[n], s, s->g);
}

static void add_drift_of_curves(const td_loops *loops, const td_scratch *s, td_reals *qdd)
{
    for (size_t n = 0; n < loops->solved; n++)
        curves_accelerate(&loops->group[n], s, qdd);
}

/* ---- derivatives along y --------------------------------------------------------------------- */

static void curvature_measure(const td_scratch_sizes *sizes, td_stack *stack)
{
    const size_t begin = stack->used;
    for (size_t n = 0; n < sizes->loops->solved; n++, stack->used = begin)
        if (sizes->loops->group[n].form == TD_FORM_FUNCTION)
            function_curvature_take(stack, &sizes->loops->group[n]);
        else if (sizes->loops->group[n].form == TD_FORM_CURVES)
            curves_curvature_take(stack, &sizes->loops->group[n]);
        else
            curvature_take(stack, sizes->tree, &sizes->loops->group[n]);
}

static void close_derivatives(const td_tree *tree, const td_closure_map *closure,
                              const td_scratch *s, const td_reals *qd, const td_reals *qdd)
{
    const td_loops *loops = &closure->loops;
    const td_csr *G = &closure->velocity;
    loop_problem p = {.tree = tree, .closure = closure, .s = s};
    const size_t entries = (size_t)G->row[G->rows];
    const real *along = s->velocity_y, *rates = s->G_rate;
    real *by_velocity = s->acceleration_yd;
    clear(s->velocity_y, entries);
    if (qdd)
        clear(s->acceleration_y, entries);
    for (size_t n = 0; n < loops->solved; n++) {
        p.g = &loops->group[n];
        functions_of(p.g)->derivatives(&p, qd, qdd);
    }
    for (size_t e = 0; e < entries; e++) /* ∂(Ġẏ)/∂ẏ */
        by_velocity[e] = along[e] + rates[e];
}

static void add_stiffness(const td_tree *tree, const td_closure_map *closure, const td_scratch *s,
                          const real *f, const stiffness_sum *sum)
{
    const td_loops *loops = &closure->loops;
    const td_csr *rate = &closure->rate;
    loop_problem p = {.tree = tree, .closure = closure, .s = s};
    real *of_w = s->force_w;
    clear(of_w, (size_t)rate->columns);
    for (int i = 0; i < rate->rows; i++)
        for (int e = rate->row[i]; e < rate->row[i + 1]; e++)
            of_w[rate->column[e]] += rate->value[e] * f[i];
    for (size_t n = 0; n < loops->solved; n++) {
        p.g = &loops->group[n];
        functions_of(p.g)->stiffness(&p, of_w, sum);
    }
}

static void close_stiffness(const td_tree *tree, const td_closure_map *closure, const td_scratch *s,
                            const td_reals *f, td_reals *X)
{
    const stiffness_sum sum = {.X = X, .n = (size_t)closure->velocity.columns};
    add_stiffness(tree, closure, s, f, &sum);
}

static void close_stiffness_times(const td_tree *tree, const td_closure_map *closure,
                                  const td_scratch *s, const td_reals *f, const td_reals *x,
                                  int transposed, td_reals *out)
{
    const stiffness_sum sum = {.x = x, .transposed = transposed, .product = out};
    add_stiffness(tree, closure, s, f, &sum);
}

/* ---- queries after solving ------------------------------------------------------------------- */

static void loop_columns(const td_tree *tree, const td_closure_map *closure, size_t group,
                         const td_scratch *s, td_reals *columns)
{
    const td_loop_group *g = &closure->loops.group[group];
    const loop_problem p = {.tree = tree, .closure = closure, .g = g, .s = s};
    loop_room r = s->loop[g->room];
    const size_t rows = (size_t)g->rows, dependents = (size_t)g->dependents;
    real *column = columns;
    loop_jacobian(&p, &r, false, column, column + dependents * rows);
    for (size_t k = 0; k < dependents + (size_t)g->independents; k++)
        for (size_t i = 0; i < rows; i++)
            column[k * rows + i] *= g->unit[k];
}

static void loop_turns(const td_loops *loops, const td_scratch *s, td_reals *out)
{
    real worst = splat(0), *turned = out;
    for (size_t n = 0; n < loops->count; n++) {
        const td_loop_group *g = &loops->group[n];
        loop_room r = s->loop[g->room];
        for (int l = 0; l < g->loops; l++)
            worst = larger_of(worst, loop_turned(&g->loop[l], &r));
    }
    *turned = worst;
}

static void curve(const td_curve_data *data, const td_reals *x, td_reals *value)
{
    const real *at = x;
    curve_evaluate(data, *at, 3, value);
}

/* ---- constraints of the tree ----------------------------------------------------------------- */

static void constraints(const td_tree *tree, const td_loops *loops, const td_scratch *s,
                        const td_reals *q, const td_reals *qd)
{
    loop_problem p = {.tree = tree, .s = s};
    for (size_t n = 0; n < loops->count; n++) {
        p.g = &loops->group[n];
        const size_t first = (size_t)p.g->constraint, rows = (size_t)p.g->rows;
        real *own = (real *)s->K + first * tree->nv;
        real *drifts = qd ? (real *)s->drift + first : NULL;
        clear(own, rows * tree->nv);
        if (qd)
            clear(drifts, rows);
        functions_of(p.g)->constraints(&p, q, qd, (real *)s->phi + first, own, drifts);
    }
}
