/* SPDX-License-Identifier: MIT */
/*
 * Loops with a closed form of γ: three parallel revolute joints and a prismatic one, cut at any of
 * the four, with any other one independent, anywhere in space. They must be recognized where the
 * formula has no gaps. γ must equal the planar solution, whole turns included, and the same loop
 * given by a mask, which Newton's method solves. Failures, other branches and batches must also be
 * equal.
 */
#include <math.h>
#include <string.h>

#include "loop_robots.h"

enum { MOST = 8, ROWS = 37 };

static const double pi = 3.14159265358979323846;

/* ---- the loop in the plane ------------------------------------------------------------------- */

/* α, ρ, −δ and −s: the coordinates of R1, R2, R3 and P grow with these */
typedef struct plane {
    double x[PLANE_JOINTS];
} plane;

static plane plane_of(const plane_slider *p, double alpha, double delta)
{
    double s = p->a * cos(alpha) + p->b * cos(delta);
    return (plane){{alpha, delta - alpha, -delta, -s}};
}

static double offset_of(const plane_slider *p)
{
    return p->a * sin(p->alpha) + p->b * sin(p->delta);
}

/* whether the formula has no gap with that independent joint */
static bool has_formula(const plane_slider *p)
{
    double e = fabs(offset_of(p));
    switch (p->independent) {
    case PLANE_R1:
        return p->b > p->a + e;
    case PLANE_R2:
        return fabs(p->a - p->b) > e;
    case PLANE_R3:
        return p->a > p->b + e;
    default:
        return true;
    }
}

/* distance of the loop from positions where branches meet: cos δ, s, cos α or sin ρ */
static double distinctness(const plane_slider *p, const plane *at)
{
    switch (p->independent) {
    case PLANE_R1:
        return fabs(cos(at->x[PLANE_R3]));
    case PLANE_R2:
        return fabs(at->x[PLANE_P]) / (p->a + p->b);
    case PLANE_R3:
        return fabs(cos(at->x[PLANE_R1]));
    default:
        return fabs(sin(at->x[PLANE_R2]));
    }
}

/* a random loop far enough from singular; index selects the cut and the independent joint */
static plane_slider draw(td_random *random, int index)
{
    plane_slider p = {.ground = (int)td_random_below(random, 4), .cut = index / 3};
    p.independent = index % 3 + (index % 3 >= p.cut);
    p.seed = random->state;
    plane start;
    do {
        p.a = 0.55 + 0.45 * td_random_number(random);
        p.b = 0.55 + 0.45 * td_random_number(random);
        p.alpha = pi * td_random_number(random);
        p.delta = pi * td_random_number(random);
        if (td_random_below(random, 3) == 0) /* in line */
            p.delta = asin(fmax(-1, fmin(1, -p.a / p.b * sin(p.alpha))));
        start = plane_of(&p, p.alpha, p.delta);
    } while (distinctness(&p, &start) < 0.2);
    return p;
}

/* ---- models ---------------------------------------------------------------------------------- */

typedef struct fixture {
    plane_slider p;
    double sense[PLANE_JOINTS];
    td_model *model, *masked; /* with the formula, and without */
    td_workspace *w, *masked_w;
} fixture;

static td_model *finish(const plane_slider *p, double sense[PLANE_JOINTS])
{
    td_builder *builder = plane_slider_builder(p, sense);
    return model_of_builder(builder, NULL);
}

static fixture fixture_new(plane_slider p)
{
    fixture f = {.p = p};
    plane_slider masked = p;
    masked.masked = true;
    f.model = finish(&p, f.sense);
    f.masked = finish(&masked, f.sense);
    f.w = test_workspace(f.model);
    f.masked_w = test_workspace(f.masked);
    ck_assert_uint_eq(td_nyd(f.model), 1);
    return f;
}

static td_loop_form form_of(const td_model *model)
{
    return td_loop_place_at(model, 0).form;
}

/* a joint's coordinate at a position in the plane */
static double coordinate(const fixture *f, int joint, const plane *at)
{
    plane start = plane_of(&f->p, f->p.alpha, f->p.delta);
    return f->sense[joint] * (at->x[joint] - start.x[joint]);
}

