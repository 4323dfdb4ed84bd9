/* SPDX-License-Identifier: MIT */
/*
 * Robots with mimic joints and loops fall for 10 s, or end at a singular position: the bundled ones
 * and those of a corpus (models/ in TANDEM_DATA, which is not part of the project; without it the
 * bundled ones alone fall). Followers stay exact and loops closed to rounding, energy less work
 * stays; robots whose mass matrix is singular are refused at the start, with the joint's name.
 *
 * Gravity is oblique and joints start beside their zeros with some velocity, so that nothing is in
 * equilibrium. All passive forces act, their friction smoothed over 0.1 rad/s: over the default of
 * 1e-3 the equations are stiff, and the explicit method would show its patience alone.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tandem/simulation.h"
#include "td_test.h"

enum { MOST_FILES = 256, MOST = 128, MOST_ROWS = 512 };

/* sanitizers take some twenty times the time */
#if defined(__SANITIZE_ADDRESS__)
static const double TIME = 0.5;
#else
static const double TIME = 10;
#endif

/* Files of the corpus of which some joint moves no inertia, and that joint; docs/simulation.md has
   this list. All others that load start. */
static const struct singular {
    const char *file, *joint;
} singular[] = {
    {"example-robot-data/romeo/romeo.urdf", "RHand"},
    {"joint_state_publisher/mimic_chain/mimic_chain.urdf", "j12"},
    {"joint_state_publisher/slash_fiction/slash_fiction.urdf", "kirk/spock"},
    {"urdf-usd-converter/fixed_floating_joints/fixed_floating_joints.urdf", "joint_arm_1"},
    {"urdf-usd-converter/mimic_joint/mimic_joint.urdf", "jointA"},
    {"urdf_files_dataset/abb_irb6640/irb6640_185_280.urdf", "joint_6"},
    {"urdf_files_dataset/abb_irb6700/irb6700_200_260.urdf", "joint_6"},
    {"urdf_files_dataset/frankie/frankie.urdf", "frankie_finger_joint1"},
    {"urdf_files_dataset/puma560/puma560_robot.urdf", "j6"},
    {"urdf_files_dataset/robotiq_2f_85/robotiq_arg2f_85_model.urdf", "finger_joint"},
    {"urdf_files_dataset/robotiq_c2/robotiq_c2_model.urdf", "robotiq_85_left_knuckle_joint"},
    {"urdf_files_dataset/spot/spot.urdf", "rear_right_knee"},
};
enum { SINGULAR = sizeof singular / sizeof *singular };

/* Bundled robots that meet a singular position, and the loop that loses rank there: where forms of
   the linkage bifurcate, and where a leg has no length left. */
static const struct ending {
    const char *file, *loop;
} endings[] = {
    {"goldberg_6r.urdf", "closure"},
    {"spherical_3rpr.urdf", "end_2"},
};

static char files[MOST_FILES][256];
static int file_count;

static const char *end_of(const char *file)
{
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (strcmp(endings[i].file, file) == 0)
            return endings[i].loop;
    return NULL;
}

static const char *singular_joint(const char *file)
{
    for (size_t i = 0; i < SINGULAR; i++)
        if (strcmp(singular[i].file, file) == 0)
            return singular[i].joint;
    return NULL;
}

static td_load_options oblique(void)
{
    td_load_options options = td_load_options_default();
    const double gravity[3] = {0.48 * 9.81, 0.6 * 9.81, -0.64 * 9.81};
    memcpy(options.gravity, gravity, sizeof gravity);
    return options;
}

/* ---- the start ------------------------------------------------------------------------------- */

/* Up to 0.5 beside the zeros of joints, or where loops are assembled; half of that as often as it
   takes until they close. Up to 0.5 rad/s or m/s. */
