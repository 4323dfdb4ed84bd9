/* SPDX-License-Identifier: MIT */
/*
 * Tests export to MJCF with MuJoCo. In the loaded model, equality constraints and their rates
 * vanish where our loops are closed. Its mass matrix, bias and passive forces, projected with our G
 * and g, give our accelerations. Features that MJCF lacks are refused by name. Without MuJoCo only
 * refusals and curve fits are tested.
 */
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coupled_robots.h"
#include "curve_robots.h"
#include "functions.h"
#include "loop_robots.h"
#include "sprung_robots.h"

static char *export_as(const td_model *model, td_export_options options, td_diagnostics *list,
                       size_t *size)
{
    td_status status = td_model_export(model, &options, list, NULL, 0, size);
    for (size_t i = 0; status != TD_OK && i < td_diagnostics_size(list); i++)
        fprintf(stderr, "# %s\n", td_diagnostics_at(list, i)->message);
    assert_ok(status);
    char *text = test_calloc(*size + 1, 1);
    assert_ok(td_model_export(model, &options, NULL, text, *size, size));
    return text;
}

#if TEST_MUJOCO
#include <mujoco/mujoco.h>

/* MuJoCo's model of a text, and the relation of its velocities to ours: v = T q̇, v̇ = T q̈ + c. */
typedef struct peer {
    const td_model *model;
    mjModel *m;
    mjData *d;
    double *T, *c; /* m->nv × td_nv, m->nv */
} peer;

static peer peer_of(const td_model *model, const char *text, size_t size)
{
    peer p = {.model = model};
    char path[] = "/tmp/tandem-mjcf-XXXXXX", error[1000] = "";
    const int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, text, size), (ssize_t)size);
    close(file);
    p.m = mj_loadXML(path, NULL, error, sizeof error);
    unlink(path);
    ck_assert_msg(p.m != NULL, "%s", error);
    p.d = mj_makeData(p.m);
    p.T = test_calloc((size_t)p.m->nv * td_nv(model) + 1, sizeof *p.T);
    p.c = test_calloc((size_t)p.m->nv + 1, sizeof *p.c);
    return p;
}

static void peer_free(peer *p)
{
    mj_deleteData(p->d);
    mj_deleteModel(p->m);
}

static int joint_named(const peer *p, const char *name, const char *suffix)
{
    char text[300];
    snprintf(text, sizeof text, "%s%s", name, suffix);
    const int found = mj_name2id(p->m, mjOBJ_JOINT, text);
    ck_assert_msg(found >= 0, "MuJoCo has no joint '%s'", text);
    return found;
}

