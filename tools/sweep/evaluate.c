/* SPDX-License-Identifier: MIT */
/*
 * Computes the results of the states of a leaf; see arrays.h.
 */
#include "sweep/arrays.h"

#include <math.h>
#include <string.h>

#include "base/coordinates.h"
#include "base/jacobi.h"
#include "base/limit.h"
#include "input/point_pose.h"

/* number of states for which poses, Jacobians and reactions of all links are computed at a time */
enum { SLICE = 64 };

/* A run of states with the same payloads and gravity. */
typedef struct run {
    sweep_arrays *w;
    size_t first, n;
} run;

static double *row_of(const run *r, enum sweep_array array)
{
    return r->w->array[array] + r->first * r->w->spec->width[array];
}

static size_t largest(size_t a, size_t b)
{
    return a > b ? a : b;
}

size_t sweep_scratch(const sweep_spec *spec)
{
    const td_model *model = spec->s->model;
    const size_t poses = spec->poses > 0 ? 12 * td_link_count(model) : 0;
    const size_t jacobian = spec->jacobians > 0 ? 9 * td_nyd(model) : 0;
    const size_t reactions = spec->reactions > 0 ? 6 * td_joint_count(model) : 0;
    const size_t limits =
        spec->limits ? td_nq(model) + 3 * td_nv(model) + td_nu(model) + td_nyd(model) : 0;
    return SLICE * largest(largest(poses, jacobian), largest(reactions, limits));
}

/* Keeps the first status of each state that is not TD_OK. */
static void join_statuses(const run *r, size_t at, size_t n)
{
    td_status *status = r->w->status + r->first + at;
    for (size_t i = 0; i < n; i++) {
        status[i] = status[i] == TD_OK ? r->w->each[i] : status[i];
    }
}

/* Ignores the status of states with too few motors, whose forces are the least-squares solution. */
static void allow_passive_joints(const run *r, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const td_status each = r->w->each[i];
        r->w->each[i] = each == TD_ERROR_UNDERACTUATED ? TD_OK : each;
    }
}

/* ---- dynamics -------------------------------------------------------------------------------- */

static void find_forces(const run *r)
{
    sweep_arrays *w = r->w;
    const td_model *model = w->spec->s->model;
    td_batch_inverse_dynamics(model, w->workspace, r->n, row_of(r, SWEEP_Q), row_of(r, SWEEP_QD),
                              row_of(r, SWEEP_QDD), &w->spec->forces, row_of(r, SWEEP_FORCES),
                              w->each);
    join_statuses(r, 0, r->n);
    if (w->spec->drives) {
        td_batch_forces_to_actuators(model, w->workspace, r->n, row_of(r, SWEEP_Q),
                                     row_of(r, SWEEP_FORCES), NULL, row_of(r, SWEEP_MOTORS), NULL,
                                     w->each); /* the least-squares solution if there are too few
                                                  motors */
        allow_passive_joints(r, r->n);
        join_statuses(r, 0, r->n);
    }
}

static void find_accelerations(const run *r)
{
    sweep_arrays *w = r->w;
    td_batch_forward_dynamics(w->spec->s->model, w->workspace, r->n, row_of(r, SWEEP_Q),
                              row_of(r, SWEEP_QD), row_of(r, SWEEP_TAU), &w->spec->forces,
                              row_of(r, SWEEP_ACCELERATIONS), w->each);
    join_statuses(r, 0, r->n);
}

/* ---- by slices ------------------------------------------------------------------------------- */

static void find_poses(const run *r, size_t at, size_t n)
{
    sweep_arrays *w = r->w;
    const sweep_spec *spec = w->spec;
    const td_model *model = spec->s->model;
    const size_t links = td_link_count(model);
    const double *y = row_of(r, SWEEP_Q) + at * spec->width[SWEEP_Q];
    td_batch_link_poses(model, w->workspace, n, y, w->scratch, w->each);
    join_statuses(r, at, n);
    for (size_t i = 0; i < n; i++) {
        double *out = row_of(r, SWEEP_POSES) + (at + i) * spec->width[SWEEP_POSES];
        for (size_t k = 0; k < spec->poses; k++, out += 7) {
            point_pose(w->scratch + 12 * (i * links + spec->pose[k].link), spec->pose[k].point,
                       out);
        }
    }
}

