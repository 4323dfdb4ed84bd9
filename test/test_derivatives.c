/* SPDX-License-Identifier: MIT */
/*
 * Derivatives of the closure along y: against the complex step of the same closure.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "along.h"
#include "functions.h"
#include "loop_robots.h"

enum { ROOM = 128 };

START_TEST(of_mechanisms)
{
    td_random random = {(uint64_t)_i + 1};
    const loop_robot *robot = &loop_robots[_i];
    td_model *model = loop_robot_load(robot);
    td_workspace *w = td_workspace_new(model);
    double y[ROOM];
    int closed = 0;
    for (int n = 0; n < 20; n++) {
        loop_robot_state(&random, robot, model, y);
        if (td_largest_rate(model, w, y) > 10)
            continue;
        closed++;
        along_check_at(&random, model, w, y, 2, 1e-11);
    }
    ck_assert_int_gt(closed, 3);
    td_workspace_free(w);
    td_model_free(model);
}
END_TEST

/* ---- configurations -------------------------------------------------------------------------- */

static td_model *any_robot(uint64_t seed)
{
    td_random random = {seed};
    td_builder *builder = td_random_robot(&random, 8, 3, false);
    td_model *model = robot_for(builder, TD_BASE_FLOATING, NULL);
    td_builder_free(builder);
    return model;
}

/* in y or in the tree's coordinates */
typedef struct manifold {
    const td_model *model;
    bool tree;
    size_t nv;
} manifold;

static void move(const manifold *m, const double *q, const double *v, double dt, double *result)
{
    (m->tree ? td_tree_integrate : td_integrate)(m->model, q, v, dt, result);
}

static void between(const manifold *m, const double *start, const double *end, double *v)
{
    (m->tree ? td_tree_difference : td_difference)(m->model, start, end, v);
}

/* what is differentiated: result = start ⊕ v dt, or v with start ⊕ v = end */
typedef struct point {
    double start[ROOM], end[ROOM], v[ROOM], dt;
} point;

typedef enum argument { MOVE_START, MOVE_VELOCITY, DIFFERENCE_START, DIFFERENCE_END } argument;

/* the change of the value along unit e_a times h, against the value there */
static void changed(const manifold *m, const point *at, argument which, size_t a, double h,
                    double *change)
{
    double unit[ROOM] = {0}, moved[ROOM], result[ROOM], v[ROOM], there[ROOM];
    unit[a] = 1;
    if (which == MOVE_START || which == MOVE_VELOCITY) {
        memcpy(v, at->v, sizeof v);
        v[a] += which == MOVE_VELOCITY ? h : 0;
        move(m, at->start, unit, which == MOVE_START ? h : 0, moved);
        move(m, moved, v, at->dt, result);
        move(m, at->start, at->v, at->dt, there);
        between(m, there, result, change);
    } else {
        move(m, which == DIFFERENCE_START ? at->start : at->end, unit, h, moved);
        between(m, which == DIFFERENCE_START ? moved : at->start,
                which == DIFFERENCE_END ? moved : at->end, change);
    }
}

static void check_argument(const manifold *m, const point *at, argument which, const double *found)
{
    static const double h = 2e-3, weight[] = {0.75, -0.15, 1.0 / 60};
    for (size_t a = 0; a < m->nv; a++) {
        double column[ROOM] = {0}, ours[ROOM], change[ROOM];
        for (int k = 1; k <= 3; k++)
            for (int side = -1; side <= 1; side += 2) {
                changed(m, at, which, a, side * k * h, change);
                for (size_t i = 0; i < m->nv; i++)
                    column[i] += side * weight[k - 1] / h * change[i];
            }
        for (size_t i = 0; i < m->nv; i++)
            ours[i] = found[i * m->nv + a];
        td_assert_close(m->nv, ours, column, 2e-11, 1 + td_largest(m->nv, column));
    }
}

typedef struct jacobians {
    double move_start[ROOM * ROOM], move_v[ROOM * ROOM], start[ROOM * ROOM], end[ROOM * ROOM];
} jacobians;

