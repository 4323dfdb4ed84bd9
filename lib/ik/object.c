/* SPDX-License-Identifier: MIT */
/*
 * The object: checks goals and options, and allocates memory.
 */
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/sized.h"
#include "ik/ik.h"
#include "tandem/closure.h"

/* ---- arguments ------------------------------------------------------------------------------- */

static bool is_amount(double x)
{
    return x >= 0 && isfinite(x);
}

static bool goal_is_valid(const td_model *model, const td_ik_goal *goal)
{
    if ((unsigned)goal->kind > TD_IK_POSTURE)
        return false;
    if (td_ik_has_link(goal->kind) && goal->link >= td_link_count(model))
        return false;
    if (goal->kind == TD_IK_DISTANCE && goal->other_link != TD_NONE &&
        goal->other_link >= td_link_count(model))
        return false;
    for (int i = 0; i < 3; i++)
        if (!isfinite(goal->point[i]) || !isfinite(goal->other_point[i]) ||
            !isfinite(goal->axis[i]))
            return false;
    double axis[3] = {goal->axis[0], goal->axis[1], goal->axis[2]};
    return fabs(td_dense_norm(4, goal->turn) - 1) <= 1e-6 &&
           (goal->kind != TD_IK_AXIS || td_ik_make_unit(axis)) && is_amount(goal->weight) &&
           is_amount(goal->turn_weight) && is_amount(goal->tolerance) &&
           is_amount(goal->turn_tolerance);
}

static bool held_is_valid(const td_model *model, const unsigned char *held)
{
    for (size_t i = 0; i < td_independent_count(model) && held; i++) {
        const td_joint_place place = td_joint_place_at(model, td_independent_joint(model, i));
        for (size_t k = 1; k < place.nyd && place.nq != place.nv; k++)
            if (!held[place.yd] != !held[place.yd + k])
                return false;
    }
    return true;
}

/* ---- the object ------------------------------------------------------------------------------ */

static void take_posture(td_stack *stack, const td_ik *ik, td_ik_posture *p)
{
    p->y = td_take(stack, double, ik->ny);
    p->q = td_take(stack, double, ik->nq);
    p->r = td_take(stack, double, ik->rows);
    p->memory = td_take(stack, double, ik->nq);
}

static void take(td_stack *stack, td_ik *ik)
{
    const size_t n = ik->n, c = ik->followers + 1;
    ik->task = td_take(stack, td_ik_task, ik->tasks);
    ik->follower = td_take(stack, td_ik_follower, ik->followers);
    ik->held = td_take(stack, unsigned char, n);
    ik->moved = td_take(stack, unsigned char, n);
    ik->turn = td_take(stack, unsigned char, ik->rows);
    ik->turning = td_take(stack, unsigned char, n);
    ik->angle = td_take(stack, unsigned char, n);
    ik->random = td_take(stack, unsigned char, ik->ny);
    ik->moves = td_take(stack, unsigned char, ik->ny);
    ik->column = td_take(stack, size_t, n);
    ik->position = td_take(stack, size_t, n);
    ik->in_q = td_take(stack, size_t, n);
    ik->least = td_take(stack, double, n);
    ik->most = td_take(stack, double, n);
    ik->lower = td_take(stack, double, n);
    ik->upper = td_take(stack, double, n);
    ik->scale = td_take(stack, double, ik->rows);
    ik->shift = td_take(stack, double, ik->rows);
    ik->target = td_take(stack, double, ik->targets);
    ik->pose = td_take(stack, double, 12 * ik->bodies);
    ik->J = td_take(stack, double, 6 * n);
    ik->other_J = td_take(stack, double, 6 * n);
    ik->A = td_take(stack, double, ik->rows *n);
    ik->G = td_take(stack, double, ik->has_rows ? ik->nv *n : 0);
    ik->F = td_take(stack, double, c *n);
    ik->rate = td_take(stack, double, ik->nv);
    ik->seed = td_take(stack, double, ik->ny);
    ik->base = td_take(stack, double, ik->ny);
    ik->drawn = td_take(stack, double, ik->ny);
    ik->away = td_take(stack, double, n);
    ik->step = td_take(stack, double, n);
    ik->gradient = td_take(stack, double, n);
    ik->delta = td_take(stack, double, n);
    ik->H = td_take(stack, double, n *n);
    ik->L = td_take(stack, double, n *n);
    ik->right = td_take(stack, double, n);
    ik->free = td_take(stack, size_t, n);
    ik->stopped = td_take(stack, unsigned char, n);
    ik->fixed = td_take(stack, unsigned char, n);
    ik->released = td_take(stack, unsigned char, n);
    ik->active = td_take(stack, signed char, c);
    ik->acting = td_take(stack, size_t, c);
    ik->X = td_take(stack, double, c *n);
    ik->S = td_take(stack, double, c *c);
    ik->nu = td_take(stack, double, c);
    const size_t size = ik->rows < n ? ik->rows : n;
    ik->svd = td_take(stack, double, ik->rows *n);
    ik->value = td_take(stack, double, size);
    ik->V = td_take(stack, double, size *size);
    ik->found = td_take(stack, double, ik->nq);
    ik->before = td_take(stack, double, ik->nq);
    take_posture(stack, ik, &ik->now);
    take_posture(stack, ik, &ik->trial);
    take_posture(stack, ik, &ik->best);
}