static void draw_start(const td_model *model, uint64_t seed, double *y, double *yd)
{
    td_random random = {seed};
    double zero[MOST], way[MOST] = {0}, q[MOST];
    td_neutral(model, zero);
    for (size_t i = 0; i < td_independent_count(model); i++) {
        const td_joint_place at = td_joint_place_at(model, (size_t)td_independent_joint(model, i));
        if (at.nq > 1)
            continue;
        if (td_loop_count(model) > 0)
            zero[at.y] = td_reference(model)[at.q];
        way[at.y] = 0.5 * td_random_number(&random);
    }
    for (size_t i = 0; i < td_nyd(model); i++)
        yd[i] = 0.5 * td_random_number(&random);
    td_workspace *w = td_workspace_new(model);
    td_status status = TD_ERROR_ASSEMBLY;
    for (double part = 1; part > 1e-2 && status != TD_OK; part /= 2) {
        for (size_t i = 0; i < td_ny(model); i++)
            y[i] = zero[i] + part * way[i];
        status = td_closure(model, w, y, NULL, NULL, q, NULL, NULL);
    }
    td_workspace_free(w);
    ck_assert_int_eq(status, TD_OK);
}

static td_simulation *new_simulation(const td_model *model)
{
    td_integrator_options integrator = td_integrator_options_default();
    integrator.rtol = 1e-10;
    td_forces forces = td_forces_default();
    forces.passive = true;
    forces.friction_velocity = 0.1;
    td_simulation_options options = td_simulation_options_default();
    options.integrator = &integrator;
    options.forces = &forces;
    td_simulation *s;
    ck_assert_int_eq(td_simulation_new(model, &options, &s), TD_OK);
    return s;
}

/* ---- what holds on the way ------------------------------------------------------------------- */

/* Every mimic joint as its record says: q = m q_leader + o, q̇ = m q̇_leader, to the rounding of a
   product and a sum for each joint of a chain. */
static void check_followers(const td_model *model, const double *q, const double *qd)
{
    for (size_t i = 0; i < td_joint_count(model); i++) {
        const td_joint *joint = td_joint_at(model, i);
        const td_joint_place at = td_joint_place_at(model, i);
        if (!joint->mimic || !at.nq || !at.dependent)
            continue;
        const td_joint_place to =
            td_joint_place_at(model, (size_t)td_joint_index(model, joint->mimic));
        const double m = joint->multiplier, o = joint->offset;
        const double leader = to.nq ? q[to.q] : 0, rate = to.nv ? qd[to.qd] : 0;
        const double size = fabs(m * leader) + fabs(o) + fabs(q[at.q]);
        ck_assert_msg(fabs(q[at.q] - (m * leader + o)) <= 1e-15 * size,
                      "joint %s: %.17g, not %.17g", joint->name, q[at.q], m * leader + o);
        ck_assert_msg(fabs(qd[at.qd] - m * rate) <= 1e-15 * fabs(m * rate),
                      "velocity of joint %s: %.17g, not %.17g", joint->name, qd[at.qd], m * rate);
    }
}

/* φ = 0, relative to 1 (m, and sines of angles) and to what joints have moved */
static void check_loops(const td_model *model, td_workspace *w, const double *q)
{
    double phi[MOST_ROWS];
    const size_t rows = td_constraint_count(model);
    ck_assert_int_eq(td_constraint_residual(model, w, q, phi), TD_OK);
    const double open = td_largest(rows, phi), size = 1 + td_largest(td_nq(model), q);
    ck_assert_msg(open <= 5e-14 * size, "loops are open by %.3g, joints at %.3g", open, size);
}

static size_t loop_named(const td_model *model, const char *name)
{
    size_t loop = 0;
    while (loop < td_loop_count(model) && strcmp(td_loop_at(model, loop)->name, name) != 0)
        loop++;
    ck_assert_uint_lt(loop, td_loop_count(model));
    return loop;
}

/* The last of the pivots that eliminate a loop's rows of K (largest first, Gram and Schmidt), over
   the first: how near it is to losing rank. */
