/* SPDX-License-Identifier: MIT */
/*
 * Derivatives of the closure along y against the complex step of the same closure and against
 * differences. Also derivatives of integration and difference of configurations.
 */
#include <dirent.h>
#include <math.h>
#include <string.h>

#include "along.h"
#include "functions.h"
#include "loop_robots.h"

enum { ROOM = 128 };

static void check_differences(td_random *random, const td_model *model, td_workspace *w,
                              const double *y, double tolerance)
{
    double yd[ROOM], ydd[ROOM], tau[ROOM];
    td_random_fill(random, td_nyd(model), yd);
    td_random_fill(random, td_nyd(model), ydd);
    td_random_fill(random, td_nv(model), tau);
    along_check_differences(model, w, y, yd, ydd, tau, 1e-3, tolerance);
}

TD_LOOP_TEST(of_mechanisms, 0, loop_robot_count)
{
    td_random random = {(uint64_t)_i + 1};
    const loop_robot *robot = &loop_robots[_i];
    td_model *model = loop_robot_load(robot);
    td_workspace *w = test_workspace(model);
    double y[ROOM];
    int closed = 0;
    for (int n = 0; n < 20; n++) {
        loop_robot_state(&random, robot, model, y);
        if (td_largest_rate(model, w, y) > 10)
            continue;
        closed++;
        along_check_at(&random, model, w, y, 2, 1e-12);
        if (closed < 4)
            check_differences(&random, model, w, y, 1e-9);
    }
    ck_assert_int_gt(closed, 3);
}

#if TANDEM_HAS_URDF
/* draws y near the reference, displaced along random velocities; returns whether it closes */
static bool nearby(td_random *random, const td_model *model, td_workspace *w, double *y)
{
    double start[ROOM], yd[ROOM], q[ROOM];
    memcpy(start, td_reference(model, TD_COORDINATES_INDEPENDENT), td_ny(model) * sizeof *start);
    td_random_fill(random, td_nyd(model), yd);
    td_integrate(model, TD_COORDINATES_INDEPENDENT, start, yd, 0.02, y);
    if (!(td_largest_rate(model, w, y) < 20) ||
        td_closure(model, w, y, NULL, NULL, q, NULL, NULL) != TD_OK)
        return false;
    return td_independent_coordinates(model, w, q, y, NULL) == TD_OK; /* poses that γ moves */
}

/* every available robot, also with a floating base */
TD_LOOP_TEST(of_bundled_robots, 0, 2)
{
    DIR *directory = opendir(td_robot_directory());
    ck_assert_ptr_nonnull(directory);
    td_random random = {3};
    int checked = 0;
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (!strstr(entry->d_name, ".urdf"))
            continue;
        td_load_options options = td_load_options_default();
        options.base = _i ? TD_BASE_FLOATING : TD_BASE_FIXED;
        td_model *model = td_load_robot(entry->d_name, &options);
        if (!model || td_nq(model) > ROOM) {
            continue;
        }
        td_workspace *w = test_workspace(model);
        double y[ROOM];
        for (int n = 0; n < 3; n++)
            if (nearby(&random, model, w, y)) {
                along_check_at(&random, model, w, y, 1, 1e-11);
                checked++;
            }
    }
    closedir(directory);
    ck_assert_int_gt(checked, 60);
}
#endif

/* Planar loops by closed form and by Newton's method must have the same derivatives. */
TD_LOOP_TEST(formulas_as_followed, 0, 3)
{
    td_random random = {(uint64_t)_i + 1};
    static const int joints[] = {PLANE_R1, PLANE_R2, PLANE_P};
    static const int cuts[] = {PLANE_P, PLANE_R3, PLANE_R1};
    td_model *model[2];
    td_workspace *w[2];
    for (int m = 0; m < 2; m++) {
        double sense[PLANE_JOINTS];
        const plane_slider slider = {.a = 0.3,
                                     .b = 0.7,
                                     .alpha = 0.8,
                                     .delta = -0.3,
                                     .ground = _i,
                                     .cut = cuts[_i],
                                     .independent = joints[_i],
                                     .masked = m,
                                     .seed = (uint64_t)_i + 5};
        td_builder *builder = plane_slider_builder(&slider, sense);
        model[m] = robot_for(builder, TD_BASE_FIXED, NULL);
        w[m] = test_workspace(model[m]);
    }
    ck_assert_int_eq(td_loop_place_at(model[0], 0).form, TD_LOOP_FORM_CLOSED_FORM);
    ck_assert_int_eq(td_loop_place_at(model[1], 0).form, TD_LOOP_FORM_ITERATED);
    for (int n = 0; n < 20; n++) {
        double y[1], yd[1], ydd[1], tau[3], found[2][10];
        td_random_fill(&random, 1, y), y[0] *= 0.1;
        td_random_fill(&random, 1, yd), td_random_fill(&random, 1, ydd);
        td_random_fill(&random, 3, tau);
        for (int m = 0; m < 2; m++)
            assert_ok(td_closure_derivatives(model[m], w[m], y, yd, ydd, tau, found[m],
                                             found[m] + 3, found[m] + 6, found[m] + 9));
        td_assert_close(10, found[0], found[1], 1e-13, 1 + td_largest(10, found[1]));
    }
}

