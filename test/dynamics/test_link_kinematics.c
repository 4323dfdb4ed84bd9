/* SPDX-License-Identifier: MIT */
/*
 * Queries for a single link, and derivatives of the mass matrix and of Jacobians. Poses and
 * velocities of a link are compared with functions for all links. The rate of a Jacobian is
 * compared with the bias acceleration and differences. Derivatives of the mass matrix are compared
 * with Ḣ = C + Cᵀ, symmetry and differences. Robots are trees of all joints with followers, and
 * loops, in both kinds of coordinates. Also poses as elements of SE(3).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "functions.h"
#include "loop_robots.h"

typedef struct fixture {
    const td_model *model;
    td_workspace *w;
    td_coordinates coordinates;
    size_t n, nq, link;
    double *y, *yd, *moved, point[3];
} fixture;

static fixture fixture_new(const td_model *model, bool tree)
{
    td_workspace_options options = td_workspace_options_default();
    options.following = TD_FOLLOWING_START; /* floating bodies in loops: functions of y */
    options.coordinates = coordinates_for(tree);
    fixture f = {.model = model,
                 .w = test_workspace_with(model, &options),
                 .coordinates = options.coordinates};
    f.n = tree ? td_nv(model) : td_nyd(model);
    f.nq = tree ? td_nq(model) : td_ny(model);
    f.y = doubles(f.nq), f.yd = doubles(f.n), f.moved = doubles(f.nq);
    return f;
}

/* ---- differences of sixth order -----------------------------------------------------------------
 */

typedef void (*writer)(const fixture *f, const double *y, td_frame frame, double *out);

static void write_jacobian(const fixture *f, const double *y, td_frame frame, double *out)
{
    assert_ok(td_link_jacobian(f->model, f->w, f->link, f->point, y, frame, out));
}

static void write_mass(const fixture *f, const double *y, td_frame frame, double *out)
{
    (void)frame;
    assert_ok(td_mass_matrix(f->model, f->w, y, NULL, out));
}

/* Differentiates the `size` numbers that `write` computes along v, by differences with step h. */
static void differentiate(const fixture *f, writer write, td_frame frame, const double *v, double h,
                          size_t size, double *out)
{
    static const double weight[] = {0.75, -0.15, 1.0 / 60};
    double *x = doubles(size);
    memset(out, 0, size * sizeof *out);
    for (int k = -3; k <= 3; k++) {
        if (k == 0)
            continue;
        td_integrate(f->model, f->coordinates, f->y, v, k * h, f->moved);
        write(f, f->moved, frame, x);
        const double factor = (k < 0 ? -1 : 1) * weight[abs(k) - 1] / h;
        for (size_t i = 0; i < size; i++)
            out[i] += factor * x[i];
    }
}

/* ---- one link ----------------------------------------------------------------------------------
 */

static void check_link(fixture *f, td_random *random)
{
    const size_t links = td_link_count(f->model), n = f->n;
    double *poses = doubles(12 * links), *velocities = doubles(6 * links);
    double pose[12], velocity[6], along[6], *J = doubles(6 * n);
    f->link = td_random_below(random, links);
    td_random_fill(random, 3, f->point);
    assert_ok(td_link_poses(f->model, f->w, f->y, poses));
    assert_ok(td_link_pose(f->model, f->w, f->link, f->y, pose));
    td_assert_close(12, pose, poses + 12 * f->link, 1e-14, 1);
    for (td_frame frame = TD_FRAME_WORLD; frame <= TD_FRAME_ALIGNED; frame++) {
        td_link_velocities(f->model, f->w, f->y, f->yd, frame, velocities);
        assert_ok(td_link_velocity(f->model, f->w, f->link, NULL, f->y, f->yd, frame, velocity));
        td_assert_close(6, velocity, velocities + 6 * f->link, 1e-13,
                        td_largest(6 * links, velocities));
        assert_ok(
            td_link_velocity(f->model, f->w, f->link, f->point, f->y, f->yd, frame, velocity));
        write_jacobian(f, f->y, frame, J);
        for (int i = 0; i < 6; i++) {
            along[i] = 0;
            for (size_t k = 0; k < n; k++)
                along[i] += J[(size_t)i * n + k] * f->yd[k];
        }
        td_assert_close(6, velocity, along, 1e-12, 1 + td_largest(6 * n, J));
    }
}

