/* SPDX-License-Identifier: MIT */
/*
 * Tests many loops around few joints. Repeating a loop changes nothing but the multipliers. Memory
 * at load and in the workspace grows linearly with the number of loops, not quadratically. Time
 * would grow like memory: each element of a matrix of rows × rows costs a sum. The linker replaces
 * memory functions by those below (-Wl,--wrap).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/damped.h"
#include "td_test.h"

static size_t bytes; /* allocated so far */

/* __real_x is the original function, __wrap_x the one that the library calls instead */
#define WATCH(name, parameters, arguments, size)                                                   \
    void *__real_##name parameters;                                                                \
    void *__wrap_##name parameters;                                                                \
    void *__wrap_##name parameters                                                                 \
    {                                                                                              \
        bytes += size;                                                                             \
        return __real_##name arguments;                                                            \
    }

WATCH(malloc, (size_t size), (size), size)
WATCH(calloc, (size_t n, size_t size), (n, size), n *size)
WATCH(realloc, (void *old, size_t size), (old, size), size)
WATCH(aligned_alloc, (size_t alignment, size_t size), (alignment, size), size)

/* ---- a four-bar with repeated loops ---------------------------------------------------------- */

enum { JOINTS = 3, MOST_LOOPS = 200, ROWS = 5 };

static void add_bar(td_builder *builder, const char *name, double length)
{
    td_link link = td_solid_link(name, 1 + length, 0.1);
    link.inertial.position[0] = length / 2;
    assert_ok(td_builder_add_link(builder, &link));
}

static void add_pin(td_builder *builder, const char *name, const char *parent, const char *child,
                    double x, int independent)
{
    td_joint joint = td_joint_default(name, TD_JOINT_CONTINUOUS, parent, child);
    joint.origin.position[0] = x;
    joint.axis[0] = 0;
    joint.axis[2] = 1;
    joint.independent = independent;
    assert_ok(td_builder_add_joint(builder, &joint));
}

static td_model *four_bar(int loops)
{
    td_builder *builder = test_builder("four-bar");
    add_bar(builder, "base", 0);
    add_bar(builder, "crank", 0.3);
    add_bar(builder, "rod", 1);
    add_bar(builder, "lever", 0.8);
    add_pin(builder, "driver", "base", "crank", 0, 1);
    add_pin(builder, "pin", "crank", "rod", 0.3, 0);
    add_pin(builder, "swing", "base", "lever", 1, 0);
    for (int i = 0; i < loops; i++) {
        char name[16];
        snprintf(name, sizeof name, "loop%d", i);
        td_loop loop = td_loop_default(name, "rod", "lever");
        loop.predecessor_origin.position[0] = 1;
        loop.successor_origin.position[1] = 0.8;
        loop.axis[0] = 0;
        loop.axis[2] = 1;
        assert_ok(td_builder_add_loop(builder, &loop));
    }
    td_model *model = model_of_builder(builder, NULL);
    ck_assert_uint_eq(td_nyd(model), 1);
    ck_assert_uint_eq(td_constraint_count(model), (size_t)(ROWS * loops));
    return model;
}

TD_TEST(memory_is_linear)
{
    size_t loaded[2], workspace[2];
    for (int k = 0; k < 2; k++) {
        size_t before = bytes;
        td_model *model = four_bar(k ? MOST_LOOPS : MOST_LOOPS / 2);
        loaded[k] = bytes - before;
        workspace[k] = td_workspace_bytes(model, NULL);
    }
    ck_assert_uint_gt(loaded[0], 0);
    ck_assert_msg(2 * loaded[1] < 5 * loaded[0], "%zu bytes, %zu for twice the loops", loaded[0],
                  loaded[1]);
    ck_assert_msg(2 * workspace[1] < 5 * workspace[0], "%zu bytes, %zu for twice the loops",
                  workspace[0], workspace[1]);
}

/* Computes Kᵀ λ. */
static void carry(const td_model *model, td_workspace *w, const double *q, const double *lambda,
                  double *out)
{
    static double K[ROWS * MOST_LOOPS * JOINTS];
    const size_t rows = td_constraint_count(model);
    assert_ok(td_constraint_jacobian(model, w, q, K));
    memset(out, 0, JOINTS * sizeof *out);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < JOINTS; j++)
            out[j] += K[i * JOINTS + j] * lambda[i];
}