/* Rows of a batch must equal single calls, with all outputs and with each output alone. */
TD_LOOP_TEST(batches, 0, loop_robot_count)
{
    enum { STATES = 19 };
    td_random random = {(uint64_t)_i + 1};
    td_model *model = loop_robot_load(&loop_robots[_i]);
    td_workspace *w = test_workspace(model);
    const size_t nv = td_nv(model), n = td_nyd(model), ny = td_ny(model);
    const size_t sizes[] = {nv * n, nv * n, nv * n, n * n};
    double *y = doubles(STATES * (ny + 3 * nv)), *yd = y + STATES * ny;
    double *ydd = yd + STATES * n, *tau = ydd + STATES * n, *many[4], *one[4], *lone[4];
    for (int k = 0; k < 4; k++) {
        many[k] = doubles(STATES * sizes[k]);
        lone[k] = doubles(STATES * sizes[k]);
        one[k] = doubles(sizes[k]);
    }
    for (size_t i = 0; i < STATES;) {
        loop_robot_state(&random, &loop_robots[_i], model, y + i * ny);
        i += td_largest_rate(model, w, y + i * ny) < 200;
    }
    td_random_fill(&random, STATES * n, yd);
    td_random_fill(&random, STATES * n, ydd);
    td_random_fill(&random, STATES * nv, tau);
    assert_ok(td_batch_closure_derivatives(model, w, STATES, y, yd, ydd, tau, many[0], many[1],
                                           many[2], many[3], NULL));
    for (int k = 0; k < 4; k++) {
        assert_ok(td_batch_closure_derivatives(
            model, w, STATES, y, yd, ydd, tau, k == 0 ? lone[0] : NULL, k == 1 ? lone[1] : NULL,
            k == 2 ? lone[2] : NULL, k == 3 ? lone[3] : NULL, NULL));
        ck_assert_int_eq(memcmp(lone[k], many[k], STATES * sizes[k] * sizeof(double)), 0);
    }
    for (size_t i = 0; i < STATES; i++) {
        assert_ok(td_closure_derivatives(model, w, y + i * ny, yd + i * n, ydd + i * n,
                                         tau + i * nv, one[0], one[1], one[2], one[3]));
        for (int k = 0; k < 4; k++)
            td_assert_close(sizes[k], many[k] + i * sizes[k], one[k], 1e-11,
                            1 + td_largest(sizes[k], one[k]));
    }
}

/* Linear couplings have zero derivatives; inputs may be omitted. */
TD_LOOP_TEST(of_linear_couplings, 0, 2)
{
    td_random random = {(uint64_t)_i + 20};
    td_builder *builder = _i ? chain_of_four_bars(3, CHAIN_OF_PARALLELOGRAMS)
                             : td_random_robot(&random, 12, 5, false);
    td_model *model = robot_for(builder, TD_BASE_FIXED, NULL);
    td_workspace *w = test_workspace(model);
    const size_t nv = td_nv(model), n = td_nyd(model), sizes[] = {nv * n, nv * n, nv * n, n * n};
    double y[ROOM], yd[ROOM], tau[ROOM], found[4][ROOM * ROOM];
    td_draw_configuration(&random, model, false, 1, y);
    td_random_fill(&random, n, yd);
    td_random_fill(&random, nv, tau);
    for (int k = 0; k < 4; k++)
        for (size_t i = 0; i < sizes[k]; i++)
            found[k][i] = NAN;
    assert_ok(
        td_closure_derivatives(model, w, y, yd, NULL, tau, found[0], found[1], found[2], found[3]));
    for (int k = 0; k < 4; k++)
        for (size_t i = 0; i < sizes[k]; i++)
            ck_assert(found[k][i] == 0);
}

/* Near a dead point of the slider, derivatives grow and stay accurate as far as γ exists. Beyond,
   calls return a status, not large numbers. */
