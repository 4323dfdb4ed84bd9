/* SPDX-License-Identifier: MIT */
/*
 * Implements the checks of identities.
 */
#include "identities.h"

#include <math.h>
#include <string.h>

#include "algebra.h"
#include "loop_balance.h"
#include "oracle.h"

state state_new(td_model *model, bool tree)
{
    state s = {.model = model, .tree = tree, .w = test_workspace(model)};
    ck_assert_ptr_nonnull(s.w);
    s.nq = tree ? td_nq(model) : td_ny(model);
    s.n = tree ? td_nv(model) : td_nyd(model);
    s.q = doubles(s.nq);
    double **vectors[] = {&s.qd, &s.qdd, &s.tau, &s.C, &s.x, &s.z};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = doubles(s.n);
    s.H = doubles(s.n * s.n);
    s.M = doubles(s.n * s.n);
    s.wrenches = doubles(6 * td_link_count(model));
    s.forces = td_forces_default();
    return s;
}

static void randomise(state *s, td_random *random)
{
    td_draw_configuration(random, s->model, s->tree, 2, s->q);
    td_random_fill(random, s->n, s->qd);
    td_random_fill(random, s->n, s->qdd);
    td_random_fill(random, 6 * td_link_count(s->model), s->wrenches);
    s->forces.wrenches = td_random_below(random, 2) ? s->wrenches : NULL;
    s->forces.wrench_frame = (td_frame)td_random_below(random, 3);
    s->forces.passive = td_random_below(random, 2);
}

static void check_mass_matrix(state *s)
{
    assert_ok(CALL(s, mass_matrix, s->q, &s->forces, s->H));
    td_forces rotors = td_forces_default(); /* passive forces without velocities or springs: only
                                               rotors contribute */
    rotors.passive = s->forces.passive;
    double scale = td_largest(s->n * s->n, s->H);
    for (size_t j = 0; j < s->n; j++) { /* columns: ID(q, 0, e_j) − ID(q, 0, 0) */
        memset(s->x, 0, s->n * sizeof *s->x);
        s->x[j] = 1;
        CALL(s, inverse_dynamics, s->q, NULL, s->x, &rotors, s->z);
        CALL(s, bias_force, s->q, NULL, &rotors, s->C);
        for (size_t i = 0; i < s->n; i++) {
            s->z[i] -= s->C[i];
            s->x[i] = s->H[i * s->n + j];
            ck_assert_double_eq(s->H[i * s->n + j], s->H[j * s->n + i]);
        }
        td_assert_close(s->n, s->z, s->x, 1e-12, fmax(scale, td_largest(s->n, s->C)));
    }
}

static void check_state(state *s)
{
    size_t n = s->n;
    check_mass_matrix(s);
    assert_ok(CALL(s, mass_matrix_inverse, s->q, &s->forces, s->M));
    double inverse = mat_norm(n, s->M), cond = mat_norm(n, s->H) * inverse;
    if (cond > 1e10) /* tiny multipliers: H is too ill-conditioned to check */
        return;

    /* H q̈ + C = ID */
    CALL(s, inverse_dynamics, s->q, s->qd, s->qdd, &s->forces, s->tau);
    CALL(s, bias_force, s->q, s->qd, &s->forces, s->C);
    mat_times(n, n, s->H, s->qdd, s->x);
    for (size_t i = 0; i < n; i++)
        s->x[i] += s->C[i];
    td_assert_close(n, s->x, s->tau, 1e-12, td_largest(n, s->C));

    /* FD ∘ ID */
    assert_ok(CALL(s, forward_dynamics, s->q, s->qd, s->tau, &s->forces, s->x));
    /* forces are accurate to rounding, and H⁻¹ turns their errors into errors of accelerations */
    double forces = td_largest(n, s->tau) + td_largest(n, s->C) + mat_norm(n, s->H);
    td_assert_close(n, s->x, s->qdd, 1e-12, 1e-2 * inverse * forces);

    /* H⁻¹ from solves */
    assert_ok(CALL(s, solve_mass_matrix, s->q, s->qdd, &s->forces, s->x));
    mat_times(n, n, s->M, s->qdd, s->z);
    td_assert_close(n, s->x, s->z, 1e-13 * cond, 0);
    assert_ok(CALL(s, solve_mass_matrix, s->q, s->tau, &s->forces, s->x));
    mat_times(n, n, s->H, s->x, s->z);
    td_assert_close(n, s->z, s->tau, 1e-14 * cond + 1e-13, 0);
}

