/* SPDX-License-Identifier: MIT */
/*
 * Products of derivatives of dynamics with directions and covectors, against the matrices of the
 * same derivatives. Robots are random ones of all joint types with springs, loops of all forms, and
 * bundled robots. Also the complex step, quadruple precision, and workspaces without matrices.
 */
#include <dirent.h>
#include <math.h>
#include <string.h>

#include "complex_step.h"
#include "loop_robots.h"
#include "sprung_robots.h"

/* ---- against matrices ------------------------------------------------------------------------ */

/* Checks a product against a matrix (n × n) times x, or its transpose; NULL: no matrix. size: the
   magnitude that terms of its entries may reach. */
static void add_product(size_t n, const double *A, const double *x, bool transposed, double *sum,
                        double *size)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        double terms = 0;
        for (size_t j = 0; j < n; j++) {
            const double entry = transposed ? A[j * n + i] : A[i * n + j];
            sum[i] += entry * x[j];
            terms += fabs(entry * x[j]);
        }
        most = fmax(most, terms);
    }
    *size += most;
}

/* a function at a state, with a given number of outputs */
static double *outputs(states *s, bool tree, const char *name, size_t count)
{
    const function *f = named(name);
    double *copy = doubles(count);
    states_clear(s, f, tree, NAN);
    assert_ok(function_call(f, &s->a, tree, false));
    memcpy(copy, s->memory, count * sizeof *copy);
    return copy;
}

/* products for one kind of dynamics at a state; the direction has dydd for inverse dynamics and
   dtau for forward dynamics */
static void check_kind(states *s, bool tree, bool forward, double tolerance)
{
    const size_t n = tree ? td_nv(s->a.model) : td_nyd(s->a.model);
    const arguments *a = &s->a;
    double *all =
        outputs(s, tree, forward ? "forward_dynamics_derivatives" : "inverse_dynamics_derivatives",
                n + 3 * n * n);
    double *along =
        outputs(s, tree, forward ? "forward_dynamics_tangent" : "inverse_dynamics_tangent",
                forward ? 2 * n : n);
    double *back =
        outputs(s, tree, forward ? "forward_dynamics_adjoint" : "inverse_dynamics_adjoint",
                forward ? 4 * n : 3 * n);
    const double *direction[] = {a->dy, a->dyd, forward ? a->dtau : a->dydd};
    double *expected = doubles(n), size = 0;
    for (size_t k = 0; k < 3; k++)
        add_product(n, all + n + k * n * n, direction[k], false, expected, &size);
    td_assert_close(n, along + (forward ? n : 0), expected, tolerance, size);
    double *products = doubles(3 * n), sizes[3] = {0};
    for (size_t k = 0; k < 3; k++)
        add_product(n, all + n + k * n * n, a->dtau, true, products + k * n, &sizes[k]);
    for (size_t k = 0; k < 3; k++) /* a product may cancel to rounding */
        td_assert_close(n, back + (k + forward) * n, products + k * n, tolerance,
                        sizes[k] + 0.01 * td_largest(3, sizes));
    if (forward) {
        td_assert_close(n, along, all, 0, 1);
        td_assert_close(n, back, all, 0, 1);
    }
}

/* with all outputs, and with each alone; directions one by one */
static void check_parts(states *s, bool tree, double tolerance)
{
    const size_t n = tree ? td_nv(s->a.model) : td_nyd(s->a.model);
    double *whole = outputs(s, tree, "inverse_dynamics_tangent", n), *sum = doubles(n), size = 0;
    double *back = outputs(s, tree, "inverse_dynamics_adjoint", 3 * n);
    const arguments all = s->a;
    for (int k = 0; k < 3; k++) {
        s->a.dy = k == 0 ? all.dy : NULL, s->a.dyd = k == 1 ? all.dyd : NULL;
        s->a.dydd = k == 2 ? all.dydd : NULL;
        double *part = outputs(s, tree, "inverse_dynamics_tangent", n);
        for (size_t i = 0; i < n; i++)
            sum[i] += part[i];
        size += td_largest(n, part);
        s->a = all;
        const function *f = named("inverse_dynamics_adjoint");
        states_clear(s, f, tree, NAN);
        arguments one = s->a;
        for (int i = 0; i < 3; i++)
            one.out[i] = i == k ? one.out[i] : NULL;
        assert_ok(function_call(f, &one, tree, false));
        ck_assert_int_eq(memcmp(one.out[k], back + (size_t)k * n, n * sizeof *back), 0);
    }
    td_assert_close(n, whole, sum, tolerance, size);
}