static void multiply(const double a[4], const double b[4], double ab[4])
{
    /* scalar first */
    ab[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    ab[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    ab[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    ab[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/* Sets position and orientation (x y z w) of a joint with a quaternion; ω and v are in the axes of
   the child link. */
static void set_pose(peer *p, size_t i, const double *q, const double *qd)
{
    const td_joint *joint = td_joint_at(p->model, i);
    const td_joint_place place = td_joint_place_at(p->model, i);
    const size_t at = td_joint_kind_of(joint->type)->quaternion;
    const bool ball = at == 0, free_joint = !ball && place.parent_link == TD_NONE;
    const int own = joint_named(p, joint->name, "");
    const double *zero = td_reference(p->model, TD_COORDINATES_TREE) + place.q + at,
                 *now = q + place.q + at;
    double R[9], *quaternion = p->d->qpos + p->m->jnt_qposadr[own] + (free_joint ? 3 : 0);
    const double turned[4] = {now[3], now[0], now[1], now[2]};
    const double back[4] = {zero[3], -zero[0], -zero[1], -zero[2]};
    const int turn = p->m->jnt_dofadr[own] + (free_joint ? 3 : 0);
    const size_t nv = td_nv(p->model);
    if (free_joint)
        memcpy(quaternion, turned, sizeof turned);
    else
        multiply(back, turned, quaternion);
    for (size_t k = 0; k < 3; k++)
        p->T[((size_t)turn + k) * nv + place.qd + k] = 1;
    if (ball)
        return;
    td_rotation_from_quaternion(now, R);
    const double *w = qd + place.qd, *v = w + 3;
    const double turning[3] = {w[1] * v[2] - w[2] * v[1], w[2] * v[0] - w[0] * v[2],
                               w[0] * v[1] - w[1] * v[0]};
    for (size_t r = 0; r < 3; r++) {
        static const char *const slides[] = {".x", ".y", ".z"};
        const int slide = free_joint ? own : joint_named(p, joint->name, slides[r]);
        const int dof = p->m->jnt_dofadr[slide] + (free_joint ? (int)r : 0);
        p->d->qpos[p->m->jnt_qposadr[slide] + (free_joint ? (int)r : 0)] = q[place.q + r];
        for (size_t k = 0; k < 3; k++) {
            p->T[(size_t)dof * nv + place.qd + 3 + k] = R[3 * r + k];
            p->c[dof] += R[3 * r + k] * turning[k];
        }
    }
}

static void set_joint(peer *p, size_t i, const double *q)
{
    const td_joint *joint = td_joint_at(p->model, i);
    const td_joint_place place = td_joint_place_at(p->model, i);
    for (size_t k = 0; k < place.nq; k++) {
        const int own = joint_named(
            p, joint->name, td_component_text(p->model, i, TD_QUANTITY_POSITION, (size_t)k));
        const size_t column = place.qd + k;
        p->d->qpos[p->m->jnt_qposadr[own]] = q[place.q + k];
        p->T[(size_t)p->m->jnt_dofadr[own] * td_nv(p->model) + column] = 1;
        if (!td_joint_kind_of(joint->type)->pitched || joint->pitch == 0)
            continue;
        const int slide = joint_named(p, joint->name, ".slide");
        const double way = joint->pitch / (2 * M_PI);
        p->d->qpos[p->m->jnt_qposadr[slide]] = way * q[place.q + k];
        p->T[(size_t)p->m->jnt_dofadr[slide] * td_nv(p->model) + column] = way;
    }
}

static void set_state(peer *p, const double *q, const double *qd)
{
    const size_t nv = td_nv(p->model), rows = (size_t)p->m->nv;
    memset(p->T, 0, rows * nv * sizeof *p->T);
    memset(p->c, 0, rows * sizeof *p->c);
    for (size_t i = 0; i < td_joint_count(p->model); i++) {
        const td_joint_place place = td_joint_place_at(p->model, i);
        if (place.nq == 0 || td_joint_at(p->model, i)->motor)
            continue; /* a shaft is a tendon there */
        if (td_joint_kind_of(td_joint_at(p->model, i)->type)->quaternion != TD_NONE)
            set_pose(p, i, q, qd);
        else
            set_joint(p, i, q);
    }
    for (size_t r = 0; r < rows; r++) {
        p->d->qvel[r] = 0;
        for (size_t k = 0; k < nv; k++)
            p->d->qvel[r] += p->T[r * nv + k] * qd[k];
    }
    mj_fwdPosition(p->m, p->d);
    mj_fwdVelocity(p->m, p->d);
}

/* Solves A x = b, A symmetric positive definite (n × n). */
static void solve(size_t n, double *A, double *b)
{
    for (size_t k = 0; k < n; k++)
        for (size_t i = k + 1; i < n; i++) {
            const double factor = A[i * n + k] / A[k * n + k];
            for (size_t j = k; j < n; j++)
                A[i * n + j] -= factor * A[k * n + j];
            b[i] -= factor * b[k];
        }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++)
            b[k] -= A[k * n + j] * b[j];
        b[k] /= A[k * n + k];
    }
}

/* Computes ÿ from MuJoCo's terms: Vᵀ M V ÿ = tau_y − Vᵀ (M (T g + c) + bias − passive), V = T G. */
static void accelerations(peer *p, td_workspace *w, const double *y, const double *yd,
                          const double *tau_y, double *ydd)
{
    const size_t n = td_nyd(p->model), nv = td_nv(p->model), rows = (size_t)p->m->nv;
    double *M = doubles(rows * rows), *V = doubles(rows * n);
    double *MV = doubles(rows * n);
    double *g = doubles(nv), *f = doubles(rows);
    double *unit = doubles(n), *qd = doubles(nv);
    double *q = doubles(td_nq(p->model)), *A = doubles(n * n);
    double *Mc = doubles(rows), *zero = doubles(n);
    mj_fullM(p->m, M, p->d->qM);
    assert_ok(td_closure(p->model, w, y, yd, zero, q, qd, g));
    for (size_t r = 0; r < rows; r++) {
        Mc[r] = p->c[r];
        for (size_t k = 0; k < nv; k++)
            Mc[r] += p->T[r * nv + k] * g[k];
    }
    for (size_t r = 0; r < rows; r++) {
        f[r] = p->d->qfrc_bias[r] - p->d->qfrc_passive[r];
        for (size_t s = 0; s < rows; s++)
            f[r] += M[r * rows + s] * Mc[s];
    }
    for (size_t j = 0; j < n; j++) {
        unit[j] = 1;
        assert_ok(td_closure(p->model, w, y, unit, NULL, q, qd, NULL));
        unit[j] = 0;
        for (size_t r = 0; r < rows; r++)
            for (size_t k = 0; k < nv; k++)
                V[r * n + j] += p->T[r * nv + k] * qd[k];
    }
    for (size_t r = 0; r < rows; r++)
        for (size_t s = 0; s < rows; s++)
            for (size_t j = 0; j < n && M[r * rows + s] != 0; j++)
                MV[r * n + j] += M[r * rows + s] * V[s * n + j];
    for (size_t i = 0; i < n; i++) {
        ydd[i] = tau_y[i];
        for (size_t r = 0; r < rows; r++) {
            ydd[i] -= V[r * n + i] * f[r];
            for (size_t j = 0; j < n && V[r * n + i] != 0; j++)
                A[i * n + j] += V[r * n + i] * MV[r * n + j];
        }
    }
    solve(n, A, ydd);
}

/* Checks equality constraints and their rates at a closed state. */
static void check_equalities(const peer *p)
{
    for (int i = 0; i < p->d->ne; i++) {
        ck_assert_msg(fabs(p->d->efc_pos[i]) < 1e-12, "equality %d is %.3g off", i,
                      p->d->efc_pos[i]);
        ck_assert_msg(fabs(p->d->efc_vel[i]) < 1e-11, "the rate of equality %d is %.3g", i,
                      p->d->efc_vel[i]);
    }
}

/* Checks that MuJoCo's equalities leave as many degrees of freedom as ẏ has entries. */
static void check_freedom(const peer *p)
{
    const size_t n = (size_t)p->m->nv, rows = (size_t)p->d->ne;
    double *J = doubles(rows * n);
    size_t rank = 0;
    if (mj_isSparse(p->m)) { /* too large for this check */
        return;
    }
    memcpy(J, p->d->efc_J, rows * n * sizeof *J);
    for (size_t column = 0; column < n && rank < rows; column++) {
        size_t best = rank;
        for (size_t r = rank; r < rows; r++)
            if (fabs(J[r * n + column]) > fabs(J[best * n + column]))
                best = r;
        if (fabs(J[best * n + column]) < 1e-7)
            continue;
        for (size_t k = 0; k < n; k++) {
            const double kept = J[rank * n + k];
            J[rank * n + k] = J[best * n + k], J[best * n + k] = kept;
        }
        for (size_t r = rank + 1; r < rows; r++) {
            const double factor = J[r * n + column] / J[rank * n + column];
            for (size_t k = 0; k < n; k++)
                J[r * n + k] -= factor * J[rank * n + k];
        }
        rank++;
    }
    ck_assert_msg(n - rank == td_nyd(p->model), "%zu of %zu velocities are free, %zu in y",
                  n - rank, n, td_nyd(p->model));
}

/* Checks that MuJoCo starts with its equalities closed, within limits, and simulates 500 steps.
   slack: largest error of a curve fit. */
static void check_motion_from_start(peer *p, double slack)
{
    enum { STEPS = 500 };
    mj_resetData(p->m, p->d);
    if (td_flexible_count(p->model)) /* MuJoCo's Euler steps of 2 ms are too long for stiff beams */
        p->m->opt.timestep = 1e-5;
    mj_forward(p->m, p->d);
    for (int i = 0; i < p->d->ne; i++)
        ck_assert_msg(fabs(p->d->efc_pos[i]) <= slack, "equality %d begins %.3g off", i,
                      p->d->efc_pos[i]);
    for (int i = 0; i < STEPS; i++)
        mj_step(p->m, p->d);
    for (int i = 0; i < mjNWARNING; i++)
        ck_assert_msg(!p->d->warning[i].number, "MuJoCo warns: mjtWarning %d of %d", i,
                      p->d->warning[i].lastinfo);
    ck_assert_double_lt(fabs(p->d->time - STEPS * p->m->opt.timestep), 1e-9);
}

static void check_model(const td_model *model, td_workspace *changed, double reach, bool fit)
{
    enum { STATES = 5 };
    td_export_options options = td_export_options_default();
    td_diagnostics *list = test_diagnostics(0);
    td_workspace *w = changed ? changed : test_workspace(model);
    td_random random = {5};
    size_t size, seen = 0;
    options.format = TD_EXPORT_MJCF;
    options.workspace = w;
    options.fit = fit;
    char *text = export_as(model, options, list, &size);
    peer p = peer_of(model, text, size);
    const size_t n = td_nyd(model);
    double *start = doubles(td_ny(model));
    double *y = doubles(td_ny(model)), *yd = doubles(n);
    double *tau = doubles(n), *ydd = doubles(n);
    double *theirs = doubles(n), *q = doubles(td_nq(model));
    double *qd = doubles(td_nv(model));
    td_forces forces = td_forces_default();
    forces.passive = true;
    memcpy(start, td_reference(model, TD_COORDINATES_INDEPENDENT), td_ny(model) * sizeof *start);
    for (int i = 0; i < STATES; i++) {
        td_random_fill(&random, n, yd);
        td_integrate(model, TD_COORDINATES_INDEPENDENT, start, yd, reach * i / STATES, y);
        td_random_fill(&random, n, yd);
        td_random_fill(&random, n, tau);
        if (td_closure(model, w, y, yd, NULL, q, qd, NULL) != TD_OK ||
            td_forward_dynamics(model, w, y, yd, tau, &forces, ydd) != TD_OK)
            continue;
        seen++;
        set_state(&p, q, qd);
        if (!fit)
            check_equalities(&p);
        if (i == 2)
            check_freedom(&p);
        accelerations(&p, w, y, yd, tau, theirs);
        td_assert_close(n, ydd, theirs, 1e-9, 1);
    }
    ck_assert_uint_gt(seen, 0);
    check_motion_from_start(&p, fit ? 0.1 : 1e-9);
    peer_free(&p);
}

/* Returns the robot without friction, because MuJoCo turns friction into constraints. */
static td_model *smooth(const td_model *model, const td_load_options *options)
{
    size_t size;
    td_diagnostics *list = test_diagnostics(0);
    char *text = export_as(model, td_export_options_default(), list, &size);
    for (char *at = text; (at = strstr(at, " friction=\"")) != NULL; at++) {
        char *end = strchr(at + 11, '"');
        memset(at, ' ', (size_t)(end - at + 1));
    }
    td_model *back = NULL;
    assert_ok(test_load_urdf_memory(text, size, "smooth", options, NULL, &back));
    return back;
}

static const char without_mass[] = "moments of inertia that MuJoCo requires";

/* Returns whether export refuses a robot for this reason only. */
static bool is_refused(const td_model *model, td_workspace *w, const char *words)
{
    td_export_options options = td_export_options_default();
    td_diagnostics *list = test_diagnostics(0);
    size_t size;
    options.format = TD_EXPORT_MJCF;
    options.workspace = w;
    bool all = td_model_export(model, &options, list, NULL, 0, &size) == TD_ERROR_MODEL;
    for (size_t i = 0; i < td_diagnostics_size(list); i++)
        all = all && strstr(td_diagnostics_at(list, i)->message, words);
    return all;
}

TD_LOOP_TEST(bundled_robots_agree, 0, 2 * td_robot_count())
{
    const char *name = td_robots[_i / 2];
    const bool curved = strcmp(name, "cam_finger.urdf") == 0 || strcmp(name, "yoke.urdf") == 0;
    td_load_options options = td_load_options_default();
    options.base = _i % 2 ? TD_BASE_FLOATING : TD_BASE_FIXED;
    options.gravity[0] = 0.3;
    td_model *file = td_load_robot(name, &options);
    if (!curved && !(_i % 2 && is_refused(file, NULL, without_mass))) {
        td_model *model = smooth(file, &options);
        check_model(model, NULL, td_loop_count(model) ? 0.1 : 1, false);
    }
}

TD_LOOP_TEST(random_robots_agree, 0, 24)
{
    td_random random = {(uint64_t)_i + 1};
    td_builder *builder =
        _i % 2 ? coupled_random(&random, 14) : regular_robot(&random, 12, 4, false, TD_BASE_FIXED);
    td_model *plain = model_of_builder(builder, NULL);
    if (_i % 3 == 0) {
        const td_spring spring = random_spring(&random, plain, false, true);
        td_builder_add_spring(builder, &spring);
    }
    td_load_options options = td_load_options_default();
    options.base = _i % 4 == 0 ? TD_BASE_FLOATING : TD_BASE_FIXED;
    td_model *file = model_of_builder(builder, &options), *model = smooth(file, &options);
    td_workspace *w = test_workspace(model);
    const double com[3] = {0.1, -0.2, 0.3}, inertia[6] = {0.02, 0.001, 0, 0.03, 0, 0.025};
    const double gravity[3] = {1, 2, -3};
    assert_ok(td_set_payload(w, td_link_count(model) - 1, 0.5, com, inertia));
    td_set_gravity(w, gravity);
    if (!is_refused(model, w, without_mass))
        check_model(model, w, 1, false);
}

static int files_seen;

/* Tests files that export does not refuse and whose masses are moderate. With others, results
   differ by rounding. */
static int visit(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info, (void)where;
    td_model *file = NULL;
    const size_t length = strlen(path);
    if (kind != FTW_F || length < 5 || strcmp(path + length - 5, ".urdf") != 0 ||
        test_load_urdf(path, NULL, NULL, &file) != TD_OK)
        return 0;
    td_model *model = smooth(file, NULL);
    printf("# %s\n", path);
    if (!is_refused(model, NULL, "")) {
        check_model(model, NULL, td_loop_count(model) ? 0.1 : 1, false);
        files_seen++;
    }
    return 0;
}

TD_TEST(real_robots_agree)
{
    char path[4096];
    if (!td_data_directory())
        return;
    snprintf(path, sizeof path, "%s/models", td_data_directory());
    nftw(path, visit, 16, FTW_PHYS);
    printf("# %d files\n", files_seen);
}

TD_LOOP_TEST(loops_agree, 0, loop_robot_count)
{
    td_model *file = loop_robot_load(&loop_robots[_i]);
    td_load_options options = td_load_options_default();
    options.base = loop_robots[_i].base;
    td_model *model = smooth(file, &options);
    if (!is_refused(model, NULL, "prismatic") && !is_refused(model, NULL, without_mass))
        check_model(model, NULL, 0.1, false);
}

/* the error of a fit is in the constraint, not in the projected tree */
TD_TEST(fitted_robots_agree)
{
    td_model *model = td_load_robot("yoke.urdf", NULL);
    td_diagnostics *list = test_diagnostics(0);
    td_export_options options = td_export_options_default();
    size_t size;
    options.format = TD_EXPORT_MJCF;
    options.fit = true;
    const td_status status = td_model_export(model, &options, list, NULL, 0, &size);
    if (status == TD_OK)
        check_model(model, NULL, 0.5, true);
}

/* Tests loops with three constrained rotations, distance constraints, and couplings of several
   joints. */
TD_TEST(polynomials_and_sums_agree)
{
    static const double c[] = {0.1, 0.5, -0.02, 0.01, 0.003}, line[] = {0.2, -0.7},
                        slope[] = {0, 2};
    td_builder *builder = curve_row("rrrprc");
    const td_curve sum[2] = {curve_polynomial("j1", 2, line), curve_polynomial("j2", 2, slope)};
    const td_curve both[2] = {curve_polynomial("j1", 5, c), curve_polynomial("j1", 2, line)};
    const td_coupling coupling = td_coupling_default("gear", "l1", "l6", 0.5);
    curve_follow(builder, "j3", both, 2, 0.25);
    curve_follow(builder, "j4", sum, 2, -0.5);
    td_builder_add_coupling(builder, &coupling);
    td_model *model = model_of_builder(builder, NULL);
    check_model(model, NULL, 1, false);
}

static td_pose random_pose(td_random *random)
{
    td_pose pose;
    td_random_fill(random, 3, pose.position);
    td_random_rotation(random, pose.rotation);
    return pose;
}

/* Returns p = a ∘ b. */
static td_pose composed(td_pose a, td_pose b)
{
    td_pose p = {{0}, {0}};
    for (int i = 0; i < 3; i++) {
        p.position[i] = a.position[i];
        for (int k = 0; k < 3; k++) {
            p.position[i] += a.rotation[3 * i + k] * b.position[k];
            for (int j = 0; j < 3; j++)
                p.rotation[3 * i + j] += a.rotation[3 * i + k] * b.rotation[3 * k + j];
        }
    }
    return p;
}

static void add_moving(td_builder *builder, td_random *random, const char *parent, const char *name,
                       const char *joint_name, td_joint_type type, bool massless)
{
    td_link link = massless ? td_link_default(name) : curve_link(name);
    td_joint joint = td_joint_default(joint_name, type, parent, name);
    link.name = name;
    joint.origin = random_pose(random);
    td_random_fill(random, 3, joint.axis);
    joint.pitch = td_joint_kind_of(type)->pitched ? 0.5 : 0;
    joint.reference[0] = 0.3;
    assert_ok(td_builder_add_link(builder, &link));
    assert_ok(td_builder_add_joint(builder, &joint));
}

/* Adds a leader and a follower on one axis that move alike. A weld, a connect and a distance
   constraint between their links are closed at every configuration. */
static void add_pair(td_builder *builder, td_random *random)
{
    const td_pose place = random_pose(random), frame = random_pose(random);
    for (int k = 0; k < 2; k++) {
        td_link link = curve_link(k ? "pair2" : "pair1");
        td_joint joint =
            td_joint_default(k ? "second" : "first", TD_JOINT_REVOLUTE, "base", link.name);
        joint.origin = place;
        joint.axis[0] = 0.6, joint.axis[2] = 0.8;
        joint.mimic = k ? "first" : NULL;
        joint.reference[0] = k ? NAN : 0.7;
        td_builder_add_link(builder, &link);
        td_builder_add_joint(builder, &joint);
    }
    static const td_loop_type types[] = {TD_LOOP_FIXED, TD_LOOP_SPHERICAL, TD_LOOP_REVOLUTE};
    static const char *const names[] = {"weld", "point", "pin"};
    for (int k = 0; k < 3; k++) {
        td_loop loop = td_loop_default(names[k], "pair1", "pair2");
        loop.type = types[k];
        loop.predecessor_origin = loop.successor_origin = composed(frame, random_pose(random));
        td_builder_add_loop(builder, &loop);
    }
}

/* Tests joints of all types that are not at zero in the drawn configuration, chains of massless
   links, and loops. */
TD_LOOP_TEST(joints_away_from_zero_agree, 0, 8)
{
    td_random random = {(uint64_t)_i + 100};
    td_builder *builder = test_builder("away");
    td_link base = curve_link("base");
    td_builder_add_link(builder, &base);
    add_pair(builder, &random);
    add_moving(builder, &random, "base", "a", "ja", TD_JOINT_UNIVERSAL, false);
    add_moving(builder, &random, "a", "b", "jb", TD_JOINT_PLANAR, false);
    add_moving(builder, &random, "b", "c", "jc", TD_JOINT_REVOLUTE, true);
    add_moving(builder, &random, "c", "d", "jd", TD_JOINT_PRISMATIC, true);
    add_moving(builder, &random, "d", "e", "je", TD_JOINT_UNIVERSAL, true);
    add_moving(builder, &random, "e", "f", "jf", TD_JOINT_REVOLUTE, false);
    add_moving(builder, &random, "f", "g", "jg", TD_JOINT_FLOATING, false);
    add_moving(builder, &random, "g", "h", "jh", TD_JOINT_BALL, false);
    const td_joint_position start[] = {
        {"ja.rx", 0.4}, {"ja.ry", -0.8}, {"jb.x", 0.2},   {"jb.y", -0.3},  {"jb.theta", 1},
        {"jc", 0.5},    {"jd", 0.1},     {"je.rx", -0.6}, {"je.ry", 0.9},  {"jf", 1.2},
        {"jg.x", 0.5},  {"jg.qx", 0.6},  {"jg.qw", 0.8},  {"jh.qy", 0.28}, {"jh.qw", 0.96}};
    td_load_options options = td_load_options_default();
    options.start = start;
    options.start_count = sizeof start / sizeof *start;
    td_model *model = model_of_builder(builder, &options);
    check_model(model, NULL, 0.5, false);
}

/* Tests two joints of each type in a row, on a link of a chain. */
TD_TEST(all_joint_types_agree)
{
    for (td_joint_type type = TD_JOINT_REVOLUTE; td_joint_kind_of(type); type++) {
        td_random random = {(uint64_t)type + 200};
        td_builder *builder = test_builder("types");
        td_link base = curve_link("base");
        td_builder_add_link(builder, &base);
        add_moving(builder, &random, "base", "a", "ja", TD_JOINT_REVOLUTE, false);
        add_moving(builder, &random, "a", "b", "jb", type, false);
        add_moving(builder, &random, "b", "c", "jc", type, false);
        check_model(model_of_builder(builder, NULL), NULL, 0.5, false);
    }
}

/* A weld joins two slides on one rail, 0.2 m away from their zero positions. */
TD_TEST(welds_begin_closed)
{
    td_builder *builder = test_builder("welded");
    const td_link base = td_link_default("base");
    td_builder_add_link(builder, &base);
    for (int k = 0; k < 2; k++) {
        const td_link link = curve_link(k ? "b" : "a");
        td_joint joint = td_joint_default(k ? "jb" : "ja", TD_JOINT_PRISMATIC, "base", link.name);
        joint.origin.position[0] = k ? 0.5 : 0;
        td_builder_add_link(builder, &link);
        td_builder_add_joint(builder, &joint);
    }
    td_loop weld = td_loop_default("weld", "a", "b");
    weld.type = TD_LOOP_FIXED;
    weld.predecessor_origin.position[0] = 0.3;
    td_builder_add_loop(builder, &weld);
    td_model *model = model_of_builder(builder, NULL);
    ck_assert_uint_eq(td_nyd(model), 1);
    check_model(model, NULL, 0.5, false);
}

TD_TEST(numbers_of_joints_arrive)
{
    td_builder *builder = curve_row("rp");
    td_transmission motor = td_transmission_default("motor", "j1");
    motor.mechanical_reduction = 10;
    motor.rotor_inertia = 0.002;
    td_builder_add_transmission(builder, &motor);
    td_link link = curve_link("l3");
    td_joint joint = td_joint_default("stiff", TD_JOINT_REVOLUTE, "l2", "l3");
    joint.limit.lower = -0.5, joint.limit.upper = 0.75, joint.limit.effort = 30;
    joint.damping = 0.1, joint.friction = 0.2, joint.spring_stiffness = 3;
    joint.spring_reference = 0.4;
    td_builder_add_link(builder, &link);
    td_builder_add_joint(builder, &joint);
    link.name = "l4"; /* it has a single possible position */
    joint = td_joint_default("stuck", TD_JOINT_REVOLUTE, "l3", "l4");
    joint.limit.lower = joint.limit.upper = 0;
    td_builder_add_link(builder, &link);
    td_builder_add_joint(builder, &joint);
    td_model *model = model_of_builder(builder, NULL);
    td_export_options options = td_export_options_default();
    td_diagnostics *list = test_diagnostics(0);
    size_t size;
    options.format = TD_EXPORT_MJCF;
    char *text = export_as(model, options, list, &size);
    peer p = peer_of(model, text, size);
    const int stuck = joint_named(&p, "stuck", "");
    ck_assert(p.m->jnt_limited[stuck]);
    ck_assert_double_eq(p.m->jnt_range[2 * stuck], 0);
    ck_assert_double_le(p.m->jnt_range[2 * stuck + 1], 1e-11);
    const int j = joint_named(&p, "stiff", ""), dof = p.m->jnt_dofadr[j];
    ck_assert(p.m->jnt_limited[j]);
    ck_assert_double_eq(p.m->jnt_range[2 * j], -0.5);
    ck_assert_double_eq(p.m->jnt_range[2 * j + 1], 0.75);
    ck_assert_double_eq(p.m->dof_damping[dof], 0.1);
    ck_assert_double_eq(p.m->dof_frictionloss[dof], 0.2);
    ck_assert_double_eq(p.m->jnt_stiffness[j], 3);
    ck_assert_double_eq(p.m->qpos_spring[p.m->jnt_qposadr[j]], 0.4);
    ck_assert_double_eq_tol(p.m->dof_armature[p.m->jnt_dofadr[joint_named(&p, "j1", "")]], 0.2,
                            1e-15);
    const int actuator = mj_name2id(p.m, mjOBJ_ACTUATOR, "stiff");
    ck_assert_int_ge(actuator, 0);
    ck_assert_double_eq(p.m->actuator_ctrlrange[2 * actuator + 1], 30);
    ck_assert_double_eq(p.m->actuator_gear[6 * actuator], 1);
    peer_free(&p);
}
/* Two couplings have the same last joint. MuJoCo requires unique names of equalities. */
TD_TEST(names_come_once)
{
    td_builder *builder = curve_row("rr");
    const char *const names[] = {"s", "t"};
    for (int k = 0; k < 2; k++) {
        td_link link = curve_link(names[k]);
        td_joint joint = td_joint_default(k ? "jt" : "js", TD_JOINT_REVOLUTE, "l2", names[k]);
        td_builder_add_link(builder, &link), td_builder_add_joint(builder, &joint);
    }
    const td_coupling one = td_coupling_default("one", "s", "t", 2),
                      two = td_coupling_default("two", "l1", "t", 1);
    td_builder_add_coupling(builder, &one), td_builder_add_coupling(builder, &two);
    td_model *model = model_of_builder(builder, NULL);
    check_model(model, NULL, 0.5, false);
}

/* Tests q1 + q2 + q3 = 0 with q2 locked at a position other than 0. */
TD_TEST(locked_couplings_agree)
{
    td_builder *builder = curve_row("rrr");
    const td_coupling coupling = td_coupling_default("gear", "l0", "l3", 2);
    const td_joint_position locked = {"j2", 0.3};
    td_load_options options = td_load_options_default();
    td_builder_add_coupling(builder, &coupling);
    options.locked = &locked;
    options.locked_count = 1;
    td_model *model = model_of_builder(builder, &options);
    check_model(model, NULL, 0.5, false);
}

/* Two motors pull three joints. MuJoCo's tendons have their damping, forces and, from version 3.2.7
   on, their inertia. */
TD_TEST(motors_of_several_joints_agree)
{
    static const double ratio[2][3] = {{1, 2, 0}, {0, -1, 0.5}};
    td_builder *builder = curve_row("rrr");
    td_load_options options = td_load_options_default();
    options.actuation = TD_ACTUATION_TRANSMISSION;
    for (int m = 0; m < 2; m++)
        for (int k = 0; k < 3; k++) {
            const char name[] = {'j', (char)('1' + k), 0};
            td_transmission t = td_transmission_default("drive", name);
            t.actuator = m ? "b" : "a";
            t.ratio = ratio[m][k];
            t.mechanical_reduction = 3;
            t.damping = m ? 0.02 : 0.05;
            t.rotor_inertia = mjVERSION_HEADER >= 327 ? 0.01 : 0;
            if (t.ratio != 0)
                td_builder_add_transmission(builder, &t);
        }
    td_model *model = model_of_builder(builder, &options);
    check_model(model, NULL, 0.5, false);

    td_export_options form = td_export_options_default();
    form.format = TD_EXPORT_MJCF;
    size_t size;
    char *text = export_as(model, form, test_diagnostics(0), &size);
    peer p = peer_of(model, text, size);
    for (int m = 0; m < 2; m++) {
        const int actuator = mj_name2id(p.m, mjOBJ_ACTUATOR, m ? "b" : "a");
        ck_assert_int_ge(actuator, 0);
        p.d->ctrl[actuator] = 2;
        mj_fwdPosition(p.m, p.d);
        mj_fwdActuation(p.m, p.d);
        for (int k = 0; k < 3; k++) {
            const char name[] = {'j', (char)('1' + k), 0};
            const int dof = p.m->jnt_dofadr[joint_named(&p, name, "")];
            ck_assert_double_eq_tol(p.d->qfrc_actuator[dof], 2 * ratio[m][k], 1e-14);
        }
        p.d->ctrl[actuator] = 0;
    }
    peer_free(&p);
}

/* Tests moments of inertia without mass, on a fixed joint. */
TD_TEST(fixed_masses_agree)
{
    td_builder *builder = curve_row("rr");
    td_link wheel = td_link_default("wheel");
    td_joint joint = td_joint_default("fixed", TD_JOINT_FIXED, "l2", "wheel");
    wheel.has_inertial = true;
    wheel.mass = 0;
    wheel.inertia[0] = 0.3, wheel.inertia[3] = 0.4, wheel.inertia[5] = 0.5;
    td_builder_add_link(builder, &wheel), td_builder_add_joint(builder, &joint);
    td_model *model = model_of_builder(builder, NULL);
    check_model(model, NULL, 0.5, false);
}
#endif

/* ---- refusals, which need no MuJoCo ---------------------------------------------------------- */

static void check_refused(const td_model *model, const char *words)
{
    td_export_options options = td_export_options_default();
    td_diagnostics *list = test_diagnostics(0);
    size_t size = 1;
    bool found = false;
    options.format = TD_EXPORT_MJCF;
    ck_assert_int_eq(td_model_export(model, &options, list, NULL, 0, &size), TD_ERROR_MODEL);
    ck_assert_uint_eq(size, 0);
    for (size_t i = 0; i < td_diagnostics_size(list); i++)
        found = found || strstr(td_diagnostics_at(list, i)->message, words);
    ck_assert_msg(found, "nothing says '%s'", words);
}

TD_TEST(what_mujoco_lacks_is_named)
{
    static const td_loop_type types[] = {TD_LOOP_PRISMATIC, TD_LOOP_CYLINDRICAL, TD_LOOP_PLANAR,
                                         TD_LOOP_UNIVERSAL};
    td_random random = {3};
    int refused = 0;
    td_model *yoke = td_load_robot("yoke.urdf", NULL),
             *finger = td_load_robot("cam_finger.urdf", NULL);
    check_refused(yoke,
                  "joint 'slide' follows a function that is not a polynomial of degree 4 or less");
    check_refused(finger, "joint 'nail' follows nonlinear functions of several joints");
    td_builder *builder = curve_row("rr");
    td_model *plain = model_of_builder(builder, NULL);
    const td_spring bushing = random_spring(&random, plain, true, true);
    td_builder_add_spring(builder, &bushing);
    td_model *model = model_of_builder(builder, NULL);
    check_refused(model, "is a bushing");
    builder = curve_row("rr");
    td_link ghost = td_link_default("ghost");
    td_joint joint = td_joint_default("to_ghost", TD_JOINT_REVOLUTE, "l2", "ghost");
    td_builder_add_link(builder, &ghost), td_builder_add_joint(builder, &joint);
    model = model_of_builder(builder, NULL);
    check_refused(model, "link 'ghost' moves");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        builder = curve_row("pccccc");
        td_loop loop = td_loop_default("closing", "l0", "l6");
        loop.type = types[i];
        loop.successor_origin.position[0] = 0.3;
        loop.second_axis[0] = 0, loop.second_axis[1] = 1;
        td_load_options options = td_load_options_default();
        options.partial = true;
        td_builder_add_loop(builder, &loop);
        model = NULL;
        refused += test_builder_finish(builder, &options, NULL, &model) == TD_OK;
        if (model)
            check_refused(model, "loop 'closing' is closed by a");
    }
    ck_assert_int_ge(refused, 3);
}

/* A link with a mass and zero inertia is not massless, nor is one with inertia only. */
TD_TEST(what_has_mass_is_kept)
{
    static const double some[][7] = {{1, 0, 0, 0, 0, 0, 0},     /* a point mass */
                                     {1, 0, 0, 0, 0.1, 0, 0.1}, /* a rod */
                                     {0, 1, 0, 0, 0, 0, 0},
                                     {0, 0, 0, 0, 1, 0, 1}};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        td_builder *builder = curve_row("r");
        td_link rod = td_link_default("rod"), end = curve_link("end");
        td_joint first = td_joint_default("first", TD_JOINT_REVOLUTE, "l1", "rod"),
                 second = td_joint_default("second", TD_JOINT_REVOLUTE, "rod", "end");
        second.axis[0] = 0, second.axis[1] = 1;
        rod.has_inertial = true;
        rod.mass = some[i][0];
        memcpy(rod.inertia, some[i] + 1, sizeof rod.inertia);
        td_builder_add_link(builder, &rod), td_builder_add_link(builder, &end);
        td_builder_add_joint(builder, &first), td_builder_add_joint(builder, &second);
        td_model *model = model_of_builder(builder, NULL);
        check_refused(model, "link 'rod' moves");
    }
}

/* A table is fitted between its ends. */
TD_TEST(fits_stay_within_tables)
{
    static const double at[] = {0, 0.4, 0.7, 1}, value[] = {0, 0.3, 0.2, 0.5};
    td_builder *builder = curve_row("rr");
    const td_curve table = curve_table("j1", 4, at, value);
    curve_follow(builder, "j2", &table, 1, 0);
    td_model *model = model_of_builder(builder, NULL);
    td_export_options options = td_export_options_default();
    td_diagnostics *list = test_diagnostics(0);
    size_t size;
    options.format = TD_EXPORT_MJCF;
    options.fit = true;
    export_as(model, options, list, &size);
    const td_diagnostic *said = td_find_diagnostic(list, "TD-X003");
    ck_assert_ptr_nonnull(said);
    ck_assert_msg(strstr(said->message, "from 0 to 1 of") != NULL, "%s", said->message);
}

/* A fit reports its error. Polynomials are functions of the difference from the start position. */
TD_TEST(fits_say_their_error)
{
    td_builder *builder = curve_row("rr");
    const td_curve sine = curve_sine("j1", 0.3, 1, 0.7);
    curve_follow(builder, "j2", &sine, 1, 0);
    td_model *model = model_of_builder(builder, NULL);
    td_export_options options = td_export_options_default();
    td_diagnostics *list = test_diagnostics(0);
    size_t size;
    options.format = TD_EXPORT_MJCF;
    options.fit = true;
    char *text = export_as(model, options, list, &size);
    const td_diagnostic *said = td_find_diagnostic(list, "TD-X003");
    ck_assert_ptr_nonnull(said);
    double error = 0, c[5], worst = 0;
    ck_assert_int_eq(sscanf(strstr(said->message, "up to"), "up to %lf", &error), 1);
    const char *found = strstr(text, "polycoef=\"");
    ck_assert_int_eq(sscanf(found, "polycoef=\"%lf %lf %lf %lf %lf", c, c + 1, c + 2, c + 3, c + 4),
                     5);
    for (double x = -3; x <= 3; x += 0.001)
        worst = fmax(worst, fabs(0.3 * (sin(x + 0.7) - sin(0.7)) -
                                 (c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * c[4]))))));
    ck_assert_double_gt(error, 1e-4);
    /* size of the fifth and sixth terms of its Chebyshev series, 2 J_n(3) */
    ck_assert_double_lt(error, 0.3 * 2 * (fabs(jn(5, 3)) + fabs(jn(6, 3)) + fabs(jn(7, 3))));
    ck_assert_double_eq_tol(error, worst, 1e-2 * worst);
}
