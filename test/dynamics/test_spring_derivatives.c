/* SPDX-License-Identifier: MIT */
/*
 * Contribution of springs and dampers between links to derivatives of inverse dynamics. Random
 * trees with mimic joints are compared with the complex step, quadruple precision, and batches.
 * Also closed forms where a spring's points coincide, springs without effect because both ends are
 * on one body, and derivatives of the state of springs.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "complex_step.h"
#include "sprung_robots.h"

/* ---- random robots ----------------------------------------------------------------------------
 */

enum { LINES = 1, BUSHINGS = 2, UNDAMPED = 4, WITHOUT_LENGTH = 8 };

/* a random tree with all joint types and followers, and springs between random links; one connects
   to a link that does not move if the base is fixed */
static td_model *sprung(td_random *random, size_t joints, td_base base, unsigned kinds)
{
    td_builder *builder = regular_robot(random, joints, 3, false, base);
    td_model *plain = robot_for(builder, base, NULL);
    for (int i = 0; i < 4; i++) {
        const bool bushing = (kinds & BUSHINGS) && (!(kinds & LINES) || i % 2);
        td_spring spring = random_spring(random, plain, bushing, false);
        spring.name = (const char *const[]){"s0", "s1", "s2", "s3"}[i];
        if (i == 0) { /* from the root to the last link */
            spring.predecessor = td_link_at(plain, 0)->name;
            spring.successor = td_link_at(plain, td_link_count(plain) - 1)->name;
        }
        if (kinds & UNDAMPED) {
            spring.damping = 0;
            memset(spring.angular_damping, 0, sizeof spring.angular_damping);
            memset(spring.linear_damping, 0, sizeof spring.linear_damping);
        }
        if (kinds & WITHOUT_LENGTH)
            spring.length = 0;
        assert_ok(td_builder_add_spring(builder, &spring));
    }
    td_model *model = robot_for(builder, base, NULL);
    ck_assert_uint_eq(td_spring_count(model), 4);
    return model;
}

/* the robot of a test, by its number */
static td_model *robot(td_random *random, int number)
{
    static const unsigned kinds[] = {LINES,
                                     BUSHINGS,
                                     LINES | BUSHINGS,
                                     LINES | UNDAMPED | WITHOUT_LENGTH,
                                     BUSHINGS | UNDAMPED,
                                     LINES | WITHOUT_LENGTH};
    const size_t count = sizeof kinds / sizeof *kinds;
    return sprung(random, 3 + (size_t)number % 5, number % 2 ? TD_BASE_FLOATING : TD_BASE_FIXED,
                  kinds[(size_t)number / 2 % count]);
}

enum { ROBOTS = 24 };

/* the largest measured error is 4.4e-14, with other compiler flags 9e-15 */
#define TOLERANCE 2e-13

/* forces of the tests; friction is so smooth that springs are not small next to it */
static void choose_forces(states *s)
{
    s->forces.passive = true;
    s->forces.friction_velocity = 0.5;
}

/* outputs of a call: ∂τ/∂y and ∂τ/∂ẏ */
static const char name[] = "inverse_dynamics_derivatives";

/* column k of the complex step against column k of the matrices */
TD_LOOP_TEST(complex_step, 0, ROBOTS)
{
    td_random random = {(uint64_t)_i + 1};
    td_model *model = robot(&random, _i);
    for (int tree = 0; tree < 2; tree++)
        for (int state = 0; state < 4; state++) {
            fixture *f = fixture_new(&random, model, tree);
            const size_t n = f->n;
            double *got = doubles(n + 2 * n * n), *unit = doubles(n),
                   *expected = doubles(2 * n * n);
            choose_forces(f->s);
            memcpy(got, value(f, name), (n + 2 * n * n) * sizeof *got);
            for (size_t k = 0; k < n; k++) {
                unit[k] = 1;
                for (int part = 0; part < 2; part++) {
                    const double *column =
                        derivative(f, "inverse_dynamics", part ? NULL : unit, part ? unit : NULL);
                    for (size_t i = 0; i < n; i++)
                        expected[(size_t)part * n * n + i * n + k] = column[i];
                }
                unit[k] = 0;
            }
            for (size_t part = 0; part < 2; part++) {
                const double *exact = expected + part * n * n;
                td_assert_close(n * n, got + n + part * n * n, exact, TOLERANCE,
                                td_largest(n * n, exact));
            }
        }
}