static jacobians *jacobians_at(const manifold *m, const point *at)
{
    jacobians *j = malloc(sizeof *j);
    ck_assert_ptr_nonnull(j);
    memset(j, 0x55, sizeof *j);
    (m->tree ? td_tree_integrate_derivatives : td_integrate_derivatives)(m->model, at->v, at->dt,
                                                                         j->move_start, j->move_v);
    (m->tree ? td_tree_difference_derivatives
             : td_difference_derivatives)(m->model, at->start, at->end, j->start, j->end);
    return j;
}

/* turns of that length at most, moves as long */
static point point_at(td_random *random, const manifold *m, double turn)
{
    point at = {.dt = 0.7};
    td_draw_configuration(random, m->model, m->tree, 1, at.start);
    td_random_fill(random, m->nv, at.v);
    for (size_t i = 0; i < m->nv; i++)
        at.v[i] *= turn / (at.dt * sqrt(3));
    move(m, at.start, at.v, at.dt, at.end);
    return at;
}

START_TEST(of_configurations)
{
    td_random random = {(uint64_t)_i + 50};
    td_model *model = any_robot((uint64_t)_i);
    static const double turns[] = {0, 1e-9, 1e-5, 0.01, 0.3, 0.7, 1.5, 3.1};
    for (int tree = 0; tree < 2; tree++) {
        const manifold m = {model, tree, tree ? td_nv(model) : td_nyd(model)};
        for (size_t k = 0; k < sizeof turns / sizeof *turns; k++) {
            const point at = point_at(&random, &m, turns[k]);
            jacobians *j = jacobians_at(&m, &at);
            check_argument(&m, &at, MOVE_START, j->move_start);
            check_argument(&m, &at, MOVE_VELOCITY, j->move_v);
            check_argument(&m, &at, DIFFERENCE_START, j->start);
            check_argument(&m, &at, DIFFERENCE_END, j->end);
            free(j);
        }
    }
    td_model_free(model);
}
END_TEST

/* One is the other's inverse, also next to half a turn: ∂v/∂end ∂result/∂v = dt, and
   ∂v/∂start = −∂v/∂end ∂result/∂start. */
START_TEST(undo_each_other)
{
    static const double angles[] = {0,      1e-12, 1e-7, 0.0999,      0.1001, 0.4999,
                                    0.5001, 2,     3.14, M_PI - 1e-9, M_PI};
    td_random random = {7};
    td_model *model = any_robot(3);
    const manifold m = {model, true, td_nv(model)};
    for (size_t k = 0; k < sizeof angles / sizeof *angles; k++) {
        point at = point_at(&random, &m, 1);
        for (size_t i = 0; i < td_movable_count(model); i++) {
            const size_t joint = (size_t)td_movable_joint(model, i);
            const td_joint_place place = td_joint_place_at(model, joint);
            double *w = at.v + place.qd;
            if (td_joint_kind_of(td_joint_at(model, joint)->type)->quaternion < 0)
                continue;
            const double size = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
            for (int c = 0; c < 3; c++)
                w[c] *= angles[k] / (size * at.dt);
        }
        move(&m, at.start, at.v, at.dt, at.end);
        between(&m, at.start, at.end, at.v);
        at.dt = 1;
        jacobians *j = jacobians_at(&m, &at);
        for (size_t r = 0; r < m.nv; r++)
            for (size_t c = 0; c < m.nv; c++) {
                double one = 0, start = 0;
                for (size_t i = 0; i < m.nv; i++) {
                    one += j->end[r * m.nv + i] * j->move_v[i * m.nv + c];
                    start -= j->end[r * m.nv + i] * j->move_start[i * m.nv + c];
                }
                ck_assert_double_le(fabs(one - (r == c)), 2e-14);
                ck_assert_double_le(fabs(start - j->start[r * m.nv + c]), 2e-14);
            }
        free(j);
    }
    td_model_free(model);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("derivatives");
    TCase *closure = tcase_create("closure");
    tcase_add_loop_test(closure, of_mechanisms, 0, (int)loop_robot_count);
    suite_add_tcase(suite, closure);
    TCase *configurations = tcase_create("configurations");
    tcase_add_loop_test(configurations, of_configurations, 0, 6);
    tcase_add_test(configurations, undo_each_other);
    suite_add_tcase(suite, configurations);
    return td_test_run(suite);
}
