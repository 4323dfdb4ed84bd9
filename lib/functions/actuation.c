/* SPDX-License-Identifier: MIT */
/*
 * Forces and motions between motors, independent coordinates and the tree, at a state.
 */
#include <math.h>
#include <string.h>

#include "functions/actuation.h"
#include "functions/configuration.h"
#include "run/call.h"
#include "run/workspace.h"
#include "tandem/batch.h"

size_t td_nu(const td_model *model)
{
    return model->actuation.nu;
}

/* whether the motor is in a loop that turns */
static bool turning_loop(const td_model *model, size_t i)
{
    int loop = model->actuation.loop[i];
    return loop >= 0 && model->records.loop.at[loop].type == TD_LOOP_REVOLUTE;
}

td_actuator td_actuator_at(const td_model *model, size_t i)
{
    const td_actuation_map *map = &model->actuation;
    if (i >= map->nu)
        return (td_actuator){NULL, -1, -1, 0, -1, -1, false};
    td_actuator a = {
        .joint = map->joint[i], .loop = map->loop[i], .q = map->position[i], .qd = map->row[i]};
    if (a.joint >= 0) {
        const td_joint *joint = &model->records.joint.at[a.joint];
        a.name = joint->name;
        a.component = a.q - model->place[a.joint].q;
        a.turns =
            joint->type == TD_JOINT_PLANAR ? a.component == 2 : joint->type != TD_JOINT_PRISMATIC;
    } else {
        a.name = model->records.loop.at[a.loop].name;
        a.turns = turning_loop(model, i);
    }
    return a;
}

td_status td_actuation_status(const td_model *model)
{
    return model ? model->actuation.status : TD_ERROR_ARGUMENT;
}

/* the values of M_u of the scratch, at y */
static const void *find_values(const td_eval *eval, const void *y)
{
    return td_motors_change(eval->model) ? td_eval_motors(eval, td_eval_position(eval, y))
                                         : eval->scratch->M_u;
}

static td_site single_site(const td_model *model, td_workspace *workspace)
{
    return (td_site){model, workspace, TD_SPACE_INDEPENDENT, false, 1, NULL};
}

/* y as an input that may be NULL unless values depend on it */
static void state_input(td_call *call, const td_site *site, const double *y)
{
    td_call_positions(call, site, y, site->model && td_motors_change(site->model));
}

static size_t motors(const td_site *site)
{
    return site->model ? site->model->actuation.nu : 0;
}

/* ---- forces ---------------------------------------------------------------------------------- */

static void op_matrix(const td_eval *eval, const void *const *in, void *const *out,
                      const void *context)
{
    (void)context;
    td_csr M_u = eval->model->actuation.matrix;
    M_u.value = (double *)find_values(eval, in[0]);
    td_csr_dense(&M_u, out[0]);
}

td_status td_actuation_matrix(const td_model *model, td_workspace *workspace, const double *y,
                              double *M_u)
{
    td_site site = single_site(model, workspace);
    size_t entries = motors(&site) * td_site_velocities(&site);
    td_call call;
    td_call_begin(&call, op_matrix, NULL);
    state_input(&call, &site, y);
    td_call_output(&call, M_u, entries, true);
    return td_call_run(&site, &call);
}

static void op_forces(const td_eval *eval, const void *const *in, void *const *out,
                      const void *context)
{
    const td_actuation_map *map = &eval->model->actuation;
    eval->kernels->drive_forces(&map->drives, &map->matrix, find_values(eval, in[0]), context,
                                eval->scratch, in[1], out[0],
                                out[1] ? out[1] : eval->scratch->force_y);
}

static td_status actuator_forces(const td_site *site, const double *y, const double *tau_y,
                                 const double *weight, double *u, double *rest)
{
    td_call call;
    td_call_begin(&call, op_forces, weight);
    call.solves = true;
    call.singular_status = TD_ERROR_ACTUATION_SINGULAR;
    state_input(&call, site, y);
    td_call_input(&call, tau_y, td_site_velocities(site), true);
    td_call_output(&call, u, motors(site), true);
    td_call_output(&call, rest, td_site_velocities(site), false);
    td_call_require(&call, !site->model || td_weights_are_sound(site->model, weight), "weight");
    if (site->model)
        call.good_status = site->model->actuation.status;
    return td_call_run(site, &call);
}