static void check_at(states *s, bool tree, double tolerance)
{
    check_kind(s, tree, false, tolerance);
    check_kind(s, tree, true, 100 * tolerance); /* other H⁻¹, condition ≤ 1e5 */
    check_parts(s, tree, tolerance);
}

/* ---- robots ---------------------------------------------------------------------------------- */

/* a random tree with all joint types and followers, and springs and bushings between links */
static td_model *any_robot(td_random *random, int number)
{
    const td_base base = number % 2 ? TD_BASE_FLOATING : TD_BASE_FIXED;
    td_builder *builder =
        regular_robot(random, 2 + (size_t)number % 9, number % 3 ? 3 : 0, number % 5 == 0, base);
    td_model *model = robot_for(builder, base, NULL);
    if (number % 3 == 1) {
        for (int i = 0; i < 4; i++) {
            td_spring spring = random_spring(random, model, i % 2, false);
            spring.name = (const char *const[]){"s0", "s1", "s2", "s3"}[i];
            assert_ok(td_builder_add_spring(builder, &spring));
        }
        model = robot_for(builder, base, NULL);
    }
    return model;
}

TD_LOOP_TEST(of_random_robots, 0, 60)
{
    td_random random = {(uint64_t)_i + 1};
    td_model *model = any_robot(&random, _i);
    for (int tree = 0; tree < 2; tree++)
        for (int state = 0; state < 4; state++) {
            states *s = states_new(&random, model, tree, 1);
            s->forces.friction_velocity = 0.5;
            check_at(s, tree, 1e-13);
        }
}

TD_LOOP_TEST(of_loops, 0, loop_robot_count)
{
    td_random random = {(uint64_t)_i + 1};
    const loop_robot *robot = &loop_robots[_i];
    td_model *model = loop_robot_load(robot);
    int checked = 0;
    for (int state = 0; state < 12; state++) {
        states *s = states_new(&random, model, false, 1);
        s->forces.friction_velocity = 0.5;
        loop_robot_state(&random, robot, model, s->y);
        if (td_largest_rate(model, s->a.w, s->y) < 10) {
            check_at(s, false, 2e-13);
            checked++;
        }
    }
    ck_assert_int_gt(checked, 2);
}

#if TANDEM_HAS_URDF
TD_LOOP_TEST(of_bundled_robots, 0, 2)
{
    DIR *directory = opendir(td_robot_directory());
    ck_assert_ptr_nonnull(directory);
    td_random random = {3};
    int checked = 0;
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        td_load_options options = td_load_options_default();
        options.base = _i ? TD_BASE_FLOATING : TD_BASE_FIXED;
        td_model *model =
            strstr(entry->d_name, ".urdf") ? td_load_robot(entry->d_name, &options) : NULL;
        for (int tree = 0; model && tree < 2; tree++) {
            states *s = states_new(&random, model, tree, 1);
            if (!tree)
                memcpy(s->y, td_reference(model, TD_COORDINATES_INDEPENDENT),
                       td_ny(model) * sizeof *s->y);
            double *ydd = doubles(tree ? td_nv(model) : td_nyd(model));
            const td_status status =
                TD_IN(s->a.w, coordinates_for(tree),
                      td_forward_dynamics(model, s->a.w, s->y, s->yd, s->tau, &s->forces, ydd));
            if (status == TD_OK) {
                check_kind(s, tree, false, 1e-13);
                check_parts(s, tree, 1e-13);
                checked++;
            }
        }
    }
    closedir(directory);
    ck_assert_int_gt(checked, 40);
}
#endif

