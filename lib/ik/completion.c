/* SPDX-License-Identifier: MIT */
/*
 * Computes all joints from measured ones: creates the object, and runs a call.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/dense.h"
#include "ik/completion.h"
#include "tandem/closure.h"
#include "tandem/configuration.h"

enum { SAMPLES = 6 };

static void take(td_stack *stack, td_completion *c)
{
    c->position = td_take(stack, size_t, c->count);
    c->given = td_take(stack, bool, c->nq);
    c->equation = td_take(stack, equation, c->count);
    c->y_name = td_take(stack, size_t, c->n);
    c->follows = td_take(stack, bool, c->n);
    c->missing = td_take(stack, size_t, c->n);
    c->memory = td_take(stack, double, c->nq);
    c->last = td_take(stack, double, c->ny);
    c->pace = td_take(stack, double, c->n);
    c->y = td_take(stack, double, c->ny);
    c->q = td_take(stack, double, c->nq);
    c->r = td_take(stack, double, c->count);
    c->yd = td_take(stack, double, c->n);
    c->moved = td_take(stack, double, c->ny);
    c->there = td_take(stack, double, c->count);
    c->stuck = td_take(stack, double, c->ny);
    c->best = td_take(stack, double, c->ny);
    c->aim = td_take(stack, double, c->nq);
    c->way = td_take(stack, double, c->nv);
    c->measured = td_take(stack, double, c->nq);
    c->G = td_take(stack, double, c->nv * c->n);
    c->A = td_take(stack, double, c->count * c->n);
    c->R = td_take(stack, double, c->n * c->n);
    c->b = td_take(stack, double, c->count);
    c->step = td_take(stack, double, c->n);
    c->length = td_take(stack, double, c->n);
    c->class_of = td_take(stack, int, c->n);
    c->column = td_take(stack, int, c->n);
}

/* ---- measured joints ------------------------------------------------------------------------- */

static td_status put_names(td_completion *c, const char *const *names)
{
    for (size_t i = 0; i < c->count; i++) {
        if (!names[i])
            return TD_ERROR_ARGUMENT;
        const td_status status =
            td_coordinate_of(c->model, TD_COORDINATES_TREE, names[i], &c->position[i], NULL);
        if (status != TD_OK)
            return status;
        if (c->given[c->position[i]])
            return TD_ERROR_NAME;
        c->given[c->position[i]] = true;
    }
    return TD_OK;
}

static size_t name_of(const td_completion *c, size_t q)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->position[i] == q)
            return i;
    return c->count;
}

/* Adds the rows of one joint. Returns false if a measured part of a pose is not usable alone. */
static bool put_joint(td_completion *c, size_t joint)
{
    const td_joint_kind *kind = td_joint_kind_of(td_joint_at(c->model, joint)->type);
    const td_joint_place place = td_joint_place_at(c->model, joint);
    const bool turning =
        !kind->bounded && kind->nv == 1 && place.dependent &&
        td_component_unit(c->model, joint, TD_QUANTITY_POSITION, 0) == TD_UNIT_ANGLE &&
        place.cluster != TD_NONE && td_loop_cluster_at(c->model, place.cluster).loops > 0;
    int quaternion = 0, point = 0;
    for (size_t k = 0; k < place.nq; k++) {
        if (!c->given[place.q + k])
            continue;
        const bool turn = kind->quaternion != TD_NONE && k >= kind->quaternion;
        quaternion += turn;
        point += kind->quaternion != TD_NONE && !turn;
        if (turn && k == kind->quaternion + 3)
            continue;
        /* velocities of a pose are ω, then v; positions are the point, then the quaternion */
        const size_t v = kind->quaternion == TD_NONE ? k : turn ? k - kind->quaternion : 3 + k;
        c->equation[c->rows++] = (equation){place.qd + v, name_of(c, place.q + k), turning};
    }
    return (quaternion == 0 || quaternion == 4) && (point == 0 || point == 3);
}

/* Finds which entries of y are measured directly. */
static void find_cover(td_completion *c)
{
    c->covered = c->ny == c->n;
    for (size_t i = 0; i < td_independent_count(c->model) && c->covered; i++) {
        const td_joint_place place = td_joint_place_at(c->model, td_independent_joint(c->model, i));
        for (size_t k = 0, of_y = 0; k < place.nv && c->covered; k++) {
            if (place.dependents >> k & 1)
                continue;
            c->covered = place.nq == place.nv && c->given[place.q + k];
            c->y_name[place.y + of_y++] = name_of(c, place.q + k);
        }
    }
}

/* ---- the object ------------------------------------------------------------------------------ */