/* there: q of all joints of the tree, and y; for the motor, if there is one */
static double configuration(const fixture *f, const plane *at, double *q)
{
    for (int j = 0; j < PLANE_JOINTS; j++)
        if (j != f->p.cut)
            q[td_joint_place_at(f->model, td_joint_index(f->model, plane_slider_joints[j])).q] =
                coordinate(f, j, at);
    double y = coordinate(f, f->p.independent, at);
    size_t motor = td_joint_index(f->model, "motor");
    if (motor == TD_NONE)
        return y;
    return q[td_joint_place_at(f->model, motor).q] = y / f->p.gear;
}

/* ---- tests ----------------------------------------------------------------------------------- */

TD_LOOP_TEST(recognised, 0, 12)
{
    td_random random = {(uint64_t)(100 + _i)};
    int found[2] = {0};
    for (int n = 0; n < 40; n++) {
        fixture f = fixture_new(draw(&random, _i));
        bool formula = has_formula(&f.p);
        ck_assert_int_eq(form_of(f.model),
                         formula ? TD_LOOP_FORM_CLOSED_FORM : TD_LOOP_FORM_ITERATED);
        ck_assert_int_eq(form_of(f.masked), TD_LOOP_FORM_ITERATED);
        found[formula]++;
    }
    ck_assert_int_gt(found[1], 0);
    ck_assert_int_eq(found[0] > 0, draw(&random, _i).independent != PLANE_P);
}

/* α for which the sum of the links (X, Y) points along (s, e), nearest to its previous value */
static double turned(const plane_slider *p, double rho, double s, double alpha)
{
    double X = p->a + p->b * cos(rho), Y = p->b * sin(rho);
    double now = atan2(offset_of(p), s) - atan2(Y, X);
    return alpha + remainder(now - alpha, 2 * pi);
}

/* along the branch of the start, with R2 rotated by that angle */
static plane path_of_hinge(const plane_slider *p, double by)
{
    enum { STEPS = 4000 };
    plane start = plane_of(p, p->alpha, p->delta);
    double e = offset_of(p), side = start.x[PLANE_P] > 0 ? -1 : 1, rho = 0, alpha = p->alpha;
    for (int k = 0; k <= STEPS; k++) {
        rho = start.x[PLANE_R2] + by * k / STEPS;
        double square = p->a * p->a + p->b * p->b + 2 * p->a * p->b * cos(rho) - e * e;
        alpha = turned(p, rho, side * sqrt(square), alpha);
    }
    return plane_of(p, alpha, alpha + rho);
}

/* along the branch of the start, with the slider moved by that fraction of its range to either
   end */
static plane path_of_slide(const plane_slider *p, double t)
{
    enum { STEPS = 4000 };
    plane start = plane_of(p, p->alpha, p->delta);
    double e = offset_of(p), s0 = -start.x[PLANE_P], fold = floor(start.x[PLANE_R2] / pi);
    double margin = 0.1 * fmin(p->a, p->b), rho = 0, alpha = p->alpha;
    double far = fmax(p->a + p->b - margin, hypot(s0, e));
    double near = fmin(fabs(p->a - p->b) + margin, hypot(s0, e));
    double most = sqrt(far * far - e * e), least = near > fabs(e) ? sqrt(near * near - e * e) : 0;
    if (fabs(e) > fabs(p->a - p->b)) /* it may pass below R1 */
        least = -most;
    double end = (t > 0 ? most : least) * (s0 < 0 && least > 0 ? -1 : 1);
    for (int k = 0; k <= STEPS; k++) {
        double s = s0 + fabs(t) * (end - s0) * k / STEPS;
        double cosine = (s * s + e * e - p->a * p->a - p->b * p->b) / (2 * p->a * p->b);
        rho = fmod(fold, 2) == 0 ? acos(cosine) + fold * pi : (fold + 1) * pi - acos(cosine);
        alpha = turned(p, rho, s, alpha);
    }
    return plane_of(p, alpha, alpha + rho);
}

/* Position at fraction t of a path along the branch of the start. The given joint rotates by 20
   rad, or the slider moves nearly as far as it can. */
