/* SPDX-License-Identifier: MIT */
/*
 * Dynamics with loops by largely independent formulations: in independent coordinates (γ, G and g,
 * equations 8 to 17), in tree coordinates with multipliers (K and k, equation 5), and, for linear
 * loops, with mimic joints instead of the loops. Simulated motions keep their energy to the
 * accuracy of the integration and agree in both kinds of coordinates. The cost of a chain of loops
 * grows linearly.
 */
#include <math.h>
#include <string.h>

#include "loop_robots.h"

/* ---- formulations ---------------------------------------------------------------------------- */

/* a state of a robot, with memory for derived quantities */
typedef struct fixture {
    const loop_robot *robot;
    td_model *model;
    td_workspace *w;
    size_t nq, nv, ny, nyd, rows;
    double *y, *yd, *ydd, *tau_y; /* independent */
    double *q, *qd, *qdd, *tau;   /* of the tree */
    double *G, *H, *H_y, *K, *lambda;
    double *a, *b, *c; /* scratch, nv numbers each */
} fixture;

static fixture fixture_new(const loop_robot *robot, td_model *model)
{
    fixture f = {.robot = robot, .model = model, .w = test_workspace(model)};
    f.nq = td_nq(model), f.nv = td_nv(model), f.ny = td_ny(model), f.nyd = td_nyd(model);
    f.rows = td_constraint_count(model);
    f.y = doubles(f.ny), f.yd = doubles(f.nyd), f.ydd = doubles(f.nyd), f.tau_y = doubles(f.nyd);
    f.q = doubles(f.nq), f.qd = doubles(f.nv), f.qdd = doubles(f.nv), f.tau = doubles(f.nv);
    f.G = doubles(f.nv * f.nyd), f.H = doubles(f.nv * f.nv), f.H_y = doubles(f.nyd * f.nyd);
    f.K = doubles(f.rows * f.nv), f.lambda = doubles(f.rows);
    f.a = doubles(f.nv), f.b = doubles(f.nv), f.c = doubles(f.nv);
    return f;
}

/* draws a state within reach, and computes its γ */
static void draw(fixture *f, td_random *random)
{
    loop_robot_state(random, f->robot, f->model, f->y);
    td_random_fill(random, f->nyd, f->yd);
    td_random_fill(random, f->nyd, f->ydd);
    td_random_fill(random, f->nv, f->tau);
    assert_ok(td_closure(f->model, f->w, f->y, f->yd, f->ydd, f->q, f->qd, f->qdd));
    assert_ok(td_closure_jacobian(f->model, f->w, f->y, f->G));
}

/* Gᵀ x */
static void reduce(const fixture *f, const double *x, double *out)
{
    for (size_t j = 0; j < f->nyd; j++) {
        out[j] = 0;
        for (size_t i = 0; i < f->nv; i++)
            out[j] += f->G[i * f->nyd + j] * x[i];
    }
}

/* Checks τ_y = Gᵀ τ and H_y = Gᵀ H G against the tree. */
static void check_inverse(fixture *f)
{
    double *expected = doubles(f->nyd * f->nyd), *tau = f->a;
    assert_ok(td_inverse_dynamics(f->model, f->w, f->y, f->yd, f->ydd, NULL, f->tau_y));
    assert_ok(
        TD_IN_TREE(f->w, td_inverse_dynamics(f->model, f->w, f->q, f->qd, f->qdd, NULL, tau)));
    reduce(f, tau, expected);
    double lever = fmax(1, td_largest(f->nv * f->nyd, f->G));
    td_assert_close(f->nyd, f->tau_y, expected, 1e-14, td_largest(f->nv, tau) * lever);
    assert_ok(td_mass_matrix(f->model, f->w, f->y, NULL, f->H_y));
    assert_ok(TD_IN_TREE(f->w, td_mass_matrix(f->model, f->w, f->q, NULL, f->H)));
    for (size_t i = 0; i < f->nyd; i++) {
        for (size_t k = 0; k < f->nv; k++) {
            f->a[k] = 0;
            for (size_t j = 0; j < f->nv; j++)
                f->a[k] += f->H[k * f->nv + j] * f->G[j * f->nyd + i];
        }
        reduce(f, f->a, expected + i * f->nyd);
    }
    double size = td_largest(f->nv * f->nv, f->H) * lever * lever;
    td_assert_close(f->nyd * f->nyd, f->H_y, expected, 1e-14, size);
}

