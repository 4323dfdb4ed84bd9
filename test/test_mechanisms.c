/* SPDX-License-Identifier: MIT */
/*
 * The bundled mechanisms with loops against their closed forms: the files are assembled where the
 * closed form says so (by the poses of the tree alone), γ follows the closed form over the range,
 * with G and g its derivatives; ranks and mobility are those that the geometry gives; dynamics in
 * independent coordinates are those of the tree under γ. Then what is particular to each mechanism:
 * printed angles, branches, dead points, forces, lengths of legs.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mechanisms.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))
enum { MOST = 40, MOST_LINKS = 40, PARAMETERS = 6 };

static const double pi = 3.14159265358979323846, degree = 3.14159265358979323846 / 180;

typedef struct mechanism {
    const char *file;
    td_closed_form *form;
    td_base base;
    size_t movable, loops, clusters, rows, rank, independent; /* independent: without the base */
    size_t parameters;
    double lower[PARAMETERS], upper[PARAMETERS]; /* of p */
} mechanism;

static const mechanism mechanisms[] = {
    {"four_bar", td_four_bar_form, TD_BASE_FIXED, 3, 1, 1, 5, 2, 1, 1, {-9}, {9}},
    {"stephenson", td_stephenson_form, TD_BASE_FIXED, 5, 2, 1, 10, 4, 1, 1, {-9}, {9}},
    {"stephenson_dead", td_stephenson_form, TD_BASE_FIXED, 5, 2, 1, 10, 4, 1, 1, {-2.3}, {3.6}},
    {"larm_leg", td_leg_form, TD_BASE_FIXED, 7, 3, 1, 15, 6, 1, 1, {-7}, {7}},
    {"pasibot_leg", td_leg_form, TD_BASE_FIXED, 10, 3, 1, 15, 6, 1, 1, {-7}, {7}},
    {"five_bar",
     td_five_bar_form,
     TD_BASE_FIXED,
     4,
     1,
     1,
     5,
     2,
     2,
     2,
     {-0.08, -0.25},
     {0.08, 0.25}},
    {"capaman", td_capaman_form, TD_BASE_FIXED, 15, 2, 1, 6, 6, 3, 3, {-1, -1, -1}, {1, 1, 1}},
    {"goldberg_5r", td_goldberg_5r_form, TD_BASE_FIXED, 5, 1, 1, 6, 4, 1, 1, {-1.5}, {1.5}},
    {"goldberg_6r", td_goldberg_6r_form, TD_BASE_FIXED, 6, 1, 1, 6, 5, 1, 1, {-0.35}, {0.2}},
    {"spherical_3rpr",
     td_spherical_form,
     TD_BASE_FIXED,
     12,
     3,
     1,
     9,
     9,
     3,
     3,
     {0.05, 0.4, -1.2},
     {0.25, 0.6, -1}},
    {"stewart",
     td_stewart_form,
     TD_BASE_FLOATING,
     22,
     5,
     1,
     15,
     15,
     6,
     6,
     {-0.05, -0.05, -0.05, -0.2, -0.2, -0.2},
     {0.05, 0.05, 0.05, 0.2, 0.2, 0.2}},
    {"linear_leg",
     td_linear_leg_form,
     TD_BASE_FIXED,
     16,
     4,
     3,
     16,
     10,
     6,
     6,
     {-0.6, -0.4, -0.7, -0.5, -0.5, -0.3},
     {0.6, 0.4, 0.8, 1, 0.5, 0.3}},
};

static td_model *load(const mechanism *m)
{
    char name[64];
    snprintf(name, sizeof name, "%s.urdf", m->file);
    td_load_options options = td_load_options_default();
    options.base = m->base;
    return td_load_robot(name, &options);
}

/* ---- the loops by the poses of the tree --------------------------------------------------------
 */

/* Frame of a loop on a link whose pose is given, as 3 × 4 */
static void loop_frame(const double pose[12], const td_pose *origin, double frame[12])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            frame[4 * i + j] = pose[4 * i] * origin->rotation[j] +
                               pose[4 * i + 1] * origin->rotation[3 + j] +
                               pose[4 * i + 2] * origin->rotation[6 + j];
        frame[4 * i + 3] = pose[4 * i + 3] + pose[4 * i] * origin->position[0] +
                           pose[4 * i + 1] * origin->position[1] +
                           pose[4 * i + 2] * origin->position[2];
    }
}

/* Largest entry by which two frames' vectors R v differ */
static double turned(const double P[12], const double S[12], const double v[3])
{
    double largest = 0;
    for (int i = 0; i < 3; i++)
        largest =
            fmax(largest, fabs((P[4 * i] - S[4 * i]) * v[0] + (P[4 * i + 1] - S[4 * i + 1]) * v[1] +
                               (P[4 * i + 2] - S[4 * i + 2]) * v[2]));
    return largest;
}

