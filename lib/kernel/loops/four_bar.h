/* SPDX-License-Identifier: MIT */
/*
 * γ of a four-bar, a planar loop of four revolute joints, in closed form:
 *
 *   a e^iα + b e^iβ = d + c e^iκ,  α given
 *
 * The diagonal D = d − a e^iα goes from R2 to R4. With L = |D|, the circles about R2 and R4
 * intersect at
 *
 *   b e^iβ = (X + i H) D,  c e^iκ = (X − 1 + i H) D,
 *   X = (1 + (b² − c²) / L²) / 2,  H = ± √((b + c)² − L²) √(L² − (b − c)²) / (2 L²)
 *
 * The sign of H, which is the sign of sin (κ − β), selects the branch. The angles of (X + i H) and
 * (X − 1 + i H) have the sign of H and never wrap. If a > d, D makes a full turn as α does. If a <
 * d, it swings back. Apart from that turn, its direction stays within a quarter turn. β and κ are
 * therefore continuous and stay within half a turn of a middle; the start determines their whole
 * turns. If the loop does not close for α near 0 (folded) or half a turn (stretched), the formula
 * is used between two such gaps. Beyond them the loop is followed along the path.
 */
#ifndef TD_FOUR_BAR_H
#define TD_FOUR_BAR_H

#include "kernel/loops/planar.h"

/* The branch of a start: the sign of H, and the whole turns of β and κ. */
typedef struct four_bar_branch {
    bool known;
    double side, turns_of_beta, turns_of_kappa;
    double from, to; /* the range of α between the gaps around the start */
} four_bar_branch;

/* Returns the middle of β and κ, without the α that it includes if a > d. */
TD_INLINE double four_bar_middle(const td_four_bar *k, double side)
{
    return side * (pi / 2) + (k->a > k->d ? pi : 0);
}

/* Computes the parts at a start. The part of the loop joint follows from the others. */
static void four_bar_parts(const td_loop_group *g, const double *start, double x[TD_FOUR_BAR_PARTS])
{
    const td_four_bar *k = &g->four_bar;
    for (int i = 0; i < TD_FOUR_BAR_PARTS; i++)
        x[i] = planar_start(g, &k->part[i], start);
    for (int i = TD_FOUR_BAR_SECOND; i <= TD_FOUR_BAR_THIRD; i++)
        if (k->part[i].slot < 0)
            x[i] = x[TD_FOUR_BAR_LAST] - x[TD_FOUR_BAR_GIVEN] -
                   x[TD_FOUR_BAR_SECOND + TD_FOUR_BAR_THIRD - i];
    if (k->part[TD_FOUR_BAR_LAST].slot < 0)
        x[TD_FOUR_BAR_LAST] = x[TD_FOUR_BAR_GIVEN] + x[TD_FOUR_BAR_SECOND] + x[TD_FOUR_BAR_THIRD];
}

static four_bar_branch four_bar_branch_of(const td_loop_group *g, const double *start)
{
    const td_four_bar *k = &g->four_bar;
    enum { VECTORS = (3 + TD_WIDE - 1) / TD_WIDE };
    double x[TD_FOUR_BAR_PARTS], sine[VECTORS * TD_WIDE], cosine[VECTORS * TD_WIDE];
    four_bar_parts(g, start, x);
    const double alpha = x[TD_FOUR_BAR_GIVEN], kappa = x[TD_FOUR_BAR_LAST];
    const double beta = alpha + x[TD_FOUR_BAR_SECOND];
    const double angle[VECTORS * TD_WIDE] = {alpha, beta, kappa};
    wide_sincos_array(VECTORS, NULL, angle, NULL, sine, cosine);
    const double apart = sine[2] * cosine[1] - cosine[2] * sine[1]; /* sin (κ − β) */
    const double open = fabs(k->a * cosine[0] + k->b * cosine[1] - k->c * cosine[2] - k->d) +
                        fabs(k->a * sine[0] + k->b * sine[1] - k->c * sine[2]) +
                        k->d * fabs(kappa - beta - x[TD_FOUR_BAR_THIRD]);
    four_bar_branch b = {.known = open < PLANAR_CLOSED * (k->a + k->b + k->c + k->d) &&
                                  fabs(apart) > PLANAR_APART,
                         .side = apart < 0 ? -1 : 1,
                         .from = -INFINITY,
                         .to = INFINITY};
    const double middle = four_bar_middle(k, b.side) + (k->a > k->d ? alpha : 0);
    b.turns_of_beta = whole(beta - middle, 2 * pi);
    b.turns_of_kappa = whole(kappa - middle, 2 * pi);
    if (k->folded || k->stretched) {
        const double first = k->folded ? 0 : pi; /* position of a gap */
        const double apart_by = k->folded && k->stretched ? pi : 2 * pi;
        b.from = first + apart_by * floor((alpha - first) / apart_by);
        b.to = b.from + apart_by;
    }
    return b;
}

/* Implements closed_form (closed_form.h). */
static bool four_bar_form(const td_loop_group *g, const double *start, real *w, real *solved)
{
    const td_four_bar *k = &g->four_bar;
    const four_bar_branch b = four_bar_branch_of(g, start);
    if (!b.known)
        return false;
    const td_planar_part *given = &k->part[TD_FOUR_BAR_GIVEN];
    const real none = splat(0), unity = splat(1);
    const real alpha = given->offset + given->factor * w[g->coordinate[g->dependents]];
    real angle[TD_WIDE] = {alpha}, sine[TD_WIDE], cosine[TD_WIDE];
    real_sincos_array(1, angle, NULL, sine, cosine);
    const real x = k->d - k->a * cosine[0], y = -k->a * sine[0]; /* D */
    const real square = x * x + y * y;
    const double most = (k->b + k->c) * (k->b + k->c), least = (k->b - k->c) * (k->b - k->c);
    const real room = (most - square) * (square - least);
    real there = select_lt(none, room, unity, none) * select_lt(splat(b.from), alpha, unity, none) *
                 select_lt(alpha, splat(b.to), unity, none);
    const real half = 0.5 / select_lt(none, square, square, unity);
    const real X = 0.5 + half * ((k->b - k->c) * (k->b + k->c));
    const real H = (b.side * half) * real_sqrt(select_lt(none, room, room, unity));
    real direction; /* of D */
    if (k->a > k->d)
        direction = alpha + pi + real_atan2(k->d * sine[0], k->a - k->d * cosine[0]);
    else
        direction = real_atan2(y, x);
    const real beta = direction + real_atan2(H, X) + b.turns_of_beta;
    const real kappa = direction + real_atan2(H, X - 1.0) + b.turns_of_kappa;
    const real part[TD_FOUR_BAR_PARTS] = {alpha, beta - alpha, kappa - beta, kappa};
    planar_store(g, TD_FOUR_BAR_PARTS, k->part, part, w);
    *solved = there;
    return true;
}

#endif
