/* SPDX-License-Identifier: MIT */
/*
 * Checks the coefficients of the explicit adaptive methods by the order conditions, one for each
 * rooted tree (Butcher; Hairer, Nørsett and Wanner, Solving ODEs I, II.2). This covers the methods,
 * their error estimates and their polynomials. A formula Σ b[s] k[s] has order p if
 *
 *   Σ b[s] φ[s](t) = 1 / γ(t)      for all trees t of at most p vertices
 *
 * with φ[s](t) = Π Σ a[s][r] φ[r](u) and γ(t) = p Π γ(u) over the subtrees u that remain without
 * the root. The tolerance is the effect of rounding the coefficients to double precision.
 */
#include <float.h>
#include <math.h>

#include "simulation/dormand_prince_table.h"
#include "td_test.h"

enum { ORDER = 8, TREES = 200, ALL = TD_ALL_STAGES };

typedef long double real;

/* ---- trees ----------------------------------------------------------------------------------- */

typedef struct tree {
    int order, count, of[ORDER]; /* subtrees of the root, by decreasing index */
    double gamma;
    real phi[ALL], size[ALL]; /* size: the same with |a|, for rounding */
} tree;

static tree trees[TREES];
static int tree_count;

/* Adds the trees that extend t by `left` vertices, in subtrees with indices up to last. */
static void grow(tree t, int left, int last)
{
    if (left == 0)
        trees[tree_count++] = t;
    for (int k = last; k >= 0 && left > 0; k--) {
        tree next = t;
        if (trees[k].order > left)
            continue;
        next.of[next.count++] = k;
        next.gamma *= trees[k].gamma;
        grow(next, left - trees[k].order, k);
    }
}

static void plant(const td_pair *pair, int stages)
{
    tree_count = 0;
    for (int order = 1; order <= ORDER; order++)
        grow((tree){.order = order, .gamma = order}, order - 1, tree_count - 1);
    ck_assert_int_eq(tree_count, TREES);
    for (tree *t = trees; t < trees + TREES; t++) {
        for (int s = 0; s < stages; s++) {
            t->phi[s] = t->size[s] = 1;
            for (int k = 0; k < t->count; k++) {
                real phi = 0, size = 0;
                for (int r = 0; r < s; r++) {
                    const real a = pair->weight[s][r];
                    phi += a * trees[t->of[k]].phi[r];
                    size += fabsl(a) * trees[t->of[k]].size[r];
                }
                t->phi[s] *= phi;
                t->size[s] *= size;
            }
        }
    }
}

/* Returns the rounding error of Σ b φ; b_size: its coefficients in absolute value. */
static real rounding(const tree *t, const real *b_size, int stages)
{
    real size = 0;
    for (int s = 0; s < stages; s++)
        size += b_size[s] * t->size[s];
    return t->order * size * (real)(0.5 * DBL_EPSILON);
}

static real sum(const tree *t, const real *b, int stages)
{
    real all = 0;
    for (int s = 0; s < stages; s++)
        all += b[s] * t->phi[s];
    return all;
}

/* Checks Σ b φ = θ^p part/γ up to this order, and that the next order fails. */
static void is_of_order(const char *what, const real *b, const real *size, int stages, int order,
                        real theta, real part)
{
    real worst = 0;
    for (const tree *t = trees; t < trees + TREES && t->order <= order + 1; t++) {
        const real wanted = part * powl(theta, t->order) / (real)t->gamma;
        const real error = fabsl(sum(t, b, stages) - wanted);
        if (t->order > order)
            worst = fmaxl(worst, error);
        else
            ck_assert_msg(error <= rounding(t, size, stages), "%s: tree %d: %.3Lg of %.3Lg", what,
                          (int)(t - trees), error, rounding(t, size, stages));
    }
    ck_assert_msg(order == ORDER || worst > 1e-8L, "%s: order %d is kept, too", what, order + 1);
}

/* ---- the methods ----------------------------------------------------------------------------- */

