/* SPDX-License-Identifier: MIT */
/*
 * Finds the joints with limits that move with a group of loops: joints of the group, and joints
 * that follow them. All limits of a robot are listed once, sorted by the coordinates of w on which
 * they depend. So no group searches the limits of other groups.
 */
#include <math.h>

#include "base/sort.h"
#include "load/repair/loop_limits.h"
#include "load/repair/repair.h"

/* Reads the limits of each coordinate of a joint. Some files limit continuous joints too. */
static bool limits_of(const td_joint *joint, double *lower, double *upper)
{
    const bool idle = !td_joint_kind_of(joint->type)->bounded && joint->limit.lower == 0 &&
                      joint->limit.upper == 0; /* some tools write [0, 0] for "no limits" */
    *lower = isnan(joint->limit.lower) || idle ? -INFINITY : joint->limit.lower;
    *upper = isnan(joint->limit.upper) || idle ? INFINITY : joint->limit.upper;
    const td_joint_kind *kind = td_joint_kind_of(joint->type);
    return (kind->nq == 1 || kind->bounded) && (isfinite(*lower) || isfinite(*upper));
}

/* Lists all limits, numbered in the order of joints. */
bool td_list_limits(td_build *build)
{
    const td_model *model = build->model;
    const td_csr *M = &model->closure.position;
    td_loop_desk *desk = build->desk;
    td_arena *temporary = &build->temporary;
    const size_t nw = model->closure.nw, nq = model->tree.nq;
    double lower, upper;
    int count = 0;
    desk->joint_by_limit = TD_ARENA_NEW(temporary, int, nq);
    desk->q_by_limit = TD_ARENA_NEW(temporary, int, nq);
    if (!desk->joint_by_limit || !desk->q_by_limit ||
        !td_csr_new(&desk->limited, temporary, nw, nq, (size_t)M->row[M->rows]))
        return false;
    int *row = desk->limited.row;
    for (size_t i = 0; i < model->records.joint.count; i++) {
        const bool any = limits_of(&model->records.joint.at[i], &lower, &upper);
        for (int k = 0; any && k < model->place[i].nq; k++) {
            const int q = model->place[i].q + k;
            desk->joint_by_limit[count] = (int)i;
            desk->q_by_limit[count++] = q;
            for (int e = M->row[q]; e < M->row[q + 1]; e++)
                row[M->column[e] + 1] += M->value[e] != 0;
        }
    }
    for (size_t c = 0; c < nw; c++)
        row[c + 1] += row[c];
    for (int n = 0; n < count; n++)
        for (int q = desk->q_by_limit[n], e = M->row[q]; e < M->row[q + 1]; e++)
            if (M->value[e] != 0)
                desk->limited.column[row[M->column[e]]++] = n;
    for (size_t c = nw; c-- > 0;) /* each row index has advanced to the end of its row, which is the
                                     start of the next */
        row[c + 1] = row[c];
    row[0] = 0;
    return true;
}

/* Narrows the bounds of the only slot on which a joint depends. */
static void bound_slot(td_loop_limits *limits, const td_limited *l, int slot, double factor,
                       double offset)
{
    const double a = (l->lower - offset) / factor, b = (l->upper - offset) / factor;
    limits->lower[slot] = fmax(limits->lower[slot], fmin(a, b));
    limits->upper[slot] = fmin(limits->upper[slot], fmax(a, b));
}

/* Returns the row of build->desk->limited for a slot, or −1 for joints with a quaternion. */
static int limits_row(const td_loop_analysis *analysis, int slot)
{
    return td_analysis_has_quaternion(analysis, slot)
               ? -1
               : analysis->model->closure.w[analysis->joint[slot]] + analysis->component[slot];
}

/* Lists the limits that depend on any slot, ascending and without duplicates, in the caller's
   scope. Returns NULL if out of memory. */
