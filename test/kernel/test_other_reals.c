/* SPDX-License-Identifier: MIT */
/*
 * The same algorithms over other number types. A copy of a model with batch kernels for quadruple
 * precision runs every batch function in it, which shows rounding errors. With kernels for complex
 * numbers, and rows with imaginary parts, every function gives its derivative in any direction
 * without differences. This covers G, Jacobians, J̇ q̇, gravity, Ḣ and accelerations.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "algebra.h"
#include "complex_step.h"
#include "loop_robots.h"

/* ---- quadruple precision
 * ------------------------------------------------------------------------------ */

/* Returns the magnitude of the terms of a potential energy: the weight times the distance of the
   farthest link. The sum may cancel almost completely. */
static double largest_potential(const arguments *a, bool tree)
{
    size_t links = td_link_count(a->model);
    double *poses = doubles(12 * links), farthest = 0;
    TD_IN(a->w, coordinates_for(tree), td_link_poses(a->model, a->w, a->y, poses));
    for (size_t i = 0; i < links; i++)
        for (int k = 3; k < 12; k += 4)
            farthest = fmax(farthest, fabs(poses[12 * i + (size_t)k]));
    return td_total_mass(a->model) * 9.81 * farthest;
}

/* Returns the norm of |G|ᵀ |H| |G|, the magnitude of the terms of H in y. They may cancel almost
   completely: where a crank moves a small mass, terms of intermediate frames are many times H. */
static double summed_mass(const arguments *a)
{
    const size_t nq = td_nq(a->model), nv = td_nv(a->model), n = td_nyd(a->model);
    double *q = doubles(nq), *H = doubles(nv * nv), *G = doubles(nv * n), *sum = doubles(n * n);
    assert_ok(td_closure(a->model, a->w, a->y, NULL, NULL, q, NULL, NULL));
    assert_ok(td_closure_jacobian(a->model, a->w, a->y, G));
    assert_ok(TD_IN_TREE(a->w, td_mass_matrix(a->model, a->w, q, a->forces, H)));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k < nv; k++)
                for (size_t l = 0; l < nv; l++)
                    sum[i * n + j] += fabs(G[k * n + i] * H[k * nv + l] * G[l * n + j]);
    const double norm = mat_norm(n, sum);
    return norm;
}

/* Checks the rounding errors of functions for one state. For positions, velocities and forces,
   errors are relative to the largest number, and for energies to their largest term. Forces of the
   size of C and tau are accurate to rounding, and H⁻¹ turns these errors into errors of
   accelerations; for the inverse and the solve, 1 and b replace the forces. With loops, H is
   accurate relative to its terms. Measured errors on these robots are 2.1e-15 for the first kind
   and 4e-16 for the second; the test requires 5e-15. */
