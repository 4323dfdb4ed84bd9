/* SPDX-License-Identifier: MIT */
/*
 * The two examples of "Integrating Mimic Joints into Dynamics Algorithms" (Kumar et al. 2017): the
 * parallelogram of section 3.2 and the Recupera shoulder of section 4.2.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "td_test.h"

/*
 * The parallelogram in closed form. Links have length l, mass m, the center of mass in the middle,
 * and moment I about it. The side links rotate by q about their pivots. The coupler moves along a
 * circle of radius l without rotating. With q from the upright position and gravity in the plane:
 *   T = ½ q̇² (2 (I + m l²/4) + m l²),
 *   V = m g (2 · l/2 + l) cos q = 2 m g l cos q,
 *   tau = (2 I + 3/2 m l²) q̈ − 2 m g l sin q.
 * With l = 2, m = 1 and q = 2πt², at t = 0 and without gravity, tau is 108.9 N m if I = 4/3. It is
 * 83.8 N m if the paper's 4/3 is about the pivot, I = 4/3 − m l²/4 = 1/3.
 */
static double closed_form(double moment, double g, double q, double qdd)
{
    const double l = 2, m = 1;
    return (2 * moment + 1.5 * m * l * l) * qdd - 2 * m * g * l * sin(q);
}

/* the bundled file, with the given moments of inertia about z */
static td_model *parallelogram(bool about_pivot, double g)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/parallelogram.urdf", td_robot_directory());
    size_t size;
    char *text = td_read_file(path, &size);
    const char *given = "izz=\"1.3333333333333333\"", *other = "izz=\"0.3333333333333333\"";
    int replaced = 0;
    for (char *at = text; about_pivot && (at = strstr(at, given)); at++, replaced++)
        memcpy(at, other, strlen(other));
    ck_assert_int_eq(replaced, about_pivot ? 3 : 0);
    td_load_options options = td_load_options_default();
    options.gravity[1] = -g;
    options.gravity[2] = 0;
    td_model *model;
    assert_ok(test_load_urdf_memory(text, size, path, &options, NULL, &model));
    return model;
}

/* all four interpretations of the paper, 100 steps of the motion */
TD_LOOP_TEST(parallelogram_torque, 0, 4)
{
    bool about_pivot = _i & 1;
    double g = _i & 2 ? 9.81 : 0;
    td_model *model = parallelogram(about_pivot, g);
    ck_assert_uint_eq(td_nyd(model), 1);
    td_workspace *workspace = test_workspace(model);
    double moment = about_pivot ? 1.0 / 3 : 4.0 / 3, largest = 0, worst = 0;
    for (int step = 0; step <= 100; step++) {
        double t = step / 100.0;
        const double q = 2 * M_PI * t * t, qd = 4 * M_PI * t, qdd = 4 * M_PI;
        double tau, u, expected = closed_form(moment, g, q, qdd);
        assert_ok(td_inverse_dynamics(model, workspace, &q, &qd, &qdd, NULL, &tau));
        assert_ok(td_forces_to_actuators(model, workspace, NULL, &tau, NULL, &u, NULL));
        ck_assert_double_eq(u, tau); /* M_u = 1 */
        if (step == 0)
            ck_assert_double_eq_tol(tau, about_pivot ? 83.8 : 108.9, 0.05);
        largest = fmax(largest, fabs(expected));
        worst = fmax(worst, fabs(tau - expected));
    }
    /* rounding level: the Coriolis terms of the bodies, up to (4π)² each, cancel in the sum */
    ck_assert_msg(worst <= 4e-15 * fmax(largest, 16 * M_PI * M_PI), "worst error %.3g N m", worst);
}

/* equation 20: q = (1, -1, 1)ᵀ y */
TD_TEST(parallelogram_closure)
{
    td_model *model = td_load_robot("parallelogram.urdf", NULL);
    static const char *const names[] = {"J_B_01", "J_01_02", "J_B_03"};
    static const double M[] = {1, -1, 1};
    td_sparse sparse = td_closure_matrix(model);
    ck_assert_uint_eq(sparse.rows, 3);
    ck_assert_uint_eq(sparse.columns, 1);
    for (size_t i = 0; i < 3; i++) {
        ck_assert_str_eq(td_joint_at(model, td_movable_joint(model, i))->name, names[i]);
        ck_assert_uint_eq(sparse.row[i + 1], i + 1);
        ck_assert_double_eq(sparse.value[i], M[i]);
        ck_assert_double_eq(td_closure_offset(model)[i], 0);
    }
}

