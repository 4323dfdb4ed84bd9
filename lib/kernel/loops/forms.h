/* SPDX-License-Identifier: MIT */
/*
 * The forms of groups: how each form closes its loops. A form is a row of TD_GROUP_FORMS and the
 * functions named after it. A closed form defines only solve; the other functions are from
 * implicit.h.
 */
#ifndef TD_FORMS_H
#define TD_FORMS_H

#include "kernel/loops/closed_form.h"
#include "kernel/loops/curvature.h"
#include "kernel/loops/curves.h"
#include "kernel/loops/four_bar.h"
#include "kernel/loops/function_curvature.h"
#include "kernel/loops/implicit.h"
#include "kernel/loops/slider.h"

typedef struct group_functions {
    /* y and the start → w, the group's part of G, and the outcome */
    void (*solve)(loop_problem *p);
    /* w of a closed state → G and the outcome */
    void (*tangent)(loop_problem *p);
    /* after solve or tangent: q̇ → Ġ */
    void (*rate)(const loop_problem *p, const real *qd);
    /* after rate: q̇ and q̈ (NULL: not wanted) → the group's part of ∂(Gẏ)/∂y and ∂(Gÿ + g)/∂y */
    void (*derivatives)(const loop_problem *p, const real *qd, const real *qdd);
    /* after solve or tangent: adds ∂(Gᵀ f)/∂y, with f in velocities of w */
    void (*stiffness)(const loop_problem *p, const real *f, const stiffness_sum *sum);
    /* q → φ, K and, if qd is not NULL, K̇ q̇ of the group's rows; K and K̇ q̇ are zero on entry */
    void (*constraints)(const loop_problem *p, const real *q, const real *qd, real *phi, real *K,
                        real *drift);
} group_functions;

/* ---- by continuation or closed forms --------------------------------------------------------- */

static real slider_search(loop_problem *p, real *reached)
{
    return loop_compute(p, slider_form, reached);
}

static real four_bar_search(loop_problem *p, real *reached)
{
    return loop_compute(p, four_bar_form, reached);
}

/* Defines a form that differs from others only in how it finds w. */
#define IMPLICIT_FORM(name, search)                                                                \
    static void name##_solve(loop_problem *p)                                                      \
    {                                                                                              \
        implicit_solve(p, search);                                                                 \
    }                                                                                              \
    static const group_functions name##_functions = {                                              \
        .solve = name##_solve,                                                                     \
        .tangent = implicit_tangent,                                                               \
        .rate = implicit_rate,                                                                     \
        .derivatives = implicit_derivatives,                                                       \
        .stiffness = implicit_stiffness,                                                           \
        .constraints = implicit_constraints,                                                       \
    };
IMPLICIT_FORM(followed, loop_follow)
IMPLICIT_FORM(slider, slider_search)
IMPLICIT_FORM(four_bar, four_bar_search)
#undef IMPLICIT_FORM

/* ---- by user-supplied functions -------------------------------------------------------------- */

static const group_functions function_functions = {
    .solve = function_solve,
    .tangent = function_tangent,
    .rate = function_rate,
    .derivatives = function_derivatives,
    .stiffness = function_stiffness,
    .constraints = function_constraints,
};

/* ---- by curves ------------------------------------------------------------------------------- */

static const group_functions curves_functions = {
    .solve = curves_solve,
    .tangent = curves_tangent,
    .rate = curves_rate,
    .derivatives = curves_derivatives,
    .stiffness = curves_stiffness,
    .constraints = curves_constraints,
};

/* ---- determined by other functions ----------------------------------------------------------- */

/* Checks whether the user-supplied functions close the loops that they represent. */
static void covered_judge(loop_problem *p)
{
    p->r = p->s->loop[p->g->room];
    p->evaluations = 1;
    loop_measure(p);
    loop_judge(p, splat(0), splat(0));
}

/* Does nothing, for groups without entries in G. */
static void keep_rate(const loop_problem *p, const real *qd)
{
    (void)p, (void)qd;
}

static void keep_derivatives(const loop_problem *p, const real *qd, const real *qdd)
{
    (void)p, (void)qd, (void)qdd;
}

static void keep_stiffness(const loop_problem *p, const real *f, const stiffness_sum *sum)
{
    (void)p, (void)f, (void)sum;
}

static const group_functions covered_functions = {
    .solve = covered_judge,
    .tangent = covered_judge,
    .rate = keep_rate,
    .derivatives = keep_derivatives,
    .stiffness = keep_stiffness,
    .constraints = implicit_constraints,
};

/* ---- by the linear closure ------------------------------------------------------------------- */

static void keep_state(loop_problem *p)
{
    (void)p;
}

static const group_functions linear_functions = {
    .solve = keep_state,
    .tangent = keep_state,
    .rate = keep_rate,
    .derivatives = keep_derivatives,
    .stiffness = keep_stiffness,
    .constraints = implicit_constraints,
};

/* ---- table of all forms ---------------------------------------------------------------------- */

TD_INLINE const group_functions *functions_of(const td_loop_group *g)
{
    static const group_functions *const functions[] = {
#define FORM(NAME, name) [TD_FORM_##NAME] = &name##_functions,
        TD_GROUP_FORMS(FORM)
#undef FORM
    };
    return functions[g->form];
}

/* Initializes the outcome and the constant entries of G. */
static void loop_begin(const td_closure_map *closure, const td_scratch *s)
{
    const td_csr *G = &closure->velocity;
    real *outcome = s->outcome;
    for (int k = 0; k < TD_OUTCOMES; k++)
        outcome[k] = splat(k == TD_OUTCOME_LOOP ? -1 : 0);
    spread(s->G, closure->loops.constant, (size_t)G->row[G->rows]);
}

#endif