static void check_rounding(const function *f, states *s, states *exact, bool tree, double tolerance)
{
    size_t columns[MOST_PARTS], parts = function_parts(f, s->a.model, tree, columns);
    size_t n = tree ? td_nv(s->a.model) : td_nyd(s->a.model);
    states_clear(s, f, tree, 0), states_clear(exact, f, tree, 0);
    assert_ok(function_call(f, &s->a, tree, false));
    assert_ok(function_call(f, &exact->a, tree, true));
    double scale = 1;
    if (f->takes & SOLVES) {
        double *M = doubles(n * n), *H = doubles(n * n), *C = doubles(n);
        const arguments *a = &s->a;
        TD_IN(a->w, coordinates_for(tree), td_mass_matrix(a->model, a->w, a->y, a->forces, H));
        TD_IN(a->w, coordinates_for(tree),
              td_mass_matrix_inverse(a->model, a->w, a->y, a->forces, M));
        TD_IN(a->w, coordinates_for(tree),
              td_bias_force(a->model, a->w, a->y, a->yd, a->forces, C));
        double condition = mat_norm(n, H) * mat_norm(n, M);
        scale = mat_norm(n, M) * (td_largest(n, C) + td_largest(n, a->tau));
        scale = fmax(scale, condition * (1 + mat_norm(n, M)));
        if (!tree) {
            const double cancelled = summed_mass(a) / mat_norm(n, H);
            ck_assert(cancelled <= 100); /* at most 50 on these robots */
            scale *= cancelled;
        }
        if (strstr(f->name, "_tangent") || strstr(f->name, "_adjoint"))
            scale *= 10; /* H⁻¹ is applied twice, with ∂τ of a few times C and tau in between */
    }
    for (size_t p = 0; p < parts; p++) {
        double size = fmax(scale, td_largest(columns[p], exact->a.out[p]));
        bool energies = strcmp(f->name, "energy") == 0 ||
                        (strcmp(f->name, "dynamics_terms") == 0 && p + 1 == parts);
        if (strcmp(f->name, "loop_reactions") == 0 && p == 1) /* computed from joint reactions */
            size = fmax(size, td_largest(columns[0], exact->a.out[0]));
        size_t count = energies ? 1 : columns[p]; /* the kinetic energy is like any other number */
        double error = td_largest_difference(count, s->a.out[p], exact->a.out[p]) / size;
        if (energies)
            error = fmax(error, fabs(s->a.out[p][1] - exact->a.out[p][1]) /
                                    fmax(size, largest_potential(&s->a, tree)));
        ck_assert_msg(error <= tolerance, "%s, part %zu: %.3g", f->name, p, error);
    }
}

/* Λ is the inverse of J H⁻¹ Jᵀ for rotations and translations. Its error is the rounding error of
   that matrix times its condition, here several hundred (1.6e-13 without FMA). */
static double rounding_of(const function *f)
{
    return strcmp(f->name, "operational_inertia") == 0 ? 1e-12 : 5e-15;
}

TD_LOOP_TEST(rounding, 0, 4)
{
    td_random random = {(uint64_t)(500 + _i)};
    for (int k = 0; k < 8; k++) {
        td_base base = k % 2 ? TD_BASE_FLOATING : TD_BASE_FIXED;
        td_builder *builder = regular_robot(&random, 2 + 2 * (size_t)k, 4, k % 3 == 0, base);
        td_model *model = robot_for(builder, base, NULL);
        td_model quad = over(model, &td_kernels_quad);
        for (int tree = 0; tree < 2; tree++)
            for (uint64_t state = 0; state < 5; state++) {
                td_random same = {state}, again = {state};
                states *s = states_new(&same, model, tree, 1);
                states *exact = states_new(&again, &quad, tree, 1);
                for (size_t i = 0; i < function_count; i++)
                    check_rounding(&functions[i], s, exact, tree, rounding_of(&functions[i]));
            }
    }
}

/* Returns the ratio of singular values of loops. Errors of γ and G are rounding times this
   ratio. */
static double condition_at(const states *s)
{
    td_closure_report report = {.size_of = sizeof report};
    assert_ok(td_closure_examine(s->a.model, s->a.w, s->y, &report));
    return report.largest / report.smallest;
}

static bool has_derivatives(const function *f)
{
    return strstr(f->name, "_derivatives") || strstr(f->name, "_tangent") ||
           strstr(f->name, "_adjoint");
}

/* Checks γ, G ẏ and G ÿ + g, and all functions through them. The largest errors on these robots
   (gcc with AVX2, Clang without) are 6.9e-15 for conditions below 5, and 2.7e-14 for a condition of
   34. Derivatives contain ∂G/∂y, whose error is rounding times the square of the condition: 9.3e-14
   for a condition of 54 (Clang with AVX2). */
