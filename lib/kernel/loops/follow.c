/* SPDX-License-Identifier: MIT */
/*
 * γ(y) of loops by following it. In the group's coordinates w, dependent (x) and independent (y),
 * J_x ẋ + J_y ẏ = 0. J_x has as many columns as the rank and often more rows; its least-squares
 * inverse is R⁻¹ Qᵀ. W = ∂x/∂y = −J_x⁺ J_y.
 *
 * γ has branches, and keeps to that of its start by going there: along the straight path from the
 * start's y to y, a step at a time along the tangent x' = W y', each followed by corrections of
 * Newton's method. The result must not depend on the steps, so a step counts only if
 *
 *   φ vanishes at its end, and the corrections were short and contracted,
 *   no coordinate went further than LONGEST_MOVE along the tangent,
 *   the tangent has not turned by more than MOST_BEND over the step,
 *   the corrections are those of a curve with the tangents at its two ends (MOST_DEFECT), and
 *   Q has turned by less than a right angle in every direction.
 *
 * The last three fail where the end is on another sheet: there the tangent or J_x differs. J_x
 * turns over where sheets meet, and beyond a gap in which the loop does not close. Lanes step on
 * their own; nothing but the end of the loop looks at numbers. Where there is a formula (slider.c)
 * nothing is followed.
 */

/* of a step, in the units of the slots: radians, or the size of the mechanism */
#define LONGEST_MOVE 0.5
#define MOST_BEND 0.3
#define MOST_DEFECT 0.05
/* squares of corrections: too large to be trusted; so small that the next one is rounding; rounding
 */
#define LARGE_STEP (0.3 * 0.3)
#define SMALL_STEP (1e-7 * 1e-7)
#define ROUNDING_STEP ((64 * TD_EPSILON) * (64 * TD_EPSILON))
/* the shortest step, as a part of the first one */
#define SHORTEST_STEP 0x1p-12
/* square of a pivot against that of its column: a state that is not reached is called singular */
#define NEAR_SINGULAR_PIVOT 1e-8
/* relative error of G that is one too many, and of the arithmetic that causes it */
#define LOST_DIGITS 1e-8
#define ROUNDING 0x1p-52
/* of a closed loop, dimensionless */
#define CLOSED_RESIDUAL 1e-9

enum { MOST_CORRECTIONS = 8, MOST_RELAXATIONS = 40, MOST_STARTS = 12 };

/* What γ of a group is computed from. */
typedef struct loop_problem {
    const td_tree *tree;
    const td_loops *loops;
    const td_loop_group *g;
    const td_csr *M; /* q = M w + offset, q̇ = rate ẇ */
    const double *offset;
    const td_csr *rate;
    const td_scratch *s;
    loop_scratch r;
    const real *y;
    const double *start; /* w */
    int evaluations;     /* so far */
} loop_problem;

TD_INLINE real *coordinates_of(const loop_problem *p)
{
    return p->s->w;
}

/* ---- one configuration ----------------------------------------------------------------------- */

/* φ and F at the w of the scratch */
static void loop_measure(const loop_problem *p)
{
    const td_loop_group *g = p->g;
    const real *w = p->s->w;
    real *q = p->s->q;
    for (int i = 0; i < g->bodies; i++) {
        const td_body *body = &p->tree->body[g->body[i]];
        int nq = body->motion == TD_MOTION_FLOATING ? TD_FLOATING_POSITIONS : body->nv;
        for (int k = body->q; k < body->q + nq; k++) {
            q[k] = splat(p->offset[k]);
            for (int e = p->M->row[k]; e < p->M->row[k + 1]; e++)
                q[k] += p->M->value[e] * w[p->M->column[e]];
        }
    }
    loop_poses(p->tree, g, p->s, &p->r, q);
    loop_rows(g, &p->r);
}

/* φ, Q, R, W and the Newton step there */
static void loop_evaluate(loop_problem *p)
{
    const td_loop_group *g = p->g;
    const loop_scratch *r = &p->r;
    size_t m = (size_t)g->rows, x = (size_t)g->dependents, y = (size_t)g->independents;
    loop_measure(p);
    loop_columns(p->tree, p->loops, g, p->rate, p->s, r, false, r->dependent, r->independent);
    factor_columns(m, x, NULL, NO_PIVOT, r->dependent, r->R, r->least);
    for (size_t i = 0; i < m; i++)
        r->column[i] = g->row[i].weight * r->phi[i];
    solve_columns(m, x, r->dependent, r->R, r->column, r->step, 1);
    for (size_t k = 0; k < y; k++)
        solve_columns(m, x, r->dependent, r->R, r->independent + k * m, r->W + k, y);
    p->evaluations++;
}