/* computes the mass matrix after moving for time t with the state's velocity */
static void mass_after(state *s, double t, double *H)
{
    double *q = doubles(s->nq);
    if (s->tree)
        td_integrate(s->model, TD_COORDINATES_TREE, s->q, s->qd, t, q);
    else
        td_integrate(s->model, TD_COORDINATES_INDEPENDENT, s->q, s->qd, t, q);
    CALL(s, mass_matrix, q, NULL, H);
}

/* Checks that C q̇ is the velocity part of the bias force and that Ḣ − 2C is skew. Ḣ comes from
   fourth-order differences on the manifold. They are accurate to rounding / h, and to order h⁴
   because γ of loops is nonlinear. */
static void check_coriolis(state *s)
{
    size_t n = s->n;
    assert_ok(CALL(s, coriolis_matrix, s->q, s->qd, s->M));
    mat_times(n, n, s->M, s->qd, s->x);
    CALL(s, bias_force, s->q, s->qd, NULL, s->C);
    CALL(s, gravity_force, s->q, s->z);
    for (size_t i = 0; i < n; i++)
        s->C[i] -= s->z[i];
    td_assert_close(n, s->x, s->C, 1e-12, fmax(td_largest(n, s->z), td_largest(n * n, s->H)));

    const double h = 1e-5, factor[2] = {8 / (12 * h), -1 / (12 * h)};
    double *above = doubles(n * n), *below = doubles(n * n), *rate = doubles(n * n);
    for (int k = 0; k < 2; k++) {
        mass_after(s, (k + 1) * h, above);
        mass_after(s, -(k + 1) * h, below);
        for (size_t i = 0; i < n * n; i++)
            rate[i] += factor[k] * (above[i] - below[i]);
    }
    double worst = 0, size = 1 + td_largest(n * n, above);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            worst = fmax(worst, fabs(rate[i * n + j] - s->M[i * n + j] - s->M[j * n + i]));
    ck_assert_msg(worst <= 1e-7 * size, "Ḣ − C − Cᵀ: %.3g", worst / size);
}

/* Checks hybrid dynamics against inverse dynamics: given values are returned unchanged, and the
   computed values are consistent with them. */
static void check_hybrid(state *s, td_random *random)
{
    size_t n = s->n;
    unsigned char *given = test_calloc(n + 1, 1);
    for (size_t j = 0; j < td_movable_count(s->model); j++) {
        td_joint_place p = td_joint_place_at(s->model, td_movable_joint(s->model, j));
        size_t first = s->tree ? p.qd : p.yd;
        unsigned char choice = td_random_below(random, 2) == 0;
        for (size_t k = 0; first != TD_NONE && k < (s->tree ? p.nv : p.nyd); k++)
            given[first + k] = choice;
    }
    CALL(s, inverse_dynamics, s->q, s->qd, s->qdd, &s->forces, s->tau);
    for (size_t i = 0; i < n; i++) { /* hide the values to be computed */
        s->x[i] = given[i] ? s->qdd[i] : 1e3;
        s->z[i] = given[i] ? -1e3 : s->tau[i];
    }
    assert_ok(CALL(s, mass_matrix, s->q, &s->forces, s->H));
    CALL(s, mass_matrix_inverse, s->q, &s->forces, s->M);
    double inverse = mat_norm(n, s->M), cond = mat_norm(n, s->H) * inverse;
    double forces = td_largest(n, s->tau) + mat_norm(n, s->H);
    CALL(s, bias_force, s->q, s->qd, &s->forces, s->C);
    forces += td_largest(n, s->C);
    assert_ok(CALL(s, hybrid_dynamics, s->q, s->qd, given, &s->forces, s->x, s->z));
    if (cond < 1e10) {
        td_assert_close(n, s->x, s->qdd, 1e-12, inverse * forces);
        td_assert_close(n, s->z, s->tau, 1e-12, cond * forces);
    }
}