static double regularity(const td_model *model, td_workspace *w, const char *name, const double *q)
{
    const td_loop_place place = td_loop_place_at(model, loop_named(model, name));
    const size_t n = td_nv(model), m = (size_t)place.constraint_count;
    const size_t rank = m < n - td_nyd(model) ? m : n - td_nyd(model);
    double *all = calloc(td_constraint_count(model) * n + m, sizeof *all);
    double *K = all + (size_t)place.constraint * n, *unit = all + td_constraint_count(model) * n;
    ck_assert_int_eq(td_constraint_jacobian(model, w, q, all), TD_OK);
    double first = 0, last = 0;
    for (size_t k = 0; k < rank; k++) {
        size_t best = 0;
        double most = -1;
        for (size_t j = 0; j < n; j++) {
            double square = 0;
            for (size_t i = 0; i < m; i++)
                square += K[i * n + j] * K[i * n + j];
            if (square > most)
                most = square, best = j;
        }
        last = sqrt(most);
        first = k ? first : last;
        for (size_t i = 0; i < m; i++)
            unit[i] = K[i * n + best] / last;
        for (size_t j = 0; j < n; j++) {
            double along = 0;
            for (size_t i = 0; i < m; i++)
                along += unit[i] * K[i * n + j];
            for (size_t i = 0; i < m; i++)
                K[i * n + j] -= along * unit[i];
        }
    }
    free(all);
    return last / first;
}

/* ---- falling --------------------------------------------------------------------------------- */

typedef struct fall {
    double balance, least, most; /* largest change of energy less work; kinetic energies */
    double regular, near;        /* regularity at the start and in the end */
    td_status status;
} fall;

/* Loops close with the digits that K has: near a singular position velocities of joints, and so
   energies, lose as many. */
static double allowed(const fall *f)
{
    return f->near > 1e-3 * f->regular ? 1e-9 : 1e-4;
}

static fall let_fall(const td_model *model, td_simulation *s, double end, const char *meets)
{
    fall f = {0, INFINITY, 0, 1, 1, TD_OK};
    double q[MOST], qd[MOST];
    td_simulation_sample sample = td_simulation_sample_default();
    sample.q = q;
    sample.qd = qd;
    td_workspace *w = td_workspace_new(model);
    double start = NAN;
    while (true) {
        ck_assert_int_eq(td_simulation_at(s, td_simulation_time(s), &sample), TD_OK);
        check_followers(model, q, qd);
        check_loops(model, w, q);
        f.near = meets ? regularity(model, w, meets, q) : 1;
        f.regular = isnan(start) ? f.near : f.regular;
        const double now = sample.kinetic + sample.potential - sample.work;
        start = isnan(start) ? now : start;
        f.balance = fmax(f.balance, fabs(now - start));
        f.least = fmin(f.least, sample.kinetic);
        f.most = fmax(f.most, sample.kinetic);
        ck_assert_msg(f.balance <= allowed(&f) * f.most, "energy less work changes by %.3g of %.3g",
                      f.balance, f.most);
        if (td_simulation_time(s) >= end)
            break;
        f.status = td_simulation_step(s, end);
        if (f.status != TD_OK)
            break;
    }
    td_workspace_free(w);
    return f;
}

/* Falls, or ends by that loop; meets NULL: must fall all the time. */
static void check_fall(const td_model *model, uint64_t seed, double end, const char *meets)
{
    ck_assert(td_nq(model) <= MOST && td_constraint_count(model) <= MOST_ROWS);
    double y[MOST], yd[MOST];
    draw_start(model, seed, y, yd);
    td_simulation *s = new_simulation(model);
    ck_assert_int_eq(td_simulation_start(s, 0, y, yd, NULL), TD_OK);
    const fall f = let_fall(model, s, end, meets);
    ck_assert(f.most > 0);
    if (f.status != TD_OK) {
        const int loop = td_simulation_failed_loop(s);
        ck_assert_msg(meets && loop >= 0, "%s at %.9g s", td_status_text(f.status),
                      td_simulation_time(s));
        ck_assert(f.status == TD_ERROR_CLOSURE_SINGULAR || f.status == TD_ERROR_BRANCH ||
                  f.status == TD_ERROR_ASSEMBLY);
        ck_assert_str_eq(td_loop_at(model, (size_t)loop)->name, meets);
        ck_assert_msg(f.near < 0.02 * f.regular, "ends at %.9g s by loop %s, which is regular",
                      td_simulation_time(s), meets);
    } else if (meets && end == 10)
        ck_abort_msg("falls by its singular position");
    td_simulation_free(s);
}

