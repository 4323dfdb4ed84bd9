/* SPDX-License-Identifier: MIT */
/*
 * γ(y) of loops by continuation. In the group's coordinates w, dependent (x) and independent (y),
 * J_x ẋ + J_y ẏ = 0. J_x has as many columns as the rank, and often more rows; its least-squares
 * inverse is R⁻¹ Qᵀ. W = ∂x/∂y = −J_x⁺ J_y.
 *
 * γ has several branches. To stay on the branch of the start, the loops are followed along the
 * straight path from the start's y to y. Each step goes along the tangent x' = W y' and is
 * corrected by Newton's method. The result must not depend on the step lengths, so a step is
 * accepted only if
 *
 *   φ vanishes at its end, and the corrections were short and contracted,
 *   no coordinate moved by more than LONGEST_MOVE along the tangent,
 *   the tangent turned by at most MOST_BEND over the step,
 *   the corrections match a curve with the tangents at both ends (MOST_DEFECT),
 *   Q rotated by less than a right angle in every direction, and
 *   J_x is regular at the end, and there is no kink in between (MOST_KINK).
 *
 * The last four conditions fail if the end is on another branch, where the tangent or J_x differs.
 * J_x changes orientation across a gap in which the loop cannot close. It also does so along a
 * branch that crosses another one, such as a parallelogram passing through its flat position. A
 * jump from one branch to the other at the crossing does not change the orientation, but puts a
 * kink into the tangent. Let a be the second derivative of φ along the direction n in which J_x
 * becomes singular, and Δ the kink of x'. At the distance s' after the kink, the smallest singular
 * value is a Δ s' / 2. The corrections of a step h = s + s' across it differ from the corrections
 * on a smooth curve by d = n Δ (s' − s) / 2, so that |J_x⁻ᵀ d| = |s − s'| / (a s'), however short
 * the step is. Newton's method converges to the other branch only if s' is a small part of h. Paths
 * therefore end at every position in which J_x is singular, regardless of the steps. Lanes have
 * separate step lengths but take the same code path. Loops with a formula (closed_form.h) need no
 * continuation.
 */
#ifndef TD_FOLLOW_H
#define TD_FOLLOW_H

#include "kernel/algebra/ldlt.h"
#include "kernel/loops/move.h"

/* limits of a step, in the units of the slots: radians, or the size of the mechanism */
#define LONGEST_MOVE 0.5
#define MOST_BEND 0.3
#define MOST_DEFECT 0.05
/* Limit of |R⁻ᵀ d|² of the defect d. Limit of the squared ratio of a pivot to its column below
   which x' is lost to rounding. */
#define MOST_KINK (3.0 * 3.0)
#define REGULAR_PIVOT 1e-13
/* The shortest step, as a fraction of the first step and of the rest of the path. Near a dead point
   beyond y, each step is a fraction of the rest. This limit allows all bends at which G is not lost
   to rounding. */
#define SHORTEST_STEP 0x1p-15

enum { MOST_CORRECTIONS = 8 };

/* Sets the dependents to the start, and computes y'. */
static void loop_start(const loop_problem *p)
{
    const td_loop_group *g = p->g;
    const loop_room *r = &p->r;
    real *w = p->s->w;
    if (g->parts)
        parts_start(g, p->start, p->y, r->part);
    for (int i = 0; i < g->dependents; i++) {
        r->tangent[i] = r->moved[i] = splat(0);
        if (g->coordinate[i] >= 0)
            w[g->coordinate[i]] = splat(p->start[g->coordinate[i]]);
    }
    for (int i = 0; i < g->quaternions; i++)
        for (int k = 0; k < td_loop_quaternion_positions(&g->quaternion[i]); k++)
            w[g->quaternion[i].w + k] = splat(p->start[g->quaternion[i].w + k]);
    for (int k = 0; k < g->independents; k++) {
        const real *x = coordinate_of(p, g->dependents + k);
        if (g->y[k] >= 0)
            r->dy[k] = p->y[g->y[k]] - splat(p->start[g->coordinate[g->dependents + k]]);
        else if (x) /* a coordinate of a partly dependent pose */
            r->dy[k] = -*x;
    }
    keep_positions(p, splat(1), r->from);
}

/* Returns 1 if Q has rotated by less than a right angle in every direction since the last accepted
   point, else 0. The symmetric part of Qᵀ_before Q is then positive definite, and elimination needs
   no pivoting. */
