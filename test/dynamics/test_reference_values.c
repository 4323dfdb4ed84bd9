/* SPDX-License-Identifier: MIT */
/*
 * Torques and link poses against reference values of another library, in tree coordinates and
 * reduced by the mimic joints. The data (reference/ in TANDEM_DATA) is not part of the project;
 * without it the program is skipped.
 */
#include <cjson/cJSON.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "td_test.h"

enum { MOST_FILES = 64 };

static char *files[MOST_FILES];
static int file_count;

typedef struct reference {
    cJSON *json;
    td_model *model;
    td_workspace *workspace;
    bool floating;
    int *column; /* for each dof of the reference: our index in the tree's velocities, -1 for the
                    base */
} reference;

static const cJSON *member(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    ck_assert_msg(item != NULL, "no member %s", name);
    return item;
}

static double *numbers(const cJSON *array, size_t *count)
{
    size_t n = (size_t)cJSON_GetArraySize(array), i = 0;
    double *x = doubles(n);
    const cJSON *item;
    cJSON_ArrayForEach(item, array) x[i++] = cJSON_IsNumber(item) ? item->valuedouble : NAN;
    if (count)
        *count = n;
    return x;
}

static reference reference_open(const char *file)
{
    char path[4096];
    reference r = {0};
    snprintf(path, sizeof path, "%s/reference/%s", td_data_directory(), file);
    char *text = td_read_file(path, NULL);
    r.json = cJSON_Parse(text);
    ck_assert_ptr_nonnull(r.json);

    td_load_options options = td_load_options_default();
    r.floating = cJSON_IsTrue(member(r.json, "floating_base"));
    options.base = r.floating ? TD_BASE_FLOATING : TD_BASE_FIXED;
    snprintf(path, sizeof path, "%s/%s", td_data_directory(), member(r.json, "file")->valuestring);
    td_status status = test_load_urdf(path, &options, NULL, &r.model);
    ck_assert_msg(status == TD_OK, "%s: %s", path, td_status_text(status));
    r.workspace = test_workspace(r.model);

    const cJSON *name;
    r.column = test_calloc(td_nv(r.model), sizeof *r.column);
    size_t i = 0;
    ck_assert_uint_eq((size_t)cJSON_GetArraySize(member(r.json, "dof_names")), td_nv(r.model));
    cJSON_ArrayForEach(name, member(r.json, "dof_names"))
    {
        size_t joint = td_joint_index(r.model, name->valuestring);
        r.column[i++] = joint == TD_NONE ? -1 : (int)td_joint_place_at(r.model, joint).qd;
    }
    return r;
}

static void reference_close(reference *r)
{
    cJSON_Delete(r->json);
}

/* Converts a velocity of the reference to our order; its base is (linear, angular). */
static double *velocities(const reference *r, const cJSON *array)
{
    double *theirs = numbers(array, NULL), *ours = doubles(td_nv(r->model));
    for (size_t i = 0; i < td_nv(r->model); i++)
        if (r->column[i] >= 0)
            ours[r->column[i]] = theirs[i];
        else
            ours[(i + 3) % 6] = theirs[i];
    return ours;
}

static double *positions(const reference *r, const cJSON *sample)
{
    double *theirs = numbers(member(sample, "q"), NULL);
    double *ours = doubles(td_nq(r->model));
    size_t base = r->floating ? 6 : 0;
    for (size_t i = base; i < td_nv(r->model); i++)
        ours[(size_t)r->column[i] + (base ? 1 : 0)] = theirs[i - base];
    if (base) {
        double *pose = numbers(member(sample, "base_pose_xyz_qxyzw"), NULL);
        memcpy(ours, pose, 7 * sizeof *ours);
    }
    return ours;
}

static void check_poses(const reference *r, const cJSON *sample, const double *poses)
{
    const cJSON *link;
    cJSON_ArrayForEach(link, member(sample, "links"))
    {
        size_t k = td_link_index(r->model, link->string);
        ck_assert_msg(k != TD_NONE, "no link %s", link->string);
        double *theirs = numbers(link, NULL), ours[7];
        td_pose_split(poses + 12 * k, ours, ours + 3);
        double sign = 0; /* w may be 0 up to rounding: q and -q are the same rotation */
        for (int i = 3; i < 7; i++)
            sign += ours[i] * theirs[i];
        for (int i = 3; i < 7 && sign < 0; i++)
            ours[i] = -ours[i];
        td_assert_close(3, ours, theirs, 1e-12, 1);
        td_assert_close(4, ours + 3, theirs + 3, 1e-12, 1);
    }
}

