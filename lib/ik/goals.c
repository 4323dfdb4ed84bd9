/* SPDX-License-Identifier: MIT */
/*
 * Computes the residual r of each goal at a posture, and its derivative along ẏ.
 *
 * With ω, v of a link's frame at the goal's point p in world axes (J of td_link_jacobian, in
 * TD_FRAME_ALIGNED):
 *
 *   point      p − p*                              v
 *   frame      log(R R*ᵀ)                          ω
 *   axis a     θ n with a = exp(θ n) d, n ⊥ a, d   (1 − a aᵀ) ω
 *   line       (1 − u uᵀ)(p − p0)                  (1 − u uᵀ) v
 *   plane      n · (p − p0)                        n · v
 *   distance   Δ (1 − d/|Δ|), Δ = p − p'           ((1 − d/|Δ|) 1 + d/|Δ| e eᵀ)(v − v'), e = Δ/|Δ|
 *   posture    y ⊖ y*                              ẏ
 *
 * For rotations this is the derivative at r = 0; elsewhere it is Jl⁻¹(r) ω instead of ω. Since
 * Jl(r) r = r, the gradient Jᵀ r of ½ r² is exact everywhere.
 */
#include <math.h>
#include <string.h>

#include "base/coordinates.h"
#include "ik/ik.h"
#include "tandem/configuration.h"
#include "tandem/kinematics.h"