/* The loop joint J_02_03 is not in the tree, and the mimic joints keep it closed: the end of the
   coupler stays at the end of side link 03. */
TD_TEST(parallelogram_stays_closed)
{
    td_model *model = td_load_robot("parallelogram.urdf", NULL);
    td_workspace *workspace = test_workspace(model);
    double poses[4 * 12];
    size_t coupler = td_link_index(model, "link_02"), side = td_link_index(model, "link_03");
    for (double y = -3; y <= 3; y += 0.25) {
        td_link_poses(model, workspace, &y, poses);
        for (int i = 0; i < 3; i++) {
            const double *a = poses + 12 * coupler + 4 * i, *b = poses + 12 * side + 4 * i;
            ck_assert_double_eq_tol(a[3] + 2 * a[0], b[3] + 2 * b[1], 1e-15 * 4);
        }
    }
}

/* equation 21, including names and order */
TD_TEST(recupera_closure)
{
    static const char *const q[] = {"J_100_200", "J_200_222", "J_222_223", "J_223_300",
                                    "J_300_400", "J_400_600", "J_200_232", "J_232_233"};
    static const char *const y[] = {"J_100_200", "J_300_400", "J_400_600", "J_200_232"};
    static const double M[8][4] = {{1, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, 0, -1}, {0, 0, 0, 1},
                                   {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1},  {0, 0, 0, -1}};
    td_model *model = td_load_robot("recupera_shoulder.urdf", NULL);
    td_workspace *workspace = test_workspace(model);
    double G[8 * 4];
    ck_assert_uint_eq(td_nv(model), 8);
    ck_assert_uint_eq(td_nyd(model), 4);
    for (size_t i = 0; i < 8; i++)
        ck_assert_str_eq(td_joint_at(model, td_movable_joint(model, i))->name, q[i]);
    for (size_t i = 0; i < 4; i++)
        ck_assert_str_eq(td_joint_at(model, td_independent_joint(model, i))->name, y[i]);
    td_closure_jacobian(model, workspace, NULL, G);
    ck_assert_mem_eq(G, M, sizeof G);
    for (size_t i = 0; i < 8; i++)
        ck_assert_double_eq(td_closure_offset(model)[i], 0);

    double M_u[4 * 4];
    ck_assert_uint_eq(td_nu(model), 4);
    td_actuation_matrix(model, workspace, NULL, M_u);
    for (int i = 0; i < 16; i++)
        ck_assert_double_eq(M_u[i], i % 5 == 0); /* the identity, as the paper states */
}

/* ---- the loops as implicit constraints ------------------------------------------------------- */

enum { ROWS = 10, MOST = 8 };

/* a revolute joint between points of two links, with its axis in the successor's axes */
typedef struct loop_joint {
    const char *predecessor, *successor;
    double at_predecessor[3], at_successor[3], axis[3];
} loop_joint;

/* one row K q̈ = k */
typedef struct constraint_row {
    double K[MOST], k;
} constraint_row;

/* velocity, acceleration at q̈ = 0 and Jacobian of a link's point, in world axes */
typedef struct end_motion {
    double J[6 * MOST], v[6], a[6], pose[12];
} end_motion;

static end_motion motion_of_end(const td_model *tree, td_workspace *w, const char *link,
                                const double point[3], const double *q, const double *qd)
{
    end_motion e = {.v = {0}};
    size_t n = td_nv(tree), k = td_link_index(tree, link);
    double *poses = doubles(12 * td_link_count(tree));
    TD_IN_TREE(w, td_link_jacobian(tree, w, k, point, q, TD_FRAME_ALIGNED, e.J));
    TD_IN_TREE(w, td_link_bias_acceleration(tree, w, k, point, q, qd, TD_FRAME_ALIGNED, e.a));
    TD_IN_TREE(w, td_link_poses(tree, w, q, poses));
    memcpy(e.pose, poses + 12 * k, sizeof e.pose);
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < n; j++)
            e.v[i] += e.J[i * n + j] * qd[j];
    return e;
}