static const struct known {
    const td_pair *pair;
    int order, estimates[2], plain, full;
} methods[] = {
    {&td_dormand_prince_5, 5, {4, 0}, 4, 0},
    {&td_dormand_prince_8, 8, {5, 3}, 6, 7},
};

static int stages_of(const td_pair *pair)
{
    return pair->full.terms > 0 ? pair->full.stages : pair->stages;
}

TD_LOOP_TEST(nodes, 0, 2)
{
    const td_pair *pair = methods[_i].pair;
    const real half = (real)(0.5 * DBL_EPSILON);
    for (int s = 0; s < stages_of(pair); s++) {
        real row = 0, size = 0;
        for (int r = 0; r < s; r++) {
            row += pair->weight[s][r];
            size += fabsl((real)pair->weight[s][r]);
        }
        ck_assert_msg(fabsl(row - (real)pair->node[s]) <= half * (size + (real)pair->node[s]),
                      "stage %d: %.3Lg", s, row - (real)pair->node[s]);
    }
    /* Σ b c^(k−1) = 1/k */
    const int last = pair->stages - 1;
    for (int k = 1; k <= methods[_i].order; k++) {
        real all = 0, size = 0;
        for (int s = 0; s < last; s++) {
            const real term = (real)pair->weight[last][s] * powl((real)pair->node[s], k - 1);
            all += term;
            size += fabsl(term);
        }
        ck_assert_msg(fabsl(all - 1 / (real)k) <= half * k * size, "k = %d: %.3Lg", k,
                      all - 1 / (real)k);
    }
}

TD_LOOP_TEST(conditions, 0, 2)
{
    const td_pair *pair = methods[_i].pair;
    const int stages = pair->stages;
    plant(pair, stages_of(pair));
    real b[ALL] = {0}, size[ALL] = {0};
    for (int s = 0; s < stages - 1; s++) {
        b[s] = pair->weight[stages - 1][s];
        size[s] = fabsl(b[s]);
    }
    is_of_order("method", b, size, stages, methods[_i].order, 1, 1);
    for (int k = 0; k < pair->estimates; k++) {
        for (int s = 0; s < stages; s++) {
            b[s] = pair->error[k][s];
            size[s] = fabsl(b[s]);
        }
        is_of_order("estimate", b, size, stages, methods[_i].estimates[k], 1, 0);
    }
}

/* Returns b(θ) of dense_output.c for one stage, or the same with absolute coefficients. */
static real weight_at(const td_polynomial *p, int s, real b, bool first, bool last, real theta,
                      real *size)
{
    const real rest = 1 - theta;
    real value = 0;
    *size = 0;
    for (int term = p->terms - 1; term >= 0; term--) {
        const real w = p->weight[term][s], factor = term % 2 ? rest : theta;
        value = w + factor * value;
        *size = fabsl(w) + factor * *size;
    }
    value = 2 * b - first - last + rest * value;
    *size = theta * (fabsl(b) + rest * (first + fabsl(b) +
                                        theta * (2 * fabsl(b) + first + last + rest * *size)));
    return theta * (b + rest * (first - b + theta * value));
}

TD_LOOP_TEST(polynomials, 0, 2)
{
    const td_pair *pair = methods[_i].pair;
    const int last = pair->stages - 1;
    plant(pair, stages_of(pair));
    for (int full = 0; full <= (pair->full.terms > 0); full++) {
        const td_polynomial *p = full ? &pair->full : &pair->plain;
        for (real theta = 0.125L; theta < 1; theta += 0.25L) {
            real b[ALL] = {0}, size[ALL] = {0};
            for (int s = 0; s < p->stages; s++)
                b[s] = weight_at(p, s, s < last ? (real)pair->weight[last][s] : 0, s == 0,
                                 s == last, theta, &size[s]);
            is_of_order(full ? "full" : "plain", b, size, p->stages,
                        full ? methods[_i].full : methods[_i].plain, theta, 1);
        }
    }
}