/* Draws a random state and returns whether forward dynamics is defined there. Random robots may end
   in massless links, or have more joints than their masses can distinguish. */
static bool regular_state(state *s, td_random *random)
{
    randomise(s, random);
    return CALL(s, forward_dynamics, s->q, NULL, NULL, NULL, s->x) == TD_OK &&
           CALL(s, mass_matrix_inverse, s->q, NULL, s->M) == TD_OK;
}

/* ---- motion ---------------------------------------------------------------------------------- */

static void check_velocities(state *s, td_frame frame)
{
    size_t links = td_link_count(s->model), n = s->n;
    double *v = doubles(6 * links), *a = doubles(6 * links), *J = doubles(6 * n), rate[6], x[6];
    CALL(s, link_velocities, s->q, s->qd, frame, v);
    for (size_t k = 0; k < links; k++) {
        CALL(s, link_jacobian, k, NULL, s->q, frame, J);
        CALL(s, link_bias_acceleration, k, NULL, s->q, s->qd, frame, rate);
        for (int i = 0; i < 6; i++) {
            x[i] = 0;
            for (size_t j = 0; j < n; j++) {
                x[i] += J[(size_t)i * n + j] * s->qd[j];
                rate[i] += J[(size_t)i * n + j] * s->qdd[j];
            }
        }
        /* where loops fix a link, J is only rounding */
        double size = (1e-2 + td_largest(6 * n, J)) * (1 + td_largest(n, s->qd));
        td_assert_close(6, x, v + 6 * k, 1e-12, size);
        /* J q̈ + J̇ q̇ is the time derivative of the velocity's components in that frame */
        if (frame == TD_FRAME_ALIGNED)
            CALL(s, link_classical_accelerations, s->q, s->qd, s->qdd, frame, a);
        else
            CALL(s, link_spatial_accelerations, s->q, s->qd, s->qdd, frame, a);
        td_assert_close(6, rate, a + 6 * k, 1e-12, size * (1 + td_largest(n, s->qd)));
    }
}

/* Checks the poses of movable joints' links against the poses of all links. */
static void check_moving_poses(state *s)
{
    const size_t movable = td_movable_count(s->model);
    double *all = doubles(12 * td_link_count(s->model)), *some = doubles(12 * movable + 1);
    some[12 * movable] = 7;
    CALL(s, link_poses, s->q, all);
    CALL(s, moving_link_poses, s->q, some);
    for (size_t k = 0; k < movable; k++) {
        const td_joint_place place = td_joint_place_at(s->model, td_movable_joint(s->model, k));
        /* each call closes the loops again from the last position, with new rounding */
        td_assert_close(12, some + 12 * k, all + 12 * place.child_link, 1e-12, 1);
    }
    ck_assert(some[12 * movable] == 7);
}

/* Computes J (6 × nv) in a frame at p from the columns (in TD_FRAME_WORLD) of the joints that
   support a link. */
static void gather_columns(const td_model *model, size_t link, const double *columns,
                           const double p[3], double *J)
{
    size_t nv = td_nv(model);
    memset(J, 0, 6 * nv * sizeof *J);
    for (size_t joint = td_link_parent_joint(model, link); joint != TD_NONE;) {
        td_joint_place place = td_joint_place_at(model, joint);
        for (size_t i = place.qd; i < place.qd + place.nv; i++) {
            double x[6];
            for (size_t row = 0; row < 6; row++)
                x[row] = columns[row * nv + i];
            x[3] += x[1] * p[2] - x[2] * p[1];
            x[4] += x[2] * p[0] - x[0] * p[2];
            x[5] += x[0] * p[1] - x[1] * p[0];
            for (size_t row = 0; row < 6; row++)
                J[row * nv + i] = x[row];
        }
        joint = place.parent_joint;
    }
}