/* Σ φ², weighted */
static real loop_merit(const td_loop_group *g, const loop_scratch *r)
{
    real sum = splat(0);
    for (int i = 0; i < g->rows; i++) {
        real x = g->row[i].weight * r->phi[i];
        sum += x * x;
    }
    return sum;
}

/* square of the step, in its units */
static real loop_step_size(const td_loop_group *g, const loop_scratch *r)
{
    real sum = splat(0);
    for (int i = 0; i < g->dependents; i++) {
        real x = (1 / g->unit[i]) * r->step[i];
        sum += x * x;
    }
    return sum;
}

TD_INLINE bool any_lane_below(real x, double bound)
{
    for (size_t lane = 0; lane < TD_LANE_COUNT; lane++)
        if (!(real_get(x, lane) >= bound))
            return true;
    return false;
}

TD_INLINE real larger_of(real a, real b)
{
    return select_lt(a, b, b, a);
}

TD_INLINE real size_of(real x)
{
    return select_lt(x, splat(0), -x, x);
}

/* ---- moving ---------------------------------------------------------------------------------- */

TD_INLINE bool is_dependent(const td_loop_group *g, const td_loop_floating *f)
{
    return f->slot < g->dependents;
}

/* quaternion product a b */
TD_INLINE void quaternion_product(const real a[4], const real b[4], real out[4])
{
    out[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    out[1] = a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0];
    out[2] = a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3];
    out[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

TD_INLINE void quaternion_scale(real factor, real p[4])
{
    for (int k = 0; k < 4; k++)
        p[k] *= factor;
}

TD_INLINE real quaternion_dot(const real a[4], const real b[4])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

/* A pose moved by a twist (ω, v) of its own axes, to first order, in the lanes of the mask: the
   position by R v, the quaternion by (ω / 2, 1). */
static void pose_move(real mask, const real pose_of[7], const real twist[6], real out[7])
{
    mat3 R = quaternion_transposed(pose_of + 3);
    vec3 v = turn_back(&R, (vec3){twist[3], twist[4], twist[5]});
    real turn_by[4] = {0.5 * twist[0], 0.5 * twist[1], 0.5 * twist[2], splat(1)}, p[7];
    p[0] = pose_of[0] + v.x, p[1] = pose_of[1] + v.y, p[2] = pose_of[2] + v.z;
    quaternion_product(pose_of + 3, turn_by, p + 3);
    quaternion_scale(1.0 / real_sqrt(quaternion_dot(p + 3, p + 3)), p + 3);
    for (int k = 0; k < 7; k++)
        out[k] = select_lt(splat(0.5), mask, p[k], out[k]);
}

/* where the positions of the i-th floating joint are in arrays of positions */
TD_INLINE size_t kept_pose(const td_loop_group *g, int i)
{
    return (size_t)(g->dependents + TD_FLOATING_POSITIONS * i);
}

/* kept = the positions of the dependents, in the lanes of the mask */
static void keep_positions(const loop_problem *p, real mask, real *kept)
{
    const td_loop_group *g = p->g;
    const real *w = p->s->w, half = splat(0.5);
    for (int i = 0; i < g->dependents; i++)
        if (g->coordinate[i] >= 0)
            kept[i] = select_lt(half, mask, w[g->coordinate[i]], kept[i]);
    for (int i = 0; i < g->floatings; i++)
        for (int k = 0; is_dependent(g, &g->floating[i]) && k < TD_FLOATING_POSITIONS; k++) {
            real *to = kept + kept_pose(g, i) + k;
            *to = select_lt(half, mask, w[g->floating[i].w + k], *to);
        }
}

/* The dependents go to where base has them, moved by a step per slot; in the lanes of the mask. */
static void move_from(const loop_problem *p, real mask, const real *base, const real *step)
{
    const td_loop_group *g = p->g;
    real *w = p->s->w;
    for (int i = 0; i < g->dependents; i++) {
        int c = g->coordinate[i];
        if (c >= 0)
            w[c] = select_lt(splat(0.5), mask, base[i] + step[i], w[c]);
    }
    for (int i = 0; i < g->floatings; i++) {
        const td_loop_floating *f = &g->floating[i];
        if (is_dependent(g, f))
            pose_move(mask, base + kept_pose(g, i), step + f->slot, w + f->w);
    }
}

/* the dependents move by a step per slot */
static void move_on(const loop_problem *p, real mask, const real *step)
{
    const td_loop_group *g = p->g;
    real *w = p->s->w;
    for (int i = 0; i < g->dependents; i++) {
        int c = g->coordinate[i];
        if (c >= 0)
            w[c] = select_lt(splat(0.5), mask, w[c] + step[i], w[c]);
    }
    for (int i = 0; i < g->floatings; i++) {
        const td_loop_floating *f = &g->floating[i];
        if (is_dependent(g, f))
            pose_move(mask, w + f->w, step + f->slot, w + f->w);
    }
}

/* The independents go to where start has them (as the first point of the path) or the part t of the
   way from there; y' is there in dy. A floating joint's position goes straight, and its quaternion
   the shorter way along the great circle: u = (1 − t) a + t b, p = u / |u|. */
static void advance_pose(const loop_problem *p, const td_loop_floating *f, real t)
{
    real *w = (real *)p->s->w + f->w, *twist = p->r.dy + (f->slot - p->g->dependents);
    const double *start = p->start + f->w;
    const real *y = p->y + f->y;
    const real none = splat(0), one = splat(1);
    real rate[4], back[4], turning[4], along = none, cosine = none;
    for (int k = 0; k < 3; k++)
        w[k] = y[k] - (one - t) * (y[k] - splat(start[k]));
    for (int k = 3; k < 7; k++)
        cosine += start[k] * y[k];
    real side = select_lt(cosine, none, -one, one);
    for (int k = 0; k < 4; k++) {
        rate[k] = side * y[3 + k] - splat(start[3 + k]); /* u' */
        w[3 + k] = side * y[3 + k] - (one - t) * rate[k];
    }
    real inverse = 1.0 / real_sqrt(quaternion_dot(w + 3, w + 3));
    quaternion_scale(inverse, w + 3);
    for (int k = 0; k < 4; k++)
        along += w[3 + k] * rate[k];
    for (int k = 0; k < 4; k++) { /* p' = (u' − p (p · u')) / |u|, ω = 2 p* p' */
        rate[k] = inverse * (rate[k] - along * w[3 + k]);
        back[k] = k < 3 ? -w[3 + k] : w[3 + k];
    }
    quaternion_product(back, rate, turning);
    mat3 R = quaternion_transposed(w + 3);
    vec3 v =
        turn(&R, (vec3){y[0] - splat(start[0]), y[1] - splat(start[1]), y[2] - splat(start[2])});
    for (int k = 0; k < 3; k++)
        twist[k] = 2.0 * turning[k];
    twist[3] = v.x, twist[4] = v.y, twist[5] = v.z;
}

/* the independents at the part t of the way; exactly y at its end */
static void loop_advance(const loop_problem *p, real t)
{
    const td_loop_group *g = p->g;
    for (int k = 0; k < g->independents; k++)
        if (g->y[k] >= 0)
            coordinates_of(p)[g->coordinate[g->dependents + k]] =
                p->y[g->y[k]] - (1.0 - t) * p->r.dy[k];
    for (int i = 0; i < g->floatings; i++)
        if (!is_dependent(g, &g->floating[i]))
            advance_pose(p, &g->floating[i], t);
}

/* the dependents where start has them, and y' */
static void loop_start(const loop_problem *p)
{
    const td_loop_group *g = p->g;
    const loop_scratch *r = &p->r;
    real *w = p->s->w;
    for (int i = 0; i < g->dependents; i++) {
        r->tangent[i] = r->moved[i] = splat(0);
        if (g->coordinate[i] >= 0)
            w[g->coordinate[i]] = splat(p->start[g->coordinate[i]]);
    }
    for (int i = 0; i < g->floatings; i++)
        for (int k = 0; k < TD_FLOATING_POSITIONS; k++)
            w[g->floating[i].w + k] = splat(p->start[g->floating[i].w + k]);
    for (int k = 0; k < g->independents; k++)
        if (g->y[k] >= 0)
            r->dy[k] = p->y[g->y[k]] - splat(p->start[g->coordinate[g->dependents + k]]);
    keep_positions(p, splat(1), r->from);
}

/* ---- what makes a step good ------------------------------------------------------------------ */

/* Whether Q has turned by less than a right angle in every direction since the last good point, so
   that the symmetric part of Qᵀ_before Q is positive definite: 1 or 0. Elimination needs no
   pivoting then. */
static real frame_is_kept(size_t m, size_t n, const real *before, const real *now, real *A)
{
    real least = splat(1);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            A[i * n + j] = 0.5 * (dense_dot(m, before + i * m, now + j * m) +
                                  dense_dot(m, before + j * m, now + i * m));
    for (size_t k = 0; k < n; k++) {
        real pivot = A[k * n + k];
        least = select_lt(pivot, least, pivot, least);
        real inverse = 1.0 / select_lt(splat(1e-12), pivot, pivot, splat(1));
        for (size_t i = k + 1; i < n; i++)
            for (size_t j = k + 1; j <= i; j++)
                A[i * n + j] -= A[i * n + k] * inverse * A[j * n + k];
    }
    return select_lt(splat(1e-12), least, splat(1), splat(0));
}

/* x' = W y' into ahead */
static void loop_look_ahead(const loop_problem *p)
{
    const loop_scratch *r = &p->r;
    size_t y = (size_t)p->g->independents;
    for (int i = 0; i < p->g->dependents; i++) {
        r->ahead[i] = splat(0);
        for (size_t k = 0; k < y; k++)
            r->ahead[i] += r->W[(size_t)i * y + k] * r->dy[k];
    }
}

/* Whether a step of length h goes along one smooth curve: by its tangents at both ends and by what
   the corrections added to the first one. 1 or 0. */
static real step_is_smooth(const loop_problem *p, real h)
{
    const loop_scratch *r = &p->r;
    real bend = splat(0), defect = splat(0);
    for (int i = 0; i < p->g->dependents; i++) {
        real turned = (1 / p->g->unit[i]) * h * (r->ahead[i] - r->tangent[i]);
        bend = larger_of(bend, size_of(turned));
        defect = larger_of(defect, size_of((1 / p->g->unit[i]) * r->moved[i] - 0.5 * turned));
    }
    return select_lt(bend, splat(MOST_BEND), splat(1), splat(0)) *
           select_lt(defect, splat(MOST_DEFECT), splat(1), splat(0));
}

/* the longest step along ahead and y' */
static real longest_step(const loop_problem *p)
{
    const loop_scratch *r = &p->r;
    const td_loop_group *g = p->g;
    real fastest = splat(1e-300);
    for (int i = 0; i < g->dependents; i++)
        fastest = larger_of(fastest, size_of((1 / g->unit[i]) * r->ahead[i]));
    for (int k = 0; k < g->independents; k++)
        fastest = larger_of(fastest, size_of((1 / g->unit[g->dependents + k]) * r->dy[k]));
    return LONGEST_MOVE / fastest;
}

/* 1 where a Newton step of that size after one of size last is small and no longer gets smaller */
static real loop_has_stalled(real size, real last)
{
    const real one = splat(1), none = splat(0);
    return select_lt(last, splat(SMALL_STEP), one, none) * select_lt(0.25 * last, size, one, none);
}

/* ---- following ------------------------------------------------------------------------------- */

/* Follows γ from the start to y; 1 in the lanes that did not arrive. reached: how much of the path
   is behind the last good point. */
static real loop_follow(loop_problem *p, real *reached)
{
    const real one = splat(1), none = splat(0), unknown = splat(1e300), half = splat(0.5);
    const td_loop_group *g = p->g;
    const loop_scratch *r = &p->r;
    size_t m = (size_t)g->rows, x = (size_t)g->dependents;
    real t = none, h = none, last = unknown, tries = none, done = none, failed = none;
    real shortest = one;
    loop_start(p);
    for (int n = 0; n < p->loops->most_evaluations && any_lane_below(done, 0.5); n++) {
        loop_advance(p, t + h);
        loop_evaluate(p);
        real size = loop_step_size(g, r), active = one - done;
        real closed =
            select_lt(loop_merit(g, r), splat(CLOSED_RESIDUAL * CLOSED_RESIDUAL), one, none);
        /* converged: the step is rounding, or small and no longer getting smaller */
        real converged = select_lt(size, splat(ROUNDING_STEP), one, loop_has_stalled(size, last));
        real sound = one, longest = one;
        if (any_lane_below(-converged, -0.5)) {
            loop_look_ahead(p);
            longest = longest_step(p);
            if (n > 0)
                sound = select_lt(h, splat(1e-300), one,
                                  frame_is_kept(m, x, r->frame, r->dependent, r->turn) *
                                      step_is_smooth(p, h));
        }
        real good = converged * closed * sound;
        real contracts =
            select_lt(size, splat(SMALL_STEP), one, select_lt(16.0 * size, last, one, none));
        real trusted = select_lt(size, splat(LARGE_STEP), contracts, none) *
                       select_lt(tries, splat(MOST_CORRECTIONS), one, none) * (one - converged);
        real forward = active * good, back = active * (one - good) * (one - trusted);
        const size_t kept = any_lane_below(-forward, -0.5) ? m * x : 0;
        for (size_t i = 0; i < kept; i++)
            r->frame[i] = select_lt(half, forward, r->dependent[i], r->frame[i]);

        /* arrived at t + h: go on along the tangent there */
        real there = t + h;
        real arrived = forward * select_lt(splat(1 - 1e-12), there, one, none);
        real rest = one - there;
        real first = forward * select_lt(h, splat(1e-300), one, none);
        real next = select_lt(half, first, longest, 2.0 * h);
        next = select_lt(next, longest, next, longest);
        next = select_lt(next, rest, next, rest);
        shortest = select_lt(half, first, SHORTEST_STEP * next, shortest);
        t = select_lt(half, forward, there, t);
        /* not to be trusted: half as far from where it was good */
        real stuck = back * select_lt(h, shortest, one, none);
        next = select_lt(half, forward, next, select_lt(half, back, 0.5 * h, h));
        keep_positions(p, forward, r->from);
        real leaps = (forward + back) * (one - arrived) * (one - stuck);
        real corrects = active * (one - forward) * (one - back);
        for (size_t i = 0; i < x; i++) {
            r->tangent[i] = select_lt(half, forward, r->ahead[i], r->tangent[i]);
            r->moved[i] = select_lt(half, leaps, none, r->moved[i] + r->step[i]);
            r->ahead[i] = next * r->tangent[i];
        }
        move_from(p, leaps, r->from, r->ahead);
        move_on(p, corrects, r->step);
        last = select_lt(half, leaps, unknown, size);
        tries = select_lt(half, leaps, none, tries + one);
        failed += stuck;
        done += arrived + stuck;
        h = select_lt(half, done, none, next);
    }
    *reached = select_lt(half, done * (one - failed), one, t);
    return select_lt(done, half, one, failed);
}

/* γ by its formula, of which Newton's method takes the rounding away; 1 in the lanes that have no
   solution. Where the formula does not reach γ is followed, as if there were none. */
static real loop_compute(loop_problem *p, real *reached)
{
    enum { DEPENDENTS = 2, MOST_POLISHES = 3 };
    const real one = splat(1), none = splat(0), half = splat(0.5);
    const td_loop_group *g = p->g;
    slider_branch branch = slider_branch_of(g, p->start);
    if (!branch.known)
        return loop_follow(p, reached);
    real *w = p->s->w, done = none, last = splat(1e300), kept[DEPENDENTS];
    w[g->coordinate[DEPENDENTS]] = p->y[g->y[0]];
    real open = slider_solve(g, &branch, w);
    for (int n = 0; n < MOST_POLISHES && any_lane_below(-open, -0.5); n++) {
        loop_evaluate(p);
        real size = loop_step_size(g, &p->r);
        real arrived =
            open * select_lt(size, splat(ROUNDING_STEP), one, loop_has_stalled(size, last));
        done += arrived;
        open -= arrived;
        move_on(p, open, p->r.step);
        last = size;
    }
    *reached = one;
    if (!any_lane_below(done, 0.5))
        return none;
    for (int i = 0; i < DEPENDENTS; i++)
        kept[i] = w[g->coordinate[i]];
    real failed = loop_follow(p, reached);
    for (int i = 0; i < DEPENDENTS; i++)
        w[g->coordinate[i]] = select_lt(half, done, kept[i], w[g->coordinate[i]]);
    loop_advance(p, one);
    loop_evaluate(p);
    *reached = select_lt(half, done, one, *reached);
    return select_lt(half, done, none, failed);
}

/* ---- where loops do not close ---------------------------------------------------------------- */

/* The least residual that damped Gauss-Newton steps reach at y from where w is, and the positions
   of that in from; lanes with failed = 0 stay. */
static real loop_descend(loop_problem *p, int most, real failed)
{
    const td_loop_group *g = p->g;
    const loop_scratch *r = &p->r;
    const real one = splat(1), none = splat(0), large = splat(LARGE_STEP);
    real least = splat(1e300), part = one;
    for (int n = 0; n < most; n++) {
        loop_evaluate(p);
        real merit = loop_merit(g, r), size = loop_step_size(g, r);
        real damp =
            select_lt(size, large, one, real_sqrt(LARGE_STEP / select_lt(size, large, one, size)));
        part = select_lt(merit, least, one, 0.5 * part);
        keep_positions(p, select_lt(merit, least, one, none), r->from);
        for (int i = 0; i < g->dependents; i++) {
            r->tangent[i] = select_lt(merit, least, damp * r->step[i], r->tangent[i]);
            r->ahead[i] = part * r->tangent[i];
        }
        move_from(p, failed, r->from, r->ahead);
        least = select_lt(merit, least, merit, least);
    }
    return least;
}

/* in (−1, 1), spread evenly over i for each k and over k for each i */
static double scattered(int k, int i)
{
    double x = 0.5 + k * 0.6180339887498949 + i * 0.7548776662466927 * k;
    return 2 * (x - (double)(long)x) - 1;
}

/* the dependents at the k-th of the starts about the start, in the lanes of the mask */
static void scatter_dependents(const loop_problem *p, int k, real mask)
{
    const td_loop_group *g = p->g;
    const loop_scratch *r = &p->r;
    real *w = p->s->w;
    for (int i = 0; i < g->dependents; i++) {
        r->tangent[i] = splat(3 * g->unit[i] * scattered(k, i));
        if (g->coordinate[i] >= 0)
            w[g->coordinate[i]] =
                select_lt(splat(0.5), mask, splat(p->start[g->coordinate[i]]), w[g->coordinate[i]]);
    }
    for (int i = 0; i < g->floatings; i++)
        for (int n = 0; is_dependent(g, &g->floating[i]) && n < TD_FLOATING_POSITIONS; n++) {
            int c = g->floating[i].w + n;
            w[c] = select_lt(splat(0.5), mask, splat(p->start[c]), w[c]);
        }
    move_on(p, mask, r->tangent);
}

/* Where loops did not follow (failed is 1): the least residual at y from the last good point and
   from others about the start, which says whether there is another branch. w and all that is
   evaluated are that state's then; for the others nothing changes. */
static void loop_relax(loop_problem *p, real failed)
{
    const td_loop_group *g = p->g;
    const loop_scratch *r = &p->r;
    const real none = splat(0), one = splat(1);
    real least = splat(1e300), open = failed;
    for (int i = 0; i < g->dependents; i++)
        r->tangent[i] = none;
    loop_advance(p, one);
    move_from(p, failed, r->from, r->tangent); /* the last good point */
    keep_positions(p, one, r->best);
    for (int k = 0; k < MOST_STARTS && any_lane_below(-open, -0.5); k++) {
        int rest = p->loops->most_evaluations - p->evaluations;
        if (rest <= 0)
            break;
        if (k > 0)
            scatter_dependents(p, k, failed);
        real merit = loop_descend(p, rest < MOST_RELAXATIONS ? rest : MOST_RELAXATIONS, open);
        real better = select_lt(merit, least, one, none);
        for (int i = 0; i < g->dependents; i++)
            r->best[i] = select_lt(splat(0.5), better, r->from[i], r->best[i]);
        for (size_t i = kept_pose(g, 0); i < kept_pose(g, g->floatings); i++)
            r->best[i] = select_lt(splat(0.5), better, r->from[i], r->best[i]);
        least = select_lt(merit, least, merit, least);
        open = select_lt(least, splat(CLOSED_RESIDUAL * CLOSED_RESIDUAL), none, open);
    }
    for (int i = 0; i < g->dependents; i++)
        r->tangent[i] = none;
    move_from(p, failed, r->best, r->tangent);
    loop_evaluate(p);
}

/* ---- what became of a group ------------------------------------------------------------------ */

/* The relative error of G: with the columns of J_x of length 1, rounding leaves φ open by ε, x
   wrong by ‖R⁻¹‖ ε, J_x by as much again, and G by ‖R⁻¹‖² ε. Where that is 1e-8, Ġ and so the
   accelerations are good to 1e-5: they lose half as many digits again (test_branches.c). */
static real lost_digits(const td_loop_group *g, const loop_scratch *r)
{
    int n = g->dependents;
    const real *R = r->R; /* the diagonal is inverted; 0 where there is no column */
    real *z = r->column, *length = r->moved, sum = splat(0);
    for (int i = 0; i < n; i++) {
        real pivot = R[i * n + i];
        length[i] = 1.0 / select_lt(splat(0), pivot, pivot * pivot, splat(1e-300));
        for (int k = 0; k < i; k++)
            length[i] += R[k * n + i] * R[k * n + i];
    }
    for (int j = 0; j < n; j++) {
        for (int i = j; i >= 0; i--) { /* R z = e_j */
            z[i] = splat(i == j ? 1 : 0);
            for (int k = i + 1; k <= j; k++)
                z[i] -= R[i * n + k] * z[k];
            z[i] *= R[i * n + i];
            sum += z[i] * z[i] * length[i];
        }
        real none = select_lt(splat(0), R[j * n + j], splat(0), splat(1e300));
        sum += none;
    }
    return ROUNDING * sum;
}

/* what became of a group, into the outcome of all: whether φ vanishes is asked of every state */
static void loop_judge(const loop_problem *p, real failed, real reached)
{
    const td_loop_group *g = p->g;
    const loop_scratch *r = &p->r;
    const real none = splat(0), half = splat(0.5);
    real *outcome = p->s->outcome;
    real merit = loop_merit(g, r), worst = splat(-1), blame = splat(-1), residual = none;
    for (int l = 0; l < g->loops; l++) {
        real sum = none;
        for (int i = g->loop[l].first; i < g->loop[l].first + g->loop[l].rows; i++) {
            sum += (g->row[i].weight * r->phi[i]) * (g->row[i].weight * r->phi[i]);
            real square = r->phi[i] * r->phi[i];
            residual = select_lt(residual, square, square, residual);
        }
        blame = select_lt(worst, sum, splat(g->loop[l].index), blame);
        worst = select_lt(worst, sum, sum, worst);
    }
    real code = none, reason = splat(3);
    if (g->dependents) {
        code = select_lt(lost_digits(g, r), splat(LOST_DIGITS), none, splat(2));
        reason = select_lt(*r->least, splat(NEAR_SINGULAR_PIVOT), splat(2), reason);
    }
    code = select_lt(half, failed, reason, code);
    code = select_lt(merit, splat(CLOSED_RESIDUAL * CLOSED_RESIDUAL), code, splat(1));
    /* all of them close on another branch: what is left is rounding, and no loop's own */
    blame = select_lt(splat(2.5), code, splat(g->loops ? g->loop[0].index : -1), blame);
    real first = select_lt(outcome[TD_OUTCOME_CODE], half, splat(1), none);
    blame = select_lt(code, half, splat(-1), blame);
    first *= select_lt(half, code, splat(1), none);
    outcome[TD_OUTCOME_LOOP] = select_lt(half, first, blame, outcome[TD_OUTCOME_LOOP]);
    outcome[TD_OUTCOME_CODE] = select_lt(half, first, code, outcome[TD_OUTCOME_CODE]);
    outcome[TD_OUTCOME_REACHED] = select_lt(half, first, reached, outcome[TD_OUTCOME_REACHED]);
    residual = real_sqrt(residual);
    outcome[TD_OUTCOME_RESIDUAL] =
        select_lt(outcome[TD_OUTCOME_RESIDUAL], residual, residual, outcome[TD_OUTCOME_RESIDUAL]);
    real count = splat(p->evaluations);
    outcome[TD_OUTCOME_EVALUATIONS] =
        select_lt(outcome[TD_OUTCOME_EVALUATIONS], count, count, outcome[TD_OUTCOME_EVALUATIONS]);
}
