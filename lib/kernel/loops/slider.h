/* SPDX-License-Identifier: MIT */
/*
 * γ of a planar loop of three revolute joints R1, R2, R3 and a prismatic joint, in closed form:
 *
 *   a (cos α, sin α) + b (cos δ, sin δ) = (s, e),  ρ = δ − α
 *
 *   given α   sin δ = (e − a sin α) / b, and s = a cos α + b cos δ
 *   given ρ   (X, Y) = (a + b cos ρ, b sin ρ) has the length of (s, e), which gives |s|; α is the
 *             angle between the two
 *   given s   cos ρ by the law of cosines, then α
 *
 * Each case has two branches, which differ in the sign of cos δ, s or sin ρ. On a branch, all
 * results of atan2 stay within half a turn. The angles are therefore continuous functions of the
 * given coordinate and have the whole turns of the start. load/closure/slider.c ensures that the
 * start and y are on the same branch, or that a change of branch is detected.
 */
#ifndef TD_SLIDER_H
#define TD_SLIDER_H

#include "kernel/loops/planar.h"

/* The branch of a start: signs, and the middle of the half turns in which angles lie. */
typedef struct slider_branch {
    bool known;
    double side;         /* sign of cos δ if α is given, of sin ρ if s is given */
    double side_of_s;    /* sign of s */
    double middle;       /* middle of δ if α is given, else of α */
    double fold;         /* whole turns of ρ if s is given */
    double sine, cosine; /* of the middle, if α is not given */
} slider_branch;

/* Computes the parts at a start. The part of the loop joint follows from the others. */
static void slider_parts(const td_loop_group *g, const double *start, double x[TD_SLIDER_PARTS])
{
    const td_slider *k = &g->slider;
    for (int i = 0; i < TD_SLIDER_PARTS; i++)
        x[i] = planar_start(g, &k->part[i], start);
    if (k->part[TD_SLIDER_FIRST].slot < 0)
        x[TD_SLIDER_FIRST] = x[TD_SLIDER_SECOND] - x[TD_SLIDER_BETWEEN];
    if (k->part[TD_SLIDER_SECOND].slot < 0)
        x[TD_SLIDER_SECOND] = x[TD_SLIDER_FIRST] + x[TD_SLIDER_BETWEEN];
    if (k->part[TD_SLIDER_BETWEEN].slot < 0)
        x[TD_SLIDER_BETWEEN] = x[TD_SLIDER_SECOND] - x[TD_SLIDER_FIRST];
}

static slider_branch slider_branch_of(const td_loop_group *g, const double *start)
{
    const td_slider *k = &g->slider;
    double x[TD_SLIDER_PARTS];
    slider_parts(g, start, x);
    double angle[TD_WIDE] = {x[TD_SLIDER_FIRST], x[TD_SLIDER_SECOND]};
    double sine[TD_WIDE], cosine[TD_WIDE];
    wide_sincos_array(1, NULL, angle, NULL, sine, cosine);
    double s = k->a * cosine[0] + k->b * cosine[1], e = k->a * sine[0] + k->b * sine[1];
    if (k->part[TD_SLIDER_DISPLACEMENT].slot < 0)
        x[TD_SLIDER_DISPLACEMENT] = s;
    double excess_angle = x[TD_SLIDER_SECOND] - x[TD_SLIDER_FIRST] - x[TD_SLIDER_BETWEEN];
    double size = k->a + k->b;
    double open = fabs(s - x[TD_SLIDER_DISPLACEMENT]) + fabs(e - k->e) + size * fabs(excess_angle);
    double apart = sine[1] * cosine[0] - cosine[1] * sine[0]; /* sin ρ */
    slider_branch b = {.known = open < PLANAR_CLOSED * size, .side_of_s = s < 0 ? -1 : 1};
    if (k->given == TD_SLIDER_CRANK) {
        b.side = cosine[1] < 0 ? -1 : 1;
        b.middle = whole(x[TD_SLIDER_SECOND], pi);
        return b;
    }
    b.cosine = b.side_of_s;
    double middle = s < 0 ? pi : 0;
    if (k->given == TD_SLIDER_SLIDE) {
        b.side = apart < 0 ? -1 : 1;
        b.fold = whole(x[TD_SLIDER_BETWEEN], 2 * pi);
        b.known = b.known && fabs(apart) > PLANAR_APART;
        if (k->through) {
            b.cosine = 0;
            b.sine = k->e < 0 ? -1 : 1;
            middle = b.sine * pi / 2;
        }
    }
    b.middle = middle + whole(x[TD_SLIDER_FIRST] - middle, 2 * pi);
    return b;
}