/* Checks the columns of joints against the Jacobians of links in the tree's configuration. In every
   frame, a column must equal the column that the link moved by its joint has. In the world frame,
   all columns of a link must agree, and in y they agree through G. */
static void check_columns(state *s)
{
    const td_model *model = s->model;
    size_t nv = td_nv(model), n = s->n, links = td_link_count(model);
    double *columns = doubles(6 * nv), *poses = doubles(12 * links), *q = doubles(td_nq(model));
    double *all = doubles(12 * links), *J = doubles(6 * nv), *expected = doubles(6 * nv),
           *G = doubles(nv * n);
    double *J_y = doubles(6 * n);
    if (s->tree)
        memcpy(q, s->q, s->nq * sizeof *q);
    else
        assert_ok(td_closure(model, s->w, s->q, NULL, NULL, q, NULL, NULL));

    for (int frame = TD_FRAME_WORLD; frame <= TD_FRAME_ALIGNED; frame++) {
        CALL(s, motion_subspaces, s->q, (td_frame)frame, columns, NULL);
        for (size_t j = 0; j < td_movable_count(model); j++) {
            td_joint_place at = td_joint_place_at(model, td_movable_joint(model, j));
            TD_IN_TREE(s->w, td_link_jacobian(model, s->w, at.child_link, NULL, q, (td_frame)frame,
                                              expected));
            for (size_t row = 0; row < 6; row++)
                td_assert_close(at.nv, columns + row * nv + at.qd, expected + row * nv + at.qd,
                                1e-12, 1 + td_largest(6 * nv, expected));
        }
    }

    CALL(s, motion_subspaces, s->q, TD_FRAME_WORLD, columns, poses);
    CALL(s, link_poses, s->q, all);
    td_assert_close(12 * links, poses, all, 1e-12, 1 + td_largest(12 * links, all));
    if (!s->tree)
        assert_ok(td_closure_jacobian(model, s->w, s->q, G));
    for (size_t k = 0; k < links; k++)
        for (int aligned = 0; aligned < 2; aligned++) {
            const double *P = poses + 12 * k, none[3] = {0}, at[3] = {P[3], P[7], P[11]};
            td_frame frame = aligned ? TD_FRAME_ALIGNED : TD_FRAME_WORLD;
            gather_columns(model, k, columns, aligned ? at : none, J);
            TD_IN_TREE(s->w, td_link_jacobian(model, s->w, k, NULL, q, frame, expected));
            double size = 1 + td_largest(6 * nv, columns) * (1 + td_largest(3, at));
            td_assert_close(6 * nv, J, expected, 1e-12, size);
            if (s->tree)
                continue;
            CALL(s, link_jacobian, k, NULL, s->q, frame, expected);
            memset(J_y, 0, 6 * n * sizeof *J_y);
            for (size_t row = 0; row < 6; row++)
                for (size_t i = 0; i < nv; i++)
                    for (size_t j = 0; j < n; j++)
                        J_y[row * n + j] += J[row * nv + i] * G[i * n + j];
            td_assert_close(6 * n, J_y, expected, 1e-12, size * (1 + td_largest(nv * n, G)));
        }
}

/* Computes the positions after time t, to second order, for the velocities and accelerations of the
   state. Where loops decide part of a pose, ẏ lacks some of its velocities. */
static void move_on(state *s, double t, double *q)
{
    const size_t nv = td_nv(s->model), nq = td_nq(s->model);
    double *at = doubles(nq), *v = doubles(nv), *a = doubles(nv), *moved = doubles(nq);
    if (s->tree)
        memcpy(at, s->q, nq * sizeof *at), memcpy(v, s->qd, nv * sizeof *v),
            memcpy(a, s->qdd, nv * sizeof *a);
    else
        assert_ok(td_closure(s->model, s->w, s->q, s->qd, s->qdd, at, v, a));
    for (size_t j = 0; j < nv; j++)
        v[j] += 0.5 * t * a[j];
    td_integrate(s->model, TD_COORDINATES_TREE, at, v, t, moved);
    if (s->tree)
        memcpy(q, moved, nq * sizeof *q);
    else
        td_independent_coordinates(s->model, s->w, moved, q, NULL);
}