static void check_rounding_of_loops(states *s, states *exact)
{
    const arguments *a = &s->a;
    size_t nq = td_nq(a->model), nv = td_nv(a->model), n[3] = {nq, nv, nv};
    const double condition = condition_at(s), tolerance = 1e-14 + 1e-15 * condition;
    const double of_derivatives = tolerance + 0.1 * DBL_EPSILON * condition * condition;
    double *x[3], *y[3];
    for (int k = 0; k < 3; k++)
        x[k] = doubles(n[k]), y[k] = doubles(n[k]);
    assert_ok(td_closure(a->model, a->w, a->y, a->yd, a->ydd, x[0], x[1], x[2]));
    assert_ok(td_batch_closure(exact->a.model, exact->a.w, 1, a->y, a->yd, a->ydd, y[0], y[1], y[2],
                               NULL));
    for (int k = 0; k < 3; k++) {
        td_assert_close(n[k], x[k], y[k], tolerance, fmax(1, td_largest(n[k], y[k])));
    }
    for (size_t i = 0; i < function_count; i++)
        check_rounding(&functions[i], s, exact, false,
                       has_derivatives(&functions[i]) ? of_derivatives : tolerance);
}

TD_LOOP_TEST(rounding_of_loops, 0, loop_robot_count)
{
    const loop_robot *robot = &loop_robots[_i];
    td_random random = {(uint64_t)(520 + _i)};
    td_model *model = loop_robot_load(robot);
    td_model quad = over(model, &td_kernels_quad);
    for (uint64_t state = 0; state < 3; state++) {
        td_random same = {state}, again = {state};
        states *s = states_new(&same, model, false, 1);
        states *exact = states_new(&again, &quad, false, 1);
        loop_robot_state(&random, robot, model, s->y);
        memcpy(exact->y, s->y, td_ny(model) * sizeof *s->y);
        check_rounding_of_loops(s, exact);
    }
}

/* ---- the complex step
 * --------------------------------------------------------------------------------- */