static void check_jacobian_rate(fixture *f, double h)
{
    const size_t n = f->n;
    double *Jd = doubles(6 * n), *by_steps = doubles(6 * n), bias[6], along[6];
    for (td_frame frame = TD_FRAME_WORLD; frame <= TD_FRAME_ALIGNED; frame++) {
        assert_ok(td_link_jacobian_rate(f->model, f->w, f->link, f->point, f->y, f->yd, frame, Jd));
        td_link_bias_acceleration(f->model, f->w, f->link, f->point, f->y, f->yd, frame, bias);
        for (int i = 0; i < 6; i++) {
            along[i] = 0;
            for (size_t k = 0; k < n; k++)
                along[i] += Jd[(size_t)i * n + k] * f->yd[k];
        }
        write_jacobian(f, f->y, frame, by_steps);
        const double speed = 1 + td_largest(n, f->yd), size = 1 + td_largest(6 * n, by_steps);
        td_assert_close(6, along, bias, 1e-12, size * size * speed * speed);
        if (h > 0) {
            differentiate(f, write_jacobian, frame, f->yd, h, 6 * n, by_steps);
            td_assert_close(6 * n, Jd, by_steps, 1e-8, 1 + td_largest(6 * n, Jd));
        }
    }
}

/* ---- the mass matrix ---------------------------------------------------------------------------
 */

static void check_mass(fixture *f, td_random *random, double h)
{
    const size_t n = f->n, size = n * n;
    double *dH = doubles(size * n), *product = doubles(size), *sum = doubles(size);
    double *C = doubles(size), *rate = doubles(size), *x = doubles(n);
    td_random_fill(random, n, x);
    assert_ok(td_mass_matrix_derivatives(f->model, f->w, f->y, dH));
    assert_ok(td_mass_matrix_product_derivatives(f->model, f->w, f->y, x, product));
    assert_ok(td_coriolis_matrix(f->model, f->w, f->y, f->yd, C));
    write_mass(f, f->y, TD_FRAME_WORLD, sum);
    const double scale = td_largest(size * n, dH) + td_largest(size, sum);
    memset(sum, 0, size * sizeof *sum);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            td_assert_close(n, dH + (i * n + j) * n, dH + (j * n + i) * n, 1e-12, scale);
            for (size_t k = 0; k < n; k++) {
                rate[i * n + j] += dH[(i * n + j) * n + k] * f->yd[k];
                sum[i * n + k] += dH[(i * n + j) * n + k] * x[j];
            }
            C[i * n + j] += i == j ? C[i * n + j] : 0;
            if (j < i) {
                C[i * n + j] += C[j * n + i];
                C[j * n + i] = C[i * n + j];
            }
        }
    td_assert_close(size, product, sum, 1e-12, scale * (double)n);
    td_assert_close(size, rate, C, 1e-11, scale * (1 + td_largest(n, f->yd)) * (double)n);
    if (h > 0) {
        differentiate(f, write_mass, TD_FRAME_WORLD, f->yd, h, size, sum);
        td_assert_close(size, rate, sum, 1e-7, scale + td_largest(size, sum));
    }
}

static void check_state(fixture *f, td_random *random, double h)
{
    td_random_fill(random, f->n, f->yd);
    check_link(f, random);
    check_jacobian_rate(f, h);
    check_mass(f, random, h);
}

TD_LOOP_TEST(of_trees, 0, 40)
{
    td_random random = {(uint64_t)_i + 1};
    td_builder *builder = td_random_robot(&random, 1 + (size_t)_i % 9, (size_t)_i % 4, false);
    td_model *model = robot_for(builder, _i % 2 ? TD_BASE_FLOATING : TD_BASE_FIXED, NULL);
    for (int tree = 0; tree < 2; tree++) {
        fixture f = fixture_new(model, tree);
        for (int n = 0; n < 3; n++) {
            td_draw_configuration(&random, model, tree, 1.5, f.y);
            check_state(&f, &random, 2e-3);
        }
    }
}