/* Checks the motion of a point of the last link against its Jacobian, and against differences of
   its position along q ⊕ (q̇ t + ½ q̈ t²). */
static void check_point(state *s)
{
    static const double point[3] = {0.3, -0.2, 0.5};
    size_t link = td_link_count(s->model) - 1, n = s->n;
    double *J = doubles(6 * n), *q = doubles(s->nq);
    double at[9], before[9], after[9], velocity[3] = {0};
    CALL(s, point_motion, link, point, s->q, s->qd, s->qdd, at);
    CALL(s, link_jacobian, link, point, s->q, TD_FRAME_ALIGNED, J);
    for (int i = 0; i < 3; i++)
        for (size_t j = 0; j < n; j++)
            velocity[i] += J[(size_t)(3 + i) * n + j] * s->qd[j];
    double size = (1 + td_largest(6 * n, J)) * (1 + td_largest(n, s->qd));
    td_assert_close(3, velocity, at + 3, 1e-12, size);

    const double h = 1e-4;
    for (int side = 0; side < 2; side++) {
        move_on(s, side ? h : -h, q);
        CALL(s, point_motion, link, point, q, NULL, NULL, side ? after : before);
    }
    double scale = size * size * (1 + td_largest(n, s->qd));
    for (int i = 0; i < 3; i++) {
        double v = (after[i] - before[i]) / (2 * h);
        double a = (after[i] - 2 * at[i] + before[i]) / (h * h);
        ck_assert_double_le(fabs(v - at[3 + i]), 1e-6 * scale);
        ck_assert_double_le(fabs(a - at[6 + i]), 1e-4 * scale);
    }
}

void outer_wrench(const td_model *model, const td_forces *forces, const double *poses,
                  const double com[3], double sum[6])
{
    const double *g = td_gravity(model, NULL);
    memset(sum, 0, 6 * sizeof *sum);
    for (int i = 0; i < 3; i++)
        sum[3 + i] = td_total_mass(model) * g[i];
    for (size_t k = 0; forces->wrenches && k < td_link_count(model); k++) {
        const double *w = forces->wrenches + 6 * k, *X = poses + 12 * k;
        double n[3], f[3], r[3];
        for (int i = 0; i < 3; i++) {
            bool body = forces->wrench_frame == TD_FRAME_BODY;
            n[i] = body ? X[4 * i] * w[0] + X[4 * i + 1] * w[1] + X[4 * i + 2] * w[2] : w[i];
            f[i] = body ? X[4 * i] * w[3] + X[4 * i + 1] * w[4] + X[4 * i + 2] * w[5] : w[3 + i];
            r[i] = (forces->wrench_frame == TD_FRAME_WORLD ? 0 : X[4 * i + 3]) - com[i];
        }
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, l = (i + 2) % 3;
            sum[i] += n[i] + r[j] * f[l] - r[l] * f[j];
            sum[3 + i] += f[i];
        }
    }
}

/* Checks that the residual wrench is the rate of momentum minus gravity and wrenches. Both are
   about the center of mass. */
static void check_residual(state *s, const double rate[6], const double com[3], double size)
{
    double wrench[6], outer[6], *poses = doubles(12 * td_link_count(s->model));
    CALL(s, link_poses, s->q, poses);
    outer_wrench(s->model, &s->forces, poses, com, outer);
    CALL(s, residual_wrench, s->q, s->qd, s->qdd, &s->forces, TD_FRAME_WORLD, wrench);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        wrench[i] -= com[j] * wrench[3 + k] - com[k] * wrench[3 + j];
    }
    for (int i = 0; i < 6; i++)
        wrench[i] += outer[i];
    td_assert_close(6, wrench, rate, 1e-12, size + td_largest(6, outer));
}