/* The five rows of a loop joint: no relative motion of the points, and no relative rotation across
   the axis. With the axis a and the joint's rate δ, α_p − α_s = ω_s × a δ + a δ̇. */
static void loop_rows(const td_model *tree, td_workspace *w, const loop_joint *loop,
                      const double *q, const double *qd, constraint_row rows[5])
{
    size_t n = td_nv(tree);
    end_motion p = motion_of_end(tree, w, loop->predecessor, loop->at_predecessor, q, qd);
    end_motion s = motion_of_end(tree, w, loop->successor, loop->at_successor, q, qd);
    double axis[3] = {0}, rate = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            axis[i] += s.pose[4 * i + j] * loop->axis[j];
    for (int i = 0; i < 3; i++)
        rate += axis[i] * (p.v[i] - s.v[i]);
    const double turning[3] = {s.v[1] * axis[2] - s.v[2] * axis[1],
                               s.v[2] * axis[0] - s.v[0] * axis[2],
                               s.v[0] * axis[1] - s.v[1] * axis[0]};
    int row = 0;
    for (int i = 0; i < 3; i++, row++) {
        for (size_t j = 0; j < n; j++)
            rows[row].K[j] = p.J[(size_t)(3 + i) * n + j] - s.J[(size_t)(3 + i) * n + j];
        rows[row].k = s.a[3 + i] - p.a[3 + i];
    }
    for (int other = 0; other < 3; other++) { /* the successor's axes across the joint axis */
        if (loop->axis[other] != 0)
            continue;
        rows[row] = (constraint_row){.k = 0};
        for (int i = 0; i < 3; i++) {
            double e = s.pose[4 * i + other];
            for (size_t j = 0; j < n; j++)
                rows[row].K[j] += e * (p.J[(size_t)i * n + j] - s.J[(size_t)i * n + j]);
            rows[row].k += e * (s.a[i] - p.a[i] + turning[i] * rate);
        }
        row++;
    }
}

/* Brings rows into echelon form with row exchanges and returns the rank. The remainders of
   redundant rows must vanish. */
static size_t independent_rows(size_t n, constraint_row *rows, size_t count)
{
    size_t rank = 0;
    for (size_t column = 0; column < n && rank < count; column++) {
        size_t pivot = rank;
        for (size_t i = rank; i < count; i++)
            if (fabs(rows[i].K[column]) > fabs(rows[pivot].K[column]))
                pivot = i;
        if (fabs(rows[pivot].K[column]) < 1e-9)
            continue;
        constraint_row row = rows[pivot];
        rows[pivot] = rows[rank];
        rows[rank] = row;
        for (size_t i = rank + 1; i < count; i++) {
            double factor = rows[i].K[column] / row.K[column];
            for (size_t j = 0; j < n; j++)
                rows[i].K[j] -= factor * row.K[j];
            rows[i].k -= factor * row.k;
        }
        rank++;
    }
    for (size_t i = rank; i < count; i++)
        ck_assert_double_le(fabs(rows[i].k), 1e-10); /* consistent: the loop can move in this way */
    return rank;
}

/* Gaussian elimination with row exchanges, N × (N + 1) */
static void eliminate(size_t N, double *A)
{
    size_t width = N + 1;
    for (size_t k = 0; k < N; k++) {
        size_t pivot = k;
        for (size_t i = k; i < N; i++)
            if (fabs(A[i * width + k]) > fabs(A[pivot * width + k]))
                pivot = i;
        for (size_t j = 0; j < width; j++) {
            double swap = A[k * width + j];
            A[k * width + j] = A[pivot * width + j];
            A[pivot * width + j] = swap;
        }
        for (size_t i = 0; i < N; i++) {
            double factor = i == k ? 0 : A[i * width + k] / A[k * width + k];
            for (size_t j = k; j < width && factor != 0; j++)
                A[i * width + j] -= factor * A[k * width + j];
        }
    }
    for (size_t k = 0; k < N; k++)
        A[k * width + N] /= A[k * width + k];
}

