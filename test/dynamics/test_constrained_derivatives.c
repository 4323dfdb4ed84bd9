/* SPDX-License-Identifier: MIT */
/*
 * Derivatives of constrained motion of the tree. Along the closure they are compared with those in
 * independent coordinates, and multipliers with the equation of motion. In all directions of the
 * tree, with violated constraints and stabilization, they are compared with sixth-order differences
 * of the motion. Also states where derivatives do not exist.
 */
#include <math.h>
#include <string.h>

#include "constrained_check.h"
#include "functions.h"
#include "loop_robots.h"

/* Violates the loops and adds stabilization, and checks q̇ and q in all directions. Counts the
   compared directions. */
static int check_off(td_random *random, constrained *c, bool open)
{
    double *unit = doubles(c->nv), *q = doubles(c->nq);
    c->options.alpha = 3, c->options.beta = 4;
    td_random_fill(random, c->nv, unit);
    for (size_t i = 0; i < c->nv; i++)
        c->qd[i] += 0.3 * td_random_number(random);
    if (open) {
        td_integrate(c->model, TD_COORDINATES_TREE, c->q, unit, 0.01, q);
        memcpy(c->q, q, c->nq * sizeof *q);
    }
    if (constrained_differentiate(c) != TD_OK) /* redundant rows contradict each other */
        return 0;
    constrained_check_multipliers(c, 1e-11);
    return constrained_check_differences(c, 1e-3, 1e-8);
}

TD_LOOP_TEST(of_loops, 0, loop_robot_count)
{
    td_random random = {(uint64_t)_i + 1};
    const loop_robot *robot = &loop_robots[_i];
    td_model *model = loop_robot_load(robot);
    constrained c = constrained_new(model);
    size_t compared = 0;
    int checked = 0;
    for (int n = 0; n < 12; n++) {
        loop_robot_state(&random, robot, model, c.y);
        if (!(td_largest_rate(model, c.w, c.y) < 10))
            continue;
        constrained_check_at(&random, model, c.y, 1e-11);
        checked++;
        if (n >= 5)
            continue;
        td_random_fill(&random, c.nyd, c.yd);
        td_random_fill(&random, c.nv, c.tau);
        c.forces.passive = n % 2;
        assert_ok(td_closure(model, c.w, c.y, c.yd, NULL, c.q, c.qd, NULL));
        compared += (size_t)check_off(&random, &c, n > 2);
    }
    ck_assert_int_gt(checked, 2);
    /* linear followers, such as the joints of a parallelogram, make some rows of other loops
       redundant */
    const bool redundant = robot->file && (strncmp(robot->file, "goldberg", 8) == 0 ||
                                           strncmp(robot->file, "larm_leg", 8) == 0);
    ck_assert_uint_ge(compared, redundant ? 0 : 4 * c.nv);
}

/* trees with mimic joints and couplings, with joints of all types, without constraints, on floating
   bases */
TD_LOOP_TEST(of_followers, 0, 24)
{
    td_random random = {(uint64_t)_i + 40};
    td_builder *builder = td_random_robot(&random, 3 + (size_t)_i % 6, (size_t)_i % 4, false);
    td_model *model = robot_for(builder, _i % 2 ? TD_BASE_FLOATING : TD_BASE_FIXED, NULL);
    constrained c = constrained_new(model);
    double *ydd = doubles(c.nyd);
    for (int n = 0; n < 3; n++) {
        td_draw_configuration(&random, model, false, 1, c.y);
        td_random_fill(&random, c.nyd, c.yd);
        td_random_fill(&random, c.nv, c.tau);
        if (td_forward_dynamics(model, c.w, c.y, c.yd, NULL, NULL, ydd) != TD_OK)
            continue;
        constrained_check_at(&random, model, c.y, 1e-9); /* some are nearly singular */
        assert_ok(td_closure(model, c.w, c.y, c.yd, NULL, c.q, c.qd, NULL));
        ck_assert_int_gt(check_off(&random, &c, n > 0), 0);
    }
}

#if TANDEM_HAS_URDF
static const char *const files[] = {"hand_a.urdf", "gripper.urdf", "parallelogram.urdf",
                                    "crane.urdf",  "swing.urdf",   "four_bar.urdf"};

TD_LOOP_TEST(of_bundled_robots, 0, 2 * (int)(sizeof files / sizeof *files))
{
    td_random random = {(uint64_t)_i + 80};
    td_load_options options = td_load_options_default();
    options.base = _i % 2 ? TD_BASE_FLOATING : TD_BASE_FIXED;
    td_model *model = td_load_robot(files[_i / 2], &options);
    constrained c = constrained_new(model);
    memcpy(c.y, td_reference(model, TD_COORDINATES_INDEPENDENT), td_ny(model) * sizeof *c.y);
    constrained_check_at(&random, model, c.y, 1e-11);
    td_random_fill(&random, c.nyd, c.yd);
    td_random_fill(&random, c.nv, c.tau);
    assert_ok(td_closure(model, c.w, c.y, c.yd, NULL, c.q, c.qd, NULL));
    check_off(&random, &c, false);
}
#endif

/* all outputs are NaN then, unless they are NULL */
TD_TEST(where_there_are_none)
{
    const loop_robot *robot = &loop_robots[2];
    td_model *model = loop_robot_load(robot);
    constrained c = constrained_new(model);
    td_workspace_options lean = td_workspace_options_default();
    lean.matrices = false;
    td_workspace *w = test_workspace_with(model, &lean), *kept = c.w;
    memcpy(c.y, td_reference(model, TD_COORDINATES_INDEPENDENT), td_ny(model) * sizeof *c.y);
    assert_ok(td_closure(model, c.w, c.y, c.yd, NULL, c.q, c.qd, NULL));
    c.w = w;
    ck_assert_int_eq(constrained_differentiate(&c), TD_ERROR_MATRICES);
    c.w = kept;
    c.q[0] = NAN;
    ck_assert_int_eq(constrained_differentiate(&c), TD_ERROR_NOT_FINITE);
    ck_assert(isnan(c.qdd[0]) && isnan(c.by[0][0]) && isnan(c.lambda_by[2][0]));
}
