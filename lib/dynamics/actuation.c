/* SPDX-License-Identifier: MIT */
/*
 * Converts forces and motions between motors, independent coordinates and the tree, at a state.
 */
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/sized.h"
#include "dynamics/arguments.h"
#include "dynamics/configuration.h"
#include "dynamics/operations.h"
#include "dynamics/workspace.h"
#include "model/joint_kind.h"
#include "tandem/chart.h"

size_t td_nu(const td_model *model)
{
    return model->actuation.nu;
}

/* Returns whether motor i drives a revolute loop joint. */
static bool turning_loop(const td_model *model, size_t i)
{
    int loop = model->actuation.loop[i];
    return loop >= 0 && model->records.loop.at[loop].type == TD_LOOP_REVOLUTE;
}

static void find_actuator(const td_model *model, size_t i, td_actuator *a)
{
    const td_actuation_map *map = &model->actuation;
    a->joint = a->loop = a->q = a->qd = TD_NONE;
    a->effort_limit = a->velocity_limit = a->power_limit = INFINITY;
    if (i >= map->nu)
        return;
    a->joint = td_index_out(map->joint[i]), a->loop = td_index_out(map->loop[i]);
    a->q = td_index_out(map->position[i]), a->qd = td_index_out(map->row[i]);
    const td_drive_limit *drive;
    if (a->joint != TD_NONE) {
        const td_joint *joint = &model->records.joint.at[a->joint];
        a->name = joint->name;
        a->component = a->q - (size_t)model->place[a->joint].q;
        a->turns = td_joint_row_of(joint->type)->position[a->component].unit == TD_UNIT_ANGLE;
        drive = &model->drive[a->joint];
    } else {
        a->name = model->records.loop.at[a->loop].name;
        a->turns = turning_loop(model, i);
        drive = &model->drive[model->records.joint.count + a->loop];
    }
    a->effort_limit = drive->effort;
    a->velocity_limit = drive->velocity;
    a->power_limit = drive->power;
}

void td_actuator_read(const td_model *model, size_t i, td_actuator *actuator, size_t size_of)
{
    td_actuator found;
    memset(&found, 0, sizeof found); /* also clears the padding */
    find_actuator(model, i, &found);
    td_sized_write(actuator, size_of, &found, sizeof found);
}

td_status td_actuation_status(const td_model *model)
{
    return model ? model->actuation.status : TD_ERROR_ARGUMENT;
}

/* Returns the values of M_u at y, in scratch memory. */
static const void *find_values(const td_eval *eval, const void *y)
{
    return td_motors_change(eval->model) ? td_eval_motors(eval, td_eval_position(eval, y))
                                         : eval->scratch->M_u;
}

/* ---- forces ---------------------------------------------------------------------------------- */

void td_op_actuation_matrix(const td_eval *eval, const td_actuation_matrix_arguments *a)
{
    td_csr M_u = eval->actuation->matrix;
    M_u.value = (double *)find_values(eval, a->y);
    td_csr_dense(&M_u, a->M_u);
}

void td_op_forces_to_actuators(const td_eval *eval, const td_forces_to_actuators_arguments *a)
{
    const td_scratch *s = eval->scratch;
    find_values(eval, a->y);
    void *rest = a->rest ? a->rest : s->force_y;
    eval->kernels->drive_forces(eval->actuation, s, a->weight, a->tau_y, a->u, rest);
    td_eval_judge_spins(eval, a->tau_y, rest);
}

void td_op_forces_from_actuators(const td_eval *eval, const td_forces_from_actuators_arguments *a)
{
    eval->kernels->transposed(&eval->actuation->matrix, find_values(eval, a->y), a->u, a->tau_y);
}

/* ---- motions --------------------------------------------------------------------------------- */

void td_op_motion_to_actuators(const td_eval *eval, const td_motion_to_actuators_arguments *a)
{
    const td_actuation_map *map = eval->actuation;
    const void *q = td_eval_position(eval, a->y), *qd = td_eval_velocity(eval, a->yd);
    const void *qdd =
        a->acceleration || map->loops.count ? td_eval_acceleration(eval, a->ydd) : NULL;
    size_t tree = map->nu - map->loops.count;
    if (a->position)
        eval->kernels->gather(a->position, q, map->position, tree);
    if (a->velocity)
        eval->kernels->gather(a->velocity, qd, map->row, tree);
    if (a->acceleration)
        eval->kernels->gather(a->acceleration, qdd, map->row, tree);
    const td_motion_inputs in = {.q = q, .qd = qd, .qdd = qdd};
    double *const out[] = {a->position, a->velocity, a->acceleration};
    for (size_t k = 0; k < map->loops.count; k++) {
        double motion[3];
        const td_loop_motor *motor = &map->loops.motor[k];
        eval->kernels->loop_motion(eval->tree, &eval->closure->loops.group[motor->group],
                                   motor->axis, eval->scratch, &in, motion);
        for (size_t i = 0; i < 3; i++)
            if (out[i])
                out[i][tree + k] = motion[i];
    }
}

typedef struct rate_arguments {
    const td_reals *y, *velocity;
    td_reals *yd;
} rate_arguments;

static void op_rates(const td_eval *eval, const void *arguments)
{
    const rate_arguments *a = arguments;
    const td_actuation_map *map = eval->actuation;
    eval->kernels->clear(a->yd, (size_t)map->matrix.columns);
    find_values(eval, a->y);
    eval->kernels->drive_rates(map, eval->scratch, a->velocity, a->yd);
}

/* Solves for the ẏ of driven coordinates that gives the motor rates u̇ at y. Other entries are
   zero. */