/* checks momentum, its matrix and bias, the center of mass and its Jacobian, and kinetic energy */
static void check_momentum(state *s)
{
    size_t n = s->n;
    td_scope scope = TD_SCOPE_ALL;
    double mass = td_total_mass(s->model), *A = doubles(6 * n), *J = doubles(3 * n);
    double h[6], product[6] = {0}, rate[6], com[9], v[3] = {0}, a[3], energy[2], kinetic = 0;
    if (mass == 0) {
        return;
    }
    CALL(s, centroidal_momentum_matrix, s->q, scope, A);
    CALL(s, centroidal_momentum, s->q, s->qd, scope, h);
    CALL(s, centroidal_momentum_bias, s->q, s->qd, scope, rate);
    CALL(s, center_of_mass_motion, s->q, s->qd, s->qdd, scope, com);
    CALL(s, center_of_mass_jacobian, s->q, scope, J);
    for (int i = 0; i < 6; i++)
        for (size_t j = 0; j < n; j++) {
            product[i] += A[(size_t)i * n + j] * s->qd[j];
            rate[i] += A[(size_t)i * n + j] * s->qdd[j];
        }
    double speed = 1 + td_largest(n, s->qd), size = (1 + td_largest(6 * n, A)) * speed;
    td_assert_close(6, product, h, 1e-12, size);
    for (int i = 0; i < 3; i++) {
        for (size_t j = 0; j < n; j++)
            v[i] += J[(size_t)i * n + j] * s->qd[j];
        a[i] = rate[3 + i] / mass;
    }
    td_assert_close(3, v, com + 3, 1e-12, size / mass);
    td_assert_close(3, a, com + 6, 1e-12, size * speed / mass);
    check_residual(s, rate, com, size * speed * (1 + td_largest(3, com)));
    CALL(s, energy, s->q, s->qd, scope, energy);
    CALL(s, mass_matrix, s->q, NULL, s->H);
    mat_times(n, n, s->H, s->qd, s->x);
    for (size_t i = 0; i < n; i++)
        kinetic += 0.5 * s->x[i] * s->qd[i];
    ck_assert_double_le(fabs(kinetic - energy[0]),
                        1e-12 * (td_largest(n * n, s->H) * speed * speed + energy[0]));
    const double *g = td_gravity(s->model, NULL);
    ck_assert_double_le(fabs(energy[1] + mass * (g[0] * com[0] + g[1] * com[1] + g[2] * com[2])),
                        1e-12 * mass * (1 + td_largest(3, com)) * (1 + td_largest(3, g)));
}

/* C (rows × columns) = A (rows × inner) B; if transposed, A Bᵀ with B columns × inner */
static void product(size_t rows, size_t inner, size_t columns, const double *A, const double *B,
                    bool transposed, double *C)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            C[i * columns + j] = 0;
            for (size_t k = 0; k < inner; k++)
                C[i * columns + j] +=
                    A[i * inner + k] * (transposed ? B[j * inner + k] : B[k * columns + j]);
        }
}

/* Checks the columns of a link's mobility: forward dynamics under Jᵀ F for each unit wrench F gives
   the acceleration of the link. */
static void check_mobility(state *s, const double *J, const double *mobility, double allowed)
{
    const size_t n = s->n;
    td_forces rotors = td_forces_default();
    rotors.passive = s->forces.passive;
    double *before = doubles(n), *after = doubles(n);
    memset(s->tau, 0, n * sizeof *s->tau);
    CALL(s, forward_dynamics, s->q, NULL, s->tau, &rotors, before);
    for (size_t i = 0; i < 6; i++) {
        double column[6], found[6];
        assert_ok(CALL(s, forward_dynamics, s->q, NULL, J + i * n, &rotors, after));
        for (size_t j = 0; j < n; j++)
            after[j] -= before[j];
        product(6, n, 1, J, after, false, found);
        for (size_t k = 0; k < 6; k++)
            column[k] = mobility[6 * k + i];
        /* where loops fix a link, J is only rounding, unlike the accelerations before */
        td_assert_close(6, found, column, allowed,
                        td_largest(36, mobility) + td_largest(6 * n, J) * td_largest(n, before));
    }
}

/* Checks the operational-space inertia of a link against J and the dense inverse of H. Λ⁻¹ = J H⁻¹
   Jᵀ, and Λ Λ⁻¹ Λ = Λ, where dependent rows are zero. J̄ = H⁻¹ Jᵀ Λ, and J J̄ J = J in the selected
   rows. */