/* the axes (row-major 3 × 3) and the position of a 3 × 4 pose */
static void rotation_of(const double pose[12], double R[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            R[3 * i + j] = pose[4 * i + j];
}

/* checks Ṙ Rᵀ = [ω] and ṗ along every unit velocity against the columns of the Jacobian */
static void check_jacobian(fixture *f)
{
    arguments *a = &f->s->a;
    double *unit = doubles(f->n), *J = doubles(6 * f->n);
    a->point = NULL;
    a->frame = TD_FRAME_ALIGNED;
    for (a->link = 0; a->link < f->links; a->link++) {
        double R[9], Rd[9];
        memcpy(J, value(f, "link_jacobian"), 6 * f->n * sizeof *J);
        double size = 1 + td_largest(6 * f->n, J);
        rotation_of(value(f, "link_poses") + 12 * a->link, R);
        for (size_t i = 0; i < f->n; i++) {
            unit[i] = 1;
            const double *rate = derivative(f, "link_poses", unit, NULL) + 12 * a->link;
            unit[i] = 0;
            rotation_of(rate, Rd);
            double column[6], expected[6];
            for (int k = 0; k < 3; k++) {
                int p = (k + 2) % 3, m = (k + 1) % 3; /* ω_k = [ω](p, m) */
                expected[k] = Rd[3 * p] * R[3 * m] + Rd[3 * p + 1] * R[3 * m + 1] +
                              Rd[3 * p + 2] * R[3 * m + 2];
                expected[3 + k] = rate[4 * k + 3];
            }
            for (int k = 0; k < 6; k++)
                column[k] = J[(size_t)k * f->n + i];
            td_assert_close(6, column, expected, f->tolerance, size);
        }
    }
    a->link = 0;
}

/* dJ/dt q̇ for every frame at a point of a link must equal the library's bias acceleration */
static void check_jacobian_rate(fixture *f)
{
    arguments *a = &f->s->a;
    a->point = f->s->point;
    for (int frame = TD_FRAME_WORLD; frame <= TD_FRAME_ALIGNED; frame++)
        for (a->link = 0; a->link < f->links; a->link++) {
            a->frame = (td_frame)frame;
            const double *Jd = derivative(f, "link_jacobian", a->yd, NULL);
            double expected[6] = {0}, size = 1 + td_largest(6 * f->n, Jd);
            for (size_t i = 0; i < 6; i++)
                for (size_t j = 0; j < f->n; j++)
                    expected[i] += Jd[i * f->n + j] * a->yd[j];
            const double *rate = value(f, "link_bias_acceleration");
            td_assert_close(6, rate, expected, f->tolerance, size * (double)f->n);
        }
    a->link = 0;
}

/* the gravity force must be dV/dq */
static void check_gravity(fixture *f)
{
    double *unit = doubles(f->n), *expected = doubles(f->n);
    f->s->a.scope = TD_SCOPE_ALL;
    for (size_t i = 0; i < f->n; i++) {
        unit[i] = 1;
        expected[i] = derivative(f, "energy", unit, NULL)[1];
        unit[i] = 0;
    }
    const double *gravity = value(f, "gravity_force");
    td_assert_close(f->n, gravity, expected, f->tolerance, 1);
}

/* Ḣ = C + Cᵀ, for the matrix without rotors (which are constant) and with them */
static void check_mass_rate(fixture *f)
{
    size_t n = f->n;
    const double *Hd = derivative(f, "mass_matrix", f->s->a.yd, NULL),
                 *C = value(f, "coriolis_matrix");
    double *sum = doubles(n * n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            sum[i * n + j] = C[i * n + j] + C[j * n + i];
    td_assert_close(n * n, sum, Hd, f->tolerance, 1 + td_largest(n * n, C));
}

/* rates along the motion (q̇, q̈) of quantities whose rates the library also computes */
static void check_accelerations(fixture *f)
{
    arguments *a = &f->s->a;
    for (int frame = TD_FRAME_WORLD; frame <= TD_FRAME_ALIGNED; frame++) {
        a->frame = (td_frame)frame;
        const double *rate = derivative(f, "link_velocities", a->yd, a->ydd);
        const double *got = value(f, frame == TD_FRAME_ALIGNED ? "link_classical_accelerations"
                                                               : "link_spatial_accelerations");
        td_assert_close(6 * f->links, got, rate, f->tolerance, 1);
    }
    a->link = f->links - 1;
    a->point = f->s->point;
    const double *rate = derivative(f, "point_motion", a->yd, a->ydd);
    const double *got = value(f, "point_motion");
    td_assert_close(6, got + 3, rate, f->tolerance, 1);
    for (int scope = TD_SCOPE_ALL; scope <= TD_SCOPE_MOVING; scope++) {
        a->scope = (td_scope)scope;
        rate = derivative(f, "center_of_mass_motion", a->yd, a->ydd);
        got = value(f, "center_of_mass_motion");
        td_assert_close(6, got + 3, rate, f->tolerance, 1);
    }
}

/* Classical accelerations are accelerations of points: in the world frame, the link's point that
   coincides with the world's origin; in body axes, the link's origin. */
static void check_classical(fixture *f)
{
    arguments *a = &f->s->a;
    double at[3], poses[12], motion[9], expected[3];
    a->point = at;
    for (a->link = 0; a->link < f->links; a->link++) {
        memcpy(poses, value(f, "link_poses") + 12 * a->link, sizeof poses);
        for (int i = 0; i < 3; i++)
            at[i] = -(poses[i] * poses[3] + poses[4 + i] * poses[7] + poses[8 + i] * poses[11]);
        memcpy(motion, value(f, "point_motion"), sizeof motion);
        a->frame = TD_FRAME_WORLD;
        const double *got = value(f, "link_classical_accelerations") + 6 * a->link;
        ck_assert_double_le(td_largest(3, motion), 1e-14 * (1 + td_largest(12, poses)));
        td_assert_close(3, got + 3, motion + 6, f->tolerance, 1 + td_largest(12, poses));

        memset(at, 0, sizeof at);
        memcpy(motion, value(f, "point_motion"), sizeof motion);
        for (int i = 0; i < 3; i++)
            expected[i] =
                poses[i] * motion[6] + poses[4 + i] * motion[7] + poses[8 + i] * motion[8];
        a->frame = TD_FRAME_BODY;
        got = value(f, "link_classical_accelerations") + 6 * a->link;
        td_assert_close(3, got + 3, expected, f->tolerance, 1);
    }
    a->link = 0;
    a->point = f->s->point;
}

/* Ȧ q̇ + A q̈ is the rate of the momentum, and tau · q̇ the rate of the energy */
static void check_momentum_and_power(fixture *f)
{
    arguments *a = &f->s->a;
    double expected[6], *A = doubles(6 * f->n);
    for (int scope = TD_SCOPE_ALL; scope <= TD_SCOPE_MOVING; scope++) {
        a->scope = (td_scope)scope;
        memcpy(expected, value(f, "centroidal_momentum_bias"), sizeof expected);
        memcpy(A, value(f, "centroidal_momentum_matrix"), 6 * f->n * sizeof *A);
        for (size_t i = 0; i < 6; i++)
            for (size_t j = 0; j < f->n; j++)
                expected[i] += A[i * f->n + j] * a->ydd[j];
        const double *rate = derivative(f, "centroidal_momentum", a->yd, a->ydd);
        td_assert_close(6, rate, expected, f->tolerance,
                        (double)f->n * (1 + td_largest(6 * f->n, A)));
    }
    a->forces = NULL;
    a->scope = TD_SCOPE_ALL;
    const double *rate = derivative(f, "energy", a->yd, a->ydd);
    const double *tau = value(f, "inverse_dynamics");
    double power = td_power(f->model, coordinates_for(f->tree), tau, a->yd), size = 1;
    for (size_t i = 0; i < f->n; i++)
        size += fabs(tau[i] * a->yd[i]);
    ck_assert_double_le(fabs(rate[0] + rate[1] - power), f->tolerance * size);
    a->forces = &f->s->forces;
}

/* The derivative of γ along ẏ must be G ẏ, and the derivative of G ẏ along (ẏ, ÿ) must be G ÿ + g.
   Along the unit velocities the derivatives give all of G. */
static void check_closure(fixture *f)
{
    size_t nq = td_nq(f->model), nv = td_nv(f->model);
    double *q = doubles(nq), *qd = doubles(nv), *qdd = doubles(nv), *rate = doubles(nq);
    double *q_rate = doubles(nq), *qd_rate = doubles(nv), *unit = doubles(f->n);
    double *G = doubles(nv * f->n), *column = doubles(nv);
    const arguments *a = &f->s->a;
    assert_ok(td_closure(f->model, a->w, a->y, a->yd, a->ydd, q, qd, qdd));
    arguments along = moving(f, a->yd, a->ydd);
    assert_ok(
        td_batch_closure(along.model, along.w, 1, a->y, a->yd, NULL, q_rate, qd_rate, NULL, NULL));
    td_coordinate_rate(f->model, true, q, qd, rate);
    td_assert_close(nq, q_rate, rate, f->tolerance, 1 + td_largest(nq, rate));
    td_assert_close(nv, qd_rate, qdd, f->tolerance, 1 + td_largest(nv, qdd));
    assert_ok(td_closure_jacobian(f->model, a->w, a->y, G));
    for (size_t j = 0; j < f->n; j++) {
        unit[j] = 1;
        along = moving(f, unit, NULL);
        assert_ok(
            td_batch_closure(along.model, along.w, 1, a->y, NULL, NULL, q_rate, NULL, NULL, NULL));
        unit[j] = 0;
        for (size_t i = 0; i < nv; i++)
            column[i] = G[i * f->n + j];
        td_coordinate_rate(f->model, true, q, column, rate);
        td_assert_close(nq, q_rate, rate, f->tolerance, 1 + td_largest(nq, rate));
    }
}

/* ∂τ/∂y, ∂τ/∂ẏ and H column by column: derivatives of inverse dynamics in each direction */
static void check_force_derivatives(fixture *f)
{
    const size_t n = f->n;
    double *all = doubles(n + 3 * n * n), *unit = doubles(n), *expected = doubles(3 * n * n);
    memcpy(all, value(f, "inverse_dynamics_derivatives"), (n + 3 * n * n) * sizeof *all);
    for (size_t k = 0; k < n; k++) {
        unit[k] = 1;
        for (int of = 0; of < 2; of++) {
            const double *column =
                derivative(f, "inverse_dynamics", of ? NULL : unit, of ? unit : NULL);
            for (size_t i = 0; i < n; i++)
                expected[(size_t)of * n * n + i * n + k] = column[i];
        }
        unit[k] = 0;
    }
    memcpy(expected + 2 * n * n, value(f, "mass_matrix"), n * n * sizeof *expected);
    td_assert_close(n, all, value(f, "inverse_dynamics"), f->tolerance, 1);
    for (size_t of = 0; of < 3; of++) /* with loops, second derivatives: twice the condition */
        td_assert_close(n * n, all + n + of * n * n, expected + of * n * n, 4 * f->tolerance,
                        1 + td_largest(n * n, expected + of * n * n));
}

/* H ∂ÿ = −∂τ at the ÿ of the forces, and H H⁻¹ = 1, relative to the magnitude of the terms */
static void check_acceleration_derivatives(fixture *f)
{
    const size_t n = f->n;
    double *x = doubles(n + 3 * n * n), *d = doubles(n + 3 * n * n), *ydd = doubles(n);
    const double *given = f->s->a.ydd;
    memcpy(x, value(f, "forward_dynamics_derivatives"), (n + 3 * n * n) * sizeof *x);
    memcpy(ydd, x, n * sizeof *ydd);
    f->s->a.ydd = ydd;
    memcpy(d, value(f, "inverse_dynamics_derivatives"), (n + 3 * n * n) * sizeof *d);
    f->s->a.ydd = given;
    const double *H = d + n + 2 * n * n;
    td_assert_close(n, d, f->s->a.tau, 1e-12,
                    1 + td_largest(n, d) + td_largest(n * n, H) * td_largest(n, ydd));
    for (size_t of = 0; of < 3; of++)
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < n; k++) {
                double sum = of == 2 ? -(double)(i == k) : d[n + of * n * n + i * n + k];
                double size = fabs(sum);
                for (size_t j = 0; j < n; j++) {
                    const double term = H[i * n + j] * x[n + of * n * n + j * n + k];
                    sum += term;
                    size += fabs(term);
                }
                ck_assert_double_le(fabs(sum), 1e-13 * size + 1e-14 * td_largest(n * n, H));
            }
}

/* Checks the derivatives of a function with respect to y and ẏ, rows × n each, one after the other,
   against the given ones (NULL: not checked). Errors are relative to the largest entry. */
static void check_against_step(fixture *f, const char *name, size_t from, size_t rows,
                               const double *along, const double *by_rate)
{
    const size_t n = f->n;
    double *unit = doubles(n), *expected = doubles(2 * rows * n);
    for (size_t k = 0; k < n; k++) {
        unit[k] = 1;
        for (size_t of = 0; of < 2; of++) {
            const double *column = derivative(f, name, of ? NULL : unit, of ? unit : NULL);
            for (size_t i = 0; i < rows; i++)
                expected[(of * rows + i) * n + k] = column[from + i];
        }
        unit[k] = 0;
    }
    const double *const found[] = {along, by_rate};
    for (size_t of = 0; of < 2; of++) {
        const double *expect = expected + of * rows * n;
        if (found[of])
            td_assert_close(rows * n, found[of], expect, 4 * f->tolerance,
                            1 + td_largest(rows * n, expect));
    }
}

/* velocities and accelerations of all links in all frames */
static void check_link_derivatives(fixture *f)
{
    static const char *const of[][2] = {
        {"link_velocity_derivatives", "link_velocities"},
        {"link_spatial_acceleration_derivatives", "link_spatial_accelerations"},
        {"link_classical_acceleration_derivatives", "link_classical_accelerations"},
    };
    arguments *a = &f->s->a;
    const size_t size = 6 * f->n;
    double *found = doubles(6 + 2 * size);
    for (int frame = TD_FRAME_WORLD; frame <= TD_FRAME_ALIGNED; frame++)
        for (size_t k = 0; k < 3; k++)
            for (a->link = 0; a->link < f->links; a->link += 1 + f->links / 5) {
                a->frame = (td_frame)frame, a->point = NULL;
                memcpy(found, value(f, of[k][0]), (6 + 2 * size) * sizeof *found);
                td_assert_close(6, found, value(f, of[k][1]) + 6 * a->link, f->tolerance,
                                1 + td_largest(6, found));
                check_against_step(f, of[k][1], 6 * a->link, 6, found + 6, found + 6 + size);
            }
    a->link = 0;
    a->point = f->s->point;
}

/* For a point of a link: ∂v/∂y = (∂J/∂y) ẏ, ∂v/∂ẏ = J; and ∂a/∂y = ∂(J̇ẏ)/∂y + (∂J/∂y) ÿ, with the
   acceleration whose bias is J̇ ẏ in that frame. */
static void check_point_derivatives(fixture *f)
{
    arguments *a = &f->s->a;
    const size_t n = f->n, size = 6 * n;
    double *v = doubles(6 + 2 * size), *acc = doubles(6 + 2 * size), *J = doubles(size);
    double *unit = doubles(n), *dv = doubles(size), *da = doubles(size), *rate = doubles(size);
    a->link = f->links - 1;
    a->point = f->s->point;
    for (int frame = TD_FRAME_WORLD; frame <= TD_FRAME_ALIGNED; frame++) {
        a->frame = (td_frame)frame;
        memcpy(v, value(f, "link_velocity_derivatives"), (6 + 2 * size) * sizeof *v);
        memcpy(acc,
               value(f, frame == TD_FRAME_ALIGNED ? "link_classical_acceleration_derivatives"
                                                  : "link_spatial_acceleration_derivatives"),
               (6 + 2 * size) * sizeof *acc);
        memcpy(J, value(f, "link_jacobian"), size * sizeof *J);
        for (size_t k = 0; k < n; k++) {
            unit[k] = 1;
            const double *of_J = derivative(f, "link_jacobian", unit, NULL);
            for (size_t i = 0; i < 6; i++) {
                dv[i * n + k] = da[i * n + k] = 0;
                for (size_t j = 0; j < n; j++) {
                    dv[i * n + k] += of_J[i * n + j] * a->yd[j];
                    da[i * n + k] += of_J[i * n + j] * a->ydd[j];
                }
            }
            const double *bias = derivative(f, "link_bias_acceleration", unit, NULL);
            for (size_t i = 0; i < 6; i++)
                da[i * n + k] += bias[i];
            bias = derivative(f, "link_bias_acceleration", NULL, unit);
            for (size_t i = 0; i < 6; i++)
                rate[i * n + k] = bias[i];
            unit[k] = 0;
        }
        const double *const found[] = {v + 6, v + 6 + size, acc + 6, acc + 6 + size};
        const double *const expected[] = {dv, J, da, rate};
        for (int k = 0; k < 4; k++)
            td_assert_close(size, found[k], expected[k], 4 * f->tolerance,
                            (double)n * (1 + td_largest(size, expected[k])));
    }
    a->link = 0;
}

/* center of mass, momentum and its rate A ÿ + Ȧ ẏ, and energy, for all scopes */
static void check_robot_derivatives(fixture *f)
{
    arguments *a = &f->s->a;
    const size_t n = f->n;
    double *center = doubles(9 + 9 * n), *momentum = doubles(12 + 24 * n);
    double *energy = doubles(2 + 3 * n), *rate = doubles(6), *unit = doubles(n);
    double *along = doubles(6 * n), *by_rate = doubles(6 * n);
    for (int scope = TD_SCOPE_ALL; scope <= TD_SCOPE_SPRINGS; scope++) {
        a->scope = (td_scope)scope;
        memcpy(center, value(f, "center_of_mass_derivatives"), (9 + 9 * n) * sizeof *center);
        td_assert_close(9, center, value(f, "center_of_mass_motion"), f->tolerance,
                        1 + td_largest(9, center));
        check_against_step(f, "center_of_mass_motion", 3, 3, center + 9, NULL);
        check_against_step(f, "center_of_mass_motion", 6, 3, center + 9 + 3 * n,
                           center + 9 + 6 * n);

        memcpy(momentum, value(f, "centroidal_momentum_derivatives"),
               (12 + 24 * n) * sizeof *momentum);
        td_assert_close(6, momentum, value(f, "centroidal_momentum"), f->tolerance,
                        1 + td_largest(6, momentum));
        check_against_step(f, "centroidal_momentum", 0, 6, momentum + 12, momentum + 12 + 6 * n);
        memcpy(rate, value(f, "centroidal_momentum_bias"), 6 * sizeof *rate);
        const double *A = momentum + 12 + 6 * n;
        for (size_t i = 0; i < 6; i++)
            for (size_t j = 0; j < n; j++)
                rate[i] += A[i * n + j] * a->ydd[j];
        td_assert_close(6, momentum + 6, rate, f->tolerance,
                        (double)n * (1 + td_largest(6 * n, A)));
        for (size_t k = 0; k < n; k++) {
            unit[k] = 1;
            const double *bias = derivative(f, "centroidal_momentum_bias", unit, NULL);
            for (size_t i = 0; i < 6; i++)
                along[i * n + k] = bias[i];
            bias = derivative(f, "centroidal_momentum_bias", NULL, unit);
            for (size_t i = 0; i < 6; i++)
                by_rate[i * n + k] = bias[i];
            const double *of_A = derivative(f, "centroidal_momentum_matrix", unit, NULL);
            for (size_t i = 0; i < 6; i++)
                for (size_t j = 0; j < n; j++)
                    along[i * n + k] += of_A[i * n + j] * a->ydd[j];
            unit[k] = 0;
        }
        td_assert_close(6 * n, momentum + 12 + 12 * n, along, 4 * f->tolerance,
                        (double)n * (1 + td_largest(6 * n, along)));
        td_assert_close(6 * n, momentum + 12 + 18 * n, by_rate, 4 * f->tolerance,
                        (double)n * (1 + td_largest(6 * n, by_rate)));

        memcpy(energy, value(f, "energy_derivatives"), (2 + 3 * n) * sizeof *energy);
        td_assert_close(2, energy, value(f, "energy"), f->tolerance, 1 + td_largest(2, energy));
        check_against_step(f, "energy", 0, 1, energy + 2, energy + 2 + n);
        check_against_step(f, "energy", 1, 1, energy + 2 + 2 * n, NULL);
    }
}

static void check_derivatives(fixture *f)
{
    check_force_derivatives(f);
    check_acceleration_derivatives(f);
    check_link_derivatives(f);
    check_point_derivatives(f);
    check_robot_derivatives(f);
    check_jacobian(f);
    check_jacobian_rate(f);
    check_gravity(f);
    check_mass_rate(f);
    check_accelerations(f);
    check_classical(f);
    check_momentum_and_power(f);
}

TD_LOOP_TEST(derivatives, 0, 4)
{
    td_random random = {(uint64_t)(600 + _i)};
    for (int k = 0; k < 8; k++) {
        td_base base = k % 2 ? TD_BASE_FLOATING : TD_BASE_FIXED;
        td_builder *builder = regular_robot(&random, 2 + (size_t)k, 4, k % 3 == 0, base);
        td_model *model = robot_for(builder, base, NULL);
        for (int tree = 0; tree < 2; tree++) {
            fixture *f = fixture_new(&random, model, tree);
            if (!tree)
                check_closure(f);
            check_derivatives(f);
        }
    }
}

/* Same through γ: its derivatives, and the derivatives of all functions that use it. */
TD_LOOP_TEST(derivatives_of_loops, 0, loop_robot_count)
{
    const loop_robot *robot = &loop_robots[_i];
    td_random random = {(uint64_t)(620 + _i)};
    td_model *model = loop_robot_load(robot);
    for (int state = 0; state < 3; state++) {
        fixture *f = fixture_new(&random, model, false);
        loop_robot_state(&random, robot, model, f->s->y);
        f->tolerance = 2e-14 + 2e-15 * condition_at(f->s);
        check_closure(f);
        check_derivatives(f);
    }
}