/* Checks q̈ = G ÿ + g and τ_c = H q̈ + C − τ of the motion under arbitrary tree forces τ against
   equation 5 with Kᵀ λ. Constraints cancel most of the unconstrained motion, so errors are relative
   to that motion. The largest differences on these robots are 5e-13 and 1e-13. */
static void check_forward(fixture *f)
{
    double *qdd = f->a, *unheld = f->b, *tau_c = f->c, *found = f->qd;
    reduce(f, f->tau, f->tau_y);
    assert_ok(td_forward_dynamics(f->model, f->w, f->y, f->yd, f->tau_y, NULL, f->ydd));
    assert_ok(td_closure(f->model, f->w, f->y, f->yd, f->ydd, NULL, NULL, f->qdd));
    assert_ok(
        TD_IN_TREE(f->w, td_forward_dynamics(f->model, f->w, f->q, f->qd, f->tau, NULL, unheld)));
    assert_ok(td_constrained_forward_dynamics(f->model, f->w, f->q, f->qd, f->tau, NULL, NULL, qdd,
                                              f->lambda));
    double size = td_largest(f->nv, unheld);
    td_assert_close(f->nv, qdd, f->qdd, 1e-12, size);
    assert_ok(td_constraint_force(f->model, f->w, f->y, f->yd, f->ydd, f->tau, NULL, tau_c));
    assert_ok(td_constraint_jacobian(f->model, f->w, f->q, f->K));
    for (size_t j = 0; j < f->nv; j++) {
        found[j] = 0;
        for (size_t i = 0; i < f->rows; i++)
            found[j] += f->K[i * f->nv + j] * f->lambda[i];
    }
    size = 1 + size * td_largest(f->nv * f->nv, f->H);
    td_assert_close(f->nv, found, tau_c, 1e-12, size);
}

TD_LOOP_TEST(formulations, 0, loop_robot_count)
{
    fixture f = fixture_new(&loop_robots[_i], loop_robot_load(&loop_robots[_i]));
    td_random random = {(uint64_t)(100 + _i)};
    for (int i = 0; i < 30; i++) {
        draw(&f, &random);
        check_inverse(&f);
        check_forward(&f);
    }
}

/* ---- loops replaced by mimic joints ---------------------------------------------------------- */

static td_model *load_chain(size_t modules, unsigned kind, td_base base, td_plan plan)
{
    td_load_options options = td_load_options_default();
    options.base = base;
    options.plan = plan;
    td_builder *builder = chain_of_four_bars(modules, kind);
    return model_of_builder(builder, &options);
}

/* Two models of one robot with the same independent coordinates. */
static void check_same(const td_model *first, const td_model *second, uint64_t seed)
{
    td_random random = {seed};
    const td_model *model[2] = {first, second};
    td_workspace *w[2] = {test_workspace(first), test_workspace(second)};
    size_t n = td_nyd(first), nv = td_nv(first), nq = td_nq(first);
    ck_assert_uint_eq(n, td_nyd(second));
    ck_assert_uint_eq(nv, td_nv(second));
    double *y = doubles(td_ny(first)), *yd = doubles(n), *x = doubles(n);
    double *out[2] = {doubles(nq + n * n), doubles(nq + n * n)};
    for (int state = 0; state < 20; state++) {
        td_draw_configuration(&random, first, false, 3, y);
        td_random_fill(&random, n, yd);
        td_random_fill(&random, n, x);
        for (int k = 0; k < 2; k++)
            assert_ok(td_closure(model[k], w[k], y, yd, x, out[k], NULL, NULL));
        td_assert_close(nq, out[0], out[1], 1e-13, 1);
        for (int k = 0; k < 2; k++)
            assert_ok(td_closure(model[k], w[k], y, yd, x, NULL, NULL, out[k]));
        td_assert_close(nv, out[0], out[1], 1e-13, td_largest(nv, out[0]));
        for (int k = 0; k < 2; k++)
            assert_ok(td_inverse_dynamics(model[k], w[k], y, yd, x, NULL, out[k]));
        td_assert_close(n, out[0], out[1], 1e-13, td_largest(n, out[0]));
        for (int k = 0; k < 2; k++)
            assert_ok(td_mass_matrix(model[k], w[k], y, NULL, out[k]));
        td_assert_close(n * n, out[0], out[1], 1e-13, td_largest(n * n, out[0]));
        for (int k = 0; k < 2; k++)
            assert_ok(td_forward_dynamics(model[k], w[k], y, yd, x, NULL, out[k]));
        td_assert_close(n, out[0], out[1], 1e-12, td_largest(n, out[0]));
    }
}