TD_TEST(redundant_loops_change_nothing)
{
    td_model *model[2] = {four_bar(1), four_bar(MOST_LOOPS)};
    td_workspace *w[2] = {test_workspace(model[0]), test_workspace(model[1])};
    td_random random = {90};
    for (int state = 0; state < 20; state++) {
        static double lambda[2][ROWS * MOST_LOOPS];
        double y, yd, tau[JOINTS], q[2][JOINTS], qd[2][JOINTS], qdd[2][JOINTS], force[2][JOINTS];
        double ydd[2];
        td_random_fill(&random, 1, &y), td_random_fill(&random, 1, &yd);
        td_random_fill(&random, JOINTS, tau);
        y *= 3;
        for (int k = 0; k < 2; k++) {
            assert_ok(td_closure(model[k], w[k], &y, &yd, NULL, q[k], qd[k], NULL));
            assert_ok(td_forward_dynamics(model[k], w[k], &y, &yd, tau, NULL, &ydd[k]));
            assert_ok(td_constrained_forward_dynamics(model[k], w[k], q[k], qd[k], tau, NULL, NULL,
                                                      qdd[k], lambda[k]));
            carry(model[k], w[k], q[k], lambda[k], force[k]);
        }
        /* equal loops carry equal forces, because λ has minimum norm */
        const size_t rows = td_constraint_count(model[0]);
        for (size_t i = rows; i < td_constraint_count(model[1]); i++)
            ck_assert(fabs(lambda[1][i] - lambda[1][i % rows]) <
                      1e-11 * (1 + td_largest(rows, lambda[0])));
        double in_batch[JOINTS];
        static double batch_lambda[ROWS * MOST_LOOPS];
        assert_ok(td_batch_constrained_forward_dynamics(model[1], w[1], 1, q[1], qd[1], tau, NULL,
                                                        NULL, in_batch, batch_lambda, NULL));
        td_assert_close(JOINTS, in_batch, qdd[1], 1e-12, td_largest(JOINTS, qdd[1]));
        td_assert_close(rows, batch_lambda, lambda[1], 1e-12, 1 + td_largest(rows, lambda[1]));
        td_assert_close(JOINTS, q[0], q[1], 1e-12, 1.0);
        td_assert_close(1, &ydd[0], &ydd[1], 1e-11, 1.0);
        td_assert_close(JOINTS, qdd[0], qdd[1], 1e-11, td_largest(JOINTS, qdd[0]));
        td_assert_close(JOINTS, force[0], force[1], 1e-11, td_largest(JOINTS, force[0]));
    }
    double q[JOINTS] = {NAN, 0, 0}, qd[JOINTS] = {1, 1, 1}, out[JOINTS];
    ck_assert_int_eq(td_project_velocity(model[1], w[1], q, qd, out, NULL), TD_ERROR_NOT_FINITE);
}

/* ---- damped least squares ----------------------------------------------------------------------
 */

enum { MOST = 12 };

/* Returns the residual of (Jᵀ J + damping) x = Jᵀ b, relative to the size of its terms. */
static double rest_of_step(int m, int n, const double *J, const double *b, double damping,
                           const double *x)
{
    long double largest = 0, scale = 0, rest[MOST];
    for (int i = 0; i < m; i++) {
        rest[i] = b[i];
        for (int k = 0; k < n; k++)
            rest[i] -= (long double)J[k * m + i] * x[k];
    }
    for (int k = 0; k < n; k++) {
        long double sum = -(long double)damping * x[k], size = fabsl(sum);
        for (int i = 0; i < m; i++) {
            sum += J[k * m + i] * rest[i];
            size += fabsl(J[k * m + i] * (long double)b[i]);
        }
        largest = fmaxl(largest, fabsl(sum));
        scale = fmaxl(scale, size);
    }
    return (double)(largest / scale);
}

TD_TEST(damped_step)
{
    td_random random = {91};
    double J[MOST * MOST], b[MOST], x[MOST];
    td_stack stack = {0};
    ck_assert(td_take_twice(&stack, td_damped_measure(MOST, MOST, &stack)));
    for (int m = 1; m <= MOST; m++)
        for (int n = 1; n <= MOST; n++)
            for (int zeros = 0; zeros < (n > 1 ? 2 : 1); zeros++) {
                td_random_fill(&random, (size_t)(m * n), J);
                td_random_fill(&random, (size_t)m, b);
                if (zeros)
                    memset(J + (n / 2) * m, 0, (size_t)m * sizeof *J);
                ck_assert(td_damped_step((size_t)m, (size_t)n, J, b, 1e-3, &stack, x));
                double rest = rest_of_step(m, n, J, b, 1e-3, x);
                ck_assert_msg(rest < 1e-12, "%d × %d: %g", m, n, rest);
                ck_assert(!zeros || x[n / 2] == 0);
                ck_assert(!td_damped_step((size_t)m, (size_t)n, J, b, -1e3, &stack, x));
            }
    td_stack_end(&stack);
    const size_t rounding = 3 * (TD_GUARD_BYTES + TD_STACK_ALIGNMENT);
    td_stack of_rows = {0}, of_columns = {0};
    td_damped_measure(2000, 3, &of_rows);
    td_damped_measure(3, 2000, &of_columns);
    ck_assert_uint_le(of_rows.most, 2009 * sizeof(double) + 6 * sizeof(size_t) + rounding);
    ck_assert_uint_le(of_columns.most, 12 * sizeof(double) + 6 * sizeof(size_t) + rounding);
}