static void put_goal(td_ik *ik, size_t k, const td_ik_goal *goal)
{
    td_ik_task *task = &ik->task[k];
    task->goal = *goal;
    const td_ik_sizes sizes = td_ik_goal_sizes(ik->model, goal->kind);
    task->targets = sizes.targets;
    task->rows = sizes.rows;
    task->target = k ? task[-1].target + task[-1].targets : 0;
    task->row = k ? task[-1].row + task[-1].rows : 0;
    const size_t turns = goal->kind == TD_IK_POSE                                      ? 3
                         : goal->kind == TD_IK_ORIENTATION || goal->kind == TD_IK_AXIS ? 0
                                                                                       : task->rows;
    for (size_t i = turns; i < task->rows; i++)
        ik->turn[task->row + i] = 1;
    const double most = fmax(goal->weight, goal->turn_weight);
    const double least =
        goal->weight > 0 && goal->turn_weight > 0 ? fmin(goal->weight, goal->turn_weight) : most;
    if (!goal->required)
        ik->largest_wish = fmax(ik->largest_wish, most);
    else if (least > 0)
        ik->least_need = fmin(ik->least_need, least);
    for (size_t other = 0; other < k; other++)
        ik->wishes = ik->wishes || ik->task[other].goal.required != goal->required;
}

/* Counts the sizes of all goals, before memory is allocated. */
static td_status count_goals(td_ik *ik, const td_ik_goal *goals)
{
    for (size_t k = 0; k < ik->tasks; k++) {
        td_ik_goal goal = td_ik_goal_default(TD_IK_POSE, 0);
        if (((const td_ik_goal *)td_sized_at(goals, k))->size_of != goals->size_of ||
            !td_sized_read(&goal, sizeof goal, td_sized_at(goals, k)) ||
            !goal_is_valid(ik->model, &goal))
            return TD_ERROR_ARGUMENT;
        const td_ik_sizes sizes = td_ik_goal_sizes(ik->model, goal.kind);
        ik->rows += sizes.rows;
        ik->targets += sizes.targets;
    }
    return TD_OK;
}

static void put_goals(td_ik *ik, const td_ik_goal *goals)
{
    for (size_t k = 0; k < ik->tasks; k++) {
        td_ik_goal goal = td_ik_goal_default(TD_IK_POSE, 0);
        td_sized_read(&goal, sizeof goal, td_sized_at(goals, k));
        put_goal(ik, k, &goal);
    }
}

td_status td_ik_new(const td_model *model, const td_ik_goal *goals, size_t goal_count,
                    const td_ik_options *options, td_ik **out)
{
    if (!out)
        return TD_ERROR_ARGUMENT;
    return td_ik_new_bounded(model, goals, goal_count, options, NULL, out);
}

