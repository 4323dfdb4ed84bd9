/* SPDX-License-Identifier: MIT */
/*
 * The two examples of "Integrating Mimic Joints into Dynamics Algorithms" (Kumar et al. 2017): the
 * parallelogram of section 3.2 and the Recupera shoulder of section 4.2.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "td_test.h"

/*
 * The parallelogram in closed form. Links of length l, mass m, centre of mass in the middle, moment
 * I about it. The side links turn by q about their pivots, the coupler is carried along a circle of
 * radius l and does not turn:
 *
 *   T = ½ q̇² (2 (I + m l²/4) + m l²),   V = m g (2 · l/2 + l) cos q = 2 m g l cos q
 *
 * (q from the upright position, gravity in the plane), so that
 *
 *   tau = (2 I + 3/2 m l²) q̈ − 2 m g l sin q
 *
 * With l = 2, m = 1 and q = 2πt²: at t = 0 and without gravity 108.9 N m if I = 4/3, and 83.8 N m
 * if the paper's 4/3 is about the pivot, I = 4/3 − m l²/4 = 1/3.
 */
static double closed_form(double moment, double g, double q, double qdd)
{
    const double l = 2, m = 1;
    return (2 * moment + 1.5 * m * l * l) * qdd - 2 * m * g * l * sin(q);
}

/* the bundled file, with the moments of inertia about z that are asked for */
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
    ck_assert_int_eq(td_load_urdf_memory(text, size, path, &options, NULL, &model), TD_OK);
    free(text);
    return model;
}

/* all four readings of the paper, 100 steps of the motion */
START_TEST(parallelogram_torque)
{
    bool about_pivot = _i & 1;
    double g = _i & 2 ? 9.81 : 0;
    td_model *model = parallelogram(about_pivot, g);
    ck_assert_uint_eq(td_nyd(model), 1);
    td_workspace *workspace = td_workspace_new(model);
    double moment = about_pivot ? 1.0 / 3 : 4.0 / 3, largest = 0, worst = 0;
    for (int step = 0; step <= 100; step++) {
        double t = step / 100.0;
        const double q = 2 * M_PI * t * t, qd = 4 * M_PI * t, qdd = 4 * M_PI;
        double tau, u, expected = closed_form(moment, g, q, qdd);
        ck_assert_int_eq(td_inverse_dynamics(model, workspace, &q, &qd, &qdd, NULL, &tau), TD_OK);
        ck_assert_int_eq(td_actuator_forces(model, workspace, &tau, &u), TD_OK);
        ck_assert_double_eq(u, tau); /* M_u = 1 */
        if (step == 0)
            ck_assert_double_eq_tol(tau, about_pivot ? 83.8 : 108.9, 0.05);
        largest = fmax(largest, fabs(expected));
        worst = fmax(worst, fabs(tau - expected));
    }
    /* rounding level: the Coriolis parts of the bodies, up to (4π)² each, cancel in the sum */
    ck_assert_msg(worst <= 4e-15 * fmax(largest, 16 * M_PI * M_PI), "worst error %.3g N m", worst);
    td_workspace_free(workspace);
    td_model_free(model);
}
END_TEST

/* equation 20: q = (1, -1, 1)ᵀ y */
START_TEST(parallelogram_closure)
{
    td_model *model = td_load_robot("parallelogram.urdf", NULL);
    static const char *const names[] = {"J_B_01", "J_01_02", "J_B_03"};
    static const double M[] = {1, -1, 1};
    td_sparse sparse = td_closure_matrix(model);
    ck_assert_uint_eq(sparse.rows, 3);
    ck_assert_uint_eq(sparse.columns, 1);
    for (int i = 0; i < 3; i++) {
        ck_assert_str_eq(td_joint_at(model, (size_t)td_movable_joint(model, (size_t)i))->name,
                         names[i]);
        ck_assert_int_eq(sparse.row[i + 1], i + 1);
        ck_assert_double_eq(sparse.value[i], M[i]);
        ck_assert_double_eq(td_closure_offset(model)[i], 0);
    }
    td_model_free(model);
}
END_TEST

/* The loop joint J_02_03 is not in the tree; the mimic joints keep it together: the end of the
   coupler stays on the end of side link 03. */
START_TEST(parallelogram_stays_closed)
{
    td_model *model = td_load_robot("parallelogram.urdf", NULL);
    td_workspace *workspace = td_workspace_new(model);
    double poses[4 * 12];
    int coupler = td_link_index(model, "link_02"), side = td_link_index(model, "link_03");
    for (double y = -3; y <= 3; y += 0.25) {
        td_link_poses(model, workspace, &y, poses);
        for (int i = 0; i < 3; i++) {
            const double *a = poses + 12 * coupler + 4 * i, *b = poses + 12 * side + 4 * i;
            ck_assert_double_eq_tol(a[3] + 2 * a[0], b[3] + 2 * b[1], 1e-15 * 4);
        }
    }
    td_workspace_free(workspace);
    td_model_free(model);
}
END_TEST

/* equation 21, names and order included */
START_TEST(recupera_closure)
{
    static const char *const q[] = {"J_100_200", "J_200_222", "J_222_223", "J_223_300",
                                    "J_300_400", "J_400_600", "J_200_232", "J_232_233"};
    static const char *const y[] = {"J_100_200", "J_300_400", "J_400_600", "J_200_232"};
    static const double M[8][4] = {{1, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, 0, -1}, {0, 0, 0, 1},
                                   {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1},  {0, 0, 0, -1}};
    td_model *model = td_load_robot("recupera_shoulder.urdf", NULL);
    td_workspace *workspace = td_workspace_new(model);
    double G[8 * 4];
    ck_assert_uint_eq(td_nv(model), 8);
    ck_assert_uint_eq(td_nyd(model), 4);
    for (size_t i = 0; i < 8; i++)
        ck_assert_str_eq(td_joint_at(model, (size_t)td_movable_joint(model, i))->name, q[i]);
    for (size_t i = 0; i < 4; i++)
        ck_assert_str_eq(td_joint_at(model, (size_t)td_independent_joint(model, i))->name, y[i]);
    td_closure_jacobian(model, workspace, NULL, G);
    ck_assert_mem_eq(G, M, sizeof G);
    for (size_t i = 0; i < 8; i++)
        ck_assert_double_eq(td_closure_offset(model)[i], 0);

    double M_u[4 * 4];
    ck_assert_uint_eq(td_nu(model), 4);
    td_actuation_matrix(model, M_u);
    for (int i = 0; i < 16; i++)
        ck_assert_double_eq(M_u[i], i % 5 == 0); /* the identity, as the paper says */
    td_workspace_free(workspace);
    td_model_free(model);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("paper");
    TCase *tcase = tcase_create("paper");
    tcase_add_loop_test(tcase, parallelogram_torque, 0, 4);
    tcase_add_test(tcase, parallelogram_closure);
    tcase_add_test(tcase, parallelogram_stays_closed);
    tcase_add_test(tcase, recupera_closure);
    suite_add_tcase(suite, tcase);
    return td_test_run(suite);
}