/* rows of a batch against single states, and in quadruple precision */
TD_LOOP_TEST(batches, 0, ROBOTS)
{
    enum { ROWS = 11 };
    td_random random = {(uint64_t)_i + 100};
    td_model *model = robot(&random, _i);
    td_model quad = over(model, &td_kernels_quad);
    td_workspace *w = test_workspace(&quad);
    for (int tree = 0; tree < 2; tree++) {
        states *s = states_new(&random, model, tree, ROWS);
        const size_t n = tree ? td_nv(model) : td_nyd(model), size = ROWS * n * (1 + 3 * n);
        double *memory[3];
        choose_forces(s);
        const function *f = named(name);
        for (int k = 0; k < 3; k++) {
            memory[k] = doubles(size);
            states_clear(s, f, tree, NAN);
            arguments a = s->a;
            if (k == 1)
                a.model = &quad, a.w = w;
            if (k < 2)
                assert_ok(function_call(f, &a, tree, true));
            for (size_t row = 0; k == 2 && row < ROWS; row++) {
                a = function_row(f, &s->a, tree, row);
                assert_ok(function_call(f, &a, tree, false));
            }
            memcpy(memory[k], s->memory, size * sizeof *memory[k]);
        }
        for (size_t row = 0; row < ROWS; row++) {
            const arguments a = function_row(f, &s->a, tree, row);
            for (int part = 1; part < 3; part++) {
                const size_t at = (size_t)(a.out[part] - s->memory);
                const double *exact = memory[1] + at, scale = td_largest(n * n, exact);
                td_assert_close(n * n, memory[0] + at, exact, TOLERANCE, scale);
                td_assert_close(n * n, memory[2] + at, exact, TOLERANCE, scale);
            }
        }
    }
}

/* The state of each spring along y and ẏ against sixth-order differences, and the energy of all
   springs along y against the complex step. */
TD_LOOP_TEST(motions, 0, ROBOTS)
{
    enum { NUMBERS = 4 };
    static const double weight[] = {0.75, -0.15, 1.0 / 60}, h = 1e-3;
    td_random random = {(uint64_t)_i + 300};
    td_model *model = robot(&random, _i);
    fixture *f = fixture_new(&random, model, false);
    const size_t n = f->n;
    const double *y = f->s->a.y, *yd = f->s->a.yd;
    double *there = doubles(f->nq), *changed = doubles(2 * n), *unit = changed + n;
    double *found = doubles(2 * NUMBERS * n), *expected = doubles(2 * NUMBERS * n);
    double motion[NUMBERS], other[NUMBERS];
    td_workspace *w = test_workspace(model);
    for (size_t spring = 0; spring < td_spring_count(model); spring++) {
        assert_ok(td_spring_state_derivatives(model, w, spring, y, yd, motion, found,
                                              found + NUMBERS * n));
        assert_ok(td_spring_state(model, w, spring, y, yd, other));
        ck_assert_mem_eq(motion, other, sizeof motion);
        memset(expected, 0, 2 * NUMBERS * n * sizeof *expected);
        for (size_t k = 0; k < n; k++)
            for (int step = -3; step <= 3; step++) {
                if (step == 0)
                    continue;
                const double factor = (step < 0 ? -1 : 1) * weight[abs(step) - 1] / h;
                memset(unit, 0, n * sizeof *unit);
                memcpy(changed, yd, n * sizeof *changed);
                unit[k] = 1;
                td_integrate(model, TD_COORDINATES_INDEPENDENT, y, unit, step * h, there);
                changed[k] += step * h;
                for (size_t of = 0; of < 2; of++) {
                    assert_ok(td_spring_state(model, w, spring, of ? y : there, of ? changed : yd,
                                              other));
                    for (size_t i = 0; i < NUMBERS; i++)
                        expected[(of * NUMBERS + i) * n + k] += factor * other[i];
                }
            }
        for (size_t row = 0; row < 2 * NUMBERS; row++)
            td_assert_close(n, found + row * n, expected + row * n, 1e-8,
                            1 + td_largest(n, expected + row * n));
    }
    f->s->a.scope = TD_SCOPE_SPRINGS;
    memcpy(found, value(f, "energy_derivatives"), (2 + 3 * n) * sizeof *found);
    for (size_t k = 0; k < n; k++) {
        memset(unit, 0, n * sizeof *unit);
        unit[k] = 1;
        expected[k] = derivative(f, "energy", unit, NULL)[1];
    }
    td_assert_close(n, found + 2 + 2 * n, expected, TOLERANCE, 1 + td_largest(n, expected));
}