static real frame_is_kept(const td_loop_group *g, const real *before, const real *now, real *A)
{
    const size_t m = (size_t)g->rows, n = (size_t)g->dependents;
    const td_loop_sparsity *sparse = g->sparse;
    real least = splat(1);
    for (size_t i = 0; sparse && i < n; i++)
        for (size_t j = 0; j <= i; j++)
            A[i * n + j] = 0.5 * (sparse_dot(m, sparse, before, i, now, j) +
                                  sparse_dot(m, sparse, before, j, now, i));
    for (size_t i = 0; !sparse && i < n; i++)
        for (size_t j = 0; j <= i; j++)
            A[i * n + j] = 0.5 * (dense_dot(m, before + i * m, now + j * m) +
                                  dense_dot(m, before + j * m, now + i * m));
    for (size_t k = 0; k < n; k++) {
        real pivot = A[k * n + k];
        least = select_lt(pivot, least, pivot, least);
        const real inverse = 1.0 / select_lt(splat(1e-12), pivot, pivot, splat(1));
        if (sparse)
            sparse_eliminate(n, sparse, A, k, inverse);
        else
            ldlt_eliminate(n, n, A, k, inverse);
    }
    return select_lt(splat(1e-12), least, splat(1), splat(0));
}

/* Computes x' = W y' into ahead. */
static void loop_look_ahead(loop_problem *p)
{
    const loop_room *r = &p->r;
    size_t y = (size_t)p->g->independents;
    loop_slopes(p);
    for (int i = 0; i < p->g->dependents; i++) {
        r->ahead[i] = splat(0);
        for (size_t k = 0; k < y; k++)
            r->ahead[i] += r->W[(size_t)i * y + k] * r->dy[k];
    }
}

TD_INLINE real larger_of(real a, real b)
{
    return select_lt(a, b, b, a);
}

TD_INLINE real size_of(real x)
{
    return select_lt(x, splat(0), -x, x);
}

/* Returns 1 if a step of length h follows one smooth curve, else 0. Compares the tangents at both
   ends and the corrections of the first one, and checks R at the end. */
static real step_is_smooth(const loop_problem *p, real h)
{
    const loop_room *r = &p->r;
    const td_loop_group *g = p->g;
    const int n = g->dependents;
    real bend = splat(0), defect = splat(0), kink = splat(0), *z = r->column;
    for (int i = 0; i < n; i++) {
        real turned = (1 / g->unit[i]) * h * (r->ahead[i] - r->tangent[i]);
        bend = larger_of(bend, size_of(turned));
        const real off = (1 / g->unit[i]) * r->moved[i] - 0.5 * turned;
        defect = larger_of(defect, size_of(off));
        z[i] = (1 / g->unit[i]) * off; /* Rᵀ z = d, both scaled by the units */
        for (int k = g->sparse ? g->sparse->lead[i] : 0; k < i; k++)
            z[i] -= r->R[k * n + i] * z[k];
        z[i] *= r->R[i * n + i];
        kink += z[i] * z[i];
    }
    return select_lt(bend, splat(MOST_BEND), splat(1), splat(0)) *
           select_lt(defect, splat(MOST_DEFECT), splat(1), splat(0)) *
           select_lt(kink, splat(MOST_KINK), splat(1), splat(0)) *
           select_lt(splat(REGULAR_PIVOT), *r->least, splat(1), splat(0));
}

/* Returns the longest step allowed along ahead and y'. */
static real longest_step(const loop_problem *p)
{
    const loop_room *r = &p->r;
    const td_loop_group *g = p->g;
    real fastest = splat(1e-300);
    for (int i = 0; i < g->dependents; i++)
        fastest = larger_of(fastest, size_of((1 / g->unit[i]) * r->ahead[i]));
    for (int k = 0; k < g->independents; k++)
        fastest = larger_of(fastest, size_of((1 / g->unit[g->dependents + k]) * r->dy[k]));
    return LONGEST_MOVE / fastest;
}

/* Returns 1 if a correction of this size, after one of size last, is part of a converging sequence,
   else 0. */
static real correction_is_trusted(real size, real last, real tries)
{
    const real unity = splat(1), none = splat(0);
    const real contracts =
        select_lt(size, splat(SMALL_STEP), unity, select_lt(16.0 * size, last, unity, none));
    return select_lt(size, splat(LARGE_STEP), contracts, none) *
           select_lt(tries, splat(MOST_CORRECTIONS), unity, none);
}