static void cross(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* ---- residuals ------------------------------------------------------------------------------- */

void td_ik_compose(const double a[12], const double b[12], double c[12])
{
    for (int i = 0; i < 12; i += 4)
        for (int j = 0; j < 4; j++)
            c[i + j] =
                a[i] * b[j] + a[i + 1] * b[4 + j] + a[i + 2] * b[8 + j] + (j == 3 ? a[i + 3] : 0);
}

/* Computes the pose of a goal's frame in the world. */
static void place(const td_ik *ik, const td_ik_task *task, double pose[12])
{
    const double *f = task->frame;
    if (task->body < 0) {
        memcpy(pose, f, 12 * sizeof *pose);
        return;
    }
    td_ik_compose(ik->pose + 12 * (size_t)task->body, f, pose);
}

static void turn_vector(const td_ik *ik, int body, const double v[3], bool shift, double x[3])
{
    for (int i = 0; i < 3; i++) {
        const double *b = body < 0 ? NULL : ik->pose + 12 * (size_t)body + 4 * i;
        x[i] = b ? td_ik_dot(b, v) + (shift ? b[3] : 0) : v[i];
    }
}

/* Computes log(R R*ᵀ) from the frame's pose and the target quaternion. */
static void turn_left(const double pose[12], const double xyzw[4], double r[3])
{
    double target[9];
    td_rotation_from_quaternion(xyzw, target);
    double error[12] = {0}, at[3], p[4];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            error[4 * i + j] = td_ik_dot(pose + 4 * i, target + 3 * j);
    td_pose_split(error, at, p);
    const double s = sqrt(td_ik_dot(p, p));
    const double factor = s > 1e-8 ? 2 * atan2(s, p[3]) / s : 2;
    for (int i = 0; i < 3; i++)
        r[i] = factor * p[i];
}

/* Computes θ n with a = exp(θ n) d. If a = −d, this is half a turn about any normal of d. */
static void axis_left(const double a[3], const double d[3], double r[3])
{
    cross(d, a, r);
    const double s = sqrt(td_ik_dot(r, r)), angle = atan2(s, td_ik_dot(d, a));
    if (s > 1e-12 || angle < 1) {
        for (int i = 0; i < 3; i++)
            r[i] *= s > 1e-12 ? angle / s : 1;
        return;
    }
    int least = 0;
    for (int i = 1; i < 3; i++)
        least = fabs(d[i]) < fabs(d[least]) ? i : least;
    double other[3] = {least == 0, least == 1, least == 2};
    cross(d, other, r);
    td_ik_make_unit(r);
    for (int i = 0; i < 3; i++)
        r[i] *= angle;
}

/* Computes Δ between two points, and returns its length. */
static double apart(const td_ik *ik, const td_ik_task *task, const double pose[12], double delta[3])
{
    double other[3];
    turn_vector(ik, task->other_body, task->other_point, true, other);
    for (int i = 0; i < 3; i++)
        delta[i] = pose[4 * i + 3] - other[i];
    return sqrt(td_ik_dot(delta, delta));
}

static void frame_left(const td_ik *ik, const td_ik_task *task, const double *x, double *r)
{
    double pose[12], a[3], from[3];
    place(ik, task, pose);
    const double p[3] = {pose[3], pose[7], pose[11]};
    for (int i = 0; i < 3; i++)
        from[i] = p[i] - x[i < (int)task->targets ? i : 0];
    switch (task->goal.kind) {
    case TD_IK_POSE:
        turn_left(pose, x + 3, r + 3);
        memcpy(r, from, sizeof from);
        break;
    case TD_IK_ORIENTATION:
        turn_left(pose, x, r);
        break;
    case TD_IK_AXIS:
        turn_vector(ik, task->body, task->axis, false, a);
        axis_left(a, x, r);
        break;
    case TD_IK_LINE: {
        const double along = td_ik_dot(from, x + 3);
        for (int i = 0; i < 3; i++)
            r[i] = from[i] - along * x[3 + i];
        break;
    }
    case TD_IK_PLANE:
        r[0] = td_ik_dot(from, x + 3);
        break;
    case TD_IK_DISTANCE: {
        const double length = apart(ik, task, pose, from);
        for (int i = 0; i < 3; i++) /* coincident points separate along x */
            r[i] = length > 0 ? from[i] * (1 - x[0] / length) : i == 0 ? -x[0] : 0;
        break;
    }
    default:
        memcpy(r, from, sizeof from);
    }
}

td_status td_ik_residual(td_ik *ik, td_workspace *workspace, td_ik_posture *p)
{
    td_status status = TD_OK;
    if (ik->poses) /* with loops, poses come from q = γ(y) */
        status = ik->solves ? TD_IN_TREE(workspace,
                                         td_moving_link_poses(ik->model, workspace, p->q, ik->pose))
                            : td_moving_link_poses(ik->model, workspace, p->y, ik->pose);
    for (size_t k = 0; k < ik->tasks && status == TD_OK; k++) {
        const td_ik_task *task = &ik->task[k];
        const double *x = ik->target + task->target;
        double *r = p->r + task->row;
        if (task->goal.kind == TD_IK_POSTURE) {
            td_difference(ik->model, TD_COORDINATES_INDEPENDENT, x, p->y, r);
        } else if (task->goal.kind == TD_IK_CENTER_OF_MASS) {
            status = ik->solves ? TD_IN_TREE(workspace, td_center_of_mass(ik->model, workspace,
                                                                          p->q, TD_SCOPE_ALL, r))
                                : td_center_of_mass(ik->model, workspace, p->y, TD_SCOPE_ALL, r);
            for (int i = 0; i < 3; i++)
                r[i] -= x[i];
        } else {
            frame_left(ik, task, x, r);
        }
    }
    return status;
}

/* ---- derivatives ----------------------------------------------------------------------------- */

/* Converts columns of J (angular, linear) of a frame to ∂r/∂ẏ of its goal. */
static void column_of(const td_ik_task *task, const double *x, const double a[3], double distance,
                      const double e[3], const double twist[6], double *d)
{
    const double *omega = twist, *v = twist + 3;
    switch (task->goal.kind) {
    case TD_IK_POSE:
        memcpy(d, v, 3 * sizeof *d);
        memcpy(d + 3, omega, 3 * sizeof *d);
        break;
    case TD_IK_ORIENTATION:
        memcpy(d, omega, 3 * sizeof *d);
        break;
    case TD_IK_AXIS:
        for (int i = 0; i < 3; i++)
            d[i] = omega[i] - td_ik_dot(a, omega) * a[i];
        break;
    case TD_IK_LINE:
        for (int i = 0; i < 3; i++)
            d[i] = v[i] - td_ik_dot(x + 3, v) * x[3 + i];
        break;
    case TD_IK_PLANE:
        d[0] = td_ik_dot(x + 3, v);
        break;
    case TD_IK_DISTANCE: {
        const double ratio = distance > 0 ? x[0] / distance : 0;
        for (int i = 0; i < 3; i++)
            d[i] = (1 - ratio) * v[i] + ratio * td_ik_dot(e, v) * e[i];
        break;
    }
    default:
        memcpy(d, v, 3 * sizeof *d);
    }
}

static td_status frame_jacobian(td_ik *ik, td_workspace *workspace, const td_ik_posture *p,
                                const td_ik_task *task)
{
    const td_ik_goal *goal = &task->goal;
    const double *x = ik->target + task->target;
    double a[3] = {0}, e[3] = {0}, distance = 0;
    td_status status = td_link_jacobian(ik->model, workspace, goal->link, goal->point, p->y,
                                        TD_FRAME_ALIGNED, ik->J);
    const bool both = goal->kind == TD_IK_DISTANCE && task->other_body >= 0;
    if (status == TD_OK && both)
        status = td_link_jacobian(ik->model, workspace, goal->other_link, goal->other_point, p->y,
                                  TD_FRAME_ALIGNED, ik->other_J);
    if (status != TD_OK)
        return status;
    if (goal->kind == TD_IK_DISTANCE)
        distance = td_ik_distance_at(ik, task, e);
    if (goal->kind == TD_IK_AXIS)
        turn_vector(ik, task->body, task->axis, false, a);
    for (size_t k = 0; k < ik->columns; k++) {
        const size_t j = ik->column[k];
        double twist[6], d[6];
        for (size_t i = 0; i < 6; i++)
            twist[i] = ik->J[i * ik->n + j] - (both ? ik->other_J[i * ik->n + j] : 0);
        column_of(task, x, a, distance, e, twist, d);
        for (size_t i = 0; i < task->rows; i++)
            ik->A[(task->row + i) * ik->columns + k] = d[i];
    }
    return TD_OK;
}

static bool counts(const td_ik *ik, const td_ik_task *task)
{
    for (size_t i = task->row; i < task->row + task->rows; i++)
        if (ik->scale[i] > 0)
            return true;
    return false;
}

td_status td_ik_jacobian(td_ik *ik, td_workspace *workspace, const td_ik_posture *p)
{
    const size_t columns = ik->columns;
    td_status status = TD_OK;
    for (size_t t = 0; t < ik->tasks && status == TD_OK; t++) {
        const td_ik_task *task = &ik->task[t];
        double *A = ik->A + task->row * columns;
        if (!counts(ik, task)) {
            memset(A, 0, task->rows * columns * sizeof *A);
        } else if (task->goal.kind == TD_IK_POSTURE) {
            for (size_t i = 0; i < task->rows; i++)
                for (size_t k = 0; k < columns; k++)
                    A[i * columns + k] = ik->column[k] == i;
        } else if (task->goal.kind == TD_IK_CENTER_OF_MASS) {
            status = td_center_of_mass_jacobian(ik->model, workspace, p->y, TD_SCOPE_ALL, ik->J);
            for (size_t i = 0; i < 3; i++)
                for (size_t k = 0; k < columns; k++)
                    A[i * columns + k] = ik->J[i * ik->n + ik->column[k]];
        } else {
            status = frame_jacobian(ik, workspace, p, task);
        }
    }
    for (size_t i = 0; i < ik->rows; i++)
        for (size_t k = 0; k < columns; k++)
            ik->A[i * columns + k] *= ik->scale[i];
    return status;
}

void td_ik_left(const td_ik *ik, const td_ik_task *task, const double *r, double left[2])
{
    double squares[2] = {0, 0};
    for (size_t i = task->row; i < task->row + task->rows; i++)
        squares[ik->turn[i]] += r[i] * r[i];
    left[0] = sqrt(squares[0]);
    left[1] = sqrt(squares[1]);
}

void td_ik_axis_at(const td_ik *ik, const td_ik_task *task, double axis[3])
{
    turn_vector(ik, task->body, task->axis, false, axis);
}

double td_ik_distance_at(const td_ik *ik, const td_ik_task *task, double direction[3])
{
    double pose[12];
    place(ik, task, pose);
    const double distance = apart(ik, task, pose, direction);
    for (int i = 0; i < 3; i++)
        direction[i] = distance > 0 ? direction[i] / distance : 0;
    return distance;
}