static plane path(const plane_slider *p, double t)
{
    double e = offset_of(p), alpha = p->alpha, delta = p->delta;
    if (p->independent == PLANE_R2)
        return path_of_hinge(p, 20 * t);
    if (p->independent == PLANE_P)
        return path_of_slide(p, t);
    if (p->independent == PLANE_R1) {
        double side = cos(delta) > 0 ? 1 : -1, middle = pi * round(delta / pi);
        alpha += 20 * t;
        delta = middle + side * asin((e - p->a * sin(alpha)) / p->b);
    } else {
        double side = cos(alpha) > 0 ? 1 : -1, middle = pi * round(alpha / pi);
        delta += 20 * t;
        alpha = middle + side * asin((e - p->b * sin(delta)) / p->a);
    }
    return plane_of(p, alpha, delta);
}

/* Along the path, γ must equal the planar solution, both from the reference and from the last
   state, with at most three evaluations. G and g must equal the iterated loop's. */
TD_LOOP_TEST(follows_the_plane, 0, 12)
{
    td_random random = {(uint64_t)(200 + _i)};
    enum { STEPS = 24 };
    int passes = 0;
    for (int n = 0, used = 0; used < 12; n++) {
        plane_slider p = draw(&random, _i);
        if (n % 3 == 2)
            p.gear = p.independent == PLANE_P ? 0.2 : -0.3;
        /* nearly singular where a slider passes below R1 */
        double clearance = fabs(offset_of(&p)) - fabs(p.a - p.b);
        if (!has_formula(&p) || (p.independent == PLANE_P && fabs(clearance) < 0.05))
            continue;
        passes += clearance > 0;
        used++;
        fixture f = fixture_new(p);
        size_t nq = td_nq(f.model), nv = td_nv(f.model);
        for (int k = -STEPS; k <= STEPS; k++) {
            plane at = path(&p, (double)k / STEPS);
            double expected[MOST], q[MOST], qd[MOST], qdd[MOST], yd = 0.7, ydd = -1.3;
            double phi[6], y = configuration(&f, &at, expected);
            td_closure_report report = {.size_of = sizeof report};
            for (int from = 0; from < 2; from++) {
                if (from == 0)
                    td_closure_start(f.model, f.w, NULL);
                assert_ok(td_closure(f.model, f.w, &y, &yd, &ydd, q, qd, qdd));
                td_assert_close(nq, q, expected, 1e-12, 10);
            }
            assert_ok(td_constraint_residual(f.model, f.w, q, phi));
            ck_assert_double_le(td_largest(td_constraint_count(f.model), phi), 2e-14);
            assert_ok(td_closure_examine(f.model, f.w, &y, &report));
            ck_assert_uint_le(report.iterations, 3);
            /* the iterated model starts there and computes its G and g independently */
            double other[MOST], other_d[MOST], other_dd[MOST];
            assert_ok(td_closure_start(f.masked, f.masked_w, expected));
            assert_ok(td_closure(f.masked, f.masked_w, &y, &yd, &ydd, other, other_d, other_dd));
            td_assert_close(nq, q, other, 1e-13, 10);
            td_assert_close(nv, qd, other_d, 1e-12, 1);
            td_assert_close(nv, qdd, other_dd, 1e-11, 1);
        }
    }
    ck_assert_int_eq(passes > 0, draw(&random, _i).independent == PLANE_P);
}

/* y in small steps from the reference: in one call, Newton's method may miss a turn where the loop
   is nearly singular on the way */
static td_status walk(const fixture *f, double y, double *q)
{
    int steps = (int)(fabs(y) / 0.05) + 1;
    td_status status = TD_OK;
    td_closure_start(f->masked, f->masked_w, NULL);
    for (int k = 1; k <= steps && status == TD_OK; k++) {
        double there = y * k / steps;
        status = td_closure(f->masked, f->masked_w, &there, NULL, NULL, q, NULL, NULL);
    }
    return status;
}

/* Like Newton's method, whether or not a position can be reached: positions, statuses and the
   remaining residual. */