static int *list_limited(const td_loop_analysis *analysis, int *count)
{
    const td_csr *moved = &analysis->build->desk->limited;
    size_t most = 0;
    for (int s = 0, row; s < analysis->slots; s++)
        if ((row = limits_row(analysis, s)) >= 0)
            most += (size_t)(moved->row[row + 1] - moved->row[row]);
    int *list = TD_ARENA_NEW(&analysis->build->temporary, int, most), n = 0;
    for (int s = 0, row; list && s < analysis->slots; s++)
        if ((row = limits_row(analysis, s)) >= 0)
            for (int e = moved->row[row]; e < moved->row[row + 1]; e++)
                list[n++] = moved->column[e];
    if (list)
        td_sort_ints(list, (size_t)n);
    *count = 0;
    for (int k = 0; list && k < n; k++)
        if (k == 0 || list[k] != list[k - 1])
            list[(*count)++] = list[k];
    return list;
}

/* Adds a limit, given its index in the table of build->desk. */
static void add_limit(const td_loop_analysis *analysis, int number, td_loop_limits *limits)
{
    const td_model *model = analysis->model;
    const td_loop_desk *desk = analysis->build->desk;
    const int joint = desk->joint_by_limit[number];
    const td_csr *M = &model->closure.position;
    const td_joint *record = &model->records.joint.at[joint];
    td_limited l = {.joint = joint,
                    .q = desk->q_by_limit[number],
                    .unit = td_joint_slides(record->type) ? analysis->size : 1};
    limits_of(record, &l.lower, &l.upper);
    limits->offset[limits->count] = model->closure.offset[l.q];
    td_analysis_append_row(analysis, l.q, &limits->position, limits->count);
    limits->at[limits->count++] = l;
    const int first = M->row[l.q], leader = desk->joint_of_w[M->column[first]];
    if (M->row[l.q + 1] == first + 1)
        bound_slot(limits, &l,
                   analysis->slot_of[model->closure.wd[leader] + M->column[first] -
                                     model->closure.w[leader]],
                   M->value[first], model->closure.offset[l.q]);
}

/* Finds the limits that move with the group. Returns false if out of memory. */
static bool find_limits(const td_loop_analysis *analysis, td_loop_limits *limits)
{
    const td_csr *M = &analysis->model->closure.position;
    const td_loop_desk *desk = analysis->build->desk;
    td_arena *temporary = &analysis->build->temporary;
    int count;
    size_t entries = 0;
    const int *list = list_limited(analysis, &count);
    if (!list)
        return false;
    for (int k = 0; k < count; k++)
        entries +=
            (size_t)(M->row[desk->q_by_limit[list[k]] + 1] - M->row[desk->q_by_limit[list[k]]]);
    limits->at = TD_ARENA_NEW(temporary, td_limited, (size_t)count);
    limits->offset = TD_ARENA_NEW(temporary, double, (size_t)count);
    limits->x = TD_ARENA_NEW(temporary, double, (size_t)count);
    if (!td_csr_new(&limits->position, temporary, (size_t)count, analysis->nw, entries) ||
        !limits->at || !limits->offset || !limits->x)
        return false;
    for (int k = 0; k < count; k++)
        add_limit(analysis, list[k], limits);
    for (int s = 0; s < analysis->slots; s++)
        if (limits->lower[s] > limits->upper[s]) { /* limits of followers contradict each other */
            limits->lower[s] = -INFINITY;
            limits->upper[s] = INFINITY;
        }
    return true;
}

td_loop_limits *td_limits_new(td_loop_analysis *analysis)
{
    const size_t n = (size_t)analysis->slots, nw = analysis->nw;
    td_arena *temporary = &analysis->build->temporary;
    td_loop_limits *limits = TD_ARENA_NEW(temporary, td_loop_limits, 1);
    if (!limits)
        return NULL;
    limits->lower = TD_ARENA_NEW(temporary, double, n);
    limits->upper = TD_ARENA_NEW(temporary, double, n);
    limits->start = td_arena_copy(temporary, analysis->w, nw, sizeof *limits->start);
    limits->kept = TD_ARENA_NEW(temporary, double, nw);
    if (!limits->lower || !limits->upper || !limits->start || !limits->kept)
        return NULL;
    for (size_t s = 0; s < n; s++) {
        limits->lower[s] = -INFINITY;
        limits->upper[s] = INFINITY;
    }
    if (!find_limits(analysis, limits))
        return NULL;
    td_analysis_start(analysis, limits->start);
    return limits;
}