td_status td_forces_to_actuators(const td_model *model, td_workspace *workspace, const double *y,
                                 const double *tau_y, const double *weight, double *u, double *rest)
{
    td_site site = single_site(model, workspace);
    return actuator_forces(&site, y, tau_y, weight, u, rest);
}

td_status td_batch_forces_to_actuators(const td_model *model, td_workspace *workspace, size_t n,
                                       const double *y, const double *tau_y, const double *weight,
                                       double *u, double *rest, td_status *statuses)
{
    td_site site = {model, workspace, TD_SPACE_INDEPENDENT, true, n, statuses};
    return actuator_forces(&site, y, tau_y, weight, u, rest);
}

static void op_back(const td_eval *eval, const void *const *in, void *const *out,
                    const void *context)
{
    (void)context;
    eval->kernels->transposed(&eval->model->actuation.matrix, find_values(eval, in[0]), in[1],
                              out[0]);
}

td_status td_forces_from_actuators(const td_model *model, td_workspace *workspace, const double *y,
                                   const double *u, double *tau_y)
{
    td_site site = single_site(model, workspace);
    td_call call;
    td_call_begin(&call, op_back, NULL);
    state_input(&call, &site, y);
    td_call_input(&call, u, motors(&site), true);
    td_call_output(&call, tau_y, td_site_velocities(&site), true);
    return td_call_run(&site, &call);
}

/* ---- motions --------------------------------------------------------------------------------- */

static void op_motion(const td_eval *eval, const void *const *in, void *const *out,
                      const void *context)
{
    (void)context;
    const td_actuation_map *map = &eval->model->actuation;
    const void *q = td_eval_position(eval, in[0]), *qd = td_eval_velocity(eval, in[1]);
    const void *qdd = out[2] || map->loops.count ? td_eval_acceleration(eval, in[2]) : NULL;
    size_t tree = map->nu - map->loops.count;
    if (out[0])
        eval->kernels->gather(out[0], q, map->position, tree);
    if (out[1])
        eval->kernels->gather(out[1], qd, map->row, tree);
    if (out[2])
        eval->kernels->gather(out[2], qdd, map->row, tree);
    for (size_t k = 0; k < map->loops.count; k++) {
        double motion[3];
        eval->kernels->loop_motion(eval->tree, &eval->model->closure.loops, eval->scratch,
                                   map->loops.motor[k].group, map->loops.motor[k].axis, q, qd, qdd,
                                   motion);
        for (size_t i = 0; i < 3; i++)
            if (out[i])
                ((double *)out[i])[tree + k] = motion[i];
    }
}

td_status td_motion_to_actuators(const td_model *model, td_workspace *workspace, const double *y,
                                 const double *yd, const double *ydd, double *position,
                                 double *velocity, double *acceleration)
{
    td_site site = single_site(model, workspace);
    td_call call;
    td_call_begin(&call, op_motion, NULL);
    td_call_positions(&call, &site, y, true);
    td_call_input(&call, yd, td_site_velocities(&site), false);
    td_call_input(&call, ydd, td_site_velocities(&site), false);
    td_call_output(&call, position, motors(&site), false);
    td_call_output(&call, velocity, motors(&site), false);
    td_call_output(&call, acceleration, motors(&site), false);
    return td_call_run(&site, &call);
}

static void op_rates(const td_eval *eval, const void *const *in, void *const *out,
                     const void *context)
{
    (void)context;
    const td_actuation_map *map = &eval->model->actuation;
    eval->kernels->clear(out[0], (size_t)map->matrix.columns);
    eval->kernels->drive_rates(&map->drives, &map->matrix, find_values(eval, in[0]), eval->scratch,
                               in[1], out[0]);
}