/* converts an n × n matrix of the reference to our order: the entries between columns[i] and
   columns[j] */
static void check_matrix(const cJSON *expected, size_t n, const size_t *columns, const double *ours,
                         double tolerance)
{
    double *theirs = doubles(n * n);
    size_t i = 0;
    const cJSON *row;
    cJSON_ArrayForEach(row, expected)
    {
        double *entries = numbers(row, NULL);
        for (size_t j = 0; j < n; j++)
            theirs[columns[i] * n + columns[j]] = entries[j];
        i++;
    }
    td_assert_close(n * n, ours, theirs, tolerance, 0);
}

/* our column for each column of the reference */
static size_t *tree_columns(const reference *r)
{
    size_t *columns = test_calloc(td_nv(r->model), sizeof *columns);
    for (size_t i = 0; i < td_nv(r->model); i++)
        columns[i] = r->column[i] >= 0 ? (size_t)r->column[i] : (i + 3) % 6;
    return columns;
}

/* mass matrix, bias force, accelerations, energy, center of mass and momentum of the moving bodies;
   6-vectors of the reference are linear first */
static void check_dynamics(const reference *r, const cJSON *sample, const double *q,
                           const double *qd, const double *qdd)
{
    size_t nv = td_nv(r->model), *columns = tree_columns(r);
    double *H = doubles(nv * nv), *x = doubles(nv);
    double *bias = velocities(r, member(sample, "nle"));
    TD_IN_TREE(r->workspace, td_mass_matrix(r->model, r->workspace, q, NULL, H));
    check_matrix(member(sample, "H"), nv, columns, H, 1e-12);
    TD_IN_TREE(r->workspace, td_bias_force(r->model, r->workspace, q, qd, NULL, x));
    td_assert_close(nv, x, bias, 1e-12, 0);

    const cJSON *accelerations = member(sample, "aba_qdd");
    double *tau = velocities(r, member(sample, "tau"));
    td_status status =
        TD_IN_TREE(r->workspace, td_forward_dynamics(r->model, r->workspace, q, qd, tau, NULL, x));
    if (cJSON_IsArray(accelerations) && cJSON_IsNumber(cJSON_GetArrayItem(accelerations, 0))) {
        double *expected = velocities(r, accelerations);
        assert_ok(status);
        td_assert_close(nv, x, expected, 1e-11, 0);
    } else {
        ck_assert_int_eq(status, TD_ERROR_SINGULAR); /* massless tips */
    }

    double energy[2], com[9], momentum[6];
    TD_IN_TREE(r->workspace, td_energy(r->model, r->workspace, q, qd, TD_SCOPE_MOVING, energy));
    double expected[] = {member(sample, "kinetic_energy")->valuedouble,
                         member(sample, "potential_energy")->valuedouble};
    td_assert_close(1, energy, expected, 1e-12, 0);
    td_assert_close(1, energy + 1, expected + 1, 1e-12, 1);
    TD_IN_TREE(r->workspace,
               td_center_of_mass_motion(r->model, r->workspace, q, qd, qdd, TD_SCOPE_MOVING, com));
    static const char *const names[] = {"com", "com_vel", "com_acc"};
    for (int k = 0; k < 3; k++) {
        double *theirs = numbers(member(sample, names[k]), NULL);
        td_assert_close(3, com + 3 * k, theirs, 1e-12, 1);
    }
    TD_IN_TREE(r->workspace,
               td_centroidal_momentum(r->model, r->workspace, q, qd, TD_SCOPE_MOVING, momentum));
    double *theirs = numbers(member(sample, "centroidal_momentum_lin_ang"), NULL);
    td_assert_close(3, momentum + 3, theirs, 1e-12, 1);
    td_assert_close(3, momentum, theirs + 3, 1e-12, 1);
}