static size_t joint_of_velocity(const td_model *model, size_t yd)
{
    for (size_t i = 0; i < td_independent_count(model); i++) {
        const size_t joint = td_independent_joint(model, i);
        const td_joint_place place = td_joint_place_at(model, joint);
        if (place.yd <= yd && yd < place.yd + place.nyd)
            return joint;
    }
    return TD_NONE;
}

/* Marks columns of G by which joints depend on loops at one configuration. */
static void mark_follows(td_completion *c)
{
    for (size_t i = 0; i < td_movable_count(c->model); i++) {
        const td_joint_place place = td_joint_place_at(c->model, td_movable_joint(c->model, i));
        for (size_t row = place.qd; place.cluster != TD_NONE && row < place.qd + place.nv; row++)
            for (size_t k = 0; k < c->n; k++)
                c->follows[k] = c->follows[k] || ((place.dependents >> (row - place.qd) & 1) &&
                                                  c->G[row * c->n + k] != 0);
    }
}

/* Finds the joints of the columns without a pivot at the configuration where the rows have the
   largest rank: the start, or a random configuration near it. That is the generic rank. Returns the
   error of the start if the loops close at none of them. */
static td_status find_missing(td_completion *c)
{
    uint64_t random = 1;
    size_t most = 0;
    td_status first = TD_OK;
    bool any = false;
    for (int i = 0; i < SAMPLES; i++) {
        for (size_t k = 0; k < c->n; k++) {
            random = random * 6364136223846793005U + 1442695040888963407U;
            c->step[k] = i == 0 ? 0 : 0.1 * (double)(int32_t)(random >> 32) / 2147483648.0;
        }
        td_integrate(c->model, TD_COORDINATES_INDEPENDENT, c->last, c->step, 1, c->y);
        td_status status = td_completion_look(c, c->y, c->r);
        if (status == TD_OK)
            status = td_completion_factor(c, c->y, td_completion_blind);
        first = i == 0 ? status : first;
        if (status != TD_OK)
            continue;
        mark_follows(c);
        if (any && c->rank <= most)
            continue;
        any = true;
        most = c->rank;
        c->missing_count = 0;
        for (size_t k = c->rank; k < c->n; k++) {
            const size_t joint = joint_of_velocity(c->model, (size_t)c->column[k]);
            bool listed = false;
            for (size_t l = 0; l < c->missing_count; l++)
                listed = listed || c->missing[l] == joint;
            if (!listed)
                c->missing[c->missing_count++] = joint;
        }
    }
    return any ? TD_OK : first;
}

static td_status prepare(td_completion *c, const char *const *names)
{
    td_workspace_options plain = td_workspace_options_default();
    plain.matrices = false; /* a plain workspace suffices */
    td_workspace_new(c->model, &plain, &c->workspace);
    if (!c->workspace || !td_take_twice(&c->stack, take(&c->stack, c)))
        return TD_ERROR_MEMORY;
    td_status status = put_names(c, names);
    for (size_t i = 0; i < td_movable_count(c->model) && status == TD_OK; i++)
        status = put_joint(c, td_movable_joint(c->model, i)) ? TD_OK : TD_ERROR_ARGUMENT;
    if (status != TD_OK)
        return status;
    find_cover(c);
    memcpy(c->measured, td_reference(c->model, TD_COORDINATES_TREE), c->nq * sizeof *c->measured);
    memcpy(c->last, td_reference(c->model, TD_COORDINATES_INDEPENDENT), c->ny * sizeof *c->last);
    status = find_missing(c);
    return status == TD_OK ? td_completion_start(c, NULL) : status;
}

td_status td_completion_new(const td_model *model, const char *const *names, size_t count,
                            double tolerance, td_completion **completion)
{
    if (!completion)
        return TD_ERROR_ARGUMENT;
    *completion = NULL;
    if (!model || (!names && count > 0) || !(tolerance > 0))
        return TD_ERROR_ARGUMENT;
    td_completion *c = calloc(1, sizeof *c);
    if (!c)
        return TD_ERROR_MEMORY;
    c->model = model;
    c->tolerance = tolerance;
    c->count = count;
    c->nq = td_nq(model), c->nv = td_nv(model);
    c->ny = td_ny(model), c->n = td_nyd(model);
    const td_status status = prepare(c, names);
    if (status == TD_OK)
        *completion = c;
    else
        td_completion_free(c);
    return status;
}

void td_completion_free(td_completion *completion)
{
    if (!completion)
        return;
    td_workspace_free(completion->workspace);
    td_stack_end(&completion->stack);
    free(completion);
}

size_t td_completion_missing(const td_completion *completion, size_t i)
{
    return completion && i < completion->missing_count ? completion->missing[i] : TD_NONE;
}