/* Returns 1 if a step of length h has stayed on the branch where it began, else 0. */
static real step_is_sound(const loop_problem *p, real h)
{
    const loop_room *r = &p->r;
    return frame_is_kept(p->g, r->frame, r->dependent, r->rotation) * step_is_smooth(p, h);
}

/* Moves the dependents. Lanes with `forward` adopt the tangent at their position. Lanes with
   `leaps` step by next from the last accepted point. Lanes with `corrects` add the Newton step. */
static void move_along(loop_problem *p, real forward, real leaps, real corrects, real next)
{
    const loop_room *r = &p->r;
    const real half = splat(0.5), none = splat(0);
    for (int i = 0; i < p->g->dependents; i++) {
        r->tangent[i] = select_lt(half, forward, r->ahead[i], r->tangent[i]);
        r->moved[i] = select_lt(half, leaps, none, r->moved[i] + r->step[i]);
        r->ahead[i] = next * r->tangent[i];
    }
    move_from(p, leaps, r->from, r->ahead);
    move_on(p, corrects, r->step);
}

/* Follows γ from the start to y. Returns 1 in the lanes that did not arrive. reached is the
   fraction of the path up to the last accepted point. */
static real loop_follow(loop_problem *p, real *reached)
{
    const real unity = splat(1), none = splat(0), unknown = splat(1e300), half = splat(0.5);
    const td_loop_group *g = p->g;
    const loop_room *r = &p->r;
    const size_t entries = (size_t)g->rows * (size_t)g->dependents;
    real t = none, h = none, last = unknown, tries = none, done = none, failed = none;
    real shortest = unity, grown = splat(2);
    loop_start(p);
    for (int n = 0; n < p->closure->loops.most_evaluations && any_lane_below(done, 0.5); n++) {
        loop_advance(p, t + h);
        loop_evaluate(p);
        real size = loop_step_size(g, r->step), active = unity - done;
        real closed =
            select_lt(loop_merit(g, r), splat(CLOSED_RESIDUAL * CLOSED_RESIDUAL), unity, none);
        /* converged: the step is rounding error, or it is small and no longer decreases */
        real converged = select_lt(size, splat(ROUNDING_STEP), unity, loop_has_stalled(size, last));
        real sound = unity, longest = unity;
        if (any_lane_below(-converged, -0.5)) {
            loop_look_ahead(p);
            longest = longest_step(p);
            if (n > 0)
                sound = select_lt(h, splat(1e-300), unity, step_is_sound(p, h));
        }
        real good = converged * closed * sound;
        real trusted = correction_is_trusted(size, last, tries) * (unity - converged);
        real forward = active * good, back = active * (unity - good) * (unity - trusted);
        const size_t kept = any_lane_below(-forward, -0.5) ? entries : 0;
        for (size_t i = 0; i < kept; i++)
            r->frame[i] = select_lt(half, forward, r->dependent[i], r->frame[i]);

        /* accepted t + h: continue along the tangent there */
        real there = t + h;
        real arrived = forward * select_lt(splat(1 - 1e-12), there, unity, none);
        real rest = unity - there, least = SHORTEST_STEP * (unity - t);
        least = select_lt(least, shortest, least, shortest);
        real first = forward * select_lt(h, splat(1e-300), unity, none);
        real next = select_lt(half, first, longest, grown * h);
        next = select_lt(next, longest, next, longest);
        next = select_lt(next, rest, next, rest);
        shortest = select_lt(half, first, SHORTEST_STEP * next, shortest);
        t = select_lt(half, forward, there, t);
        /* rejected: halve the step from the last accepted point. The next step after an accepted
           one must not be longer, since twice that length has failed. */
        grown = select_lt(half, back, unity, select_lt(half, forward, splat(2), grown));
        real stuck = back * select_lt(h, least, unity, none);
        next = select_lt(half, forward, next, select_lt(half, back, 0.5 * h, h));
        keep_positions(p, forward, r->from);
        real leaps = (forward + back) * (unity - arrived) * (unity - stuck);
        real corrects = active * (unity - forward) * (unity - back);
        move_along(p, forward, leaps, corrects, next);
        last = select_lt(half, leaps, unknown, size);
        tries = select_lt(half, leaps, none, tries + unity);
        failed += stuck;
        done += arrived + stuck;
        h = select_lt(half, done, none, next);
    }
    *reached = select_lt(half, done * (unity - failed), unity, t);
    return select_lt(done, half, unity, failed);
}

#endif