/* Computes the smallest and largest singular values of the Jacobian of a point's velocity (3 × n).
   Decomposes the matrix or its transpose, whichever has at least as many rows as columns. */
static void extreme_values(const double *J, size_t n, double *scratch, double out[2])
{
    const double *linear = J + 3 * n; /* rows are moments first: ω, v */
    if (n >= 3) {                     /* the transpose, n × 3 by columns, needs no copy */
        memcpy(scratch, linear, 3 * n * sizeof *scratch);
        td_singular_values((int)n, 3, scratch, &out[0], &out[1]);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < 3; k++) {
            scratch[3 * i + k] = linear[k * n + i];
        }
    }
    td_singular_values(3, (int)n, scratch, &out[0], &out[1]);
}

static void find_jacobians(const run *r, size_t at, size_t n)
{
    sweep_arrays *w = r->w;
    const sweep_spec *spec = w->spec;
    const size_t nyd = td_nyd(spec->s->model);
    const double *y = row_of(r, SWEEP_Q) + at * spec->width[SWEEP_Q];
    for (size_t k = 0; k < spec->jacobians; k++) {
        const sweep_place *place = &spec->jacobian[k];
        td_batch_link_jacobian(spec->s->model, w->workspace, n, place->link, place->point, y,
                               TD_FRAME_ALIGNED, w->scratch, w->each);
        join_statuses(r, at, n);
        for (size_t i = 0; i < n; i++) {
            double *out = row_of(r, SWEEP_JACOBIANS) + (at + i) * spec->width[SWEEP_JACOBIANS];
            extreme_values(w->scratch + 6 * nyd * i, nyd, w->scratch + 6 * nyd * SLICE,
                           out + 2 * k);
        }
    }
}

/* Computes reactions in world axes at the links' origins, and the norms of moment and force. */
static void find_reactions(const run *r, size_t at, size_t n)
{
    sweep_arrays *w = r->w;
    const sweep_spec *spec = w->spec;
    const size_t joints = td_joint_count(spec->s->model), nyd = td_nyd(spec->s->model);
    const double *y = row_of(r, SWEEP_Q) + at * spec->width[SWEEP_Q];
    const double *yd = row_of(r, SWEEP_QD) + at * nyd;
    const double *ydd = row_of(r, spec->fd ? SWEEP_ACCELERATIONS : SWEEP_QDD) + at * nyd;
    td_batch_joint_reactions(spec->s->model, w->workspace, n, y, yd, ydd, &spec->forces,
                             TD_FRAME_ALIGNED, w->scratch, w->each);
    join_statuses(r, at, n);
    for (size_t i = 0; i < n; i++) {
        double *out = row_of(r, SWEEP_REACTIONS) + (at + i) * spec->width[SWEEP_REACTIONS];
        for (size_t k = 0; k < spec->reactions; k++, out += 8) {
            const double *f = w->scratch + 6 * (i * joints + spec->reaction[k]);
            memcpy(out, f, 6 * sizeof *out);
            out[6] = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
            out[7] = sqrt(f[3] * f[3] + f[4] * f[4] + f[5] * f[5]);
        }
    }
}

/* Compares positions and velocities of all joints with their limits. out: limits:position,
   limits:velocity, use:velocity, limits:effort, use:effort. */
static void use_motion(const td_model *model, const double *q, const double *qd, double out[5])
{
    for (size_t i = 0; i < td_joint_count(model); i++) {
        const td_limit *limit = &td_joint_at(model, i)->limit;
        const td_joint_place place = td_joint_place_at(model, i);
        const bool bounded = td_joint_kind_of(td_joint_at(model, i)->type)->bounded;
        for (size_t k = 0; k < place.nq && bounded; k++) {
            const double x = q[place.q + k];
            out[0] += td_is_outside(x, limit->lower, limit->upper);
        }
        for (size_t k = 0; k < place.nv && (bounded || place.nv == 1) && limit->velocity > 0; k++) {
            const double v = fabs(qd[place.qd + k]);
            out[1] += v > limit->velocity;
            out[2] = fmax(out[2], v / limit->velocity);
        }
    }
}