/* q̈ by equation 5 with the rows of the loops, without redundant ones */
static void implicit_accelerations(const td_model *tree, td_workspace *w, const double *q,
                                   const double *qd, const double *tau, constraint_row *rows,
                                   size_t rank, double *qdd)
{
    size_t n = td_nv(tree), N = n + rank, width = N + 1;
    double H[MOST * MOST], C[MOST], *A = doubles(N * width);
    TD_IN_TREE(w, td_mass_matrix(tree, w, q, NULL, H));
    TD_IN_TREE(w, td_bias_force(tree, w, q, qd, NULL, C));
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            A[i * width + j] = H[i * n + j];
        A[i * width + N] = tau[i] - C[i];
        for (size_t c = 0; c < rank; c++)
            A[i * width + n + c] = A[(n + c) * width + i] = rows[c].K[i];
    }
    for (size_t c = 0; c < rank; c++)
        A[(n + c) * width + N] = rows[c].k;
    eliminate(N, A);
    for (size_t i = 0; i < n; i++)
        qdd[i] = A[i * width + N];
}

/* The mechanisms by their mimic joints and by their loops: forward dynamics must agree, and so must
   the motor torques (Gᵀ τ) that inverse dynamics of that motion requires. The five rows of each
   planar loop have rank 2. */
TD_LOOP_TEST(loops_agree_with_mimic, 0, 2)
{
    static const struct {
        const char *file;
        size_t loops;
        loop_joint loop[2];
    } cases[] = {
        {"parallelogram.urdf", 1, {{"link_02", "link_03", {2, 0, 0}, {0, 2, 0}, {0, 0, 1}}}},
        {"recupera_shoulder.urdf",
         2,
         {{"link_223", "link_232", {0.08, 0, 0}, {0, 0, 0.1}, {0, 1, 0}},
          {"link_233", "link_300", {0.22, 0, 0}, {0, 0, 0.08}, {0, 1, 0}}}},
    };
    td_model *model = td_load_robot(cases[_i].file, NULL);
    td_workspace *w = test_workspace(model);
    size_t n = td_nv(model), m = td_nyd(model), count = 5 * cases[_i].loops;
    ck_assert_uint_le(n, MOST);
    td_random random = {3};
    for (int state = 0; state < 50; state++) {
        double y[MOST], yd[MOST], q[MOST], qd[MOST], tau[MOST], tau_y[MOST], ydd[MOST];
        double qdd[MOST], implicit[MOST], back[MOST], back_y[MOST];
        constraint_row rows[ROWS];
        td_random_fill(&random, m, y);
        td_random_fill(&random, m, yd);
        td_random_fill(&random, n, tau);
        td_closure(model, w, y, yd, NULL, q, qd, NULL);
        for (size_t k = 0; k < cases[_i].loops; k++)
            loop_rows(model, w, &cases[_i].loop[k], q, qd, rows + 5 * k);
        for (size_t i = 0; i < count; i++) { /* K q̇ = 0 for the motion of the mimic joints */
            double sum = 0;
            for (size_t j = 0; j < n; j++)
                sum += rows[i].K[j] * qd[j];
            ck_assert_double_le(fabs(sum), 1e-14);
        }
        size_t rank = independent_rows(n, rows, count);
        ck_assert_uint_eq(rank, n - m);
        implicit_accelerations(model, w, q, qd, tau, rows, rank, implicit);

        td_project_force(model, w, y, tau, tau_y);
        assert_ok(td_forward_dynamics(model, w, y, yd, tau_y, NULL, ydd));
        td_closure(model, w, y, yd, ydd, NULL, NULL, qdd);
        td_assert_close(n, qdd, implicit, 1e-11, 1);
        TD_IN_TREE(w, td_inverse_dynamics(model, w, q, qd, implicit, NULL, back));
        td_project_force(model, w, y, back, back_y);
        td_assert_close(m, back_y, tau_y, 1e-11, 1);
    }
}