static void check_operational(state *s, td_random *random)
{
    const size_t n = s->n, link = td_random_below(random, td_link_count(s->model));
    const td_frame frame = (td_frame)td_random_below(random, 3);
    double point[3], mobility[36], inertia[36], expected[36], twice[36], part[36];
    unsigned char axes[6];
    td_random_fill(random, 3, point);
    for (int i = 0; i < 6; i++)
        axes[i] = td_random_below(random, 3) > 0;
    const bool all = td_random_below(random, 2);
    assert_ok(CALL(s, mass_matrix, s->q, &s->forces, s->H));
    assert_ok(CALL(s, mass_matrix_inverse, s->q, &s->forces, s->M));
    const double cond = mat_norm(n, s->H) * mat_norm(n, s->M);
    if (cond > 1e8)
        return;
    double *J = doubles(6 * n), *JM = doubles(6 * n), *back = doubles(6 * n), *bar = doubles(6 * n);
    CALL(s, link_jacobian, link, point, s->q, frame, J);
    assert_ok(CALL(s, operational_inertia, link, point, all ? NULL : axes, s->q, &s->forces, frame,
                   mobility, inertia, bar));
    product(6, n, n, J, s->M, false, JM);
    product(6, n, 6, JM, J, true, expected);
    const double size = td_largest(6 * n, J) * td_largest(6 * n, J) * mat_norm(n, s->M);
    td_assert_close(36, mobility, expected, 1e-14 * cond + 1e-13, size);
    check_mobility(s, J, mobility, 1e-13 * cond * (1 + size / (td_largest(36, mobility) + 1e-300)));

    const double loss = 1e-15 * cond * (1 + td_largest(36, inertia) * td_largest(36, mobility));
    product(6, 6, 6, inertia, mobility, false, part);
    product(6, 6, 6, part, inertia, false, twice);
    td_assert_close(36, twice, inertia, 1e3 * loss, 0);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 6; k++) {
            back[6 * i + k] = 0;
            for (size_t a = 0; a < 6; a++)
                back[6 * i + k] += JM[a * n + i] * inertia[6 * a + k];
        }
    td_assert_close(6 * n, bar, back, 1e3 * loss, 0);
    product(6, n, 6, J, bar, false, part);
    product(6, 6, n, part, J, false, back);
    for (size_t i = 0; i < 6; i++) {
        const bool selected = all || axes[i];
        if (selected)
            td_assert_close(n, back + i * n, J + i * n, 1e3 * loss, 1 + td_largest(6 * n, J));
        for (size_t k = 0; k < 6; k++)
            ck_assert_double_eq(inertia[6 * i + k], inertia[6 * k + i]);
        for (size_t k = 0; k < 6 && (!selected || inertia[7 * i] == 0); k++)
            ck_assert(inertia[6 * i + k] == 0);
        for (size_t k = 0; k < n && (!selected || inertia[7 * i] == 0); k++)
            ck_assert(bar[6 * k + i] == 0);
    }
}

/* Checks reactions against the free-body balance of oracle.c, which uses links only. The component
   along a joint's axis must equal the joint's force. */