static void use(double force, double effort, double out[5])
{
    out[3] += fabs(force) > effort;
    out[4] = fmax(out[4], fabs(force) / effort);
}

/* Compares efforts with their limits. tau: forces of the tree's joints. */
static void use_effort(const sweep_spec *spec, const double *u, const double *tau, double out[5])
{
    const td_model *model = spec->s->model;
    for (size_t i = 0; i < td_nu(model); i++) {
        use(u[i], spec->motor_effort[i], out);
    }
    for (size_t i = 0; i < td_joint_count(model) && spec->followers_carry; i++) {
        if (isfinite(spec->follower_effort[i])) {
            use(tau[td_joint_place_at(model, i).qd], spec->follower_effort[i], out);
        }
    }
}

/* Returns whether the motors cannot supply the force along a coordinate, except of a floating base.
   The robot then cannot perform this motion, so efforts of motors are meaningless. */
static bool lacks_motors(const sweep_spec *spec, const double *tau, const double *rest)
{
    static const double rounding = 1e-9;
    const size_t n = spec->c.size[QUANTITY_TAU];
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs(tau[i]));
    }
    for (size_t i = 0; i < n; i++) {
        const td_joint_place place =
            td_joint_place_at(spec->s->model, coordinates_joint(&spec->c, i));
        const bool base = place.parent_joint == TD_NONE && place.nv == 6;
        if (!base && fabs(rest[i]) > rounding * largest) {
            return true;
        }
    }
    return false;
}

static void find_limits(const run *r, size_t at, size_t n)
{
    sweep_arrays *w = r->w;
    const sweep_spec *spec = w->spec;
    const td_model *model = spec->s->model;
    const size_t nq = td_nq(model), nv = td_nv(model), nyd = td_nyd(model), nu = td_nu(model);
    double *q = w->scratch, *qd = q + SLICE * nq, *u = qd + SLICE * nv, *rest = u + SLICE * nu;
    double *qdd = rest + SLICE * nyd, *tree = qdd + SLICE * nv;
    const double *y = row_of(r, SWEEP_Q) + at * spec->width[SWEEP_Q];
    /* id computes the forces; fd gets them */
    const bool forces = spec->id || spec->fd;
    const double *ydd = row_of(r, spec->fd ? SWEEP_ACCELERATIONS : SWEEP_QDD) + at * nyd;
    const bool carried = forces && spec->followers_carry;
    td_batch_closure(model, w->workspace, n, y, row_of(r, SWEEP_QD) + at * nyd,
                     carried ? ydd : NULL, q, qd, carried ? qdd : NULL, w->each);
    join_statuses(r, at, n);
    const double *tau = forces ? row_of(r, spec->id ? SWEEP_FORCES : SWEEP_TAU) + at * nyd : NULL;
    if (forces) {
        td_batch_forces_to_actuators(model, w->workspace, n, y, tau, NULL, u, rest, w->each);
        allow_passive_joints(r, n);
        join_statuses(r, at, n);
    }
    if (carried) {
        TD_IN_TREE(w->workspace, td_batch_inverse_dynamics(model, w->workspace, n, q, qd, qdd,
                                                           &spec->forces, tree, w->each));
        join_statuses(r, at, n);
    }
    for (size_t i = 0; i < n; i++) {
        double *out = row_of(r, SWEEP_LIMITS) + (at + i) * spec->width[SWEEP_LIMITS];
        memset(out, 0, spec->width[SWEEP_LIMITS] * sizeof *out);
        use_motion(model, q + i * nq, qd + i * nv, out);
        if (forces && lacks_motors(spec, tau + i * nyd, rest + i * nyd)) {
            out[3] = out[4] = (double)NAN;
        } else if (forces) {
            use_effort(spec, u + i * nu, tree + i * nv, out);
        }
    }
}

/* ---- one by one ------------------------------------------------------------------------------ */