/* Parallelograms closed by linear loops, by iterated loops, and by mimic joints. */
TD_LOOP_TEST(cut_and_mimic, 0, 2)
{
    const unsigned geared = _i ? CHAIN_GEARED : 0, bars = CHAIN_OF_PARALLELOGRAMS | geared;
    for (size_t modules = 1; modules <= 4; modules++)
        for (int plan = TD_PLAN_CLUSTER; plan <= TD_PLAN_REDUCED; plan++) {
            td_base base = modules % 2 ? TD_BASE_FIXED : TD_BASE_FLOATING;
            td_model *closed = load_chain(modules, bars, base, (td_plan)plan);
            td_model *cut = load_chain(modules, bars | CHAIN_CUT, base, (td_plan)plan);
            for (size_t i = 0; i < modules; i++)
                ck_assert_int_eq(td_loop_place_at(closed, i).form,
                                 geared ? TD_LOOP_FORM_CLOSED_FORM : TD_LOOP_FORM_LINEAR);
            check_same(closed, cut, 200 + modules);
        }
}

#if TANDEM_HAS_URDF
TD_TEST(cut_and_mimic_of_files)
{
    td_model *closed = td_load_robot("parallelogram_loop.urdf", NULL);
    td_model *cut = td_load_robot("parallelogram.urdf", NULL);
    check_same(closed, cut, 210);
}
#endif

/* ---- chains ----------------------------------------------------------------------------------
 */

/* The cost grows linearly with the number of loops. Each loop forms a separate cluster of the same
   size. G and M have the same number of entries for each loop, and forward dynamics has clusters of
   one loop. Other loops do not increase the number of evaluations of a loop. */
TD_TEST(chains_are_linear)
{
    size_t evaluations = 0;
    for (size_t modules = 1; modules <= 64; modules *= 2) {
        td_model *model =
            load_chain(modules, CHAIN_OF_CRANK_ROCKERS, TD_BASE_FIXED, TD_PLAN_CLUSTER);
        td_workspace *w = test_workspace(model);
        td_sparse G = td_closure_velocity_matrix(model), M = td_closure_matrix(model);
        ck_assert_uint_eq(td_loop_cluster_count(model), modules);
        for (size_t i = 0; i < modules; i++) {
            td_loop_cluster cluster = td_loop_cluster_at(model, i);
            ck_assert_uint_eq(cluster.loops, 1);
            ck_assert_uint_eq(cluster.rows, 5);
            ck_assert_uint_eq(cluster.rank, 2);
            ck_assert_uint_eq(cluster.independent, 1);
        }
        ck_assert_uint_eq(G.row[G.rows], 3 * modules);
        ck_assert_uint_eq(M.row[M.rows], 3 * modules);
        ck_assert_uint_eq(td_plan_of(model).clusters, modules);
        ck_assert_uint_eq(td_plan_of(model).largest_cluster, 3);
        double *y = doubles(modules);
        td_closure_report report = {.size_of = sizeof report};
        for (size_t i = 0; i < modules; i++)
            y[i] = 2;
        assert_ok(td_closure_examine(model, w, y, &report));
        if (modules == 1)
            evaluations = report.iterations;
        ck_assert_uint_eq(report.iterations, evaluations);
        ck_assert_double_le(report.residual, 1e-14);
    }
}

/* ---- energy ----------------------------------------------------------------------------------
 */

/* A lossless motion. Springs along the independent coordinates keep mechanisms with a small range
   within it. */
typedef struct motion {
    loop_robot robot;
    double stiffness; /* N/m or N m/rad, from the reference */
    double speed;     /* initial speed of the first independent joint; others are slower */
    double time, step;
    double turns; /* least number of turns of the first independent joint */
    double drift; /* energy error at the smaller step, relative to the largest kinetic energy */
    double difference; /* between the two kinds of coordinates there, and with Baumgarte
                          stabilization (rad, m) */
} motion;

static const motion motions[] = {
#if TANDEM_HAS_URDF
    {{"four_bar.urdf", 0, TD_BASE_FIXED, 0, NULL}, 0, 20, 10, 1e-3, 30, 3e-7, 1e-4},
    {{"five_bar.urdf", 0, TD_BASE_FIXED, 0, NULL}, 1000, 0.5, 4, 5e-4, 0, 5e-8, 1e-11},
    {{"stewart.urdf", 0, TD_BASE_FLOATING, 0, NULL}, 2000, 0.2, 2, 4e-3, 0, 5e-10, 5e-8},
#endif
    {{NULL, 2, TD_BASE_FLOATING, 0, NULL}, 20, 2, 4, 2e-3, 0, 1e-10, 1e-9},
};

