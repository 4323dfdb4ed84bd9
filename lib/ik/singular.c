/* SPDX-License-Identifier: MIT */
/*
 * Samples configurations. Computes singular values of the Jacobian of required goals, weighted,
 * over the moving coordinates: how many are not zero everywhere, and the smallest and largest of
 * these at a posture.
 */
#include <math.h>
#include <string.h>

#include "base/jacobi.h"
#include "ik/ik.h"
#include "tandem/closure.h"
#include "tandem/configuration.h"
#include "tandem/kinematics.h"

void td_ik_sample(td_ik *ik, td_workspace *workspace,
                  bool (*look)(td_ik *ik, td_workspace *workspace))
{
    enum { SAMPLES = 4 };
    uint64_t seed = 1;
    memcpy(ik->base, td_reference(ik->model, TD_COORDINATES_INDEPENDENT),
           ik->ny * sizeof *ik->base);
    for (int sample = 0; sample <= SAMPLES; sample++) {
        td_random_configuration(ik->model, TD_COORDINATES_INDEPENDENT, &seed, ik->drawn);
        td_difference(ik->model, TD_COORDINATES_INDEPENDENT, ik->base, ik->drawn, ik->away);
        double part = sample == 0 ? 0 : 1;
        do {
            td_closure_start(ik->model, workspace, NULL);
            td_integrate(ik->model, TD_COORDINATES_INDEPENDENT, ik->base, ik->away, part,
                         ik->now.y);
            part *= 0.5;
        } while (!look(ik, workspace) && part > 0.01);
    }
}

/* Computes the singular values at y of a posture into ik->value. Returns their number, 0 if loops
   do not close. Leaves the posture's link poses in the workspace. */
static size_t values(td_ik *ik, td_workspace *workspace, const td_ik_posture *p)
{
    const size_t n = ik->columns;
    size_t m = 0;
    td_status status = TD_OK;
    td_ik_choose(ik, 1, td_ik_any_required(ik) ? 0 : 1);
    if (ik->poses)
        status = td_moving_link_poses(ik->model, workspace, p->y, ik->pose);
    if (status == TD_OK)
        status = td_ik_jacobian(ik, workspace, p);
    if (status != TD_OK)
        return 0;
    for (size_t i = 0; i < ik->rows; i++)
        m += ik->scale[i] > 0;
    for (size_t i = 0, row = 0; i < ik->rows; i++) {
        if (!(ik->scale[i] > 0))
            continue;
        for (size_t j = 0; j < n; j++)
            ik->svd[m <= n ? row * n + j : j * m + row] = ik->A[i * n + j];
        row++;
    }
    const size_t size = m < n ? m : n;
    if (size > 0)
        td_jacobi_svd((int)(m <= n ? n : m), (int)size, ik->svd, ik->value, ik->V);
    return size;
}

/* Returns the number of dimensions of the goals that count. Some goals have more rows than
   dimensions, because one direction does not matter. */
static size_t dimensions(const td_ik *ik)
{
    size_t sum = 0;
    for (size_t k = 0; k < ik->tasks; k++) {
        const td_ik_task *task = &ik->task[k];
        size_t rows = 0;
        for (size_t i = task->row; i < task->row + task->rows; i++)
            rows += ik->scale[i] > 0;
        const bool two = task->goal.kind == TD_IK_AXIS || task->goal.kind == TD_IK_LINE;
        const size_t most = task->goal.kind == TD_IK_DISTANCE ? 1 : two ? 2 : rows;
        sum += rows < most ? rows : most;
    }
    return sum;
}

/* Sets targets at which the Jacobian has the rank that it has at a solution: unit directions and
   current distances. */
static void settle_targets(td_ik *ik)
{
    for (size_t k = 0; k < ik->tasks; k++) {
        const td_ik_task *task = &ik->task[k];
        double *target = ik->target + task->target, direction[3];
        if (task->goal.kind == TD_IK_LINE || task->goal.kind == TD_IK_PLANE)
            td_ik_make_unit(target + 3);
        else if (task->goal.kind == TD_IK_DISTANCE)
            target[0] = td_ik_distance_at(ik, task, direction);
    }
}

/* Raises the rank to the rank at this posture. Returns false if loops do not close. */
static bool raise_rank(td_ik *ik, td_workspace *workspace)
{
    if (ik->poses && td_moving_link_poses(ik->model, workspace, ik->now.y, ik->pose) != TD_OK)
        return false;
    settle_targets(ik);
    const size_t size = values(ik, workspace, &ik->now);
    size_t rank = 0;
    while (rank < size && ik->value[rank] > 1e-8 * ik->value[0])
        rank++;
    ik->rank = rank > ik->rank ? rank : ik->rank;
    return size > 0 || ik->columns == 0;
}

void td_ik_find_rank(td_ik *ik, td_workspace *workspace)
{
    td_ik_sample(ik, workspace, raise_rank);
    const size_t most = dimensions(ik);
    ik->rank = ik->rank < most ? ik->rank : most;
}

void td_ik_singular(td_ik *ik, td_workspace *workspace, const td_ik_posture *p, double *smallest,
                    double *largest)
{
    if (ik->solves)
        td_closure_recall(ik->model, workspace, p->memory);
    const size_t size = values(ik, workspace, p);
    *smallest = *largest = 0;
    if (size > 0 && ik->rank > 0) {
        *largest = ik->value[0];
        *smallest = ik->value[(ik->rank < size ? ik->rank : size) - 1];
    }
}
