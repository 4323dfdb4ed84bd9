/* SPDX-License-Identifier: MIT */
/*
 * Analyzes the robot for a search: bodies of goals, coordinates that they depend on, and limits.
 */
#include <math.h>
#include <string.h>

#include "base/coordinates.h"
#include "base/dense.h"
#include "ik/ik.h"
#include "tandem/closure.h"
#include "tandem/configuration.h"
#include "tandem/kinematics.h"

/* ---- bodies ---------------------------------------------------------------------------------- */

/* Computes a = b⁻¹ a of poses. */
static void relative(const double b[12], double a[12])
{
    double x[12];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) {
            x[4 * i + j] = 0;
            for (int k = 0; k < 3; k++)
                x[4 * i + j] += b[4 * k + i] * (a[4 * k + j] - (j == 3 ? b[4 * k + 3] : 0));
        }
    memcpy(a, x, sizeof x);
}

/* Computes a = a ∘ (rotation, point). */
static void append(double a[12], const double xyzw[4], const double point[3])
{
    double R[9], b[12];
    td_rotation_from_quaternion(xyzw, R);
    for (int i = 0; i < 3; i++) {
        memcpy(b + 4 * i, R + 3 * i, 3 * sizeof *b);
        b[4 * i + 3] = point[i];
    }
    double c[12];
    td_ik_compose(a, b, c);
    memcpy(a, c, sizeof c);
}

/* Returns the index in td_moving_link_poses of the body that a link moves with, and the link's
   pose relative to it. `poses` has the poses of all links. */