/* Computes δ and s from α. Returns 1 in lanes with a solution, else 0. */
static real slider_from_crank(const td_slider *k, const slider_branch *b, real part[])
{
    real angle[TD_WIDE] = {part[TD_SLIDER_FIRST]}, sine[TD_WIDE], cosine[TD_WIDE];
    real_sincos_array(1, angle, NULL, sine, cosine);
    real across = (1 / k->b) * (k->e - k->a * sine[0]), square = (1 - across) * (1 + across);
    real there = select_lt(splat(0), square, splat(1), splat(0));
    real along = real_sqrt(select_lt(splat(0), square, square, splat(1)));
    part[TD_SLIDER_SECOND] = b->middle + b->side * real_atan2(across, along);
    part[TD_SLIDER_BETWEEN] = part[TD_SLIDER_SECOND] - part[TD_SLIDER_FIRST];
    part[TD_SLIDER_DISPLACEMENT] = k->a * cosine[0] + (b->side * k->b) * along;
    return there;
}

/* Computes α and δ from ρ, (X, Y) and s. */
static void slider_rotate(const td_slider *k, const slider_branch *b, real X, real Y, real part[])
{
    real s = part[TD_SLIDER_DISPLACEMENT]; /* (s, e) is rotated back by the middle */
    real ahead = b->cosine * s + b->sine * k->e, left = b->cosine * k->e - b->sine * s;
    part[TD_SLIDER_FIRST] = b->middle + real_atan2(left * X - ahead * Y, ahead * X + left * Y);
    part[TD_SLIDER_SECOND] = part[TD_SLIDER_FIRST] + part[TD_SLIDER_BETWEEN];
}

static real slider_from_hinge(const td_slider *k, const slider_branch *b, real part[])
{
    real angle[TD_WIDE] = {part[TD_SLIDER_BETWEEN]}, sine[TD_WIDE], cosine[TD_WIDE];
    real_sincos_array(1, angle, NULL, sine, cosine);
    real X = k->a + k->b * cosine[0], Y = k->b * sine[0];
    real square = X * X + Y * Y - k->e * k->e;
    real there = select_lt(splat(0), square, splat(1), splat(0));
    part[TD_SLIDER_DISPLACEMENT] =
        b->side_of_s * real_sqrt(select_lt(splat(0), square, square, splat(1)));
    slider_rotate(k, b, X, Y, part);
    return there;
}

static real slider_from_displacement(const td_slider *k, const slider_branch *b, real part[])
{
    real s = part[TD_SLIDER_DISPLACEMENT];
    real cosine = (0.5 / (k->a * k->b)) * (s * s + (k->e * k->e - k->a * k->a - k->b * k->b));
    real square = (1 - cosine) * (1 + cosine);
    real there = select_lt(splat(0), square, splat(1), splat(0));
    real sine = b->side * real_sqrt(select_lt(splat(0), square, square, splat(1)));
    if (!k->through)
        there *= select_lt(splat(0), b->side_of_s * s, splat(1), splat(0));
    part[TD_SLIDER_BETWEEN] = b->fold + real_atan2(sine, cosine);
    slider_rotate(k, b, k->a + k->b * cosine, k->b * sine, part);
    return there;
}

/* Implements closed_form (closed_form.h). */
static bool slider_form(const td_loop_group *g, const double *start, real *w, real *solved)
{
    const td_slider *k = &g->slider;
    const slider_branch branch = slider_branch_of(g, start), *b = &branch;
    if (!b->known)
        return false;
    real part[TD_SLIDER_PARTS], there;
    for (int i = 0; i < TD_SLIDER_PARTS; i++) {
        const td_planar_part *p = &k->part[i];
        part[i] = splat(0);
        if (p->slot == g->dependents)
            part[i] = p->offset + p->factor * w[g->coordinate[g->dependents]];
    }
    if (k->given == TD_SLIDER_CRANK)
        there = slider_from_crank(k, b, part);
    else if (k->given == TD_SLIDER_HINGE)
        there = slider_from_hinge(k, b, part);
    else
        there = slider_from_displacement(k, b, part);
    planar_store(g, TD_SLIDER_PARTS, k->part, part, w);
    *solved = there;
    return true;
}

#endif