/* ---- other number types ---------------------------------------------------------------------- */

/* the tangent as the complex step of inverse dynamics along dy and dyd, and with dydd */
TD_LOOP_TEST(complex_step, 0, 20)
{
    td_random random = {(uint64_t)_i + 30};
    td_model *model = any_robot(&random, _i);
    for (int tree = 0; tree < 2; tree++) {
        fixture *f = fixture_new(&random, model, tree);
        const arguments *a = &f->s->a;
        f->s->forces.friction_velocity = 0.5;
        double *got = outputs(f->s, tree, "inverse_dynamics_tangent", f->n);
        double *H = outputs(f->s, tree, "mass_matrix", f->n * f->n), *expected = doubles(f->n);
        memcpy(expected, derivative(f, "inverse_dynamics", a->dy, a->dyd), f->n * sizeof *expected);
        double size = td_largest(f->n, expected);
        add_product(f->n, H, a->dydd, false, expected, &size);
        td_assert_close(f->n, got, expected, 2e-13, size);
    }
}

/* rows of a batch over __float128, and single states */
TD_LOOP_TEST(quadruple_precision, 0, 12)
{
    static const char *const names[] = {"inverse_dynamics_tangent", "inverse_dynamics_adjoint",
                                        "forward_dynamics_tangent", "forward_dynamics_adjoint"};
    td_random random = {(uint64_t)_i + 60};
    td_model *model = any_robot(&random, _i);
    td_model quad = over(model, &td_kernels_quad);
    td_workspace *w = test_workspace(&quad);
    for (int tree = 0; tree < 2; tree++) {
        states *s = states_new(&random, model, tree, 1);
        const size_t n = tree ? td_nv(model) : td_nyd(model);
        s->forces.friction_velocity = 0.5;
        for (int k = 0; k < 4; k++) {
            const size_t parts = k == 0 ? 1 : k == 1 ? 3 : k == 2 ? 2 : 4;
            double *got = outputs(s, tree, names[k], parts * n);
            states_clear(s, named(names[k]), tree, NAN);
            arguments a = s->a;
            a.model = &quad, a.w = w;
            assert_ok(function_call(named(names[k]), &a, tree, true));
            for (size_t part = 0; part < parts; part++)
                td_assert_close(n, got + part * n, a.out[part], k < 2 ? 1e-13 : 1e-10,
                                td_largest(n, a.out[part]) + 1e-2 * td_largest(parts * n, got));
        }
    }
}

/* ---- workspaces without matrices ------------------------------------------------------------- */

TD_LOOP_TEST(without_matrices, 0, 4)
{
    td_random random = {(uint64_t)_i + 90};
    td_builder *builder = chain_of_four_bars(20, CHAIN_OF_CRANK_ROCKERS);
    td_model *model =
        _i ? loop_robot_load(&loop_robots[_i - 1]) : robot_for(builder, TD_BASE_FIXED, NULL);
    td_workspace_options options = td_workspace_options_default();
    options.matrices = false;
    td_workspace *w = test_workspace_with(model, &options);
    states *s = states_new(&random, model, false, 1);
    if (_i)
        loop_robot_state(&random, &loop_robots[_i - 1], model, s->y);
    else
        memcpy(s->y, td_reference(model, TD_COORDINATES_INDEPENDENT), td_ny(model) * sizeof *s->y);
    const size_t n = td_nyd(model);
    double *along = outputs(s, false, "inverse_dynamics_tangent", n);
    double *back = outputs(s, false, "inverse_dynamics_adjoint", 3 * n);
    td_workspace *with = s->a.w;
    s->a.w = w;
    double *lean = outputs(s, false, "inverse_dynamics_tangent", n);
    ck_assert_int_eq(memcmp(along, lean, n * sizeof *along), 0);
    lean = outputs(s, false, "inverse_dynamics_adjoint", 3 * n);
    ck_assert_int_eq(memcmp(back, lean, 3 * n * sizeof *back), 0);
    s->a.w = with;
}