/* uses differences only where G is far from a dead point */
TD_LOOP_TEST(of_loops, 0, loop_robot_count)
{
    td_random random = {(uint64_t)_i + 50};
    const loop_robot *robot = &loop_robots[_i];
    td_model *model = loop_robot_load(robot);
    int checked = 0;
    for (int tree = 0; tree < 2; tree++) {
        fixture f = fixture_new(model, tree);
        for (int n = 0; n < 8; n++) {
            if (tree)
                td_draw_configuration(&random, model, true, 1, f.y);
            else
                loop_robot_state(&random, robot, model, f.y);
            const double rate = tree ? 0 : td_largest_rate(model, f.w, f.y);
            if (!(rate < 10))
                continue;
            check_state(&f, &random, tree ? 2e-3 : 0);
            checked += !tree;
        }
    }
    ck_assert_int_gt(checked, 1);
}

/* ---- poses --------------------------------------------------------------------------------------
 */

static void draw_pose(td_random *random, double angle, double pose[12])
{
    double twist[6];
    td_random_fill(random, 6, twist);
    const double size = sqrt(twist[0] * twist[0] + twist[1] * twist[1] + twist[2] * twist[2]);
    for (int i = 0; i < 3; i++)
        twist[i] *= angle / size;
    td_pose_exp(twist, pose);
}

TD_LOOP_TEST(poses_are_a_group, 0, 9)
{
    static const double angles[] = {0, 1e-100, 1e-9, 1e-4, 0.099, 0.101, 1, 3, M_PI - 1e-7};
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    td_random random = {7};
    const double angle = angles[_i];
    for (int n = 0; n < 50; n++) {
        double a[12], b[12], c[12], back[12], product[12], other[12], twist[6], again[6];
        draw_pose(&random, angle, a), draw_pose(&random, 1, b), draw_pose(&random, 2, c);
        td_pose_inverse(a, back);
        td_pose_compose(a, back, product);
        td_assert_close(12, product, identity, 4e-15, 1);
        td_pose_compose(a, b, product), td_pose_compose(product, c, product);
        td_pose_compose(b, c, other), td_pose_compose(a, other, other);
        td_assert_close(12, product, other, 1e-14, 1);
        td_pose_log(a, twist);
        ck_assert_double_le(
            fabs(sqrt(twist[0] * twist[0] + twist[1] * twist[1] + twist[2] * twist[2]) - angle),
            1e-8 * angle + 1e-300);
        td_pose_exp(twist, product);
        td_assert_close(12, product, a, 1e-14, 1);
        /* two half steps make the whole, and the motion has the same twist in the axes of its
           end */
        td_pose_interpolate(b, c, 0, product);
        td_assert_close(12, product, b, 1e-15, 1);
        td_pose_interpolate(b, c, 1, product);
        td_assert_close(12, product, c, 1e-14, 1);
        td_pose_interpolate(b, c, 0.5, product);
        td_pose_inverse(b, back), td_pose_compose(back, product, back), td_pose_log(back, twist);
        td_pose_inverse(product, back), td_pose_compose(back, c, back), td_pose_log(back, again);
        td_assert_close(6, twist, again, 1e-13, 1);
        double p[3], xyzw[4];
        td_pose_split(a, p, xyzw);
        ck_assert(td_pose_join(p, xyzw, product));
        td_assert_close(12, product, a, 4e-15, 1);
    }
    const double none[4] = {0};
    double untouched[12] = {4711};
    ck_assert(!td_pose_join(none, none, untouched));
    ck_assert_double_eq(untouched[0], 4711);
    const double wild[6] = {NAN};
    td_pose_exp(wild, untouched);
    for (int i = 0; i < 12; i++)
        ck_assert(isnan(untouched[i]));
}

/* a floating joint moves by exp of its twist */
TD_TEST(floating_joints_move_by_exp)
{
    td_random random = {9};
    td_builder *builder = td_random_robot(&random, 2, 0, true);
    td_model *model = robot_for(builder, TD_BASE_FLOATING, NULL);
    fixture f = fixture_new(model, false);
    for (int n = 0; n < 20; n++) {
        double start[12], end[12], step[12];
        td_draw_configuration(&random, model, false, 1, f.y);
        td_random_fill(&random, f.n, f.yd);
        f.link = td_root_link(model);
        td_link_pose(model, f.w, f.link, f.y, start);
        td_integrate(model, TD_COORDINATES_INDEPENDENT, f.y, f.yd, 1, f.moved);
        td_link_pose(model, f.w, f.link, f.moved, end);
        td_pose_exp(f.yd, step);
        td_pose_compose(start, step, start);
        td_assert_close(12, start, end, 1e-14, 1);
    }
}