TD_LOOP_TEST(as_newton_does, 0, 12)
{
    td_random random = {(uint64_t)(300 + _i)};
    int failures = 0;
    for (int n = 0; n < 8; n++) {
        fixture f = fixture_new(draw(&random, _i));
        double reach = f.p.independent == PLANE_P ? 2.5 : 15;
        for (int k = 0; k < 40; k++) {
            double y = reach * td_random_number(&random), q[MOST], other[MOST], left[2];
            td_closure_start(f.model, f.w, NULL);
            td_closure_start(f.masked, f.masked_w, NULL);
            td_status status = td_closure(f.model, f.w, &y, NULL, NULL, q, NULL, NULL);
            td_status expected =
                td_closure(f.masked, f.masked_w, &y, NULL, NULL, other, NULL, NULL);
            ck_assert_int_eq(status, expected);
            ck_assert_uint_eq(td_failed_loop(f.w, &left[0]), td_failed_loop(f.masked_w, &left[1]));
            if (status == TD_OK) {
                if (has_formula(&f.p))
                    assert_ok(walk(&f, y, other));
                td_assert_close(td_nq(f.model), q, other, 1e-11, 10);
            } else {
                td_assert_close(1, &left[0], &left[1], 1e-9, 1);
                failures++;
            }
        }
    }
    ck_assert(failures > 0 || _i != 2); /* cut at R1, with the slider independent */
}

/* Selects the other branch, and additional whole turns, by td_closure_start. */
TD_LOOP_TEST(other_branches, 0, 12)
{
    td_random random = {(uint64_t)(400 + _i)};
    for (int used = 0; used < 12;) {
        plane_slider p = draw(&random, _i);
        if (!has_formula(&p))
            continue;
        used++;
        fixture f = fixture_new(p);
        double alpha = p.alpha, delta = p.delta, e = offset_of(&p);
        double s = p.a * cos(alpha) + p.b * cos(delta), ahead = atan2(e, s);
        if (p.independent == PLANE_R1) {
            delta = pi - delta;
        } else if (p.independent == PLANE_R3) {
            alpha = pi - alpha;
        } else if (p.independent == PLANE_R2) { /* the whole loop rotated to the other side */
            alpha += pi - 2 * ahead;
            delta += pi - 2 * ahead;
        } else {
            alpha = 2 * ahead - alpha;
            delta = 2 * ahead - delta;
        }
        for (int turns = -1; turns <= 1; turns++) {
            double more = 2 * pi * turns, y, q[MOST], found[MOST];
            plane at = plane_of(&p, alpha + more, delta + more);
            if (p.independent == PLANE_R1) /* turns of joints that depend on the given joint only */
                at = plane_of(&p, alpha, delta + more);
            if (p.independent == PLANE_R3)
                at = plane_of(&p, alpha + more, delta);
            y = configuration(&f, &at, q);
            assert_ok(td_closure_start(f.model, f.w, q));
            assert_ok(td_closure(f.model, f.w, &y, NULL, NULL, found, NULL, NULL));
            td_assert_close(td_nq(f.model), found, q, 1e-12, 10);
            double step = y + 0.002;
            assert_ok(td_closure_start(f.masked, f.masked_w, q));
            assert_ok(td_closure(f.masked, f.masked_w, &step, NULL, NULL, q, NULL, NULL));
            assert_ok(td_closure(f.model, f.w, &step, NULL, NULL, found, NULL, NULL));
            td_assert_close(td_nq(f.model), found, q, 1e-12, 10);
            td_closure_start(f.model, f.w, found);
            assert_ok(
                td_batch_closure(f.model, f.w, 1, &step, NULL, NULL, found, NULL, NULL, NULL));
            td_assert_close(td_nq(f.model), found, q, 1e-12, 10);
        }
    }
}

/* A row of a batch does not depend on its neighbors, whether or not they close. */
TD_LOOP_TEST(rows_are_alone, 0, 12)
{
    td_random random = {(uint64_t)(500 + _i)};
    int failures = 0;
    for (int n = 0; n < 6; n++) {
        fixture f = fixture_new(draw(&random, _i));
        size_t nq = td_nq(f.model);
        double y[ROWS], yd[ROWS], q[ROWS * MOST], qd[ROWS * MOST];
        td_status each[ROWS];
        for (int k = 0; k < ROWS; k++)
            y[k] = (f.p.independent == PLANE_P ? 1.5 : 9) * td_random_number(&random);
        td_random_fill(&random, ROWS, yd);
        td_batch_closure(f.model, f.w, ROWS, y, yd, NULL, q, qd, NULL, each);
        for (size_t k = 0; k < ROWS; k++) {
            double alone[MOST], alone_d[MOST];
            td_status status =
                td_batch_closure(f.model, f.w, 1, &y[k], &yd[k], NULL, alone, alone_d, NULL, NULL);
            ck_assert_int_eq(status, each[k]);
            failures += status != TD_OK;
            if (status != TD_OK)
                continue;
            ck_assert_mem_eq(alone, q + k * nq, nq * sizeof *q);
            ck_assert_mem_eq(alone_d, qd + k * nq, nq * sizeof *qd);
            td_closure_start(f.model, f.w, NULL);
            assert_ok(td_closure(f.model, f.w, &y[k], &yd[k], NULL, alone, alone_d, NULL));
            td_assert_close(nq, alone, q + k * nq, 1e-12, 10);
            td_assert_close(nq, alone_d, qd + k * nq, 1e-11, 1);
        }
    }
    ck_assert(failures > 0 || _i != 2);
}