/* ---- special cases --------------------------------------------------------------------------- */

/* ∂τ/∂y and ∂τ/∂ẏ of a robot at a state, with passive forces; n × n each */
static void derivatives_at(const td_model *model, const double *y, const double *yd, double *dy,
                           double *dyd)
{
    td_workspace *w = test_workspace(model);
    td_forces forces = td_forces_default();
    forces.passive = true;
    assert_ok(td_inverse_dynamics_derivatives(model, w, y, yd, NULL, &forces, NULL, dy, dyd, NULL));
}

enum { FREE = 6, ENTRIES = FREE * FREE };

/* A line spring whose points coincide has no force. Without free length it still has a stiffness
   there in every direction; dampers have no direction there. */
TD_LOOP_TEST(points_that_coincide, 0, 4)
{
    td_spring spring = td_spring_default("line", "base", "body");
    spring.predecessor_origin.position[0] = -1;
    spring.stiffness = 100;
    spring.length = _i & 1 ? 0.5 : 0;
    spring.damping = _i & 2 ? 7 : 0;
    td_model *model = hanging(&spring);
    const double y[7] = {-1, 0, 0, 0, 0, 0, 1}, yd[FREE] = {0, 0, 0, 1, 5, 2};
    double dy[ENTRIES], dyd[ENTRIES], expected[ENTRIES] = {0}, none[ENTRIES] = {0};
    for (int k = 3; k < FREE; k++)
        expected[FREE * k + k] = 100;
    const double at_rest[FREE] = {0};
    derivatives_at(model, y, at_rest, dy, dyd);
    td_assert_close(ENTRIES, dy, expected, 1e-15, 100);
    td_assert_close(ENTRIES, dyd, none, 1e-15, 1);
    double moving_dy[ENTRIES];
    derivatives_at(model, y, yd, moving_dy, dyd); /* 2 kg times ω × v = 0 in the body's axes */
    for (int k = 0; k < 3; k++)
        td_assert_close(3, moving_dy + FREE * (3 + k) + 3, expected + FREE * (3 + k) + 3, 1e-15,
                        100);
}

/* between links of one body, and between links fixed to the world */
TD_LOOP_TEST(ends_that_rest_against_each_other, 0, 4)
{
    td_random random = {(uint64_t)_i + 200};
    td_model *plain = hanging(NULL);
    td_spring spring = random_spring(&random, plain, _i % 2, false);
    spring.predecessor = _i & 2 ? "base" : "body";
    spring.successor = _i & 2 ? "ground" : "plate";
    td_model *model = hanging(&spring);
    double y[7], yd[FREE], got[2][ENTRIES], expected[2][ENTRIES];
    td_draw_configuration(&random, model, false, 2, y);
    td_random_fill(&random, FREE, yd);
    derivatives_at(model, y, yd, got[0], got[1]);
    derivatives_at(plain, y, yd, expected[0], expected[1]);
    td_assert_close(ENTRIES, got[0], expected[0], 1e-14, 100);
    td_assert_close(ENTRIES, got[1], expected[1], 1e-14, 10);
}

#if TANDEM_HAS_URDF
/* where springs balance the weight in every position, forces do not depend on the position */
TD_TEST(lamp_is_balanced)
{
    td_model *model = td_load_robot("lamp.urdf", NULL);
    const size_t n = td_nyd(model);
    double *y = doubles(3 * n), *dy = doubles(3 * n * n), *none = dy + 2 * n * n;
    td_random random = {1};
    for (int i = 0; i < 20; i++) {
        td_random_fill(&random, n, y);
        for (size_t k = 0; k < n; k++)
            y[k] *= 3;
        derivatives_at(model, y, y + n, dy, dy + n * n);
        td_assert_close(n * n, dy, none, 4e-15, 5);
    }
}
#endif