/* derivatives of inverse and forward dynamics, for regular samples that contain them */
static void check_derivatives(const reference *r, const cJSON *sample, const double *q,
                              const double *qd, const double *qdd)
{
    static const char *const names[2][3] = {{"drnea_dq", "drnea_dv", "H"},
                                            {"daba_dq", "daba_dv", "daba_dtau"}};
    const size_t nv = td_nv(r->model), square = nv * nv;
    if (!cJSON_GetObjectItemCaseSensitive(sample, names[0][0]))
        return;
    size_t *columns = tree_columns(r);
    double *all = doubles(3 * square);
    double *tau = velocities(r, member(sample, "tau"));
    for (int forward = 0; forward < 2; forward++) {
        const cJSON *first = cJSON_GetObjectItemCaseSensitive(sample, names[forward][0]);
        if (!cJSON_IsArray(first) ||
            !cJSON_IsNumber(cJSON_GetArrayItem(cJSON_GetArrayItem(first, 0), 0)))
            continue;
        const td_status status =
            forward ? TD_IN_TREE(r->workspace, td_forward_dynamics_derivatives(
                                                   r->model, r->workspace, q, qd, tau, NULL, NULL,
                                                   all, all + square, all + 2 * square))
                    : TD_IN_TREE(r->workspace, td_inverse_dynamics_derivatives(
                                                   r->model, r->workspace, q, qd, qdd, NULL, NULL,
                                                   all, all + square, all + 2 * square));
        assert_ok(status);
        for (size_t k = 0; k < 3; k++)
            check_matrix(member(sample, names[forward][k]), nv, columns, all + k * square,
                         forward ? 1e-10 : 1e-12);
    }
}

/* the tip link's Jacobian in two frames (reference: linear rows first), its velocity and
 * acceleration */
static void check_tip(const reference *r, const cJSON *sample, const double *q, const double *qd,
                      const double *qdd)
{
    static const struct {
        const char *name;
        td_frame frame;
    } frames[] = {{"tip_jacobian_LWA", TD_FRAME_ALIGNED}, {"tip_jacobian_LOCAL", TD_FRAME_BODY}};
    size_t nv = td_nv(r->model), *columns = tree_columns(r), links = td_link_count(r->model);
    size_t tip = td_link_index(r->model, member(r->json, "tip_link")->valuestring);
    double *J = doubles(6 * nv), *v = doubles(6 * links);
    for (size_t f = 0; f < 2; f++) {
        TD_IN_TREE(r->workspace,
                   td_link_jacobian(r->model, r->workspace, tip, NULL, q, frames[f].frame, J));
        const cJSON *row, *expected = member(sample, frames[f].name);
        double size = td_largest(6 * nv, J);
        size_t i = 0;
        cJSON_ArrayForEach(row, expected)
        {
            double *theirs = numbers(row, NULL);
            for (size_t j = 0; j < nv; j++)
                ck_assert_double_le(fabs(J[((i + 3) % 6) * nv + columns[j]] - theirs[j]),
                                    1e-12 * size);
            i++;
        }
    }
    double *expected = numbers(member(sample, "tip_velocity_LWA"), NULL);
    TD_IN_TREE(r->workspace,
               td_link_velocities(r->model, r->workspace, q, qd, TD_FRAME_ALIGNED, v));
    td_assert_close(3, v + 6 * tip + 3, expected, 1e-12, 1);
    td_assert_close(3, v + 6 * tip, expected + 3, 1e-12, 1);
    expected = numbers(member(sample, "tip_classical_acceleration_LWA"), NULL);
    TD_IN_TREE(r->workspace, td_link_classical_accelerations(r->model, r->workspace, q, qd, qdd,
                                                             TD_FRAME_ALIGNED, v));
    td_assert_close(3, v + 6 * tip + 3, expected, 1e-12, 1);
    td_assert_close(3, v + 6 * tip, expected + 3, 1e-12, 1);
}

static void check_tree_sample(const reference *r, const cJSON *sample)
{
    size_t nv = td_nv(r->model), links = td_link_count(r->model);
    double *q = positions(r, sample), *qd = velocities(r, member(sample, "qd"));
    double *qdd = velocities(r, member(sample, "qdd"));
    double *expected = velocities(r, member(sample, "rnea_tau"));
    double *weight = velocities(r, member(sample, "gravity_tau"));
    double *tau = doubles(nv), *poses = doubles(12 * links);

    TD_IN_TREE(r->workspace, td_inverse_dynamics(r->model, r->workspace, q, qd, qdd, NULL, tau));
    td_assert_close(nv, tau, expected, 1e-12, 0);
    TD_IN_TREE(r->workspace, td_inverse_dynamics(r->model, r->workspace, q, NULL, NULL, NULL, tau));
    td_assert_close(nv, tau, weight, 1e-12, td_largest(nv, expected));
    TD_IN_TREE(r->workspace, td_link_poses(r->model, r->workspace, q, poses));
    check_poses(r, sample, poses);
    check_dynamics(r, sample, q, qd, qdd);
    check_tip(r, sample, q, qd, qdd);
    check_derivatives(r, sample, q, qd, qdd);
}