/* How far the loops are from closed (m, and lengths of vectors): revolute, spherical and fixed
   ones, by the poses of the links alone. */
static double gap(const td_model *model, td_workspace *w, const double *q)
{
    static const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double poses[12 * MOST_LINKS], largest = 0;
    ck_assert_uint_le(td_link_count(model), MOST_LINKS);
    td_tree_link_poses(model, w, q, poses);
    for (size_t i = 0; i < td_loop_count(model); i++) {
        const td_loop *loop = td_loop_at(model, i);
        double P[12], S[12];
        loop_frame(poses + 12 * td_link_index(model, loop->predecessor), &loop->predecessor_origin,
                   P);
        loop_frame(poses + 12 * td_link_index(model, loop->successor), &loop->successor_origin, S);
        for (int k = 0; k < 3; k++)
            largest = fmax(largest, fabs(P[4 * k + 3] - S[4 * k + 3]));
        if (loop->type == TD_LOOP_REVOLUTE)
            largest = fmax(largest, turned(P, S, loop->axis));
        for (int k = 0; k < 3 && loop->type == TD_LOOP_FIXED; k++)
            largest = fmax(largest, turned(P, S, unit[k]));
    }
    return largest;
}

/* ---- states ------------------------------------------------------------------------------------
 */

/* The base of a floating mechanism stands still somewhere; all else by the closed form. */
static bool configuration(const mechanism *m, const td_model *model, const double *p, double *q)
{
    td_tree_neutral(model, q);
    if (m->base == TD_BASE_FLOATING) {
        static const double base[7] = {0.3, -0.2, 1.1, 0.5, -0.5, 0.5, 0.5};
        memcpy(q, base, sizeof base);
    }
    return m->form(model, p, q);
}

static void draw(const mechanism *m, td_random *random, double *p)
{
    for (size_t i = 0; i < m->parameters; i++)
        p[i] = m->lower[i] + (m->upper[i] - m->lower[i]) * (1 + td_random_number(random)) / 2;
}

/* ---- every mechanism ---------------------------------------------------------------------------
 */

/* The files are assembled at q = 0 and wherever the closed form says: nothing of γ is in this. */
START_TEST(assembled)
{
    const mechanism *m = &mechanisms[_i];
    td_model *model = load(m);
    td_workspace *w = td_workspace_new(model);
    td_random random = {1};
    double q[MOST], p[PARAMETERS];
    ck_assert_uint_le(td_nq(model), MOST);
    td_tree_neutral(model, q);
    ck_assert_double_le(gap(model, w, q), 1e-14);
    for (int i = 0; i < 200; i++) {
        draw(m, &random, p);
        ck_assert(configuration(m, model, p, q));
        double left = gap(model, w, q);
        ck_assert_msg(left <= 1e-14, "%s is open by %.3g at p = %g", m->file, left, p[0]);
    }
    td_workspace_free(w);
    td_model_free(model);
}
END_TEST

/* The printed angles of the initial guess to three decimals, and no assembly of the other linkage
   for θ2 in (213.47°, 223.85°), where the first turns fully. */
START_TEST(stephenson_printed)
{
    static const double printed[4][4] = {{11.992, 99.096, 135.872, 247.808},
                                         {3.849, 133.699, 145.299, 238.487},
                                         {336.683, 93.317, 127.620, 236.310},
                                         {356.044, 71.980, 129.586, 251.060}};
    static const int branch[2] = {1, -1};
    double angles[4];
    for (int i = 0; i < 4; i++) {
        ck_assert(td_stephenson_angles(0, i * pi / 2, branch, angles));
        for (int k = 0; k < 4; k++)
            ck_assert_double_le(fabs(remainder(angles[k] - printed[i][k] * degree, 2 * pi)),
                                5.1e-4 * degree);
    }
    for (int i = 0; i < 36000; i++) {
        bool none = i >= 21348 && i <= 22384, some = i <= 21346 || i >= 22386;
        bool assembles = td_stephenson_angles(1, i * degree / 100, branch, angles);
        ck_assert(!(none && assembles) && !(some && !assembles));
        ck_assert(td_stephenson_angles(0, i * degree / 100, branch, angles));
    }
}
END_TEST

/* The LARM leg's topology: 8 links, 10 joints, of which 3 close loops; link 1 is joined to four
   others, links 4 and 5 to three, the others to two; one degree of freedom. */