td_status td_completion_start(td_completion *completion, const double *q)
{
    td_completion *c = completion;
    if (!c)
        return TD_ERROR_ARGUMENT;
    td_status status = td_closure_start(c->model, c->workspace, q);
    if (status != TD_OK)
        return status;
    c->found = false;
    memset(c->pace, 0, c->n * sizeof *c->pace);
    td_closure_recall(c->model, c->workspace, NULL);
    if (q)
        status = td_independent_coordinates(c->model, c->workspace, q, c->last, NULL);
    else
        memcpy(c->last, td_reference(c->model, TD_COORDINATES_INDEPENDENT),
               c->ny * sizeof *c->last);
    return status;
}

/* ---- a call ---------------------------------------------------------------------------------- */

/* Copies the measured positions to their entries of q. */
static td_status put_positions(td_completion *c, const double *position)
{
    if (!td_dense_finite(c->count, position))
        return TD_ERROR_NOT_FINITE;
    td_neutral(c->model, TD_COORDINATES_TREE, c->measured);
    for (size_t i = 0; i < c->count; i++)
        c->measured[c->position[i]] = position[i];
    memcpy(c->aim, c->measured, c->nq * sizeof *c->aim);
    td_normalize(c->model, TD_COORDINATES_TREE, c->measured);
    for (size_t i = 0; i < c->nq; i++)
        if (fabs(c->aim[i] - c->measured[i]) > 1e-3)
            return TD_ERROR_QUATERNION;
    return TD_OK;
}

/* Returns whether the velocities that are read are finite. */
static bool velocities_are_finite(const td_completion *c, const double *velocity)
{
    for (size_t i = 0; velocity && i < c->rows; i++)
        if (!isfinite(velocity[c->equation[i].name]))
            return false;
    return true;
}

/* Finds ẏ: measured, or the least-squares fit of q̇ to the measured velocities. */
static td_status find_velocity(td_completion *c, const double *velocity)
{
    for (size_t i = 0; i < c->rows; i++)
        c->b[i] = velocity ? velocity[c->equation[i].name] : 0;
    if (c->covered && c->rows == c->n) {
        for (size_t k = 0; k < c->n; k++)
            c->yd[k] = velocity ? velocity[c->y_name[k]] : 0;
        return TD_OK;
    }
    const td_status status = td_completion_factor(c, c->y, td_completion_blind);
    if (status != TD_OK)
        return status;
    if (c->rank < c->n)
        return TD_ERROR_CLOSURE_SINGULAR;
    td_completion_solve(c, c->b, c->yd);
    return TD_OK;
}

static td_status complete(td_completion *c, const double *position, double *residual)
{
    if (c->missing_count > 0)
        return TD_ERROR_UNDETERMINED;
    td_status status = put_positions(c, position);
    if (status != TD_OK)
        return status;
    if (c->covered) {
        for (size_t k = 0; k < c->n; k++)
            /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): covered entries have positions
             */
            c->y[k] = position[c->y_name[k]];
        status = td_completion_find(c);
    } else {
        status = td_completion_find_onwards(c);
    }
    if (status != TD_OK)
        return status;
    *residual = td_dense_largest(c->rows, c->r);
    return *residual <= c->tolerance ? TD_OK : TD_ERROR_MEASURED;
}

/* Stores the change since the last y, or 0 if it is long, and makes y the last one. */
static void keep_pace(td_completion *c)
{
    td_difference(c->model, TD_COORDINATES_INDEPENDENT, c->last, c->y, c->pace);
    const double length = td_dense_largest(c->n, c->pace);
    for (size_t k = 0; k < c->n; k++)
        c->pace[k] = c->found && length <= td_completion_step ? c->pace[k] : 0;
    memcpy(c->last, c->y, c->ny * sizeof *c->y);
}

td_status td_complete(td_completion *completion, const double *position, const double *velocity,
                      double *q, double *qd, double *residual)
{
    td_completion *c = completion;
    if (!c || (!position && c->count > 0) || !q)
        return TD_ERROR_ARGUMENT;
    double left = NAN;
    td_status status =
        velocities_are_finite(c, velocity) ? complete(c, position, &left) : TD_ERROR_NOT_FINITE;
    if (residual)
        *residual = left;
    if (status != TD_OK) {
        td_closure_recall(c->model, c->workspace, c->found ? c->memory : NULL);
        td_dense_spoil(c->nq, q);
        td_dense_spoil(c->nv, qd);
        return status;
    }
    keep_pace(c);
    memcpy(q, c->q, c->nq * sizeof *q);
    if (qd)
        status = find_velocity(c, velocity);
    if (qd && status == TD_OK)
        status = td_closure(c->model, c->workspace, c->y, c->yd, NULL, NULL, qd, NULL);
    if (status != TD_OK)
        td_dense_spoil(c->nv, qd);
    c->found = td_closure_remember(c->model, c->workspace, c->memory) == TD_OK;
    return status;
}
