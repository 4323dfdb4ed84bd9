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

bool td_run_is_tree(const td_run *run)
{
    return run->space == TD_SPACE_TREE || run->model->closure.identity;
}

const void *td_run_position(const td_run *run, const void *y)
{
    if (td_run_is_tree(run))
        return y;
    const td_linear_closure *closure = &run->model->closure;
    run->kernels->affine(&closure->position, closure->offset, y, run->scratch->q);
    return run->scratch->q;
}

static const void *tree_rate(const td_run *run, const void *yd, void *room)
{
    if (!yd)
        return run->scratch->zeros;
    if (td_run_is_tree(run))
        return yd;
    run->kernels->affine(&run->model->closure.velocity, NULL, yd, room);
    return room;
}

const void *td_run_velocity(const td_run *run, const void *yd)
{
    return tree_rate(run, yd, run->scratch->qd);
}

const void *td_run_acceleration(const td_run *run, const void *ydd)
{
    return tree_rate(run, ydd, run->scratch->qdd);
}

void *td_run_tau_room(const td_run *run, void *out)
{
    return td_run_is_tree(run) ? out : run->scratch->tau;
}

void td_run_reduce(const td_run *run, void *out)
{
    if (!td_run_is_tree(run))
        run->kernels->transposed(&run->model->closure.velocity, run->scratch->tau, out);
}

void td_run_poses(const td_run *run, const void *y)
{
    run->kernels->place(&run->model->tree, run->scratch, td_run_position(run, y));
    run->kernels->poses(&run->model->tree, run->scratch);
}

void td_run_motions(const td_run *run, const void *y, const void *yd, const void *ydd)
{
    td_run_poses(run, y);
    run->kernels->motions(&run->model->tree, run->scratch, td_run_velocity(run, yd),
                          td_run_acceleration(run, ydd));
}

void *td_run_matrix_room(const td_run *run, void *out)
{
    return td_run_is_tree(run) ? out : run->scratch->matrix;
}

void td_run_times_G(const td_run *run, size_t rows, void *out)
{
    if (!td_run_is_tree(run))
        run->kernels->times_sparse(run->scratch->matrix, rows, &run->model->closure.velocity, out);
}

void td_run_mass(const td_run *run, bool rotors)
{
    const td_model *model = run->model;
    const td_kernels *k = run->kernels;
    k->inertias(&model->tree, run->scratch);
    k->composites(&model->tree, run->scratch);
    k->crba(&model->tree, run->scratch, rotors);
    if (!td_run_is_tree(run))
        k->scatter(&model->closure.scatter, run->scratch->mass, run->scratch->reduced,
                   model->closure.pattern.entries);
}

void *td_run_matrix(const td_run *run)
{
    return td_run_is_tree(run) ? run->scratch->mass : run->scratch->reduced;
}

const td_pattern *td_run_pattern(const td_run *run)
{
    return td_run_is_tree(run) ? &run->model->tree.pattern : &run->model->closure.pattern;
}

td_forces td_forces_default(void)
{
    return (td_forces){
        .size_of = sizeof(td_forces), .wrench_frame = TD_BODY, .friction_velocity = 1e-3};
}

td_status td_check_forces(const td_forces *forces)
{
    if (forces &&
        (forces->size_of != sizeof *forces || (unsigned)forces->wrench_frame > TD_WORLD_ALIGNED ||
         !(forces->friction_velocity > 0)))
        return TD_ERROR_ARGUMENT;
    return TD_OK;
}

bool td_run_load(const td_run *run, const td_forces *forces, bool have_poses)
{
    if (!forces || !forces->wrenches)
        return false;
    const td_tree *tree = &run->model->tree;
    if (!have_poses && forces->wrench_frame != TD_BODY)
        run->kernels->poses(tree, run->scratch);
    run->kernels->wrenches(tree, run->scratch, forces->wrenches, (int)forces->wrench_frame);
    return true;
}

void td_run_tree_force(const td_run *run, const void *q, const void *qd, const void *qdd,
                       const td_forces *forces, bool have_poses, void *tau)
{
    const td_tree *tree = &run->model->tree;
    bool loaded = td_run_load(run, forces, have_poses);
    run->kernels->rnea(tree, run->scratch, qd, qdd, loaded, tau);
    if (forces && forces->passive) {
        run->kernels->passive(tree, q, qd, forces->friction_velocity, tau);
        run->kernels->rotors(tree, qdd, tau);
    }
}