/* ---- near the limits of the formula ---------------------------------------------------------- */

/* closed where R3 is at the distance e from the line of P, and the crank at the angle */
static plane_slider with_offset(int independent, double a, double b, double e, double angle)
{
    plane_slider p = {.a = a, .b = b, .independent = independent, .seed = 77};
    p.ground = p.cut = independent == PLANE_P ? PLANE_R1 : PLANE_P;
    if (independent == PLANE_R3) {
        p.delta = angle;
        p.alpha = asin((e - b * sin(angle)) / a);
    } else {
        p.alpha = angle;
        p.delta = asin((e - a * sin(angle)) / b);
    }
    return p;
}

/* Checks that γ equals the result of Newton's method by small steps, up to the rounding error of
   the shortest link. If the closed form applies it takes at most three evaluations. */
static void agrees(const fixture *f, double y, bool formula)
{
    double q[MOST], other[MOST];
    td_closure_report report = {.size_of = sizeof report};
    td_closure_start(f->model, f->w, NULL);
    assert_ok(td_closure_examine(f->model, f->w, &y, &report));
    ck_assert_int_eq(report.iterations <= 3, formula);
    td_closure_start(f->model, f->w, NULL);
    assert_ok(td_closure(f->model, f->w, &y, NULL, NULL, q, NULL, NULL));
    assert_ok(walk(f, y, other));
    double shortest = fmin(f->p.a, f->p.b) / (f->p.a + f->p.b);
    td_assert_close(td_nq(f->model), q, other, fmax(1e-12, 2e-15 / shortest), 10);
}

/* lengths for which the closed form applies, and others just beyond */
static const struct {
    int independent;
    double a, b, e, reach;
    bool formula;
} lengths[] = {
    /* a crank can make full turns without a singular position */
    {PLANE_R1, 0.3, 0.4 * (1 + 2e-9), 0.1, 5, true},
    {PLANE_R1, 0.3, 0.4 * (1 + 5e-10), 0.1, 0, false},
    {PLANE_R1, 0.3, 0.4 * (1 + 2e-9), -0.1, 5, true},
    {PLANE_R1, 0.3, 0.4 * (1 + 5e-10), -0.1, 0, false},
    {PLANE_R1, 300, 300 * (1 + 2e-9), 0, 5, true},
    {PLANE_R1, 300, 300 * (1 + 5e-10), 0, 0, false},
    {PLANE_R3, 0.4 * (1 + 2e-9), 0.3, 0.1, 5, true},
    {PLANE_R3, 0.4 * (1 + 5e-10), 0.3, 0.1, 0, false},
    /* the sum of the links stays longer than e, whichever link is longer */
    {PLANE_R2, 0.5, 0.3 - 0.5 * 2e-9, 0.2, 5, true},
    {PLANE_R2, 0.5, 0.3 - 0.5 * 5e-10, 0.2, 0, false},
    {PLANE_R2, 0.3 - 0.5 * 2e-9, 0.5, -0.2, 5, true},
    {PLANE_R2, 0.3 - 0.5 * 5e-10, 0.5, -0.2, 0, false},
    {PLANE_R2, 300, 300 * (1 - 2e-9), 0, 1.5, true},
    {PLANE_R2, 300, 300 * (1 - 5e-10), 0, 0, false},
    /* both links have lengths that are not negligible relative to the whole */
    {PLANE_R1, 2e-6 * 70, 70, 0, 5, true},
    {PLANE_R1, 5e-7 * 70, 70, 0, 0, false},
    {PLANE_R3, 70, 2e-6 * 70, 0, 5, true},
    {PLANE_R3, 70, 5e-7 * 70, 0, 0, false},
    {PLANE_R2, 2e-6 * 0.5, 0.5, 0.3, 5, true},
    {PLANE_R2, 5e-7 * 0.5, 0.5, 0.3, 0, false},
    {PLANE_P, 0.7, 2e-6 * 0.7, 0.39524861, 0, true},
    {PLANE_P, 0.7, 5e-7 * 0.7, 0.39524945, 0, false},
};