START_TEST(bundled)
{
    const char *file = td_robots[_i];
    td_load_options options = oblique();
    td_model *model = td_load_robot(file, &options);
    /* the segments of its beam ring with thousands of rad/s: test_flexible_motion has those */
    const bool flexible = strcmp(file, "flexible_arm.urdf") == 0;
    if (td_nyd(model) < td_nv(model))
        check_fall(model, 1, flexible ? 0.05 * TIME : TIME, end_of(file));
    td_model_free(model);
}
END_TEST

/* The state in which a motion ends is far enough from the position that is refused for all samples
   of it, from wherever it comes. */
START_TEST(last_state)
{
    td_load_options options = oblique();
    td_model *model = td_load_robot("goldberg_6r.urdf", &options);
    td_simulation *s = new_simulation(model);
    double y, yd, ydd, q[MOST], qd[MOST];
    draw_start(model, (uint64_t)_i, &y, &yd);
    ck_assert_int_eq(td_simulation_start(s, 0, &y, &yd, NULL), TD_OK);
    td_status status = TD_OK;
    while (status == TD_OK && td_simulation_time(s) < TIME) {
        status = td_simulation_step(s, TIME);
        td_simulation_sample sample = td_simulation_sample_default();
        for (int k = 0; k < 3; k++) { /* again, and the other way */
            sample.q = q, sample.qd = qd;
            sample.ydd = k % 2 ? &ydd : NULL;
            ck_assert_int_eq(td_simulation_at(s, td_simulation_time(s), &sample), TD_OK);
        }
    }
    td_simulation_free(s);
    td_model_free(model);
}
END_TEST

START_TEST(corpus)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/models/%s", td_data_directory(), files[_i]);
    td_load_options options = oblique();
    td_model *model;
    if (td_load_urdf(path, &options, NULL, &model) != TD_OK || td_nyd(model) == 0) {
        ck_assert_ptr_null(singular_joint(files[_i])); /* test_models says what loads */
        td_model_free(model);
        return;
    }
    const char *massless = singular_joint(files[_i]);
    td_simulation *s = new_simulation(model);
    double y[MOST], yd[MOST];
    ck_assert(td_nq(model) <= MOST);
    draw_start(model, 1, y, yd);
    ck_assert_int_eq(td_simulation_start(s, 0, y, yd, NULL), massless ? TD_ERROR_SINGULAR : TD_OK);
    if (massless) {
        const int joint = td_singular_joint(td_simulation_workspace(s));
        ck_assert_int_ge(joint, 0);
        ck_assert_str_eq(td_joint_at(model, (size_t)joint)->name, massless);
    } else if (td_nyd(model) < td_nv(model))
        check_fall(model, 1, TIME, NULL);
    td_simulation_free(s);
    td_model_free(model);
}
END_TEST

/* every file of the list is in the corpus */
START_TEST(listed)
{
    int found = 0;
    for (int i = 0; i < file_count; i++)
        found += singular_joint(files[i]) != NULL;
    ck_assert_int_eq(found, SINGULAR);
}
END_TEST

/* The first cells of the manifest but its head. */
static void read_files(const char *data)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/models/manifest.csv", data);
    char *text = td_read_text(path, NULL), *rest = NULL;
    if (!text)
        return;
    char *line = strtok_r(text, "\n", &rest);
    while ((line = strtok_r(NULL, "\n", &rest)) && file_count < MOST_FILES)
        snprintf(files[file_count++], sizeof *files, "%.*s", (int)strcspn(line, ","), line);
    free(text);
}

int main(void)
{
    int robots = 0;
    while (td_robots[robots])
        robots++;
    Suite *suite = suite_create("falling");
    TCase *tests = tcase_create("falling");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, bundled, 0, robots);
    tcase_add_loop_test(tests, last_state, 0, 12);
    if (td_data_directory())
        read_files(td_data_directory());
    if (file_count > 0) {
        tcase_add_loop_test(tests, corpus, 0, file_count);
        tcase_add_test(tests, listed);
    } else
        fprintf(stderr,
                "SKIP: no corpus of robots (meson option 'data'), the bundled ones alone\n");
    suite_add_tcase(suite, tests);
    return td_test_run(suite);
}