TD_LOOP_TEST(next_to_dead_points, 0, 2)
{
    double sense[PLANE_JOINTS];
    const plane_slider slider = {.a = 0.4,
                                 .b = 0.5,
                                 .alpha = 0.4,
                                 .delta = 1.6,
                                 .ground = 2,
                                 .cut = PLANE_R1,
                                 .independent = PLANE_P,
                                 .masked = _i,
                                 .seed = 3};
    td_builder *builder = plane_slider_builder(&slider, sense);
    td_model *model = robot_for(builder, TD_BASE_FIXED, NULL);
    td_workspace *w = test_workspace(model);
    td_random random = {9};
    /* distance of the slider from the position where both links are in line: there (s, e) has
       length a + b */
    const double s = slider.a * cos(slider.alpha) + slider.b * cos(slider.delta);
    const double e = slider.a * sin(slider.alpha) + slider.b * sin(slider.delta);
    const double end = sense[PLANE_P] * (s - sqrt(pow(slider.a + slider.b, 2) - e * e));
    double largest = 0, found[10], q[4];
    int statuses = 0;
    for (int k = 1; k < 30; k++) {
        const double y = end * (1 - ldexp(1, -k));
        const td_status closed = td_closure(model, w, &y, NULL, NULL, q, NULL, NULL);
        const double one = 1;
        ck_assert_int_eq(td_closure_derivatives(model, w, &y, &one, &one, (double[]){1, 1, 1},
                                                found, found + 3, found + 6, found + 9),
                         closed);
        if (closed == TD_OK) {
            ck_assert_double_gt(td_largest(3, found), largest);
            largest = td_largest(3, found);
            along_check_at(&random, model, w, &y, 1, 1e-15 * largest + 1e-12);
        } else {
            statuses++;
            ck_assert(isnan(found[0]) && isnan(found[9]));
        }
    }
    ck_assert_int_gt(statuses, 2);
    ck_assert_double_gt(largest, 1e3);
}

/* ---- configurations -------------------------------------------------------------------------- */

static td_model *any_robot(uint64_t seed)
{
    td_random random = {seed};
    td_builder *builder = td_random_robot(&random, 8, 3, false);
    td_model *model = robot_for(builder, TD_BASE_FLOATING, NULL);
    return model;
}

/* A floating body whose pose a loop decides in part, and a joint on it. */
static td_model *hanging(td_loop_type type)
{
    static const char *const names[] = {"ground", "body", "tip"};
    td_builder *builder = test_builder("hanging");
    td_loop loop = td_loop_default("pin", "ground", "body");
    for (int i = 0; i < 3; i++) {
        const td_link link = td_link_default(names[i]);
        assert_ok(td_builder_add_link(builder, &link));
    }
    for (int i = 0; i < 2; i++) {
        const td_joint joint = td_joint_default(
            names[i + 1], i ? TD_JOINT_CONTINUOUS : TD_JOINT_FLOATING, names[i], names[i + 1]);
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    loop.type = type;
    assert_ok(td_builder_add_loop(builder, &loop));
    td_model *model = model_of_builder(builder, NULL);
    ck_assert(!td_joint_place_at(model, 0).dependent && td_joint_place_at(model, 0).dependents);
    return model;
}

/* in y or in tree coordinates */
typedef struct manifold {
    const td_model *model;
    bool tree;
    size_t nv;
} manifold;

static void move(const manifold *m, const double *q, const double *v, double dt, double *result)
{
    td_integrate(m->model, coordinates_for(m->tree), q, v, dt, result);
}

static void between(const manifold *m, const double *start, const double *end, double *v)
{
    td_difference(m->model, coordinates_for(m->tree), start, end, v);
}

/* the function under test: result = start ⊕ v dt, or v with start ⊕ v = end */
typedef struct point {
    double start[ROOM], end[ROOM], v[ROOM], dt;
} point;

typedef enum argument { MOVE_START, MOVE_VELOCITY, DIFFERENCE_START, DIFFERENCE_END } argument;

/* differentiates along h times the unit vector e_a, relative to the value there */
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
    jacobians *j = test_malloc(sizeof *j);
    memset(j, 0x55, sizeof *j);
    td_integrate_derivatives(m->model, coordinates_for(m->tree), at->v, at->dt, j->move_start,
                             j->move_v);
    td_difference_derivatives(m->model, coordinates_for(m->tree), at->start, at->end, j->start,
                              j->end);
    return j;
}

/* rotations at most this long, translations as well */
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

enum { ROBOTS = 6 }; /* random ones */

TD_LOOP_TEST(of_configurations, 0, ROBOTS + 2)
{
    td_random random = {(uint64_t)_i + 50};
    td_model *model = _i < ROBOTS ? any_robot((uint64_t)_i)
                                  : hanging(_i == ROBOTS ? TD_LOOP_REVOLUTE : TD_LOOP_SPHERICAL);
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
        }
    }
}

/* The two are inverse to each other, also near half a turn: ∂v/∂end ∂result/∂v = dt, and ∂v/∂start
   = −∂v/∂end ∂result/∂start. */
TD_TEST(undo_each_other)
{
    static const double angles[] = {0,      1e-12, 1e-7, 0.0999,      0.1001, 0.4999,
                                    0.5001, 2,     3.14, M_PI - 1e-9, M_PI};
    td_random random = {7};
    td_model *model = any_robot(3);
    const manifold m = {model, true, td_nv(model)};
    for (size_t k = 0; k < sizeof angles / sizeof *angles; k++) {
        point at = point_at(&random, &m, 1);
        for (size_t i = 0; i < td_movable_count(model); i++) {
            const size_t joint = td_movable_joint(model, i);
            const td_joint_place place = td_joint_place_at(model, joint);
            double *w = at.v + place.qd;
            if (td_joint_kind_of(td_joint_at(model, joint)->type)->quaternion == TD_NONE)
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
    }
}