static int body_of(const td_model *model, size_t link, const double *poses, double on[12])
{
    memcpy(on, poses + 12 * link, 12 * sizeof *on);
    for (size_t i = 0; i < td_movable_count(model); i++) {
        const td_joint_place place = td_joint_place_at(model, td_movable_joint(model, i));
        if (td_link_body(model, link) == TD_NONE || place.body != td_link_body(model, link))
            continue;
        if (place.child_link == link) {
            const double same[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
            memcpy(on, same, sizeof same);
        } else {
            relative(poses + 12 * place.child_link, on);
        }
        return (int)i;
    }
    return -1;
}

static void put_on_bodies(td_ik *ik, const double *poses)
{
    static const double none[4] = {0, 0, 0, 1};
    for (size_t k = 0; k < ik->tasks; k++) {
        td_ik_task *task = &ik->task[k];
        const td_ik_goal *goal = &task->goal;
        task->body = task->other_body = -1;
        if (!td_ik_has_link(goal->kind))
            continue;
        ik->poses = true;
        task->body = body_of(ik->model, goal->link, poses, task->frame);
        double axis[3] = {goal->axis[0], goal->axis[1], goal->axis[2]};
        td_ik_make_unit(axis); /* may be zero for goals other than TD_IK_AXIS */
        for (int i = 0; i < 3; i++) {
            const double *row = task->frame + 4 * i;
            task->axis[i] = row[0] * axis[0] + row[1] * axis[1] + row[2] * axis[2];
        }
        append(task->frame, goal->turn, goal->point);
        double other[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
        if (goal->other_link != TD_NONE && goal->kind == TD_IK_DISTANCE)
            task->other_body = body_of(ik->model, goal->other_link, poses, other);
        append(other, none, goal->other_point);
        for (int i = 0; i < 3; i++)
            task->other_point[i] = other[4 * i + 3];
    }
}

/* ---- limits ---------------------------------------------------------------------------------- */

/* Returns whether that velocity moves only its own joint. */
static bool moves_alone(const td_model *model, size_t v)
{
    const td_sparse G = td_closure_velocity_matrix(model);
    size_t count = 0;
    for (size_t k = 0; k < G.row[G.rows]; k++)
        count += G.column[k] == v;
    return count == 1;
}

/* Sets limits, indices in y and randomized entries of one independent joint. */
static void put_joint(td_ik *ik, size_t joint)
{
    const td_joint *record = td_joint_at(ik->model, joint);
    const td_joint_kind *kind = td_joint_kind_of(record->type);
    const td_joint_place place = td_joint_place_at(ik->model, joint);
    const td_effective_limit limit = td_effective_limit_at(ik->model, joint);
    for (size_t i = 0, k = 0; i < place.nv; i++) {
        if (place.dependents >> i & 1)
            continue;
        const size_t v = place.yd + k;
        const bool angle =
            td_component_unit(ik->model, joint, TD_QUANTITY_VELOCITY, i) == TD_UNIT_ANGLE;
        /* followers may limit a joint that has no limits */
        ik->lower[v] = kind->bounded || kind->nv == 1 ? limit.lower : -INFINITY;
        ik->upper[v] = kind->bounded || kind->nv == 1 ? limit.upper : INFINITY;
        ik->position[v] = place.y + (kind->quaternion == TD_NONE ? k : 0);
        ik->in_q[v] = place.q + (kind->quaternion == TD_NONE ? i : 0);
        ik->angle[v] = kind->quaternion == TD_NONE && angle;
        ik->turning[v] = kind->quaternion == TD_NONE && angle && !kind->pitched &&
                         place.cluster == TD_NONE && moves_alone(ik->model, v);
        for (size_t t = 0; t < ik->tasks; t++)
            if (ik->task[t].goal.kind == TD_IK_POSTURE)
                ik->turn[ik->task[t].row + v] = angle;
        k++;
    }
}

size_t td_ik_find_followers(const td_model *model, td_ik_follower *follower)
{
    size_t count = 0;
    for (size_t i = 0; i < td_joint_count(model); i++) {
        const td_joint *joint = td_joint_at(model, i);
        const td_joint_kind *kind = td_joint_kind_of(joint->type);
        const td_joint_place place = td_joint_place_at(model, i);
        const bool of_dependent = place.dependent && place.terms == 1 && place.leader != TD_NONE &&
                                  td_joint_place_at(model, place.leader).dependent;
        if (!kind->bounded ||
            !(place.cluster != TD_NONE || (place.dependent && place.terms > 1) || of_dependent))
            continue;
        const double lower = isnan(joint->limit.lower) ? -INFINITY : joint->limit.lower;
        const double upper = isnan(joint->limit.upper) ? INFINITY : joint->limit.upper;
        for (size_t k = 0; k < place.nv; k++) {
            const bool depends = place.dependent || (place.dependents >> k & 1);
            if (!depends || (isinf(lower) && isinf(upper)))
                continue;
            if (follower)
                follower[count] = (td_ik_follower){place.q + k, place.qd + k, lower, upper, 0};
            count++;
        }
    }
    return count;
}

/* ---- which coordinates goals depend on ------------------------------------------------------- */

/* Marks the columns that are not zero in A at y. Returns false if loops do not close. */
static bool mark(td_ik *ik, td_workspace *workspace)
{
    td_status status = TD_OK;
    if (ik->poses)
        status = td_moving_link_poses(ik->model, workspace, ik->now.y, ik->pose);
    if (status == TD_OK)
        status = td_ik_jacobian(ik, workspace, &ik->now);
    const size_t entries = ik->rows * ik->columns;
    const double largest = status == TD_OK ? td_dense_largest(entries, ik->A) : 0;
    for (size_t i = 0; i < entries && status == TD_OK; i++)
        if (fabs(ik->A[i]) > 1e-12 * largest)
            ik->moved[ik->column[i % ik->columns]] = 1;
    return status == TD_OK;
}

/* Finds columns from derivatives at the reference and at random configurations. Columns that are
   zero there are zero everywhere. */
static void find_columns(td_ik *ik, td_workspace *workspace)
{
    for (size_t i = 0; i < ik->rows; i++)
        ik->scale[i] = 1;
    for (size_t i = 0; i < ik->n; i++)
        ik->column[i] = i;
    ik->columns = ik->n;
    /* directions that are unlikely to be normal to an axis of the robot */
    for (size_t i = 0; i < ik->targets; i++)
        ik->target[i] = 0.3 + 0.1 * (double)(i % 5);
    td_ik_sample(ik, workspace, mark);
    for (size_t i = 0; i < ik->n; i++)
        ik->moved[i] = ik->moved[i] && !ik->held[i];
}

/* Adds the nonzero entries of rows of G at y to depends (nv × n). */
static bool mark_rows(td_ik *ik, td_workspace *workspace)
{
    if (td_closure_jacobian(ik->model, workspace, ik->now.y, ik->G) != TD_OK)
        return false;
    for (size_t i = 0; i < ik->nv * ik->n; i++)
        ik->depends[i] = ik->depends[i] || fabs(ik->G[i]) > 1e-12;
    return true;
}

/* Makes coordinates move that share a bound with one that moves, since they may be able to relax
   it. Removes limits of followers that depend on no moving coordinate. */
static void join_columns(td_ik *ik, const unsigned char *bounded)
{
    size_t count = 0;
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < ik->nv; i++) {
            const unsigned char *row = ik->depends + i * ik->n;
            bool any = false;
            for (size_t v = 0; v < ik->n && bounded[i]; v++)
                any = any || (row[v] && ik->moved[v]);
            for (size_t v = 0; v < ik->n && any; v++)
                if (row[v] && !ik->moved[v] && !ik->held[v]) {
                    ik->moved[v] = 2;
                    again = true;
                }
        }
    }
    for (size_t f = 0; f < ik->followers; f++) {
        bool any = false;
        for (size_t v = 0; v < ik->n; v++)
            any = any || (ik->depends[ik->follower[f].qd * ik->n + v] && ik->moved[v]);
        if (any)
            ik->follower[count++] = ik->follower[f];
    }
    ik->followers = count;
}