/* ẏ of drives from u̇ at y, zero elsewhere */
static td_status rates(const td_site *site, const double *y, const double *velocity, double *yd)
{
    td_call call;
    td_call_begin(&call, op_rates, NULL);
    call.solves = true;
    call.singular_status = TD_ERROR_ACTUATION_SINGULAR;
    td_call_positions(&call, site, y, true);
    td_call_input(&call, velocity, motors(site), true);
    td_call_output(&call, yd, td_site_velocities(site), true);
    return td_call_run(site, &call);
}

/* the largest difference between the motors' positions and those at y, and what is left in left */
static td_status miss(const td_site *site, const double *position, const double *y, double *left,
                      double *largest)
{
    td_status status =
        td_motion_to_actuators(site->model, site->workspace, y, NULL, NULL, left, NULL, NULL);
    *largest = 0;
    for (size_t i = 0; i < motors(site); i++) {
        left[i] = position[i] - left[i];
        if (turning_loop(site->model, i))
            left[i] = remainder(left[i], 2 * M_PI);
        *largest = fmax(*largest, fabs(left[i]));
    }
    return status;
}

/* y of the motors' positions, from y on: damped Gauss-Newton steps until they are rounding */
static td_status find_position(const td_site *site, const double *position, double *y,
                               double *largest)
{
    enum { MOST_STEPS = 60, MOST_HALVES = 12 };
    td_workspace *w = site->workspace;
    double *left = w->motor, *next = w->motion_y, *step = w->motion_yd;
    td_status status = miss(site, position, y, left, largest);
    double scale = 1;
    for (size_t i = 0; i < motors(site); i++)
        scale = fmax(scale, fabs(position[i]));
    for (int n = 0; n < MOST_STEPS && status == TD_OK; n++) {
        double size = 0, before = *largest;
        status = rates(site, y, left, step);
        if (status != TD_OK)
            return status;
        for (size_t i = 0; i < td_site_velocities(site); i++)
            size = fmax(size, fabs(step[i]));
        double part = 1;
        td_status found = TD_ERROR_ASSEMBLY;
        for (int k = 0; k < MOST_HALVES; k++, part /= 2) {
            td_move(site->model, TD_SPACE_INDEPENDENT, y, step, part, next);
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

/* of: ẏ or ÿ, whose entries in drives become those that give the motors the rates */
static td_status find_rates(const td_site *site, const double *y, const double *motor_rates,
                            double *out)
{
    double *step = site->workspace->motion_yd;
    const td_drives *drives = &site->model->actuation.drives;
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
    if (!position || !y || (ydd && !yd))
        return td_refuse(workspace, !position ? "position" : !y ? "y" : "yd");
    if (model->actuation.status != TD_OK)
        return model->actuation.status;
    td_site site = single_site(model, workspace);
    td_workspace *w = workspace;
    size_t nu = model->actuation.nu, nyd = model->closure.nyd;
    double *target = w->motion_to, *rate = w->motion_rate, largest;
    if (model->closure.ny)
        memcpy(target, y, model->closure.ny * sizeof *y);
    td_status status = find_position(&site, position, target, &largest);
    if (status != TD_OK)
        return status;
    if (yd) {
        double *yd_new = rate, *ydd_new = rate + nyd;
        memcpy(yd_new, yd, nyd * sizeof *yd);
        for (size_t i = 0; i < nu; i++)
            w->motor[i] = velocity ? velocity[i] : 0;
        status = find_rates(&site, target, w->motor, yd_new);
        if (status == TD_OK && ydd) {
            memcpy(ydd_new, ydd, nyd * sizeof *ydd);
            status = td_motion_to_actuators(model, w, target, yd_new, NULL, NULL, NULL, w->motor);
            for (size_t i = 0; i < nu; i++)
                w->motor[i] = (acceleration ? acceleration[i] : 0) - w->motor[i];
            if (status == TD_OK)
                status = find_rates(&site, target, w->motor, ydd_new);
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
