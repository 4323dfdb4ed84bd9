/* SPDX-License-Identifier: MIT */
/*
 * The functions for one state: the caller's arrays of doubles are the kernels' arrays of reals.
 */
#include <string.h>

#include "run.h"
#include "tandem/dynamics.h"
#include "tandem/kinematics.h"
#include "workspace.h"

static td_run run_of(const td_model *model, const td_workspace *workspace, td_space space)
{
    return (td_run){model, model->single, &workspace->single, space};
}

static td_status poses(const td_model *model, td_workspace *workspace, td_space space,
                       const double *y, double *out)
{
    if (!model || !workspace || (!y && td_space_positions(model, space)) || !out)
        return TD_ERROR_ARGUMENT;
    td_run run = run_of(model, workspace, space);
    td_run_link_poses(&run, y, out);
    return TD_OK;
}

td_status td_link_poses(const td_model *model, td_workspace *workspace, const double *y,
                        double *out)
{
    return poses(model, workspace, TD_SPACE_INDEPENDENT, y, out);
}

td_status td_tree_link_poses(const td_model *model, td_workspace *workspace, const double *q,
                             double *out)
{
    return poses(model, workspace, TD_SPACE_TREE, q, out);
}

void td_pose_split(const double pose[12], double position[3], double xyzw[4])
{
    const double rotation[9] = {pose[0], pose[1], pose[2], pose[4], pose[5],
                                pose[6], pose[8], pose[9], pose[10]};
    for (int i = 0; i < 3; i++)
        position[i] = pose[4 * i + 3];
    td_quaternion_from_rotation(rotation, xyzw);
}

static td_status center_of_mass(const td_model *model, td_workspace *workspace, td_space space,
                                const double *y, double com[3])
{
    if (!model || !workspace || (!y && td_space_positions(model, space)) || !com)
        return TD_ERROR_ARGUMENT;
    td_run run = run_of(model, workspace, space);
    td_run_center_of_mass(&run, y, com);
    return TD_OK;
}

td_status td_center_of_mass(const td_model *model, td_workspace *workspace, const double *y,
                            double com[3])
{
    return center_of_mass(model, workspace, TD_SPACE_INDEPENDENT, y, com);
}

td_status td_tree_center_of_mass(const td_model *model, td_workspace *workspace, const double *q,
                                 double com[3])
{
    return center_of_mass(model, workspace, TD_SPACE_TREE, q, com);
}

static void neutral(const td_model *model, td_space space, double *y)
{
    memset(y, 0, td_space_positions(model, space) * sizeof *y);
    for (size_t j = 0; j < model->movable_count; j++) {
        const td_joint_place *place = &model->place[model->movable[j]];
        int first = space == TD_SPACE_TREE ? place->q : place->y;
        if (place->nq == 7)
            y[first + 6] = 1;
    }
}

void td_neutral(const td_model *model, double *y)
{
    neutral(model, TD_SPACE_INDEPENDENT, y);
}

void td_tree_neutral(const td_model *model, double *q)
{
    neutral(model, TD_SPACE_TREE, q);
}

static td_status inverse_dynamics(const td_model *model, td_workspace *workspace, td_space space,
                                  const double *y, const double *yd, const double *ydd,
                                  const td_forces *forces, double *tau)
{
    if (!model || !workspace || ((!y || !tau) && td_space_positions(model, space)))
        return TD_ERROR_ARGUMENT;
    td_status status = td_check_forces(forces);
    if (status != TD_OK)
        return status;
    td_run run = run_of(model, workspace, space);
    td_run_inverse_dynamics(&run, y, yd, ydd, forces, tau);
    return TD_OK;
}

td_status td_inverse_dynamics(const td_model *model, td_workspace *workspace, const double *y,
                              const double *yd, const double *ydd, const td_forces *forces,
                              double *tau_y)
{
    return inverse_dynamics(model, workspace, TD_SPACE_INDEPENDENT, y, yd, ydd, forces, tau_y);
}

td_status td_tree_inverse_dynamics(const td_model *model, td_workspace *workspace, const double *q,
                                   const double *qd, const double *qdd, const td_forces *forces,
                                   double *tau)
{
    return inverse_dynamics(model, workspace, TD_SPACE_TREE, q, qd, qdd, forces, tau);
}