static td_status rates(const td_site *site, const double *y, const double *velocity, double *yd)
{
    rate_arguments a = {y, velocity, yd};
    td_call call;
    td_call_begin(&call, op_rates, &a);
    td_call_solve(&call, TD_ERROR_ACTUATION_SINGULAR);
    td_call_positions(&call, site, &a, y, true);
    td_call_input(&call, &a, velocity, td_site_motors(site), true);
    td_call_output(&call, &a, yd, td_site_velocities(site), true);
    return td_call_run(site, &call);
}

/* Writes position minus the motors' positions at y into left, and its largest magnitude into
 *largest. */
static td_status miss(const td_site *site, const double *position, const double *y, double *left,
                      double *largest)
{
    td_status status =
        td_motion_to_actuators(site->model, site->workspace, y, NULL, NULL, left, NULL, NULL);
    *largest = 0;
    for (size_t i = 0; i < td_site_motors(site); i++) {
        left[i] = position[i] - left[i];
        if (turning_loop(site->model, i))
            left[i] = remainder(left[i], 2 * M_PI);
        *largest = fmax(*largest, fabs(left[i]));
    }
    return status;
}

/* Solves for the y that gives the motors these positions, starting from y. It takes damped
   Gauss-Newton steps until they reach rounding errors. */
static td_status find_position(const td_site *site, const double *position, double *y,
                               double *largest)
{
    enum { MOST_STEPS = 60, MOST_HALVES = 12 };
    td_workspace *w = site->workspace;
    double *left = w->motor, *next = w->motion_y, *step = w->motion_yd;
    td_status status = miss(site, position, y, left, largest);
    const double scale = fmax(1, td_dense_largest(td_site_motors(site), position));
    for (int n = 0; n < MOST_STEPS && status == TD_OK; n++) {
        const double before = *largest;
        status = rates(site, y, left, step);
        if (status != TD_OK)
            return status;
        const double size = td_dense_largest(td_site_velocities(site), step);
        double part = 1;
        td_status found = TD_ERROR_ASSEMBLY;
        for (int k = 0; k < MOST_HALVES; k++, part /= 2) {
            td_move(site->model, TD_COORDINATES_INDEPENDENT, y, step, part, next);
            found = miss(site, position, next, left, largest);
            if (found == TD_OK && (*largest < before || size < 1e-8))
                break;
            found = found == TD_OK ? TD_ERROR_ASSEMBLY : found;
        }
        if (size < 1e-13 * scale || found != TD_OK) {
            status = size < 1e-7 * scale ? TD_OK : found;
            miss(site, position, y, left, largest);
            return status;
        }
        memcpy(y, next, td_site_positions(site) * sizeof *y);
    }
    return status == TD_OK ? TD_ERROR_ASSEMBLY : status;
}

/* Overwrites the driven entries of ẏ or ÿ (out) with the values that give the motors these
   rates. */
static td_status find_rates(const td_site *site, const double *y, const double *motor_rates,
                            double *out)
{
    double *step = site->workspace->motion_yd;
    const td_drives *drives = &site->workspace->eval.actuation->drives;
    td_status status = rates(site, y, motor_rates, step);
    for (size_t i = 0; status == TD_OK && i < td_site_velocities(site); i++)
        if (drives->local[i] >= 0)
            out[i] = step[i];
    return status;
}

td_status td_motion_from_actuators(const td_model *model, td_workspace *workspace,
                                   const double *position, const double *velocity,
                                   const double *acceleration, double *y, double *yd, double *ydd,
                                   double *residual)
{
    td_status pair = td_check_pair(model, workspace);
    if (pair != TD_OK)
        return pair;
    if (model->charts.wide && td_chart_is_used(workspace))
        return td_refuse(workspace, "workspace"); /* td_integrate is the only call that moves y */
    if (!position || !y || (ydd && !yd))
        return td_refuse(workspace, !position ? "position" : !y ? "y" : "yd");
    if (model->actuation.status != TD_OK)
        return model->actuation.status;
    const td_site *site = TD_SINGLE(model, workspace, TD_COORDINATES_INDEPENDENT);
    td_workspace *w = workspace;
    size_t nu = model->actuation.nu, nyd = model->closure.nyd;
    double *target = w->motion_to, *rate = w->motion_rate, largest;
    if (model->closure.ny)
        memcpy(target, y, model->closure.ny * sizeof *y);
    td_status status = find_position(site, position, target, &largest);
    if (status != TD_OK)
        return status;
    if (yd) {
        double *yd_new = rate, *ydd_new = rate + nyd;
        memcpy(yd_new, yd, nyd * sizeof *yd);
        for (size_t i = 0; i < nu; i++)
            w->motor[i] = velocity ? velocity[i] : 0;
        status = find_rates(site, target, w->motor, yd_new);
        if (status == TD_OK && ydd) {
            memcpy(ydd_new, ydd, nyd * sizeof *ydd);
            status = td_motion_to_actuators(model, w, target, yd_new, NULL, NULL, NULL, w->motor);
            for (size_t i = 0; i < nu; i++)
                w->motor[i] = (acceleration ? acceleration[i] : 0) - w->motor[i];
            if (status == TD_OK)
                status = find_rates(site, target, w->motor, ydd_new);
            if (status == TD_OK)
                memcpy(ydd, ydd_new, nyd * sizeof *ydd);
        }
        if (status != TD_OK)
            return status;
        memcpy(yd, yd_new, nyd * sizeof *yd);
    }
    if (model->closure.ny)
        memcpy(y, target, model->closure.ny * sizeof *y);
    if (residual)
        *residual = largest;
    return TD_OK;
}
