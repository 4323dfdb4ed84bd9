/* SPDX-License-Identifier: MIT */
/*
 * Sequences of kernels.
 */
#include "run.h"

size_t td_space_positions(const td_model *model, td_space space)
{
    return space == TD_SPACE_TREE ? model->tree.nq : model->closure.ny;
}

size_t td_space_velocities(const td_model *model, td_space space)
{
    return space == TD_SPACE_TREE ? model->tree.nv : model->closure.nyd;
}

static bool is_tree(const td_run *run)
{
    return run->space == TD_SPACE_TREE || run->model->closure.identity;
}

const void *td_run_position(const td_run *run, const void *y)
{
    if (is_tree(run))
        return y;
    const td_linear_closure *closure = &run->model->closure;
    run->kernels->affine(&closure->position, closure->offset, y, run->scratch->q);
    return run->scratch->q;
}

const void *td_run_velocity(const td_run *run, const void *yd, void *room)
{
    if (!yd)
        return run->scratch->zeros;
    if (is_tree(run))
        return yd;
    run->kernels->affine(&run->model->closure.velocity, NULL, yd, room);
    return room;
}

void td_run_link_poses(const td_run *run, const void *y, void *poses)
{
    const td_tree *tree = &run->model->tree;
    run->kernels->place(tree, run->scratch, td_run_position(run, y));
    run->kernels->poses(tree, run->scratch);
    run->kernels->link_poses(tree, run->scratch, poses);
}

void td_run_center_of_mass(const td_run *run, const void *y, void *com)
{
    const td_tree *tree = &run->model->tree;
    run->kernels->place(tree, run->scratch, td_run_position(run, y));
    run->kernels->poses(tree, run->scratch);
    run->kernels->center_of_mass(tree, run->scratch, com);
}

void td_run_inverse_dynamics(const td_run *run, const void *y, const void *yd, const void *ydd,
                             const td_forces *forces, void *tau)
{
    const td_model *model = run->model;
    const td_kernels *k = run->kernels;
    const td_scratch *s = run->scratch;
    bool loaded = forces && forces->wrenches;

    k->place(&model->tree, s, td_run_position(run, y));
    const void *qd = td_run_velocity(run, yd, s->qd);
    const void *qdd = td_run_velocity(run, ydd, s->qdd);
    if (loaded) {
        if (forces->wrench_frame != TD_BODY)
            k->poses(&model->tree, s);
        k->wrenches(&model->tree, s, forces->wrenches, (int)forces->wrench_frame);
    }
    if (is_tree(run)) {
        k->rnea(&model->tree, s, qd, qdd, loaded, tau);
    } else {
        k->rnea(&model->tree, s, qd, qdd, loaded, s->tau);
        k->transposed(&model->closure.velocity, s->tau, tau);
    }
}

td_forces td_forces_default(void)
{
    return (td_forces){.size_of = sizeof(td_forces), .wrench_frame = TD_BODY};
}

td_status td_check_forces(const td_forces *forces)
{
    if (forces &&
        (forces->size_of != sizeof *forces || (unsigned)forces->wrench_frame > TD_WORLD_ALIGNED))
        return TD_ERROR_ARGUMENT;
    return TD_OK;
}