/* Finds the entries of y that steps may change and restarts randomize; the latter exclude poses
   of floating and planar joints. */
static void find_entries(td_ik *ik)
{
    ik->columns = 0;
    for (size_t v = 0; v < ik->n; v++)
        if (ik->moved[v])
            ik->column[ik->columns++] = v;
    for (size_t i = 0; i < td_independent_count(ik->model); i++) {
        const size_t joint = td_independent_joint(ik->model, i);
        const td_joint_place place = td_joint_place_at(ik->model, joint);
        for (size_t k = 0; k < place.nyd; k++) {
            const size_t v = place.yd + k;
            if (!ik->moved[v])
                continue;
            if (place.nq != place.nv) {
                memset(ik->moves + place.y, 1, place.ny);
                if (place.nq == 4 && !place.dependents && ik->moved[v] == 1)
                    memset(ik->random + place.y, 1, place.ny);
                continue;
            }
            ik->moves[ik->position[v]] = 1;
            if (ik->moved[v] == 1 && (ik->turning[v] || place.nv == 1 || place.cluster != TD_NONE ||
                                      isfinite(ik->lower[v])))
                ik->random[ik->position[v]] = 1;
        }
    }
}

/* Removes limits of angles that can make a whole turn within them: a turn leads back inside.
   Keeps them if a goal is a posture, which turns would change. */
static void free_turns(td_ik *ik)
{
    bool posture = false;
    for (size_t k = 0; k < ik->tasks; k++)
        posture = posture || ik->task[k].goal.kind == TD_IK_POSTURE;
    for (size_t v = 0; v < ik->n; v++) {
        const bool free = !posture && ik->turning[v] && ik->upper[v] - ik->lower[v] >= td_ik_turn;
        ik->least[v] = ik->lower[v];
        ik->most[v] = ik->upper[v];
        ik->lower[v] = free ? -INFINITY : ik->lower[v];
        ik->upper[v] = free ? INFINITY : ik->upper[v];
    }
}

/* ---- the analysis ---------------------------------------------------------------------------- */

/* Marks the entries of q̇ with bounds: those in `bounded`; or, if it is NULL, the followers, and
   the joints that loops determine, because loops can open. */
static void mark_bounded(const td_ik *ik, const unsigned char *bounded, unsigned char *rows)
{
    if (bounded)
        memcpy(rows, bounded, ik->nv);
    for (size_t f = 0; f < ik->followers; f++)
        rows[ik->follower[f].qd] = 1;
    for (size_t i = 0; i < td_joint_count(ik->model) && !bounded; i++) {
        const td_joint_place place = td_joint_place_at(ik->model, i);
        for (size_t k = 0; k < place.nv && place.cluster != TD_NONE; k++)
            if (place.dependent || (place.dependents >> k & 1))
                rows[place.qd + k] =
                    td_loop_cluster_at(ik->model, place.cluster).loops > 0 || rows[place.qd + k];
    }
}

/* Finds the coordinates that move, by samples. */
static td_status find_moving(td_ik *ik, td_workspace *workspace, const unsigned char *bounded)
{
    find_columns(ik, workspace);
    if (ik->has_rows) {
        unsigned char *rows = calloc(ik->nv + 1, 1);
        ik->depends = calloc(ik->nv * ik->n + 1, 1);
        if (rows && ik->depends) {
            mark_bounded(ik, bounded, rows);
            td_ik_sample(ik, workspace, mark_rows);
            join_columns(ik, rows);
        }
        const bool done = rows && ik->depends;
        free(rows);
        free(ik->depends);
        ik->depends = NULL;
        if (!done)
            return TD_ERROR_MEMORY;
    }
    find_entries(ik);
    return TD_OK;
}

td_status td_ik_prepare(td_ik *ik, const unsigned char *bounded)
{
    td_workspace_options options = td_workspace_options_default();
    options.matrices = false; /* a plain workspace suffices */
    td_workspace *workspace;
    td_workspace_new(ik->model, &options, &workspace);
    double *poses = malloc(12 * td_link_count(ik->model) * sizeof *poses);
    td_status status = workspace && poses ? TD_OK : TD_ERROR_MEMORY;
    if (status == TD_OK)
        status = TD_IN_TREE(workspace,
                            td_link_poses(ik->model, workspace,
                                          td_reference(ik->model, TD_COORDINATES_TREE), poses));
    if (status == TD_OK) {
        put_on_bodies(ik, poses);
        for (size_t i = 0; i < td_independent_count(ik->model); i++)
            put_joint(ik, td_independent_joint(ik->model, i));
        td_ik_find_followers(ik->model, ik->follower);
        status = find_moving(ik, workspace, bounded);
    }
    if (status == TD_OK) {
        td_ik_find_rank(ik, workspace);
        free_turns(ik);
        td_dense_spoil(ik->nq, ik->found);
    }
    free(poses);
    td_workspace_free(workspace);
    return status;
}