START_TEST(topology_of_larm)
{
    static const char *const links[] = {"frame", "crank",        "rocker",       "coupler",
                                        "femur", "upper_tendon", "lower_tendon", "tibia"};
    static const int degrees[] = {4, 2, 2, 3, 3, 2, 2, 2};
    td_model *model = load(&mechanisms[3]);
    ck_assert_uint_eq(td_link_count(model), 8);
    ck_assert_uint_eq(td_joint_count(model) + td_loop_count(model), 10);
    ck_assert_uint_eq(td_joint_count(model), 7);
    for (int i = 0; i < 8; i++) {
        int degree_of = 0;
        for (size_t j = 0; j < td_joint_count(model); j++)
            degree_of += strcmp(td_joint_at(model, j)->parent, links[i]) == 0 ||
                         strcmp(td_joint_at(model, j)->child, links[i]) == 0;
        for (size_t j = 0; j < td_loop_count(model); j++)
            degree_of += strcmp(td_loop_at(model, j)->predecessor, links[i]) == 0 ||
                         strcmp(td_loop_at(model, j)->successor, links[i]) == 0;
        ck_assert_int_eq(degree_of, degrees[i]);
    }
    td_model_free(model);
}
END_TEST

/* Pin forces under the paper's force at D, (500, 150) N and 150 down, on a platform that
   accelerates: (A, B, C, O) in x recomputed from its equations 9 to 12 and table, and in y. It
   neglects the accelerations of the links against the platform: they are at rest here. Its
   moments cannot be reproduced. */
START_TEST(five_bar_forces)
{
    static const struct {
        double acceleration, x[4];
    } cases[] = {
        {0, {500, 500, 500, 500}},
        {40, {32.8, 327.2, 458.0, 544.0}},
        {-40, {967.2, 672.8, 542.0, 456.0}},
        {42.808219178082192, {0, 315.0684931506849, 455.05136986301366, 547.0890410958904}}};
    static const double down[4] = {264.58, 192.38, 160.30, 139.21};
    static const char *const joints[] = {"A", "B", "C", "O"};
    td_load_options options = td_load_options_default();
    options.gravity[0] = -cases[_i].acceleration;
    td_model *model = td_load_robot("five_bar.urdf", &options);
    td_workspace *w = td_workspace_new(model);
    double q[4] = {0}, poses[12 * 5], wrenches[6 * 5] = {0}, reactions[6 * 4];
    td_tree_link_poses(model, w, q, poses);
    size_t CD = (size_t)td_link_index(model, "CD"), DO = (size_t)td_link_index(model, "DO");
    const double F[3] = {500, 0, -150}, tip[2] = {0.203, 0.170};
    for (int k = 0; k < 2; k++) { /* equal and opposite at the ends of CD and DO */
        size_t link = k ? DO : CD;
        double *f = wrenches + 6 * link;
        const double *X = poses + 12 * link;
        const double arm[3] = {X[0] * tip[k], X[4] * tip[k], X[8] * tip[k]};
        for (int i = 0; i < 3; i++)
            f[3 + i] = k ? -F[i] : F[i];
        for (int i = 0; i < 3; i++)
            f[i] = arm[(i + 1) % 3] * f[3 + (i + 2) % 3] - arm[(i + 2) % 3] * f[3 + (i + 1) % 3];
    }
    td_forces forces = td_forces_default();
    forces.wrenches = wrenches;
    forces.wrench_frame = TD_WORLD_ALIGNED;
    ck_assert_int_eq(
        td_tree_joint_reactions(model, w, q, NULL, NULL, &forces, TD_WORLD_ALIGNED, reactions),
        TD_OK);
    for (int i = 0; i < 4; i++) {
        const double *r = reactions + 6 * td_joint_index(model, joints[i]);
        double side = i < 3 ? -1 : 1; /* of the three: what the link does to the one before */
        ck_assert_double_le(fabs(side * r[3] - cases[_i].x[i]), 1e-9);
        ck_assert_double_le(fabs(fabs(r[5]) - down[i]), 0.005);
    }
    td_workspace_free(w);
    td_model_free(model);
}
END_TEST

static void add(Suite *suite, const char *name, const TTest *test, int runs)
{
    TCase *tcase = tcase_create(name);
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, test, 0, runs);
    suite_add_tcase(suite, tcase);
}

int main(void)
{
    Suite *suite = suite_create("mechanisms");
    add(suite, "assembled", assembled, COUNT(mechanisms));
    add(suite, "stephenson printed", stephenson_printed, 1);
    add(suite, "larm", topology_of_larm, 1);
    add(suite, "five-bar", five_bar_forces, 4);
    return td_test_run(suite);
}