/* one way to integrate: in independent coordinates, or in tree coordinates with multipliers */
typedef struct course {
    const motion *m;
    td_model *model;
    td_workspace *w;
    bool tree;
    size_t nq, nv;
    double *x, *middle, *k, *sum, *tau; /* x: position and velocity; rates of them */
} course;

static course course_new(const motion *m, bool tree)
{
    course c = {.m = m, .model = loop_robot_load(&m->robot), .tree = tree};
    c.w = test_workspace(c.model);
    c.nq = tree ? td_nq(c.model) : td_ny(c.model);
    c.nv = tree ? td_nv(c.model) : td_nyd(c.model);
    size_t n = c.nq + c.nv;
    c.x = doubles(n), c.middle = doubles(n), c.k = doubles(n), c.sum = doubles(n);
    c.tau = doubles(c.nv);
    return c;
}

/* the springs' forces, and their energy */
static double spring(course *c, const double *x)
{
    double energy = 0;
    memset(c->tau, 0, c->nv * sizeof *c->tau);
    for (size_t i = 0; i < td_independent_count(c->model); i++) {
        td_joint_place at = td_joint_place_at(c->model, td_independent_joint(c->model, i));
        if (at.nq != 1)
            continue;
        double stretch =
            x[c->tree ? at.q : at.y] - td_reference(c->model, TD_COORDINATES_TREE)[at.q];
        c->tau[c->tree ? at.qd : at.yd] = -c->m->stiffness * stretch;
        energy += c->m->stiffness * stretch * stretch / 2;
    }
    return energy;
}

/* at x, whose quaternions are slightly too long after the stages */
static void rates(course *c, double *x, double *k)
{
    td_normalize(c->model, coordinates_for(c->tree), x);
    td_constraint_options baumgarte = td_constraint_options_default();
    baumgarte.alpha = baumgarte.beta = 20;
    spring(c, x);
    td_coordinate_rate(c->model, c->tree, x, x + c->nq, k);
    td_status status =
        c->tree ? td_constrained_forward_dynamics(c->model, c->w, x, x + c->nq, c->tau, NULL,
                                                  &baumgarte, k + c->nq, NULL)
                : td_forward_dynamics(c->model, c->w, x, x + c->nq, c->tau, NULL, k + c->nq);
    ck_assert_msg(status == TD_OK, "%s", td_status_text(status));
}

/* classical Runge-Kutta method of order 4 */
static void advance(course *c, double h)
{
    static const double part[4] = {0.5, 0.5, 1, 0}, weight[4] = {1, 2, 2, 1};
    size_t n = c->nq + c->nv;
    memcpy(c->middle, c->x, n * sizeof *c->x);
    memset(c->sum, 0, n * sizeof *c->sum);
    for (int stage = 0; stage < 4; stage++) {
        rates(c, c->middle, c->k);
        for (size_t i = 0; i < n; i++) {
            c->sum[i] += weight[stage] * c->k[i];
            c->middle[i] = c->x[i] + part[stage] * h * c->k[i];
        }
    }
    for (size_t i = 0; i < n; i++)
        c->x[i] += h / 6 * c->sum[i];
    td_normalize(c->model, coordinates_for(c->tree), c->x);
}

static double energy(course *c, double *kinetic)
{
    double parts[2];
    TD_IN(c->w, coordinates_for(c->tree),
          td_energy(c->model, c->w, c->x, c->x + c->nq, TD_SCOPE_ALL, parts));
    *kinetic = parts[0];
    return parts[0] + parts[1] + spring(c, c->x);
}

/* start of the motion in both kinds of coordinates */
static void start(course *c)
{
    size_t ny = td_ny(c->model), nyd = td_nyd(c->model), nv = td_nv(c->model);
    double *y = doubles(ny), *yd = doubles(nyd), *q = doubles(td_nq(c->model)), *qd = doubles(nv);
    double speed = c->m->speed;
    for (size_t i = 0; i < td_independent_count(c->model); i++) {
        td_joint_place at = td_joint_place_at(c->model, td_independent_joint(c->model, i));
        memcpy(y + at.y, td_reference(c->model, TD_COORDINATES_TREE) + at.q, at.nq * sizeof *y);
        if (at.nq == 1)
            yd[at.yd] = speed, speed *= -0.7;
        else
            memcpy(yd + at.yd, (double[]){0.3, -0.5, 1, 0, 0.2, 0}, 6 * sizeof *yd);
    }
    assert_ok(td_closure(c->model, c->w, y, yd, NULL, q, qd, NULL));
    memcpy(c->x, c->tree ? q : y, c->nq * sizeof *y);
    memcpy(c->x + c->nq, c->tree ? qd : yd, c->nv * sizeof *yd);
}