td_status td_ik_new_bounded(const td_model *model, const td_ik_goal *goals, size_t goal_count,
                            const td_ik_options *options, const unsigned char *bounded, td_ik **out)
{
    *out = NULL;
    td_ik_options known = {0};
    known = td_ik_options_default();
    if (!model || !goals || goal_count == 0 ||
        (options && !td_sized_read(&known, sizeof known, options)) ||
        !held_is_valid(model, known.held))
        return TD_ERROR_ARGUMENT;
    td_ik *ik = calloc(1, sizeof *ik);
    if (!ik)
        return TD_ERROR_MEMORY;
    ik->model = model;
    ik->options = known;
    ik->tasks = goal_count;
    ik->ny = td_ny(model);
    ik->n = td_nyd(model);
    ik->nq = td_nq(model);
    ik->nv = td_nv(model);
    ik->bodies = td_movable_count(model);
    ik->followers = td_ik_find_followers(model, NULL);
    ik->solves = ik->followers > 0 || td_loop_cluster_count(model) > 0;
    ik->has_rows = ik->solves || bounded;
    ik->least_need = INFINITY;
    for (size_t i = 0; i < td_joint_count(model); i++) {
        const td_joint_place place = td_joint_place_at(model, i);
        ik->turns = ik->turns || (place.nq > place.nv && place.dependents && !place.dependent);
    }
    td_status status = count_goals(ik, goals);
    if (status == TD_OK && !td_take_twice(&ik->stack, take(&ik->stack, ik)))
        status = TD_ERROR_MEMORY;
    if (status == TD_OK) {
        for (size_t i = 0; i < ik->n && known.held; i++)
            ik->held[i] = known.held[i] != 0;
        ik->options.held = NULL;
        put_goals(ik, goals);
        status = td_ik_prepare(ik, bounded);
    }
    if (status != TD_OK)
        td_ik_free(ik);
    else
        *out = ik;
    return status;
}

td_status td_ik_clone(const td_ik *ik, td_ik **out)
{
    if (!out)
        return TD_ERROR_ARGUMENT;
    *out = NULL;
    if (!ik)
        return TD_ERROR_ARGUMENT;
    td_ik *copy = calloc(1, sizeof *copy);
    if (!copy)
        return TD_ERROR_MEMORY;
    *copy = *ik;
    copy->stack = (td_stack){0};
    if (!td_take_twice(&copy->stack, take(&copy->stack, copy))) {
        free(copy);
        return TD_ERROR_MEMORY;
    }
    const size_t n = ik->n;
    memcpy(copy->task, ik->task, ik->tasks * sizeof *ik->task);
    for (size_t i = 0; i < ik->followers; i++)
        copy->follower[i] = ik->follower[i];
    memcpy(copy->held, ik->held, n);
    memcpy(copy->moved, ik->moved, n);
    memcpy(copy->turn, ik->turn, ik->rows);
    memcpy(copy->turning, ik->turning, n);
    memcpy(copy->angle, ik->angle, n);
    memcpy(copy->random, ik->random, ik->ny);
    memcpy(copy->moves, ik->moves, ik->ny);
    memcpy(copy->column, ik->column, n * sizeof *ik->column);
    memcpy(copy->position, ik->position, n * sizeof *ik->position);
    memcpy(copy->in_q, ik->in_q, n * sizeof *ik->in_q);
    memcpy(copy->least, ik->least, n * sizeof *ik->least);
    memcpy(copy->most, ik->most, n * sizeof *ik->most);
    memcpy(copy->lower, ik->lower, n * sizeof *ik->lower);
    memcpy(copy->upper, ik->upper, n * sizeof *ik->upper);
    td_dense_spoil(ik->nq, copy->found);
    *out = copy;
    return TD_OK;
}

void td_ik_free(td_ik *ik)
{
    if (ik)
        td_stack_end(&ik->stack);
    free(ik);
}

size_t td_ik_target_count(const td_ik *ik)
{
    return ik ? ik->targets : 0;
}

size_t td_ik_goal_count(const td_ik *ik)
{
    return ik ? ik->tasks : 0;
}

const double *td_ik_q(const td_ik *ik)
{
    return ik ? ik->found : NULL;
}