/* column of the reference's k-th independent coordinate in our y */
static size_t independent_column(const reference *r, int k)
{
    const cJSON *names = member(r->json, "independent");
    size_t joint = td_joint_index(r->model, cJSON_GetArrayItem(names, k)->valuestring);
    ck_assert_uint_ne(joint, TD_NONE);
    return td_joint_place_at(r->model, joint).y;
}

static double *reduced(const reference *r, const cJSON *array)
{
    size_t n;
    double *theirs = numbers(array, &n), *ours = doubles(n);
    ck_assert_uint_eq(n, td_nyd(r->model));
    for (size_t k = 0; k < n; k++)
        ours[independent_column(r, (int)k)] = theirs[k];
    return ours;
}

/* mass matrix, bias force and accelerations in independent coordinates */
static void check_reduced_dynamics(const reference *r, const cJSON *sample, const double *y,
                                   const double *yd)
{
    size_t n = td_nyd(r->model), *columns = test_calloc(n, sizeof *columns);
    double *H = doubles(n * n), *x = doubles(n);
    double *bias = reduced(r, member(sample, "nle_y")), *tau = reduced(r, member(sample, "tau_y"));
    for (size_t k = 0; k < n; k++)
        columns[k] = (size_t)independent_column(r, (int)k);
    td_mass_matrix(r->model, r->workspace, y, NULL, H);
    check_matrix(member(sample, "H_y"), n, columns, H, 1e-12);
    td_bias_force(r->model, r->workspace, y, yd, NULL, x);
    double *tree = velocities(r, member(sample, "nle"));
    td_assert_close(n, x, bias, 1e-12, td_largest(td_nv(r->model), tree));
    td_status status = td_forward_dynamics(r->model, r->workspace, y, yd, tau, NULL, x);
    const cJSON *accelerations = member(sample, "fd_ydd");
    if (cJSON_IsArray(accelerations) && cJSON_IsNumber(cJSON_GetArrayItem(accelerations, 0)) &&
        status != TD_ERROR_SINGULAR) {
        double *expected = reduced(r, accelerations);
        assert_ok(status);
        td_assert_close(n, x, expected, 1e-11, 0);
    } else { /* romeo's massless tips: the reference's dense solve may still return numbers */
        ck_assert_int_eq(status, TD_ERROR_SINGULAR);
        ck_assert_str_eq(member(r->json, "model")->valuestring, "romeo");
    }
}

static void check_reduced_sample(const reference *r, const cJSON *sample)
{
    size_t nyd = td_nyd(r->model), nq = td_nq(r->model), links = td_link_count(r->model);
    double *y = reduced(r, member(sample, "y")), *yd = reduced(r, member(sample, "yd"));
    double *ydd = reduced(r, member(sample, "ydd"));
    double *expected = reduced(r, member(sample, "rnea_tau_y"));
    double *tree = velocities(r, member(sample, "rnea_tau"));
    double *q_expected = positions(r, sample), *q = doubles(nq);
    double *tau = doubles(nyd), *poses = doubles(12 * links);

    td_closure(r->model, r->workspace, y, yd, ydd, q, NULL, NULL);
    td_assert_close(nq, q, q_expected, 1e-14, 1);
    td_inverse_dynamics(r->model, r->workspace, y, yd, ydd, NULL, tau);
    td_assert_close(nyd, tau, expected, 1e-12, td_largest(td_nv(r->model), tree));
    td_link_poses(r->model, r->workspace, y, poses);
    check_poses(r, sample, poses);
    check_reduced_dynamics(r, sample, y, yd);
}

TD_LOOP_TEST(agrees, 0, file_count)
{
    reference r = reference_open(files[_i]);
    int checked = 0;
    const cJSON *sample;
    cJSON_ArrayForEach(sample, member(r.json, "samples"))
    {
        check_tree_sample(&r, sample);
        checked++;
    }
    cJSON_ArrayForEach(sample, cJSON_GetObjectItemCaseSensitive(r.json, "reduced_samples"))
    {
        check_reduced_sample(&r, sample);
        checked++;
    }
    ck_assert_int_ge(checked, 20);
    reference_close(&r);
}

static void find_files(const char *data)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/reference", data);
    DIR *directory = opendir(path);
    struct dirent *entry;
    while (directory && (entry = readdir(directory)) && file_count < MOST_FILES) {
        size_t length = strlen(entry->d_name);
        if (length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0)
            files[file_count++] = strdup(entry->d_name);
    }
    if (directory)
        closedir(directory);
}

int main(void)
{
    const char *data = td_data_directory();
    if (data)
        find_files(data);
    if (!file_count)
        return td_test_skip("no reference values (meson option 'data')");
    int result = td_run_tests(120);
    return result;
}