TD_LOOP_TEST(limits_of_lengths, 0, sizeof lengths / sizeof *lengths)
{
    fixture f = fixture_new(
        with_offset(lengths[_i].independent, lengths[_i].a, lengths[_i].b, lengths[_i].e, 0.6));
    ck_assert_int_eq(form_of(f.model),
                     lengths[_i].formula ? TD_LOOP_FORM_CLOSED_FORM : TD_LOOP_FORM_ITERATED);
    for (int k = -10; k <= 10 && lengths[_i].reach > 0; k++)
        agrees(&f, lengths[_i].reach * k / 10, true);
}

static td_loop_form form_with(plane_slider p)
{
    double sense[PLANE_JOINTS];
    td_model *model = finish(&p, sense);
    td_loop_form form = form_of(model);
    return form;
}

/* Axes within 1e-9 count as parallel, and as orthogonal to the direction of P. An axis that is off
   by more does not, whichever axis it is and whichever joint closes the loop. To the accuracy to
   which such a loop closes, its formula is as accurate as Newton's method. */
TD_LOOP_TEST(limits_of_axes, 0, 12)
{
    td_random random = {600};
    for (int j = 0; j < PLANE_JOINTS; j++)
        for (int sign = -1; sign <= 1; sign += 2) {
            plane_slider p;
            do
                p = draw(&random, _i);
            while (!has_formula(&p));
            p.tilt[j] = sign * 1.4e-9;
            ck_assert_int_eq(form_with(p), TD_LOOP_FORM_ITERATED);
            p.tilt[j] = sign * 7e-10;
            ck_assert_int_eq(form_with(p), TD_LOOP_FORM_CLOSED_FORM);
            p.tilt[j] = sign * 1e-10;
            fixture f = fixture_new(p);
            for (int k = -2; k <= 2; k++)
                agrees(&f, (p.independent == PLANE_P ? 0.002 : 0.5) * k, true);
        }
}

/* A slider passes below R1 if |e| exceeds the difference of the links, using the formula if it does
   so by more than rounding. If |e| is smaller, the other side belongs to another branch. */
TD_TEST(limits_of_passing)
{
    static const struct {
        double more; /* beyond the difference, relative to the longer link */
        td_status other_side;
        bool formula;
    } offsets[] = {
        {2e-2, TD_OK, true},
        {2e-6, TD_OK, true},
        {5e-7, TD_OK, false},
        {-5e-7, TD_ERROR_BRANCH, false},
        {-2e-2, TD_ERROR_BRANCH, false},
    };
    for (size_t n = 0; n < sizeof offsets / sizeof *offsets; n++)
        for (int kind = 0; kind < 4; kind++) {
            double a = kind & 1 ? 0.3 : 0.5, b = kind & 1 ? 0.5 : 0.3;
            double e = (kind & 2 ? -1 : 1) * (0.2 + 0.5 * offsets[n].more);
            fixture f = fixture_new(with_offset(PLANE_P, a, b, e, kind & 2 ? -0.6 : 0.6));
            ck_assert_int_eq(form_of(f.model), TD_LOOP_FORM_CLOSED_FORM);
            double start = a * cos(f.p.alpha) + b * cos(f.p.delta);
            for (int k = 1; k < 9; k++) {
                double near = f.sense[PLANE_P] * (start - 0.07 * k), q[MOST];
                double y = f.sense[PLANE_P] * (start + 0.07 * k), residual;
                agrees(&f, near, true);
                if (offsets[n].other_side == TD_OK) {
                    agrees(&f, y, offsets[n].formula);
                    continue;
                }
                td_closure_start(f.model, f.w, NULL);
                ck_assert_int_eq(td_closure(f.model, f.w, &y, NULL, NULL, q, NULL, NULL),
                                 offsets[n].other_side);
                ck_assert_uint_eq(td_failed_loop(f.w, &residual), 0);
                ck_assert_double_le(residual, 1e-9);
            }
        }
}