/* results of a motion */
typedef struct record {
    double drift[2]; /* of energy: largest in the first half and in total, for y and q */
    double tree_drift, difference, turns;
} record;

/* Integrates the motion in both ways with that step. */
static record integrate(const motion *m, double h)
{
    course c = course_new(m, false), t = course_new(m, true);
    start(&c), start(&t);
    double kinetic, largest, *q = doubles(t.nq);
    double E = energy(&c, &largest), E_tree = energy(&t, &kinetic), first = c.x[0];
    record r = {.turns = 0};
    long n = lround(m->time / h);
    for (long i = 0; i < n; i++) {
        advance(&c, h), advance(&t, h);
        r.drift[1] = fmax(r.drift[1], fabs(energy(&c, &kinetic) - E));
        largest = fmax(largest, kinetic);
        r.tree_drift = fmax(r.tree_drift, fabs(energy(&t, &kinetic) - E_tree));
        assert_ok(td_closure(c.model, c.w, c.x, NULL, NULL, q, NULL, NULL));
        r.difference = fmax(r.difference, td_largest_difference(t.nq, q, t.x));
        if (i == n / 2)
            r.drift[0] = r.drift[1];
    }
    r.drift[0] /= largest, r.drift[1] /= largest, r.tree_drift /= largest;
    r.turns = fabs(c.x[0] - first) / (2 * acos(-1.0));
    return r;
}

/* Distant configurations take few evaluations: steps along γ are as long as their corrections
   allow. A call continues from where the last one closed. */
TD_TEST(steps_are_long)
{
    td_model *model = load_chain(1, CHAIN_OF_CRANK_ROCKERS, TD_BASE_FIXED, TD_PLAN_CLUSTER);
    td_workspace *w = test_workspace(model);
    static const struct {
        double y;
        size_t most; /* slightly more than needed */
    } calls[] = {{2, 60}, {0.5, 32}, {1, 13}, {1.5, 13}, {2, 13}, {2.5, 13}};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        td_closure_report report = {.size_of = sizeof report};
        assert_ok(td_closure_examine(model, w, &calls[i].y, &report));
        ck_assert_msg(report.iterations <= calls[i].most, "%zu evaluations to %g",
                      report.iterations, calls[i].y);
    }
}

#if TANDEM_HAS_URDF
/* At the start of γ a call takes one evaluation at the start and one at y; farther away it takes
   more. */
TD_TEST(evaluations_are_counted)
{
    td_model *model = td_load_robot("five_bar.urdf", NULL);
    td_workspace *w = test_workspace(model);
    td_closure_report report = {.size_of = sizeof report};
    double y[2];
    assert_ok(
        td_independent_coordinates(model, w, td_reference(model, TD_COORDINATES_TREE), y, NULL));
    assert_ok(td_closure_examine(model, w, y, &report));
    ck_assert_uint_eq(report.iterations, 2);
    y[0] += 0.05;
    assert_ok(td_closure_examine(model, w, y, &report));
    ck_assert_uint_gt(report.iterations, 2);
}
#endif

/* The energy error comes from the integration steps. It decreases at least as h⁴ and grows no
   faster than time. The same holds in tree coordinates with multipliers, where stabilization keeps
   the loops closed, and the motion is the same. */
TD_LOOP_TEST(energy_is_kept, 0, sizeof motions / sizeof *motions)
{
    const motion *m = &motions[_i];
    record coarse = integrate(m, m->step), fine = integrate(m, m->step / 2);
    ck_assert_double_ge(fine.turns, m->turns);
    ck_assert_double_le(fine.drift[1], m->drift);
    ck_assert_double_le(fine.tree_drift, m->drift);
    ck_assert_double_le(fine.difference, m->difference);
    ck_assert_double_ge(coarse.drift[1], 14 * fine.drift[1]);
    ck_assert_double_ge(coarse.tree_drift, 14 * fine.tree_drift);
    ck_assert_double_ge(coarse.difference, 12 * fine.difference);
    ck_assert_double_le(fine.drift[1], 2.5 * fine.drift[0]);
}