static void check_reactions(state *s)
{
    size_t joints = td_joint_count(s->model), nv = td_nv(s->model);
    double *q = doubles(td_nq(s->model)), *qd = doubles(nv), *qdd = doubles(nv);
    double *reactions = doubles(6 * joints), *expected = doubles(6 * joints);
    if (s->tree) {
        memcpy(q, s->q, s->nq * sizeof *q);
        memcpy(qd, s->qd, nv * sizeof *q);
        memcpy(qdd, s->qdd, nv * sizeof *q);
    } else {
        td_closure(s->model, s->w, s->q, s->qd, s->qdd, q, qd, qdd);
    }
    td_forces forces = s->forces;
    oracle_inverse_dynamics(s->model, q, qd, qdd, &forces, NULL, NULL, expected);
    CALL(s, joint_reactions, s->q, s->qd, s->qdd, &forces, TD_FRAME_WORLD, reactions);
    td_assert_close(6 * joints, reactions, expected, 1e-12, 1);

    double *tau = doubles(nv);
    forces.passive = false;
    TD_IN_TREE(s->w, td_inverse_dynamics(s->model, s->w, q, qd, qdd, &forces, tau));
    CALL(s, joint_reactions, s->q, s->qd, s->qdd, &forces, TD_FRAME_BODY, reactions);
    double size = 1 + td_largest(6 * joints, reactions);
    for (size_t i = 0; i < joints; i++) {
        const td_joint *joint = td_joint_at(s->model, i);
        td_joint_place place = td_joint_place_at(s->model, i);
        if (place.nv != 1)
            continue;
        const double *part = reactions + 6 * i + (joint->type == TD_JOINT_PRISMATIC ? 3 : 0);
        double along = 0;
        for (int k = 0; k < 3; k++)
            along += joint->axis[k] * part[k];
        for (int k = 0; k < 3 && joint->type == TD_JOINT_SCREW; k++)
            along += joint->pitch / (4 * acos(0)) * joint->axis[k] * part[3 + k];
        ck_assert_double_le(fabs(along - tau[place.qd]), 1e-12 * size);
    }
}

/* td_dynamics_terms must return the same results as the individual functions */
static void check_terms(state *s)
{
    size_t n = s->n, links = td_link_count(s->model);
    double *poses = doubles(12 * links), *expected = doubles(12 * links);
    double *velocities = doubles(6 * links), *A = doubles(6 * n), *B = doubles(6 * n), e[2], f[2];
    td_terms terms = td_terms_default();
    terms.H = s->M;
    terms.C = s->x;
    terms.gravity = s->z;
    terms.poses = poses;
    terms.velocities = velocities;
    terms.centroidal_momentum_matrix = A;
    terms.energy = e;
    assert_ok(CALL(s, dynamics_terms, s->q, s->qd, &s->forces, &terms));
    CALL(s, mass_matrix, s->q, &s->forces, s->H);
    td_assert_close(n * n, s->M, s->H, 1e-15, 0); /* loops iterate again in each call */
    CALL(s, bias_force, s->q, s->qd, &s->forces, s->C);
    td_assert_close(n, s->x, s->C, 1e-14, 0);
    CALL(s, gravity_force, s->q, s->C);
    td_assert_close(n, s->z, s->C, 1e-14, 0);
    CALL(s, link_poses, s->q, expected);
    td_assert_close(12 * links, poses, expected, 1e-15, 0);
    CALL(s, link_velocities, s->q, s->qd, TD_FRAME_ALIGNED, expected);
    td_assert_close(6 * links, velocities, expected, 1e-14, 0);
    CALL(s, energy, s->q, s->qd, s->forces.passive ? TD_SCOPE_SPRINGS : TD_SCOPE_ALL, f);
    if (td_total_mass(s->model) > 0) {
        CALL(s, centroidal_momentum_matrix, s->q, TD_SCOPE_ALL, B);
        td_assert_close(6 * n, A, B, 1e-14, 0);
    }
    td_assert_close(2, e, f, 1e-14, 0);
}

int identities_check(state *s, td_random *random, int states)
{
    int regular = 0;
    for (int k = 0; k < states; k++) {
        OWNED_HERE;
        bool defined = regular_state(s, random);
        if (defined)
            regular++;
        check_mass_matrix(s);
        if (defined) {
            check_state(s);
            check_hybrid(s, random);
            check_operational(s, random);
        }
        check_coriolis(s);
        for (int frame = TD_FRAME_WORLD; frame <= TD_FRAME_ALIGNED; frame++)
            check_velocities(s, (td_frame)frame);
        check_columns(s);
        check_moving_poses(s);
        check_point(s);
        check_momentum(s);
        if (!s->tree && td_loop_count(s->model))
            loop_balance_check(s->model, s->w, s->q, s->qd, s->qdd, &s->forces);
        else
            check_reactions(s);
        check_terms(s);
    }
    return regular;
}