/* Computes singular values. Loops are solved from their start, not from the previous state. */
static void find_singular(const run *r, size_t i)
{
    sweep_arrays *w = r->w;
    const sweep_spec *spec = w->spec;
    const td_model *model = spec->s->model;
    const double *y = row_of(r, SWEEP_Q) + i * spec->width[SWEEP_Q];
    w->each[0] = TD_OK;
    if (w->status[r->first + i] != TD_OK) {
        return; /* ignore states that failed */
    }
    td_closure_recall(model, w->workspace, NULL);
    if (spec->loops) {
        td_closure_report report = {.size_of = sizeof report};
        w->each[0] = td_closure_examine(model, w->workspace, y, &report);
        double *out = row_of(r, SWEEP_LOOPS) + 2 * i;
        out[0] = report.smallest;
        out[1] = report.largest;
    }
    if (spec->motors && w->each[0] == TD_OK) {
        td_actuation_report report = {.size_of = sizeof report};
        const td_status status = td_actuation_examine(model, w->workspace, y, &report, NULL);
        double *out = row_of(r, SWEEP_DRIVES) + 3 * i;
        out[0] = report.smallest;
        out[1] = report.largest;
        out[2] = report.map_condition;
        /* singular motors are a result here, not a failure */
        const bool singular =
            status == TD_ERROR_ACTUATION_SINGULAR || status == TD_ERROR_UNDERACTUATED;
        w->each[0] = singular ? TD_OK : status;
    }
    join_statuses(r, i, 1);
}

/* ---- all results ----------------------------------------------------------------------------- */

/* Sets the payloads and gravity of a run in the workspace. */
static td_status load_robot(const run *r)
{
    const sweep_spec *spec = r->w->spec;
    td_status status = TD_OK;
    for (size_t i = 0; i < spec->payloads && status == TD_OK; i++) {
        const double *body = row_of(r, SWEEP_PAYLOAD) + 4 * i;
        double com[3];
        for (size_t k = 0; k < 3; k++) {
            com[k] = body[1 + k] - spec->shift[3 * i + k];
        }
        status = td_set_payload(r->w->workspace, spec->carrier[i], body[0], com, NULL);
    }
    if (spec->width[SWEEP_GRAVITY] > 0 && status == TD_OK) {
        status = td_set_gravity(r->w->workspace, row_of(r, SWEEP_GRAVITY));
    }
    return status;
}

static void evaluate_run(const run *r)
{
    const sweep_spec *spec = r->w->spec;
    const td_status loaded = load_robot(r);
    if (loaded != TD_OK) {
        for (size_t i = 0; i < r->n; i++) {
            r->w->status[r->first + i] = loaded;
        }
        return;
    }
    if (spec->id) {
        find_forces(r);
    }
    if (spec->fd) {
        find_accelerations(r);
    }
    for (size_t at = 0; at < r->n; at += SLICE) {
        const size_t n = r->n - at < SLICE ? r->n - at : SLICE;
        if (spec->poses > 0) {
            find_poses(r, at, n);
        }
        if (spec->jacobians > 0) {
            find_jacobians(r, at, n);
        }
        if (spec->reactions > 0) {
            find_reactions(r, at, n);
        }
        if (spec->limits) {
            find_limits(r, at, n);
        }
    }
    for (size_t i = 0; i < r->n && (spec->loops || spec->motors); i++) {
        find_singular(r, i);
    }
}

/* Returns whether two states have the same payloads and gravity. */
static bool same_robot(const sweep_arrays *w, size_t a, size_t b)
{
    static const enum sweep_array of[] = {SWEEP_PAYLOAD, SWEEP_GRAVITY};
    for (size_t k = 0; k < 2; k++) {
        const size_t width = w->spec->width[of[k]];
        const double *x = w->array[of[k]];
        if (width > 0 && memcmp(x + a * width, x + b * width, width * sizeof *x) != 0) {
            return false;
        }
    }
    return true;
}

void sweep_evaluate(sweep_arrays *w, size_t n)
{
    memset(w->status, 0, n * sizeof *w->status); /* TD_OK */
    for (size_t first = 0, end; first < n; first = end) {
        end = first + 1;
        while (end < n && same_robot(w, first, end)) {
            end++;
        }
        evaluate_run(&(run){w, first, end - first});
    }
}
